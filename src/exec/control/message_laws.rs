//! Messages in native code leave the same registers and memory as those that the steps serve.

use super::native_laws::environment;
use crate::check::{CheckOptions, check};
use crate::exec::compute::decoded::Decoded;
use crate::exec::compute::laws::{cases, lowered};
use crate::exec::compute::native::{Native, NativeCode, Rounds, Seen};
use crate::exec::message::environment::Allowance;
use crate::exec::message::site_plans::SitePlans;
use crate::exec::message::transfers::{message, native_ops};
use crate::exec::state::bindings::{Bindings, FlatRange, Resources};
use crate::exec::state::named::NamedBarriers;
use crate::exec::state::observer::Silent;
use crate::exec::state::thread::{Thread, ThreadId};
use crate::isa::Platform;
use crate::lower::{LowerOptions, lower};
use crate::program::{Op, Program};
use crate::source::Source;
use crate::surface::ledger::Ledger;
use crate::surface::{Description, Format, Memory, Surface};
use crate::syntax::{ParseOptions, parse};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use std::sync::Arc;

/// Bytes of each memory.
const BYTES: u32 = 512;

/// Where memory begins at 64-bit addresses; there is another one right behind it.
const BASE: u64 = 0x1_0000_0000;

/// Messages and what computes addresses; `@` stands for the group of lanes.
const NARROW: &[&str] = &[
    "gather4_scaled.R @ T6 0x0:ud O.0 D.0",
    "gather4_scaled.RG @ T6 0x4:ud O.0 D.0",
    "gather4_scaled.RGBA @ T6 0x0:ud O.0 D.0",
    "gather4_scaled.GB @ %slm 0x0:ud O.0 D.0",
    "gather4_scaled.R @ %slm 0x0:ud P.0 O.0",
    "gather4_scaled.RB @ T6 0x0:ud O.0 D.0",
    "gather4_scaled.GA @ %slm 0x0:ud P.0 D.0",
    "lsc_load_quad.ugm @ D:d32.xw flat[Q]:a64",
    "scatter4_scaled.R @ T6 0x0:ud O.0 D.0",
    "scatter4_scaled.RGB @ T6 0x0:ud P.0 D.0",
    "scatter4_scaled.R @ %slm 0x0:ud P.0 D.0",
    "scatter4_scaled.RGBA @ T6 0x0:ud P.0 D.0",
    "gather4_scaled.RGBA @ %slm 0x0:ud P.0 D.0",
    "gather4_scaled.RG @ %scratch 0x0:ud O.0 D.0",
    "gather_scaled.4 @ %scratch 0x0:ud P.0 D.0",
    "gather_scaled.1 @ %scratch 0x4:ud O.0 P.0",
    "scatter4_scaled.R @ %scratch 0x0:ud P.0 D.0",
    "scatter4_scaled.RGBA @ %scratch 0x0:ud O.0 D.0",
    "scatter_scaled.2 @ %scratch 0x0:ud P.0 O.0",
    "oword_ld (2) %scratch 0x3:ud D.32",
    "oword_st (4) %scratch N(0,0)<0;1,0> D.0",
    "gather_scaled.1 @ T6 0x0:ud P.0 D.0",
    "gather_scaled.2 @ T6 0x0:ud P.0 D.0",
    "gather_scaled.4 @ T7 0x0:ud P.0 D.0",
    "scatter_scaled.1 @ T7 0x0:ud P.0 D.0",
    "scatter_scaled.1 @ T7 0x0:ud O.0 D.0",
    "scatter_scaled.2 @ T6 0x0:ud P.0 D.0",
    "scatter_scaled.2 @ %slm 0x0:ud P.0 D.0",
    "scatter_scaled.4 @ T7 0x0:ud O.0 D.0",
    "gather_scaled.4 (M1_NM, 1) T6 0x0:ud P.0 D.0",
    "gather_scaled.4 (M1_NM, 1) %slm 0x0:ud O.0 D.32",
    "scatter_scaled.4 (M1_NM, 1) %slm 0x4:ud P.0 D.0",
    "gather_scaled.4 (M1_NM, 2) T6 0x0:ud P.0 D.0",
    "gather_scaled.1 (M1_NM, 2) T6 0x0:ud O.0 D.32",
    "scatter_scaled.4 (M1_NM, 2) T7 0x0:ud P.0 D.0",
    "scatter_scaled.2 (M1_NM, 2) %slm 0x0:ud O.0 D.0",
    "svm_gather.4.1 (M1_NM, 2) Q.0 D.0",
    "dword_atomic.add (M1_NM, 2) T6 O.0 P.0 %null.0 D.0",
    "lsc_load.ugm @ D:d32 flat[Q]:a64",
    "lsc_load.ugm @ D:d32x3 flat[Q+0x8]:a64",
    "lsc_load.ugm @ D:d8u32 flat[Q]:a64",
    "lsc_load.slm @ D:d32 flat[O+0x4]:a32",
    "lsc_load.slm @ D:d32x4 flat[P]:a32",
    "lsc_store.slm @ flat[O]:a32 D:d32x4",
    "lsc_store.slm @ flat[P]:a32 D:d32",
    "lsc_store.ugm @ flat[Q]:a64 D:d32",
    "lsc_store.ugm @ flat[Q]:a64 D:d32x2",
    "lsc_store.ugm @ flat[Q]:a64 O:d32",
    "lsc_store.ugm @ flat[Q]:a64 D:d8u32",
    "lsc_store.ugm @ flat[Q+0x8]:a64 D:d16u32",
    "lsc_store.slm @ flat[O]:a32 D:d16u32",
    "gather_scaled.4 @ T7 N(0,0)<0;1,0> P.0 D.0",
    "gather4_scaled.RG @ T6 N(0,0)<0;1,0> O.0 D.0",
    "scatter_scaled.2 @ T6 N(0,0)<0;1,0> O.0 D.0",
    "lsc_load.ugm @ D:d32 bss(H)[P]:a32",
    "lsc_load.ugm @ D:d16u32 bss(H)[O+0x8]:a32",
    "lsc_store.ugm @ bss(H)[O]:a32 D:d32x2",
    "lsc_load.ugm (M1_NM, 1) D:d32x4t bss(H)[P]:a32",
    "lsc_load.ugm @ D:d32x2 ss(H)[O+0x8]:a32",
    "lsc_load.ugm @ D:d8u32 ss(H)[P]:a32",
    "lsc_load.ugm @ D:d64 ss(H)[P]:a32",
    "lsc_load.ugm (M1_NM, 1) D:d32x4t ss(H)[P]:a32",
    "lsc_store.ugm @ ss(H)[P]:a32 D:d32",
    "lsc_store.ugm @ ss(H)[O]:a32 D:d16u32",
    "lsc_atomic_iadd.ugm @ D:d32 ss(H)[O]:a32 P %null",
    "lsc_load.ugm @ D:d32 flat(B)[0x4*P]:a32s",
    "lsc_load.ugm @ D:d8u32 flat(B)[O]:a32u",
    "lsc_store.ugm @ flat(B)[0x2*O]:a32u D:d16u32",
    "lsc_store.ugm @ flat(B)[P+0x4]:a32s D:d32",
    "dword_atomic.inc @ %slm O.0 %null.0 %null.0 %null.0",
    "dword_atomic.add @ T6 O.0 P.0 %null.0 D.0",
    "dword_atomic.sub @ T7 P.0 D.0 %null.0 %null.0",
    "dword_atomic.xor @ T6 O.0 P.0 %null.0 D.0",
    "dword_atomic.max @ T7 P.0 D.0 %null.0 %null.0",
    "dword_atomic.min @ %slm O.0 D.0 %null.0 D.0",
    "dword_atomic.minsint @ T6 P.0 S.0 %null.0 I.0",
    "dword_atomic.xchg @ %slm O.0 P.0 %null.0 D.0",
    "dword_atomic.cmpxchg @ T6 O.0 D.0 P.0 D.0",
    "lsc_atomic_icas.ugm @ D:d32 flat[Q]:a64 O P",
    "lsc_atomic_smax.ugm @ D:d32 flat[Q]:a64 O %null",
    "lsc_atomic_fadd.ugm @ D:d32 flat[Q]:a64 O %null",
    "lsc_atomic_and.slm (M1_NM, 1) %null:d32 flat[O]:a32 P %null",
    "lsc_atomic_or.ugm (M1_NM, 1) D:d32 flat[Q]:a64 P %null",
    "lsc_atomic_iinc.slm (M1_NM, 1) N:d32 flat[O]:a32 %null %null",
    "lsc_load.ugm (M1_NM, 1) N:d8u32 flat[Q]:a64",
    "mov (M1_NM, 1) B(0,0)<1> Q(0,1)<0;1,0>",
    "mov (M1_NM, 1) H(0,0)<1> N(0,0)<0;1,0>",
    "lsc_atomic_iadd.ugm @ D:d32 flat[Q]:a64 O %null",
    "lsc_atomic_idec.slm @ %null:d32 flat[O]:a32 %null %null",
    "oword_ld_unaligned (4) T6 P(0,1)<0;1,0> D.0",
    "oword_ld (2) T6 0x3:ud D.32",
    "oword_st (8) T6 N(0,0)<0;1,0> D.0",
    "lsc_load.ugm (M1_NM, 1) D:d32x4t flat[Q+0x10]:a64",
    "lsc_load.slm (M1_NM, 1) D:d32x3t flat[P]:a32",
    "lsc_load.ugm (M1_NM, 1) D:d64x8t flat[Q]:a64",
    "lsc_store.slm (M1_NM, 1) flat[O+0x4]:a32 D:d32x2t",
    "lsc_store.ugm (M1_NM, 1) flat[Q]:a64 D:d32x16t",
    "lsc_load.ugm @ D:d64 flat[Q]:a64",
    "lsc_load.ugm @ R:d64 flat[Q]:a64",
    "lsc_load.slm @ D:d64 flat[P]:a32",
    "lsc_load.ugm @ D:d64x2 bss(H)[O+0x8]:a32",
    "lsc_load.ugm @ D:d64 flat(B)[0x8*P]:a32s",
    "lsc_store.ugm @ flat[Q+0x8]:a64 D:d64",
    "lsc_store.ugm @ flat[Q]:a64 R:d64",
    "lsc_store.slm @ flat[O]:a32 D:d64x2",
    "lsc_store.ugm @ bss(H)[P]:a32 D:d64",
    "svm_gather.8.1 @ Q.0 D.32",
    "svm_gather.8.2 @ Q.0 D.0",
    "svm_scatter.8.1 @ Q.0 D.32",
    "lsc_load.ugm (M1_NM, 1) D:d64 flat[Q]:a64",
    "lsc_store.slm (M1_NM, 1) flat[P]:a32 R:d64",
    "svm_scatter.8.1 (M1_NM, 1) Q.0 D.0",
    "xor (M1_NM, 1) H(0,0)<1> H(0,0)<0;1,0> 0x1:ud",
    "add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x4:ud",
    "add @ O(0,0)<1> P(0,0)<1;1,0> 0x4:ud",
    "add @ O(0,0)<1> 0x100:ud (-)O(0,0)<1;1,0>",
    "add @ Q(0,0)<1> B(0,0)<0;1,0> (-)R(0,0)<1;1,0>",
    "or @ O(0,0)<1> P(0,0)<1;1,0> 0x10000000:ud",
    "add @ Q(0,0)<1> Q(0,0)<1;1,0> 0x4:q",
    "shl @ R(0,0)<1> O(0,0)<1;1,0> 0x2:uq",
    "add @ Q(0,0)<1> R(0,0)<1;1,0> B(0,0)<0;1,0>",
    "mov @ R(0,0)<1> S(0,0)<1;1,0>",
    "mad @ R(0,0)<1> S(0,0)<1;1,0> 0x4:d R(0,0)<1;1,0>",
];

