//! Sampler messages: 3D sampling and loading, INFO, and the block messages AVS and `sample_unorm`.
//!
//! ```text
//!  18:17     16:12         11:8           7:0
//!  SIMD mode message type  sampler index  binding
//! ```
//!
//! Source: lowering reference 3 to 7; AVS reference 1.2.

use super::Sfid;
use super::bits::{
    DecodeError, Draft, EncodeError, Message, MessageForm, refuse_unknown_in, reserved, rows,
};
use super::extended::Extended;
use super::fields::{
    avs_payload, extended_gen11 as ex, media_sampler_header, outer, sampler as control,
    sampler_header as header, sampler_xe2 as xe2_control, sampler_xe2_header as xe2_header,
    unorm_payload,
};
use super::request::{AvsRequest, Request, ReturnFormat, SamplerOp, SamplerRequest, UnormRequest};
use crate::isa::{AvsControl, AvsMode, ChannelMask, Platform};

/// SIMD mode of block messages: 32 or 64 pixels, no lanes.
pub const BLOCK_MODE: u32 = 3;
/// Message type of AVS. Source: lowering reference 7.2.
pub const AVS_TYPE: u32 = 11;
/// Message type of `sample_unorm`. Source: lowering reference 6.1.
pub const UNORM_TYPE: u32 = 12;
/// Message type of `sample_unorm+killpix`, up to Gen8 at least. Source: AVS reference 1.3.
pub const UNORM_KILLPIX_TYPE: u32 = 10;
/// Message type of the cache flush. Source: lowering reference 15.
pub const FLUSH_TYPE: u32 = 31;

/// The function control of a sampler message. The index and the binding are *added*, as the
/// finalizer does: too great numbers carry into the neighbouring field. Source: lowering reference 1.6.
pub fn function_control(mode: u32, message_type: u32) -> u32 {
    (mode << control::SIMD_MODE.lo) | (message_type << control::TYPE.lo)
}

/// The SIMD mode for an execution size: the second mode also serves sizes below native.
/// Source: lowering reference 3.1.
pub const fn simd_mode(exec_size: u32, platform: Platform) -> u32 {
    if exec_size == platform.native_lanes() {
        1
    } else {
        2
    }
}

/// More payload registers than this, the header among them, do not fit one message.
/// Source: lowering reference 3.7 and 18.4.
pub const MOST_ROWS: u32 = 11;

/// Whether a message of twice the native lanes and so many payload registers, the header among them, goes out as
/// two of native width. Source: lowering reference 3.7.
pub const fn is_halved(op: SamplerOp, rows: u32) -> bool {
    let always = matches!(
        op,
        SamplerOp::SampleD | SamplerOp::SampleDC | SamplerOp::SampleKillpix
    );
    always || rows > MOST_ROWS
}

/// Whether a channel set has its place in a header. Without one the length of the response says how many channels,
/// from R on, come back; up to Gen8 they are not counted, and every set but the full one is masked, as was seen in
/// the finalizer.
/// Gather4 names one channel, the first without a header. Source: lowering reference 3.4, 4 and 5.
pub fn channels_need_header(op: SamplerOp, channels: ChannelMask, platform: Platform) -> bool {
    let counted = platform.sampler.counts_channels;
    let plain = match op {
        op if op.is_gather() => channels.0 == 1,
        SamplerOp::Sampleinfo => channels.0 == 1 && counted,
        _ if counted => channels.0 & (channels.0 + 1) == 0,
        _ => channels == ChannelMask::RGBA,
    };
    !plain
}

