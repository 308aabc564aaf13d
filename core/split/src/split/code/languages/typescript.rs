//! TypeScript: the rules that JavaScript does not have.

use crate::Unit::{Container, Member, Module};
use crate::split::code::language::{KindRule, Rule};

pub(super) const TABLE: &[KindRule] = &[
    (
        "abstract_class_declaration interface_declaration enum_declaration",
        Rule::Unit(Container, "name"),
    ),
    ("internal_module module", Rule::Bodied(Module, "name")),
    ("ambient_declaration", Rule::Wrapper(&[])),
    (
        "function_signature method_signature abstract_method_signature type_alias_declaration",
        Rule::Unit(Member, "name"),
    ),
    ("interface_body enum_body object_type", Rule::Body),
];
