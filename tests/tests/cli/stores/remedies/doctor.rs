//! Problems that `passage doctor` finds.

use super::case::{Act, Case, PARTITIONS, READER, TABLES};
use super::views::{ADOPTED, UNEMBEDDED};
use passage_tests::cluster::OWNER;

/// The files with its findings.
pub const SOURCES: [&str; 4] = ["doctor", "doctor/owners", "doctor/server", "doctor/tables"];

/// The texts that no test of this machine can bring about, and where they are tested.
pub const WITHOUT_CASE: [&str; 38] = [
    // Texts about what is sound.
    "{}, {} dimensions",
    "tables, indexes and settings are complete",
    "it lacks only what the warnings name; everything else works",
    "it distributes the store, and functions may read it in queries of other nodes",
    "every chunk has one",
    "PostgreSQL {version}",
    "through a Unix socket",
    "encrypted with TLS",
    "version {installed}",
    "SQL edition, version {version}",
    "{finding}; it lacks {lacks}",
    "the server has the native extension: passage init --edition native moves the database to it",
    // `stores/edition/upgrade.rs`.
    "{finding}, and the client has version {}",
    "not installed: stores have no embeddings",
    "version {version}, with iterative scans",
    "can search; the store shows the tables of another program",
    "can search; a standby takes no documents",
    "can search and load",
    "{store} on all nodes",
    "{store} of {database} in the database",
    // Another node of Citus: `tests/scale`.
    "no answer from {silent}: calls that need its shards fail",
    "Start the node, or check how the other nodes connect to it: SELECT * FROM citus_check_cluster_node_health();",
    "citus.allow_nested_distributed_execution is off on {forbidding}: a function over rows of the store fails if Citus moves the query to another node",
    "ALTER ROLE ... SET citus.allow_nested_distributed_execution = on; on each node, or put the rows into a CTE with MATERIALIZED.",
    "a session keeps {kept} connection to a node with {shards} shards, so each search plans its statements again on the others",
    "If searches by embedding are slow, run ALTER SYSTEM SET citus.max_cached_conns_per_worker = 2; SELECT pg_reload_conf(); on each node.",
    "Run passage doctor again later.",
    "its shards on one node are larger than effective_cache_size",
    "Add memory to the nodes, or more nodes, and run SELECT citus_rebalance_start();",
    // Removed from the remedy of another command.
    " passage doctor counts them.",
    // `client/tls.rs`.
    "not encrypted",
    "Enable TLS in the server (ssl = on) and connect with sslmode=verify-full.",
    // The server of the tests has the extension. `ground/package/bare-debian` installs it on one that has not.
    "it is not installed on the server",
    "make install PG_CONFIG=/path/to/pg_config, or passage init, which installs the SQL edition.",
    // `update/main.rs` has a database of the former version.
    "the database has version {installed}, the server has {available}",
    "passage upgrade",
    // An unsupported server.
    "PostgreSQL {version} is not supported",
    "Use PostgreSQL {} to {}.",
];

const ANY: &[&str] = &[];

