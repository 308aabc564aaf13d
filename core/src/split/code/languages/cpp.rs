/*!
C++: what it has beside C.

Functions that are defined outside of their class are its members still, as in Go. What stands in a
namespace without a name belongs to the one around it, as its names do.
*/

use super::c::{Declared, declared, structured};
use crate::Unit::{Container, Member, Module};
use crate::split::code::language::{
    Beside, Found, Language, Row, Rule, children, last_part, slice,
};
use tree_sitter::Node;

pub(super) const TABLE: &[Row] = &[
    ("namespace_definition", Rule::Bodied(Module, "name")),
    ("class_specifier struct_specifier union_specifier enum_specifier", Rule::Find(class)),
    ("template_declaration", Rule::Wrapper(&[])),
    ("function_definition declaration field_declaration", Rule::Find(declaration)),
    ("alias_declaration concept_definition", Rule::Unit(Member, "name")),
    ("using_declaration", Rule::Import(used)),
    ("raw_string_literal", Rule::Opaque),
];

/// Returns a name without the arguments of a template.
fn base<'t>(name: Node<'_>, text: &'t str) -> &'t str {
    let is_template = matches!(name.kind(), "template_type" | "template_function");
    let bare = if is_template { name.child_by_field_name("name") } else { None };
    slice(bare.unwrap_or(name), text)
}

fn class<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<Found<'t>> {
    node.child_by_field_name("body")?;
    let name = node.child_by_field_name("name")?;
    // A specialisation is told apart by its arguments.
    Some(Found::named(Container, name, text))
}

fn declaration<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<Found<'t>> {
    if let Some(found) = structured(node, text) {
        return Some(found);
    }
    let Declared { mut name, is_function } = declared(node)?;
    if node.kind() == "field_declaration" && !is_function {
        return None;
    }
    let mut scopes = Vec::new();
    while name.kind() == "qualified_identifier" {
        scopes.extend(name.child_by_field_name("scope").map(|scope| base(scope, text)));
        name = name.child_by_field_name("name")?;
    }
    let title: std::borrow::Cow<_> = match name.kind() {
        // Its declarator holds the parameters, too.
        "operator_cast" => {
            format!("operator {}", slice(name.child_by_field_name("type")?, text)).into()
        }
        _ => base(name, text).into(),
    };
    Some(Found {
        beside: if is_function && !scopes.is_empty() {
            Beside::Type(scopes.join("::").into())
        } else {
            Beside::Nothing
        },
        outermost: node.kind() == "declaration",
        ..Found::new(Member, title, name.start_byte())
    })
}

/// Takes the last part of what is used, a name or a namespace.
fn used(node: Node<'_>, text: &str) -> Vec<String> {
    let used = children(node).into_iter().next();
    used.map(|used| last_part(slice(used, text), &[':']).to_owned()).into_iter().collect()
}
