/*!
Languages as data: rules for the kinds of syntax nodes.

A grammar names the kinds of its nodes, and a table maps each name to a rule. Other kinds have no
meaning, but their children may have one. So a language is a file with a table, and with functions
only for names that are not in a field of their node.
*/

use super::stand_ins::StandIn;
use crate::Unit;
use std::{borrow::Cow, ops::Range, sync::OnceLock};
use tree_sitter::Node;

/// A language that is split by its syntax.
pub(in crate::split) struct Language {
    pub(super) media_type: &'static str,
    pub(super) grammar: fn() -> tree_sitter::Language,
    pub(super) tables: &'static [&'static [KindRule]],
    /// Finds stand-ins for what the grammar does not know, if a text has errors.
    pub(super) stand_ins: Option<FindStandIns>,
    /// The rules of all kinds, by the number of the kind.
    pub(super) rules: OnceLock<Box<[Rule]>>,
}

/// Returns stand-ins, in any order, for a text whose syntax tree has errors at some places, which are in order.
pub(super) type FindStandIns = fn(&str, &[Range<usize>]) -> Vec<StandIn>;

/// Kinds of nodes, separated by spaces, and their rule.
pub(super) type KindRule = (&'static str, Rule);

/// The meaning of a kind of node.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// No meaning, but the children may have one.
    Plain,
    /// No meaning, and neither have the children.
    Opaque,
    /// A comment. It belongs to the node before it on its line, else to the next node unless a blank
    /// line is between. A comment that begins with one of these marks describes its parent.
    Comment(&'static [&'static str]),
    /// An attribute or decorator, which belongs to the next node.
    Attribute,
    /// A separator, which belongs to the member or statement before it on its line.
    Separator,
    /// A body, whose children are statements or other items between which long text is cut.
    Body,
    /// A wrapper of the node in one of these fields, else of its last child.
    Wrapper(&'static [&'static str]),
    /// A unit whose name is in a field.
    Unit(Unit, &'static str),
    /// A unit whose name is in a field, if it has a body; otherwise it is only a reference.
    Bodied(Unit, &'static str),
    /// A unit whose name is its first child of one of these kinds. Not every build has a language that needs it.
    #[allow(dead_code)]
    Named(Unit, &'static [&'static str]),
    /// A node that a function examines, and that may be a unit.
    Find(for<'t> fn(&Language, Node<'_>, &'t str) -> Option<UnitInfo<'t>>),
    /// An import, and the names that it binds.
    Import(fn(Node<'_>, &str) -> Vec<String>),
    /// An import if it binds names; otherwise it may be a unit.
    Call(
        fn(Node<'_>, &str) -> Option<Vec<String>>,
        for<'t> fn(&Language, Node<'_>, &'t str) -> Option<UnitInfo<'t>>,
    ),
}

/// The unit of a node.
pub(super) struct UnitInfo<'t> {
    pub(super) unit: Unit,
    pub(super) title: Cow<'t, str>,
    /// The offset of its name, whose line is its head.
    pub(super) at: usize,
    /// The descendant that is the same unit.
    pub(super) same: Option<usize>,
    pub(super) membership: Membership<'t>,
    /// Whether it is a unit only outside of members, because declarations in functions are local.
    pub(super) outermost: bool,
}

/// The relation of a unit to its siblings.
pub(super) enum Membership<'t> {
    /// A unit without members among its siblings.
    Nested,
    /// A type whose members may follow it instead of being inside.
    TypeBefore,
    /// A member outside of its type.
    MemberOf(Cow<'t, str>),
}

impl<'t> UnitInfo<'t> {
    pub(super) fn new(unit: Unit, title: impl Into<Cow<'t, str>>, at: usize) -> Self {
        Self {
            unit,
            title: title.into(),
            at,
            same: None,
            membership: Membership::Nested,
            outermost: false,
        }
    }

    /// Returns a unit with the name in a node.
    pub(super) fn named(unit: Unit, name: Node<'_>, text: &'t str) -> Self {
        Self::new(unit, unquoted(slice(name, text)), name.start_byte())
    }
}

impl Language {
    pub(super) const fn new(
        media_type: &'static str,
        grammar: fn() -> tree_sitter::Language,
        tables: &'static [&'static [KindRule]],
    ) -> Self {
        Self { media_type, grammar, tables, stand_ins: None, rules: OnceLock::new() }
    }

    /// Returns the language with a function that finds stand-ins.
    pub(super) fn with_stand_ins(mut self, find: FindStandIns) -> Self {
        self.stand_ins = Some(find);
        self
    }

    /// Returns the rules of all kinds, by the number of the kind.
    pub(super) fn rules(&self) -> &[Rule] {
        self.rules.get_or_init(|| {
            let grammar = (self.grammar)();
            let rule = |kind: usize| {
                let name = grammar.node_kind_for_id(kind as u16).unwrap_or_default();
                let rows = self.tables.iter().copied().flatten();
                let row = rows.rev().find(|(kinds, _)| kinds.split(' ').any(|kind| kind == name));
                row.map_or(Rule::Plain, |(_, rule)| *rule)
            };
            (0..grammar.node_kind_count()).map(rule).collect()
        })
    }

    /// Returns the rule of a node, or `None` for unreadable text.
    pub(super) fn rule(&self, node: Node<'_>) -> Option<Rule> {
        self.rules().get(usize::from(node.kind_id())).copied()
    }

    /// Returns the unit of a node, if it is one.
    pub(super) fn unit<'t>(&self, node: Node<'_>, text: &'t str) -> Option<UnitInfo<'t>> {
        let mut inner = node;
        let info = loop {
            break match self.rule(inner)? {
                Rule::Unit(unit, field) => {
                    UnitInfo::named(unit, inner.child_by_field_name(field)?, text)
                }
                Rule::Bodied(unit, field) => {
                    inner.child_by_field_name("body")?;
                    UnitInfo::named(unit, inner.child_by_field_name(field)?, text)
                }
                Rule::Named(unit, kinds) => UnitInfo::named(unit, child(inner, kinds)?, text),
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
        let same = info.same.or_else(|| (inner != node).then(|| inner.id()));
        Some(UnitInfo { same, ..info })
    }
}

/// Returns the text of a node.
pub(super) fn slice<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// Returns a text without its quotes or angle brackets.
pub(super) fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix(['"', '\'', '`', '<']);
    inner.and_then(|inner| inner.strip_suffix(['"', '\'', '`', '>'])).unwrap_or(text)
}

/// Returns the last part of a path whose parts are separated by some marks.
pub(super) fn last_part<'t>(path: &'t str, marks: &[char]) -> &'t str {
    path.rsplit(marks).find(|part| !part.is_empty()).unwrap_or(path).trim()
}

/// Returns the name of an imported file, without folders and extension.
pub(super) fn stem(path: &str) -> &str {
    let name = last_part(unquoted(path.trim()), &['/', '\\']);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// Returns the first named child of a node that is of one of some kinds.
pub(super) fn child<'n>(node: Node<'n>, kinds: &[&str]) -> Option<Node<'n>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| kinds.contains(&child.kind()))
}

/// Returns the named children of a node, in order.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}
