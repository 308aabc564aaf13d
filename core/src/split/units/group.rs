//! Neighbours within one unit that become one chunk.

use super::Place;
use crate::{Unit, split::ChunkLimits};
use std::ops::Range;

/// What is never parted unless it is too long by itself: a member, or the text between two.
pub(super) struct Atom {
    pub(super) bytes: Range<Place>,
    pub(super) level: u32,
    pub(super) unit: Unit,
    /// Whether it is the own text of the unit around it.
    pub(super) own: bool,
    /// The titles of a member, if it is nothing but itself: between its outer and inner edges, no
    /// text is left.
    pub(super) titles: Vec<String>,
}

/// Atoms that touch.
pub(super) struct Group {
    pub(super) bytes: Range<Place>,
    pub(super) level: u32,
    pub(super) unit: Unit,
    /// Whether all of it is the own text of the unit around it.
    own: bool,
    /// The titles that its section has below that of the unit around it.
    pub(super) titles: Vec<String>,
}

impl Group {
    pub(super) fn new(atom: Atom) -> Self {
        let Atom { bytes, level, unit, own, titles } = atom;
        Self { bytes, level, unit, own, titles }
    }

    /// Decides whether an atom is merged into the group; `around` is the unit around both.
    pub(super) fn takes(&self, atom: &Atom, around: Unit, limits: ChunkLimits) -> bool {
        let size = |bytes: &Range<Place>| bytes.end.size - bytes.start.size;
        let both = self.bytes.start..atom.bytes.end;
        // A member that is large enough to be found by itself keeps its title.
        let stands_alone = |titles: &[String], bytes: &Range<Place>| {
            !titles.is_empty() && size(bytes) >= limits.min
        };
        if stands_alone(&self.titles, &self.bytes) || stands_alone(&atom.titles, &atom.bytes) {
            return false;
        }
        if limits.passed_by(size(&both), both.end.byte - both.start.byte)
            || (around == Unit::Module && self.own != atom.own)
        {
            return false;
        }
        size(&both) <= limits.preferred
            || size(&self.bytes) < limits.min
            || size(&atom.bytes) < limits.min
    }

    /// Tells whether white space up to a place may be added.
    pub(super) fn has_room(&self, end: Place, limits: ChunkLimits) -> bool {
        let Range { start, .. } = self.bytes;
        !limits.passed_by(end.size - start.size, end.byte - start.byte)
    }

    /// Adds an atom that it takes.
    pub(super) fn add(&mut self, atom: &Atom, around: Unit) {
        // A container among others speaks for the unit around it, and so does that unit's text.
        let part =
            |own: bool, unit: Unit| if own || unit == Unit::Container { around } else { unit };
        let (mine, other) = (part(self.own, self.unit), part(atom.own, atom.unit));
        self.unit = match (mine, other) {
            (mine, other) if mine == other => mine,
            (mine, other) if mine == around || other == around => around,
            _ => Unit::Member,
        };
        self.bytes.end = atom.bytes.end;
        self.level = self.level.min(atom.level);
        self.own &= atom.own;
        self.titles.clear();
    }
}
