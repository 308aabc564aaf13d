//! A unit while it is open.

use super::{
    Place,
    group::{Atom, Group},
};
use crate::{Unit, split::titles::Titles};
use std::ops::Range;

/// A unit that is open.
pub(super) struct Open {
    pub(super) unit: Unit,
    /// How many titles there are down to it.
    pub(super) depth: usize,
    pub(super) outer: Place,
    pub(super) inner: Place,
    /// Up to where its text is in groups; only white space may follow.
    pub(super) grouped: Place,
    /// The line that goes before its members.
    pub(super) header: Option<Range<usize>>,
    /// The titles of its members so far.
    pub(super) titles: Titles,
    /// The groups that are complete while it is not divided.
    pub(super) done: Vec<Group>,
    pub(super) last: Option<Group>,
}

impl Open {
    pub(super) fn new(unit: Unit, depth: usize, outer: Place, inner: Place) -> Self {
        Self {
            unit,
            depth,
            outer,
            inner,
            grouped: inner,
            header: None,
            titles: Titles::default(),
            done: Vec::new(),
            last: None,
        }
    }

    /// Takes a stretch as the unit's own text.
    pub(super) fn text_of(&self, bytes: Range<Place>) -> Atom {
        Atom { bytes, level: self.depth as u32, unit: self.unit, own: true, titles: Vec::new() }
    }
}
