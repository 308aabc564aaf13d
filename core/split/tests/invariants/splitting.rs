//! Invariants of splitting for any document.
//!
//! The property tests, the tests of real files and the fuzz targets check them. So the checks take
//! linear time, and they count lines independently of the splitter.

use passage_split::{Chunk, ChunkLimits, MediaType, Sizer, section::is_ancestor};
use std::collections::HashSet;

/// Returns the first violation, if any, without text of the document.
pub fn find_violation(
    text: &str,
    chunks: &[Chunk<'_>],
    limits: ChunkLimits,
    sizer: &dyn Sizer,
) -> Option<String> {
    let (mut end, mut line) = (0, 1);
    for chunk in chunks {
        let at = |what: &str| Some(format!("{what} at byte {}", chunk.bytes.start));
        if chunk.content.is_empty() {
            return at("an empty chunk");
        }
        // The spans cover the text without gaps, and each has the chunk's content. So the contents
        // concatenate to the text.
        if chunk.bytes.start != end || text.get(chunk.bytes.clone()) != Some(chunk.content) {
            return at("lost or repeated text");
        }
        end = chunk.bytes.end;
        if chunk.content.ends_with('\r') && text[end..].starts_with('\n') {
            return at("a line end cut in two");
        }
        let after = line + line_ends(chunk.content);
        let last = after - usize::from(chunk.content.ends_with(['\n', '\r']));
        if chunk.lines != (line..=last) {
            return at("wrong lines");
        }
        line = after;
        if chunk.size != sizer.size(chunk.content) {
            return at("a wrong size");
        }
        let is_above = chunk.size > limits.max || chunk.content.len() > 32 * limits.max;
        if is_above && !is_never_cut(chunk.content) {
            return at("a chunk above the maximum");
        }
        if !chunk.preamble.is_empty() {
            let read = sizer.size(&format!("{}\n{}", chunk.preamble, chunk.content));
            if read > limits.window {
                return at("a preamble beyond the window");
            }
        }
    }
    (end != text.len()).then(|| "lost the end".to_owned())
}

/// Returns whether a text is a single character or `\r\n`.
fn is_never_cut(content: &str) -> bool {
    content == "\r\n" || content.chars().nth(1).is_none()
}

fn line_ends(content: &str) -> usize {
    let bytes = content.as_bytes();
    let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    ends.count()
}

/// The media types in which other text may separate the members of a type or the parts of a table.
/// Headers with the media type of C may be C++.
const APART: [&str; 4] = ["text/x-go", "text/x-c", "text/x-c++", "text/x-toml"];

/// Returns the first section that is repeated after other sections, if any.
pub fn find_repeated_section(media_type: &MediaType, chunks: &[Chunk<'_>]) -> Option<String> {
    if APART.contains(&media_type.structure()) {
        return None;
    }
    let mut left: HashSet<&[String]> = HashSet::new();
    for pair in chunks.windows(2) {
        let (before, after) = (&pair[0].section, &pair[1].section);
        let common = before.iter().zip(after).take_while(|(one, other)| one == other).count();
        if before.len() > common && after.len() > common && !is_ancestor(before, after) {
            left.insert(&before[..=common]);
        }
        if (1..=after.len()).any(|length| left.contains(&after[..length])) {
            return Some(format!("a repeated section at byte {}", pair[1].bytes.start));
        }
    }
    None
}
