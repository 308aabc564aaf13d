/*!
Replacing a document: what is in the store becomes what was brought, all or nothing.

A document that has not changed is found by its content hash, and nothing is written or locked. Else
its row is locked, which is what the client does too, so writers of one document go one after the
other; whoever waited looks again. Chunks that are the same as before stay as they are, with their
embeddings and whatever else refers to them; where one only moved, its place is updated. The others
go, and new ones come. The caller's transaction makes it one step for everybody else.
*/

mod statements;
mod values;

use super::hits::uuid;
use super::layout::Purpose;
use super::writable::Writable;
use crate::document::{Document, Split};
use crate::error::Error;
use crate::interrupt::pause;
use crate::spi::{Connection, Rows, Value};
use crate::types::{Json, RawJsonb, to_sql};
use passage_core::{Chunk, chunk_ids, document_id};
use pgrx::pg_sys;
pub use statements::Write;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;
use values::{content, placed, told};

/// How often is looked again when others write the document, or have its id.
const ATTEMPTS: usize = 8;

/// The most chunks, and bytes of them, that one statement inserts.
const MOST_ROWS: usize = 1_000;
const MOST_BYTES: usize = 16 << 20;

/// A document as it is to be written.
pub struct Written<'a> {
    pub collection: String,
    pub version: String,
    pub uri: String,
    pub content_hash: Vec<u8>,
    /// What is told of it beside, as the text of a JSON object.
    pub metadata: String,
    /// The row that it comes from, as `keep_in_step` records it; written with a new document only.
    pub source_row: Option<Json>,
    pub document: &'a Document,
}

/// What became of a document.
pub struct Done {
    pub document: Uuid,
    /// `added`, `replaced` or `unchanged`.
    pub outcome: &'static str,
    /// How many chunks it has.
    pub chunks: usize,
    /// How many of them it had before, and how many of those were updated.
    pub kept: usize,
    pub moved: usize,
    /// How many are new, and how many went.
    pub added: usize,
    pub removed: usize,
}

/// A document that the store has.
struct Known {
    id: Uuid,
    /// Whether its chunks were made of the very same, and its source is not said to be gone.
    same: bool,
    chunks: usize,
}

