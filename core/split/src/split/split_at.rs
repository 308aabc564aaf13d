//! The boundaries that a caller requests: a pattern for lines, and offsets.

use crate::Error;
use regex::{Regex, RegexBuilder};
use std::str::FromStr;

/// The maximum number of bytes of a pattern.
const MAX_PATTERN: usize = 1_000;

/// The maximum number of bytes of a compiled pattern, and of what the search with it remembers.
const MAX_PROGRAM: usize = 1 << 20;

/// The maximum number of bytes of a line that a pattern may match. The search in a line is not interrupted.
const MAX_LINE: usize = 1 << 16;

/// The boundaries that a caller adds to the markers in a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SplitAt<'a> {
    /// The lines before which a document is divided.
    pub pattern: Option<&'a SplitPattern>,
    /// The offsets at which it is divided, in bytes of its text and in any order. An offset within a character, or within
    /// the line end `\r\n`, is moved behind it. One behind the end of the text is an error.
    pub offsets: &'a [usize],
}

/// A regular expression for the lines before which a document is divided.
///
/// Each line is matched alone, without its line end; lines of more than 64 KiB do not match. The syntax is that of the
/// crate [`regex`].
///
/// ```
/// use passage_split::{Characters, ChunkLimits, MediaType, SplitAt, SplitOptions, SplitPattern, split};
///
/// let pattern: SplitPattern = "^=== ".parse()?;
/// let split_at = SplitAt { pattern: Some(&pattern), ..SplitAt::default() };
/// let options = SplitOptions { split_at, ..SplitOptions::new(ChunkLimits::CHARACTERS) };
/// let document = split("One.\n=== 2\nTwo.\n", &MediaType::PLAIN, &options, &Characters)?;
/// let chunks: Vec<_> = document.chunks.iter().map(|chunk| chunk.content).collect();
/// assert_eq!(chunks, ["One.\n", "=== 2\nTwo.\n"]);
/// # Ok::<(), passage_split::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SplitPattern(Regex);

impl SplitPattern {
    /// Returns the pattern as text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns whether a line, with or without its end, matches.
    pub(super) fn matches(&self, line: &str) -> bool {
        line.len() <= MAX_LINE && self.0.is_match(line.trim_end_matches(['\n', '\r']))
    }
}

impl FromStr for SplitPattern {
    type Err = Error;

    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InvalidPattern`] if it is empty, too long, not a regular expression, or too large when compiled.
    fn from_str(pattern: &str) -> Result<Self, Error> {
        let invalid = |reason: String| Error::InvalidPattern { pattern: pattern.into(), reason };
        if pattern.is_empty() || pattern.len() > MAX_PATTERN {
            return Err(invalid(format!("it must have 1 to {MAX_PATTERN} bytes")));
        }
        if pattern.contains('\0') {
            return Err(invalid("it must not contain a NUL".into()));
        }
        let mut builder = RegexBuilder::new(pattern);
        let regex = builder.size_limit(MAX_PROGRAM).dfa_size_limit(MAX_PROGRAM).build();
        regex.map(Self).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => invalid("it is too large when compiled".into()),
            // The last line of a syntax error says what is wrong; those before it show where.
            error => {
                let text = error.to_string();
                let last = text.lines().last().unwrap_or_default();
                invalid(last.strip_prefix("error: ").unwrap_or(last).into())
            }
        })
    }
}

impl PartialEq for SplitPattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for SplitPattern {}
