//! The commands through a transaction pooler, whose two connections to the server they share with other clients.
//! Nobody leaves state in a session, and nobody meets state of another client.

use crate::connections::pooled_sessions::{Bystanders, assert_clean};
use crate::embedding_service::{Reply, Service};
use crate::{RunOutput, Sources, assert_sound, text_cluster};
use passage_tests::cases;
use passage_tests::cluster::{OWNER, Pooler};
use passage_tests::wait::{until, within};
use passage_tests::{Cluster, fixture};
use std::process::Stdio;
use std::time::Duration;

/// Two connections to the server for all clients of a role.
const TWO: &str = "pool_mode = transaction\ndefault_pool_size = 2";

const MISSING: &str = "SELECT count(*) FROM rag.chunks LEFT JOIN rag.embeddings ON chunk_id = chunks.id WHERE chunk_id IS NULL";

fn client(cluster: &Cluster, pooler: &Pooler, arguments: &[&str]) -> tokio::process::Command {
    let mut program = cluster.client_program();
    program.env("DATABASE_URL", pooler.url_as(OWNER)).env("RUST_BACKTRACE", "1").args(arguments);
    program
}

/// Runs a command while others use the pooler, and checks that it succeeds and leaves nothing in the sessions.
async fn run(cluster: &Cluster, pooler: &Pooler, arguments: &[&str]) -> RunOutput {
    let run = RunOutput::of(&mut client(cluster, pooler, arguments)).await;
    assert_eq!(run.code, Some(0), "{arguments:?}: {}{}", run.stdout, run.stderr);
    assert_clean(pooler, &arguments.join(" ")).await;
    run
}

/// Returns an output without the durations at the end of JSON.
fn timeless(output: &str) -> String {
    let untimed = |line: &str| line.split("\"timing\"").next().unwrap_or_default().to_owned();
    output.lines().map(untimed).collect::<Vec<_>>().join("\n")
}

/// Returns the output of a command through the pooler, which is that of a direct connection.
async fn same(cluster: &Cluster, pooler: &Pooler, arguments: &[&str]) -> String {
    let output = run(cluster, pooler, arguments).await.stdout;
    let direct = cluster.passage(arguments).await;
    assert_eq!(timeless(&output), timeless(&direct), "{arguments:?}");
    output
}

#[tokio::test]
async fn each_command_works_through_a_transaction_pooler_and_leaves_no_state() {
    let cluster = Cluster::bare().await;
    let what = "each command works through a transaction pooler";
    let Some(pooler) = cluster.pooler(what, TWO).await else { return };
    run(&cluster, &pooler, &["init", "--no-embed"]).await;
    let bystanders = Bystanders::start(&pooler, 6).await;
    let garden = fixture!("client/garden");
    let sources = Sources::with([("a.md", "# A\n\nA word.\n"), ("b.md", "# B\n\nAnother word.\n")]);
    let book = sources.book();
    run(&cluster, &pooler, &["ingest", "--no-embed", "--collection", "garden", garden]).await;
    run(&cluster, &pooler, &["ingest", "--no-embed", &book]).await;
    assert_sound(&cluster).await;

    same(&cluster, &pooler, &["status", "--json"]).await;
    same(&cluster, &pooler, &["status", "--list", "--json"]).await;
    let found = same(&cluster, &pooler, &["search", "--mode", "text", "--json", "bees"]).await;
    same(&cluster, &pooler, &["search", "--mode", "text", "--json", "--chunks", "bees"]).await;
    let found: serde_json::Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    let chunk = found["passages"][0]["chunk_ids"][0].as_str().unwrap();
    same(&cluster, &pooler, &["context", "--strategy", "broad", "--json", chunk]).await;
    same(&cluster, &pooler, &["fragments", "--no-embed", "--json", "bees"]).await;
    same(&cluster, &pooler, &["outline", "garden/bees.md", "--json"]).await;
    same(&cluster, &pooler, &["export"]).await;
    same(&cluster, &pooler, &["export", "--jsonl", "documents", "--collection", "garden"]).await;
    run(&cluster, &pooler, &["doctor", "--no-embed"]).await;

    // A changed document, a new one and a missing one.
    sources.write("a.md", "# A\n\nA changed word.\n\n# C\n\nText.\n");
    sources.write("c.md", "# C\n");
    std::fs::remove_file(sources.write("b.md", "")).unwrap();
    let sync =
        run(&cluster, &pooler, &["sync", "--no-embed", "--json", "--grace", "0s", &book]).await;
    assert!(sync.stdout.contains("\"removed\":1"), "{}", sync.stdout);
    let uris = "SELECT string_agg(uri, ' ' ORDER BY uri) FROM rag.documents WHERE collection = ''";
    assert_eq!(cluster.query_text(uris).await, "book/a.md book/c.md");
    run(
        &cluster,
        &pooler,
        &["reindex", "--no-embed", "--collection", "garden", "--max-size", "300"],
    )
    .await;
    run(&cluster, &pooler, &["remove", "--yes", "book/c.md"]).await;
    run(&cluster, &pooler, &["remove", "--yes", "--collection", "garden"]).await;
    assert_eq!(cluster.query_text(uris).await, "book/a.md");
    assert_sound(&cluster).await;
    assert!(bystanders.end().await > 0);
}

