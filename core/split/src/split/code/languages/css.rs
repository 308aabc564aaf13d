//! CSS. The title of a rule is its selector, and that of an at-rule its condition.

use crate::Unit::{self, Container, Member};
use crate::split::code::language::{
    KindRule, Language, Rule, UnitInfo, children, slice, stem, unquoted,
};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment js_comment", Rule::Comment(&[])),
    ("; ,", Rule::Separator),
    ("rule_set", Rule::Find(rule)),
    (
        "media_statement supports_statement scope_statement keyframes_statement at_rule",
        Rule::Find(at_rule),
    ),
    ("stylesheet block keyframe_block_list", Rule::Body),
    ("import_statement", Rule::Import(imported)),
];

/// Returns the unit whose title is the text before the block.
fn titled<'t>(unit: Unit, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let mut cursor = node.walk();
    let block = node
        .named_children(&mut cursor)
        .find(|node| matches!(node.kind(), "block" | "keyframe_block_list"))?;
    let head = text.get(node.start_byte()..block.start_byte())?;
    let title = head.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(UnitInfo::new(unit, title, node.start_byte()))
}

fn rule<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    titled(Member, node, text)
}

fn at_rule<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    titled(Container, node, text)
}

fn imported(node: Node<'_>, text: &str) -> Vec<String> {
    let Some(what) = children(node).into_iter().next() else { return Vec::new() };
    let what = slice(what, text);
    let path = what.strip_prefix("url(").and_then(|url| url.strip_suffix(')')).unwrap_or(what);
    vec![stem(unquoted(path.trim())).to_owned()]
}
