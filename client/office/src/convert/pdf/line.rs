//! Lines: glyphs on one base line, with spaces where their distance is that of words, and cells where it is larger.

use super::accents::{combined, is_accent};

/// The distance of words, in sizes of the letters, on a page that has no spaces, as those of TeX.
const WORD: f64 = 0.12;

/// The distance of words on a page that has spaces. Letters that are spaced out have nearly that of words.
const WORD_BESIDE_SPACES: f64 = 0.2;

/// The least share of spaces on such a page, as one in so many letters.
const LETTERS_OF_SPACE: usize = 20;

/// The distance of cells of a table, in sizes of the letters.
const CELL: f64 = 1.6;

/// A letter on a page. Distances are in points, from the left and from the top.
pub(super) struct Glyph {
    pub(super) text: String,
    pub(super) x: f64,
    /// The place where the next letter of the word begins.
    pub(super) end: f64,
    /// The base line.
    pub(super) y: f64,
    pub(super) size: f64,
}

/// A part of a line.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// The place where it begins.
    pub(super) x: f64,
    pub(super) end: f64,
    pub(super) text: String,
}

/// A line of a page.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// The parts that a wide space separates.
    pub(super) cells: Vec<Cell>,
    pub(super) end: f64,
    pub(super) y: f64,
    /// The size of its largest letters that are not a single sign.
    pub(super) size: f64,
    /// The height of its place on the page, from 0 at the top to 1.
    pub(super) height: f64,
    /// The heading that the line is, or a part of.
    pub(super) heading: Option<Heading>,
}

/// A heading by its bookmark or its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) level: usize,
    /// Its position among the bookmarks or the numbered headings.
    pub(super) number: usize,
}

/// The lines of a page, in reading order.
pub(super) type Lines = Vec<Line>;

impl Line {
    pub(super) fn x(&self) -> f64 {
        self.cells.first().map_or(0.0, |cell| cell.x)
    }

    /// Divides a line after the first bytes of a cell. The rest begins at the same place, as the lines below it do.
    pub(super) fn split_off(&mut self, cell: usize, at: usize) -> Self {
        let mut rest = Self { cells: self.cells.split_off(cell), ..self.clone() };
        let text = rest.cells[0].text.split_off(at);
        let begun = Cell { text, ..rest.cells[0].clone() };
        let begun = std::mem::replace(&mut rest.cells[0], begun);
        if !begun.text.trim().is_empty() {
            self.cells.push(begun);
        }
        rest.cells[0].x = self.x();
        rest
    }

    /// Returns the text, with one space between cells.
    pub(super) fn text(&self) -> String {
        let cells: Vec<&str> = self.cells.iter().map(|cell| cell.text.trim()).collect();
        cells.join(" ").trim().to_owned()
    }
}

/// Makes lines of glyphs.
pub(super) struct LineBuilder {
    lines: Vec<Line>,
    /// The number of letters of each size in the last line, to find its size.
    sizes: Vec<(f64, usize)>,
    /// The numbers of letters and of spaces so far.
    letters: usize,
    spaces: usize,
    page_height: f64,
}

impl LineBuilder {
    pub(super) fn new(page_height: f64) -> Self {
        Self {
            lines: Vec::new(),
            sizes: Vec::new(),
            letters: 0,
            spaces: 0,
            page_height: page_height.max(1.0),
        }
    }

