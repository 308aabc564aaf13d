//! Parsing of filters.
//!
//! Its twin in SQL is `sql/edition/metadata.sql`.

use super::builder::{Builder, Path, check_limit, invalid, kind_of, list};
use super::condition::{Condition, MAX_LEVELS, OPERATORS, Order, Test};
use super::operands::Operand;
use crate::Error;
use serde_json::{Map, Value};

/// A filter of metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadataFilter {
    /// The structure.
    pub condition: Condition,
    /// The operands in the order in which a walk of the condition meets them.
    pub operands: Vec<Operand>,
    /// The keys of the metadata that the filter reads, each once.
    pub keys: Vec<String>,
    /// Words with a dollar sign that are not operators, and so were compared as keys.
    pub unknown_operators: Vec<String>,
}

impl MetadataFilter {
    /// Parses a filter.
    ///
    /// ```
    /// use passage_core::metadata_filter::{Condition, MetadataFilter, Operand, Order, Test, ValueKind};
    /// use serde_json::json;
    ///
    /// let filter = MetadataFilter::parse(&json!({ "year": { "$gte": 2020 } }))?;
    /// let test = Test::Order { order: Order::AtLeast, kind: ValueKind::Number };
    /// assert_eq!(filter.condition, Condition::Field { keys: 1, test });
    /// assert_eq!(filter.operands, [Operand::Text("year".into()), Operand::Json("2020".into())]);
    /// # Ok::<(), passage_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Error::InvalidCondition`] for a value that an operator cannot compare, and
    /// [`Error::TooManyConditions`] for a filter over one of the limits.
    pub fn parse(value: &Value) -> Result<Self, Error> {
        let mut parser = Parser::default();
        let condition = match value {
            Value::Object(filter) => parser.filter(filter, &Path::new(), 0)?,
            _ => return Err(Error::NotAnObject { argument: "metadata" }),
        };
        let Parser { builder: Builder { operands, keys, .. }, unknown_operators } = parser;
        Ok(Self { condition, operands, keys, unknown_operators })
    }

    /// Returns the filter that metadata contain an object, given as its text with all digits of its numbers.
    pub fn containing(object: String, keys: Vec<String>) -> Self {
        Self {
            condition: Condition::Contains,
            operands: vec![Operand::Json(object)],
            keys,
            unknown_operators: Vec::new(),
        }
    }

    /// Returns whether no key of a value, nor of the objects in it, begins with a dollar sign.
    pub fn is_plain(value: &Value) -> bool {
        let is_plain =
            |(key, value): (&String, &Value)| !key.starts_with('$') && Self::is_plain(value);
        value.as_object().is_none_or(|object| object.iter().all(is_plain))
    }
}

const ORDERED: &str = "a number, a date or a text";

/// Returns whether a value is an object with an operator, or has one below a key.
fn has_operators(value: &Value) -> bool {
    let is_operator =
        |(key, value): (&String, &Value)| OPERATORS.contains(&key.as_str()) || has_operators(value);
    value.as_object().is_some_and(|object| object.iter().any(is_operator))
}

/// A method that parses an object at a path and a level.
type ParseObject<'v, P> =
    fn(&mut P, &'v Map<String, Value>, &Path<'v>, usize) -> Result<Condition, Error>;

#[derive(Default)]
struct Parser {
    builder: Builder,
    unknown_operators: Vec<String>,
}

