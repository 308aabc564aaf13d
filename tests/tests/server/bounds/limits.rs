//! Large and odd input: calls stay bounded or fail with a clear error.

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;

/// Returns SQL for a document whose chunks have the sections of an SQL expression over `n`.
fn document(chunks: u32, section: &str, content: &str) -> String {
    format!(
        "INSERT INTO rag.documents (id, uri, media_type)
        VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'large.md', 'text/markdown');
        INSERT INTO rag.chunks (id, document_id, ordinal, section, content)
        SELECT ('aaaaaaaa-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid, 'aaaaaaaa-0000-0000-8000-000000000000', n,
            {section}, {content}
        FROM generate_series(0, {chunks} - 1) AS n"
    )
}

const HIT: &str = "aaaaaaaa-0000-0000-0000-000000000001";

#[tokio::test]
async fn ten_thousand_hits_are_expanded_in_one_call() {
    let cluster = Cluster::start().await;
    cluster.execute(&document(20_000, "ARRAY['A', 'B' || n / 10]", "n::text")).await;
    let ids = "(SELECT array_agg(id ORDER BY ordinal) FROM rag.chunks WHERE ordinal % 2 = 0)";
    for strategy in ["broad", "adjacent", "section"] {
        let sql = format!(
            "SELECT count(*) FILTER (WHERE role = 'hit') || ' ' || count(DISTINCT chunk_id) || ' ' || count(*)
            FROM passage.expand_contexts({ids}, NULL, '{strategy}', max_chunks => 1000000)"
        );
        assert_eq!(cluster.query_text(&sql).await, "10000 20000 20000", "{strategy}");
    }
    let sql = format!(
        "SELECT count(*) || ' ' || sum(cardinality(chunk_ids)) FROM passage.reassemble({ids}, NULL, 'none')"
    );
    assert_eq!(cluster.query_text(&sql).await, "1 10000");
}

#[tokio::test]
async fn a_section_may_be_ten_thousand_titles_deep() {
    let cluster = Cluster::start().await;
    let deep = "ARRAY(SELECT 'title ' || t FROM generate_series(1, 9990 + 5 * n) AS t)";
    cluster.execute(&document(4, deep, "n::text")).await;
    cluster.execute("UPDATE rag.chunks SET section = section[:1] WHERE ordinal = 0").await;
    for strategy in ["broad", "section", "document", "adjacent"] {
        let sql = format!(
            "SELECT max(cardinality(section)) FROM passage.expand_context('{HIT}', '{strategy}')"
        );
        assert!(cluster.query_text(&sql).await.parse::<u32>().unwrap() >= 9995, "{strategy}");
    }
    // The parent is found 9,994 titles up.
    let sql = format!(
        "SELECT content FROM passage.expand_context('{HIT}', 'none', limits => passage.limits(parents => 5))"
    );
    assert_eq!(cluster.query_lines(&sql).await, ["0", "1"]);
    // An outline has a line for each chunk's section, and for the nearest sections above it.
    let sql = "SELECT count(*) FROM passage.outline(uri => 'large.md')";
    assert_eq!(cluster.query_text(sql).await, "76");
}

#[tokio::test]
async fn a_title_may_be_as_long_as_a_book() {
    let cluster = Cluster::start().await;
    for (i, title) in cases(
        ["repeat('x', 300000)", "repeat('ünder_score ', 30000)", "repeat('a b ', 100000)"]
            .iter()
            .enumerate(),
    ) {
        cluster.execute("TRUNCATE rag.documents CASCADE").await;
        cluster.execute(&document(3, &format!("ARRAY['A', {title} || n]"), "n::text")).await;
        let sql = format!(
            "SELECT string_agg(role, ' ' ORDER BY ordinal) FROM passage.expand_context('{HIT}')"
        );
        assert_eq!(cluster.query_text(&sql).await, "parent hit following", "title {i}");
        // Titles that differ only at their end have different paths.
        assert_eq!(
            cluster.query_text("SELECT count(DISTINCT path) FROM rag.chunks").await,
            "3",
            "title {i}"
        );
    }
}

#[tokio::test]
async fn a_chunk_may_hold_ten_megabytes() {
    let cluster = Cluster::start().await;
    for content in cases([
        "repeat('word ', 2000000)",
        "repeat('x', 10000000)",
        "(SELECT string_agg(md5(i::text), ' ') FROM generate_series(1, 300000) AS i)",
    ]) {
        cluster.execute("TRUNCATE rag.documents CASCADE").await;
        cluster.execute(&document(3, "'{}'", content)).await;
        let sql = format!(
            "SELECT octet_length(content) = (SELECT sum(octet_length(rtrim(content))) FROM rag.chunks) + 4
                OR octet_length(content) >= (SELECT sum(octet_length(content)) FROM rag.chunks)
            FROM passage.reassemble('{{{HIT}}}', NULL, 'document', max_tokens => 0)"
        );
        assert_eq!(cluster.query_text(&sql).await, "t", "{content}");
    }
}

