//! One message between its request and its send.
//!
//! ```text
//!  Request ─ encode ─▶ template: descriptor, header dwords ┐
//!  operands ─▶ terms: numbers, header dwords, registers ───┴─ quirks ─ lay out ─▶ Send
//! ```
//!
//! Fields that operands fill are 0 in the request; what the operands hold is added to the template here.
//! Source: lowering reference 1.

use super::context::{Sampler, Surface};
use super::operand::RawOperand;
use super::quirks::{self, QUIRKS};
use super::release::Release;
use super::{Destination, Lowering, Op, PayloadPart, Result, Send, Value, Write, payload};
use crate::check::{Storage, VarId};
use crate::diagnostic::Code;
use crate::isa::Exec;
use crate::isa::platforms::ExtendedDescriptor;
use crate::message::dataport::BINDLESS;
use crate::message::default_lengths::form;
use crate::message::extended::{extended_layout, length_field};
use crate::message::fields::{Field, extended_gen11 as ex, outer};
use crate::message::{Message, MessageForm, Request, Sfid, encode};
use crate::syntax::ast::Predicate;

/// How parts become payloads. Source: lowering reference 1.8.
#[derive(Clone, Copy)]
pub(super) enum Layout {
    /// By the walk: what lies together stays together.
    Walk,
    /// All in the first payload.
    Together,
    /// So many parts join the header, the rest is the second payload.
    Joined(usize),
}

/// What a header holds where nothing of the message does. Source: lowering reference 1.9.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// r0, a whole register of it.
    R0,
    /// The eight dwords of r0.
    R0Low,
    /// Nothing that is defined.
    Undefined,
    /// Eight dwords of zeros.
    Zeros,
    /// The registers of an operand.
    Operand(RawOperand),
}

/// Where a response goes in the destination.
pub(super) enum Copies {
    /// Whole registers, from its start.
    Registers,
    /// From a temporary: first byte of the destination and of the response, how many.
    Bytes(Vec<[u32; 3]>),
}

/// A message to be sent.
pub(super) struct Plan {
    pub request: Request,
    /// What it is encoded to.
    pub template: Message,
    pub exec: Exec,
    pub predicate: Option<Predicate<VarId>>,
    pub surface: Option<Surface>,
    /// Added to the binding.
    pub plane: u32,
    pub sampler: Option<Sampler>,
    pub header: Option<Base>,
    /// So many dwords of it are defined.
    pub header_lanes: u32,
    /// Dwords of the header that the message defines: by operands, beside what the template has.
    pub terms: Vec<(usize, Value)>,
    /// Operands after the header.
    pub parts: Vec<PayloadPart>,
    pub layout: Layout,
    /// The parts are copied together wherever they lie.
    pub copied: bool,
    pub response: u32,
    pub place: Option<RawOperand>,
    pub copies: Copies,
    /// Or-ed with the extended descriptor at run time.
    pub counter: Option<Value>,
    /// `sendc`, `sendsc`.
    pub conditional: bool,
    /// Written with two sources even when the second is null.
    pub two_sources: bool,
    pub options: Vec<&'static str>,
    /// What a message of the load/store pipe has for its extended descriptor, where that is not constant.
    pub handle: Option<Value>,
    /// The disassembler's name, where that is not `send`.
    pub name: Option<String>,
    /// Addresses of states, or the base of addresses, that a descriptor of 47 bits goes with.
    pub indirect: Vec<Value>,
}

impl Plan {
    /// A message of the whole register file: it has no lanes, mask or predicate.
    pub fn block(mut self, size: u32) -> Plan {
        self.exec = unmasked(size);
        self.predicate = None;
        self
    }

    /// A dword of the header is the template's, or-ed with what an operand holds.
    pub fn put(&mut self, field: Field, value: Value) {
        self.terms.push((field.dw, value));
    }

    /// The operands after the header in their order.
    pub fn of(mut self, parts: Vec<PayloadPart>) -> Plan {
        self.parts = parts;
        self
    }

    fn header_words(&self, lanes: u32) -> Vec<Value> {
        let dwords = 0..lanes;
        let Some(base) = self.header else {
            return Vec::new();
        };
        let mut words: Vec<Value> = match base {
            Base::R0 => dwords.map(Value::Dispatch).collect(),
            Base::Operand(place) => dwords.map(|dw| place.dword(dw)).collect(),
            Base::R0Low | Base::Undefined | Base::Zeros => dwords
                .map(|dw| match base {
                    Base::R0Low if dw < 8 => Value::Dispatch(dw),
                    Base::Zeros if dw < 8 => Value::Const(0),
                    _ => Value::Undefined,
                })
                .collect(),
        };
        for (dw, value) in &self.terms {
            let bits = self.template.header[*dw];
            words[*dw] = match value {
                Value::Const(n) => Value::Const(n | bits),
                value if bits == 0 => value.clone().widened(),
                value => Value::call(Op::Or, value.clone(), Value::Const(bits)),
            };
        }
        let lost = words.iter_mut().skip(self.header_lanes as usize);
        lost.for_each(|word| *word = Value::Undefined);
        words
    }

