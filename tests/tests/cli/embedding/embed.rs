//! `passage embed` and the other commands that use an embedding service: one or several workers embed
//! chunks that were loaded without embeddings, and no output shows the key.

use crate::embedding_service::{Reply, Request, Service};
use crate::{RunOutput, run_client, text_cluster, until_line};
use passage_tests::cases;
use passage_tests::wait::{until, within};
use passage_tests::{Cluster, fixture};
use std::collections::HashSet;
use std::process::Stdio;
use std::sync::OnceLock;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

const KEY: &str = "sk-xyzzy-hunter2";
pub const MISSING: &str = "SELECT count(*) FROM rag.chunks LEFT JOIN rag.embeddings ON chunk_id = chunks.id WHERE chunk_id IS NULL";

/// The client with a service in its environment.
pub fn with(cluster: &Cluster, service: &Service, arguments: &[&str]) -> Command {
    let mut program = cluster.client_program();
    program.env("PASSAGE_EMBED_URL", service.url()).env("PASSAGE_EMBED_MODEL", "tiny");
    program.env("PASSAGE_API_KEY", KEY).args(arguments);
    program
}

/// Runs the client and checks that its output does not show the key.
pub async fn run(cluster: &Cluster, service: &Service, arguments: &[&str]) -> RunOutput {
    let run = RunOutput::of(&mut with(cluster, service, arguments)).await;
    assert!(!run.stdout.contains("hunter2") && !run.stderr.contains("hunter2"), "{}", run.stderr);
    run
}

/// An empty store for embeddings of 64 dimensions.
pub async fn empty_store(what: &str) -> Option<Cluster> {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector(what) {
        return None;
    }
    cluster.execute("DROP SCHEMA rag CASCADE; SELECT passage.create_store(dimensions => 64)").await;
    Some(cluster)
}

/// A store with a document that has no embeddings yet.
async fn loaded(what: &str, chunks: usize) -> Option<Cluster> {
    let cluster = empty_store(what).await?;
    insert(&cluster, "notes/1", chunks).await;
    Some(cluster)
}

/// Loads a document by SQL, as an application does.
async fn insert(cluster: &Cluster, uri: &str, chunks: usize) {
    let sql = format!(
        "WITH document AS (INSERT INTO rag.documents (uri) VALUES ('{uri}') RETURNING id) \
         INSERT INTO rag.chunks (document_id, ordinal, content, preamble) \
         SELECT id, n, 'chunk number ' || n || ' of {uri}', nullif('title ' || n % 2, 'title 0') \
         FROM document, generate_series(0, {chunks} - 1) AS n"
    );
    cluster.execute(&sql).await;
}

/// Waits until each chunk has an embedding.
async fn until_embedded(cluster: &Cluster) {
    let is_done = async || cluster.query_text(MISSING).await == "0";
    until("each chunk has an embedding", is_done).await;
}

#[tokio::test]
async fn an_embedding_service_suffices_for_init_ingest_and_search() {
    let cluster = Cluster::bare().await;
    if cluster.lacks_vector("an embedding service suffices for init, ingest and search") {
        return;
    }
    cluster.execute_as("postgres", "CREATE EXTENSION vector").await;
    let service = Service::good(64).await;
    let init = run(&cluster, &service, &["init"]).await;
    assert_eq!(init.stdout, "the store \"rag\" is ready, with embeddings of tiny, 64 dimensions\n");
    let ingest = run(&cluster, &service, &["ingest", fixture!("client/garden")]).await;
    assert_eq!(ingest.code, Some(0), "{}", ingest.stderr);
    assert_eq!(cluster.query_text(MISSING).await, "0");
    let settings = "SELECT string_agg(key || ' ' || value, ', ' ORDER BY key) FROM rag.settings WHERE key IN ('model', 'dimensions', 'sizer')";
    assert_eq!(
        cluster.query_text(settings).await,
        "dimensions 64, model \"tiny\", sizer \"characters\""
    );

    let search = run(
        &cluster,
        &service,
        &["search", "--mode", "vector", "--json", "Varroa mites in the brood"],
    )
    .await;
    assert!(search.stdout.contains("garden/bees.md"), "{}{}", search.stdout, search.stderr);
    let fragments = run(&cluster, &service, &["fragments", "Varroa mites in the brood"]).await;
    assert!(
        fragments.stdout.contains("garden/bees.md"),
        "{}{}",
        fragments.stdout,
        fragments.stderr
    );
    let asked = service.seen();
    assert!(
        asked.iter().all(|asked| asked.authorization.as_deref() == Some(&*format!("Bearer {KEY}")))
    );
    assert!(asked.iter().any(|asked| asked.texts() == ["Varroa mites in the brood"]));

    let next = crate::next_transaction(&cluster).await;
    let name = "Name the store's model";
    for command in cases([
        &["ingest", fixture!("client/garden")][..],
        &["search", "a"],
        &["embed"],
        &["fragments", "a"],
    ]) {
        let mut other = with(&cluster, &service, command);
        RunOutput::of(other.env("PASSAGE_EMBED_MODEL", "other"))
            .await
            .assert_refusal("holds embeddings of tiny (64 dimensions), not of other", name);
        let short = Service::good(32).await;
        run(&cluster, &short, command).await.assert_refusal("not of tiny (32 dimensions)", name);
    }
    assert_eq!(crate::next_transaction(&cluster).await, next);
}

