/*!
Source code: finds units in a syntax tree.

A language decides which nodes are classes, functions and imports (`language`); the walk through the
tree is the same for all languages. Units are whole lines where possible. A unit extends from the
first line of its comments, attributes and decorators to the end of its last line, including a
comment there. A comment before a blank line belongs to no unit, and neither does the head of a file.
Imports and loose statements outside of units are own text of their parent or of the document.

In Go and in source files of C++, the methods of a type are outside of it. Adjacent ones become one
container with the title of the type.

Syntax errors are local: unreadable text is own text of its parent, except for the units in it that the
parser could read. Some errors are repaired before (`repair`). If most of the document is unreadable,
the document has a syntax error and is split as plain text.

The tree is walked once with a cursor, without recursion. The walk never asks a node for its parent
or its siblings, which needs a search. So time is linear in the document.
*/

mod language;
mod languages;
mod lines;
#[expect(unsafe_code, reason = "tree-sitter takes its allocator through C")]
mod memory;
mod modules;
mod repair;
mod stand_ins;
mod syntax;

use super::units::Units;
use crate::{SyntaxError, Unit, interrupt};
pub(super) use language::Language;
use language::{Membership, Rule, UnitInfo};
use stand_ins::StandIn;
use tree_sitter::{Node, Tree};

/// Returns the language of a media type, if it has a grammar.
pub(super) fn language(media_type: &str) -> Option<&'static Language> {
    languages::ALL.iter().find(|language| language.media_type == media_type)
}

/// Finds the units of a document.
///
/// # Errors
///
/// Returns the place of the first error if more than half of the text is unreadable, or if parsing
/// needs too many steps.
pub(super) fn parse(
    text: &str,
    language: &'static Language,
    units: &mut Units<'_>,
) -> Result<(), SyntaxError> {
    let language = languages::dialect(language, text);
    let (tree, stand_ins) = repair::tree(text, language)?;
    let mut walk = TreeWalker {
        text,
        stand_ins: &stand_ins,
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
        Some(offset) if walk.unread > text.len() / 2 => Err(syntax::error_at(text, offset)),
        _ => Ok(()),
    }
}

/// The maximum number of macros before an item. Without it, a run of macros would be read once for each node there.
const MAX_MACROS: usize = 16;

/// Walks through a syntax tree.
struct TreeWalker<'a, 'u, 't> {
    text: &'t str,
    /// The places that the parser read as other text, in order.
    stand_ins: &'t [StandIn],
    language: &'static Language,
    rules: &'static [Rule],
    units: &'a mut Units<'u>,
    /// One frame for each entered node, and one for the root.
    frames: Vec<Frame>,
    /// The comments and attributes before the last node, unless the node is a unit. They may belong
    /// to its first child.
    carried: Option<Lead>,
    /// The entered nodes that are units.
    open: Vec<Open>,
    /// The number of members among them.
    members: usize,
    /// The units that end at the same offset, the innermost first. The rest of the line may belong to
    /// them.
    ended: Vec<Open>,
    /// The containers of members outside of their types.
    groups: Vec<Group>,
    /// The inner node of the unit that was opened last.
    same: Option<usize>,
    /// The number of unreadable bytes, and the offset of the first.
    unread: usize,
    error: Option<usize>,
}

/// The state of the walk through the children of one node.
#[derive(Default)]
struct Frame {
    /// The comments and attributes that belong to the next child.
    lead: Option<Lead>,
    /// Whether the children are items.
    items: bool,
    /// The number of entered nodes whose children are items.
    bodies: usize,
    /// The beginning of the node.
    start: usize,
    /// Whether the node is unreadable, or a part of unreadable text that is not in a unit.
    unread: bool,
}

/// The comments and attributes before a node.
#[derive(Clone, Copy)]
struct Lead {
    start: usize,
    end: usize,
    /// Whether an attribute is among them, so that a blank line does not separate them from the node.
    bound: bool,
}

/// A unit whose node was entered.
struct Open {
    /// The number of entered nodes around its siblings.
    depth: usize,
    end: usize,
    unit: Unit,
    /// The scope that continues after it, if it is a type whose members may follow.
    scope: Option<String>,
}

/// A container of members outside of their type.
struct Group {
    depth: usize,
    scope: String,
    /// The end of the last member.
    end: usize,
}

