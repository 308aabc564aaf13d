/*!
Templates of rows: texts and JSON objects with the columns of a row in braces.

`articles/{id}` is a text with the value of the column `id`. A doubled brace is a literal one.

A template of JSON has the same columns, but each becomes part of a JSON value, so no value of a row can end
a string, add a key or make the object invalid:

```text
{"tenant": "{tenant}", "stars": {stars}, "by {name}": true}
           string        value           key
```

In JSON a brace also begins and ends an object. Each template is read as texts are, with doubled braces for
objects. If that is not JSON, as in `{"a": {"b": {id}}}`, its braces are those of JSON.

This module reads templates. The extension turns their parts into SQL.
*/

use passage_split::interrupt;
use serde_json::{Map, Value};

/// The maximum number of levels of a template of JSON. `serde_json` parses 127, which leaves the others to the values.
const MAX_DEPTH: usize = 27;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A literal text.
    Text(String),
    /// The value of this column.
    Column(String),
}

/// A part of a JSON object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonPart {
    /// JSON without columns.
    Source(String),
    /// This column as a JSON value.
    Value(String),
    /// A string with columns, decoded.
    String {
        /// The text of the string.
        parts: Vec<Part>,
        /// Whether the string is the key of a member.
        is_key: bool,
    },
}

/// Returns the parts of a template of a text.
///
/// # Examples
///
/// ```
/// use passage_core::row_template::{Part, parse};
///
/// let parts = [Part::Text("a/{".into()), Part::Column("id".into())];
/// assert_eq!(parse("a/{{{id}"), parts);
/// ```
pub fn parse(template: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(brace) = rest.find(['{', '}']) {
        push_text(&mut parts, &rest[..brace]);
        rest = &rest[brace..];
        if let Some((literal, after)) = doubled_brace(rest) {
            push_text(&mut parts, literal);
            rest = after;
        } else if let Some((name, after)) = name_in_braces(rest) {
            parts.push(Part::Column(name.to_owned()));
            rest = after;
        } else {
            push_text(&mut parts, &rest[..1]);
            rest = &rest[1..];
        }
    }
    push_text(&mut parts, rest);
    parts
}

/// Returns the parts of a template of a JSON object, or `None` if it is not one. `is_column` returns
/// whether a column has this name.
///
/// A template that is one column and nothing else is returned as one [`JsonPart::Value`].
///
/// # Examples
///
/// ```
/// use passage_core::row_template::{JsonPart, parse_json};
///
/// let parts = parse_json(r#"{"stars": {stars}}"#, |name| name == "stars").unwrap();
/// assert_eq!(parts[1], JsonPart::Value("stars".into()));
/// assert!(parse_json("stars: {stars}", |name| name == "stars").is_none());
/// ```
pub fn parse_json(template: &str, is_column: impl Fn(&str) -> bool) -> Option<Vec<JsonPart>> {
    if let [Part::Column(name)] = &parse(template.trim())[..]
        && is_column_name(name, &is_column)
    {
        return Some(vec![JsonPart::Value(name.clone())]);
    }
    [true, false].into_iter().find_map(|has_doubled_braces| {
        scan(template, &is_column, has_doubled_braces).filter(|parts| is_object(parts))
    })
}

