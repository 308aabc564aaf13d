/*!
Markdown: `CommonMark` with GitHub's tables, footnotes and strikethrough, and front matter.

One pass over the parser's events finds the outermost blocks. Their contents are ignored except for
the titles of headings, the rows of tables and the items of lists. Only an outermost heading opens a
section; headings in quotes, lists, footnotes and fences do not. A block of HTML does if it begins with a
heading, as in many READMEs.

The parser's ranges begin after the indentation, and some text has no event (the definitions of
links). So blocks begin at the beginning of their lines, and text between blocks becomes a block. MDX
is read as Markdown: its imports and expressions are paragraphs.

Its twin in SQL is `sql/edition/split/blocks.sql`.
*/

mod front_matter;
mod html_heading;
mod segments;

use super::{
    blocks::{Block, Blocks, Form, Header, Sections},
    cut::Item,
    plain::lines,
    titles::{shorten, visible},
};
use crate::interrupt;
use crate::links::markdown::{MarkdownLinks, add_text};
use html_heading::html_heading;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Tag, TagEnd};
pub use segments::DIALECT;
use segments::{SegmentLimits, Segments};
use std::{borrow::Cow, ops::Range};

/// The maximum number of bytes of a heading that are read for its title.
const MAX_TITLE_BYTES: usize = 4_096;

/// Finds the blocks of a document.
pub(super) fn blocks(text: &str) -> Blocks {
    blocks_of(text, SegmentLimits::DEFAULT)
}

/// Finds the blocks of a document, parsed in segments with these limits.
fn blocks_of(text: &str, length: SegmentLimits) -> Blocks {
    let front = front_matter::end(text);
    let mut reader = MarkdownReader::new(text);
    if let Some(end) = front {
        reader.block(0..end, Form::Body);
    }
    let body = front.unwrap_or(text.len() - without_byte_order_mark(text).len());
    let segments = Segments::of(&text[body..], length);
    for segment in &segments.list {
        if segment.is_code {
            reader.block(body + segment.bytes.start..body + segment.bytes.end, Form::Body);
            continue;
        }
        for (event, range) in segments.events(&text[body..], segment) {
            reader.read(event, body + range.start..body + range.end);
        }
    }
    reader.finish()
}

