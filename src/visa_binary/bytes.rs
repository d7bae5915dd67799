//! Little-endian numbers one after the other.

use super::Malformed;

/// A place in bytes that are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    /// The next byte.
    pub at: usize,
    /// Where the bytes lie in the file.
    pub base: usize,
}

impl<'b> Reader<'b> {
    pub fn new(bytes: &'b [u8], base: usize) -> Reader<'b> {
        Reader { bytes, at: 0, base }
    }

    /// A reader of the same bytes from another place on.
    pub fn from(&self, at: usize) -> Reader<'b> {
        Reader { at, ..*self }
    }

    pub fn fault(&self, what: impl Into<String>) -> Malformed {
        Malformed {
            at: self.base + self.at,
            what: what.into(),
        }
    }

    pub fn take(&mut self, count: usize) -> Result<&'b [u8], Malformed> {
        let end = self.at.checked_add(count);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or_else(|| {
            self.fault(format!(
                "the bytes end here, inside a field of {}",
                crate::diagnostic::counted(count as u64, "byte")
            ))
        })?;
        self.at += count;
        Ok(taken)
    }

    /// A number of `count` bytes, at most eight.
    pub fn number(&mut self, count: usize) -> Result<u64, Malformed> {
        let bytes = self.take(count)?;
        let mut whole = [0; 8];
        whole[..count].copy_from_slice(bytes);
        Ok(u64::from_le_bytes(whole))
    }

    pub fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(self.take(1)?[0])
    }

    pub fn word(&mut self) -> Result<u16, Malformed> {
        Ok(self.number(2)? as u16)
    }

    pub fn dword(&mut self) -> Result<u32, Malformed> {
        Ok(self.number(4)? as u32)
    }

    /// Text that ends with a byte of zero.
    pub fn text(&mut self) -> Result<String, Malformed> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(end) = rest.iter().position(|&byte| byte == 0) else {
            return Err(self.fault("a string without an end"));
        };
        let text = String::from_utf8_lossy(&rest[..end]).into_owned();
        self.at += end + 1;
        Ok(text)
    }
}

/// The `count` low bytes of a number.
pub(super) fn put(to: &mut Vec<u8>, value: u64, count: usize) {
    to.extend_from_slice(&value.to_le_bytes()[..count]);
}
