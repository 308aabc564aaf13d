//! The constructor in SQL and the JSON schema of a group, written from its definition.

use super::group::{ArgumentGroup, ArgumentKey, ArgumentType, MAX_OFFSET, MAX_OFFSETS};
use passage_split::MAX_LIMIT;
use serde_json::{Map, Value, json};
use std::fmt::Write;

impl ArgumentGroup {
    /// Returns the statements that create the constructor in the schema `passage`.
    ///
    /// ```
    /// use passage_core::arguments::RANKING;
    ///
    /// let sql = RANKING.constructor();
    /// assert!(sql.starts_with("CREATE FUNCTION passage.ranking(\n    mode text DEFAULT NULL,\n"));
    /// ```
    pub fn constructor(&self) -> String {
        let Self { name, meaning, keys } = self;
        let arguments: Vec<_> = keys
            .iter()
            .map(|key| format!("    {} {} DEFAULT NULL", key.name, key.value.sql_type()))
            .collect();
        let types: Vec<_> = keys.iter().map(|key| key.value.sql_type()).collect();
        let is_object = |key: &&ArgumentKey| key.value == ArgumentType::Object;
        let pair = |key: &ArgumentKey| format!("'{0}', {name}.{0}", key.name);
        let scalars: Vec<_> = keys.iter().filter(|key| !is_object(key)).map(pair).collect();
        // Nulls within an object are values, so only those of other keys are left out.
        let mut body = format!(
            "pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(\n        {}))",
            scalars.join(",\n        ")
        );
        for object in keys.iter().filter(is_object) {
            write!(
                body,
                "\n    OPERATOR(pg_catalog.||) CASE WHEN {name}.{key} IS NULL THEN '{{}}'\n        \
                 ELSE pg_catalog.jsonb_build_object({pair}) END",
                key = object.name,
                pair = pair(object)
            )
            .expect("writing to a string cannot fail");
        }
        let comments: Vec<_> = keys.iter().map(|key| key.describe().replace('\'', "''")).collect();
        format!(
            "CREATE FUNCTION passage.{name}(\n{}\n) RETURNS jsonb\nLANGUAGE sql IMMUTABLE PARALLEL SAFE\nRETURN {body};\n\n\
             COMMENT ON FUNCTION passage.{name}({}) IS 'returns the argument {name}: {meaning}\n{}';\n",
            arguments.join(",\n"),
            types.join(", "),
            comments.join("\n"),
        )
    }

    /// Returns the JSON schema of the object.
    ///
    /// ```
    /// use passage_core::arguments::LIMITS;
    ///
    /// let schema = LIMITS.schema();
    /// assert_eq!(schema["properties"]["parents"]["maximum"], 1_000_000);
    /// assert_eq!(schema["additionalProperties"], false);
    /// ```
    pub fn schema(&self) -> Value {
        let property = |key: &ArgumentKey| {
            let mut schema = key.value.schema();
            schema.insert("description".to_owned(), json!(sentence(key.meaning)));
            (key.name.to_owned(), Value::Object(schema))
        };
        let properties: Map<_, _> = self.keys.iter().map(property).collect();
        json!({
            "type": "object",
            "description": sentence(self.meaning),
            "properties": properties,
            "additionalProperties": false,
        })
    }
}

impl ArgumentKey {
    /// Returns the line of a COMMENT.
    fn describe(&self) -> String {
        let Self { name, value, meaning } = self;
        match value.range() {
            range if range.is_empty() => format!("{name}: {meaning}"),
            range => format!("{name}: {meaning}; {range}"),
        }
    }
}

impl ArgumentType {
    fn schema(self) -> Map<String, Value> {
        let limit = json!({ "type": "integer", "minimum": 0, "maximum": MAX_LIMIT });
        let schema = match self {
            Self::Text => json!({ "type": "string" }),
            Self::Texts => {
                let text = json!({ "type": "string" });
                json!({ "anyOf": [text, { "type": "array", "items": text }] })
            }
            Self::TwoTexts => {
                json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 })
            }
            Self::Offsets => {
                let offset = json!({ "type": "integer", "minimum": 0, "maximum": MAX_OFFSET });
                json!({ "type": "array", "items": offset, "maxItems": MAX_OFFSETS })
            }
            Self::Word(words) => json!({ "type": "string", "enum": words }),
            Self::Limit => limit,
            Self::LimitOr(word) => json!({ "anyOf": [limit, { "const": word }] }),
            Self::Number(min, max) => json!({ "type": "number", "minimum": min, "maximum": max }),
            Self::Boolean => json!({ "type": "boolean" }),
            Self::Object => json!({ "type": "object" }),
        };
        match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        }
    }
}

/// Returns a text that begins with a capital letter.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next();
    first.into_iter().flat_map(char::to_uppercase).chain(characters).collect()
}
