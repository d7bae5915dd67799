//! Row kernel for everything else that fits 32 bits: weights fixed or adaptive, deep texels, keys.
//!
//! Horizontally first, as defined, and once for each source row: output rows share the results. Rounding
//! between the passes is real here, so the order matters. Components are apart from each other; an adaptive
//! weight may come from another one, which is then filtered too.
//!
//! ```text
//!  texels of a component ─ across ─▶ rows of results ─ down ─▶ samples
//!                             ▲                         ▲
//!            weights by the texels' steps     weights by the results' steps
//! ```

use super::filters::{Blend, ChannelFilter, Filters, Guide, Steps};
use super::lanes::{Across, CENTRE, PADDED};
use super::pack::Block;
use super::window::{Axis, FOOTPRINT, ROW, Window};

/// Largest sum of the magnitudes of a row of taps for which 32 bits are enough: a row result is
/// below 2^16·2^8 >> 6 = 2^18, the sum of the second pass below 2^26, a weighted one below 2^29.
pub const GAIN: u16 = 256;

/// A row of first results; those beyond the block are not looked at.
type Row = [i32; PADDED];

/// What one call of the kernel works on.
pub struct Task<'a> {
    /// The components that [`needed`] tells, centred.
    pub windows: &'a [Window<i16>; 4],
    /// Columns of the block.
    pub x: &'a Axis,
    /// Rows of the block.
    pub y: &'a Axis,
    /// All filters.
    pub filters: &'a Filters<'a>,
    /// Channel of each component.
    pub channels: [Option<usize>; 4],
    /// The components to compute.
    pub wanted: [bool; 4],
    /// Distance of neighbouring pixels of the axis in the block.
    pub step: usize,
    /// The largest sample.
    pub ceiling: u16,
}

/// What calls use again and again.
#[derive(Debug, Default)]
pub struct Results {
    rows: [Vec<Row>; 4],
    codes: Vec<[i16; PADDED]>,
}

/// The components whose texels the kernel must have to compute the `wanted` ones.
pub fn needed(filters: &Filters, channels: [Option<usize>; 4], wanted: [bool; 4]) -> [bool; 4] {
    let adapts = [filters.blend_x, filters.blend_y]
        .iter()
        .any(|blend| matches!(blend, Blend::Adaptive(_)));
    let blends = |c: usize| channels[c].is_some_and(|c| filters.channel(c).blends);
    let mut needed = wanted;
    if adapts && (0..4).any(|c| wanted[c] && blends(c)) {
        match filters.guide {
            Guide::Own => {}
            Guide::Green(g) => needed[g] = true,
            Guide::Grey { r, g, b } => [r, g, b].into_iter().for_each(|c| needed[c] = true),
        }
    }
    needed
}

/// Scales.
pub fn run(task: &Task, results: &mut Results, block: &mut Block) {
    let needed = needed(task.filters, task.channels, task.wanted);
    for component in (0..4).filter(|&c| needed[c]) {
        if let Some(filter) = task.filter(component) {
            task.across(component, &filter, &mut results.rows[component]);
        }
    }
    for component in (0..4).filter(|&c| task.wanted[c]) {
        if let (Some(channel), Some(filter)) = (task.channels[component], task.filter(component)) {
            let out = &mut block.channels[channel];
            match filter.y.is_four() {
                true => task.down::<4>(component, &filter, results, block.stride, out),
                false => task.down::<8>(component, &filter, results, block.stride, out),
            }
        }
    }
}

/// Where the weights of a pass come from.
enum Weights {
    /// The sharp filter has it all.
    Sharp,
    /// The same everywhere.
    Fixed(i32),
    /// From steps.
    Adaptive(Steps),
}

impl Weights {
    fn of(filter: &ChannelFilter, blend: Blend) -> Weights {
        match blend {
            _ if !filter.blends => Weights::Sharp,
            Blend::Fixed(256) => Weights::Sharp,
            Blend::Fixed(weight) => Weights::Fixed(i32::from(weight)),
            Blend::Adaptive(steps) => Weights::Adaptive(steps),
        }
    }
}

