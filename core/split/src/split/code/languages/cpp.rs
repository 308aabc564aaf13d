/*!
C++: the rules that C does not have.

A function that is defined outside of its class is a member of the class, as in Go. The content of an
unnamed namespace belongs to the namespace around it, and so do its names.
*/

use super::c::{Declared, declared, macro_title, structured};
use crate::Unit::{Container, Member, Module};
use crate::split::code::language::{
    KindRule, Language, Membership, Rule, UnitInfo, children, last_part, slice,
};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("namespace_definition", Rule::Bodied(Module, "name")),
    ("class_specifier struct_specifier union_specifier enum_specifier", Rule::Find(class)),
    ("template_declaration", Rule::Wrapper(&[])),
    ("function_definition declaration field_declaration", Rule::Find(declaration)),
    ("alias_declaration concept_definition", Rule::Unit(Member, "name")),
    ("using_declaration", Rule::Import(used)),
    ("raw_string_literal", Rule::Opaque),
];

/// Returns a name without template arguments.
fn base<'t>(name: Node<'_>, text: &'t str) -> &'t str {
    let is_template = matches!(name.kind(), "template_type" | "template_function");
    let bare = if is_template { name.child_by_field_name("name") } else { None };
    slice(bare.unwrap_or(name), text)
}

fn class<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    node.child_by_field_name("body")?;
    let name = node.child_by_field_name("name")?;
    // The title of a specialization includes its arguments.
    Some(UnitInfo::named(Container, name, text))
}

fn declaration<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    if let Some(info) = structured(node, text) {
        return Some(info);
    }
    if let Some(title) = macro_title(node, text) {
        return Some(UnitInfo::new(Member, title, node.start_byte()));
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
        // Its declarator includes the parameters.
        "operator_cast" => {
            format!("operator {}", slice(name.child_by_field_name("type")?, text)).into()
        }
        _ => base(name, text).into(),
    };
    Some(UnitInfo {
        membership: if is_function && !scopes.is_empty() {
            Membership::MemberOf(scopes.join("::").into())
        } else {
            Membership::Nested
        },
        outermost: node.kind() == "declaration",
        ..UnitInfo::new(Member, title, name.start_byte())
    })
}

/// Returns the last part of a used name or namespace.
fn used(node: Node<'_>, text: &str) -> Vec<String> {
    let used = children(node).into_iter().next();
    used.map(|used| last_part(slice(used, text), &[':']).to_owned()).into_iter().collect()
}
