//! The shards of a store, and the one that has a document.

use super::shard_key::{ShardKey, hash, shard_keys};
use crate::server::spi::{Access, Connection, Rows, Statement, Value};
use crate::server::sql_text::EQUAL;
use crate::store::layout::{Layout, Relation};
use passage_split::interrupt::poll_periodically as pause;
use pgrx::pg_sys;
use uuid::Uuid;

/// The shards of which a statement needs rows.
#[derive(Clone, Copy)]
pub enum Route<'a> {
    /// All of them.
    All,
    /// Those of chunks. If the first value of the statement is an array, it has their ids in this order.
    Chunks(&'a [Uuid]),
    /// Those of documents. If the first value of the statement is an array, it has their ids in this order.
    Documents(&'a [Uuid]),
}

/// The shards of a store. Each has a part of all tables that are read: of their rows, or a copy.
pub struct ShardMap {
    /// The names of the tables in a statement.
    pub relations: Vec<String>,
    shards: Vec<Shard>,
    is_hashed: bool,
    /// Whether the id of a chunk names its document.
    has_derived_ids: bool,
}

/// A shard with its tables.
pub struct Shard {
    /// The greatest hash of its documents.
    greatest: i32,
    /// Whether its node is that of the session.
    pub is_local: bool,
    /// The number of each table, in the order of the names, which its name ends in.
    pub ids: Vec<i64>,
    /// An id that leads to the shard.
    pub key: ShardKey,
    /// The number of the shard of `shard_keys` with the same hashes. A store with one shard has none.
    pub number: Option<i64>,
}

/// A shard of one table, as the catalogs describe it.
struct TableShard {
    table: pg_sys::Oid,
    id: i64,
    /// Without a hash, the table has one shard.
    hash: Option<(i32, i32)>,
    node: i32,
    is_local: bool,
    is_of_keys: bool,
}

impl ShardMap {
    /// Reads the shards of a layout. Returns `None` if Citus does not distribute its tables, or not by document.
    pub fn read(connection: &Connection, layout: &Layout) -> Option<Self> {
        if !layout.may_have_shards {
            return None;
        }
        let followers = [layout.documents.as_ref(), layout.embeddings.as_ref()];
        let followers: Vec<_> = followers.into_iter().flatten().collect();
        let copied = layout.strategies.as_ref();
        let relations: Vec<&Relation> =
            [&layout.chunks].into_iter().chain(followers).chain(copied).collect();
        let oids: Vec<_> = relations.iter().map(|relation| relation.oid).collect();
        let statement = Statement::new(&layout.store, statement(), Access::Any);
        let values = vec![Value::new(layout.chunks.oid), Value::new(oids)];
        // The map is kept longer than the transaction.
        let rows = connection.read_latest(&statement, values);
        let has_derived_ids = rows.len() > 0 && rows.get::<bool>(0, 5) == Some(true);
        let found: Vec<_> =
            (0..rows.len()).filter_map(|row| TableShard::read(&rows, row)).collect();
        let shards_of = |relation: &Relation| -> Vec<&TableShard> {
            found.iter().filter(|shard| shard.table == relation.oid).collect()
        };
        let chunks = shards_of(&layout.chunks);
        let copied = copied.map(|relation| relation.oid);
        let range = |shard: &&TableShard| shard.hash.unwrap_or((i32::MIN, i32::MAX));
        let ranges: Vec<_> = chunks.iter().map(range).collect();
        let keys = shard_keys(&ranges);
        let shard = |(index, chunks): (usize, &&TableShard)| {
            let ids = relations.iter().map(|relation| {
                let shards = shards_of(relation);
                // A copy is on every node.
                let is_copied = copied == Some(relation.oid) && shards.len() == 1;
                let shard = if is_copied { shards.first() } else { shards.get(index) }?;
                let is_beside = shard.hash == chunks.hash && shard.node == chunks.node;
                (is_copied || is_beside).then_some(shard.id)
            });
            let is_beside = |shard: &&TableShard| {
                shard.is_of_keys && shard.hash == chunks.hash && shard.node == chunks.node
            };
            Some(Shard {
                number: found.iter().find(is_beside).map(|shard| shard.id),
                greatest: ranges[index].1,
                is_local: chunks.is_local,
                ids: ids.collect::<Option<_>>()?,
                key: keys[index],
            })
        };
        let shards: Vec<Shard> = chunks.iter().enumerate().map(shard).collect::<Option<_>>()?;
        (!shards.is_empty()).then(|| Self {
            relations: relations.iter().map(|relation| relation.name.clone()).collect(),
            shards,
            is_hashed: chunks.iter().any(|shard| shard.hash.is_some()),
            has_derived_ids,
        })
    }

    /// Returns the number of shards.
    pub fn len(&self) -> usize {
        self.shards.len()
    }

    /// Returns whether documents are in shards by the hash of their ids. Else all are in one shard.
    pub fn is_hashed(&self) -> bool {
        self.is_hashed
    }

    /// Returns the shards of a route, and for each id of the route the position of its shard among them. At least
    /// one shard is returned, for the statement may have a row without any id.
    pub fn shards_of(&self, route: Route) -> (Vec<&Shard>, Option<Vec<usize>>) {
        let all = || self.shards.iter().collect();
        let (ids, is_chunk) = match route {
            Route::Chunks(ids) if self.has_derived_ids => (ids, true),
            Route::Documents(ids) => (ids, false),
            _ => return (all(), None),
        };
        let owners: Vec<_> = ids
            .iter()
            .enumerate()
            .map(|(index, id)| {
                pause(index);
                self.shard_of(if is_chunk { document_of(*id) } else { *id })
            })
            .collect();
        let mut indexes: Vec<usize> = owners.clone();
        indexes.sort_unstable();
        indexes.dedup();
        if indexes.is_empty() {
            indexes.push(0);
        }
        let position = |index| indexes.partition_point(|start| *start < index);
        let owners = owners.into_iter().map(position).collect();
        (indexes.iter().map(|index| &self.shards[*index]).collect(), Some(owners))
    }

    /// Returns the index of the shard of a document.
    pub fn shard_of(&self, document: Uuid) -> usize {
        if self.shards.len() == 1 {
            return 0;
        }
        let hash = hash(document);
        self.shards.partition_point(|shard| shard.greatest < hash).min(self.shards.len() - 1)
    }
}

impl TableShard {
    fn read(rows: &Rows, row: usize) -> Option<Self> {
        Some(Self {
            table: pg_sys::Oid::from(u32::try_from(rows.get::<i64>(row, 0)?).ok()?),
            id: rows.get(row, 1)?,
            hash: rows.get::<i32>(row, 2).zip(rows.get(row, 3)),
            node: rows.get(row, 4)?,
            is_local: rows.get(row, 6).unwrap_or(false),
            is_of_keys: rows.get(row, 7).unwrap_or(false),
        })
    }
}

/// Returns the document of a chunk whose id names it.
fn document_of(chunk: Uuid) -> Uuid {
    let (half, _) = chunk.as_u64_pair();
    Uuid::from_u64_pair(half, 0x8000_0000_0000_0000)
}

/// Lists the shards of tables, in the order of their hashes. A shard with several copies has no node of its own.
fn statement() -> String {
    format!(
        "SELECT s.logicalrelid::pg_catalog.oid::pg_catalog.int8, s.shardid, \
         s.shardminvalue::pg_catalog.int4, s.shardmaxvalue::pg_catalog.int4, \
         pg_catalog.min(p.groupid)::pg_catalog.int4, \
         EXISTS (SELECT FROM pg_catalog.pg_constraint AS k WHERE k.conrelid {EQUAL} $1 \
         AND k.conname {EQUAL} 'chunks_id_names_document' AND k.contype {EQUAL} 'c'), \
         pg_catalog.min(p.groupid)::pg_catalog.int4 {EQUAL} (SELECT l.groupid FROM pg_catalog.pg_dist_local_group AS l), \
         s.logicalrelid::pg_catalog.oid {EQUAL} k.oid \
         FROM pg_catalog.pg_dist_shard AS s \
         JOIN pg_catalog.pg_dist_placement AS p ON p.shardid {EQUAL} s.shardid \
         LEFT JOIN pg_catalog.pg_class AS k ON k.relname {EQUAL} 'shard_keys' AND k.relnamespace {EQUAL} \
         (SELECT t.relnamespace FROM pg_catalog.pg_class AS t WHERE t.oid {EQUAL} $1) \
         WHERE s.logicalrelid::pg_catalog.oid {EQUAL} ANY ($2) OR s.logicalrelid::pg_catalog.oid {EQUAL} k.oid \
         GROUP BY 1, 2, 3, 4, 8 ORDER BY 1, 3, 2"
    )
}