/// `M0.2` of a 3D sampler header. Source: lowering reference 3.4 and 4.
///
/// `gather` is the source channel of gather4 and gather4_po, which have no disable mask.
pub fn header_bits(
    channels: Option<ChannelMask>,
    gather: Option<u32>,
    null_mask: bool,
    offsets: u32,
) -> u32 {
    let mut words = [0; 3];
    let disabled = channels.map_or(0, |c| u32::from(!c.0 & 0xf));
    // All three fit by construction: four channel bits, two bits, one bit.
    let _ = header::DISABLE.put(&mut words, disabled);
    let _ = header::GATHER.put(&mut words, gather.unwrap_or(0) & 3);
    let _ = header::NULL_MASK.put(&mut words, null_mask.into());
    words[2] | offsets & 0xfff
}

impl SamplerOp {
    /// The messages of gather4 that compare: their header names no channel. Source: lowering reference 4.
    pub const fn names_no_channel(self) -> bool {
        self.is_gather() && self.compares()
    }

    /// Whether it reads texels, which a paired surface may go with.
    pub const fn samples(self) -> bool {
        !matches!(self, SamplerOp::Resinfo | SamplerOp::Sampleinfo)
    }

    /// Gathers with texel offsets as parameters of their own. Source: lowering reference 4.
    pub const fn has_separate_offsets(self) -> bool {
        matches!(self, SamplerOp::Gather4Po | SamplerOp::Gather4PoC)
    }
}

impl AvsRequest {
    /// Bytes that come back, those of decimated pixels included. Source: lowering reference 7.3.
    pub fn bytes(&self) -> u32 {
        let (w, h) = self.mode.size();
        w * h * self.channels.count() * self.control.element_bytes()
    }
}

impl UnormRequest {
    /// Bytes that come back of each channel: 32 pixels of 16 bits. Source: lowering reference 6.1.
    pub const CHANNEL_BYTES: u32 = 64;
}

impl SamplerRequest {
    /// Registers one parameter takes.
    pub fn parameter_rows(&self, platform: Platform) -> u32 {
        let bytes = if self.params16 { 2 } else { 4 };
        rows(self.lanes.saturating_mul(bytes), platform)
    }

    /// Registers one returned channel takes.
    pub fn channel_rows(&self, platform: Platform) -> u32 {
        let bytes = match self.returns {
            ReturnFormat::Bits32 => 4,
            ReturnFormat::Bits16 => 2,
        };
        rows(self.lanes.saturating_mul(bytes), platform)
    }

    /// Channels that come back: gather4 returns four texels.
    pub fn returned_channels(&self) -> u32 {
        if self.op.is_gather() {
            4
        } else {
            self.channels.count()
        }
    }

    /// Whether the request can only be asked with a header: beside its channels, offsets and the null mask have
    /// their place there. Source: lowering reference 3.4, 4 and 5.
    pub fn needs_header(&self, platform: Platform) -> bool {
        let wanted = channels_need_header(self.op, self.channels, platform)
            || self.offsets != [0; 3]
            || self.pixel_null_mask;
        // A descriptor of 47 bits has a field for each.
        wanted && !platform.dialect.state_addresses()
    }

    /// Registers after the header. `sampleinfo` has no parameter, but a message cannot be empty.
    pub fn parameter_registers(&self, header: bool, platform: Platform) -> u32 {
        if self.op == SamplerOp::Sampleinfo {
            u32::from(!header)
        } else {
            self.params.saturating_mul(self.parameter_rows(platform))
        }
    }

    /// The default form: header if needed, then all parameters as second payload (one payload
    /// without header, and where the platform has no second one).
    pub fn form(&self, platform: Platform) -> MessageForm {
        let header = self.needs_header(platform);
        let registers = self.parameter_registers(header, platform);
        let split = header && platform.split_send;
        MessageForm {
            header,
            first: u32::from(header) + if split { 0 } else { registers },
            second: if split { registers } else { 0 },
            response: self.response(platform),
        }
    }

