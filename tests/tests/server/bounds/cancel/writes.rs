//! The functions that write a store, and the trigger `keep_in_step`.

use super::session::Session;
use passage_tests::Cluster;

/// A document of about 20,000 chunks.
const TEXT: &str = "repeat(E'# Part\\n\\nSome *text* of `it`, as long as most are.\\n\\n- one\\n- two\\n\\n', 20000)";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writing_a_store_ends_soon_after_a_cancel() {
    let cluster = Cluster::start().await;
    let mut session = Session::of(&cluster, 3).await;
    let ingest = |text: &str| format!("SELECT * FROM passage.ingest('a.md', {text})");
    session.cancel("ingest, a new document", &ingest(TEXT)).await;
    session.prepare(&ingest(TEXT)).await;
    session.cancel("ingest, a document that is unchanged", &ingest(TEXT)).await;
    session
        .cancel("ingest, a document with another preamble", &ingest(&format!("'# All ' || {TEXT}")))
        .await;
    session
        .cancel("ingest, another document", &ingest(&format!("replace({TEXT}, 'text', 'word')")))
        .await;
    let question = "(SELECT string_agg('word' || n, ' ') FROM generate_series(1, 4000) AS n)";
    let rate = format!("SELECT passage.rate({question}, id, 1) FROM rag.chunks WHERE ordinal < 50");
    session.cancel("rate", &rate).await;
    session.cancel("remove", "SELECT * FROM passage.remove('a.md')").await;
    session.cancel("remove, a collection", "SELECT * FROM passage.remove(collection => '')").await;
    let drop = "ALTER TABLE rag.chunks DROP COLUMN tsv";
    session.cancel("upgrade_store", &format!("{drop}; SELECT passage.upgrade_store()")).await;
    session.cancel("create_store", &format!("{drop}; SELECT passage.create_store('rag')")).await;
    session.report();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keep_in_step_ends_soon_after_a_cancel() {
    let cluster = Cluster::start().await;
    let mut session = Session::of(&cluster, 4).await;
    cluster
        .execute(
            "CREATE TABLE notes (id integer PRIMARY KEY, body text);
            CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW
                EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}');
            CREATE TRIGGER in_step_all AFTER TRUNCATE ON notes FOR EACH STATEMENT
                EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}')",
        )
        .await;
    let insert = |notes: u32, repeats: u32| {
        let body = format!("repeat(E'A note as long as most.\\n\\n', {repeats})");
        format!("INSERT INTO notes SELECT n, n || {body} FROM generate_series(1, {notes}) AS n")
    };
    session.cancel("INSERT of many rows", &insert(500, 2)).await;
    session.cancel("INSERT of a large row", &insert(1, 50_000)).await;
    session.prepare(&insert(500, 2)).await;
    session.cancel("UPDATE", "UPDATE notes SET body = body || 'more'").await;
    session.cancel("UPDATE of keys", "UPDATE notes SET id = -id").await;
    session.cancel("DELETE", "DELETE FROM notes").await;
    session.cancel("TRUNCATE", "TRUNCATE notes").await;
    session.cancel("bring_in_step", "SELECT * FROM passage.bring_in_step('notes')").await;
    session.report();
}
