//! Swift. Structures, enumerations, actors and extensions are classes of the grammar.

use crate::Unit::{Container, Member};
use crate::split::code::language::{KindRule, Language, Rule, UnitInfo, last_part, slice};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment multiline_comment", Rule::Comment(&["#!"])),
    ("; ,", Rule::Separator),
    ("class_declaration protocol_declaration", Rule::Unit(Container, "name")),
    ("function_declaration protocol_function_declaration", Rule::Find(function)),
    ("init_declaration deinit_declaration subscript_declaration", Rule::Find(special)),
    ("property_declaration", Rule::Find(property)),
    ("typealias_declaration", Rule::Unit(Member, "name")),
    (
        "source_file class_body enum_class_body protocol_body statements switch_statement",
        Rule::Body,
    ),
    ("import_declaration", Rule::Import(names)),
];

/// Returns a function, which may be an operator such as `==`.
fn function<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let head = slice(node, text);
    let at = head.find("func ")? + "func ".len();
    let end = head[at..].find('(')?;
    let name = head[at..at + end].split('<').next().filter(|name| !name.trim().is_empty());
    let title = name.unwrap_or(&head[at..at + end]).trim();
    Some(UnitInfo::new(Member, title, node.start_byte() + at))
}

#[allow(clippy::unnecessary_wraps)] // The type of a rule.
fn special<'t>(_: &Language, node: Node<'_>, _: &'t str) -> Option<UnitInfo<'t>> {
    let title = match node.kind() {
        "init_declaration" => "init",
        "deinit_declaration" => "deinit",
        _ => "subscript",
    };
    Some(UnitInfo::new(Member, title, node.start_byte()))
}

fn property<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let name = node.child_by_field_name("name")?;
    Some(UnitInfo { outermost: true, ..UnitInfo::named(Member, name, text) })
}

fn names(node: Node<'_>, text: &str) -> Vec<String> {
    vec![last_part(slice(node, text), &['.', ' ']).to_owned()]
}
