//! How search works: the indexes that it uses, the part of a store that it reads, and its notices.

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;

/// A store in which all chunks have the words of a common phrase, each hundredth a rarer word, and few a
/// rare one.
async fn library(chunks: u32) -> Cluster {
    let cluster = Cluster::start().await;
    cluster
        .execute(&format!(
            "INSERT INTO rag.documents (id, collection, uri)
            SELECT ('aaaaaaaa-0000-0000-8000-' || lpad(d::text, 12, '0'))::uuid, 'c' || d % 10, d FROM generate_series(0, 99) AS d;
            INSERT INTO rag.chunks (document_id, ordinal, content)
            SELECT ('aaaaaaaa-0000-0000-8000-' || lpad((n % 100)::text, 12, '0'))::uuid, n / 100,
                'common usual words ' || n || CASE WHEN n % 100 = 7 THEN ' sometimes' ELSE '' END
                    || CASE WHEN n % 1000 = 7 THEN ' seldom' ELSE '' END
            FROM generate_series(0, {chunks} - 1) AS n;
            ANALYZE"
        ))
        .await;
    cluster
}

/// Returns the notices that a session gets.
pub async fn notices(cluster: &Cluster, script: &str) -> String {
    let arguments = ["-X", "-q", "-U", SUPERUSER, "-v", "ON_ERROR_STOP=1", "-c", script];
    let output = cluster.program("psql").args(arguments).output().await.unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    stderr
}

/// Returns the plans of all statements that a call executes.
pub async fn plans(cluster: &Cluster, sql: &str) -> String {
    let settings = "LOAD 'auto_explain'; SET auto_explain.log_nested_statements = on; SET auto_explain.log_min_duration = 0";
    notices(cluster, &format!("{settings}; SET client_min_messages = log; {sql}")).await
}

/// Returns the number of pages that a query reads.
async fn pages(cluster: &Cluster, sql: &str) -> u64 {
    let client = cluster.client_as(SUPERUSER).await;
    // The first call also reads plans and statistics.
    client.simple_query(sql).await.unwrap();
    let explain = format!("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}");
    let row = client.query_one(&explain, &[]).await.unwrap();
    let plan: serde_json::Value = row.get(0);
    let plan = &plan[0]["Plan"];
    ["Shared Hit Blocks", "Shared Read Blocks"]
        .iter()
        .map(|what| plan[what].as_u64().unwrap())
        .sum()
}

#[tokio::test]
async fn words_are_found_by_their_index() {
    let cluster = library(20_000).await;
    for query in ["seldom", "common seldom", "sometimes -never", "seldom \"usual words\" -other"] {
        let plans = plans(&cluster, &format!("SELECT * FROM passage.search('{query}')")).await;
        assert!(plans.contains("Bitmap Index Scan on chunks_tsv_idx"), "{query}: {plans}");
    }
    // If no word is common, nothing else is read, with and without filters.
    for filters in ["", ", collection => 'c7'", ", filter => passage.filter(uri_pattern => '7%')"] {
        let sql = format!("SELECT * FROM passage.search('seldom'{filters})");
        let plans = plans(&cluster, &sql).await;
        assert!(plans.contains("chunks_tsv_idx"), "{filters}: {plans}");
        assert!(!plans.contains("Seq Scan on chunks"), "{filters}: {plans}");
    }
}

#[tokio::test]
async fn a_search_for_common_words_reads_the_same_pages_in_a_larger_store() {
    let common = "SELECT * FROM passage.search_hits('common usual words')";
    let ranked =
        "SELECT id FROM rag.chunks, websearch_to_tsquery('english', 'common usual words') AS q
        WHERE tsv @@ q ORDER BY ts_rank(tsv, q) DESC LIMIT 10";
    let mut costs = Vec::new();
    for chunks in cases([20_000, 120_000]) {
        let cluster = library(chunks).await;
        costs.push((pages(&cluster, common).await, pages(&cluster, ranked).await));
        let rows = cluster.query_lines(common).await;
        assert_eq!(rows.len(), 10);
        assert_eq!(rows, cluster.query_lines(common).await, "the same each time");
        let plans = plans(&cluster, common).await;
        assert!(plans.contains("Sample Scan on chunks"), "{plans}");
    }
    let [(small, _), (large, all)] = costs[..] else { unreachable!() };
    assert!(large * 4 < small * 5, "{large} pages against {small} in a sixth of the chunks");
    assert!(large < all, "{large} pages, and {all} to rank all");
}

