/*!
Filters: which chunks are searched.

Filters are conditions of the statements that find chunks, so they apply before any limit. A condition on
a column that the store lacks matches nothing.
*/

use super::query_embedding::QueryEmbedding;
use crate::server::spi::Value;
use crate::server::sql_text::{AT_LEAST, CONTAINS, EQUAL, LIKE, MERGE, SUBTRACT};
use crate::server::types::Json;
use crate::store::layout::{Layout, Relation};

/// The filters of a call. `None` does not filter.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    pub collection: Option<String>,
    pub version: Option<String>,
    /// The exact uri.
    pub uri: Option<String>,
    /// A pattern of LIKE.
    pub uri_pattern: Option<String>,
    /// A media type, or all of a type as in `text/*`.
    pub media_type: Option<String>,
    pub kind: Option<String>,
    /// An lquery.
    pub path: Option<String>,
    /// An object that the merged metadata of document and chunk must contain.
    pub metadata: Option<Json>,
    /// The minimum cosine similarity to the embedding.
    pub min_similarity: Option<f64>,
    /// Whether documents without a source are searched too.
    pub include_orphaned: bool,
}

/// The set of given filters, which determines the text of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterShape(u16);

const COLLECTION: u16 = 1;
const VERSION: u16 = 1 << 1;
const URI: u16 = 1 << 2;
const URI_PATTERN: u16 = 1 << 3;
const MEDIA_TYPE: u16 = 1 << 4;
const KIND: u16 = 1 << 5;
const PATH: u16 = 1 << 6;
const METADATA: u16 = 1 << 7;
const SIMILARITY: u16 = 1 << 8;
const NOT_ORPHANED: u16 = 1 << 9;

impl Filters {
    /// Returns the given filters with their values, in the order of the parameters.
    fn given(&self) -> Vec<(u16, Value)> {
        let text = |bit, value: &Option<String>| Some((bit, Value::new(value.clone()?)));
        let like = |media_type: &String| {
            let escaped = media_type.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
            let pattern = escaped.strip_suffix('*').map(|prefix| format!("{prefix}%"));
            (MEDIA_TYPE, Value::new(pattern.unwrap_or(escaped)))
        };
        [
            text(COLLECTION, &self.collection),
            text(VERSION, &self.version),
            text(URI, &self.uri),
            text(URI_PATTERN, &self.uri_pattern),
            self.media_type.as_ref().map(like),
            text(KIND, &self.kind),
            text(PATH, &self.path),
            self.metadata.as_ref().map(|json| (METADATA, Value::new(json.text().to_owned()))),
            self.min_similarity.map(|min| (SIMILARITY, Value::new(min))),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Returns the set of given filters.
    pub fn shape(&self) -> FilterShape {
        let given = self.given().iter().fold(0, |bits, (bit, _)| bits | bit);
        FilterShape(if self.include_orphaned { given } else { given | NOT_ORPHANED })
    }

    /// Returns the values of the given filters.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        self.given().into_iter().map(|(_, value)| value)
    }
}

impl FilterShape {
    fn has(self, bits: u16) -> bool {
        self.0 & bits != 0
    }

    /// Returns whether a filter needs a column of the chunk.
    pub fn needs_chunk(self) -> bool {
        self.has(KIND | PATH | METADATA)
    }

    /// Returns whether a filter needs a column of the document.
    fn needs_document(self) -> bool {
        self.has(COLLECTION | VERSION | URI | URI_PATTERN | MEDIA_TYPE | METADATA)
    }

    /// Returns the join with documents that the conditions need. `document` is the column with the id of
    /// the document.
    pub fn join(self, layout: &Layout, document: &str) -> String {
        let documents = layout.documents.as_ref().filter(|_| self.needs_document());
        documents.map_or_else(String::new, |documents| {
            format!(" JOIN {} AS d ON d.id {EQUAL} {document}", documents.name)
        })
    }

    /// Returns the condition that the document is not orphaned. If documents are not joined, a partial
    /// index collects the orphaned ones once: looking up each chunk's document took a third of a search,
    /// and with a join the plan began with all documents.
    fn not_orphaned(self, layout: &Layout, document: &str) -> Option<String> {
        let documents = layout.documents.as_ref().filter(|relation| relation.has("orphaned_at"))?;
        match (self.has(NOT_ORPHANED), self.needs_document()) {
            (false, _) => None,
            (true, true) => Some("d.orphaned_at IS NULL".to_owned()),
            (true, false) => Some(format!(
                "NOT ({document} {EQUAL} ANY (SELECT d.id FROM {} AS d WHERE d.orphaned_at IS NOT NULL))",
                documents.name
            )),
        }
    }

    /// Returns the conditions, each after an AND, on the aliases `d` of documents, `c` of chunks and `e`
    /// of embeddings. `document` is the column with the id of the document, `first` the number of the
    /// first parameter. With a filter on similarity `$1` is the embedding.
    pub fn conditions(
        self,
        layout: &Layout,
        document: &str,
        embedding: Option<&QueryEmbedding>,
        first: usize,
    ) -> String {
        let documents = layout.documents.as_ref();
        let of_document = |column: &str, sql_type| {
            Relation::columns(documents, "d", &[(column, sql_type)]).remove(0)
        };
        let mut next = first;
        let mut conditions = String::new();
        let mut add = |bit: u16, condition: &dyn Fn(&str) -> String| {
            if self.has(bit) {
                conditions.push_str(" AND ");
                conditions.push_str(&condition(&format!("${next}")));
                next += 1;
            }
        };
        let equal = |left: &str, right: &str| format!("{left} {EQUAL} {right}");
        let like = |left: &str, right: &str| format!("{left} {LIKE} {right}");
        add(COLLECTION, &|value| equal(&of_document("collection", "text"), value));
        add(VERSION, &|value| equal(&of_document("version", "text"), value));
        add(URI, &|value| equal(&of_document("uri", "text"), value));
        add(URI_PATTERN, &|value| like(&of_document("uri", "text"), value));
        add(MEDIA_TYPE, &|value| like(&of_document("media_type", "text"), value));
        add(KIND, &|value| equal(&layout.chunks.column("c", "kind", "text"), value));
        add(PATH, &|value| match layout.ltree_schema() {
            Some(schema) => {
                format!("c.path OPERATOR({schema}.~) {value}::{schema}.lquery")
            }
            None => format!("{value} IS NULL"),
        });
        add(METADATA, &|value| {
            let metadata =
                [of_document("metadata", "jsonb"), layout.chunks.column("c", "metadata", "jsonb")]
                    .map(|metadata| format!("coalesce({metadata}, '{{}}'::pg_catalog.jsonb)"));
            format!(
                "({} {MERGE} {}) {CONTAINS} {value}::pg_catalog.jsonb",
                metadata[0], metadata[1]
            )
        });
        add(SIMILARITY, &|value| match embedding {
            Some(embedding) => {
                let one = "1::pg_catalog.float8";
                format!("({one} {SUBTRACT} ({})) {AT_LEAST} {value}", embedding.cosine())
            }
            None => format!("{value} IS NULL"),
        });
        if let Some(condition) = self.not_orphaned(layout, document) {
            conditions.push_str(" AND ");
            conditions.push_str(&condition);
        }
        conditions
    }

    /// Returns whether a filter needs the embedding of the chunk.
    pub fn needs_similarity(self) -> bool {
        self.has(SIMILARITY)
    }
}
