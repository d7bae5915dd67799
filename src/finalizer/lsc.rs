//! Messages of the load/store pipe: addresses in the first payload, data in the second.
//!
//! ```text
//!  load     addresses                          ─▶ rows of values
//!  store    addresses | rows of values
//!  atomic   addresses | operands               ─▶ the old values
//!  block    surface, place and size | rows     ─▶ rows
//! ```
//!
//! An offset is the descriptor's where it has a place for it, else it is added to the addresses.
//! Source: Xe2 messages reference 7.

use super::operand::RawOperand;
use super::plan::{Layout, Plan};
use super::{Lowering, Op, PayloadPart, Result, Run, Value};
use crate::check::VarId;
use crate::diagnostic::Code;
use crate::isa::{ChannelMask, OPCODES, Opcode, Platform, Type};
use crate::message::bits::rows;
use crate::message::codec::decode;
use crate::message::dataport::BINDLESS;
use crate::message::e64;
use crate::message::fields::lsc_typed_block;
use crate::message::lsc::{cache_code, cache_words, immediate_offset};
use crate::message::{
    Access, DataPath, FieldSelect, Lsc, LscBlock2d, LscData, LscModel, LscOp, MediaBlock, Request,
    Sfid, Strided,
};
use crate::syntax::ast;
use crate::syntax::ast::{LscAddress, LscFunction, Operand, Suffix};

/// The operands of an instruction, by what they are.
struct Operands<'a> {
    address: Option<&'a LscAddress<VarId>>,
    data: Option<&'a ast::LscData<VarId>>,
    /// Sources of atomics.
    sources: Vec<Option<RawOperand>>,
}

/// Which memory: the model without its operand, the constant that names a surface, and what names it else.
struct Memory {
    model: LscModel,
    handle: Option<Value>,
}

/// Any message of the load/store pipe but its fence.
pub(super) fn lower(cx: &mut Lowering) -> Result<()> {
    let instruction = cx.instruction;
    let mut operands = Operands {
        address: None,
        data: None,
        sources: Vec::new(),
    };
    for (at, operand) in instruction.operands.iter().enumerate() {
        match &operand.node {
            Operand::LscAddress(address) => operands.address = Some(address),
            Operand::LscData(data) => operands.data = Some(data),
            _ => operands.sources.push(cx.raw(at)),
        }
    }
    if instruction.opcode.node == Opcode::LscReadStateInfo {
        return read_state(cx, &operands);
    }
    if let Some(LscOp::AppendCounter(_)) = LscOp::of_instruction(instruction.opcode.node) {
        return append_counter(cx);
    }
    let (Some(address), Some(data)) = (operands.address, operands.data) else {
        return cx.refuse(Code::N0380, "the bits of this message are not modelled");
    };
    match data.block {
        Some(block) if cx.lsc_function() == Sfid::Ugm => block2d(cx, address, data, block),
        Some(block) => typed_block(cx, address, data, block),
        None => lanes(cx, address, data, &operands.sources),
    }
}