    pub(super) fn push(&mut self, glyph: Glyph) {
        let is_valid =
            [glyph.x, glyph.end, glyph.y, glyph.size].iter().all(|value| value.is_finite());
        if !is_valid || glyph.size <= 0.0 {
            return;
        }
        let is_space = glyph.text.trim().is_empty();
        self.letters += usize::from(!is_space);
        self.spaces += usize::from(is_space);
        let has_spaces = self.spaces * LETTERS_OF_SPACE > self.letters;
        let word = if has_spaces { WORD_BESIDE_SPACES } else { WORD };
        let Some(line) = self.lines.last_mut().filter(|line| continues(line, &glyph)) else {
            // A space at the beginning of a line has no meaning.
            if !is_space {
                self.begin(glyph);
            }
            return;
        };
        let size = glyph.size.max(line.size * 0.5);
        let gap = glyph.x - line.end;
        let cell = line.cells.last_mut().expect("a line has a cell");
        // An accent is over the middle of its letter. It may begin over the letter before.
        if f64::midpoint(glyph.x, glyph.end) < line.end
            && let Some((before, _)) = cell.text.char_indices().next_back()
            && let Some(letter) = combined(&cell.text[before..], &glyph.text)
        {
            let begins_line = is_accent(&cell.text);
            cell.text.truncate(before);
            cell.text.push(letter);
            if begins_line && line.cells.len() == 1 {
                line.y = glyph.y;
            }
            line.end = glyph.end.max(line.end);
            return;
        }
        if gap > CELL * size && !is_space {
            line.cells.push(Cell { x: glyph.x, end: glyph.end, text: String::new() });
        } else if gap > word * size && !is_space {
            line.cells.last_mut().expect("a line has a cell").text.push(' ');
        }
        let cell = line.cells.last_mut().expect("a line has a cell");
        cell.text.push_str(&glyph.text);
        // A space may be as wide as a column: the next letter shows it.
        if !is_space {
            line.end = glyph.end.max(line.end);
            cell.end = line.end;
        } else if gap < CELL * size {
            line.end = line.end.max(glyph.end.min(line.end + 0.3 * size));
        }
        count(&mut self.sizes, glyph.size, glyph.text.chars().count());
        let size = main_size(&self.sizes);
        // The mark of a footnote may begin a line: its base line is the one of the larger letters.
        if size > line.size && glyph.size >= size {
            line.y = glyph.y;
        }
        line.size = size;
    }

    fn begin(&mut self, glyph: Glyph) {
        self.sizes = vec![(glyph.size, 1)];
        self.lines.push(Line {
            cells: vec![Cell { x: glyph.x, end: glyph.end, text: glyph.text }],
            end: glyph.end,
            y: glyph.y,
            size: glyph.size,
            height: (glyph.y / self.page_height).clamp(0.0, 1.0),
            heading: None,
        });
    }

    /// Returns the lines with text, those that are parts of one line joined.
    pub(super) fn finish(self) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        for line in self.lines.into_iter().filter(|line| !line.text().is_empty()) {
            match lines.last_mut() {
                // The cells of a row, which a program has written one after the other.
                Some(last)
                    if (last.y - line.y).abs() < 0.2 * last.size
                        && line.x() >= last.end
                        && (last.size - line.size).abs() < 0.1 * last.size =>
                {
                    last.end = line.end;
                    last.cells.extend(line.cells);
                }
                _ => lines.push(line),
            }
        }
        lines
    }
}

/// Returns whether a glyph is on the line, after its last one. Small ones may be above or below: they are indexes.
fn continues(line: &Line, glyph: &Glyph) -> bool {
    let size = line.size.max(glyph.size);
    let is_index = glyph.size < 0.85 * line.size || line.size < 0.85 * glyph.size;
    // TeX draws an accent before its letter: higher over a capital one, and over the middle of a wide one.
    let last = line.cells.last().and_then(|cell| cell.text.char_indices().next_back());
    let last = last.map_or("", |(at, _)| &line.cells[line.cells.len() - 1].text[at..]);
    let is_accented = combined(last, &glyph.text).is_some();
    let distance = if is_index {
        0.55
    } else if is_accented || is_accent(&glyph.text) {
        0.45
    } else {
        0.25
    };
    let overlap = if is_accented { 1.0 } else { 0.6 };
    (glyph.y - line.y).abs() < distance * size
        && glyph.x > line.end - overlap * size
        && glyph.x - line.end < 40.0 * size
}

fn count(sizes: &mut Vec<(f64, usize)>, size: f64, number: usize) {
    match sizes.iter_mut().find(|(other, _)| (other - size).abs() < 0.1) {
        Some((_, count)) => *count += number,
        None => sizes.push((size, number)),
    }
}

fn main_size(sizes: &[(f64, usize)]) -> f64 {
    sizes.iter().max_by_key(|(_, count)| *count).map_or(0.0, |(size, _)| *size)
}
