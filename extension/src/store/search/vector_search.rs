/*!
Vector search: the chunks nearest to an embedding.

pgvector scans the index in the order of distance. If filters, policies or a view can hide chunks, the scan goes on until enough
chunks pass them. That is its iterative scan, which is on for the duration of the statement. The
scan ends after `hnsw.max_scan_tuples`, and an index may miss a chunk. So if it returns fewer chunks than
requested, the chunks that pass the filters are compared one by one, up to a limit, and the nearest of both are
returned. If there are more chunks than the limit, the caller gets a NOTICE.

The index of a store of type binary has only the signs of the embeddings. It finds many more chunks than
requested, and the same statement orders them by the distance of their embeddings.
*/

use super::RankedChunks;
use super::filter_shape::{FilterShape, MetadataPart};
use super::filters::Filters;
use super::index_scan::{IndexScan, candidates, visited};
use super::query_embedding::QueryEmbedding;
use crate::server::spi::{Access, Connection, Value};
use crate::server::sql_text::EQUAL;
use crate::store::Store;
use crate::store::layout::{Layout, Relation, StatementKey};
use crate::store::shards::Route;
use passage_split::interrupt::poll_periodically as pause;
use pgrx::{PgLogLevel, PgSqlErrorCode, function_name};
use std::collections::HashSet;

/// How the nearest chunks are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VectorScan {
    /// By the index.
    Indexed,
    /// By the index of signs, then by their distances.
    Reranked,
    /// One by one.
    Exact,
}

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct NearestStatement {
    scan: VectorScan,
    filters: FilterShape,
}

impl StatementKey for NearestStatement {
    fn access(&self) -> Access {
        match self.scan {
            VectorScan::Indexed | VectorScan::Reranked => Access::Index,
            VectorScan::Exact => Access::Any,
        }
    }
}

/// The maximum number of chunks that are compared one by one.
const MAX_COMPARED: usize = 20_000;

impl Store {
    /// Finds the chunks nearest to an embedding, best first, at most `limit`, with the score of the
    /// store's distance.
    pub fn vector_search(
        &self,
        connection: &Connection,
        embedding: &QueryEmbedding,
        filters: &Filters,
        limit: usize,
    ) -> RankedChunks {
        // By cosine, chunks below `min_similarity` come last, so the statement needs no condition.
        let by_cosine = embedding.is_cosine();
        let conditions =
            if by_cosine { &Filters { min_similarity: None, ..filters.clone() } } else { filters };
        let indexed =
            if embedding.is_binary() { VectorScan::Reranked } else { VectorScan::Indexed };
        let read = |scan, goes_on, limit| {
            self.nearest(connection, embedding, conditions, scan, goes_on, limit)
        };
        let shows_all = self.shows_all(conditions);
        let (mut nearest, _) = read(indexed, !shows_all, limit);
        let mut all = None;
        if nearest.len() < limit && shows_all {
            let (few, count) = read(VectorScan::Exact, false, limit + 1);
            if count > limit {
                // Clusters that the index does not connect, or many chunks of orphaned documents.
                (nearest, _) = read(indexed, true, limit);
            } else {
                all = Some((few, count));
            }
        }
        if nearest.len() < limit {
            let (exact, count) =
                all.unwrap_or_else(|| read(VectorScan::Exact, false, MAX_COMPARED + 1));
            if count > MAX_COMPARED {
                report_shortfall(nearest.len(), limit);
            }
            // `exact` may be an arbitrary part of the chunks, so those of the index stay.
            let known: HashSet<_> = nearest.iter().map(|(chunk, _)| *chunk).collect();
            nearest.extend(exact.into_iter().filter(|(chunk, _)| !known.contains(chunk)));
        }
        nearest.sort_by(|(a, first), (b, second)| first.total_cmp(second).then(a.cmp(b)));
        nearest.truncate(limit);
        let score = |(chunk, distance)| (chunk, embedding.score(distance));
        let min_similarity = filters.min_similarity.filter(|_| by_cosine);
        let is_similar = |(_, score): &(_, f64)| min_similarity.is_none_or(|min| *score >= min);
        nearest.into_iter().map(score).filter(is_similar).collect()
    }

