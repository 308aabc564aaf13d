/*!
Tables of `AsciiDoc`: the rows, and the header that names the columns.

A row may be one line, or have a line for each cell. Blank lines between rows show where they begin. Without
any, the number of columns does: that of the attribute `cols`, else of the first line.
*/

use crate::split::block_builder::Line;
use std::ops::Range;

/// The rows of a table.
pub(super) struct Table {
    /// The header, and the offset of the first row below it.
    pub(super) header: Option<(Range<usize>, usize)>,
    /// The offsets of the rows.
    pub(super) rows: Vec<usize>,
}

/// A line of a table that is not blank.
#[derive(Clone, Copy)]
struct Content {
    start: usize,
    end: usize,
    /// The number of cells that begin on it.
    cells: usize,
    /// Whether it begins with a cell.
    begins_cell: bool,
    after_blank: bool,
}

/// Reads the lines between the delimiters of a table whose cells begin with a mark.
pub(super) fn read<'t>(
    lines: impl Iterator<Item = Line<'t>>,
    mark: &str,
    attributes: &str,
) -> Table {
    let is_divided = matches!(mark, "," | ":");
    let mut after_blank = false;
    let mut contents: Vec<Content> = Vec::new();
    for line in lines {
        if line.is_blank() {
            after_blank = true;
            continue;
        }
        let is_cell = |at: &usize| !line.text[..*at].ends_with('\\');
        let cells = line.text.match_indices(mark).filter(|(at, _)| is_cell(at)).count();
        // A cell may have a span and a style before its mark: `2+|` or `.3+^.>s|`.
        let is_style = |char: char| char.is_alphanumeric() || ".+*<>^".contains(char);
        let before = line.text.split_once(mark).map(|(before, _)| before.trim());
        let begins_cell =
            before.is_some_and(|before| before.len() < 12 && before.chars().all(is_style));
        contents.push(Content {
            start: line.start,
            end: line.start + line.text.len(),
            // Values divided by commas or colons have a row on each line.
            cells: if is_divided { 1 } else { cells },
            begins_cell: begins_cell || is_divided,
            after_blank,
        });
        after_blank = false;
    }
    let Some(first) = contents.first().copied() else {
        return Table { header: None, rows: Vec::new() };
    };
    let named = |name: &str| {
        let options = attributes.split([',', '"', '[', ']', '\'']);
        options
            .flat_map(|option| option.split('%'))
            .any(|option| option == name || option.strip_prefix("options=") == Some(name))
    };
    let columns = columns(attributes).filter(|_| !is_divided).unwrap_or(first.cells).max(1);
    // The first blank line may only separate the header.
    let has_blanks = contents.iter().skip(2).any(|line| line.after_blank);
    let (mut cells, mut rows) = (first.cells, Vec::new());
    for line in &contents[1..] {
        let begins = if has_blanks { line.after_blank } else { cells % columns == 0 };
        cells += line.cells;
        if line.begins_cell && begins {
            rows.push(line.start);
        }
    }
    let is_implicit =
        first.cells >= columns && contents.get(1).is_some_and(|line| line.after_blank);
    let has_header = (is_implicit || named("header")) && !named("noheader");
    let below = rows.first().copied().filter(|_| has_header);
    let header = below.map(|below| {
        let last = contents.iter().take_while(|line| line.start < below).last().unwrap_or(&first);
        (first.start..last.end, below)
    });
    Table { header, rows }
}

/// Returns the number of columns by the attribute `cols`, such as `cols="1,2*,3"`.
fn columns(attributes: &str) -> Option<usize> {
    let (_, value) = attributes.split_once("cols=")?;
    let value = match value.as_bytes().first()? {
        quote @ (b'"' | b'\'') => value[1..].split(char::from(*quote)).next()?,
        _ => value.split([',', ']']).next()?,
    };
    let count = |column: &str| {
        let times = column.split_once('*').and_then(|(times, _)| times.trim().parse().ok());
        times.unwrap_or(1)
    };
    let columns = value.split([',', ';']).map(count).sum();
    (1..=1_000).contains(&columns).then_some(columns)
}

#[cfg(test)]
mod tests {
    use crate::split::asciidoc::blocks;

    /// Returns the header and the first line of each row.
    fn table(text: &str) -> (Option<&str>, Vec<&str>) {
        let blocks = blocks(text);
        let header = blocks.headers.first().map(|header| &text[header.line.clone()]);
        let line = |at: usize| text[at..].lines().next().unwrap_or_default();
        (header, blocks.items.iter().map(|item| line(item.at)).collect())
    }

    #[test]
    fn blank_lines_or_the_number_of_columns_divide_rows() {
        let rows = vec!["|1 |2", "|3 |4"];
        assert_eq!(table("|===\n|a |b\n\n|1 |2\n|3 |4\n|===\n"), (Some("|a |b"), rows.clone()));
        assert_eq!(table("|===\n|a |b\n\n|1 |2\n\n|3 |4\n|===\n"), (Some("|a |b"), rows.clone()));
        let cells = "[cols=\"1,2\", options=\"header\"]\n|===\n|a\n|b\n|1\n|2\n|3\n|4\n|===\n";
        assert_eq!(table(cells), (Some("|a\n|b"), vec!["|1", "|3"]));
        let blank = "[%header,cols=2*]\n|===\n|a\n|b\n\n|1\n|2\n\na|3\n\n|4\n|===\n";
        assert_eq!(table(blank), (Some("|a\n|b"), vec!["|1", "a|3", "|4"]));
    }

    #[test]
    fn a_table_without_a_header_repeats_nothing() {
        assert_eq!(table("|===\n|1 |2\n|3 |4\n|===\n"), (None, vec!["|3 |4"]));
        assert_eq!(table("|===\n|===\n"), (None, vec![]));
        assert_eq!(table("[%noheader]\n|===\n|1 |2\n\n|3 |4\n"), (None, vec!["|3 |4"]));
        assert_eq!(
            table("[%header]\n,===\na,b\n1,2\n3,4\n,===\n"),
            (Some("a,b"), vec!["1,2", "3,4"])
        );
    }
}
