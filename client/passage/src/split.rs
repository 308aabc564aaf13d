/*!
Splitting: core's splitters, with a sizer and the limits that fit it.

The rules are core's. The pieces of this module own their titles and texts, so that another thread can
load the document that one thread has split.
*/

use crate::store::Splitting;
use passage_split::{
    Characters, Error, Kind, Link, MediaType, Sizer, SplitAt, SplitOptions, SyntaxError, Unit,
};
pub use passage_split::{ChunkLimits, SizeUnit, SplitPattern};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

/// Splits documents with one sizer and its limits.
///
/// # Examples
///
/// ```
/// use passage::split::Splitter;
/// use passage_split::MediaType;
///
/// let text = "# Setup\n\nInstall it.\n";
/// let split = Splitter::by_characters().split(text, &MediaType::MARKDOWN, None, None)?;
/// assert_eq!(split.pieces[0].section, ["Setup"]);
/// assert_eq!(&text[split.pieces[0].bytes.clone()], text);
/// # Ok::<(), passage_split::Error>(())
/// ```
#[derive(Clone)]
pub struct Splitter {
    sizer: Arc<dyn Sizer + Send + Sync>,
    unit: SizeUnit,
    limits: ChunkLimits,
    overlap: usize,
    split_at: Option<SplitPattern>,
    split_offsets: Vec<usize>,
}

/// Requested chunk sizes in the unit of a sizer. `None` is the default, in proportion to the maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkSizes {
    /// The size below which a piece is merged with its neighbor.
    pub min: Option<usize>,
    /// The size above which two pieces of at least `min` are not merged.
    pub preferred: Option<usize>,
    /// The maximum size of a chunk.
    pub max: Option<usize>,
}

/// Characters of a token in code and in other languages than English, where tokens are short.
const CHARACTERS_OF_A_TOKEN: usize = 3;

/// The largest default window in characters, about 600 tokens. Models read more, but search ranks a chunk
/// as a whole: a larger chunk has more topics and a less precise embedding. Expansion adds the context.
const MAX_DEFAULT_WINDOW: usize = 2_500;

impl ChunkSizes {
    /// Returns the limits in characters.
    ///
    /// `window` is the number of tokens that a model reads. It decides the default of `max`; `None` is for
    /// an unknown model, which may read only 256.
    ///
    /// # Examples
    ///
    /// ```
    /// use passage::split::{ChunkLimits, ChunkSizes};
    ///
    /// assert_eq!(ChunkSizes::default().in_characters(None), ChunkLimits::CHARACTERS);
    /// assert_eq!(ChunkSizes::default().in_characters(Some(8_191)).max, 2_000);
    /// ```
    pub fn in_characters(self, window: Option<usize>) -> ChunkLimits {
        let Self { min, preferred, max } = self;
        let window = window.filter(|_| max.is_none()).map(|tokens| {
            let characters = tokens.saturating_mul(CHARACTERS_OF_A_TOKEN);
            characters.clamp(ChunkLimits::CHARACTERS.window, MAX_DEFAULT_WINDOW)
        });
        // The preamble gets the same share as by default.
        let default = ChunkLimits::CHARACTERS;
        let max = max.or(window.map(|window| window * default.max / default.window));
        ChunkLimits::in_characters(min, preferred, max, window)
    }

    /// Returns the limits in wordpieces for a model that reads `window` of them.
    ///
    /// # Examples
    ///
    /// ```
    /// use passage::split::{ChunkLimits, ChunkSizes};
    ///
    /// assert_eq!(ChunkSizes::default().in_wordpieces(254), ChunkLimits::WORDPIECES);
    /// let small = ChunkSizes { max: Some(100), ..ChunkSizes::default() }.in_wordpieces(254);
    /// assert_eq!((small.min, small.preferred), (25, 64));
    /// ```
    pub fn in_wordpieces(self, window: usize) -> ChunkLimits {
        let default = ChunkLimits::WORDPIECES;
        let within = window.saturating_mul(default.max) / default.window;
        let max = self.max.unwrap_or(default.max.min(within));
        let scaled = |size: usize, to: usize, from: usize| size.saturating_mul(to) / from;
        let preferred = self.preferred.unwrap_or(scaled(max, default.preferred, default.max));
        let of_preferred = scaled(preferred, default.min, default.preferred);
        let min = self.min.unwrap_or(scaled(max, default.min, default.max).min(of_preferred));
        ChunkLimits { min, preferred, max, window }
    }
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
    /// The links that begin in the content.
    pub links: Vec<Link>,
}

impl Splitter {
    /// Returns a splitter that counts characters and needs no model.
    pub fn by_characters() -> Self {
        let (unit, limits) = (SizeUnit::Characters, ChunkLimits::CHARACTERS);
        Self {
            sizer: Arc::new(Characters),
            unit,
            limits,
            overlap: 0,
            split_at: None,
            split_offsets: Vec::new(),
        }
    }