    /// Returns whether neither filters nor policies nor a view hide chunks, but those of orphaned documents, so that a scan of
    /// the index need not go on.
    fn shows_all(&self, filters: &Filters) -> bool {
        let Layout { embeddings, documents, may_have_shards, .. } = &*self.0;
        let shows_all = |relation: &Relation| relation.is_table && !relation.has_policies();
        !may_have_shards
            && !filters.shape().has_conditions()
            && documents.as_ref().is_none_or(shows_all)
            && embeddings
                .as_ref()
                .is_some_and(|embeddings| shows_all(embeddings) && embeddings.has_document_id())
    }

    /// Reads chunks with their distances. Also returns how many were read, with those that have none.
    fn nearest(
        &self,
        connection: &Connection,
        embedding: &QueryEmbedding,
        filters: &Filters,
        scan: VectorScan,
        goes_on: bool,
        limit: usize,
    ) -> (RankedChunks, usize) {
        let shape = filters.shape();
        let key = NearestStatement { scan, filters: shape.clone() };
        let statement = self.0.statement(key, || statement(&self.0, embedding, scan, &shape));
        let mut values = vec![embedding.value(), Value::new(limit as i64)];
        let visited = match scan {
            VectorScan::Indexed => Some(visited(limit)),
            VectorScan::Reranked => {
                let candidates = candidates(limit);
                values.push(Value::new(candidates as i64));
                Some(candidates)
            }
            VectorScan::Exact => None,
        };
        let index_scan = visited.map(|visited| IndexScan { visited, goes_on });
        values.extend(filters.values());
        let rows = self.read(connection, &statement, values, Route::All, index_scan);
        let chunk = |row| {
            pause(row);
            let distance: f64 = rows.get(row, 1)?;
            // The cosine distance to a zero vector is undefined.
            (!distance.is_nan()).then(|| (rows.uuid(row, 0), distance))
        };
        ((0..rows.len()).filter_map(chunk).collect(), rows.len())
    }
}

fn statement(
    layout: &Layout,
    embedding: &QueryEmbedding,
    scan: VectorScan,
    filters: &FilterShape,
) -> String {
    let embeddings = layout.embeddings.as_ref().expect("there are embeddings");
    // Embeddings without a document id are joined with their chunk.
    let has_document_id = embeddings.has_document_id();
    let document = if has_document_id { "e.document_id" } else { "c.document_id" };
    let first = if scan == VectorScan::Reranked { 4 } else { 3 };
    let documents = filters.join(layout, document);
    let chunks = if filters.needs_chunk() || !has_document_id {
        let document = if has_document_id && layout.chunks.ids_name_documents {
            format!(" AND c.document_id {EQUAL} e.document_id")
        } else {
            String::new()
        };
        format!(" JOIN {} AS c ON c.id {EQUAL} e.chunk_id{document}", layout.chunks.name)
    } else {
        String::new()
    };
    let distance = embedding.distance();
    let select = |part| {
        format!(
            "SELECT {id} AS chunk_id, {distance} AS distance FROM {embeddings} AS e{chunks}{documents} WHERE true{conditions}",
            id = embeddings.column("e", "chunk_id", "uuid"),
            embeddings = embeddings.name,
            conditions = filters.conditions(layout, document, Some(embedding), first, part),
        )
    };
    // The vector index finds the chunks of both parts in one scan.
    let from = select(MetadataPart::All);
    match scan {
        VectorScan::Indexed => format!("{from} ORDER BY {distance} LIMIT $2"),
        VectorScan::Reranked => format!(
            "SELECT chunk_id, distance FROM ({from} ORDER BY {} LIMIT $3) AS candidate ORDER BY distance LIMIT $2",
            embedding.indexed_distance()
        ),
        VectorScan::Exact => {
            let parts: Vec<_> = filters.parts(layout).iter().map(|part| select(*part)).collect();
            format!("{} LIMIT $2", parts.join(" UNION ALL "))
        }
    }
}

/// Reports that more chunks pass the filters than were found.
fn report_shortfall(count: usize, limit: usize) {
    let message = format!("only {count} of {limit} nearest chunks were found");
    pgrx::pg_sys::panic::ErrorReport::new(
        PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION,
        message,
        function_name!(),
    )
    .set_detail("Few of the chunks near the embedding pass the filters or policies.")
    .set_hint("Raise hnsw.max_scan_tuples.")
    .report(PgLogLevel::NOTICE);
}
