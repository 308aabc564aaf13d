/*!
Writing the rewritten tree as Markdown, with `htmd`.

A handler polls for interrupts at every element. This module writes fences and tables itself. The
library's fences accept the language in one notation only. Its tables lose header cells of rows and
pad every cell to the widest of its column: one long cell would make a table of a thousand rows a
thousand times as long.
*/

use super::tree::{self, Handle, attribute, tag};
use crate::interrupt;
use htmd::{
    Element, HtmlToMarkdown,
    element_handler::{HandlerResult, Handlers},
    options::{BulletListMarker, Options},
};
use markup5ever_rcdom::{Node, NodeData};
use std::fmt::Write;

/// The elements that the library writes.
const ELEMENTS: [&str; 19] = [
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "p",
    "div",
    "ul",
    "ol",
    "li",
    "blockquote",
    "a",
    "img",
    "br",
    "hr",
    "em",
    "strong",
    "code",
];

thread_local! {
    /// Building a converter costs more than converting a short page.
    static CONVERTER: HtmlToMarkdown = HtmlToMarkdown::builder()
        .options(Options {
            bullet_list_marker: BulletListMarker::Dash,
            ul_bullet_spacing: 1,
            ol_number_spacing: 1,
            ..Options::default()
        })
        .add_handler(ELEMENTS.to_vec(), polled)
        .add_handler(vec!["pre"], fence)
        .add_handler(vec!["del"], struck)
        .add_handler(vec!["table"], table)
        .build();
}

/// Returns nodes as Markdown, without surrounding white space.
pub(super) fn markdown(nodes: Vec<Handle>) -> String {
    let root = Node::new(NodeData::Document);
    for node in &nodes {
        node.parent.set(Some(std::rc::Rc::downgrade(&root)));
    }
    *root.children.borrow_mut() = nodes;
    let text = CONVERTER.with(|converter| converter.tree_to_markdown(&root));
    let trimmed = text.trim();
    if trimmed.len() == text.len() { text } else { trimmed.to_owned() }
}

/// Polls for interrupts and leaves the element to the library.
fn polled(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    interrupt::poll();
    handlers.fallback(element)
}

/// Writes removed text between `~~`, with the white space around it outside.
#[allow(clippy::unnecessary_wraps, clippy::needless_pass_by_value)] // The library's signature.
fn struck(handlers: &dyn Handlers, del: Element<'_>) -> Option<HandlerResult> {
    interrupt::poll();
    let content = handlers.walk_children(del.node).content;
    let text = content.trim();
    let begin = &content[..content.len() - content.trim_start().len()];
    let end = &content[content.trim_end().len()..];
    Some(format!("{begin}~~{text}~~{end}").into())
}

/// Writes a fence. The `<pre>` has one text, and its class is the language.
#[allow(clippy::unnecessary_wraps, clippy::needless_pass_by_value)] // The library's signature.
fn fence(_: &dyn Handlers, pre: Element<'_>) -> Option<HandlerResult> {
    let mut code = String::new();
    tree::add_text(pre.node, &mut code);
    let code = code.trim_end();
    let code = code.strip_prefix('\n').unwrap_or(code);
    let run = code.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let marks = "`".repeat(run.max(2) + 1);
    let language = attribute(pre.node, "class").unwrap_or_default();
    Some(format!("\n\n{marks}{language}\n{code}\n{marks}\n\n").into())
}

/// Writes a table. The first row is the header if all its cells are `<th>`.
#[allow(clippy::unnecessary_wraps, clippy::needless_pass_by_value)] // The library's signature.
fn table(handlers: &dyn Handlers, table: Element<'_>) -> Option<HandlerResult> {
    let rows = table.node.children.borrow();
    let cells = |row: &Handle| {
        interrupt::poll();
        let cells = row.children.borrow();
        let cell = |cell: &Handle| in_cell(&handlers.walk_children(cell).content);
        cells.iter().map(cell).collect::<Vec<_>>()
    };
    let has_header = rows.first().is_some_and(|row| {
        let cells = row.children.borrow();
        !cells.is_empty() && cells.iter().all(|cell| tag(cell) == "th")
    });
    let columns = rows.iter().map(|row| row.children.borrow().len()).max().unwrap_or(0);
    let (head, body) = rows.split_at(usize::from(has_header));
    let mut head = head.first().map(cells).unwrap_or_default();
    head.resize(columns, String::new());
    let mut text = String::from("\n\n");
    let mut line = |cells: &[String]| {
        text.push('|');
        for cell in cells {
            write!(text, " {cell} |").expect("writing to a string succeeds");
        }
        text.push('\n');
    };
    line(&head);
    line(&vec!["---".to_owned(); columns]);
    for row in body {
        line(&cells(row));
    }
    text.push('\n');
    Some(text.into())
}

/// Returns Markdown as the content of a cell: on one line, with bars escaped.
fn in_cell(content: &str) -> String {
    let mut cell = String::with_capacity(content.len());
    for line in content.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if !cell.is_empty() {
            cell.push(' ');
        }
        cell.push_str(line);
    }
    if cell.contains('|') { cell.replace('|', "\\|") } else { cell }
}
