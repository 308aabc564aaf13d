//! How hits are looked up: by an array of ids, by one id, or by one id with the chunks around it.

use crate::server::sql_text::{ADD, EQUAL, NO_KEY, SUBTRACT, between};
use crate::store::layout::Layout;
use passage_core::Strategy;
use passage_core::strategy::{RelativeLimits, Scope};

/// How many ordinals before and after the hit are read. Each row costs time, more under row-level
/// security. In every preset more of the context follows the hit than precedes it.
pub const BEFORE: i64 = 4;
pub const AFTER: i64 = 8;

/// How hits are looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum HitLookup {
    /// By an array of ids.
    Many,
    /// By one id.
    One,
    /// By one id, with the chunks around it.
    WithNeighbors,
}

impl HitLookup {
    /// Chooses the look-up of one hit. The strategy is `None` if a row of the store defines it.
    pub fn of_one(layout: &Layout, strategy: Option<&Strategy>) -> Self {
        let is_near = strategy.is_none_or(|strategy| {
            let Strategy { relatives, before, after, .. } = strategy;
            let RelativeLimits { parents, preceding, following, children, .. } = *relatives;
            let backward = i64::from(parents.max(preceding).max(before.widest()));
            let forward = i64::from(following.max(children).max(after.widest()));
            strategy.scope == Scope::None
                && (backward > 0 || forward > 0)
                && backward <= BEFORE
                && forward <= AFTER
        });
        // A view may compute ordinals with a window function, for which only a constant document
        // bounds the cost. And a hit without an ordinal would not be in its own range.
        if is_near && layout.has_ordinals() { Self::WithNeighbors } else { Self::One }
    }

    /// Returns the condition that a row is the hit and not a neighbor.
    pub fn is_hit(self) -> String {
        if self == Self::WithNeighbors { format!("c.id {EQUAL} h.id") } else { "true".to_owned() }
    }

    /// Returns the document of a row, NULL for a neighbor.
    pub fn document(self) -> String {
        if self == Self::WithNeighbors {
            format!("CASE WHEN {} THEN c.document_id END", self.is_hit())
        } else {
            "c.document_id".to_owned()
        }
    }

    /// Returns the position of a hit among the ids, counted from 1, and the join that finds its chunk as
    /// `c`.
    pub fn position_and_join(self, layout: &Layout) -> (String, String) {
        let chunks = &layout.chunks.name;
        match self {
            Self::Many => ("h.place".to_owned(), layout.chunks_of_ids("h", true, "c")),
            // One id needs no array. Most calls from LATERAL have one id.
            Self::One => (
                "h.place".to_owned(),
                format!(
                    "(SELECT 1::pg_catalog.int8) AS h (place) JOIN {chunks} AS c ON {}",
                    layout.is_chunk("c")
                ),
            ),
            // A subquery computes the ends first: under row-level security a condition that could
            // overflow is never an index condition.
            Self::WithNeighbors => (
                format!("CASE WHEN {} THEN 1::pg_catalog.int8 END", self.is_hit()),
                format!(
                    "(SELECT h.id, h.document_id, \
                     h.ordinal::pg_catalog.int8 {SUBTRACT} {BEFORE} AS first, \
                     h.ordinal::pg_catalog.int8 {ADD} {AFTER} AS last \
                     FROM {chunks} AS h WHERE {} OFFSET 0) AS h \
                     JOIN {chunks} AS c ON c.document_id {EQUAL} h.document_id AND {}",
                    layout.is_chunk("h"),
                    between("c.ordinal", "h.first", "h.last")
                ),
            ),
        }
    }
}

/// Returns the keys of a chunk's section and of its parent section, which are the last columns of a
/// look-up with neighbors.
pub fn keys(layout: &Layout) -> [String; 2] {
    ["section_key", "parent_key"]
        .map(|key| if layout.has_sections() { format!("c.{key}") } else { NO_KEY.to_owned() })
}
