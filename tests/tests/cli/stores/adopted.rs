//! The client on stores of views: tables of frameworks that `passage.adopt` made stores of, a table of an application,
//! and views that were defined by hand.

use crate::*;
use passage_tests::cases;

/// The tables of each framework, with rows that contain the word "kettle", and the store that adopts them.
const LAYOUTS: [(&str, &str, &str); 9] = [
    (
        "langchain",
        "docs",
        "CREATE TABLE docs (langchain_id uuid PRIMARY KEY, content text NOT NULL, embedding vector(3) NOT NULL, langchain_metadata json);
         INSERT INTO docs SELECT gen_random_uuid(), 'kettle ' || n || ' of doc ' || d, '[1,2,3]', json_build_object('source',
            d || '.md', 'start_index', n * 20, 'Header 1', 'T', 'Header 2', 'S' || n / 2, 'title', 'Doc ' || d)
         FROM generate_series(1, 2) AS d, generate_series(0, 3) AS n",
    ),
    (
        "langchain_pgvector",
        "langchain_pg_embedding",
        "CREATE TABLE langchain_pg_collection (uuid uuid PRIMARY KEY, name varchar NOT NULL UNIQUE, cmetadata json);
         CREATE TABLE langchain_pg_embedding (id varchar PRIMARY KEY, collection_id uuid REFERENCES langchain_pg_collection,
            embedding vector, document varchar, cmetadata jsonb);
         INSERT INTO langchain_pg_collection VALUES ('00000000-0000-0000-0000-000000000001', 'it''s');
         INSERT INTO langchain_pg_embedding SELECT 'id' || n, '00000000-0000-0000-0000-000000000001', '[1,2,3]', 'kettle ' || n,
            '{\"source\": \"a.txt\"}' FROM generate_series(1, 3) AS n",
    ),
    (
        "llamaindex",
        "data_test",
        "CREATE TABLE data_test (id bigserial PRIMARY KEY, text varchar NOT NULL, metadata_ json, node_id varchar, embedding vector(3));
         INSERT INTO data_test (text, metadata_, node_id, embedding) SELECT 'kettle number ' || n, json_build_object('file_name', 'f.md',
            '_node_content', json_build_object('id_', 'n' || n, 'relationships', json_build_object('1', json_build_object('node_id', 'd'),
            '2', CASE WHEN n > 1 THEN json_build_object('node_id', 'n' || n - 1) END))::text, 'ref_doc_id', 'd'), 'n' || n, '[1,2,3]'
         FROM unnest('{3,1,2}'::int[]) AS n",
    ),
    (
        "haystack",
        "haystack_documents",
        "CREATE TABLE haystack_documents (id varchar(128) PRIMARY KEY, embedding vector(3), content text, blob_data bytea,
            blob_meta jsonb, blob_mime_type varchar(255), meta jsonb);
         INSERT INTO haystack_documents SELECT encode(sha256(n::text::bytea), 'hex'), '[1,2,3]', 'kettle ' || n, NULL, NULL, NULL,
            jsonb_build_object('source_id', 'src', 'split_id', n, 'split_idx_start', n * 8) FROM generate_series(0, 2) AS n",
    ),
    (
        "pgai",
        "blog_embeddings_store",
        "CREATE TABLE blog_embeddings_store (embedding_uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(), id int NOT NULL,
            chunk_seq int NOT NULL, chunk text NOT NULL, embedding vector(3) NOT NULL, UNIQUE (id, chunk_seq));
         INSERT INTO blog_embeddings_store (id, chunk_seq, chunk, embedding)
         SELECT 1, n, 'kettle ' || n, '[1,2,3]' FROM generate_series(2, 0, -1) AS n",
    ),
    (
        "pgedge",
        "articles_content_chunks",
        "CREATE TABLE articles_content_chunks (id bigserial PRIMARY KEY, source_id bigint NOT NULL, chunk_index int NOT NULL,
            content text NOT NULL, token_count int, embedding vector(3), UNIQUE (source_id, chunk_index));
         INSERT INTO articles_content_chunks (source_id, chunk_index, content, token_count)
         SELECT 1, n, 'kettle ' || n, 5 FROM generate_series(3, 1, -1) AS n",
    ),
    (
        "spring_ai",
        "vector_store",
        "CREATE TABLE vector_store (id uuid DEFAULT gen_random_uuid() PRIMARY KEY, content text, metadata json, embedding vector(3));
         INSERT INTO vector_store (content, metadata)
         SELECT 'kettle ' || n, json_build_object('parent_document_id', 'p', 'chunk_index', n) FROM generate_series(3, 0, -1) AS n",
    ),
    (
        "supabase",
        "documents",
        "CREATE TABLE documents (id bigserial PRIMARY KEY, content text, metadata jsonb, embedding vector(3));
         INSERT INTO documents (content, metadata) SELECT 'kettle ' || n, jsonb_build_object('source', 'blob', 'loc',
            jsonb_build_object('lines', jsonb_build_object('from', n * 10, 'to', n * 10 + 9))) FROM generate_series(3, 0, -1) AS n;
         INSERT INTO documents (content) VALUES ('a kettle alone')",
    ),
    (
        "expressions",
        "parts",
        "CREATE TABLE parts (number bigint PRIMARY KEY, page text, position integer, headings text[], body text);
         INSERT INTO parts VALUES (1, 'tea', 0, '{Tea}', 'A kettle boils.'), (2, 'tea', 1, '{Tea,Green}', 'A green kettle.')",
    ),
];

