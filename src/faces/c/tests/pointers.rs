//! What a host passes and gets back, under miri where it is to be had: `cargo miri test -p visim-c --test pointers`.

#![expect(unsafe_code, reason = "calls what a host in C calls")]

use std::ffi::CStr;
use std::ptr::{null, null_mut};
use visim_c::*;

const TEXT: &[u8] = b".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=ub num_elts=32 align=GRF\n\
    .decl T6 v_type=T num_elts=1\n    media_ld.nomod (8,4) T6 0 0x0:ud 0x0:ud V32.0\n    ret (M1, 1)\n";

#[test]
fn every_pointer_is_read_and_written_within_its_bounds() {
    let bytes: Vec<u8> = (0..64).collect();
    // SAFETY: names end with a zero, lengths are those of the bytes, and nothing is used after it was freed.
    unsafe {
        let run = visim_load_bytes(c"k.visa".as_ptr(), TEXT.as_ptr(), TEXT.len());
        let kind = Kind::Surface as u32;
        let words = c"R8_UNORM 16x4";
        assert!(visim_bind(
            run,
            kind,
            c"T6".as_ptr(),
            words.as_ptr(),
            bytes.as_ptr(),
            bytes.len()
        ));
        assert!(visim_set(run, c"threads".as_ptr(), c"2,1".as_ptr()));
        let outcome = visim_run(run);
        visim_free(run);
        assert!(
            visim_succeeded(outcome),
            "{:?}",
            CStr::from_ptr(visim_diagnostics_text(outcome))
        );
        let mut room = [0xee; 12];
        let register = Kind::Register as u32;
        let length = visim_read(outcome, register, c"V32".as_ptr(), 0, room.as_mut_ptr(), 9);
        assert_eq!(length, 32);
        // No byte beyond the room that was given.
        assert_eq!(room, [0, 1, 2, 3, 4, 5, 6, 7, 16, 0xee, 0xee, 0xee]);
        assert_eq!(
            visim_read(outcome, register, c"V32".as_ptr(), 0, null_mut(), 0),
            32
        );
        assert_eq!(visim_read(outcome, register, null(), 0, null_mut(), 0), -1);
        assert_eq!(CStr::from_ptr(visim_diagnostics_json(outcome)), c"[]");
        visim_outcome_free(outcome);
    }
}

#[test]
fn nothing_is_made_of_null() {
    // SAFETY: null is allowed everywhere.
    unsafe {
        let run = visim_load_bytes(c"k".as_ptr(), null(), 4);
        assert!(!visim_set(run, null(), null()) && !visim_bind(run, 9, null(), null(), null(), 0));
        let outcome = visim_run(run);
        assert!(!visim_succeeded(outcome) && !visim_succeeded(null()));
        assert!(visim_run(null()).is_null() && visim_diagnostics_text(null()).is_null());
        visim_free(run);
        visim_free(null_mut());
        visim_outcome_free(outcome);
        visim_outcome_free(null_mut());
    }
}
