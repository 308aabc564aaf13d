//! GraphQL: types with their fields, and operations. The nodes around a definition, such as `type_definition`, add no text.

use crate::Unit::{Container, Member};
use crate::split::code::language::{KindRule, Rule};

pub(super) const TABLE: &[KindRule] = &[
    ("comment", Rule::Comment(&[])),
    (
        "object_type_definition object_type_extension interface_type_definition \
         interface_type_extension input_object_type_definition input_object_type_extension \
         enum_type_definition enum_type_extension",
        Rule::Named(Container, &["name"]),
    ),
    (
        "union_type_definition scalar_type_definition directive_definition field_definition \
         operation_definition",
        Rule::Named(Member, &["name"]),
    ),
    ("fragment_definition", Rule::Named(Member, &["fragment_name"])),
    (
        "document fields_definition input_fields_definition enum_values_definition selection_set",
        Rule::Body,
    ),
];