impl Lowering<'_> {
    /// The function that the instruction names.
    pub fn lsc_function(&self) -> Sfid {
        let function = self.instruction.suffix(|s| match s {
            Suffix::LscFunction(function) => Some(*function),
            _ => None,
        });
        match function {
            Some(LscFunction::Ugml) => Sfid::Ugml,
            Some(LscFunction::Slm) => Sfid::Slm,
            Some(LscFunction::Tgm) => Sfid::Tgm,
            Some(LscFunction::Ugm) | None => Sfid::Ugm,
        }
    }

    /// The words of the cache policy.
    fn cache_words(&self) -> Vec<String> {
        let words = self.instruction.suffix(|s| match s {
            Suffix::LscCache(words) => Some(words.iter().map(ToString::to_string).collect()),
            _ => None,
        });
        words.unwrap_or_default()
    }

    /// The code of the cache policy.
    fn cache(&self, store: bool) -> Result<u32> {
        let words = self.cache_words();
        let code = self
            .platform
            .lsc
            .and_then(|pipe| cache_code(&words, store, &pipe));
        match code {
            Some(code) => Ok(code),
            None => self.refuse(
                Code::E0380,
                format!("{} has no cache policy .{}", self.platform, words.join(".")),
            ),
        }
    }

    /// As many registers as the lanes of the message need, of which those of the variable are defined.
    fn lane_part(&self, place: RawOperand, bytes: u32) -> PayloadPart {
        let own = place.size.saturating_sub(place.offset).min(bytes);
        self.padded(place, own, rows(bytes, self.platform))
    }

    /// Where the first element of a part of an address lies; `None` for a constant.
    fn first(&self, operand: &Operand<VarId>) -> Option<RawOperand> {
        match operand {
            Operand::Raw(raw) => self.raw_place(raw),
            Operand::Origin { var, row, column } => {
                let place = self.raw_place(&ast::Raw {
                    var: *var,
                    offset: 0,
                })?;
                let bytes = row.wrapping_mul(self.grf());
                Some(place.skip(bytes.wrapping_add(column.wrapping_mul(place.ty.bytes()))))
            }
            _ => None,
        }
    }

    /// The first element of a part of an address, as a dword.
    fn first_dword(&self, operand: &Operand<VarId>) -> Value {
        match (self.first(operand), operand) {
            (Some(place), _) => Value::Element {
                root: place.root,
                offset: place.at,
                ty: place.ty,
            }
            .widened(),
            (None, Operand::Number(n)) => Value::Const(*n as u32),
            (None, _) => Value::Undefined,
        }
    }

    /// The variable with the address of a state, and the index from it.
    pub(super) fn state_address(&self, operand: &Operand<VarId>) -> (Value, u32) {
        let (place, index) = match operand {
            Operand::StatePair {
                base,
                element,
                index,
            } => {
                let (row, column) = element.unwrap_or((0, 0));
                let var = *base;
                (self.first(&Operand::Origin { var, row, column }), *index)
            }
            Operand::Variable(var) | Operand::Surface(var) | Operand::Sampler(var) => {
                let raw = ast::Raw {
                    var: *var,
                    offset: 0,
                };
                (self.raw_place(&raw), 0)
            }
            other => (self.first(other), 0),
        };
        let value = place.map_or(Value::Undefined, |place| Value::Element {
            root: place.root,
            offset: place.at,
            ty: Type::Uq,
        });
        (value, index)
    }

    /// Which memory, and how it is named.
    fn lsc_memory(&self, address: &LscAddress<VarId>) -> Result<Memory> {
        use ast::LscModel as Text;
        let flat = Memory {
            model: LscModel::Flat,
            handle: None,
        };
        let value = |operand: &Operand<VarId>| match self.first(operand) {
            Some(place) => place.dword(0),
            None => self.first_dword(operand),
        };
        let named = |model, handle| {
            Ok(Memory {
                model,
                handle: Some(handle),
            })
        };
        if self.platform.dialect.state_addresses() {
            let Some(operand) = address.model.operand() else {
                return Ok(flat);
            };
            let (at, index) = self.state_address(&operand.node);
            let model = match &address.model {
                Text::FlatBase(_) => LscModel::Flat,
                Text::Bti(_) => return self.refuse(Code::E0380, "Xe3p has no binding table"),
                _ => LscModel::Bss(index),
            };
            return named(model, at);
        }
        match &address.model {
            Text::Flat => Ok(flat),
            Text::Bti(operand) => match value(&operand.node) {
                Value::Const(index) => Ok(Memory {
                    model: LscModel::Bti(index),
                    handle: None,
                }),
                index => {
                    let at = Value::Const(crate::message::fields::extended_lsc_bti::BTI.lo);
                    named(LscModel::Bti(0), Value::call(Op::Shl, index, at))
                }
            },
            Text::Bss(operand) => named(LscModel::Bss(0), value(&operand.node)),
            Text::Ss(operand) => named(LscModel::Ss(0), value(&operand.node)),
            Text::FlatBase(_) | Text::Surf(_) => {
                self.refuse(Code::E0380, "a base and a surface variable are of Xe3p")
            }
            Text::Arg => self.refuse(Code::N0380, "no reference states addresses below arg"),
        }
    }
}

