//! Operands of conditions, which become the parameters of a statement.
//!
//! Its twin in SQL is `sql/edition/metadata.sql`.

use super::instant::iso_instant;
use serde_json::Value;

/// A value of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A key or a pattern.
    Text(String),
    /// A JSON value as its text.
    Json(String),
    /// Several JSON values as their texts.
    JsonList(Vec<String>),
    /// A point in time, in microseconds since 1970.
    Instant(i64),
    /// Several points in time.
    Instants(Vec<i64>),
}

impl Operand {
    /// Returns the operand for a list of values, and one for the dates among them, if there are any.
    pub(super) fn list(values: &[Value]) -> (Self, Option<Self>) {
        let instants: Vec<_> =
            values.iter().filter_map(Value::as_str).filter_map(iso_instant).collect();
        let texts = values.iter().map(Value::to_string).collect();
        (Self::JsonList(texts), (!instants.is_empty()).then_some(Self::Instants(instants)))
    }
}
