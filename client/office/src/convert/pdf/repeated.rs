//! Headers and footers: lines at one height at the edge of several pages that are equal except for numbers.

use super::line::{Line, Lines};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The part of the height of all text that a header or a footer covers.
const EDGE: f64 = 0.12;

/// The pages that have the header of a page, too: two neighbors, or two of the same side. Scattered pages begin with the same
/// heading, but not these.
const RUN: [(isize, isize); 6] = [(-2, -1), (-1, 1), (1, 2), (-4, -2), (-2, 2), (2, 4)];

/// The maximum number of lines of a header or a footer.
const MAX_LINES: usize = 3;

/// Removes the headers and the footers of pages.
pub(super) fn remove(pages: &mut [Lines]) {
    // Not of the page: some are larger than the paper, with marks for cutting.
    let heights = || pages.iter().flatten().map(|line| line.height);
    let (top, bottom) = (heights().fold(1.0, f64::min), heights().fold(0.0, f64::max));
    let margin = EDGE * (bottom - top).max(0.0);
    let edges = top + margin..bottom - margin;
    let keys: Vec<HashSet<Key>> = pages
        .iter()
        .map(|lines| edge(lines, &edges).map(|line| key(&lines[line])).collect())
        .collect();
    // A chapter begins with a page whose number is elsewhere, so numbers are compared with those of all pages.
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    for (page, lines) in pages.iter().enumerate() {
        for line in edge(lines, &edges) {
            if let Some(first) = first_page(&lines[line], page) {
                *numbers.entry(first).or_default() += 1;
            }
        }
    }
    let is_number = |line: &Line, page| {
        first_page(line, page).and_then(|first| numbers.get(&first)).is_some_and(|count| *count > 2)
    };
    for (page, lines) in pages.iter_mut().enumerate() {
        let repeated: Vec<usize> = edge(lines, &edges)
            .filter(|line| {
                let line = &lines[*line];
                repeats(&keys, page, &key(line)) || is_number(line, page)
            })
            .collect();
        let mut number = 0;
        lines.retain(|_| {
            number += 1;
            !repeated.contains(&(number - 1))
        });
    }
}

/// Returns whether pages around one have the same line. Left and right pages differ, and so do chapters.
fn repeats(keys: &[HashSet<Key>], page: usize, key: &Key) -> bool {
    // A document of few pages has two left ones.
    if keys.len() < 2 * RUN.len() {
        let least = 3.min(2.max(keys.len() / 2));
        return keys.iter().filter(|keys| keys.contains(key)).count() >= least;
    }
    let has = |offset: isize| {
        page.checked_add_signed(offset)
            .and_then(|page| keys.get(page))
            .is_some_and(|keys| keys.contains(key))
    };
    RUN.iter().any(|(first, second)| has(*first) && has(*second))
}

/// Returns the number that the first page has if a line is the number of this one.
fn first_page(line: &Line, page: usize) -> Option<usize> {
    line.text().parse::<usize>().ok()?.checked_sub(page)
}

/// Returns the lines at the top and at the bottom, by their places, not by their order.
fn edge(lines: &Lines, edges: &Range<f64>) -> impl Iterator<Item = usize> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|a, b| lines[*a].height.total_cmp(&lines[*b].height));
    let top =
        order.iter().take(MAX_LINES).copied().filter(|line| lines[*line].height < edges.start);
    let bottom = order.iter().rev().take(MAX_LINES).copied();
    let bottom = bottom.filter(|line| lines[*line].height > edges.end);
    let edge: Vec<usize> = top.chain(bottom).collect();
    edge.into_iter()
}

/// The text of a line with a sign for each number, and its height in steps of half a percent: a heading such as "See also" also
/// begins many pages, but is not at one height.
type Key = (String, u32);

fn key(line: &Line) -> Key {
    let mut text = String::new();
    for char in line.text().chars() {
        if !char.is_ascii_digit() {
            text.push(char);
        } else if !text.ends_with('\u{1}') {
            text.push('\u{1}');
        }
    }
    (text, (line.height * 200.0).round() as u32)
}
