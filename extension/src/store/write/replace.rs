/*!
Replacing a document with a new version, as a whole.

A document with the same content hash is unchanged, and nothing is written or locked. Otherwise its row is
locked, as the client does too, so that concurrent writers of a document wait for each other; a writer
that has waited reads the row again. Unchanged chunks keep their ids, embeddings and inbound references;
if only their position has changed, it is updated. The other chunks are deleted, and new ones are
inserted. The transaction of the caller makes the replacement atomic.
*/

use super::new_document::{NewDocument, content_values, document_values, position_values};
use super::statements::{DistributedStatement, WriteStatement};
use super::writable::WritableStore;
use crate::server::error::{Error, explain_denied, refused_hint};
use crate::server::spi::{Connection, Rows, Value};
use crate::server::types::{Json, RawJsonb, UuidArray, to_sql};
use crate::split::SplitDocument;
use crate::store::rights::{Command, must_allow};
use passage_split::interrupt::poll_periodically as pause;
use passage_split::{Chunk, chunk_ids, document_id};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// The number of attempts when other sessions write the document, or when its id is in use.
const ATTEMPTS: usize = 8;

/// The maximum number of chunks, and bytes of them, that one statement inserts.
const MAX_ROWS: usize = 1_000;
const MAX_BYTES: usize = 16 << 20;

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
}

/// A document after a call, with numbers of its chunks.
pub struct Replaced {
    pub document: Uuid,
    pub outcome: Outcome,
    pub chunks: usize,
    /// Chunks that existed before, and those of them that were updated.
    pub kept: usize,
    pub moved: usize,
    /// Chunks that were inserted and deleted.
    pub added: usize,
    pub removed: usize,
}

/// A document of the store.
struct ExistingDocument {
    id: Uuid,
    /// Whether it has one of the current content hashes and is not orphaned.
    is_same: bool,
    chunks: usize,
}

