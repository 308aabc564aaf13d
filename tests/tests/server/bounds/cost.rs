//! The cost of a call: at most three statements that use indexes, for any number of hits and any size of a document.

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;
use serde_json::Value;
use tokio_postgres::{Client, SimpleQueryMessage};

/// A large document and many small ones. The tables are not analyzed yet.
async fn library(chunks: u32) -> Cluster {
    let mut cluster = Cluster::start().await;
    let settings = "ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'";
    cluster.execute_as(SUPERUSER, settings).await;
    cluster.restart().await;
    cluster.execute_as(SUPERUSER, "CREATE EXTENSION pg_stat_statements").await;
    // ALTER SYSTEM does not work before the restart: PostgreSQL 15 does not know the setting then.
    let track = "ALTER DATABASE passage SET pg_stat_statements.track = 'all'";
    cluster.execute_as(SUPERUSER, track).await;
    cluster
        .execute(&format!(
            "DROP INDEX rag.chunks_tsv_idx, rag.chunks_path_idx;
            INSERT INTO rag.documents (id, uri)
            SELECT ('aaaaaaaa-0000-0000-8000-' || lpad(d::text, 12, '0'))::uuid, d FROM generate_series(0, 200) AS d;
            INSERT INTO rag.chunks (id, document_id, ordinal, section, content)
            SELECT ('aaaaaaaa-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid, 'aaaaaaaa-0000-0000-8000-000000000000', n,
                ARRAY['A', 'B' || n / 1000, 'C' || n / 20], 'x'
            FROM generate_series(0, {chunks} - 1) AS n;
            INSERT INTO rag.chunks (id, document_id, ordinal, section, content)
            SELECT ('bbbbbbbb-0000-0000-' || lpad(n::text, 4, '0') || '-' || lpad(d::text, 12, '0'))::uuid,
                ('aaaaaaaa-0000-0000-8000-' || lpad(d::text, 12, '0'))::uuid, n, ARRAY['A', 'B' || n / 3], 'y'
            FROM generate_series(1, 200) AS d, generate_series(0, 9) AS n"
        ))
        .await;
    cluster
}

/// The id of the chunk in the middle of the large document.
fn middle(chunks: u32) -> String {
    format!("aaaaaaaa-0000-0000-0000-{:012}", chunks / 2 + 7)
}

async fn value(client: &Client, sql: &str) -> i64 {
    let messages =
        client.simple_query(sql).await.unwrap_or_else(|error| panic!("{error:?}\n{sql}"));
    let row = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    row.expect("a value").parse().expect("a number")
}

#[tokio::test]
async fn a_call_on_prose_executes_at_most_two_statements_for_any_number_of_hits() {
    let cluster = library(100).await;
    let client = cluster.client_as(SUPERUSER).await;
    for (function, arguments) in cases([
        ("expand_contexts", "'broad'"),
        ("reassemble", "'broad'"),
        ("reassemble", "'auto'"),
        ("expand_contexts", "'mine'"),
        ("expand_contexts", "'section'"),
        ("expand_contexts", "'hierarchical'"),
        ("expand_contexts", "'merge'"),
        ("explain_context", "'hierarchical'"),
        ("reassemble", "'hierarchical', output => '{\"imports\": true}'"),
    ]) {
        client.batch_execute("INSERT INTO rag.strategies (name, base) VALUES ('mine', 'reassembly') ON CONFLICT DO NOTHING").await.unwrap();
        for hits in [1, 10, 200] {
            value(&client, "SELECT count(*) FROM (SELECT pg_stat_statements_reset()) AS reset")
                .await;
            let rows = value(
                &client,
                &format!(
                    "SELECT count(*) FROM (SELECT array_agg(id) AS ids FROM (
                        SELECT id FROM rag.chunks WHERE id > 'b' || repeat('0', 31) OR ordinal < 0 ORDER BY ordinal, id LIMIT {hits}) AS found) AS h,
                    passage.{function}(h.ids, NULL, {arguments})"
                )
                .replace("'b' || repeat('0', 31)", "'b0000000-0000-0000-0000-000000000000'"),
            )
            .await;
            assert!(rows >= hits.min(200), "{function} gives {rows} rows for {hits} hits");
            let calls =
                value(&client, "SELECT sum(calls) FROM pg_stat_statements WHERE NOT toplevel")
                    .await;
            // The chunks around a single hit are read with it, and may suffice.
            let least = if hits == 1 { 1 } else { 2 };
            assert!(
                (least..=2).contains(&calls),
                "{function} {arguments} with {hits} hits: {calls}"
            );
        }
    }
}

