/*!
Rewriting a page as a tree of the elements that Markdown has.

The result has headings, paragraphs, lists, quotes, tables, fences, links, images, emphasis and code.
The children of every other element replace it. Block elements would break a heading or a link, so
their children replace them there too.
*/

use super::{
    boilerplate::is_boilerplate,
    fences,
    links::{Links, is_permalink, is_source_link},
    page::{Page, is_heading},
    tables::Table,
    tree::{self, Children, Handle, attribute, element, is_block, named, one_line, tag},
};
use crate::interrupt;
use html5ever::tendril::StrTendril;
use markup5ever_rcdom::NodeData;
use std::rc::Rc;

/// The maximum nesting of lists and quotes: each level indents every line of its content.
const MAX_DEPTH: usize = 12;

/// Endings that are written above the line after a number or a name.
const ORDINALS: [&str; 11] = ["st", "nd", "rd", "th", "e", "er", "re", "ème", "tm", "™", "®"];

/// The maximum length of a code span, in bytes. Longer elements are text in another font.
const MAX_CODE: usize = 4_096;

/// Returns the content of a page as Markdown elements.
pub(super) fn rewrite(page: &Page, links: &Links) -> Vec<Handle> {
    let writer = Writer { page, links };
    let mut out = Children::default();
    writer.write(&page.root, Context::default(), &mut out);
    out.into_vec()
}

/// The ancestors of a node, as far as they restrict its output. The flags are independent.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Copy, Default)]
struct Context {
    /// Whether only inline output is allowed.
    inline: bool,
    /// The number of lists and quotes around the node.
    depth: usize,
    /// Whether the node is in a table cell.
    in_cell: bool,
    /// Whether the node is in strong text, emphasis or a link. None of these nests in itself.
    in_strong: bool,
    in_emphasis: bool,
    in_link: bool,
}

/// Rewrites the nodes of a page.
struct Writer<'p> {
    page: &'p Page,
    links: &'p Links,
}

