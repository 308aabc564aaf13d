//! Merging: a section replaces its hits if enough of it was hit.

use super::Whole;
use crate::expansion::model::chunk::{Chunk, Section};
use crate::expansion::model::hit::Hit;
use crate::expansion::model::strategy::{Strategy, WholeOf};
use std::collections::{BTreeMap, BTreeSet};

/// "A hit below a merged section claims all rows of its OUTERMOST merged section."
pub fn whole<'a>(hits: &[Hit<'a>], hit: &Hit<'a>) -> Option<Whole<'a>> {
    let merging = Merging::of(hits, hit)?;
    let section = merging.outermost(hit.chunk.section.as_ref()?)?.to_vec();
    let is_inside = |(_, chunk): &&(i64, &'a Chunk)| chunk.is_below(&section);
    let chunks = merging.rows.iter().filter(is_inside).map(|(_, chunk)| *chunk).collect();
    Some(Whole::unit(section, None, chunks))
}

/// "For each a with a in I, a+2 in I, a+1 not in I and a row at a+1: it is claimed with role adjacent
/// by every hit in M that is a or a+2 itself or whose outermost merged section holds the chunk at a
/// or a+2."
pub fn gaps<'a>(hits: &[Hit<'a>], hit: &Hit<'a>) -> Vec<&'a Chunk> {
    let Some(merging) = Merging::of(hits, hit) else { return Vec::new() };
    let section = hit.chunk.section.as_ref().and_then(|section| merging.outermost(section));
    // "I = ordinals of M and of all rows in merged sections."
    let is_included = |ordinal: i64| {
        merging.row(ordinal).is_some_and(|chunk| {
            merging.hits.contains(&ordinal) || merging.merged.iter().any(|x| chunk.is_below(x))
        })
    };
    let is_of_hit = |ordinal: i64| {
        let holds = |chunk: &Chunk| section.is_some_and(|section| chunk.is_below(section));
        hit.chunk.ordinal == Some(ordinal) || merging.row(ordinal).is_some_and(holds)
    };
    let is_gap = |ordinal: i64| {
        let sides = [ordinal - 1, ordinal + 1];
        !is_included(ordinal)
            && sides.into_iter().all(is_included)
            && sides.into_iter().any(is_of_hit)
    };
    let gaps = merging.rows.iter().filter(|(ordinal, _)| is_gap(*ordinal));
    gaps.map(|(_, chunk)| *chunk).collect()
}

/// The merge of one document.
struct Merging<'a> {
    /// The ordinals of M, the hits that merge.
    hits: BTreeSet<i64>,
    /// W, the ordinals that the merge reads.
    windows: Vec<(i64, i64)>,
    /// The chunks in W.
    rows: Vec<(i64, &'a Chunk)>,
    merged: BTreeSet<&'a [String]>,
}

impl<'a> Merging<'a> {
    /// Returns the merge around a hit, or `None` if the hit does not merge: "per document, over its hits M
    /// with this strategy, ordinal and section."
    fn of(hits: &[Hit<'a>], hit: &Hit<'a>) -> Option<Self> {
        hit.chunk.ordinal.and(hit.chunk.section.as_ref())?;
        let of_document = hits.iter().filter(|other| {
            other.document.id == hit.document.id && other.strategy.whole == WholeOf::Merged
        });
        let merging: Vec<(i64, &'a Section)> =
            of_document.filter_map(|m| m.chunk.ordinal.zip(m.chunk.section.as_ref())).collect();
        let reach = hit.strategy.reach();
        // "W = union of [o-R, o+R]. rows = chunks with ordinal in W."
        let windows = merging.iter().map(|(o, _)| (o - reach, o + reach)).collect();
        let hits = merging.iter().map(|(o, _)| *o).collect();
        let mut this = Self { hits, windows, rows: Vec::new(), merged: BTreeSet::new() };
        let rows = hit.document.in_order().into_iter();
        this.rows = rows.filter(|(ordinal, _)| this.looks_at(*ordinal)).collect();
        // "Any prefix of any such hit's section, root too. Deepest sections first, one pass."
        let prefixes = |section: &'a Section| (0..=section.len()).map(|depth| &section[..depth]);
        let sections = merging.iter().flat_map(|(_, section)| prefixes(section));
        let mut sections: Vec<&[String]> = sections.collect::<BTreeSet<_>>().into_iter().collect();
        sections.sort_by_key(|section| std::cmp::Reverse(section.len()));
        for section in sections {
            if this.is_merged(section, &hit.strategy) {
                this.merged.insert(section);
            }
        }
        Some(this)
    }

    fn looks_at(&self, ordinal: i64) -> bool {
        self.windows.iter().any(|(first, last)| (*first..=*last).contains(&ordinal))
    }

    fn row(&self, ordinal: i64) -> Option<&'a Chunk> {
        self.rows.iter().find(|(other, _)| *other == ordinal).map(|(_, chunk)| *chunk)
    }

    /// Returns the outermost merged section that contains a section.
    fn outermost(&self, section: &Section) -> Option<&'a [String]> {
        self.merged.iter().copied().filter(|x| section.starts_with(x)).min_by_key(|x| x.len())
    }

    /// "X is merged iff closed and hit weight > t * total weight (strict)."
    fn is_merged(&self, section: &[String], strategy: &Strategy) -> bool {
        let subtree = || self.rows.iter().filter(|(_, chunk)| chunk.is_below(section));
        // "Closed iff for each row of its subtree both ordinal-1 and ordinal+1 are in W."
        let is_closed = subtree().all(|(o, _)| self.looks_at(o - 1) && self.looks_at(o + 1));

        let by_tokens = strategy.count_by == "tokens";
        let weight = |chunk: &Chunk| if by_tokens { chunk.cost() } else { 1 };
        let (mut hit, mut total) = (0, 0);
        // "Each distinct X+[title] that has rows (weight 1, or the tokens of all rows below it)."
        let mut children: BTreeMap<&[String], i64> = BTreeMap::new();
        for (ordinal, chunk) in subtree() {
            let own = chunk.section.as_ref().expect("it is below");
            if chunk.is_in(section) {
                total += weight(chunk);
                hit += if self.hits.contains(ordinal) { weight(chunk) } else { 0 };
            } else {
                let of_child = children.entry(&own[..=section.len()]).or_default();
                *of_child = if by_tokens { *of_child + weight(chunk) } else { 1 };
            }
        }
        for (child, weight) in children {
            total += weight;
            hit += if self.merged.contains(child) { weight } else { 0 };
        }
        is_closed && hit as f64 > strategy.threshold * total as f64
    }
}