    /// Registers that come back: channels, and the one after them with the null mask or the kill mask.
    /// Source: lowering reference 3.3; PRM 4.11.2.2.
    pub fn response(&self, platform: Platform) -> u32 {
        // The status of thirty-two lanes has two registers where it is a part of its own.
        let wide = platform.dialect.state_addresses() && self.lanes > platform.native_lanes();
        let mask = u32::from(self.has_mask()) << u32::from(wide);
        self.returned_channels() * self.channel_rows(platform) + mask
    }

    fn has_mask(&self) -> bool {
        self.pixel_null_mask || self.op == SamplerOp::SampleKillpix
    }
}

pub(super) fn encode_3d(
    r: &SamplerRequest,
    form: &MessageForm,
    platform: Platform,
) -> Result<Draft, EncodeError> {
    let native = platform.native_lanes();
    if r.lanes != native && r.lanes != 2 * native {
        return Err(EncodeError::Unencodable(format!(
            "{} lanes: {platform} has {native} and {}",
            r.lanes,
            2 * native
        )));
    }
    let Some(code) = r.op.code_on(platform) else {
        return Err(EncodeError::Absent {
            what: r.op.name(),
            platform,
        });
    };
    if r.channels.0 == 0 || r.channels.0 > 0xf || r.op.is_gather() && r.channels.count() != 1 {
        return Err(EncodeError::Unencodable("channel set".into()));
    }
    if r.op == SamplerOp::Sampleinfo && r.params != 0 {
        return Err(EncodeError::Unencodable(
            "sampleinfo has no parameter".into(),
        ));
    }
    if r.needs_header(platform) && !form.header {
        return Err(EncodeError::Unencodable(
            "this channel set, offset or null mask needs a header".into(),
        ));
    }
    let registers = u32::from(form.header) + r.parameter_registers(form.header, platform);
    if form.registers() != registers {
        return Err(EncodeError::Unencodable(format!(
            "{} payload registers where the parameters fill {registers}",
            form.registers()
        )));
    }
    let default = r.response(platform);
    let told_by_header = form.header || r.op.is_gather();
    if !told_by_header && form.response != default && (form.response != 0 || r.channels.0 != 0xf) {
        return Err(EncodeError::Unencodable(format!(
            "without a header the response length tells the channels: {default} registers"
        )));
    }
    let mut draft = Draft::new(Sfid::Sampler);
    draft.put(control::SIMD_MODE, simd_mode(r.lanes, platform))?;
    draft.put(control::TYPE, code & control::TYPE.max())?;
    draft.type_high = code >> 5;
    draft.put(control::SAMPLER, r.sampler)?;
    draft.put(control::BINDING, r.surface)?;
    draft.coarse = r.coarse;
    draft.params16 = r.params16;
    draft.return16 = r.returns == ReturnFormat::Bits16;
    if form.header {
        let mut offsets = 0;
        for (at, offset) in [header::OFFSET_U, header::OFFSET_V, header::OFFSET_R]
            .into_iter()
            .zip(r.offsets)
        {
            if !(-8..=7).contains(&offset) {
                return Err(EncodeError::Unencodable(format!("texel offset {offset}")));
            }
            offsets |= (u32::from(offset as u8) & 0xf) << at.lo;
        }
        let gather = r.channels.0.trailing_zeros();
        draft.header[2] = match r.op {
            op if op.is_gather() && !op.names_no_channel() => {
                header_bits(None, Some(gather), r.pixel_null_mask, offsets)
            }
            // The shadow forms never say their channel (lowering reference 4, difference 17).
            op if op.is_gather() => {
                if gather != 0 {
                    return Err(EncodeError::Unencodable(
                        "the message of gather4_c cannot name a channel".into(),
                    ));
                }
                header_bits(None, None, r.pixel_null_mask, offsets)
            }
            _ => header_bits(Some(r.channels), None, r.pixel_null_mask, offsets),
        };
    }
    Ok(draft)
}

