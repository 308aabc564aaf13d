/*!
Other layouts of a store, each with a few hundred documents.

The model gets documents as the store can return them: without the columns that the store does not have.
*/

use super::model::{Document, UserStrategy};
use super::random::{self, Rng};
use super::sql::{Store, assert_same_answers, is_marked, with_nulls, without_marked};
use passage_tests::Cluster;
use passage_tests::cluster::{OWNER, SUPERUSER};

/// The number of documents of a layout.
const DOCUMENTS: u32 = 500;

/// A server with the store `rag` without embeddings, and the result of some SQL.
pub async fn text_cluster(sql: &str) -> Cluster {
    let cluster = Cluster::bare().await;
    cluster.install_as(OWNER).await;
    cluster.execute("SELECT passage.create_store()").await;
    // Full text search and paths are not tested here, and their indexes are slow to build.
    cluster.execute("ALTER TABLE rag.chunks DROP COLUMN tsv; DROP INDEX rag.chunks_path_idx").await;
    cluster.execute(sql).await;
    cluster
}

/// Tables of another application, and views that make a store of them.
const FOREIGN: &str = "
    CREATE SCHEMA views;
    CREATE TABLE views.pages (id uuid PRIMARY KEY, uri text, media_type text);
    CREATE TABLE views.pieces (id uuid PRIMARY KEY, document_id uuid, ordinal int, level int, section text[],
        unit varchar(20), kind text, tokens bigint, content text, start_byte int, end_byte int,
        UNIQUE (document_id, ordinal));
    CREATE INDEX ON views.pieces (document_id, passage.section_key(section), ordinal);
    CREATE INDEX ON views.pieces (document_id, passage.parent_key(section), ordinal);";

fn views() -> Store {
    let (chunks, documents) = ("views.pieces", Some("views.pages"));
    Store { schema: "views", chunks, documents, write: with_nulls, ..Store::tables() }
}

#[tokio::test(flavor = "multi_thread")]
async fn views_in_place_of_tables() {
    let sql = "
        CREATE VIEW views.chunks WITH (security_invoker = true) AS
        SELECT *, passage.section_key(section) AS section_key, passage.parent_key(section) AS parent_key FROM views.pieces;
        CREATE VIEW views.documents WITH (security_invoker = true) AS SELECT * FROM views.pages";
    assert_same_answers(&text_cluster(&format!("{FOREIGN}{sql}")).await, views(), DOCUMENTS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn views_of_what_a_store_must_have() {
    let sql =
        "CREATE VIEW views.chunks AS SELECT id, document_id, ordinal, content FROM views.pieces";
    let see = |document: &mut Document| {
        document.media_type = None;
        for chunk in &mut document.chunks {
            (chunk.section, chunk.unit, chunk.kind) = (None, None, None);
            (chunk.level, chunk.tokens, chunk.span) = (None, None, None);
        }
    };
    assert_same_answers(
        &text_cluster(&format!("{FOREIGN}{sql}")).await,
        Store { see, has_sections: false, ..views() },
        DOCUMENTS,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn partitioned_chunks() {
    let sql = "
        CREATE SCHEMA parts;
        CREATE TABLE parts.documents (LIKE rag.documents INCLUDING ALL);
        CREATE TABLE parts.chunks (LIKE rag.chunks INCLUDING DEFAULTS INCLUDING GENERATED,
            PRIMARY KEY (document_id, id), UNIQUE (document_id, ordinal)) PARTITION BY HASH (document_id);
        CREATE INDEX ON parts.chunks (document_id, section_key, ordinal);
        CREATE INDEX ON parts.chunks (document_id, parent_key, ordinal);
        CREATE TABLE parts.chunks_0 PARTITION OF parts.chunks FOR VALUES WITH (MODULUS 3, REMAINDER 0);
        CREATE TABLE parts.chunks_1 PARTITION OF parts.chunks FOR VALUES WITH (MODULUS 3, REMAINDER 1);
        CREATE TABLE parts.chunks_2 PARTITION OF parts.chunks FOR VALUES WITH (MODULUS 3, REMAINDER 2)";
    let (chunks, documents) = ("parts.chunks", Some("parts.documents"));
    let store = Store { schema: "parts", chunks, documents, ..Store::tables() };
    assert_same_answers(&text_cluster(sql).await, store, DOCUMENTS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_without_sections() {
    let sql = "ALTER TABLE rag.chunks DROP COLUMN section CASCADE";
    let see = |document: &mut Document| {
        document.chunks.iter_mut().for_each(|chunk| chunk.section = None);
    };
    assert_same_answers(
        &text_cluster(sql).await,
        Store { see, has_sections: false, ..Store::tables() },
        DOCUMENTS,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_without_spans() {
    let sql = "ALTER TABLE rag.chunks DROP COLUMN start_byte, DROP COLUMN end_byte";
    let see = |document: &mut Document| {
        document.chunks.iter_mut().for_each(|chunk| chunk.span = None);
    };
    assert_same_answers(&text_cluster(sql).await, Store { see, ..Store::tables() }, DOCUMENTS)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_without_units() {
    let see = |document: &mut Document| {
        document.chunks.iter_mut().for_each(|chunk| chunk.unit = None);
    };
    let cluster = text_cluster("ALTER TABLE rag.chunks DROP COLUMN unit").await;
    assert_same_answers(&cluster, Store { see, ..Store::tables() }, DOCUMENTS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_without_kinds_and_documents() {
    let sql = "DROP TABLE rag.documents CASCADE; ALTER TABLE rag.chunks DROP COLUMN kind";
    let see = |document: &mut Document| {
        document.media_type = None;
        document.chunks.iter_mut().for_each(|chunk| chunk.kind = None);
    };
    assert_same_answers(
        &text_cluster(sql).await,
        Store { documents: None, see, ..Store::tables() },
        DOCUMENTS,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_whose_chunks_are_missing() {
    let then = "DELETE FROM rag.chunks WHERE level = -5";
    let store = Store { then, see: without_marked, asks_for: is_marked, ..Store::tables() };
    assert_same_answers(&text_cluster("").await, store, DOCUMENTS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_hides_chunks() {
    let cluster = text_cluster("").await;
    cluster.execute_as(SUPERUSER, "CREATE ROLE reader LOGIN").await;
    let sql = "
        ALTER TABLE rag.chunks ENABLE ROW LEVEL SECURITY;
        CREATE POLICY readers ON rag.chunks FOR SELECT TO reader USING (level > -5);
        GRANT USAGE ON SCHEMA rag TO reader;
        GRANT SELECT ON ALL TABLES IN SCHEMA rag TO reader";
    cluster.execute(sql).await;
    let store =
        Store { reader: "reader", see: without_marked, asks_for: is_marked, ..Store::tables() };
    assert_same_answers(&cluster, store, DOCUMENTS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn strategies_of_the_store() {
    for set in 0..3 {
        let own: Vec<UserStrategy> = random::own(&mut Rng::new(7, set));
        assert_same_answers(&text_cluster("").await, Store { own, ..Store::tables() }, DOCUMENTS)
            .await;
    }
}
