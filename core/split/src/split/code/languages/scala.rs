//! Scala, with braces or with indentation.

use crate::Unit::{Container, Member};
use crate::split::code::language::{
    KindRule, Language, Rule, UnitInfo, children, last_part, slice,
};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment block_comment", Rule::Comment(&["#!"])),
    ("; ,", Rule::Separator),
    (
        "class_definition object_definition trait_definition enum_definition package_object",
        Rule::Unit(Container, "name"),
    ),
    ("given_definition", Rule::Find(given)),
    ("function_definition function_declaration type_definition", Rule::Unit(Member, "name")),
    ("val_definition var_definition", Rule::Find(value)),
    (
        "compilation_unit template_body with_template_body enum_body block indented_block \
         case_block indented_cases",
        Rule::Body,
    ),
    ("import_declaration", Rule::Import(names)),
    ("string", Rule::Opaque),
];

/// Returns a given instance with its name, else with its type.
fn given<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("return_type"));
    Some(UnitInfo::named(Container, name?, text))
}

fn value<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let name = node.child_by_field_name("pattern").filter(|name| name.kind() == "identifier")?;
    Some(UnitInfo { outermost: true, ..UnitInfo::named(Member, name, text) })
}

fn names(node: Node<'_>, text: &str) -> Vec<String> {
    let Some(last) = children(node).into_iter().next_back() else { return Vec::new() };
    let selected = if last.kind() == "namespace_selectors" { children(last) } else { vec![last] };
    let name = |node: Node<'_>| {
        let name = slice(node.child_by_field_name("alias").unwrap_or(node), text);
        // A wildcard binds the names of its package.
        let whole = slice(node.parent()?, text);
        let name =
            if matches!(name, "_" | "*") { whole.trim_end_matches(['_', '*', '.']) } else { name };
        Some(last_part(name, &['.', ' ']).to_owned())
    };
    selected.into_iter().filter_map(name).collect()
}