#[tokio::test]
async fn a_followed_folder_is_synchronized_through_a_transaction_pooler() {
    let cluster = text_cluster().await;
    let what = "sync --watch works through a transaction pooler";
    let Some(pooler) = cluster.pooler(what, TWO).await else { return };
    let bystanders = Bystanders::start(&pooler, 7).await;
    let sources = Sources::with([("a.md", "# A\n\nA word.\n")]);
    let book = sources.book();
    let arguments = ["sync", "--no-embed", "--watch", &book];
    let mut follower = client(&cluster, &pooler, &arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let has =
        async |count: &str| cluster.query_text("SELECT count(*) FROM rag.documents").await == count;
    until("the folder is loaded", async || has("1").await).await;
    sources.write("b.md", "# B\n");
    until("the change is loaded", async || has("2").await).await;
    // It ends by a signal.
    follower.kill().await.unwrap();
    assert_clean(&pooler, "sync --watch").await;
    bystanders.end().await;
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn commands_with_an_adopted_store_work_through_a_transaction_pooler() {
    let cluster = Cluster::bare().await;
    let what = "an adopted store through a transaction pooler";
    if cluster.lacks_vector(what) {
        return;
    }
    let Some(pooler) = cluster.pooler(what, TWO).await else { return };
    cluster.execute_as("postgres", "CREATE EXTENSION vector").await;
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    cluster
        .execute(
            "CREATE TABLE parts (number bigint PRIMARY KEY, page text, position integer, body text, embedding vector(3));
             INSERT INTO parts SELECT n, 'page ' || n / 5, n % 5, 'kettle number ' || n, '[1,2,3]' FROM generate_series(1, 20) AS n;
             SELECT passage.adopt('parts', 'shop', content => 'body', document => 'page', ordinal => 'position', embedding => 'embedding')",
        )
        .await;
    let bystanders = Bystanders::start(&pooler, 6).await;
    for arguments in [
        &["status", "--store", "shop", "--json"][..],
        &["search", "--store", "shop", "--mode", "text", "--json", "kettle"],
        &["fragments", "--store", "shop", "--no-embed", "--json", "kettle"],
        &["context", "--store", "shop", "--json", "7"],
        &["outline", "--store", "shop", "page 1"],
        &["export", "--store", "shop", "--no-embed"],
    ] {
        same(&cluster, &pooler, arguments).await;
    }
    run(&cluster, &pooler, &["doctor", "--store", "shop", "--no-embed"]).await;
    bystanders.end().await;
}

/// Starts an embedding service that needs a moment for each request.
async fn slow_service() -> Service {
    Service::start(|_, _| {
        std::thread::sleep(Duration::from_millis(20));
        Reply::Embeddings(64)
    })
    .await
}

/// A store for embeddings of 64 dimensions, with documents that have none yet.
async fn loaded(what: &str, documents: usize, chunks: usize) -> Option<Cluster> {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector(what) {
        return None;
    }
    cluster.execute("DROP SCHEMA rag CASCADE; SELECT passage.create_store(dimensions => 64)").await;
    let sql = format!(
        "WITH document AS (INSERT INTO rag.documents (uri) SELECT 'notes/' || n FROM generate_series(1, {documents}) AS n RETURNING id, uri) \
         INSERT INTO rag.chunks (document_id, ordinal, content) \
         SELECT id, n, 'chunk number ' || n || ' of ' || uri FROM document, generate_series(1, {chunks}) AS n"
    );
    cluster.execute(&sql).await;
    Some(cluster)
}

fn embed(
    cluster: &Cluster,
    pooler: &Pooler,
    service: &Service,
    more: &[&str],
) -> tokio::process::Command {
    let mut program = client(cluster, pooler, &["embed", "--embed-batch", "16"]);
    program.env("PASSAGE_EMBED_URL", service.url()).env("PASSAGE_EMBED_MODEL", "tiny").args(more);
    program
}

#[tokio::test]
async fn three_embedders_share_the_chunks_through_a_pool_of_two_connections() {
    let what = "three embedders through a pool";
    let Some(cluster) = loaded(what, 40, 50).await else { return };
    let Some(pooler) = cluster.pooler(what, TWO).await else { return };
    let bystanders = Bystanders::start(&pooler, 5).await;
    let service = slow_service().await;
    let [mut first, mut second, mut third] =
        [0; 3].map(|_| embed(&cluster, &pooler, &service, &[]));
    let missing_at_the_end = async |command| {
        let run = RunOutput::of(command).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(cluster.query_text(MISSING).await, "0", "a worker ended early");
    };
    let workers = async {
        tokio::join!(
            missing_at_the_end(&mut first),
            missing_at_the_end(&mut second),
            missing_at_the_end(&mut third)
        )
    };
    within("the workers end", Box::pin(workers)).await;
    let texts = service.texts();
    let different: std::collections::HashSet<_> = texts.iter().collect();
    assert_eq!(different.len(), 2_000, "each chunk is embedded");
    assert!(texts.len() <= 2_200, "{} chunks were embedded twice", texts.len() - 2_000);
    assert_clean(&pooler, "embed").await;
    assert!(bystanders.end().await > 0);
}

#[tokio::test]
async fn an_embedder_takes_over_the_chunks_of_a_killed_one_through_a_pool() {
    let what = "an embedder takes over through a pool";
    let Some(cluster) = loaded(what, 3, 100).await else { return };
    let Some(pooler) = cluster.pooler(what, TWO).await else { return };
    // After about a hundred texts the service does not answer any more.
    let stuck =
        Service::start(|number, _| if number < 8 { Reply::Embeddings(64) } else { Reply::Silence })
            .await;
    let mut killed = embed(&cluster, &pooler, &stuck, &["--embed-concurrency", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let embedded = "SELECT count(*) FROM rag.embeddings";
    until("the worker writes", async || cluster.query_text(embedded).await != "0").await;
    let claims = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";
    until("the worker claims", async || cluster.query_text(claims).await != "0").await;
    // A second worker finds all chunks claimed, and waits for the first one.
    let service = Service::good(64).await;
    let mut next = embed(&cluster, &pooler, &service, &[]).stdout(Stdio::piped()).spawn().unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(
        next.try_wait().unwrap().is_none(),
        "the second worker ended while chunks were missing"
    );
    killed.kill().await.unwrap();
    let ended = within("the second worker ends", next.wait()).await.unwrap();
    assert_eq!(ended.code(), Some(0));
    assert_eq!(cluster.query_text(MISSING).await, "0");
    assert_clean(&pooler, "a killed worker").await;
}

#[tokio::test]
async fn a_follower_embeds_new_chunks_through_a_pool() {
    let what = "embed --follow through a pool";
    let Some(cluster) = loaded(what, 2, 10).await else { return };
    let Some(pooler) = cluster.pooler(what, TWO).await else { return };
    let bystanders = Bystanders::start(&pooler, 6).await;
    let service = slow_service().await;
    let follow = ["--follow", "--interval", "1"];
    let mut followers = [0; 2].map(|_| {
        let mut command = embed(&cluster, &pooler, &service, &follow);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    });
    let is_done = async || cluster.query_text(MISSING).await == "0";
    until("each chunk has an embedding", is_done).await;
    cluster.execute("INSERT INTO rag.chunks (document_id, ordinal, content) SELECT id, 11, 'new' || uri FROM rag.documents").await;
    until("the new chunks have one", is_done).await;
    assert_eq!(service.texts().len(), 22, "no chunk is embedded twice");
    for follower in &mut followers {
        let pid = follower.id().unwrap().to_string();
        assert!(
            std::process::Command::new("kill")
                .args(["-s", "TERM", &pid])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(within("the follower ends", follower.wait()).await.unwrap().code(), Some(0));
    }
    assert_clean(&pooler, "embed --follow").await;
    bystanders.end().await;
}

#[tokio::test]
async fn commands_with_embeddings_work_through_a_transaction_pooler() {
    let cluster = Cluster::bare().await;
    let what = "embeddings through a transaction pooler";
    if cluster.lacks_vector(what) {
        return;
    }
    let Some(pooler) = cluster.pooler(what, TWO).await else { return };
    cluster.execute_as("postgres", "CREATE EXTENSION vector").await;
    let service = Service::good(64).await;
    let bystanders = Bystanders::start(&pooler, 6).await;
    for embedding_type in cases(["vector", "halfvec"]) {
        for arguments in [
            &["init", "--store", embedding_type, "--embedding-type", embedding_type][..],
            &["ingest", "--store", embedding_type, fixture!("client/garden")],
            &["search", "--store", embedding_type, "--json", "Varroa mites in the brood"],
            &["fragments", "--store", embedding_type, "Varroa mites in the brood"],
            &["export", "--store", embedding_type],
            &["doctor", "--store", embedding_type],
            &["reindex", "--store", embedding_type, "--collection", "", "--max-size", "300"],
            &["embed", "--store", embedding_type],
        ] {
            let mut program = client(&cluster, &pooler, arguments);
            program.env("PASSAGE_EMBED_URL", service.url()).env("PASSAGE_EMBED_MODEL", "tiny");
            let run = RunOutput::of(&mut program).await;
            assert_eq!(run.code, Some(0), "{arguments:?}: {}{}", run.stdout, run.stderr);
            assert_clean(&pooler, &arguments.join(" ")).await;
        }
        let missing = MISSING.replace("rag.", &format!("{embedding_type}."));
        assert_eq!(cluster.query_text(&missing).await, "0");
        let problems =
            format!("SELECT count(*) FROM passage.check_store('{embedding_type}', data => true)");
        assert_eq!(cluster.query_text(&problems).await, "0");
    }
    bystanders.end().await;
}
