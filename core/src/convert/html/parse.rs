/*!
Parsing, with bounds.

The parser follows the HTML standard, by which an element that is open costs every later one a
look, and formatting that is open is opened again in every paragraph: deep pages take quadratic
time, and everything that walks the tree by recursion needs a stack as deep. So elements beyond
[`MOST_OPEN`] are left out, their text staying where it is, and so is formatting beyond
[`MOST_FORMATTING`]. Pages have 10 to 40 open at once; browsers stop at 512. Attributes, each of
which is compared with those before it, are bounded by [`attributes`].

A node takes some 200 bytes, in the page and again in the tree that becomes Markdown, and may be
written in four (`<td>`). So the size of a page and the number of its nodes are bounded too; a page
beyond is refused.
*/

mod attributes;

use crate::{Error, interrupt};
use html5ever::{
    Attribute, ExpandedName, QualName, TokenizerResult,
    buffer_queue::BufferQueue,
    interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink},
    tendril::StrTendril,
    tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts},
    tree_builder::{Tracer, TreeBuilder},
};
use markup5ever_rcdom::{Handle, Node, NodeData};
use std::{borrow::Cow, cell::Cell, rc::Rc};

/// How many elements may be open at once.
const MOST_OPEN: usize = 160;

/// How many of them may be formatting, such as `<b>`, which the builder has in two lists.
const MOST_FORMATTING: usize = 32;

/// The largest page that is converted, in bytes.
///
/// The largest pages of documentation are a specification or an index on one page: that of HTML has
/// 14 MB.
pub(super) const MOST_BYTES: usize = 32 << 20;

/// The most elements, attributes and texts of a page that is converted. Documentation has one in 10
/// to 30 bytes.
pub(super) const MOST_NODES: usize = 2_000_000;

/// How much is handed to the parser at once, in bytes: a few milliseconds of work.
const PART: usize = 1 << 16;

/// Parses a page or a part of one and returns its document.
///
/// # Errors
///
/// Returns [`Error::PageTooLarge`] or [`Error::PageTooComplex`] for a page that is too large.
pub(super) fn parse(text: &str) -> Result<Handle, Error> {
    if text.len() > MOST_BYTES {
        return Err(Error::PageTooLarge { most: MOST_BYTES });
    }
    let tree = Tree { document: Node::new(NodeData::Document), nodes: Cell::new(0) };
    let builder = TreeBuilder::new(tree, html5ever::tree_builder::TreeBuilderOpts::default());
    let tokenizer = Tokenizer::new(Bounded::new(builder), TokenizerOpts::default());
    let input = BufferQueue::default();
    let text = attributes::bounded(text);
    let mut rest = &*text;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(rest.floor_char_boundary(PART));
        input.push_back(StrTendril::from(part));
        // It stops at every script for someone to run it, and where the encoding is named.
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        rest = after;
        if tokenizer.sink.is_full() {
            return Err(Error::PageTooComplex { most: MOST_NODES });
        }
    }
    tokenizer.end();
    Ok(tokenizer.sink.builder.sink.document.clone())
}

/// Hands tokens to the builder, but for elements that would go too deep.
struct Bounded {
    builder: TreeBuilder<Handle, Tree>,
    /// At most so many elements are open, and so many of them formatting.
    open: Cell<usize>,
    formatting: Cell<usize>,
    /// Elements that were left out and not ended.
    left_out: Cell<usize>,
}

impl Bounded {
    fn new(builder: TreeBuilder<Handle, Tree>) -> Self {
        Self { builder, open: Cell::new(0), formatting: Cell::new(0), left_out: Cell::new(0) }
    }

    /// Tells whether the page has too many nodes.
    fn is_full(&self) -> bool {
        self.builder.sink.nodes.get() > MOST_NODES
    }

    /// Tells whether a tag is to be left out.
    fn leaves_out(&self, tag: &Tag) -> bool {
        if is_void(&tag.name) {
            return false;
        }
        let formatting = is_formatting(&tag.name);
        if tag.kind == TagKind::EndTag {
            let left_out = self.left_out.get();
            self.left_out.set(left_out.saturating_sub(1));
            return left_out > 0;
        }
        // Ends may be missing or stray, so only the builder knows what is open. It is asked when
        // as many began as there may be.
        if self.open.get() >= MOST_OPEN || (formatting && self.formatting.get() >= MOST_FORMATTING)
        {
            let count = Count::default();
            self.builder.trace_handles(&count);
            self.open.set(count.open.get());
            self.formatting.set(count.formatting.get());
        }
        let full = self.open.get() >= MOST_OPEN
            || (formatting && self.formatting.get() >= MOST_FORMATTING);
        if full {
            self.left_out.set(self.left_out.get() + usize::from(!tag.self_closing));
        } else {
            self.open.set(self.open.get() + 1);
            self.formatting.set(self.formatting.get() + usize::from(formatting));
        }
        full
    }
}

