//! The one character that PostgreSQL takes in no text.

use serde_json::Value;

/// Tells whether a text in JSON holds a NUL, which jsonb does not take either.
pub fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(holds_nul),
        Value::Object(entries) => {
            entries.iter().any(|(key, value)| key.contains('\0') || holds_nul(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::holds_nul;
    use serde_json::json;

    #[test]
    fn a_nul_is_found_at_any_depth_and_only_where_it_is() {
        assert!(holds_nul(&json!({"a": [1, {"b": "x\0"}]})));
        assert!(holds_nul(&json!([{"\0": null}])));
        assert!(!holds_nul(&json!({"a": ["\\u0000", 0, true]})));
    }
}
