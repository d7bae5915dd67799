//! Sorting where speed does not matter: the standard library's sort, which is compiled anew for every type and key, is
//! compiled here once, for positions.

use std::cmp::Ordering;

/// Sorts by a key, equal ones in the order in which they are.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts by a comparison, equal ones in the order in which they are.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut from = sorted(items.len(), &|a, b| compare(&items[a], &items[b]));
    // Each goes where it belongs; those whose places they took are next.
    for start in 0..items.len() {
        let mut at = start;
        while from[at] != start {
            let next = from[at];
            items.swap(at, next);
            from[at] = at;
            at = next;
        }
        from[at] = at;
    }
}

/// The positions of so many items in order.
fn sorted(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..count).collect();
    positions.sort_by(|a, b| compare(*a, *b));
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_keep_their_order() {
        let mut state = 1u32;
        for count in 0..60 {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state >> 28
            };
            let items: Vec<(u32, usize)> = (0..count).map(|at| (next(), at)).collect();
            let (mut own, mut other) = (items.clone(), items);
            sort_by_key(&mut own, |item| item.0);
            other.sort_by_key(|item| item.0);
            assert_eq!(own, other);
        }
    }
}
