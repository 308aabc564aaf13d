/*!
Stores: the relations of a schema, and the statements that read and write them.

A store is found by name in the catalogs at each call, so renaming a schema takes effect at once. Its
relations may be tables or views, and only four columns of `chunks` are required. A statement selects NULL
for a column that does not exist, so a missing column degrades the result without an error.

[`layout`] knows the relations. The other modules write statements for them, one folder for each use.
Only [`write`] writes, and only to a store of tables.
*/

mod document;
mod expansion;
mod fragments;
mod layout;
mod rights;
mod search;
mod shards;
mod write;

pub use document::Original;
pub use expansion::{
    ChunkColumns, ContextChunks, HitDocument, Hits, LinkedSections, StoredChunk, StoredHit,
    StrategyRequest,
};
pub use fragments::{ChunkLexemes, DocumentInfo, MAX_MATCHING, NamedDocument, SourceChunks};
pub use layout::register;
pub use rights::{Command, OPERATIONS, has_right};
pub use search::{
    FilterArguments, Filters, ParsedQuery, QueryEmbedding, RankedChunks, TextMatches, TextRanking,
    VersionFilter,
};
pub use shards::ShardCall;
pub use write::{NewDocument, Outcome, Replaced};

use crate::server::error::Error;
use crate::server::settings;
use crate::server::spi::{self, Access, Statement, Value};
use crate::server::sql_text::EQUAL;
use crate::server::types::Name;
use layout::Layout;
use passage_core::misspelling::edits;
use passage_split::interrupt::poll_periodically as pause;
use pgrx::pg_sys;
use std::rc::Rc;

/// The types that an ordinal may have.
const NUMBERS: [pg_sys::Oid; 6] = [
    pg_sys::INT4OID,
    pg_sys::INT8OID,
    pg_sys::INT2OID,
    pg_sys::NUMERICOID,
    pg_sys::FLOAT8OID,
    pg_sys::FLOAT4OID,
];

/// A schema that holds chunks.
pub struct Store(Rc<Layout>);

/// The required columns of `chunks`.
const REQUIRED: [(&str, &str); 4] =
    [("id", "uuid"), ("document_id", "uuid"), ("ordinal", "integer"), ("content", "text")];

impl Store {
    /// Returns the store of a name, or the one of the setting `passage.store` for NULL.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoStore`] if the schema does not exist or holds no relation `chunks`,
    /// [`Error::NoColumn`] if that relation lacks a required column, and [`Error::ColumnType`] if such
    /// a column, or the id of documents or embeddings, has a type that cannot be read.
    pub fn resolve(name: Option<Name>) -> Result<Self, Error> {
        let name = name.map_or_else(settings::store, |Name(name)| name);
        let Some(layout) = find(&name) else {
            return Err(Error::NoStore { nearest: nearest_store(&name), store: name });
        };
        if !layout.is_checked.get() {
            check(&layout)?;
            layout.is_checked.set(true);
        }
        Ok(Self(layout))
    }

    /// Returns whether chunks have the ids of another table, which the store adopted.
    pub fn has_source_ids(&self) -> bool {
        self.0.chunks.can_read("source_id", "text")
    }
}

/// Returns the layout of a store. If Citus may distribute it, its chunks are locked against a reindex that replaces it.
fn find(name: &str) -> Option<Rc<Layout>> {
    let mut layout = layout::find(name)?;
    while layout.may_have_shards {
        lock_chunks(&layout);
        let locked = layout::find(name)?;
        if Rc::ptr_eq(&locked, &layout) {
            break;
        }
        layout = locked;
    }
    Some(layout)
}