/// What computes addresses of lanes that follow each other, and messages that find them so.
const IN_ORDER: &[&str] = &[
    "add @ O(0,0)<1> P(0,0)<1;1,0> 0x4:ud",
    "add @ O(0,0)<1> 0x100:ud (-)O(0,0)<1;1,0>",
    "add @ Q(0,0)<1> B(0,0)<0;1,0> (-)R(0,0)<1;1,0>",
    "gather_scaled.2 @ T6 0x0:ud P.0 D.0",
    "lsc_load.ugm @ D:d16u32 flat[Q]:a64",
    "add @ O(0,0)<1> O(0,0)<1;1,0> N(0,0)<0;1,0>",
    "add @ P(0,0)<1> N(0,0)<0;1,0> O(0,0)<1;1,0>",
    "add @ P(0,0)<1> O(0,0)<1;1,0> P(0,0)<1;1,0>",
    "shl @ O(0,0)<1> P(0,0)<1;1,0> 0x1:ud",
    "shl @ P(0,0)<1> O(0,0)<1;1,0> 0x2:ud",
    "shl @ O(0,0)<1> P(0,0)<1;1,0> 0x1e:ud",
    "shr @ O(0,0)<1> O(0,0)<1;1,0> 0x2:ud",
    "mov @ O(0,0)<1> P(0,0)<1;1,0>",
    "mov @ R(0,0)<1> O(0,0)<1;1,0>",
    "mov @ R(0,0)<1> S(0,0)<1;1,0>",
    "shl @ R(0,0)<1> R(0,0)<1;1,0> 0x2:uq",
    "add @ Q(0,0)<1> R(0,0)<1;1,0> B(0,0)<0;1,0>",
    "add @ Q(0,0)<1> Q(0,0)<1;1,0> 0x4:q",
    "add (M1_NM, 1) O(0,3)<1> O(0,3)<0;1,0> 0x4:ud",
    "add (M1_NM, 1) Q(0,5)<1> Q(0,5)<0;1,0> 0x4:q",
    "lsc_load.ugm @ D:d32 flat[Q]:a64",
    "lsc_load.ugm @ D:d32 flat[Q+0x8]:a64",
    "lsc_load.ugm @ D:d8u32 flat[Q]:a64",
    "lsc_load.ugm @ O:d32 flat[Q]:a64",
    "lsc_store.ugm @ flat[Q]:a64 D:d32",
    "lsc_load.ugm @ D:d64 flat[Q]:a64",
    "lsc_load.ugm @ Q:d64 flat[Q+0x8]:a64",
    "lsc_store.ugm @ flat[Q]:a64 R:d64",
    "lsc_store.ugm @ flat[Q]:a64 O:d16u32",
    "lsc_load.slm @ D:d32x4 flat[P]:a32",
    "lsc_load.slm @ P:d32 flat[O]:a32",
    "lsc_load.ugm @ D:d32x2 flat[Q]:a64",
    "lsc_store.ugm @ flat[Q+0x8]:a64 D:d32x3",
    "lsc_load.slm @ D:d32x3 flat[O]:a32",
    "lsc_store.slm @ flat[P]:a32 D:d32x2",
    "lsc_store.slm @ flat[O+0x4]:a32 P:d32",
    "lsc_store.slm @ flat[P]:a32 D:d16u32",
    "lsc_load.ugm @ D:d32 bss(H)[O]:a32",
    "lsc_store.ugm @ bss(H)[P]:a32 O:d32",
    "lsc_load.ugm @ D:d32 ss(H)[P]:a32",
    "lsc_store.ugm @ ss(H)[O]:a32 P:d32",
    "lsc_load.ugm @ D:d32 flat(B)[0x4*P]:a32s",
    "lsc_load.ugm @ D:d8u32 flat(B)[O]:a32u",
    "lsc_store.ugm @ flat(B)[0x2*O]:a32u D:d16u32",
    "gather_scaled.4 @ T7 0x0:ud P.0 D.0",
    "gather_scaled.1 @ T6 0x0:ud O.0 P.0",
    "scatter_scaled.4 @ T7 N(0,0)<0;1,0> O.0 D.0",
    "scatter_scaled.1 @ T6 0x0:ud P.0 O.0",
    "gather4_scaled.RGBA @ T6 0x0:ud O.0 D.0",
    "gather4_scaled.RG @ %slm 0x0:ud P.0 D.0",
    "scatter4_scaled.RGBA @ T6 0x0:ud P.0 D.0",
];

