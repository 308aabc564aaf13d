//! What only source code says of its units.

use super::Units;
use std::ops::Range;

impl Units<'_> {
    /// Tells whether a unit of so many bytes stays whole, so that nothing need be said of what is
    /// inside.
    ///
    /// No sizer is known that counts more than one for a byte; with one that does, such a unit
    /// would be cut like text.
    pub(in crate::split) fn stays_whole(&self, bytes: usize) -> bool {
        bytes <= self.limits.max
    }

    /// Tells whether so many bytes are too few to be cut well at any place inside.
    pub(in crate::split) fn is_small(&self, bytes: usize) -> bool {
        bytes < self.limits.preferred / 4
    }

    /// Names the line that goes before what is inside the open unit, such as the head of a class.
    pub(in crate::split) fn header(&mut self, line: Range<usize>) {
        if self.beyond == 0 {
            self.top().header = Some(line);
        }
    }

    /// Notes a place where text that is too long is best cut, such as the beginning of a statement.
    pub(in crate::split) fn item(&mut self, place: usize) {
        let place = self.between_characters(place);
        if self.items.last().is_none_or(|last| *last < place) {
            self.items.push(place);
        }
    }

    /// Notes a name that an import binds.
    pub(in crate::split) fn import(&mut self, place: usize, name: String) {
        self.imports.push((place, name));
    }
}
