//! Stores whose chunks are partitioned: those of `create_store` and those made by hand.

use passage_tests::cases;
use passage_tests::cluster::{OWNER, SUPERUSER, model_path, session_lines};
use passage_tests::read_calls::{ReadCalls, dimensions, embed, load};
use passage_tests::{Cluster, fixture};
use std::fmt::Write;

/// Tables that somebody partitioned by the hash of the document, and others by a list of collections.
const BY_HAND: &str = "
    CREATE TABLE by_hash.chunks (LIKE plain.chunks INCLUDING DEFAULTS INCLUDING GENERATED,
        PRIMARY KEY (document_id, id), UNIQUE (document_id, ordinal)) PARTITION BY HASH (document_id);
    CREATE TABLE by_hash.p0 PARTITION OF by_hash.chunks FOR VALUES WITH (MODULUS 3, REMAINDER 0);
    CREATE TABLE by_hash.p1 PARTITION OF by_hash.chunks FOR VALUES WITH (MODULUS 3, REMAINDER 1);
    CREATE TABLE by_hash.p2 PARTITION OF by_hash.chunks FOR VALUES WITH (MODULUS 3, REMAINDER 2);
    INSERT INTO by_hash.documents SELECT * FROM plain.documents;
    CREATE TABLE by_list.chunks (LIKE plain.chunks INCLUDING DEFAULTS INCLUDING GENERATED, collection text NOT NULL,
        PRIMARY KEY (collection, document_id, id), UNIQUE (collection, document_id, ordinal)) PARTITION BY LIST (collection);
    CREATE TABLE by_list.a PARTITION OF by_list.chunks FOR VALUES IN ('a');
    CREATE TABLE by_list.other PARTITION OF by_list.chunks DEFAULT;
    INSERT INTO by_list.documents SELECT * FROM plain.documents;";

/// The stores that are compared with `plain`.
const PARTITIONED: [&str; 3] = ["parts", "by_hash", "by_list"];

/// A server with the same documents in a store of a single table and in partitioned stores.
async fn stores() -> Cluster {
    let cluster = Cluster::without_store().await;
    let dimensions = dimensions(&cluster);
    let mut sql = format!(
        "SELECT passage.create_store('plain', dimensions => {dimensions});
        SELECT passage.create_store('parts', partitions => 8, dimensions => {dimensions}); {}{}",
        load("plain"),
        load("parts"),
    );
    for store in ["by_hash", "by_list"] {
        write!(
            sql,
            "SELECT passage.create_store('{store}', dimensions => {dimensions}); DROP TABLE {store}.chunks CASCADE;"
        )
        .expect("a string takes text");
    }
    sql += BY_HAND;
    cluster.execute(&sql).await;
    for store in cases(["by_hash", "by_list"]) {
        let columns = "string_agg(quote_ident(attname), ', ' ORDER BY attnum)";
        let columns = cluster
            .query_text(&format!(
                "SELECT {columns} FROM pg_attribute WHERE attrelid = 'plain.chunks'::regclass
                AND attnum > 0 AND NOT attisdropped AND attgenerated = ''"
            ))
            .await;
        let (extra, value, join) = if store == "by_list" {
            (
                ", collection",
                ", documents.collection",
                "JOIN plain.documents ON documents.id = document_id",
            )
        } else {
            ("", "", "")
        };
        let read: Vec<_> = columns.split(", ").map(|column| format!("chunks.{column}")).collect();
        cluster
            .execute(&format!(
                "INSERT INTO {store}.chunks ({columns}{extra}) SELECT {}{value} FROM plain.chunks {join};
                SELECT passage.upgrade_store('{store}')",
                read.join(", ")
            ))
            .await;
    }
    for store in PARTITIONED.iter().chain(&["plain"]) {
        if cluster.has_vector() {
            cluster.execute(&embed(store)).await;
        }
        let tables =
            if cluster.has_vector() { format!(", {store}.embeddings") } else { String::new() };
        cluster.execute(&format!("ANALYZE {store}.documents, {store}.chunks{tables}")).await;
    }
    cluster
}

