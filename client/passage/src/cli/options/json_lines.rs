//! The content of JSON lines that `ingest` reads and `export` writes.

use crate::source;
use clap::ValueEnum;

/// The content of each line of a file of JSON lines.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum JsonLines {
    /// Each line is a document
    Documents,
    /// Each line is a chunk, which is not split again
    Chunks,
}

impl From<JsonLines> for source::JsonLines {
    fn from(lines: JsonLines) -> Self {
        match lines {
            JsonLines::Documents => Self::Documents,
            JsonLines::Chunks => Self::Chunks,
        }
    }
}
