/*!
Data tables and layout tables. Markdown keeps the former; the content of the latter replaces them.

A Markdown table has one header row, and each row has a cell for each column. So a cell that covers several
columns or rows is written in all of them, and header rows are joined:

```text
|      Q1       |         | Q1 sales | Q1 costs |
| sales | costs |    ->   | 1        | 2        |
|   1   |   2   |
```
*/

use super::{
    page::is_heading,
    tree::{Handle, add_text, attribute, tag},
};
use crate::interrupt;

/// The maximum number of columns of a data table.
const MAX_COLUMNS: usize = 64;

/// The maximum number of header rows.
const MAX_HEADERS: usize = 4;

/// The maximum number of bytes of a cell that is repeated. A long one is written once, so that the text stays
/// in proportion to the page.
const MAX_REPEATED: usize = 200;

/// A data table.
pub(super) struct Table {
    /// The different cells above each column; empty without a header.
    pub(super) header: Vec<Vec<Handle>>,
    /// The cells of each other row; `None` where a long cell is not repeated, or a cell is missing.
    pub(super) rows: Vec<Vec<Option<Handle>>>,
    pub(super) captions: Vec<Handle>,
}

impl Table {
    /// Reads a table element without its omitted children, or returns `None` for a layout table.
    ///
    /// A layout table has one column or more than [`MAX_COLUMNS`], a role that says so, or content that a
    /// Markdown cell cannot hold.
    pub(super) fn read(table: &Handle, is_omitted: &dyn Fn(&Handle) -> bool) -> Option<Self> {
        let mut rows = Vec::new();
        let mut captions = Vec::new();
        collect(table, is_omitted, false, &mut rows, &mut captions);
        let headers = rows.iter().take(MAX_HEADERS).take_while(|row| row.is_header()).count();
        // A table of headers alone has rows too.
        let headers = if headers == rows.len() { headers.min(1) } else { headers };
        let mut rows = grid(&rows);
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let role = attribute(table, "role").unwrap_or_default();
        let is_layout = !(2..=MAX_COLUMNS).contains(&columns)
            || matches!(&*role, "presentation" | "none")
            || has_blocks(table);
        if is_layout {
            return None;
        }
        let body = rows.split_off(headers);
        let names = |column: usize| {
            let mut cells: Vec<Handle> = Vec::new();
            for cell in rows.iter().filter_map(|row| row.get(column)?.clone()) {
                if !cells.iter().any(|known| std::rc::Rc::ptr_eq(known, &cell)) {
                    cells.push(cell);
                }
            }
            cells
        };
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        Some(Self { header: (0..columns).map(names).collect(), rows: body, captions })
    }
}

/// A row as the page has it.
struct Row {
    cells: Vec<Handle>,
    in_head: bool,
}

impl Row {
    /// Returns whether the row names columns.
    fn is_header(&self) -> bool {
        !self.cells.is_empty() && (self.in_head || self.cells.iter().all(|cell| tag(cell) == "th"))
    }
}

/// Collects the rows and the captions of a table.
fn collect(
    node: &Handle,
    is_omitted: &dyn Fn(&Handle) -> bool,
    in_head: bool,
    rows: &mut Vec<Row>,
    captions: &mut Vec<Handle>,
) {
    for child in node.children.borrow().iter().filter(|child| !is_omitted(child)) {
        match tag(child) {
            "tr" => rows.push(Row { cells: cells(child), in_head }),
            "thead" => collect(child, is_omitted, true, rows, captions),
            "tbody" | "tfoot" => collect(child, is_omitted, false, rows, captions),
            "caption" => captions.push(child.clone()),
            _ => {}
        }
    }
}

fn cells(row: &Handle) -> Vec<Handle> {
    let children = row.children.borrow();
    children.iter().filter(|cell| matches!(tag(cell), "td" | "th")).cloned().collect()
}

/// Returns the cells of each row by their columns. A cell that covers several is in all of them.
fn grid(rows: &[Row]) -> Vec<Vec<Option<Handle>>> {
    // The cell from above in each column, and the number of rows that it still covers.
    let mut above: Vec<(Option<Handle>, usize)> = Vec::new();
    let mut grid = Vec::with_capacity(rows.len());
    for row in rows {
        interrupt::poll();
        let mut line: Vec<Option<Handle>> = Vec::new();
        let from_above = |line: &mut Vec<Option<Handle>>,
                          above: &mut Vec<(Option<Handle>, usize)>| {
            while let Some((cell, left)) = above.get_mut(line.len()).filter(|(_, left)| *left > 0) {
                *left -= 1;
                line.push(cell.clone());
            }
        };
        for cell in &row.cells {
            from_above(&mut line, &mut above);
            let [columns, rows] = ["colspan", "rowspan"].map(|name| span(cell, name));
            let repeated = (columns * rows > 1 && is_short(cell)).then(|| cell.clone());
            for column in 0..columns.min(MAX_COLUMNS + 1) {
                let at = line.len();
                if rows > 1 {
                    above.resize(above.len().max(at + 1), (None, 0));
                    above[at] = (repeated.clone(), rows - 1);
                }
                line.push(if column == 0 { Some(cell.clone()) } else { repeated.clone() });
            }
            if line.len() > MAX_COLUMNS {
                break;
            }
        }
        from_above(&mut line, &mut above);
        grid.push(line);
    }
    grid
}

/// Returns the number of columns or rows that a cell covers.
fn span(cell: &Handle, name: &str) -> usize {
    let span = attribute(cell, name).and_then(|span| span.trim().parse().ok());
    span.filter(|span| (1..=1_000).contains(span)).unwrap_or(1)
}

fn is_short(cell: &Handle) -> bool {
    let mut text = String::new();
    add_text(cell, &mut text);
    text.len() <= MAX_REPEATED
}

/// Returns whether a table contains blocks that a Markdown cell cannot hold.
fn has_blocks(node: &Handle) -> bool {
    interrupt::poll();
    node.children.borrow().iter().any(|child| {
        let name = tag(child);
        is_heading(name) || matches!(name, "pre" | "table" | "hr") || has_blocks(child)
    })
}