#[tokio::test]
async fn partitioned_stores_give_the_rows_of_a_single_table() {
    let cluster = stores().await;
    let calls = ReadCalls::new(&cluster, "plain").await;
    let mut found = 0;
    let plain = cluster.client().await;
    for store in cases(PARTITIONED) {
        let client = cluster.client().await;
        for number in 0..400 {
            let rows = calls.compare(number, (&plain, "plain"), (&client, store)).await;
            found += usize::from(rows > 0);
        }
        let stats = |store| {
            format!(
                "SELECT (scope, collection, version, documents, orphaned, chunks, tokens, embedded, missing)::text FROM passage.store_stats('{store}')"
            )
        };
        let expected = session_lines(&plain, &stats("plain")).await;
        assert_eq!(session_lines(&client, &stats(store)).await, expected);
    }
    assert!(found > 900, "{found} calls with rows");
}

#[tokio::test]
async fn check_store_accepts_partitions_made_by_hand_and_requires_an_index_on_id() {
    let cluster = stores().await;
    let check = |store: &str| {
        format!(
            "SELECT object || ': ' || problem || ': ' || remedy FROM passage.check_store('{store}', true)"
        )
    };
    for store in cases(["by_hash", "by_list"]) {
        let missing =
            format!("{store}.chunks: no index on (id): CREATE INDEX ON {store}.chunks (id);");
        assert_eq!(cluster.query_lines(&check(store)).await, [missing]);
        cluster.execute(&format!("CREATE INDEX ON {store}.chunks (id);")).await;
        assert_eq!(cluster.query_lines(&check(store)).await, [""; 0]);
        let key = if store == "by_hash" { "(document_id, id)" } else { "(collection, id)" };
        cluster.execute(&format!("ALTER TABLE {store}.chunks DROP CONSTRAINT chunks_pkey")).await;
        let found = cluster.query_lines(&check(store)).await;
        assert_eq!(
            found,
            [format!(
                "{store}.chunks: no unique index on (id): ALTER TABLE {store}.chunks ADD UNIQUE {key};"
            )]
        );
        cluster.execute(found[0].rsplit(": ").next().unwrap()).await;
        assert_eq!(cluster.query_lines(&check(store)).await, [""; 0]);
    }
    assert_eq!(cluster.query_lines(&check("parts")).await, [""; 0]);
}

/// Returns the partitions of a store that a statement reads by an index.
async fn probed(cluster: &Cluster, role: &str, sql: &str) -> Vec<String> {
    let client = cluster.client_as(role).await;
    // The first call also reads the catalogs and plans.
    session_lines(&client, sql).await;
    cluster.execute_as(SUPERUSER, "SELECT pg_stat_reset()").await;
    session_lines(&client, sql).await;
    session_lines(&client, "SELECT pg_stat_force_next_flush()").await;
    drop(client);
    let scans = "SELECT relname::text FROM pg_stat_user_tables WHERE schemaname = 'parts' AND relname ~ 'chunks_' AND idx_scan > 0 ORDER BY 1";
    let full = "SELECT coalesce(sum(seq_scan), 0)::text FROM pg_stat_user_tables WHERE schemaname = 'parts' AND relname ~ 'chunks_'";
    assert_eq!(cluster.query_text(full).await, "0", "{sql}");
    cluster.query_lines(scans).await
}

#[tokio::test]
async fn expansion_reads_only_the_partition_of_its_document() {
    let cluster = stores().await;
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA parts TO reader; GRANT SELECT ON parts.chunks, parts.documents, parts.strategies TO reader;
            ALTER TABLE parts.chunks ENABLE ROW LEVEL SECURITY;
            CREATE POLICY readers ON parts.chunks FOR SELECT TO reader USING (EXISTS (SELECT FROM parts.documents WHERE documents.id = chunks.document_id))",
        )
        .await;
    let hits = "SELECT id FROM parts.chunks AS c WHERE document_id = (SELECT document_id FROM parts.chunks GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1) ORDER BY ordinal LIMIT 5";
    let ids = cluster.query_lines(hits).await;
    let partition = cluster
        .query_lines(&format!(
            "SELECT tableoid::regclass::text FROM parts.chunks WHERE id = '{}'",
            ids[0]
        ))
        .await;
    let partition: Vec<_> = partition.iter().map(|name| name.replace("parts.", "")).collect();
    for role in [OWNER, "reader"] {
        for strategy in cases([
            "none",
            "broad",
            "adjacent",
            "reassembly",
            "section",
            "hierarchical",
            "document",
        ]) {
            let one = format!(
                "SELECT c::text FROM passage.expand_context('{}', '{strategy}', store => 'parts') AS c",
                ids[0]
            );
            assert_eq!(probed(&cluster, role, &one).await, partition, "{role}: {one}");
            let several = format!(
                "SELECT p::text FROM passage.reassemble('{{{}}}', NULL, '{strategy}', store => 'parts') AS p",
                ids.join(",")
            );
            assert_eq!(probed(&cluster, role, &several).await, partition, "{role}: {several}");
        }
    }
}