/// Returns whether every reader of metadata can parse an object with this JSON as a value of a column.
///
/// Readers use `serde_json`, which limits levels and the range of numbers.
pub fn is_readable_value(json: &str) -> bool {
    let nested = format!("{}{json}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    interrupt::json::<Value>(&nested).is_ok()
}

/// Reads a template outside of strings. Returns `None` if it has an invalid string.
fn scan(
    template: &str,
    is_column: &impl Fn(&str) -> bool,
    has_doubled_braces: bool,
) -> Option<Vec<JsonPart>> {
    let mut parts = Vec::new();
    let mut source = String::new();
    let mut rest = template;
    while let Some(special) = rest.find(['{', '}', '"']) {
        source.push_str(&rest[..special]);
        rest = &rest[special..];
        let doubled = doubled_brace(rest).filter(|_| has_doubled_braces);
        let column = name_in_braces(rest).filter(|(name, _)| is_column_name(name, is_column));
        if let Some((literal, after)) = doubled {
            source.push_str(literal);
            rest = after;
        } else if let Some((name, after)) = column {
            parts.push(JsonPart::Source(std::mem::take(&mut source)));
            parts.push(JsonPart::Value(name.to_owned()));
            rest = after;
        } else if let Some(inside) = rest.strip_prefix('"') {
            let end = end_of_string(inside)?;
            let string = decoded(parse(&inside[..end]))?;
            rest = &inside[end + 1..];
            if string.iter().any(|part| matches!(part, Part::Column(_))) {
                parts.push(JsonPart::Source(std::mem::take(&mut source)));
                let is_key = rest.trim_start().starts_with(':');
                parts.push(JsonPart::String { parts: string, is_key });
            } else {
                source.push_str(&encoded(&string));
            }
        } else {
            source.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    source.push_str(rest);
    parts.push(JsonPart::Source(source));
    parts.retain(|part| *part != JsonPart::Source(String::new()));
    Some(parts)
}

/// Returns whether braces around a name, outside of strings, mean a column. A name that is not a column counts
/// too, unless it can be the begin of a JSON object, so that a misspelled one is reported.
fn is_column_name(name: &str, is_column: &impl Fn(&str) -> bool) -> bool {
    is_column(name) || !(name.trim().is_empty() || name.contains('"'))
}

/// Returns the brace that a doubled one at the begin of a text means, and the text behind it.
fn doubled_brace(text: &str) -> Option<(&str, &str)> {
    (text.starts_with("{{") || text.starts_with("}}")).then(|| (&text[..1], &text[2..]))
}

/// Returns the name in braces at the begin of a text, and the text behind them.
fn name_in_braces(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('{')?;
    let (name, rest) = inside.split_at(inside.find(['{', '}'])?);
    rest.strip_prefix('}').map(|after| (name, after))
}

/// Returns where a JSON string ends, at the position of its quote.
fn end_of_string(inside: &str) -> Option<usize> {
    let mut is_escaped = false;
    inside.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })
}

/// Decodes the literal parts of a JSON string.
fn decoded(parts: Vec<Part>) -> Option<Vec<Part>> {
    let decode = |part| match part {
        Part::Text(text) => serde_json::from_str(&format!("\"{text}\"")).ok().map(Part::Text),
        column @ Part::Column(_) => Some(column),
    };
    parts.into_iter().map(decode).collect()
}

/// Returns a string without columns as JSON.
fn encoded(parts: &[Part]) -> String {
    let text = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Column(_) => String::new(),
    };
    Value::String(parts.iter().map(text).collect()).to_string()
}

/// Returns whether parts form a JSON object that PostgreSQL can store and every reader can parse.
fn is_object(parts: &[JsonPart]) -> bool {
    let sample: String = parts
        .iter()
        .map(|part| match part {
            JsonPart::Source(source) => source.clone(),
            JsonPart::Value(_) => Value::Null.to_string(),
            JsonPart::String { parts, .. } => encoded(parts),
        })
        .collect();
    let object = serde_json::from_str::<Map<String, Value>>(&sample);
    object.is_ok_and(|object| is_storable(&Value::Object(object), MAX_DEPTH))
}

/// Returns whether a value has no NUL, which PostgreSQL does not store, and at most some levels.
fn is_storable(value: &Value, levels: usize) -> bool {
    let levels_below = || levels.checked_sub(1);
    match value {
        Value::String(text) => !text.contains('\0'),
        Value::Array(items) => {
            levels_below().is_some_and(|levels| items.iter().all(|item| is_storable(item, levels)))
        }
        Value::Object(members) => levels_below().is_some_and(|levels| {
            let mut members = members.iter();
            members.all(|(key, value)| !key.contains('\0') && is_storable(value, levels))
        }),
        _ => true,
    }
}

