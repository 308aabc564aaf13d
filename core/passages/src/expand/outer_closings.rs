/*!
Closing lines of units outside of a scope.

A splitter merges the closing line of a module, or of another unit around units, with the chunk before it. A passage
of the inner unit does not parse with the line. The level of such a chunk is that of the outermost unit that it
closes, and each level has one line. So the level tells how many lines are left out of a passage, without a grammar.

Its twin in SQL is `sql/edition/scopes.sql`.
*/

use super::probe::Plan;
use super::scope_groups::ScopeGroup;
use super::selection::SelectedChunk;
use super::{Hit, LazyColumns};
use passage_split::{Kind, interrupt};
use std::collections::HashMap;

/// Returns how many closing lines at the end of the chunk in a row are of units outside of its scope.
///
/// A hit in an inner unit may have claimed the last chunk of an outer one, which another hit is in. The scope of this
/// chunk is the outer unit.
pub(super) fn outer_closings(
    hits: &[Hit],
    plan: &Plan,
    columns: &impl LazyColumns,
    chunks: &[SelectedChunk],
) -> HashMap<usize, usize> {
    let mut lines = HashMap::new();
    for (index, chunk) in chunks.iter().enumerate() {
        interrupt::poll_periodically(index);
        let Some(group) = plan.group_of[chunk.hit] else { continue };
        let group = &plan.groups[group];
        if hits[chunk.hit].kind != Some(Kind::Code) || columns.unit(chunk.row).is_none() {
            continue;
        }
        let level = columns.level(chunk.row).and_then(|level| usize::try_from(level).ok());
        // The document has no closing line. Stores that others fill may have this level.
        let Some(level) = level.filter(|level| (1..group.section.len()).contains(level)) else {
            continue;
        };
        let Some(section) = columns.section(chunk.row) else { continue };
        if !section.starts_with(&group.section) {
            continue;
        }
        let is_outer = |(index, outer): &(usize, &ScopeGroup)| {
            interrupt::poll_periodically(*index);
            outer.document == group.document
                && outer.section.len() < group.section.len()
                && section.starts_with(&outer.section)
        };
        let outer = plan.groups.iter().enumerate().filter(is_outer);
        let depth = outer.map(|(_, outer)| outer.section.len()).min();
        let cut = depth.unwrap_or(group.section.len()).saturating_sub(level);
        if cut > 0 {
            lines.insert(chunk.row, cut);
        }
    }
    lines
}
