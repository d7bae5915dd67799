//! Control flow and synchronisation.

use super::operands::{SCALAR, Scope};
use super::{Builder, alu, execution};
use crate::check::{Storage, VarId};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::Opcode;
use crate::program::{Barrier, NamedSignal, Op};
use crate::syntax::ast::{Instruction, Operand, Region};

impl Builder<'_> {
    /// Lowers a branch; targets are step positions until [`retarget`] is applied.
    pub fn flow(&mut self, scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
        let (lanes, guard) = execution(scope, i);
        let first = i.operands.first().map(|o| &o.node);
        let label = |name: &String| scope.unit.labels.get(name).map(|&step| step as u32);
        match *i.opcode {
            Opcode::Goto | Opcode::Jmp | Opcode::Call => {
                let Some(Operand::Label(name)) = first else {
                    return None;
                };
                let target = label(name)?;
                Some(match *i.opcode {
                    Opcode::Goto => Op::Goto {
                        lanes,
                        guard,
                        target,
                    },
                    Opcode::Jmp => Op::Jump {
                        lanes,
                        guard,
                        target,
                    },
                    _ => Op::Call {
                        lanes,
                        guard,
                        target,
                    },
                })
            }
            Opcode::Ret | Opcode::Fret => Some(Op::Return { lanes, guard }),
            Opcode::Switchjmp => {
                let Some(Operand::Labels(names)) = i.operands.get(1).map(|o| &o.node) else {
                    return None;
                };
                let targets = names
                    .iter()
                    .map(|n| label(&n.node))
                    .collect::<Option<Box<[u32]>>>()?;
                let index = scope.source(first?, super::SCALAR)?;
                Some(Op::Switch {
                    lanes,
                    index,
                    targets,
                })
            }
            Opcode::Ifcall => Some(Op::CallIndirect {
                lanes,
                guard,
                address: scope.source(first?, super::SCALAR)?,
            }),
            Opcode::Faddr => {
                let Some(Operand::Label(name)) = first else {
                    return None;
                };
                let function = self.functions.iter().position(|f| f == name);
                let data = self.symbols.and_then(|s| s.get(name).copied());
                let address = function.map(|f| function_address(f as u32)).or(data);
                let Some(address) = address else {
                    let diagnostic = Diagnostic::new(Code::E0652)
                        .at(i.operands[0].span, format!("nothing at hand has `{name}`"))
                        .help("--zebin k.bin names the program that holds it, --functions f.visaasm the text")
                        .see("launch reference 8");
                    self.diagnostics.push(diagnostic);
                    return None;
                };
                alu::constant(scope, i, address)
            }
            Opcode::Fcall => {
                let Some(Operand::Label(name)) = first else {
                    return None;
                };
                let Some(function) = self.functions.iter().position(|f| f == name) else {
                    let diagnostic = Diagnostic::new(Code::E0602)
                        .at(i.operands[0].span, format!("no text at hand has `{name}`"))
                        .help("--functions FILE names the text that does");
                    self.diagnostics.push(diagnostic);
                    return None;
                };
                Some(Op::CallFunction {
                    lanes,
                    guard,
                    function: function as u32,
                })
            }
            _ => None,
        }
    }
}

/// The address that `faddr` gives for a function: a number of visim's own, which fits 32 bits.
fn function_address(function: u32) -> u64 {
    (u64::from(function) + 1) * FUNCTION_STEP
}

/// The function at an address, if there is one.
pub fn function_at(address: u64) -> Option<u32> {
    let number = (address / FUNCTION_STEP).checked_sub(1)?;
    let exact = address.is_multiple_of(FUNCTION_STEP);
    u32::try_from(number).ok().filter(|_| exact)
}

/// From one function's address to the next.
const FUNCTION_STEP: u64 = 64;

/// Replaces step positions by op indices.
pub fn retarget(op: &mut Op, resolve: impl Fn(u32) -> u32) {
    match op {
        Op::Goto { target, .. } | Op::Jump { target, .. } | Op::Call { target, .. } => {
            *target = resolve(*target);
        }
        Op::Switch { targets, .. } => {
            for target in targets.iter_mut() {
                *target = resolve(*target);
            }
        }
        _ => {}
    }
}

/// Barriers wait; fences and hints do nothing, since memory is seen in program order.
/// Source: vISA text reference 5.13.
pub fn synchronisation(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    use Opcode::*;
    Some(match *i.opcode {
        Barrier => Op::Barrier(self::Barrier::Whole),
        SbarrierSignal => Op::Barrier(self::Barrier::Signal),
        SbarrierWait => Op::Barrier(self::Barrier::Wait),
        NbarrierSignal => {
            let mut operands = i.operands.iter().map(|o| scope.source(&o.node, SCALAR));
            let mut next = || operands.next().flatten();
            let (id, second, third, fourth) = (next()?, next()?, next(), next());
            let (role, threads) = match (third, fourth) {
                (Some(producers), Some(consumers)) => (Some(second), [producers, consumers]),
                // One count is that of producers and of consumers.
                _ => (None, [second.clone(), second]),
            };
            let signal = NamedSignal { id, role, threads };
            Op::Barrier(self::Barrier::NamedSignal(Box::new(signal)))
        }
        NbarrierWait => {
            let id = scope.source(&i.operands.first()?.node, SCALAR)?;
            Op::Barrier(self::Barrier::NamedWait(Box::new(id)))
        }
        FenceGlobal | FenceLocal | FenceSw | SamplerCacheFlush | Yield | Wait | File | Loc => {
            Op::Nothing
        }
        LifetimeStart | LifetimeEnd => Op::Lifetime(scope.whole(&i.operands.first()?.node)?),
        _ => return None,
    })
}

/// Ids of built-ins whose content the thread keeps elsewhere. Source: vISA text reference 3.
const TSC: u32 = 6;
const CR0: u32 = 14;
const CE0: u32 = 15;

impl Scope<'_> {
    fn touches(&self, operand: &Operand<VarId>, ids: &[u32]) -> bool {
        let var = match operand {
            Operand::General(g) => g.var.node,
            Operand::Raw(r) => r.var.node,
            // Built-ins have no address, so indirect operands do not reach them.
            _ => return false,
        };
        match self.unit.variable(var).storage {
            Storage::General { root, .. } => ids.contains(&root.0),
            _ => false,
        }
    }

    /// Whether `%ce0` or `%tsc` must be brought up to date before the instruction.
    pub fn reads_live_state(&self, i: &Instruction<VarId>) -> bool {
        let operands = i.operands.iter();
        operands.skip(1).any(|o| self.touches(&o.node, &[TSC, CE0]))
    }

    /// Whether the instruction may change `%cr0`, from which the float mode is read.
    pub fn writes_control(&self, i: &Instruction<VarId>) -> bool {
        let operands = i.operands.iter();
        operands.take(2).any(|o| {
            let written = match &o.node {
                Operand::General(g) => matches!(g.region.node, Region::Destination { .. }),
                _ => false,
            };
            written && self.touches(&o.node, &[CR0])
        })
    }
}
