//! Dump, restore and DROP EXTENSION: a store belongs to its owner and is never lost.

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{OWNER, SUPERUSER};

const TENANTS: &str = include_str!("../../../fixtures/tenants.sql");
const EVERY_READ: &str = include_str!("../../../fixtures/every_read.sql");

/// A filled store with customizations: columns, indexes, triggers, policies, grants.
async fn filled() -> Cluster {
    let cluster = Cluster::start().await;
    cluster.execute_as(SUPERUSER, &format!("ALTER ROLE {OWNER} CREATEROLE")).await;
    cluster.execute(TENANTS).await;
    cluster
        .execute(
            "CREATE INDEX mine ON rag.chunks (kind) WHERE level > 1;
            CREATE FUNCTION public.noted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
            CREATE TRIGGER noted BEFORE UPDATE ON rag.chunks FOR EACH ROW EXECUTE FUNCTION public.noted();
            ALTER TABLE rag.documents ADD COLUMN rights text DEFAULT 'none' CHECK (rights <> '');
            ALTER TABLE rag.chunks ALTER COLUMN content SET STATISTICS 500;
            GRANT UPDATE (title) ON rag.documents TO alice WITH GRANT OPTION",
        )
        .await;
    if !cluster.lacks_vector("embeddings and their policies survive a dump") {
        cluster
            .execute(
                "INSERT INTO rag.embeddings (chunk_id, document_id, embedding)
                SELECT id, document_id, array_fill(0.125 * ordinal, '{384}')::vector FROM rag.chunks;
                ALTER TABLE rag.embeddings ENABLE ROW LEVEL SECURITY;
                CREATE POLICY readers ON rag.embeddings FOR SELECT TO alice, bob
                    USING (EXISTS (SELECT FROM rag.documents WHERE documents.id = embeddings.document_id))",
            )
            .await;
    }
    cluster
}

/// Returns the dump of a database without its random key.
async fn dump(cluster: &Cluster, database: &str) -> String {
    let text = cluster.run("pg_dump", ["-U", SUPERUSER, "-d", database]).await;
    let kept = text.lines().filter(|line| !line.contains("restrict "));
    kept.collect::<Vec<_>>().join("\n")
}

/// Returns the answers of the functions in a database to a role.
async fn answers(cluster: &Cluster, database: &str, role: &str) -> String {
    cluster.run("psql", ["-XAt", "-U", role, "-d", database, "-c", EVERY_READ]).await
}

#[tokio::test]
async fn a_restored_store_gives_the_same_dump() {
    let cluster = filled().await;
    if cluster.has_vector() {
        cluster
            .execute(
                "SELECT passage.create_store('bits', 8, embedding_type => 'binary');
                SELECT passage.ingest('a.md', 'A text.', store => 'bits');
                INSERT INTO bits.embeddings SELECT id, document_id, '[1,2,3,4,-5,6,7,8]' FROM bits.chunks",
            )
            .await;
    }
    let before = dump(&cluster, "passage").await;
    for expected in
        ["USING gist (path)", "CREATE POLICY readers ON rag.chunks", "TO alice", "mine", "noted"]
    {
        assert!(before.contains(expected), "the dump lacks {expected}");
    }

    let (plain, custom) = (cluster.folder().join("plain"), cluster.folder().join("custom"));
    let (plain, custom) = (plain.to_str().unwrap(), custom.to_str().unwrap());
    cluster.run("pg_dump", ["-U", SUPERUSER, "-f", plain]).await;
    cluster.run("pg_dump", ["-U", SUPERUSER, "-Fc", "-f", custom]).await;
    for database in cases(["plain", "custom"]) {
        let sql = format!("CREATE DATABASE {database} OWNER {OWNER} TEMPLATE template0");
        cluster.execute_as(SUPERUSER, &sql).await;
    }
    let psql = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-U", SUPERUSER, "-d", "plain", "-f", plain];
    cluster.run("psql", psql).await;
    cluster.run("pg_restore", ["-e", "-U", SUPERUSER, "-d", "custom", custom]).await;

    for database in ["plain", "custom"] {
        assert_eq!(dump(&cluster, database).await, before, "{database}");
        for role in [OWNER, "alice", "bob"] {
            let expected = answers(&cluster, "passage", role).await;
            assert_eq!(answers(&cluster, database, role).await, expected, "{role} in {database}");
        }
        if cluster.has_vector() {
            let bits = "SELECT embedding_type FROM passage.stores() WHERE store = 'bits';
                SELECT * FROM passage.check_store('bits', true);
                SELECT content FROM passage.search_hits(embedding => '{1,2,3,4,-5,6,7,8}', store => 'bits')";
            let read = cluster.run("psql", ["-XAt", "-U", OWNER, "-d", database, "-c", bits]).await;
            assert_eq!(read, "binary\nA text.\n", "{database}");
        }
    }
}

#[tokio::test]
async fn the_extension_cannot_be_dropped_while_a_store_uses_it() {
    let cluster = filled().await;
    let before = dump(&cluster, "passage").await;
    let error = cluster.error("DROP EXTENSION pg_passage").await;
    assert_eq!(error.code().code(), "2BP01");
    assert!(error.detail().unwrap().contains("rag.chunks"), "{error:?}");
    assert_eq!(dump(&cluster, "passage").await, before);
}

#[tokio::test]
async fn drop_extension_cascade_keeps_the_content_and_upgrade_store_restores_the_rest() {
    let cluster = filled().await;
    let before = dump(&cluster, "passage").await;
    let read = answers(&cluster, "passage", "alice").await;
    let content = "SELECT id, document_id, ordinal, level, section, kind, unit, content, preamble, tokens, first_line, metadata
        FROM rag.chunks UNION ALL SELECT id, id, 0, 0, NULL, collection, uri, title, media_type, 0, 0, metadata
        FROM rag.documents ORDER BY 1";
    let rows = cluster.query_lines(content).await;
    assert_eq!(rows.len(), 18);

    cluster.execute("DROP EXTENSION pg_passage CASCADE").await;
    assert_eq!(cluster.query_lines(content).await, rows);
    let passages = "SELECT count(*) FROM pg_namespace WHERE nspname IN ('passage', '_passage')";
    assert_eq!(cluster.query_text(passages).await, "0");
    // A store without the extension can still be written, dumped and restored.
    cluster.execute("INSERT INTO rag.documents (uri) VALUES ('new'); DELETE FROM rag.documents WHERE uri = 'new'").await;

    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    cluster.execute("SELECT passage.upgrade_store()").await;
    assert_eq!(dump(&cluster, "passage").await, before);
    assert_eq!(answers(&cluster, "passage", "alice").await, read);
}