    /// The numbers of surface and sampler: sums as the finalizer writes them, constants in one term. Too
    /// great numbers carry into the neighbouring field. Source: lowering reference 1.6.
    fn descriptor(&self, bits: u32) -> Value {
        let surface = match &self.surface {
            None => Value::Const(0),
            Some(Surface::Number(number)) => number.clone(),
            Some(Surface::Bindless(_)) => Value::Const(BINDLESS),
        };
        let bits = bits.wrapping_add(self.plane);
        let index = match &self.sampler {
            None | Some(Sampler::Bindless(_)) => Value::Const(0),
            Some(Sampler::Shifted(bits)) => bits.clone(),
            Some(Sampler::Index(index)) => Sampler::shifted(index.clone()),
        };
        match (surface.constant(), index.constant()) {
            (_, Some(index)) => surface.plus(bits.wrapping_add(index)),
            (Some(surface), None) => index.plus(bits.wrapping_add(surface)),
            (None, None) => Value::call(Op::Add, surface.plus(bits), index),
        }
    }
}

impl Lowering<'_> {
    /// The message of a request, as yet without operands. Its lanes are the instruction's.
    pub fn plan(&self, request: Request) -> Result<Plan> {
        self.plan_in(request, form(&request, self.platform))
    }

    /// The same with a header, which may have a reason that the request does not have.
    pub fn plan_with_header(&self, request: Request, header: bool) -> Result<Plan> {
        let mut lengths = form(&request, self.platform);
        lengths.first += u32::from(header && !lengths.header);
        lengths.header |= header;
        self.plan_in(request, lengths)
    }

    fn plan_in(&self, request: Request, lengths: MessageForm) -> Result<Plan> {
        // Lengths that are too great for their fields wrap when the message is sent; the template has none of them.
        let fitting = MessageForm {
            first: lengths.first & outer::LENGTH.max(),
            second: lengths.second & length_field(self.platform).max(),
            response: lengths.response & outer::RESPONSE.max(),
            ..lengths
        };
        let template = encode(&request, &fitting, self.platform)
            .or_else(|why| self.refuse(Code::E0380, why.to_string()))?;
        Ok(Plan {
            request,
            template,
            exec: self.exec(self.lanes()),
            predicate: self.instruction.predicate.as_ref().map(|p| p.node.clone()),
            surface: None,
            plane: 0,
            sampler: None,
            header: None,
            header_lanes: u32::MAX,
            terms: Vec::new(),
            parts: Vec::new(),
            layout: Layout::Walk,
            copied: false,
            response: lengths.response,
            place: None,
            copies: Copies::Registers,
            counter: None,
            conditional: false,
            two_sources: false,
            options: Vec::new(),
            handle: None,
            name: None,
            indirect: Vec::new(),
        })
    }

    /// Applies the quirks of the release, and appends the send.
    pub fn send(&mut self, mut plan: Plan) -> Result<()> {
        if self.platform.is_gen5() {
            if matches!(plan.surface, Some(Surface::Bindless(_))) {
                return self.refuse(Code::E0380, "Ironlake has no bindless surfaces");
            }
            if matches!(plan.sampler, Some(Sampler::Bindless(_))) {
                return self.refuse(Code::E0380, "Ironlake has no bindless samplers");
            }
        }
        for quirk in QUIRKS {
            if self.has(quirk)
                && let Some(label) = (quirk.apply)(self, &mut plan)
            {
                self.warn(quirk, label);
            }
        }
        let mut first = self.lay_out(&plan);
        let gathers = self.platform.gathering_send && self.gathers(&plan, first);
        if gathers {
            (first, plan.name) = (plan.parts.len(), None);
        }
        let place = self.settle(&mut plan, first);
        let header = plan.header_words(self.grf() / 4);
        let header_rows = u32::from(plan.header.is_some());
        let mut registers = plan.parts.iter().map(|part| part.registers.clone());
        let first: Vec<_> = registers.by_ref().take(first).flatten().collect();
        let second: Vec<_> = registers.flatten().collect();
        let rows = [header_rows + first.len() as u32, second.len() as u32];
        let wide = self.platform.dialect.state_addresses();
        let lengths = [rows[0], rows[1], plan.response];
        let [message_length, extended_length, response_length] = match wide {
            true => lengths,
            false => self.cut_lengths(lengths),
        };
        let header_present = plan.header.is_some() && !plan.template.sfid.is_lsc();
        let mut desc = [plan.template.desc];
        // Each has been cut to its field.
        if !wide {
            let _ = outer::LENGTH.put(&mut desc, message_length);
            let _ = outer::RESPONSE.put(&mut desc, response_length);
        }
        if !wide && !plan.template.sfid.is_lsc() {
            let _ = outer::HEADER.put(&mut desc, header_present.into());
        }
        let bindless = matches!(plan.surface, Some(Surface::Bindless(_)));
        let two = !second.is_empty() || plan.two_sources || bindless;
        let ex_desc = self.extended(&mut plan, extended_length);
        plan.options
            .extend(place.and_then(|place| self.preemption(place)));
        let sfid = plan.template.sfid;
        let number = self.lowered.sends.len();
        self.lowered.sends.push(Send {
            // An extended descriptor in a register is a form of the two-source instruction alone.
            mnemonic: match plan.name.take() {
                Some(name) => name,
                None => self.mnemonic(sfid, plan.conditional, two),
            },
            exec: plan.exec,
            predicate: plan.predicate.take(),
            sfid,
            desc: plan.descriptor(desc[0]),
            ex_desc,
            message_length,
            extended_length,
            response_length,
            header_present,
            header,
            first,
            second,
            destination: match (&plan.copies, plan.place) {
                (Copies::Bytes(_), _) => Destination::Temporary,
                (Copies::Registers, Some(place)) => Destination::Variable(place.var, place.offset),
                (Copies::Registers, None) => Destination::Null,
            },
            eot: plan.template.eot,
            options: plan.options,
            gathers,
            indirect: plan.indirect,
        });
        match plan.copies {
            Copies::Registers => {
                self.write(plan.place, number, [0, 0, response_length * self.grf()])
            }
            Copies::Bytes(copies) => copies
                .into_iter()
                .for_each(|copy| self.write(plan.place, number, copy)),
        }
        Ok(())
    }

    /// Response bytes reach the destination, cut at the variable's end.
    pub fn write(&mut self, place: Option<RawOperand>, send: usize, [to, response, len]: [u32; 3]) {
        let Some(place) = place else { return };
        let offset = place.offset.saturating_add(to);
        let len = len.min(place.size.saturating_sub(offset));
        if len > 0 {
            self.lowered.writes.push(Write {
                var: place.var,
                offset,
                send,
                response,
                len,
            });
        }
    }

    /// Too great lengths wrap in their fields, as the finalizer lets them.
    fn cut_lengths(&mut self, rows: [u32; 3]) -> [u32; 3] {
        let field = length_field(self.platform);
        let bits = [outer::LENGTH.max(), field.max(), outer::RESPONSE.max()];
        let narrow = [
            outer::LENGTH.max(),
            self.second_length_bits(),
            outer::RESPONSE.max(),
        ];
        let cut = |to: [u32; 3]| std::array::from_fn(|i| rows[i] & to[i]);
        let label = format!(
            "{} and {} registers out, {} back",
            rows[0], rows[1], rows[2]
        );
        if cut(bits) != rows {
            self.warn(&quirks::LENGTH_WRAPS, label);
        } else if cut(narrow) != rows {
            // The field has room for the bit that is cut off.
            self.warn(&quirks::SECOND_LENGTH_CUT, label);
        }
        cut(narrow)
    }

    /// The bits of the second length that the finalizer writes.
    pub fn second_length_bits(&self) -> u32 {
        match self.has(&quirks::SECOND_LENGTH_CUT) {
            true => 0xf,
            false => length_field(self.platform).max(),
        }
    }

    /// The extended descriptor: a bindless handle and a counter are joined to it at run time.
    fn extended(&self, plan: &mut Plan, second: u32) -> Value {
        if let Some(handle) = plan.handle.take() {
            // The disassembler of 2.40 has no word for it.
            plan.options
                .extend((self.context.release < Release::R2_40).then_some("ExBSO"));
            return handle;
        }
        let kind = self.platform.extended_descriptor;
        let mut word = [plan.template.ex_desc];
        if extended_layout(self.platform)
            .fields
            .contains(&length_field(self.platform))
        {
            let _ = length_field(self.platform).put(&mut word, second);
        }
        let sfid = plan.template.sfid.number(self.platform).unwrap_or(0).into();
        // In a register it has the receiver also where the instruction names that.
        let mut whole = word;
        let _ = ex::SFID.put(&mut whole, sfid);
        if let Some(counter) = plan.counter.take() {
            let _ = ex::LENGTH.put(&mut whole, second);
            if kind == ExtendedDescriptor::XeHpg {
                plan.options.push("ExBSO");
            }
            return Value::call(Op::Or, counter, Value::Const(whole[0]));
        }
        match (&plan.surface, kind) {
            // No bit is joined to a handle of later parts; what it would say is an option.
            (Some(Surface::Bindless(handle)), ExtendedDescriptor::XeHpg) => {
                plan.options.push("ExBSO");
                let coarse = ex::COARSE.get(&word) != 0;
                plan.options.extend(coarse.then_some("CPS"));
                handle.clone()
            }
            (Some(Surface::Bindless(handle)), _) => handle.clone().plus(whole[0]),
            _ => Value::Const(word[0]),
        }
    }

    /// Whether the payload lies in more blocks than the sources of an instruction can name, so that a list names its
    /// registers: two, of the load/store pipe one for addresses and one for data.
    /// Source: Xe2 messages reference 4.
    fn gathers(&self, plan: &Plan, first: usize) -> bool {
        let (first, second) = plan.parts.split_at(first);
        let blocks = |parts: &[PayloadPart]| payload::blocks(parts, self.grf());
        let header = usize::from(plan.header.is_some());
        match plan.template.sfid.is_lsc() {
            true => header + blocks(first) > 1 || blocks(second) > 1,
            false => header + blocks(&plan.parts) > 2,
        }
    }

    /// How many parts are the first payload.
    pub fn lay_out(&self, plan: &Plan) -> usize {
        let all = plan.parts.len();
        // The header is a register of its own: whatever follows it is the second payload.
        match (plan.layout, plan.header) {
            _ if !self.platform.split_send => all,
            (Layout::Together, _) => all,
            (Layout::Joined(count), _) => count,
            (Layout::Walk, Some(_)) if plan.parts.first().is_some_and(|p| p.null) => all,
            (Layout::Walk, Some(_)) => 0,
            (Layout::Walk, None) => payload::split_point(&plan.parts, self.grf()),
        }
    }

    /// Payloads that travel where they lie bring the bytes after their lanes along. The result is where
    /// the first one lies, if it does.
    fn settle(&self, plan: &mut Plan, first: usize) -> Option<(VarId, u32)> {
        let (first, second) = plan.parts.split_at_mut(first);
        let alone = !plan.copied && (plan.header.is_none() || first.is_empty());
        let travel_in_place = |piece: &mut [PayloadPart]| {
            let place = payload::in_place(piece, self.grf()).filter(|_| alone)?;
            payload::fill(piece, self.unit.variable(place.0).storage.bytes());
            Some(place)
        };
        // An operand in the variable of the one before, no further on, is copied as well.
        let back = match (first.last(), second.first()) {
            (Some(before), Some(here)) => payload::steps_back(before, here),
            _ => false,
        };
        if !back {
            travel_in_place(second);
        }
        travel_in_place(first)
    }

    /// A message of Gen11 whose first payload is `r2` must not be interrupted. Which register a payload
    /// is is known of inputs, where they travel in place. Source: lowering reference 3.8; that it is `r2`
    /// was seen in the finalizer.
    pub fn preemption(&self, (root, offset): (VarId, u32)) -> Option<&'static str> {
        let input = self.unit.inputs.iter().find(|input| {
            let storage = &self.unit.variable(input.var).storage;
            matches!(storage, Storage::General { root: owner, offset: 0, .. } if *owner == root)
        })?;
        let register = input.offset.saturating_add(offset) / self.grf();
        (self.has(&quirks::NO_PREEMPTION) && register == 2).then_some("NoPreempt")
    }

    /// Source: lowering reference 1.5.
    pub fn mnemonic(&self, sfid: Sfid, conditional: bool, two: bool) -> String {
        let c = if conditional { "c" } else { "" };
        let named = !extended_layout(self.platform).fields.contains(&ex::SFID);
        match (named, two && self.platform.split_send) {
            (true, _) if self.platform.dialect.state_addresses() => {
                format!("sendg{c}.{}", sfid.suffix())
            }
            (true, _) => format!("send{c}.{}", sfid.suffix()),
            (false, true) => format!("sends{c}"),
            (false, false) => format!("send{c}"),
        }
    }
}

/// Ignores the mask, whatever the source says. Source: lowering reference 1.7.
pub(super) const fn unmasked(size: u32) -> Exec {
    Exec {
        size,
        offset: 0,
        no_mask: true,
    }
}
