/*!
Links of `AsciiDoc` and Antora, and the labels that they name.

```text
[[setup]]                              label setup, which leads to the title
== Setup
See <<logs,the logs>>, xref:logs[],    reference logs
xref:guide.adoc#setup[the guide],      link guide.adoc#setup
xref:ops:logs.adoc[]                   link /modules/ops/pages/logs.adoc
include::partial$note.adoc[]           include /partials/note.adoc
```
*/

use super::{LinkKind, Links, bounded};
use crate::split::plain::lines;
use std::borrow::Cow;
use std::ops::Range;

/// The ends of the names of pages. Other targets without a folder or a section are ids.
const PAGES: [&str; 4] = [".adoc", ".asciidoc", ".asc", ".html"];

/// Finds the links of a document.
pub(crate) fn links(text: &str) -> Links {
    let mut links = Links::default();
    // The line that ends the block of code.
    let mut fence: Option<&str> = None;
    // The lines that were read last, and the labels of the next line with text.
    let (mut paragraph, mut labels) = (0..0, Vec::new());
    let (mut start, mut last) = (0, 0..0);
    for line in lines(text) {
        let (at, written) = (start, line.trim_end());
        start += line.len();
        if written.is_empty() {
            continue;
        }
        last = at..at + written.len();
        if fence.is_none() && is_metadata(written) {
            labels.extend(block_label(written));
            continue;
        }
        place(&mut links, &mut labels, &last);
        if let Some(target) = written.strip_prefix("include::") {
            let target = resource(target.split('[').next().unwrap_or_default());
            links.add_parts(last.clone(), LinkKind::Include, &target, "", "");
        } else if let Some(end) = fence {
            fence = fence.filter(|_| written != end);
        } else if is_fence(written) {
            fence = Some(written);
        } else if !written.starts_with("//") {
            anchors(&mut links, written, &last);
            if paragraph.end != at {
                add_links(&mut links, text, std::mem::replace(&mut paragraph, at..at));
            }
            paragraph.end = start;
        }
    }
    add_links(&mut links, text, paragraph);
    place(&mut links, &mut labels, &last);
    links
}

fn is_fence(line: &str) -> bool {
    let marks = |mark| line.len() >= 4 && line.bytes().all(|byte| byte == mark);
    line == "```" || marks(b'-') || marks(b'.') || marks(b'+')
}

/// Returns whether a line has the attributes of the block below it.
fn is_metadata(line: &str) -> bool {
    line.starts_with('[') && line.ends_with(']') && !line.starts_with("[[[")
}

/// Returns the label of a line such as `[[id]]`, `[#id.role]`, `[discrete#id]` or `[id=name]`.
fn block_label(line: &str) -> Option<&str> {
    let inside = &line[1..line.len() - 1];
    if let Some(anchor) = inside.strip_prefix('[').and_then(|inside| inside.strip_suffix(']')) {
        return anchor.split(',').next();
    }
    let mut attributes = inside.split(',').map(str::trim);
    if let Some((_, id)) = attributes.clone().next()?.split_once('#') {
        return id.split(['.', '%']).next();
    }
    let id = attributes.find_map(|attribute| attribute.strip_prefix("id="))?;
    Some(id.trim_matches(['"', '\'']))
}

/// Adds the labels that wait for the line that they name.
fn place(links: &mut Links, labels: &mut Vec<&str>, bytes: &Range<usize>) {
    for label in labels.drain(..) {
        links.add_label(bytes.clone(), label);
    }
}

/// Adds the labels within a line of text: `[[id]]` and `anchor:id[]`.
fn anchors(links: &mut Links, line: &str, bytes: &Range<usize>) {
    for (mark, end) in [("[[", ']'), ("anchor:", '[')] {
        for (at, _) in line.match_indices(mark) {
            let inside = bounded(&line[at + mark.len()..]).trim_start_matches('[');
            if let Some((id, _)) = inside.split_once(end)
                && let Some(id) = id.split(',').next()
                && id.starts_with(|first: char| first.is_alphabetic() || first == '_')
                && !id.contains(char::is_whitespace)
            {
                links.add_label(bytes.clone(), id);
            }
        }
    }
}

/// Adds the links of a paragraph.
fn add_links(links: &mut Links, text: &str, paragraph: Range<usize>) {
    macros(links, &text[paragraph.clone()], paragraph.start);
    references(links, &text[paragraph.clone()], paragraph.start);
}

/// Adds the macros `xref:` and `link:` of a paragraph.
fn macros(links: &mut Links, text: &str, start: usize) {
    for name in ["xref:", "link:"] {
        for (at, _) in text.match_indices(name) {
            let inside = bounded(&text[at + name.len()..]);
            if let Some((target, rest)) = inside.split_once('[')
                && let Some((shown, _)) = rest.split_once(']')
                && !target.contains(char::is_whitespace)
            {
                let end = at + name.len() + target.len() + shown.len() + 2;
                let bytes = start + at..start + end;
                if name == "xref:" && is_id(target) {
                    links.add_reference(bytes, target, shown);
                } else if name == "xref:" {
                    let (page, section) = split(target);
                    links.add_parts(bytes, LinkKind::Link, &resource(page), section, shown);
                } else {
                    links.add(bytes, LinkKind::Link, target, shown);
                }
            }
        }
    }
}

/// Adds the references `<<target,text>>` of a paragraph.
fn references(links: &mut Links, text: &str, start: usize) {
    let mut at = 0;
    while let Some(close) = text[at..].find(">>").map(|close| at + close) {
        // Before it may be a shift of bits.
        if let Some(open) = text[at..close].rfind("<<").map(|open| at + open) {
            let inside = &text[open + 2..close];
            let (target, shown) = inside.split_once(',').unwrap_or((inside, inside));
            let bytes = start + open..start + close + 2;
            if target.contains(['#', '/']) {
                let (page, section) = split(target);
                links.add_parts(bytes, LinkKind::Link, &resource(page), section, shown);
            } else {
                links.add_reference(bytes, target, shown);
            }
        }
        at = close + 2;
    }
}

/// Returns whether the target of a cross reference is an id instead of a page.
fn is_id(target: &str) -> bool {
    !target.contains(['#', '/', ':', '@', '$']) && !PAGES.iter().any(|end| target.ends_with(end))
}

/// Returns the file and the section of a target.
fn split(target: &str) -> (&str, &str) {
    target.split_once('#').unwrap_or((target, ""))
}

/// Returns the path of a resource of Antora, `version@component:module:family$file`. A file without module or family is itself.
fn resource(target: &str) -> Cow<'_, str> {
    if target.contains("://") {
        return target.into();
    }
    let id = target.split_once('@').map_or(target, |(_, id)| id);
    let (place, name) = id.rsplit_once(':').map_or((None, id), |(place, name)| (Some(place), name));
    let (family, file) = name.split_once('$').unwrap_or(("page", name));
    match place.map(|place| place.split_once(':').unwrap_or(("", place))) {
        None if family == "page" => file.into(),
        None => format!("/{family}s/{}", file.trim_start_matches('/')).into(),
        Some((component, module)) => {
            let module = if module.is_empty() { "ROOT" } else { module };
            let file = file.trim_start_matches('/');
            let path = format!("/modules/{module}/{family}s/{file}");
            if component.is_empty() { path } else { format!("/{component}{path}") }.into()
        }
    }
}
