/*!
Links of reStructuredText and Sphinx, and the labels that `:ref:` names.

```text
.. _setup:                             label setup, which leads to the title
                                       (the next line with output)
Setup
=====

See :ref:`the setup <setup>`,          reference setup
:doc:`guide`, `a page <page.html>`_    links
```

Markup may continue on the next line of its paragraph.
*/

use super::{LinkKind, Links, MAX_LINKS, bounded};
use crate::split::plain::lines;
use std::ops::Range;

/// The directives with code instead of markup, and that of the index, whose entries have none.
const LITERAL: [&str; 6] = ["code", "code-block", "sourcecode", "highlight", "math", "index"];

/// The directives without output, which a label before a title may precede.
const UNSEEN: [&str; 6] =
    ["index", "module", "py:module", "currentmodule", "py:currentmodule", "highlight"];

/// The labels of the pages that Sphinx makes.
const MADE: [&str; 4] = ["genindex", "modindex", "py-modindex", "search"];

/// Finds the links of a document.
pub(crate) fn links(text: &str) -> Links {
    let mut reader = Reader { text, ..Reader::default() };
    let mut start = 0;
    for line in lines(text) {
        let indentation = line.len() - line.trim_start().len();
        let written = line.trim();
        let bytes = start + indentation..start + indentation + written.len();
        if written.is_empty() {
            reader.options = None;
        } else {
            reader.read(start..start + line.len(), bytes, indentation);
        }
        start += line.len();
    }
    reader.flush();
    let end = text.trim_end().len();
    let last = text[..end].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    reader.place_labels(last..end);
    reader.links
}

#[derive(Default)]
struct Reader<'t> {
    text: &'t str,
    links: Links,
    /// The indentation of the line that begins a literal block or a comment.
    literal: Option<usize>,
    /// The indentation of a table of contents.
    contents: Option<usize>,
    /// The indentation and the byte range of a directive whose options may follow.
    options: Option<(usize, Range<usize>)>,
    /// The labels of the next line, each with its indentation and the end of its line.
    labels: Vec<(&'t str, usize, usize)>,
    /// The lines of text that were read last.
    paragraph: Range<usize>,
}

impl<'t> Reader<'t> {
    /// Reads a line, whose text begins behind its indentation.
    fn read(&mut self, line: Range<usize>, bytes: Range<usize>, indentation: usize) {
        let written = &self.text[bytes.clone()];
        if let Some((outer, directive)) = &self.options {
            if indentation > *outer && written.starts_with(':') {
                if let Some(name) = written.strip_prefix(":name:") {
                    self.links.add_label(directive.clone(), name);
                }
                return;
            }
            self.options = None;
        }
        self.literal = self.literal.filter(|outer| indentation > *outer);
        self.contents = self.contents.filter(|outer| indentation > *outer);
        if self.literal.is_some() {
            return;
        }
        let markup = match written.strip_prefix("..") {
            Some("") => Some(""),
            Some(rest) if rest.starts_with([' ', '\t']) => Some(rest.trim_start()),
            _ => None,
        };
        if let Some(markup) = markup {
            if self.read_markup(markup, &line, bytes, indentation) {
                self.extend(line);
            }
            return;
        }
        if let Some((name, outer, end)) = self.labels.last().copied()
            && end == line.start
            && indentation > outer
        {
            // The address of an external target is on the next line.
            self.labels.pop();
            self.links.add(bytes, LinkKind::Link, written, name);
            return;
        }
        self.place_labels(bytes.clone());
        if self.contents.is_some() {
            // `self` is the document, and a pattern names many.
            if written != "self" && !written.contains("://") && !written.contains('*') {
                let (text, target) = titled(written);
                self.links.add_parts(bytes, LinkKind::Link, target, "", text);
            }
            return;
        }
        if written.ends_with("::") {
            self.literal = Some(indentation);
        }
        self.extend(line);
    }

