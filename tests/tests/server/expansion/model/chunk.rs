//! Documents and chunks, as the reader of a store sees them.

use super::media_type;
use std::ops::Range;
use uuid::Uuid;

/// The titles from the root to a chunk; a NULL title counts as empty.
pub type Section = Vec<String>;

/// A document and its visible chunks, in any order.
#[derive(Clone, Debug)]
pub struct Document {
    pub id: Uuid,
    pub media_type: Option<String>,
    pub chunks: Vec<Chunk>,
    /// In their order.
    pub links: Vec<Link>,
}

/// A link of a chunk to a document, or to a section with a title in it.
#[derive(Clone, Debug)]
pub struct Link {
    pub from: Uuid,
    pub to: Uuid,
    pub title: Option<&'static str>,
}

/// A chunk of a document.
#[derive(Clone, Debug)]
pub struct Chunk {
    pub id: Uuid,
    pub ordinal: Option<i64>,
    pub level: Option<i64>,
    pub section: Option<Section>,
    pub unit: Option<String>,
    pub kind: Option<String>,
    pub tokens: Option<i64>,
    pub content: String,
    pub span: Option<Range<i64>>,
}

impl Document {
    /// Returns the chunks that have an ordinal, in document order, each with its ordinal.
    pub fn in_order(&self) -> Vec<(i64, &Chunk)> {
        let with_ordinal = |chunk| Some((Chunk::ordinal(chunk)?, chunk));
        let mut chunks: Vec<_> = self.chunks.iter().filter_map(with_ordinal).collect();
        chunks.sort_by_key(|(ordinal, _)| *ordinal);
        chunks
    }

    /// Returns whether a whole unit of the document must be one JSON value.
    pub fn is_json(&self) -> bool {
        self.media_type.as_deref().is_some_and(media_type::is_json)
    }
}

impl Chunk {
    fn ordinal(&self) -> Option<i64> {
        self.ordinal
    }

    /// Returns whether the chunk is exactly in a section.
    pub fn is_in(&self, section: &[String]) -> bool {
        self.section.as_deref() == Some(section)
    }

    /// Returns whether the chunk is in a section or below it.
    pub fn is_below(&self, section: &[String]) -> bool {
        self.section.as_ref().is_some_and(|own| own.starts_with(section))
    }

    /// Returns whether the chunk's section is a section plus exactly one title.
    pub fn is_child_of(&self, section: &[String]) -> bool {
        self.is_below(section) && self.depth() == section.len() + 1
    }

    /// Returns the number of titles above the chunk.
    pub fn depth(&self) -> usize {
        self.section.as_ref().map_or(0, Vec::len)
    }

    /// Returns the tokens of the chunk: "tokens NULL counts ceil(characters / 4)".
    pub fn cost(&self) -> i64 {
        self.tokens.unwrap_or_else(|| self.content.chars().count().div_ceil(4) as i64)
    }
}
