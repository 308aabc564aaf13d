/*!
Tables of reStructuredText: the rows, and the header that names the columns.

```text
+---+---+    === ===    .. list-table::        .. csv-table::
| a | b |    a   b         :header-rows: 1        :header: a, b
+===+===+    === ===
| 1 | 2 |    1   2         * - a                  1, 2
+---+---+    === ===         - b
                           * - 1
                             - 2
```
*/

use crate::split::block_builder::{Line, Lines};
use std::ops::Range;

/// The rows of a table.
#[derive(Default)]
pub(super) struct Table {
    /// The header, and the offset of the first row below it.
    pub(super) header: Option<(Range<usize>, usize)>,
    /// The offsets of the rows.
    pub(super) rows: Vec<usize>,
}

/// Returns the rows of a table that is drawn with rules, in some lines. Other blocks have none.
pub(super) fn ruled(lines: &Lines<'_>, begin: usize, end: usize) -> Table {
    let all = || (begin..end).filter_map(|at| lines.get(at));
    let Some(first) = all().next() else { return Table::default() };
    let is_grid = is_grid_rule(first, '-');
    if !is_grid && !is_table_rule(first) {
        return Table::default();
    }
    let is_rule = |line: Line<'_>| {
        if is_grid {
            is_grid_rule(line, '-') || is_grid_rule(line, '=')
        } else {
            is_table_rule(line)
        }
    };
    let ends_header =
        |line: &Line<'_>| if is_grid { is_grid_rule(*line, '=') } else { is_table_rule(*line) };
    let head_end = all().skip(1).find(ends_header).map(|line| line.start);
    // A simple table without a header has its second rule at its end.
    let last = all().next_back().map_or(0, |line| line.start);
    let head_end = head_end.filter(|end| *end < last);
    let mut rows = Vec::new();
    let mut header: Option<Range<usize>> = None;
    let mut after_rule = false;
    for line in all() {
        if is_rule(line) {
            after_rule = true;
        } else if head_end.is_some_and(|end| line.start < end) {
            let from = header.map_or(line.start, |header| header.start);
            header = Some(from..line.start + line.text.len());
        } else if !line.is_blank() && (after_rule || (!is_grid && !line.is_indented())) {
            rows.push(line.start);
            after_rule = false;
        }
    }
    let header = header.zip(rows.first().copied());
    Table { header, rows }
}

/// Returns the rows of a directive for a table, in some lines. Other directives have none.
pub(super) fn directive(lines: &Lines<'_>, begin: usize, end: usize) -> Table {
    let name = lines.get(begin).map_or("", |line| line.text);
    let is_list = name.starts_with(".. list-table::");
    if !is_list && !name.starts_with(".. csv-table::") && !name.starts_with(".. table::") {
        return Table::default();
    }
    let body = |at: &usize| lines.get(*at).is_some_and(Line::is_blank);
    let content = (begin..end).find(body).unwrap_or(end);
    let option = |name: &str| {
        let options = (begin + 1..content).filter_map(|at| lines.get(at));
        let mut values =
            options.filter_map(|line| Some((line, line.text.trim_start().strip_prefix(name)?)));
        values.next().map(|(line, value)| {
            (line.start + line.text.len() - value.trim_start().len(), value.trim())
        })
    };
    if name.starts_with(".. table::") {
        return indented_rules(lines, content, end);
    }
    let content = (content..end).filter_map(|at| lines.get(at)).filter(|line| !line.is_blank());
    let is_row = |line: &Line<'_>| {
        let text = line.text.trim_start();
        !is_list || text.starts_with("* -") || text == "*"
    };
    let content: Vec<Line<'_>> = content.collect();
    let mut rows: Vec<usize> =
        content.iter().filter(|line| is_row(line)).map(|line| line.start).collect();
    let count =
        option(":header-rows:").and_then(|(_, count)| count.parse::<usize>().ok()).unwrap_or(0);
    if let Some((at, value)) = option(":header:").filter(|(_, value)| !value.is_empty()) {
        return Table { header: rows.first().map(|row| (at..at + value.len(), *row)), rows };
    }
    let below = rows.get(count).copied().filter(|_| count > 0);
    let header = below.and_then(|below| {
        let last = content.iter().take_while(|line| line.start < below).last()?;
        Some((rows[0]..last.start + last.text.len(), below))
    });
    rows.drain(..count.min(rows.len()));
    Table { header, rows }
}

/// Returns the rows of a table that is drawn inside of a directive.
fn indented_rules(lines: &Lines<'_>, begin: usize, end: usize) -> Table {
    let first = (begin..end).find(|at| lines.get(*at).is_some_and(|line| !line.is_blank()));
    first.map_or_else(Table::default, |first| ruled(lines, first, end))
}

/// Returns whether a line consists of at least two columns of `=`.
pub(super) fn is_table_rule(line: Line<'_>) -> bool {
    line.text.contains("= ") && line.text.bytes().all(|byte| matches!(byte, b'=' | b' '))
}

/// Returns whether a line is a rule of a grid, such as `+---+---+`.
fn is_grid_rule(line: Line<'_>, mark: char) -> bool {
    let text = line.text.trim_start();
    text.len() > 2
        && text.starts_with('+')
        && text.ends_with('+')
        && text.contains(mark)
        && text.chars().all(|char| char == '+' || char == mark || char == '|' || char == ' ')
}

#[cfg(test)]
mod tests {
    use crate::split::rst::blocks;

    /// Returns the header and the first line of each row.
    fn table(text: &str) -> (Option<&str>, Vec<&str>) {
        let blocks = blocks(text);
        let header = blocks.headers.first().map(|header| &text[header.line.clone()]);
        let line = |at: usize| text[at..].lines().next().unwrap_or_default().trim();
        (header, blocks.items.iter().map(|item| line(item.at)).collect())
    }

    #[test]
    fn tables_of_every_form_have_rows_and_a_header() {
        let grid = "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n|   | x |\n+---+---+\n| 3 | 4 |\n+---+---+\n";
        assert_eq!(table(grid), (Some("| a | b |"), vec!["| 1 | 2 |", "| 3 | 4 |"]));
        let simple = "=== ===\na   b\n=== ===\n1   2\n    x\n3   4\n=== ===\n";
        assert_eq!(table(simple), (Some("a   b"), vec!["1   2", "3   4"]));
        let list = ".. list-table:: T\n   :header-rows: 1\n\n   * - a\n     - b\n   * - 1\n     - 2\n   * - 3\n     - 4\n";
        assert_eq!(table(list), (Some("   * - a\n     - b"), vec!["* - 1", "* - 3"]));
        let csv = ".. csv-table:: T\n   :header: \"a\", \"b\"\n\n   1, 2\n   3, 4\n";
        assert_eq!(table(csv), (Some("\"a\", \"b\""), vec!["1, 2", "3, 4"]));
        let inside = format!(".. table:: T\n\n   {}", grid.replace('\n', "\n   "));
        assert_eq!(table(&inside).0.map(str::trim), Some("| a | b |"));
    }

    #[test]
    fn a_table_without_a_header_repeats_nothing() {
        let grid = "+---+---+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n+---+---+\n";
        assert_eq!(table(grid), (None, vec!["| 1 | 2 |", "| 3 | 4 |"]));
        assert_eq!(table("=== ===\n1   2\n=== ===\n").0, None);
        assert_eq!(table("words\n\n.. note::\n\n   more\n"), (None, vec![]));
    }
}