    /// Reads the line of a directive, a target or a comment, and returns whether it also has text.
    fn read_markup(
        &mut self,
        markup: &'t str,
        line: &Range<usize>,
        bytes: Range<usize>,
        indentation: usize,
    ) -> bool {
        if let Some(name) = label(markup) {
            if self.labels.len() < MAX_LINKS {
                self.labels.push((name, indentation, line.end));
            }
            return false;
        }
        if let Some((name, target)) =
            markup.strip_prefix('_').and_then(|named| named.split_once(": "))
        {
            self.links.add(bytes, LinkKind::Link, target, name);
            return false;
        }
        let Some((name, argument)) = markup.split_once("::") else {
            // A footnote or a citation.
            let has_text = markup.starts_with('[');
            if has_text {
                self.place_labels(bytes);
            } else {
                self.literal = Some(indentation);
            }
            return has_text;
        };
        if !UNSEEN.contains(&name) {
            self.place_labels(bytes.clone());
        }
        self.options = Some((indentation, bytes.clone()));
        match name {
            "toctree" => self.contents = Some(indentation),
            "include" | "literalinclude" => {
                self.links.add_parts(bytes, LinkKind::Include, argument, "", "");
            }
            _ if LITERAL.contains(&name) => self.literal = Some(indentation),
            _ => return true,
        }
        false
    }

    /// Adds the labels that wait for the line that they name.
    fn place_labels(&mut self, bytes: Range<usize>) {
        for (name, ..) in self.labels.drain(..) {
            self.links.add_label(bytes.clone(), name);
        }
    }

    /// Adds a line to the paragraph, or begins another one.
    fn extend(&mut self, line: Range<usize>) {
        if self.paragraph.end == line.start {
            self.paragraph.end = line.end;
        } else {
            self.flush();
            self.paragraph = line;
        }
    }

    /// Adds the links of the paragraph.
    fn flush(&mut self) {
        let Range { start, end } = std::mem::take(&mut self.paragraph);
        inline(&mut self.links, &self.text[start..end], start);
    }
}

/// Returns the label that the rest of a line such as `.. _label:` defines.
fn label(markup: &str) -> Option<&str> {
    let name = markup.strip_prefix('_')?;
    match name.strip_prefix('`') {
        Some(quoted) => quoted.strip_suffix("`:"),
        None => name.strip_suffix(':').filter(|name| *name != "_" && !name.contains(": ")),
    }
}

/// Adds the links between backticks of a paragraph.
fn inline(links: &mut Links, text: &str, start: usize) {
    let mut at = 0;
    while let Some(open) = memchr::memchr(b'`', &text.as_bytes()[at..]).map(|open| at + open) {
        // Two backticks begin code.
        if text[open..].starts_with("``") {
            let close = text[open + 2..].find("``");
            at = open + close.map_or(2, |close| close + 4);
            continue;
        }
        let Some(close) = bounded(&text[open + 1..]).find('`').map(|close| open + 1 + close) else {
            at = open + 1;
            continue;
        };
        let (inside, before) = (&text[open + 1..close], &text[..open]);
        if inside.starts_with(char::is_whitespace) || inside.ends_with(char::is_whitespace) {
            at = open + 1;
            continue;
        }
        let (shown, target) = titled(inside);
        let bytes = start + open..start + close + 1;
        if let Some(role) = role(before) {
            match role {
                "doc" => links.add_parts(bytes, LinkKind::Link, target, "", shown),
                "ref" | "numref" if !inside.starts_with('!') && !MADE.contains(&target) => {
                    links.add_reference(bytes, target, shown);
                }
                _ => {}
            }
        // The name of another target of the document ends with `_`, too.
        } else if text[close + 1..].starts_with('_') && shown != target && !target.ends_with('_') {
            links.add(bytes, LinkKind::Link, target, shown);
        }
        at = close + 1;
    }
}

/// Returns the name of the role such as `:ref:` or `:std:ref:` at the end of a text, empty if it names another project.
fn role(before: &str) -> Option<&str> {
    let role = before.strip_suffix(':')?;
    let role = role.rsplit(|char: char| char.is_whitespace() || "`([{\"'".contains(char)).next()?;
    let (domain, name) = role.rsplit_once(':').unwrap_or(("", role));
    Some(if domain.contains("external") { "" } else { name })
}

/// Returns the text and the target of `text <target>`.
fn titled(written: &str) -> (&str, &str) {
    let inside = written.strip_suffix('>').and_then(|written| written.rsplit_once('<'));
    inside.map_or((written, written), |(text, target)| (text.trim(), target))
}
