//! Reading and building the nodes of a page.

use crate::interrupt;
use html5ever::{Attribute, LocalName, QualName, local_name, ns, tendril::StrTendril};
pub(super) use markup5ever_rcdom::Handle;
use markup5ever_rcdom::{Node, NodeData};
use std::{cell::Ref, rc::Rc};

/// Returns the name of an element, or the empty string for other nodes.
pub(super) fn tag(node: &Handle) -> &str {
    match &node.data {
        NodeData::Element { name, .. } => &name.local,
        _ => "",
    }
}

/// Returns the parent of a node.
pub(super) fn parent(node: &Handle) -> Option<Handle> {
    let weak = node.parent.take()?;
    let parent = weak.upgrade();
    node.parent.set(Some(weak));
    parent
}

/// Returns the attributes of an element.
pub(super) fn attributes(node: &Handle) -> Option<Ref<'_, Vec<Attribute>>> {
    match &node.data {
        NodeData::Element { attrs, .. } => Some(attrs.borrow()),
        _ => None,
    }
}

/// Returns the value of an attribute.
pub(super) fn attribute(node: &Handle, name: &str) -> Option<StrTendril> {
    let attributes = attributes(node)?;
    attributes
        .iter()
        .find(|attribute| &*attribute.name.local == name)
        .map(|attribute| attribute.value.clone())
}

/// Appends all text below a node. A `<br>` becomes a line end.
pub(super) fn add_text(node: &Handle, text: &mut String) {
    interrupt::poll();
    match &node.data {
        NodeData::Text { contents } => text.push_str(&contents.borrow()),
        NodeData::Element { name, .. } if name.local == local_name!("br") => text.push('\n'),
        _ => node.children.borrow().iter().for_each(|child| add_text(child, text)),
    }
}

/// Returns all text below a node, with white space collapsed and trimmed.
pub(super) fn plain_text(node: &Handle) -> String {
    let mut text = String::new();
    add_text(node, &mut text);
    one_line(&text)
}

/// Returns a text with white space collapsed and trimmed.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_ascii_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Creates an element from children without another parent.
pub(super) fn element(name: &'static str, attrs: Vec<Attribute>, children: Vec<Handle>) -> Handle {
    let name = QualName::new(None, ns!(html), LocalName::from(name));
    let node = Node::new(NodeData::Element {
        name,
        attrs: attrs.into(),
        template_contents: None.into(),
        mathml_annotation_xml_integration_point: false,
    });
    for child in &children {
        child.parent.set(Some(Rc::downgrade(&node)));
    }
    *node.children.borrow_mut() = children;
    node
}

/// Creates an attribute.
pub(super) fn named(name: &'static str, value: &str) -> Attribute {
    let name = QualName::new(None, ns!(), LocalName::from(name));
    Attribute { name, value: StrTendril::from(value) }
}

/// Creates a text node.
pub(super) fn text(contents: StrTendril) -> Handle {
    Node::new(NodeData::Text { contents: contents.into() })
}

/// A list of children under construction. Adjacent texts become one.
#[derive(Default)]
pub(super) struct Children(Vec<Handle>);

impl Children {
    pub(super) fn into_vec(self) -> Vec<Handle> {
        self.0
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Handle> {
        self.0.iter()
    }

    pub(super) fn text(&mut self, contents: StrTendril) {
        if contents.is_empty() {
            return;
        }
        if let Some(NodeData::Text { contents: before }) = self.0.last().map(|last| &last.data) {
            before.borrow_mut().push_tendril(&contents);
        } else {
            self.0.push(text(contents));
        }
    }

    /// Returns the last character, unless it is in an element.
    pub(super) fn last_character(&self) -> Option<char> {
        match &self.0.last()?.data {
            NodeData::Text { contents } => contents.borrow().chars().next_back(),
            _ => None,
        }
    }

    /// Adds an element.
    ///
    /// Two adjacent elements of the same kind with one text each become one. The library does the same,
    /// but in quadratic time.
    pub(super) fn element(&mut self, node: Handle) {
        if let Some(before) = self.0.last()
            && matches!(tag(&node), "em" | "strong" | "code")
            && tag(before) == tag(&node)
            && let (Some(first), Some(second)) = (only_text(before), only_text(&node))
            && let (NodeData::Text { contents }, NodeData::Text { contents: more }) =
                (&first.data, &second.data)
        {
            contents.borrow_mut().push_tendril(&more.borrow());
            return;
        }
        self.0.push(node);
    }

    /// Appends the nodes of another list.
    pub(super) fn append(&mut self, others: Children) {
        for node in others.0 {
            let contents = match &node.data {
                NodeData::Text { contents } => Some(contents.take()),
                _ => None,
            };
            match contents {
                Some(contents) => self.text(contents),
                None => self.element(node),
            }
        }
    }

    /// Returns whether the list has only white space.
    pub(super) fn is_blank(&self) -> bool {
        self.0.iter().all(|node| match &node.data {
            NodeData::Text { contents } => contents.borrow().trim().is_empty(),
            _ => false,
        })
    }
}

/// Returns the text node if it is the only child of an element.
fn only_text(node: &Handle) -> Option<Handle> {
    let children = node.children.borrow();
    let text = (children.len() == 1).then(|| children[0].clone())?;
    matches!(text.data, NodeData::Text { .. }).then_some(text)
}

/// Returns whether an element of the rewritten tree is a block.
pub(super) fn is_block(node: &Handle) -> bool {
    matches!(
        tag(node),
        "h1" | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "p"
            | "div"
            | "ul"
            | "ol"
            | "li"
            | "pre"
            | "blockquote"
            | "table"
            | "hr"
    )
}
