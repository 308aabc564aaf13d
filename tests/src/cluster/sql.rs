/*!
Functions that run SQL: those of [`Cluster`] in a session of their own, [`session_lines`] in one of the caller.

Values are text, as in psql, so an assertion looks like the output at the prompt.
*/

use tokio_postgres::error::DbError;
use tokio_postgres::{Client, Error, SimpleQueryMessage};

use super::{Cluster, OWNER};

impl Cluster {
    /// Runs statements as the owner, in one implicit transaction.
    ///
    /// # Panics
    ///
    /// Panics with the server's message if a statement fails.
    pub async fn execute(&self, sql: &str) {
        self.execute_as(OWNER, sql).await;
    }

    /// Runs statements as a role, in one implicit transaction.
    ///
    /// # Panics
    ///
    /// Panics with the server's message if a statement fails.
    pub async fn execute_as(&self, role: &str, sql: &str) {
        self.rows(role, sql).await.unwrap_or_else(|error| panic!("{}\n{sql}", describe(&error)));
    }

    /// Returns the only value of the only row of a query.
    ///
    /// # Panics
    ///
    /// Panics if the query fails, if it returns another number of rows or columns, or if the value is NULL.
    pub async fn query_text(&self, sql: &str) -> String {
        self.query_text_as(OWNER, sql).await
    }

    /// Returns the only value of the only row of a query that a role runs.
    ///
    /// # Panics
    ///
    /// Panics as [`Cluster::query_text`] does.
    pub async fn query_text_as(&self, role: &str, sql: &str) -> String {
        let mut rows = self.query_rows_as(role, sql).await;
        assert!(rows.len() == 1 && rows[0].len() == 1, "not one value: {rows:?}\n{sql}");
        rows.remove(0).remove(0).unwrap_or_else(|| panic!("the value is NULL\n{sql}"))
    }

    /// Returns the rows of a query, as `psql -A -t` prints them: values joined by `|`, NULL as an empty
    /// string.
    ///
    /// # Panics
    ///
    /// Panics with the server's message if the query fails.
    pub async fn query_lines(&self, sql: &str) -> Vec<String> {
        self.query_lines_as(OWNER, sql).await
    }

    /// Returns the rows of a query that a role runs, as [`Cluster::query_lines`] does.
    ///
    /// # Panics
    ///
    /// Panics with the server's message if the query fails.
    pub async fn query_lines_as(&self, role: &str, sql: &str) -> Vec<String> {
        lines(self.query_rows_as(role, sql).await)
    }

    /// Returns the rows of a query that a role runs. NULL is `None`.
    ///
    /// # Panics
    ///
    /// Panics with the server's message if the query fails.
    pub async fn query_rows_as(&self, role: &str, sql: &str) -> Vec<Vec<Option<String>>> {
        self.rows(role, sql).await.unwrap_or_else(|error| panic!("{}\n{sql}", describe(&error)))
    }

    /// Returns the error of statements that must fail: SQLSTATE, message, detail and hint.
    ///
    /// # Panics
    ///
    /// Panics if the statements succeed, or if the connection is lost.
    pub async fn error(&self, sql: &str) -> DbError {
        self.error_as(OWNER, sql).await
    }

    /// Returns the error of statements that a role runs and that must fail.
    ///
    /// # Panics
    ///
    /// Panics if the statements succeed, or if the connection is lost.
    pub async fn error_as(&self, role: &str, sql: &str) -> DbError {
        match self.rows(role, sql).await {
            Ok(rows) => panic!("no error but {} rows\n{sql}", rows.len()),
            Err(error) => match error.as_db_error() {
                Some(error) => error.clone(),
                None => panic!("{error}\n{sql}"),
            },
        }
    }

    async fn rows(&self, role: &str, sql: &str) -> Result<Vec<Vec<Option<String>>>, Error> {
        rows(&self.client_as(role).await, sql).await
    }
}

/// Returns the rows of a query in an open session, as [`Cluster::query_lines`] does.
///
/// # Panics
///
/// Panics with the server's message if the query fails.
pub async fn session_lines(client: &Client, sql: &str) -> Vec<String> {
    lines(rows(client, sql).await.unwrap_or_else(|error| panic!("{}\n{sql}", describe(&error))))
}

async fn rows(client: &Client, sql: &str) -> Result<Vec<Vec<Option<String>>>, Error> {
    let messages = client.simple_query(sql).await?;
    let rows = messages.into_iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    let text = |value: Option<&str>| value.map(str::to_owned);
    Ok(rows.map(|row| (0..row.len()).map(|column| text(row.get(column))).collect()).collect())
}

fn lines(rows: Vec<Vec<Option<String>>>) -> Vec<String> {
    let text = |value: Option<String>| value.unwrap_or_default();
    rows.into_iter().map(|row| row.into_iter().map(text).collect::<Vec<_>>().join("|")).collect()
}

/// Formats the server's message, because the driver's own text is only "db error".
fn describe(error: &Error) -> String {
    let Some(error) = error.as_db_error() else { return error.to_string() };
    let mut text = format!("{}: {} ({})", error.severity(), error.message(), error.code().code());
    for (name, value) in [("DETAIL", error.detail()), ("HINT", error.hint())] {
        if let Some(value) = value {
            text = format!("{text}\n{name}: {value}");
        }
    }
    text
}