#[tokio::test]
async fn a_rare_word_is_found_among_common_ones() {
    let cluster = library(60_000).await;
    let sql = "SELECT bool_and(content LIKE '%seldom%'), count(*) FROM passage.search_hits('common usual words seldom')";
    assert_eq!(cluster.query_lines(sql).await, ["t|10"]);
    // Also before the first ANALYZE of the store.
    let fresh = Cluster::start().await;
    fresh
        .execute(
            "INSERT INTO rag.documents (id, uri) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'a');
            INSERT INTO rag.chunks (document_id, ordinal, content)
            SELECT 'aaaaaaaa-0000-0000-8000-000000000000', n, 'common words' || CASE WHEN n = 900 THEN ' seldom' ELSE '' END FROM generate_series(0, 999) AS n",
        )
        .await;
    let sql = "SELECT content FROM passage.search_hits('common words seldom', max_hits => 1)";
    assert_eq!(fresh.query_lines(sql).await, ["common words seldom"]);
}

#[tokio::test]
async fn common_words_are_found_at_any_place_and_with_any_filter() {
    let cluster = library(30_000).await;
    cluster
        .execute(
            "INSERT INTO rag.documents (id, collection, uri)
            SELECT ('bbbbbbbb-0000-0000-8000-' || lpad(d::text, 12, '0'))::uuid, 'code', 'code/' || d FROM generate_series(0, 199) AS d;
            INSERT INTO rag.chunks (document_id, ordinal, content)
            SELECT ('bbbbbbbb-0000-0000-8000-' || lpad((n / 150)::text, 12, '0'))::uuid, n % 150,
                CASE WHEN n = 29999 THEN 'even odd' WHEN n % 2 = 0 THEN 'even' ELSE 'odd' END || ' lines of code'
            FROM generate_series(0, 29999) AS n;
            ANALYZE",
        )
        .await;
    let count = async |arguments: &str| {
        let sql = format!("SELECT count(*) FROM passage.search_hits({arguments}, max_hits => 20)");
        cluster.query_text(&sql).await
    };
    for arguments in [
        "'lines code'",
        "'odd'",
        "'even odd'",
        "'common usual', collection => 'c3'",
        "'common usual', filter => passage.filter(uri_pattern => '77')",
        "'lines', filter => passage.filter(uri_pattern => 'code/199')",
        "'even odd', filter => passage.filter(uri_pattern => 'code/199')",
        // There the word is alone; elsewhere it comes with a rarer one.
        "'seldom code', collection => 'code'",
        "'seldom usual', collection => 'c3'",
    ] {
        assert_eq!(count(arguments).await, "20", "{arguments}");
    }
    let all = "SELECT count(*) FROM passage.search_hits('code', max_hits => 5000, ranking => passage.ranking(candidates => 5000))";
    assert_eq!(cluster.query_text(all).await, "5000");
    for (few, number) in [
        ("'\"even odd\"'", "1"),
        ("'even -lines'", "0"),
        ("'lines -odd', filter => passage.filter(uri_pattern => 'code/19_', kind => 'prose')", "0"),
        ("'common usual', collection => 'code'", "0"),
    ] {
        assert_eq!(count(few).await, number, "{few}");
    }
    let fragments = "SELECT content, signals ->> 'hint' FROM passage.fragments('\"even odd\"', max_fragments => 1)";
    assert_eq!(cluster.query_lines(fragments).await, ["even odd lines of code|"]);
}

/// Checks that searches by an embedding read the vector index, with and without filters.
async fn assert_uses_index(cluster: &Cluster, embedding: &str) {
    for filters in [
        "",
        ", collection => 'c3'",
        ", filter => passage.filter(kind => 'prose', include_orphaned => true)",
        ", filter => passage.filter(kind => NULL, include_orphaned => true)",
        ", filter => passage.filter(uri_pattern => '%')",
    ] {
        let sql = format!("SELECT * FROM passage.search(embedding => {embedding}{filters})");
        let plans = plans(cluster, &sql).await;
        assert!(plans.contains("Index Scan using embeddings_embedding_idx"), "{filters}: {plans}");
    }
}

