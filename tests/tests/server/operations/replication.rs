//! Logical replication: a subscriber with the same store gives the answers of its publisher.

use passage_tests::cases;
use passage_tests::cluster::{DATABASE, SUPERUSER};
use passage_tests::markdown::Page;
use passage_tests::read_calls::{ReadCalls, dimensions, embed, load};
use passage_tests::wait::until;
use passage_tests::{Cluster, fixture};

/// Two servers with the same definitions. The second one may subscribe to the first one.
async fn servers(definitions: &str) -> (Cluster, Cluster) {
    let (mut publisher, subscriber) =
        (Cluster::without_store().await, Cluster::without_store().await);
    publisher.execute_as(SUPERUSER, "ALTER SYSTEM SET wal_level = logical").await;
    publisher.restart().await;
    for cluster in [&publisher, &subscriber] {
        cluster.execute(&definitions.replace("DIMENSIONS", dimensions(cluster))).await;
    }
    (publisher, subscriber)
}

/// Creates the publication and the subscription of the page, and waits for the first copy.
async fn subscribe(publisher: &Cluster, subscriber: &Cluster, tables: &str) {
    let recipe = Page::read("docs/recipes/replication.md");
    let commands = &recipe.blocks_of("## Logical replication", "pgsql")[0];
    let mut statements = commands.split(';');
    let shown = "rag.documents, rag.chunks, rag.embeddings, rag.strategies";
    let publication = statements.next().unwrap();
    assert!(publication.contains(shown), "{publication}");
    publisher.execute_as(SUPERUSER, &publication.replace(shown, tables)).await;
    let shown = "host=publisher dbname=library user=replicator";
    let subscription = statements.next().unwrap();
    assert!(subscription.contains(shown), "{subscription}");
    let folder = publisher.folder().display();
    let connection = format!("host={folder} dbname={DATABASE} user={SUPERUSER}");
    subscriber.execute_as(SUPERUSER, &subscription.replace(shown, &connection)).await;
    let copied = "SELECT count(*) FROM pg_subscription_rel WHERE srsubstate <> 'r'";
    until("the first copy ends", async || subscriber.query_text_as(SUPERUSER, copied).await == "0")
        .await;
}

/// Waits until the subscriber has all changes.
async fn wait_for(publisher: &Cluster) {
    let end = publisher.query_text("SELECT pg_current_wal_flush_lsn()").await;
    let sent = format!(
        "SELECT coalesce(bool_and(replay_lsn >= '{end}'), false) FROM pg_stat_replication WHERE application_name = 'store'"
    );
    until("the subscriber has all changes", async || {
        publisher.query_text_as(SUPERUSER, &sent).await == "t"
    })
    .await;
}

/// Checks that the rows of tables, with their generated columns, and the answers to calls are equal.
async fn assert_equal(publisher: &Cluster, subscriber: &Cluster, store: &str, tables: &[&str]) {
    wait_for(publisher).await;
    for table in tables {
        let rows = format!("SELECT t::text FROM {store}.{table} AS t ORDER BY 1");
        let expected = publisher.query_lines(&rows).await;
        assert!(!expected.is_empty(), "{table}");
        assert!(subscriber.query_lines(&rows).await == expected, "{store}.{table} differs");
    }
    for cluster in [publisher, subscriber] {
        cluster.execute(&format!("ANALYZE {store}.documents, {store}.chunks")).await;
    }
    let calls = ReadCalls::new(publisher, store).await;
    let (there, here) = (publisher.client().await, subscriber.client().await);
    let mut found = 0;
    for number in 0..150 {
        let rows = calls.compare(number, (&there, store), (&here, store)).await;
        found += usize::from(rows > 0);
    }
    assert!(found > 100, "{found} calls with rows");
}

#[tokio::test]
async fn a_subscriber_gives_the_answers_of_its_publisher() {
    let stores = "SELECT passage.create_store('rag', dimensions => DIMENSIONS);
        SELECT passage.create_store('parts', dimensions => DIMENSIONS, partitions => 4)";
    let (publisher, subscriber) = servers(stores).await;
    let mut tables = vec!["documents", "chunks"];
    if publisher.has_vector() {
        tables.push("embeddings");
    }
    let contents: Vec<_> = ["rag", "parts"]
        .iter()
        .flat_map(|store| {
            tables.iter().chain(&["strategies"]).map(move |table| format!("{store}.{table}"))
        })
        .collect();
    // The first half is copied, the second half is streamed.
    publisher.execute(&load("rag")).await;
    subscribe(&publisher, &subscriber, &contents.join(", ")).await;
    publisher.execute(&load("parts")).await;
    publisher.passage(["ingest", "--no-embed", fixture!("client/garden")]).await;
    for store in cases(["rag", "parts"]) {
        if publisher.has_vector() {
            publisher.execute(&embed(store)).await;
        }
        publisher
            .execute(&format!(
                "SELECT passage.remove('doc/7.md', store => '{store}');
                SELECT passage.ingest('doc/4.md', E'# Changed\n\nriver1 text\n\n## Part 2\n\nstone2', collection => 'b', version => '2', store => '{store}');
                INSERT INTO {store}.strategies (name, base) VALUES ('mine', 'broad');
                UPDATE {store}.documents SET orphaned_at = '2026-01-01' WHERE uri = 'doc/9.md'"
            ))
            .await;
        assert_equal(&publisher, &subscriber, store, &tables).await;
        assert_eq!(
            subscriber
                .query_lines(&format!("SELECT object FROM passage.check_store('{store}', true)"))
                .await,
            publisher
                .query_lines(&format!("SELECT object FROM passage.check_store('{store}', true)"))
                .await
        );
    }
    assert_eq!(
        subscriber
            .query_text(
                "SELECT description IS NULL FROM passage.strategies('rag') WHERE name = 'mine'"
            )
            .await,
        "t"
    );
}

