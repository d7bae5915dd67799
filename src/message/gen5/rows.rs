//! The messages of Ironlake, a row each: what encode, decode, the rules and the explainer know of them.

use super::super::Sfid;
use super::super::fields::{self, Layout, gen5_read as read, gen5_write as write};
use super::super::request::{Access, Request};

/// Read types. Source: lowering reference 18.5; PRM 5.10.2.1.2.
pub(super) mod reads {
    pub const OWORD: u32 = 0;
    pub const UNORM: u32 = 1;
    pub const DUAL_OWORD: u32 = 2;
    pub const LOOP_FILTER: u32 = 3;
    pub const MEDIA: u32 = 4;
    pub const DWORD: u32 = 6;
}

/// Write types. Source: lowering reference 18.5; PRM 5.10.2.1.2.
pub(super) mod writes {
    pub const OWORD: u32 = 0;
    pub const DUAL_OWORD: u32 = 1;
    pub const MEDIA: u32 = 2;
    pub const DWORD: u32 = 3;
    pub const TARGET: u32 = 4;
    pub const VERTEX: u32 = 5;
    pub const UNORM: u32 = 6;
    pub const FLUSH: u32 = 7;
}

/// A message.
#[derive(Debug)]
pub struct Row {
    /// Who serves it.
    pub sfid: Sfid,
    /// Its number in the type field of the data port; 0 for other functions.
    pub code: u32,
    /// Whether the payload begins with a header; `None`: as the descriptor says.
    pub header: Option<bool>,
    /// The fields of the header; dwords from 8 on are those of the register after it.
    pub fields: Option<&'static Layout>,
    /// Dwords of header and payload, sixteen in all, that decide about lengths and rules.
    pub deciding: &'static [usize],
    /// Whether the lengths need them.
    pub counts_by_header: bool,
    /// Where the manual gives the message no stateless model, that is, no binding table index 255.
    pub stateful: Option<&'static str>,
    /// Whether it may carry the end of the thread. Source: PRM 2.6.8, 5.10.1, 5.10.9, 6.1.
    pub may_end: bool,
}

use Sfid::{DataRead, DataWrite, Gateway, Math, Null, Sampler, Ts};
use fields as f;

/// Names the arguments of [`Row`] in the order of the tables below.
const fn row(
    (sfid, code): (Sfid, u32),
    header: Option<bool>,
    fields: Option<&'static Layout>,
    deciding: &'static [usize],
    counts_by_header: bool,
    stateful: Option<&'static str>,
    may_end: bool,
) -> Row {
    Row {
        sfid,
        code,
        header,
        fields,
        deciding,
        counts_by_header,
        stateful,
        may_end,
    }
}

const OFFSET: Option<&Layout> = Some(&f::offset_header::LAYOUT);
const MEDIA: Option<&Layout> = Some(&f::gen5_media_header::LAYOUT);
const UNORM: Option<&Layout> = Some(&f::gen5_unorm_header::LAYOUT);
const TARGET: Option<&Layout> = Some(&f::gen5_target_header::LAYOUT);
const VERTEX: Option<&Layout> = Some(&f::gen5_vertex_header::LAYOUT);
const SAMPLE: Option<&Layout> = Some(&f::gen5_sampler_header::LAYOUT);

macro_rules! rows {
    ($($name:ident = $row:expr;)*) => {
        $(static $name: Row = $row;)*
        /// Every row.
        pub static ROWS: &[&Row] = &[$(&$name),*];
    };
}

