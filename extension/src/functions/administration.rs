//! For functions in SQL: the rights that operations on a store need, the check of a writer, and the HINT for a missing
//! store.

use crate::server::error;
use crate::server::spi;
use crate::server::types::{Name, texts};
use crate::store::{Command, OPERATIONS, Store, nearest_store};
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{Array, name, pg_extern};

/// Returns a row for each operation and table.
#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn needed_rights() -> TableIterator<
    'static,
    (
        name!(place, i32),
        name!(operation, &'static str),
        name!(relation, &'static str),
        name!(commands, Vec<&'static str>),
    ),
> {
    let rows = (1..).zip(OPERATIONS).flat_map(|(place, (operation, needs))| {
        needs.iter().map(move |(relation, commands)| {
            let commands = commands.iter().map(|command| command.name()).collect();
            (place, operation, *relation, commands)
        })
    });
    TableIterator::new(rows)
}

/// Raises an error with the remedy if the role lacks a right that an operation needs, or one of some commands.
#[pg_extern(stable, parallel_restricted, schema = "_passage")]
fn must_be_allowed(
    operation: Option<String>,
    commands: Option<Array<'_, &str>>,
    store: Option<Name>,
) -> Result<(), ErrorReport> {
    let operation = operation.unwrap_or_default();
    let store = Store::resolve_for(&operation, store)?;
    let only: Option<Vec<Command>> =
        commands.map(|commands| texts(&commands).filter_map(Command::from_name).collect());
    spi::connect(|connection| store.must_allow(connection, &operation, only.as_deref()));
    Ok(())
}

/// Raises an error with the remedy if the role lacks the right to a command that the writer executes next.
#[pg_extern(stable, parallel_restricted, schema = "_passage")]
fn must_allow_write(
    operation: &str,
    relation: &str,
    command: &str,
    store: Name,
) -> Result<(), ErrorReport> {
    let store = Store::resolve_for(operation, Some(store))?;
    if let Some(command) = Command::from_name(command) {
        spi::connect(|connection| {
            store.must_allow_write(connection, operation, relation, command)
        })?;
    }
    Ok(())
}

/// Raises an error if a statement of the writer had another number of rows than it must have.
#[pg_extern(stable, parallel_restricted, schema = "_passage")]
fn must_have_written(
    relation: &str,
    expected: i64,
    written: i64,
    store: Name,
) -> Result<(), ErrorReport> {
    if written != expected {
        Store::resolve(Some(store))?.must_have_written(relation, expected, written)?;
    }
    Ok(())
}

/// Returns the HINT of an error about a store that does not exist.
#[pg_extern(stable, parallel_safe, schema = "_passage")]
fn missing_store_hint(store: Name) -> String {
    error::missing_store_hint(&store.0, nearest_store(&store.0))
}