/// Messages of both halves of SIMD32, with something between them, and what computes their addresses from numbers of threads.
const HALVES: &[&str] = &[
    "mov (M1, 16) O(0,0)<1> W(0,0)<1;1,0>\nmov (M5, 16) O(2,0)<1> W(1,0)<1;1,0>",
    "mov (M1, 16) P(0,0)<1> W(0,0)<1;1,0>\nmov (M5, 16) P(2,0)<1> W(1,0)<1;1,0>",
    "shl (M1, 16) O(0,0)<1> O(0,0)<1;1,0> 0x2:d\nshl (M5, 16) O(2,0)<1> O(2,0)<1;1,0> 0x2:d",
    "shl (M1, 16) P(0,0)<1> P(0,0)<1;1,0> 0x2:d\nshl (M5, 16) P(2,0)<1> P(2,0)<1;1,0> 0x2:d",
    "mul (M1, 16) O(0,0)<1> O(0,0)<1;1,0> 0x3:d\nmul (M5, 16) O(2,0)<1> O(2,0)<1;1,0> 0x3:d",
    "mul (M1, 16) P(0,0)<1> P(0,0)<1;1,0> 0xfffffffc:d\nmul (M5, 16) P(2,0)<1> P(2,0)<1;1,0> 0xfffffffc:d",
    "mul (M1, 16) P(0,0)<1> O(0,0)<1;1,0> 0xc:d\nmul (M5, 16) P(2,0)<1> O(2,0)<1;1,0> 0xc:d",
    "add (M1, 16) O(0,0)<1> O(0,0)<1;1,0> N(0,0)<0;1,0>\nadd (M5, 16) O(2,0)<1> O(2,0)<1;1,0> N(0,0)<0;1,0>",
    "add (M1, 16) P(0,0)<1> O(0,0)<1;1,0> N(0,0)<0;1,0>\nadd (M5, 16) P(2,0)<1> O(2,0)<1;1,0> N(0,0)<0;1,0>",
    "add (M1, 16) P(0,0)<1> P(0,0)<1;1,0> 0x10:d\nadd (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x4:d",
    "gather4_scaled.R (M1, 16) T6 0x0:ud O.0 D.0\n- (M5, 16) T6 0x0:ud O.64 D.64",
    "gather4_scaled.RG (M1, 16) T6 0x0:ud P.0 D.0\n- (M5, 16) T6 0x0:ud P.64 D.128",
    "gather4_scaled.RGB (M1, 16) T7 0x0:ud O.0 D.0\n- (M5, 16) T7 0x0:ud O.64 D.192",
    "gather_scaled.1 (M1, 16) T6 0x0:ud O.0 D.0\n- (M5, 16) T6 0x0:ud O.64 D.256",
    "gather_scaled.2 (M1, 16) %slm 0x0:ud P.0 D.64\n- (M5, 16) %slm 0x0:ud P.64 D.0",
    "gather_scaled.4 (M1, 16) T6 0x0:ud O.0 D.0\n- (M5, 16) T6 0x0:ud O.64 O.64",
    "gather_scaled.4 (M1, 16) T6 0x0:ud O.0 O.64\n- (M5, 16) T6 0x0:ud O.64 D.0",
    "gather_scaled.4 (M1, 16) T6 0x0:ud P.0 D.0\n- (M5, 16) T6 0x0:ud P.64 D.0",
    "scatter4_scaled.R (M1, 16) T6 0x0:ud O.0 D.0\n- (M5, 16) T6 0x0:ud O.64 D.64",
    "scatter4_scaled.RG (M1, 16) T7 0x0:ud P.0 D.0\n- (M5, 16) T7 0x0:ud P.64 D.128",
    "scatter_scaled.1 (M1, 16) %slm 0x0:ud P.0 D.0\n- (M5, 16) %slm 0x0:ud P.64 D.64",
    "scatter_scaled.2 (M1, 16) T6 0x0:ud O.0 D.64\n- (M5, 16) T6 0x0:ud O.64 D.0",
    "mov (M1_NM, 1) X(0,0)<1> D(0,0)<0;1,0>",
];