#[rustfmt::skip]
rows! {
//                         function, type                     header       fields  deciding  lengths  stateful                   may end
    SAMPLER_3D    = row((Sampler, 0),                    None,        SAMPLE, &[2],     true,  None,                      false);
    SAMPLER_BLOCK = row((Sampler, 0),                    Some(true),  SAMPLE, &[2],     true,  None,                      false);
    OWORD_READ    = row((DataRead, reads::OWORD),        Some(true),  OFFSET, &[2],     false, None,                      false);
    UNORM_READ    = row((DataRead, reads::UNORM),        Some(true),  UNORM,  &[0, 1],  false, Some("PRM 5.10.8"),        false);
    DUAL_READ     = row((DataRead, reads::DUAL_OWORD),   Some(true),  OFFSET, &[2],     false, None,                      false);
    LOOP_FILTER   = row((DataRead, reads::LOOP_FILTER),  Some(true),  OFFSET, &[2],     false, Some("PRM 5.10.10"),       false);
    MEDIA_READ    = row((DataRead, reads::MEDIA),        Some(true),  MEDIA,  &[0, 2],  true,  Some("PRM 5.6, 5.10.5"),   false);
    DWORD_READ    = row((DataRead, reads::DWORD),        Some(true),  OFFSET, &[2],     false, None,                      false);
    OWORD_WRITE   = row((DataWrite, writes::OWORD),      Some(true),  OFFSET, &[2],     false, None,                      false);
    DUAL_WRITE    = row((DataWrite, writes::DUAL_OWORD), Some(true),  OFFSET, &[2],     false, None,                      false);
    MEDIA_WRITE   = row((DataWrite, writes::MEDIA),      Some(true),  MEDIA,  &[0, 2],  true,  Some("PRM 5.6, 5.10.5"),   false);
    DWORD_WRITE   = row((DataWrite, writes::DWORD),      Some(true),  OFFSET, &[2],     false, None,                      false);
    TARGET_WRITE  = row((DataWrite, writes::TARGET),     Some(true),  TARGET, &[14],    true,  Some("PRM 5.10.7"),        true);
    VERTEX_WRITE  = row((DataWrite, writes::VERTEX),     Some(true),  VERTEX, &[5],     false, Some("PRM 5.10.9"),        false);
    UNORM_WRITE   = row((DataWrite, writes::UNORM),      Some(true),  UNORM,  &[0, 1],  false, Some("PRM 5.10.8"),        true);
    FLUSH         = row((DataWrite, writes::FLUSH),      Some(true),  None,   &[],      false, None,                      false);
    MATH          = row((Math, 0),                       Some(false), None,   &[],      false, None,                      false);
    GATEWAY       = row((Gateway, 0),                    Some(false), None,   &[],      false, None,                      true);
    SPAWNER       = row((Ts, 0),                         Some(false), None,   &[],      false, None,                      true);
    NULL          = row((Null, 0),                       None,        None,   &[],      false, None,                      true);
}

/// The row of a request; none if Ironlake has no such message.
pub fn row_of(request: &Request) -> Option<&'static Row> {
    let either = |access: Access, read: &'static Row, write: &'static Row| match access {
        Access::Read => read,
        Access::Write => write,
    };
    Some(match request {
        Request::Sampler(_) => &SAMPLER_3D,
        Request::Unorm(_) | Request::Scale8x8(_) | Request::Deinterlace(_) => &SAMPLER_BLOCK,
        Request::MediaRead(_) => &MEDIA_READ,
        Request::MediaWrite(_) => &MEDIA_WRITE,
        Request::Oword(r) => either(r.access, &OWORD_READ, &OWORD_WRITE),
        Request::DualOword(r) => either(r.access, &DUAL_READ, &DUAL_WRITE),
        Request::DwordScattered(r) => either(r.access, &DWORD_READ, &DWORD_WRITE),
        Request::TargetUnorm(r) => either(r.access, &UNORM_READ, &UNORM_WRITE),
        Request::LoopFilter(_) => &LOOP_FILTER,
        Request::Pixels(_) => &TARGET_WRITE,
        Request::Vertex(_) => &VERTEX_WRITE,
        Request::FlushRender { .. } => &FLUSH,
        Request::Math(_) => &MATH,
        Request::Gateway { .. } => &GATEWAY,
        Request::EndOfThread | Request::EndOfChild => &SPAWNER,
        Request::NullEnd => &NULL,
        _ => return None,
    })
}

/// The layout of a message's function control.
pub fn layout(sfid: Sfid) -> Option<&'static Layout> {
    Some(match sfid {
        Sampler => &f::gen5_sampler::LAYOUT,
        DataRead => &read::LAYOUT,
        DataWrite => &write::LAYOUT,
        Math => &f::gen5_math::LAYOUT,
        Gateway => &f::gateway::LAYOUT,
        Ts => &f::spawner::LAYOUT,
        _ => return None,
    })
}

/// The layout of a message's header, where it has one with fields of its own.
pub fn header_layout(sfid: Sfid, desc: u32) -> Option<&'static Layout> {
    let code = match sfid {
        DataRead => read::TYPE.get(&[desc]),
        DataWrite => write::TYPE.get(&[desc]),
        _ => 0,
    };
    let row = ROWS
        .iter()
        .find(|row| (row.sfid, row.code) == (sfid, code))?;
    row.fields
}
