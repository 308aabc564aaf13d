/*!
Writing a page again as a tree of what Markdown has.

What is left are headings, paragraphs, lists, quotes, tables, fences, links, images, emphasis and
code; every other element gives way to what it holds. Block elements within a heading or a link
would break it, so there they give way too.
*/

use super::{
    chrome::is_chrome,
    links::{Links, is_permalink, is_source_link},
    page::{Page, is_heading},
    tables,
    tree::{self, Children, Handle, attribute, element, is_block, named, one_line, tag},
};
use crate::interrupt;
use html5ever::tendril::StrTendril;
use markup5ever_rcdom::NodeData;
use std::rc::Rc;

/// How many lists and quotes may lie in each other: each indents every line of what it holds.
const MOST_NESTED: usize = 12;

/// The most of a code span, in bytes: what is longer is text that someone set in another font.
const MOST_CODE: usize = 4_096;

/// Writes the content of a page again.
pub(super) fn rewrite(page: &Page, links: &Links) -> Vec<Handle> {
    let writer = Writer { page, links };
    let mut out = Children::default();
    writer.write(&page.root, Around::default(), &mut out);
    out.into_vec()
}

/// What a node stands in: independent answers, not states of one thing.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Copy, Default)]
pub(super) struct Around {
    /// Whether only what can stand on one line may be written.
    inline: bool,
    /// How many lists and quotes it lies in.
    nested: usize,
    /// Whether it stands in a table's cell.
    cell: bool,
    /// Whether it stands in emphasis, a link or such already: none of these lies in itself.
    strong: bool,
    emphasis: bool,
    link: bool,
}

impl Around {
    /// Tells whether only what can stand on one line may be written.
    pub(super) fn inline(self) -> bool {
        self.inline
    }

    /// Tells whether it is in a table's cell.
    pub(super) fn cell(self) -> bool {
        self.cell
    }

    /// Returns the same, but in a table's cell.
    pub(super) fn in_a_cell(self) -> Self {
        Self { cell: true, ..self }
    }

    /// Returns the same, but on a line.
    pub(super) fn on_a_line(self) -> Self {
        Self { inline: true, ..self }
    }
}

/// Writes a page again.
pub(super) struct Writer<'p> {
    page: &'p Page,
    links: &'p Links,
}