impl TokenSink for Bounded {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        interrupt::poll();
        match &token {
            _ if self.is_full() => TokenSinkResult::Continue,
            Token::TagToken(tag) if self.leaves_out(tag) => TokenSinkResult::Continue,
            Token::CommentToken(_) | Token::ParseError(_) => TokenSinkResult::Continue,
            _ => self.builder.process_token(token, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Counts what the builder holds open.
#[derive(Default)]
struct Count {
    open: Cell<usize>,
    formatting: Cell<usize>,
}

impl Tracer for Count {
    type Handle = Handle;

    fn trace_handle(&self, node: &Handle) {
        self.open.set(self.open.get() + 1);
        if let NodeData::Element { name, .. } = &node.data
            && is_formatting(&name.local)
        {
            self.formatting.set(self.formatting.get() + 1);
        }
    }
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

fn is_formatting(name: &str) -> bool {
    matches!(
        name,
        "a" | "b"
            | "big"
            | "code"
            | "em"
            | "font"
            | "i"
            | "nobr"
            | "s"
            | "small"
            | "strike"
            | "strong"
            | "tt"
            | "u"
    )
}

/// Takes the tree from the builder: no comments, no doctype, no errors, and nothing that looks
/// through all children of a node from the beginning.
struct Tree {
    document: Handle,
    /// How many elements, attributes and texts were made.
    nodes: Cell<usize>,
}

impl Tree {
    fn count(&self, nodes: usize) {
        self.nodes.set(self.nodes.get() + nodes);
    }

    /// Adds a child at a place, or to the text before that.
    fn insert(&self, parent: &Handle, at: usize, child: NodeOrText<Handle>) {
        let node = match child {
            NodeOrText::AppendNode(node) => node,
            NodeOrText::AppendText(text) => {
                let children = parent.children.borrow();
                let before = at.checked_sub(1).and_then(|before| children.get(before));
                if let Some(NodeData::Text { contents }) = before.map(|node| &node.data) {
                    contents.borrow_mut().push_tendril(&text);
                    return;
                }
                self.count(1);
                Node::new(NodeData::Text { contents: text.into() })
            }
        };
        if matches!(node.data, NodeData::Comment { .. }) {
            return;
        }
        node.parent.set(Some(Rc::downgrade(parent)));
        parent.children.borrow_mut().insert(at, node);
    }

    /// Returns the parent of a node and its place there, which mostly is near the end.
    fn place(node: &Handle) -> Option<(Handle, usize)> {
        let weak = node.parent.take()?;
        let parent = weak.upgrade();
        node.parent.set(Some(weak));
        let parent = parent?;
        let at = parent.children.borrow().iter().rposition(|child| Rc::ptr_eq(child, node))?;
        Some((parent, at))
    }
}

impl TreeSink for Tree {
    type Handle = Handle;
    type Output = ();
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) {}

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.document.clone()
    }

    fn elem_name<'a>(&'a self, node: &'a Handle) -> ExpandedName<'a> {
        match &node.data {
            NodeData::Element { name, .. } => name.expanded(),
            _ => unreachable!("the builder asks for the names of elements alone"),
        }
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        self.count(1 + attrs.len());
        let contents = flags.template.then(|| Node::new(NodeData::Document));
        Node::new(NodeData::Element {
            name,
            attrs: attrs.into(),
            template_contents: contents.into(),
            mathml_annotation_xml_integration_point: flags.mathml_annotation_xml_integration_point,
        })
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        Node::new(NodeData::Comment { contents: StrTendril::new() })
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.create_comment(StrTendril::new())
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let end = parent.children.borrow().len();
        self.insert(parent, end, child);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(node) = &child {
            self.remove_from_parent(node);
        }
        if let Some((parent, at)) = Self::place(sibling) {
            self.insert(&parent, at, child);
        }
    }

    fn append_based_on_parent_node(
        &self,
        node: &Handle,
        before: &Handle,
        child: NodeOrText<Handle>,
    ) {
        if Self::place(node).is_some() {
            self.append_before_sibling(node, child);
        } else {
            self.append(before, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, node: &Handle) -> Handle {
        let contents = match &node.data {
            NodeData::Element { template_contents, .. } => template_contents.borrow().clone(),
            _ => None,
        };
        contents.expect("a template has contents")
    }

    fn same_node(&self, one: &Handle, other: &Handle) -> bool {
        Rc::ptr_eq(one, other)
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, node: &Handle, more: Vec<Attribute>) {
        if let NodeData::Element { attrs, .. } = &node.data {
            let mut attrs = attrs.borrow_mut();
            for attribute in more {
                if attrs.iter().all(|known| known.name != attribute.name) {
                    attrs.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, node: &Handle) {
        if let Some((parent, at)) = Self::place(node) {
            parent.children.borrow_mut().remove(at);
            node.parent.set(None);
        }
    }

    fn reparent_children(&self, node: &Handle, parent: &Handle) {
        let children = std::mem::take(&mut *node.children.borrow_mut());
        for child in &children {
            child.parent.set(Some(Rc::downgrade(parent)));
        }
        parent.children.borrow_mut().extend(children);
    }

    fn is_mathml_annotation_xml_integration_point(&self, node: &Handle) -> bool {
        matches!(node.data, NodeData::Element { mathml_annotation_xml_integration_point: true, .. })
    }
}
