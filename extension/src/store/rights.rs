/*!
The rights that operations on a store need, and the check of a writer before its statements.

PostgreSQL checks the rights too, but its errors name no remedy: `permission denied for schema rag`. The check comes
first, and accepts whatever PostgreSQL may accept, such as a grant on some columns. If a right is missing, the SQL
function `refuse` compares all that the operation needs with the catalogs, and raises an error with the grants and
policies that the role lacks.

Its twin in SQL is `sql/edition/internal/rights.sql`.
*/

use super::Store;
use super::layout::{Layout, Relation};
use crate::server::error::Error;
use crate::server::settings;
use crate::server::spi::{self, Access, Connection, Statement, Value};
use crate::server::types::Name;
use pgrx::{IntoDatum, pg_sys};
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::ffi::CString;

/// A command on a table, as GRANT and policies name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Select,
    Insert,
    Update,
    Delete,
}

use Command::{Delete, Insert, Select, Update};

/// The commands on a table of a store, `documents` for example.
pub type Need = (&'static str, &'static [Command]);

/// The operations with what they need. A table that the store lacks is not needed.
///
/// `ingest` is that of SQL, and of the triggers of `keep_in_step`; `load` is that of the client, which also writes
/// embeddings and records its settings. Neither needs the table of links: a role without `write_links` writes documents
/// without them.
pub const OPERATIONS: [(&str, &[Need]); 10] = [
    ("read", &[("documents", &[Select]), ("chunks", &[Select]), ("strategies", &[Select])]),
    (
        "search",
        &[
            ("documents", &[Select]),
            ("chunks", &[Select]),
            ("embeddings", &[Select]),
            ("strategies", &[Select]),
            ("settings", &[Select]),
        ],
    ),
    (
        "ingest",
        &[
            ("documents", &[Select, Insert, Update]),
            ("chunks", &[Select, Insert, Update, Delete]),
            ("embeddings", &[Select, Delete]),
        ],
    ),
    (
        "load",
        &[
            ("documents", &[Select, Insert, Update]),
            ("chunks", &[Select, Insert, Update, Delete]),
            ("embeddings", &[Select, Insert, Delete]),
            ("settings", &[Select, Insert, Update]),
        ],
    ),
    (
        "embed",
        &[
            ("documents", &[Select, Update]),
            ("chunks", &[Select, Update]),
            ("embeddings", &[Select, Insert]),
            ("settings", &[Select, Insert]),
        ],
    ),
    ("remove", &[("documents", &[Select, Update, Delete]), ("chunks", &[Select, Delete])]),
    ("links", &[("documents", &[Select]), ("chunks", &[Select]), ("links", &[Select])]),
    ("write_links", &[("links", &[Select, Insert, Delete])]),
    (
        "feedback",
        &[
            ("documents", &[Select]),
            ("chunks", &[Select]),
            ("embeddings", &[Select]),
            ("strategies", &[Select]),
            ("settings", &[Select]),
            ("ratings", &[Select]),
        ],
    ),
    (
        "rate",
        &[("documents", &[Select]), ("chunks", &[Select]), ("ratings", &[Select, Insert, Update])],
    ),
];

