/*!
PHP, with the text around it.

A `use` binds its alias, else the last part of its path. A required file is an import with its name,
without folder and extension.
*/

use crate::Unit::{Container, Member, Module};
use crate::split::code::language::{
    KindRule, Language, Rule, UnitInfo, children, last_part, slice, stem,
};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment", Rule::Comment(&[])),
    ("; ,", Rule::Separator),
    ("namespace_definition", Rule::Bodied(Module, "name")),
    (
        "class_declaration interface_declaration trait_declaration enum_declaration",
        Rule::Unit(Container, "name"),
    ),
    ("function_definition method_declaration", Rule::Unit(Member, "name")),
    ("expression_statement", Rule::Call(required, assigned)),
    (
        "program compound_statement colon_block declaration_list enum_declaration_list \
         switch_block array_creation_expression",
        Rule::Body,
    ),
    ("namespace_use_declaration", Rule::Import(names)),
    ("string encapsed_string heredoc nowdoc text", Rule::Opaque),
];

fn assigned<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let assigned = node.named_child(0).filter(|node| node.kind() == "assignment_expression")?;
    let value = assigned.child_by_field_name("right")?;
    let is_function = matches!(value.kind(), "anonymous_function" | "arrow_function");
    let name = assigned.child_by_field_name("left").filter(|_| is_function)?;
    let name = name.child_by_field_name("name").or_else(|| name.named_child(0)).unwrap_or(name);
    Some(UnitInfo::named(Member, name, text))
}

fn names(node: Node<'_>, text: &str) -> Vec<String> {
    let clauses = children(node).into_iter().flat_map(|child| match child.kind() {
        "namespace_use_group" => children(child),
        "namespace_use_clause" => vec![child],
        _ => Vec::new(),
    });
    let name = |clause: Node<'_>| {
        let alias = clause.child_by_field_name("alias");
        let name = alias.or_else(|| children(clause).into_iter().next_back())?;
        Some(last_part(slice(name, text), &['\\']).to_owned())
    };
    clauses.filter_map(name).collect()
}

fn required(node: Node<'_>, text: &str) -> Option<Vec<String>> {
    let required = node.named_child(0)?;
    let kinds = [
        "require_expression",
        "require_once_expression",
        "include_expression",
        "include_once_expression",
    ];
    if !kinds.contains(&required.kind()) {
        return None;
    }
    // The path is often concatenated; its last string has the name.
    let mut path = required.named_child(0)?;
    while path.kind() == "binary_expression" {
        path = path.child_by_field_name("right")?;
    }
    let is_string = matches!(path.kind(), "string" | "encapsed_string");
    is_string.then(|| vec![stem(slice(path, text)).to_owned()])
}
