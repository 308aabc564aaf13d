/*!
SQL. A CREATE statement is a member with the name of its object, including a written schema.

The grammar does not know every statement of every server, and a script may also have commands of its
client. So `script` finds the statements by quotes and semicolons. The parser reads a query in place of a
statement that its grammar does not know, and blanks in place of commands and rows of data.
*/

mod object_name;
mod script;

use crate::Unit::Member;
use crate::split::code::{
    language::{KindRule, Language, Rule, UnitInfo},
    stand_ins::StandIn,
};
use std::ops::Range;
use tree_sitter::Node;

pub(super) const TABLE: &[KindRule] = &[
    ("comment marginalia", Rule::Comment(&[])),
    ("; ,", Rule::Separator),
    ("statement", Rule::Find(created)),
    ("program block column_definitions function_body list", Rule::Body),
];

/// Returns stand-ins for the commands of clients, for rows of data, and for the statements with errors.
pub(super) fn stand_ins(text: &str, errors: &[Range<usize>]) -> Vec<StandIn> {
    let script = script::read(text);
    let mut errors = errors.iter().peekable();
    let unread = script.statements.into_iter().filter(|statement| {
        while errors.next_if(|error| error.end < statement.start).is_some() {}
        errors.peek().is_some_and(|error| error.start <= statement.end)
    });
    let unread = unread.filter(|statement| object_name::begins_statement(&text[statement.clone()]));
    // A query over the whole range, which the grammar knows.
    let unread = unread.map(|statement| StandIn::framed(statement, "SELECT", " 1"));
    script.commands.into_iter().chain(unread).collect()
}

fn created<'t>(_: &Language, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
    let statement = text.get(node.byte_range())?;
    let (at, title) = object_name::created(statement)?;
    Some(UnitInfo { outermost: true, ..UnitInfo::new(Member, title, node.start_byte() + at) })
}
