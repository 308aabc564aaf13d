//! Ordinary values of all arguments, by which most functions succeed.

use super::Argument;
use crate::Cluster;

/// Values for a store with the document `guide.md`, a table `notes` in its schema, and ids of the document and its
/// chunks.
#[derive(Debug)]
pub struct OrdinaryValues {
    document: String,
    chunk: String,
    chunks: String,
}

/// The value of an argument, by its name or else by its type. [`OrdinaryValues::fill`] replaces the words in capitals.
const VALUES: &[(&str, &str)] = &[
    ("store", "STORE"),
    ("query", "'hidden steps'"),
    ("embedding", "'{1,0,0}'"),
    ("mode", "'hybrid'"),
    ("strategy", "'broad'"),
    ("siblings", "'parent'"),
    ("within", "'document'"),
    ("count_by", "'chunks'"),
    ("windows", "'{\"code\": 4}'"),
    ("threshold", "0.5"),
    (
        "filter",
        r#"'{"version": "1", "uri_pattern": "%.md", "media_type": "text/*", "include_orphaned": true}'"#,
    ),
    (
        "limits",
        r#"'{"parents": 1, "before": 1, "windows": {"code": 4}, "count_by": "chunks", "max_passage_tokens": 500}'"#,
    ),
    ("ranking", r#"'{"vector_weight": 0.5, "score_by": "sum"}'"#),
    (
        "output",
        r#"'{"imports": true, "gaps": "comment", "marks": ["A", "B"], "order_by": "document"}'"#,
    ),
    (
        "splitting",
        r#"'{"max_size": 1000, "min_size": 200, "split_at": "^=== ", "split_offsets": [0]}'"#,
    ),
    ("kind", "'prose'"),
    ("media_type", "'text/markdown'"),
    ("path", "'*'"),
    ("uri", "'guide.md'"),
    ("uri_pattern", "'%.md'"),
    ("collection", "'docs'"),
    ("version", "'1'"),
    ("metadata", "'{}'"),
    ("score_by", "'max'"),
    ("rating", "0.5"),
    ("command", "'SELECT'"),
    ("order_by", "'score'"),
    ("gaps", "'comment'"),
    ("distance", "'cosine'"),
    ("embedding_type", "'vector'"),
    ("dimensions", "3"),
    ("language", "'pg_catalog.english'"),
    ("partitions", "2"),
    ("distributed", "NULL"),
    ("document_id", "DOCUMENT"),
    ("chunk_id", "CHUNK"),
    ("chunk_ids", "ALL_CHUNKS"),
    ("hit_ids", "ALL_CHUNKS"),
    ("scores", "NULL"),
    ("base_url", "'https://example.org/'"),
    ("text", "'# Hidden steps'"),
    ("template", "'notes/{id}'"),
    ("columns", "'{\"id\": 1}'"),
    ("condition", "'true'"),
    ("adoption", "'{}'"),
    ("part", "'{}'"),
    ("given", "'{}'"),
    ("source_id", "'1'"),
    ("key", "CHUNK"),
    ("source", "'small.notes'::pg_catalog.regclass"),
    ("side", "'small.chunks'::pg_catalog.regclass"),
    ("relation", "'small.notes'::pg_catalog.regclass"),
    ("expression", "'id'"),
    ("remedy", "'SELECT 1;'"),
    ("keys", "ALL_CHUNKS"),
    ("relations", r#"'{"\"small\".\"chunks\""}'"#),
    ("shards", "'{1}'"),
    ("statement", "'SELECT 1'"),
    ("access", "'any'"),
    ("arguments", "'{}'"),
    ("names", "'{id,body}'"),
    ("role", "CURRENT_USER"),
    ("operation", "'ingest'"),
    ("commands", "'{SELECT,INSERT}'"),
    ("scope", "'small.notes'::pg_catalog.regclass"),
    ("documents", "'[]'"),
    ("document_ids", "pg_catalog.array_fill(DOCUMENT::pg_catalog.uuid, '{20}')"),
    ("document_places", "'{1}'"),
    ("ids", "ALL_CHUNKS"),
    ("sections", "'{\"{}\"}'"),
    ("contents", "'{Hidden}'"),
    ("preambles", "'{\"\"}'"),
    ("embedded", "'{1}'"),
    ("are_new", "'{f}'"),
    ("anyarray", "'{\"[1,0,0]\"}'::pg_catalog.text[]"),
    ("anyelement", "'{}'::pg_catalog.json"),
    ("smallint[]", "'{1,2}'"),
    ("bigint", "1"),
    ("bigint[]", "'{1}'"),
    ("integer[]", "'{1}'"),
    ("text[]", "'{A,B}'"),
    ("ltree", "'A.B'"),
    ("name", "STORE"),
    ("integer", "1"),
    ("smallint", "1::pg_catalog.int2"),
    ("boolean", "true"),
    ("oid", "0"),
    ("oid[]", "'{}'"),
    ("uuid", "DOCUMENT"),
    ("uuid[]", "ARRAY[DOCUMENT]::pg_catalog.uuid[]"),
    ("boolean[]", "'{t}'"),
    ("bytea", "''"),
    ("regclass", "'small.notes'"),
    ("name[]", "'{id}'"),
    ("text", "'id'"),
    ("double precision", "0.5"),
    ("jsonb", "'{}'"),
    ("record", "ROW(1, 'one')"),
];

impl OrdinaryValues {
    /// Reads the ids that a store has.
    ///
    /// # Panics
    ///
    /// Panics if the store does not have the document.
    pub async fn of(cluster: &Cluster, store: &str) -> Self {
        let one = async |what: String| cluster.query_text(&what).await;
        Self {
            document: one(format!("SELECT id FROM {store}.documents WHERE uri = 'guide.md'")).await,
            chunk: one(format!(
                "SELECT id FROM {store}.chunks ORDER BY level DESC, ordinal LIMIT 1"
            ))
            .await,
            chunks: one(format!(
                "SELECT array_agg(id ORDER BY document_id, ordinal) FROM {store}.chunks"
            ))
            .await,
        }
    }

    /// Returns the value of an argument as SQL.
    ///
    /// # Panics
    ///
    /// Panics if neither the name nor the type of the argument is known.
    pub fn get(&self, argument: &Argument) -> &'static str {
        value(argument).unwrap_or_else(|| panic!("no value for {argument:?}"))
    }

    /// Returns whether an argument has a value.
    pub fn knows(argument: &Argument) -> bool {
        value(argument).is_some()
    }

    /// Fills the ids and the name of a store into SQL with values.
    pub fn fill(&self, sql: &str, store: &str) -> String {
        sql.replace("STORE", &format!("'{store}'"))
            .replace("ALL_CHUNKS", &format!("'{}'", self.chunks))
            .replace("DOCUMENT", &format!("'{}'", self.document))
            .replace("CHUNK", &format!("'{}'", self.chunk))
    }
}

fn value(argument: &Argument) -> Option<&'static str> {
    ordinary_value(&argument.name).or_else(|| ordinary_value(&argument.sql_type))
}

/// Returns the value of an argument as SQL by its name, or by its type if that is given.
pub fn ordinary_value(key: &str) -> Option<&'static str> {
    VALUES.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
}
