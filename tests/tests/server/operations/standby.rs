//! A standby: it gives the answers of its primary, and everything that writes names the primary.

use passage_tests::cases;
use passage_tests::cluster::OWNER;
use passage_tests::read_calls::{ReadCalls, dimensions, embed, load};
use passage_tests::{Cluster, fixture};

/// A server with the documents in a store of a single table and in one with partitions.
async fn primary() -> Cluster {
    let cluster = Cluster::without_store().await;
    let dimensions = dimensions(&cluster);
    cluster
        .execute(&format!(
            "SELECT passage.create_store('rag', dimensions => {dimensions});
            SELECT passage.create_store('parts', partitions => 4, dimensions => {dimensions}); {}{}",
            load("rag"),
            load("parts"),
        ))
        .await;
    if cluster.has_vector() {
        cluster.execute(&format!("{}; {}", embed("rag"), embed("parts"))).await;
    }
    cluster.execute("ANALYZE rag.chunks, parts.chunks, rag.documents, parts.documents").await;
    cluster
}

#[tokio::test]
async fn five_hundred_random_calls_have_equal_rows_on_a_standby_and_its_primary() {
    let primary = primary().await;
    let standby = primary.standby().await;
    assert_eq!(standby.query_text("SELECT pg_is_in_recovery()").await, "t");
    let calls = ReadCalls::new(&primary, "rag").await;
    let (there, here) = (primary.client().await, standby.client().await);
    for number in 0..500 {
        // Replay goes on between the calls.
        if number == 250 {
            let sql = "SELECT passage.remove('doc/3.md', store => 'rag'), passage.ingest('doc/4.md', E'# Changed\n\nriver1 text', collection => 'b', version => '2', store => 'parts')";
            primary.execute(sql).await;
            standby.catch_up_with(&primary).await;
        }
        let store = ["rag", "parts"][number as usize % 2];
        calls.compare(number, (&there, store), (&here, store)).await;
    }
}

#[tokio::test]
async fn functions_that_write_name_the_primary() {
    let primary = primary().await;
    primary
        .execute(
            "DROP INDEX parts.chunks_id_idx;
            CREATE TABLE notes (id integer PRIMARY KEY, page text, body text); CREATE TABLE more (LIKE notes INCLUDING ALL);
            SELECT passage.adopt('notes', 'noted', document => 'page', content => 'body');
            CREATE TABLE article (id integer PRIMARY KEY, body text);
            CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON article FOR EACH ROW
                EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=articles/{id}')",
        )
        .await;
    let standby = primary.standby().await;
    for (function, sql) in cases([
        ("create_store", "SELECT passage.create_store('new')"),
        ("create_store", "SELECT passage.upgrade_store('parts')"),
        ("ingest", "SELECT passage.ingest('new.md', 'text')"),
        ("remove", "SELECT passage.remove('doc/1.md')"),
        ("rate", "SELECT passage.rate('river1', gen_random_uuid(), 1)"),
        ("adopt", "SELECT passage.adopt('more', 'another', document => 'page', content => 'body')"),
        ("unadopt", "SELECT passage.unadopt('noted')"),
        ("bring_in_step", "SELECT passage.bring_in_step('article')"),
    ]) {
        let error = standby.error(sql).await;
        assert_eq!(error.code().code(), "25006", "{sql}: {error}");
        let message = format!("cannot execute passage.{function}() in a read-only transaction");
        assert_eq!(error.message(), message, "{sql}");
        let hint = "This server is a standby: connect to the primary.";
        assert_eq!(error.hint(), Some(hint), "{sql}");
        // On the primary the hint is another one.
        let error = primary.error(&format!("BEGIN READ ONLY; {sql}")).await;
        let hint = "Run it in a transaction that may write.";
        assert_eq!((error.message(), error.hint()), (&*message, Some(hint)), "{sql}");
    }
    // A dry run and a complete store need no transaction that may write.
    for sql in [
        "SELECT count(*) > 20 FROM passage.create_store('new', dry_run => true)",
        "SELECT count(*) = 1 FROM passage.upgrade_store('parts', dry_run => true)",
        "SELECT count(*) = 0 FROM passage.upgrade_store('rag')",
        "SELECT count(*) = 0 FROM passage.check_store('rag', true)",
    ] {
        assert_eq!(standby.query_text(sql).await, "t", "{sql}");
    }
}

