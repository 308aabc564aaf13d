//! The statements that bring the rows with some keys in step with their table, and their order.

use crate::server::spi::{Access, Connection, Guard, Statement, Value};
use crate::server::types::UuidArray;
use pgrx::pg_sys;
use std::collections::HashMap;
use std::rc::Rc;

/// Ordinals from which on only the last chunk of a document is read, if all new ones follow it.
const LARGE: i32 = 50;

/// How the rows of a table changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Inserted,
    Updated,
    Deleted,
    /// In unknown ways. All rows and all chunks are compared.
    Any,
}

/// The statements of an adopted store. `sql/adopt/triggers.sql` describes them.
pub struct Writer {
    inserted: Statement,
    updated: Statement,
    deleted: Statement,
    all: Statement,
    lock: Statement,
    remove_chunks: Statement,
    remove_documents: Statement,
    /// Missing if each chunk names the previous one. Then all chunks of a document are read.
    follow: Option<Statement>,
    write: Statement,
    are_complete: Statement,
    describe: Statement,
    append: Option<Append>,
}

/// The statements for one row that follows all others of its document.
struct Append {
    read: Statement,
    lock: Statement,
    insert: Statement,
}

impl Writer {
    /// Reads the statements. `tables` are the oids of the adopted table and of the table of chunks.
    pub(super) fn read(
        connection: &Connection,
        store: &str,
        tables: Vec<Value>,
        guard: &Rc<Guard>,
    ) -> Self {
        let statement = Statement::new(
            store,
            "SELECT name, statement FROM _passage.adopted_statements($1, $2)".to_owned(),
            Access::Any,
        );
        let rows = connection.read(&statement, tables);
        let text = |row, column| rows.get::<String>(row, column).unwrap_or_default();
        let mut texts: HashMap<_, _> =
            (0..rows.len()).map(|row| (text(row, 0), text(row, 1))).collect();
        let mut take = |name: &str| {
            let text = texts.remove(name)?;
            Some(Statement::guarded(store, text, Access::Keys, Rc::clone(guard)))
        };
        let mut need = |name| take(name).expect("each store has the statement");
        Self {
            inserted: need("inserted"),
            updated: need("updated"),
            deleted: need("deleted"),
            all: need("all"),
            lock: need("lock"),
            remove_chunks: need("remove_chunks"),
            remove_documents: need("remove_documents"),
            write: need("write"),
            are_complete: need("are_complete"),
            describe: need("describe"),
            follow: take("follow"),
            append: take("append_read").map(|read| {
                let mut need = |name| take(name).expect("the three statements come together");
                Append { read, lock: need("append_lock"), insert: need("append") }
            }),
        }
    }

    /// Writes what changed. The transition tables of the trigger must be added to the connection.
    pub fn follow(&self, connection: &Connection, change: Change) {
        let keys = match change {
            Change::Inserted => &self.inserted,
            Change::Updated => &self.updated,
            Change::Deleted => &self.deleted,
            Change::Any => &self.all,
        };
        let keys: Vec<_> = connection.write(keys, Vec::new()).values(0).collect();
        // The statement has written no row.
        if keys[0].datum().is_none() {
            return;
        }
        let is_insert = change == Change::Inserted;
        if !(is_insert && self.append(connection, &keys)) {
            self.place(connection, &keys, is_insert);
        }
    }

    /// Inserts one row at the end of its document. Returns whether it is a row that belongs there.
    fn append(&self, connection: &Connection, keys: &[Value]) -> bool {
        let Some(append) = &self.append else { return false };
        if !is_single(&keys[0]) {
            return false;
        }
        let rows = connection.write(&append.read, keys.to_vec());
        if rows.len() == 0 {
            return false;
        }
        let row: Vec<_> = rows.values(0).collect();
        connection.write(&append.lock, row.clone());
        connection.write(&append.insert, row).len() == 1
    }

    /// Places the rows with some keys in their documents, and removes chunks whose row is missing.
    fn place(&self, connection: &Connection, keys: &[Value], is_insert: bool) {
        let locked = connection.write(&self.lock, keys.to_vec());
        let documents = locked.values(0).next().expect("the statement returns the documents first");
        if !is_insert {
            connection.write(&self.remove_chunks, keys.to_vec());
        }
        let is_large = locked.get::<i32>(0, 1).is_some_and(|ordinal| ordinal >= LARGE);
        let follow =
            |statement| connection.write(statement, keys.to_vec()).get::<bool>(0, 0) == Some(true);
        let mut at_end = is_insert && is_large && self.follow.as_ref().is_some_and(follow);
        loop {
            let appended = if at_end { documents } else { Value::new(None::<UuidArray>) };
            connection.write(&self.write, [keys, &[documents, appended]].concat());
            if !at_end {
                break;
            }
            let complete = connection.write(&self.are_complete, vec![documents]);
            if complete.get::<bool>(0, 0) == Some(true) {
                break;
            }
            at_end = false;
        }
        connection.write(&self.describe, vec![documents]);
        if !is_insert {
            connection.write(&self.remove_documents, vec![documents]);
        }
    }
}

/// Returns whether an array has one element.
fn is_single(array: &Value) -> bool {
    let Some(datum) = array.datum() else { return false };
    // SAFETY: PostgreSQL's function for any array, with a value that array_agg has returned.
    let size = unsafe {
        pg_sys::OidFunctionCall1Coll(pg_sys::F_CARDINALITY.into(), pg_sys::InvalidOid, datum)
    };
    size.value() == 1
}