fn element(cx: &Lowering, data: &ast::LscData<VarId>) -> Result<LscData> {
    match LscData::from_name(&data.element) {
        Some(data) => Ok(data),
        None => cx.refuse(Code::E0380, format!("no data size {}", data.element)),
    }
}

/// The operation of an instruction.
fn operation(cx: &Lowering) -> Result<LscOp> {
    match LscOp::of_instruction(cx.instruction.opcode.node) {
        Some(op) => Ok(op),
        None => cx.refuse(Code::N0380, "the bits of this message are not modelled"),
    }
}

/// Elements of lanes.
fn lanes(
    cx: &mut Lowering,
    address: &LscAddress<VarId>,
    data: &ast::LscData<VarId>,
    sources: &[Option<RawOperand>],
) -> Result<()> {
    let Some(pipe) = cx.platform.lsc else {
        return cx.refuse(Code::E0380, "the platform has no load/store pipe");
    };
    let (op, size, sfid) = (operation(cx)?, element(cx, data)?, cx.lsc_function());
    let memory = cx.lsc_memory(address)?;
    let place = cx.raw_place(&data.raw);
    let typed = sfid == Sfid::Tgm;
    let least = if typed {
        pipe.typed_lanes
    } else {
        pipe.untyped_lanes
    };
    let lanes = match data.transposed || op.is_strided() {
        true => 1,
        false => cx.lanes().next_power_of_two().max(least),
    };
    let offset = address.offset();
    let wide = cx.platform.dialect.state_addresses();
    let immediate = match memory.handle {
        _ if wide => e64::immediate_offset(offset, &memory.model, size),
        None => immediate_offset(offset, &memory.model, &pipe),
        Some(_) => None,
    };
    let request = Lsc {
        sfid,
        model: memory.model,
        op,
        data: size,
        vector: data.vector,
        transposed: data.transposed,
        channels: data.channels.unwrap_or(ChannelMask(0)),
        returns: place.is_some() && !op.is_store(),
        address_bits: address.bits,
        extend: address.extend,
        scale: address.scale,
        offset: immediate.unwrap_or(0),
        lanes: if op.is_strided() { cx.lanes() } else { lanes },
        coordinates: if typed { address.parts.len() as u32 } else { 1 },
        cache: cx.cache(op.is_store() || op.is_atomic())?,
        strided: Strided::default(),
    };
    let added = if immediate.is_some() { 0 } else { offset };
    let mut parts = Vec::new();
    let bytes = lanes * address.bits / 8;
    for part in &address.parts {
        let given = match &part.operand.node {
            Operand::Raw(raw) => cx.raw_place(raw),
            _ => None,
        };
        let Some(given) = given else {
            if op.is_strided() {
                continue;
            }
            return cx.refuse(Code::E0380, "the addresses are %null");
        };
        parts.push(match added {
            0 => cx.lane_part(given, bytes),
            added => cx.moved_addresses(given, lanes, address.bits, added),
        });
    }
    let first = parts.len();
    let mut plan = cx.plan(Request::Lsc(request))?;
    if op.is_store() {
        let registers = plan.template.extended_length;
        let Some(place) = place else {
            return cx.refuse(Code::E0380, "the data are %null");
        };
        parts.push(cx.lane_part(place, registers * cx.grf()));
    } else {
        // Each operand of an atomic in registers of its own.
        let bytes = lanes * size.register_bytes();
        for source in sources.iter().copied().flatten() {
            parts.push(cx.lane_part(source, bytes));
        }
        plan.place = place;
    }
    if data.transposed {
        plan = plan.block(1);
    } else if wide && plan.response > 0 {
        // Up to Xe3 as many lanes come back as the message has; then as many as the instruction has.
        let elements = match op.is_quad() {
            true => request.channels.count(),
            false => request.vector,
        };
        plan.response = elements * (cx.lanes() * size.register_bytes()).div_ceil(cx.grf());
    }
    plan.parts = parts;
    plan.layout = Layout::Joined(first);
    cx.name_memory(&mut plan, memory);
    // The disassembler has no words of its own where a list may name the registers.
    plan.name = (!cx.platform.gathering_send)
        .then(|| name(cx.instruction.opcode.node, &request, &cx.cache_suffix()));
    cx.send(plan)
}