impl<'a> Task<'a> {
    fn filter(&self, component: usize) -> Option<ChannelFilter<'a>> {
        Some(*self.filters.channel(self.channels[component]?))
    }

    /// The first pass: a row of results for each row of the window.
    fn across(&self, component: usize, filter: &ChannelFilter, rows: &mut Vec<Row>) {
        let height = self.y.sources().len();
        rows.resize(height, [0; PADDED]);
        let sharp = Across::new(self.x, filter.x);
        let smooth = Across::smooth(self.x);
        let (sharp_bias, smooth_bias) = (sharp.bias(), smooth.bias());
        let weights = Weights::of(filter, self.filters.blend_x);
        let mut weight = [256; PADDED];
        if let Weights::Fixed(fixed) = weights {
            weight = [fixed; PADDED];
        }
        let mut by_column = [0; ROW];
        let mut sums = [0; PADDED];
        for (source, out) in rows.iter_mut().enumerate() {
            let texels = self.windows[component].row(source);
            sharp.sums(texels, out);
            for (out, bias) in out.iter_mut().zip(sharp_bias) {
                *out = (*out + bias + 32) >> 6;
            }
            match &weights {
                Weights::Sharp => continue,
                Weights::Fixed(_) => {}
                Weights::Adaptive(steps) => {
                    let codes = self.texel_codes(component, source);
                    along(steps, &codes[..texels.len()], &mut by_column);
                    for (weight, &start) in weight.iter_mut().zip(sharp.starts()) {
                        *weight = by_column[usize::from(start)];
                    }
                }
            }
            smooth.sums(texels, &mut sums);
            for (((out, sum), bias), weight) in
                out.iter_mut().zip(sums).zip(smooth_bias).zip(weight)
            {
                *out = mix(*out, (sum + bias + 16) >> 5, weight);
            }
        }
    }

    /// The second pass, into `out`, whose rows are `stride` apart.
    fn down<const TAPS: usize>(
        &self,
        component: usize,
        filter: &ChannelFilter,
        results: &mut Results,
        stride: usize,
        out: &mut [u16],
    ) {
        let first = (FOOTPRINT - TAPS) / 2;
        let weights = Weights::of(filter, self.filters.blend_y);
        if matches!(weights, Weights::Adaptive(_)) {
            self.result_codes(component, results);
        }
        let (rows, codes) = (&results.rows[component], &results.codes);
        let pixels = self.x.pixels();
        let phases = self.y.starts().iter().zip(self.y.betas());
        for (out, (&start, &beta)) in out.chunks_exact_mut(stride).zip(phases) {
            let start = usize::from(start);
            let taps = filter.y.row(beta);
            let mut sums = [32; PADDED];
            let taps = &taps[first..][..TAPS];
            weighted::<TAPS>(&rows[start + first..], taps, &mut sums);
            let mut samples = sums.map(|sum| sum >> 6);
            let mut weight = [256; PADDED];
            match &weights {
                Weights::Sharp => {}
                Weights::Fixed(fixed) => weight = [*fixed; PADDED],
                Weights::Adaptive(steps) => across_rows(steps, &codes[start..], &mut weight),
            }
            if !matches!(weights, Weights::Sharp) {
                let beta = i32::from(beta);
                let centre = rows[start + 3].iter().zip(&rows[start + 4]).zip(weight);
                for (sample, ((a, b), weight)) in samples.iter_mut().zip(centre) {
                    *sample = mix(*sample, (a * (32 - beta) + b * beta + 16) >> 5, weight);
                }
            }
            let ceiling = i32::from(self.ceiling);
            let samples = samples.iter().take(pixels);
            for (out, &sample) in out.iter_mut().step_by(self.step).zip(samples) {
                *out = sample.clamp(0, ceiling) as u16;
            }
        }
    }

    /// Codes of the texels of a row whose steps decide the weights of a component.
    fn texel_codes(&self, component: usize, row: usize) -> [i16; ROW] {
        let mut codes = [0; ROW];
        let texels = |component: usize| self.windows[component].row(row);
        let value = |texel: i16| i32::from(texel) + CENTRE;
        match self.filters.guide {
            Guide::Own | Guide::Green(_) => {
                let guide = match self.filters.guide {
                    Guide::Green(green) => green,
                    _ => component,
                };
                for (code, &texel) in codes.iter_mut().zip(texels(guide)) {
                    *code = (texel as u16 ^ 0x8000).to_be_bytes()[0].into();
                }
            }
            Guide::Grey { r, g, b } => {
                let colours = texels(r).iter().zip(texels(g)).zip(texels(b));
                for (code, ((&r, &g), &b)) in codes.iter_mut().zip(colours) {
                    *code = ((value(r) + 2 * value(g) + value(b)) >> 10) as i16;
                }
            }
        }
        codes
    }

    /// The same of the results of the first pass, for every row.
    fn result_codes(&self, component: usize, results: &mut Results) {
        let Results { rows, codes } = results;
        let code = |value: i32| (value.clamp(0, 0xffff) >> 8) as i16;
        codes.resize(rows[component].len(), [0; PADDED]);
        let own = match self.filters.guide {
            Guide::Grey { r, g, b } => {
                let colours = rows[r].iter().zip(&rows[g]).zip(&rows[b]);
                for (codes, ((r, g), b)) in codes.iter_mut().zip(colours) {
                    *codes = std::array::from_fn(|i| code((r[i] + 2 * g[i] + b[i]) >> 2));
                }
                return;
            }
            Guide::Green(green) => green,
            Guide::Own => component,
        };
        for (codes, row) in codes.iter_mut().zip(&rows[own]) {
            *codes = row.map(code);
        }
    }
}

