/*!
The chunks around a single hit, read along with it.

Most context lies near: a sibling, the children, often the parent. So the first statement reads a
few chunks on both sides of the hit, and a probe whose answer they hold for certain is not read
again. For one hit of `broad` that is one index scan of 12 us in place of five of 38 us; where the
probes go further, the second statement has fewer branches. Several hits share the branches of the
second statement, so for them there is nothing to save.
*/

use super::hits::Hits;
use super::layout::Layout;
use super::operators::{ADD, EQUAL, SUBTRACT, between};
use passage_core::Strategy;
use passage_core::expand::{Probe, Shape};
use passage_core::section::Section;
use passage_core::strategy::{RelativeLimits, Scope};
use std::cell::OnceCell;

/// How many ordinals before the hit are read, and how many after it. Each row costs, the more so
/// under row-level security; more of the context of every preset comes after the hit.
const BEFORE: i64 = 4;
const AFTER: i64 = 8;

/// How hits are looked up.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lookup {
    /// By an array of ids.
    Many,
    /// By one id.
    One,
    /// By one id, and the chunks around it come along.
    Around,
}

impl Lookup {
    /// Chooses for one hit; the strategy is `None` where a row of the store holds it.
    pub fn one(layout: &Layout, strategy: Option<&Strategy>) -> Self {
        let near = strategy.is_none_or(|strategy| {
            let Strategy { relatives, before, after, .. } = strategy;
            let RelativeLimits { parents, preceding, following, children, .. } = *relatives;
            let backward = i64::from(parents.max(preceding).max(before.widest()));
            let forward = i64::from(following.max(children).max(after.widest()));
            strategy.scope == Scope::None
                && (backward > 0 || forward > 0)
                && backward <= BEFORE
                && forward <= AFTER
        });
        // A view may number its chunks by a window function, which only a constant document
        // bounds; and a hit without an ordinal would not be around itself.
        if near && layout.chunks.has_ordinals { Self::Around } else { Self::One }
    }

    /// Writes what tells the chunk of a hit from those around it.
    pub fn is_hit(self) -> String {
        if self == Self::Around { format!("c.id {EQUAL} h.id") } else { "true".to_owned() }
    }

    /// Writes the document that is read for a chunk, NULL for one around a hit.
    pub fn document(self) -> String {
        if self == Self::Around {
            format!("CASE WHEN {} THEN c.document_id END", self.is_hit())
        } else {
            "c.document_id".to_owned()
        }
    }

    /// Writes the place of a hit among the ids and the join that finds its chunk, as `c`.
    pub fn write(self, chunks: &str) -> (String, String) {
        match self {
            Self::Many => (
                "h.place".to_owned(),
                format!(
                    "pg_catalog.unnest($1) WITH ORDINALITY AS h (chunk_id, place) \
                     JOIN {chunks} AS c ON c.id {EQUAL} h.chunk_id"
                ),
            ),
            // One id needs no array to be taken apart; most calls from LATERAL have one.
            Self::One => (
                "h.place".to_owned(),
                format!(
                    "(SELECT $1, 1::pg_catalog.int8) AS h (chunk_id, place) \
                     JOIN {chunks} AS c ON c.id {EQUAL} h.chunk_id"
                ),
            ),
            // The ends are found first: a condition that could overflow is never one of the index
            // under row-level security.
            Self::Around => (
                format!("CASE WHEN {} THEN 1::pg_catalog.int8 END", self.is_hit()),
                format!(
                    "(SELECT h.id, h.document_id, \
                     h.ordinal::pg_catalog.int8 {SUBTRACT} {BEFORE} AS first, \
                     h.ordinal::pg_catalog.int8 {ADD} {AFTER} AS last \
                     FROM {chunks} AS h WHERE h.id {EQUAL} $1 OFFSET 0) AS h \
                     JOIN {chunks} AS c ON c.document_id {EQUAL} h.document_id AND {}",
                    between("c.ordinal", "h.first", "h.last")
                ),
            ),
        }
    }
}

/// A key where there is none.
pub const NO_KEY: &str = "NULL::pg_catalog.int8";

/// The columns that tell kin, which come last where there are chunks around.
pub fn keys(layout: &Layout) -> [String; 2] {
    ["section_key", "parent_key"]
        .map(|key| if layout.has_kin() { format!("c.{key}") } else { NO_KEY.to_owned() })
}

