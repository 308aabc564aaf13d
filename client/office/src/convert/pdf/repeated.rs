//! Headers and footers: lines at the edge of several pages that are equal except for numbers.

use super::line::{Line, Lines};
use std::collections::HashMap;

/// The part of a page that its header or its footer covers.
const EDGE: f64 = 0.12;

/// The maximum number of lines of a header or a footer.
const MAX_LINES: usize = 3;

/// Removes the headers and the footers of pages.
pub(super) fn remove(pages: &mut [Lines]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for lines in pages.iter() {
        let mut keys: Vec<String> = edge(lines).map(|line| key(&lines[line])).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            *counts.entry(key).or_default() += 1;
        }
    }
    // Left and right pages differ, and so do chapters.
    let least = 3.max(pages.len() / 20);
    for lines in pages.iter_mut() {
        let repeated: Vec<usize> = edge(lines)
            .filter(|line| {
                let key = key(&lines[*line]);
                is_number(&key) || counts.get(&key).is_some_and(|count| *count >= least)
            })
            .collect();
        let mut number = 0;
        lines.retain(|_| {
            number += 1;
            !repeated.contains(&(number - 1))
        });
    }
}

/// Returns the lines at the top and at the bottom, by their places, not by their order.
fn edge(lines: &Lines) -> impl Iterator<Item = usize> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|a, b| lines[*a].height.total_cmp(&lines[*b].height));
    let top = order.iter().take(MAX_LINES).copied().filter(|line| lines[*line].height < EDGE);
    let bottom = order.iter().rev().take(MAX_LINES).copied();
    let bottom = bottom.filter(|line| lines[*line].height > 1.0 - EDGE);
    let edge: Vec<usize> = top.chain(bottom).collect();
    edge.into_iter()
}

/// Returns the text with a sign for each number.
fn key(line: &Line) -> String {
    let mut key = String::new();
    for char in line.text().chars() {
        if !char.is_ascii_digit() {
            key.push(char);
        } else if !key.ends_with('\u{1}') {
            key.push('\u{1}');
        }
    }
    key
}

/// Returns whether a line is the number of a page.
fn is_number(key: &str) -> bool {
    let rest =
        key.trim_matches(|char: char| char.is_whitespace() || matches!(char, '-' | '–' | '—'));
    rest == "\u{1}" || rest == "Page \u{1}" || rest == "Page \u{1} of \u{1}"
}
