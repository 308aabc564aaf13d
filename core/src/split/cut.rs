//! x
use super::{Limits, Sizer};
use std::ops::Range;

pub(super) struct Cutter<'a> {
    pub(super) text: &'a str,
    pub(super) limits: Limits,
    pub(super) sizer: &'a dyn Sizer,
    pub(super) items: &'a [usize],
}
pub(super) struct Unit {
    pub(super) bytes: Range<usize>,
    pub(super) tied: usize,
    pub(super) size: Option<usize>,
}

impl Cutter<'_> {
    pub(super) fn cut(&self, unit: &Unit, mut emit: impl FnMut(Range<usize>, usize)) {
        let _ = (self.text, self.limits, self.items, unit.tied, unit.size);
        emit(unit.bytes.clone(), self.sizer.size(&self.text[unit.bytes.clone()]));
    }
}
