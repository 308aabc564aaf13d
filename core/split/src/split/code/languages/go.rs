/*!
Go.

Methods are outside of their type. Adjacent methods, together with the type if it precedes them, are
one container with the type's title. An import binds its alias, else the last part of the path that
is not a version.
*/

use crate::Unit::{Container, Member};
use crate::split::code::language::{
    KindRule, Language, Membership, Rule, UnitInfo, children, last_part, slice, unquoted,
};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment", Rule::Comment(&[])),
    ("; ,", Rule::Separator),
    ("type_declaration", Rule::Find(single_type)),
    ("type_spec type_alias", Rule::Unit(Container, "name")),
    ("const_declaration var_declaration", Rule::Find(single_value)),
    ("function_declaration method_elem", Rule::Unit(Member, "name")),
    ("method_declaration", Rule::Find(method)),
    (
        "source_file statement_list field_declaration_list interface_type import_spec_list \
         var_spec_list literal_value",
        Rule::Body,
    ),
    ("import_declaration", Rule::Import(names)),
    // Its folder is what other files import.
    ("package_clause", Rule::Import(|_, _| Vec::new())),
    ("interpreted_string_literal raw_string_literal", Rule::Opaque),
];

/// Returns the child of a declaration if it is the only one and of one of the kinds.
fn single<'n>(node: Node<'n>, kinds: &[&str]) -> Option<Node<'n>> {
    let mut cursor = node.walk();
    let mut specs = node.named_children(&mut cursor).filter(|node| node.kind() != "comment");
    let spec = specs.next().filter(|spec| kinds.contains(&spec.kind()))?;
    specs.next().is_none().then_some(spec)
}

fn single_type<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let spec = single(node, &["type_spec", "type_alias"])?;
    let info = UnitInfo::named(Container, spec.child_by_field_name("name")?, text);
    Some(UnitInfo { same: Some(spec.id()), membership: Membership::TypeBefore, ..info })
}

fn single_value<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let spec = single(node, &["const_spec", "var_spec"])?;
    let info = UnitInfo::named(Member, spec.child_by_field_name("name")?, text);
    Some(UnitInfo { outermost: true, ..info })
}

fn method<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let info = UnitInfo::named(Member, node.child_by_field_name("name")?, text);
    let receiver = node.child_by_field_name("receiver")?;
    let mut node = receiver.named_child(0)?.child_by_field_name("type")?;
    while matches!(node.kind(), "pointer_type" | "generic_type" | "parenthesized_type") {
        node = node.named_child(0)?;
    }
    Some(UnitInfo { membership: Membership::MemberOf(slice(node, text).into()), ..info })
}

fn names(node: Node<'_>, text: &str) -> Vec<String> {
    let specs = children(node).into_iter().flat_map(|child| match child.kind() {
        "import_spec_list" => children(child),
        _ => vec![child],
    });
    let name = |spec: Node<'_>| {
        let alias = spec.child_by_field_name("name").map(|name| slice(name, text));
        if let Some(alias) = alias.filter(|alias| !matches!(*alias, "_" | ".")) {
            return Some(alias.to_owned());
        }
        let path = unquoted(slice(spec.child_by_field_name("path")?, text));
        let is_version =
            |part: &str| part.strip_prefix('v').is_some_and(|n| n.parse::<u32>().is_ok());
        let mut parts = path.rsplit('/').filter(|part| !is_version(part));
        Some(parts.next().unwrap_or(last_part(path, &['/'])).to_owned())
    };
    specs.filter_map(name).collect()
}