/// Creates the tables of a framework and adopts them as the store `app`.
async fn adopt(cluster: &Cluster, (framework, table, sql): (&str, &str, &str)) {
    cluster.execute(sql).await;
    let expressions = match framework {
        "expressions" => {
            ", content => 'body', document => 'page', ordinal => 'position', section => 'headings'"
        }
        _ => "",
    };
    cluster.execute(&format!("SELECT passage.adopt('{table}', 'app'{expressions})")).await;
}

async fn run(cluster: &Cluster, arguments: &[&str]) -> RunOutput {
    run_client(cluster, arguments.iter().chain(&["--store", "app"])).await
}

#[tokio::test]
async fn commands_that_read_answer_on_every_adopted_layout() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("commands on adopted tables") {
        return;
    }
    for layout in cases(LAYOUTS) {
        let framework = layout.0;
        adopt(&cluster, layout).await;
        let answer = async |arguments: &[&str]| {
            let output = run(&cluster, arguments).await;
            assert_eq!(
                output.code,
                Some(0),
                "{framework} {arguments:?}: {}{}",
                output.stdout,
                output.stderr
            );
            output.stdout
        };
        let status: serde_json::Value =
            serde_json::from_str(&answer(&["status", "--json"]).await).unwrap();
        let chunks: i64 =
            cluster.query_text("SELECT count(*) FROM app.chunks").await.parse().unwrap();
        assert_eq!(status["chunks"], chunks, "{framework}");
        assert!(status["adopted"].as_str().unwrap().ends_with(layout.1), "{framework}: {status}");
        assert!(answer(&["status", "--list"]).await.contains("chunk"), "{framework}");
        let found = answer(&["search", "kettle", "--mode", "text"]).await;
        assert!(found.contains("kettle"), "{framework}");
        assert!(
            answer(&["fragments", "--no-embed", "kettle"]).await.contains("kettle"),
            "{framework}"
        );
        assert!(!answer(&["doctor", "--no-embed"]).await.contains("error "), "{framework}");

        // Both the ids of the store and those of the table name a chunk.
        let ids =
            "SELECT id || ' ' || source_id FROM app.chunks ORDER BY document_id, ordinal LIMIT 1";
        for id in cluster.query_text(ids).await.split(' ') {
            let context = answer(&["context", id, "--json"]).await;
            assert!(
                context.contains("kettle") && context.contains("\"source_id\":"),
                "{framework}: {context}"
            );
        }
        // A document without a uri is named by its id.
        for uri in cluster.query_lines("SELECT coalesce(uri, id::text) FROM app.documents").await {
            assert!(answer(&["outline", &uri]).await.contains("chunk"), "{framework}: {uri}");
        }
        let lines = answer(&["export", "--no-embed"]).await;
        assert_eq!(lines.lines().count() as i64, chunks, "{framework}");
        cluster
            .execute(&format!("SELECT passage.unadopt('app'); DROP TABLE {} CASCADE", layout.1))
            .await;
    }
}