impl Lowering<'_> {
    /// The message goes to this memory.
    fn name_memory(&self, plan: &mut Plan, memory: Memory) {
        match self.platform.dialect.state_addresses() {
            true => plan.indirect.extend(memory.handle),
            false => plan.handle = memory.handle,
        }
    }

    /// Addresses with something added, for each lane of the instruction.
    fn moved_addresses(&self, place: RawOperand, lanes: u32, bits: u32, added: i64) -> PayloadPart {
        let size = bits / 8;
        let es = self.lanes().min(lanes);
        let run = |lane: u32| {
            let element = Value::Element {
                root: place.root,
                offset: place.at.saturating_add(size * lane),
                ty: match size {
                    8 => Type::Uq,
                    2 => Type::Uw,
                    _ => Type::Ud,
                },
            };
            Run::Value {
                value: Value::call(Op::Add, element, Value::Const(added as u32)),
                size,
            }
        };
        let mut runs: Vec<Run> = (0..es).map(run).collect();
        runs.push(Run::Undefined {
            len: size * (lanes - es),
        });
        PayloadPart::from_runs(runs, self.grf())
    }
}

/// Four bytes of a payload.
const fn dword(value: Value) -> Run {
    Run::Value { value, size: 4 }
}

/// `lsc_load_block2d.ugm`, `lsc_store_block2d.ugm`.
fn block2d(
    cx: &mut Lowering,
    address: &LscAddress<VarId>,
    data: &ast::LscData<VarId>,
    block: ast::LscBlock,
) -> Result<()> {
    let write = cx.instruction.opcode.node == Opcode::LscStoreBlock2d;
    let place = cx.raw_place(&data.raw);
    let [base, surface @ .., x, y] = &address.parts[..] else {
        return cx.refuse(Code::E0380, "a block has six parts of an address");
    };
    let offset = [x, y].map(|part| i32::try_from(part.offset).unwrap_or_default());
    let immediate = cx.platform.lsc.is_some_and(|pipe| pipe.immediate_offsets);
    let request = LscBlock2d {
        access: if write { Access::Write } else { Access::Read },
        returns: place.is_some() && !write,
        element: element(cx, data)?.memory_bytes(),
        blocks: block.blocks,
        width: block.width,
        height: block.height,
        transposed: block.transposed,
        vnni: block.vnni,
        cache: cx.cache(write)?,
        offset: if immediate { offset } else { [0; 2] },
        address: 0,
        surface_width: 0,
        surface_height: 0,
        surface_pitch: 0,
        x: 0,
        y: 0,
    };
    let mut plan = cx.plan(Request::LscBlock2d(request))?.block(1);
    let mut runs = match cx.first(&base.operand.node) {
        Some(place) => vec![Run::Bytes {
            root: place.root,
            offset: place.at,
            len: 8,
        }],
        None => {
            let [low, high] = match base.operand.node {
                Operand::Number(n) => [n as u32, (n >> 32) as u32],
                _ => [0; 2],
            };
            [low, high].map(|n| dword(Value::Const(n))).to_vec()
        }
    };
    runs.extend(
        surface
            .iter()
            .map(|part| dword(cx.first_dword(&part.operand.node))),
    );
    for (part, by) in [x, y].into_iter().zip(offset) {
        let value = cx.first_dword(&part.operand.node);
        runs.push(dword(match by {
            by if by == 0 || immediate => value,
            by => Value::call(Op::Add, value, Value::Const(by as u32)),
        }));
    }
    runs.push(dword(Value::Const(plan.template.header[7])));
    let grf = cx.grf();
    plan.parts = vec![PayloadPart::from_runs(runs, grf)];
    if write {
        let Some(place) = place else {
            return cx.refuse(Code::E0380, "the data are %null");
        };
        plan.parts
            .push(cx.part(place, plan.template.extended_length * grf));
    } else {
        plan.place = place;
    }
    plan.layout = Layout::Joined(1);
    let kind = if write { "store" } else { "load" };
    let bits = 8 * request.element;
    let letters = [(block.transposed, "t"), (block.vnni, "v")];
    let letters: String = letters.iter().filter(|l| l.0).map(|l| l.1).collect();
    let cache = cx.cache_suffix();
    plan.name = (!cx.platform.gathering_send)
        .then(|| format!("{kind}_block2d.ugm.d{bits}{letters}.a64{cache}"));
    cx.send(plan)
}

