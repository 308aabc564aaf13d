/*!
YAML: units are whole lines in block style, and values as in JSON in flow style.

Each document of a stream has a section, `root`, `root (2)` and so on, from its marker and directives
to those of the next one. An entry has the section of its key, an item that of its index, `[0]`. In
block style, an entry is its lines from the key or the dash on, with their indentation. They parse as a
mapping or a sequence of one. So the chunks of every section parse alone, except for aliases of anchors
in other sections. In flow style, an entry is as in JSON: it ends with its comma.

A comment belongs to the next entry. A comment at the end belongs to the collection that it is
indented under, and a comment after an entry on the same line belongs to that entry. Text that cannot
be separated from its lines has no section: entries with an explicit key (`? `) have no members, and
of sequences that begin on one line (`- - a`) only the items of the outer one are units. The first item
of the inner one has the section of its sequence.

Templates of YAML, such as those of Helm, are read with blanks or letters in place of their actions.

The parser counts characters and does not report where a value ends. So the ends are searched in the
text, from the reported beginnings on.
*/

mod node;
mod polled_input;
mod source;
mod templates;

use super::units::{Title, Units};
use crate::{SyntaxError, Unit, interrupt};
use node::{Frame, Key, Node, Style};
use polled_input::PolledInput;
use saphyr_parser::{Event, Parser as Events, ScanError, Span};
use source::{ByteOffsets, Source};
use std::borrow::Cow;
use std::ops::Range;

/// The maximum number of open mappings and sequences; deeper nesting is a syntax error.
///
/// `- - -` opens a sequence with each dash, and the parser closes all of them in one step at the end
/// of the line. That takes 1.3 s for 25 million of them and 50 ms for a million.
const MAX_OPEN: usize = 1_000_000;

/// Finds the units of a stream of YAML document.
pub(super) fn units(text: &str, units: &mut Units<'_>) -> Result<(), SyntaxError> {
    let is_template = templates::has_actions(text) && !parses(text);
    let readable = if is_template { templates::readable(text) } else { Cow::Borrowed(text) };
    let readable = &*readable;
    let events = Events::new(PolledInput::new(readable));
    let source = Source(readable);
    let offsets = ByteOffsets::new(readable);
    let document = DocumentBounds { start: 0, content: 0, end: None, is_open: false };
    let mut parser = Parser {
        events,
        depth: 0,
        source,
        written: text,
        offsets,
        units,
        document,
        open: Vec::new(),
        line: 0..0,
    };
    parser
        .stream()
        .map_err(|error| SyntaxError::at(text, parser.offsets.byte(error.marker().index())))
}

/// Returns whether a text is YAML.
fn parses(text: &str) -> bool {
    let mut events = Events::new(PolledInput::new(text));
    let mut depth = 0_usize;
    while let Some(event) = events.next_event() {
        interrupt::poll();
        match event {
            Ok((Event::MappingStart(..) | Event::SequenceStart(..), _)) => depth += 1,
            Ok((Event::MappingEnd | Event::SequenceEnd, _)) => depth -= 1,
            Ok((Event::StreamEnd, _)) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
        if depth > MAX_OPEN {
            return false;
        }
    }
    true
}

struct Parser<'t, 'u, 's> {
    events: Events<'t, PolledInput<'t>>,
    /// The number of open mappings and sequences, including those without units.
    depth: usize,
    source: Source<'t>,
    /// The document, whose templates the source does not have.
    written: &'t str,
    offsets: ByteOffsets<'t>,
    units: &'u mut Units<'s>,
    document: DocumentBounds,
    /// The open mappings and sequences whose entries become units.
    open: Vec<Frame>,
    /// The line of the last call of `line`, because any number of nodes may begin on one line.
    line: Range<usize>,
}

/// The bounds of the current document.
struct DocumentBounds {
    start: usize,
    /// The offset after its marker.
    content: usize,
    /// The line after its end marker, if it has one.
    end: Option<usize>,
    /// Whether its unit is open.
    is_open: bool,
}

