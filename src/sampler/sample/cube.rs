//! Cubes: from a direction to a face and a place on it, and across edges.
//!
//! ```text
//!  face   0 +X   1 −X   2 +Y   3 −Y   4 +Z   5 −Z      a face is a slice of the surface
//!  s      −z     z      x      x      x      −x        u = (s/ma + 1)/2, ma = |major|
//!  t      −y     −y     z      −z     −y     −y        v = (t/ma + 1)/2
//! ```
//!
//! Source: surface reference 4.4 and 4.5.

/// A face and a place on it, 0 to 1 across and down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnFace {
    /// The face.
    pub face: u32,
    /// Across.
    pub u: f64,
    /// Down.
    pub v: f64,
}

/// The components of a vector as a face sees them: s, t and the major one, positive towards the face.
pub fn components(face: u32, [x, y, z]: [f64; 3]) -> (f64, f64, f64) {
    match face {
        0 => (-z, -y, x),
        1 => (z, -y, -x),
        2 => (x, z, y),
        3 => (x, -z, -y),
        4 => (x, -y, z),
        _ => (-x, -y, -z),
    }
}

/// The vector that a face sees as s, t and major component.
fn vector(face: u32, s: f64, t: f64, major: f64) -> [f64; 3] {
    match face {
        0 => [major, -t, -s],
        1 => [-major, -t, s],
        2 => [s, major, t],
        3 => [s, -major, -t],
        4 => [s, -t, major],
        _ => [-s, -t, -major],
    }
}

/// The face a direction points to; ties go to Z, then Y. `None` for a direction that is none.
pub fn face([x, y, z]: [f64; 3]) -> Option<u32> {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (positive, major) = if az >= ax && az >= ay {
        (4, z)
    } else if ay >= ax {
        (2, y)
    } else {
        (0, x)
    };
    let sound = !(x.is_nan() || y.is_nan() || z.is_nan()) && major != 0.0;
    sound.then_some(if major >= 0.0 { positive } else { positive + 1 })
}

/// The place a direction points to; the middle of +Z if it is none.
pub fn place(direction: [f64; 3]) -> OnFace {
    let middle = OnFace {
        face: 4,
        u: 0.5,
        v: 0.5,
    };
    let Some(face) = face(direction) else {
        return middle;
    };
    let (s, t, major) = components(face, direction);
    OnFace {
        face,
        u: (s / major + 1.0) / 2.0,
        v: (t / major + 1.0) / 2.0,
    }
}

/// Where a texel outside a face lies: the face and index of the texel that joins there.
///
/// One column or row outside it is the reference's. Further away, where only anisotropic taps and places on a
/// face that a message names come, it is a model choice:
///
/// * outside one way: the same texel of the face that joins, however far;
/// * outside both ways, beyond a corner: the direction through the texel decides, whose greatest component
///   is the way it lies further out (across, if both alike). The other way it is the edge's texel.
pub fn across_edge(face: u32, i: i64, j: i64, size: u32) -> (u32, u32, u32) {
    let n = i64::from(size);
    // How far outside: 0 inside.
    let beyond = |k: i64| (-k).max(k - n + 1).max(0);
    let (i, j) = match (beyond(i), beyond(j)) {
        (0, _) | (_, 0) => (i, j),
        (across, down) if across >= down => (i, j.clamp(0, n - 1)),
        _ => (i.clamp(0, n - 1), j),
    };
    let (out_i, out_j) = (beyond(i) > 0, beyond(j) > 0);
    if !out_i && !out_j {
        return (face, i as u32, j as u32);
    }
    let centre = |k: i64| (2.0 * k as f64 + 1.0) / n as f64 - 1.0;
    let edge = |k: i64| if k < 0 { -1.0 } else { 1.0 };
    let s = if out_i { edge(i) } else { centre(i) };
    let t = if out_j { edge(j) } else { centre(j) };
    // The old major component shrinks, so that the vector points half a texel into the neighbour.
    let shrunk = 1.0 - 1.0 / n as f64;
    let next = place(vector(face, s, t, shrunk));
    let texel = |c: f64| ((c * n as f64).floor() as i64).clamp(0, n - 1) as u32;
    (next.face, texel(next.u), texel(next.v))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_back_from_every_face() {
        for f in 0..6 {
            let v = vector(f, 0.25, -0.5, 1.0);
            assert_eq!(components(f, v), (0.25, -0.5, 1.0));
            assert_eq!(face(v), Some(f));
        }
        assert_eq!(face([1.0, -1.0, 1.0]), Some(4));
        assert_eq!(face([1.0, -1.0, 0.5]), Some(3));
        assert_eq!(place([0.0; 3]), place([f64::NAN, 1.0, 0.0]));
    }

    #[test]
    fn edges_join_the_same_texels_both_ways() {
        let n = 4;
        for f in 0..6 {
            for k in 0..4 {
                for (i, j) in [(-1, k), (4, k), (k, -1), (k, 4)] {
                    let (g, x, y) = across_edge(f, i, j, n);
                    assert_ne!(g, f);
                    // The neighbour's texel lies at its edge, and from there one of its outside texels
                    // leads back to the texel we came from.
                    let (own_i, own_j) = (i.clamp(0, 3) as u32, j.clamp(0, 3) as u32);
                    let (x, y) = (i64::from(x), i64::from(y));
                    let around = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)];
                    let back = around
                        .into_iter()
                        .any(|(a, b)| across_edge(g, a, b, n) == (f, own_i, own_j));
                    assert!(back, "face {f} ({i},{j}) leads to face {g} ({x},{y})");
                }
            }
        }
        assert_eq!(across_edge(0, 2, 3, n), (0, 2, 3));
    }

    #[test]
    fn beyond_a_corner_the_side_further_out_decides() {
        // Face +Z: to the right of it lies +X, above it +Y.
        let n = 4;
        assert_eq!(across_edge(4, 9, -2, n), across_edge(4, 4, 0, n));
        assert_eq!(across_edge(4, 5, -4, n), across_edge(4, 3, -1, n));
        assert_eq!(across_edge(4, 9, -2, n), (0, 0, 0));
        assert_eq!(across_edge(4, 5, -4, n).0, 2);
        // As far out one way as the other: across.
        assert_eq!(across_edge(4, 4, -1, n), (0, 0, 0));
        for f in 0..6 {
            for (i, j) in (-9..13).flat_map(|i| (-9..13).map(move |j| (i, j))) {
                let (g, x, y) = across_edge(f, i, j, n);
                assert!(g < 6 && x < n && y < n, "face {f} ({i},{j})");
            }
        }
    }
}