#[tokio::test]
async fn commands_that_write_refuse_an_adopted_store_and_name_its_table() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("commands on adopted tables") {
        return;
    }
    let sources = Sources::with([("a.md", "# A\n")]);
    adopt(&cluster, LAYOUTS[0]).await;
    let before = cluster.query_text("SELECT count(*) || max(xmin::text) FROM docs").await;
    for command in cases([
        &["ingest", "--no-embed", &sources.book()][..],
        &["sync", "--no-embed", &sources.book()],
        &["reindex", "--no-embed"],
        &["remove", "1.md", "--yes"],
        &["init", "--no-embed"],
    ]) {
        let refused = run(&cluster, command).await;
        refused.assert_refusal(
            "store \"app\" is read-only: it shows the table public.docs",
            "Write to public.docs",
        );
    }
    run(&cluster, &["embed"]).await.assert_refusal(
        "store \"app\" cannot be embedded: its embeddings are those of the table public.docs",
        "with the program that writes this table",
    );
    assert_eq!(cluster.query_text("SELECT count(*) || max(xmin::text) FROM docs").await, before);
    cluster.execute("SELECT passage.unadopt('app')").await;
    adopt(&cluster, LAYOUTS[8]).await;
    run(&cluster, &["embed"])
        .await
        .assert_refusal("store \"app\" has no embeddings", "passage.adopt");
}

#[tokio::test]
async fn embeddings_of_an_unknown_model_are_searched_only_with_its_name() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "the model of adopted embeddings") {
        return;
    }
    let sources = Sources::with([
        ("a.md", "# Tea\n\nA kettle boils water.\n"),
        ("b.md", "# Cars\n\nWheels turn.\n"),
    ]);
    run_client(&cluster, ["ingest", &sources.book()]).await;
    cluster
        .execute(
            "CREATE TABLE items (id text PRIMARY KEY, page text, body text, vec vector(384));
             INSERT INTO items SELECT chunk_id, uri, content, embedding FROM rag.embeddings JOIN rag.chunks ON chunks.id = chunk_id
                JOIN rag.documents ON documents.id = chunks.document_id;
             SELECT passage.adopt('items', 'app', id => 'id', document => 'page', content => 'body', embedding => 'vec')",
        )
        .await;
    let default = "sentence-transformers/all-MiniLM-L6-v2";

    // Without the name: words only, with a note. A search by meaning asks for the name.
    for command in cases([&["search", "kettle"][..], &["fragments", "kettle"]]) {
        let words = run(&cluster, command).await;
        assert_eq!(words.code, Some(0), "{}", words.stderr);
        assert!(words.stdout.contains("kettle"), "{}", words.stdout);
        assert!(
            words.stderr.contains("searching by words only")
                && words.stderr.contains("--model-name"),
            "{}",
            words.stderr
        );
    }
    for mode in cases(["vector", "hybrid"]) {
        let asked = run(&cluster, &["search", "kettle", "--mode", mode]).await;
        asked.assert_refusal(
            "the model of the embeddings in store \"app\" is unknown",
            "--model-name",
        );
        let other =
            run(&cluster, &["search", "kettle", "--mode", mode, "--model-name", "ada"]).await;
        other.assert_refusal(
            "store \"app\" holds embeddings of ada (384 dimensions)",
            "--mode text",
        );
        let same = run(
            &cluster,
            &["search", "boiling hot drinks", "--mode", mode, "--model-name", default],
        )
        .await;
        assert_eq!(same.code, Some(0), "{}", same.stderr);
        assert!(same.stdout.find("kettle") < same.stdout.find("Wheels"), "{}", same.stdout);
    }
    let doctor = run(&cluster, &["doctor"]).await;
    assert!(
        doctor.code == Some(0)
            && doctor.stdout.contains("warning model: the model of the embeddings"),
        "{}",
        doctor.stdout
    );
    assert_eq!(
        cluster.query_text("SELECT count(*) FROM app.settings WHERE key = 'model'").await,
        "0"
    );

    // The remedy records the name once for all.
    let remedy = &doctor.stdout[doctor.stdout.find("INSERT INTO").unwrap()..];
    let statement = remedy[..=remedy.find(';').unwrap()].replace("NAME", default);
    cluster.execute(&statement).await;
    let known = run(&cluster, &["search", "boiling hot drinks", "--mode", "vector"]).await;
    assert_eq!(known.code, Some(0), "{}", known.stderr);
    let contradicted =
        run(&cluster, &["search", "x", "--mode", "vector", "--model-name", "ada"]).await;
    contradicted.assert_refusal(&format!("holds embeddings of {default}"), "--model");
}

