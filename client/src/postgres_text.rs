//! PostgreSQL's rules for text: quoted names, quoted literals, and the character that no text may contain.

use serde_json::Value;

/// Quotes an identifier for an SQL statement.
///
/// # Examples
///
/// ```
/// use passage::store::quote_identifier;
///
/// assert_eq!(quote_identifier("rag"), r#""rag""#);
/// assert_eq!(quote_identifier(r#"a"b"#), r#""a""b""#);
/// ```
pub fn quote_identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Quotes a string literal for an SQL statement.
pub(crate) fn quote_literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Returns whether a key or a string in a JSON value contains a NUL character.
///
/// PostgreSQL accepts NUL neither in `text` nor in `jsonb`.
///
/// # Examples
///
/// ```
/// use passage::store::contains_nul;
/// use serde_json::json;
///
/// assert!(contains_nul(&json!({"a": [1, {"b": "x\0"}]})));
/// assert!(!contains_nul(&json!({"a": "x"})));
/// ```
pub fn contains_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(contains_nul),
        Value::Object(entries) => {
            entries.iter().any(|(key, value)| key.contains('\0') || contains_nul(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn quote_identifier_doubles_quotes() {
        assert_eq!(quote_identifier(r#"a"; DROP"#), r#""a""; DROP""#);
    }

    #[test]
    fn quote_literal_doubles_quotes() {
        assert_eq!(quote_literal("it's"), "'it''s'");
    }

    #[test]
    fn contains_nul_searches_keys_and_strings_at_any_depth() {
        assert!(contains_nul(&json!({"a": [1, {"b": "x\0"}]})));
        assert!(contains_nul(&json!([{"\0": null}])));
        assert!(!contains_nul(&json!({"a": ["\\u0000", 0, true]})));
    }
}