/// Returns the title of the front matter, else the first heading of level 1, else the first heading.
pub(super) fn title(text: &str) -> Option<String> {
    let text = without_byte_order_mark(text);
    let (front, body) = text.split_at(front_matter::end(text).unwrap_or(0));
    if let Some(title) = front_matter::title(front) {
        return Some(shorten(title).into_owned());
    }
    let mut depth = 0_usize;
    let mut heading: Option<Cow<'_, str>> = None;
    // The chapters of a book often begin at level 2.
    let mut first: Option<String> = None;
    let segments = Segments::of(body, SegmentLimits::DEFAULT);
    let parsed = segments.list.iter().filter(|segment| !segment.is_code);
    for (event, range) in parsed.flat_map(|segment| segments.events(body, segment)) {
        if depth == 0
            && matches!(event, Event::Start(Tag::HtmlBlock))
            && let Some((level, title)) = html_heading(&body[range])
        {
            if level == 1 {
                return Some(title);
            }
            first.get_or_insert(title);
        }
        match (&event, &mut heading) {
            (Event::Start(Tag::Heading { .. }), _) if depth == 0 => heading = Some(Cow::default()),
            (Event::End(TagEnd::Heading(level)), Some(title)) => {
                let title = shorten(&visible(title)).into_owned();
                if !title.is_empty() {
                    if *level == HeadingLevel::H1 {
                        return Some(title);
                    }
                    first.get_or_insert(title);
                }
                heading = None;
            }
            (event, Some(title)) => add_text(title, event, MAX_TITLE_BYTES),
            _ => {}
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    first
}

/// Collects blocks and sections from the events of the parser.
struct MarkdownReader<'t> {
    text: &'t str,
    blocks: Vec<Block>,
    sections: Sections,
    items: Vec<Item>,
    headers: Vec<Header>,
    /// The number of open elements.
    depth: usize,
    /// The end of the last block as the parser reports it.
    covered: usize,
    /// The end of the open table, and its first row until another row follows.
    table: Option<usize>,
    head: Option<Range<usize>>,
    /// The text of the open heading.
    heading: Option<Cow<'t, str>>,
    /// The level and section of each heading above the next block, the outermost first.
    path: Vec<(u32, usize)>,
    links: MarkdownLinks<'t>,
}

impl<'t> MarkdownReader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            blocks: Vec::new(),
            sections: Sections::new(),
            items: Vec::new(),
            headers: Vec::new(),
            depth: 0,
            covered: 0,
            table: None,
            head: None,
            heading: None,
            path: Vec::new(),
            links: MarkdownLinks::default(),
        }
    }

    fn read(&mut self, event: Event<'t>, range: Range<usize>) {
        match event {
            Event::Start(tag) => {
                self.start(&tag, range.clone());
                self.links.start(tag, range);
                self.depth += 1;
            }
            Event::End(tag) => {
                self.depth -= 1;
                self.links.end(tag);
                if let TagEnd::Heading(level) = tag
                    && let Some(title) = self.heading.take()
                {
                    self.open(level as u32, &title, range);
                }
            }
            content => {
                if let Some(title) = &mut self.heading {
                    add_text(title, &content, MAX_TITLE_BYTES);
                } else if self.depth == 0 {
                    self.block(range.clone(), Form::Body);
                }
                self.links.content(self.text, &content, range);
            }
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        if self.depth == 0 {
            match tag {
                Tag::Heading { .. } => self.heading = Some(Cow::default()),
                Tag::HtmlBlock => match html_heading(&self.text[range.clone()]) {
                    Some((level, title)) => self.open(level, &title, range.clone()),
                    None => self.block(range.clone(), Form::Body),
                },
                _ => self.block(range.clone(), Form::Body),
            }
        }
        match tag {
            Tag::Item => self.item(range.start),
            Tag::Table(_) => self.table = Some(range.end),
            Tag::TableHead => self.head = Some(range),
            Tag::TableRow => self.table_row(range.start),
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => self.fence(&range),
            _ => {}
        }
    }

    /// Opens the section of a heading.
    fn open(&mut self, level: u32, title: &str, range: Range<usize>) {
        // The text before the heading belongs to the section before.
        self.cover(range.start);
        while self.path.last().is_some_and(|(above, _)| *above >= level) {
            self.path.pop();
        }
        let (_, parent) = self.current_section();
        let section = self.sections.open(parent, &visible(title));
        self.path.push((level, section));
        self.block(range, Form::Heading);
    }

    /// Returns the level and section of the next block.
    fn current_section(&self) -> (u32, usize) {
        self.path.last().copied().unwrap_or((0, 0))
    }

    /// Adds a block that the parser reports.
    fn block(&mut self, range: Range<usize>, form: Form) {
        self.cover(range.start);
        self.push(range.start, form);
        self.covered = range.end;
    }

    /// Adds a block for the text without events before an offset.
    fn cover(&mut self, offset: usize) {
        let gap = &self.text[self.covered..offset.max(self.covered)];
        // A byte order mark alone does not make a block before a heading.
        let is_text = |char: char| !char.is_whitespace() && char != '\u{feff}';
        let mut chars = gap.char_indices().enumerate();
        let text = chars.find(|(round, (_, char))| {
            interrupt::poll_periodically(*round);
            is_text(*char)
        });
        if let Some((_, (at, _))) = text {
            self.push(self.covered + at, Form::Body);
        }
        self.covered += gap.len();
    }

    fn push(&mut self, at: usize, form: Form) {
        // The blank lines before the first block belong to it.
        let start = if self.blocks.is_empty() { 0 } else { line_start(self.text, at) };
        let (level, section) = self.current_section();
        if self.blocks.last().is_none_or(|last| last.start < start) {
            self.blocks.push(Block { start, section, level, form });
        }
    }

    /// Records an item of a list, or a row of a table in one. Those of a block at the top have depth 0.
    fn item(&mut self, start: usize) {
        let at = line_start(self.text, start);
        if self.items.last().is_none_or(|last| last.at < at) {
            self.items.push(Item { at, depth: self.depth - 1 });
        }
    }

    /// Records a row of a table. The first one below the head begins the rows that repeat it.
    fn table_row(&mut self, start: usize) {
        if self.depth > 1 {
            self.item(start);
        }
        let start = line_start(self.text, start);
        let Some((line, end)) = self.head.take().zip(self.table) else { return };
        if self.depth == 1
            && let Some(block) = self.blocks.last_mut()
        {
            block.form = Form::Table { rows: start };
        }
        self.headers.push(Header { line, within: start..end });
    }

    /// Lets the lines of a fenced block repeat the fence, which names their language.
    fn fence(&mut self, range: &Range<usize>) {
        let block = &self.text[range.clone()];
        let Some(first) = lines(block).next() else { return };
        let last = lines(block).last().filter(|last| is_fence(last)).map_or(0, str::len);
        let within = range.start + first.len()..range.end - last;
        if !within.is_empty() {
            let line = range.start..range.start + first.trim_end().len();
            self.headers.push(Header { line, within });
        }
    }

    fn finish(mut self) -> Blocks {
        self.cover(self.text.len());
        if self.blocks.is_empty() && !self.text.is_empty() {
            self.push(0, Form::Body);
        }
        Blocks {
            list: self.blocks,
            sections: self.sections,
            items: self.items,
            headers: self.headers,
            links: self.links.finish(),
        }
    }
}

/// Returns whether a line, perhaps in a list or a quote, has only the marks of a fence.
fn is_fence(line: &str) -> bool {
    let marks = line.trim_start_matches([' ', '\t', '>']).trim_end();
    marks.len() >= 3
        && (marks.bytes().all(|byte| byte == b'`') || marks.bytes().all(|byte| byte == b'~'))
}

/// Returns a text without its byte order mark, which the parser would treat as a letter.
fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Returns the beginning of the line of an offset.
fn line_start(text: &str, offset: usize) -> usize {
    memchr::memrchr2(b'\n', b'\r', &text.as_bytes()[..offset]).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::tests::polls_of;

    #[test]
    fn reading_white_space_polls() {
        let text = "\n".repeat(1_000_000);
        let polls = polls_of(|| blocks(&text));
        assert!(polls >= 900, "{polls}");
    }
}
