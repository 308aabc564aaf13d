//! A part of XML as a tree, bounded in depth and size.

use super::{ConvertError, Limits};
use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};

/// An element.
#[derive(Default)]
pub(super) struct Element {
    /// The name without its prefix.
    pub(super) name: String,
    /// The attributes with their prefixes.
    attributes: Vec<(String, String)>,
    pub(super) children: Vec<Node>,
}

/// A child of an element.
pub(super) enum Node {
    Element(Element),
    Text(String),
}

impl Element {
    /// Returns an attribute by its name as written, else by its name without the prefix.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let exact = self.attributes.iter().find(|(key, _)| key == name);
        let local = || {
            self.attributes
                .iter()
                .find(|(key, _)| key.rsplit_once(':').is_some_and(|(_, local)| local == name))
        };
        exact.or_else(local).map(|(_, value)| &**value)
    }

    /// Returns all child elements.
    pub(super) fn all(&self) -> impl Iterator<Item = &Element> {
        self.children.iter().filter_map(|child| match child {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    /// Returns the child elements with a name.
    pub(super) fn elements(&self, name: &str) -> impl Iterator<Item = &Element> {
        self.all().filter(move |element| element.name == name)
    }

    /// Returns the first child element with a name.
    pub(super) fn element(&self, name: &str) -> Option<&Element> {
        self.elements(name).next()
    }

    /// Returns the attribute `val` of the first child element with a name, as Word writes properties.
    pub(super) fn value(&self, child: &str) -> Option<&str> {
        self.element(child)?.attribute("val")
    }

    /// Returns the element at a path of names below this one.
    pub(super) fn at(&self, path: &[&str]) -> Option<&Element> {
        path.iter().try_fold(self, |element, name| element.element(name))
    }

    /// Returns all elements with a name below this one, in the order of the document. It does not look into them.
    pub(super) fn descendants<'e>(&'e self, name: &str, found: &mut Vec<&'e Element>) {
        for element in self.all() {
            if element.name == name {
                found.push(element);
            } else {
                element.descendants(name, found);
            }
        }
    }

    /// Returns the text of the element and of all below it.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        self.write_text(&mut text);
        text
    }

    fn write_text(&self, text: &mut String) {
        for child in &self.children {
            match child {
                Node::Element(element) => element.write_text(text),
                Node::Text(part) => text.push_str(part),
            }
        }
    }
}

/// Parses a part. Entities of the document's own are not expanded.
///
/// # Errors
///
/// Returns an error for invalid XML, and for elements beyond the limits.
pub(super) fn parse(bytes: &[u8], limits: Limits) -> Result<Element, ConvertError> {
    let text = passage_split::decode(bytes, &passage_split::MediaType::new("text/html"), None)
        .map_err(ConvertError::damaged)?
        .text;
    let mut reader = Reader::from_str(&text);
    reader.config_mut().expand_empty_elements = true;
    // The elements that are open, the innermost last. The first one holds the root.
    let mut open = vec![Element::default()];
    let mut nodes = 0;
    loop {
        let event = reader.read_event().map_err(|error| {
            ConvertError::Damaged(format!("{error}, at byte {}", reader.error_position()))
        })?;
        nodes += 1;
        if nodes > limits.nodes || open.len() > limits.depth {
            return Err(ConvertError::TooLarge("its XML has too many elements".into()));
        }
        match event {
            Event::Start(start) => open.push(element(&start)),
            Event::End(_) => {
                let closed = open.pop().expect("the reader checks the ends of elements");
                if let Some(parent) = open.last_mut() {
                    parent.children.push(Node::Element(closed));
                }
            }
            Event::Text(text) => push_text(&mut open, &text),
            Event::CData(text) => push_text(&mut open, &text),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(char)) => push_text(&mut open, char.encode_utf8(&mut [0; 4])),
                _ => push_text(&mut open, resolve_predefined_entity(&reference).unwrap_or("")),
            },
            Event::Eof => break,
            _ => {}
        }
    }
    let root = open.swap_remove(0).children.into_iter().find_map(|child| match child {
        Node::Element(element) if open.is_empty() => Some(element),
        _ => None,
    });
    root.ok_or_else(|| ConvertError::Damaged("its XML ends early".into()))
}

fn push_text(open: &mut [Element], text: &str) {
    let Some(parent) = open.last_mut() else { return };
    match parent.children.last_mut() {
        Some(Node::Text(last)) => last.push_str(text),
        _ => parent.children.push(Node::Text(text.to_owned())),
    }
}

fn element(start: &BytesStart<'_>) -> Element {
    let attributes = start.attributes().flatten().filter_map(|attribute| {
        let key: &str = attribute.key.as_ref();
        let value = quick_xml::escape::unescape(&attribute.value).ok()?.into_owned();
        Some((key.to_owned(), value))
    });
    let name: &str = start.local_name().into_inner();
    Element { name: name.to_owned(), attributes: attributes.collect(), children: Vec::new() }
}
