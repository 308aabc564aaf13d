/*!
Splitting: core's splitters, with a sizer and the limits that fit it.

The rules are core's. The pieces of this module own their titles and texts, so that another thread can
load the document that one thread has split.
*/

pub use passage_core::SizeUnit;
use passage_core::{
    Characters, ChunkLimits, Error, Kind, MediaType, Sizer, SplitOptions, SyntaxError, Unit,
};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

/// Splits documents with one sizer and its limits.
///
/// # Examples
///
/// ```
/// use passage::split::Splitter;
/// use passage_core::MediaType;
///
/// let text = "# Setup\n\nInstall it.\n";
/// let split = Splitter::by_characters().split(text, &MediaType::MARKDOWN, None, None)?;
/// assert_eq!(split.pieces[0].section, ["Setup"]);
/// assert_eq!(&text[split.pieces[0].bytes.clone()], text);
/// # Ok::<(), passage_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Splitter {
    sizer: Arc<dyn Sizer + Send + Sync>,
    unit: SizeUnit,
    limits: ChunkLimits,
    overlap: usize,
}

/// The pieces of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// The pieces, in document order; their byte ranges touch and cover the text.
    pub pieces: Vec<Piece>,
    /// The first place where the text is not valid for its media type; it is then split as plain text.
    pub syntax_error: Option<SyntaxError>,
}

/// A chunk as byte range of its document's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The titles from the document's root to the chunk.
    pub section: Vec<String>,
    /// The depth in the hierarchy of the splitter, 0 at the root.
    pub level: u32,
    /// The kind of content: prose, code, API reference or data.
    pub kind: Kind,
    /// The structural unit that the chunk belongs to.
    pub unit: Unit,
    /// The text before the content in what is embedded and indexed for full text.
    pub preamble: String,
    /// The size in tokens.
    pub tokens: usize,
    /// The byte range of the content in the document's text.
    pub bytes: Range<usize>,
    /// The lines of the content, from 1.
    pub lines: RangeInclusive<usize>,
    /// The names that the imports in the content bind.
    pub imports: Vec<String>,
}

impl Splitter {
    /// Returns a splitter that counts characters and needs no model.
    pub fn by_characters() -> Self {
        let (unit, limits) = (SizeUnit::Characters, ChunkLimits::CHARACTERS);
        Self { sizer: Arc::new(Characters), unit, limits, overlap: 0 }
    }

    /// Returns a splitter that counts the wordpieces of a model; `window` is how many of them the
    /// model reads.
    pub fn by_wordpieces(sizer: impl Sizer + Send + 'static, window: usize) -> Self {
        let limits = ChunkLimits { window, ..ChunkLimits::WORDPIECES };
        Self { sizer: Arc::new(sizer), unit: SizeUnit::Wordpieces, limits, overlap: 0 }
    }

    /// Sets how much of the end of the previous chunk each preamble repeats, in the unit of the sizer.
    #[must_use]
    pub fn with_overlap(self, overlap: usize) -> Self {
        Self { overlap, ..self }
    }

    /// Returns the unit of the limits.
    pub fn unit(&self) -> SizeUnit {
        self.unit
    }

    /// Returns the limits.
    pub fn limits(&self) -> ChunkLimits {
        self.limits
    }

    /// Returns how much of the end of the previous chunk each preamble repeats.
    pub fn overlap(&self) -> usize {
        self.overlap
    }

    /// Splits a text. The default of `kind` comes from the media type.
    ///
    /// # Errors
    ///
    /// Returns an error if the limits contradict each other, which requires a model with a very small
    /// window.
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
    /// Returns the text to embed: the preamble, a line feed, and the content. `text` is the text of the
    /// document.
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
    fn split_returns_no_pieces_of_an_empty_document() {
        let split = Splitter::by_characters().split("", &MediaType::MARKDOWN, None, None);
        assert_eq!(split, Ok(Split { pieces: vec![], syntax_error: None }));
    }

    proptest! {
        #[test]
        fn pieces_concatenate_to_the_text(text in "([#a-z\n \u{e9}]{0,40}\n){0,60}") {
            let splitter = Splitter::by_characters().with_overlap(40);
            let split = splitter.split(&text, &MediaType::MARKDOWN, None, Some("T")).unwrap();
            let covered: String = split.pieces.iter().map(|piece| &text[piece.bytes.clone()]).collect();
            prop_assert_eq!(covered, text);
        }
    }
}
