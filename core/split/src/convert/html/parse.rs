/*!
Parsing HTML, with bounds.

The parser follows the HTML standard. There, every open element makes each later one more expensive, and
open formatting elements reopen in every paragraph. So deep pages take quadratic time, and every recursive
walk needs a stack as deep as the tree. Elements beyond [`MAX_OPEN`] are dropped, but their text stays, and
so are formatting elements beyond [`MAX_FORMATTING`]. Real pages have 10 to 40 open elements; browsers stop
at 512. The parser compares each attribute with those before it, so [`attributes`] bounds them.

A node takes about 200 bytes, in the page and again in the rewritten tree, and a page may spell it in four
bytes (`<td>`). So the size of a page and the number of its nodes are bounded; larger pages are an error.
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

/// The maximum number of open elements.
const MAX_OPEN: usize = 160;

/// The maximum number of open formatting elements, such as `<b>`. The builder keeps them in two lists.
const MAX_FORMATTING: usize = 32;

/// The maximum size of a page, in bytes.
///
/// The largest documentation pages are specifications or indexes on one page: that of HTML has 14 MB.
pub(super) const MAX_BYTES: usize = 32 << 20;

/// The maximum number of elements, attributes and texts of a page. Documentation has one per 10 to 30
/// bytes.
pub(super) const MAX_NODES: usize = 2_000_000;

/// The bytes that the parser receives at once: a few milliseconds of work.
const PART: usize = 1 << 16;

/// Parses a page, or a part of one, and returns the document node.
///
/// # Errors
///
/// Returns [`Error::PageTooLarge`] or [`Error::PageTooComplex`].
pub(super) fn parse(text: &str) -> Result<Handle, Error> {
    if text.len() > MAX_BYTES {
        return Err(Error::PageTooLarge { max: MAX_BYTES });
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
        // The tokenizer stops at every script and at the declaration of the encoding.
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        rest = after;
        if tokenizer.sink.is_full() {
            return Err(Error::PageTooComplex { max: MAX_NODES });
        }
    }
    tokenizer.end();
    Ok(tokenizer.sink.builder.sink.document.clone())
}

/// Passes tokens to the builder, except elements beyond the bounds.
struct Bounded {
    builder: TreeBuilder<Handle, Tree>,
    /// Upper bounds of the open elements, and of the formatting elements among them.
    open: Cell<usize>,
    formatting: Cell<usize>,
    /// The dropped elements without an end tag so far.
    dropped: Cell<usize>,
    /// Whether the builder has opened an element whose content is text, such as a title, and waits for its end tag.
    in_text: Cell<bool>,
}

impl Bounded {
    fn new(builder: TreeBuilder<Handle, Tree>) -> Self {
        Self {
            builder,
            open: Cell::new(0),
            formatting: Cell::new(0),
            dropped: Cell::new(0),
            in_text: Cell::new(false),
        }
    }

    /// Returns whether the page has too many nodes.
    fn is_full(&self) -> bool {
        self.builder.sink.nodes.get() > MAX_NODES
    }

    /// Returns whether a tag must be dropped.
    fn drops(&self, tag: &Tag) -> bool {
        if is_void(&tag.name) {
            return false;
        }
        let formatting = is_formatting(&tag.name);
        if tag.kind == TagKind::EndTag {
            // The builder panics if any other tag follows such a text.
            if self.in_text.get() {
                return false;
            }
            let dropped = self.dropped.get();
            self.dropped.set(dropped.saturating_sub(1));
            return dropped > 0;
        }
        // End tags may be missing or stray, so only the builder knows the open elements. It is
        // asked when the number of start tags reaches the bound.
        if self.open.get() >= MAX_OPEN || (formatting && self.formatting.get() >= MAX_FORMATTING) {
            let count = Count::default();
            self.builder.trace_handles(&count);
            self.open.set(count.open.get());
            self.formatting.set(count.formatting.get());
        }
        let full =
            self.open.get() >= MAX_OPEN || (formatting && self.formatting.get() >= MAX_FORMATTING);
        if full {
            self.dropped.set(self.dropped.get() + usize::from(!tag.self_closing));
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
            Token::TagToken(tag) if self.drops(tag) => TokenSinkResult::Continue,
            Token::CommentToken(_) | Token::ParseError(_) => TokenSinkResult::Continue,
            Token::TagToken(_) => {
                let result = self.builder.process_token(token, line);
                self.in_text.set(matches!(result, TokenSinkResult::RawData(_)));
                result
            }
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

/// Counts the open elements of the builder.
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

/// Receives the tree from the builder. It drops comments, doctype and errors, and no operation scans all
/// children of a node from the beginning.
struct Tree {
    document: Handle,
    /// The number of elements, attributes and texts so far.
    nodes: Cell<usize>,
}

impl Tree {
    fn count(&self, nodes: usize) {
        self.nodes.set(self.nodes.get() + nodes);
    }

    /// Inserts a child at a position, or appends it to the text before that.
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

    /// Returns the parent of a node and the node's position there, mostly near the end.
    fn parent_and_position(node: &Handle) -> Option<(Handle, usize)> {
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
            _ => unreachable!("the builder asks for the names of elements only"),
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
        if let Some((parent, at)) = Self::parent_and_position(sibling) {
            self.insert(&parent, at, child);
        }
    }

    fn append_based_on_parent_node(
        &self,
        node: &Handle,
        before: &Handle,
        child: NodeOrText<Handle>,
    ) {
        if Self::parent_and_position(node).is_some() {
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
        if let Some((parent, at)) = Self::parent_and_position(node) {
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
