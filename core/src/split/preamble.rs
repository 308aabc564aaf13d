/*!
Preambles: what a chunk's content does not say of where it stands.

A preamble is the document's title, the titles of the chunk's section from the outside in, and the
line that goes before what is in it, such as the first row of a table that the chunk continues or
the head of the class that it is in, each on a line of its own; and where it is wanted, the end of
the chunk before. Lines rather than ` > ` between them: in wordpieces a line end is free and the
arrow is not.
*/

use super::{Options, Sizer, draft::Draft, overlap::last_words, sections::shorten};
use crate::section::Section;
use std::ops::Range;

/// The most bytes of a table's first row that are worth repeating.
const MOST_HEADER: usize = 500;

/// Writes the preambles of a document's chunks.
pub(super) struct Preambles<'a> {
    text: &'a str,
    sizer: &'a dyn Sizer,
    window: usize,
    overlap: usize,
    title: Option<String>,
    /// Where the last chunk stood and which row it repeated: neighbours mostly share both.
    last: Option<(Section, Option<Range<usize>>)>,
    /// What there is to say of that.
    lines: Lines,
}

/// The lines of a preamble, each with the size that it has with its end.
#[derive(Default)]
struct Lines {
    title: Option<(String, usize)>,
    section: Vec<(String, usize)>,
    header: Option<(String, usize)>,
}

impl<'a> Preambles<'a> {
    pub(super) fn new(text: &'a str, options: &Options<'_>, sizer: &'a dyn Sizer) -> Self {
        let title = options.title.map(|title| one_line(&shorten(title)));
        let title = title.filter(|title| !title.is_empty());
        let (window, overlap) = (options.limits.window, options.overlap);
        Self { text, sizer, window, overlap, title, last: None, lines: Lines::default() }
    }

    /// Writes the preamble of a chunk that stands behind a text.
    pub(super) fn preamble(&mut self, draft: &Draft, before: &str) -> String {
        let stays = self
            .last
            .as_ref()
            .is_some_and(|(section, header)| *section == draft.section && *header == draft.header);
        if !stays {
            self.lines = self.lines(draft);
            self.last = Some((draft.section.clone(), draft.header.clone()));
        }
        let mut room = self.window.saturating_sub(draft.size);
        let mut preamble = self.lines.fitting(room);
        if self.overlap > 0 && !before.is_empty() {
            room = room.saturating_sub(self.sizer.size(&preamble) + self.sizer.size("\n"));
            let words = last_words(before, self.overlap.min(room), self.sizer);
            if !preamble.is_empty() && !words.is_empty() {
                preamble.push('\n');
            }
            preamble.push_str(&words);
        }
        preamble
    }

    /// Says where a chunk stands.
    fn lines(&self, Draft { section, header, .. }: &Draft) -> Lines {
        let sized = |mut line: String| {
            line.push('\n');
            let size = self.sizer.size(&line);
            line.pop();
            (!line.is_empty()).then_some((line, size))
        };
        // A document is often named by its first heading; once is enough.
        let title = self.title.as_ref().filter(|title| section.first() != Some(title));
        // A row longer than a title could only ever push the titles out.
        let header = header.clone().filter(|row| row.len() <= MOST_HEADER);
        Lines {
            title: title.cloned().and_then(sized),
            section: section.iter().cloned().filter_map(sized).collect(),
            header: header.and_then(|row| sized(one_line(&self.text[row]))),
        }
    }
}

impl Lines {
    /// Writes as many of the lines as there is room for.
    ///
    /// The outermost titles of the section go first, then the document's title, then the table's
    /// row, and the innermost title last.
    fn fitting(&self, room: usize) -> String {
        let size = |line: &Option<(String, usize)>| line.as_ref().map_or(0, |(_, size)| *size);
        let outer = self.section.iter().map(|(_, size)| *size);
        let mut total = outer.sum::<usize>() + size(&self.title) + size(&self.header);

        let mut from = 0;
        while total > room && from + 1 < self.section.len() {
            total -= self.section[from].1;
            from += 1;
        }
        let mut keep = |line: &Option<(String, usize)>| {
            let kept = total <= room;
            total -= if kept { 0 } else { size(line) };
            kept
        };
        let title = self.title.iter().filter(|_| keep(&self.title)).collect::<Vec<_>>();
        let header = self.header.iter().filter(|_| keep(&self.header)).collect::<Vec<_>>();
        if total > room {
            return String::new();
        }
        let lines = title.into_iter().chain(&self.section[from..]).chain(header);
        let lines = lines.collect::<Vec<_>>();
        let mut text = String::with_capacity(lines.iter().map(|(line, _)| line.len() + 1).sum());
        for (line, _) in lines {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line);
        }
        text
    }
}

/// Returns a text on one line and without white space around it.
fn one_line(text: &str) -> String {
    text.trim().replace(['\n', '\r'], " ")
}
