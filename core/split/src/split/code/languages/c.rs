/*!
C, and the part of it that C++ shares.

A name is at the bottom of its declarator. A declaration in a file is a member, a structure with a
body is a container, and a declaration in a function is neither. An included header is an import with
its name, without folder and extension.
*/

mod conditionals;
mod macro_title;
mod macros;
mod tokens;

use crate::Unit::{Container, Member};
use crate::split::code::{
    language::{KindRule, Language, Rule, UnitInfo, slice, stem},
    stand_ins::StandIn,
};
pub(super) use macro_title::macro_title;
use std::ops::Range;
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
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

/// Returns stand-ins for what only the preprocessor makes readable: broken conditionals and macros.
pub(super) fn stand_ins(text: &str, errors: &[Range<usize>]) -> Vec<StandIn> {
    let mut tokens = tokens::tokens(text);
    let left_out = conditionals::left_out(text, &tokens, errors);
    let mut places = left_out.iter().peekable();
    tokens.retain(|token| {
        while places.next_if(|place| place.end <= token.bytes.start).is_some() {}
        places.peek().is_none_or(|place| token.bytes.end <= place.start)
    });
    let mut stand_ins = macros::stand_ins(text, &tokens);
    stand_ins.extend(left_out.into_iter().map(StandIn::blank));
    stand_ins
}

/// The name that a declarator declares.
pub(super) struct Declared<'n> {
    /// The node of the name, which may be qualified.
    pub(super) name: Node<'n>,
    pub(super) is_function: bool,
}

/// Returns the first name that a node declares.
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

fn declaration<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    if let Some(info) = structured(node, text) {
        return Some(info);
    }
    if let Some(title) = macro_title(node, text) {
        return Some(UnitInfo::new(Member, title, node.start_byte()));
    }
    let Declared { name, is_function } = declared(node)?;
    // A field is only an item of its structure.
    let is_field = node.kind() == "field_declaration" && !is_function;
    let info = UnitInfo::named(Member, name, text);
    (!is_field).then_some(UnitInfo { outermost: node.kind() == "declaration", ..info })
}

/// Returns the unit of a structure that is declared together with a variable of its type.
pub(super) fn structured<'t>(node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let structure = node.child_by_field_name("type")?;
    structure.child_by_field_name("body")?;
    let declared = declared(node)?.name;
    let name = structure.child_by_field_name("name").unwrap_or(declared);
    Some(UnitInfo { same: Some(structure.id()), ..UnitInfo::named(Container, name, text) })
}

fn type_definition<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let Declared { name, .. } = declared(node)?;
    let structure = node.child_by_field_name("type");
    let structure = structure.filter(|node| node.child_by_field_name("body").is_some());
    let unit = if structure.is_some() { Container } else { Member };
    let info = UnitInfo::named(unit, name, text);
    Some(UnitInfo { same: structure.map(|node| node.id()), outermost: true, ..info })
}

/// Returns the unit of a macro with a value, which is a constant. Others are switches.
fn macro_constant<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    node.child_by_field_name("value")?;
    let info = UnitInfo::named(Member, node.child_by_field_name("name")?, text);
    Some(UnitInfo { outermost: true, ..info })
}

fn included(node: Node<'_>, text: &str) -> Vec<String> {
    let path = node.child_by_field_name("path");
    path.map(|path| stem(slice(path, text)).to_owned()).into_iter().collect()
}
