/*!
Filters: which chunks a search is about.

All of them are conditions of the statements that find chunks, so they apply before any limit. A
condition on what a store lacks matches nothing.
*/

use super::layout::{Layout, Relation};
use super::operators::{AT_LEAST, CONTAINS, EQUAL, LIKE, MERGE, SUBTRACT};
use super::vectors::Vectors;
use crate::spi::Value;
use crate::types::Json;

/// The filters of a call; those that are not given say nothing.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    pub collection: Option<String>,
    pub version: Option<String>,
    /// The uri exactly.
    pub uri: Option<String>,
    /// A pattern of LIKE.
    pub uri_pattern: Option<String>,
    /// A media type, or all of a kind as in `text/*`.
    pub media_type: Option<String>,
    pub kind: Option<String>,
    /// An lquery.
    pub path: Option<String>,
    /// What the metadata of the document and of the chunk together contain.
    pub metadata: Option<Json>,
    /// The least cosine similarity to the embedding.
    pub min_similarity: Option<f64>,
    /// Whether documents whose source is gone are searched, too.
    pub include_orphaned: bool,
}

/// Which filters there are: all that a statement depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape(u16);

const COLLECTION: u16 = 1;
const VERSION: u16 = 1 << 1;
const URI: u16 = 1 << 2;
const URI_PATTERN: u16 = 1 << 3;
const MEDIA_TYPE: u16 = 1 << 4;
const KIND: u16 = 1 << 5;
const PATH: u16 = 1 << 6;
const METADATA: u16 = 1 << 7;
const SIMILARITY: u16 = 1 << 8;
const PRESENT: u16 = 1 << 9;

impl Filters {
    /// Returns the filters there are, each with its value, in the order of the parameters.
    fn given(&self) -> Vec<(u16, Value)> {
        let text = |bit, value: &Option<String>| Some((bit, Value::new(value.clone()?)));
        let like = |media_type: &String| {
            let escaped = media_type.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
            let pattern = escaped.strip_suffix('*').map(|all| format!("{all}%"));
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
            self.min_similarity.map(|least| (SIMILARITY, Value::new(least))),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Returns which filters there are.
    pub fn shape(&self) -> Shape {
        let given = self.given().iter().fold(0, |bits, (bit, _)| bits | bit);
        Shape(if self.include_orphaned { given } else { given | PRESENT })
    }

    /// Returns the values of the filters there are.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        self.given().into_iter().map(|(_, value)| value)
    }
}

impl Shape {
    fn has(self, bits: u16) -> bool {
        self.0 & bits != 0
    }

    /// Tells whether something of the chunk itself is asked.
    pub fn asks_chunk(self) -> bool {
        self.has(KIND | PATH | METADATA)
    }

    /// Tells whether documents are chosen by what they are.
    fn asks_document(self) -> bool {
        self.has(COLLECTION | VERSION | URI | URI_PATTERN | MEDIA_TYPE | METADATA)
    }

    /// Writes the join with documents that the conditions need; `document` is the column that has the
    /// id.
    pub fn join(self, layout: &Layout, document: &str) -> String {
        let documents = layout.documents.as_ref().filter(|_| self.asks_document());
        documents.map_or_else(String::new, |documents| {
            format!(" JOIN {} AS d ON d.id {EQUAL} {document}", documents.name)
        })
    }

    /// Writes that the source of the document is there. Where documents are not joined, those whose
    /// source is gone are gathered once, by an index that has no others: to look up each chunk's
    /// document took a third of a search, and a join let the plan begin with all documents.
    fn present(self, layout: &Layout, document: &str) -> Option<String> {
        let documents = layout.documents.as_ref().filter(|of| of.has("orphaned_at"))?;
        match (self.has(PRESENT), self.asks_document()) {
            (false, _) => None,
            (true, true) => Some("d.orphaned_at IS NULL".to_owned()),
            (true, false) => Some(format!(
                "NOT ({document} {EQUAL} ANY (SELECT d.id FROM {} AS d WHERE d.orphaned_at IS NOT NULL))",
                documents.name
            )),
        }
    }

    /// Writes the conditions on the alias `d` of documents, `c` of chunks and `e` of embeddings,
    /// each behind an AND; `document` is the column that has a document's id, parameters count from
    /// `first`, and `$1` is the embedding where similarity is asked of the alias `e`.
    pub fn conditions(
        self,
        layout: &Layout,
        document: &str,
        vectors: Option<&Vectors>,
        first: usize,
    ) -> String {
        let documents = layout.documents.as_ref();
        let of_document =
            |column: &str, sql_type| Relation::all(documents, "d", &[(column, sql_type)]).remove(0);
        let mut next = first;
        let mut written = String::new();
        let mut add = |bit: u16, condition: &dyn Fn(&str) -> String| {
            if self.has(bit) {
                written.push_str(" AND ");
                written.push_str(&condition(&format!("${next}")));
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
        add(PATH, &|value| match layout.ltree() {
            Some(schema) => {
                format!("c.path OPERATOR({schema}.~) {value}::{schema}.lquery")
            }
            None => format!("{value} IS NULL"),
        });
        add(METADATA, &|value| {
            let metadata =
                [of_document("metadata", "jsonb"), layout.chunks.column("c", "metadata", "jsonb")]
                    .map(|of| format!("coalesce({of}, '{{}}'::pg_catalog.jsonb)"));
            format!(
                "({} {MERGE} {}) {CONTAINS} {value}::pg_catalog.jsonb",
                metadata[0], metadata[1]
            )
        });
        add(SIMILARITY, &|value| match vectors {
            Some(vectors) => {
                let one = "1::pg_catalog.float8";
                format!("({one} {SUBTRACT} ({})) {AT_LEAST} {value}", vectors.cosine())
            }
            None => format!("{value} IS NULL"),
        });
        if let Some(condition) = self.present(layout, document) {
            written.push_str(" AND ");
            written.push_str(&condition);
        }
        written
    }

    /// Tells whether the nearness of a chunk's embedding is asked.
    pub fn asks_similarity(self) -> bool {
        self.has(SIMILARITY)
    }
}
