//! Terraform and other HCL. A block has the title of its head, such as `resource aws_instance web`.

use crate::Unit::Member;
use crate::split::code::language::{
    KindRule, Language, Rule, UnitInfo, child, children, slice, unquoted,
};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment", Rule::Comment(&[])),
    (",", Rule::Separator),
    ("block", Rule::Find(block)),
    ("attribute", Rule::Find(attribute)),
    ("body object", Rule::Body),
];

#[allow(clippy::unnecessary_wraps)] // The type of a rule.
fn block<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let head = children(node).into_iter().take_while(|node| node.kind() != "block_start");
    let words: Vec<&str> = head.map(|node| unquoted(slice(node, text))).collect();
    Some(UnitInfo { outermost: true, ..UnitInfo::new(Member, words.join(" "), node.start_byte()) })
}

fn attribute<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let name = child(node, &["identifier"])?;
    Some(UnitInfo { outermost: true, ..UnitInfo::named(Member, name, text) })
}
