/*!
Reads parse trees as PostgreSQL prints them, and lists the operators and functions in them.

A tree has the form `{NAME :field value ...}`, with lists in parentheses. The field names are the same since
PostgreSQL 15. Only the fields that name an operator, a function or the type of an expression are read.
*/

use std::collections::BTreeSet;
use std::str::SplitWhitespace;

/// An operator or function by its oid, with the argument types before conversion.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    pub kind: Kind,
    pub oid: u32,
    pub types: Vec<u32>,
}

/// The kind of a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Function,
    Operator,
    /// An operator that is applied to each element of an array, as in `= ANY`.
    Any,
}

/// A part of a tree.
#[derive(Debug)]
enum Part {
    Node { name: String, fields: Vec<(String, Vec<Part>)> },
    List(Vec<Part>),
    Word(String),
}

/// The fields with the type of an expression; each kind of expression has at most one.
const TYPES: [&str; 16] = [
    "vartype",
    "consttype",
    "paramtype",
    "funcresulttype",
    "opresulttype",
    "resulttype",
    "casetype",
    "typeId",
    "array_typeid",
    "row_typeid",
    "coalescetype",
    "minmaxtype",
    "refrestype",
    "aggtype",
    "wintype",
    "type",
];

/// The fields with the form of a conversion; 2 is an implicit one.
const FORMS: [&str; 4] = ["funcformat", "relabelformat", "coerceformat", "coercionformat"];

const BOOLEAN: u32 = 16;

/// Returns the operators and functions in the parse trees of a server log.
pub fn uses(log: &str) -> BTreeSet<Use> {
    let mut uses = BTreeSet::new();
    for tree in log.split("parse tree:").skip(1) {
        // A tree is the DETAIL of a message; continuation lines start with a tab.
        let Some((_, detail)) = tree.split_once("DETAIL:") else { continue };
        let mut lines = detail.split('\n');
        let first = lines.next().unwrap_or_default();
        let rest = lines.take_while(|line| line.starts_with('\t'));
        let text: Vec<_> = std::iter::once(first).chain(rest).collect();
        let mut spaced = String::new();
        let mut escaped = false;
        for letter in text.join(" ").chars() {
            let is_bracket = !escaped && "{}()".contains(letter);
            escaped = letter == '\\' && !escaped;
            if is_bracket {
                spaced.extend([' ', letter, ' ']);
            } else {
                spaced.push(letter);
            }
        }
        for part in parts(&mut spaced.split_whitespace()) {
            part.collect(&mut uses);
        }
    }
    uses
}

/// Reads parts up to the closing bracket or the end.
fn parts(words: &mut SplitWhitespace<'_>) -> Vec<Part> {
    let mut parts = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "}" | ")" => break,
            "(" => parts.push(Part::List(self::parts(words))),
            "{" => {
                let name = words.next().unwrap_or_default().to_owned();
                let mut fields: Vec<(String, Vec<Part>)> = Vec::new();
                for part in self::parts(words) {
                    match (&part, fields.last_mut()) {
                        (Part::Word(word), _) if word.starts_with(':') => {
                            fields.push((word[1..].to_owned(), Vec::new()));
                        }
                        (_, Some((_, value))) => value.push(part),
                        (_, None) => {}
                    }
                }
                parts.push(Part::Node { name, fields });
            }
            word => parts.push(Part::Word(word.to_owned())),
        }
    }
    parts
}

impl Part {
    /// Adds the uses of the part and of the parts below it.
    fn collect(&self, uses: &mut BTreeSet<Use>) {
        match self {
            Self::List(parts) => parts.iter().for_each(|part| part.collect(uses)),
            Self::Node { name, fields } => {
                self.add(name, uses);
                fields.iter().flat_map(|(_, value)| value).for_each(|part| part.collect(uses));
            }
            Self::Word(_) => {}
        }
    }

    fn add(&self, name: &str, uses: &mut BTreeSet<Use>) {
        let list = |field| self.list(field).iter().map(Self::given).collect::<Vec<_>>();
        let numbers = |field| self.list(field).iter().filter_map(Self::number).collect::<Vec<_>>();
        let mut add = |kind, oid, types: Vec<u32>| {
            uses.insert(Use { kind, oid, types });
        };
        match (name, self.field("opno"), self.field("funcid")) {
            ("SCALARARRAYOPEXPR", Some(oid), _) => add(Kind::Any, oid, list("args")),
            (_, Some(oid), _) => add(Kind::Operator, oid, list("args")),
            // Explicit calls only; conversions are found by their types.
            (_, _, Some(oid)) if self.field("funcformat") == Some(0) => {
                add(Kind::Function, oid, list("args"));
            }
            _ => {}
        }
        if let Some(oid) = self.field("aggfnoid") {
            add(Kind::Function, oid, numbers("aggargtypes"));
        }
        // Rows are compared column by column.
        let sides = list("largs").into_iter().zip(list("rargs"));
        for (oid, (left, right)) in numbers("opnos").into_iter().zip(sides) {
            add(Kind::Operator, oid, vec![left, right]);
        }
    }

    /// Returns the type of an expression before implicit conversion.
    fn given(&self) -> u32 {
        let is_silent = FORMS.iter().any(|form| self.field(form) == Some(2));
        let converted = ["arg", "args"].iter().find_map(|field| match self.value(field) {
            [Self::List(arguments)] => arguments.first(),
            [argument @ Self::Node { .. }] => Some(argument),
            _ => None,
        });
        match converted {
            Some(converted) if is_silent => converted.given(),
            _ => self.result(),
        }
    }

    /// Returns the type of an expression.
    fn result(&self) -> u32 {
        if let Some(field_type) = TYPES.iter().find_map(|field| self.field(field)) {
            return field_type;
        }
        // A subquery has the type of its column, that of ARRAY as its element; an expression without a type field is a
        // condition.
        let columns =
            |query: &Self| query.list("targetList").first().map(|column| column.only("expr"));
        match self.value("subselect") {
            [query] if matches!(self.field("subLinkType"), Some(4 | 6)) => {
                columns(query).unwrap_or(BOOLEAN)
            }
            _ => BOOLEAN,
        }
    }

    fn only(&self, field: &str) -> u32 {
        self.value(field).first().map_or(BOOLEAN, Self::result)
    }

    fn value(&self, field: &str) -> &[Self] {
        let Self::Node { fields, .. } = self else { return &[] };
        fields.iter().find(|(name, _)| name == field).map_or(&[], |(_, value)| value)
    }

    fn list(&self, field: &str) -> &[Self] {
        match self.value(field) {
            [Self::List(parts)] => parts,
            _ => &[],
        }
    }

    fn field(&self, field: &str) -> Option<u32> {
        self.value(field).first().and_then(Self::number)
    }

    fn number(&self) -> Option<u32> {
        match self {
            Self::Word(word) => word.parse().ok(),
            _ => None,
        }
    }
}