/// The rights that the check has found, for the role that had them. GRANT and REVOKE on a table of the store invalidate
/// its layout, and so this cache. A role that lost a membership gets PostgreSQL's own error.
#[derive(Default)]
struct Found(RefCell<(pg_sys::Oid, Vec<(&'static str, Command)>)>);

/// The tables that a writer changes.
const WRITTEN: [&str; 3] = ["documents", "chunks", "embeddings"];

thread_local! {
    /// The table and the command of the statement that the writer in SQL executes.
    static LAST: Cell<(&'static str, Command)> = const { Cell::new(("documents", Select)) };
    static REFUSE: Statement =
        Statement::new("passage", "SELECT _passage.refuse($1, $2)".to_owned(), Access::Any);
}

impl Command {
    /// Returns the word in GRANT and CREATE POLICY.
    pub fn name(self) -> &'static str {
        match self {
            Select => "SELECT",
            Insert => "INSERT",
            Update => "UPDATE",
            Delete => "DELETE",
        }
    }

    /// Returns the command of a word.
    pub fn from_name(name: &str) -> Option<Self> {
        [Select, Insert, Update, Delete].into_iter().find(|command| command.name() == name)
    }
}

impl Store {
    /// Returns the store of a name like [`Store::resolve`]. The error for a role without USAGE on its schema names all that
    /// an operation needs.
    ///
    /// # Errors
    ///
    /// Returns those of [`Store::resolve`].
    pub fn resolve_for(operation: &str, name: Option<Name>) -> Result<Self, Error> {
        let name = name.unwrap_or_else(|| Name(settings::store()));
        if !may_use_schema(schema_of(&name.0)) {
            spi::connect(|connection| refuse(connection, operation, &name.0));
        }
        Self::resolve(Some(name))
    }

    /// Checks that the role may execute a command on a table, which the writer in SQL executes next. A statement that changes
    /// rows also reads them.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoTable`] if documents or chunks are missing, or a view that would be written.
    pub fn must_allow_write(
        &self,
        connection: &Connection,
        operation: &str,
        relation: &str,
        command: Command,
    ) -> Result<(), Error> {
        let Some(table) = written_table(relation) else { return Ok(()) };
        let relation = match table {
            "documents" => self.0.documents.as_ref(),
            _ => Some(&self.0.chunks),
        };
        let missing = relation.is_none();
        if relation.is_none_or(|relation| command != Select && !relation.is_table) {
            return Err(Error::NoTable { store: self.0.store.clone(), relation: table, missing });
        }
        LAST.set((table, command));
        if command != Insert {
            must_allow(&self.0, connection, operation, table, Select);
        }
        must_allow(&self.0, connection, operation, table, command);
        Ok(())
    }

    /// Checks that a statement of the writer had one row for each id.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Hidden`] if a policy hides rows, [`Error::ShardMoved`] if Citus moved them while the statement waited,
    /// and [`Error::DuplicateIds`] if a table without keys has several rows with one id.
    pub fn must_have_written(
        self,
        relation: &str,
        expected: i64,
        written: i64,
    ) -> Result<(), Error> {
        let store = self.0.store.clone();
        match (written.cmp(&expected), written_table(relation)) {
            (Ordering::Less, _) => {
                let relations = [&self.0.documents, &self.0.embeddings].into_iter().flatten();
                let has_policies = relations.chain([&self.0.chunks]).any(Relation::has_policies);
                if !has_policies && spi::connect(|connection| self.is_distributed(connection)) {
                    return Err(Error::ShardMoved { store });
                }
                Err(Error::Hidden { store })
            }
            (Ordering::Greater, Some(relation)) => Err(Error::DuplicateIds { store, relation }),
            _ => Ok(()),
        }
    }

    /// Checks that the role may do what an operation needs, or only those of its commands.
    pub fn must_allow(&self, connection: &Connection, operation: &str, only: Option<&[Command]>) {
        let needs = OPERATIONS.iter().find(|(name, _)| *name == operation);
        for (table, commands) in needs.map_or(&[][..], |(_, needs)| needs) {
            for command in
                commands.iter().filter(|command| only.is_none_or(|only| only.contains(command)))
            {
                must_allow(&self.0, connection, operation, table, *command);
            }
        }
    }
}

/// Checks that the role may execute a command of an operation on a table.
pub(super) fn must_allow(
    layout: &Layout,
    connection: &Connection,
    operation: &str,
    table: &'static str,
    command: Command,
) {
    let relation = match table {
        "documents" => layout.documents.as_ref(),
        "chunks" => Some(&layout.chunks),
        "embeddings" => layout.embeddings.as_ref(),
        _ => None,
    };
    let Some(relation) = relation else { return };
    // SAFETY: reads a variable of the backend.
    let role = unsafe { pg_sys::GetUserId() };
    let found = layout.slot::<Found>();
    let is_found = found.0.borrow().0 == role && found.0.borrow().1.contains(&(table, command));
    if is_found {
        return;
    }
    if !has_right(relation.oid, command) {
        refuse(connection, operation, &layout.store);
    }
    let (of_role, rights) = &mut *found.0.borrow_mut();
    if *of_role != role {
        *of_role = role;
        rights.clear();
    }
    rights.push((table, command));
}

/// Returns whether the current role may have a right on a table or on some of its columns.
pub fn has_right(table: pg_sys::Oid, command: Command) -> bool {
    // SAFETY: a look-up by an oid.
    let schema = unsafe { pg_sys::get_rel_namespace(table) };
    let name = command.name();
    may_use_schema(schema)
        && (ask(pg_sys::has_table_privilege_id, table, name)
            || command != Delete && ask(pg_sys::has_any_column_privilege_id, table, name))
}

/// Returns the table and the command that the writer in SQL has executed last, for the error of a policy that refuses it.
pub(super) fn last_command() -> (&'static str, Command) {
    LAST.get()
}

fn written_table(relation: &str) -> Option<&'static str> {
    WRITTEN.into_iter().find(|table| *table == relation)
}

/// Returns the oid of a schema, which is invalid if it is missing.
fn schema_of(store: &str) -> pg_sys::Oid {
    let name = CString::new(store).unwrap_or_default();
    // SAFETY: a look-up in the catalog by a string that ends in NUL.
    unsafe { pg_sys::get_namespace_oid(name.as_ptr(), true) }
}

/// Returns whether the current role may use the names of a schema, or whether the schema is missing.
fn may_use_schema(schema: pg_sys::Oid) -> bool {
    ask(pg_sys::has_schema_privilege_id, schema, "USAGE")
}

type Answer = unsafe fn(pg_sys::FunctionCallInfo) -> pg_sys::Datum;

/// Returns what a function says about a right of the current role on an object, true for a missing object.
fn ask(function: Answer, object: pg_sys::Oid, right: &str) -> bool {
    let arguments = [object.into_datum(), right.into_datum()];
    // SAFETY: the function takes an oid and a text, and returns a boolean, or NULL for a missing object.
    unsafe { pgrx::direct_function_call::<bool>(function, &arguments) }.unwrap_or(true)
}

/// Raises the error of a role that lacks what an operation needs.
fn refuse(connection: &Connection, operation: &str, store: &str) {
    let values = vec![Value::new(operation), Value::new(Name(store.to_owned()))];
    REFUSE.with(|refuse| drop(connection.read(refuse, values)));
}
