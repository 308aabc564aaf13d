//! Headings by their numbers: short lines such as "2.1 Setup", whose numbers follow each other through the document.
//!
//! Papers without bookmarks often have headings in bold letters of the size of the text, and hayro does not name the fonts
//! of TeX. Numbers of lists begin again and again, and their lines are long or beside each other, so one sequence through
//! the whole document, with text after each line, is that of the sections.

use super::line::{Cell, Heading, Line, Lines};

/// The longest heading in characters.
const MAX_LENGTH: usize = 80;

/// The least headings of a document: fewer may be anything.
const MIN_HEADINGS: usize = 3;

/// The largest first part, so that years are none.
const MAX_FIRST: usize = 40;

/// A line that may be a heading.
struct Numbered {
    page: usize,
    line: usize,
    /// The number of parts of its number: 2 for `2.1`.
    depth: usize,
}

/// Gives the headings of a document without bookmarks their levels, below those of larger letters.
pub(super) fn mark(pages: &mut [Lines], level: impl Fn(&Line) -> Option<usize>) {
    if pages.iter().flatten().any(|line| line.heading.is_some()) {
        return;
    }
    let found = find(pages);
    // The level above the first part of numbers: known if a numbered line has large letters, else that of the title.
    let known = |numbered: &Numbered| {
        level(&pages[numbered.page][numbered.line])
            .map(|level| level.saturating_sub(numbered.depth))
    };
    let has_title = || pages.iter().flatten().any(|line| level(line).is_some());
    let above = found.iter().find_map(known).unwrap_or_else(|| usize::from(has_title()));
    // From the last one, because a divided line moves those after it.
    for (number, Numbered { page, line, depth }) in found.into_iter().enumerate().rev() {
        let lines = &mut pages[page];
        if level(&lines[line]).is_some() {
            continue;
        }
        if let Some((cell, at)) = title_end(&lines[line]) {
            let rest = lines[line].split_off(cell, at);
            lines.insert(line + 1, rest);
        }
        lines[line].heading = Some(Heading { level: above + depth, number });
    }
}

/// Finds the sequence of headings in a document.
fn find(pages: &[Lines]) -> Vec<Numbered> {
    let mut found = Vec::new();
    let mut last = Vec::new();
    for (page, lines) in pages.iter().enumerate() {
        for (line, text) in lines.iter().enumerate() {
            let Some(number) = number(text).filter(|number| succeeds(number, &last)) else {
                continue;
            };
            let before = line.checked_sub(1).map(|before| &lines[before]);
            let next = lines.get(line + 1);
            if is_apart(before, text) && next.is_none_or(|next| is_text(text, next)) {
                found.push(Numbered { page, line, depth: number.len() });
                last = number;
            }
        }
    }
    if found.len() < MIN_HEADINGS {
        found.clear();
    }
    found
}

/// Returns the number of a line that may be a heading: short, with a title that begins with a capital letter.
fn number(line: &Line) -> Option<Vec<usize>> {
    let text = line.text();
    let (number, title) = text.split_once(' ')?;
    // The text may begin in the line of its heading.
    let title = title.trim();
    let title = sentence_end(title).map_or(title, |end| &title[..end - 1]);
    let is_title = title.starts_with(char::is_uppercase)
        && title.chars().count() <= MAX_LENGTH
        && title.chars().filter(|char| char.is_alphabetic()).count() >= 3
        && !title.ends_with(['.', ',', ';', ':'])
        && !title.contains(". .")
        // A line of a table of contents ends with its page.
        && !(line.cells.len() > 1 && title.ends_with(|char: char| char.is_ascii_digit()));
    if !is_title {
        return None;
    }
    let parts: Option<Vec<usize>> = number
        .strip_suffix('.')
        .unwrap_or(number)
        .split('.')
        .map(|part| part.parse().ok().filter(|part| *part > 0))
        .collect();
    parts.filter(|parts| parts.len() <= 4 && parts[0] <= MAX_FIRST)
}

/// Returns the end of a title in a line in which the text begins, as a cell and a place in it: "2.1 Setup. A quorum needs".
fn title_end(line: &Line) -> Option<(usize, usize)> {
    line.cells.iter().enumerate().find_map(|(cell, Cell { text, .. })| {
        // The number may end with a point, too.
        let title = if cell == 0 { text.find(' ')? + 1 } else { 0 };
        Some((cell, title + sentence_end(&text[title..])?))
    })
}

/// Returns the end of a sentence that another one follows.
fn sentence_end(text: &str) -> Option<usize> {
    text.match_indices(". ")
        .map(|(point, _)| point + 1)
        .find(|end| text[*end..].trim_start().starts_with(char::is_uppercase))
}

/// Returns whether a number is the next one: its first part, the next of its kind, or the next of a higher one.
fn succeeds(number: &[usize], last: &[usize]) -> bool {
    let Some((end, parents)) = number.split_last() else { return false };
    if number.len() == last.len() + 1 {
        return parents == last && *end == 1;
    }
    last.get(..number.len())
        .and_then(<[usize]>::split_last)
        .is_some_and(|(before, others)| parents == others && *end == before + 1)
}

/// Returns whether a line has a space above, or is not below the one before it.
fn is_apart(before: Option<&Line>, line: &Line) -> bool {
    before.is_none_or(|before| {
        let distance = line.y - before.y;
        distance <= 0.0 || distance > 1.4 * before.size.max(line.size)
    })
}

/// Returns whether the line after a heading is text: longer than the title, or of the next column.
fn is_text(heading: &Line, next: &Line) -> bool {
    next.y < heading.y
        || (next.cells.len() == 1 && number(next).is_none_or(|number| number.len() > 1))
}

#[cfg(test)]
mod tests {
    use super::succeeds;

    #[test]
    fn a_number_follows_that_of_a_neighbor_a_parent_or_nothing() {
        assert!(succeeds(&[1], &[]));
        assert!(succeeds(&[2], &[1]));
        assert!(succeeds(&[1, 1], &[1]));
        assert!(succeeds(&[2], &[1, 3, 2]));
        assert!(succeeds(&[1, 4], &[1, 3, 2]));
        assert!(!succeeds(&[1], &[1]));
        assert!(!succeeds(&[3], &[1]));
        assert!(!succeeds(&[1, 2], &[1]));
        assert!(!succeeds(&[2, 1, 1], &[2]));
    }
}