fn push_text(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        _ if text.is_empty() => {}
        Some(Part::Text(before)) => before.push_str(text),
        _ => parts.push(Part::Text(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the JSON of a template whose columns have their own names as values.
    fn json(template: &str) -> Option<String> {
        let columns = ["a", "b", "The Title"];
        let parts = parse_json(template, |name| columns.contains(&name))?;
        let text = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Column(name) => format!("<{name}>"),
        };
        let json = |part: &JsonPart| match part {
            JsonPart::Source(source) => source.clone(),
            JsonPart::Value(name) => format!("<{name}>"),
            JsonPart::String { parts, is_key } => {
                let text: String = parts.iter().map(text).collect();
                format!("{}{}", if *is_key { "key " } else { "" }, Value::String(text))
            }
        };
        Some(parts.iter().map(json).collect())
    }

    #[test]
    fn a_text_has_columns_and_literal_braces() {
        let text = |text: &str| Part::Text(text.into());
        let column = |name: &str| Part::Column(name.into());
        assert_eq!(parse(""), []);
        assert_eq!(parse("a/{id}"), [text("a/"), column("id")]);
        assert_eq!(parse("{{id}} {The Title}"), [text("{id} "), column("The Title")]);
        assert_eq!(parse("{{{id}}}"), [text("{"), column("id"), text("}")]);
        assert_eq!(parse("a { b } {"), [text("a "), column(" b "), text(" {")]);
        assert_eq!(parse("}{ {id}"), [text("}{ "), column("id")]);
    }

    #[test]
    fn columns_are_values_strings_and_keys() {
        for (template, expected) in [
            (r#"{"x": {a}}"#, r#"{"x": <a>}"#),
            (r#"{"x": "{a}"}"#, r#"{"x": "<a>"}"#),
            (r#"{"x": "{a}-{b}\n\"", "y": {b}}"#, r#"{"x": "<a>-<b>\n\"", "y": <b>}"#),
            (r#"{"{a}": "{The Title}"}"#, r#"{key "<a>": "<The Title>"}"#),
            (r#"{"x": [{a}, "{b}", {"y": {a}}]}"#, r#"{"x": [<a>, "<b>", {"y": <a>}]}"#),
            (r#"{"x": "é {a}"}"#, r#"{"x": "é <a>"}"#),
            (" {a} ", "<a>"),
            ("{}", "{}"),
            (r#"{"x": 1.50}"#, r#"{"x": 1.50}"#),
        ] {
            assert_eq!(json(template).as_deref(), Some(expected), "{template}");
        }
    }

    #[test]
    fn braces_are_doubled_or_those_of_json() {
        for (template, expected) in [
            (r#"{{"x": {a}}}"#, r#"{"x": <a>}"#),
            (r#"{{"x": {{"y": {a}}}}}"#, r#"{"x": {"y": <a>}}"#),
            (r#"{{"x": {"y": "{a}"}}}"#, r#"{"x": {"y": "<a>"}}"#),
            (r#"{"x": "{a}"}}"#, r#"{"x": "<a>"}"#),
            (r#"{"x": {"y": {a}}}"#, r#"{"x": {"y": <a>}}"#),
            (r#"{"x": {"y": {"z": "{a}"}}}"#, r#"{"x": {"y": {"z": "<a>"}}}"#),
            (r#"{"x": {}, "y": {{}}}"#, r#"{"x": {}, "y": {}}"#),
            (r#"{"x": "{{a}} {a"}"#, r#"{"x": "{a} {a"}"#),
        ] {
            assert_eq!(json(template).as_deref(), Some(expected), "{template}");
        }
    }

    #[test]
    fn a_value_is_readable_with_100_levels_and_numbers_of_double_precision() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(is_readable_value("1e308") && is_readable_value(&nested(100)));
        assert!(!is_readable_value("1e309") && !is_readable_value(&nested(101)));
    }

    #[test]
    fn an_unknown_column_is_returned_to_be_reported() {
        assert_eq!(json(r#"{"x": {missing}}"#).unwrap(), r#"{"x": <missing>}"#);
        assert_eq!(json(r#"{"x": "{missing}"}"#).unwrap(), r#"{"x": "<missing>"}"#);
    }

    #[test]
    fn other_templates_are_no_object() {
        for template in [
            "",
            "a",
            "[{a}]",
            r#""{a}""#,
            "{a}{b}",
            r#"{"x": {a}"#,
            r#"{"x": a{a}}"#,
            r"{{a}: 1}",
            r#"{"x": "{a}\"}"#,
            r#"{"x": "\u0000 {a}"}"#,
            r#"{"x\u0000": 1}"#,
            r#"{"x": 1e999}"#,
            r#"{"x": "\ud800{a}"}"#,
        ] {
            assert_eq!(json(template), None, "{template}");
        }
        let nested =
            |levels: usize| format!("{}{{a}}{}", "{\"x\": ".repeat(levels), "}".repeat(levels));
        assert!(json(&nested(MAX_DEPTH)).is_some());
        assert_eq!(json(&nested(MAX_DEPTH + 1)), None);
    }
}
