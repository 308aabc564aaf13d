//! Dart. The name of a member is in its signature.

use crate::Unit::{Container, Member};
use crate::split::code::language::{KindRule, Language, Rule, UnitInfo, children, slice, stem};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment documentation_comment", Rule::Comment(&[])),
    ("; ,", Rule::Separator),
    (
        "class_declaration mixin_declaration enum_declaration extension_declaration \
         extension_type_declaration",
        Rule::Unit(Container, "name"),
    ),
    (
        "function_declaration getter_declaration setter_declaration external_function_declaration \
         external_getter_declaration external_setter_declaration member_declaration",
        Rule::Find(signed),
    ),
    ("type_alias", Rule::Named(Member, &["type_identifier"])),
    ("source_file class_body enum_body extension_body block switch_block", Rule::Body),
    ("import_or_export", Rule::Import(names)),
];

/// The maximum number of nodes between a member and its signature.
const MAX_DEPTH: usize = 4;

fn signed<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let mut signature = node;
    for _ in 0..MAX_DEPTH {
        if signature.kind().ends_with("_signature")
            && let Some(name) = signature.child_by_field_name("name")
        {
            // A constructor has several names, such as `User.guest`.
            let end = signature
                .child_by_field_name("parameters")
                .map_or(name.end_byte(), |list| list.start_byte());
            let title = text.get(name.start_byte()..end)?.split('<').next()?.trim();
            return Some(UnitInfo::new(Member, title, name.start_byte()));
        }
        if let Some(operator) = signature.child_by_field_name("operator") {
            let title = format!("operator {}", slice(operator, text));
            return Some(UnitInfo::new(Member, title, operator.start_byte()));
        }
        let kinds = ["declaration", "method_declaration"];
        let inner = children(signature);
        let is_inner =
            |node: &Node<'_>| kinds.contains(&node.kind()) || node.kind().ends_with("_signature");
        signature = inner.into_iter().find(is_inner)?;
    }
    None
}

fn names(node: Node<'_>, text: &str) -> Vec<String> {
    let written = slice(node, text);
    let alias = written.split_once(" as ").and_then(|(_, rest)| rest.split([' ', ';']).next());
    let path = written.split(['\'', '"']).nth(1).unwrap_or_default();
    vec![alias.unwrap_or_else(|| stem(path)).to_owned()]
}
