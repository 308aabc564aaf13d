/*!
Splitting: a document becomes chunks, and nothing is lost.

A splitter for one media type only finds the structure; that is all it may decide. For prose it says
where blocks begin, which of them are headings and in which section they stand: a heading is tied to
its body, a block that is too long by itself is cut (`pieces`), and small neighbours are merged
(`merge`). For code and data it says which units a document has, one inside the other: what fits is
kept whole, everything else divided (`units`). Both come to the same in the end (`draft`): lines and
preambles. Chunks are given by where they begin, each holding everything up to the next, so they
concatenate to the document byte for byte whatever a splitter says.

White space between two blocks belongs to the chunk before it, and that before the first to the
first. A document of nothing but white space is thus made of chunks like any other; only the empty
one has none.
*/

mod asciidoc;
mod block;
#[cfg(feature = "code")]
mod code;
mod csv;
mod cut;
mod draft;
mod headed;
mod json;
mod limits;
mod markdown;
mod merge;
mod overlap;
mod pieces;
mod plain;
mod preamble;
mod rst;
mod sections;
mod sizer;
mod titles;
mod toml;
mod units;
mod yaml;

use crate::{Error, Kind, MediaType, SplitDocument, SyntaxError};
use block::Blocks;
use draft::Draft;
pub use limits::ChunkLimits;
pub use markdown::DIALECT as MARKDOWN_OPTIONS;
use merge::Merging;
pub use sizer::{Characters, SizeUnit, Sizer};
use units::Units;

/// Changes whenever the same document would be split differently; part of the content hash.
pub const SPLITTER_VERSION: u32 = 2;

/// How to split, apart from what the document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitOptions<'a> {
    /// How large chunks may be, in what the sizer counts.
    pub limits: ChunkLimits,
    /// The document's title, with which every preamble begins; see [`title`].
    pub title: Option<&'a str>,
    /// How much of the end of each chunk the preamble of the next one repeats, in what the sizer
    /// counts; 0 for nothing, and never more than there is room for in the window.
    pub overlap: usize,
    /// What the chunks are made of; `None` for what the media type says.
    pub kind: Option<Kind>,
}

impl SplitOptions<'_> {
    /// Splits by limits, and nothing beside.
    pub fn new(limits: ChunkLimits) -> Self {
        Self { limits, title: None, overlap: 0, kind: None }
    }
}

/// What a media type's splitter finds in a document.
#[derive(Clone, Copy)]
enum Splitter {
    /// Headings and what stands below them.
    Blocks(fn(&str) -> Blocks),
    /// Units with members.
    Units(fn(&str, &mut Units<'_>) -> Result<(), SyntaxError>),
    /// Units by the syntax of a programming language.
    #[cfg(feature = "code")]
    Code(&'static code::Language),
}

/// Returns the splitter of a media type: this is where a new one goes.
fn splitter(media_type: &MediaType) -> Splitter {
    #[cfg(feature = "code")]
    if let Some(language) = code::language(media_type.structure()) {
        return Splitter::Code(language);
    }
    match media_type.structure() {
        "text/markdown" => Splitter::Blocks(markdown::blocks),
        "text/x-rst" => Splitter::Blocks(rst::blocks),
        "text/x-asciidoc" => Splitter::Blocks(asciidoc::blocks),
        "text/csv" => Splitter::Blocks(csv::blocks),
        "application/json" => Splitter::Units(json::units),
        "application/jsonl" => Splitter::Units(json::lines),
        "text/x-yaml" => Splitter::Units(yaml::units),
        "text/x-toml" => Splitter::Units(toml::units),
        _ => Splitter::Blocks(plain::blocks),
    }
}

/// The media types of source code that the feature `code` splits by its syntax.
const GRAMMARS: [&str; 16] = [
    "text/x-rust",
    "text/x-typescript",
    "text/x-tsx",
    "text/javascript",
    "text/x-jsx",
    "text/x-python",
    "text/x-go",
    "text/x-java",
    "text/x-c",
    "text/x-c++",
    "text/x-csharp",
    "text/x-ruby",
    "text/x-php",
    "text/x-shellscript",
    "text/x-sql",
    "text/css",
];

/// Tells whether a document is source code that is split as plain text here, for want of the
/// feature `code`, and elsewhere by its syntax.
pub fn lacks_grammar(media_type: &MediaType) -> bool {
    !cfg!(feature = "code") && GRAMMARS.contains(&media_type.structure())
}

/// Splits a document into chunks, in document order.
///
/// Concatenated, the chunks give back the text exactly; the empty text gives none. No chunk holds
/// more than `limits.max` of what `sizer` counts, nor more than 32 bytes for each of these, and
/// with its preamble and the line end between them no more than `limits.window`. A single
/// character is never cut, whatever it counts, nor are the two that end a line. Types without a
/// splitter of their own are split as plain text, and so is what is not what its type says; text
/// of any kind never fails.
///
/// # Errors
///
/// Returns [`Error::OutOfRange`] if the limits are not in order; see [`ChunkLimits::check`].
///
/// # Source
///
/// Levels and sections follow the *Splitter Hierarchy System* (seed 001).
pub fn split<'t>(
    text: &'t str,
    media_type: &MediaType,
    options: &SplitOptions<'_>,
    sizer: &dyn Sizer,
) -> Result<SplitDocument<'t>, Error> {
    options.limits.check()?;
    let by_blocks = |blocks: Blocks| -> Vec<Draft> {
        let mut merging = Merging::new(text, &blocks.sections, options);
        pieces::pieces(text, &blocks, options.limits, sizer, |piece| merging.add(&piece));
        merging.finish()
    };
    let mut syntax_error = None;
    let mut by_units = |parse: &dyn Fn(&str, &mut Units<'_>) -> Result<(), SyntaxError>| {
        let mut units = Units::new(text, options.limits, sizer);
        match parse(text, &mut units) {
            Ok(()) => units.finish(),
            Err(error) => {
                syntax_error = Some(error);
                by_blocks(plain::blocks(text))
            }
        }
    };
    let drafts = match splitter(media_type) {
        Splitter::Blocks(find) => by_blocks(find(text)),
        Splitter::Units(parse) => by_units(&parse),
        #[cfg(feature = "code")]
        Splitter::Code(language) => by_units(&|text, units| code::parse(text, language, units)),
    };
    let kind = options.kind.unwrap_or_else(|| media_type.kind());
    let chunks = draft::chunks(text, drafts, kind, options, sizer);
    Ok(SplitDocument { chunks, syntax_error })
}

/// Returns the title that a document gives itself, if any: that of its front matter, or its
/// first heading of level 1, or without one its first heading.
///
/// Longer titles are cut to 500 characters, the last being an ellipsis.
pub fn title(text: &str, media_type: &MediaType) -> Option<String> {
    match media_type.name() {
        "text/markdown" => markdown::title(text),
        "text/x-rst" => rst::title(text),
        "text/x-asciidoc" => asciidoc::title(text),
        _ => None,
    }
}
