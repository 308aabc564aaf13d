//! A filter for one source, which counts what the source leaves out.

use super::{Filter, LeftOut};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A filter, and the number of documents that the source leaves out. Clones count together.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    filter: Filter,
    left_out: Arc<Mutex<LeftOut>>,
}

impl Selection {
    /// Returns whether a document is included, by its path inside the source. Counts it if it is not.
    pub(super) fn includes(&self, inside: &str) -> bool {
        let is_included = self.filter.includes(inside);
        if !is_included {
            self.count(|left_out| left_out.excluded += 1);
        }
        is_included
    }

    /// Returns whether a file may be a document, by its name.
    pub(super) fn is_document(&self, path: &Path) -> bool {
        self.filter.is_document(path)
    }

    /// Counts a document that is left out.
    pub(super) fn count(&self, count: impl FnOnce(&mut LeftOut)) {
        count(&mut self.left_out.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the counts so far.
    pub(super) fn left_out(&self) -> LeftOut {
        *self.left_out.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<Filter> for Selection {
    fn from(filter: Filter) -> Self {
        Self { filter, left_out: Arc::default() }
    }
}