/// What lies between two of them.
const BETWEEN: &[&str] = &[
    "",
    "movs (M1_NM, 1) T6(0) 0x6:ud",
    "mov (M5, 16) D(2,0)<1> O(2,0)<1;1,0>",
    "mov (M1, 16) I(8,0)<1> I(0,0)<1;1,0>",
    "add (M1, 16) O(0,0)<1> O(0,0)<1;1,0> 0x4:d",
    "add (M5, 16) P(2,0)<1> P(2,0)<1;1,0> 0x4:d",
    "mov (M1_NM, 1) N(0,0)<1> D(2,1)<0;1,0>",
    "add (M1, 16) F(8,0)<1> F(0,0)<1;1,0> F(2,0)<1;1,0>",
    "add (M1, 16) F(10,0)<1> F(8,0)<1;1,0> F(2,0)<1;1,0>\nmov (M1, 16) I(8,0)<1> I(12,0)<1;1,0>",
    "cmp.lt (M1, 32) SOME O(0,0)<1;1,0> P(0,0)<1;1,0>",
    "mov (M1_NM, 1) X(0,0)<1> D(0,0)<0;1,0>",
];

/// The same of messages of all 32 lanes.
const WHOLE: &[&str] = &[
    "mov (M1, 32) O(0,0)<1> W(0,0)<1;1,0>",
    "mov (M1, 32) Q(0,0)<1> W(0,0)<1;1,0>",
    "mov (M1, 32) Q(0,0)<1> O(0,0)<1;1,0>",
    "mul (M1, 32) O(0,0)<1> O(0,0)<1;1,0> 0x3:d",
    "mul (M1, 32) O(0,0)<1> O(0,0)<1;1,0> 0xfffffffc:d",
    "shl (M1, 32) Q(0,0)<1> Q(0,0)<1;1,0> 0x2:d",
    "shl (M1, 32) Q(0,0)<1> Q(0,0)<1;1,0> 0x3:d",
    "add (M1, 32) Q(0,0)<1> Q(0,0)<1;1,0> B(0,0)<0;1,0>",
    "add (M1, 32) Q(0,0)<1> Q(0,0)<1;1,0> 0x8:d",
    "cmp.lt (M1, 32) SOME O(0,0)<1;1,0> 0x9:d",
    "lsc_load.ugm (M1, 32) D:d32 flat[Q]:a64",
    "lsc_load.ugm (M1, 32) D:d32x3 flat[Q-0x4]:a64",
    "lsc_load.ugm (M1, 32) D:d32x2 flat[Q]:a64",
    "lsc_load.ugm (M1, 32) D:d8u32 flat[Q]:a64",
    "lsc_load.ugm (M1, 32) D:d16u32 flat[Q]:a64",
    "lsc_load.ugm (M1, 32) D:d32 flat(B)[0x4*O]:a32s",
    "lsc_load.slm (M1, 32) D:d32 flat[O]:a32",
    "lsc_store.ugm (M1, 32) flat[Q]:a64 D:d32",
    "lsc_store.ugm (M1, 32) flat[Q]:a64 D:d32x2",
    "lsc_store.ugm (M1, 32) flat[Q]:a64 D:d8u32",
    "lsc_store.slm (M1, 32) flat[O]:a32 D:d32",
];

/// What is computed of rows that are evenly apart, beside [`HALVES`].
const EVEN_HALVES: &[&str] = &[
    "mov (M1, 16) O(0,0)<1> W(0,0)<1;1,0>\nmov (M5, 16) O(2,0)<1> W(1,0)<1;1,0>",
    "mov (M1, 16) P(0,0)<1> Y(0,0)<1;1,0>\nmov (M5, 16) P(2,0)<1> Y(1,0)<1;1,0>",
    "mov (M1, 16) P(0,0)<1> W(0,0)<1;1,0>\nmul (M1, 16) O(0,0)<1> O(0,0)<1;1,0> 0x4:d",
    "mul (M1, 16) P(0,0)<1> P(0,0)<1;1,0> N(0,0)<0;1,0>\nmul (M5, 16) P(2,0)<1> P(2,0)<1;1,0> N(0,0)<0;1,0>",
    "mad (M1, 16) P(0,0)<1> O(0,0)<1;1,0> 0x3:d P(0,0)<1;1,0>\nmad (M5, 16) P(2,0)<1> O(2,0)<1;1,0> 0x3:d P(2,0)<1;1,0>",
    "mad (M1, 16) O(0,0)<1> P(0,0)<1;1,0> N(0,0)<0;1,0> O(0,0)<1;1,0>\nmad (M5, 16) O(2,0)<1> P(2,0)<1;1,0> N(0,0)<0;1,0> O(2,0)<1;1,0>",
    "add (M1, 16) O(0,0)<1> O(0,0)<1;1,0> P(0,0)<1;1,0>\nadd (M5, 16) O(2,0)<1> O(2,0)<1;1,0> P(2,0)<1;1,0>",
    "add (M1, 16) O(0,0)<1> O(0,0)<1;1,0> (-)N(0,0)<0;1,0>\nadd (M5, 16) O(2,0)<1> O(2,0)<1;1,0> (-)N(0,0)<0;1,0>",
    "shl (M1, 16) P(0,0)<1> O(0,0)<1;1,0> 0x2:d\nshl (M5, 16) P(2,0)<1> O(2,0)<1;1,0> 0x2:d",
    "mov (M1, 16) P(0,0)<1> O(0,0)<1;1,0>\nmov (M5, 16) P(2,0)<1> O(2,0)<1;1,0>",
    "add (M1, 8) P(1,0)<1> P(1,0)<1;1,0> 0x4:d",
    "mov (M1_NM, 1) W(0,3)<1> 0x9:uw",
    "mov (M1_NM, 1) Y(0,0)<1> W(0,5)<0;1,0>",
    "mov (M1_NM, 1) O(0,0)<1> N(0,0)<0;1,0>",
    "mov (M1_NM, 1) N(0,0)<1> O(0,1)<0;1,0>",
    "cmp.lt (M1, 16) SOME O(0,0)<1;1,0> P(0,0)<1;1,0>\ncmp.lt (M5, 16) SOME O(2,0)<1;1,0> P(2,0)<1;1,0>",
    "and (M1, 16) D(0,0)<1> O(0,0)<1;1,0> P(0,0)<1;1,0>",
    "(SOME) mov (M1, 16) O(0,0)<1> P(0,0)<1;1,0>",
];

