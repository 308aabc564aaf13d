//! Values of result rows whose type or presence differs between releases of the extension and kinds of stores.

use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, Type};

/// Returns an integer of 4 or 8 bytes.
pub(super) fn integer(row: &Row, column: &str) -> Option<i64> {
    let column_type = row
        .columns()
        .iter()
        .find(|candidate| candidate.name() == column)
        .map(|found| found.type_().clone());
    match column_type {
        Some(Type::INT4) => row.get::<_, Option<i32>>(column).map(i64::from),
        Some(_) => row.get(column),
        None => None,
    }
}

/// Returns the titles of a section. A view of another program may show NULL for the section or for a title.
pub(super) fn titles(row: &Row, column: &str) -> Vec<String> {
    let titles: Option<Vec<Option<String>>> = row.get(column);
    titles.unwrap_or_default().into_iter().flatten().collect()
}

/// Returns a value; `None` if it is NULL or the result has no such column.
pub(super) fn optional<'a, T: FromSql<'a>>(row: &'a Row, column: &str) -> Option<T> {
    row.try_get(column).ok().flatten()
}
