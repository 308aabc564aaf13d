/*!
Units: turns code and structured data into chunks, and keeps units whole that fit.

A parser walks through a document and reports where units open and close: classes and their methods,
objects and their members. Each unit has a title below that of its parent. The text between its
members is its own text: the head of a class, the brackets and commas of an array. The rest is the
same for every language:

1. A unit up to the maximum is one chunk or a part of one. Larger units are divided: their own text
   gets their section, and each member gets its own. The document itself is always divided.
2. A member of at least the minimum is a chunk. Smaller members and own text are merged with their
   neighbors, greedily in document order, up to the preferred size. If one of the two is below the
   minimum, they are merged up to the maximum. Merged members have the section that they share.
   The closing line of a unit of code is merged with the last chunk of its last unit up to the maximum,
   and the chunk has the section of that unit and the level of the outermost unit that it closes.
   Nothing else is merged across the edge of a divided unit. So the chunks of a section and the sections
   below it are exactly the unit, except for closing lines of lower levels.
3. In a module, own text (imports, loose statements) is not merged with members.
4. Long text without members is cut, preferably at an item that the parser reported. A piece that does
   not begin with an item of the unit's body, but inside of one, is a level deeper. So a passage can
   leave out other pieces and still parse.

The units of data are [entries](Members::Entries). Their own text is little more than keys and
brackets, so a chunk with one entry has the section of this entry, whatever brackets it also has. Own
text below the minimum never is a chunk if it fits a neighbor: an opening bracket belongs to the chunk
after it, and a closing bracket to the chunk before it, also across the edge of a divided unit.

A boundary divides the units that contain it, as if they were too large. Nothing is merged across it, and own text with
a marker alone counts as white space.

The document is read once, in order, and a unit is dropped when it closes. So memory is bounded by
the chunks and the open units. Units deeper than [`MAX_DEPTH`] are text of their parent.
*/

mod brackets;
mod divide;
mod open_unit;

use super::{ChunkLimits, Sizer, boundaries::Boundaries, cut::Item, draft::Draft, titles::shorten};
use crate::Unit;
use crate::links::Links;
use compact_str::{CompactString, ToCompactString};
pub(super) use open_unit::Members;
use open_unit::{Atom, OpenUnit, Position, Titles};
use smallvec::smallvec;
use std::ops::Range;

/// The maximum depth of sections in code and data. A section has a title for each level, so without
/// a bound a document of brackets only would cost the square of its depth.
pub(super) const MAX_DEPTH: usize = 64;

/// The units of one document, which become chunks while the parser reports them.
pub(super) struct Units<'a> {
    text: &'a str,
    limits: ChunkLimits,
    sizer: &'a dyn Sizer,
    members: Members,
    boundaries: &'a Boundaries,
    /// The open units, the document first.
    open: Vec<OpenUnit>,
    /// The number of divided units among them, which are the outermost ones.
    divided: usize,
    /// The number of open units below the maximum depth.
    too_deep: usize,
    /// The titles of the open units, the outermost first.
    path: Vec<String>,
    /// The position up to which the text is measured.
    at: Position,
    /// The best offsets to cut long text, ascending.
    items: Vec<Item>,
    /// Those that are items of the outermost body in their unit, each with the beginning of the body, ascending.
    body_items: Vec<(usize, usize)>,
    /// Whether the parser reports items, as parsers of source code do.
    has_items: bool,
    /// The names that imports bind, each with its offset, ascending.
    imports: Vec<(usize, String)>,
    /// The links that the parser reports.
    pub(super) links: Links,
    drafts: Vec<Draft>,
    /// An opening bracket that the next chunk begins with, if it fits.
    opening: Option<Draft>,
}

/// The title of a value.
#[derive(Clone, Copy)]
pub(super) enum Title<'t> {
    /// A key, which gets the next free ` (n)` if it is repeated.
    Key(&'t str),
    /// The index in an array, as `[0]`.
    Index(usize),
}

