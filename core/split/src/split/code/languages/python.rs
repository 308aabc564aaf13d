/*!
Python.

`import a.b` binds `a`. A star import has no names, so the module is used instead.
*/

use crate::Unit::{Container, Member};
use crate::split::code::language::{KindRule, Rule, children, last_part, slice};
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment", Rule::Comment(&["#!"])),
    (";", Rule::Separator),
    ("decorated_definition", Rule::Wrapper(&["definition"])),
    ("class_definition", Rule::Unit(Container, "name")),
    ("function_definition", Rule::Unit(Member, "name")),
    ("module block dictionary list set", Rule::Body),
    ("import_statement import_from_statement", Rule::Import(names)),
    ("string", Rule::Opaque),
];

fn names(node: Node<'_>, text: &str) -> Vec<String> {
    let module = node.child_by_field_name("module_name");
    let name = |child: Node<'_>| {
        let path = match child.kind() {
            "aliased_import" => slice(child.child_by_field_name("alias")?, text),
            "dotted_name" if module.is_none() => slice(child, text).split('.').next()?,
            "dotted_name" if module != Some(child) => last_part(slice(child, text), &['.']),
            "wildcard_import" => last_part(slice(module?, text), &['.']),
            _ => return None,
        };
        Some(path.trim().to_owned())
    };
    children(node).into_iter().filter_map(name).collect()
}
