//! Brackets: adds small own text of data, which is hardly more than brackets, to the chunk next to it.

use super::Units;
use crate::split::draft::Draft;

impl Units<'_> {
    /// Adds a draft after the opening bracket before it.
    pub(super) fn push(&mut self, draft: Draft) {
        let mut draft = draft;
        if let Some(opening) = self.opening.take() {
            if let Some(size) = self.joined(&opening, &draft) {
                (draft.bytes.start, draft.size) = (opening.bytes.start, size);
            } else {
                self.drafts.push(opening);
            }
        }
        self.drafts.push(draft);
    }

    /// Keeps an opening bracket for the next draft, together with those before it.
    pub(super) fn push_opening(&mut self, draft: Draft) {
        self.push(draft);
        self.opening = self.drafts.pop();
    }

    /// Adds a closing bracket to the draft before it.
    pub(super) fn push_closing(&mut self, draft: Draft) {
        let last = self.drafts.last().filter(|_| self.opening.is_none());
        let joined = last
            .filter(|last| last.section.starts_with(&draft.section))
            .and_then(|last| self.joined(last, &draft));
        match (joined, self.drafts.last_mut()) {
            (Some(size), Some(last)) => {
                last.bytes.end = draft.bytes.end;
                last.size = size;
            }
            _ => self.push(draft),
        }
    }

    /// Adds white space and markers to the draft before them, whatever its section.
    pub(super) fn push_blank(&mut self, draft: Draft) {
        let last = self.drafts.last().filter(|_| self.opening.is_none());
        match (last.and_then(|last| self.joined(last, &draft)), self.drafts.last_mut()) {
            (Some(size), Some(last)) => (last.bytes.end, last.size) = (draft.bytes.end, size),
            _ => self.push(draft),
        }
    }

    /// Returns the size of two drafts as one chunk, if that fits and one is part of the other's section.
    fn joined(&self, first: &Draft, second: &Draft) -> Option<usize> {
        let bytes = first.bytes.start..second.bytes.end;
        if bytes.len() > self.limits.max_bytes() || self.boundaries.divide(&bytes) {
            return None;
        }
        let size = self.sizer.size(&self.text[bytes]);
        (size <= self.limits.max).then_some(size)
    }
}
