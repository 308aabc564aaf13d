//! The character that no text of PostgreSQL contains.

use serde_json::Value;

/// Returns whether a key or a string in a JSON value contains a NUL character.
///
/// PostgreSQL accepts NUL neither in `text` nor in `jsonb`.
///
/// # Examples
///
/// ```
/// use passage_split::contains_nul;
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
    fn contains_nul_searches_keys_and_strings_at_any_depth() {
        assert!(contains_nul(&json!({"a": [1, {"b": "x\0"}]})));
        assert!(contains_nul(&json!([{"\0": null}])));
        assert!(!contains_nul(&json!({"a": ["\\u0000", 0, true]})));
    }
}