impl Writer<'_> {
    /// Tells whether a node is left out with all it holds.
    pub(super) fn is_left_out(&self, node: &Handle) -> bool {
        is_chrome(node, self.page.place) || self.page.navigation.contains(&Rc::as_ptr(node))
    }

    /// Writes a node, or what it holds.
    pub(super) fn write(&self, node: &Handle, around: Around, out: &mut Children) {
        interrupt::poll();
        if let NodeData::Text { contents } = &node.data {
            out.text(contents.borrow().clone());
            return;
        }
        // The root itself was chosen.
        if !Rc::ptr_eq(node, &self.page.root) && self.is_left_out(node) {
            return;
        }
        match tag(node) {
            name if is_heading(name) && !around.inline && !around.cell => {
                self.heading(node, around, out);
            }
            "pre" | "listing" | "xmp" if !around.inline => self.fences(node, out),
            "code" | "kbd" | "samp" | "tt" => self.code(node, around, out),
            "a" => self.link(node, around, out),
            "img" => self.image(node, out),
            "br" if around.inline || around.cell => out.text(StrTendril::from_char(' ')),
            "br" => out.element(element("br", vec![], vec![])),
            "hr" if !around.inline && !around.cell => {
                out.element(element("hr", vec![], vec![]));
            }
            "b" | "strong" => self.emphasis("strong", node, around, out),
            "i" | "em" => self.emphasis("em", node, around, out),
            "ul" | "menu" | "dir" => self.nested("ul", node, around, out),
            "ol" => self.nested("ol", node, around, out),
            "blockquote" => self.nested("blockquote", node, around, out),
            "li" => self.block("li", node, around, out),
            "dt" => self.term(node, around, out),
            "table" => tables::write(self, node, around, out),
            "p" => self.block("p", node, around, out),
            "div" | "section" | "article" | "main" | "header" | "aside" | "figure"
            | "figcaption" | "details" | "summary" | "dl" | "dd" | "form" | "fieldset"
            | "legend" | "address" | "center" | "hgroup" | "caption" | "thead" | "tbody"
            | "tfoot" | "tr" | "td" | "th" | "optgroup" | "h1" | "h2" | "h3" | "h4" | "h5"
            | "h6" | "listing" | "xmp" | "pre" => self.block("div", node, around, out),
            "q" => {
                out.text(StrTendril::from_char('"'));
                self.children(node, around, out);
                out.text(StrTendril::from_char('"'));
            }
            _ => self.children(node, around, out),
        }
    }

    pub(super) fn children(&self, node: &Handle, around: Around, out: &mut Children) {
        for child in node.children.borrow().iter() {
            self.write(child, around, out);
        }
    }

    /// Writes what a node holds apart.
    pub(super) fn within(&self, node: &Handle, around: Around) -> Children {
        let mut out = Children::default();
        self.children(node, around, &mut out);
        out
    }

    /// Writes a block, or its children with a space on each side where only a line may be.
    pub(super) fn block(
        &self,
        name: &'static str,
        node: &Handle,
        around: Around,
        out: &mut Children,
    ) {
        if around.inline {
            out.text(StrTendril::from_char(' '));
            self.children(node, around, out);
            out.text(StrTendril::from_char(' '));
            return;
        }
        Self::add_block(name, self.within(node, around), out);
    }

    fn add_block(name: &'static str, children: Children, out: &mut Children) {
        if children.is_blank() {
            return;
        }
        // Pages wrap their blocks in many others, each of which the library would copy.
        if name == "div" && children.iter().all(is_block_or_blank) {
            out.append(children);
        } else {
            out.element(element(name, vec![], children.into_vec()));
        }
    }

    fn heading(&self, node: &Handle, around: Around, out: &mut Children) {
        let children = self.within(node, Around { inline: true, ..around });
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
    fn nested(&self, name: &'static str, node: &Handle, around: Around, out: &mut Children) {
        let nested = around.nested + 1;
        if nested > MOST_NESTED || around.inline || around.cell {
            self.block("div", node, around, out);
            return;
        }
        let children = self.within(node, Around { nested, ..around });
        if children.is_blank() {
            return;
        }
        let start = attribute(node, "start").and_then(|start| start.parse::<u32>().ok());
        let start = start.filter(|start| name == "ol" && (2..1_000_000).contains(start));
        let attrs = start.iter().map(|start| named("start", &start.to_string())).collect();
        out.element(element(name, attrs, children.into_vec()));
    }

    /// Writes emphasis, unless it is within its like or holds blocks.
    fn emphasis(&self, name: &'static str, node: &Handle, around: Around, out: &mut Children) {
        let strong = name == "strong";
        let within = if strong { around.strong } else { around.emphasis };
        let inner = Around {
            strong: around.strong || strong,
            emphasis: around.emphasis || !strong,
            ..around
        };
        let children = self.within(node, inner);
        if within || children.is_blank() || children.iter().any(is_block) {
            out.append(children);
        } else {
            out.element(element(name, vec![], children.into_vec()));
        }
    }

    /// Writes the term of a definition as a paragraph in bold.
    fn term(&self, node: &Handle, around: Around, out: &mut Children) {
        if around.inline || around.strong {
            self.block("div", node, around, out);
            return;
        }
        // What is in it is written once, or terms in terms would take twice the time for each.
        let children = self.within(node, Around { strong: true, ..around });
        if children.iter().any(is_block) {
            Self::add_block("div", children, out);
        } else if !children.is_blank() {
            let term = element("strong", vec![], children.into_vec());
            out.element(element("p", vec![], vec![term]));
        }
    }

    /// Writes a link, unless it leads nowhere, is a permalink, or has nothing to click.
    fn link(&self, node: &Handle, around: Around, out: &mut Children) {
        if is_permalink(node) || (around.inline && is_source_link(node)) {
            return;
        }
        let children = self.within(node, Around { link: true, ..around });
        let leads = attribute(node, "href").filter(|_| !around.link);
        // The heading that is a link to itself is a heading.
        let leads = leads.filter(|leads| !(around.inline && leads.starts_with('#')));
        let leads = leads.and_then(|leads| self.links.resolve(&leads));
        let Some(leads) = leads.filter(|_| !children.is_blank()) else {
            out.append(children);
            return;
        };
        let link = |children| element("a", vec![named("href", &leads)], children);
        if !children.iter().any(is_block) {
            out.element(link(children.into_vec()));
            return;
        }
        // Of a card that is a link as a whole, the first line is.
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

    /// Writes an image, or what stands for it where its address is its data.
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

    /// Writes a code span: one line of text, and where all of it is a link, a link of code.
    fn code(&self, node: &Handle, around: Around, out: &mut Children) {
        let code = tree::plain_text(node);
        if code.is_empty() {
            return;
        }
        if code.len() > MOST_CODE {
            self.children(node, around, out);
            return;
        }
        let code = element("code", vec![], vec![tree::text(StrTendril::from(code))]);
        let leads = sole_link(node).filter(|_| !around.link && !around.inline);
        match leads.and_then(|leads| self.links.resolve(&leads)) {
            Some(leads) => out.element(element("a", vec![named("href", &leads)], vec![code])),
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

/// Returns where the link leads that is all a node holds.
fn sole_link(node: &Handle) -> Option<StrTendril> {
    let children = node.children.borrow();
    let [child] = &children[..] else { return None };
    match tag(child) {
        "a" => attribute(child, "href"),
        "span" => sole_link(child),
        _ => None,
    }
}
