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
   minimum, they are merged up to the maximum. Merged members have the section of their parent.
   Closing brackets of a container are merged with its last member up to the maximum, and the chunk has
   the section of the member and the level of the container.
   Nothing is merged across the edge of a divided unit. So the chunks of a section and the sections
   below it are exactly the unit.
3. In a module, own text (imports, loose statements) is not merged with members.
4. Long text without members is cut, preferably at an item that the parser reported.

A unit has outer and inner edges. The text between them belongs to the unit for its neighbors but
not for itself, such as the key and the comma of a JSON value. It stays with a whole unit, and it is
own text of the parent of a divided unit.

The document is read once, in order, and a unit is dropped when it closes. So memory is bounded by
the chunks and the open units. Units deeper than [`MAX_DEPTH`] are text of their parent.
*/

mod divide;
mod open_unit;

use super::{ChunkLimits, Sizer, draft::Draft, titles::shorten};
use crate::Unit;
use open_unit::{Atom, OpenUnit, Position};
use std::ops::Range;

/// The maximum depth of sections in code and data. A section has a title for each level, so without
/// a bound a document of brackets only would cost the square of its depth.
pub(super) const MAX_DEPTH: usize = 64;

/// The units of one document, which become chunks while the parser reports them.
pub(super) struct Units<'a> {
    text: &'a str,
    limits: ChunkLimits,
    sizer: &'a dyn Sizer,
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
    items: Vec<usize>,
    /// The names that imports bind, each with its offset, ascending.
    imports: Vec<(usize, String)>,
    drafts: Vec<Draft>,
}

/// The title of a value.
#[derive(Clone, Copy)]
pub(super) enum Title<'t> {
    /// A key, which gets the next free ` (n)` if it is repeated.
    Key(&'t str),
    /// A key that the language does not allow to repeat.
    OnlyKey(&'t str),
    /// The index in an array, as `[0]`.
    Index(usize),
}

impl<'a> Units<'a> {
    pub(super) fn new(text: &'a str, limits: ChunkLimits, sizer: &'a dyn Sizer) -> Self {
        let document = OpenUnit::new(Unit::Module, 0, Position::default(), Position::default());
        Self {
            text,
            limits,
            sizer,
            open: vec![document],
            divided: 1,
            too_deep: 0,
            path: Vec::new(),
            at: Position::default(),
            items: Vec::new(),
            imports: Vec::new(),
            drafts: Vec::new(),
        }
    }

    /// Opens a unit inside the open one. Offsets never decrease from call to call.
    ///
    /// `outer` and `start` are its outer and inner edges. A title that is in use in its parent gets
    /// the next free ` (n)` (decision 13).
    pub(super) fn open(&mut self, outer: usize, start: usize, title: &str, unit: Unit) {
        if !self.exceeds_depth(1) {
            let title = self.unique_title(title, true);
            self.enter(outer, start, title, unit);
        }
    }

    /// Opens a unit with exactly these titles, such as the index of an array or the path of a TOML
    /// table. A unit with the same titles as an earlier one continues it.
    pub(super) fn open_as(&mut self, outer: usize, start: usize, titles: &[&str], unit: Unit) {
        if !self.exceeds_depth(titles.len()) {
            let titles = titles.iter().map(|title| shorten(title).into_owned());
            self.enter(outer, start, titles, unit);
        }
    }

    /// Opens an entry of an object or an array.
    pub(super) fn open_at(&mut self, outer: usize, start: usize, title: Title<'_>, unit: Unit) {
        match title {
            Title::Key(key) => self.open(outer, start, key, unit),
            Title::OnlyKey(key) => self.open_as(outer, start, &[key], unit),
            Title::Index(index) => self.open_as(outer, start, &[&format!("[{index}]")], unit),
        }
    }

    /// Closes the open unit at its inner edge `end` and its outer edge `outer`.
    pub(super) fn close(&mut self, end: usize, outer: usize) {
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
        let outer = self.measure(outer);
        let (size, bytes) = (outer.size - closed.outer.size, outer.byte - closed.outer.byte);
        if self.limits.exceeded_by(size, bytes) {
            // It fits, but not with the text between its edges.
            self.open.push(closed);
            self.divide_to(self.open.len());
            self.leave_divided(end);
            return;
        }
        let around = self.top().depth;
        let bare = closed.outer.byte == closed.inner.byte && end.byte == outer.byte;
        let titles = if bare { self.path.split_off(around) } else { Vec::new() };
        self.path.truncate(around);
        self.add(Atom {
            bytes: closed.outer..outer,
            level: closed.depth as u32,
            unit: closed.unit,
            own: false,
            titles,
        });
    }

    /// Opens and closes a value without members, between its outer and its inner edges.
    ///
    /// Data consists mostly of such values, so this is one step.
    pub(super) fn value(&mut self, outer: Range<usize>, inner: Range<usize>, title: Title<'_>) {
        if self.too_deep > 0 || self.path.len() == MAX_DEPTH {
            return;
        }
        let outer_start = self.measure(outer.start);
        self.own_text(outer_start);
        let start = self.top().grouped;
        let end = self.measure(outer.end);
        let is_whole = !self.limits.exceeded_by(end.size - start.size, end.byte - start.byte);
        if is_whole {
            let is_bare = outer == inner;
            let title = match title {
                // A key that no section shows is reserved too.
                Title::Key(key) => self.unique_title(key, is_bare),
                Title::OnlyKey(key) => is_bare.then(|| shorten(key).into_owned()),
                Title::Index(index) => is_bare.then(|| format!("[{index}]")),
            };
            let (level, unit) = (self.path.len() as u32 + 1, Unit::Value);
            let titles = title.into_iter().collect();
            self.add(Atom { bytes: start..end, level, unit, own: false, titles });
            return;
        }
        self.at = outer_start;
        self.open_at(outer.start, inner.start, title, Unit::Value);
        self.close(inner.end, outer.end);
    }

    /// Closes the open units and returns the drafts of all chunks.
    pub(super) fn finish(mut self) -> Vec<Draft> {
        let end = self.text.len();
        self.too_deep = 0;
        while self.open.len() > 1 {
            self.close(end, end);
        }
        let end = self.measure(end);
        self.own_text(end);
        self.leave_divided(end);
        self.drafts
    }
}

/// The methods for parsers of source code.
#[cfg(any(feature = "code", test))]
impl Units<'_> {
    /// Returns whether a unit of so many bytes stays whole, so that its members do not matter.
    ///
    /// No known sizer counts more than one unit of size for a byte. With such a sizer, the unit would
    /// be cut like text.
    pub(super) fn stays_whole(&self, bytes: usize) -> bool {
        bytes <= self.limits.max
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
    pub(super) fn item(&mut self, offset: usize) {
        let offset = self.between_characters(offset);
        if self.items.last().is_none_or(|last| *last < offset) {
            self.items.push(offset);
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

    /// Reserves a unique title in the open unit, and returns it if it is shown.
    fn unique_title(&mut self, title: &str, is_shown: bool) -> Option<String> {
        let title = shorten(title);
        let numbered = self.top().titles.reserve(0, &title);
        is_shown.then(|| numbered.unwrap_or_else(|| title.into_owned()))
    }

    /// Returns whether so many more titles would be too deep, and counts the unit if so.
    fn exceeds_depth(&mut self, titles: usize) -> bool {
        let exceeds_depth = self.too_deep > 0 || self.path.len() + titles > MAX_DEPTH;
        self.too_deep += usize::from(exceeds_depth);
        exceeds_depth
    }
}

#[cfg(test)]
mod tests;
