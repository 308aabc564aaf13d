//! Tables: those of data are kept, those that only lay out a page give way to what they hold.

use super::{
    page::is_heading,
    rewrite::{Around, Writer},
    tree::{Children, Handle, attribute, element, tag},
};

use crate::interrupt;

/// The most columns of a table that is kept as one.
const MOST_COLUMNS: usize = 64;

/// Writes a table.
pub(super) fn write(writer: &Writer<'_>, table: &Handle, around: Around, out: &mut Children) {
    let mut rows = Vec::new();
    let mut captions = Vec::new();
    collect(writer, table, &mut rows, &mut captions);
    let columns = rows.iter().map(|row| cells(row).len()).max().unwrap_or(0);
    let role = attribute(table, "role").unwrap_or_default();
    let lays_out = around.cell()
        || around.inline()
        || !(2..=MOST_COLUMNS).contains(&columns)
        || matches!(&*role, "presentation" | "none")
        || lays_out(table);
    if lays_out {
        writer.block("div", table, around, out);
        return;
    }
    // Only now, since what a table that lays out holds is written with it.
    let mut caption = Children::default();
    for node in &captions {
        caption.append(writer.within(node, around.on_a_line()));
    }
    if !caption.is_blank() {
        out.element(element("p", vec![], caption.into_vec()));
    }
    let inner = around.in_a_cell();
    let rows = rows.iter().filter_map(|row| {
        let cells = cells(row);
        let written = cells.iter().map(|cell| {
            let name = if tag(cell) == "th" { "th" } else { "td" };
            element(name, vec![], writer.within(cell, inner).into_vec())
        });
        let written: Vec<_> = written.collect();
        (!written.is_empty()).then(|| element("tr", vec![], written))
    });
    out.element(element("table", vec![], rows.collect()));
}

/// Collects the rows of a table and its captions.
fn collect(writer: &Writer<'_>, node: &Handle, rows: &mut Vec<Handle>, captions: &mut Vec<Handle>) {
    for child in node.children.borrow().iter().filter(|child| !writer.is_left_out(child)) {
        match tag(child) {
            "tr" => rows.push(child.clone()),
            "thead" | "tbody" | "tfoot" => collect(writer, child, rows, captions),
            "caption" => captions.push(child.clone()),
            _ => {}
        }
    }
}

fn cells(row: &Handle) -> Vec<Handle> {
    let children = row.children.borrow();
    children.iter().filter(|cell| matches!(tag(cell), "td" | "th")).cloned().collect()
}

/// Tells whether a table holds what no cell of Markdown can.
fn lays_out(node: &Handle) -> bool {
    interrupt::poll();
    node.children.borrow().iter().any(|child| {
        let name = tag(child);
        is_heading(name) || matches!(name, "pre" | "table" | "hr") || lays_out(child)
    })
}