/// `sums[i] += Σ rows[tap][i] · taps[tap]`.
#[inline]
fn weighted<const TAPS: usize>(rows: &[Row], taps: &[i16], sums: &mut Row) {
    for (row, &tap) in rows.iter().zip(taps).take(TAPS) {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += value * i32::from(tap);
        }
    }
}

/// `(sharp * weight + smooth * (256 - weight) + 128) >> 8`, with one product.
#[inline]
const fn mix(sharp: i32, smooth: i32, weight: i32) -> i32 {
    smooth + (((sharp - smooth) * weight + 128) >> 8)
}

/// The weight of each footprint along a row of codes, by where it begins.
fn along(steps: &Steps, codes: &[i16], out: &mut [i32; ROW]) {
    // Greatest steps of 1, 2 and 4 neighbours, each from those before.
    let (mut one, mut two, mut four) = ([0i16; ROW], [0i16; ROW], [0i16; ROW]);
    for (out, pair) in one.iter_mut().zip(codes.windows(2)) {
        *out = (pair[1] - pair[0]).abs();
    }
    for (out, pair) in two.iter_mut().zip(one.windows(2)) {
        *out = pair[0].max(pair[1]);
    }
    for (out, three) in four.iter_mut().zip(two.windows(3)) {
        *out = three[0].max(three[2]);
    }
    // Seven steps are four and four that overlap; the centre's are the third to the fifth.
    let footprints = four.windows(4).zip(two.windows(3)).zip(one[4..].iter());
    let count = codes.len();
    for (out, ((all, centre), &last)) in out[..count].iter_mut().zip(footprints) {
        let (d4, d8) = (centre[2].max(last), all[0].max(all[3]));
        *out = steps.weigh(i32::from(d4), i32::from(d8));
    }
}

/// The weight of each column of eight rows of codes.
fn across_rows(steps: &Steps, codes: &[[i16; PADDED]], out: &mut [i32; PADDED]) {
    let (mut d4, mut d8) = ([0i16; PADDED], [0i16; PADDED]);
    for (n, rows) in codes.windows(2).take(FOOTPRINT - 1).enumerate() {
        for i in 0..PADDED {
            let step = (rows[1][i] - rows[0][i]).abs();
            d8[i] = d8[i].max(step);
            if (2..5).contains(&n) {
                d4[i] = d4[i].max(step);
            }
        }
    }
    for ((out, d4), d8) in out.iter_mut().zip(d4).zip(d8) {
        *out = steps.weigh(i32::from(d4), i32::from(d8));
    }
}