#[tokio::test]
async fn sizes_include_the_partitions() {
    let cluster = stores().await;
    // A partition may be in another schema.
    cluster
        .execute("CREATE SCHEMA elsewhere; ALTER TABLE parts.chunks_0 SET SCHEMA elsewhere")
        .await;
    let all = "SELECT pg_size_pretty(sum(pg_total_relation_size(pg_class.oid))) FROM pg_class
        WHERE relnamespace IN ('parts'::regnamespace, 'elsewhere'::regnamespace) AND relkind = 'r'";
    let all = cluster.query_text(all).await;
    assert_eq!(
        cluster.query_text("SELECT size FROM passage.store_stats('parts') LIMIT 1").await,
        all
    );
    assert_eq!(
        cluster.query_text("SELECT size FROM passage.stores() WHERE store = 'parts'").await,
        all
    );
}

#[tokio::test]
async fn a_dump_and_the_removal_of_the_extension_keep_a_partitioned_store() {
    let cluster = stores().await;
    let read = |store: &str| {
        format!("SELECT p::text FROM passage.search('river1 stone2', max_passages => 20, store => '{store}') AS p
            UNION ALL SELECT c::text FROM (SELECT id FROM {store}.chunks ORDER BY id LIMIT 20) AS hit, passage.expand_context(id, 'broad', store => '{store}') AS c")
    };
    let before = cluster.query_lines(&read("parts")).await;
    assert!(before.len() > 20);
    let path = cluster.folder().join("dump");
    let path = path.to_str().unwrap();
    cluster.run("pg_dump", ["-U", SUPERUSER, "-n", "parts", "-f", path]).await;
    cluster
        .execute_as(SUPERUSER, &format!("CREATE DATABASE copy OWNER {OWNER} TEMPLATE template0"))
        .await;
    let vector = if cluster.has_vector() { "CREATE EXTENSION vector;" } else { "" };
    let script = format!("CREATE EXTENSION pg_passage CASCADE; {vector}");
    cluster.run("psql", ["-X", "-q", "-U", SUPERUSER, "-d", "copy", "-c", &script]).await;
    cluster
        .run(
            "psql",
            ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-U", SUPERUSER, "-d", "copy", "-f", path],
        )
        .await;
    cluster
        .run("psql", ["-XAtq", "-d", "copy", "-c", "ANALYZE parts.documents, parts.chunks"])
        .await;
    let restored = cluster.run("psql", ["-XAt", "-d", "copy", "-c", &read("parts")]).await;
    assert_eq!(
        restored.trim_end().lines().collect::<Vec<_>>(),
        before.iter().flat_map(|row| row.lines()).collect::<Vec<_>>()
    );
    let problems = cluster
        .run(
            "psql",
            ["-XAt", "-d", "copy", "-c", "SELECT * FROM passage.check_store('parts', true)"],
        )
        .await;
    assert_eq!(problems, "");

    cluster.execute("DROP EXTENSION pg_passage CASCADE; CREATE EXTENSION pg_passage; SELECT passage.upgrade_store('parts'); ANALYZE parts.chunks").await;
    assert_eq!(
        cluster.query_lines("SELECT object FROM passage.check_store('parts', true)").await,
        [""; 0]
    );
    assert_eq!(cluster.query_lines(&read("parts")).await, before);
}

#[tokio::test]
async fn an_unprivileged_owner_writes_and_another_reads_under_policies() {
    let cluster = stores().await;
    cluster.execute_as(SUPERUSER, "CREATE ROLE reader LOGIN; CREATE ROLE app LOGIN").await;
    let template = "SELECT string_agg(substr(line, 4), E'\n') FROM passage.create_store('parts', dry_run => true) AS template, regexp_split_to_table(template, E'\n') AS line WHERE line ~ '^-- (GRANT|ALTER|CREATE)'";
    cluster.execute(&cluster.query_text(template).await).await;
    let count = "SET app.tenant = 'a'; SELECT count(*) FROM parts.chunks UNION ALL SELECT count(*) FROM parts.chunks_0
        UNION ALL SELECT count(*) FROM passage.search_hits('river1 stone2 lantern3', store => 'parts', collection => 'b')";
    let seen = cluster.query_lines_as("reader", count).await;
    assert!(seen[0] != "0" && seen[1..] == ["0", "0"], "{seen:?}");
    assert_eq!(cluster.query_lines("SELECT * FROM passage.check_store('parts')").await, [""; 0]);
    // Privileges on a partition without row-level security are reported.
    cluster.execute("ALTER TABLE parts.chunks_0 DISABLE ROW LEVEL SECURITY").await;
    assert_ne!(
        cluster.query_lines_as("reader", "SELECT count(*) FROM parts.chunks_0").await,
        ["0"]
    );
    let found = cluster.query_lines("SELECT remedy FROM passage.check_store('parts')").await;
    assert_eq!(found, ["ALTER TABLE parts.chunks_0 ENABLE ROW LEVEL SECURITY;"]);
    // Written and removed by SQL, as a role that owns only the store.
    let steps = "SELECT (added, removed)::text FROM passage.ingest('doc/1.md', E'# New\n\nriver1 text', collection => 'b', store => 'parts')
        UNION ALL SELECT remove::text FROM passage.remove('doc/2.md', store => 'parts')";
    assert_eq!(cluster.query_lines(steps).await.len(), 2);
    // And as the writing application of the template.
    let steps = "SELECT (added, removed)::text FROM passage.ingest('doc/1.md', E'# Newer\n\nriver1 text', collection => 'b', store => 'parts')
        UNION ALL SELECT remove::text FROM passage.remove('doc/1.md', collection => 'b', store => 'parts')";
    assert_eq!(cluster.query_lines_as("app", steps).await.len(), 2);
}

#[tokio::test]
async fn partitions_of_another_role_are_refused() {
    let cluster = Cluster::bare().await;
    cluster.install_as(OWNER).await;
    cluster.execute("SELECT passage.create_store('parts', partitions => 2)").await;
    cluster
        .execute_as(SUPERUSER, "CREATE ROLE mallory LOGIN; GRANT CREATE ON DATABASE passage TO mallory; ALTER TABLE parts.chunks_1 OWNER TO mallory")
        .await;
    for sql in
        cases(["SELECT passage.create_store('parts')", "SELECT passage.upgrade_store('parts')"])
    {
        let error = cluster.error(sql).await;
        assert_eq!(error.code().code(), "42501");
        assert_eq!(
            error.message(),
            r#"table "chunks_1" of store "parts" is owned by role "mallory""#
        );
    }
    let stderr = cluster.passage_error(["init", "--store", "parts", "--no-embed"]).await;
    assert!(stderr.contains("chunks_1") && stderr.contains("mallory"), "{stderr}");

    // A foreign table runs the code of its wrapper when it is read.
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
            CREATE SCHEMA lure; CREATE TABLE lure.chunks (id uuid, document_id uuid, ordinal integer, content text) PARTITION BY HASH (document_id);
            CREATE FOREIGN TABLE lure.p PARTITION OF lure.chunks FOR VALUES WITH (MODULUS 1, REMAINDER 0) SERVER files OPTIONS (program 'false');
            ALTER SCHEMA lure OWNER TO mallory; ALTER TABLE lure.chunks OWNER TO mallory; ALTER FOREIGN TABLE lure.p OWNER TO mallory",
        )
        .await;
    let error = cluster.error_as(SUPERUSER, "SELECT * FROM passage.store_stats('lure')").await;
    assert_eq!(error.code().code(), "42501", "{error}");
    let found = cluster
        .query_lines_as(
            SUPERUSER,
            "SELECT problem FROM passage.check_store('lure', true) WHERE problem ~ '^not read'",
        )
        .await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        cluster
            .query_lines_as(SUPERUSER, "SELECT chunks FROM passage.stores() WHERE store = 'lure'")
            .await,
        [""]
    );
}

