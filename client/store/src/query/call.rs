//! Calls of the extension's functions with JSON arguments, whose rows the server writes as JSON.

use super::super::connect::Notice;
use super::super::connection::Store;
use super::super::error::{Error, Operation};
use super::super::unnamed_statement::UnnamedStatements;
use super::arguments::Arguments;
use super::signature::{Function, resolve};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::HashMap;
use tokio_postgres::GenericClient;

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

    /// Parses the rows as a type, whose columns are read as by [`values`](Self::values) if they cannot be parsed. Columns
    /// that the type lacks may have any value of `jsonb`.
    ///
    /// # Errors
    ///
    /// Returns the error of the first row that is not of the type.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<Vec<T>, serde_json::Error> {
        let parse = |row: &String| {
            serde_json::from_str(row).or_else(|_| serde_json::from_value(value(row)))
        };
        self.rows.iter().map(parse).collect()
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

/// A call of the one of several functions with the same name that takes the arguments.
pub(super) struct Call<'a> {
    pub(super) functions: &'a [Function],
    pub(super) arguments: &'a Map<String, Value>,
    /// The embedding of the query, in place of an argument `embedding`.
    pub(super) embedding: Option<&'a [f32]>,
    /// The columns to return.
    pub(super) columns: &'a str,
    /// The joins and the order of the rows.
    pub(super) joins: &'a str,
}

impl<'a> Call<'a> {
    /// Returns a call whose rows are those of the function.
    pub(super) fn new(
        functions: &'a [Function],
        arguments: &'a Map<String, Value>,
        embedding: Option<&'a [f32]>,
    ) -> Self {
        Self { functions, arguments, embedding, columns: "*", joins: "" }
    }

    /// Returns the rows, without notices.
    pub(super) async fn rows(
        &self,
        client: &impl GenericClient,
        store: &str,
    ) -> Result<CallResult, Error> {
        let function = resolve(self.functions, self.arguments)?;
        let arguments = Arguments::new(function, self.arguments, self.embedding, store)?;
        let Self { columns, joins, .. } = self;
        let sql = format!(
            "SELECT pg_catalog.row_to_json(result)::text FROM (SELECT {columns} FROM {} {joins}) AS result",
            arguments.call(&function.name)
        );
        let operation =
            if function.name.starts_with("search") { Operation::Search } else { Operation::Other };
        let rows = client.query_unnamed(&sql, &arguments.values()).await;
        let rows = rows.map_err(|error| Error::during(operation, store, &error))?;
        let row = |row: &tokio_postgres::Row| row.get::<_, Option<String>>(0).unwrap_or_default();
        Ok(CallResult { rows: rows.iter().map(row).collect(), notices: Vec::new() })
    }
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
        // Removes the notices of earlier statements.
        drop(self.notices.take());
        let call = Call::new(functions, arguments, embedding);
        let result = call.rows(&self.client, &self.name).await?;
        Ok(CallResult { notices: self.notices.take(), ..result })
    }

    /// Calls a function of a name, as [`call`](Self::call) does.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`call`](Self::call) and of [`functions`](Self::functions).
    pub async fn call_named(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        embedding: Option<&[f32]>,
    ) -> Result<CallResult, Error> {
        self.call(&self.signatures(name).await?, arguments, embedding).await
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
