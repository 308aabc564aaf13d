/*!
Random calls of every function that reads a store, to compare the answers of two stores with the same documents.

A call is a statement with one column of text. It depends only on its number, so equal stores give equal
rows, on any server.
*/

use crate::Cluster;
use crate::cluster::{is_sql_edition, session_lines};
use std::fmt::Write;
use tokio_postgres::Client;

/// The names of the built-in strategies.
pub const PRESETS: [&str; 9] = [
    "auto",
    "none",
    "adjacent",
    "broad",
    "reassembly",
    "hierarchical",
    "section",
    "document",
    "merge",
];

const WORDS: [&str; 12] = [
    "river", "stone", "lantern", "harbor", "meadow", "copper", "window", "garden", "signal",
    "anchor", "winter", "orchard",
];

/// Returns SQL that ingests about 70 documents of several media types into a store.
pub fn load(store: &str) -> String {
    let words = WORDS.join(",");
    let mut sql = format!(
        "SELECT count(*) FROM generate_series(1, 60) AS d, LATERAL (
            SELECT string_agg(format(E'%s Part %s\\n\\n%s\\n\\n', repeat('#', 1 + (d * 7 + s) % 3), s, (
                SELECT string_agg(('{{{words}}}'::text[])[1 + abs(hashint4(d * 1000 + s * 50 + w)::bigint) % 12] || abs(hashint4(w * d)::bigint) % 20, ' ')
                FROM generate_series(1, 20 + (d + s) % 60) AS w)), '' ORDER BY s)
            FROM generate_series(1, 3 + d % 9) AS s) AS made (body),
        LATERAL passage.ingest('doc/' || d || '.md', '# Guide ' || d || E'\\n\\n' || body, collection => ('{{a,b,c}}'::text[])[1 + d % 3],
            version => CASE WHEN d % 2 = 0 THEN '2' ELSE '' END, splitting => passage.splitting(max_size => 300), store => '{store}');"
    );
    // The SQL edition splits neither source code nor data.
    let media_type = if is_sql_edition() { "'text/plain'" } else { "NULL" };
    for (name, body) in [
        (
            "code.py",
            "class River%1$s:\n    def stone(self):\n        return %1$s\n\n    def lantern(self, harbor):\n        return harbor + %1$s\n\n\ndef meadow():\n    return River%1$s()\n",
        ),
        (
            "data.json",
            r#"{"river": [{"id": %1$s, "stone": "lantern"}, {"id": 2, "stone": "harbor"}], "meadow": {"copper": [1, 2, 3]}}"#,
        ),
    ] {
        write!(
            sql,
            "SELECT count(*) FROM generate_series(1, 5) AS d,
            LATERAL passage.ingest(d || '{name}', format($body${body}$body$, d), media_type => {media_type}, collection => 'a', splitting => passage.splitting(max_size => 80), store => '{store}');"
        )
        .expect("a string takes text");
    }
    sql
}

/// Returns the argument `dimensions` for stores that [`embed`] fills, NULL on a server without pgvector.
pub fn dimensions(cluster: &Cluster) -> &'static str {
    if cluster.has_vector() { "8" } else { "NULL" }
}

/// Returns SQL that gives each chunk of a store an embedding of 8 dimensions that depends on its content.
pub fn embed(store: &str) -> String {
    format!(
        "INSERT INTO {store}.embeddings (chunk_id, document_id, embedding)
        SELECT id, document_id, ARRAY(
            SELECT (('x' || substr(md5(content), 1 + 4 * i, 4))::bit(16)::integer / 65536.0)::real FROM generate_series(0, 7) AS i)
        FROM {store}.chunks"
    )
}

/// The calls about the chunks and documents of a store.
pub struct ReadCalls {
    chunks: Vec<String>,
    documents: Vec<String>,
    has_vector: bool,
}

