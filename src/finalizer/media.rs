//! `media_ld` and `media_st`. Source: lowering reference 2; vISA MEDIA_LD.
//!
//! ```text
//!  desc   18:14 type   10:8 field   7:0 binding + plane
//!  M0     .0 X   .1 Y   .2 (height-1) << 16 | (width-1)   others as r0
//! ```

use super::context::Surface;
use super::{Compat, Destination, Lowering, Plan, Result, Value, faults, unmasked};
use crate::diagnostic::Code;
use crate::isa::{MediaMode, Opcode};
use crate::message::bits::rows;
use crate::message::dataport::{BINDLESS, STATELESS, field_bits, types};
use crate::message::fields::{media_block, media_block_header};
use crate::message::{FieldSelect, Sfid};
use crate::syntax::ast::{Operand, Suffix};

/// Size of the block in registers as the finalizer computes it.
struct Shape {
    /// Bytes: rows times pitch.
    bytes: u32,
    /// It differs from the block's own size.
    faulty: bool,
}

/// The pitch counts whole elements, so a 64-bit type can get a pitch too small, or 0.
/// Source: lowering reference 2.4.
fn shape(width: u32, height: u32, element: u32, compat: Compat) -> Shape {
    let w4 = width.next_multiple_of(4);
    let right = w4.next_power_of_two();
    let pitch = match (element, compat) {
        (8, Compat::Finalizer) if w4 / 8 == 0 => 0,
        (8, Compat::Finalizer) => (w4 / 8).next_power_of_two() * 8,
        _ => right,
    };
    Shape {
        bytes: pitch * height,
        faulty: pitch != right,
    }
}

pub(super) fn lower(cx: &mut Lowering) -> Result<()> {
    let read = cx.instruction.opcode.node == Opcode::MediaLd;
    let operands = &cx.instruction.operands;
    let (width, height) = match operands.first().map(|o| &o.node) {
        Some(Operand::Block { width, height })
            if (1..=64).contains(width) && (1..=64).contains(height) =>
        {
            (*width as u32, *height as u32)
        }
        _ => return cx.refuse(Code::E0380, "a block of 1 to 64 bytes by 1 to 64 rows"),
    };
    let plane = match operands.get(2).map(|o| &o.node) {
        Some(Operand::Number(plane)) if *plane < 4 => *plane as u32,
        _ => 0,
    };
    // A plane of `%scratch` is forgotten as well: seen in the finalizer's output.
    let plane = match cx.is_named(1, STATELESS) {
        true if plane > 0 => {
            cx.follow(&faults::PLANE_FORGOTTEN, format!("plane {plane}"));
            0
        }
        _ => plane,
    };
    let mode = cx.instruction.suffix(|s| match s {
        Suffix::MediaMode(mode) => Some(*mode),
        _ => None,
    });
    let field = match mode {
        Some(MediaMode::Top | MediaMode::TopMod) => FieldSelect::Top,
        Some(MediaMode::Bottom | MediaMode::BottomMod) => FieldSelect::Bottom,
        _ => FieldSelect::State,
    };
    let message_type = if read {
        types::MEDIA_READ
    } else {
        types::MEDIA_WRITE
    };
    // Field bits 10:8 are neighbours in the order of the value.
    let control = message_type << media_block::TYPE.lo | field_bits(field) << media_block::LINE.lo;
    let mut handle = None;
    let control = match cx.surface(1) {
        Surface::Number(number) => {
            if let Some(binding) = number.constant()
                && binding.saturating_add(plane) > media_block::BINDING.max()
            {
                cx.follow(&faults::PLANE_CARRIES, format!("{binding} + {plane}"));
            }
            number.plus(control + plane)
        }
        // A read does not use the extended descriptor: a fault of this release (lowering reference
        // 2.7). A write does, and forgets the plane: seen in the finalizer's output.
        // Later releases mend the read (section 20).
        Surface::Bindless(bindless) if read && cx.context.compat == Compat::Finalizer => {
            cx.follow(&faults::MEDIA_BINDLESS, "the surface is the bindless one");
            bindless.plus(control + plane)
        }
        Surface::Bindless(bindless) => {
            if plane > 0 {
                cx.follow(&faults::PLANE_FORGOTTEN, format!("plane {plane}"));
            }
            handle = Some(bindless);
            Value::Const(control + BINDLESS)
        }
    };

    let mut header = cx.r0_header();
    header[media_block_header::X.dw] = cx.scalar(3);
    header[media_block_header::Y.dw] = cx.scalar(4);
    header[media_block_header::WIDTH.dw] = Value::Const(
        (height - 1) << media_block_header::HEIGHT.lo | (width - 1) << media_block_header::WIDTH.lo,
    );

    let place = cx.raw(5);
    let element = place.map_or(4, |p| p.ty.bytes());
    let compat = cx.context.compat;
    let shape = shape(width, height, element, compat);
    if shape.faulty {
        let label = format!(
            "{} bytes of registers for a block {width} wide",
            shape.bytes
        );
        cx.follow(&faults::MEDIA_PITCH, label);
    }
    let native = cx.platform.native_lanes();
    if !read {
        let mut plan = Plan::new(Sfid::Dc1, control, unmasked(8));
        plan.surface_handle = handle;
        plan.header = Some(header);
        plan.predicated = false;
        if let Some(place) = place
            && shape.bytes > 0
        {
            plan.parts = vec![cx.part(place, shape.bytes)];
        }
        plan.first = if cx.splits() { 0 } else { 1 };
        cx.send(plan);
        return Ok(());
    }
    let direct = shape.bytes >= cx.grf() || compat == Compat::Later;
    let wide = direct && element == 2;
    let mut plan = Plan::new(Sfid::Dc1, control, unmasked(native << u32::from(wide)));
    plan.surface_handle = handle;
    plan.header = Some(header);
    plan.predicated = false;
    let registers = if shape.bytes == 0 {
        0
    } else {
        rows(shape.bytes, cx.platform)
    };
    plan.response = registers;
    plan.destination = if direct {
        cx.destination(place)
    } else {
        Destination::Temporary
    };
    cx.send(plan);
    if direct {
        if registers * cx.grf() > shape.bytes {
            let label = format!(
                "{} bytes for a block of {}",
                registers * cx.grf(),
                shape.bytes
            );
            cx.follow(&faults::MEDIA_WHOLE, label);
        }
        cx.write_registers(place, 0, registers);
    } else {
        cx.write_bytes(place, 0, 0, 0, shape.bytes);
    }
    Ok(())
}
