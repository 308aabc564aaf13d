//! Links of reStructuredText and Sphinx: `` :doc:`guide` ``, `` `text <guide.html>`_ ``, tables of contents and includes.

use super::{LinkKind, Links};
use crate::split::plain::lines;

/// The directives with code instead of markup.
const LITERAL: [&str; 5] = ["code", "code-block", "sourcecode", "highlight", "math"];

/// Finds the links of a document.
pub(crate) fn links(text: &str) -> Links {
    let mut links = Links::default();
    // The indentation of the line that begins a literal block or a table of contents.
    let (mut literal, mut contents): (Option<usize>, Option<usize>) = (None, None);
    let mut start = 0;
    for line in lines(text) {
        let (at, written) = (start, line.trim());
        start += line.len();
        if written.is_empty() {
            continue;
        }
        let indentation = line.len() - line.trim_start().len();
        literal = literal.filter(|outer| indentation > *outer);
        contents = contents.filter(|outer| indentation > *outer);
        if literal.is_some() {
            continue;
        }
        let bytes = at + indentation..at + indentation + written.len();
        if let Some(directive) = written.strip_prefix(".. ") {
            if let Some((name, argument)) = directive.split_once("::") {
                match name {
                    "toctree" => contents = Some(indentation),
                    "include" | "literalinclude" => {
                        links.add_parts(bytes, LinkKind::Include, argument, "", "");
                    }
                    _ if LITERAL.contains(&name) => literal = Some(indentation),
                    _ => {}
                }
                continue;
            } else if let Some((name, target)) =
                directive.strip_prefix('_').and_then(|named| named.split_once(": "))
            {
                links.add(bytes, LinkKind::Link, target, name);
                continue;
            }
        } else if contents.is_some() {
            // Options begin with a colon, and `self` is the document.
            if !written.starts_with(':') && written != "self" && !written.contains("://") {
                let (text, target) = titled(written);
                links.add_parts(bytes, LinkKind::Link, target, "", text);
            }
            continue;
        } else if written.ends_with("::") {
            literal = Some(indentation);
        }
        inline(&mut links, line, at);
    }
    links
}

/// Adds the links between backticks of a line.
fn inline(links: &mut Links, line: &str, start: usize) {
    let mut at = 0;
    while let Some(open) = line[at..].find('`').map(|open| at + open) {
        // Two backticks begin code.
        if line[open..].starts_with("``") {
            let Some(close) = line[open + 2..].find("``") else { return };
            at = open + close + 4;
            continue;
        }
        let Some(close) = line[open + 1..].find('`').map(|close| open + 1 + close) else { return };
        let (inside, before) = (&line[open + 1..close], &line[..open]);
        let (text, target) = titled(inside);
        let bytes = start + open..start + close + 1;
        if before.ends_with(":doc:") {
            links.add_parts(bytes, LinkKind::Link, target, "", text);
        } else if !before.ends_with(':') && line[close + 1..].starts_with('_') && text != target {
            links.add(bytes, LinkKind::Link, target, text);
        }
        at = close + 1;
    }
}

/// Returns the text and the target of `text <target>`.
fn titled(written: &str) -> (&str, &str) {
    let inside = written.strip_suffix('>').and_then(|written| written.rsplit_once('<'));
    inside.map_or((written, written), |(text, target)| (text.trim(), target))
}