fn block(
    message_type: u32,
    sampler: u32,
    surface: u32,
    form: &MessageForm,
    length: u32,
) -> Result<Draft, EncodeError> {
    if !form.header || form.registers() != length {
        return Err(EncodeError::Unencodable(format!(
            "the message is {length} registers, the first a header"
        )));
    }
    let mut draft = Draft::new(Sfid::Sampler);
    draft.put(control::SIMD_MODE, BLOCK_MODE)?;
    draft.put(control::TYPE, message_type)?;
    draft.put(control::SAMPLER, sampler)?;
    draft.put(control::BINDING, surface)?;
    Ok(draft)
}

pub(super) fn encode_avs(r: &AvsRequest, form: &MessageForm) -> Result<Draft, EncodeError> {
    let mut draft = block(AVS_TYPE, r.sampler, r.surface, form, 2)?;
    let m0 = &mut draft.header;
    media_sampler_header::DISABLE.put(m0, disabled(r.channels)?)?;
    media_sampler_header::CONTROL.put(m0, r.control.value().into())?;
    let m1 = &mut draft.payload;
    avs_payload::V2D.put(m1, r.v2d.to_bits())?;
    avs_payload::VBN.put(m1, r.vertical_block)?;
    avs_payload::U.put(m1, r.u.to_bits())?;
    avs_payload::V.put(m1, r.v.to_bits())?;
    avs_payload::DELTA_U.put(m1, r.delta_u.to_bits())?;
    avs_payload::DELTA_V.put(m1, r.delta_v.to_bits())?;
    avs_payload::U2D.put(m1, r.u2d.to_bits())?;
    avs_payload::GROUP.put(m1, r.group_id)?;
    avs_payload::MODE.put(m1, r.mode.value().into())?;
    avs_payload::IEF.put(m1, r.ief_bypass.into())?;
    Ok(draft)
}

pub(super) fn encode_unorm(r: &UnormRequest, form: &MessageForm) -> Result<Draft, EncodeError> {
    if r.only_rg || r.shader_payload {
        return Err(EncodeError::Unencodable(
            "only Gen5 returns R and G alone or has the payload of pixel shaders".into(),
        ));
    }
    let message_type = if r.killpix {
        UNORM_KILLPIX_TYPE
    } else {
        UNORM_TYPE
    };
    let mut draft = block(message_type, r.sampler, r.surface, form, 2)?;
    media_sampler_header::DISABLE.put(&mut draft.header, disabled(r.channels)?)?;
    let m1 = &mut draft.payload;
    unorm_payload::U.put(m1, r.u.to_bits())?;
    unorm_payload::V.put(m1, r.v.to_bits())?;
    unorm_payload::DELTA_U.put(m1, r.delta_u.to_bits())?;
    unorm_payload::DELTA_V.put(m1, r.delta_v.to_bits())?;
    Ok(draft)
}

/// The sixth bit of a message type, where there is one.
fn type_high(desc: u32, platform: Platform) -> u32 {
    match platform.sampler.six_bit_types {
        true => xe2_control::TYPE_HIGH.get(&[desc]),
        false => 0,
    }
}

pub(super) fn encode_flush(form: &MessageForm) -> Result<Draft, EncodeError> {
    block(FLUSH_TYPE, 0, 0, form, 1)
}

/// The disable mask of a channel set that is not empty.
fn disabled(channels: ChannelMask) -> Result<u32, EncodeError> {
    if channels.0 == 0 || channels.0 > 0xf {
        return Err(EncodeError::Unencodable("channel set".into()));
    }
    Ok(u32::from(!channels.0 & 0xf))
}

