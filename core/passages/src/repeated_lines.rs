/*!
Repeated lines: the header of a table, or the fence before code, for chunks of prose that begin below it.

The splitter writes this line into the preamble of such a chunk. A passage that begins with the chunk, or
continues with it after a gap, shows the line again, because rows mean little without the names of their
columns. Likewise code that begins or ends inside of a fence would let a renderer show the text around it as
code. So all fences of a passage are in pairs:

~~~text
preamble: ...         | key | value |        ```sh
          | key | ... | --- | --- |          run b
content:  | b | 2 |   | b | 2 |              ```
~~~

The repeated lines are not in the source at this place, so neither spans nor citations contain them.

Its twin in SQL is `sql/edition/repeated_lines.sql`.
*/

use crate::{assemble::Assembly, fence::Fence};
use passage_split::interrupt;
use std::ops::Range;

/// Returns the line of a preamble that a chunk repeats, if the chunk begins below it: the fence before its code, or the
/// header of its table.
///
/// `is_title` returns whether a line is the title of the document or one of its section: many pages have titles such as
/// `Setup | Guide`, which name no columns.
///
/// ```
/// use passage_core::repeated_line;
///
/// let is_title = |line: &str| ["Setup | Guide", "Install"].contains(&line);
/// let line = |preamble, content| repeated_line(preamble, content, is_title);
/// assert_eq!(line("Setup | Guide\nInstall\n```sh", "run\n```\n"), Some("```sh"));
/// assert_eq!(line("Setup | Guide\n| a | b |", "| 1 | 2 |\n"), Some("| a | b |"));
/// assert_eq!(line("Setup | Guide\nInstall", "| 1 | 2 |\n"), None);
/// ```
pub fn repeated_line<'p>(
    preamble: &'p str,
    content: &str,
    is_title: impl Fn(&str) -> bool,
) -> Option<&'p str> {
    let first = || content.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let is_list = |line: &str| line.trim_start().starts_with("* - ");
    // The end of the chunk before may follow it.
    let repeated = preamble.lines().rev().take(2).find(|line| {
        let can_repeat = Fence::parse(line).is_some()
            || (line.contains('|') && first().contains('|'))
            || (is_list(line) && is_list(first()));
        can_repeat && !is_title(line)
    });
    repeated.filter(|_| !content.trim_start().is_empty())
}

/// Chunks that touch each other, and the lines that are added around them.
struct Run {
    parts: Range<usize>,
    bytes: Range<usize>,
    opening: String,
    closing: String,
}

impl Assembly {
    /// Adds the repeated lines of chunks that touch no chunk before them, and closes their fences. `repeated` returns the line
    /// that a part repeats before a text. Returns the assembly and the number of added bytes.
    #[must_use]
    pub fn with_repeated_lines(
        self,
        repeated: impl Fn(usize, &str) -> Option<String>,
        is_markdown: bool,
    ) -> (Self, usize) {
        let mut runs: Vec<Run> = Vec::new();
        let mut first = 0;
        while first < self.part_ranges.len() {
            interrupt::poll();
            runs.push(self.run(first, &repeated, is_markdown));
            first = runs.last().map_or(first, |run| run.parts.end);
        }
        let added: usize = runs.iter().map(|run| run.opening.len() + run.closing.len()).sum();
        if added == 0 {
            return (self, 0);
        }
        let Self { text: old, part_ranges: parts, spans } = self;
        let mut text = String::with_capacity(old.len() + added);
        let mut part_ranges = Vec::with_capacity(parts.len());
        let mut copied = 0;
        for Run { parts: numbers, bytes, opening, closing } in runs {
            text.push_str(&old[copied..bytes.start]);
            text.push_str(&opening);
            let moved = text.len() - bytes.start;
            let parts = parts[numbers].iter();
            part_ranges.extend(parts.map(|part| part.start + moved..part.end + moved));
            text.push_str(&old[bytes.clone()]);
            text.push_str(&closing);
            copied = bytes.end;
        }
        text.push_str(&old[copied..]);
        (Self { text, part_ranges, spans }, added)
    }

    /// Returns the run of chunks that begins with a part.
    fn run(
        &self,
        first: usize,
        repeated: impl Fn(usize, &str) -> Option<String>,
        is_markdown: bool,
    ) -> Run {
        let ranges = &self.part_ranges[first..];
        let gap = ranges.windows(2).position(|two| two[0].end != two[1].start);
        let count = gap.map_or(ranges.len(), |gap| gap + 1);
        let bytes = ranges[0].start..ranges[count - 1].end;
        let content = &self.text[bytes.clone()];
        let line = repeated(first, content);
        let line = line.as_deref();
        Run {
            parts: first..first + count,
            bytes,
            opening: line.map(|line| opening(line, content, is_markdown)).unwrap_or_default(),
            closing: closing_fence(line, content).unwrap_or_default(),
        }
    }
}

