/*!
JavaScript, and the part of it that TypeScript shares.

A constant is a member if it is a function or exported. A class or an object with functions is a
container. An unnamed export has the title `default`, as in imports.
*/

use crate::Unit::{self, Container, Member};
use crate::split::code::language::{KindRule, Language, Rule, UnitInfo, children, slice};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment html_comment", Rule::Comment(&[])),
    ("hash_bang_line template_string regex string", Rule::Opaque),
    ("decorator", Rule::Attribute),
    ("; ,", Rule::Separator),
    ("export_statement", Rule::Find(export)),
    ("class_declaration", Rule::Unit(Container, "name")),
    (
        "function_declaration generator_function_declaration method_definition",
        Rule::Unit(Member, "name"),
    ),
    ("lexical_declaration variable_declaration", Rule::Call(required, constant)),
    ("field_definition public_field_definition pair", Rule::Find(field)),
    ("expression_statement", Rule::Find(assignment)),
    ("program statement_block class_body switch_body object array", Rule::Body),
    ("import_statement", Rule::Import(names)),
];

/// Returns the kind of unit that a value makes of its constant or field.
fn valued(value: Node<'_>) -> Option<Unit> {
    let is_function = |node: Node<'_>| {
        let kinds = ["arrow_function", "function_expression", "generator_function"];
        kinds.contains(&node.kind())
    };
    match value.kind() {
        "class" => Some(Container),
        "object" => {
            let methods = |node: &Node<'_>| {
                node.kind() == "method_definition"
                    || node.child_by_field_name("value").is_some_and(is_function)
            };
            children(value).iter().any(methods).then_some(Container)
        }
        _ => is_function(value).then_some(Member),
    }
}

fn export<'t>(language: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let (inner, info) = if let Some(inner) = node.child_by_field_name("declaration") {
        let info = match inner.kind() {
            "lexical_declaration" | "variable_declaration" => declared(inner, text, true),
            _ => language.unit(inner, text),
        };
        (inner, info)
    } else {
        let inner = node.child_by_field_name("value")?;
        let name = inner.child_by_field_name("name");
        let info = match (valued(inner), name) {
            (Some(unit), Some(name)) => Some(UnitInfo::named(unit, name, text)),
            (unit, _) => {
                let unit = match (unit, inner.kind()) {
                    (Some(unit), _) => unit,
                    (None, "object") => Container,
                    (None, "identifier" | "member_expression") => return None,
                    (None, _) => Member,
                };
                Some(UnitInfo::new(unit, "default", node.start_byte()))
            }
        };
        (inner, info)
    };
    let info = match info {
        Some(info) => info,
        // A function or class may be unnamed here.
        None => UnitInfo::new(unnamed(inner)?, "default", node.start_byte()),
    };
    Some(UnitInfo { same: info.same.or(Some(inner.id())), ..info })
}

/// Returns the kind of unit of an unnamed declaration.
fn unnamed(node: Node<'_>) -> Option<Unit> {
    let bare = node.child_by_field_name("name").is_none();
    match node.kind() {
        "class_declaration" if bare => Some(Container),
        "function_declaration" | "generator_function_declaration" if bare => Some(Member),
        _ => None,
    }
}

fn constant<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    declared(node, text, false)
}

/// Returns the unit of a declaration of exactly one constant.
fn declared<'t>(node: Node<'_>, text: &'t str, exported: bool) -> Option<UnitInfo<'t>> {
    let mut cursor = node.walk();
    let mut nodes = node.named_children(&mut cursor);
    let declarator = nodes.find(|node| node.kind() == "variable_declarator")?;
    if nodes.any(|node| node.kind() == "variable_declarator") {
        return None;
    }
    let name = declarator.child_by_field_name("name")?;
    let value = declarator.child_by_field_name("value");
    let unit = match value.and_then(valued) {
        Some(unit) => unit,
        None if !exported => return None,
        None if value.is_some_and(|value| value.kind() == "object") => Container,
        None => Member,
    };
    // An object in a function is local.
    let outermost = value.is_some_and(|value| value.kind() == "object");
    let info = UnitInfo::named(unit, name, text);
    (name.kind() == "identifier").then_some(UnitInfo { outermost, ..info })
}

fn field<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let unit = valued(node.child_by_field_name("value")?)?;
    let name =
        ["name", "property", "key"].iter().find_map(|name| node.child_by_field_name(name))?;
    Some(UnitInfo::named(unit, name, text))
}

/// Returns the unit of an assignment to a property, such as `exports.parse = function () {}`.
fn assignment<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let assigned = node.named_child(0).filter(|node| node.kind() == "assignment_expression")?;
    let unit = valued(assigned.child_by_field_name("right")?)?;
    let left = assigned.child_by_field_name("left")?;
    let name = match left.kind() {
        "member_expression" => left.child_by_field_name("property")?,
        "identifier" => left,
        _ => return None,
    };
    Some(UnitInfo::named(unit, name, text))
}

fn names(node: Node<'_>, text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = vec![node];
    while let Some(node) = rest.pop() {
        match node.kind() {
            "import_statement"
            | "import_clause"
            | "named_imports"
            | "namespace_import"
            | "import_require_clause" => rest.extend(children(node).into_iter().rev()),
            "import_specifier" => {
                let alias = node.child_by_field_name("alias");
                rest.extend(alias.or_else(|| node.child_by_field_name("name")));
            }
            "identifier" => names.push(slice(node, text).to_owned()),
            _ => {}
        }
    }
    names
}

/// Returns the names that `const { a, b } = require("c")` binds.
fn required(node: Node<'_>, text: &str) -> Option<Vec<String>> {
    let declarator = node.named_child(0)?;
    let call = declarator.child_by_field_name("value")?;
    if call.kind() != "call_expression"
        || slice(call.child_by_field_name("function")?, text) != "require"
    {
        return None;
    }
    let bound = declarator.child_by_field_name("name")?;
    let name = |node: Node<'_>| match node.kind() {
        "pair_pattern" => node.child_by_field_name("value").map(|value| slice(value, text)),
        "shorthand_property_identifier_pattern" | "identifier" => Some(slice(node, text)),
        _ => None,
    };
    Some(match bound.kind() {
        "object_pattern" => {
            children(bound).into_iter().filter_map(name).map(str::to_owned).collect()
        }
        _ => vec![slice(bound, text).to_owned()],
    })
}
