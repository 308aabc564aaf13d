//! Java. An import binds its last part. A star import has no names, so the package is used instead.

use crate::Unit::{Container, Member};
use crate::split::code::language::{KindRule, Rule, children, last_part, slice};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("line_comment block_comment", Rule::Comment(&[])),
    ("; ,", Rule::Separator),
    (
        "class_declaration interface_declaration enum_declaration record_declaration \
         annotation_type_declaration",
        Rule::Unit(Container, "name"),
    ),
    (
        "method_declaration constructor_declaration compact_constructor_declaration \
         annotation_type_element_declaration",
        Rule::Unit(Member, "name"),
    ),
    (
        "program class_body interface_body enum_body enum_body_declarations annotation_type_body \
         block constructor_body switch_block array_initializer",
        Rule::Body,
    ),
    ("import_declaration", Rule::Import(names)),
    ("string_literal", Rule::Opaque),
];

fn names(node: Node<'_>, text: &str) -> Vec<String> {
    let path = children(node).into_iter().find(|node| node.kind().ends_with("identifier"));
    path.map(|path| last_part(slice(path, text), &['.']).to_owned()).into_iter().collect()
}