#[tokio::test]
async fn the_nearest_chunks_come_from_the_vector_index() {
    let cluster = library(2_000).await;
    if cluster.lacks_vector("the plan of a search by embedding") {
        return;
    }
    cluster
        .execute(
            "INSERT INTO rag.embeddings
            SELECT id, document_id, (ARRAY[1, ordinal / 10.0] || array_fill(0.01, '{382}'))::real[]::vector FROM rag.chunks; ANALYZE rag.embeddings",
        )
        .await;
    let embedding = "('[1' || repeat(',0', 383) || ']')::vector::real[]";
    assert_uses_index(&cluster, embedding).await;
}

#[tokio::test]
async fn a_binary_store_compares_the_candidates_of_its_index() {
    let cluster = library(2_000).await;
    if cluster.lacks_vector("the plan of a search by an index of signs") {
        return;
    }
    // Vectors of 384 normal numbers around one of ten centers, as those of related chunks.
    cluster
        .execute(
            "DROP TABLE rag.embeddings CASCADE; DELETE FROM rag.settings WHERE key IN ('dimensions', 'embedding_type', 'distance');
            SELECT passage.create_store(dimensions => 384, embedding_type => 'binary');
            SELECT setseed(0.5);
            CREATE FUNCTION public.normal() RETURNS double precision LANGUAGE sql VOLATILE
            RETURN sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random());
            CREATE TABLE public.centers AS SELECT c, array_agg(public.normal() ORDER BY n) AS center
            FROM generate_series(0, 9) AS c, generate_series(1, 384) AS n GROUP BY c;
            INSERT INTO rag.embeddings
            SELECT id, document_id, (SELECT array_agg(number + public.normal() ORDER BY n) FROM unnest(center) WITH ORDINALITY AS of (number, n)
                WHERE ordinal >= 0)::real[]::halfvec
            FROM rag.chunks JOIN public.centers ON c = ordinal % 10; ANALYZE rag.embeddings",
        )
        .await;
    let embedding = "(SELECT center::real[] FROM public.centers WHERE c = 3)";
    assert_uses_index(&cluster, embedding).await;
    // Of 200 related chunks, the nearest ten are found by the signs of 384 numbers.
    let found = format!(
        "SELECT count(*) FROM passage.search_hits(embedding => {embedding}) JOIN (
            SELECT chunk_id FROM rag.embeddings ORDER BY embedding <=> {embedding}::halfvec LIMIT 10
        ) AS nearest USING (chunk_id)"
    );
    assert_eq!(cluster.query_text(&found).await, "10");
    // The width of the scan is that of the session, if it is larger.
    let candidates = |width: u32| {
        format!(
        "LOAD 'vector'; SET hnsw.ef_search = {width}; LOAD 'auto_explain'; SET auto_explain.log_nested_statements = on;
        SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on; SET client_min_messages = log;
        SELECT * FROM passage.search_hits(embedding => {embedding}, ranking => passage.ranking(candidates => 15))"
    )
    };
    for (width, rows) in [(40, "rows=300"), (500, "rows=500")] {
        let plan = notices(&cluster, &candidates(width)).await;
        let scan =
            plan.lines().find(|line| line.contains("Index Scan using embeddings_embedding_idx"));
        assert!(scan.is_some_and(|scan| scan.contains(rows)), "{width}: {plan}");
    }
}

