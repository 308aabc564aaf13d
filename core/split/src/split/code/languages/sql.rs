//! SQL. A CREATE statement is a member with the name of its object, including a written schema.

use crate::Unit::Member;
use crate::split::code::language::{KindRule, Language, Rule, UnitInfo, children, slice};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment marginalia", Rule::Comment(&[])),
    ("; ,", Rule::Separator),
    ("statement", Rule::Find(created)),
    ("program block column_definitions function_body list", Rule::Body),
];

fn created<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let create = node.named_child(0).filter(|node| node.kind().starts_with("create_"))?;
    let name = match create.kind() {
        "create_query" => return None,
        "create_index" => create.child_by_field_name("column"),
        "create_database" => create.child_by_field_name("name"),
        _ => children(create)
            .into_iter()
            .find(|node| matches!(node.kind(), "object_reference" | "identifier")),
    };
    let name = name?;
    let title = slice(name, text).replace('"', "");
    Some(UnitInfo { outermost: true, ..UnitInfo::new(Member, title, name.start_byte()) })
}
