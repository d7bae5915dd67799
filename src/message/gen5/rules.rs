//! What the manual says of lengths, headers, caches and the end of a thread.
//!
//! Source: PRM 2.6.5, 2.6.8, 2.6.11, 4.11, 5.10.1, 6.1.

use super::{Ask, Cache, TargetHeader};
use crate::message::bits::Form;
use crate::message::request::{Access, SamplerOp, SamplerRequest};
use crate::message::{Sfid, gen5_media};

/// How a message may be wrong although its bits are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The values at hand and the rule.
    pub what: String,
    /// The section.
    pub see: &'static str,
}

fn violation(what: impl Into<String>, see: &'static str) -> Violation {
    Violation {
        what: what.into(),
        see,
    }
}

/// Whether messages to the function may carry the end of a thread at all. Source: PRM 2.6.8, whose
/// table names those that may and those that may not; 6.1 for math. The null function takes an end of
/// its own.
pub const fn function_may_end(sfid: Sfid) -> bool {
    matches!(
        sfid,
        Sfid::DataWrite | Sfid::Urb | Sfid::Gateway | Sfid::Ts | Sfid::Null
    )
}

impl Ask {
    /// Whether the message begins with a header; the sampler's own choice stands.
    pub fn header(&self, form: &Form) -> bool {
        match self {
            Ask::Sampler(_) | Ask::NullEnd => form.header,
            Ask::Math(_) | Ask::Gateway { .. } | Ask::EndOfThread { .. } => false,
            _ => true,
        }
    }

    /// Whether the message may carry the end of the thread. Source: PRM 2.6.8, 5.10.1, 5.10.9, 6.1.
    pub const fn may_end_thread(&self) -> bool {
        matches!(
            self,
            Ask::Target { .. }
                | Ask::Unorm {
                    access: Access::Write,
                    ..
                }
                | Ask::Gateway { .. }
                | Ask::EndOfThread { .. }
                | Ask::NullEnd
        )
    }

    /// Registers out, header included, and back. A vector of lanes beside the descriptor decides for
    /// the sampler and math: their message may have fewer parameters, so the first length stands.
    pub fn lengths(&self, form: &Form) -> (u32, u32) {
        let commit = u32::from;
        let moved = |access: &Access, rows: u32, done: bool| match access {
            Access::Read => (0, rows),
            Access::Write => (rows, commit(done)),
        };
        match self {
            Ask::Sampler(r) => {
                // SIMD4x2 answers with one register: PRM 4.11.2.3.
                if r.lanes == 2 {
                    return (form.first, 1);
                }
                let each = r.lanes / 8;
                let killpix = u32::from(r.op == SamplerOp::SampleKillpix);
                // SIMD8 returns all four channels, masked ones untouched: PRM 4.11.2.2.
                let channels = if r.lanes == 8 { 4 } else { r.channels.count() };
                (form.first, each * channels + killpix)
            }
            Ask::SamplerBlock { kind, channels, .. } => {
                let response = gen5_media::response(*kind, *channels);
                (2, response.unwrap_or(form.response))
            }
            Ask::MediaRead(block, _) => (1, block.bytes().div_ceil(32)),
            Ask::MediaWrite {
                block,
                commit: done,
            } => (1 + block.bytes().div_ceil(32), commit(*done)),
            Ask::Oword {
                block,
                commit: done,
                ..
            } => {
                let (data, back) = moved(&block.access, block.owords.div_ceil(2), *done);
                (1 + data, back)
            }
            Ask::DualOword {
                access,
                owords,
                commit: done,
                ..
            } => {
                let (data, back) = moved(access, *owords, *done);
                (2 + data, back)
            }
            Ask::DwordScattered {
                request,
                commit: done,
                ..
            } => {
                let rows = request.lanes / 8;
                let (data, back) = moved(&request.access, rows, *done);
                (1 + rows + data, back)
            }
            Ask::Target {
                form: kind,
                header,
                commit: done,
                ..
            } => {
                let colours = match kind {
                    1 => 1,
                    4 => 4,
                    _ => 8,
                };
                let depth = if *kind == 0 { 2 } else { 1 };
                let extra = u32::from(header.stencil || header.antialias)
                    + depth * u32::from(header.source_depth)
                    + depth * u32::from(header.destination_depth);
                (2 + colours + extra, commit(*done))
            }
            Ask::Unorm {
                access,
                commit: done,
                ..
            } => {
                let (data, back) = moved(access, 4, *done);
                (1 + data, back)
            }
            Ask::Vertex { commit: done, .. } | Ask::FlushRender { commit: done } => {
                (1, commit(*done))
            }
            Ask::LoopFilter { .. } => (1, 8),
            Ask::Math(control) => {
                let operands = if control.function.takes_two() {
                    2
                } else {
                    form.first
                };
                let rows = if control.function.takes_two() {
                    1
                } else {
                    form.first
                };
                (
                    operands.clamp(1, 2),
                    rows.clamp(1, 2) * control.function.results(),
                )
            }
            // What the gateway answers is not in the published text.
            Ask::Gateway { .. } => (1, form.response),
            Ask::EndOfThread { .. } => (1, 0),
            // No function reads it.
            Ask::NullEnd => (form.first, 0),
        }
    }

