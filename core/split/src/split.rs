/*!
Splitting: divides a document into chunks without losing a byte.

The splitter of a media type finds only the structure of the document. The rest is the same for all
types:

- Splitters of prose report blocks, headings and sections. `pieces` ties each heading to its body and
  cuts long blocks, and `merge` joins small neighbors.
- Splitters of code and data report nested units. `units` keeps each unit whole that fits and divides
  all others.
- `draft` adds line numbers and preambles.
- `boundaries` finds the offsets at which a document is to be divided. Then each part is divided as a document is.

A chunk begins at an offset and ends where the next one begins. So the chunks concatenate to the
document byte for byte, whatever the splitter reports.

White space between two blocks belongs to the chunk before it; white space before the first block
belongs to the first chunk. Only the empty document has no chunks.
*/

mod asciidoc;
mod block_builder;
mod blocks;
mod boundaries;
mod broken_places;
mod changelog;
mod closing;
#[cfg(feature = "grammar")]
mod code;
#[cfg(feature = "grammar-typescript")]
mod component;
mod csv;
mod cut;
mod draft;
mod excerpt;
mod ini;
mod json;
mod log;
mod makefile;
mod man_page;
mod markdown;
mod merge;
mod options;
mod pieces;
pub(crate) mod plain;
mod preamble;
mod recorded_sizes;
mod rst;
mod split_at;
mod titles;
mod toml;
mod units;
mod xml;
mod yaml;

use crate::links::Links;
use crate::{Error, Link, MediaType, SplitDocument, SyntaxError};
use blocks::Blocks;
use boundaries::Boundaries;
pub use closing::{closes_outer_unit, without_closing_lines};
pub use csv::header_record as csv_header;
use draft::Draft;
pub use excerpt::Excerpt;
pub(crate) use json::{excerpt as json_excerpt, flow_excerpt as yaml_excerpt};
pub use markdown::DIALECT as MARKDOWN_OPTIONS;
use merge::ChunkMerger;
pub use options::{Characters, ChunkLimits, MAX_LIMIT, SizeUnit, Sizer, SplitOptions};
pub use preamble::preamble_title;
pub use split_at::{SplitAt, SplitPattern};
pub(crate) use toml::excerpt as toml_excerpt;
use units::{Members, Units};
pub(crate) use xml::excerpt as xml_excerpt;

/// The version of the splitters, which is part of the content hash of a document.
///
/// It changes whenever the same document would be split differently.
pub const SPLITTER_VERSION: u32 = 5;

