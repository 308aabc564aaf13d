/*!
The structure of filters, and the conditions that they are in a statement.

Filters of one structure share a statement: only their values differ, which are parameters. A condition on a column that
the store lacks matches nothing.
*/

use super::metadata_conditions::{MetadataColumns, metadata_condition};
use super::query_embedding::QueryEmbedding;
use crate::server::sql_text::{AT_LEAST, EQUAL, HAS_ANY, LIKE, SUBTRACT};
use crate::store::layout::{Layout, Relation};
use passage_core::metadata_filter::Condition;

/// The structure of the filters, which determines the text of a statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilterShape {
    given: u16,
    /// The conditions on metadata, and the number of their operands.
    metadata: Option<(Condition, usize)>,
}

/// The chunks that a condition on metadata selects from. If indexes on the metadata of documents and chunks are to
/// answer it, a statement reads the chunks in two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetadataPart {
    /// All chunks.
    All,
    /// The chunks without the keys of the filter, which have the values of their documents.
    OfDocuments,
    /// The chunks with some of these keys.
    OfChunks,
}

pub(super) const COLLECTION: u16 = 1;
pub(super) const VERSION: u16 = 1 << 1;
pub(super) const VERSION_PATTERN: u16 = 1 << 2;
pub(super) const LATEST: u16 = 1 << 3;
pub(super) const URI: u16 = 1 << 4;
pub(super) const URI_PATTERN: u16 = 1 << 5;
pub(super) const MEDIA_TYPE: u16 = 1 << 6;
pub(super) const KIND: u16 = 1 << 7;
pub(super) const PATH: u16 = 1 << 8;
pub(super) const METADATA: u16 = 1 << 9;
pub(super) const SIMILARITY: u16 = 1 << 10;
pub(super) const NOT_ORPHANED: u16 = 1 << 11;

/// Numbers parameters.
struct Parameters(usize);

impl Parameters {
    fn parameter(&mut self) -> String {
        self.0 += 1;
        format!("${}", self.0 - 1)
    }
}

impl FilterShape {
    /// Creates the structure of filters from the bits of those that are given. `metadata` are the conditions on
    /// metadata, and the number of their operands.
    pub(super) fn new(given: u16, metadata: Option<(Condition, usize)>) -> Self {
        Self { given, metadata }
    }

    fn has(&self, bits: u16) -> bool {
        self.given & bits != 0
    }

    /// Returns whether there is a filter beside the one that hides orphaned documents.
    pub fn has_conditions(&self) -> bool {
        self.given & !NOT_ORPHANED != 0 || self.metadata.is_some()
    }

    /// Returns whether a filter needs a column of the chunk.
    pub fn needs_chunk(&self) -> bool {
        self.has(KIND | PATH | METADATA)
    }

    /// Returns whether a filter needs a column of the document.
    fn needs_document(&self) -> bool {
        self.has(
            COLLECTION
                | VERSION
                | VERSION_PATTERN
                | LATEST
                | URI
                | URI_PATTERN
                | MEDIA_TYPE
                | METADATA,
        )
    }

    /// Returns the join with documents that the conditions need. `document` is the column with the id of
    /// the document.
    pub fn join(&self, layout: &Layout, document: &str) -> String {
        let documents = layout.documents.as_ref().filter(|_| self.needs_document());
        documents.map_or_else(String::new, |documents| {
            format!(" JOIN {} AS d ON d.id {EQUAL} {document}", documents.name)
        })
    }

