/*!
From units to chunks: what code and structured data are made of, kept whole where it fits.

A parser walks through a document and says where its units open and close: classes and their
methods, objects and their members. Each unit has a title, below that of the unit around it, and
what lies between its members is its own text: the head of a class, the brackets and commas of an
array. That is all a parser decides; what becomes of it is the same for every language:

1. A unit up to the maximum is one chunk, or a part of one. Others are divided: their own text
   stands in their own section, and their members in theirs. The document itself is always divided.
2. A member of at least the minimum is a chunk of its own. Smaller ones, and the text between, are
   merged with their neighbours, greedily from the beginning on, up to the preferred size, and up to
   the maximum if one of the two is below the minimum. More than one have the section of the unit
   around them. Nothing is merged across the edge of a unit that is divided, so that the chunks of a
   section and of those below it are the unit, whole.
3. In a module, its own text (imports, loose statements) is not merged with its members.
4. What is too long and has no members is cut, best where the parser saw an item begin.

What belongs to a member for its neighbours but not for itself, such as the key and the comma of a
JSON value, lies between its outer and its inner edges. It goes along while the member is whole,
and is the own text of the unit around it when the member is divided.

The document is read once, in order, and a unit is forgotten when it closes: memory is bounded by
the chunks that come of it and by the units that are open. Units deeper than [`MOST_DEPTH`] are text
of the one around them.
*/

#[cfg(any(feature = "code", test))]
mod code;
mod divide;
mod group;
mod open;

use super::{ChunkLimits, Sizer, draft::Draft, sections::shorten};
use crate::Unit;
use group::{Atom, Group};
use open::Open;
use std::ops::Range;

/// The deepest section of code and data. Sections name every level above them, so a document of
/// nothing but brackets would otherwise cost the square of its depth.
pub(super) const MOST_DEPTH: usize = 64;

/// The units of one document, on their way to chunks.
pub(super) struct Units<'a> {
    text: &'a str,
    limits: ChunkLimits,
    sizer: &'a dyn Sizer,
    /// The units that are open, the document first.
    open: Vec<Open>,
    /// How many of them are divided: the outermost ones.
    divided: usize,
    /// How many more are open below the greatest depth.
    beyond: usize,
    /// The titles of the open units, from the outside in.
    path: Vec<String>,
    /// Up to where the text is measured.
    at: Place,
    /// Where long text is best cut, ascending.
    items: Vec<usize>,
    /// The names that imports bind, each with its place, ascending.
    imports: Vec<(usize, String)>,
    drafts: Vec<Draft>,
}

/// A place in the document, with the size of the text before it.
///
/// Sizes are the sums of those between the places that a parser names, which tells roughly what
/// fits; a chunk is measured again as a whole.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    byte: usize,
    size: usize,
}