#[tokio::test]
async fn a_store_of_tables_keeps_embeddings_of_other_programs_apart() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "embeddings of an unknown model") {
        return;
    }
    // An application that writes by SQL, and has never recorded its model.
    cluster
        .execute(
            "INSERT INTO rag.documents (id, uri) VALUES ('00000000-0000-8000-8000-000000000000', 'a');
             INSERT INTO rag.chunks (id, document_id, ordinal, content) VALUES
                ('00000000-0000-8000-8000-000000000001', '00000000-0000-8000-8000-000000000000', 0, 'kettle'),
                ('00000000-0000-8000-8000-000000000002', '00000000-0000-8000-8000-000000000000', 1, 'kettle');
             INSERT INTO rag.embeddings SELECT id, document_id, array_fill(0.1::real, '{384}')::vector FROM rag.chunks WHERE ordinal = 0;
             DELETE FROM rag.settings WHERE key = 'model'",
        )
        .await;
    let refused = run_client(&cluster, ["embed"]).await;
    refused
        .assert_refusal("the model of the embeddings in store \"rag\" is unknown", "--model-name");
    let other = run_client(&cluster, ["embed", "--model-name", "ada"]).await;
    other.assert_refusal("store \"rag\" holds embeddings of ada", "--model");
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.embeddings").await, "1");
    let told =
        run_client(&cluster, ["embed", "--model-name", "sentence-transformers/all-MiniLM-L6-v2"])
            .await;
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.embeddings").await, "2");
}

#[tokio::test]
async fn commands_work_on_views_with_the_required_columns_alone() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "a store of views by hand") {
        return;
    }
    cluster
        .execute(
            "CREATE TABLE parts (number int, page text, body text);
             INSERT INTO parts VALUES (0, 'tea', 'A kettle boils.'), (1, 'tea', 'A cup.');
             CREATE SCHEMA app;
             CREATE VIEW app.chunks AS SELECT md5(page || number)::uuid AS id, md5(page)::uuid AS document_id, number AS ordinal,
                body AS content, CASE number WHEN 0 THEN '{a,NULL}'::text[] END AS section FROM parts",
        )
        .await;
    let id = cluster.query_text("SELECT id FROM app.chunks WHERE ordinal = 0").await;
    let document = cluster.query_text("SELECT DISTINCT document_id FROM app.chunks").await;
    for command in cases([
        &["status"][..],
        &["status", "--list"],
        &["doctor"],
        &["context", &id, "--strategy", "adjacent"],
        &["outline", &document],
        &["export"],
        &["export", "--jsonl", "documents"],
    ]) {
        let output = run(&cluster, command).await;
        assert_eq!(output.code, Some(0), "{command:?}: {}{}", output.stdout, output.stderr);
        assert!(!output.stdout.contains("error   "), "{}", output.stdout);
    }
    // A table for embeddings beside the views belongs to the store.
    cluster
        .execute("CREATE TABLE app.embeddings (chunk_id uuid PRIMARY KEY, document_id uuid, embedding vector(384))")
        .await;
    let embedded = run(&cluster, &["embed"]).await;
    assert!(
        embedded.stdout.starts_with("2 chunks embedded"),
        "{}{}",
        embedded.stdout,
        embedded.stderr
    );
    let asked = run(&cluster, &["search", "hot water", "--mode", "vector"]).await;
    asked.assert_refusal("the model of the embeddings in store \"app\" is unknown", "--model-name");
    let name = "sentence-transformers/all-MiniLM-L6-v2";
    let found =
        run(&cluster, &["search", "hot water", "--mode", "vector", "--model-name", name]).await;
    assert!(found.stdout.contains("kettle"), "{}{}", found.stdout, found.stderr);
}

#[tokio::test]
async fn doctor_tells_a_broken_adopted_store_from_one_that_lacks_something() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("doctor on adopted tables") {
        return;
    }
    adopt(&cluster, LAYOUTS[8]).await;
    let degraded = run(&cluster, &["doctor"]).await;
    assert_eq!(degraded.code, Some(0), "{}", degraded.stdout);
    for lack in [
        "warning app.chunks: embeddings are unknown",
        "warning app.chunks: offsets are unknown",
        "everything else works",
    ] {
        assert!(degraded.stdout.contains(lack), "{lack}\n{}", degraded.stdout);
    }
    cluster
        .execute("DO $$ DECLARE name text; BEGIN SELECT tgname INTO name FROM pg_trigger WHERE tgrelid = 'parts'::regclass LIMIT 1; EXECUTE format('ALTER TABLE parts DISABLE TRIGGER %I', name); END $$")
        .await;
    let broken = run(&cluster, &["doctor"]).await;
    assert_eq!(broken.code, Some(1), "{}", broken.stdout);
    assert!(broken.stdout.contains("trigger is disabled"), "{}", broken.stdout);
    assert!(!broken.stdout.contains("everything else works"), "{}", broken.stdout);
}