    /// The rules of a message that its fields alone decide.
    ///
    /// # Errors
    /// The first [`Violation`].
    pub fn check(&self) -> Result<(), Violation> {
        self.check_descriptor()?;
        self.check_header()
    }

    /// The rules that the descriptor decides.
    ///
    /// # Errors
    /// The first [`Violation`].
    pub fn check_descriptor(&self) -> Result<(), Violation> {
        let stateful = match self {
            Ask::MediaRead(..) | Ask::MediaWrite { .. } => Some("PRM 5.6, 5.10.5"),
            Ask::Target { .. } => Some("PRM 5.10.7"),
            Ask::Unorm { .. } => Some("PRM 5.10.8"),
            Ask::Vertex { .. } => Some("PRM 5.10.9"),
            Ask::LoopFilter { .. } => Some("PRM 5.10.10"),
            _ => None,
        };
        if let (Some(255), Some(see)) = (self.surface(), stateful) {
            let what = "binding table index 255: the message has no stateless model";
            return Err(violation(what, see));
        }
        match self {
            Ask::Sampler(r) => lanes(r),
            Ask::MediaRead(_, Cache::Data) => {
                let what = "media blocks cannot be read through the data cache";
                Err(violation(what, "PRM 5.10.5, \"Restrictions\""))
            }
            Ask::Unorm {
                access: Access::Read,
                cache,
                ..
            } if *cache != Cache::Render => {
                let what = format!("read through the {}: only the render cache", cache.name());
                Err(violation(what, "PRM 5.10.8, \"Restrictions\""))
            }
            Ask::Math(control) => control
                .check(8)
                .map_err(|refusal| violation(refusal.to_string(), "PRM 6.1.1")),
            _ => Ok(()),
        }
    }