impl ReadCalls {
    /// Creates the calls for the documents of a store.
    pub async fn new(cluster: &Cluster, store: &str) -> Self {
        let ids = |table| format!("SELECT id::text FROM {store}.{table} ORDER BY id");
        let has_vector = cluster.has_vector();
        Self {
            chunks: cluster.query_lines(&ids("chunks")).await,
            documents: cluster.query_lines(&ids("documents")).await,
            has_vector,
        }
    }

    /// Checks that a call gives equal rows in two sessions, each with the name of its store. Returns their number.
    ///
    /// # Panics
    ///
    /// Panics if the rows differ or a call fails.
    pub async fn compare(
        &self,
        number: u64,
        (session, store): (&Client, &str),
        (other, other_store): (&Client, &str),
    ) -> usize {
        let expected = session_lines(session, &self.call(number, store)).await;
        let call = self.call(number, other_store);
        assert_eq!(session_lines(other, &call).await, expected, "call {number}: {call}");
        expected.len()
    }

    /// Returns the call of a number for a store.
    pub fn call(&self, number: u64, store: &str) -> String {
        // SplitMix64, by Steele, Lea and Flood.
        let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut random = move |below: usize| {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((z ^ (z >> 31)) % below as u64) as usize
        };
        let strategy = PRESETS[random(PRESETS.len())];
        let count = 1 + random(12);
        let ids: Vec<_> =
            (0..count).map(|_| self.chunks[random(self.chunks.len())].as_str()).collect();
        let (first, ids) = (ids[0], ids.join(","));
        let document = &self.documents[random(self.documents.len())];
        let budget =
            ["", ", max_tokens => 200", ", limits => passage.limits(max_chunks => 5)"][random(3)];
        // Words without a match are corrected by a sample of the words, which depends on the order of the rows.
        let words: Vec<_> =
            (0..3).map(|_| format!("{}{}", WORDS[random(12)], random(20))).collect();
        let query = words.join(" ");
        let embedding: Vec<_> = (0..8).map(|_| format!("0.{:02}", random(100))).collect();
        let embedding = match (self.has_vector, random(3)) {
            (false, _) | (_, 0) => "NULL".to_owned(),
            _ => format!("'{{{}}}'", embedding.join(",")),
        };
        let filter = [
            "",
            ", collection => 'a'",
            ", collection => 'b', filter => passage.filter(version => '2')",
            ", filter => passage.filter(kind => 'code')",
        ][random(4)];
        match random(9) {
            0 | 1 => format!("SELECT c::text FROM passage.expand_context('{first}', '{strategy}'{budget}, store => '{store}') AS c"),
            2 => format!("SELECT c::text FROM passage.expand_contexts('{{{ids}}}', NULL, '{strategy}'{budget}, store => '{store}') AS c"),
            3 => format!("SELECT c::text FROM passage.explain_context('{{{ids}}}', NULL, '{strategy}'{budget}, store => '{store}') AS c"),
            4 => format!("SELECT p::text FROM passage.reassemble('{{{ids}}}', NULL, '{strategy}'{budget}, store => '{store}') AS p"),
            5 => format!(
                "SELECT o::text FROM passage.outline('{document}'::uuid, store => '{store}') AS o
                UNION ALL SELECT passage.assemble('{document}', ARRAY(SELECT id FROM {store}.chunks WHERE document_id = '{document}'), store => '{store}')"
            ),
            6 => format!("SELECT p::text FROM passage.search('{query}', {embedding}{filter}, store => '{store}') AS p"),
            7 => format!("SELECT h::text FROM passage.search_hits('{query}', {embedding}{filter}, store => '{store}') AS h"),
            _ => {
                let strategy = ["", ", strategy => 'adaptive'"][random(2)];
                let whole = ["", ", return_full => true"][random(2)];
                let within = match random(2) {
                    0 => format!(", document_id => '{document}'{whole}"),
                    _ => String::new(),
                };
                format!("SELECT f::text FROM passage.fragments('{query}', {embedding}{within}{strategy}, store => '{store}') AS f")
            }
        }
    }
}
