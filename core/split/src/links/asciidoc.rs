//! Links of `AsciiDoc`: `xref:guide.adoc#setup[text]`, `<<setup,text>>`, `link:guide.html[text]` and `include::part.adoc[]`.

use super::{LinkKind, Links, bounded};
use crate::split::plain::lines;

/// Finds the links of a document.
pub(crate) fn links(text: &str) -> Links {
    let mut links = Links::default();
    // The line that ends the block of code.
    let mut fence: Option<&str> = None;
    let mut start = 0;
    for line in lines(text) {
        let (at, written) = (start, line.trim_end());
        start += line.len();
        if let Some(target) = written.strip_prefix("include::") {
            let target = target.split('[').next().unwrap_or_default();
            links.add_parts(at..at + written.len(), LinkKind::Include, target, "", "");
        } else if let Some(end) = fence {
            fence = fence.filter(|_| written != end);
        } else if is_fence(written) {
            fence = Some(written);
        } else if !written.starts_with("//") {
            macros(&mut links, written, at);
            references(&mut links, written, at);
        }
    }
    links
}

fn is_fence(line: &str) -> bool {
    let marks = |mark| line.len() >= 4 && line.bytes().all(|byte| byte == mark);
    line == "```" || marks(b'-') || marks(b'.') || marks(b'+')
}

/// Adds the macros `xref:` and `link:` of a line.
fn macros(links: &mut Links, line: &str, start: usize) {
    for name in ["xref:", "link:"] {
        for (at, _) in line.match_indices(name) {
            let inside = bounded(&line[at + name.len()..]);
            if let Some((target, rest)) = inside.split_once('[')
                && let Some((text, _)) = rest.split_once(']')
                && !target.contains(char::is_whitespace)
            {
                let end = at + name.len() + target.len() + text.len() + 2;
                // A cross reference without a file is a section of this one.
                let is_section = name == "xref:" && !target.contains(['.', '#', '/']);
                let (target, section) = if is_section { ("", target) } else { split(target) };
                let bytes = start + at..start + end;
                links.add_parts(bytes, LinkKind::Link, target, section, text);
            }
        }
    }
}

/// Adds the references `<<target,text>>` of a line.
fn references(links: &mut Links, line: &str, start: usize) {
    let mut at = 0;
    while let Some(open) = line[at..].find("<<").map(|open| at + open) {
        let Some(close) = line[open..].find(">>").map(|close| open + close) else { return };
        let inside = &line[open + 2..close];
        let (target, text) = inside.split_once(',').unwrap_or((inside, inside));
        let (target, section) =
            if target.contains(['#', '/']) { split(target) } else { ("", target) };
        let bytes = start + open..start + close + 2;
        links.add_parts(bytes, LinkKind::Link, target, section, text);
        at = close + 2;
    }
}

/// Returns the file and the section of a target.
fn split(target: &str) -> (&str, &str) {
    target.split_once('#').unwrap_or((target, ""))
}
