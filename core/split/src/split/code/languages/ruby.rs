/*!
Ruby.

A module with methods is a container; others are only namespaces. Methods of `class << self` are
members of the class. A required file is an import with its name, without folder and extension.
*/

use crate::Unit::{Container, Member, Module};
use crate::split::code::language::{KindRule, Language, Rule, UnitInfo, children, slice, stem};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment", Rule::Comment(&["#!"])),
    ("; ,", Rule::Separator),
    ("class", Rule::Unit(Container, "name")),
    ("module", Rule::Find(module)),
    ("method singleton_method", Rule::Unit(Member, "name")),
    ("assignment", Rule::Find(made)),
    ("call", Rule::Call(required, marked)),
    ("program body_statement block_body then else array hash", Rule::Body),
    ("string heredoc_body", Rule::Opaque),
];

fn is_method(node: &Node<'_>) -> bool {
    matches!(node.kind(), "method" | "singleton_method")
}

fn module<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let body = node.child_by_field_name("body");
    let has_methods = body.is_some_and(|body| children(body).iter().any(is_method));
    let unit = if has_methods { Container } else { Module };
    Some(UnitInfo::named(unit, node.child_by_field_name("name")?, text))
}

/// Returns the unit of a class that a call creates, such as `Point = Struct.new(:x, :y) do`.
fn made<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let name = node.child_by_field_name("left").filter(|left| left.kind() == "constant")?;
    node.child_by_field_name("right")?.child_by_field_name("block")?;
    Some(UnitInfo::named(Container, name, text))
}

/// Returns the unit of a method that is an argument, as in `private def find`.
fn marked<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let method = node.child_by_field_name("arguments")?.named_child(0).filter(is_method)?;
    let info = UnitInfo::named(Member, method.child_by_field_name("name")?, text);
    Some(UnitInfo { same: Some(method.id()), ..info })
}

fn required(node: Node<'_>, text: &str) -> Option<Vec<String>> {
    let method = slice(node.child_by_field_name("method")?, text);
    if node.child_by_field_name("receiver").is_some()
        || !matches!(method, "require" | "require_relative" | "load")
    {
        return None;
    }
    let path = node.child_by_field_name("arguments")?.named_child(0)?;
    (path.kind() == "string").then(|| vec![stem(slice(path, text)).to_owned()])
}
