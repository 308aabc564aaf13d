//! Styles of paragraphs: which are headings, titles or list items.

use crate::convert::xml::Element;
use std::collections::HashMap;

/// The longest chain of styles that are based on each other.
const MAX_CHAIN: usize = 20;

/// The role of a paragraph by its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Text,
    Title,
    /// A heading with its level, from 1.
    Heading(usize),
    /// A line of the table of contents.
    Contents,
}

/// The styles of a document by their ids.
pub(super) struct Styles(HashMap<String, Style>);

struct Style {
    /// The name in lower case: ids are translated, names of headings are not.
    name: String,
    base: Option<String>,
    outline: Option<usize>,
    /// The id of its list, and the level in that.
    list: Option<(String, usize)>,
}

impl Styles {
    pub(super) fn read(root: Option<&Element>) -> Self {
        let styles = root.into_iter().flat_map(|root| root.elements("style"));
        let style = |element: &Element| {
            let properties = element.element("pPr");
            let number = properties.and_then(|properties| properties.element("numPr"));
            let level = |element: &Element, name| element.value(name)?.parse().ok();
            let list = number.and_then(|number| {
                Some((number.value("numId")?.to_owned(), level(number, "ilvl").unwrap_or(0)))
            });
            let style = Style {
                name: element.value("name").unwrap_or_default().to_lowercase(),
                base: element.value("basedOn").map(ToOwned::to_owned),
                outline: properties.and_then(|properties| level(properties, "outlineLvl")),
                list,
            };
            Some((element.attribute("styleId")?.to_owned(), style))
        };
        Self(styles.filter_map(style).collect())
    }

    /// Returns the role of a paragraph with a style. `outline` is the level of the paragraph itself, from 0; 9 is text.
    pub(super) fn role(&self, id: &str, outline: Option<usize>) -> Role {
        if let Some(level) = outline {
            return if level < 9 { Role::Heading(level + 1) } else { Role::Text };
        }
        for style in self.chain(id) {
            match &*style.name {
                "title" => return Role::Title,
                name if name.starts_with("toc ") || name == "table of figures" => {
                    return Role::Contents;
                }
                _ => {}
            }
            let named = style.name.strip_prefix("heading ").and_then(|level| level.parse().ok());
            if let Some(level) = named.or(style.outline.map(|level| level + 1)) {
                return if level <= 9 { Role::Heading(level) } else { Role::Text };
            }
        }
        Role::Text
    }

    /// Returns the list of a style, and the level in it.
    pub(super) fn list(&self, id: &str) -> Option<(String, usize)> {
        self.chain(id).find_map(|style| style.list.clone())
    }

    /// Returns a style and those that it is based on.
    fn chain<'s>(&'s self, id: &str) -> impl Iterator<Item = &'s Style> {
        let base = |style: &&'s Style| self.0.get(style.base.as_deref()?);
        std::iter::successors(self.0.get(id), base).take(MAX_CHAIN)
    }
}