/// `lsc_load_block2d.tgm`, `lsc_store_block2d.tgm`. Source: Xe2 messages reference 9.
fn typed_block(
    cx: &mut Lowering,
    address: &LscAddress<VarId>,
    data: &ast::LscData<VarId>,
    block: ast::LscBlock,
) -> Result<()> {
    let write = cx.instruction.opcode.node == Opcode::LscStoreBlock2d;
    let place = cx.raw_place(&data.raw);
    let [x, y] = &address.parts[..] else {
        return cx.refuse(Code::E0380, "a block of texels has two parts of an address");
    };
    let memory = cx.lsc_memory(address)?;
    let surface = match memory.model {
        LscModel::Bti(index) => index,
        _ => BINDLESS,
    };
    let request = MediaBlock {
        surface,
        field: FieldSelect::State,
        x: 0,
        y: 0,
        width: block.width,
        height: block.height,
        path: DataPath::DEFAULT,
    };
    let request = match write {
        true => Request::MediaWrite(request),
        false => Request::MediaRead(request),
    };
    let mut plan = cx.plan(request)?.block(1);
    let cache = cx.cache(write)?;
    plan.template.desc |= cache << lsc_typed_block::CACHE_LOW.lo;
    let mut runs = vec![Run::Undefined { len: 20 }];
    for part in [x, y] {
        let value = cx.first_dword(&part.operand.node);
        runs.push(dword(match part.offset as u32 {
            0 => value,
            by => Value::call(Op::Add, value, Value::Const(by)),
        }));
    }
    runs.push(Run::Value {
        value: Value::Const(plan.template.header[7]),
        size: 2,
    });
    let grf = cx.grf();
    plan.parts = vec![PayloadPart::from_runs(runs, grf)];
    if write {
        let Some(place) = place else {
            return cx.refuse(Code::E0380, "the data are %null");
        };
        plan.parts
            .push(cx.part(place, plan.template.extended_length * grf));
    } else {
        plan.place = place;
    }
    plan.layout = Layout::Joined(1);
    cx.name_memory(&mut plan, memory);
    let kind = if write { "store" } else { "load" };
    let cache = cx.cache_suffix();
    plan.name = (!cx.platform.gathering_send).then(|| format!("{kind}_block2d.tgm.d32.a32{cache}"));
    cx.send(plan)
}

/// `lsc_apndctr_atomic_add` and its like: the data are the only payload.
fn append_counter(cx: &mut Lowering) -> Result<()> {
    let instruction = cx.instruction;
    let parts = instruction.operands.iter();
    let data: Vec<_> = parts
        .filter_map(|operand| match &operand.node {
            Operand::LscData(data) => Some(data),
            _ => None,
        })
        .collect();
    let address = instruction.operands.iter().find_map(|o| match &o.node {
        Operand::LscAddress(address) => Some(address),
        _ => None,
    });
    let (Some(pipe), Some(address), [to, from]) = (cx.platform.lsc, address, &data[..]) else {
        return cx.refuse(Code::N0380, "the bits of this message are not modelled");
    };
    let (memory, size) = (cx.lsc_memory(address)?, element(cx, from)?);
    let (place, given) = (cx.raw_place(&to.raw), cx.raw_place(&from.raw));
    let Some(given) = given else {
        return cx.refuse(Code::E0380, "the data are %null");
    };
    let lanes = cx.lanes().next_power_of_two().max(pipe.untyped_lanes);
    let request = Lsc {
        sfid: cx.lsc_function(),
        model: memory.model,
        op: operation(cx)?,
        data: size,
        vector: 1,
        transposed: false,
        channels: ChannelMask(0),
        returns: place.is_some(),
        address_bits: 32,
        extend: None,
        scale: 1,
        offset: 0,
        lanes,
        coordinates: 1,
        cache: cx.cache(true)?,
        strided: Strided::default(),
    };
    let mut plan = cx.plan(Request::Lsc(request))?;
    plan.parts = vec![cx.lane_part(given, lanes * size.register_bytes())];
    plan.layout = Layout::Joined(1);
    plan.place = place;
    cx.name_memory(&mut plan, memory);
    plan.name = (!cx.platform.gathering_send)
        .then(|| name(cx.instruction.opcode.node, &request, &cx.cache_suffix()));
    cx.send(plan)
}

