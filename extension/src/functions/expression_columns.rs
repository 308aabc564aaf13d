//! `expression_columns`: what an expression over the rows of a table reads, before anything of it runs.

use crate::server::catalog::owner;
use crate::server::error::Error;
use crate::server::spi::{self, Access, Guard, Statement};
use crate::server::sql_text::quote_identifier;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{pg_extern, pg_sys};
use std::ffi::CStr;
use std::rc::Rc;

/// Returns the names of the columns of a table of the caller that an expression reads, all for the whole row. An
/// expression that uses objects of a role which the caller does not trust is an error.
#[pg_extern(stable, strict, parallel_restricted, schema = "_passage")]
fn expression_columns(
    relation: pg_sys::Oid,
    expression: String,
) -> Result<Vec<String>, ErrorReport> {
    // SAFETY: a variable of the backend, and look-ups by an oid that return NULL for a missing relation, else a string in
    // memory of the call.
    let (caller, name) = unsafe {
        let schema = pg_sys::get_namespace_name(pg_sys::get_rel_namespace(relation));
        let name = pg_sys::get_rel_name(relation);
        let is_missing = schema.is_null() || name.is_null();
        let name = (!is_missing)
            .then(|| [schema, name].map(|name| CStr::from_ptr(name).to_string_lossy()));
        (pg_sys::GetUserId(), name)
    };
    let Some([schema, name]) = name else { return Ok(Vec::new()) };
    if owner(pg_sys::RelationRelationId, relation) != Some(caller) {
        return Err(Error::NotOwner { relation: format!("{schema}.{name}") }.into());
    }
    let guard = Rc::new(Guard::new(caller, vec![relation]));
    // The line end closes a comment.
    let text = format!(
        "SELECT ({expression}\n) FROM ONLY {}.{} AS source",
        quote_identifier(&schema),
        quote_identifier(&name)
    );
    let statement = Statement::guarded("passage", text, Access::Any, Rc::clone(&guard));
    spi::connect(|connection| connection.analyse(&statement));
    let columns = guard.columns();
    let is_whole = columns.contains(&0);
    // SAFETY: the relation is locked by the analysis of the statement, until the end of the transaction.
    let table = unsafe { pgrx::PgRelation::open(relation) };
    let described = table.tuple_desc();
    let is_read = |column: &&pg_sys::FormData_pg_attribute| {
        !column.attisdropped && (is_whole || columns.contains(&column.attnum))
    };
    Ok(described.iter().filter(is_read).map(|column| column.name().to_owned()).collect())
}