impl Writer<'_> {
    /// Returns whether the output omits a node and its descendants.
    fn is_omitted(&self, node: &Handle) -> bool {
        is_boilerplate(node, self.page.context) || self.page.navigation.contains(&Rc::as_ptr(node))
    }

    /// Writes a node, or its children.
    fn write(&self, node: &Handle, context: Context, out: &mut Children) {
        interrupt::poll();
        if let NodeData::Text { contents } = &node.data {
            out.text(contents.borrow().clone());
            return;
        }
        // The root is never omitted: the page chose it.
        if !Rc::ptr_eq(node, &self.page.root) && self.is_omitted(node) {
            return;
        }
        match tag(node) {
            name if is_heading(name) && !context.inline && !context.in_cell => {
                self.heading(node, context, out);
            }
            "pre" | "listing" | "xmp" if !context.inline => {
                fences::write(node, &|node| self.is_omitted(node), out);
            }
            "code" | "kbd" | "samp" | "tt" => self.code(node, context, out),
            "a" => self.link(node, context, out),
            "img" => self.image(node, out),
            "br" if context.inline || context.in_cell => out.text(StrTendril::from_char(' ')),
            "br" => out.element(element("br", vec![], vec![])),
            "hr" if !context.inline && !context.in_cell => {
                out.element(element("hr", vec![], vec![]));
            }
            "b" | "strong" => self.emphasis("strong", node, context, out),
            "i" | "em" => self.emphasis("em", node, context, out),
            "ul" | "menu" | "dir" => self.nested("ul", node, context, out),
            "ol" => self.nested("ol", node, context, out),
            "blockquote" => self.nested("blockquote", node, context, out),
            "li" => self.block("li", node, context, out),
            "dt" => self.term(node, context, out),
            "table" => self.table(node, context, out),
            "p" => self.block("p", node, context, out),
            "div" | "section" | "article" | "main" | "header" | "aside" | "figure"
            | "figcaption" | "details" | "summary" | "dl" | "dd" | "form" | "fieldset"
            | "legend" | "address" | "center" | "hgroup" | "caption" | "thead" | "tbody"
            | "tfoot" | "tr" | "td" | "th" | "optgroup" | "h1" | "h2" | "h3" | "h4" | "h5"
            | "h6" | "listing" | "xmp" | "pre" => self.block("div", node, context, out),
            "sup" => self.raised('^', node, context, out),
            "sub" => self.raised('_', node, context, out),
            "del" | "s" | "strike" => self.struck(node, context, out),
            "q" => {
                out.text(StrTendril::from_char('"'));
                self.children(node, context, out);
                out.text(StrTendril::from_char('"'));
            }
            _ => self.children(node, context, out),
        }
    }

    fn children(&self, node: &Handle, context: Context, out: &mut Children) {
        for child in node.children.borrow().iter() {
            self.write(child, context, out);
        }
    }

    /// Returns the rewritten children of a node.
    fn within(&self, node: &Handle, context: Context) -> Children {
        let mut out = Children::default();
        self.children(node, context, &mut out);
        out
    }

    /// Writes a block; in an inline context its children, with a space on each side.
    fn block(&self, name: &'static str, node: &Handle, context: Context, out: &mut Children) {
        if context.inline {
            out.text(StrTendril::from_char(' '));
            self.children(node, context, out);
            out.text(StrTendril::from_char(' '));
            return;
        }
        Self::add_block(name, self.within(node, context), out);
    }

    fn add_block(name: &'static str, children: Children, out: &mut Children) {
        if children.is_blank() {
            return;
        }
        // Pages nest blocks deeply, and the library copies each of them.
        if name == "div" && children.iter().all(is_block_or_blank) {
            out.append(children);
        } else {
            out.element(element(name, vec![], children.into_vec()));
        }
    }

    fn heading(&self, node: &Handle, context: Context, out: &mut Children) {
        let children = self.within(node, Context { inline: true, ..context });
        if children.is_blank() {
            return;
        }
        let name = match tag(node) {
            "h1" => "h1",
            "h2" => "h2",
            "h3" => "h3",
            "h4" => "h4",
            "h5" => "h5",
            _ => "h6",
        };
        out.element(element(name, vec![], children.into_vec()));
    }

    /// Writes a list or a quote.
    fn nested(&self, name: &'static str, node: &Handle, context: Context, out: &mut Children) {
        let depth = context.depth + 1;
        if depth > MAX_DEPTH || context.inline || context.in_cell {
            self.block("div", node, context, out);
            return;
        }
        let children = self.within(node, Context { depth, ..context });
        if children.is_blank() {
            return;
        }
        let start = attribute(node, "start").and_then(|start| start.parse::<u32>().ok());
        let start = start.filter(|start| name == "ol" && (2..1_000_000).contains(start));
        let attrs = start.iter().map(|start| named("start", &start.to_string())).collect();
        out.element(element(name, attrs, children.into_vec()));
    }

    /// Writes emphasis, unless it is already inside the same emphasis or contains blocks.
    fn emphasis(&self, name: &'static str, node: &Handle, context: Context, out: &mut Children) {
        let strong = name == "strong";
        let within = if strong { context.in_strong } else { context.in_emphasis };
        let inner = Context {
            in_strong: context.in_strong || strong,
            in_emphasis: context.in_emphasis || !strong,
            ..context
        };
        let children = self.within(node, inner);
        if within || children.is_blank() || children.iter().any(is_block) {
            out.append(children);
        } else {
            out.element(element(name, vec![], children.into_vec()));
        }
    }

    /// Writes an exponent after `^` or an index after `_`, because `10<sup>6</sup>` is not 106. Ordinals such as `5th`,
    /// notes that are links, and digits after a letter as in `H2O` are plain text.
    fn raised(&self, mark: char, node: &Handle, context: Context, out: &mut Children) {
        let children = self.within(node, context);
        let text = tree::plain_text(node);
        let is_word = text.chars().all(char::is_alphanumeric);
        let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let follows_letter = || out.last_character().is_some_and(char::is_alphabetic);
        let is_note = children.iter().any(|child| matches!(tag(child), "a" | "img"));
        let is_plain = match mark {
            '^' => ORDINALS.contains(&&*text.to_lowercase()),
            _ => is_digits && follows_letter(),
        };
        if is_plain || is_note || children.is_blank() || children.iter().any(is_block) {
            out.append(children);
            return;
        }
        let is_number = text.strip_prefix(['-', '+', '−']).is_some_and(|rest| !rest.is_empty());
        let [open, close] = if is_word || is_number { ["", ""] } else { ["(", ")"] };
        out.text(StrTendril::from(format!("{mark}{open}")));
        out.append(children);
        out.text(StrTendril::from(close));
    }

    /// Writes removed text, unless it has blocks.
    fn struck(&self, node: &Handle, context: Context, out: &mut Children) {
        let children = self.within(node, context);
        if children.is_blank() || children.iter().any(is_block) {
            out.append(children);
            return;
        }
        out.element(element("del", vec![], children.into_vec()));
    }

    /// Writes the term of a definition list as a bold paragraph.
    fn term(&self, node: &Handle, context: Context, out: &mut Children) {
        if context.inline || context.in_strong {
            self.block("div", node, context, out);
            return;
        }
        // The content is written once; otherwise each nesting of terms would double the time.
        let children = self.within(node, Context { in_strong: true, ..context });
        if children.iter().any(is_block) {
            Self::add_block("div", children, out);
        } else if !children.is_blank() {
            let term = element("strong", vec![], children.into_vec());
            out.element(element("p", vec![], vec![term]));
        }
    }

    /// Writes a link, unless it has no target, is a permalink, or has no content.
    fn link(&self, node: &Handle, context: Context, out: &mut Children) {
        if is_permalink(node) || (context.inline && is_source_link(node)) {
            return;
        }
        let children = self.within(node, Context { in_link: true, ..context });
        let target = attribute(node, "href").filter(|_| !context.in_link);
        // A heading that links to itself stays a plain heading.
        let target = target.filter(|target| !(context.inline && target.starts_with('#')));
        let target = target.and_then(|target| self.links.resolve(&target));
        let Some(target) = target.filter(|_| !children.is_blank()) else {
            out.append(children);
            return;
        };
        let link = |children| element("a", vec![named("href", &target)], children);
        if !children.iter().any(is_block) {
            out.element(link(children.into_vec()));
            return;
        }
        // If a whole card is a link, only its first line becomes the link.
        let children = children.into_vec();
        if let Some(first) = children.iter().find(|child| is_block(child))
            && !first.children.borrow().iter().any(is_block)
            && !matches!(tag(first), "pre" | "hr" | "table")
        {
            let inner = link(std::mem::take(&mut *first.children.borrow_mut()));
            inner.parent.set(Some(Rc::downgrade(first)));
            first.children.borrow_mut().push(inner);
        }
        for child in children {
            match &child.data {
                NodeData::Text { contents } => out.text(contents.take()),
                _ => out.element(child.clone()),
            }
        }
    }

    /// Writes a data table; the children of a layout table replace it.
    fn table(&self, node: &Handle, context: Context, out: &mut Children) {
        let table = if context.in_cell || context.inline {
            None
        } else {
            Table::read(node, &|node| self.is_omitted(node))
        };
        let Some(Table { header, rows, captions }) = table else {
            self.block("div", node, context, out);
            return;
        };
        let mut caption = Children::default();
        for node in &captions {
            caption.append(self.within(node, Context { inline: true, ..context }));
        }
        if !caption.is_blank() {
            out.element(element("p", vec![], caption.into_vec()));
        }
        let in_cell = Context { in_cell: true, ..context };
        // A header of several rows has a cell of each in every column.
        let names = header.iter().map(|cells| {
            let mut name = Children::default();
            for cell in cells {
                if !name.is_blank() {
                    name.text(StrTendril::from_char(' '));
                }
                name.append(self.within(cell, in_cell));
            }
            element("th", vec![], name.into_vec())
        });
        let names = (!header.is_empty()).then(|| element("tr", vec![], names.collect()));
        let rows = rows.iter().filter(|cells| !cells.is_empty()).map(|cells| {
            let cells = cells.iter().map(|cell| {
                let cell = cell.as_ref().map(|cell| self.within(cell, in_cell).into_vec());
                element("td", vec![], cell.unwrap_or_default())
            });
            element("tr", vec![], cells.collect())
        });
        out.element(element("table", vec![], names.into_iter().chain(rows).collect()));
    }

    /// Writes an image, or its alternative text if its address is a data URL.
    fn image(&self, node: &Handle, out: &mut Children) {
        let alt = one_line(&attribute(node, "alt").unwrap_or_default());
        let source = attribute(node, "src").and_then(|source| self.links.resolve(&source));
        match source {
            Some(source) => {
                let alt = alt.replace(['[', ']'], " ");
                let attrs = vec![named("src", &source), named("alt", &alt)];
                out.element(element("img", attrs, vec![]));
            }
            None => out.text(StrTendril::from(alt)),
        }
    }

    /// Writes a code span on one line; if its whole content is a link, a link around the code.
    fn code(&self, node: &Handle, context: Context, out: &mut Children) {
        let code = tree::plain_text(node);
        if code.is_empty() {
            return;
        }
        if code.len() > MAX_CODE {
            self.children(node, context, out);
            return;
        }
        let code = element("code", vec![], vec![tree::text(StrTendril::from(code))]);
        let target = sole_link(node).filter(|_| !context.in_link && !context.inline);
        match target.and_then(|target| self.links.resolve(&target)) {
            Some(target) => out.element(element("a", vec![named("href", &target)], vec![code])),
            None => out.element(code),
        }
    }
}

fn is_block_or_blank(node: &Handle) -> bool {
    match &node.data {
        NodeData::Text { contents } => contents.borrow().trim().is_empty(),
        _ => is_block(node),
    }
}

/// Returns the target if a single link is the whole content of a node.
fn sole_link(node: &Handle) -> Option<StrTendril> {
    let children = node.children.borrow();
    let [child] = &children[..] else { return None };
    match tag(child) {
        "a" => attribute(child, "href"),
        "span" => sole_link(child),
        _ => None,
    }
}
