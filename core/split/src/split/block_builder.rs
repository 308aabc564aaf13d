/*!
Building blocks: for splitters that read a document line by line.

The splitter reports blocks and headings in document order. The section of each block follows from
the levels of the headings before it.
*/

use super::{
    blocks::{Block, Blocks, Form, Header, Sections},
    cut::Item,
    plain::lines,
};
use crate::interrupt;
use crate::links::Links;
use std::ops::Range;

/// A line without its end, and its offset.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    pub(super) start: usize,
    /// The line without trailing white space.
    pub(super) text: &'t str,
}

/// The lines of a text, without its byte order mark.
pub(super) struct Lines<'t> {
    text: &'t str,
    /// The offset of each line, in 4 bytes, because a text may consist of line ends.
    starts: Vec<u32>,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        assert!(u32::try_from(text.len()).is_ok(), "a document has less than 4 GB");
        let mut start = 0;
        let start_of = |line: &str| {
            let this = start as u32;
            start += line.len();
            this
        };
        Self { text, starts: lines(text).map(start_of).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<Line<'t>> {
        interrupt::poll();
        let start = *self.starts.get(at)? as usize;
        let end = self.starts.get(at + 1).map_or(self.text.len(), |end| *end as usize);
        let text = self.text[start..end].trim_end();
        let text = if start == 0 { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
        Some(Line { start, text })
    }

    /// Returns the lines from an index on, each with its index.
    pub(super) fn from(&self, at: usize) -> impl Iterator<Item = (usize, Line<'t>)> {
        (at..self.len()).filter_map(|at| Some((at, self.get(at)?)))
    }
}

impl Line<'_> {
    pub(super) fn is_blank(self) -> bool {
        self.text.is_empty()
    }

    /// Returns whether white space precedes its text.
    pub(super) fn is_indented(self) -> bool {
        self.text.starts_with([' ', '\t'])
    }
}

/// Returns the punctuation character that a line repeats, and how often, without trailing white space.
pub(super) fn rule(line: Line<'_>) -> Option<(char, usize)> {
    let first = line.text.chars().next().filter(char::is_ascii_punctuation)?;
    line.text.bytes().all(|byte| byte == first as u8).then_some((first, line.text.len()))
}

/// Builds the blocks of a document.
pub(super) struct BlockBuilder {
    list: Vec<Block>,
    sections: Sections,
    items: Vec<Item>,
    headers: Vec<Header>,
    /// The level and section of each open heading, the outermost first.
    path: Vec<(u32, usize)>,
}

impl BlockBuilder {
    pub(super) fn new() -> Self {
        Self {
            list: Vec::new(),
            sections: Sections::new(),
            items: Vec::new(),
            headers: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Adds a heading, which closes the open headings of its level and below.
    pub(super) fn heading(&mut self, start: usize, level: u32, title: &str) {
        while self.path.last().is_some_and(|(above, _)| *above >= level) {
            self.path.pop();
        }
        let parent = self.path.last().map_or(0, |(_, section)| *section);
        let section = self.sections.open(parent, title);
        self.path.push((level, section));
        self.push(start, Form::Heading);
    }

    /// Adds a block that is not a heading.
    pub(super) fn body(&mut self, start: usize) {
        self.push(start, Form::Body);
    }

    /// Makes the last block a table whose header is a part of it, up to the first row below.
    pub(super) fn table(&mut self, header: Range<usize>, rows: usize) {
        self.repeat(header, rows);
        if let Some(block) = self.list.last_mut() {
            block.form = Form::Table { rows };
        }
    }

    /// Records a line that the chunks from an offset on repeat, up to the next block.
    pub(super) fn repeat(&mut self, line: Range<usize>, from: usize) {
        self.headers.push(Header { line, within: from..usize::MAX });
    }

    /// Records the offset of an item of a list.
    pub(super) fn item(&mut self, start: usize) {
        self.items.push(Item { at: start, depth: 0 });
    }

    fn push(&mut self, start: usize, form: Form) {
        // The blank lines before the first block belong to it.
        let start = if self.list.is_empty() { 0 } else { start };
        if let Some(header) = self.headers.last_mut() {
            header.within.end = header.within.end.min(start);
        }
        let (level, section) = self.path.last().copied().unwrap_or((0, 0));
        self.list.push(Block { start, section, level, form });
    }

    pub(super) fn finish(mut self, text: &str) -> Blocks {
        if self.list.is_empty() && !text.is_empty() {
            self.body(0);
        }
        Blocks {
            list: self.list,
            sections: self.sections,
            items: self.items,
            headers: self.headers,
            links: Links::default(),
        }
    }
}

/// Returns the title of the first heading of level 1, else of the first heading.
pub(super) fn title(blocks: &Blocks) -> Option<String> {
    let headings = blocks.list.iter().filter(|block| block.form == Form::Heading);
    // The first occurrence of a title has no number.
    let titles = headings.map(|block| (block.level, blocks.sections.title(block.section)));
    let mut named = titles.filter(|(_, title)| !title.is_empty());
    let first = named.next()?;
    let top = (first.0 != 1).then(|| named.find(|(level, _)| *level == 1)).flatten();
    Some(top.unwrap_or(first).1.to_owned())
}