/// The same beside [`WHOLE`].
const EVEN_WHOLE: &[&str] = &[
    "mov (M1, 32) O(0,0)<1> W(0,0)<1;1,0>",
    "mov (M1, 32) P(0,0)<1> Y(0,0)<1;1,0>",
    "mul (M1, 32) P(0,0)<1> P(0,0)<1;1,0> N(0,0)<0;1,0>",
    "mad (M1, 32) O(0,0)<1> P(0,0)<1;1,0> N(0,0)<0;1,0> O(0,0)<1;1,0>",
    "add3 (M1, 32) O(0,0)<1> N(0,0)<0;1,0> O(0,0)<1;1,0> N(0,0)<0;1,0>",
    "add (M1, 32) O(0,0)<1> O(0,0)<1;1,0> 0xffffffe0:d",
    "mov (M1, 32) Q(0,0)<1> S(0,0)<1;1,0>",
    "mov (M1, 32) R(0,0)<1> O(0,0)<1;1,0>",
    "mov (M1, 32) P(0,0)<1> O(0,0)<1;1,0>",
    "shl (M1, 32) R(0,0)<1> R(0,0)<1;1,0> 0x2:d",
    "mul (M1, 32) R(0,0)<1> O(0,0)<1;1,0> 0x3:d",
    "add (M1, 32) Q(0,0)<1> R(0,0)<1;1,0> B(0,0)<0;1,0>",
    "add (M1, 32) Q(0,0)<1> Q(0,0)<1;1,0> R(0,0)<1;1,0>",
    "add (M1, 32) Q(0,0)<1> R(0,0)<1;1,0> 0x100000000:q",
    "add (M1, 32) Q(0,0)<1> Q(0,0)<1;1,0> 0x100000000:q",
    "mov (M1, 16) P(2,0)<1> O(0,0)<1;1,0>",
    "mov (M1_NM, 1) W(0,3)<1> 0x9:uw",
    "mov (M1_NM, 1) N(0,0)<1> O(0,1)<0;1,0>",
    "mov (M1_NM, 1) Q(0,0)<1> B(0,0)<0;1,0>",
    "cmp.lt (M1, 32) SOME O(0,0)<1;1,0> P(0,0)<1;1,0>",
    "(SOME) mov (M1, 32) O(0,0)<1> P(0,0)<1;1,0>",
];

/// A line of two messages, if it is one, with something between them: `-` stands for the name of the first one.
fn both_halves(line: &str, between: &str) -> String {
    let Some((first, second)) = line.split_once("\n-") else {
        return line.to_string();
    };
    let name = first.split(' ').next().unwrap_or_default();
    format!("{first}\n{between}\n{name}{second}")
}

/// * `from`: what the lines are of.
/// * `again`: whether the lines are a loop, in which registers are pinned.
fn program(from: &[&str], lines: &[(usize, u8)], wide: bool, again: bool) -> Program {
    let mut text = ".version 3.6
.kernel \"k\"
.decl O v_type=G type=ud num_elts=32 align=GRF
.decl P v_type=G type=ud num_elts=32 align=GRF
.decl S v_type=G type=d num_elts=32 align=GRF alias=<P, 0>
.decl D v_type=G type=ud num_elts=128 align=GRF
.decl I v_type=G type=d num_elts=128 align=GRF alias=<D, 0>
.decl Q v_type=G type=uq num_elts=32 align=GRF
.decl R v_type=G type=uq num_elts=32 align=GRF
.decl F v_type=G type=f num_elts=128 align=GRF alias=<D, 0>
.decl W v_type=G type=uw num_elts=32 align=GRF
.decl Y v_type=G type=uw num_elts=32 align=GRF
.decl X v_type=G type=ud num_elts=1 alias=<D, 2>
.decl N v_type=G type=ud num_elts=1 align=GRF
.decl H v_type=G type=ud num_elts=1
.decl B v_type=G type=uq num_elts=1
.decl TURN v_type=G type=ud num_elts=1 align=GRF
.decl SOME v_type=P num_elts=32
.decl MORE v_type=P num_elts=1
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
"
    .to_string();
    if again {
        text += "again:\n";
    }
    for &(line, how) in lines {
        let line = from[line % from.len()];
        if wide
            && ["scaled", "word", "svm"]
                .iter()
                .any(|old| line.contains(old))
        {
            continue;
        }
        let lanes = match how / 4 % 4 {
            _ if wide => "(M1, 32)",
            0 => "(M1, 8)",
            1 => "(M1_NM, 16)",
            2 => "(M5, 16)",
            _ => "(M1, 16)",
        };
        let guard = ["(SOME) ", "(!SOME) ", "", ""][usize::from(how % 4)];
        let guard = if line.contains('@') { guard } else { "" };
        text += &format!("{guard}{}\n", line.replace('@', lanes));
    }
    if again {
        text += "add (M1_NM, 1) TURN(0,0)<1> TURN(0,0)<0;1,0> 0x1:ud
cmp.lt (M1_NM, 1) MORE TURN(0,0)<0;1,0> 0x3:ud
(MORE) goto (M1, 1) again\n";
    }
    let parsed = parse(&Source::new("t", text.clone()), &ParseOptions::default());
    let platform = Platform::from_name(if wide { "bmg" } else { "dg2" }).expect("a platform");
    let options = CheckOptions {
        platform,
        ..CheckOptions::default()
    };
    let (checked, said) = check(&parsed.module, &options);
    let mut said = parsed.diagnostics.iter().chain(&said);
    let fatal = said.find(|d| d.class().is_fatal());
    assert!(fatal.is_none(), "{text}: {fatal:#?}");
    lower(&checked, "", &LowerOptions::default()).unwrap_or_else(|e| panic!("{e:#?}"))
}

/// Places of the lanes of a variable: from here on, so far apart, some of them somewhere else.
type Places = (u32, u32, u32, u32);

fn places() -> impl Strategy<Value = Places> {
    let first = prop_oneof![0..BYTES, BYTES - 64..BYTES + 8];
    let step = prop_oneof![
        Just(0u32),
        Just(1),
        Just(2),
        Just(4),
        Just(4),
        Just(8),
        Just(12),
        Just(16),
        0..40u32
    ];
    let astray = prop_oneof![Just(0u32), Just(0), any::<u32>()];
    let whole = prop_oneof![Just(3u32), Just(3), Just(3), Just(1), Just(0)];
    (first, step, astray, whole)
}

