//! How large chunks may be.

use crate::{Error, strategy::MAX_LIMIT};

/// How large chunks may be, in what the sizer counts.
///
/// These are different things: `max` and `window` are never passed, while `min` and `preferred`
/// only steer which neighbours are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChunkLimits {
    /// Below this a piece is joined to its neighbour where it can be.
    pub min: usize,
    /// Above this two pieces of at least `min` are left apart.
    pub preferred: usize,
    /// The most that one chunk's content may be. One character always fits.
    pub max: usize,
    /// The most that a preamble and its content may be together: what the model reads.
    pub window: usize,
}

/// The most bytes that a chunk holds for each unit of its maximum.
///
/// White space and words that a model does not know weigh nothing or next to nothing in
/// wordpieces, however long they are, yet a chunk of megabytes is of no use to anyone. Text
/// averages four bytes a unit and widely spaced tables about twelve.
const BYTES_A_UNIT: usize = 32;

impl ChunkLimits {
    /// For the default model, which reads 256 wordpieces, its two marks among them.
    pub const WORDPIECES: ChunkLimits =
        ChunkLimits { min: 50, preferred: 128, max: 200, window: 254 };
    /// For characters.
    pub const CHARACTERS: ChunkLimits =
        ChunkLimits { min: 200, preferred: 600, max: 1_000, window: 1_250 };

    /// Returns the most bytes that a chunk holds, whatever the sizer says of them.
    pub(super) fn most_bytes(self) -> usize {
        self.max.max(1).saturating_mul(BYTES_A_UNIT)
    }

    /// Tells whether a chunk of this many units and bytes would pass the maximum.
    pub(super) fn passed_by(self, size: usize, bytes: usize) -> bool {
        size > self.max || bytes > self.most_bytes()
    }

    /// Returns the limits in characters of which some are given; the others keep their proportions
    /// to the maximum, and that to the window where only the window is given.
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
        let most = max.max(MAX_LIMIT as usize);
        Self {
            min,
            preferred,
            max,
            window: window.unwrap_or((max.saturating_mul(5) / 4).min(most)),
        }
    }

    /// Checks that min <= preferred <= max <= window <= one million.
    ///
    /// # Errors
    ///
    /// Returns [`Error::OutOfRange`] for the first that is not, by the name of its argument.
    pub fn check(self) -> Result<(), Error> {
        let pairs = [
            ("max_with_preamble", self.window, MAX_LIMIT as usize),
            ("max_size", self.max, self.window),
            ("preferred_size", self.preferred, self.max),
            ("min_size", self.min, self.preferred),
        ];
        match pairs.into_iter().find(|(_, value, most)| value > most) {
            Some((argument, value, most)) => {
                let value = i64::try_from(value).unwrap_or(i64::MAX);
                Err(Error::OutOfRange { argument, value, most: most as i64 })
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_given_keeps_its_proportion() {
        let of = ChunkLimits::in_characters;
        assert_eq!(of(None, None, None, None), ChunkLimits::CHARACTERS);
        let expected = ChunkLimits { min: 400, preferred: 1_200, max: 2_000, window: 2_500 };
        assert_eq!(of(None, None, Some(2_000), None), expected);
        let expected = ChunkLimits { min: 100, preferred: 300, max: 1_000, window: 1_250 };
        assert_eq!(of(None, Some(300), None, None), expected);
        let expected = ChunkLimits { min: 80, preferred: 240, max: 400, window: 500 };
        assert_eq!(of(None, None, None, Some(500)), expected);
        for given in [0, 1, 7, 999, 1_000_000] {
            assert_eq!(of(None, None, Some(given), None).check(), Ok(()), "{given}");
            assert_eq!(of(None, None, None, Some(given)).check(), Ok(()), "{given}");
        }
        assert!(of(None, Some(2_000), None, None).check().is_err());
        assert!(of(None, None, Some(usize::MAX), None).check().is_err());
    }
}