/// `lsc_read_state_info`.
fn read_state(cx: &mut Lowering, operands: &Operands) -> Result<()> {
    let Some(address) = operands.address else {
        return cx.refuse(Code::E0380, "no surface is given");
    };
    let memory = cx.lsc_memory(address)?;
    let place = operands.sources.first().copied().flatten();
    let request = Lsc {
        sfid: cx.lsc_function(),
        model: memory.model,
        op: LscOp::ReadState,
        data: LscData::D8,
        vector: 1,
        transposed: false,
        channels: ChannelMask(0),
        returns: place.is_some(),
        address_bits: 32,
        extend: None,
        scale: 1,
        offset: 0,
        lanes: 1,
        coordinates: 1,
        cache: cx.cache(false)?,
        strided: Strided::default(),
    };
    let mut plan = cx.plan(Request::Lsc(request))?.block(1);
    let texel = match address.parts.first().map(|part| &part.operand.node) {
        Some(Operand::Raw(raw)) => cx.raw_place(raw),
        _ => None,
    };
    plan.parts = vec![match texel {
        Some(texel) => cx.lane_part(texel, cx.grf()),
        None => PayloadPart::absent(1, cx.grf()),
    }];
    plan.layout = Layout::Joined(1);
    cx.name_memory(&mut plan, memory);
    plan.place = place;
    cx.send(plan)
}

impl Lowering<'_> {
    fn cache_suffix(&self) -> String {
        suffix(&self.cache_words())
    }
}

fn suffix(words: &[impl std::fmt::Display]) -> String {
    words.iter().map(|word| format!(".{word}")).collect()
}

/// The mnemonic that the disassembler has for a message, by its descriptors alone; `None` if it prints a `send`.
pub(super) fn raw_name(desc: u32, ex_desc: u32, platform: Platform) -> Option<String> {
    let pipe = platform.lsc.as_ref().filter(|_| !platform.gathering_send)?;
    let message = crate::message::text::message(desc, ex_desc, platform).ok()?;
    let Request::Lsc(r) = decode(&message, platform).ok()?.request else {
        return None;
    };
    let opcode = OPCODES
        .iter()
        .map(|row| row.opcode)
        .find(|&opcode| LscOp::of_instruction(opcode) == Some(r.op))?;
    let store = !matches!(r.op, LscOp::Load | LscOp::LoadQuad | LscOp::LoadStrided);
    let cache = cache_words(r.cache, store, pipe);
    Some(name(opcode, &r, &suffix(&cache)))
}

/// The mnemonic of the disassembler: `load.ugm.d32x4.a64.uc.ca`.
fn name(opcode: Opcode, r: &Lsc, cache: &str) -> String {
    let op = opcode.info().mnemonic.trim_start_matches("lsc_");
    // The disassembler's own words.
    let op = match op {
        "apndctr_atomic_add" => "atomic_acadd",
        "apndctr_atomic_sub" => "atomic_acsub",
        "apndctr_atomic_store" => "atomic_acstore",
        op => op,
    };
    let data = r.data.name();
    let vector = match (r.op.is_quad(), r.vector) {
        (true, _) => {
            let letters = r.channels.iter().map(|c| &"xyzw"[c..=c]);
            format!(".{}", letters.collect::<String>())
        }
        (false, 1) => String::new(),
        (false, vector) => format!("x{vector}"),
    };
    let t = if r.transposed { "t" } else { "" };
    let (sfid, bits) = (r.sfid.suffix(), r.address_bits);
    format!("{op}.{sfid}.{data}{vector}{t}.a{bits}{cache}")
}
