//! Conditions on one value, with their operands.
//!
//! Its twin in SQL is `sql/edition/metadata.sql`.

use super::condition::{Condition, MAX_CONDITIONS, MAX_VALUES, Order, Test, ValueKind};
use super::instant::{date_of, iso_instant};
use super::operands::Operand;
use crate::Error;
use crate::strategy::MAX_NAME;
use serde_json::{Map, Value};

/// The keys from the metadata to a value.
pub(super) type Path<'v> = Vec<&'v str>;

/// Collects the operands of conditions.
#[derive(Default)]
pub(super) struct Builder {
    pub operands: Vec<Operand>,
    /// The first keys of the paths, each once.
    pub keys: Vec<String>,
    conditions: usize,
}

impl Builder {
    /// Returns the condition that the object with the last key contains its value.
    pub(super) fn contains(&mut self, path: &Path, value: &Value) -> Result<Condition, Error> {
        let key = path.last().expect("a field has a key");
        let object = Map::from_iter([((*key).to_owned(), value.clone())]);
        let condition = self.add(path, Test::Contains)?;
        self.operands.push(Operand::Json(Value::Object(object).to_string()));
        Ok(condition)
    }

    /// Returns the condition that the value is one of several.
    pub(super) fn one_of(
        &mut self,
        operator: &str,
        path: &Path,
        values: &[Value],
    ) -> Result<Condition, Error> {
        check_limit("values in a list", values.len(), MAX_VALUES)?;
        for value in values {
            check_text(operator, path, value)?;
        }
        let (list, instants) = Operand::list(values);
        let condition = self.add(path, Test::OneOf { dates: instants.is_some() })?;
        self.operands.push(list);
        self.operands.extend(instants);
        Ok(condition)
    }

    /// Returns the condition that the value is below or above another one, whose type has an order.
    pub(super) fn order(
        &mut self,
        order: Order,
        value: &Value,
        path: &Path,
    ) -> Result<Condition, Error> {
        check_text("$between", path, value)?;
        let kind = kind_of(value).expect("the kind was checked");
        let condition = self.add(path, Test::Order { order, kind })?;
        match value.as_str().and_then(iso_instant) {
            // With its offset from UTC, a date as it is written may be up to a day away.
            Some(instant) => {
                let days = if matches!(order, Order::Above | Order::AtLeast) { -1 } else { 2 };
                let day = Value::String(date_of(instant, days)).to_string();
                self.operands.extend([Operand::Json(day), Operand::Instant(instant)]);
            }
            None => self.operands.push(Operand::Json(value.to_string())),
        }
        Ok(condition)
    }

    /// Returns the condition that the value matches a pattern.
    pub(super) fn like(
        &mut self,
        operator: &str,
        value: &Value,
        path: &Path,
    ) -> Result<Condition, Error> {
        check_text(operator, path, value)?;
        let pattern = value.as_str().ok_or_else(|| invalid(operator, path, "a text"))?;
        let escapes = pattern.len() - pattern.trim_end_matches('\\').len();
        if escapes % 2 == 1 {
            return Err(invalid(operator, path, "a pattern that does not end with an escape"));
        }
        let condition = self.add(path, Test::Like { ignores_case: operator == "$ilike" })?;
        self.operands.push(Operand::Text(pattern.to_owned()));
        Ok(condition)
    }

    /// Adds a test with its keys. The operands of the test follow.
    pub(super) fn add(&mut self, path: &Path, test: Test) -> Result<Condition, Error> {
        self.conditions += 1;
        check_limit("conditions", self.conditions, MAX_CONDITIONS)?;
        let key = path[0];
        if !self.keys.iter().any(|known| known == key) {
            self.keys.push(key.to_owned());
        }
        self.operands.extend(path.iter().map(|key| Operand::Text((*key).to_owned())));
        Ok(Condition::Field { keys: path.len(), test })
    }
}

/// Returns the type by which a value has an order.
pub(super) fn kind_of(value: &Value) -> Option<ValueKind> {
    match value {
        Value::Number(_) => Some(ValueKind::Number),
        Value::String(text) if iso_instant(text).is_some() => Some(ValueKind::Date),
        Value::String(_) => Some(ValueKind::Text),
        _ => None,
    }
}

/// Returns the values of a list.
pub(super) fn list<'v>(
    operator: &str,
    value: &'v Value,
    path: &Path,
) -> Result<&'v [Value], Error> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| invalid(operator, path, "a list of values"))
}

fn check_text(operator: &str, path: &Path, value: &Value) -> Result<(), Error> {
    match value.as_str() {
        Some(text) if text.len() > MAX_NAME => {
            Err(invalid(operator, path, "a text of at most 65,536 bytes"))
        }
        _ => Ok(()),
    }
}

/// Checks a limit of filters.
pub(super) fn check_limit(what: &'static str, count: usize, max: usize) -> Result<(), Error> {
    if count > max { Err(Error::TooManyConditions { what, max }) } else { Ok(()) }
}

/// Returns the error of a value that an operator does not take.
pub(super) fn invalid(operator: &str, path: &Path, expected: &'static str) -> Error {
    Error::InvalidCondition { operator: operator.to_owned(), key: path.join("."), expected }
}
