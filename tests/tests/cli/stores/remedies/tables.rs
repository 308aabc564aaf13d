//! Problems of the tables and settings of a store.

use super::case::{Act, Case, PARTITIONS, READER, TABLES};
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::OWNER;

/// Gives a column of chunks another type, below the view that shows it.
const OTHER_TYPE: &str = "CREATE TABLE aside.view AS SELECT pg_get_viewdef('s.chunks_embedded') AS definition;
    DROP VIEW s.chunks_embedded;
    ALTER TABLE s.chunks ALTER level DROP DEFAULT, ALTER level TYPE text USING level::text, ALTER level SET DEFAULT 'none';
    DO $$ BEGIN EXECUTE 'CREATE VIEW s.chunks_embedded AS ' || (SELECT definition FROM aside.view); END $$;
    GRANT SELECT ON s.chunks_embedded TO reader";

/// A column that another version of `chunk_tsv` computed, and how it comes about.
pub const STALE: &str = "column was computed by version 0 of chunk_tsv, not 1";
pub const STALE_VERSION: &str = "UPDATE s.settings SET value = '0' WHERE key = 'tsv_version'";

pub const CASES: &[Case] = &[
    Case::sql(TABLES, "table is missing", "DROP TABLE s.strategies"),
    Case::then(
        TABLES,
        "table is missing, but setting dimensions is 8",
        "DROP TABLE s.embeddings CASCADE",
        &[Act::Remedy, Act::Client(&["embed"])],
    ),
    Case::sql(PARTITIONS, "partition is missing", "DROP TABLE s.chunks_1 CASCADE; TRUNCATE s.documents CASCADE"),
    Case::sql(TABLES, "view is missing", "DROP VIEW s.chunks_embedded"),
    Case::sql(TABLES, "column is missing", "ALTER TABLE s.chunks DROP COLUMN tokens CASCADE"),
    Case::sql(TABLES, "column is missing", "DROP EXTENSION pg_passage CASCADE; CREATE EXTENSION pg_passage"),
    Case::sentence(
        TABLES,
        "column is missing",
        "CREATE TABLE aside.backup AS SELECT id, uri FROM s.documents; ALTER TABLE s.documents DROP COLUMN uri CASCADE",
        "Restore the column from a backup: its content cannot be derived.",
        &[Act::Sql("ALTER TABLE s.documents ADD COLUMN uri text; UPDATE s.documents SET uri = backup.uri FROM aside.backup WHERE backup.id = documents.id;
            ALTER TABLE s.documents ALTER uri SET NOT NULL, ADD UNIQUE (uri, collection, version); SELECT passage.upgrade_store('s')")],
    ),
    Case::sql(TABLES, "index is missing", "DROP INDEX s.embeddings_embedding_idx"),
    Case::sql(TABLES, STALE, STALE_VERSION),
    Case::sql(PARTITIONS, STALE, STALE_VERSION),
    Case::sql(TABLES, "missing: language", "DELETE FROM s.settings WHERE key = 'language'"),
    Case::sql(TABLES, "column has type text, not integer", OTHER_TYPE),
    Case::sql(
        TABLES,
        "column has type integer, not bigint",
        "ALTER TABLE s.chunks DROP COLUMN section_key, ADD COLUMN section_key integer GENERATED ALWAYS AS (ordinal) STORED; SELECT passage.upgrade_store('s')",
    ),
    Case::sql(TABLES, "column is not generated", "ALTER TABLE s.chunks ALTER section_key DROP EXPRESSION"),
    Case::sql(TABLES, "no unique index on (id)", "ALTER TABLE s.links DROP CONSTRAINT links_from_chunk_fkey; ALTER TABLE s.embeddings DROP CONSTRAINT embeddings_chunk_id_fkey; ALTER TABLE s.chunks DROP CONSTRAINT chunks_pkey"),
    Case::sql(TABLES, "no unique index on (uri, collection, version)", "ALTER TABLE s.documents DROP CONSTRAINT documents_uri_collection_version_key"),
    Case::sql(TABLES, "no unique index on (chunk_id)", "ALTER TABLE s.embeddings DROP CONSTRAINT embeddings_pkey"),
    Case::sql(TABLES, "no unique index on (document_id, ordinal)", "ALTER TABLE s.chunks DROP CONSTRAINT chunks_document_id_ordinal_key"),
    Case::sql(PARTITIONS, "no unique index on (document_id, ordinal)", "ALTER TABLE s.chunks DROP CONSTRAINT chunks_document_id_ordinal_key"),
    Case::sql(TABLES, "no unique index on (document_id, position)", "ALTER TABLE s.links DROP CONSTRAINT links_pkey"),
    Case::sql(TABLES, "no unique index on (chunk_id, rated_by, query_key)", "ALTER TABLE s.ratings DROP CONSTRAINT ratings_pkey"),
    Case::sql(TABLES, "no unique index on (document_id)", "CREATE TABLE s.shard_keys (document_id uuid)"),
    Case::sql(
        TABLES,
        "no index on (id)",
        "ALTER TABLE s.links DROP CONSTRAINT links_from_chunk_fkey; ALTER TABLE s.embeddings DROP CONSTRAINT embeddings_chunk_id_fkey;
            ALTER TABLE s.chunks DROP CONSTRAINT chunks_pkey, ADD PRIMARY KEY (document_id, id)",
    ),
    Case::sql(TABLES, "index is invalid", "-- superuser\nUPDATE pg_index SET indisvalid = false WHERE indexrelid = 's.chunks_path_idx'::regclass"),
    Case::sql(
        TABLES,
        "index is invalid",
        "-- superuser\nCREATE INDEX chunks_path_idx_ccnew1 ON s.chunks (level); UPDATE pg_index SET indisvalid = false WHERE indexrelid = 's.chunks_path_idx_ccnew1'::regclass",
    ),
    Case::sql(PARTITIONS, "index is invalid", "DROP INDEX s.chunks_path_idx; CREATE INDEX chunks_path_idx ON ONLY s.chunks USING gist (path)"),
    Case::sql(
        PARTITIONS,
        "index is invalid",
        "ALTER TABLE s.chunks DROP CONSTRAINT chunks_document_id_ordinal_key;
            ALTER TABLE ONLY s.chunks ADD CONSTRAINT chunks_document_id_ordinal_key UNIQUE (document_id, ordinal) DEFERRABLE",
    ),
    Case::sql(TABLES, "row-level security is off, and on for documents", "ALTER TABLE s.documents ENABLE ROW LEVEL SECURITY; ALTER TABLE s.embeddings ENABLE ROW LEVEL SECURITY"),
    Case::sql(
        PARTITIONS,
        "policies of s.chunks do not apply to a query of this partition",
        "ALTER TABLE s.documents ENABLE ROW LEVEL SECURITY; ALTER TABLE s.embeddings ENABLE ROW LEVEL SECURITY; ALTER TABLE s.chunks ENABLE ROW LEVEL SECURITY;
            GRANT SELECT ON s.chunks_1 TO reader",
    ),
    Case::sentence(
        TABLES,
        "indexes were not checked: role \"reader\" may not read the table",
        "GRANT USAGE ON SCHEMA s TO reader",
        "Check the store as its owner.",
        &[Act::As(OWNER)],
    )
    .by(READER),
    Case::sentence(
        TABLES,
        "layout version 2 is newer than this pg_passage",
        "UPDATE s.settings SET value = '2' WHERE key = 'layout_version'",
        "Install a newer pg_passage on the server, then run ALTER EXTENSION pg_passage UPDATE.",
        // As the newer version does it.
        &[Act::Superuser("DO $$ BEGIN EXECUTE replace(pg_get_functiondef('passage.check_store'::regproc), $s$> '1'$s$, $s$> '2'$s$); END $$")],
    ),
    Case::sentence(
        TABLES,
        "not read: row-level security filters rows for \"reader\"",
        "GRANT USAGE ON SCHEMA s TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA s TO reader; ALTER TABLE s.settings ENABLE ROW LEVEL SECURITY",
        "Check the store as its owner or as a role with BYPASSRLS.",
        &[Act::As(OWNER)],
    )
    .by(READER),
    Case::sql(TABLES, "setting language is \"german\", but the store has \"english\"", "UPDATE s.settings SET value = '\"german\"' WHERE key = 'language'"),
    Case::sql(TABLES, "setting distance is \"l2\"", "UPDATE s.settings SET value = '\"l2\"' WHERE key = 'distance'"),
    Case::sql(TABLES, "setting embedding_type is \"halfvec\"", "UPDATE s.settings SET value = '\"halfvec\"' WHERE key = 'embedding_type'"),
    Case::sql(TABLES, "setting dimensions is 9, but the store has 8", "UPDATE s.settings SET value = '9' WHERE key = 'dimensions'"),
    Case::sql(TABLES, "setting placement is {\"partitions\": 4}, but the store has {}", "INSERT INTO s.settings VALUES ('placement', '{\"partitions\": 4}')"),
    Case::sql(
        PARTITIONS,
        "setting placement is {\"distributed\": \"schema\"}, but the store has {\"partitions\": 2}",
        "UPDATE s.settings SET value = '{\"distributed\": \"schema\"}' WHERE key = 'placement'",
    ),
    Case::sql(
        TABLES,
        "setting language does not name a text search configuration",
        "ALTER TABLE s.chunks DROP COLUMN tsv; UPDATE s.settings SET value = '\"klingon\"' WHERE key = 'language'",
    ),
];

/// Changes each column to each of some types, where PostgreSQL can, and executes the remedies.
pub async fn change_types(cluster: &Cluster) {
    cluster.execute("SELECT passage.create_store('s', 8)").await;
    cluster.execute("SELECT passage.ingest('a.md', E'# A\\n\\nText.\\n', store => 's')").await;
    cluster
        .execute(
            "INSERT INTO s.strategies (name, parents, windows) VALUES ('own', 2, '{\"code\": 4}')",
        )
        .await;
    let client = cluster.client().await;
    let columns = "SELECT relname, attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid \
         WHERE relnamespace = 's'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped AND attgenerated = '' \
         AND attname NOT IN ('id', 'chunk_id', 'document_id') ORDER BY 1, 2";
    let find = "SELECT remedy FROM passage.check_store('s', data => true) WHERE problem LIKE 'column has type %'";
    let mut repaired = 0;
    for column in cluster.query_lines(columns).await {
        let (table, column) = column.split_once('|').unwrap();
        for kind in cases(["text", "json", "jsonb", "bigint", "double precision"]) {
            client.batch_execute("BEGIN").await.unwrap();
            let change = format!(
                "DROP VIEW s.chunks_embedded; ALTER TABLE s.{table} ALTER {column} DROP DEFAULT, \
                 ALTER {column} TYPE {kind} USING {column}::text::{kind}, ALTER {column} SET DEFAULT NULL; SELECT passage.upgrade_store('s')"
            );
            let changed = client.batch_execute(&change).await;
            let found =
                if changed.is_ok() { client.query(find, &[]).await.unwrap() } else { Vec::new() };
            for row in found {
                let remedy: String = row.get(0);
                let result = client.batch_execute(&remedy).await;
                assert!(result.is_ok(), "{table}.{column} {kind}: {remedy}: {result:?}");
                let problems = "SELECT problem FROM passage.check_store('s', data => true)";
                let left = client.query(problems, &[]).await.unwrap();
                let left: Vec<String> = left.iter().map(|row| row.get(0)).collect();
                assert_eq!(
                    left,
                    ["chunks without an embedding: 1 of 1"],
                    "{table}.{column} {kind}: {remedy}"
                );
                repaired += 1;
            }
            client.batch_execute("ROLLBACK").await.unwrap();
        }
    }
    assert!(repaired > 60, "{repaired}");
}