/// A parser that reports the units of a text.
type Parse<'p> = &'p dyn Fn(&str, &mut Units<'_>) -> Result<(), SyntaxError>;

/// The splitter of a media type, by the structure that it finds.
#[derive(Clone, Copy)]
enum Splitter {
    /// Headings and the blocks below them.
    Blocks(fn(&str) -> Blocks),
    /// Units with members of a kind.
    Units(Members, fn(&str, &mut Units<'_>) -> Result<(), SyntaxError>),
    /// Units by the syntax of a programming language.
    #[cfg(feature = "grammar")]
    Code(&'static code::Language),
}

/// Returns the splitter of a media type. A new splitter is added here.
fn splitter(media_type: &MediaType) -> Splitter {
    #[cfg(feature = "grammar")]
    if let Some(language) = code::language(media_type.structure()) {
        return Splitter::Code(language);
    }
    match media_type.structure() {
        "text/markdown" => Splitter::Blocks(markdown::blocks),
        "text/x-rst" => Splitter::Blocks(rst::blocks),
        "text/x-asciidoc" => Splitter::Blocks(asciidoc::blocks),
        "text/troff" => Splitter::Blocks(man_page::blocks),
        "text/x-changelog" => Splitter::Blocks(changelog::blocks),
        "text/plain" => Splitter::Blocks(log::blocks),
        "text/csv" => Splitter::Blocks(csv::blocks),
        "application/json" => Splitter::Units(Members::Entries, json::units),
        "application/jsonl" => Splitter::Units(Members::Entries, json::lines),
        "text/x-yaml" => Splitter::Units(Members::Entries, yaml::units),
        "text/x-toml" => Splitter::Units(Members::Entries, toml::units),
        "text/x-ini" => Splitter::Units(Members::Entries, ini::units),
        "text/x-java-properties" => Splitter::Units(Members::Entries, ini::properties),
        "application/xml" => Splitter::Units(Members::Declarations, xml::units),
        "text/x-makefile" => Splitter::Units(Members::Declarations, makefile::units),
        #[cfg(feature = "grammar-typescript")]
        "text/x-vue" | "text/x-svelte" | "text/x-astro" => {
            Splitter::Units(Members::Declarations, component::units)
        }
        _ => Splitter::Blocks(plain::blocks),
    }
}

/// Returns the function that returns what closes the open brackets or tags at the end of broken data.
fn closings(media_type: &MediaType) -> Option<fn(&str) -> String> {
    match media_type.structure() {
        "application/json" | "application/jsonl" => Some(json::closings),
        "application/xml" => Some(xml::closings),
        _ => None,
    }
}

/// The media types of source code that the features `code` and `more-code` split by their syntax. Each grammar
/// has a feature of its own.
const GRAMMARS: [&str; 26] = [
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
    "text/x-kotlin",
    "text/x-swift",
    "text/x-scala",
    "text/x-lua",
    "text/x-dart",
    "text/x-hcl",
    "text/x-protobuf",
    "text/x-graphql",
    "text/x-powershell",
    "text/x-elixir",
];

/// Returns whether this build splits source code of a media type as plain text, because it lacks the
/// feature of its grammar.
pub fn lacks_grammar(media_type: &MediaType) -> bool {
    GRAMMARS.contains(&media_type.structure())
        && matches!(splitter(media_type), Splitter::Blocks(_))
}

/// Splits a document into chunks, in document order.
///
/// The chunks concatenate to exactly `text`; the empty text has none. Sizes are in units of `sizer`:
///
/// - A chunk has at most `limits.max` units and at most 32 bytes for each of them.
/// - A chunk, its preamble and the line end between them have at most `limits.window` units.
/// - A single character is never cut, whatever its size, and neither is the line end `\r\n`.
/// - No chunk extends across a marker `<!-- passage: split -->`, or a boundary of `options.split_at`.
///
/// Media types without a splitter are split as plain text. The result reports a syntax error. A document with a few
/// broken places keeps its other sections, and one with more is split as plain text; no text makes this function fail.
///
/// ```
/// use passage_split::{Characters, ChunkLimits, MediaType, SplitOptions, split};
///
/// let text = "# Guide\n\n## Setup\n\nInstall it.\n";
/// let options = SplitOptions::new(ChunkLimits::CHARACTERS);
/// let document = split(text, &MediaType::MARKDOWN, &options, &Characters)?;
/// let chunk = &document.chunks[0];
/// assert_eq!(chunk.content, text);
/// assert_eq!(chunk.section, ["Guide", "Setup"]);
/// assert_eq!(chunk.lines, 1..=5);
/// # Ok::<(), passage_split::Error>(())
/// ```
///
/// # Errors
///
/// Returns [`Error::OutOfRange`] if the limits are not in order; see [`ChunkLimits::check`]. Returns
/// [`Error::OffsetBehindEnd`] for an offset of `options.split_at` behind the end of the text.
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
    let splitter = splitter(media_type);
    let found = if let Splitter::Blocks(find) = splitter { Some(find(text)) } else { None };
    let is_example = |line| found.as_ref().is_some_and(|blocks| blocks.header_at(line).is_some());
    let boundaries = Boundaries::find(text, media_type, options.split_at, is_example)?;
    let by_blocks = |mut blocks: Blocks| -> (Links, Vec<Draft>) {
        let links = std::mem::take(&mut blocks.links);
        blocks.divide(&boundaries);
        let mut merging = ChunkMerger::new(text, &blocks.sections, options, &boundaries);
        let limits = options.limits;
        pieces::pieces(text, &blocks, &boundaries, limits, sizer, |piece| merging.add(&piece));
        (links, merging.finish())
    };
    let is_data = matches!(splitter, Splitter::Units(..));
    let mut syntax_error = None;
    let mut by_units = |members: Members, parse: Parse<'_>| {
        let units_of = |readable: &str| {
            let mut units = Units::new(text, options.limits, sizer, members, &boundaries);
            parse(readable, &mut units).map(|()| (std::mem::take(&mut units.links), units.finish()))
        };
        units_of(text).unwrap_or_else(|error| {
            syntax_error = Some(error);
            let check = |text: &str| check(text, members, parse);
            let repair = || broken_places::repaired(text, error, &check, closings(media_type));
            let repaired = is_data.then(repair).flatten();
            let drafts = repaired.and_then(|repaired| units_of(&repaired).ok());
            drafts.unwrap_or_else(|| by_blocks(plain::blocks(text)))
        })
    };
    let (links, drafts) = match splitter {
        Splitter::Blocks(_) => by_blocks(found.expect("the blocks were found")),
        Splitter::Units(members, parse) => by_units(members, &parse),
        #[cfg(feature = "grammar")]
        Splitter::Code(language) => {
            by_units(Members::Declarations, &|text, units| code::parse(text, language, units))
        }
    };
    let kind = options.kind.unwrap_or_else(|| media_type.kind());
    let mut chunks = draft::chunks(text, drafts, kind, options, sizer);
    let mut links = links.sorted().into_iter();
    for chunk in &mut chunks {
        let rest = links.as_slice();
        let count = rest.partition_point(|link| link.bytes.start < chunk.bytes.end);
        chunk.links = links.by_ref().take(count).collect();
    }
    Ok(SplitDocument { chunks, syntax_error })
}

/// Returns the links of a text that is not split here, such as that of given chunks.
pub fn links(text: &str, media_type: &MediaType) -> Vec<Link> {
    let options = SplitOptions::new(ChunkLimits::CHARACTERS);
    let split = split(text, media_type, &options, &Characters);
    let chunks = split.map(|split| split.chunks).unwrap_or_default();
    chunks.into_iter().flat_map(|chunk| chunk.links).collect()
}

/// Returns whether a text is a document of a media type of structured data, without a syntax error.
pub(crate) fn parses(text: &str, media_type: &MediaType) -> bool {
    let Splitter::Units(members, parse) = splitter(media_type) else { return false };
    check(text, members, &parse).is_ok()
}

/// Parses a text without chunks.
fn check(text: &str, members: Members, parse: Parse<'_>) -> Result<(), SyntaxError> {
    // With these limits the document is one unit, so nothing is measured twice.
    let limits = ChunkLimits { min: 0, preferred: usize::MAX, max: usize::MAX, window: usize::MAX };
    parse(text, &mut Units::new(text, limits, &Characters, members, &Boundaries::default()))
}

/// Returns the title in the text of a document: the title of its front matter, else its first heading
/// of level 1, else its first heading.
///
/// Returns `None` for media types without headings. A title has at most 500 characters; a longer one
/// is cut and ends in an ellipsis.
///
/// ```
/// use passage_split::{MediaType, title};
///
/// assert_eq!(title("Intro\n\n# Guide\n", &MediaType::MARKDOWN).as_deref(), Some("Guide"));
/// assert_eq!(title("# Guide\n", &MediaType::PLAIN), None);
/// ```
pub fn title(text: &str, media_type: &MediaType) -> Option<String> {
    match media_type.name() {
        "text/markdown" => markdown::title(text),
        "text/x-rst" => rst::title(text),
        "text/x-asciidoc" => asciidoc::title(text),
        "text/troff" => man_page::title(text),
        _ => None,
    }
}