fn place((first, step, astray, unaligned): Places, lane: u32) -> u32 {
    let straight = first.wrapping_add(step * lane);
    match astray >> lane & 1 {
        0 => straight & !unaligned,
        _ => (astray.rotate_left(lane) % (BYTES + 4)) & !unaligned,
    }
}

/// What is left of registers, surface, memory and shared memory, and of traps.
type Left = (Vec<Vec<u8>>, [Vec<u8>; 3], Vec<String>);

fn left(program: &Program, places: &[Places], masks: &[u32], native: NativeCode) -> Left {
    left_from(BASE, program, places, masks, native)
}

/// * `base`: what `B` holds.
fn left_from(
    base: u64,
    program: &Program,
    places: &[Places],
    masks: &[u32],
    native: NativeCode,
) -> Left {
    let pattern: Vec<u8> = (0..BYTES).map(|i| (i * 37 + i / 256) as u8).collect();
    let memory = || Arc::new(Memory::from_bytes(&pattern));
    let (bound, far, further) = (memory(), memory(), memory());
    let buffer = |base, width| {
        let format = Format::named("R8_UINT").expect("a format");
        let description = Description {
            base,
            ..Description::buffer(format, width)
        };
        Arc::new(Surface::new(description, Arc::clone(&bound)).expect("a buffer"))
    };
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, buffer(0, BYTES));
    bindings.surfaces.insert(7, buffer(64, BYTES - 100));
    for (address, memory) in [(BASE, &far), (BASE + u64::from(BYTES), &further)] {
        let memory = Arc::clone(memory);
        bindings.memory.push(FlatRange { address, memory });
    }
    let (code, plans) = (Decoded::new(program), SitePlans::new(program));
    let resources = Resources::new(&bindings);
    let (slm, named) = (Memory::from_bytes(&pattern), NamedBarriers::default());
    let allowance = Allowance::new(u64::MAX, None);
    let around = (&slm, &named, &allowance);
    let environment = environment((&code, &plans, &resources), around, native);
    let (mut registers, mut traps) = (Vec::new(), Vec::new());
    // One after the other: each finds what the one before has learned of memory.
    for (index, &em) in (0..).zip(masks) {
        let id = ThreadId {
            index,
            ..ThreadId::default()
        };
        let mut thread = Thread::new(program, id, em);
        let mut fill = |name: &str, value: &dyn Fn(u32) -> u64| {
            let symbol = program.symbols[name];
            let bytes = match name {
                "Q" | "R" | "B" => 8,
                "W" | "Y" => 2,
                _ => 4,
            };
            let own = thread.arena[symbol.range()].chunks_exact_mut(bytes);
            for (lane, own) in (0..).zip(own) {
                own.copy_from_slice(&value(lane).to_le_bytes()[..bytes]);
            }
        };
        fill("O", &|lane| place(places[0], lane).into());
        fill("P", &|lane| place(places[1], lane).into());
        fill("Q", &|lane| BASE + u64::from(place(places[2], lane)));
        fill("R", &|lane| u64::from(lane) * 5);
        // Groups are 32 threads wide, or 16, or 8; those of some runs are not where the first one is, one of them is elsewhere.
        let width = [32, 16, 32, 8][places[1].0 as usize % 4];
        let moved = places[2].1 / 4 % 2 * index;
        let astray = |lane| u32::from(places[2].1 == 12 && (index, lane) == (2, 21));
        fill("W", &|lane| {
            (lane % width + 32 * moved + astray(lane)).into()
        });
        fill("Y", &|lane| (lane / width + 3 * moved).into());
        fill("D", &|lane| u64::from(lane) * 0x0101_0101);
        fill("B", &|_| base);
        fill("H", &|_| 6 + u64::from(places[0].0 % 2));
        fill("N", &|_| u64::from(places[0].0) % 40);
        fill("SOME", &|_| u64::from(places[0].2 | 0x0f0f));
        if let Err(trap) = thread.run(&environment, &mut Silent) {
            traps.push(format!("{} {:?}", trap.thread, trap.diagnostic.notes));
        }
        registers.push(thread.arena[..program.general_bytes as usize].to_vec());
        // It is 0 until it is written, whether there is any or not.
        let scratch = thread.rare.scratch.as_ref();
        registers.push(scratch.map_or(vec![0; BYTES as usize], |scratch| scratch.to_vec()));
    }
    let shared = [far.to_vec(), further.to_vec(), slm.to_vec()];
    let shared = shared.map(|bytes| [bytes, bound.to_vec()].concat());
    (registers, shared, traps)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(3_000), max_shrink_iters: 2000, failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/seeds/native-messages.txt"))), ..ProptestConfig::default() })]

    #[test]
    fn native_messages_leave_what_steps_leave(
        lines in prop::collection::vec(any::<(usize, u8)>(), 3..8),
        places in prop::collection::vec(places(), 3),
        masks in prop::collection::vec(prop_oneof![Just(u32::MAX), 1u32.., Just(0xffff)], 1..8),
        wide in prop::bool::weighted(0.3),
        again in prop::bool::weighted(0.3),
    ) {
        let program = program(NARROW, &lines, wide, again);
        let run = |native| left(&program, &places, &masks, native);
        let (native, steps) = (run(NativeCode::Always), run(NativeCode::Never));
        prop_assert_eq!(&native.2, &steps.2, "{:?}", program.ops);
        prop_assert_eq!(&native.1, &steps.1, "{:?}", program.ops);
        for (native, steps) in native.0.iter().zip(&steps.0) {
            let differ = (0..native.len()).find(|&i| native[i] != steps[i]);
            prop_assert_eq!(differ, None, "{:#?}", program.ops);
        }
    }
}

