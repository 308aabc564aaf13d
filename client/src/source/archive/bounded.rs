//! Unpacking with an eye on how much comes out.

use flate2::read::MultiGzDecoder;
use std::io::{self, Read};

/// So much may come out of anything, in bytes.
const FREE: u64 = 64 << 20;

/// Beyond that, so many bytes may come out for each that goes in. Text seldom passes 20; deflate
/// ends at 1,032.
const MOST: u64 = 200;

/// Counts what is read.
pub(super) struct Counted<R> {
    inner: R,
    pub(super) bytes: u64,
}

impl<R> Counted<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, bytes: 0 }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes += read as u64;
        Ok(read)
    }
}

/// How much has come out of an archive, for how much that went in.
#[derive(Clone, Copy, Default)]
pub(super) struct Proportion {
    pub(super) taken: u64,
    pub(super) given: u64,
}

impl Proportion {
    /// # Errors
    ///
    /// If more came out than any text would need.
    pub(super) fn check(self) -> io::Result<()> {
        if self.given > FREE && self.given / MOST > self.taken {
            return Err(io::Error::other(format!("it unpacks to more than {MOST} times its size")));
        }
        Ok(())
    }
}

/// What gzip packed, as long as it keeps its proportion.
pub(in crate::source) struct Unpacked<R> {
    packed: MultiGzDecoder<Counted<R>>,
    given: u64,
}

impl<R: Read> Unpacked<R> {
    pub(in crate::source) fn new(reader: R) -> Self {
        Self { packed: MultiGzDecoder::new(Counted::new(reader)), given: 0 }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.packed.read(buffer)?;
        self.given += read as u64;
        Proportion { taken: self.packed.get_ref().bytes, given: self.given }.check()?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_unpacks_to_out_of_all_proportion_is_refused() {
        let of = |taken, given| Proportion { taken, given }.check().is_ok();
        assert!(of(0, FREE) && of(FREE, FREE + 1) && of(1 << 20, 100 << 20));
        assert!(!of(1 << 10, FREE + 1) && !of(1 << 20, 300 << 20));
    }
}