/// Returns the repeated line as the text above a run of chunks, in the list or the quote that the run begins in.
fn opening(line: &str, text: &str, is_markdown: bool) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let prefix = prefix(first);
    let mut opening = format!("{prefix}{line}\n");
    if is_markdown && Fence::parse(line).is_none() {
        let bare = line.trim();
        let is_framed = bare.starts_with('|');
        let inner = bare.strip_prefix('|').unwrap_or(bare);
        let inner = inner.strip_suffix('|').filter(|inner| !inner.ends_with('\\')).unwrap_or(inner);
        let escaped = inner.matches("\\|").count();
        let columns = inner.matches('|').count() - escaped + 1;
        let rule = vec!["---"; columns].join(" | ");
        let rule = if is_framed { format!("| {rule} |") } else { rule };
        opening = format!("{opening}{prefix}{rule}\n");
    }
    opening
}

/// Returns the fence to add after a run of chunks that ends inside of a block of code.
fn closing_fence(repeated: Option<&str>, text: &str) -> Option<String> {
    let first = || text.lines().next().unwrap_or_default();
    let mut open = repeated.and_then(Fence::parse).map(|fence| (fence, prefix(first())));
    if open.is_none() && !Fence::is_possible(text) {
        return None;
    }
    for line in text.lines() {
        interrupt::poll();
        let Some(fence) = Fence::parse(line) else { continue };
        open = match open {
            None => Some((fence, prefix(line))),
            Some((opened, _)) if opened.is_closed_by(fence) => None,
            open => open,
        };
    }
    let (fence, prefix) = open?;
    let marks = fence.mark.to_string().repeat(fence.length);
    let ends_line = text.ends_with(['\n', '\r']);
    Some(if ends_line { format!("{prefix}{marks}\n") } else { format!("\n{prefix}{marks}") })
}

/// Returns the indentation and the marks of quotes at the beginning of a line.
fn prefix(line: &str) -> &str {
    let bare = line.trim_start_matches([' ', '\t', '>']);
    &line[..line.len() - bare.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::{Part, Separator, assemble};
    use proptest::prelude::*;

    /// Assembles chunks with a gap before each but the first, each with its preamble.
    fn assembled(chunks: &[(&str, &str)]) -> Assembly {
        let parts: Vec<_> = chunks
            .iter()
            .map(|(_, content)| Part { content: (*content).into(), span: None })
            .collect();
        let assembly = assemble(&parts, Separator::BlankLine);
        let repeated = |part: usize, content: &str| {
            repeated_line(chunks[part].0, content, |_| false).map(ToOwned::to_owned)
        };
        assembly.with_repeated_lines(repeated, true).0
    }

    #[test]
    fn rows_begin_with_the_header_of_their_table() {
        let table =
            assembled(&[("T\n| a | b \\| c |", "| 1 | 2 |\n"), ("T\n| d | e |", "| 3 | 4 |\n")]);
        let expected =
            "| a | b \\| c |\n| --- | --- |\n| 1 | 2 |\n\n| d | e |\n| --- | --- |\n| 3 | 4 |\n";
        assert_eq!(table.text, expected);
        let parts = table.part_ranges.iter().map(|range| &table.text[range.clone()]);
        assert_eq!(parts.collect::<Vec<_>>(), ["| 1 | 2 |", "| 3 | 4 |\n"]);
        let quoted = assembled(&[("a | b", "> 1 | 2\n")]).text;
        assert_eq!(quoted, "> a | b\n> --- | ---\n> 1 | 2\n");
        assert_eq!(assembled(&[("T\n| a | b |", "Words.\n")]).text, "Words.\n");
    }

    #[test]
    fn fences_are_closed_and_opened_again_at_a_gap() {
        let chunks = [("T", "Run:\n\n```sh\na\n"), ("T\n```sh", "c\n```\n\nDone.\n")];
        let expected = "Run:\n\n```sh\na\n```\n\n```sh\nc\n```\n\nDone.\n";
        assert_eq!(assembled(&chunks).text, expected);
        let inside = assembled(&[("T\n~~~~", "  ```\n  b")]).text;
        assert_eq!(inside, "  ~~~~\n  ```\n  b\n  ~~~~");
    }

    proptest! {
        #[test]
        fn fences_are_in_pairs(
            chunks in prop::collection::vec(("(T|T\n```x)", "((a|```|```y|~~~|> ```|)\n){1,6}"), 1..5),
        ) {
            let chunks: Vec<_> = chunks.iter().map(|(preamble, text)| (&**preamble, &**text)).collect();
            let assembly = assembled(&chunks);
            prop_assert_eq!(closing_fence(None, &assembly.text), None, "{}", assembly.text);
        }
    }
}