    /// Returns a splitter that counts the wordpieces of a model; `window` is how many of them the
    /// model reads.
    pub fn by_wordpieces(sizer: impl Sizer + Send + 'static, window: usize) -> Self {
        let limits = ChunkSizes::default().in_wordpieces(window);
        Self {
            sizer: Arc::new(sizer),
            unit: SizeUnit::Wordpieces,
            limits,
            overlap: 0,
            split_at: None,
            split_offsets: Vec::new(),
        }
    }

    /// Sets the size limits of chunks, in the unit of the sizer.
    ///
    /// # Errors
    ///
    /// Returns an error if the limits are not in order; see [`ChunkLimits::check`].
    pub fn with_limits(self, limits: ChunkLimits) -> Result<Self, Error> {
        limits.check()?;
        Ok(Self { limits, ..self })
    }

    /// Sets how much of the end of the previous chunk each preamble repeats, in the unit of the sizer.
    #[must_use]
    pub fn with_overlap(self, overlap: usize) -> Self {
        Self { overlap, ..self }
    }

    /// Sets the pattern of the lines before which documents are divided.
    #[must_use]
    pub fn with_split_at(self, split_at: Option<SplitPattern>) -> Self {
        Self { split_at, ..self }
    }

    /// Sets the offsets at which the next document is divided, in bytes of its text.
    #[must_use]
    pub fn with_split_offsets(self, split_offsets: Vec<usize>) -> Self {
        Self { split_offsets, ..self }
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

    /// Returns the pattern of the lines before which documents are divided.
    pub fn split_at(&self) -> Option<&SplitPattern> {
        self.split_at.as_ref()
    }

    /// Returns the settings of the splitter, as a store records them.
    pub fn settings(&self) -> Splitting {
        Splitting {
            unit: self.unit,
            limits: self.limits,
            overlap: self.overlap,
            split_at: self.split_at().map(|pattern| pattern.as_str().to_owned()),
        }
    }

    /// Splits a text. The default of `kind` comes from the media type.
    ///
    /// # Errors
    ///
    /// Returns an error if the limits contradict each other, which requires a model with a very small
    /// window, or if an offset is behind the end of the text.
    pub fn split(
        &self,
        text: &str,
        media_type: &MediaType,
        kind: Option<Kind>,
        title: Option<&str>,
    ) -> Result<Split, Error> {
        let split_at = SplitAt { pattern: self.split_at(), offsets: &self.split_offsets };
        let (limits, overlap) = (self.limits, self.overlap);
        let options = SplitOptions { limits, title, overlap, kind, split_at };
        let split = passage_split::split(text, media_type, &options, &*self.sizer)?;
        let piece = |chunk: passage_split::Chunk<'_>| Piece {
            section: chunk.section,
            level: chunk.level,
            kind: chunk.kind,
            unit: chunk.unit,
            preamble: chunk.preamble,
            tokens: self.unit.tokens(chunk.size),
            bytes: chunk.bytes,
            lines: chunk.lines,
            imports: chunk.imports,
            links: chunk.links,
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
    fn chunk_sizes_keep_the_proportions_of_the_defaults() {
        let chunk_sizes = |min, preferred, max| ChunkSizes { min, preferred, max };
        let sizes = |limits: ChunkLimits| (limits.min, limits.preferred, limits.max, limits.window);
        assert_eq!(sizes(chunk_sizes(None, None, None).in_wordpieces(126)), (24, 63, 99, 126));
        assert_eq!(
            sizes(chunk_sizes(None, Some(100), None).in_wordpieces(254)),
            (39, 100, 200, 254)
        );
        assert_eq!(
            sizes(chunk_sizes(Some(7), None, Some(250)).in_wordpieces(254)),
            (7, 160, 250, 254)
        );
        let characters = |max, window| sizes(chunk_sizes(None, None, max).in_characters(window));
        assert_eq!(characters(None, None), (200, 600, 1_000, 1_250));
        assert_eq!(characters(None, Some(256)), (200, 600, 1_000, 1_250));
        assert_eq!(characters(None, Some(512)), (245, 736, 1_228, 1_536));
        assert_eq!(characters(None, Some(32_000)), (400, 1_200, 2_000, 2_500));
        assert_eq!(characters(Some(4_000), Some(512)), (800, 2_400, 4_000, 5_000));
        for window in [0, 1, 2, 10, 126, 254, 512] {
            assert_eq!(
                chunk_sizes(None, None, None).in_wordpieces(window).check(),
                Ok(()),
                "{window}"
            );
        }
        assert!(
            Splitter::by_characters()
                .with_limits(chunk_sizes(Some(9), Some(8), Some(8)).in_characters(None))
                .is_err()
        );
    }

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
