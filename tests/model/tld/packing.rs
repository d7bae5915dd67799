//! Which register holds which operand: Ra the coordinates, Rb everything else, gaps closed.

use visim::internals::tld::instruction::{Dim, Handle, Lod, Reg, Tld};
use visim::internals::tld::packing::{results, sources};
/// The worked table of TLD reference 2.2, Ra = R8 and Rb = R16.
#[test]
fn gaps_are_closed() {
    let base = Tld {
        ra: Reg(8),
        rb: Reg(16),
        ..Tld::default()
    };
    let bindless = Tld {
        handle: Handle::Bindless,
        ..base
    };
    let text = |tld: Tld| {
        sources(&tld)
            .map(|(p, r)| format!("{p}={r}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(text(base), "s=R8");
    let row = Tld {
        lod: Lod::Given,
        dim: Dim::Array1D,
        ..base
    };
    assert_eq!(text(row), "array=R8 s=R9 lod=R16");
    let row = Tld {
        lod: Lod::Given,
        aoffi: true,
        dim: Dim::D2,
        ..base
    };
    assert_eq!(text(row), "s=R8 t=R9 lod=R16 toff=R17");
    let row = Tld {
        aoffi: true,
        dim: Dim::D3,
        ..bindless
    };
    assert_eq!(text(row), "s=R8 t=R9 r=R10 handle=R16 toff=R17");
    let row = Tld {
        lod: Lod::Given,
        aoffi: true,
        dim: Dim::Array2D,
        ..bindless
    };
    assert_eq!(text(row), "array=R8 s=R9 t=R10 handle=R16 lod=R17 toff=R18");
    let row = Tld {
        ms: true,
        dim: Dim::D2,
        ..bindless
    };
    assert_eq!(text(row), "s=R8 t=R9 handle=R16 ms=R17");
    let row = Tld {
        aoffi: true,
        ms: true,
        dim: Dim::Array2D,
        ..bindless
    };
    assert_eq!(text(row), "array=R8 s=R9 t=R10 handle=R16 toff=R17 ms=R18");
}

#[test]
fn rz_is_a_vector_of_zeroes_and_the_file_ends_at_254() {
    let tld = Tld {
        ra: Reg::RZ,
        dim: Dim::D2,
        ..Tld::default()
    };
    assert!(sources(&tld).all(|(_, reg)| reg.is_rz()));
    let tld = Tld {
        ra: Reg(254),
        dim: Dim::D2,
        ..Tld::default()
    };
    let regs: Vec<_> = sources(&tld).map(|(_, reg)| reg).collect();
    assert_eq!(regs, [Reg(254), Reg::RZ]);
}

#[test]
fn results_have_no_gaps() {
    let tld = Tld {
        rd: Reg(2),
        mask: 0x5,
        ..Tld::default()
    };
    let all: Vec<_> = results(&tld).collect();
    assert_eq!(all, [(0, Reg(2)), (2, Reg(3))]);
}
