//! What a writer may have meant by a name that is none.

/// The name in `names` nearest to `word`, if near enough that the writer may have meant it.
///
/// Near is an edit distance (letters changed, added, left out, swapped with their neighbour) of one for
/// each three letters, and three at most; upper and lower case count as equal.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of(word, &mut names.into_iter())
}

fn nearest_of<'a>(word: &str, names: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = word.to_ascii_lowercase();
    // A name of an absurd length is not a slip of the finger, and the table below is quadratic.
    if wanted.len() > 64 {
        return None;
    }
    let letters = wanted.chars().count();
    let allowed = wanted.len().div_ceil(3).min(3);
    names
        .filter(|name| name.len() <= 64)
        // As many letters are added or left out at least, which is found out faster than the distance.
        .filter(|name| name.chars().count().abs_diff(letters) <= allowed)
        .map(|name| (distance(&wanted, &name.to_ascii_lowercase()), name))
        // A name of which no letter is left is not near.
        .filter(|&(d, name)| d <= allowed && d < wanted.len().max(name.len()))
        .min_by_key(|&(d, _)| d)
        .map(|(_, name)| name)
}

/// Edit distance with swaps of neighbours (restricted Damerau–Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let names = ["SURFACE", "SAMPLER", "THREADS", "V32"];
        assert_eq!(nearest("SURFCAE", names), Some("SURFACE"));
        assert_eq!(nearest("sample", names), Some("SAMPLER"));
        assert_eq!(nearest("V33", names), Some("V32"));
        assert_eq!(nearest("EXPECT", names), None);
        let words = ["mov", "mul", "media_ld", "media_st"];
        assert_eq!(nearest("MOV", words), Some("mov"));
        assert_eq!(nearest("meida_ld", words), Some("media_ld"));
        assert_eq!(nearest("frobnicate", words), None);
        assert_eq!(nearest("n", ["o"]), None);
        assert_eq!(nearest("O", ["o"]), Some("o"));
    }
}
