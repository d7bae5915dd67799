//! The definition of a sample, one texel at a time. Slow, and the only one that explains itself:
//! every kernel must produce the same bits.
//!
//! Source: AVS reference 3.4 to 3.6.

use super::filters::{Blend, Filters, Guide};
use super::key::ChromaKey;
use super::position::{beta, whole};
use super::view::{MediaView, Plane};

/// Eight texels of a footprint row, or eight results of footprint rows; 8.8, signed.
type Vector = [i64; 8];

/// Channel `channel` at luma position (`tu`, `tv`), 8.8.
///
/// ```text
///  columns  iu-3 .. iu+4        h[j] = filter(row iv-3+j),  j = 0..7
///  rows     iv-3 .. iv+4        result = clamp(filter(h))
/// ```
pub fn sample(
    view: &MediaView,
    key: Option<&ChromaKey>,
    filters: &Filters,
    channel: usize,
    (tu, tv): (i32, i32),
) -> u16 {
    let Some((plane, component)) = view.place(channel) else {
        return MediaView::missing(channel);
    };
    let tu = view.on_plane_u(plane, tu);
    let tv = view.on_plane_v(plane, tv);
    // Without blending nothing depends on the other components.
    let adaptive = filters.channel(channel).blends;
    let value = if adaptive {
        blended(view, key, filters, plane, (tu, tv))[component]
    } else {
        let filter = filters.channel(channel);
        let h = std::array::from_fn(|j| {
            sharp(
                &texels(view, key, plane, component, tu, whole(tv) - 3 + j as i32),
                &filter.x.row(beta(tu)),
            )
        });
        sharp(&h, &filter.y.row(beta(tv)))
    };
    value.clamp(0, i64::from(view.ceiling())) as u16
}

/// All components of `plane`, those that blend with their weights.
fn blended(
    view: &MediaView,
    key: Option<&ChromaKey>,
    filters: &Filters,
    plane: &Plane,
    (tu, tv): (i32, i32),
) -> [i64; 4] {
    let pass = |vectors: [Vector; 4], t: i32, vertical: bool| -> [i64; 4] {
        std::array::from_fn(|c| {
            let Some(channel) = plane.channels[c] else {
                return 0;
            };
            let filter = filters.channel(channel);
            let (table, blend) = if vertical {
                (filter.y, filters.blend_y)
            } else {
                (filter.x, filters.blend_x)
            };
            let sharp = sharp(&vectors[c], &table.row(beta(t)));
            if !filter.blends {
                return sharp;
            }
            let weight = match blend {
                Blend::Fixed(weight) => weight,
                Blend::Adaptive(steps) => steps.weight(&guide(&filters.guide, &vectors, c)),
            };
            let w = i64::from(weight);
            (sharp * w + smooth(&vectors[c], beta(t)) * (256 - w) + 128) >> 8
        })
    };
    let mut h = [[0; 8]; 4];
    for j in 0..8 {
        let row: [Vector; 4] =
            std::array::from_fn(|c| texels(view, key, plane, c, tu, whole(tv) - 3 + j as i32));
        let filtered = pass(row, tu, false);
        for (h, filtered) in h.iter_mut().zip(filtered) {
            h[j] = filtered;
        }
    }
    pass(h, tv, true)
}

/// The vector whose steps decide component `c`'s weight. Source: AVS reference 3.5, "Guide values".
fn guide(guide: &Guide, vectors: &[Vector; 4], c: usize) -> Vector {
    match *guide {
        Guide::Own => vectors[c],
        Guide::Green(g) => vectors[g],
        Guide::Grey { r, g, b } => {
            std::array::from_fn(|i| (vectors[r][i] + 2 * vectors[g][i] + vectors[b][i]) >> 2)
        }
    }
}

/// One component of texels `whole(tu) - 3 ..= whole(tu) + 4` of row `y`.
fn texels(
    view: &MediaView,
    key: Option<&ChromaKey>,
    plane: &Plane,
    component: usize,
    tu: i32,
    y: i32,
) -> Vector {
    let y = view.edge.resolve(y, plane.size.1);
    std::array::from_fn(|i| {
        let x = view.edge.resolve(whole(tu) - 3 + i as i32, plane.size.0);
        let texel = match key {
            Some(key) => key.texel(view, plane, x, y),
            None => view.texel(plane, x, y),
        };
        i64::from(texel[component])
    })
}

/// The polyphase filter, rounded half up from S1.6; not clamped. Source: AVS reference 3.4.
fn sharp(p: &Vector, k: &[i16; 8]) -> i64 {
    let sum: i64 = p.iter().zip(k).map(|(p, &k)| p * i64::from(k)).sum();
    (sum + 32) >> 6
}

/// Bilinear between the two centre texels. Source: AVS reference 3.4.
fn smooth(p: &Vector, beta: u8) -> i64 {
    let beta = i64::from(beta);
    (p[3] * (32 - beta) + p[4] * beta + 16) >> 5
}

/// Index of the texel nearest to a position, before the edge is looked at.
pub fn closest(t: i32) -> i32 {
    whole(t) + i32::from(beta(t) > 16)
}

/// The texel nearest to a position, a tie going left and up. Source: AVS reference 3.6.
pub fn nearest(
    view: &MediaView,
    key: Option<&ChromaKey>,
    channel: usize,
    (tu, tv): (i32, i32),
) -> u16 {
    let Some((plane, component)) = view.place(channel) else {
        return MediaView::missing(channel);
    };
    let at = |t: i32, size: i32| view.edge.resolve(closest(t), size);
    let x = at(view.on_plane_u(plane, tu), plane.size.0);
    let y = at(view.on_plane_v(plane, tv), plane.size.1);
    let texel = match key {
        Some(key) => key.texel(view, plane, x, y),
        None => view.texel(plane, x, y),
    };
    texel[component].min(view.ceiling())
}
