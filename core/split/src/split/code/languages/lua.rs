//! Lua. A function has the title that its declaration writes, such as `M.greet`.

use crate::Unit::Member;
use crate::split::code::language::{KindRule, Language, Rule, UnitInfo, child, children, slice};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment", Rule::Comment(&[])),
    ("; ,", Rule::Separator),
    ("function_declaration", Rule::Unit(Member, "name")),
    ("variable_declaration assignment_statement", Rule::Call(required, assigned)),
    ("chunk block table_constructor", Rule::Body),
    ("string", Rule::Opaque),
];

/// Returns the name and the value of a declaration or an assignment of one variable.
fn parts(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let assignment = child(node, &["assignment_statement"]).unwrap_or(node);
    let name = child(assignment, &["variable_list"])?.child_by_field_name("name")?;
    Some((name, child(assignment, &["expression_list"])?.child_by_field_name("value")?))
}

fn assigned<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let (name, value) = parts(node)?;
    (value.kind() == "function_definition").then(|| UnitInfo::named(Member, name, text))
}

/// Returns the name that `local json = require("cjson")` binds.
fn required(node: Node<'_>, text: &str) -> Option<Vec<String>> {
    let (name, value) = parts(node)?;
    let called = children(value).into_iter().next().filter(|_| value.kind() == "function_call")?;
    (slice(called, text) == "require").then(|| vec![slice(name, text).to_owned()])
}
