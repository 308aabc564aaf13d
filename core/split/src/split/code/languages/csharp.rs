//! C#. A directive binds its alias, else the last part of its namespace.

use crate::Unit::{Container, Member, Module};
use crate::split::code::language::{
    KindRule, Language, Rule, UnitInfo, children, last_part, slice,
};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment", Rule::Comment(&[])),
    ("; ,", Rule::Separator),
    ("namespace_declaration", Rule::Bodied(Module, "name")),
    (
        "class_declaration struct_declaration interface_declaration enum_declaration \
         record_declaration",
        Rule::Unit(Container, "name"),
    ),
    (
        "method_declaration constructor_declaration property_declaration event_declaration \
         delegate_declaration local_function_statement",
        Rule::Unit(Member, "name"),
    ),
    (
        "operator_declaration conversion_operator_declaration indexer_declaration \
         destructor_declaration",
        Rule::Find(unnamed),
    ),
    (
        "compilation_unit declaration_list enum_member_declaration_list block switch_body \
         accessor_list initializer_expression",
        Rule::Body,
    ),
    ("using_directive", Rule::Import(names)),
    ("string_literal verbatim_string_literal raw_string_literal", Rule::Opaque),
];

/// Returns the unit of a member without a name: `operator +`, `operator int`, `this`, `~Name`.
fn unnamed<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let field = |name| node.child_by_field_name(name);
    let title = match node.kind() {
        "indexer_declaration" => "this".into(),
        "destructor_declaration" => format!("~{}", slice(field("name")?, text)),
        "conversion_operator_declaration" => format!("operator {}", slice(field("type")?, text)),
        _ => {
            let between = field("type")?.end_byte()..field("parameters")?.start_byte();
            text.get(between)?.split_whitespace().collect::<Vec<_>>().join(" ")
        }
    };
    Some(UnitInfo::new(Member, title, node.start_byte()))
}

fn names(node: Node<'_>, text: &str) -> Vec<String> {
    let alias = node.child_by_field_name("name");
    let name = alias.or_else(|| children(node).into_iter().next_back());
    name.map(|name| last_part(slice(name, text), &['.']).to_owned()).into_iter().collect()
}