impl WritableStore {
    /// Replaces a document. `split` is called unless the document is unchanged.
    ///
    /// # Errors
    ///
    /// Returns the error of `split`, [`Error::Hidden`] if a policy hides rows that must be written, and
    /// [`Error::DuplicateIds`] if a table without keys has several rows with one id. PostgreSQL raises its
    /// own errors.
    pub fn replace<'t>(
        &self,
        connection: &Connection,
        new: &NewDocument<'_>,
        split: impl Fn() -> Result<SplitDocument<'t>, Error>,
    ) -> Result<Replaced, Error> {
        let mut cached = None;
        let mut salt = 0;
        for _ in 0..ATTEMPTS {
            let existing = self.find(connection, new);
            if let Some(ExistingDocument { id, is_same: true, chunks }) = existing {
                return Ok(Replaced::unchanged(id, chunks));
            }
            let split = match &cached {
                Some(split) => split,
                None => cached.insert(split()?),
            };
            let Some(existing) = existing else {
                let id = document_id(&new.collection, &new.version, &new.uri, salt);
                if self.insert(connection, new, id, split) {
                    let ids = ids(id, &split.chunks);
                    let all: Vec<_> = (0..ids.len()).collect();
                    self.insert_chunks(connection, id, &ids, &split.chunks, &all);
                    return Ok(Replaced::added(id, ids.len()));
                }
                salt += u32::from(self.find(connection, new).is_none());
                continue;
            };
            match self.lock(connection, new, existing.id) {
                Some(ExistingDocument { is_same: true, chunks, .. }) => {
                    return Ok(Replaced::unchanged(existing.id, chunks));
                }
                Some(existing) => return self.update(connection, new, existing.id, split),
                None => {}
            }
        }
        Err(self.hidden())
    }

    /// Finds the document, without a lock.
    fn find(&self, connection: &Connection, new: &NewDocument<'_>) -> Option<ExistingDocument> {
        let NewDocument { uri, collection, version, .. } = new;
        let values = vec![
            Value::new(uri.as_str()),
            Value::new(collection.as_str()),
            Value::new(version.as_str()),
            new.current_hashes(),
        ];
        existing(&self.execute(connection, WriteStatement::FindDocument, values))
    }

    /// Locks the document, and waits for other sessions. Returns `None` if it was deleted or cannot be
    /// changed.
    fn lock(
        &self,
        connection: &Connection,
        new: &NewDocument<'_>,
        id: Uuid,
    ) -> Option<ExistingDocument> {
        let values = vec![Value::new(to_sql(id)), new.current_hashes()];
        existing(&self.execute(connection, WriteStatement::LockDocument, values))
    }

    /// Locks a document against removal. Returns whether it could be locked, and the row that it came
    /// from.
    pub fn lock_source_row(
        &self,
        connection: &Connection,
        document: Uuid,
    ) -> (bool, Option<RawJsonb>) {
        let values = vec![Value::new(to_sql(document))];
        let rows = self.execute(connection, WriteStatement::ReadSourceRow, values);
        let locked = rows.len() > 0;
        (locked, locked.then(|| rows.get(0, 0)).flatten())
    }

    /// Records the row that a document comes from. Returns false if a policy hides the document.
    pub fn record_source_row(&self, connection: &Connection, document: Uuid, row: Json) -> bool {
        let values = vec![Value::new(to_sql(document)), Value::new(row)];
        self.execute(connection, WriteStatement::RecordSourceRow, values).len() > 0
    }

    /// Inserts the row of a document. Returns false if the document or its id exists.
    fn insert(
        &self,
        connection: &Connection,
        new: &NewDocument<'_>,
        id: Uuid,
        split: &SplitDocument<'_>,
    ) -> bool {
        let name = [&new.collection, &new.version, &new.uri];
        let mut values = document_values(new, id, split);
        values.extend(name.map(|part| Value::new(part.as_str())));
        let statement = match &new.source_row {
            Some(row) => {
                values.push(Value::new(row.clone()));
                WriteStatement::InsertDocumentOfRow
            }
            None => WriteStatement::InsertDocument,
        };
        self.execute(connection, statement, values).len() == 1
    }

    /// Updates a locked document and its chunks.
    fn update(
        &self,
        connection: &Connection,
        new: &NewDocument<'_>,
        id: Uuid,
        split: &SplitDocument<'_>,
    ) -> Result<Replaced, Error> {
        let document = || Value::new(to_sql(id));
        let rows = self.execute(connection, WriteStatement::ReadChunks, vec![document()]);
        let preambles: HashMap<Uuid, String> = (0..rows.len())
            .map(|row| {
                pause(row);
                (rows.uuid(row, 0), rows.get(row, 1).unwrap_or_default())
            })
            .collect();
        let chunks = &split.chunks;
        let ids = ids(id, chunks);
        let new_ids: HashSet<&Uuid> = ids.iter().collect();
        let obsolete: Vec<_> =
            preambles.keys().filter(|id| !new_ids.contains(id)).copied().collect();
        let (kept, added): (Vec<_>, Vec<_>) =
            (0..ids.len()).partition(|&index| preambles.contains_key(&ids[index]));

        let removed = obsolete.len();
        if removed > 0 {
            let obsolete: UuidArray = obsolete.into_iter().collect();
            let values = vec![document(), Value::new(obsolete)];
            let deleted = self.execute(connection, WriteStatement::DeleteChunks, values).len();
            self.check_count(deleted, removed, "chunks")?;
        }
        let stale = kept.iter().filter(|&&index| preambles[&ids[index]] != chunks[index].preamble);
        let stale: Vec<_> = stale.map(|&index| ids[index]).collect();
        if !stale.is_empty() && self.0.0.embeddings.is_some() {
            let stale: UuidArray = stale.into_iter().collect();
            let values = vec![document(), Value::new(stale)];
            self.execute(connection, WriteStatement::DeleteEmbeddings, values);
        }
        // One statement moves all chunks: ordinals are unique at its end, and chunks may exchange theirs.
        let mut moved = 0;
        if !kept.is_empty() {
            let mut values = vec![document()];
            values.extend(position_values(&ids, chunks, &kept));
            moved = self.execute(connection, WriteStatement::MoveChunks, values).len();
        }
        if !kept.is_empty() && self.0.has_policies() {
            let kept_ids: UuidArray = kept.iter().map(|&index| ids[index]).collect();
            let ordinals: Vec<_> = kept.iter().map(|&index| index as i32).collect();
            let values = vec![document(), Value::new(kept_ids), Value::new(ordinals)];
            let rows = self.execute(connection, WriteStatement::CountChunks, values);
            let count = rows.get::<i64>(0, 0).unwrap_or_default() as usize;
            self.check_count(count, kept.len(), "chunks")?;
        }
        self.insert_chunks(connection, id, &ids, chunks, &added);
        let values = document_values(new, id, split);
        let updated = self.execute(connection, WriteStatement::UpdateDocument, values).len();
        self.check_count(updated, 1, "documents")?;
        let (chunks, kept, added) = (ids.len(), kept.len(), added.len());
        let outcome = Outcome::Replaced;
        Ok(Replaced { document: id, outcome, chunks, kept, moved, added, removed })
    }

    /// Inserts the chunks with these indexes of a document.
    fn insert_chunks(
        &self,
        connection: &Connection,
        id: Uuid,
        ids: &[Uuid],
        chunks: &[Chunk<'_>],
        indexes: &[usize],
    ) {
        let mut rest = indexes;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |index: &&usize| {
                bytes += chunks[**index].content.len();
                bytes <= MAX_BYTES
            };
            let count = rest.iter().take(MAX_ROWS).take_while(fits).count().max(1);
            let (batch, remaining) = rest.split_at(count);
            let mut values = vec![Value::new(to_sql(id))];
            values.extend(position_values(ids, chunks, batch));
            values.extend(content_values(chunks, batch));
            self.execute(connection, WriteStatement::InsertChunks, values);
            rest = remaining;
        }
    }

    fn execute<'c>(
        &self,
        connection: &'c Connection,
        statement: WriteStatement,
        values: Vec<Value>,
    ) -> Rows<'c> {
        pgrx::check_for_interrupts!();
        let layout = &self.0.0;
        let (table, command) = statement.right();
        // A statement that changes rows also reads them.
        if command != Command::Insert {
            must_allow(layout, connection, "ingest", table, Command::Select);
        }
        must_allow(layout, connection, "ingest", table, command);
        let statement = if self.0.is_distributed(connection) {
            let is_spread = self.0.is_spread(connection);
            let statement = DistributedStatement { statement, is_spread };
            layout.statement(statement, || statement.text(layout))
        } else {
            layout.statement(statement, || statement.text(layout))
        };
        let write = || connection.write(&statement, values);
        explain_denied(write, || refused_hint(&layout.store, table, command.name()))
    }

    /// Checks that a statement had one row for each id.
    fn check_count(&self, rows: usize, ids: usize, relation: &'static str) -> Result<(), Error> {
        match rows.cmp(&ids) {
            Ordering::Less => Err(self.hidden()),
            Ordering::Equal => Ok(()),
            Ordering::Greater => {
                Err(Error::DuplicateIds { store: self.0.0.store.clone(), relation })
            }
        }
    }

    fn hidden(&self) -> Error {
        Error::Hidden { store: self.0.0.store.clone() }
    }
}

impl Replaced {
    fn unchanged(document: Uuid, chunks: usize) -> Self {
        let outcome = Outcome::Unchanged;
        Self { document, outcome, chunks, kept: chunks, moved: 0, added: 0, removed: 0 }
    }

    fn added(document: Uuid, chunks: usize) -> Self {
        let outcome = Outcome::Added;
        Self { document, outcome, chunks, kept: 0, moved: 0, added: chunks, removed: 0 }
    }
}

/// Returns the document that a statement found, if it found one.
fn existing(rows: &Rows) -> Option<ExistingDocument> {
    (rows.len() > 0).then(|| ExistingDocument {
        id: rows.uuid(0, 0),
        is_same: rows.get(0, 1).unwrap_or(false),
        chunks: rows.get::<i32>(0, 2).unwrap_or(0) as usize,
    })
}

/// Returns the ids of chunks, in document order.
fn ids(document: Uuid, chunks: &[Chunk<'_>]) -> Vec<Uuid> {
    chunk_ids(document, chunks.iter().map(|chunk| (&chunk.section[..], chunk.content)))
}
