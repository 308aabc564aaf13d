/*!
Closing parts that belong to the chunk of a member.

A splitter merges the closing brackets of a container with its last unit, so that no chunk consists of brackets.
Such a chunk has the section of the unit. It ends the container like a chunk of its own section.

Its twin in SQL is `sql/edition/closing.sql`.
*/

use super::claim::is_below;
use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::{Container, Hit, LazyColumns};
use passage_split::interrupt;
use passage_split::split::closes_outer_unit;

/// Returns the hits, with the chunk that closes each container as its last.
///
/// Sections are read only of the rows that may close a container.
pub(super) fn with_closings<'a>(
    hits: &[Hit<'a>],
    plan: &Plan,
    probe_rows: &ProbeRows,
    columns: &impl LazyColumns,
) -> Vec<Hit<'a>> {
    let mut hits = hits.to_vec();
    for group in plan.groups.iter().filter(|group| !group.inside.is_empty()) {
        let inside = |row: &usize| probe_rows.rows[*row].depth_below.is_some();
        let rows = group.probes.iter().flat_map(|probe| probe_rows.all(*probe));
        let rows: Vec<usize> = rows.copied().filter(inside).collect();
        for hit in &group.inside {
            let hit = &mut hits[*hit];
            let Some(titles) = &hit.section else { continue };
            let is_in_scope = |container: &&mut Container| container.depth >= group.section.len();
            for container in hit.containers.iter_mut().filter(is_in_scope) {
                interrupt::poll();
                let after = rows.partition_point(|row| probe_rows.ordinal(*row) <= container.last);
                let section = &titles[..container.depth];
                let is_scope = container.depth == group.section.len();
                let follows = |(row, ordinal): &(&usize, i32)| {
                    interrupt::poll();
                    probe_rows.ordinal(**row) == *ordinal
                        && (is_scope || is_below(columns, **row, section))
                };
                let Some(next) = container.last.checked_add(1) else { continue };
                let count = rows[after..].iter().zip(next..).take_while(follows).count();
                let Some(last) = rows[after..after + count].last() else { continue };
                let before = (count > 1).then(|| rows[after + count - 2]);
                if is_closing_unit(*last, before, section, columns) {
                    container.last = probe_rows.ordinal(*last);
                }
            }
        }
    }
    hits
}

/// Returns whether the last row below a container has its closing line.
///
/// The level of the row is at most that of the container. In a store that others fill, it may be a whole unit directly
/// in the container that ends with a bracket of the container.
fn is_closing_unit(
    row: usize,
    before: Option<usize>,
    container: &[String],
    columns: &impl LazyColumns,
) -> bool {
    let Some(section) = columns.section(row) else { return false };
    let level = columns.level(row).and_then(|level| usize::try_from(level).ok());
    if level.is_some_and(|level| (1..=container.len()).contains(&level)) {
        return section.len() > container.len();
    }
    section.len() == container.len() + 1
        && !before.is_some_and(|before| is_below(columns, before, &section))
        && closes_outer_unit(&columns.content(row))
}
