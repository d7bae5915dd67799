//! What the manual says of lengths, headers, caches and the end of a thread.
//!
//! Source: PRM 2.6.5, 2.6.8, 2.6.11, 4.11, 5.10.1, 6.1.

use super::rows::row_of;
use super::sampler_block;
use crate::diagnostic::Code;
use crate::isa::Platform;
use crate::message::Sfid;
use crate::message::bits::{Decoded, MessageForm};
use crate::message::layout::{Layout, PayloadPart};
use crate::message::parameters;
use crate::message::raw_lengths::spelled;
use crate::message::request::{
    Cache, GatewayOp, PixelForm, PixelHeader, PixelWrite, Request, SamplerOp, SamplerRequest,
};

/// The binding table index of stateless memory.
const STATELESS: u32 = 255;

/// How a message may be wrong although its bits are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub code: Code,
    /// The values at hand and the rule.
    pub what: String,
    /// The section.
    pub see: &'static str,
}

fn broken(code: Code, what: impl Into<String>, see: &'static str) -> Violation {
    Violation {
        code,
        what: what.into(),
        see,
    }
}

fn violation(what: impl Into<String>, see: &'static str) -> Violation {
    broken(Code::E0935, what, see)
}

/// Checks that a payload of `count` registers ends where message registers do, `room` of them from its first on.
///
/// # Errors
/// The [`Violation`] that the values make.
pub fn payload_fits(count: u32, room: u32) -> Result<(), Violation> {
    if (1..=room).contains(&count) {
        return Ok(());
    }
    let what = format!("{count} registers, where a message has 1 to {room} up to m15");
    Err(broken(Code::E0924, what, "PRM 2.6, 2.6.1"))
}

/// Checks the registers that come back against the destination: `room` registers up to r127, or null.
///
/// # Errors
/// The [`Violation`] that the values make.
pub fn answer_fits(count: u32, room: Option<u32>, eot: bool) -> Result<(), Violation> {
    let (code, what) = match room {
        Some(room) if count > room => {
            let what = format!("{count} registers come back, and {room} are left up to r127");
            (Code::E0924, what)
        }
        Some(_) if count == 0 && !eot => {
            let what = "nothing comes back: the response length is 0";
            (Code::E0927, what.to_string())
        }
        None if count > 0 && !eot => {
            let what = format!("{count} registers come back, and the destination is null");
            (Code::E0927, what)
        }
        _ => return Ok(()),
    };
    Err(broken(code, what, "PRM 2.6.5"))
}