#[tokio::test]
async fn the_client_fills_and_replaces_partitions_of_a_store_with_quotes_in_its_name() {
    let cluster = Cluster::bare().await;
    let name = r#"The "Parts" of 'A'; --"#;
    for command in [
        &["init", "--no-embed", "--partitions", "2"][..],
        &["ingest", "--no-embed", "--quiet", fixture!("client/garden")],
        &["reindex", "--no-embed", "--quiet", "--language", "german", "--drop-former"],
        &["remove", "--yes", "garden/bees.md"],
        &["status", "--json"],
        &["doctor", "--no-embed"],
    ] {
        cluster.passage(command.iter().chain(&["--store", name])).await;
    }
    let quoted = name.replace('\'', "''");
    let partitions = format!(
        "SELECT count(*), bool_and(relnamespace::regnamespace::text = quote_ident('{quoted}')) FROM pg_class WHERE relispartition AND relkind = 'r'"
    );
    assert_eq!(cluster.query_lines(&partitions).await, ["2|t"]);
    let stats = format!("SELECT documents > 0 FROM passage.store_stats('{quoted}') LIMIT 1");
    assert_eq!(cluster.query_text(&stats).await, "t");
    let problems = format!("SELECT * FROM passage.check_store('{quoted}', true)");
    assert_eq!(cluster.query_lines(&problems).await, [""; 0]);
}

