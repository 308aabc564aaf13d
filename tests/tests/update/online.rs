//! An update while sessions read and write: no call fails, and no write is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::next::Next;
use passage_tests::Cluster;
use passage_tests::wait::until;
use tokio::task::JoinSet;
use tokio_postgres::Client;
use tokio_postgres::error::DbError;

/// A server with a store, a table that `keep_in_step` watches, and documents.
async fn server(next: &Next) -> Cluster {
    let cluster = next.installed().await;
    cluster
        .execute(
            "SELECT passage.create_store();
            CREATE TABLE article (id integer PRIMARY KEY, body text NOT NULL);
            CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON article FOR EACH ROW
                EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=articles/{id}');
            INSERT INTO article SELECT n, format(E'# Title %1$s\n\nriver %1$s\n\n## Part\n\nstone %1$s\n', n) FROM generate_series(1, 40) AS n;
            SELECT passage.ingest('guide.md', E'# Guide\n\nharbor text\n\n## Lights\n\nlantern text\n');
            ANALYZE",
        )
        .await;
    cluster
}

/// Reads of a session whose statements were prepared before the update.
const READS: [&str; 6] = [
    "SELECT uri, section, content FROM passage.search('lantern')",
    "SELECT uri, content, rank FROM passage.search_hits('harbor') ORDER BY rank",
    "SELECT context.role, context.content FROM rag.chunks, passage.expand_context(chunks.id, 'document') AS context
        WHERE chunks.content LIKE '%lantern%'",
    "SELECT uri FROM passage.fragments('lantern', uri => 'guide.md')",
    "SELECT * FROM passage.outline(uri => 'guide.md')",
    "SELECT content FROM passage.reassemble(ARRAY(SELECT id FROM rag.chunks WHERE content LIKE '%lantern%'))",
];

/// The sessions that write.
const WRITERS: usize = 3;

/// The calls of all that read and of each that writes, and their end.
#[derive(Default)]
struct Progress {
    ended: AtomicBool,
    reads: AtomicUsize,
    writes: [AtomicUsize; WRITERS],
}

impl Progress {
    /// Waits for some more reads, and some more writes of each writer. Panics if a session has.
    async fn go_on(&self, readers: &mut JoinSet<Vec<String>>) {
        let writes = || self.writes.each_ref().map(|count| count.load(Ordering::Relaxed));
        let reads = || self.reads.load(Ordering::Relaxed);
        let before = (reads(), writes());
        until("the sessions go on", async || {
            if let Some(ended) = readers.try_join_next() {
                ended.unwrap();
            }
            reads() > before.0 + 20
                && writes().iter().zip(before.1).all(|(now, before)| *now > before + 5)
        })
        .await;
    }
}

/// Reads until the end. The rows stay those of the first call.
async fn read(client: Client, progress: Arc<Progress>, is_long: bool) -> Vec<String> {
    let mut statements = Vec::new();
    for sql in READS {
        statements.push((
            sql,
            client.prepare(&format!("SELECT r::text FROM ({sql}) AS r")).await.unwrap(),
        ));
    }
    let mut expected = Vec::new();
    while !progress.ended.load(Ordering::Relaxed) {
        // A transaction of several reads keeps its locks between them.
        if is_long {
            client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ").await.unwrap();
        }
        let mut found = Vec::new();
        for (sql, statement) in &statements {
            let rows = client
                .query(statement, &[])
                .await
                .unwrap_or_else(|error| panic!("{sql}: {error:?}"));
            assert!(!rows.is_empty(), "{sql}");
            found.extend(rows.iter().map(|row| row.get::<_, String>(0)));
        }
        if is_long {
            client.batch_execute("COMMIT").await.unwrap();
        }
        if expected.is_empty() {
            expected.clone_from(&found);
        }
        assert_eq!(found, expected);
        progress.reads.fetch_add(1, Ordering::Relaxed);
    }
    expected
}

/// Writes a number to a row of the table and to a document until the end. Returns the last number and the errors.
async fn write(client: Client, progress: Arc<Progress>, writer: usize) -> (usize, Vec<DbError>) {
    let (mut number, mut errors) = (0, Vec::new());
    while !progress.ended.load(Ordering::Relaxed) {
        let next = number + 1;
        let sql = format!(
            "BEGIN;
            UPDATE article SET body = E'# Title\n\nwriter{writer} wrote{next}\n' WHERE id = {writer};
            SELECT passage.ingest('notes/{writer}.md', E'# Notes\n\nwriter{writer} wrote{next}\n');
            COMMIT"
        );
        match client.batch_execute(&sql).await {
            Ok(()) => number = next,
            Err(error) => {
                errors.push(error.as_db_error().expect("the session goes on").clone());
                client.batch_execute("ROLLBACK").await.unwrap();
            }
        }
        progress.writes[writer - 1].fetch_add(1, Ordering::Relaxed);
    }
    (number, errors)
}

/// Runs an update while six sessions read and write. Returns the errors of writes.
async fn update(cluster: &Cluster, statements: &[&str]) -> Vec<DbError> {
    let progress = Arc::new(Progress::default());
    let (mut readers, mut writers) = (JoinSet::new(), JoinSet::new());
    for is_long in [false, true, true] {
        readers.spawn(read(cluster.client().await, Arc::clone(&progress), is_long));
    }
    for writer in 1..=WRITERS {
        writers.spawn(write(cluster.client().await, Arc::clone(&progress), writer));
    }
    progress.go_on(&mut readers).await;
    for statement in statements {
        cluster.execute(statement).await;
        progress.go_on(&mut readers).await;
    }
    progress.ended.store(true, Ordering::Relaxed);
    readers.join_all().await;

    let mut all = Vec::new();
    let mut writer = 0;
    let mut numbers = writers.join_all().await;
    numbers.sort_by_key(|(number, _)| *number);
    for (number, errors) in numbers {
        writer += 1;
        let written = format!("SELECT count(*) FROM rag.chunks WHERE content ~ 'wrote{number}\\M'");
        let count: usize = cluster.query_text(&written).await.parse().unwrap();
        assert!(number > 5 && count >= 2, "writer {writer}: {number} is in {count} chunks");
        all.extend(errors);
    }
    let problems = "SELECT * FROM passage.check_store(data => true)";
    assert_eq!(cluster.query_lines(problems).await, [""; 0]);
    let differ = "SELECT uri FROM article LEFT JOIN rag.documents ON uri = 'articles/' || article.id
        LEFT JOIN LATERAL passage.assemble(documents.id, ARRAY(SELECT c.id FROM rag.chunks AS c WHERE c.document_id = documents.id)) AS assembled (content) ON true
        WHERE assembled.content IS DISTINCT FROM body";
    assert_eq!(cluster.query_lines(differ).await, [""; 0]);
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_update_in_one_transaction_fails_no_call() {
    let Some(next) = Next::find() else { return };
    let cluster = server(&next).await;
    let errors = update(
        &cluster,
        &["BEGIN; LOCK TABLE article IN SHARE ROW EXCLUSIVE MODE;
            ALTER EXTENSION pg_passage UPDATE; SELECT passage.upgrade_store(); COMMIT"],
    )
    .await;
    assert!(errors.is_empty(), "{errors:?}");
}
