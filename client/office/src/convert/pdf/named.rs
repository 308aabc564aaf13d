//! Headings by name: the lines of a page that are the title of a bookmark.
//!
//! `bookmark "Setup", level 2, page 4; line "2.1 Setup" of page 4 -> a heading of level 2`
//!
//! A bookmark often lacks the number of its section, and a line may lack it, so both are compared without numbers, signs
//! and spaces. A heading may be in the line in which its text begins, after a point: "2.1 Setup. A quorum needs".

use super::bookmarks::Bookmark;
use super::line::{Cell, Heading, Lines};

/// The maximum number of lines of a heading.
const MAX_LINES: usize = 4;

/// Words before the number of a section.
const PARTS: [&str; 12] = [
    "chapter",
    "appendix",
    "part",
    "section",
    "kapitel",
    "anhang",
    "teil",
    "chapitre",
    "annexe",
    "capítulo",
    "apéndice",
    "capitolo",
];

/// Gives the lines that are titles of bookmarks their levels.
pub(super) fn mark(pages: &mut [Lines], bookmarks: &[Bookmark]) {
    // Equal titles of a page are different lines of it.
    let mut last = (usize::MAX, 0);
    for (number, bookmark) in bookmarks.iter().enumerate() {
        let Some(lines) = pages.get_mut(bookmark.page) else { continue };
        let from = if last.0 == bookmark.page { last.1 } else { 0 };
        let names = names(&bookmark.title);
        let found = find(lines, &names, from).or_else(|| find(lines, &names, 0));
        let Some((start, end)) = found.or_else(|| divide(lines, &names)) else { continue };
        for line in &mut lines[start..end] {
            line.heading = Some(Heading { level: bookmark.level, number });
        }
        last = (bookmark.page, end);
    }
}

/// Returns the lines that are a title, the largest ones if several are.
fn find(lines: &Lines, names: &[String], from: usize) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    for start in from..lines.len() {
        let mut text = String::new();
        for (end, line) in lines.iter().enumerate().skip(start).take(MAX_LINES) {
            // Another heading ends this one.
            if line.heading.is_some() {
                break;
            }
            if text.ends_with('-') {
                text.pop();
            } else {
                text.push(' ');
            }
            text.push_str(&line.text());
            let is_larger = best.is_none_or(|(best, _)| line.size > lines[best].size * 1.05);
            if is_larger && is_named(&text, names) {
                best = Some((start, end + 1));
                break;
            }
        }
    }
    best
}

/// Divides a line that begins with a title, and returns the line of the title.
fn divide(lines: &mut Lines, names: &[String]) -> Option<(usize, usize)> {
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| line.heading.is_none()) {
        let mut begun = String::new();
        for (cell, Cell { text, .. }) in line.cells.iter().enumerate() {
            // A wide space after the title, as in a list of functions: the whole line is the heading.
            if cell > 0 && is_named(&begun, names) {
                return Some((number, number + 1));
            }
            for (at, sign) in text.match_indices(['.', ':']) {
                if !is_named(&format!("{begun} {}", &text[..at]), names) {
                    continue;
                }
                let end = at + sign.len();
                if text[end..].trim().is_empty() && cell + 1 == line.cells.len() {
                    return Some((number, number + 1));
                }
                let rest = lines[number].split_off(cell, end);
                lines.insert(number + 1, rest);
                return Some((number, number + 1));
            }
            begun.extend([" ", text]);
        }
    }
    None
}

fn is_named(text: &str, names: &[String]) -> bool {
    self::names(text).iter().any(|name| names.contains(name))
}

/// Returns a title as its letters and digits, and the same without the number of the section.
fn names(title: &str) -> Vec<String> {
    let mut words = title.split_whitespace().peekable();
    let mut names = vec![letters(title)];
    if words.peek().is_some_and(|word| PARTS.contains(&&*word.to_lowercase())) {
        words.next();
    }
    if words.peek().is_some_and(|word| is_number(word)) {
        words.next();
        names.push(letters(&words.collect::<String>()));
    }
    names.retain(|name| !name.is_empty());
    names
}

fn letters(text: &str) -> String {
    text.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns whether a word is the number of a section: `2.1`, `IV.`, `B`, `A.3`, `(c)`.
fn is_number(word: &str) -> bool {
    let word = word.trim_matches(['.', ':', '(', ')']);
    let is_roman =
        |part: &str| !part.is_empty() && part.chars().all(|char| "IVXLCivxlc".contains(char));
    !word.is_empty()
        && word.split('.').all(|part| {
            part.chars().all(|char| char.is_ascii_digit())
                || is_roman(part)
                || (part.len() == 1 && part.chars().all(|char| char.is_ascii_alphabetic()))
        })
}