impl<'t> Parser<'t, '_, '_> {
    fn next(&mut self) -> Result<(Event<'t>, Span), ScanError> {
        interrupt::poll();
        let next = self.events.next_event();
        let (event, span) = next.unwrap_or(Ok((Event::StreamEnd, Span::default())))?;
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => self.depth += 1,
            Event::MappingEnd | Event::SequenceEnd => self.depth -= 1,
            _ => {}
        }
        if self.depth > MAX_OPEN {
            return Err(ScanError::new_str(span.start, "nested too deeply"));
        }
        Ok((event, span))
    }

    /// Returns the line of an offset, with its line end.
    fn line(&mut self, at: usize) -> Range<usize> {
        if !self.line.contains(&at) {
            self.line = self.source.line_start(at)..self.source.next_line(at);
        }
        self.line.clone()
    }

    fn stream(&mut self) -> Result<(), ScanError> {
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => {
                    let end = self.source.0.len();
                    self.end_document(end);
                    return Ok(());
                }
                Event::DocumentStart(_) => self.begin_document(span),
                Event::DocumentEnd => {
                    let marker = self.offsets.bytes(span);
                    let is_marked = self.source.0[marker.clone()].starts_with("...");
                    self.document.end = is_marked.then(|| self.source.next_line(marker.end));
                }
                Event::MappingEnd | Event::SequenceEnd => self.leave(),
                Event::StreamStart | Event::Nothing => {}
                event => self.node(event, span)?,
            }
        }
    }

    fn begin_document(&mut self, span: Span) {
        let marker = self.offsets.bytes(span);
        let is_marked = self.source.0[marker.clone()].starts_with("---");
        let line = if is_marked { self.source.line_start(marker.start) } else { marker.start };
        // The first document begins with the stream.
        let start = if self.document.is_open { self.document.end.unwrap_or(line) } else { 0 };
        self.end_document(start);
        let content = if is_marked { marker.start + "---".len() } else { start };
        self.document = DocumentBounds { start, content, end: None, is_open: false };
    }

    fn end_document(&mut self, end: usize) {
        if self.document.is_open {
            self.units.close(end);
        }
    }

    /// Reads a key, a value, an item or the content of a document.
    fn node(&mut self, event: Event<'t>, span: Span) -> Result<(), ScanError> {
        let Some(frame) = self.open.last() else { return self.root(&event, span) };
        if frame.is_mapping && frame.key.is_none() {
            return self.key(event, span);
        }
        let event = &event;
        let (at, style, index) = (frame.at, frame.style, frame.entries);
        let node = Node::new(event, self.offsets.bytes(span), self.source);
        if frame.is_first_of_line && index == 0 {
            let end = self.skip(event, &node)?.unwrap_or(at + 1);
            let end = self.source.next_line(end);
            self.units.untitled(at..end);
            self.end_entry(end);
            return Ok(());
        }
        let key = self.open.last_mut().and_then(|frame| frame.key.take());
        let from = match (&key, style) {
            // Comments may precede the dash, and follow it if there is no value.
            (None, Style::Block { .. }) if matches!(node, Node::Empty) => {
                self.source.skip_blanks(at) + 1
            }
            (None, Style::Block { .. }) => at,
            (Some(key), Style::Block { .. }) if matches!(node, Node::Block(_)) => {
                self.line(key.end).end
            }
            (key, _) => {
                let missing = key.as_ref().map_or(at, |key| self.source.behind_colon(key.end));
                node.start().unwrap_or(missing)
            }
        };
        let title = key.as_ref().map_or(Title::Index(index), |key| Title::Key(&key.title));
        if let Node::Scalar(_) | Node::Empty = node {
            let end = self.behind_entry(node.end().unwrap_or(from));
            self.units.value(at..end, title);
            self.end_entry(end);
            return Ok(());
        }
        self.units.open_at(at, title, Unit::Container);
        self.enter(event, node, key.as_ref().map_or(at, |key| key.end), from)
    }

    /// Enters a node whose unit was opened, or skips it if it has no units inside.
    fn enter(
        &mut self,
        event: &Event<'t>,
        node: Node,
        behind: usize,
        from: usize,
    ) -> Result<(), ScanError> {
        let is_mapping = matches!(event, Event::MappingStart(..));
        let around = self.open.last().map(|frame| frame.style);
        match node {
            Node::Flow(bracket) => {
                let at = self.source.rest_of_line(bracket + 1);
                self.open.push(Frame::new(is_mapping, Style::Flow, at));
            }
            Node::Block(first) if around != Some(Style::Flow) => {
                let is_item = from == behind && around.is_some();
                let dash = if is_item { self.source.skip_blanks(behind) } else { behind };
                let is_unmarked = around.is_none() && behind == self.document.start;
                let below = if is_unmarked { behind } else { self.line(dash).end };
                let column = first - self.line(first).start;
                let comments = around.map_or(0, |around| column.max(around.column() + 1));
                let style = Style::Block { column, comments };
                let mut frame = Frame::new(is_mapping, style, below.min(first));
                frame.is_first_of_line = is_item && below > first && !is_mapping;
                self.open.push(frame);
            }
            node => {
                let end = self.skip(event, &node)?.unwrap_or(from);
                self.close_entry(end);
            }
        }
        Ok(())
    }

    fn root(&mut self, event: &Event<'t>, span: Span) -> Result<(), ScanError> {
        let node = Node::new(event, self.offsets.bytes(span), self.source);
        let DocumentBounds { start, content, .. } = self.document;
        let unit = if node.is_container() { Unit::Container } else { Unit::Value };
        self.units.open(start, "root", unit);
        self.document.is_open = true;
        if let Node::Scalar(_) | Node::Empty = node {
            return Ok(());
        }
        self.enter(event, node, content, content)
    }

    /// Reads a key, and also its value if the key is explicit.
    fn key(&mut self, event: Event<'t>, span: Span) -> Result<(), ScanError> {
        let at = self.open.last().expect("a key is in a mapping").at;
        let begin = self.source.skip_blanks(at);
        let bytes = self.offsets.bytes(span);
        let start = bytes.start;
        let node = Node::new(&event, bytes, self.source);
        let end = self.skip(&event, &node)?;
        let key = start..end.unwrap_or(start).max(start);
        let is_template = self.written.get(key.clone()) != self.source.0.get(key.clone());
        let title = if is_template {
            self.written.get(key).unwrap_or_default().trim_matches(['"', '\'']).to_owned()
        } else if let Event::Scalar(value, ..) = event {
            value.into_owned()
        } else {
            let written = &self.source.0[start..end.unwrap_or(start).max(start)];
            written.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        if !self.source.is_explicit_key(begin) {
            let frame = self.open.last_mut().expect("a key is in a mapping");
            frame.key = Some(Key { title, end: end.unwrap_or(begin) });
            return Ok(());
        }
        self.units.open(at, &title, Unit::Value);
        let (value, span) = self.next()?;
        let node = Node::new(&value, self.offsets.bytes(span), self.source);
        let value = self.skip(&value, &node)?;
        let least = end.unwrap_or(begin + 1);
        // A colon may follow even without a value.
        let end = value.unwrap_or_else(|| self.source.behind_colon_below(least)).max(least);
        self.close_entry(end);
        Ok(())
    }

    /// Reads the rest of a node and returns its end, or `None` if nothing is written.
    fn skip(&mut self, event: &Event<'t>, node: &Node) -> Result<Option<usize>, ScanError> {
        let mut end = node.end();
        if !matches!(event, Event::MappingStart(..) | Event::SequenceStart(..)) {
            return Ok(end);
        }
        // For each open collection, whether it has brackets.
        let mut open = vec![matches!(node, Node::Flow(_))];
        while let Some(has_brackets) = open.last().copied() {
            let (event, span) = self.next()?;
            let bytes = self.offsets.bytes(span);
            if let Event::MappingEnd | Event::SequenceEnd = event {
                open.pop();
                end =
                    if has_brackets { end.map(|end| self.source.behind_bracket(end)) } else { end };
                continue;
            }
            let node = Node::new(&event, bytes, self.source);
            end = end.max(node.end());
            if let Event::MappingStart(..) | Event::SequenceStart(..) = event {
                open.push(matches!(node, Node::Flow(_)));
            }
        }
        Ok(end)
    }

    /// Closes the innermost mapping or sequence.
    fn leave(&mut self) {
        let Some(frame) = self.open.pop() else { return };
        let end = match frame.style {
            Style::Flow => self.source.behind_bracket(frame.at),
            Style::Block { comments, .. } => self.source.skip_comments(frame.at, comments),
        };
        if !self.open.is_empty() {
            self.close_entry(end);
        }
    }

    /// Closes the unit of an entry that ends at an offset.
    fn close_entry(&mut self, end: usize) {
        let end = self.behind_entry(end);
        self.units.close(end);
        self.end_entry(end);
    }

    /// Returns the end of an entry whose value ends at an offset.
    fn behind_entry(&self, end: usize) -> usize {
        let frame = self.open.last().expect("an entry is in a collection");
        match frame.style {
            Style::Flow => self.source.behind_comma(end),
            Style::Block { column, .. } => {
                let is_line = self.source.is_line_start(end);
                let line = if is_line { end } else { self.source.next_line(end) };
                self.source.skip_comments(line, column + 1)
            }
        }
    }

    fn end_entry(&mut self, at: usize) {
        let frame = self.open.last_mut().expect("an entry is in a collection");
        frame.at = at;
        frame.entries += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::boundaries::Boundaries;
    use crate::split::units::Members;
    use crate::{Characters, ChunkLimits, interrupt::tests::polls_of};

    fn read(text: &str) -> Result<(), SyntaxError> {
        units(
            text,
            &mut Units::new(
                text,
                ChunkLimits::CHARACTERS,
                &Characters,
                Members::Entries,
                &Boundaries::default(),
            ),
        )
    }

    #[test]
    fn reading_a_long_scalar_polls() {
        for [before, after] in [["a: ", ""], ["a: \"", "\""], ["a: |\n  ", ""], ["", ""]] {
            let text = format!("{before}{}{after}", "word and ".repeat(20_000));
            let polls = polls_of(|| read(&text).unwrap());
            assert!(polls >= 170, "{before}: {polls}");
        }
    }

    #[test]
    fn too_deep_nesting_is_a_syntax_error() {
        for open in ["- ", "[", "a: ["] {
            let read = |depth| read(&open.repeat(depth));
            assert!(read(MAX_OPEN * 2).is_err(), "{open}");
        }
        assert_eq!(read(&"- ".repeat(1_000)), Ok(()));
    }
}