#[tokio::test]
async fn the_client_sends_the_key_only_to_the_service() {
    let Some(cluster) = loaded("the key goes to the service and nowhere else", 3).await else {
        return;
    };
    let service = Service::start(|_, asked: &Request| {
        let key = asked.authorization.clone().unwrap_or_default();
        Reply::Status(
            401,
            vec![("X-Key", key.clone())],
            format!("{{\"error\": {{\"message\": \"wrong key {key}\"}}}}"),
        )
    })
    .await;
    for command in [
        &["embed"][..],
        &["init"],
        &["ingest", fixture!("client/garden")],
        &["search", "--json", "a"],
        &["doctor", "--json"],
    ] {
        let run = run(&cluster, &service, command).await;
        assert!(
            run.stderr.contains("PASSAGE_API_KEY") || run.stdout.contains("PASSAGE_API_KEY"),
            "{command:?}: {}",
            run.stderr
        );
    }
    let store = "SELECT count(*) FROM rag.settings WHERE value::text LIKE '%hunter2%'";
    assert_eq!(cluster.query_text(store).await, "0");

    // OPENAI_API_KEY is only sent to OpenAI.
    let mut program = with(&cluster, &service, &["embed"]);
    program.env_remove("PASSAGE_API_KEY").env("OPENAI_API_KEY", KEY);
    RunOutput::of(&mut program).await.assert_refusal("authentication failed", "PASSAGE_API_KEY");
    assert_eq!(service.seen().last().unwrap().authorization, None);
    let help = run_client(&cluster, ["embed", "--help"]).await;
    assert!(!help.stdout.contains("--embed-key") && help.stdout.contains("PASSAGE_API_KEY"));
}

#[tokio::test]
async fn embed_embeds_chunks_that_were_loaded_by_sql_once() {
    let Some(cluster) = loaded("what was loaded by SQL is embedded, and once", 100).await else {
        return;
    };
    let service = Service::good(64).await;
    let first = run(&cluster, &service, &["embed"]).await;
    assert!(
        first.stdout.starts_with("100 chunks embedded in "),
        "{}{}",
        first.stdout,
        first.stderr
    );
    let texts: HashSet<String> = service.texts().into_iter().collect();
    assert_eq!(texts.len(), 100);
    assert!(
        texts.contains("chunk number 4 of notes/1")
            && texts.contains("title 1\nchunk number 5 of notes/1")
    );
    let again = run(&cluster, &service, &["embed"]).await;
    assert!(again.stdout.starts_with("0 chunks embedded"), "{}", again.stdout);
    let again = run(&cluster, &service, &["embed", "--json", "--quiet"]).await;
    assert!(again.stdout.starts_with("{\"embedded\":0,\"milliseconds\":"), "{}", again.stdout);
    assert_eq!(again.stderr, "");
    assert_eq!(service.texts().len(), 100);
    assert_eq!(
        cluster.query_lines("SELECT * FROM passage.check_store(data => true)").await,
        [""; 0]
    );
}

#[tokio::test]
async fn several_workers_share_the_chunks_and_embed_each_once() {
    let Some(cluster) = loaded("several workers share the work", 700).await else { return };
    insert(&cluster, "notes/2", 300).await;
    let service = Service::good(64).await;
    let embed = ["embed", "--embed-batch", "16"];
    let workers = tokio::join!(
        run(&cluster, &service, &embed),
        run(&cluster, &service, &embed),
        run(&cluster, &service, &embed)
    );
    for worker in [&workers.0, &workers.1, &workers.2] {
        assert_eq!(worker.code, Some(0), "{}", worker.stderr);
    }
    assert_eq!(cluster.query_text(MISSING).await, "0");
    let mut texts = service.texts();
    assert_eq!(texts.len(), 1_000, "each chunk is embedded");
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), 1_000, "no chunk is embedded twice");
    assert_eq!(
        cluster.query_text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").await,
        "0"
    );
}

#[tokio::test]
async fn a_worker_continues_after_another_one_was_killed() {
    let Some(cluster) = loaded("a worker goes on where another was killed", 300).await else {
        return;
    };
    // After about a hundred texts the service does not answer any more.
    let stuck =
        Service::start(|number, _| if number < 8 { Reply::Embeddings(64) } else { Reply::Silence })
            .await;
    let embed = ["embed", "--embed-batch", "16", "--embed-concurrency", "1"];
    let mut killed =
        with(&cluster, &stuck, &embed).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let has_begun = async || cluster.query_text("SELECT count(*) FROM rag.embeddings").await != "0";
    until("the worker writes embeddings", has_begun).await;
    killed.kill().await.unwrap();
    let done: usize =
        cluster.query_text("SELECT count(*) FROM rag.embeddings").await.parse().unwrap();
    assert!((1..300).contains(&done), "{done}");
    // The server notices the lost connection when it next writes to it, and releases the claims then.
    let claims = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";
    until("the claims are released", async || cluster.query_text(claims).await == "0").await;
    let service = Service::good(64).await;
    let next = run(&cluster, &service, &["embed"]).await;
    let rest = format!("{} chunks embedded", 300 - done);
    assert!(next.stdout.starts_with(&rest), "{rest}: {}", next.stdout);
    assert_eq!(cluster.query_text(MISSING).await, "0");
}

