//! An open unit, and the groups of its members and own text.

use crate::{
    Unit,
    split::{options::ChunkLimits, titles::UsedTitles},
};
use compact_str::CompactString;
use smallvec::SmallVec;
use std::ops::Range;

/// Titles of one level or more. Most values have one short title, and it is dropped when they are merged, so it is not
/// allocated.
pub(super) type Titles = SmallVec<[CompactString; 1]>;

/// An offset in the document, with the size of the text before it.
///
/// The size is the sum of the sizes between the offsets that the parser reports. It decides roughly
/// what fits; a chunk is measured again as a whole.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Position {
    pub(super) byte: usize,
    pub(super) size: usize,
}

/// A unit that is open.
pub(super) struct OpenUnit {
    pub(super) unit: Unit,
    /// The number of titles from the root to it.
    pub(super) depth: usize,
    pub(super) start: Position,
    /// The end of its text in groups; only white space follows.
    pub(super) grouped: Position,
    /// Whether it begins inside of an item of its parent.
    pub(super) begins_inside: bool,
    /// Whether the item of its parent continues after it.
    pub(super) ends_inside: bool,
    /// Whether an item of it continues after the text in groups.
    pub(super) continues: bool,
    /// The line that its members repeat.
    pub(super) header: Option<Range<usize>>,
    /// The titles in use by its members.
    pub(super) titles: UsedTitles,
    /// The complete groups, until it is divided.
    pub(super) done: Vec<Group>,
    pub(super) last: Option<Group>,
}

impl OpenUnit {
    pub(super) fn new(unit: Unit, depth: usize, start: Position) -> Self {
        Self {
            unit,
            depth,
            start,
            grouped: start,
            begins_inside: false,
            ends_inside: false,
            continues: false,
            header: None,
            titles: UsedTitles::default(),
            done: Vec::new(),
            last: None,
        }
    }

    /// Returns a range of the unit's own text as an atom.
    pub(super) fn own_atom(&self, bytes: Range<Position>, is_item: bool) -> Atom {
        let is_first = bytes.start.byte == self.start.byte;
        let begins_inside = if is_first { self.begins_inside } else { self.continues && !is_item };
        Atom {
            bytes,
            level: self.depth as u32,
            unit: self.unit,
            own: true,
            begins_inside,
            ends_inside: false,
            titles: Titles::new(),
        }
    }
}

/// A part of a unit that is cut only if it alone is too long: a member, or own text between two.
pub(super) struct Atom {
    pub(super) bytes: Range<Position>,
    pub(super) level: u32,
    pub(super) unit: Unit,
    /// Whether it is own text of its parent.
    pub(super) own: bool,
    /// Whether it begins inside of an item of its parent.
    pub(super) begins_inside: bool,
    /// Whether that item continues after it.
    pub(super) ends_inside: bool,
    /// The titles of a member below its parent.
    pub(super) titles: Titles,
}

impl Atom {
    /// Returns an entry of data, at the depth of its section.
    pub(super) fn entry(bytes: Range<Position>, depth: usize, unit: Unit, titles: Titles) -> Self {
        let level = depth as u32;
        Self { bytes, level, unit, own: false, begins_inside: false, ends_inside: false, titles }
    }

    /// Returns whether it is an entry without a section of its own.
    fn is_untitled(&self) -> bool {
        !self.own && self.titles.is_empty()
    }
}

/// The kind of the members of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Members {
    /// Declarations of source code, or elements of XML, between which is text. Several in a chunk, and
    /// own text, belong to their parent.
    Declarations,
    /// Entries of JSON, YAML, TOML or INI. Small own text, which is keys and brackets, belongs to the
    /// entry next to it.
    Entries,
}

/// Adjacent atoms, which become one chunk.
pub(super) struct Group {
    pub(super) bytes: Range<Position>,
    pub(super) level: u32,
    pub(super) unit: Unit,
    /// Whether all of it is own text of its parent.
    pub(super) own: bool,
    /// Whether it has several entries that are not all records.
    is_mixed: bool,
    /// Whether it begins inside of an item of its parent.
    pub(super) begins_inside: bool,
    /// The titles of its section below the section of its parent.
    pub(super) titles: Titles,
}

impl Group {
    pub(super) fn new(atom: Atom) -> Self {
        let is_mixed = atom.is_untitled();
        let Atom { bytes, level, unit, own, begins_inside, titles, .. } = atom;
        Self { bytes, level, unit, own, is_mixed, begins_inside, titles }
    }

