//! Shell scripts. A sourced script is an import with its name, without folder and extension.

use crate::Unit::Member;
use crate::split::code::language::{KindRule, Rule, slice, stem};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment", Rule::Comment(&["#!"])),
    ("; ;;", Rule::Separator),
    ("function_definition", Rule::Unit(Member, "name")),
    ("program compound_statement do_group if_statement case_item array", Rule::Body),
    ("command", Rule::Import(sourced)),
    ("heredoc_body string", Rule::Opaque),
];

fn sourced(node: Node<'_>, text: &str) -> Vec<String> {
    let is_source = node
        .child_by_field_name("name")
        .is_some_and(|name| matches!(slice(name, text), "." | "source"));
    let path = node.child_by_field_name("argument").filter(|_| is_source);
    path.map(|path| stem(slice(path, text)).to_owned()).into_iter().collect()
}
