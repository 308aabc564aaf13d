//! Writing the new rows of a table: by COPY, or by INSERT if policies apply to the role.
//!
//! PostgreSQL refuses COPY into a table whose policies apply. INSERT needs a message for each row, but the rows of a
//! document are sent without waiting for the answers.

use futures_util::future::try_join_all;
use std::pin::Pin;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Error, Statement, Transaction};

/// The statement that writes new rows of a table.
pub(super) struct NewRows {
    sql: String,
    types: Vec<Type>,
    pub(super) is_copy: bool,
}

/// A new row.
pub(super) trait NewRow: Sync {
    /// Returns the values in the order of the columns.
    fn values(&self) -> Vec<&(dyn ToSql + Sync)>;
}

/// An open COPY, or a prepared INSERT.
pub(super) enum RowWriter<'t> {
    Copy(Pin<Box<BinaryCopyInWriter>>),
    Insert(&'t Transaction<'t>, Statement),
}

impl NewRows {
    /// Composes the statement for a table and its columns with their types.
    pub(super) fn compose(table: &str, columns: &[&str], types: Vec<Type>, is_copy: bool) -> Self {
        let names = columns.join(", ");
        let sql = if is_copy {
            format!("COPY {table} ({names}) FROM STDIN (FORMAT binary)")
        } else {
            let value = |(number, sql_type): (usize, &Type)| {
                format!("${number}::pg_catalog.{}", sql_type.name())
            };
            let values = (1..).zip(&types).map(value).collect::<Vec<_>>().join(", ");
            format!("INSERT INTO {table} ({names}) VALUES ({values})")
        };
        Self { sql, types, is_copy }
    }

    /// Begins to write rows.
    pub(super) async fn begin<'t>(
        &self,
        transaction: &'t Transaction<'t>,
    ) -> Result<RowWriter<'t>, Error> {
        let statement = prepare(transaction, &self.sql).await?;
        if self.is_copy {
            let sink = transaction.copy_in(&statement).await?;
            return Ok(RowWriter::Copy(Box::pin(BinaryCopyInWriter::new(sink, &self.types))));
        }
        Ok(RowWriter::Insert(transaction, statement))
    }
}

impl RowWriter<'_> {
    /// Writes some rows, such as those of a document.
    pub(super) async fn write<R: NewRow>(&mut self, rows: &[R]) -> Result<(), Error> {
        match self {
            Self::Copy(writer) => {
                for row in rows {
                    writer.as_mut().write(&row.values()).await?;
                }
            }
            Self::Insert(transaction, statement) => {
                try_join_all(rows.iter().map(|row| insert(transaction, statement, row))).await?;
            }
        }
        Ok(())
    }

    /// Ends the COPY.
    pub(super) async fn finish(self) -> Result<(), Error> {
        if let Self::Copy(mut writer) = self {
            writer.as_mut().finish().await?;
        }
        Ok(())
    }
}

/// Prepares a statement that is executed with a name: a COPY, or the INSERT of many rows.
///
/// The caller drops the statement within the transaction, so that the server closes it in the same session.
#[expect(clippy::disallowed_methods, reason = "closed before the transaction ends")]
async fn prepare(transaction: &Transaction<'_>, sql: &str) -> Result<Statement, Error> {
    transaction.prepare(sql).await
}

#[expect(clippy::disallowed_methods, reason = "executes what was prepared in the same transaction")]
async fn insert<R: NewRow>(
    transaction: &Transaction<'_>,
    statement: &Statement,
    row: &R,
) -> Result<u64, Error> {
    transaction.execute(statement, &row.values()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_turn_copy_into_insert() {
        let rows = |is_copy| {
            let types = vec![Type::UUID, Type::TEXT_ARRAY];
            NewRows::compose("\"rag\".chunks", &["id", "section"], types, is_copy).sql
        };
        assert_eq!(rows(true), "COPY \"rag\".chunks (id, section) FROM STDIN (FORMAT binary)");
        let insert = "INSERT INTO \"rag\".chunks (id, section) VALUES ($1::pg_catalog.uuid, $2::pg_catalog._text)";
        assert_eq!(rows(false), insert);
    }
}