#[tokio::test]
async fn create_extension_in_a_database_that_is_not_utf8_is_refused() {
    let cluster = Cluster::start().await;
    for (name, encoding) in cases([("latin", "LATIN1"), ("bytes", "SQL_ASCII")]) {
        let sql =
            format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'");
        cluster.execute_as(SUPERUSER, &sql).await;
        let url = cluster.url_as(SUPERUSER).replace("/passage?", &format!("/{name}?"));
        let create =
            ["-X", "-v", "VERBOSITY=verbose", "-c", "CREATE EXTENSION pg_passage CASCADE", &url];
        let output = cluster.program("psql").args(create).output().await.unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{encoding}: no error");
        let error = "0A000: pg_passage requires a database with encoding UTF8";
        assert!(stderr.contains(error) && stderr.contains(encoding), "{stderr}");
        assert!(stderr.contains("HINT:  Create a database with CREATE DATABASE"), "{stderr}");
    }
}

#[tokio::test]
async fn containers_are_found_ten_thousand_titles_deep_and_among_a_hundred_thousand_chunks() {
    let cluster = Cluster::start().await;
    let deep = "ARRAY(SELECT 'title ' || t FROM generate_series(1, 9990 + 5 * n) AS t)";
    cluster.execute(&document(4, deep, "n::text")).await;
    cluster
        .execute(
            "UPDATE rag.chunks SET unit = CASE ordinal WHEN 1 THEN 'container' ELSE 'member' END",
        )
        .await;
    let sql = format!(
        "SELECT string_agg(content, ' ' ORDER BY ordinal) FROM passage.expand_context('{HIT}', 'hierarchical')"
    );
    assert_eq!(cluster.query_text(&sql.replace("000001'", "000003'")).await, "1 2 3");
    let merge =
        sql.replace("'hierarchical'", "'merge', limits => passage.limits(threshold => 0.2)");
    assert_eq!(cluster.query_text(&merge).await, "0 1 2 3");

    // Chunk 0 opens a class of a hundred thousand members, the last chunk closes it.
    cluster.execute("TRUNCATE rag.documents CASCADE").await;
    cluster.execute("DROP INDEX rag.chunks_tsv_idx, rag.chunks_path_idx").await;
    let wide = "(ARRAY['A', 'm' || n])[:CASE WHEN n IN (0, 99999) THEN 1 ELSE 2 END]";
    cluster.execute(&document(100_000, wide, "n::text")).await;
    cluster
        .execute("UPDATE rag.chunks SET tokens = 1, unit = CASE WHEN ordinal IN (0, 99999) THEN 'container' ELSE 'member' END")
        .await;
    let middle = sql.replace("000001'", "050000'").replace(
        "string_agg(content, ' ' ORDER BY ordinal)",
        "count(*) || ' ' || min(ordinal) || ' ' || max(ordinal)",
    );
    assert_eq!(cluster.query_text(&middle).await, "500 0 99999");
    for (max_chunks, expected) in cases([(500, "true false 500"), (1_000_000, "false true 100000")])
    {
        let sql = format!(
            "SELECT truncated || ' ' || complete || ' ' || tokens
            FROM passage.reassemble('{{{HIT}}}', NULL, 'hierarchical', max_tokens => 0, limits => passage.limits(max_chunks => {max_chunks}))"
        );
        assert_eq!(cluster.query_text(&sql).await, expected);
    }
}

#[tokio::test]
async fn a_session_returns_the_memory_of_large_source_code() {
    let cluster = Cluster::start().await;
    let client = cluster.client().await;
    let backend = client.query_one("SELECT pg_backend_pid()", &[]).await.unwrap();
    let status = format!("/proc/{}/status", backend.get::<_, i32>(0));
    let memory = || {
        let status = std::fs::read_to_string(&status).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
        line.trim().strip_suffix(" kB")?.parse::<usize>().ok().map(|kilobytes| kilobytes / 1_024)
    };
    let functions = |count: u32| {
        format!(
            "passage.split((SELECT string_agg(format(E'def f%s(a):\\n    return a\\n\\n', n), '') \
             FROM generate_series(1, {count}) AS n), 'text/x-python')"
        )
    };
    client.batch_execute(&format!("SELECT FROM {}", functions(100))).await.unwrap();
    let Some(before) = memory() else {
        let what = "a session returns the memory of large source code";
        return cluster
            .installation()
            .report_skipped(what, "the system shows no memory of processes");
    };
    // 1.4 MB of code with a tree of 40 MB.
    let large = functions(50_000);
    client.batch_execute(&format!("BEGIN; SELECT FROM {large}")).await.unwrap();
    let within = memory().unwrap() - before;
    client.batch_execute("COMMIT").await.unwrap();
    let after = memory().unwrap().saturating_sub(before);
    println!("{before} MB before, {within} MB more in the transaction, {after} MB more after it");
    assert!(within >= 10 && after <= 5, "{within} MB, then {after} MB");
    // An error in the call returns it, too.
    let fails = format!("SELECT 1 / (ordinal - ordinal) FROM {large}");
    assert!(client.batch_execute(&fails).await.is_err());
    // The server reports an error before it ends the transaction.
    client.batch_execute("SELECT").await.unwrap();
    let after = memory().unwrap().saturating_sub(before);
    assert!(after <= 5, "{after} MB after an error");
}