impl TreeWalker<'_, '_, '_> {
    fn walk(&mut self, tree: &Tree) {
        let mut cursor = tree.walk();
        loop {
            let (node, units) = (cursor.node(), self.open.len());
            if let Some(items) = self.enter(node)
                && cursor.goto_first_child()
            {
                // A comment may be outside of the block whose first statement it belongs to.
                let lead = self.carried.take();
                let around = self.frames.last().expect("the root has a frame");
                let bodies = around.bodies + usize::from(items);
                let unread = node.is_error() || (around.unread && self.open.len() == units);
                self.frames.push(Frame { lead, items, bodies, start: node.start_byte(), unread });
                continue;
            }
            loop {
                self.leave();
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    self.close_ended();
                    self.end_groups(0);
                    return;
                }
                self.frames.pop();
            }
        }
    }

    /// Visits a node. Returns whether its children are items, or `None` if they do not matter.
    fn enter(&mut self, node: Node<'_>) -> Option<bool> {
        interrupt::poll();
        self.carried = None;
        let bytes = node.byte_range();
        let Some(rule) = self.rules.get(usize::from(node.kind_id())).copied() else {
            self.close_ended();
            let is_within = self.frames.last().is_some_and(|frame| frame.unread);
            self.unread += if is_within { 0 } else { bytes.len() };
            self.error.get_or_insert(bytes.start);
            self.record_item(bytes.start, true);
            return Some(false);
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
        self.close_ended();
        match rule {
            // The text after a marker belongs to another part than the comments before it.
            Rule::Comment(_) if self.units.is_marker(bytes.start) => {
                self.frames.last_mut().expect("the root has a frame").lead = None;
                return None;
            }
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
        // In a function, only larger nodes matter. This skips most of the tree.
        let matters = self.members == 0 || !self.units.is_small(bytes.len());
        if matches!(rule, Rule::Plain) && frame.lead.is_none() && !frame.items {
            return (matters || node.has_error()).then_some(false);
        }
        // A block belongs to the text before it, such as the head of a class.
        let is_item = node.is_named() && !self.text[bytes.start..].starts_with('{');
        let start = self.record_item(bytes.start, is_item);
        if let Rule::Call(names, _) = rule
            && let Some(names) = names(node, self.text)
        {
            self.import(node, names);
            return None;
        }
        match rule {
            Rule::Unit(..)
            | Rule::Bodied(..)
            | Rule::Named(..)
            | Rule::Find(_)
            | Rule::Call(..)
            | Rule::Wrapper(_)
                if self.same != Some(node.id()) =>
            {
                match self.language.unit(node, self.text) {
                    Some(info) => return self.open(start, node, info).then_some(false),
                    // Another file: `mod name;` of Rust, `export * from "./name"` of JavaScript.
                    None if matches!(node.kind(), "mod_item" | "export_statement") => {
                        self.import(node, Vec::new());
                    }
                    None => self.end_group(),
                }
            }
            Rule::Import(names) => {
                self.import(node, names(node, self.text));
                return None;
            }
            Rule::Opaque => {
                self.end_group();
                return None;
            }
            Rule::Body => {
                self.end_group();
                return Some(true);
            }
            Rule::Plain if !matters && !node.has_error() => return None,
            Rule::Plain if node.is_named() => self.end_group(),
            _ => {}
        }
        Some(false)
    }

    /// Records the names that an import binds and the modules that it names, unless it is inside of a member.
    fn import(&mut self, node: Node<'_>, names: Vec<String>) {
        self.end_group();
        if self.members > 0 {
            return;
        }
        for name in names {
            self.units.import(node.start_byte(), name);
        }
        modules::add(&mut self.units.links, self.language.media_type, node, self.text);
    }

    /// Returns the beginning of a node with its comments and attributes, and records it as an item. A
    /// bracket or a keyword is not an item, only the comments before it.
    fn record_item(&mut self, start: usize, is_item: bool) -> usize {
        let body = self.body();
        let frame = self.frames.last_mut().expect("the root has a frame");
        let (depth, has_items) = (frame.bodies, frame.items);
        let lead = frame.lead.take();
        let bound =
            lead.filter(|lead| lead.bound || !lines::has_blank(&self.text[lead.end..start]));
        self.carried = bound;
        let begin = bound.map_or_else(|| lines::start(self.text, start), |lead| lead.start);
        let item = self.before_macros(begin);
        if has_items {
            if let Some(lead) = lead {
                self.units.item(lead.start.min(item), depth, body);
            }
            if is_item {
                self.units.item(item, depth, body);
            }
        }
        item
    }

    /// Returns the beginning of the macros on the lines before an offset, which the parser did not read.
    fn before_macros(&self, offset: usize) -> usize {
        let before = self.stand_ins.partition_point(|stand_in| stand_in.bytes.end <= offset);
        let mut start = offset;
        for StandIn { bytes, .. } in self.stand_ins[..before].iter().rev().take(MAX_MACROS) {
            let between = &self.text[bytes.end..start];
            let is_conditional = self.text[bytes.clone()].starts_with('#');
            let is_adjacent = between.trim_ascii().is_empty() && !lines::has_blank(between);
            if is_conditional || !is_adjacent || !lines::is_first(self.text, bytes.start) {
                break;
            }
            start = lines::start(self.text, bytes.start);
        }
        start
    }

    /// Returns the body whose items are at present visited, if it is the outermost one in the innermost unit.
    fn body(&self) -> Option<usize> {
        let frame = self.frames.last().expect("the root has a frame");
        let unit = self.open.last().map_or(0, |open| open.depth);
        let around = unit.checked_sub(1).map_or(0, |around| self.frames[around].bodies);
        (frame.items && frame.bodies == around + 1).then_some(frame.start)
    }

    /// Adds a comment or attribute to those of the next node.
    fn lead(&mut self, bytes: &std::ops::Range<usize>, bound: bool) {
        let (start, end) = (lines::start(self.text, bytes.start), self.trimmed(bytes));
        let body = self.body();
        let frame = self.frames.last_mut().expect("the root has a frame");
        let depth = frame.bodies;
        frame.lead = match frame.lead {
            Some(lead) if lead.bound || !lines::has_blank(&self.text[lead.end..bytes.start]) => {
                Some(Lead { start: lead.start, end, bound: lead.bound || bound })
            }
            other => {
                if let Some(lead) = other.filter(|_| frame.items) {
                    self.units.item(lead.start, depth, body);
                }
                Some(Lead { start, end, bound })
            }
        };
    }

    /// Opens the unit of a node. Returns whether its children matter.
    fn open(&mut self, start: usize, node: Node<'_>, info: UnitInfo<'_>) -> bool {
        let depth = self.frames.len();
        let UnitInfo { unit, title, at, same, membership, outermost } = info;
        if outermost && self.members > 0 {
            return true;
        }
        // A unit may be the beginning of an item, such as a method with a modifier behind it.
        // A member of the document parses alone, also between the lines of an include guard.
        let is_item = self.body().is_some() || self.open.is_empty();
        let begins_item = is_item || self.units.is_body_item(start);
        let start = lines::start_of_words(self.text, start);
        // A unit within a line of a function or a statement, such as a variable of a loop, would cut the line.
        let is_inside = self.members > 0 || self.frames.last().is_some_and(|frame| !frame.items);
        if is_inside && !lines::is_first(self.text, start) {
            return true;
        }
        if self.frames.last().is_some_and(|frame| frame.unread) {
            self.unread -= node.byte_range().len();
        }
        self.members += usize::from(unit == Unit::Member);
        self.carried = None;
        self.same = same;
        match &membership {
            Membership::MemberOf(scope) => self.continue_group(start, scope),
            Membership::Nested | Membership::TypeBefore => self.end_group(),
        }
        self.units.open(start, &title, unit);
        self.units.edges(!begins_item, !is_item);
        if unit == Unit::Container
            && let Some(line) = lines::around(self.text, node.start_byte(), at)
        {
            self.units.header(line);
        }
        let scope = matches!(membership, Membership::TypeBefore).then(|| title.into_owned());
        let end = self.trimmed(&node.byte_range());
        self.open.push(Open { depth, end, unit, scope });
        // A line end may follow, of two bytes.
        node.has_error() || unit == Unit::Module || !self.units.stays_whole(&(start..end + 2))
    }

    /// Continues the container of a type's members, or opens one.
    fn continue_group(&mut self, start: usize, scope: &str) {
        let depth = self.frames.len();
        let is_open =
            self.groups.last().is_some_and(|group| group.depth == depth && group.scope == scope);
        if !is_open {
            self.end_group();
            let titles = scope.split("::").map(str::trim).filter(|title| !title.is_empty());
            let titles: Vec<&str> = titles.collect();
            self.units.open_as(start, &titles, Unit::Container);
            self.units.join_earlier();
            self.groups.push(Group { depth, scope: scope.to_owned(), end: start });
        }
    }

    /// Leaves a node, and ends its unit if it has one.
    fn leave(&mut self) {
        let depth = self.frames.len();
        if let Some(open) = self.open.pop_if(|open| open.depth == depth) {
            self.members -= usize::from(open.unit == Unit::Member);
            if self.ended.last().is_some_and(|ended| ended.end != open.end) {
                self.close_ended();
            }
            if self.groups.last().is_some_and(|group| group.depth > depth) {
                self.close_ended();
                self.end_groups(depth + 1);
            }
            self.ended.push(open);
        }
    }

    /// Closes the ended units.
    fn close_ended(&mut self) {
        for Open { depth, end, scope, .. } in std::mem::take(&mut self.ended) {
            let end = lines::end(self.text, end).unwrap_or(end);
            self.end_groups(depth + 1);
            if let Some(scope) = scope {
                self.groups.push(Group { depth, scope, end });
                continue;
            }
            self.units.close(end);
            if let Some(group) = self.groups.last_mut()
                && group.depth == depth
            {
                group.end = end;
            }
        }
    }

    /// Closes the group at the current depth, because another node follows it.
    fn end_group(&mut self) {
        self.end_groups(self.frames.len());
    }

    /// Closes the groups at a depth and below.
    fn end_groups(&mut self, depth: usize) {
        while let Some(group) = self.groups.pop_if(|group| group.depth >= depth) {
            self.units.close(group.end);
        }
    }

    /// Returns the end of a node without trailing white space.
    fn trimmed(&self, bytes: &std::ops::Range<usize>) -> usize {
        let text = self.text.get(bytes.clone()).unwrap_or_default();
        bytes.start + text.trim_ascii_end().len()
    }
}
