/*!
Preambles: what a chunk's content does not say of where it stands.

A preamble is the document's title, the titles of the chunk's section from the outside in, and the
first row of a table that the chunk continues, each on a line of its own. Lines rather than ` > `
between them: in wordpieces a line end is free and the arrow is not.
*/

use super::{Options, Sizer, sections::shorten};
use std::ops::Range;

/// The most bytes of a table's first row that are worth repeating.
const MOST_HEADER: usize = 500;

/// Writes preambles, remembering the sizes of lines from one chunk to the next.
pub(super) struct Preambles<'a> {
    text: &'a str,
    sizer: &'a dyn Sizer,
    window: usize,
    title: Option<String>,
    /// The lines of the last preamble with their sizes: neighbours mostly share theirs.
    known: Vec<(String, usize)>,
}

impl<'a> Preambles<'a> {
    pub(super) fn new(text: &'a str, options: &Options<'_>, sizer: &'a dyn Sizer) -> Self {
        let title =
            options.title.map(|title| one_line(&shorten(title))).filter(|title| !title.is_empty());
        Self { text, sizer, window: options.limits.window, title, known: Vec::new() }
    }

    /// Writes the preamble of a chunk whose content has a size.
    ///
    /// If it does not fit into the window beside the content, the outermost titles of the section
    /// go first, then the document's title, then the table's row, and the innermost title last.
    pub(super) fn preamble(
        &mut self,
        section: &[String],
        header: Option<Range<usize>>,
        size: usize,
    ) -> String {
        // A row longer than a title could only ever push the titles out.
        let header = header.filter(|row| row.len() <= MOST_HEADER);
        let header = header.map(|row| one_line(&self.text[row])).filter(|row| !row.is_empty());
        // A document is often named by its first heading; once is enough.
        let title = self.title.clone().filter(|title| section.first() != Some(title));
        let inner = usize::from(title.is_some());
        let mut lines: Vec<String> = title.into_iter().collect();
        lines.extend(section.iter().filter(|title| !title.is_empty()).cloned());
        let titles = lines.len();
        lines.extend(header);
        let sizes: Vec<usize> = lines.iter().map(|line| self.size(line)).collect();

        let room = self.window.saturating_sub(size);
        let mut total: usize = sizes.iter().sum();
        let mut kept = vec![true; lines.len()];
        let innermost = if titles > inner { Some(titles - 1) } else { None };
        let order = (inner..titles).filter(|at| Some(*at) != innermost);
        let order = order.chain(0..inner).chain(titles..lines.len()).chain(innermost);
        for at in order {
            if total <= room {
                break;
            }
            kept[at] = false;
            total -= sizes[at];
        }
        let text: Vec<&str> =
            lines.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(line, _)| &**line).collect();
        let text = text.join("\n");
        self.known = lines.into_iter().zip(sizes).collect();
        text
    }

    /// Returns the size of a line with its end.
    fn size(&self, line: &str) -> usize {
        match self.known.iter().find(|(known, _)| known == line) {
            Some((_, size)) => *size,
            None => self.sizer.size(&format!("{line}\n")),
        }
    }
}

/// Returns a text on one line and without white space around it.
fn one_line(text: &str) -> String {
    text.trim().replace(['\n', '\r'], " ")
}