/// Where the descriptor counts other registers than the message takes and returns. Source: PRM 2.6.11.
pub fn miscounted(decoded: &Decoded, platform: Platform) -> impl Iterator<Item = Violation> {
    let Decoded { request, form } = decoded;
    let (name, (first, response)) = (request.name(), lengths(request, form, platform));
    let taken = (form.first != first).then(|| {
        let what = format!("{name} takes {first} registers, not {}", form.first);
        let see = "PRM 2.6.11, \"Incorrect message length\"";
        broken(Code::E0925, what, see)
    });
    let returned = (form.response != response).then(|| {
        let what = format!(
            "{name} answers with {response} registers, not {}",
            form.response
        );
        let see = "PRM 2.6.11, \"Incorrect response length\"";
        broken(Code::U0926, what, see)
    });
    taken.into_iter().chain(returned)
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

/// Lanes of a message; 1 where it has none. One operand of math in two registers has sixteen.
pub fn lanes_of(request: &Request, form: &MessageForm) -> u32 {
    match request {
        Request::Sampler(r) => r.lanes,
        Request::DwordScattered(r) => r.lanes,
        Request::Math(control) if !control.function.takes_two() => 8 * form.first.clamp(1, 2),
        Request::Math(_) => 8,
        _ => 1,
    }
}

/// Registers out, header included, and back. A vector of lanes beside the descriptor decides for the 3D
/// sampler and math: their message may have fewer parameters, so the first length decides.
pub fn lengths(request: &Request, form: &MessageForm, platform: Platform) -> (u32, u32) {
    match request {
        Request::Sampler(r) => {
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
        Request::Unorm(_) | Request::Scale8x8(_) | Request::Deinterlace(_) => {
            let response = sampler_block::response(request);
            (2, response.unwrap_or(form.response))
        }
        // What the gateway answers is not in the published text.
        Request::Gateway { .. } => (1, form.response),
        // No function reads it.
        Request::NullEnd => (form.first, 0),
        _ => {
            let layout = Layout::of(request, lanes_of(request, form), platform);
            let registers = |part: PayloadPart| part.registers(platform.grf_bytes());
            let header = u32::from(row_of(request).is_some_and(|row| row.header == Some(true)));
            let first = header + registers(layout.params) + registers(layout.data);
            // A commit comes back in a register that it does not change.
            let commit = u32::from(request.path().commit);
            (first.max(1), registers(layout.answer) + commit)
        }
    }
}

/// The form of a request whose payload lies as its fields have it: parameters in full, a header where it is
/// needed.
pub fn default_form(request: &Request, platform: Platform) -> MessageForm {
    let (header, parameters) = match request {
        Request::Sampler(r) => {
            let header = r.params == 0 || r.channels.0 != 0xf || r.offsets != [0; 3];
            // SIMD4x2: four parameters of both samples to a register.
            let rows = match r.lanes {
                2 => r.params.div_ceil(4),
                lanes => r.params.saturating_mul(lanes.div_ceil(8)),
            };
            (header, rows)
        }
        _ => {
            let header = row_of(request).is_some_and(|row| row.header != Some(false));
            (header, 0)
        }
    };
    let guess = MessageForm {
        header,
        first: u32::from(header).saturating_add(parameters).max(1),
        second: 0,
        response: 0,
    };
    let (first, response) = lengths(request, &guess, platform);
    MessageForm {
        first,
        response,
        ..guess
    }
}

/// What the descriptor counts that the request has not: a line each; nothing where the header decides.
pub fn odd_lengths(decoded: &Decoded, platform: Platform) -> Vec<String> {
    let Decoded { request, form } = decoded;
    if !deciding_words(decoded).is_empty() && counts_by_header(request) {
        return Vec::new();
    }
    let (first, response) = lengths(request, form, platform);
    let pairs = [
        (first, form.first, "out"),
        (response, form.response, "back"),
    ];
    let odd = pairs.into_iter().filter(|(takes, given, _)| takes != given);
    odd.map(|(takes, given, way)| {
        format!("{} {way}, the descriptor counts {given}", spelled(takes))
    })
    .collect()
}

/// Whether the request passes the render cache: all writes do. Source: PRM 5.2.1.
pub fn through_render_cache(request: &Request) -> bool {
    let data_port =
        row_of(request).is_some_and(|row| matches!(row.sfid, Sfid::DataRead | Sfid::DataWrite));
    data_port && request.surface().is_some() && request.path().cache == Cache::Render
}

/// The dwords of header and payload, sixteen in all, that decide about lengths and rules.
pub fn deciding_words(decoded: &Decoded) -> &'static [usize] {
    match row_of(&decoded.request) {
        Some(row) if decoded.form.header || row.header == Some(true) => row.deciding,
        _ => &[],
    }
}

/// Whether [`lengths`] needs the [deciding words](deciding_words).
pub fn counts_by_header(request: &Request) -> bool {
    row_of(request).is_some_and(|row| row.counts_by_header)
}

/// The rules of a message that its fields alone decide.
///
/// # Errors
/// The first [`Violation`].
pub fn check(request: &Request) -> Result<(), Violation> {
    check_descriptor(request)?;
    check_header(request)
}

/// The rules that the descriptor decides.
///
/// # Errors
/// The first [`Violation`].
pub fn check_descriptor(request: &Request) -> Result<(), Violation> {
    let stateful = row_of(request).and_then(|row| row.stateful);
    if let (Some(STATELESS), Some(see)) = (request.surface(), stateful) {
        let what = "binding table index 255: the message has no stateless model";
        return Err(violation(what, see));
    }
    match request {
        Request::Sampler(r) => {
            lanes(r)?;
            parameters(r)
        }
        Request::MediaRead(r) if r.path.cache == Cache::Data => {
            let what = "media blocks cannot be read through the data cache";
            Err(violation(what, "PRM 5.10.5, \"Restrictions\""))
        }
        Request::TargetUnorm(r) if r.cache != Cache::Render => {
            let what = format!("read through the {}: only the render cache", r.cache.name());
            Err(violation(what, "PRM 5.10.8, \"Restrictions\""))
        }
        Request::Math(control) => control
            .check(8)
            .map_err(|refusal| violation(refusal.to_string(), "PRM 6.1.1")),
        _ => Ok(()),
    }
}

/// What the message asks for that visim has no model of.
pub fn unmodelled(request: &Request) -> Option<Violation> {
    match request {
        Request::Pixels(PixelWrite { header, .. }) => {
            let absent = [
                (
                    header.source_depth,
                    "source depth: the depth test is not modelled",
                ),
                (header.stencil, "stencil: the stencil test is not modelled"),
                (header.antialias, "antialias alpha is not modelled"),
            ];
            let (_, what) = absent.into_iter().find(|(present, _)| *present)?;
            Some(broken(Code::N0937, what, "PRM 5.10.7.3, M1.6"))
        }
        Request::Gateway {
            op: GatewayOp::Forward,
            ..
        } => Some(broken(
            Code::N0937,
            "messages between threads are not modelled: the published manual has neither the gateway's payload nor \
             what it answers",
            "lowering reference 18.8",
        )),
        _ => None,
    }
}

/// The rules that the header decides.
fn check_header(request: &Request) -> Result<(), Violation> {
    let aligned = |what: &str, value: u32, to: u32, see| {
        if value.is_multiple_of(to) {
            return Ok(());
        }
        let what = format!("{what} {value:#x} is not a multiple of {to}");
        Err(violation(what, see))
    };
    let global = |offset, to, see| aligned("global offset", offset, to, see);
    match request {
        Request::Sampler(r) if r.offsets != [0; 3] => {
            let what = "M0.2 bits 11:0 are reserved here; texel offsets are of later parts";
            Err(broken(Code::U0943, what, "PRM 4.11.1.2, M0.2"))
        }
        Request::Oword(r) => global(r.offset, 16, "PRM 5.10.2.2, M0.2"),
        Request::DualOword(r) => global(r.offset, 16, "PRM 5.10.2.2, M0.2"),
        Request::DwordScattered(r) => global(r.global.unwrap_or(0), 4, "PRM 5.10.2.2, M0.2"),
        Request::LoopFilter(r) => global(r.offset, 16, "PRM 5.10.10.2, M0.2"),
        Request::MediaRead(r) => height(r.width, r.height),
        Request::MediaWrite(r) => {
            let see = "PRM 5.10.5, \"Restrictions\"";
            aligned("X offset", r.x as u32, 4, see)?;
            aligned("block width", r.width, 4, see)?;
            height(r.width, r.height)
        }
        Request::Pixels(r) => sequence(r.form, &r.header),
        Request::TargetUnorm(r) => {
            aligned("X offset", r.x as u32, 8, "PRM 5.10.8.2")?;
            aligned("Y offset", r.y as u32, 4, "PRM 5.10.8.2")
        }
        Request::Vertex(r) if r.index >= 1 << 27 => {
            let what = format!("destination index {:#x} has more than 27 bits", r.index);
            Err(violation(what, "PRM 5.10.9.2"))
        }
        _ => Ok(()),
    }
}

/// Which parts of a render target payload go together. Source: PRM 5.10.7.7, 5.10.7.10.
fn sequence(form: PixelForm, header: &PixelHeader) -> Result<(), Violation> {
    let see = "PRM 5.10.7.10, \"Message Sequencing Summary\"";
    let h = header;
    if h.destination_depth && !h.source_depth {
        return Err(violation("destination depth without source depth", see));
    }
    if form == PixelForm::Replicated && (h.source_depth || h.stencil || h.antialias) {
        let what = "replicated data come with colour only";
        return Err(violation(what, "PRM 5.10.7.7"));
    }
    if (h.stencil || h.antialias) && !h.source_depth {
        let what = "stencil or antialias alpha without source depth";
        return Err(violation(what, see));
    }
    if form.is_dual() && (h.stencil || h.antialias) && h.destination_depth {
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

/// How many parameters a payload may have: extra coordinates of its table are ignored, nothing is said of more.
fn parameters(r: &SamplerRequest) -> Result<(), Violation> {
    let name = r.op.name();
    let all = parameters::gen5(r.op).len() as u32;
    // The parameters of SIMD4x2 come in fours.
    let most = match r.lanes {
        2 => all.next_multiple_of(4),
        _ => all,
    };
    if r.params > most {
        let what = format!(
            "{name} has {all} parameters, of which those without a meaning are ignored, the payload {}",
            r.params
        );
        let see = "PRM 4.11.1.4; 2.6.11, \"Incorrect message length\"";
        return Err(broken(Code::E0925, what, see));
    }
    if r.op.compares() && r.params < 5 {
        let what = format!(
            "all four coordinates of {name} must be specified, and then ref: the payload has {} of 5",
            r.params
        );
        return Err(violation(what, "PRM 4.11.1.4, sample_c"));
    }
    Ok(())
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