pub(super) fn decode(
    message: &Message,
    form: &MessageForm,
    extended: &Extended,
    platform: Platform,
) -> Result<Request, DecodeError> {
    let desc = [message.desc];
    let mode = control::SIMD_MODE.get(&desc);
    let code = control::TYPE.get(&desc);
    if mode == BLOCK_MODE {
        let coarse = u32::from(extended.coarse);
        reserved(ex::COARSE, coarse, (coarse == 0).then_some(()))?;
        return decode_block(message, form, code);
    }
    let code = code | type_high(message.desc, platform) << 5;
    let op = SamplerOp::from_code_on(code, platform).ok_or(DecodeError::UnknownType {
        sfid: Sfid::Sampler,
        value: code,
    })?;
    let lanes = match mode {
        1 => platform.native_lanes(),
        2 => 2 * platform.native_lanes(),
        value => return reserved(control::SIMD_MODE, value, None),
    };
    let mut r = SamplerRequest {
        op,
        surface: control::BINDING.get(&desc),
        sampler: control::SAMPLER.get(&desc),
        channels: ChannelMask::RGBA,
        lanes,
        offsets: [0; 3],
        coarse: extended.coarse,
        pixel_null_mask: false,
        params16: outer::PARAMS16.get(&desc) != 0,
        returns: if outer::RETURN16.get(&desc) != 0 {
            ReturnFormat::Bits16
        } else {
            ReturnFormat::Bits32
        },
        params: 0,
    };
    if form.header {
        decode_header(&mut r, message)?;
        let paired = xe2_header::PAIRED.get(&message.header);
        if platform.sampler.paired_surface && r.op.samples() && paired & 1 != 0 {
            return reserved(xe2_header::PAIRED, paired, None);
        }
    } else if op.is_gather() {
        r.channels = ChannelMask(1);
    } else if form.response != 0 {
        let each = r.channel_rows(platform);
        let rows = form.response - u32::from(r.has_mask());
        let count = rows / each;
        if !rows.is_multiple_of(each) || !(1..=4).contains(&count) {
            let mask = if r.has_mask() { " and a mask" } else { "" };
            return Err(DecodeError::Length(format!(
                "{} response registers are not 1 to 4 channels of {each}{mask}",
                form.response
            )));
        }
        r.channels = ChannelMask((1 << count) - 1);
    }
    decode_parameters(&mut r, form, platform)?;
    Ok(Request::Sampler(r))
}

/// `M0.2` of a 3D sampler message.
fn decode_header(r: &mut SamplerRequest, message: &Message) -> Result<(), DecodeError> {
    let m0 = &message.header;
    refuse_unknown_in(&header::LAYOUT, m0, 2)?;
    r.pixel_null_mask = header::NULL_MASK.get(m0) != 0;
    let gather = header::GATHER.get(m0);
    let disable = header::DISABLE.get(m0);
    let names_channel = r.op.is_gather() && !r.op.names_no_channel();
    if gather != 0 && !names_channel {
        return reserved(header::GATHER, gather, None);
    }
    if r.op.is_gather() && disable != 0 || disable == 0xf {
        return reserved(header::DISABLE, disable, None);
    }
    r.channels = if r.op.is_gather() {
        ChannelMask(1 << gather)
    } else {
        ChannelMask(!disable as u8 & 0xf)
    };
    for (to, from) in
        r.offsets
            .iter_mut()
            .zip([header::OFFSET_U, header::OFFSET_V, header::OFFSET_R])
    {
        *to = ((from.get(m0) as i8) << 4) >> 4;
    }
    Ok(())
}

/// The number of parameters from the lengths.
fn decode_parameters(
    r: &mut SamplerRequest,
    form: &MessageForm,
    platform: Platform,
) -> Result<(), DecodeError> {
    let registers = form.registers().saturating_sub(form.header.into());
    let wanted = if r.op == SamplerOp::Sampleinfo {
        u32::from(!form.header)
    } else {
        let each = r.parameter_rows(platform);
        r.params = registers / each;
        r.params * each
    };
    if wanted != registers || form.first == 0 {
        return Err(DecodeError::Length(format!(
            "{registers} registers of parameters do not divide among the lanes"
        )));
    }
    Ok(())
}

