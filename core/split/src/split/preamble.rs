/*!
Preambles: the context of a chunk that its content does not show.

A preamble has these parts, each on a line of its own:

- the title of the document;
- the titles of the chunk's section, from the root down;
- a header: the first row of the table that the chunk continues, or the head of its class;
- with an overlap, the end of the chunk before.

Line ends separate the titles, and not ` > `, because a line end has no wordpieces.

Its twin in SQL is `sql/edition/split/chunks.sql`.
*/

use super::{
    options::{Sizer, SplitOptions},
    titles::shorten,
};
use std::ops::Range;

/// The maximum number of bytes of a header that is repeated.
const MAX_HEADER: usize = 500;

/// Writes the preambles of a document's chunks.
///
/// Neighbors mostly share their titles, so the lines of the last chunk are reused.
pub(super) struct Preambles<'a> {
    text: &'a str,
    sizer: &'a dyn Sizer,
    window: usize,
    overlap: usize,
    title: Option<Line>,
    /// The titles of the last chunk's section, including empty ones.
    section: Vec<Line>,
    /// The range of the last chunk's header, and its line.
    row: Option<Range<usize>>,
    header: Option<Line>,
}

/// A line of a preamble.
struct Line {
    text: String,
    /// Its size with the line end; 0 if it is empty, because empty lines are not written.
    size: usize,
}

impl Line {
    fn new(line: &str, sizer: &dyn Sizer) -> Self {
        let mut text = [line, "\n"].concat();
        let size = if text.len() > 1 { sizer.size(&text) } else { 0 };
        text.pop();
        Self { text, size }
    }
}

impl<'a> Preambles<'a> {
    pub(super) fn new(text: &'a str, options: &SplitOptions<'_>, sizer: &'a dyn Sizer) -> Self {
        let title = options.title.map(preamble_title);
        let title = title.filter(|title| !title.is_empty()).map(|title| Line::new(&title, sizer));
        let (window, overlap) = (options.limits.window, options.overlap);
        Self { text, sizer, window, overlap, title, section: Vec::new(), row: None, header: None }
    }

    /// Returns the preamble of a chunk by its section, its header, its size and the text of the chunk
    /// before.
    pub(super) fn preamble(
        &mut self,
        section: &[String],
        header: Option<&Range<usize>>,
        size: usize,
        before: &str,
    ) -> String {
        let lines = self.section.iter().zip(section);
        let common = lines.take_while(|(line, title)| line.text == **title).count();
        self.section.truncate(common);
        let sizer = self.sizer;
        self.section.extend(section[common..].iter().map(|title| Line::new(title, sizer)));
        if self.row.as_ref() != header {
            self.row = header.cloned();
            // A longer row would only displace titles.
            let row = self.row.clone().filter(|row| row.len() <= MAX_HEADER);
            let row = row.map(|row| one_line(&self.text[row])).filter(|row| !row.is_empty());
            self.header = row.map(|row| Line::new(&row, sizer));
        }
        let mut room = self.window.saturating_sub(size);
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

    /// Returns as many of the lines as fit into some room.
    ///
    /// The outermost titles of the section are dropped first, then the document's title, then the
    /// header, and the innermost title last.
    fn select_within_budget(&self, room: usize) -> String {
        // The document's title often is its first heading, which is not repeated.
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

/// Returns the title of a document as it is in the preambles of its chunks.
///
/// ```
/// assert_eq!(passage_split::preamble_title(" Set-up\n guide "), "Set-up guide");
/// ```
pub fn preamble_title(title: &str) -> String {
    one_line(&shorten(title))
}

/// Returns a text on one line, without white space around it and its lines.
fn one_line(text: &str) -> String {
    text.trim().split(['\n', '\r']).map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Returns the last words of a text, on one line, with a total size of at most `most`.
pub(super) fn last_words(text: &str, max: usize, sizer: &dyn Sizer) -> String {
    let mut left = max;
    let mut words: Vec<&str> = text
        .split_ascii_whitespace()
        .rev()
        .take_while(|word| {
            // The size includes the space or line end after the word.
            let size = sizer.size(&format!("{word} "));
            let fits = size > 0 && size <= left;
            left -= if fits { size } else { 0 };
            fits
        })
        .collect();
    words.reverse();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Characters;

    #[test]
    fn last_words_returns_whole_words_that_fit() {
        let last = |max| last_words("One two\n  three\u{e9}.\n", max, &Characters);
        assert_eq!(last(100), "One two three\u{e9}.");
        assert_eq!(last(12), "two three\u{e9}.");
        assert_eq!(last(11), "three\u{e9}.");
        assert_eq!(last(7), "");
        assert_eq!(last(0), "");
        assert_eq!(last_words("", 5, &Characters), "");
    }
}
