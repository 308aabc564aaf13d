/*!
Splitting as the client does it: core's splitters, with a sizer and limits that go together.

The rules are core's. What is added here is that the pieces own what they say, so that a document
can go from the thread that splits it to the one that loads it.
*/

pub use passage_core::SizeUnit;
use passage_core::{
    Characters, ChunkLimits, Error, Kind, MediaType, Sizer, SplitOptions, SyntaxError, Unit,
};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

/// Splits documents by one sizer and its limits.
#[derive(Clone)]
pub struct Splitter {
    sizer: Arc<dyn Sizer + Send + Sync>,
    unit: SizeUnit,
    limits: ChunkLimits,
    overlap: usize,
}

/// A document in pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// The pieces, in document order; their bytes touch and cover the text.
    pub pieces: Vec<Piece>,
    /// Where the text stops being what its media type says, if it does; it is then split as text.
    pub syntax_error: Option<SyntaxError>,
}

/// A chunk without its document's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The titles above it.
    pub section: Vec<String>,
    /// The depth that the splitter gives, 0 at the root.
    pub level: u32,
    /// What it is made of.
    pub kind: Kind,
    /// The structural unit it belongs to.
    pub unit: Unit,
    /// What goes before its content for embedding and full text.
    pub preamble: String,
    /// Its size in tokens.
    pub tokens: usize,
    /// The bytes of the document that are its content.
    pub bytes: Range<usize>,
    /// The lines that it touches, from 1.
    pub lines: RangeInclusive<usize>,
    /// The names that the imports in it bind.
    pub imports: Vec<String>,
}

impl Splitter {
    /// A splitter that counts characters and needs no model.
    pub fn by_characters() -> Self {
        let (unit, limits) = (SizeUnit::Characters, ChunkLimits::CHARACTERS);
        Self { sizer: Arc::new(Characters), unit, limits, overlap: 0 }
    }

    /// A splitter that counts the wordpieces of a model that reads `window` of them.
    pub fn by_wordpieces(sizer: impl Sizer + Send + 'static, window: usize) -> Self {
        let limits = ChunkLimits { window, ..ChunkLimits::WORDPIECES };
        Self { sizer: Arc::new(sizer), unit: SizeUnit::Wordpieces, limits, overlap: 0 }
    }

    /// Lets each preamble repeat so much of the end of the piece before.
    #[must_use]
    pub fn with_overlap(self, overlap: usize) -> Self {
        Self { overlap, ..self }
    }

    /// Returns what the limits count.
    pub fn unit(&self) -> SizeUnit {
        self.unit
    }

    /// Returns the limits.
    pub fn limits(&self) -> ChunkLimits {
        self.limits
    }

    /// Returns how much of the end of the piece before each preamble repeats.
    pub fn overlap(&self) -> usize {
        self.overlap
    }

    /// Splits a text; `kind` is what its media type says unless it is given.
    ///
    /// # Errors
    ///
    /// If the limits are not in order, which can only be with a model that reads very little.
    pub fn split(
        &self,
        text: &str,
        media_type: &MediaType,
        kind: Option<Kind>,
        title: Option<&str>,
    ) -> Result<Split, Error> {
        let options = SplitOptions { limits: self.limits, title, overlap: self.overlap, kind };
        let split = passage_core::split(text, media_type, &options, &*self.sizer)?;
        let piece = |chunk: passage_core::Chunk<'_>| Piece {
            section: chunk.section,
            level: chunk.level,
            kind: chunk.kind,
            unit: chunk.unit,
            preamble: chunk.preamble,
            tokens: self.unit.tokens(chunk.size),
            bytes: chunk.bytes,
            lines: chunk.lines,
            imports: chunk.imports,
        };
        let pieces = split.chunks.into_iter().map(piece).collect();
        Ok(Split { pieces, syntax_error: split.syntax_error })
    }
}

impl Piece {
    /// Returns what is embedded: the preamble, a line end, and the content.
    pub fn embedded_text(&self, text: &str) -> String {
        let content = &text[self.bytes.clone()];
        if self.preamble.is_empty() {
            content.to_owned()
        } else {
            format!("{}\n{content}", self.preamble)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_document_has_no_pieces() {
        let split = Splitter::by_characters().split("", &MediaType::MARKDOWN, None, None);
        assert_eq!(split, Ok(Split { pieces: vec![], syntax_error: None }));
    }

    proptest! {
        #[test]
        fn pieces_cover_the_text(text in "([#a-z\n \u{e9}]{0,40}\n){0,60}") {
            let splitter = Splitter::by_characters().with_overlap(40);
            let split = splitter.split(&text, &MediaType::MARKDOWN, None, Some("T")).unwrap();
            let covered: String = split.pieces.iter().map(|piece| &text[piece.bytes.clone()]).collect();
            prop_assert_eq!(covered, text);
        }
    }
}
