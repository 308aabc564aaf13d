/*!
Links: references of a document to other documents, and to sections of its own.

A link keeps its target as it is written. A store finds the document of a target when links are read, because that document may
be written later. Links to mail, telephones and images are left out, and so is code in prose.

Some links name no document, only a label that any document may define: `` :ref:`label` `` leads to `.. _label:`. So labels are
reported, too, as [`LinkKind::Label`]; a store looks them up by name. A file of Go likewise defines its folder, which imports name.

Splitters of prose and code report the links while they read the text; [`Chunk::links`](crate::Chunk::links) has those that
begin in a chunk.
*/

pub(crate) mod asciidoc;
pub(crate) mod markdown;
pub(crate) mod rst;

use serde_json::{Value, json};
use std::collections::HashSet;
use std::ops::Range;

/// The maximum number of links of a document. Pages that are longer lists of links are indexes made by programs.
pub const MAX_LINKS: usize = 10_000;

/// The maximum number of bytes of a target or of a section in it. Longer ones are left out.
const MAX_TARGET: usize = 1_000;

/// The maximum number of bytes of the text of a link, which is cut.
const MAX_TEXT: usize = 200;

/// A reference to a document or to a section.
///
/// ```
/// use passage_split::{Characters, ChunkLimits, LinkKind, MediaType, SplitOptions, split};
///
/// let options = SplitOptions::new(ChunkLimits::CHARACTERS);
/// let split = split("See [logs](logging.md#rotation).\n", &MediaType::MARKDOWN, &options, &Characters)?;
/// let link = &split.chunks[0].links[0];
/// assert_eq!((link.kind, &*link.target, &*link.section), (LinkKind::Link, "logging.md", "rotation"));
/// assert_eq!(link.text, "logs");
/// # Ok::<(), passage_split::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The byte range in the text.
    pub bytes: Range<usize>,
    /// The form of the reference.
    pub kind: LinkKind,
    /// The document as written, without the section; empty for a section of the same document. The module of an import
    /// is a path: `a/b` for `a.b`, and `./b` if it is relative.
    pub target: String,
    /// The anchor, the heading, the imported name, or the label in lower case.
    pub section: String,
    /// The text of the link.
    pub text: String,
}

/// The form of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// A link of prose.
    Link,
    /// A link by the name of a note: `[[Note#Heading]]`.
    Wiki,
    /// A link by a label, which is its section.
    Reference,
    /// An import of source code.
    Import,
    /// A file that the document includes.
    Include,
    /// A label that the document defines, for other documents to refer to. The byte range is the line that it names. A target
    /// instead of a section is a folder that imports name.
    Label,
}

impl LinkKind {
    /// Returns the name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Wiki => "wiki",
            Self::Reference => "reference",
            Self::Import => "import",
            Self::Include => "include",
            Self::Label => "label",
        }
    }
}

/// Collects the links of a document.
#[derive(Debug, Default)]
pub(crate) struct Links(Vec<Link>);

impl Links {
    /// Adds a link with an address as written, whose section follows `#`.
    pub(crate) fn add(&mut self, bytes: Range<usize>, kind: LinkKind, address: &str, text: &str) {
        let mark = memchr::memchr(b'#', address.as_bytes());
        let (target, section) =
            mark.map_or((address, ""), |at| (&address[..at], &address[at + 1..]));
        self.add_parts(bytes, kind, target, section, text);
    }

    /// Adds a link, unless its target cannot be a document.
    pub(crate) fn add_parts(
        &mut self,
        bytes: Range<usize>,
        kind: LinkKind,
        target: &str,
        section: &str,
        text: &str,
    ) {
        let (target, section) = (target.trim(), section.trim());
        let is_text = |part: &str| part.len() <= MAX_TARGET && !has_control(part);
        if self.0.len() < MAX_LINKS
            && !(target.is_empty() && section.is_empty())
            && is_text(target)
            && is_text(section)
            && !has_other_scheme(target)
        {
            let (target, section) = (target.to_owned(), section.to_owned());
            self.0.push(Link { bytes, kind, target, section, text: one_line(text) });
        }
    }

