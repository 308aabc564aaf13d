//! Options of splitting: the limits of chunks, and the sizer that measures them.

use super::split_at::SplitAt;
use crate::{Error, Kind};

/// The maximum of every limit of a chunk or a passage.
pub const MAX_LIMIT: i64 = 1_000_000;

/// The options of splitting that do not depend on the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitOptions<'a> {
    /// The size limits of chunks, in units of the sizer.
    pub limits: ChunkLimits,
    /// The document's title, with which every preamble begins; see [`title`](crate::title).
    pub title: Option<&'a str>,
    /// The size of the end of each chunk that the preamble of the next one repeats, in units of the
    /// sizer; 0 for none. The preamble repeats less where the window has no room.
    pub overlap: usize,
    /// The kind of the chunks; `None` for the kind of the media type.
    pub kind: Option<Kind>,
    /// The boundaries of documents in addition to their own markers.
    pub split_at: SplitAt<'a>,
}

impl SplitOptions<'_> {
    /// Returns options with limits only: no title, no overlap, the kind of the media type, and no
    /// boundaries but the markers in the document.
    ///
    /// ```
    /// use passage_split::{ChunkLimits, SplitOptions};
    ///
    /// let title = Some("Guide");
    /// let options = SplitOptions { title, ..SplitOptions::new(ChunkLimits::CHARACTERS) };
    /// assert_eq!((options.limits.max, options.overlap), (1_000, 0));
    /// ```
    pub fn new(limits: ChunkLimits) -> Self {
        Self { limits, title: None, overlap: 0, kind: None, split_at: SplitAt::default() }
    }
}

/// The size limits of chunks, in units of the sizer.
///
/// Chunks never exceed `max` and `window`. `min` and `preferred` only decide which neighbors are
/// merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChunkLimits {
    /// The size below which a piece is merged with its neighbor if possible.
    pub min: usize,
    /// The size above which two pieces of at least `min` are not merged.
    pub preferred: usize,
    /// The maximum size of a chunk's content. A single character always fits.
    pub max: usize,
    /// The maximum size of a preamble and its content together: the model's window.
    pub window: usize,
}

/// The maximum number of bytes of a chunk for each unit of its maximum size.
///
/// White space and unknown words have hardly any wordpieces, however long they are, but a chunk of
/// megabytes is useless. Text averages four bytes per unit and widely spaced tables about twelve.
const BYTES_A_UNIT: usize = 32;

impl ChunkLimits {
    /// The limits in wordpieces for the default model, which reads 256 of them, two marks included.
    pub const WORDPIECES: ChunkLimits =
        ChunkLimits { min: 50, preferred: 128, max: 200, window: 254 };
    /// The limits in characters.
    pub const CHARACTERS: ChunkLimits =
        ChunkLimits { min: 200, preferred: 600, max: 1_000, window: 1_250 };

    /// Returns the maximum number of bytes of a chunk, whatever their size.
    pub(super) fn max_bytes(self) -> usize {
        self.max.max(1).saturating_mul(BYTES_A_UNIT)
    }

    /// Returns whether a chunk of this size and number of bytes exceeds the maximum.
    pub(super) fn exceeded_by(self, size: usize, bytes: usize) -> bool {
        size > self.max || bytes > self.max_bytes()
    }

    /// Returns limits in characters, with defaults in place of `None`.
    ///
    /// The defaults keep their proportions to the maximum, and the maximum keeps its proportion to
    /// the window if only the window is given.
    ///
    /// ```
    /// use passage_split::ChunkLimits;
    ///
    /// let limits = ChunkLimits::in_characters(None, None, Some(2_000), None);
    /// assert_eq!((limits.min, limits.preferred, limits.window), (400, 1_200, 2_500));
    /// ```
    pub fn in_characters(
        min: Option<usize>,
        preferred: Option<usize>,
        max: Option<usize>,
        window: Option<usize>,
    ) -> Self {
        let within = window.map_or(usize::MAX, |window| window.saturating_mul(4) / 5);
        let max = max.unwrap_or(Self::CHARACTERS.max.min(within));
        let preferred = preferred.unwrap_or(max.saturating_mul(3) / 5);
        let min = min.unwrap_or((max / 5).min(preferred / 3));
        let limit = max.max(MAX_LIMIT as usize);
        Self {
            min,
            preferred,
            max,
            window: window.unwrap_or((max.saturating_mul(5) / 4).min(limit)),
        }
    }

