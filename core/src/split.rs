/*!
Splitting: a document becomes chunks, and nothing is lost.

A splitter for one media type only finds where blocks begin, which of them are headings and in
which section they stand; that is all it may decide. What follows is the same for every type. A
heading is tied to its body, a block that is too long by itself is cut (`pieces`), and small
neighbours are merged (`merge`). Since blocks, pieces and chunks are all given by where they
begin, each holding everything up to the next, the chunks concatenate to the document byte for
byte whatever a splitter says.

White space between two blocks belongs to the chunk before it, and that before the first to the
first. A document of nothing but white space is thus made of chunks like any other; only the empty
one has none.
*/

mod block;
mod cut;
mod limits;
mod markdown;
mod merge;
mod pieces;
mod plain;
mod preamble;
mod sections;
mod sizer;

use crate::{Chunk, Error, MediaType};
pub use limits::Limits;
pub use markdown::DIALECT as MARKDOWN_DIALECT;
pub use sizer::{Characters, Sizer};

/// Changes whenever the same document would be split differently; part of the content hash.
pub const SPLITTER_VERSION: u32 = 1;

/// How to split, apart from what the document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options<'a> {
    /// How large chunks may be, in what the sizer counts.
    pub limits: Limits,
    /// The document's title, with which every preamble begins; see [`title`].
    pub title: Option<&'a str>,
}

/// Splits a document into chunks, in document order.
///
/// Concatenated, the chunks give back the text exactly; the empty text gives none. No chunk holds
/// more than `limits.max` of what `sizer` counts, nor more than 32 bytes for each of these, and
/// with its preamble and the line end between them no more than `limits.window`. A single
/// character is never cut, whatever it counts. Types without a splitter of their own are split as
/// plain text, and text of any kind never fails.
///
/// # Errors
///
/// Returns [`Error::OutOfRange`] if the limits are not in order; see [`Limits::check`].
///
/// # Source
///
/// Levels and sections follow the *Splitter Hierarchy System* (seed 001).
pub fn split<'t>(
    text: &'t str,
    media_type: &MediaType,
    options: &Options<'_>,
    sizer: &dyn Sizer,
) -> Result<Vec<Chunk<'t>>, Error> {
    options.limits.check()?;
    let blocks = match media_type.name() {
        "text/markdown" => markdown::blocks(text),
        _ => plain::blocks(text),
    };
    let pieces = pieces::pieces(text, &blocks, options.limits, sizer);
    Ok(merge::chunks(text, &blocks.sections, &pieces, media_type.kind(), options, sizer))
}

/// Returns the title that a document gives itself, if any: that of its front matter, or its
/// first heading of level 1, or without one its first heading.
///
/// Longer titles are cut to 500 characters, the last being an ellipsis.
pub fn title(text: &str, media_type: &MediaType) -> Option<String> {
    match media_type.name() {
        "text/markdown" => markdown::title(text),
        _ => None,
    }
}
