//! Protocol Buffers. Messages, enumerations and services are containers, and calls are members.

use crate::Unit::{Container, Member};
use crate::split::code::language::{KindRule, Rule, slice, stem};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment", Rule::Comment(&[])),
    ("; ,", Rule::Separator),
    ("message", Rule::Named(Container, &["message_name"])),
    ("enum", Rule::Named(Container, &["enum_name"])),
    ("service", Rule::Named(Container, &["service_name"])),
    ("rpc", Rule::Named(Member, &["rpc_name"])),
    ("extend", Rule::Named(Member, &["full_ident"])),
    ("source_file message_body enum_body", Rule::Body),
    ("import", Rule::Import(imported)),
];

fn imported(node: Node<'_>, text: &str) -> Vec<String> {
    let path = node.child_by_field_name("path");
    path.map(|path| stem(slice(path, text)).to_owned()).into_iter().collect()
}
