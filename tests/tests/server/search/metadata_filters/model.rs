//! The model: what a filter selects, and random filters and metadata.

use crate::rng::Rng;
use serde_json::{Map, Value, json};
use std::cmp::Ordering;

/// Texts that are dates, each with its minutes since the first of March 2024 in UTC.
const DATES: [(&str, i64); 7] = [
    ("2024-03-01", 0),
    ("2024-03-01T00:00:00Z", 0),
    ("2024-03-01T01:00:00+01:00", 0),
    ("2024-02-29 23:30", -30),
    ("2024-02-29T23:30:00-01:00", 30),
    ("2024-03-02T00:00+14:00", 10 * 60),
    ("2023-12-31", -61 * 24 * 60),
];

/// The keys that metadata have at the top, some of them hostile.
pub const FILTER_KEYS: [&str; 5] = ["a", "b", "it's", "q\"\\", "nested"];

/// Returns the metadata of a chunk in its document.
pub fn merged(document: &Map<String, Value>, chunk: &Map<String, Value>) -> Map<String, Value> {
    let mut merged = document.clone();
    merged.extend(chunk.clone());
    merged
}

/// Returns random metadata. Each key is there with a probability in percent.
pub fn any_metadata(rng: &mut Rng, chance: u64) -> Map<String, Value> {
    let mut metadata = Map::new();
    for key in FILTER_KEYS {
        if rng.percent(chance) {
            let value = if key == "nested" && rng.percent(80) {
                let mut inner = Map::new();
                for key in ["a", "x"] {
                    if rng.percent(70) {
                        inner.insert(key.to_owned(), any_value(rng));
                    }
                }
                Value::Object(inner)
            } else {
                any_value(rng)
            };
            metadata.insert(key.to_owned(), value);
        }
    }
    metadata
}

fn any_value(rng: &mut Rng) -> Value {
    match rng.below(10) {
        0 => Value::Null,
        1 => json!(rng.percent(50)),
        2 => json!(rng.choose(&["1", "2", "10"])),
        3 => json!(rng.choose(&[json!([1]), json!(["a", "b"]), json!([]), json!({ "x": 1 })])),
        4 | 5 => json!(rng.choose(&["a", "ab", "b", "c%"])),
        6 | 7 => json!(rng.choose(&DATES).0),
        _ => {
            rng.choose(&[json!(1), json!(2), json!(10), json!(1.5), json!(-3), json!(2.0)]).clone()
        }
    }
}

/// Returns a random filter of at most so many levels.
pub fn any_filter(rng: &mut Rng, levels: u32) -> Value {
    let mut filter = Map::new();
    for _ in 0..=rng.below(2) {
        if levels > 0 && rng.percent(45) {
            let operator = *rng.choose(&["$and", "$or", "$not"]);
            let parts: Vec<_> = (0..=rng.below(2)).map(|_| any_filter(rng, levels - 1)).collect();
            let alone = operator == "$not" && rng.percent(70);
            filter.insert(operator.to_owned(), if alone { parts[0].clone() } else { json!(parts) });
        } else {
            let key = (*rng.choose(&FILTER_KEYS)).to_owned();
            let test = if rng.percent(20) { any_value(rng) } else { any_tests(rng) };
            let is_nested = key == "nested" && rng.percent(70);
            filter.insert(key, if is_nested { json!({ "a": test }) } else { test });
        }
    }
    Value::Object(filter)
}

fn any_tests(rng: &mut Rng) -> Value {
    let orders = ["$lt", "$lte", "$gt", "$gte", "$between"];
    let others = ["$eq", "$ne", "$in", "$nin", "$exists", "$like", "$ilike"];
    let operator = *if rng.percent(50) { rng.choose(&orders) } else { rng.choose(&others) };
    let ordered = |rng: &mut Rng, kind| match kind {
        0 => rng.choose(&[json!(1), json!(2), json!(1.5), json!(0)]).clone(),
        1 => json!(rng.choose(&["a", "b", "1"])),
        _ => json!(rng.choose(&DATES).0),
    };
    let kind = rng.below(3);
    let operand = match operator {
        "$between" => json!([ordered(rng, kind), ordered(rng, kind)]),
        "$in" | "$nin" => (0..rng.below(4)).map(|_| any_value(rng)).collect(),
        "$exists" => json!(rng.percent(50)),
        "$like" | "$ilike" => json!(rng.choose(&["a%", "%B", "_", "%-03-%", "c\\%"])),
        "$eq" | "$ne" => any_value(rng),
        _ => ordered(rng, kind),
    };
    let tests = json!({ operator: operand });
    if rng.percent(15) { json!({ "$not": tests }) } else { tests }
}

/// Returns whether a filter selects metadata.
pub fn selects(filter: &Value, metadata: &Map<String, Value>) -> bool {
    truth(filter.as_object().unwrap(), Some(metadata)) == Some(true)
}

/// A truth of three values, `None` is unknown.
type Truth = Option<bool>;