/// Two stores for the same commands of the client, one of them with partitions.
struct Both {
    cluster: Cluster,
    is_embedding: bool,
}

impl Both {
    async fn create() -> Self {
        let cluster = Cluster::bare().await;
        let is_embedding = cluster.has_vector() && model_path().is_some();
        if is_embedding {
            cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
        } else {
            cluster
                .installation()
                .report_skipped("the client embeds partitions", "pgvector or the model is missing");
        }
        let stores = Self { cluster, is_embedding };
        stores.run("one_table", &stores.embedding(&["init"])).await;
        stores.run("parts", &stores.embedding(&["init", "--partitions", "4"])).await;
        stores
    }

    /// Returns a command that embeds if it can.
    fn embedding<'a>(&self, command: &[&'a str]) -> Vec<&'a str> {
        let option = if self.is_embedding { &[][..] } else { &["--no-embed"] };
        [command, option].concat()
    }

    /// Runs a command on a store, and returns its output without durations and the name of the store.
    async fn run(&self, store: &str, command: &[&str]) -> String {
        let output = self.cluster.passage(command.iter().chain(&["--store", store])).await;
        // The last line of a search names its duration.
        let lines = output.lines().filter(|line| !line.contains(" ms"));
        lines.collect::<Vec<_>>().join("\n").replace(store, "STORE")
    }

    /// Runs a command on each store, and returns the output, which is the same.
    async fn run_both(&self, command: &[&str]) -> String {
        let plain = self.run("one_table", command).await;
        assert_eq!(self.run("parts", command).await, plain, "{command:?}");
        plain
    }

    async fn assert_same_rows(&self, after: &str) {
        let rows = |store: &str| {
            let rows_of = |table: &str| {
                format!(
                    "SELECT '{table} ' || (to_jsonb(t) - '{{ingested_at,embedding}}'::text[])::text FROM {store}.{table} AS t"
                )
            };
            // Without pgvector there are no rows of embeddings.
            let embedded = self.is_embedding.then_some("embeddings");
            let tables = ["documents", "chunks"].into_iter().chain(embedded).map(rows_of);
            format!("{} ORDER BY 1", tables.collect::<Vec<_>>().join(" UNION ALL "))
        };
        let plain = self.cluster.query_lines(&rows("one_table")).await;
        assert!(plain.len() > if self.is_embedding { 20 } else { 10 }, "{after}");
        assert_eq!(self.cluster.query_lines(&rows("parts")).await, plain, "{after}");
    }
}

#[tokio::test]
async fn every_command_of_the_client_works_on_partitions() {
    let stores = Both::create().await;
    let partitions = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'parts.chunks'::regclass";
    assert_eq!(stores.cluster.query_text(partitions).await, "4");
    let again = stores.run("parts", &stores.embedding(&["init"])).await;
    assert!(again.contains("already exists"), "{again}");
    load_read_and_remove(&stores).await;
    reindex_whole_stores(&stores).await;
    notice_new_rows(&stores).await;
}