impl<'a> Units<'a> {
    pub(super) fn new(
        text: &'a str,
        limits: ChunkLimits,
        sizer: &'a dyn Sizer,
        members: Members,
        boundaries: &'a Boundaries,
    ) -> Self {
        let document = OpenUnit::new(Unit::Module, 0, Position::default());
        Self {
            text,
            limits,
            sizer,
            members,
            boundaries,
            open: vec![document],
            divided: 1,
            too_deep: 0,
            path: Vec::new(),
            at: Position::default(),
            items: Vec::new(),
            body_items: Vec::new(),
            has_items: false,
            imports: Vec::new(),
            links: Links::default(),
            drafts: Vec::new(),
            opening: None,
        }
    }

    /// Opens a unit inside the open one. Offsets never decrease from call to call.
    ///
    /// A title that is in use in its parent gets the next free ` (n)` (decision 13).
    pub(super) fn open(&mut self, start: usize, title: &str, unit: Unit) {
        if !self.exceeds_depth(1) {
            let title = self.unique_title(title);
            self.enter(start, [title.into()], unit);
        }
    }

    /// Opens a unit with exactly these titles, such as the index of an array or the path of a TOML
    /// table. A unit with the same titles as an earlier one continues it.
    pub(super) fn open_as(&mut self, start: usize, titles: &[&str], unit: Unit) {
        if !self.exceeds_depth(titles.len()) {
            let titles = titles.iter().map(|title| shorten(title).into_owned());
            self.enter(start, titles, unit);
        }
    }

    /// Opens an entry of an object or an array.
    pub(super) fn open_at(&mut self, start: usize, title: Title<'_>, unit: Unit) {
        match title {
            Title::Key(key) => self.open(start, key, unit),
            Title::Index(index) => self.open_as(start, &[&index_title(index)], unit),
        }
    }

    /// Closes the open unit.
    pub(super) fn close(&mut self, end: usize) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        let end = self.measure(end);
        self.own_text(end);
        if self.open.len() == self.divided {
            self.leave_divided(end);
            return;
        }
        let closed = self.open.pop().expect("a closed unit is open");
        let around = self.top().depth;
        let titles = self.path.drain(around..).map(CompactString::from).collect();
        self.add(Atom {
            bytes: closed.start..end,
            level: closed.depth as u32,
            unit: closed.unit,
            own: false,
            begins_inside: closed.begins_inside,
            ends_inside: closed.ends_inside,
            titles,
        });
    }

    /// Opens and closes a value without members.
    ///
    /// Data consists mostly of such values, so this is one step.
    pub(super) fn value(&mut self, bytes: Range<usize>, title: Title<'_>) {
        if self.too_deep > 0 || self.path.len() == MAX_DEPTH {
            return;
        }
        let before = self.measure(bytes.start);
        self.own_text(before);
        let start = self.top().grouped;
        let end = self.measure(bytes.end);
        let is_long = self.limits.exceeded_by(end.size - start.size, end.byte - start.byte);
        if is_long || self.boundaries.divide(&(start.byte..end.byte)) {
            self.at = before;
            self.open_at(bytes.start, title, Unit::Value);
            self.close(bytes.end);
            return;
        }
        let title = match title {
            Title::Key(key) => self.unique_title(key),
            Title::Index(index) => index_title(index),
        };
        self.add(Atom::entry(start..end, self.path.len() + 1, Unit::Value, smallvec![title]));
    }

    /// Adds an entry that has no section of its own: it shares a line with the unit around it.
    pub(super) fn untitled(&mut self, bytes: Range<usize>) {
        if self.too_deep > 0 {
            return;
        }
        let before = self.measure(bytes.start);
        self.own_text(before);
        let end = self.measure(bytes.end);
        let open = self.top();
        let atom = Atom::entry(open.grouped..end, open.depth, open.unit, Titles::new());
        self.add(atom);
    }

    /// Closes the open units and returns the drafts of all chunks.
    pub(super) fn finish(mut self) -> Vec<Draft> {
        let end = self.text.len();
        self.too_deep = 0;
        while self.open.len() > 1 {
            self.close(end);
        }
        let end = self.measure(end);
        self.own_text(end);
        self.leave_divided(end);
        self.drafts.extend(self.opening);
        self.drafts
    }
}

