//! `PowerShell`: functions and classes.

use crate::Unit::{Container, Member};
use crate::split::code::language::{KindRule, Rule};

pub(super) const TABLE: &[KindRule] = &[
    ("comment", Rule::Comment(&["#!"])),
    ("; ,", Rule::Separator),
    ("function_statement", Rule::Named(Member, &["function_name"])),
    ("class_statement enum_statement", Rule::Named(Container, &["simple_name"])),
    ("class_method_definition", Rule::Named(Member, &["simple_name"])),
    ("program statement_list switch_clauses hash_literal_body", Rule::Body),
];
