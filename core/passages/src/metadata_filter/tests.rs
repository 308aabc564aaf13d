use super::{Condition, MetadataFilter, Operand, Order, Test, ValueKind, date_of, iso_instant};
use crate::Error;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn parse(filter: &Value) -> MetadataFilter {
    MetadataFilter::parse(filter).unwrap()
}

fn message(filter: &Value) -> String {
    MetadataFilter::parse(filter).unwrap_err().to_string()
}

fn text(text: &str) -> Operand {
    Operand::Text(text.to_owned())
}

fn json_of(value: &Value) -> Operand {
    Operand::Json(value.to_string())
}

#[test]
fn values_without_operators_are_contained() {
    let filter = parse(&json!({ "lang": "en", "tags": ["a"] }));
    let contains = Condition::Field { keys: 1, test: Test::Contains };
    assert_eq!(filter.condition, Condition::All(vec![contains.clone(), contains]));
    let operands = [
        text("lang"),
        json_of(&json!({ "lang": "en" })),
        text("tags"),
        json_of(&json!({ "tags": ["a"] })),
    ];
    assert_eq!(filter.operands, operands);
    assert_eq!(filter.keys, ["lang", "tags"]);
    assert!(MetadataFilter::is_plain(
        &json!({ "lang": { "is": ["$eq"], "tags": [{ "$in": 1 }] } })
    ));
    assert!(!MetadataFilter::is_plain(&json!({ "lang": { "is": { "$eq": 1 } } })));
}

#[test]
fn operators_of_nested_keys_have_the_whole_path() {
    let filter =
        parse(&json!({ "author": { "born": { "$lt": 1950, "$gte": 1900 }, "name": "kim" } }));
    let order =
        |order| Condition::Field { keys: 2, test: Test::Order { order, kind: ValueKind::Number } };
    let contains = Condition::Field { keys: 2, test: Test::Contains };
    let born = Condition::All(vec![order(Order::AtLeast), order(Order::Below)]);
    assert_eq!(filter.condition, Condition::All(vec![born, contains]));
    let expected = [
        text("author"),
        text("born"),
        json_of(&json!(1900)),
        text("author"),
        text("born"),
        json_of(&json!(1950)),
        text("author"),
        text("name"),
        json_of(&json!({ "name": "kim" })),
    ];
    assert_eq!(filter.operands, expected);
    assert_eq!(filter.keys, ["author"]);
}

#[test]
fn dates_are_points_in_time_with_the_day_that_bounds_them() {
    let filter = parse(&json!({ "at": { "$between": ["2024-03-01", "2024-03-31T23:00+01:00"] } }));
    let order =
        |order| Condition::Field { keys: 1, test: Test::Order { order, kind: ValueKind::Date } };
    assert_eq!(filter.condition, Condition::All(vec![order(Order::AtLeast), order(Order::AtMost)]));
    let instant = |text| Operand::Instant(iso_instant(text).unwrap());
    let expected = [
        text("at"),
        json_of(&json!("2024-02-29")),
        instant("2024-03-01T00:00Z"),
        text("at"),
        json_of(&json!("2024-04-02")),
        instant("2024-03-31 22:00:00"),
    ];
    assert_eq!(filter.operands, expected);
}