#[tokio::test]
async fn an_incomplete_search_by_embedding_gives_a_notice() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("the notice of a search by embedding") {
        return;
    }
    // 300 chunks of one document are near; the 20,001 of the other one are too many to compare one by one.
    cluster
        .execute(
            "DROP INDEX rag.chunks_tsv_idx, rag.chunks_path_idx; DROP TABLE rag.embeddings CASCADE;
            SELECT passage.create_store(dimensions => 2); DROP INDEX rag.embeddings_embedding_idx;
            INSERT INTO rag.documents (id, uri, collection) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'a', 'a'), ('bbbbbbbb-0000-0000-8000-000000000000', 'b', 'b');
            INSERT INTO rag.chunks (id, document_id, ordinal, content)
            SELECT gen_random_uuid(), CASE WHEN n < 300 THEN 'aaaaaaaa-0000-0000-8000-000000000000' ELSE 'bbbbbbbb-0000-0000-8000-000000000000' END::uuid, n, 'x'
            FROM generate_series(0, 20300) AS n;
            INSERT INTO rag.embeddings
            SELECT id, document_id, ARRAY[cos(ordinal / 10000.0), sin(ordinal / 10000.0)]::real[]::vector FROM rag.chunks;
            CREATE INDEX ON rag.embeddings USING hnsw (embedding vector_cosine_ops);
            ANALYZE",
        )
        .await;
    let script = |collection: &str, max: u32| {
        format!(
            "SET hnsw.max_scan_tuples = {max};
            SELECT count(*) FROM passage.search_hits(embedding => '{{1,0}}', collection => '{collection}');"
        )
    };
    let notice = notices(&cluster, &script("b", 1)).await;
    assert!(notice.contains("of 30 nearest chunks were found"), "{notice}");
    assert!(notice.contains("Raise hnsw.max_scan_tuples."), "{notice}");
    let notice = notices(&cluster, &script("b", 1_000_000)).await;
    assert!(!notice.contains("nearest"), "{notice}");
    let notice = notices(&cluster, &script("a", 1)).await;
    assert!(!notice.contains("nearest"), "{notice}");
    // One visit of the index finds the 300 chunks of an orphaned document alone.
    let found = "SELECT concat(string_agg(DISTINCT uri, ' '), count(*), min(ordinal)) \
        FROM passage.search_hits(embedding => '{1,0}') JOIN rag.chunks ON chunks.id = chunk_id";
    assert_eq!(cluster.query_text(found).await, "a100");
    cluster.execute("UPDATE rag.documents SET orphaned_at = now() WHERE uri = 'a'").await;
    assert_eq!(cluster.query_text(found).await, "b10300");
    // The index goes on, so the chunks are not compared one by one.
    let notice = notices(&cluster, &format!("{found};")).await;
    assert!(!notice.contains("nearest"), "{notice}");
}

#[tokio::test]
async fn indexes_on_metadata_answer_conditions() {
    let cluster = library(20_000).await;
    cluster
        .execute(
            "INSERT INTO rag.documents (uri, metadata) SELECT 'm' || n,
                jsonb_build_object('year', n, 'at', to_char(date '2000-01-01' + n, 'YYYY-MM-DD'), 'tag', 't' || n)
            FROM generate_series(0, 4999) AS n;
            INSERT INTO rag.chunks (document_id, ordinal, content)
            SELECT id, n, 'common usual words' FROM rag.documents, generate_series(0, 3) AS n WHERE uri LIKE 'm%';
            CREATE INDEX year_idx ON rag.documents ((metadata -> 'year'));
            CREATE INDEX at_idx ON rag.documents ((metadata -> 'at'));
            CREATE INDEX document_metadata_idx ON rag.documents USING gin (metadata jsonb_path_ops);
            CREATE INDEX chunk_metadata_idx ON rag.chunks USING gin (metadata);
            ANALYZE",
        )
        .await;
    for (filter, index, count) in [
        (r#"{"year": {"$gte": 4990}}"#, "year_idx", "40"),
        (r#"{"year": {"$between": [100, 101]}, "tag": {"$ne": "t100"}}"#, "year_idx", "4"),
        (r#"{"year": {"$eq": 7}}"#, "year_idx", "4"),
        (r#"{"year": {"$in": [7, 8]}}"#, "year_idx", "8"),
        (r#"{"at": {"$gte": "2013-09-05T00:00:00+02:00"}}"#, "at_idx", "16"),
        (r#"{"tag": "t9"}"#, "document_metadata_idx", "4"),
        (r#"{"$or": [{"tag": "t9"}, {"year": {"$gt": 4998}}]}"#, "document_metadata_idx", "8"),
    ] {
        let sql = format!(
            "SELECT count(*) FROM passage.search_hits('common usual words', max_hits => 1000, filter => '{{\"metadata\": {filter}}}')"
        );
        assert_eq!(cluster.query_text(&sql).await, count, "{filter}");
        let plans = plans(&cluster, &sql).await;
        for index in [index, "chunk_metadata_idx"] {
            assert!(plans.contains(index), "{filter}: {plans}");
        }
    }
    // A key of the chunk hides that of its document.
    cluster.execute("UPDATE rag.chunks SET metadata = '{\"year\": 1}' WHERE content = 'common usual words' AND ordinal = 3").await;
    let sql = "SELECT count(*) FROM passage.search_hits('common usual words', max_hits => 1000, filter => '{\"metadata\": {\"year\": {\"$gte\": 4990}}}')";
    assert_eq!(cluster.query_text(sql).await, "30");
}