/// What a value is called.
#[derive(Clone, Copy)]
pub(super) enum Title<'t> {
    /// A key, which gets the next free ` (n)` if it comes again.
    Key(&'t str),
    /// A key of which the language says that it does not come again.
    OnlyKey(&'t str),
    /// The place in an array, as `[0]`.
    Index(usize),
}

impl<'a> Units<'a> {
    pub(super) fn new(text: &'a str, limits: ChunkLimits, sizer: &'a dyn Sizer) -> Self {
        let document = Open::new(Unit::Module, 0, Place::default(), Place::default());
        Self {
            text,
            limits,
            sizer,
            open: vec![document],
            divided: 1,
            beyond: 0,
            path: Vec::new(),
            at: Place::default(),
            items: Vec::new(),
            imports: Vec::new(),
            drafts: Vec::new(),
        }
    }

    /// Opens a unit inside the one that is open, at a place not before any named so far.
    ///
    /// It is itself from `start` on; what lies between `outer` and that goes along with it. A title
    /// that the unit around it already holds gets the next free ` (n)` (decision 13).
    pub(super) fn open(&mut self, outer: usize, start: usize, title: &str, unit: Unit) {
        if !self.is_beyond(1) {
            let title = self.titled(title, true);
            self.enter(outer, start, title, unit);
        }
    }

    /// Opens a unit whose titles are as given, such as the index of an array or the path of a TOML
    /// table: if they come again, the unit goes on.
    pub(super) fn open_as(&mut self, outer: usize, start: usize, titles: &[&str], unit: Unit) {
        if !self.is_beyond(titles.len()) {
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

    /// Closes the unit that is open: it is itself up to `end`, and what lies between that and
    /// `outer` goes along with it.
    pub(super) fn close(&mut self, end: usize, outer: usize) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        let end = self.measure(end);
        self.own_text(end);
        if self.open.len() == self.divided {
            self.leave_divided(end);
            return;
        }
        let closed = self.open.pop().expect("what closes is open");
        let outer = self.measure(outer);
        let (size, bytes) = (outer.size - closed.outer.size, outer.byte - closed.outer.byte);
        if self.limits.passed_by(size, bytes) {
            // It fits, but not with what goes along with it.
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

    /// Opens and closes a value that has nothing inside: `outer`, its `start` and `end`, and up to
    /// where what goes along with it reaches. Data is mostly this, so it is done in one step.
    pub(super) fn value(&mut self, outer: Range<usize>, inner: Range<usize>, title: Title<'_>) {
        if self.beyond > 0 || self.path.len() == MOST_DEPTH {
            return;
        }
        let outer_start = self.measure(outer.start);
        self.own_text(outer_start);
        let start = self.top().grouped;
        let end = self.measure(outer.end);
        let is_whole = !self.limits.passed_by(end.size - start.size, end.byte - start.byte);
        if is_whole {
            let is_bare = outer == inner;
            let title = match title {
                // A key that shows nowhere must still not be taken by another.
                Title::Key(key) => self.titled(key, is_bare),
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

    /// Closes what is open and returns the chunks to be.
    pub(super) fn finish(mut self) -> Vec<Draft> {
        let end = self.text.len();
        self.beyond = 0;
        while self.open.len() > 1 {
            self.close(end, end);
        }
        let end = self.measure(end);
        self.own_text(end);
        self.leave_divided(end);
        self.drafts
    }
}

impl Units<'_> {
    fn top(&mut self) -> &mut Open {
        self.open.last_mut().expect("the document is open")
    }

    /// Takes a title that none in the open unit bears, and returns it if it is to be shown.
    fn titled(&mut self, title: &str, is_shown: bool) -> Option<String> {
        let title = shorten(title);
        let numbered = self.top().titles.free(0, &title);
        is_shown.then(|| numbered.unwrap_or_else(|| title.into_owned()))
    }

    /// Tells whether so many more titles would be too deep, and counts the unit if so.
    fn is_beyond(&mut self, titles: usize) -> bool {
        let is_beyond = self.beyond > 0 || self.path.len() + titles > MOST_DEPTH;
        self.beyond += usize::from(is_beyond);
        is_beyond
    }

    fn enter(
        &mut self,
        outer: usize,
        start: usize,
        titles: impl IntoIterator<Item = String>,
        unit: Unit,
    ) {
        let measured = self.measure(outer);
        self.own_text(measured);
        let inner = self.measure(start);
        // White space that nothing before it took comes along.
        let outer = self.top().grouped;
        let inner = if inner.byte == measured.byte { outer } else { inner };
        self.path.extend(titles);
        self.open.push(Open::new(unit, self.path.len(), outer, inner));
    }

    /// Closes the innermost unit, which is divided and ends at a place.
    fn leave_divided(&mut self, end: Place) {
        let index = self.open.len() - 1;
        if let Some(last) = self.open[index].last.take() {
            self.draft(index, last);
        }
        // White space behind the last member of all.
        if self.open[index].grouped.byte < end.byte {
            let bytes = self.open[index].grouped..end;
            let blank =
                Atom { bytes, level: index as u32, unit: Unit::Text, own: true, titles: vec![] };
            self.draft(index, Group::new(blank));
        }
        self.open.pop();
        self.divided = self.open.len();
        if let Some(around) = self.open.last_mut() {
            around.grouped = end;
            self.path.truncate(around.depth);
        }
    }
}

#[cfg(test)]
mod tests;