async fn load_read_and_remove(stores: &Both) {
    let (garden, handbook) = (fixture!("client/garden"), fixture!("handbook"));
    stores.run_both(&["ingest", "--no-embed", "--quiet", garden]).await;
    if stores.is_embedding {
        stores.run_both(&["embed", "--quiet"]).await;
    }
    stores.run_both(&["ingest", "--quiet", "--no-embed", garden]).await;
    let sync = ["sync", "--quiet", "--collection", "manual", handbook];
    stores.run_both(&stores.embedding(&sync)).await;
    stores.assert_same_rows("ingest").await;
    let mode = if stores.is_embedding { "hybrid" } else { "text" };
    for command in cases([
        &["search", "--mode", mode, "water seedlings"][..],
        &["fragments", "--no-embed", "seedlings"],
        &["outline", "garden/bees.md"],
        &["export"],
    ]) {
        assert!(!stores.run_both(command).await.is_empty());
    }
    let id = stores.cluster.query_text("SELECT id FROM parts.chunks ORDER BY id LIMIT 1").await;
    stores.run_both(&["context", &id]).await;
    stores.run_both(&["remove", "--yes", "garden/bees.md"]).await;
    let reindex = ["reindex", "--quiet", "--collection", "manual"];
    stores.run_both(&stores.embedding(&reindex)).await;
    stores.assert_same_rows("reindex of a collection").await;
}

/// The shadow store has the same partitions and customizations.
async fn reindex_whole_stores(stores: &Both) {
    let cluster = &stores.cluster;
    cluster
        .execute(
            "CREATE INDEX own ON parts.chunks (kind); COMMENT ON TABLE parts.chunks_1 IS 'mine';
            ALTER TABLE parts.chunks_2 ENABLE ROW LEVEL SECURITY; GRANT SELECT ON parts.chunks_3 TO PUBLIC",
        )
        .await;
    for store in cases(["one_table", "parts"]) {
        let reindex = ["reindex", "--quiet", "--language", "german", "--drop-former"];
        stores.run(store, &stores.embedding(&reindex)).await;
    }
    stores.assert_same_rows("reindex of the store").await;
    let kept = "SELECT concat_ws(' ', (SELECT count(*) FROM pg_inherits WHERE inhparent = 'parts.chunks'::regclass), to_regclass('parts.own'),
        (SELECT count(*) FROM pg_index WHERE indrelid = 'parts.chunks_0'::regclass), obj_description('parts.chunks_1'::regclass),
        (SELECT relrowsecurity FROM pg_class WHERE oid = 'parts.chunks_2'::regclass), has_table_privilege('public', 'parts.chunks_3', 'SELECT'))";
    assert_eq!(cluster.query_text(kept).await, "4 parts.own 8 mine t t");
    cluster.execute("ALTER TABLE parts.chunks_3 ENABLE ROW LEVEL SECURITY").await;
    assert_eq!(
        cluster.query_lines("SELECT * FROM passage.check_store('parts', true)").await,
        [""; 0]
    );
}

async fn notice_new_rows(stores: &Both) {
    let cluster = &stores.cluster;
    // `embed --follow` waits for new chunks by this number.
    let store = passage::store::Store::connect(&cluster.url(), "parts").await.unwrap();
    let before = store.activity().await.unwrap();
    cluster.execute("SELECT passage.ingest('late.md', 'Late words.', store => 'parts'), pg_stat_force_next_flush(); SELECT passage.remove('late.md', store => 'parts')").await;
    assert_ne!(store.activity().await.unwrap(), before);

    // The partitioned table has statistics after a load, and doctor notices outdated ones.
    let doctor = stores.embedding(&["doctor"]);
    let current = stores.run("parts", &doctor).await;
    assert!(!current.contains("statistics"), "{current}");
    cluster
        .execute(
            "INSERT INTO parts.documents (id, uri) VALUES ('00000000-0000-0000-8000-000000000000', 'many');
            INSERT INTO parts.chunks (id, document_id, ordinal, content)
            SELECT ('00000000-0000-0000-0001-' || lpad(n::text, 12, '0'))::uuid, '00000000-0000-0000-8000-000000000000', n, 'x' FROM generate_series(0, 1999) AS n",
        )
        .await;
    let partitions = "SELECT string_agg(inhrelid::regclass::text, ', ') FROM pg_inherits WHERE inhparent = 'parts.chunks'::regclass";
    cluster.execute(&format!("ANALYZE {}", cluster.query_text(partitions).await)).await;
    let outdated = stores.run("parts", &doctor).await;
    assert!(outdated.contains("ANALYZE STORE.chunks;"), "{outdated}");
    assert!(outdated.contains("does not analyze a table with partitions"), "{outdated}");
}