/// The chunks around a hit, all of them that the caller may see.
pub struct Around<'a> {
    /// Ordered by ordinal.
    chunks: Vec<Neighbour<'a>>,
    first: i64,
    last: i64,
}

/// A chunk around a hit.
struct Neighbour<'a> {
    hits: &'a Hits<'a>,
    row: usize,
    ordinal: i32,
    titles: OnceCell<Section>,
}

impl<'a> Around<'a> {
    /// Takes the chunks that came along with a hit, if it has an ordinal.
    pub fn of(hits: &'a Hits<'a>) -> Option<Self> {
        let ([hit], Lookup::Around) = (&hits.found[..], hits.lookup) else { return None };
        let ordinal = i64::from(hit.ordinal?);
        let mut chunks: Vec<_> = (0..hits.rows.len())
            .filter_map(|row| {
                let ordinal = hits.row(row).ordinal()?;
                Some(Neighbour { hits, row, ordinal, titles: OnceCell::new() })
            })
            .collect();
        chunks.sort_by_key(|chunk| chunk.ordinal);
        Some(Self { chunks, first: ordinal - BEFORE, last: ordinal + AFTER })
    }

    /// Returns the rows that answer a probe of the hit's document, or `None` where they may lie
    /// further away.
    pub fn answer(&self, probe: &Probe) -> Option<Vec<usize>> {
        let (first, last) = (i64::from(probe.first), i64::from(probe.last));
        let (begins, ends) = (self.first <= first, last <= self.last);
        let most = probe.limit as usize;
        let within = || {
            let chunks = self.chunks.iter();
            chunks.filter(|chunk| (probe.first..=probe.last).contains(&chunk.ordinal))
        };
        let key = probe.keys.first().copied();
        let own = |chunk: &&Neighbour| chunk.is_in(key, &probe.section);
        let child = |chunk: &&Neighbour| chunk.is_below(key, &probe.section);
        // Nearer ones than these are not missed; those further away may be.
        let enough = |seen: bool, rows: Vec<usize>| {
            (seen && (rows.len() == most || begins && ends)).then_some(rows)
        };
        match probe.shape {
            Shape::Range if begins && ends => Some(within().map(|chunk| chunk.row).collect()),
            Shape::SectionBackward => enough(ends, rows(within().rev().filter(own), most)),
            Shape::ParentBackward => enough(ends, rows(within().rev().filter(child), most)),
            Shape::SectionForward => enough(begins, rows(within().filter(own), most)),
            Shape::ParentForward => enough(begins, rows(within().filter(child), most)),
            Shape::Ancestors if ends => {
                // Where a section has no chunk of its own here, it may have one further away.
                let above = (0..=probe.section.len()).rev().map(|depth| &probe.section[..depth]);
                let nearest = |(section, key): (&[String], &i64)| {
                    within().rev().find(|chunk| chunk.is_in(Some(*key), section))
                };
                let found = above.zip(&probe.keys).take(most).map(nearest);
                found.map(|chunk| chunk.map(|chunk| chunk.row)).collect()
            }
            Shape::Range | Shape::Inside | Shape::Ancestors => None,
        }
    }
}

/// The first so many rows.
fn rows<'a>(chunks: impl Iterator<Item = &'a Neighbour<'a>>, most: usize) -> Vec<usize> {
    chunks.take(most).map(|chunk| chunk.row).collect()
}

impl Neighbour<'_> {
    /// Tells whether the chunk is exactly in a section.
    fn is_in(&self, key: Option<i64>, section: &[String]) -> bool {
        self.key(0) == key && key.is_some() && self.titles() == section
    }

    /// Tells whether a section is the parent of the chunk's.
    fn is_below(&self, key: Option<i64>, section: &[String]) -> bool {
        self.key(1) == key
            && key.is_some()
            && self.titles().split_last().is_some_and(|(_, parent)| parent == section)
    }

    /// Returns the key of the chunk's section, or of the parent section.
    fn key(&self, which: usize) -> Option<i64> {
        self.hits.rows.get(self.row, self.hits.rows.columns() - 2 + which)
    }

    fn titles(&self) -> &[String] {
        self.titles.get_or_init(|| self.hits.row(self.row).titles().unwrap_or_default())
    }
}
