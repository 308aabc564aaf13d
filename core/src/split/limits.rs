//! How large chunks may be.

use crate::{Error, strategy::MOST};

/// How large chunks may be, in what the sizer counts.
///
/// These are different things: `max` and `window` are never passed, while `min` and `preferred`
/// only steer which neighbours are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
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

impl Limits {
    /// For the default model, which reads 256 wordpieces, its two marks among them.
    pub const WORDPIECES: Limits = Limits { min: 50, preferred: 128, max: 200, window: 254 };
    /// For characters.
    pub const CHARACTERS: Limits = Limits { min: 200, preferred: 600, max: 1_000, window: 1_250 };

    /// Returns the most bytes that a chunk holds, whatever the sizer says of them.
    pub(super) fn most_bytes(self) -> usize {
        self.max.max(1).saturating_mul(BYTES_A_UNIT)
    }

    /// Tells whether a chunk of this many units and bytes would pass the maximum.
    pub(super) fn passed_by(self, size: usize, bytes: usize) -> bool {
        size > self.max || bytes > self.most_bytes()
    }

    /// Checks that min <= preferred <= max <= window <= one million.
    ///
    /// # Errors
    ///
    /// Returns [`Error::OutOfRange`] for the first that is not.
    pub fn check(self) -> Result<(), Error> {
        let pairs = [
            ("window", self.window, MOST as usize),
            ("max", self.max, self.window),
            ("preferred", self.preferred, self.max),
            ("min", self.min, self.preferred),
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
