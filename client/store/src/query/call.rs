//! Calls of the extension's functions with JSON arguments, whose rows the server writes as JSON.

use super::super::connect::Notice;
use super::super::connection::Store;
use super::super::error::{Error, Operation};
use super::super::unnamed_statement::UnnamedStatements;
use super::functions::{Function, resolve};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The result of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallResult {
    /// The rows, each a JSON object with the columns of the function.
    pub rows: Vec<String>,
    /// The notices of the server.
    pub notices: Vec<Notice>,
}

impl CallResult {
    /// Parses the rows. A column that cannot be parsed, such as `{"n": 1e400}`, becomes a string with its JSON text.
    pub fn values(&self) -> Vec<Value> {
        self.rows.iter().map(|row| value(row)).collect()
    }

    /// Parses the rows as a type. Columns that the type lacks are not parsed, and may have any value of `jsonb`.
    ///
    /// # Errors
    ///
    /// Returns the error of the first row that is not of the type.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<Vec<T>, serde_json::Error> {
        self.rows.iter().map(|row| serde_json::from_str(row)).collect()
    }
}

fn value(row: &str) -> Value {
    serde_json::from_str(row).unwrap_or_else(|_| {
        let columns: HashMap<String, Box<RawValue>> =
            serde_json::from_str(row).expect("the server writes an object");
        let parse = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        columns.into_iter().map(|(name, column)| (name, parse(column.get()))).collect()
    })
}

impl Store {
    /// Calls the one of several functions with the same name that takes the arguments.
    ///
    /// `embedding` is the embedding of the query, in place of an argument `embedding`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Argument`] for an unknown or missing argument or a value of another type, and
    /// [`Error::Database`] if the server rejects the call.
    pub async fn call(
        &self,
        functions: &[Function],
        arguments: &Map<String, Value>,
        embedding: Option<&[f32]>,
    ) -> Result<CallResult, Error> {
        let function = resolve(functions, arguments)?;
        let mut arguments = function.arguments(arguments)?;
        arguments.add("embedding", embedding);
        if function.arguments.iter().any(|argument| argument.name == "store") {
            arguments.text("store", Some(&self.name))?;
        }
        let sql = format!(
            "SELECT pg_catalog.row_to_json(result)::text FROM (SELECT * FROM {}) AS result",
            arguments.call(&function.name)
        );
        // Removes the notices of earlier statements.
        drop(self.notices.take());
        let operation =
            if function.name.starts_with("search") { Operation::Search } else { Operation::Other };
        let rows = self.client.query_unnamed(&sql, &arguments.values()).await;
        let rows = rows.map_err(|error| self.error_during(operation, &error))?;
        let row = |row: &tokio_postgres::Row| row.get::<_, Option<String>>(0).unwrap_or_default();
        Ok(CallResult { rows: rows.iter().map(row).collect(), notices: self.notices.take() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_the_parser_rejects_become_strings() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        let rows = vec![format!(r#"{{"a":1,"b":{{"n":1e400}},"c":{deep}}}"#), r#"{"a":2}"#.into()];
        let values = CallResult { rows, notices: Vec::new() }.values();
        assert_eq!(values, [json!({"a": 1, "b": r#"{"n":1e400}"#, "c": deep}), json!({"a": 2})]);
    }
}
