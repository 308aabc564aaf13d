//! Columns: text beside each other that the file has line by line is put one column after the other.
//!
//! ```text
//! in the file                          in the Markdown
//! A quorum needs    Backups are made   A quorum needs three nodes
//! three nodes       every night        Backups are made every night
//! ```
//!
//! Most programs write one column after the other, and then nothing changes. Others write all lines from the top to the
//! bottom. Columns differ from a table by their cells, which are long, and by the left ones, which end at one place.

use super::line::{Cell, Line, Lines};
use std::collections::BTreeMap;

/// The least lines of a column.
const MIN_LINES: usize = 6;

/// The least width of a column in points.
const MIN_WIDTH: f64 = 72.0;

/// The least characters of a line that is not the last one of its paragraph.
const MIN_LENGTH: usize = 18;

/// The maximum number of columns is two to this power.
const MAX_DEPTH: usize = 2;

/// Puts the lines of a page in the order of its columns.
pub(super) fn order(lines: Lines) -> Lines {
    divided(lines, 0)
}

fn divided(lines: Lines, depth: usize) -> Lines {
    let gutter = if depth < MAX_DEPTH { gutter(&lines) } else { None };
    let Some(gutter) = gutter else { return lines };
    let mut ordered = Vec::new();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for line in lines {
        if line.cells.iter().any(|cell| crosses(cell, gutter)) {
            // A line over all columns ends them.
            ordered.extend(divided(std::mem::take(&mut left), depth + 1));
            ordered.extend(divided(std::mem::take(&mut right), depth + 1));
            ordered.push(line);
            continue;
        }
        let (before, after): (Vec<Cell>, Vec<Cell>) =
            line.cells.iter().cloned().partition(|cell| cell.x < gutter);
        for (cells, column) in [(before, &mut left), (after, &mut right)] {
            if let Some(last) = cells.last() {
                column.push(Line { end: last.end, cells, ..line.clone() });
            }
        }
    }
    ordered.extend(divided(left, depth + 1));
    ordered.extend(divided(right, depth + 1));
    ordered
}

fn crosses(cell: &Cell, gutter: f64) -> bool {
    cell.x < gutter && cell.end > gutter
}

/// Returns where the right one of two columns begins, if the file alternates between them.
fn gutter(lines: &Lines) -> Option<f64> {
    let cells: Vec<&Cell> = lines.iter().flat_map(|line| &line.cells).collect();
    let edge = cells.iter().map(|cell| cell.x).fold(f64::MAX, f64::min);
    // The number of cells that begin at each place, in steps of two points.
    let mut begins: BTreeMap<i64, usize> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| cell.x > edge + MIN_WIDTH) {
        *begins.entry((cell.x / 2.0).floor() as i64).or_default() += 1;
    }
    let (step, _) = begins.into_iter().max_by_key(|(_, count)| *count)?;
    let gutter = step as f64 * 2.0 - 2.0;
    let beside: Vec<&Cell> = cells.iter().copied().filter(|cell| !crosses(cell, gutter)).collect();
    let is_right = |cell: &&Cell| cell.x >= gutter;
    let changes = beside.windows(2).filter(|pair| !is_right(&pair[0]) && is_right(&pair[1]));
    let is_alternating = changes.count() >= MIN_LINES;
    let (right, left): (Vec<&Cell>, Vec<&Cell>) = beside.iter().copied().partition(is_right);
    let is_column = is_alternating
        && is_text(&left)
        && is_text(&right)
        && cells.len() - beside.len() <= beside.len() / 2;
    is_column.then_some(gutter)
}

/// Returns whether cells are lines of a text: long ones, which end near the edge, except at the end of a paragraph.
fn is_text(cells: &[&Cell]) -> bool {
    let long: Vec<_> =
        cells.iter().filter(|cell| cell.text.chars().count() >= MIN_LENGTH).collect();
    let mut ends: Vec<f64> = long.iter().map(|cell| cell.end).collect();
    ends.sort_by(f64::total_cmp);
    // A formula or a picture may extend beyond the edge.
    let Some(edge) = ends.get(ends.len() * 9 / 10) else { return false };
    let full = long.iter().filter(|cell| edge - cell.end < 0.18 * (edge - cell.x).max(1.0));
    long.len() >= MIN_LINES && 2 * long.len() >= cells.len() && 10 * full.count() >= 6 * long.len()
}