/// Places of lanes that follow each other, but for one of them at times.
fn in_order() -> impl Strategy<Value = Places> {
    let first = prop_oneof![0..BYTES / 2, Just(0u32), Just(8)];
    let step = prop::sample::select(vec![0u32, 1, 1, 2, 3, 4, 4, 4, 8, 8, 12, 12, 16]);
    let astray = prop_oneof![9 => Just(0), 1 => (0..32u32).prop_map(|lane| 1 << lane)];
    (first, step, astray, prop::sample::select(vec![0u32, 3]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(3_000), max_shrink_iters: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lanes_that_follow_each_other_leave_what_steps_leave(
        lines in prop::collection::vec((any::<usize>(), prop::sample::select(vec![2u8, 3, 3, 6, 7, 14, 15, 0])), 3..12),
        places in prop::collection::vec(in_order(), 3),
        masks in prop::collection::vec(prop_oneof![4 => Just(u32::MAX), 1 => 1u32..], 1..5),
        wide in any::<bool>(),
        again in prop::bool::weighted(0.2),
    ) {
        let program = program(IN_ORDER, &lines, wide, again);
        let run = |native| left(&program, &places, &masks, native);
        prop_assert!(run(NativeCode::Always) == run(NativeCode::Never), "{:#?}", program.ops);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(4_000), max_shrink_iters: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn halves_leave_what_steps_leave(
        lines in prop::collection::vec((any::<usize>(), any::<usize>()), 3..14),
        places in prop::collection::vec(in_order(), 3),
        masks in prop::collection::vec(prop_oneof![4 => Just(u32::MAX), 1 => 1u32..], 1..5),
        wide in any::<bool>(),
        again in prop::bool::weighted(0.2),
    ) {
        let from = if wide { WHOLE } else { HALVES };
        let lines = lines.iter().map(|&(line, between)| {
            both_halves(from[line % from.len()], BETWEEN[between % BETWEEN.len()])
        });
        let lines: Vec<String> = lines.collect();
        let from: Vec<&str> = lines.iter().map(String::as_str).collect();
        let all: Vec<(usize, u8)> = (0..from.len()).map(|line| (line, 2)).collect();
        let program = program(&from, &all, wide, again);
        let run = |native| left(&program, &places, &masks, native);
        let (native, steps) = (run(NativeCode::Always), run(NativeCode::Never));
        prop_assert!(native == steps, "{lines:#?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(4_000), max_shrink_iters: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_that_are_evenly_apart_leave_what_steps_leave(
        lines in prop::collection::vec((any::<usize>(), 0..3u8), 3..16),
        over in (0..16usize, 0..16usize, 0..5usize),
        back in prop::option::weighted(0.3, 0..16usize),
        places in prop::collection::vec(in_order(), 3),
        masks in prop::collection::vec(prop_oneof![6 => Just(u32::MAX), 1 => 1u32..], 1..5),
        wide in any::<bool>(),
    ) {
        let (own, messages) = match wide {
            true => (EVEN_WHOLE, WHOLE),
            false => (EVEN_HALVES, HALVES),
        };
        let lines = lines.iter().map(|&(line, kind)| {
            let from = if kind == 0 { messages } else { own };
            both_halves(from[line % from.len()], "")
        });
        // Most of it is about rows that begin so.
        let begin = own[..2].iter().map(|line| line.to_string());
        let mut lines: Vec<String> = begin.chain(lines).collect();
        // A way round some of them, for lanes or for all, and one back.
        let (first, last) = (over.0.min(over.1), over.0.max(over.1));
        let way = [
            "(SOME) goto (M1, 32) over",
            "(!SOME) goto (M1, 32) over",
            "(SOME) goto (M1, 1) over",
            "(!SOME) goto (M1, 1) over",
        ];
        if let (Some(way), true) = (way.get(over.2), last <= lines.len()) {
            lines.insert(last, "over:".to_string());
            lines.insert(first, (*way).to_string());
        }
        if let Some(back) = back.filter(|back| *back <= lines.len()) {
            lines.insert(back, "back:".to_string());
            lines.push("add (M1_NM, 1) TURN(0,0)<1> TURN(0,0)<0;1,0> 0x1:ud
cmp.lt (M1_NM, 1) MORE TURN(0,0)<0;1,0> 0x3:ud
(MORE) goto (M1, 1) back".to_string());
        }
        let from: Vec<&str> = lines.iter().map(String::as_str).collect();
        let all: Vec<(usize, u8)> = (0..from.len()).map(|line| (line, 2)).collect();
        let program = program(&from, &all, wide, false);
        let run = |native| left(&program, &places, &masks, native);
        let (native, steps) = (run(NativeCode::Always), run(NativeCode::Never));
        prop_assert!(native == steps, "{lines:#?}");
    }
}

/// Threads of groups whose numbers are evenly apart have code that computes lane 0 of addresses.
#[test]
fn numbers_that_are_evenly_apart_have_code_of_their_own() {
    if !NativeCode::is_possible() {
        return;
    }
    let lines = [
        EVEN_WHOLE[0],
        WHOLE[7],
        "lsc_load.slm (M1, 32) D:d32 flat[O]:a32",
    ];
    let all: Vec<(usize, u8)> = (0..lines.len()).map(|line| (line, 15)).collect();
    let program = program(&lines, &all, true, false);
    let row = program.symbols["W"].range();
    let thread = |number: &dyn Fn(u16) -> u16| {
        let mut bytes = program.image.clone();
        let own = bytes[row.clone()].chunks_exact_mut(2);
        let each = (0..).zip(own);
        each.for_each(|(lane, own)| own.copy_from_slice(&number(lane).to_le_bytes()));
        bytes
    };
    let made = |thread: &[u8]| {
        let entered = vec![false; program.ops.len() + 1];
        let (makes, seen) = ((Rounds::Kept, false), (Seen::Bytes, 0));
        let message = |_, op: &Op| match op {
            Op::Send(send) => message(&program, send),
            _ => None,
        };
        let code = Native::new((&program, thread), &entered, makes, seen, |_| true, message);
        code.expect("three ops that are code")
    };
    let code = made(&thread(&|lane| lane));
    assert!(code.knows_rows(0, &thread(&|lane| lane)));
    assert!(code.knows_rows(0, &thread(&|lane| 96 + lane)));
    // Groups that are 16 wide, lanes that are anywhere, and beyond the end of a word.
    assert!(!code.knows_rows(0, &thread(&|lane| lane % 16)));
    assert!(!code.knows_rows(0, &thread(&|lane| lane ^ u16::from(lane == 9))));
    assert!(!code.knows_rows(0, &thread(&|lane| lane.wrapping_sub(8))));
    // What one thread has others are likely to have.
    let code = made(&thread(&|lane| lane % 16));
    assert!(code.knows_rows(0, &thread(&|lane| 16 + lane % 16)));
    let code = made(&thread(&|lane| lane * lane));
    assert!(!code.knows_rows(0, &thread(&|lane| lane * lane)));
}

/// What is known of a program goes on from run to run: a window of addresses may be one of a surface in the next run.
#[test]
fn addresses_of_another_run_are_not_those_of_a_surface() {
    // What three instructions are worth is code.
    let from = [
        "add (M1, 32) O(0,0)<1> O(0,0)<1;1,0> 0x1:d",
        "lsc_load.ugm @ D:d32 flat[Q]:a64",
    ];
    let lines = [(0, 15), (0, 15), (1, 15)];
    let program = program(&from, &lines, true, false);
    assert!(native_ops(&program)[..3].iter().all(|native| *native));
    let code = Decoded::new(&program);
    let plans = SitePlans::new(&program);
    let run = |bindings: &Bindings, address: u64| {
        let resources = Resources::new(bindings);
        let (slm, named) = (Memory::zeroed(0), NamedBarriers::default());
        let allowance = Allowance::new(u64::MAX, None);
        let around = (&slm, &named, &allowance);
        let own = (&code, &plans, &resources);
        let environment = environment(own, around, NativeCode::Always);
        let mut thread = Thread::new(&program, ThreadId::default(), u32::MAX);
        let places = thread.arena[program.symbols["Q"].range()].chunks_exact_mut(8);
        for (lane, own) in (0..).zip(places) {
            own.copy_from_slice(&(address + 4 * lane).to_le_bytes());
        }
        thread.run(&environment, &mut Silent).is_ok()
    };
    let memory = Arc::new(Memory::zeroed(BYTES as usize));
    let mut bindings = Bindings::default();
    let own = Arc::clone(&memory);
    bindings.memory.push(FlatRange {
        address: BASE,
        memory: own,
    });
    // Twice: then it is known.
    assert!(run(&bindings, BASE) && run(&bindings, BASE));
    let format = Format::named("R8_UINT").expect("a format");
    let surface = Surface::new(Description::buffer(format, BYTES), memory).expect("a buffer");
    bindings.surfaces.insert(6, Arc::new(surface));
    assert!(!run(&bindings, 16));
    assert!(run(&bindings, BASE));
}

#[test]
fn lanes_beyond_the_end_of_their_type_do_not_follow() {
    for (line, first, scale) in [
        (
            "lsc_load.ugm @ D:d32 flat(B)[0x4*P]:a32s",
            0x7fff_fff8u32,
            4,
        ),
        ("lsc_load.ugm @ D:d8u32 flat(B)[P]:a32u", 0xffff_fff8, 1),
    ] {
        // As many as are worth to be code.
        let program = program(&[line], &[(0, 15); 3], true, false);
        let run = |first: u32, native| {
            let base = BASE.wrapping_sub(u64::from(first) * scale);
            let places = [(first, 1, 0, 0); 3];
            left_from(base, &program, &places, &[u32::MAX; 2], native)
        };
        let steps = run(first, NativeCode::Never);
        assert_eq!(run(first, NativeCode::Always), steps, "{line}");
        // Where the end is further on all lanes are inside.
        assert!(run(first - 64, NativeCode::Never) != steps, "{line}");
    }
}

#[test]
fn lanes_that_are_off_lead_round_to_no_others() {
    // Lane 3 begins within what lane 0 has, two lanes that are off between them.
    let lines = [
        "mov (M1_NM, 1) O(0,0)<1> 0x64:ud",
        "mov (M1_NM, 1) O(0,1)<1> 0x70000000:ud",
        "mov (M1_NM, 1) O(0,2)<1> 0xe0000000:ud",
        "scatter4_scaled.RG @ T6 0x0:ud O.0 D.0",
    ];
    let order: Vec<(usize, u8)> = (0..4).map(|line| (line, 14)).collect();
    let program = program(&lines, &order, false, false);
    let run = |native| left(&program, &[(80, 8, 0, 3); 3], &[0xfff9; 3], native);
    assert!(run(NativeCode::Always) == run(NativeCode::Never));
}

#[test]
fn what_lies_between_barriers_is_code_however_short() {
    if !NativeCode::is_possible() {
        return;
    }
    let load = "gather_scaled.4 (M1, 16) %slm 0x0:ud O.0 D.0\nbarrier\n";
    let program = lowered(format!(
        ".version 3.6\n.kernel \"k\"
.decl O v_type=G type=ud num_elts=16 align=GRF
.decl D v_type=G type=ud num_elts=16 align=GRF
{load}{load}{load}ret (M1, 1)\n"
    ));
    let code = native_ops(&program).into_iter().zip(&program.ops);
    let loads: Vec<bool> = code
        .filter_map(|(is_code, op)| matches!(op, Op::Send(_)).then_some(is_code))
        .collect();
    assert_eq!(loads, [true; 3]);
}

#[test]
fn what_not_all_lanes_have_computed_is_asked_again() {
    let line = |start: &str, how| {
        let at = IN_ORDER.iter().position(|line| line.starts_with(start));
        (at.expect("a line"), how)
    };
    // All lanes load, some go on to the next place, and all load again.
    let load = line("lsc_load.slm @ P", 7);
    let add = line("add @ O(0,0)<1> O", 15);
    let program = program(IN_ORDER, &[load, add, load], false, false);
    let run = |native| left(&program, &[(8, 4, 0, 3); 3], &[0xffff, 0xf0f0], native);
    assert_eq!(run(NativeCode::Always), run(NativeCode::Never));
}

#[test]
fn every_message_here_is_code() {
    for (at, line) in NARROW.iter().enumerate() {
        let program = program(NARROW, &[(at, 12)], false, false);
        let sends: Vec<_> = program
            .ops
            .iter()
            .filter_map(|op| match op {
                Op::Send(send) => Some(message(&program, send).is_some()),
                _ => None,
            })
            .collect();
        assert!(sends.iter().all(|is_code| *is_code), "{line}");
    }
    assert_eq!(NARROW.len(), 123);
}

#[test]
fn what_lies_behind_the_result_of_one_lane_stays() {
    let line = |start: &str| {
        let at = NARROW.iter().position(|line| line.starts_with(start));
        (at.expect("a line"), 14)
    };
    let counts = line("lsc_atomic_iinc.slm (M1_NM, 1) N");
    let between = [line("mov (M1_NM, 1) H"), line("xor (M1_NM, 1) H")];
    let lines = [&[counts][..], &between, &[counts]].concat();
    let program = program(NARROW, &lines, false, false);
    let run = |native| left(&program, &[(0, 4, 0, 3); 3], &[0xffff], native);
    let (native, steps) = (run(NativeCode::Always), run(NativeCode::Never));
    assert_eq!(native, steps);
}

#[test]
fn scratch_memory_that_no_message_uses_is_not_missed() {
    let at = NARROW
        .iter()
        .position(|line| line.contains("gather") && line.contains("%scratch"));
    let line = at.expect("a line");
    // No lane that runs has the predicate.
    let program = program(NARROW, &[(line, 13)], false, false);
    for native in [NativeCode::Always, NativeCode::Never] {
        let ledger = Ledger::new(u64::from(BYTES) - 1);
        let run = || left(&program, &[(0, 4, 0, 3); 3], &[0x0f0f], native);
        let (.., traps) = Ledger::within(Some(&ledger), run);
        assert!(traps.is_empty(), "{traps:?}");
        assert!(ledger.short().is_none());
    }
}
