/*!
Conditions on metadata as SQL.

The text has a parameter for each key and each value, so equal filters of other keys and values share a statement, and
nothing of a filter is ever parsed as SQL. The statements that read many rows are planned for their values, so the
planner sees `metadata -> 'year' >= '2020'`, and an index on this expression answers it.

A condition is true, false or unknown (`passage_core::metadata_filter`), as PostgreSQL computes it: a missing key is a
NULL, and a CASE without ELSE makes a value of another type NULL. No index answers a CASE. So a condition that is not
below a `$not` also has a weaker one that an index answers: it is true wherever the condition is.
*/

use crate::server::spi::Value;
use crate::server::sql_text::{
    ABOVE, AT_LEAST, AT_MOST, BELOW, CONTAINS, EQUAL, FIELD, ILIKE, LIKE, MERGE, TEXT_AT,
};
use passage_core::metadata_filter::{Condition, MetadataFilter, Operand, Order, Test, ValueKind};

/// The metadata of a document and of a chunk as SQL. A key of the chunk hides that of its document.
#[derive(Clone, Copy)]
pub enum MetadataColumns<'c> {
    One(&'c str),
    Both { document: &'c str, chunk: &'c str },
}

/// Returns the condition as SQL. `first` is the number of the first of its parameters.
pub fn metadata_condition(
    condition: &Condition,
    columns: MetadataColumns<'_>,
    first: usize,
) -> String {
    Writer { columns, next: first }.condition(condition, true)
}

/// Returns the values of the parameters.
pub fn metadata_values(filter: &MetadataFilter) -> impl Iterator<Item = Value> {
    filter.operands.iter().map(|operand| match operand.clone() {
        Operand::Text(text) | Operand::Json(text) => Value::new(text),
        Operand::JsonList(texts) => Value::new(texts),
        Operand::Instant(instant) => Value::new(instant),
        Operand::Instants(instants) => Value::new(instants),
    })
}

struct Writer<'c> {
    columns: MetadataColumns<'c>,
    next: usize,
}

impl Writer<'_> {
    fn parameter(&mut self) -> String {
        self.next += 1;
        format!("${}", self.next - 1)
    }

    fn json(&mut self) -> String {
        format!("{}::pg_catalog.jsonb", self.parameter())
    }

    /// Returns a condition. `selects` is whether unknown and false are the same, as they are without a `$not`.
    fn condition(&mut self, condition: &Condition, selects: bool) -> String {
        match condition {
            Condition::All(parts) => self.joined(parts, " AND ", selects),
            Condition::Any(parts) => self.joined(parts, " OR ", selects),
            Condition::Not(part) => format!("(NOT {})", self.condition(part, false)),
            Condition::Contains => format!("({} {CONTAINS} {})", self.metadata(), self.json()),
            Condition::Field { keys, test } => self.field(*keys, *test, selects),
        }
    }

    fn joined(&mut self, parts: &[Condition], operator: &str, selects: bool) -> String {
        let parts: Vec<_> = parts.iter().map(|part| self.condition(part, selects)).collect();
        if parts.is_empty() { "true".to_owned() } else { format!("({})", parts.join(operator)) }
    }

    fn field(&mut self, keys: usize, test: Test, selects: bool) -> String {
        let keys: Vec<_> = (0..keys).map(|_| self.parameter()).collect();
        let value = self.value(&keys);
        match test {
            Test::Exists(true) => format!("({value} IS NOT NULL)"),
            Test::Exists(false) => format!("({value} IS NULL)"),
            Test::Contains => {
                let object = match &keys[..keys.len() - 1] {
                    [] => self.metadata(),
                    outer => self.value(outer),
                };
                let contains = format!("{object} {CONTAINS} {}", self.json());
                if selects { format!("({contains})") } else { if_present(&value, &contains) }
            }
            Test::OneOf { dates } => {
                let list =
                    format!("{value} {EQUAL} ANY ({}::pg_catalog.jsonb[])", self.parameter());
                let one_of = if dates {
                    let instants = self.parameter();
                    format!(
                        "({list} OR coalesce({} {EQUAL} ANY ({instants}), false))",
                        instant(&value)
                    )
                } else {
                    list
                };
                if selects { format!("({one_of})") } else { if_present(&value, &one_of) }
            }
            Test::Order { order, kind } => self.order(&value, order, kind, selects),
            Test::Like { ignores_case } => {
                let operator = if ignores_case { ILIKE } else { LIKE };
                let pattern = self.parameter();
                if_type(&value, "string", &format!("({}) {operator} {pattern}", text(&value)))
            }
        }
    }

    fn order(&mut self, value: &str, order: Order, kind: ValueKind, selects: bool) -> String {
        let operator = match order {
            Order::Below => BELOW,
            Order::AtMost => AT_MOST,
            Order::Above => ABOVE,
            Order::AtLeast => AT_LEAST,
        };
        let bound = self.json();
        let (weaker, exact) = match kind {
            ValueKind::Date => {
                let is_after = matches!(order, Order::Above | Order::AtLeast);
                let weaker = format!("{value} {} {bound}", if is_after { AT_LEAST } else { BELOW });
                let instants = format!("{} {operator} {}", instant(value), self.parameter());
                (weaker, if_type(value, "string", &instants))
            }
            ValueKind::Number | ValueKind::Text => {
                let json_type = if kind == ValueKind::Number { "number" } else { "string" };
                let compared = format!("{value} {operator} {bound}");
                let exact = if_type(value, json_type, &compared);
                (compared, exact)
            }
        };
        if selects { format!("({weaker} AND {exact})") } else { exact }
    }

    /// Returns the metadata.
    fn metadata(&self) -> String {
        match self.columns {
            MetadataColumns::One(metadata) => metadata.to_owned(),
            MetadataColumns::Both { document, chunk } => {
                let [document, chunk] = [document, chunk]
                    .map(|metadata| format!("coalesce({metadata}, '{{}}'::pg_catalog.jsonb)"));
                format!("({document} {MERGE} {chunk})")
            }
        }
    }

    /// Returns the value at a path of keys.
    fn value(&self, keys: &[String]) -> String {
        let field = |object: &str, key: &String| format!("({object} {FIELD} {key})");
        let (first, nested) = keys.split_first().expect("a path has a key");
        let root = match self.columns {
            MetadataColumns::One(metadata) => field(metadata, first),
            MetadataColumns::Both { document, chunk } => {
                format!("coalesce({}, {})", field(chunk, first), field(document, first))
            }
        };
        nested.iter().fold(root, |object, key| field(&object, key))
    }
}

/// Returns a condition that is unknown if the value is missing.
fn if_present(value: &str, condition: &str) -> String {
    format!("CASE WHEN {value} IS NOT NULL THEN {condition} END")
}

/// Returns a condition that is unknown if the value is missing or of another type.
fn if_type(value: &str, json_type: &str, condition: &str) -> String {
    format!("CASE WHEN pg_catalog.jsonb_typeof({value}) {EQUAL} '{json_type}' THEN {condition} END")
}

/// Returns a text without its quotes.
fn text(value: &str) -> String {
    format!("{value} {TEXT_AT} '{{}}'::pg_catalog.text[]")
}

/// Returns the point in time that a text is, NULL for other texts.
fn instant(value: &str) -> String {
    format!("_passage.iso_instant({})", text(value))
}