#[tokio::test]
async fn a_call_on_code_reads_containers_by_a_third_statement_until_the_session_knows_code() {
    let cluster = library(100).await;
    let client = cluster.client_as(SUPERUSER).await;
    let code = "
        UPDATE rag.documents SET media_type = 'text/x-rust' WHERE uri::int BETWEEN 1 AND 20;
        UPDATE rag.chunks SET kind = 'code', section = CASE WHEN ordinal % 5 = 0 THEN ARRAY['A'] ELSE ARRAY['A', 'm' || ordinal] END,
            unit = CASE WHEN ordinal % 5 = 0 THEN 'container' ELSE 'member' END
        WHERE document_id IN (SELECT id FROM rag.documents WHERE media_type = 'text/x-rust')";
    client.batch_execute(code).await.unwrap();
    for (hits, strategy, expected) in
        cases([(1, "auto", 3), (10, "auto", 2), (40, "auto", 2), (10, "broad", 2)])
    {
        value(&client, "SELECT count(*) FROM (SELECT pg_stat_statements_reset()) AS reset").await;
        let sql = format!(
            "SELECT count(*) FROM (SELECT array_agg(id) AS ids FROM (
                SELECT id FROM rag.chunks WHERE kind = 'code' AND ordinal IN (3, 7) ORDER BY document_id, ordinal LIMIT {hits}) AS found) AS h,
            passage.expand_contexts(h.ids, NULL, '{strategy}') WHERE role <> 'hit'"
        );
        assert!(value(&client, &sql).await >= hits, "{strategy} finds context of {hits} hits");
        let calls =
            value(&client, "SELECT sum(calls) FROM pg_stat_statements WHERE NOT toplevel").await;
        assert_eq!(calls, expected, "{strategy} with {hits} hits");
    }
}

#[tokio::test]
async fn a_search_executes_few_statements_although_its_hits_share_passages() {
    let cluster = library(2_000).await;
    let client = cluster.client_as(SUPERUSER).await;
    // A named strategy divides the budget between hits and context, which takes more rounds.
    let strategies = [("auto", 24), ("adjacent", 32), ("broad", 32)];
    let numbers = [1, 3, 10, 100];
    for ((strategy, max), max_passages) in
        cases(strategies.into_iter().flat_map(|strategy| numbers.map(|number| (strategy, number))))
    {
        value(&client, "SELECT count(*) FROM (SELECT pg_stat_statements_reset()) AS reset").await;
        let sql = format!(
            "SELECT count(*) FROM passage.search('x', max_passages => {max_passages}, strategy => '{strategy}')"
        );
        assert!(value(&client, &sql).await > 0);
        let calls =
            value(&client, "SELECT sum(calls) FROM pg_stat_statements WHERE NOT toplevel").await;
        assert!(calls <= max, "{strategy}, {max_passages} passages: {calls} statements");
    }
}

/// Returns the number of pages that a query reads when its plans and pages are cached.
async fn pages(client: &Client, sql: &str) -> i64 {
    for _ in 0..3 {
        client.simple_query(sql).await.unwrap();
    }
    value(client, "SELECT count(*) FROM (SELECT pg_stat_statements_reset()) AS reset").await;
    client.simple_query(sql).await.unwrap();
    value(
        client,
        "SELECT sum(shared_blks_hit + shared_blks_read) FROM pg_stat_statements WHERE toplevel AND query LIKE '%passage.%'",
    )
    .await
}

#[tokio::test]
async fn a_bounded_call_reads_the_same_pages_in_a_document_of_fifty_thousand_chunks() {
    const CHUNKS: u32 = 50_000;
    let cluster = library(CHUNKS).await;
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA rag TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA rag TO reader;
            GRANT pg_read_all_stats TO reader; GRANT EXECUTE ON FUNCTION pg_stat_statements_reset TO reader;
            ALTER TABLE rag.chunks ENABLE ROW LEVEL SECURITY;
            CREATE POLICY readers ON rag.chunks TO reader USING (
                EXISTS (SELECT FROM rag.documents WHERE documents.id = chunks.document_id))",
        )
        .await;
    let hit = middle(CHUNKS);
    let scans =
        "SELECT coalesce(sum(seq_scan), 0) FROM pg_stat_user_tables WHERE relname = 'chunks'";
    for analysed in [false, true] {
        if analysed {
            cluster.execute("ANALYZE rag.documents, rag.chunks").await;
        }
        for role in cases([SUPERUSER, "reader"]) {
            let client = cluster.client_as(role).await;
            client.batch_execute("SET jit = off").await.unwrap();
            let before = value(&cluster.client_as(SUPERUSER).await, scans).await;
            for strategy in ["none", "adjacent", "broad", "reassembly", "section"] {
                let sql =
                    format!("SELECT count(*) FROM passage.expand_context('{hit}', '{strategy}')");
                let touched = pages(&client, &sql).await;
                assert!(
                    touched < 250,
                    "{strategy} of {role}, analysed {analysed}: {touched} pages"
                );
            }
            let sql =
                format!("SELECT count(*) FROM passage.reassemble('{{{hit}}}', NULL, 'broad')");
            let touched = pages(&client, &sql).await;
            assert!(touched < 250, "reassemble of {role}, analysed {analysed}: {touched} pages");
            client.batch_execute("SELECT pg_stat_force_next_flush()").await.unwrap();
            client.batch_execute("SELECT 1").await.unwrap();
            let after = value(&cluster.client_as(SUPERUSER).await, scans).await;
            assert_eq!(
                after, before,
                "{role}, analysed {analysed}: chunks is read from end to end"
            );
        }
    }
}

