//! What a store holds, as its reader sees it.

use super::media_type;
use std::ops::Range;
use uuid::Uuid;

/// The titles from the root down to a chunk; a NULL title counts as empty.
pub type Section = Vec<String>;

/// A source, and what of its chunks the reader sees, in no particular order.
#[derive(Clone, Debug)]
pub struct Document {
    pub id: Uuid,
    pub media_type: Option<String>,
    pub chunks: Vec<Chunk>,
}

/// A piece of a document.
#[derive(Clone, Debug)]
pub struct Chunk {
    pub id: Uuid,
    pub ordinal: Option<i64>,
    pub section: Option<Section>,
    pub unit: Option<String>,
    pub kind: Option<String>,
    pub tokens: Option<i64>,
    pub content: String,
    pub span: Option<Range<i64>>,
}

impl Document {
    /// The chunks that have an ordinal, each with it, in document order.
    pub fn in_order(&self) -> Vec<(i64, &Chunk)> {
        let with_ordinal = |chunk| Some((Chunk::ordinal(chunk)?, chunk));
        let mut chunks: Vec<_> = self.chunks.iter().filter_map(with_ordinal).collect();
        chunks.sort_by_key(|(ordinal, _)| *ordinal);
        chunks
    }

    /// Whether a whole of the document has to be one JSON value.
    pub fn is_json(&self) -> bool {
        self.media_type.as_deref().is_some_and(media_type::is_json)
    }
}

impl Chunk {
    fn ordinal(&self) -> Option<i64> {
        self.ordinal
    }

    /// Whether the chunk is exactly in a section.
    pub fn is_in(&self, section: &[String]) -> bool {
        self.section.as_deref() == Some(section)
    }

    /// Whether the chunk is in a section or below it.
    pub fn is_below(&self, section: &[String]) -> bool {
        self.section.as_ref().is_some_and(|own| own.starts_with(section))
    }

    /// Whether the chunk's section is a section and exactly one title.
    pub fn is_child_of(&self, section: &[String]) -> bool {
        self.is_below(section) && self.depth() == section.len() + 1
    }

    /// How many titles are above the chunk.
    pub fn depth(&self) -> usize {
        self.section.as_ref().map_or(0, Vec::len)
    }

    /// What the chunk costs: "tokens NULL counts ceil(characters / 4)".
    pub fn cost(&self) -> i64 {
        self.tokens.unwrap_or_else(|| self.content.chars().count().div_ceil(4) as i64)
    }
}
