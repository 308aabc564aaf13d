//! The sizes of chunks as JSON: what a store records, and the mark of a document that is split again.

use super::options::ChunkLimits;
use serde_json::{Value, json};

impl ChunkLimits {
    /// Returns the JSON object that records these limits and an overlap, under the names of the arguments.
    ///
    /// ```
    /// use passage_split::ChunkLimits;
    ///
    /// let recorded = ChunkLimits::CHARACTERS.to_json(20);
    /// assert_eq!((&recorded["max_size"], &recorded["overlap"]), (&1_000.into(), &20.into()));
    /// assert_eq!(ChunkLimits::from_json(&recorded), Some((ChunkLimits::CHARACTERS, 20)));
    /// ```
    pub fn to_json(self, overlap: usize) -> Value {
        json!({
            "min_size": self.min,
            "preferred_size": self.preferred,
            "max_size": self.max,
            "max_with_preamble": self.window,
            "overlap": overlap,
        })
    }

    /// Returns the limits and the overlap that an object records. Ignores other keys. Returns `None` for
    /// a value that [`to_json`](Self::to_json) does not write, also for limits that exceed each other.
    pub fn from_json(recorded: &Value) -> Option<(Self, usize)> {
        let size = |key: &str| usize::try_from(recorded.get(key)?.as_u64()?).ok();
        let limits = Self {
            min: size("min_size")?,
            preferred: size("preferred_size")?,
            max: size("max_size")?,
            window: size("max_with_preamble")?,
        };
        limits.check().ok()?;
        Some((limits, size("overlap")?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_recorded_sizes_are_no_limits() {
        let with = |key: &str, value: Value| {
            let mut recorded = ChunkLimits::WORDPIECES.to_json(7);
            recorded[key] = value;
            ChunkLimits::from_json(&recorded)
        };
        assert_eq!(with("other", json!([])), Some((ChunkLimits::WORDPIECES, 7)));
        for key in ["min_size", "preferred_size", "max_size", "max_with_preamble", "overlap"] {
            for value in [json!(-1), json!("1"), json!(1.5), json!(null)] {
                assert_eq!(with(key, value), None, "{key}");
            }
        }
        assert_eq!(with("min_size", json!(129)), None);
        assert_eq!(with("max_with_preamble", json!(2_000_000)), None);
        for value in [json!(null), json!([]), json!({}), json!(3)] {
            assert_eq!(ChunkLimits::from_json(&value), None);
        }
    }
}