#[tokio::test]
async fn a_slow_call_can_be_cancelled() {
    const CHUNKS: u32 = 200_000;
    let cluster = library(CHUNKS).await;
    let client = cluster.client().await;
    let sql = format!(
        "SELECT sum(length(content)) FROM passage.expand_context('{}', 'document', max_tokens => 0, max_chunks => 1000000)",
        middle(CHUNKS)
    );
    let begun = std::time::Instant::now();
    assert_eq!(value(&client, &sql).await, i64::from(CHUNKS));
    let whole = begun.elapsed();

    for divisor in cases([5, 20]) {
        let timeout = (whole / divisor).as_millis().max(1);
        client.batch_execute(&format!("SET statement_timeout = {timeout}")).await.unwrap();
        let error = client.simple_query(&sql).await.unwrap_err();
        assert_eq!(error.code().unwrap().code(), "57014", "after {timeout} ms of {whole:?}");
    }
    client.batch_execute("RESET statement_timeout").await.unwrap();
    assert_eq!(value(&client, "SELECT 1").await, 1);
}

#[tokio::test]
async fn a_session_keeps_few_plans_for_many_kinds_of_calls() {
    let cluster = library(100).await;
    let client = cluster.client_as(SUPERUSER).await;
    let calls = "SELECT sum(n) FROM (
        SELECT count(*) AS n
        FROM generate_series(0, 1) AS parents, generate_series(0, 1) AS preceding, generate_series(0, 1) AS following,
            generate_series(0, 1) AS children, generate_series(0, 5, 5) AS before, unnest('{none,section,hierarchical}'::text[]) AS strategy,
            (VALUES (1), (2), (3), (5)) AS asked (hits),
            LATERAL (SELECT array_agg(id) AS ids FROM (SELECT id FROM rag.chunks WHERE ordinal = 5 ORDER BY id LIMIT hits) AS taken) AS found,
            LATERAL passage.expand_contexts(ids, NULL, strategy, limits => jsonb_build_object('parents', parents, 'preceding', preceding, 'following', following, 'children', children, 'before', before))
        GROUP BY parents, preceding, following, children, before, strategy, hits) AS counted";
    assert!(value(&client, calls).await > 1000);
    let plans = "SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'CachedPlan'";
    let plans = value(&client, plans).await;
    assert!((10..60).contains(&plans), "{plans} plans are kept");
}

#[tokio::test]
async fn a_list_of_stores_costs_the_same_for_each_store() {
    let cluster = Cluster::start().await;
    let client = cluster.client_as(SUPERUSER).await;
    let dimensions = if cluster.lacks_vector("embeddings of listed stores") { "NULL" } else { "8" };
    let mut blocks = Vec::new();
    for stores in [10, 40] {
        let create = format!(
            "SELECT count(*) FROM generate_series(1, {stores}) AS number,
            passage.create_store(('store' || number)::name, dimensions => {dimensions})"
        );
        client.batch_execute(&create).await.unwrap();
        // The second execution reads no rows of catalogs for the first time.
        let explain = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM passage.stores()";
        client.simple_query(explain).await.unwrap();
        let plan: Value = client.query_one(explain, &[]).await.unwrap().get(0);
        let rows = plan[0]["Plan"]["Actual Rows"].as_f64().unwrap();
        assert!(rows >= f64::from(stores), "{plan}");
        blocks.push(plan[0]["Plan"]["Shared Hit Blocks"].as_u64().unwrap());
    }
    // Four times as many, and catalogs that are larger.
    assert!(blocks[1] < blocks[0] * 5, "{blocks:?}");
}