/// Locks the chunks of a store until the transaction ends, as a SELECT on them does, so the caller waits for a reindex that
/// replaces the store. A statement on shards names no table of the store, so it needs this lock. A caller who may not read
/// the chunks gets no lock, and the error from the statement that reads.
///
/// Citus commits the swap of a reindex on one node after the other. A session that had to wait for it here also waits
/// for the other nodes, where the name of the store may still be that of the former one.
fn lock_chunks(layout: &Layout) {
    let mode = pg_sys::AccessShareLock as i32;
    if !may_read(layout.chunks.oid) {
        return;
    }
    // SAFETY: a lock on an oid, which is also possible if its relation was dropped. It is released with the transaction.
    unsafe {
        if pg_sys::ConditionalLockRelationOid(layout.chunks.oid, mode) {
            return;
        }
        pg_sys::LockRelationOid(layout.chunks.oid, mode);
    }
    let query = "SELECT pg_catalog.count(*) FROM pg_catalog.run_command_on_all_nodes($1)";
    let statement = Statement::new(&layout.store, query.to_owned(), Access::Any);
    let wait = format!("SELECT FROM {} LIMIT 0", layout.chunks.name);
    spi::connect(|connection| drop(connection.read(&statement, vec![Value::new(wait)])));
}

/// Returns whether the caller may read a column of a relation. One that another session has dropped cannot be read.
fn may_read(relation: pg_sys::Oid) -> bool {
    let (select, any) = (pg_sys::ACL_SELECT.into(), pg_sys::AclMaskHow::ACLMASK_ANY);
    // SAFETY: a look-up in the catalog by the oid of a relation that exists.
    let of_columns =
        || unsafe { pg_sys::pg_attribute_aclcheck_all(relation, pg_sys::GetUserId(), select, any) };
    let is_ok = |all: bool| all || of_columns() == pg_sys::AclResult::ACLCHECK_OK;
    layout::may_select(relation).is_some_and(is_ok)
}

/// Checks that a layout has the required columns, in types that can be read.
fn check(layout: &Layout) -> Result<(), Error> {
    for (column, sql_type) in REQUIRED {
        if !layout.chunks.has(column) {
            return Err(Error::NoColumn {
                store: layout.store.clone(),
                relation: "chunks",
                column,
            });
        }
        let can_read = match sql_type {
            "uuid" => layout.chunks.is_based_on(column, &[pg_sys::UUIDOID]),
            "integer" => layout.chunks.is_based_on(column, &NUMBERS),
            _ => layout.chunks.can_read(column, sql_type),
        };
        if !can_read {
            return Err(Error::ColumnType {
                store: layout.store.clone(),
                relation: "chunks",
                column,
                sql_type,
            });
        }
    }
    let ids = [
        ("documents", "id", layout.documents.as_ref()),
        ("embeddings", "chunk_id", layout.embeddings.as_ref()),
    ];
    for (relation, column, id_type) in ids {
        if id_type.is_some_and(|id_type| !id_type.is_based_on(column, &[pg_sys::UUIDOID])) {
            return Err(Error::ColumnType {
                store: layout.store.clone(),
                relation,
                column,
                sql_type: "uuid",
            });
        }
    }
    Ok(())
}

/// Returns the store that the caller may use with the most similar name, or `None` if no name is similar.
pub fn nearest_store(name: &str) -> Option<String> {
    let statement = Statement::new(name, stores(), Access::Any);
    spi::connect(|connection| {
        let rows = connection.read(&statement, Vec::new());
        let similar = |row| {
            // A session may see the schemas of many tenants.
            pause(row);
            let store: String = rows.get(row, 0)?;
            Some((edits(name, &store)?, store))
        };
        (0..rows.len()).filter_map(similar).min().map(|(_, store)| store)
    })
}

/// Lists the schemas with a relation `chunks` that has the required columns. Nothing of these schemas runs.
fn stores() -> String {
    format!(
        "SELECT n.nspname::pg_catalog.text FROM pg_catalog.pg_namespace AS n \
         JOIN pg_catalog.pg_class AS c ON c.relnamespace {EQUAL} n.oid \
         JOIN pg_catalog.pg_attribute AS a ON a.attrelid {EQUAL} c.oid \
         WHERE c.relname {EQUAL} 'chunks' AND NOT a.attisdropped \
         AND a.attname {EQUAL} ANY ('{{id,document_id,ordinal,content}}'::pg_catalog.name[]) \
         AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') \
         GROUP BY n.nspname HAVING pg_catalog.count(*) {EQUAL} 4"
    )
}
