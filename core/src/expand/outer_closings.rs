/*!
Closing lines of units outside of a scope.

A splitter merges the closing line of a module, or of another unit around units, with the chunk before it. A passage
of the inner unit does not parse with the line. The level of such a chunk is that of the outermost unit that it
closes, and each level has one line. So the level tells how many lines are left out of a passage, without a grammar.
*/

use super::probe::Plan;
use super::selection::SelectedChunk;
use super::{Hit, LazyColumns};
use crate::{Kind, interrupt};
use std::collections::HashMap;

/// Returns how many closing lines at the end of the chunk in a row are of units outside of its scope.
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
        let scope = &plan.groups[group].section;
        if hits[chunk.hit].kind != Some(Kind::Code) || columns.unit(chunk.row).is_none() {
            continue;
        }
        let level = columns.level(chunk.row).and_then(|level| usize::try_from(level).ok());
        // The document has no closing line. Stores that others fill may have this level.
        let Some(level) = level.filter(|level| (1..scope.len()).contains(level)) else { continue };
        if columns.section(chunk.row).is_some_and(|section| section.starts_with(scope)) {
            lines.insert(chunk.row, scope.len() - level);
        }
    }
    lines
}
