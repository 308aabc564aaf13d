//! `step_plan` and `step_row`: the plan of a trigger of `keep_in_step`, and the row that it reads.

use crate::server::error::Error;
use crate::server::spi::{self, Value};
use crate::server::step_guard::StepGuard;
use crate::server::types::{Name, RawJsonb, RawText, Record};
use crate::steps::{cached_plan, owned};
use crate::store::{Command, has_right};
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{Array, name, pg_extern, pg_sys};

/// Returns the plan of a trigger, and guards the statements that follow.
#[pg_extern(stable, parallel_restricted, schema = "_passage")]
fn step_plan(
    relation: pg_sys::Oid,
    trigger: Name,
    level: String,
    arguments: Array<'_, &str>,
) -> Result<Vec<Option<String>>, ErrorReport> {
    let cached = cached_plan((relation, trigger.0, level, owned(&arguments)?));
    cached.guard.put_up();
    Ok(cached.plan.clone())
}

/// Reads the row of a key from the table of a trigger, by the statement of its plan. `named` has the key
/// and the uri, and `was` is the previous version of the row.
#[pg_extern(volatile, parallel_unsafe, schema = "_passage")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn step_row(
    relation: pg_sys::Oid,
    trigger: Name,
    arguments: Array<'_, &str>,
    named: Record,
    was: Record,
) -> Result<
    TableIterator<
        'static,
        (
            name!(uri, Option<RawText>),
            name!(collection, Option<RawText>),
            name!(version, Option<RawText>),
            name!(key, Option<RawJsonb>),
            name!(had_text, Option<bool>),
            name!(moved, Option<bool>),
            name!(found, Option<bool>),
            name!(is_same, Option<bool>),
            name!(text, Option<RawText>),
            name!(title, Option<RawText>),
            name!(media_type, Option<RawText>),
            name!(metadata, Option<RawText>),
            name!(kind, Option<RawText>),
            name!(base_url, Option<RawText>),
        ),
    >,
    ErrorReport,
> {
    // SAFETY: a look-up in the catalogs by an oid, which returns 0 for a missing relation.
    let expected = unsafe { pg_sys::get_rel_type_id(relation) };
    if let Some(other) = [named, was].iter().find(|row| row.type_oid != expected) {
        return Err(Error::RowType { actual: other.type_oid, expected }.into());
    }
    let cached = cached_plan((relation, trigger.0, "ROW".to_owned(), owned(&arguments)?));
    let StepGuard { table, table_name, .. } = &cached.guard;
    if !has_right(*table, Command::Select) {
        return Err(Error::UnreadableTable { table: table_name.clone() }.into());
    }
    Ok(spi::connect(|connection| {
        let values = vec![Value::row(named), Value::row(was)];
        let rows = connection.write(&cached.row, values);
        let text = |column| rows.get::<RawText>(0, column);
        let flag = |column| rows.get::<bool>(0, column);
        TableIterator::once((
            text(0),
            text(1),
            text(2),
            rows.get::<RawJsonb>(0, 3),
            flag(4),
            flag(5),
            flag(6),
            flag(7),
            text(8),
            text(9),
            text(10),
            text(11),
            text(12),
            text(13),
        ))
    }))
}