/// The function that a payload of `sample_8x8` names is the scaler. Source: AVS reference 1.2 and 10.
fn scaler_only(payload: &[u32; 8]) -> Result<(), DecodeError> {
    let function = avs_payload::FUNCTION.get(payload);
    let name = match function {
        0 => return Ok(()),
        1 => "2-D convolve",
        2 => "min/max",
        3 => "min/max filter",
        4 => "erode",
        5 => "dilate",
        6 => "boolean centroid",
        7 => "centroid",
        8 => "1-D vertical convolve",
        9 => "1-D horizontal convolve",
        10 => "one-pixel convolve",
        11 => "flood fill",
        12 => "LBP creation",
        13 => "LBP correlation",
        15 => "correlation search",
        _ => return reserved(avs_payload::FUNCTION, function, None),
    };
    Err(DecodeError::MediaFunction(name))
}

/// AVS, `sample_unorm`, cache flush.
fn decode_block(message: &Message, form: &MessageForm, code: u32) -> Result<Request, DecodeError> {
    let desc = [message.desc];
    super::bits::refuse_data_size(message)?;
    let length = if code == FLUSH_TYPE { 1 } else { 2 };
    if !form.header || form.registers() != length {
        return Err(DecodeError::Length(format!(
            "a block message of type {code} is {length} registers, the first a header"
        )));
    }
    let (surface, sampler) = (control::BINDING.get(&desc), control::SAMPLER.get(&desc));
    if code == FLUSH_TYPE {
        if surface != 0 {
            return reserved(control::BINDING, surface, None);
        }
        return reserved(
            control::SAMPLER,
            sampler,
            (sampler == 0).then_some(Request::SamplerFlush),
        );
    }
    let (m0, m1) = (&message.header, &message.payload);
    if code == AVS_TYPE {
        scaler_only(m1)?;
    }
    refuse_unknown_in(&media_sampler_header::LAYOUT, m0, 2)?;
    let disable = media_sampler_header::DISABLE.get(m0);
    let channels = reserved(
        media_sampler_header::DISABLE,
        disable,
        (disable != 0xf).then_some(ChannelMask(!disable as u8 & 0xf)),
    )?;
    let float = |f: super::fields::Field| f32::from_bits(f.get(m1));
    let output = media_sampler_header::CONTROL.get(m0);
    match code {
        AVS_TYPE => {
            refuse_unknown_in(&avs_payload::LAYOUT, m1, 7)?;
            let mode = avs_payload::MODE.get(m1);
            Ok(Request::Avs(AvsRequest {
                surface,
                sampler,
                channels,
                control: reserved(
                    media_sampler_header::CONTROL,
                    output,
                    AvsControl::from_value(output as u8),
                )?,
                mode: reserved(avs_payload::MODE, mode, AvsMode::from_value(mode as u8))?,
                u: float(avs_payload::U),
                v: float(avs_payload::V),
                delta_u: float(avs_payload::DELTA_U),
                delta_v: float(avs_payload::DELTA_V),
                u2d: float(avs_payload::U2D),
                v2d: float(avs_payload::V2D),
                group_id: avs_payload::GROUP.get(m1),
                vertical_block: avs_payload::VBN.get(m1),
                ief_bypass: avs_payload::IEF.get(m1) != 0,
            }))
        }
        UNORM_TYPE | UNORM_KILLPIX_TYPE => {
            reserved(
                media_sampler_header::CONTROL,
                output,
                (output == 0).then_some(()),
            )?;
            Ok(Request::Unorm(UnormRequest {
                surface,
                sampler,
                channels,
                u: float(unorm_payload::U),
                v: float(unorm_payload::V),
                delta_u: float(unorm_payload::DELTA_U),
                delta_v: float(unorm_payload::DELTA_V),
                killpix: code == UNORM_KILLPIX_TYPE,
                only_rg: false,
                shader_payload: false,
            }))
        }
        value => Err(DecodeError::UnknownType {
            sfid: Sfid::Sampler,
            value,
        }),
    }
}
