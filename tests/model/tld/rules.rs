//! Which encodable instructions are instructions, and which only the disassembler would print.

use visim::internals::tld::instruction::{Dim, Handle, Lod, Reg, Tld};
use visim::internals::tld::rules::{Violation, violations};
#[test]
fn vectors_of_three_count_as_four() {
    let tld = Tld {
        rd: Reg(2),
        ra: Reg(6),
        rb: Reg(10),
        dim: Dim::D3,
        mask: 0x7,
        handle: Handle::Bindless,
        lod: Lod::Given,
        aoffi: true,
        ..Tld::default()
    };
    assert_eq!(
        violations(&tld),
        [
            Violation::RaMisaligned,
            Violation::RbMisaligned,
            Violation::RdMisaligned
        ]
    );
    let even = Tld {
        rd: Reg(4),
        ra: Reg(8),
        rb: Reg(12),
        ..tld
    };
    assert_eq!(violations(&even), []);
}

#[test]
fn an_idle_rb_is_no_error() {
    let tld = Tld {
        ra: Reg(4),
        rb: Reg(7),
        ..Tld::default()
    };
    assert_eq!(violations(&tld), []);
    let tld = Tld {
        ra: Reg(4),
        lod: Lod::Given,
        ..Tld::default()
    };
    assert_eq!(violations(&tld), [Violation::RbIsRz]);
}
