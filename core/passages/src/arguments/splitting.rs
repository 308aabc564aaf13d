//! The argument `splitting`.

use super::definitions::SPLITTING;
use super::json_group::JsonGroup;
use crate::Error;
use passage_split::ChunkLimits;
use serde_json::Value;

/// How a document is split.
///
/// ```
/// use passage_core::arguments::Splitting;
/// use serde_json::json;
///
/// let splitting = Splitting::parse(&json!({ "max_size": 500, "split_at": "^=== " }))?;
/// assert_eq!((splitting.limits.max, splitting.limits.preferred), (500, 300));
/// assert_eq!(splitting.overlap, 0);
/// # Ok::<(), passage_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splitting {
    /// The sizes in characters, whose order is not checked.
    pub limits: ChunkLimits,
    /// The characters of the previous chunk that a preamble repeats.
    pub overlap: usize,
    /// The regular expression for the lines before which the text is divided, which is not checked.
    pub split_at: Option<String>,
    /// The offsets at which the text is divided, in bytes, ascending and each once. The length of the text is not checked.
    pub split_offsets: Vec<usize>,
}

impl Splitting {
    /// Parses the argument.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`JsonGroup`].
    pub fn parse(value: &Value) -> Result<Self, Error> {
        let group = JsonGroup::new(&SPLITTING, &[], value)?;
        let size = |key| Ok::<_, Error>(group.limit(key)?.map(|size| size as usize));
        Ok(Self {
            limits: ChunkLimits::in_characters(
                size("min_size")?,
                size("preferred_size")?,
                size("max_size")?,
                size("max_with_preamble")?,
            ),
            overlap: size("overlap")?.unwrap_or(0),
            split_at: group.text("split_at")?,
            split_offsets: group.offsets("split_offsets")?,
        })
    }
}
