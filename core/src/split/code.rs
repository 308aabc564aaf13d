/*!
Source code: units are what its syntax tree says.

A language says which nodes are classes, functions and imports (`language`); the way through the
tree is the same for all. Units are made of whole lines where they can be: one runs from the first
line of the comments, attributes and decorators that belong to it to the end of its last line, with
the comment that stands there. A comment followed by a blank line speaks for itself, and so does
what stands at the head of a file. Everything that is in no unit, imports and loose statements, is
the text of what is around it, and at last of the document.

Where one type's members stand beside it, as methods do in Go and in source files of C++, those that
follow each other are put into one container with the title of the type.

Errors of syntax are local: what could not be read is text of what is around it. If that is most of
the document, the document is not what its type says.

The tree is walked once with a cursor, never by recursion, and no node is asked for its parent or
its neighbours, which cost a search: so time is linear in the document, whatever it says.
*/

mod language;
mod languages;
mod lines;
mod syntax;

use super::units::Units;
use crate::{SyntaxError, Unit, interrupt};
pub(super) use language::Language;
use language::{Beside, Found, Rule};
use tree_sitter::{Node, Tree};

/// Returns the language of a media type, if it is split by its syntax.
pub(super) fn language(media_type: &str) -> Option<&'static Language> {
    languages::ALL.iter().find(|language| language.media_type == media_type)
}

/// Finds the units of a document.
///
/// # Errors
///
/// Returns the place of the first error if more than half of the text could not be read, or if it
/// takes too long to make sense of it.
pub(super) fn parse(
    text: &str,
    language: &'static Language,
    units: &mut Units<'_>,
) -> Result<(), SyntaxError> {
    let language = languages::dialect(language, text);
    let tree = syntax::tree(text, language)?;
    let mut walk = Walk {
        text,
        language,
        rules: language.rules(),
        units,
        frames: vec![Frame::default()],
        carried: None,
        open: Vec::new(),
        members: 0,
        ended: Vec::new(),
        groups: Vec::new(),
        same: None,
        unread: 0,
        error: None,
    };
    walk.walk(&tree);
    match walk.error {
        Some(place) if walk.unread > text.len() / 2 => Err(syntax::error_at(text, place)),
        _ => Ok(()),
    }
}

/// The way through a syntax tree.
struct Walk<'a, 'u, 't> {
    text: &'t str,
    language: &'static Language,
    rules: &'static [Rule],
    units: &'a mut Units<'u>,
    /// One for each node that was entered, and one for the root's neighbours.
    frames: Vec<Frame>,
    /// What stands before the node that was come to last, unless that is a unit: it may belong to
    /// the first thing in it.
    carried: Option<Lead>,
    /// The nodes entered that are units.
    open: Vec<Open>,
    /// How many of them are members.
    members: usize,
    /// Units that end at the same place, the innermost first: what stands behind it on its line may
    /// belong to them.
    ended: Vec<Open>,
    /// Containers of what stands beside its type.
    groups: Vec<Group>,
    /// The node that is the unit opened last.
    same: Option<usize>,
    /// The bytes that are no syntax, and where the first of them are.
    unread: usize,
    error: Option<usize>,
}

/// What is known while the children of one node are passed.
#[derive(Default)]
struct Frame {
    /// Comments and attributes that belong to the next child.
    lead: Option<Lead>,
    /// Whether the children are items.
    items: bool,
}

/// Comments and attributes before a node.
#[derive(Clone, Copy)]
struct Lead {
    start: usize,
    end: usize,
    /// Whether there is an attribute among them, so that nothing parts them from what follows.
    bound: bool,
}

/// A unit whose node was entered.
struct Open {
    /// How many nodes were entered down to its neighbours.
    depth: usize,
    end: usize,
    unit: Unit,
    /// The scope that goes on behind it, if it is a type whose members may follow.
    scope: Option<String>,
}

/// A container of members that stand beside their type.
struct Group {
    depth: usize,
    scope: String,
    /// Where the last of them ends.
    end: usize,
}

