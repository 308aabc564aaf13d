//! Documents with the same text.

use super::super::connection::Store;
use super::super::error::Error;
use serde::Serialize;
use uuid::Uuid;

/// The maximum number of documents with a text that are all compared with each other. Of more, the first one is compared with
/// each other one, so a license header in ten thousand files does not make fifty million pairs.
const MAX_COMPARED: i64 = 100;

/// Two documents that share text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Duplicate {
    /// The share of the smaller document that the other one has too, 0 to 1.
    pub share: f64,
    /// The share of the larger document that the other one has too, 0 to 1.
    pub share_of_larger: f64,
    /// The documents, the larger first.
    pub documents: [DuplicateDocument; 2],
}

/// A document with the same text as another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DuplicateDocument {
    /// The id.
    pub id: Uuid,
    /// The collection, which may be empty.
    pub collection: String,
    /// The version, which may be empty.
    pub version: String,
    /// The uri, if the store has one.
    pub uri: Option<String>,
    /// The number of characters of its different chunks.
    pub characters: i64,
}

impl Store {
    /// Finds pairs of documents of which the smaller one shares at least `min_share` of its text, 0 to 1, with the larger one.
    /// The most shared text comes first.
    ///
    /// Texts are compared by chunk, without regard to case and white space. Versions of one collection are not compared with
    /// each other, and orphaned documents with none.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist or the caller may not read it.
    pub async fn duplicates(
        &self,
        collection: Option<&str>,
        min_share: f64,
        limit: u32,
    ) -> Result<Vec<Duplicate>, Error> {
        let (schema, layout) = (&self.schema, self.layout().await?);
        let text = |column| layout.text("documents", column);
        let sql = format!(
            r"WITH document AS (
                SELECT documents.id, coalesce({collection}, '') AS collection, coalesce({version}, '') AS version, {uri} AS uri
                FROM {documents} WHERE {orphaned} IS NULL AND ($1::text IS NULL OR coalesce({collection}, '') = $1)
            ), part AS (
                -- A text that comes twice in a document counts once.
                SELECT DISTINCT document_id, md5(text) AS hash, char_length(text)::bigint AS size
                FROM (
                    -- OFFSET keeps the text from being computed for each of its uses.
                    SELECT chunks.document_id, lower(btrim(regexp_replace(chunks.content::text, '\s+', ' ', 'g'))) AS text
                    FROM {schema}.chunks JOIN document ON document.id = chunks.document_id OFFSET 0
                ) AS normalized
            ), counted AS (
                SELECT *, count(*) OVER (PARTITION BY hash) AS holders, row_number() OVER (PARTITION BY hash ORDER BY document_id) AS place,
                    sum(size) OVER (PARTITION BY document_id) AS whole
                FROM part WHERE size > 0
            ), pair AS (
                SELECT a.document_id AS one, b.document_id AS other, sum(a.size)::float8 AS shared, max(a.whole)::float8 AS one_size, max(b.whole)::float8 AS other_size
                FROM counted AS a JOIN counted AS b ON a.hash = b.hash AND a.document_id < b.document_id AND (a.holders <= {MAX_COMPARED} OR a.place = 1)
                WHERE a.holders > 1 GROUP BY a.document_id, b.document_id
            )
            SELECT least(1, shared / least(one_size, other_size)), least(1, shared / greatest(one_size, other_size)),
                one.id, one.collection, one.version, one.uri, one_size::bigint, other.id, other.collection, other.version, other.uri, other_size::bigint
            FROM pair JOIN document AS one ON one.id = pair.one JOIN document AS other ON other.id = pair.other
            WHERE shared >= $2::float8 * least(one_size, other_size) AND (one.collection <> other.collection OR one.version = other.version)
            ORDER BY shared DESC, one.uri, other.uri, one.id, other.id LIMIT $3::bigint",
            collection = text("collection"),
            version = text("version"),
            uri = text("uri"),
            documents = layout.documents(schema),
            orphaned = layout.time("documents", "orphaned_at"),
        );
        let rows = self.query(&sql, &[&collection, &min_share, &i64::from(limit)]).await?;
        let document = |row: &tokio_postgres::Row, at: usize| DuplicateDocument {
            id: row.get(at),
            collection: row.get(at + 1),
            version: row.get(at + 2),
            uri: row.get(at + 3),
            characters: row.get(at + 4),
        };
        let duplicate = |row: &tokio_postgres::Row| {
            let mut documents = [document(row, 2), document(row, 7)];
            documents.sort_by_key(|document| std::cmp::Reverse(document.characters));
            Duplicate { share: row.get(0), share_of_larger: row.get(1), documents }
        };
        Ok(rows.iter().map(duplicate).collect())
    }
}