pub const CASES: &[Case] = &[
    // Findings of check_store have their cases in the other modules.
    Case::sql(TABLES, "index is missing", "DROP INDEX s.chunks_tsv_idx").doctor(ANY),
    Case::sentence(
        TABLES,
        "chunk has none",
        "DELETE FROM s.embeddings WHERE chunk_id = (SELECT min(chunk_id::text)::uuid FROM s.embeddings)",
        "Run passage embed to create them.",
        &[Act::Client(&["embed"])],
    )
    .doctor(ANY),
    Case::sentence(TABLES, "chunks have none", "DELETE FROM s.embeddings", "Run passage embed to create them.", &[Act::Client(&["embed"])]).doctor(ANY),
    Case::sentence(
        ADOPTED,
        "1 chunk has none",
        UNEMBEDDED,
        "Create missing embeddings with the program that writes this table.",
        &[Act::Sql("UPDATE aside.note SET embedding = '[1,0,0]'")],
    )
    .doctor(ANY),
    Case::sentence(
        TABLES,
        "not checked: ",
        "GRANT USAGE ON SCHEMA s TO reader; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA s TO reader;
            ALTER TABLE s.documents ENABLE ROW LEVEL SECURITY; ALTER TABLE s.chunks ENABLE ROW LEVEL SECURITY; ALTER TABLE s.embeddings ENABLE ROW LEVEL SECURITY",
        "Run passage doctor as the owner of the store.",
        &[Act::As(OWNER)],
    )
    .by(READER)
    .doctor(ANY),
    Case::sentence(
        "CREATE SCHEMA s; CREATE VIEW s.chunks AS SELECT gen_random_uuid() AS id, gen_random_uuid() AS document_id, 0 AS ordinal, 'a'::text AS content",
        "belongs to the role \"owner\": the store was not checked, since that could run code of \"owner\"",
        "GRANT USAGE ON SCHEMA s TO reader; GRANT SELECT ON s.chunks TO reader",
        "Run passage doctor as \"owner\" or as a member of that role.",
        &[Act::As(OWNER)],
    )
    .by(READER)
    .doctor(ANY),
    Case::sql(
        TABLES,
        "programs that read chunks_embedded run code of \"reader\"",
        "-- superuser\nDROP VIEW s.chunks_embedded; CREATE VIEW s.chunks_embedded AS SELECT 1 AS id; ALTER VIEW s.chunks_embedded OWNER TO reader",
    )
    .doctor(ANY),
    Case::then(TABLES, "none on the schema", "", &[Act::Remedy, Act::Sql("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA s TO reader")]).by(READER).doctor(ANY),
    Case::then(
        TABLES,
        "cannot read chunks, documents, embeddings, settings, strategies",
        "GRANT USAGE ON SCHEMA s TO reader",
        &[Act::Remedy, Act::Sql("GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA s TO reader")],
    )
    .by(READER)
    .doctor(ANY),
    Case::sql(
        TABLES,
        "can search, but not write chunks, documents, embeddings",
        "GRANT USAGE ON SCHEMA s TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA s TO reader",
    )
    .by(READER)
    .doctor(ANY),
    Case::sql(
        TABLES,
        "missing, so search cannot estimate which words are rare",
        "-- superuser\nUPDATE pg_class SET reltuples = -1 WHERE oid = 's.chunks'::regclass",
    )
    .doctor(ANY),
    Case::sql(
        PARTITIONS,
        "outdated: autovacuum does not analyze a table with partitions",
        "-- superuser\nUPDATE pg_class SET reltuples = 9000 WHERE oid = 's.chunks_1'::regclass",
    )
    .doctor(ANY),
    Case::sql(
        TABLES,
        "100 % of a table",
        "INSERT INTO s.documents (uri) SELECT 'n' || n FROM generate_series(1, 11000) AS n; DELETE FROM s.documents WHERE uri LIKE 'n%';
            SELECT pg_stat_force_next_flush()",
    )
    .doctor(ANY),
    Case::sql(
        TABLES,
        "100 % of a table",
        "INSERT INTO s.ratings (query, document_id, chunk_id, rating) SELECT 'q', gen_random_uuid(), gen_random_uuid(), 0 FROM generate_series(1, 11000);
            DELETE FROM s.ratings; SELECT pg_stat_force_next_flush()",
    )
    .doctor(ANY),
    Case::sentence(
        TABLES,
        "\"s_reindex\", 0 bytes, of an unfinished reindex",
        "CREATE SCHEMA s_reindex",
        "Run passage reindex with the options of the earlier run to continue it, or DROP SCHEMA \"s_reindex\" CASCADE.",
        &[Act::Sql("DROP SCHEMA \"s_reindex\" CASCADE")],
    )
    .doctor(ANY),
    Case::sql(TABLES, "\"s_before\", 0 bytes", "CREATE SCHEMA s_before").doctor(ANY),
    Case::sentence(
        TABLES,
        "version 0.7.4 has no iterative scans: searches with filters may miss hits",
        "-- superuser\nCREATE TABLE aside.installed AS SELECT extversion FROM pg_extension WHERE extname = 'vector'; UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'",
        "Install pgvector 0.8 or later, then ALTER EXTENSION vector UPDATE.",
        // As the newer version does it.
        &[Act::Superuser("UPDATE pg_extension SET extversion = (SELECT extversion FROM aside.installed) WHERE extname = 'vector'")],
    )
    .doctor(ANY),
    Case::sentence(
        TABLES,
        "store \"s\" holds embeddings of other",
        "UPDATE s.settings SET value = '\"other\"' WHERE key = 'model'",
        "Name the store's model with --model, and its dimensions with --dimensions, or run passage reindex to replace the store by one of this model.",
        &[Act::Client(&["reindex", "--drop-former"])],
    )
    .doctor(ANY),
];