    /// Adds a reference to a label.
    pub(crate) fn add_reference(&mut self, bytes: Range<usize>, label: &str, text: &str) {
        if let Some(label) = normalized(label) {
            self.add_parts(bytes, LinkKind::Reference, "", &label, text);
        }
    }

    /// Adds a label that the document defines for the line in a byte range.
    pub(crate) fn add_label(&mut self, bytes: Range<usize>, label: &str) {
        if let Some(label) = normalized(label) {
            self.add_parts(bytes, LinkKind::Label, "", &label, "");
        }
    }

    /// Returns the links in source order. Of equal labels only the first one counts.
    pub(crate) fn sorted(mut self) -> Vec<Link> {
        self.0.sort_by_key(|link| link.bytes.start);
        let mut labels = HashSet::new();
        let is_new = |link: &Link| {
            link.kind != LinkKind::Label
                || labels.insert((link.target.clone(), link.section.clone()))
        };
        self.0.retain(is_new);
        self.0
    }
}

/// Returns a label as labels are compared: in lower case with single spaces, without escapes. A long one is left out.
fn normalized(label: &str) -> Option<String> {
    let label = (label.len() <= MAX_TARGET).then(|| label.replace('\\', "").to_lowercase())?;
    Some(label.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns the words of a text with single spaces, cut to [`MAX_TEXT`].
fn one_line(text: &str) -> String {
    let has_blanks = || text.as_bytes().windows(2).any(|pair| pair == b"  ");
    if text.len() <= MAX_TEXT && is_printable_ascii(text) && text.trim() == text && !has_blanks() {
        return text.to_owned();
    }
    let mut line = String::with_capacity(text.len().min(MAX_TEXT));
    for word in text.split_whitespace() {
        if line.len() >= MAX_TEXT {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word[..word.floor_char_boundary(MAX_TEXT)]);
    }
    line.truncate(line.floor_char_boundary(MAX_TEXT));
    line
}

/// Returns whether a text has control characters.
fn has_control(text: &str) -> bool {
    !is_printable_ascii(text) && text.contains(char::is_control)
}

/// Returns whether a text is of printable ASCII characters, as most addresses and texts of links. It reads all bytes, because
/// a loop that may end early compares them one by one.
fn is_printable_ascii(text: &str) -> bool {
    text.bytes().fold(true, |printable, byte| printable & (b' '..=b'~').contains(&byte))
}

/// Returns the beginning of a text, which is longer than any link. Without this bound, each mark of many without an end would be
/// searched for up to the end of the text.
fn bounded(text: &str) -> &str {
    &text[..text.floor_char_boundary(2 * MAX_TARGET)]
}

/// Returns whether a target has a scheme such as `mailto:`, which leads to no document. A single letter is a drive.
fn has_other_scheme(target: &str) -> bool {
    let Some(scheme) = memchr::memchr(b':', target.as_bytes()).map(|end| &target[..end]) else {
        return false;
    };
    let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    scheme.len() > 1
        && !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
        && scheme.starts_with(|char: char| char.is_ascii_alphabetic())
        && scheme.bytes().all(is_scheme)
}

/// Returns the links of a document as the writer in SQL expects them: `[ordinal, kind, target, section, text]` for each, with
/// the ordinal of its chunk.
///
/// ```
/// assert_eq!(passage_split::document_links([&[][..]].into_iter()), serde_json::json!([]));
/// ```
pub fn document_links<'a>(chunks: impl Iterator<Item = &'a [Link]>) -> Value {
    let listed = chunks.enumerate().flat_map(|(ordinal, links)| {
        links.iter().map(move |Link { kind, target, section, text, .. }| {
            json!([ordinal, kind.name(), target, section, text])
        })
    });
    listed.collect()
}
