/*!
Elixir. Every construct is a call, so the name of the call decides.

A module is a container, and a function, a macro or a test is a member. Attributes such as `@doc` belong to the
next one.
*/

use crate::Unit::{Container, Member};
use crate::split::code::language::{
    KindRule, Language, Rule, UnitInfo, child, children, last_part, slice, unquoted,
};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment", Rule::Comment(&["#!"])),
    ("unary_operator", Rule::Attribute),
    ("; ,", Rule::Separator),
    ("call", Rule::Call(names, defined)),
    ("source do_block else_block rescue_block after_block list map", Rule::Body),
    ("string charlist sigil", Rule::Opaque),
];

/// Returns the name of a call, and its first argument.
fn parts<'n, 't>(node: Node<'n>, text: &'t str) -> Option<(&'t str, Node<'n>)> {
    let target =
        node.child_by_field_name("target").filter(|target| target.kind() == "identifier")?;
    let argument = children(child(node, &["arguments"])?).into_iter().next()?;
    Some((slice(target, text), argument))
}

fn defined<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let (name, argument) = parts(node, text)?;
    let unit = match name {
        "defmodule" | "defprotocol" | "defimpl" | "describe" => Container,
        "def" | "defp" | "defmacro" | "defmacrop" | "defguard" | "defguardp" | "defdelegate"
        | "test" => Member,
        _ => return None,
    };
    if name == "defimpl" {
        let arguments = slice(child(node, &["arguments"])?, text);
        let title = arguments.split_whitespace().collect::<Vec<_>>().join(" ");
        return Some(UnitInfo::new(Container, title, argument.start_byte()));
    }
    // The head of a function may have a guard, and mostly has parameters.
    let mut head = argument;
    while head.kind() == "binary_operator" {
        head = head.child_by_field_name("left")?;
    }
    let head = head.child_by_field_name("target").unwrap_or(head);
    Some(UnitInfo::new(unit, unquoted(slice(head, text)), head.start_byte()))
}

/// Returns the names that `alias`, `import`, `require` and `use` bind.
fn names(node: Node<'_>, text: &str) -> Option<Vec<String>> {
    let (name, argument) = parts(node, text)?;
    if !matches!(name, "alias" | "import" | "require" | "use") {
        return None;
    }
    let written = slice(argument, text);
    let Some((_, inside)) = written.trim_end_matches('}').split_once('{') else {
        return Some(vec![last_part(written, &['.']).to_owned()]);
    };
    Some(inside.split(',').map(|name| last_part(name.trim(), &['.']).to_owned()).collect())
}
