/*!
Rust.

The title of an implementation is its trait and its type, `Display for Point`, or its type alone. A
glob import has no names, so the module is used instead.
*/

use crate::Unit::{Container, Member, Module};
use crate::split::code::language::{KindRule, Language, Rule, UnitInfo, children, slice};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("line_comment block_comment", Rule::Comment(&["//!", "/*!"])),
    ("attribute_item", Rule::Attribute),
    ("; ,", Rule::Separator),
    ("mod_item", Rule::Bodied(Module, "name")),
    ("struct_item enum_item union_item trait_item", Rule::Unit(Container, "name")),
    ("impl_item", Rule::Find(implementation)),
    (
        "function_item function_signature_item const_item static_item type_item associated_type \
         macro_definition",
        Rule::Unit(Member, "name"),
    ),
    (
        "source_file declaration_list field_declaration_list enum_variant_list block match_block",
        Rule::Body,
    ),
    ("use_declaration extern_crate_declaration", Rule::Import(names)),
    ("token_tree string_literal", Rule::Opaque),
];

fn implementation<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let name = base(node.child_by_field_name("type")?, text);
    let Some(implemented) = node.child_by_field_name("trait") else {
        return Some(UnitInfo::new(Container, name, node.start_byte()));
    };
    let implemented = slice(implemented, text).split_whitespace().collect::<Vec<_>>().join(" ");
    Some(UnitInfo::new(Container, format!("{implemented} for {name}"), node.start_byte()))
}

/// Returns the name of a type without its generic arguments.
fn base<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    let name = match node.kind() {
        "generic_type" => node.child_by_field_name("type"),
        _ => None,
    };
    slice(name.unwrap_or(node), text)
}

fn names(node: Node<'_>, text: &str) -> Vec<String> {
    let mut names = Vec::new();
    // Each node with the path before it, to whose last part `self` refers.
    let mut rest = vec![(node, None)];
    while let Some((node, path)) = rest.pop() {
        let field = |name| node.child_by_field_name(name);
        match node.kind() {
            "use_declaration" => rest.extend(field("argument").map(|node| (node, None))),
            "scoped_use_list" => {
                rest.extend(field("list").map(|list| (list, field("path").or(path))));
            }
            "use_list" => rest.extend(children(node).into_iter().rev().map(|node| (node, path))),
            "use_as_clause" => match field("alias").map(|alias| slice(alias, text)) {
                Some("_") | None => rest.extend(field("path").map(|node| (node, path))),
                Some(alias) => names.push(alias.to_owned()),
            },
            "extern_crate_declaration" => {
                let name = field("alias").or_else(|| field("name"));
                names.extend(name.map(|name| slice(name, text).to_owned()));
            }
            "scoped_identifier" => rest.extend(field("name").map(|name| (name, field("path")))),
            "use_wildcard" => {
                rest.extend(children(node).into_iter().map(|node| (node, None)));
            }
            "self" => rest.extend(path.map(|path| (path, None))),
            "identifier" => names.push(slice(node, text).to_owned()),
            _ => {}
        }
    }
    names
}