impl Walk<'_, '_, '_> {
    fn walk(&mut self, tree: &Tree) {
        let mut cursor = tree.walk();
        loop {
            if let Some(items) = self.enter(cursor.node())
                && cursor.goto_first_child()
            {
                // A comment may stand outside of the block whose first statement it belongs to.
                let lead = self.carried.take();
                self.frames.push(Frame { lead, items });
                continue;
            }
            loop {
                self.leave();
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    self.settle();
                    self.end_groups(0);
                    return;
                }
                self.frames.pop();
            }
        }
    }

    /// Comes to a node; returns whether its children are items, or nothing if they do not matter.
    fn enter(&mut self, node: Node<'_>) -> Option<bool> {
        interrupt::poll();
        self.carried = None;
        let bytes = node.byte_range();
        let Some(rule) = self.rules.get(usize::from(node.kind_id())).copied() else {
            self.settle();
            self.unread += bytes.len();
            self.error.get_or_insert(bytes.start);
            self.place(bytes.start);
            return None;
        };
        if bytes.is_empty() {
            if node.is_missing() {
                self.error.get_or_insert(bytes.start);
            }
            return None;
        }
        if let Some(ended) = self.ended.last()
            && ended.end <= bytes.start
            && lines::touch(self.text, ended.end, bytes.start)
            && match rule {
                Rule::Separator => true,
                Rule::Comment(_) => lines::end(self.text, bytes.end).is_some(),
                _ => false,
            }
        {
            let end = self.trimmed(&bytes);
            self.ended.iter_mut().for_each(|open| open.end = end);
            return None;
        }
        self.settle();
        match rule {
            Rule::Comment(marks) => {
                let text = &self.text[bytes.start..];
                let inner = marks.iter().any(|mark| text.starts_with(mark));
                if !inner && lines::is_first(self.text, bytes.start) {
                    self.lead(&bytes, false);
                }
                return None;
            }
            Rule::Attribute => {
                self.lead(&bytes, true);
                return None;
            }
            Rule::Separator => return None,
            _ => {}
        }
        let frame = self.frames.last().expect("the root has a frame");
        // In a function only larger things matter: that leaves out most of the tree.
        let matters = self.members == 0 || !self.units.is_small(bytes.len());
        if matches!(rule, Rule::Plain) && frame.lead.is_none() && !frame.items {
            return (matters || node.has_error()).then_some(false);
        }
        let start = self.place(bytes.start);
        match rule {
            Rule::Call(names, _) if let Some(names) = names(node, self.text) => {
                self.import(bytes.start, names);
                return None;
            }
            Rule::Unit(..)
            | Rule::Bodied(..)
            | Rule::Find(_)
            | Rule::Call(..)
            | Rule::Wrapper(_)
                if self.same != Some(node.id()) =>
            {
                match self.language.unit(node, self.text) {
                    Some(found) => return self.open(start, node, found).then_some(false),
                    None => self.end_group(),
                }
            }
            Rule::Import(names) => {
                self.import(bytes.start, names(node, self.text));
                return None;
            }
            Rule::Opaque => {
                self.end_group();
                return None;
            }
            Rule::Body => return Some(true),
            Rule::Plain if !matters && !node.has_error() => return None,
            Rule::Plain if node.is_named() => self.end_group(),
            _ => {}
        }
        Some(false)
    }

    /// Notes what an import binds; what a function imports is its own business.
    fn import(&mut self, place: usize, names: Vec<String>) {
        self.end_group();
        if self.members > 0 {
            return;
        }
        for name in names {
            self.units.import(place, name);
        }
    }

    /// Returns where a node begins with what belongs to it, and notes it as an item.
    fn place(&mut self, start: usize) -> usize {
        let frame = self.frames.last_mut().expect("the root has a frame");
        let lead = frame.lead.take();
        let bound =
            lead.filter(|lead| lead.bound || !lines::has_blank(&self.text[lead.end..start]));
        self.carried = bound;
        let place = bound.map_or_else(|| lines::start(self.text, start), |lead| lead.start);
        if frame.items {
            if let Some(lead) = lead {
                self.units.item(lead.start);
            }
            self.units.item(place);
        }
        place
    }

    /// Takes a comment or attribute along to the next node.
    fn lead(&mut self, bytes: &std::ops::Range<usize>, bound: bool) {
        let (start, end) = (lines::start(self.text, bytes.start), self.trimmed(bytes));
        let frame = self.frames.last_mut().expect("the root has a frame");
        frame.lead = match frame.lead {
            Some(lead) if lead.bound || !lines::has_blank(&self.text[lead.end..bytes.start]) => {
                Some(Lead { start: lead.start, end, bound: lead.bound || bound })
            }
            other => {
                if let Some(lead) = other.filter(|_| frame.items) {
                    self.units.item(lead.start);
                }
                Some(Lead { start, end, bound })
            }
        };
    }

    /// Opens the unit that a node is; returns whether it matters what is inside.
    fn open(&mut self, start: usize, node: Node<'_>, found: Found<'_>) -> bool {
        let depth = self.frames.len();
        let Found { unit, title, at, same, beside, outermost } = found;
        if outermost && self.members > 0 {
            return true;
        }
        self.members += usize::from(unit == Unit::Member);
        self.carried = None;
        self.same = same;
        match &beside {
            Beside::Type(scope) => self.continue_group(start, scope),
            Beside::Nothing | Beside::Members => self.end_group(),
        }
        self.units.open(start, start, &title, unit);
        if unit == Unit::Container
            && let Some(line) = lines::around(self.text, node.start_byte(), at)
        {
            self.units.header(line);
        }
        let scope = matches!(beside, Beside::Members).then(|| title.into_owned());
        let end = self.trimmed(&node.byte_range());
        self.open.push(Open { depth, end, unit, scope });
        // A line end may follow.
        node.has_error() || unit == Unit::Module || !self.units.stays_whole(end + 2 - start)
    }

    /// Goes on with the container of a type's members, or opens one.
    fn continue_group(&mut self, start: usize, scope: &str) {
        let depth = self.frames.len();
        let is_open =
            self.groups.last().is_some_and(|group| group.depth == depth && group.scope == scope);
        if !is_open {
            self.end_group();
            let titles = scope.split("::").map(str::trim).filter(|title| !title.is_empty());
            let titles: Vec<&str> = titles.collect();
            self.units.open_as(start, start, &titles, Unit::Container);
            self.groups.push(Group { depth, scope: scope.to_owned(), end: start });
        }
    }

    /// Leaves a node, and the unit if it is one.
    fn leave(&mut self) {
        let depth = self.frames.len();
        if let Some(open) = self.open.pop_if(|open| open.depth == depth) {
            self.members -= usize::from(open.unit == Unit::Member);
            if self.ended.last().is_some_and(|ended| ended.end != open.end) {
                self.settle();
            }
            if self.groups.last().is_some_and(|group| group.depth > depth) {
                self.settle();
                self.end_groups(depth + 1);
            }
            self.ended.push(open);
        }
    }

    /// Closes the units that have ended.
    fn settle(&mut self) {
        for Open { depth, end, scope, .. } in std::mem::take(&mut self.ended) {
            let end = lines::end(self.text, end).unwrap_or(end);
            self.end_groups(depth + 1);
            if let Some(scope) = scope {
                self.groups.push(Group { depth, scope, end });
                continue;
            }
            self.units.close(end, end);
            if let Some(group) = self.groups.last_mut()
                && group.depth == depth
            {
                group.end = end;
            }
        }
    }

    /// Closes the group among whose neighbours is something else.
    fn end_group(&mut self) {
        self.end_groups(self.frames.len());
    }

    /// Closes the groups at some depth and below.
    fn end_groups(&mut self, depth: usize) {
        while let Some(group) = self.groups.pop_if(|group| group.depth >= depth) {
            self.units.close(group.end, group.end);
        }
    }

    /// Returns where a node ends, without white space that it takes along.
    fn trimmed(&self, bytes: &std::ops::Range<usize>) -> usize {
        let text = self.text.get(bytes.clone()).unwrap_or_default();
        bytes.start + text.trim_ascii_end().len()
    }
}