fn and(truths: impl Iterator<Item = Truth>) -> Truth {
    let truths: Vec<Truth> = truths.collect();
    let is_known = truths.iter().all(Option::is_some);
    if truths.contains(&Some(false)) { Some(false) } else { is_known.then_some(true) }
}

fn not(truth: Truth) -> Truth {
    truth.map(|truth| !truth)
}

fn joined(operator: &str, value: &Value, truth: impl Fn(&Map<String, Value>) -> Truth) -> Truth {
    let parts = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    let truths = parts.iter().map(|part| truth(part.as_object().unwrap()));
    match operator {
        "$and" => and(truths),
        "$not" => and(truths.map(not)),
        _ => not(and(truths.map(not))),
    }
}

fn truth(filter: &Map<String, Value>, metadata: Option<&Map<String, Value>>) -> Truth {
    and(filter.iter().map(|(key, condition)| {
        if key.starts_with('$') {
            return joined(key, condition, |part| truth(part, metadata));
        }
        let value = metadata.and_then(|metadata| metadata.get(key));
        match condition.as_object() {
            Some(tests) if tests.keys().any(|key| key.starts_with('$')) => tested(tests, value),
            Some(inner) if has_tests(inner) => truth(inner, value.and_then(Value::as_object)),
            _ => value.map(|value| contains(value, condition)),
        }
    }))
}

fn has_tests(object: &Map<String, Value>) -> bool {
    object
        .iter()
        .any(|(key, value)| key.starts_with('$') || value.as_object().is_some_and(has_tests))
}

fn tested(tests: &Map<String, Value>, value: Option<&Value>) -> Truth {
    and(tests.iter().map(|(operator, operand)| {
        let ordered =
            |operand: &Value, accepts: fn(Ordering) -> bool| order(value?, operand).map(accepts);
        let one_of = |list: &[Value]| value.map(|value| list.iter().any(|one| equal(value, one)));
        let single = std::slice::from_ref(operand);
        match operator.as_str() {
            "$and" | "$or" | "$not" => joined(operator, operand, |tests| tested(tests, value)),
            "$exists" => Some(value.is_some() == operand.as_bool().unwrap()),
            "$eq" => one_of(single),
            "$ne" => not(one_of(single)),
            "$in" => one_of(operand.as_array().unwrap()),
            "$nin" => not(one_of(operand.as_array().unwrap())),
            "$lt" => ordered(operand, Ordering::is_lt),
            "$lte" => ordered(operand, Ordering::is_le),
            "$gt" => ordered(operand, Ordering::is_gt),
            "$gte" => ordered(operand, Ordering::is_ge),
            "$between" => and([(0, Ordering::is_ge as fn(_) -> _), (1, Ordering::is_le)]
                .into_iter()
                .map(|(end, accepts)| ordered(&operand[end], accepts))),
            "$like" => value?.as_str().map(|text| like(text, operand.as_str().unwrap())),
            "$ilike" => {
                let pattern = operand.as_str().unwrap().to_lowercase();
                value?.as_str().map(|text| like(&text.to_lowercase(), &pattern))
            }
            _ => unreachable!("{operator}"),
        }
    }))
}

fn minutes(value: &Value) -> Option<i64> {
    let text = value.as_str()?;
    DATES.iter().find(|(date, _)| *date == text).map(|(_, minutes)| *minutes)
}

fn equal(value: &Value, other: &Value) -> bool {
    let numbers = value.as_f64().zip(other.as_f64());
    let dates = minutes(value).zip(minutes(other));
    numbers.map_or(value == other, |(a, b)| a.total_cmp(&b).is_eq())
        || dates.is_some_and(|(a, b)| a == b)
}

fn order(value: &Value, operand: &Value) -> Option<Ordering> {
    match (value, operand) {
        (Value::Number(a), Value::Number(b)) => a.as_f64()?.partial_cmp(&b.as_f64()?),
        (Value::String(a), Value::String(b)) => match minutes(operand) {
            Some(operand) => Some(minutes(value)?.cmp(&operand)),
            None => Some(a.cmp(b)),
        },
        _ => None,
    }
}

/// Returns whether a JSON value contains another one, as `@>` has it.
fn contains(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(all), Value::Object(part)) => {
            part.iter().all(|(key, part)| all.get(key).is_some_and(|value| contains(value, part)))
        }
        (Value::Array(all), Value::Array(part)) => {
            part.iter().all(|part| all.iter().any(|value| contains(value, part)))
        }
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        _ => value == part,
    }
}

/// Matches a pattern of LIKE.
fn like(text: &str, pattern: &str) -> bool {
    let mut characters = pattern.chars();
    match characters.next() {
        None => text.is_empty(),
        Some('%') => {
            let rest = characters.as_str();
            (0..=text.len()).any(|at| text.is_char_boundary(at) && like(&text[at..], rest))
        }
        Some(first) => {
            let literal = if first == '\\' { characters.next() } else { Some(first) };
            let mut text = text.chars();
            let next = text.next();
            let is_any = first == '_' && next.is_some();
            (is_any || next == literal)
                && next.is_some()
                && like(text.as_str(), characters.as_str())
        }
    }
}