impl Parser {
    /// Parses an object of keys and operators that join conditions. Below a path its keys are those of a nested object.
    fn filter<'v>(
        &mut self,
        filter: &'v Map<String, Value>,
        path: &Path<'v>,
        level: usize,
    ) -> Result<Condition, Error> {
        let mut all = Vec::new();
        for (key, value) in filter {
            all.push(match key.as_str() {
                "$and" | "$or" | "$not" => self.joined(key, value, path, level, Self::filter)?,
                operator if OPERATORS.contains(&operator) => {
                    return Err(invalid(operator, path, "below a key, as in {\"year\": {...}}"));
                }
                key => self.field(key, value, path, level)?,
            });
        }
        Ok(joined(all))
    }

    /// Parses the value of a key.
    fn field<'v>(
        &mut self,
        key: &'v str,
        value: &'v Value,
        path: &Path<'v>,
        level: usize,
    ) -> Result<Condition, Error> {
        let mut path = path.clone();
        path.push(key);
        check_limit("levels of conditions", path.len() + level, MAX_LEVELS)?;
        let Some(object) = value.as_object().filter(|_| has_operators(value)) else {
            self.note_unknown(key, value);
            return self.builder.contains(&path, value);
        };
        if object.keys().any(|key| OPERATORS.contains(&key.as_str())) {
            self.tests(object, &path, level)
        } else {
            self.filter(object, &path, level)
        }
    }

    /// Parses an object of operators that test the value at a path.
    fn tests<'v>(
        &mut self,
        tests: &'v Map<String, Value>,
        path: &Path<'v>,
        level: usize,
    ) -> Result<Condition, Error> {
        let mut all = Vec::new();
        for (operator, value) in tests {
            all.push(self.test(operator, value, path, level)?);
        }
        Ok(joined(all))
    }

    fn test<'v>(
        &mut self,
        operator: &'v str,
        value: &'v Value,
        path: &Path<'v>,
        level: usize,
    ) -> Result<Condition, Error> {
        let order = |order| (order, value);
        let orders = match operator {
            "$and" | "$or" | "$not" => {
                return self.joined(operator, value, path, level, Self::tests);
            }
            "$eq" => return self.builder.one_of(operator, path, std::slice::from_ref(value)),
            "$ne" => {
                return Ok(not(self.builder.one_of(
                    operator,
                    path,
                    std::slice::from_ref(value),
                )?));
            }
            "$in" => return self.builder.one_of(operator, path, list(operator, value, path)?),
            "$nin" => {
                return Ok(not(self.builder.one_of(
                    operator,
                    path,
                    list(operator, value, path)?,
                )?));
            }
            "$exists" => {
                let exists =
                    value.as_bool().ok_or_else(|| invalid(operator, path, "true or false"))?;
                return self.builder.add(path, Test::Exists(exists));
            }
            "$like" | "$ilike" => return self.builder.like(operator, value, path),
            "$between" => {
                let [low, high] = list(operator, value, path)? else {
                    return Err(invalid(operator, path, "a list of two values"));
                };
                vec![(Order::AtLeast, low), (Order::AtMost, high)]
            }
            "$lt" => vec![order(Order::Below)],
            "$lte" => vec![order(Order::AtMost)],
            "$gt" => vec![order(Order::Above)],
            "$gte" => vec![order(Order::AtLeast)],
            _ => {
                let (operator, key) = (operator.to_owned(), path.join("."));
                return Err(Error::UnknownOperator { operator, key, operators: OPERATORS });
            }
        };
        let kinds: Vec<_> = orders.iter().map(|(_, value)| kind_of(value)).collect();
        if kinds.iter().any(|kind| kind.is_none() || *kind != kinds[0]) {
            let between = "a list of two numbers, two dates or two texts";
            return Err(invalid(operator, path, if kinds.len() > 1 { between } else { ORDERED }));
        }
        let mut all = Vec::new();
        for (order, value) in orders {
            all.push(self.builder.order(order, value, path)?);
        }
        Ok(joined(all))
    }

    /// Parses the objects that an operator joins.
    fn joined<'v>(
        &mut self,
        operator: &'v str,
        value: &'v Value,
        path: &Path<'v>,
        level: usize,
        parse: ParseObject<'v, Self>,
    ) -> Result<Condition, Error> {
        check_limit("levels of conditions", path.len() + level + 1, MAX_LEVELS)?;
        let (parts, expected) = match value {
            Value::Array(parts) => (parts.as_slice(), "a list of at least one object"),
            part if operator == "$not" => {
                (std::slice::from_ref(part), "an object, or a list of objects")
            }
            _ => return Err(invalid(operator, path, "a list of objects")),
        };
        let mut conditions = Vec::new();
        for part in parts {
            let object = part.as_object().filter(|object| !object.is_empty());
            let object = object.ok_or_else(|| invalid(operator, path, expected))?;
            let condition = parse(self, object, path, level + 1)?;
            conditions.push(if operator == "$not" { not(condition) } else { condition });
        }
        match operator {
            _ if conditions.is_empty() => Err(invalid(operator, path, expected)),
            "$or" => Ok(Condition::Any(conditions)),
            _ => Ok(joined(conditions)),
        }
    }

    /// Records words with a dollar sign in an object without operators.
    fn note_unknown(&mut self, key: &str, value: &Value) {
        if key.starts_with('$') && self.unknown_operators.len() < 3 {
            self.unknown_operators.push(key.to_owned());
        }
        for (key, value) in value.as_object().into_iter().flatten() {
            self.note_unknown(key, value);
        }
    }
}

/// Returns the condition that all of some hold.
fn joined(mut all: Vec<Condition>) -> Condition {
    if all.len() == 1 { all.remove(0) } else { Condition::All(all) }
}

fn not(condition: Condition) -> Condition {
    Condition::Not(Box::new(condition))
}
