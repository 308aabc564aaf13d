/*!
Preambles: what a chunk's content does not say of where it stands.

A preamble is the document's title, the titles of the chunk's section from the outside in, and the
line that goes before what is in it, such as the first row of a table that the chunk continues or
the head of the class that it is in, each on a line of its own; and where it is wanted, the end of
the chunk before. Lines rather than ` > ` between them: in wordpieces a line end is free and the
arrow is not.
*/

use super::{Sizer, SplitOptions, draft::Draft, overlap::last_words, sections::shorten};
use std::ops::Range;

/// The most bytes of a table's first row that are worth repeating.
const MOST_HEADER: usize = 500;

/// Writes the preambles of a document's chunks.
///
/// Neighbours mostly share their titles, so what was said of the last chunk is kept.
pub(super) struct Preambles<'a> {
    text: &'a str,
    sizer: &'a dyn Sizer,
    window: usize,
    overlap: usize,
    title: Option<Line>,
    /// The titles of the last chunk's section, empty ones too.
    section: Vec<Line>,
    /// The row that the last chunk repeated, and what is written of it.
    row: Option<Range<usize>>,
    header: Option<Line>,
}

/// A line of a preamble.
struct Line {
    text: String,
    /// Its size with the line end; 0 if it is empty and thus not written.
    size: usize,
}

impl Line {
    fn new(mut text: String, sizer: &dyn Sizer) -> Self {
        text.push('\n');
        let size = if text.len() > 1 { sizer.size(&text) } else { 0 };
        text.pop();
        Self { text, size }
    }
}

impl<'a> Preambles<'a> {
    pub(super) fn new(text: &'a str, options: &SplitOptions<'_>, sizer: &'a dyn Sizer) -> Self {
        let title = options.title.map(|title| one_line(&shorten(title)));
        let title = title.filter(|title| !title.is_empty()).map(|title| Line::new(title, sizer));
        let (window, overlap) = (options.limits.window, options.overlap);
        Self { text, sizer, window, overlap, title, section: Vec::new(), row: None, header: None }
    }

    /// Writes the preamble of a chunk that stands behind a text.
    pub(super) fn preamble(&mut self, draft: &Draft, before: &str) -> String {
        let lines = self.section.iter().zip(&draft.section);
        let common = lines.take_while(|(line, title)| line.text == **title).count();
        self.section.truncate(common);
        let sizer = self.sizer;
        self.section
            .extend(draft.section[common..].iter().cloned().map(|title| Line::new(title, sizer)));
        if self.row != draft.header {
            self.row.clone_from(&draft.header);
            // A row longer than a title could only ever push the titles out.
            let row = self.row.clone().filter(|row| row.len() <= MOST_HEADER);
            let row = row.map(|row| one_line(&self.text[row])).filter(|row| !row.is_empty());
            self.header = row.map(|row| Line::new(row, sizer));
        }
        let mut room = self.window.saturating_sub(draft.size);
        let mut preamble = self.select_within_budget(room);
        if self.overlap > 0 && !before.is_empty() {
            room = room.saturating_sub(sizer.size(&preamble) + sizer.size("\n"));
            let words = last_words(before, self.overlap.min(room), sizer);
            if !preamble.is_empty() && !words.is_empty() {
                preamble.push('\n');
            }
            preamble.push_str(&words);
        }
        preamble
    }

    /// Writes as many of the lines as there is room for.
    ///
    /// The outermost titles of the section go first, then the document's title, then the table's
    /// row, and the innermost title last.
    fn select_within_budget(&self, room: usize) -> String {
        // A document is often named by its first heading; once is enough.
        let named = self.section.first().map(|line| &line.text);
        let title = self.title.as_ref().filter(|title| named != Some(&title.text));
        let size = |line: Option<&Line>| line.map_or(0, |line| line.size);
        let mut total = self.section.iter().map(|line| line.size).sum::<usize>();
        total += size(title) + size(self.header.as_ref());

        let innermost = self.section.iter().rposition(|line| !line.text.is_empty());
        let mut from = 0;
        while total > room && innermost.is_some_and(|innermost| from < innermost) {
            total -= self.section[from].size;
            from += 1;
        }
        let mut keep = |line: &&Line| {
            let kept = total <= room;
            total -= if kept { 0 } else { line.size };
            kept
        };
        let title = title.filter(&mut keep);
        let header = self.header.as_ref().filter(&mut keep);
        if total > room {
            return String::new();
        }
        let lines = title.into_iter().chain(&self.section[from..]).chain(header);
        let lines = lines.filter(|line| !line.text.is_empty());
        let mut text = String::with_capacity(lines.clone().map(|line| line.text.len() + 1).sum());
        for line in lines {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&line.text);
        }
        text
    }
}

/// Returns a text on one line and without white space around it.
fn one_line(text: &str) -> String {
    text.trim().replace(['\n', '\r'], " ")
}