    /// Returns whether an atom is merged into the group; `around` is the kind of their parent.
    pub(super) fn accepts(
        &self,
        atom: &Atom,
        around: Unit,
        members: Members,
        limits: ChunkLimits,
    ) -> bool {
        let size = |bytes: &Range<Position>| bytes.end.size - bytes.start.size;
        let is_small = |bytes: &Range<Position>| size(bytes) < limits.min;
        let both = self.bytes.start..atom.bytes.end;
        if limits.exceeded_by(size(&both), both.end.byte - both.start.byte)
            || (around == Unit::Module && self.own != atom.own)
        {
            return false;
        }
        if members == Members::Entries
            && (atom.own && is_small(&atom.bytes) || self.own && is_small(&self.bytes))
        {
            return true;
        }
        // A member that is large enough for a search hit keeps its title.
        let stands_alone = |titles: &[CompactString], bytes: &Range<Position>| {
            !titles.is_empty() && !is_small(bytes)
        };
        if stands_alone(&self.titles, &self.bytes) || stands_alone(&atom.titles, &atom.bytes) {
            return false;
        }
        size(&both) <= limits.preferred || is_small(&self.bytes) || is_small(&atom.bytes)
    }

    /// Returns whether closing brackets after the group are merged into it: after the last unit of a
    /// container or a module, and after several members of a module.
    ///
    /// A passage with a member has the whole container, so it has both anyway. But a single unit of a
    /// module, or a container in another one, may be a passage, which leaves out the last line.
    pub(super) fn takes_closing(
        &self,
        atom: &Atom,
        around: Unit,
        is_line: bool,
        limits: ChunkLimits,
    ) -> bool {
        let is_single = self.titles.len() == 1;
        let is_line = is_line && is_single && !self.begins_inside;
        let fits = match around {
            Unit::Container => is_single && self.unit == Unit::Member || is_line,
            Unit::Module => is_line || self.titles.is_empty() && !self.own,
            _ => is_line,
        };
        fits && atom.own && self.has_room(atom.bytes.end, limits)
    }

    /// Adds closing brackets. The group keeps the section of its member, and its level is that of the
    /// container, unless it begins inside of an item.
    pub(super) fn add_closing(&mut self, atom: &Atom) {
        self.bytes.end = atom.bytes.end;
        if !self.begins_inside {
            self.level = self.level.min(atom.level);
        }
    }

    /// Returns whether white space up to a position may be added.
    pub(super) fn has_room(&self, end: Position, limits: ChunkLimits) -> bool {
        let Range { start, .. } = self.bytes;
        !limits.exceeded_by(end.size - start.size, end.byte - start.byte)
    }

    /// Adds an accepted atom.
    pub(super) fn add(&mut self, atom: Atom, around: Unit, members: Members) {
        self.bytes.end = atom.bytes.end;
        match members {
            Members::Declarations => self.add_declaration(&atom, around),
            Members::Entries => self.add_entry(atom),
        }
    }

    fn add_declaration(&mut self, atom: &Atom, around: Unit) {
        // A container among others counts as its parent, and so does own text.
        let part =
            |own: bool, unit: Unit| if own || unit == Unit::Container { around } else { unit };
        let (mine, other) = (part(self.own, self.unit), part(atom.own, atom.unit));
        self.unit = match (mine, other) {
            (mine, other) if mine == other => mine,
            (mine, other) if mine == around || other == around => around,
            _ => Unit::Member,
        };
        self.level = self.level.min(atom.level);
        self.own &= atom.own;
        self.titles.clear();
    }

    fn add_entry(&mut self, atom: Atom) {
        if atom.own {
            return;
        }
        if self.own {
            self.is_mixed = atom.is_untitled();
            (self.own, self.unit, self.titles) = (false, atom.unit, atom.titles);
            return;
        }
        // Several records are members; anything else is a part of their container.
        let is_record = |unit: Unit| matches!(unit, Unit::Container | Unit::Member);
        let are_records = is_record(self.unit) && atom.unit == Unit::Container && !self.is_mixed;
        self.is_mixed = !are_records;
        self.unit = if are_records { Unit::Member } else { Unit::Container };
        let shared = self.titles.iter().zip(&atom.titles).take_while(|(a, b)| a == b).count();
        self.titles.truncate(shared);
    }
}