#[tokio::test]
async fn a_trigger_that_is_always_enabled_keeps_the_store_of_a_subscriber_in_step() {
    let definitions = "SELECT passage.create_store('rag');
        CREATE TABLE article (id integer PRIMARY KEY, body text);
        CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON article FOR EACH ROW
            EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=articles/{id}')";
    let (publisher, subscriber) = servers(definitions).await;
    publisher.execute("INSERT INTO article SELECT n, '# Title ' || n || E'\n\nriver stone' FROM generate_series(1, 20) AS n").await;
    let documents = "SELECT d.uri || ' ' || c.content FROM rag.documents AS d JOIN rag.chunks AS c ON c.document_id = d.id ORDER BY 1";

    subscribe(&publisher, &subscriber, "article").await;
    publisher.execute("UPDATE article SET body = 'lantern' WHERE id = 3").await;
    wait_for(&publisher).await;
    // Replicated rows fire only triggers that are always enabled.
    assert_eq!(subscriber.query_lines(documents).await, [""; 0]);

    subscriber.execute("ALTER TABLE article ENABLE ALWAYS TRIGGER in_step; SELECT passage.bring_in_step('article')").await;
    publisher
        .execute("UPDATE article SET body = 'harbor meadow' WHERE id = 4; DELETE FROM article WHERE id = 5; INSERT INTO article VALUES (21, 'copper')")
        .await;
    wait_for(&publisher).await;
    let expected = publisher.query_lines(documents).await;
    assert_eq!(expected.len(), 20);
    assert_eq!(subscriber.query_lines(documents).await, expected);
    let search = "SELECT (uri, content)::text FROM passage.search('meadow copper lantern')";
    assert_eq!(subscriber.query_lines(search).await, publisher.query_lines(search).await);
}

#[tokio::test]
async fn an_adopted_store_is_replicated_with_its_side_tables() {
    let definitions = "CREATE TABLE notes (id integer PRIMARY KEY, page text, n integer, body text);
        SELECT passage.adopt('notes', 'noted', document => 'page', ordinal => 'n', content => 'body')";
    let (publisher, subscriber) = servers(definitions).await;
    let rows = "INSERT INTO notes SELECT n, 'page ' || n / 5, n % 5, 'river' || n % 7 || ' stone' || n % 3 || ' text' FROM generate_series(0, 199) AS n";
    publisher.execute(rows).await;
    let tables = "notes, noted.adopted_documents, noted.adopted_chunks, noted.strategies";
    subscribe(&publisher, &subscriber, tables).await;
    publisher
        .execute("UPDATE notes SET body = 'lantern1 river2' WHERE id = 17; DELETE FROM notes WHERE id BETWEEN 50 AND 59; INSERT INTO notes VALUES (500, 'page 1', 9, 'harbor')")
        .await;
    wait_for(&publisher).await;
    let read = "SELECT c::text FROM noted.chunks AS c
        UNION ALL SELECT d::text FROM (SELECT id, uri, title FROM noted.documents) AS d
        UNION ALL SELECT p::text FROM passage.search('lantern1 river2 harbor', max_passages => 50, store => 'noted') AS p
        UNION ALL SELECT e::text FROM noted.chunks AS hit, passage.expand_context(hit.id, 'adjacent', store => 'noted') AS e
        UNION ALL SELECT f::text FROM passage.fragments('harbor river2', store => 'noted') AS f
        UNION ALL SELECT passage.chunk_id('noted', '17')::text ORDER BY 1";
    for cluster in [&publisher, &subscriber] {
        cluster.execute("ANALYZE notes, noted.adopted_chunks, noted.adopted_documents").await;
    }
    let expected = publisher.query_lines(read).await;
    assert!(expected.len() > 400, "{}", expected.len());
    assert_eq!(subscriber.query_lines(read).await, expected);
    let check = "SELECT object || problem FROM passage.check_store('noted', true)";
    assert_eq!(subscriber.query_lines(check).await, publisher.query_lines(check).await);
}