#[tokio::test]
async fn a_request_without_an_answer_delays_no_other_embedding() {
    let what = "a request without an answer delays no other embedding";
    let Some(cluster) = loaded(what, 20).await else { return };
    let stuck = OnceLock::new();
    let service = Service::start(move |_, asked| {
        let is_stuck = !asked.is_first() && *stuck.get_or_init(|| asked.texts()) == asked.texts();
        if is_stuck { Reply::Silence } else { Reply::Embeddings(64) }
    })
    .await;
    let embed = ["embed", "--embed-batch", "1", "--embed-concurrency", "2"];
    let mut worker = with(&cluster, &service, &embed)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let written = "SELECT count(*) FROM rag.embeddings";
    until("all others are written", async || cluster.query_text(written).await == "19").await;
    worker.kill().await.unwrap();
}

#[tokio::test]
async fn a_follower_embeds_new_chunks_survives_a_restart_and_ends_on_sigterm() {
    let Some(mut cluster) = loaded("a follower embeds what comes", 10).await else { return };
    let service = Service::good(64).await;
    let follow = ["embed", "--follow", "--interval", "1"];
    let mut follower = with(&cluster, &service, &follow)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut messages = BufReader::new(follower.stderr.take().unwrap()).lines();
    until_embedded(&cluster).await;
    until_line(&mut messages, "waiting for new chunks").await;
    insert(&cluster, "notes/2", 5).await;
    until_embedded(&cluster).await;
    cluster.execute("UPDATE rag.chunks SET content = 'changed' WHERE ordinal = 3; DELETE FROM rag.embeddings WHERE chunk_id IN (SELECT id FROM rag.chunks WHERE ordinal = 3)").await;
    until_embedded(&cluster).await;
    assert!(service.texts().contains(&"title 1\nchanged".to_owned()), "{:?}", service.texts());

    cluster.restart().await;
    insert(&cluster, "notes/3", 5).await;
    until_embedded(&cluster).await;

    let pid = follower.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-s", "TERM", &pid]).status().await.unwrap().success());
    let output = within("the follower ends", follower.wait_with_output()).await.unwrap();
    assert_eq!(output.status.code(), Some(0), "SIGTERM is the regular end of a follower");
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.starts_with("22 chunks embedded"), "{stdout}");
}

#[tokio::test]
async fn an_embedding_of_a_text_that_changed_in_the_meantime_is_not_written() {
    let Some(cluster) = loaded("an embedding of a text that changed is not written", 1).await
    else {
        return;
    };
    let url = cluster.url();
    // While the service has the text, another session changes it.
    let service = Service::start(move |_, asked| {
        if !asked.is_first() {
            let changed = std::process::Command::new(
                passage_tests::cluster::Installation::find().bin("psql"),
            )
            .args([
                "-Xq",
                &url,
                "-c",
                "UPDATE rag.chunks SET content = 'changed' WHERE content <> 'changed'",
            ])
            .status();
            assert!(changed.unwrap().success());
        }
        Reply::Embeddings(64)
    })
    .await;
    let embed = run(&cluster, &service, &["embed"]).await;
    assert_eq!(embed.code, Some(0), "{}", embed.stderr);
    assert_eq!(service.texts(), ["chunk number 0 of notes/1", "changed"]);
    assert_eq!(cluster.query_text(MISSING).await, "0");
}

#[tokio::test]
async fn embed_refuses_a_store_without_embeddings() {
    let cluster = text_cluster().await;
    let service = Service::good(64).await;
    run(&cluster, &service, &["embed"])
        .await
        .assert_refusal("store \"rag\" has no embeddings", "passage init --store rag");
}

#[tokio::test]
async fn a_service_is_named_and_its_missing_parts_are_reported() {
    let cluster = text_cluster().await;
    let run = async |arguments: &[&str]| {
        let mut program = cluster.client_program();
        program.args(["embed", "--query", "a", "--embed-provider"]);
        RunOutput::of(program.args(arguments)).await
    };
    run(&["azure", "--embed-model", "m"])
        .await
        .assert_refusal("--embed-provider azure requires --embed-url", "PASSAGE_EMBED_URL");
    run(&["cohere"]).await.assert_refusal("requires --embed-model", "PASSAGE_EMBED_MODEL");
    run(&["cohere", "--embed-model", "m", "--embed-batch", "97"])
        .await
        .assert_refusal("--embed-batch must be at most 96 for cohere, not 97", "smaller number");
    run(&["cohre"]).await.assert_refusal("invalid value 'cohre'", "cohere");
}
