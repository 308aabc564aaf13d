/*!
C, and what C++ has of it.

A name lies at the bottom of its declarator. What is declared in a file is a member, a structure with
its body a container, and what is declared in a function is neither. A header that is included is
named without its folder and extension.
*/

use crate::Unit::{Container, Member};
use crate::split::code::language::{Found, Language, Row, Rule, slice, stem};
use tree_sitter::Node;

pub(super) const TABLE: &[Row] = &[
    ("comment", Rule::Comment(&[])),
    ("; ,", Rule::Separator),
    ("struct_specifier union_specifier enum_specifier", Rule::Bodied(Container, "name")),
    ("function_definition declaration field_declaration", Rule::Find(declaration)),
    ("type_definition", Rule::Find(type_definition)),
    ("preproc_function_def", Rule::Unit(Member, "name")),
    ("preproc_def", Rule::Find(macro_constant)),
    (
        "translation_unit declaration_list field_declaration_list enumerator_list \
         compound_statement preproc_if preproc_ifdef preproc_else preproc_elif initializer_list \
         case_statement",
        Rule::Body,
    ),
    ("preproc_include", Rule::Import(included)),
    ("string_literal preproc_arg", Rule::Opaque),
];

/// What a declarator declares.
pub(super) struct Declared<'n> {
    /// The node with the name, which may be a qualified one.
    pub(super) name: Node<'n>,
    pub(super) is_function: bool,
}

/// Goes down to the name that a node declares first.
pub(super) fn declared(node: Node<'_>) -> Option<Declared<'_>> {
    let mut name = node.child_by_field_name("declarator")?;
    let mut is_function = false;
    loop {
        is_function |= name.kind() == "function_declarator";
        let inner = match name.kind() {
            "function_declarator"
            | "pointer_declarator"
            | "array_declarator"
            | "init_declarator" => name.child_by_field_name("declarator"),
            "parenthesized_declarator" | "reference_declarator" | "attributed_declarator" => {
                let mut cursor = name.walk();
                name.named_children(&mut cursor).find(|node| {
                    node.kind().ends_with("declarator") || node.kind().ends_with("identifier")
                })
            }
            _ => return Some(Declared { name, is_function }),
        };
        name = inner?;
    }
}

fn declaration<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<Found<'t>> {
    if let Some(found) = structured(node, text) {
        return Some(found);
    }
    let Declared { name, is_function } = declared(node)?;
    // A field is no more than an item of its structure.
    let is_field = node.kind() == "field_declaration" && !is_function;
    let found = Found::named(Member, name, text);
    (!is_field).then_some(Found { outermost: node.kind() == "declaration", ..found })
}

/// Finds a structure that is declared together with what it is the type of: the two are one.
pub(super) fn structured<'t>(node: Node<'_>, text: &'t str) -> Option<Found<'t>> {
    let structure = node.child_by_field_name("type")?;
    structure.child_by_field_name("body")?;
    let declared = declared(node)?.name;
    let name = structure.child_by_field_name("name").unwrap_or(declared);
    Some(Found { same: Some(structure.id()), ..Found::named(Container, name, text) })
}

fn type_definition<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<Found<'t>> {
    let Declared { name, .. } = declared(node)?;
    let structure = node.child_by_field_name("type");
    let structure = structure.filter(|node| node.child_by_field_name("body").is_some());
    let unit = if structure.is_some() { Container } else { Member };
    let found = Found::named(unit, name, text);
    Some(Found { same: structure.map(|node| node.id()), outermost: true, ..found })
}

/// Takes a macro with a value as a constant; without one it is a switch.
fn macro_constant<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<Found<'t>> {
    node.child_by_field_name("value")?;
    let found = Found::named(Member, node.child_by_field_name("name")?, text);
    Some(Found { outermost: true, ..found })
}

fn included(node: Node<'_>, text: &str) -> Vec<String> {
    let path = node.child_by_field_name("path");
    path.map(|path| stem(slice(path, text)).to_owned()).into_iter().collect()
}
