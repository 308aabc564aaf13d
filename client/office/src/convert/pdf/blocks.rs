//! Blocks of a page: headings by the size of letters, tables by cells below each other, lists and paragraphs.

use super::line::{Line, Lines};
use crate::convert::ConvertError;
use crate::convert::markdown::{Bullet, Markdown, escaped};
use crate::convert::table::Table;
use std::collections::BTreeMap;

/// How much larger than the text a heading is.
const HEADING: f64 = 1.12;

/// The longest heading in characters.
const MAX_HEADING: usize = 200;

/// The longest heading in characters that ends like a sentence.
const MAX_SENTENCE: usize = 60;

/// The distance of the base lines of a paragraph, in sizes of the letters.
const LEADING: f64 = 1.75;

/// The least rows of a table.
const MIN_ROWS: usize = 3;

/// Signs that begin the item of a list.
const BULLETS: [char; 10] = ['•', '‣', '▪', '●', '○', '◦', '■', '□', '–', '·'];

/// The sizes of letters in a document.
pub(super) struct Sizes {
    /// The size of most of the text, in half points, because a program may round sizes.
    text: usize,
    /// The levels of headings by their sizes.
    levels: BTreeMap<usize, usize>,
}

impl Sizes {
    /// Finds the sizes in a document.
    pub(super) fn of(pages: &[Lines]) -> Self {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        let mut levels: BTreeMap<usize, usize> = BTreeMap::new();
        for line in pages.iter().flatten() {
            let size = half_points(line.size);
            *counts.entry(size).or_default() += line.text().chars().count();
            if let Some(heading) = line.heading {
                let level = levels.entry(size).or_insert(heading.level);
                *level = heading.level.min(*level);
            }
        }
        let text = counts.iter().max_by_key(|(_, count)| **count).map_or(0, |(size, _)| *size);
        // Without bookmarks a larger size is a higher level. With them it is at least as high as theirs.
        let mut last = 0;
        for size in counts.into_keys().rev().filter(|size| is_larger(*size, text)) {
            last = *levels.entry(size).or_insert(if last == 0 { 1 } else { last + 1 });
        }
        Self { text, levels }
    }

    /// Returns the level of a heading, or `None` for other lines.
    pub(super) fn level(&self, line: &Line) -> Option<usize> {
        if let Some(heading) = line.heading {
            return Some(heading.level);
        }
        let size = half_points(line.size);
        let text = line.text();
        let letters = text.chars().filter(|char| char.is_alphabetic()).count();
        let is_heading = is_larger(size, self.text)
            && letters >= 2
            && text.chars().count() <= MAX_HEADING
            && line.cells.len() <= 2;
        is_heading.then(|| self.levels.get(&size).copied().unwrap_or(1))
    }
}

fn is_larger(size: usize, text: usize) -> bool {
    size as f64 > text as f64 * HEADING
}

fn half_points(size: f64) -> usize {
    (size * 2.0).round() as usize
}

/// Writes the lines of a page.
pub(super) fn write(
    lines: &[Line],
    sizes: &Sizes,
    markdown: &mut Markdown,
) -> Result<(), ConvertError> {
    let mut rest = lines;
    while let Some((line, after)) = rest.split_first() {
        if let Some(level) = sizes.level(line) {
            // A heading may have several lines.
            let more = after.iter().zip(rest).take_while(|(next, last)| {
                let is_same = next.heading == line.heading && sizes.level(next) == Some(level);
                is_same && (line.heading.is_some() || follows(last, next))
            });
            let count = 1 + more.count();
            let text = joined(&rest[..count]);
            if line.heading.is_none() && is_prose(&text) {
                markdown.paragraph(&text)?;
            } else {
                markdown.heading(level, &text)?;
            }
            rest = &rest[count..];
            continue;
        }
        let rows = table_rows(rest);
        if rows >= MIN_ROWS {
            let cells = |line: &Line| line.cells.iter().map(|cell| escaped(&cell.text)).collect();
            markdown.table(Table { rows: rest[..rows].iter().map(cells).collect() })?;
            rest = &rest[rows..];
            continue;
        }
        let is_more = |count: &usize| {
            let (last, next) = (&rest[count - 1], &rest[*count]);
            sizes.level(next).is_none()
                && follows(last, next)
                && bullet(&next.text()).is_none()
                // A row whose cells are close to each other is not one, but those after it are.
                && table_rows(&rest[*count..]) < MIN_ROWS
        };
        let count = 1 + (1..rest.len()).take_while(is_more).count();
        let text = joined(&rest[..count]);
        match bullet(&text) {
            Some(item) => markdown.item(0, Bullet::Dash, item)?,
            None => markdown.paragraph(&text)?,
        }
        rest = &rest[count..];
    }
    Ok(())
}

/// Returns whether lines in large letters are a paragraph: an introduction, or the text of a document with many small tables.
fn is_prose(text: &str) -> bool {
    let length = text.chars().count();
    length > MAX_HEADING || (length > MAX_SENTENCE && text.ends_with('.'))
}

/// Returns whether a line continues the paragraph of the last one.
fn follows(last: &Line, next: &Line) -> bool {
    let size = last.size.max(next.size);
    let distance = next.y - last.y;
    let indent = next.x() - last.x();
    (last.size - next.size).abs() < 0.12 * size
        && distance > 0.0
        && distance < LEADING * size
        // The first line of a paragraph may be indented.
        && !(indent > 0.8 * size && indent < 4.0 * size && ends_sentence(last))
}

fn ends_sentence(line: &Line) -> bool {
    line.text().ends_with(['.', '!', '?', ':', '”', '"'])
}

/// Returns the item of a list without its bullet.
fn bullet(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(BULLETS)?;
    rest.starts_with(' ').then(|| rest.trim_start()).filter(|rest| !rest.is_empty())
}

/// Returns the number of rows of a table at the beginning: lines with the same number of cells below each other.
fn table_rows(lines: &[Line]) -> usize {
    let Some(first) = lines.first().filter(|line| line.cells.len() > 1) else { return 0 };
    let is_row = |line: &&Line| {
        line.cells.len() == first.cells.len()
            && line.cells.iter().zip(&first.cells).all(|(cell, other)| {
                // Numbers end below each other, and do not begin so.
                (cell.x - other.x).abs() < 2.0 * first.size
                    || cell
                        .text
                        .trim()
                        .starts_with(|char: char| char.is_ascii_digit() || char == '-')
            })
    };
    lines.iter().take_while(is_row).count()
}

/// Returns the lines of a paragraph as one, with words whole that were hyphenated.
fn joined(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        let line = line.text();
        let continues_word = text.ends_with(['-', '\u{ad}'])
            && text.chars().rev().nth(1).is_some_and(char::is_alphabetic)
            && line.starts_with(char::is_lowercase);
        if continues_word {
            text.pop();
        } else if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&line);
    }
    escaped(&text.replace('\u{ad}', ""))
}
