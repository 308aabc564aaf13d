//! Limits of decompression, against archives that unpack to much more than their size.

use flate2::read::MultiGzDecoder;
use std::io::{self, Read};

/// The bytes that any archive may unpack to.
const ALWAYS_ALLOWED: u64 = 64 << 20;

/// The maximum compression ratio beyond that. Text seldom exceeds 20. Deflate cannot exceed 1,032.
const MAX_RATIO: u64 = 200;

/// A reader that counts its bytes.
pub(super) struct CountingReader<R> {
    inner: R,
    pub(super) bytes: u64,
}

impl<R> CountingReader<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, bytes: 0 }
    }
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes += read as u64;
        Ok(read)
    }
}

/// The compressed and the uncompressed bytes of an archive so far.
#[derive(Clone, Copy, Default)]
pub(super) struct UnpackRatio {
    pub(super) compressed: u64,
    pub(super) uncompressed: u64,
}

impl UnpackRatio {
    /// Checks the ratio.
    ///
    /// # Errors
    ///
    /// Returns an error if it is higher than that of any text.
    pub(super) fn check(self) -> io::Result<()> {
        if self.uncompressed > ALWAYS_ALLOWED && self.uncompressed / MAX_RATIO > self.compressed {
            return Err(io::Error::other(format!(
                "it unpacks to more than {MAX_RATIO} times its size"
            )));
        }
        Ok(())
    }
}

/// A gzip decoder that checks the compression ratio.
pub(crate) struct BoundedGunzip<R> {
    packed: MultiGzDecoder<CountingReader<R>>,
    uncompressed: u64,
}

impl<R: Read> BoundedGunzip<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { packed: MultiGzDecoder::new(CountingReader::new(reader)), uncompressed: 0 }
    }
}

impl<R: Read> Read for BoundedGunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.packed.read(buffer)?;
        self.uncompressed += read as u64;
        UnpackRatio { compressed: self.packed.get_ref().bytes, uncompressed: self.uncompressed }
            .check()?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extreme_compression_ratio_is_refused() {
        let is_allowed =
            |compressed, uncompressed| UnpackRatio { compressed, uncompressed }.check().is_ok();
        assert!(
            is_allowed(0, ALWAYS_ALLOWED)
                && is_allowed(ALWAYS_ALLOWED, ALWAYS_ALLOWED + 1)
                && is_allowed(1 << 20, 100 << 20)
        );
        assert!(!is_allowed(1 << 10, ALWAYS_ALLOWED + 1) && !is_allowed(1 << 20, 300 << 20));
    }
}