    /// Checks that `min <= preferred <= max <= window <= 1,000,000`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::OutOfRange`] with the name of the first argument that violates this.
    pub fn check(self) -> Result<(), Error> {
        let pairs = [
            ("max_with_preamble", self.window, MAX_LIMIT as usize),
            ("max_size", self.max, self.window),
            ("preferred_size", self.preferred, self.max),
            ("min_size", self.min, self.preferred),
        ];
        match pairs.into_iter().find(|(_, value, max)| value > max) {
            Some((argument, value, max)) => {
                let value = i64::try_from(value).unwrap_or(i64::MAX);
                Err(Error::OutOfRange { argument, value, max: max as i64 })
            }
            None => Ok(()),
        }
    }
}

/// Measures text in the units of the limits: characters, or the wordpieces of a model.
///
/// Sizes must add up at line ends, spaces and tabs: if a text is cut after one of them, the sizes of
/// its parts are together at least the size of the whole. This is not required within a word: a
/// chunk that ends in a word is measured separately, and its size is never added to the next one.
///
/// Splitting calls the sizer with a few thousand bytes at most, and a few times for each part of the
/// text. So the cost of splitting is linear.
///
/// ```
/// use passage_split::Sizer;
///
/// /// Counts words; each word of a cut text is counted once.
/// struct Words;
///
/// impl Sizer for Words {
///     fn size(&self, text: &str) -> usize {
///         text.split_whitespace().count()
///     }
/// }
///
/// assert_eq!(Words.size("one two\n"), 2);
/// ```
pub trait Sizer: Sync {
    /// Returns the size of a text; 0 for the empty text.
    fn size(&self, text: &str) -> usize;
}

/// The sizer that counts Unicode characters (scalar values). It needs no model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Characters;

impl Sizer for Characters {
    fn size(&self, text: &str) -> usize {
        // Data is measured value by value, and for a few bytes this check is faster than counting.
        if text.is_ascii() { text.len() } else { text.chars().count() }
    }
}

/// The unit of sizes, which a store records by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeUnit {
    /// Unicode characters; four count as one token.
    Characters,
    /// The wordpieces of the embedding model.
    Wordpieces,
}

impl SizeUnit {
    /// Returns the name that a store records.
    pub fn name(self) -> &'static str {
        match self {
            SizeUnit::Characters => "characters",
            SizeUnit::Wordpieces => "wordpieces",
        }
    }

    /// Returns the number of tokens of a chunk of a size, rounded up.
    ///
    /// ```
    /// use passage_split::SizeUnit;
    ///
    /// assert_eq!(SizeUnit::Characters.tokens(10), 3);
    /// assert_eq!(SizeUnit::Wordpieces.tokens(10), 10);
    /// ```
    pub fn tokens(self, size: usize) -> usize {
        match self {
            SizeUnit::Characters => size.div_ceil(4),
            SizeUnit::Wordpieces => size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_limits_keep_their_proportions() {
        let limits = ChunkLimits::in_characters;
        assert_eq!(limits(None, None, None, None), ChunkLimits::CHARACTERS);
        let expected = ChunkLimits { min: 400, preferred: 1_200, max: 2_000, window: 2_500 };
        assert_eq!(limits(None, None, Some(2_000), None), expected);
        let expected = ChunkLimits { min: 100, preferred: 300, max: 1_000, window: 1_250 };
        assert_eq!(limits(None, Some(300), None, None), expected);
        let expected = ChunkLimits { min: 80, preferred: 240, max: 400, window: 500 };
        assert_eq!(limits(None, None, None, Some(500)), expected);
        for given in [0, 1, 7, 999, 1_000_000] {
            assert_eq!(limits(None, None, Some(given), None).check(), Ok(()), "{given}");
            assert_eq!(limits(None, None, None, Some(given)).check(), Ok(()), "{given}");
        }
        assert!(limits(None, Some(2_000), None, None).check().is_err());
        assert!(limits(None, None, Some(usize::MAX), None).check().is_err());
    }
}
