//! Kotlin. An import binds its alias, else the last part of its path.

use crate::Unit::{Container, Member};
use crate::split::code::language::{
    KindRule, Language, Rule, UnitInfo, child, children, last_part, slice,
};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("line_comment block_comment", Rule::Comment(&["#!"])),
    ("file_annotation", Rule::Attribute),
    ("; ,", Rule::Separator),
    ("class_declaration object_declaration", Rule::Unit(Container, "name")),
    ("companion_object", Rule::Find(companion)),
    ("function_declaration", Rule::Unit(Member, "name")),
    ("secondary_constructor", Rule::Find(constructor)),
    ("property_declaration", Rule::Find(property)),
    ("type_alias", Rule::Named(Member, &["identifier"])),
    ("source_file class_body enum_class_body block lambda_literal when_expression", Rule::Body),
    ("import", Rule::Import(names)),
];

#[allow(clippy::unnecessary_wraps)] // The type of a rule.
fn companion<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let name = child(node, &["identifier"]);
    let title = name.map_or("Companion", |name| slice(name, text));
    Some(UnitInfo::new(Container, title, node.start_byte()))
}

#[allow(clippy::unnecessary_wraps)] // The type of a rule.
fn constructor<'t>(_: &Language, node: Node<'_>, _: &'t str) -> Option<UnitInfo<'t>> {
    Some(UnitInfo::new(Member, "constructor", node.start_byte()))
}

fn property<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let name = child(child(node, &["variable_declaration"])?, &["identifier"])?;
    Some(UnitInfo { outermost: true, ..UnitInfo::named(Member, name, text) })
}

fn names(node: Node<'_>, text: &str) -> Vec<String> {
    let name = children(node).into_iter().next_back();
    name.map(|name| last_part(slice(name, text), &['.']).to_owned()).into_iter().collect()
}
