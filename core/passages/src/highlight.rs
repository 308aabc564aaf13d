//! Highlighting: marks around the hits in the text of a passage.
//!
//! Its twin in SQL is `sql/edition/assembly.sql`.

use crate::assemble::Assembly;
use passage_split::interrupt;
use std::ops::Range;

impl Assembly {
    /// Inserts marks around the parts that are hits, and adjusts the part ranges.
    ///
    /// `hits` has one flag for each part. Hits that touch share one pair of marks. A part without text gets
    /// none. The part ranges do not include the marks.
    ///
    /// ```
    /// use passage_core::assemble::{Part, Separator, assemble};
    ///
    /// let parts = ["a ", "b"].map(|text| Part { content: text.into(), span: None });
    /// let text = assemble(&parts, Separator::Text("")).highlight(&[false, true], "<b>", "</b>").text;
    /// assert_eq!(text, "a <b>b</b>");
    /// ```
    #[must_use]
    pub fn highlight(self, hits: &[bool], start: &str, end: &str) -> Self {
        if start.is_empty() && end.is_empty() {
            return self;
        }
        let mut runs: Vec<Range<usize>> = Vec::new();
        let placed = self.part_ranges.iter().zip(hits);
        for (placed, _) in placed.filter(|(placed, hit)| **hit && !placed.is_empty()) {
            match runs.last_mut() {
                Some(run) if run.end == placed.start => run.end = placed.end,
                _ => runs.push(placed.clone()),
            }
        }
        let mut text =
            String::with_capacity(self.text.len() + runs.len() * (start.len() + end.len()));
        let mut copied = 0;
        for run in &runs {
            interrupt::poll();
            text.push_str(&self.text[copied..run.start]);
            text.push_str(start);
            text.push_str(&self.text[run.clone()]);
            text.push_str(end);
            copied = run.end;
        }
        text.push_str(&self.text[copied..]);
        let moved = |placed: &Range<usize>| {
            interrupt::poll();
            let starts = runs.partition_point(|run| run.start <= placed.start);
            let ends = runs.partition_point(|run| run.end <= placed.start);
            let by = starts * start.len() + ends * end.len();
            placed.start + by..placed.end + by
        };
        let part_ranges = self.part_ranges.iter().map(moved).collect();
        Self { text, part_ranges, spans: self.spans }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::{Part, Separator, assemble};

    fn highlight(parts: &[(&str, i32, bool)], start: &str, end: &str) -> Assembly {
        let hits: Vec<_> = parts.iter().map(|(_, _, hit)| *hit).collect();
        let parts: Vec<_> = parts
            .iter()
            .map(|(text, at, _)| Part {
                content: (*text).into(),
                span: Some(*at..at + text.len() as i32),
            })
            .collect();
        assemble(&parts, Separator::BlankLine).highlight(&hits, start, end)
    }

    #[test]
    fn hits_are_between_marks_and_citations_find_them() {
        let parts = [("one ", 0, false), ("two", 4, true), ("three", 20, true), ("four", 25, true)];
        let assembly = highlight(&parts, "<b>", "</b>");
        assert_eq!(assembly.text, "one <b>two</b>\n\n<b>threefour</b>");
        let placed: Vec<_> =
            assembly.part_ranges.iter().map(|at| &assembly.text[at.clone()]).collect();
        assert_eq!(placed, ["one ", "two", "three", "four"]);
    }

    #[test]
    fn without_marks_nothing_changes() {
        let parts = [("one ", 0, false), ("two", 4, true)];
        assert_eq!(highlight(&parts, "", "").text, "one two");
        assert_eq!(highlight(&parts, "", "*").text, "one two*");
    }
}