#[test]
fn each_error_names_the_operator_and_the_key() {
    for (filter, expected) in [
        (
            json!({ "a": { "$gt": true } }),
            r#""$gt" for key "a" in "metadata" must be a number, a date or a text"#,
        ),
        (
            json!({ "a": { "b": { "$lte": null } } }),
            r#""$lte" for key "a.b" in "metadata" must be a number, a date or a text"#,
        ),
        (
            json!({ "a": { "$between": [1, "2"] } }),
            r#""$between" for key "a" in "metadata" must be a list of two numbers, two dates or two texts"#,
        ),
        (
            json!({ "a": { "$between": [1] } }),
            r#""$between" for key "a" in "metadata" must be a list of two values"#,
        ),
        (
            json!({ "a": { "$in": 1 } }),
            r#""$in" for key "a" in "metadata" must be a list of values"#,
        ),
        (
            json!({ "a": { "$exists": 1 } }),
            r#""$exists" for key "a" in "metadata" must be true or false"#,
        ),
        (json!({ "a": { "$like": 1 } }), r#""$like" for key "a" in "metadata" must be a text"#),
        (
            json!({ "a": { "$ilike": "a\\" } }),
            r#""$ilike" for key "a" in "metadata" must be a pattern that does not end with an escape"#,
        ),
        (
            json!({ "$gt": 1 }),
            r#""$gt" for key "" in "metadata" must be below a key, as in {"year": {...}}"#,
        ),
        (
            json!({ "$or": [] }),
            r#""$or" for key "" in "metadata" must be a list of at least one object"#,
        ),
        (
            json!({ "$and": { "a": 1 } }),
            r#""$and" for key "" in "metadata" must be a list of objects"#,
        ),
        (
            json!({ "a": { "$gt": 1, "$lower": 2 } }),
            r#"unrecognized operator "$lower" for key "a" in "metadata""#,
        ),
        (json!([1]), r#""metadata" must be a JSON object"#),
    ] {
        assert_eq!(message(&filter), expected);
    }
}

#[test]
fn an_unknown_operator_is_a_key_and_is_noted() {
    let filter = parse(&json!({ "a": { "$regex": "x" }, "b": { "$eq": { "$regex": 1 } } }));
    assert_eq!(filter.unknown_operators, ["$regex"]);
    assert_eq!(filter.operands[1], json_of(&json!({ "a": { "$regex": "x" } })));
    assert_eq!(parse(&json!({ "$schema": "x" })).unknown_operators, ["$schema"]);
}

#[test]
fn filters_are_bounded() {
    let nested = |levels: usize| {
        (0..levels).fold(json!({ "a": { "$gt": 1 } }), |inner, _| json!({ "$not": inner }))
    };
    assert!(MetadataFilter::parse(&nested(15)).is_ok());
    assert_eq!(message(&nested(16)), r#""metadata" must have at most 16 levels of conditions"#);
    let path = (0..17).fold(json!({ "$gt": 1 }), |inner, _| json!({ "a": inner }));
    assert_eq!(message(&path), r#""metadata" must have at most 16 levels of conditions"#);
    let many = json!({ "$or": vec![json!({ "a": { "$gt": 1 } }); 257] });
    assert_eq!(message(&many), r#""metadata" must have at most 256 conditions"#);
    let list = json!({ "a": { "$in": vec![1; 1_001] } });
    assert_eq!(message(&list), r#""metadata" must have at most 1000 values in a list"#);
    let long = json!({ "a": { "$eq": "x".repeat(65_537) } });
    assert!(matches!(MetadataFilter::parse(&long), Err(Error::InvalidCondition { .. })));
}

#[test]
fn texts_that_are_dates_are_points_in_time() {
    for (text, same) in [
        ("2024-05-01", "2024-05-01T00:00:00Z"),
        ("2024-05-01T12:00:00.5+02:00", "2024-05-01 10:00:00.500"),
        ("2024-05-01t12:00-0330", "2024-05-01T15:30z"),
        ("2023-12-31T23:59:60Z", "2024-01-01"),
        ("2024-02-29", "2024-02-28T22:00:00-02"),
    ] {
        assert_eq!(iso_instant(text), Some(iso_instant(same).unwrap()), "{text}");
    }
    for text in [
        "",
        "2024",
        "2024-05",
        "2024-02-30",
        "2023-02-29",
        "1900-02-29",
        "2024-13-01",
        "0000-01-01",
        "9999-01-01",
        "2024-05-01T",
        "2024-05-01T1:00",
        "2024-05-01T24:00",
        "2024-05-01T10:60",
        "2024-05-01T10:00:00.",
        "2024-05-01T10:00+24:00",
        "2024-05-01T10:00 CET",
        "2024-05-01x",
        "20240501",
        " 2024-05-01",
        "２０２４-05-01",
        "+024-05-01",
        "2024-05-01T10:00+1",
        "2024-05-01Z",
    ] {
        assert_eq!(iso_instant(text), None, "{text}");
    }
}

/// A filter of any values, with and without operators.
fn any_filter() -> impl Strategy<Value = Value> {
    let operators = prop::sample::select(super::OPERATORS).prop_map(str::to_owned);
    let key = prop_oneof![3 => "[ab$\"'\\\\é]{0,3}", 2 => operators].boxed();
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "(2024-0[1-3]-[0-3][0-9])?[T a%\\\\]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(8, 64, 4, move |inner| {
        let pairs = prop::collection::vec((key.clone(), inner.clone()), 0..4);
        prop_oneof![
            1 => prop::collection::vec(inner, 0..4).prop_map(Value::from),
            3 => pairs.prop_map(|pairs| Value::Object(Map::from_iter(pairs))),
        ]
    })
}

/// Returns the number of operands that a walk of a condition meets.
fn walk(condition: &Condition) -> usize {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.iter().map(walk).sum(),
        Condition::Not(part) => walk(part),
        Condition::Contains => 1,
        Condition::Field { keys, test } => {
            keys + match test {
                Test::Exists(_) => 0,
                Test::OneOf { dates: true } | Test::Order { kind: ValueKind::Date, .. } => 2,
                _ => 1,
            }
        }
    }
}

proptest! {
    #[test]
    fn any_filter_is_parsed_or_refused(filter in any_filter()) {
        if let Ok(parsed) = MetadataFilter::parse(&filter) {
            prop_assert_eq!(walk(&parsed.condition), parsed.operands.len());
            let MetadataFilter { keys, .. } = parsed;
            prop_assert!(keys.iter().all(|key| filter.to_string().contains(&json!(key).to_string())));
        }
    }

    #[test]
    fn any_text_is_a_date_or_none(text in "(?s)[0-9T :.+Z-]{0,30}|.{0,12}") {
        if let Some(instant) = iso_instant(&text) {
            // A date is within a day of its date in UTC.
            let (before, after) = (date_of(instant, -1), date_of(instant, 2));
            prop_assert!(before.as_str() <= &*text && &*text < after.as_str(), "{} {} {}", before, text, after);
        }
    }

    #[test]
    fn each_day_has_its_own_date(day in -719_000_i64..2_900_000) {
        let midnight = day * 86_400_000_000;
        prop_assert_eq!(iso_instant(&date_of(midnight, 0)), Some(midnight));
        prop_assert_eq!(date_of(midnight, 1), date_of(midnight + 86_400_000_000, 0));
    }
}