impl Writable {
    /// Puts a document in place of what the store has of it; `split` is called if it is not the same.
    ///
    /// # Errors
    ///
    /// Returns what `split` returns, and [`Error::Hidden`] if a policy of the store keeps the caller
    /// from the rows that have to be written, and [`Error::Several`] if a table without keys has
    /// several rows of one id. What PostgreSQL refuses is raised as its own error.
    pub fn replace<'t>(
        &self,
        connection: &Connection,
        written: &Written<'_>,
        split: impl Fn() -> Result<Split<'t>, Error>,
    ) -> Result<Done, Error> {
        let mut brought = None;
        let mut salt = 0;
        for _ in 0..ATTEMPTS {
            let known = self.known(connection, written);
            if let Some(Known { id, same: true, chunks }) = known {
                return Ok(Done::unchanged(id, chunks));
            }
            let split = match &brought {
                Some(split) => split,
                None => brought.insert(split()?),
            };
            let Some(known) = known else {
                let id = document_id(&written.collection, &written.version, &written.uri, salt);
                if self.insert(connection, written, id, split) {
                    let ids = ids(id, &split.chunks);
                    let new: Vec<_> = (0..ids.len()).collect();
                    self.add(connection, id, &ids, &split.chunks, &new);
                    return Ok(Done::added(id, ids.len()));
                }
                salt += u32::from(self.known(connection, written).is_none());
                continue;
            };
            match self.lock(connection, written, known.id) {
                Some(Known { same: true, chunks, .. }) => {
                    return Ok(Done::unchanged(known.id, chunks));
                }
                Some(known) => return self.reconcile(connection, written, known.id, split),
                None => {}
            }
        }
        Err(self.hidden())
    }

    /// Finds the document, without a lock.
    fn known(&self, connection: &Connection, written: &Written<'_>) -> Option<Known> {
        let Written { uri, collection, version, content_hash, .. } = written;
        let values = vec![
            Value::new(uri.as_str()),
            Value::new(collection.as_str()),
            Value::new(version.as_str()),
            Value::new(content_hash.as_slice()),
        ];
        known(&self.write(connection, Write::Known, values))
    }

    /// Locks the document, and waits for whoever has it; `None` if it is gone or not to be changed.
    fn lock(&self, connection: &Connection, written: &Written<'_>, id: Uuid) -> Option<Known> {
        let hash = Value::new(written.content_hash.as_slice());
        known(&self.write(connection, Write::Lock, vec![Value::new(to_sql(id)), hash]))
    }

    /// Keeps others from removing a document, and returns whether it is there to be locked, and which
    /// row it came from.
    pub fn recorded(&self, connection: &Connection, document: Uuid) -> (bool, Option<RawJsonb>) {
        let rows = self.write(connection, Write::Recorded, vec![Value::new(to_sql(document))]);
        let locked = rows.len() > 0;
        (locked, locked.then(|| rows.get(0, 0)).flatten())
    }

    /// Inserts the row of a document, unless it or its id is there.
    fn insert(
        &self,
        connection: &Connection,
        written: &Written<'_>,
        id: Uuid,
        split: &Split<'_>,
    ) -> bool {
        let named = [&written.collection, &written.version, &written.uri];
        let mut values = told(written, id, split);
        values.extend(named.map(|name| Value::new(name.as_str())));
        let insert = match &written.source_row {
            Some(row) => {
                values.push(Value::new(row.clone()));
                Write::InsertOfRow
            }
            None => Write::Insert,
        };
        self.write(connection, insert, values).len() == 1
    }

    /// Makes the chunks of a locked document what was brought.
    fn reconcile(
        &self,
        connection: &Connection,
        written: &Written<'_>,
        id: Uuid,
        split: &Split<'_>,
    ) -> Result<Done, Error> {
        let document = || Value::new(to_sql(id));
        let there = self.write(connection, Write::There, vec![document()]);
        let there: HashMap<Uuid, String> = (0..there.len())
            .map(|row| {
                pause(row);
                (uuid(there.get(row, 0)), there.get(row, 1).unwrap_or_default())
            })
            .collect();
        let chunks = &split.chunks;
        let ids = ids(id, chunks);
        let stays: HashSet<&Uuid> = ids.iter().collect();
        let gone: Vec<_> =
            there.keys().filter(|id| !stays.contains(id)).copied().map(to_sql).collect();
        let (kept, new): (Vec<_>, Vec<_>) =
            (0..ids.len()).partition(|&place| there.contains_key(&ids[place]));

        let removed = gone.len();
        if removed > 0 {
            let values = vec![document(), Value::new(gone)];
            self.expect(self.write(connection, Write::Remove, values).len(), removed, "chunks")?;
        }
        let stale = kept.iter().filter(|&&place| there[&ids[place]] != chunks[place].preamble);
        let stale: Vec<_> = stale.map(|&place| to_sql(ids[place])).collect();
        if !stale.is_empty() && self.0.0.embeddings.is_some() {
            self.write(connection, Write::Forget, vec![document(), Value::new(stale)]);
        }
        // One statement: ordinals are unique at the end of each, and one chunk takes that of another.
        let mut moved = 0;
        if !kept.is_empty() {
            let mut values = vec![document()];
            values.extend(placed(&ids, chunks, &kept));
            moved = self.write(connection, Write::Move, values).len();
        }
        if !kept.is_empty() && self.is_guarded() {
            let here: Vec<_> = kept.iter().map(|&place| to_sql(ids[place])).collect();
            let ordinals: Vec<_> = kept.iter().map(|&place| place as i32).collect();
            let values = vec![document(), Value::new(here), Value::new(ordinals)];
            let rows = self.write(connection, Write::Check, values);
            let there = rows.get::<i64>(0, 0).unwrap_or_default() as usize;
            self.expect(there, kept.len(), "chunks")?;
        }
        self.add(connection, id, &ids, chunks, &new);
        let updated = self.write(connection, Write::Update, told(written, id, split)).len();
        self.expect(updated, 1, "documents")?;
        let (chunks, kept, added) = (ids.len(), kept.len(), new.len());
        Ok(Done { document: id, outcome: "replaced", chunks, kept, moved, added, removed })
    }

    /// Inserts the chunks in some places of a document.
    fn add(
        &self,
        connection: &Connection,
        id: Uuid,
        ids: &[Uuid],
        chunks: &[Chunk<'_>],
        places: &[usize],
    ) {
        let mut rest = places;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |place: &&usize| {
                bytes += chunks[**place].content.len();
                bytes <= MOST_BYTES
            };
            let count = rest.iter().take(MOST_ROWS).take_while(fits).count().max(1);
            let (now, later) = rest.split_at(count);
            let mut values = vec![Value::new(to_sql(id))];
            values.extend(placed(ids, chunks, now));
            values.extend(content(chunks, now));
            self.write(connection, Write::Add, values);
            rest = later;
        }
    }

    fn write<'c>(&self, connection: &'c Connection, write: Write, values: Vec<Value>) -> Rows<'c> {
        pgrx::check_for_interrupts!();
        let layout = &self.0.0;
        let statement = layout.statement(Purpose::Write(write), || write.statement(layout));
        connection.write(&statement, values)
    }

    /// Tells whether policies decide which chunks the caller may change.
    fn is_guarded(&self) -> bool {
        let chunks = self.0.0.chunks.oid;
        // SAFETY: a look-up in the catalogs of a relation by its oid, which returns "none" for one that
        // is missing.
        let enabled = unsafe { pg_sys::check_enable_rls(chunks, pg_sys::InvalidOid, true) };
        enabled == pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
    }

    /// Compares how many rows there were of some ids with how many there must be.
    fn expect(&self, rows: usize, ids: usize, relation: &'static str) -> Result<(), Error> {
        match rows.cmp(&ids) {
            Ordering::Less => Err(self.hidden()),
            Ordering::Equal => Ok(()),
            Ordering::Greater => Err(Error::Several { store: self.0.0.store.clone(), relation }),
        }
    }

    fn hidden(&self) -> Error {
        Error::Hidden { store: self.0.0.store.clone() }
    }
}

impl Done {
    fn unchanged(document: Uuid, chunks: usize) -> Self {
        let outcome = "unchanged";
        Self { document, outcome, chunks, kept: chunks, moved: 0, added: 0, removed: 0 }
    }

    fn added(document: Uuid, chunks: usize) -> Self {
        let outcome = "added";
        Self { document, outcome, chunks, kept: 0, moved: 0, added: chunks, removed: 0 }
    }
}

/// Reads the document that a statement found, if it found one.
fn known(rows: &Rows) -> Option<Known> {
    (rows.len() > 0).then(|| Known {
        id: uuid(rows.get(0, 0)),
        same: rows.get(0, 1).unwrap_or(false),
        chunks: rows.get::<i32>(0, 2).unwrap_or(0) as usize,
    })
}

/// Returns the ids of chunks, in document order.
fn ids(document: Uuid, chunks: &[Chunk<'_>]) -> Vec<Uuid> {
    chunk_ids(document, chunks.iter().map(|chunk| (&chunk.section[..], chunk.content)))
}