    /// Returns the parts in which a statement that reads many chunks finds them by the indexes of the store.
    pub fn parts(&self, layout: &Layout) -> &'static [MetadataPart] {
        let relations = [layout.documents.as_ref(), Some(&layout.chunks)];
        let have = |is: fn(&Relation) -> bool| relations.map(|relation| relation.is_some_and(is));
        if self.has(METADATA)
            && have(has_metadata) == [true; 2]
            && have(|relation| relation.has_metadata_index) != [false; 2]
        {
            &[MetadataPart::OfDocuments, MetadataPart::OfChunks]
        } else {
            &[MetadataPart::All]
        }
    }

    /// Returns the condition that the document is not orphaned. If documents are not joined, a partial
    /// index collects the orphaned ones once: looking up each chunk's document took a third of a search,
    /// and with a join the plan began with all documents.
    fn not_orphaned(&self, layout: &Layout, document: &str) -> Option<String> {
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
        &self,
        layout: &Layout,
        document: &str,
        embedding: Option<&QueryEmbedding>,
        first: usize,
        part: MetadataPart,
    ) -> String {
        let of_document = |column: &str| {
            Relation::columns(layout.documents.as_ref(), "d", &[(column, "text")]).remove(0)
        };
        let mut next = Parameters(first);
        let mut conditions = Vec::new();
        let any_of =
            |column: &str, operator, value: String| format!("{column} {operator} ANY ({value})");
        if self.has(COLLECTION) {
            conditions.push(any_of(&of_document("collection"), EQUAL, next.parameter()));
        }
        let versions =
            self.versions(&of_document("collection"), &of_document("version"), &mut next);
        if !versions.is_empty() {
            conditions.push(format!("({})", versions.join(" OR ")));
        }
        if self.has(URI) {
            conditions.push(any_of(&of_document("uri"), EQUAL, next.parameter()));
        }
        if self.has(URI_PATTERN) {
            conditions.push(format!("{} {LIKE} {}", of_document("uri"), next.parameter()));
        }
        if self.has(MEDIA_TYPE) {
            conditions.push(any_of(&of_document("media_type"), LIKE, next.parameter()));
        }
        if self.has(KIND) {
            let kind = layout.chunks.column("c", "kind", "text");
            conditions.push(any_of(&kind, EQUAL, next.parameter()));
        }
        if self.has(PATH) {
            let value = next.parameter();
            conditions.push(match layout.ltree_schema() {
                Some(schema) => format!("c.path OPERATOR({schema}.~) {value}::{schema}.lquery"),
                None => format!("{value} IS NULL"),
            });
        }
        conditions.extend(self.metadata_condition(layout, part, &mut next));
        if self.has(SIMILARITY) {
            let value = next.parameter();
            conditions.push(match embedding {
                Some(embedding) => {
                    let one = "1::pg_catalog.float8";
                    format!("({one} {SUBTRACT} ({})) {AT_LEAST} {value}", embedding.cosine())
                }
                None => format!("{value} IS NULL"),
            });
        }
        conditions.extend(self.not_orphaned(layout, document));
        let mut text = String::new();
        for condition in conditions {
            text.push_str(" AND ");
            text.push_str(&condition);
        }
        text
    }

    /// Returns the conditions on versions, of which one must hold.
    fn versions(&self, collection: &str, version: &str, next: &mut Parameters) -> Vec<String> {
        let mut versions = Vec::new();
        for (bit, operator) in [(VERSION, EQUAL), (VERSION_PATTERN, LIKE)] {
            if self.has(bit) {
                versions.push(format!("{version} {operator} ANY ({})", next.parameter()));
            }
        }
        if self.has(LATEST) {
            let [collections, latest] = [next.parameter(), next.parameter()];
            versions.push(format!(
                "EXISTS (SELECT FROM ROWS FROM (pg_catalog.unnest({collections}), pg_catalog.unnest({latest})) \
                 AS l (collection, version) WHERE l.collection {EQUAL} coalesce({collection}, '') \
                 AND l.version {EQUAL} coalesce({version}, ''))"
            ));
        }
        versions
    }

    /// Returns the condition on metadata for a part of the chunks.
    fn metadata_condition(
        &self,
        layout: &Layout,
        part: MetadataPart,
        next: &mut Parameters,
    ) -> Option<String> {
        let (condition, operands) = self.metadata.as_ref()?;
        let documents = layout.documents.as_ref();
        let document = Relation::columns(documents, "d", &[("metadata", "jsonb")]).remove(0);
        let chunk = layout.chunks.column("c", "metadata", "jsonb");
        let columns = match documents.filter(|relation| has_metadata(relation)) {
            None => MetadataColumns::One(&chunk),
            Some(_) if !has_metadata(&layout.chunks) => MetadataColumns::One(&document),
            Some(_) => MetadataColumns::Both { document: &document, chunk: &chunk },
        };
        let first = next.0;
        next.0 += operands;
        // The last parameter has the keys.
        let has_keys = format!("{chunk} {HAS_ANY} {}", next.parameter());
        let of_part = |columns| metadata_condition(condition, columns, first);
        Some(match part {
            MetadataPart::All => of_part(columns),
            MetadataPart::OfDocuments => {
                let condition = of_part(MetadataColumns::One(&document));
                format!("{condition} AND NOT coalesce({has_keys}, false)")
            }
            MetadataPart::OfChunks => format!("{has_keys} AND {}", of_part(columns)),
        })
    }

    /// Returns whether a filter needs the embedding of the chunk.
    pub fn needs_similarity(&self) -> bool {
        self.has(SIMILARITY)
    }
}

fn has_metadata(relation: &Relation) -> bool {
    relation.can_read("metadata", "jsonb")
}
