//! Hexadecimal dumps as dwords.
//!
//! Words of eight digits are dwords, with or without `0x`. Words of two digits are bytes and words of four
//! pairs of bytes in the order of memory, as `xxd` prints them. An offset with a colon may open a line;
//! behind it, two blanks end what is read.

/// The dwords of a dump; bytes missing in the last one are zero.
///
/// # Errors
/// A sentence naming the word that is none of the three.
pub fn dwords(text: &str) -> Result<Vec<u32>, String> {
    let mut bytes: Vec<u8> = Vec::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let line = match line.split_once(':') {
            Some((_, rest)) => rest.trim_start().split("  ").next().unwrap_or_default(),
            None => line,
        };
        for word in line.split([' ', '\t', ',']).filter(|w| !w.is_empty()) {
            let digits = word.strip_prefix("0x").unwrap_or(word);
            let bad =
                || format!("`{word}` is neither a dword of eight hexadecimal digits nor bytes");
            let value = u32::from_str_radix(digits, 16).map_err(|_| bad())?;
            match digits.len() {
                2 => bytes.push(value as u8),
                4 => bytes.extend((value as u16).to_be_bytes()),
                8 => bytes.extend(value.to_le_bytes()),
                _ => return Err(bad()),
            }
        }
    }
    let dword = |part: &[u8]| {
        let mut word = [0; 4];
        word[..part.len()].copy_from_slice(part);
        u32::from_le_bytes(word)
    };
    Ok(bytes.chunks(4).map(dword).collect())
}

#[cfg(test)]
mod tests {
    use super::dwords;

    #[test]
    fn dumps_of_every_width_are_the_same_words() {
        let wanted = Ok(vec![0x231c_003f, 0x1234_5000]);
        assert_eq!(dwords("231c003f 0x12345000"), wanted);
        assert_eq!(dwords("3f 00 1c 23\n00 50 34 12 // base"), wanted);
        assert_eq!(dwords("00000000: 3f00 1c23 0050 3412  ?..#.P4."), wanted);
        assert_eq!(dwords("3f"), Ok(vec![0x3f]));
        assert!(dwords("231c003g").is_err() && dwords("123").is_err());
    }
}
