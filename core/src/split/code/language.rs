/*!
What a language is, as data: which kinds of syntax nodes matter, and how.

A grammar names its nodes; a table says what each name means here. Kinds that no table names are
looked into and mean nothing by themselves. So a language is a file with a table, and functions
only where a name does not lie in a field of its node.
*/

use crate::Unit;
use std::{borrow::Cow, sync::OnceLock};
use tree_sitter::Node;

/// A language that is split by its syntax.
pub(in crate::split) struct Language {
    pub(super) media_type: &'static str,
    pub(super) grammar: fn() -> tree_sitter::Language,
    pub(super) tables: &'static [&'static [Row]],
    /// The rules of all kinds, by the number of the kind.
    pub(super) rules: OnceLock<Box<[Rule]>>,
}

/// Kinds of nodes, parted by spaces, and what they mean.
pub(super) type Row = (&'static str, Rule);

/// What a kind of node means.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// Nothing by itself; what is inside may.
    Plain,
    /// Nothing, and neither does what is inside.
    Opaque,
    /// A comment belongs to what follows, unless a blank line stands between; or to what is before
    /// it on its line. Those that begin with one of these marks speak of what they stand in.
    Comment(&'static [&'static str]),
    /// An attribute or decorator belongs to what follows.
    Attribute,
    /// What ends a member or a statement, and belongs to it on its line.
    Separator,
    /// What is inside are statements, or what else can be parted well.
    Body,
    /// Goes along with the node in one of these fields, or with its last child if there is none.
    Wrapper(&'static [&'static str]),
    /// A unit whose name lies in a field.
    Unit(Unit, &'static str),
    /// The same, if it has a body; else it is no more than a mention.
    Bodied(Unit, &'static str),
    /// What may be a unit.
    Find(for<'t> fn(&Language, Node<'_>, &'t str) -> Option<Found<'t>>),
    /// An import, and the names that it binds.
    Import(fn(Node<'_>, &str) -> Vec<String>),
    /// What is an import if it binds names, and else may be a unit.
    Call(
        fn(Node<'_>, &str) -> Option<Vec<String>>,
        for<'t> fn(&Language, Node<'_>, &'t str) -> Option<Found<'t>>,
    ),
}

/// A unit that a node is.
pub(super) struct Found<'t> {
    pub(super) unit: Unit,
    pub(super) title: Cow<'t, str>,
    /// Where its name stands: the line of that is its head.
    pub(super) at: usize,
    /// The node inside that is the same unit.
    pub(super) same: Option<usize>,
    pub(super) beside: Beside<'t>,
    /// Whether it is a unit only outside of members: what a function declares is its own business.
    pub(super) outermost: bool,
}

/// How a unit stands to its neighbours.
pub(super) enum Beside<'t> {
    Nothing,
    /// It is a type whose members may stand behind it and not in it.
    Members,
    /// It is a member of a type in which it does not stand.
    Type(Cow<'t, str>),
}

impl<'t> Found<'t> {
    pub(super) fn new(unit: Unit, title: impl Into<Cow<'t, str>>, at: usize) -> Self {
        Self {
            unit,
            title: title.into(),
            at,
            same: None,
            beside: Beside::Nothing,
            outermost: false,
        }
    }

    /// Finds a unit that bears the name in a node.
    pub(super) fn named(unit: Unit, name: Node<'_>, text: &'t str) -> Self {
        Self::new(unit, unquoted(slice(name, text)), name.start_byte())
    }
}

impl Language {
    pub(super) const fn new(
        media_type: &'static str,
        grammar: fn() -> tree_sitter::Language,
        tables: &'static [&'static [Row]],
    ) -> Self {
        Self { media_type, grammar, tables, rules: OnceLock::new() }
    }

    /// Returns what each kind means, by its number.
    pub(super) fn rules(&self) -> &[Rule] {
        self.rules.get_or_init(|| {
            let grammar = (self.grammar)();
            let rule = |kind: usize| {
                let name = grammar.node_kind_for_id(kind as u16).unwrap_or_default();
                let rows = self.tables.iter().copied().flatten();
                let found = rows.rev().find(|(kinds, _)| kinds.split(' ').any(|kind| kind == name));
                found.map_or(Rule::Plain, |(_, rule)| *rule)
            };
            (0..grammar.node_kind_count()).map(rule).collect()
        })
    }

    /// Returns the rule of a node, or none for what is no syntax.
    pub(super) fn rule(&self, node: Node<'_>) -> Option<Rule> {
        self.rules().get(usize::from(node.kind_id())).copied()
    }

    /// Returns the unit that a node is, if it is one.
    pub(super) fn unit<'t>(&self, node: Node<'_>, text: &'t str) -> Option<Found<'t>> {
        let mut inner = node;
        let found = loop {
            break match self.rule(inner)? {
                Rule::Unit(unit, field) => {
                    Found::named(unit, inner.child_by_field_name(field)?, text)
                }
                Rule::Bodied(unit, field) => {
                    inner.child_by_field_name("body")?;
                    Found::named(unit, inner.child_by_field_name(field)?, text)
                }
                Rule::Find(find) | Rule::Call(_, find) => find(self, inner, text)?,
                Rule::Wrapper(fields) => {
                    let field = fields.iter().find_map(|field| inner.child_by_field_name(field));
                    let last = inner.named_child_count().checked_sub(1);
                    inner = field.or_else(|| inner.named_child(last? as u32))?;
                    continue;
                }
                _ => return None,
            };
        };
        let same = found.same.or_else(|| (inner != node).then(|| inner.id()));
        Some(Found { same, ..found })
    }
}

/// Returns the text of a node.
pub(super) fn slice<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// Returns a text without the quotes or angle brackets around it.
pub(super) fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix(['"', '\'', '`', '<']);
    inner.and_then(|inner| inner.strip_suffix(['"', '\'', '`', '>'])).unwrap_or(text)
}

/// Returns what stands behind the last of some marks: the last part of a path.
pub(super) fn last_part<'t>(path: &'t str, marks: &[char]) -> &'t str {
    path.rsplit(marks).find(|part| !part.is_empty()).unwrap_or(path).trim()
}

/// Returns the name of a file that is imported, without folders and extension.
pub(super) fn stem(path: &str) -> &str {
    let name = last_part(unquoted(path.trim()), &['/', '\\']);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// Returns the children of a node that have names, in order.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}
