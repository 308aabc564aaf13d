//! `passage embed`, and all else that embeds by a service: what was loaded without vectors gets
//! them, by one worker or several, and nothing of a key is ever shown.

use crate::service::{Asked, Reply, Service};
use crate::{Ran, ran, text_cluster};
use passage_tests::{Cluster, fixture};
use std::collections::HashSet;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

const KEY: &str = "sk-xyzzy-hunter2";
const MISSING: &str = "SELECT count(*) FROM rag.chunks LEFT JOIN rag.embeddings ON chunk_id = chunks.id WHERE chunk_id IS NULL";

/// The client with a service named by its environment.
fn with(cluster: &Cluster, service: &Service, arguments: &[&str]) -> Command {
    let mut program = cluster.client_program();
    program.env("PASSAGE_EMBED_URL", service.url()).env("PASSAGE_EMBED_MODEL", "tiny");
    program.env("PASSAGE_API_KEY", KEY).args(arguments);
    program
}

/// Runs it, and makes sure that the key stays where it is.
async fn run(cluster: &Cluster, service: &Service, arguments: &[&str]) -> Ran {
    let ran = Ran::of(&mut with(cluster, service, arguments)).await;
    assert!(!ran.stdout.contains("hunter2") && !ran.stderr.contains("hunter2"), "{}", ran.stderr);
    ran
}

/// A store for embeddings of eight dimensions, with documents that have none yet.
async fn loaded(what: &str, chunks: usize) -> Option<Cluster> {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector(what) {
        return None;
    }
    cluster.execute("DROP SCHEMA rag CASCADE; SELECT passage.create_store(dimensions => 64)").await;
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

/// Waits until nothing is without an embedding; a test that waits for ever is ended from outside.
async fn filled(cluster: &Cluster) {
    while cluster.query_text(MISSING).await != "0" {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_service_is_enough_to_make_a_store_load_it_and_search_it() {
    let cluster = Cluster::bare().await;
    if cluster.lacks_vector("a service is enough to make a store, load it and search it") {
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

    let next = crate::next_write(&cluster).await;
    let name = "Name the store's model";
    for command in [
        &["ingest", fixture!("client/garden")][..],
        &["search", "a"],
        &["embed"],
        &["fragments", "a"],
    ] {
        let mut other = with(&cluster, &service, command);
        Ran::of(other.env("PASSAGE_EMBED_MODEL", "other"))
            .await
            .refuses("holds embeddings of tiny (64 dimensions), not of other", name);
        let short = Service::good(32).await;
        run(&cluster, &short, command).await.refuses("not of tiny (32 dimensions)", name);
    }
    assert_eq!(crate::next_write(&cluster).await, next);
}

#[tokio::test]
async fn the_key_goes_to_the_service_and_nowhere_else() {
    let Some(cluster) = loaded("the key goes to the service and nowhere else", 3).await else {
        return;
    };
    let service = Service::start(|_, asked: &Asked| {
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
        let ran = run(&cluster, &service, command).await;
        assert!(
            ran.stderr.contains("PASSAGE_API_KEY") || ran.stdout.contains("PASSAGE_API_KEY"),
            "{command:?}: {}",
            ran.stderr
        );
    }
    let store = "SELECT count(*) FROM rag.settings WHERE value::text LIKE '%hunter2%'";
    assert_eq!(cluster.query_text(store).await, "0");

    // The key of OpenAI is for OpenAI.
    let mut program = with(&cluster, &service, &["embed"]);
    program.env_remove("PASSAGE_API_KEY").env("OPENAI_API_KEY", KEY);
    Ran::of(&mut program).await.refuses("authentication failed", "PASSAGE_API_KEY");
    assert_eq!(service.seen().last().unwrap().authorization, None);
    let help = ran(&cluster, ["embed", "--help"]).await;
    assert!(!help.stdout.contains("--embed-key") && help.stdout.contains("PASSAGE_API_KEY"));
}

#[tokio::test]
async fn what_was_loaded_by_sql_is_embedded_and_once() {
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
async fn several_workers_share_the_work_and_do_none_of_it_twice() {
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
    assert_eq!(texts.len(), 1_000, "and none twice");
    assert_eq!(
        cluster.query_text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").await,
        "0"
    );
}

#[tokio::test]
async fn a_worker_goes_on_where_another_was_killed() {
    let Some(cluster) = loaded("a worker goes on where another was killed", 300).await else {
        return;
    };
    // After a hundred texts nothing more is answered.
    let stuck =
        Service::start(|number, _| if number < 8 { Reply::Embeddings(64) } else { Reply::Silence })
            .await;
    let embed = ["embed", "--embed-batch", "16", "--embed-concurrency", "1"];
    let mut killed =
        with(&cluster, &stuck, &embed).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while cluster.query_text("SELECT count(*) FROM rag.embeddings").await == "0" {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    killed.kill().await.unwrap();
    let done: usize =
        cluster.query_text("SELECT count(*) FROM rag.embeddings").await.parse().unwrap();
    assert!((1..300).contains(&done), "{done}");
    // The server notices that the worker is gone when it next speaks to it; its claims go then.
    while cluster.query_text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").await
        != "0"
    {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let service = Service::good(64).await;
    let next = run(&cluster, &service, &["embed"]).await;
    let rest = format!("{} chunks embedded", 300 - done);
    assert!(next.stdout.starts_with(&rest), "{rest}: {}", next.stdout);
    assert_eq!(cluster.query_text(MISSING).await, "0");
}

#[tokio::test]
async fn a_follower_embeds_what_comes_survives_a_restart_and_ends_when_told() {
    let Some(mut cluster) = loaded("a follower embeds what comes", 10).await else { return };
    let service = Service::good(64).await;
    let follow = ["embed", "--follow", "--interval", "1"];
    let mut follower = with(&cluster, &service, &follow)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(follower.stderr.take().unwrap()).lines();
    filled(&cluster).await;
    while said.next_line().await.unwrap().unwrap() != "waiting for new chunks" {}
    insert(&cluster, "notes/2", 5).await;
    filled(&cluster).await;
    cluster.execute("UPDATE rag.chunks SET content = 'changed' WHERE ordinal = 3; DELETE FROM rag.embeddings WHERE chunk_id IN (SELECT id FROM rag.chunks WHERE ordinal = 3)").await;
    filled(&cluster).await;
    assert!(service.texts().contains(&"title 1\nchanged".to_owned()), "{:?}", service.texts());

    cluster.restart().await;
    insert(&cluster, "notes/3", 5).await;
    filled(&cluster).await;

    let pid = follower.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-s", "TERM", &pid]).status().await.unwrap().success());
    let output = follower.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(0), "to be told is how a follower ends");
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.starts_with("22 chunks embedded"), "{stdout}");
}

#[tokio::test]
async fn an_embedding_of_a_text_that_changed_meanwhile_is_not_written() {
    let Some(cluster) = loaded("an embedding of a text that changed is not written", 1).await
    else {
        return;
    };
    let url = cluster.url();
    // While the service has the text, somebody changes it.
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
async fn a_store_for_text_has_nothing_to_embed() {
    let cluster = text_cluster().await;
    let service = Service::good(64).await;
    run(&cluster, &service, &["embed"])
        .await
        .refuses("store \"rag\" has no embeddings", "passage init --store rag");
}
