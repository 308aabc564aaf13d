//! Data tables and layout tables. Markdown keeps the former; the content of the latter replaces them.

use super::{
    page::is_heading,
    tree::{Handle, attribute, tag},
};
use crate::interrupt;

/// The maximum number of columns of a data table.
const MAX_COLUMNS: usize = 64;

/// A data table.
pub(super) struct Table {
    /// The cells of each row.
    pub(super) rows: Vec<Vec<Handle>>,
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
        collect(table, is_omitted, &mut rows, &mut captions);
        let rows: Vec<_> = rows.iter().map(cells).collect();
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let role = attribute(table, "role").unwrap_or_default();
        let is_layout = !(2..=MAX_COLUMNS).contains(&columns)
            || matches!(&*role, "presentation" | "none")
            || has_blocks(table);
        (!is_layout).then_some(Self { rows, captions })
    }
}

/// Collects the rows and the captions of a table.
fn collect(
    node: &Handle,
    is_omitted: &dyn Fn(&Handle) -> bool,
    rows: &mut Vec<Handle>,
    captions: &mut Vec<Handle>,
) {
    for child in node.children.borrow().iter().filter(|child| !is_omitted(child)) {
        match tag(child) {
            "tr" => rows.push(child.clone()),
            "thead" | "tbody" | "tfoot" => collect(child, is_omitted, rows, captions),
            "caption" => captions.push(child.clone()),
            _ => {}
        }
    }
}

fn cells(row: &Handle) -> Vec<Handle> {
    let children = row.children.borrow();
    children.iter().filter(|cell| matches!(tag(cell), "td" | "th")).cloned().collect()
}

/// Returns whether a table contains blocks that a Markdown cell cannot hold.
fn has_blocks(node: &Handle) -> bool {
    interrupt::poll();
    node.children.borrow().iter().any(|child| {
        let name = tag(child);
        is_heading(name) || matches!(name, "pre" | "table" | "hr") || has_blocks(child)
    })
}