/// The methods for parsers of source code.
#[cfg(any(feature = "grammar", test))]
impl Units<'_> {
    /// Returns whether a comment at an offset is a marker, which belongs to the text before it.
    pub(super) fn is_marker(&self, offset: usize) -> bool {
        self.boundaries.marker(offset).is_some()
    }

    /// Returns whether a unit stays whole, so that its members do not matter.
    ///
    /// No known sizer counts more than one unit of size for a byte. With such a sizer, the unit would
    /// be cut like text.
    pub(super) fn stays_whole(&self, bytes: &Range<usize>) -> bool {
        bytes.len() <= self.limits.max && !self.boundaries.divide(bytes)
    }

    /// Returns whether a node of so many bytes is too small to be cut inside.
    pub(super) fn is_small(&self, bytes: usize) -> bool {
        bytes < self.limits.preferred / 4
    }

    /// Sets the line that the chunks of the open unit repeat, such as the head of a class.
    pub(super) fn header(&mut self, line: Range<usize>) {
        if self.too_deep == 0 {
            self.top().header = Some(line);
        }
    }

    /// Records an offset at which long text is best cut, such as the beginning of a statement.
    ///
    /// `depth` is the number of bodies around it; `body` identifies the outermost one in the open unit if the
    /// item is directly in it.
    pub(super) fn item(&mut self, offset: usize, depth: usize, body: Option<usize>) {
        self.has_items = true;
        let offset = self.between_characters(offset);
        if self.items.last().is_none_or(|last| last.at < offset) {
            self.items.push(Item { at: offset, depth });
            self.body_items.extend(body.map(|body| (offset, body)));
        }
    }

    /// Returns whether an offset is an item of the outermost body in the open unit.
    pub(super) fn is_body_item(&self, offset: usize) -> bool {
        let offset = self.between_characters(offset);
        self.body_items.binary_search_by_key(&offset, |(item, _)| *item).is_ok()
    }

    /// Sets whether the open unit begins and ends inside of an item of its parent, such as a method in the value
    /// of a field.
    pub(super) fn edges(&mut self, begins_inside: bool, ends_inside: bool) {
        if self.too_deep == 0 {
            let open = self.top();
            (open.begins_inside, open.ends_inside) = (begins_inside, ends_inside);
        }
    }

    /// Makes the chunks of a unit before the open one, with the same titles, one item: the open unit has the
    /// members after a class, which are outside of its brackets.
    pub(super) fn join_earlier(&mut self) {
        if self.too_deep > 0 {
            return;
        }
        let depth = self.path.len();
        let earlier = self.drafts.iter().rev();
        let count = earlier.take_while(|draft| draft.section.starts_with(&self.path)).count();
        for index in self.drafts.len() - count + 1..self.drafts.len() {
            crate::interrupt::poll();
            let (before, draft) = (&self.drafts[index - 1], &self.drafts[index]);
            let is_run = before.section == draft.section && before.unit == draft.unit;
            let common = crate::section::common_prefix(&before.section, &draft.section);
            let is_own_run = is_run && draft.unit == Unit::Container;
            if common.len() == depth && !is_own_run {
                let draft = &mut self.drafts[index];
                draft.level = draft.level.max(draft.section.len() as u32 + 1);
            }
        }
    }

    /// Records a name that an import binds.
    pub(super) fn import(&mut self, offset: usize, name: String) {
        self.imports.push((offset, name));
    }
}

impl Units<'_> {
    fn top(&mut self) -> &mut OpenUnit {
        self.open.last_mut().expect("the document is open")
    }

    /// Reserves a unique title in the open unit.
    fn unique_title(&mut self, title: &str) -> CompactString {
        let title = shorten(title);
        let numbered = self.top().titles.reserve(0, &title);
        numbered.map_or_else(|| CompactString::from(title), CompactString::from)
    }

    /// Returns whether so many more titles would be too deep, and counts the unit if so.
    fn exceeds_depth(&mut self, titles: usize) -> bool {
        let exceeds_depth = self.too_deep > 0 || self.path.len() + titles > MAX_DEPTH;
        self.too_deep += usize::from(exceeds_depth);
        exceeds_depth
    }
}

/// Returns the title of an item of an array.
fn index_title(index: usize) -> CompactString {
    let mut title = CompactString::const_new("[");
    title.push_str(&index.to_compact_string());
    title.push(']');
    title
}

#[cfg(test)]
mod tests;