    /// The dwords of header and payload, sixteen in all, that decide about lengths and rules.
    pub fn deciding_words(&self, form: &Form) -> &'static [usize] {
        match self {
            Ask::Sampler(_) | Ask::SamplerBlock { .. } if form.header => &[2],
            Ask::MediaRead(..) | Ask::MediaWrite { .. } => &[0, 2],
            Ask::Oword { .. }
            | Ask::DualOword { .. }
            | Ask::DwordScattered { .. }
            | Ask::LoopFilter { .. } => &[2],
            Ask::Target { .. } => &[14],
            Ask::Unorm { .. } => &[0, 1],
            Ask::Vertex { .. } => &[5],
            _ => &[],
        }
    }

    /// Whether [`lengths`](Ask::lengths) needs none of the [deciding words](Ask::deciding_words).
    pub const fn lengths_stand_in_the_descriptor(&self) -> bool {
        !matches!(
            self,
            Ask::Sampler(_)
                | Ask::SamplerBlock { .. }
                | Ask::MediaRead(..)
                | Ask::MediaWrite { .. }
                | Ask::Target { .. }
        )
    }

    /// What the message asks for that visim has no model of.
    pub fn unmodelled(&self) -> Option<Violation> {
        let see = "PRM 5.10.7.3, M1.6";
        match self {
            Ask::Target { header, .. } => {
                let absent = [
                    (
                        header.source_depth,
                        "source depth: the depth test is not modelled",
                    ),
                    (header.stencil, "stencil: the stencil test is not modelled"),
                    (header.antialias, "antialias alpha is not modelled"),
                ];
                let (_, what) = absent.into_iter().find(|(present, _)| *present)?;
                Some(violation(what, see))
            }
            Ask::Gateway { opcode: 2, .. } => Some(violation(
                "messages between threads are not modelled",
                "lowering reference 18.8",
            )),
            Ask::SamplerBlock { kind, .. } if !gen5_media::is_known(*kind) => Some(violation(
                format!("the manual's row of type {kind} is not in the published text"),
                "PRM 4.11.1.3.2; lowering reference 18.4",
            )),
            _ => None,
        }
    }

    /// The rules that the header decides.
    fn check_header(&self) -> Result<(), Violation> {
        let aligned = |what: &str, value: u32, to: u32, see| {
            if value.is_multiple_of(to) {
                return Ok(());
            }
            let what = format!("{what} {value:#x} is not a multiple of {to}");
            Err(violation(what, see))
        };
        match self {
            Ask::Oword { block, .. } => {
                aligned("global offset", block.offset, 16, "PRM 5.10.2.2, M0.2")
            }
            Ask::DualOword { global, .. } => {
                aligned("global offset", *global, 16, "PRM 5.10.2.2, M0.2")
            }
            Ask::DwordScattered { request, .. } => {
                let global = request.global.unwrap_or(0);
                aligned("global offset", global, 4, "PRM 5.10.2.2, M0.2")
            }
            Ask::LoopFilter { global, .. } => {
                aligned("global offset", *global, 16, "PRM 5.10.10.2, M0.2")
            }
            Ask::MediaRead(block, _) => height(block.width, block.height),
            Ask::MediaWrite { block, .. } => {
                let see = "PRM 5.10.5, \"Restrictions\"";
                aligned("X offset", block.x as u32, 4, see)?;
                aligned("block width", block.width, 4, see)?;
                height(block.width, block.height)
            }
            Ask::Target { form, header, .. } => sequence(*form, header),
            Ask::Unorm { x, y, .. } => {
                aligned("X offset", *x as u32, 8, "PRM 5.10.8.2")?;
                aligned("Y offset", *y as u32, 4, "PRM 5.10.8.2")
            }
            Ask::Vertex { index, .. } if *index >= 1 << 27 => {
                let what = format!("destination index {index:#x} has more than 27 bits");
                Err(violation(what, "PRM 5.10.9.2"))
            }
            _ => Ok(()),
        }
    }
}

/// Which parts of a render target payload go together. Source: PRM 5.10.7.7, 5.10.7.10.
fn sequence(form: u32, header: &TargetHeader) -> Result<(), Violation> {
    let see = "PRM 5.10.7.10, \"Message Sequencing Summary\"";
    let h = header;
    if h.destination_depth && !h.source_depth {
        return Err(violation("destination depth without source depth", see));
    }
    if form == 1 && (h.source_depth || h.stencil || h.antialias) {
        let what = "replicated data come with colour only";
        return Err(violation(what, "PRM 5.10.7.7"));
    }
    if (h.stencil || h.antialias) && !h.source_depth {
        let what = "stencil or antialias alpha without source depth";
        return Err(violation(what, see));
    }
    let dual = matches!(form, 2 | 3);
    if dual && (h.stencil || h.antialias) && h.destination_depth {
        let what = "dual source with stencil and destination depth";
        return Err(violation(what, see));
    }
    Ok(())
}

/// Which SIMD modes an operation has. Source: PRM 4.11.1.4, lowering reference 18.2.
fn lanes(r: &SamplerRequest) -> Result<(), Violation> {
    let see = "PRM 4.11.1.4, \"Message Types\"";
    match (r.op, r.lanes) {
        (SamplerOp::SampleKillpix, 2 | 16) => {
            Err(violation("sample+killpix is for SIMD8 only", see))
        }
        (SamplerOp::Sample | SamplerOp::SampleB | SamplerOp::SampleC | SamplerOp::SampleBC, 2) => {
            Err(violation("the message has no SIMD4x2 form", see))
        }
        _ => Ok(()),
    }
}

/// Source: PRM 5.10.5.2, "Block Height".
fn height(width: u32, height: u32) -> Result<(), Violation> {
    let most = match width {
        0..=4 => 64,
        5..=8 => 32,
        9..=16 => 16,
        _ => 8,
    };
    if height <= most {
        return Ok(());
    }
    let what = format!("{width} bytes wide allows at most {most} rows, not {height}");
    Err(violation(what, "PRM 5.10.5.2, \"Block Height\""))
}