#[tokio::test]
async fn searches_with_feedback_count_the_ratings_that_the_primary_took() {
    let primary = primary().await;
    let standby = primary.standby().await;
    let embedding = primary.has_vector().then_some("array_fill(0.5::real, '{8}')");
    let search = |embedding: &str, feedback: f64| {
        format!(
            "passage.search_hits('river1 stone2', {embedding}, max_hits => 8, ranking => passage.ranking(feedback => {feedback}))"
        )
    };
    for embedding in std::iter::once("NULL").chain(embedding) {
        let hits = |feedback| {
            let search = search(embedding, feedback);
            format!("SELECT chunk_id || ' ' || score FROM {search} ORDER BY rank")
        };
        let before = standby.query_lines(&hits(1.0)).await;
        assert_eq!(before, standby.query_lines(&hits(0.0)).await);
        // Two users vote against the first hit, which then is not the first one.
        let rate = format!(
            "SELECT passage.rate('river1 stone2', chunk_id, -1, {embedding}, rated_by) FROM {}, unnest('{{ann,ben}}'::text[]) AS rated_by WHERE rank = 1",
            search(embedding, 0.0)
        );
        primary.execute(&rate).await;
        standby.catch_up_with(&primary).await;

        let rated = standby.query_lines(&hits(1.0)).await;

        assert_eq!(rated, primary.query_lines(&hits(1.0)).await);
        assert_ne!(rated[0], before[0]);
        assert_eq!(before, standby.query_lines(&hits(0.0)).await);
        primary.execute("DELETE FROM rag.ratings").await;
        standby.catch_up_with(&primary).await;
    }
}

#[tokio::test]
async fn commands_that_write_name_the_primary_and_others_work() {
    let primary = Cluster::bare().await;
    primary.install_as(OWNER).await;
    primary.execute("SELECT passage.create_store()").await;
    let garden = fixture!("client/garden");
    primary.passage(["ingest", "--no-embed", "--collection", "garden", garden]).await;
    let standby = primary.standby().await;
    for arguments in [
        &["init", "--no-embed", "--store", "new"][..],
        &["ingest", "--no-embed", fixture!("handbook/backup.md")],
        &["sync", "--no-embed", fixture!("handbook")],
        &["reindex", "--no-embed"],
        &["remove", "garden/bees.md"],
    ] {
        let stderr = standby.passage_error(arguments).await;
        assert!(stderr.contains("Connect to the primary server"), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
    }
    for arguments in [
        &["status", "--json"][..],
        &["search", "--mode", "text", "water seedlings"],
        &["outline", "garden/bees.md"],
        &["export"],
        &["fragments", "--no-embed", "seedlings"],
    ] {
        let expected = without_duration(&primary.passage(arguments).await);
        let output = without_duration(&standby.passage(arguments).await);
        assert_eq!(output, expected, "{arguments:?}");
    }
    let output = standby.client_program().args(["doctor", "--no-embed"]).output().await.unwrap();
    let doctor = String::from_utf8(output.stdout).unwrap();
    assert!(
        doctor.contains("it is a standby: searches work, but documents cannot be loaded"),
        "{doctor}"
    );
    assert!(doctor.contains("can search; a standby takes no documents"), "{doctor}");
    assert!(!doctor.contains("and load"), "{doctor}");
}

/// Returns the output of a search without its last line, which names its duration.
fn without_duration(output: &str) -> String {
    output.lines().filter(|line| !line.contains(" ms")).collect::<Vec<_>>().join("\n")
}
