//! How hits are looked up: by one id or by an array of ids, alone or with the chunks around each.

use crate::server::sql_text::{ADD, EQUAL, NO_KEY, SUBTRACT, between};
use crate::store::layout::Layout;
use passage_core::Strategy;
use passage_core::strategy::{RelativeLimits, Scope};

/// How many ordinals before and after the hit are read. Each row costs time, more under row-level
/// security. In every preset more of the context follows the hit than precedes it.
pub const BEFORE: i64 = 4;
pub const AFTER: i64 = 8;

/// The maximum number of hits that are read with their neighbors, which bounds the memory for them.
const MAX_NEIGHBORHOODS: usize = 1_000;

/// The same for candidates of a search. Of more than these, many are not selected.
const MAX_NEIGHBORHOODS_OF_CANDIDATES: usize = 16;

/// How hits are looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct HitLookup {
    is_single: bool,
    /// Whether the chunks around each hit are read with it.
    pub has_neighbors: bool,
}

impl HitLookup {
    /// Chooses the look-up of so many hits. The strategy is `None` if the document or a row of the store determines it.
    pub fn new(
        layout: &Layout,
        hits: usize,
        are_candidates: bool,
        strategy: Option<&Strategy>,
    ) -> Self {
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
        let max = if are_candidates { MAX_NEIGHBORHOODS_OF_CANDIDATES } else { MAX_NEIGHBORHOODS };
        let is_few = (1..=max).contains(&hits);
        // A view may compute ordinals with a window function, for which only a constant document
        // bounds the cost. And a hit without an ordinal would not be in its own range.
        Self { is_single: hits == 1, has_neighbors: is_few && is_near && layout.has_ordinals() }
    }

    /// Returns whether the first argument is one id instead of an array of ids.
    pub fn is_single(self) -> bool {
        self.is_single
    }

    /// Returns the condition that a row is a hit and not a neighbor.
    pub fn is_hit(self) -> String {
        if self.has_neighbors { format!("c.id {EQUAL} h.id") } else { "true".to_owned() }
    }

    /// Returns a value of a hit's row, NULL for a neighbor.
    fn of_hit(self, value: &str) -> String {
        if self.has_neighbors {
            format!("CASE WHEN {} THEN {value} END", self.is_hit())
        } else {
            value.to_owned()
        }
    }

    /// Returns the document of a row, NULL for a neighbor.
    pub fn document(self) -> String {
        self.of_hit("c.document_id")
    }

    /// Returns the position of a hit among the ids, counted from 1, and NULL for a neighbor.
    pub fn position(self) -> String {
        self.of_hit("h.place")
    }

    /// Returns the join that finds the chunk of each hit, and its neighbors, as `c`.
    pub fn join(self, layout: &Layout) -> String {
        let chunks = &layout.chunks.name;
        // One id needs no array. Most calls from LATERAL have one id.
        let one = "(SELECT 1::pg_catalog.int8) AS";
        if !self.has_neighbors {
            return if self.is_single {
                format!("{one} h (place) JOIN {chunks} AS c ON {}", layout.is_chunk("c"))
            } else {
                layout.chunks_of_ids("h", true, "c")
            };
        }
        let (place, hits) = if self.is_single {
            let hits = format!("{chunks} AS h WHERE {}", layout.is_chunk("h"));
            ("1::pg_catalog.int8", hits)
        } else {
            ("i.place", layout.chunks_of_ids("i", true, "h"))
        };
        // A subquery computes the ends first: under row-level security a condition that could
        // overflow is never an index condition.
        format!(
            "(SELECT h.id, h.document_id, {place} AS place, \
             h.ordinal::pg_catalog.int8 {SUBTRACT} {BEFORE} AS first, \
             h.ordinal::pg_catalog.int8 {ADD} {AFTER} AS last \
             FROM {hits} OFFSET 0) AS h \
             JOIN {chunks} AS c ON c.document_id {EQUAL} h.document_id AND {}",
            between("c.ordinal", "h.first", "h.last")
        )
    }
}

/// Returns the keys of a chunk's section and of its parent section, which are the last columns of a
/// look-up with neighbors.
pub fn keys(layout: &Layout) -> [String; 2] {
    ["section_key", "parent_key"]
        .map(|key| if layout.has_sections() { format!("c.{key}") } else { NO_KEY.to_owned() })
}
