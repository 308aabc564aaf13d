/*!
Replacing a document with a new version, as a whole.

A document with the same content hash is unchanged, and nothing is written or locked. Otherwise the SQL function
`_passage.write_documents`, which the client calls too, locks the document, compares it with the new version, and writes
what differs. The transaction of the caller makes the replacement atomic.
*/

use super::new_document::{NewDocument, chunk_values};
use super::statements::{FIND, SourceRowStatement, WRITE};
use super::writable::WritableStore;
use crate::server::error::{Error, explain_denied, refused_hint};
use crate::server::spi::{Connection, Rows, Value};
use crate::server::types::{Json, Name, RawJsonb, to_sql};
use crate::split::SplitDocument;
use crate::store::rights::{Command, last_command, must_allow};
use passage_split::document_id;
use uuid::Uuid;

/// The number of attempts when other sessions write the document, or when its id is in use.
const ATTEMPTS: usize = 8;

/// The effect of a call on a document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Added,
    Replaced,
    Unchanged,
}

impl Outcome {
    /// Returns the name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Replaced => "replaced",
            Self::Unchanged => "unchanged",
        }
    }

    /// Returns the outcome of a name. A document that was not written because of other writers has none.
    fn from_name(name: &str) -> Option<Self> {
        [Self::Added, Self::Replaced, Self::Unchanged]
            .into_iter()
            .find(|outcome| outcome.name() == name)
    }
}

/// A document after a call, with numbers of its chunks.
pub struct Replaced {
    pub document: Uuid,
    pub outcome: Outcome,
    pub chunks: i32,
    /// Chunks that existed before, and those of them that were updated.
    pub kept: i32,
    pub moved: i32,
    /// Chunks that were inserted and deleted.
    pub added: i32,
    pub removed: i32,
}

/// A document of the store.
struct StoredDocument {
    id: Uuid,
    /// Whether it has one of the current content hashes and is not orphaned.
    is_current: bool,
    chunks: i32,
}

impl WritableStore {
    /// Replaces a document. `split` is called unless the document is unchanged.
    ///
    /// # Errors
    ///
    /// Returns the error of `split`, and [`Error::Hidden`] if a policy hides the document. PostgreSQL raises its own errors,
    /// and those of `write_documents`.
    pub fn replace<'t>(
        &self,
        connection: &Connection,
        new: &NewDocument<'_>,
        split: impl Fn() -> Result<SplitDocument<'t>, Error>,
    ) -> Result<Replaced, Error> {
        let mut cached = None;
        let mut salt = 0;
        for _ in 0..ATTEMPTS {
            let stored = self.find(connection, new);
            if let Some(StoredDocument { id, is_current: true, chunks }) = stored {
                return Ok(Replaced::unchanged(id, chunks));
            }
            let split = match &cached {
                Some(split) => split,
                None => cached.insert(split()?),
            };
            let id = match &stored {
                Some(stored) => stored.id,
                None => document_id(&new.collection, &new.version, &new.uri, salt),
            };
            if let Some(replaced) = self.write(connection, new, id, stored.is_some(), split) {
                return Ok(replaced);
            }
            if stored.is_none() && self.find(connection, new).is_none() {
                salt += 1;
            }
        }
        Err(Error::Hidden { store: self.0.0.store.clone() })
    }

    /// Finds the document, without a lock.
    fn find(&self, connection: &Connection, new: &NewDocument<'_>) -> Option<StoredDocument> {
        pgrx::check_for_interrupts!();
        let NewDocument { uri, collection, version, .. } = new;
        let mut values = vec![Value::new(self.0.0.store.as_str())];
        values.extend([uri, collection, version].map(|text| Value::new(text.as_str())));
        let rows = FIND.with(|statement| connection.write(statement, values));
        (rows.len() > 0).then(|| StoredDocument {
            id: rows.uuid(0, 0),
            is_current: rows.bytes(0, 1).is_some_and(|hash| new.is_current(hash))
                && rows.get(0, 2) == Some(false),
            chunks: rows.get(0, 3).unwrap_or(0),
        })
    }

    /// Writes the document. Returns `None` if other sessions write it, or if its id is in use.
    fn write(
        &self,
        connection: &Connection,
        new: &NewDocument<'_>,
        id: Uuid,
        is_stored: bool,
        split: &SplitDocument<'_>,
    ) -> Option<Replaced> {
        let store = &self.0.0.store;
        let mut values = vec![Value::new(Name(store.clone()))];
        values.extend(new.values(id, is_stored, split));
        values.extend(chunk_values(id, &split.chunks, new.document.source_media_type.is_some()));
        let write = || WRITE.with(|statement| connection.write(statement, values));
        let rows = explain_denied(write, || {
            let (table, command) = last_command();
            refused_hint(store, table, command.name())
        });
        let outcome = Outcome::from_name(rows.text(0, 0).unwrap_or_default())?;
        let number = |column| rows.get(0, column).unwrap_or(0);
        let (kept, moved, added, removed) = (number(1), number(2), number(3), number(4));
        Some(match outcome {
            Outcome::Unchanged => Replaced::unchanged(id, kept),
            outcome => Replaced {
                document: id,
                outcome,
                chunks: kept + added,
                kept,
                moved,
                added,
                removed,
            },
        })
    }

    /// Locks a document against removal. Returns whether it could be locked, and the row that it came
    /// from.
    pub fn lock_source_row(
        &self,
        connection: &Connection,
        document: Uuid,
    ) -> (bool, Option<RawJsonb>) {
        let values = vec![Value::new(to_sql(document))];
        let rows = self.execute(connection, false, values);
        let locked = rows.len() > 0;
        (locked, locked.then(|| rows.get(0, 0)).flatten())
    }

    /// Records the row that a document comes from. Returns false if a policy hides the document.
    pub fn record_source_row(&self, connection: &Connection, document: Uuid, row: Json) -> bool {
        let values = vec![Value::new(to_sql(document)), Value::new(row)];
        self.execute(connection, true, values).len() > 0
    }

    fn execute<'c>(
        &self,
        connection: &'c Connection,
        records: bool,
        values: Vec<Value>,
    ) -> Rows<'c> {
        let layout = &self.0.0;
        // A lock needs UPDATE.
        for command in [Command::Select, Command::Update] {
            must_allow(layout, connection, "ingest", "documents", command);
        }
        let is_distributed = self.0.is_distributed(connection);
        let key = SourceRowStatement { records, is_distributed };
        let statement = layout.statement(key, || key.text(layout));
        let write = || connection.write(&statement, values);
        explain_denied(write, || refused_hint(&layout.store, "documents", Command::Update.name()))
    }
}

impl Replaced {
    fn unchanged(document: Uuid, chunks: i32) -> Self {
        let outcome = Outcome::Unchanged;
        Self { document, outcome, chunks, kept: chunks, moved: 0, added: 0, removed: 0 }
    }
}
