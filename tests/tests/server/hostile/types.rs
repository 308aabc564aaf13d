//! Types with misleading names: each is an error, or its values are read as what they are.

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{OWNER, SUPERUSER};

/// A role that may make temporary tables, as every role may, and nothing else.
const STRANGER: &str = "CREATE ROLE stranger LOGIN";

/// An id.
const ID: &str = "'11111111-0000-8000-8000-000000000000'::pg_catalog.uuid";

/// The schema of the session's temporary tables.
const TEMPORARY: &str =
    "(SELECT nspname FROM pg_namespace WHERE oid OPERATOR(pg_catalog.=) pg_my_temp_schema())";

#[tokio::test]
async fn a_domain_named_ltree_is_not_read_as_a_path() {
    let cluster = Cluster::start().await;
    cluster.execute_as(SUPERUSER, STRANGER).await;
    let rows = cluster
        .query_lines_as(
            "stranger",
            &format!(
                "CREATE DOMAIN pg_temp.ltree AS bigint;
                CREATE TEMPORARY TABLE chunks (id uuid, document_id uuid, ordinal integer, content text, path pg_temp.ltree);
                INSERT INTO chunks VALUES ({ID}, {ID}, 0, 'word', 12345);
                SELECT content, path IS NULL FROM passage.expand_context({ID}, store => {TEMPORARY})"
            ),
        )
        .await;
    assert_eq!(rows, ["word|t"]);
}

#[tokio::test]
async fn a_domain_named_text_is_not_read_as_text() {
    let cluster = Cluster::start().await;
    cluster.execute_as(SUPERUSER, STRANGER).await;
    let rows = cluster
        .query_lines_as(
            "stranger",
            &format!(
                "CREATE DOMAIN pg_temp.text AS bigint;
                CREATE TEMPORARY TABLE chunks (id uuid, document_id uuid, ordinal integer, content bigint);
                INSERT INTO chunks VALUES ({ID}, {ID}, 0, 12345);
                SELECT passage.assemble({ID}, ARRAY[{ID}], store => {TEMPORARY})"
            ),
        )
        .await;
    assert_eq!(rows, ["12345"]);
}

#[tokio::test]
async fn the_chunk_of_an_embedding_must_be_a_uuid() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("an embedding whose chunk is a bigint") {
        return;
    }
    cluster
        .execute_as(SUPERUSER, &format!("{STRANGER}; CREATE SCHEMA own AUTHORIZATION stranger"))
        .await;
    cluster
        .execute_as(
            "stranger",
            &format!(
                "CREATE FUNCTION own.yes(bigint, uuid) RETURNS boolean LANGUAGE sql RETURN true;
                CREATE OPERATOR own.= (LEFTARG = bigint, RIGHTARG = uuid, FUNCTION = own.yes);
                CREATE OPERATOR own.<= (LEFTARG = bigint, RIGHTARG = uuid, FUNCTION = own.yes);
                CREATE OPERATOR own.>= (LEFTARG = bigint, RIGHTARG = uuid, FUNCTION = own.yes);
                CREATE TABLE own.chunks (id uuid, document_id uuid, ordinal integer, content text);
                CREATE TABLE own.embeddings (chunk_id bigint, document_id uuid, embedding vector(3));
                INSERT INTO own.chunks VALUES ({ID}, {ID}, 0, 'word');
                INSERT INTO own.embeddings VALUES (12345, {ID}, '[1,0,0]')"
            ),
        )
        .await;
    let error = cluster
        .error_as(
            "stranger",
            &format!(
                "SET search_path = own, public;
                SELECT * FROM passage.fragments('word', embedding => '{{1,0,0}}', document_id => {ID}, store => 'own')"
            ),
        )
        .await;
    assert_eq!(error.code().code(), "42804", "{error}");
    assert_eq!(
        error.message(),
        r#"column "chunk_id" of relation "own.embeddings" cannot be read as uuid"#
    );
    assert_eq!(
        error.hint(),
        Some("Run SELECT * FROM passage.check_store('own'); to see what the store lacks.")
    );
}

#[tokio::test]
async fn a_domain_that_the_owner_adds_to_ltree_is_not_read_as_a_path() {
    let cluster = Cluster::start().await;
    cluster
        .execute(
            "CREATE SCHEMA own;
            CREATE DOMAIN own.ltree AS bigint;
            ALTER EXTENSION ltree ADD DOMAIN own.ltree;
            CREATE TABLE own.chunks (id uuid, document_id uuid, ordinal integer, content text, path own.ltree)",
        )
        .await;
    cluster.execute(&format!("INSERT INTO own.chunks VALUES ({ID}, {ID}, 0, 'word', 12345)")).await;
    let rows = cluster
        .query_lines_as(
            OWNER,
            &format!(
                "SELECT content, path IS NULL FROM passage.expand_context({ID}, store => 'own')"
            ),
        )
        .await;
    assert_eq!(rows, ["word|t"]);
}

#[tokio::test]
async fn ids_of_another_type_are_refused() {
    let cluster = Cluster::start().await;
    for (relation, column) in
        cases([("chunks", "id"), ("chunks", "document_id"), ("documents", "id")])
    {
        let table = |table: &str, columns: [&str; 2]| {
            let columns = columns.map(|name| {
                let is_wrong = (table, name) == (relation, column);
                format!("{name} {}", if is_wrong { "text" } else { "uuid" })
            });
            format!(
                "CREATE TABLE wrong.{table} ({}, ordinal integer, content text);",
                columns.join(", ")
            )
        };
        let chunks = table("chunks", ["id", "document_id"]);
        let documents = table("documents", ["id", "other"]);
        cluster.execute(&format!("CREATE SCHEMA wrong; {chunks} {documents}")).await;
        let error = cluster
            .error(&format!("SELECT * FROM passage.expand_context({ID}, store => 'wrong')"))
            .await;
        assert_eq!(error.code().code(), "42804", "{error}");
        assert_eq!(
            error.message(),
            format!(r#"column "{column}" of relation "wrong.{relation}" cannot be read as uuid"#)
        );
        cluster.execute("DROP SCHEMA wrong CASCADE").await;
    }
}

#[tokio::test]
async fn domains_over_uuid_are_ids() {
    let cluster = Cluster::start().await;
    cluster
        .execute(&format!(
            "CREATE SCHEMA own;
            CREATE DOMAIN own.id AS uuid;
            CREATE TABLE own.documents (id own.id, uri text, media_type text);
            CREATE TABLE own.chunks (id own.id, document_id own.id, ordinal integer NOT NULL, content text);
            INSERT INTO own.documents VALUES ({ID}, 'a.txt', 'text/plain');
            INSERT INTO own.chunks VALUES ({ID}, {ID}, 0, 'first'), (gen_random_uuid(), {ID}, 1, 'second')"
        ))
        .await;
    for call in [
        format!("passage.expand_context({ID}, 'adjacent', store => 'own')"),
        format!("passage.fragments('first second', document_id => {ID}, store => 'own')"),
        format!("passage.outline({ID}, store => 'own')"),
        format!("passage.reassemble(ARRAY[{ID}], store => 'own')"),
    ] {
        let rows = cluster.query_text(&format!("SELECT count(*) FROM {call}")).await;
        assert_ne!(rows, "0", "{call}");
    }
}

/// No catalog entry can make a statement return another type than the written one. So the test lets a
/// superuser replace a function that the statement calls.
#[tokio::test]
async fn a_result_of_another_type_is_not_read() {
    let cluster = Cluster::start().await;
    cluster
        .execute_as(
            SUPERUSER,
            "ALTER EXTENSION pg_passage DROP FUNCTION _passage.store_facts(name);
            DROP FUNCTION _passage.store_facts(name);
            CREATE FUNCTION _passage.store_facts(name, OUT dimensions integer, OUT distance bigint, OUT language bigint, OUT embedding_type bigint)
                LANGUAGE sql AS 'SELECT NULL::integer, 12345::bigint, 12345::bigint, 12345::bigint'",
        )
        .await;
    let error = cluster.error("SELECT * FROM passage.search_hits('word')").await;
    assert_eq!(error.code().code(), "42804", "{error}");
    assert_eq!(
        error.message(),
        r#"column 2 of a result from store "rag" has type bigint, not text"#
    );
    assert_eq!(
        error.hint(),
        Some("Run SELECT * FROM passage.check_store('rag'); to see what the store lacks.")
    );
}

#[tokio::test]
async fn text_in_place_of_another_type_counts_as_null_and_is_never_shown() {
    let cluster = Cluster::start().await;
    cluster
        .execute(&format!(
            "CREATE SCHEMA own;
            CREATE TABLE own.documents (id uuid, uri text, media_type text, metadata text);
            CREATE TABLE own.chunks (id uuid, document_id uuid, ordinal integer NOT NULL, content text, tokens text, first_line varchar, metadata text);
            INSERT INTO own.documents VALUES ({ID}, 'a.txt', 'text/plain', 'quokka');
            INSERT INTO own.chunks VALUES ({ID}, {ID}, 0, 'word', 'quokka', 'quokka', 'quokka')"
        ))
        .await;
    let sql = format!(
        "SELECT content, first_line IS NULL, metadata IS NULL FROM passage.reassemble(ARRAY[{ID}], output => passage.output(imports => true), store => 'own')"
    );
    assert_eq!(cluster.query_lines(&sql).await, ["word|t|t"]);
}

#[tokio::test]
async fn a_cast_of_another_role_is_not_used() {
    let cluster = Cluster::start().await;
    cluster
        .execute(&format!(
            "CREATE SCHEMA own;
            CREATE TYPE own.pair AS (a integer, b text);
            CREATE FUNCTION own.forged(own.pair) RETURNS text LANGUAGE sql AS 'SELECT ''forged''';
            CREATE CAST (own.pair AS text) WITH FUNCTION own.forged(own.pair) AS IMPLICIT;
            CREATE TABLE own.documents (id uuid, uri own.pair, media_type text);
            CREATE TABLE own.chunks (id uuid, document_id uuid, ordinal integer NOT NULL, content text);
            INSERT INTO own.documents VALUES ({ID}, ROW(1, 'x'), 'text/plain');
            INSERT INTO own.chunks VALUES ({ID}, {ID}, 0, 'word')"
        ))
        .await;
    let sql =
        format!("SELECT uri IS NULL, content FROM passage.reassemble(ARRAY[{ID}], store => 'own')");
    assert_eq!(cluster.query_lines(&sql).await, ["t|word"]);
    cluster
        .execute(
            "DROP TABLE own.chunks;
            CREATE TABLE own.chunks (id uuid, document_id uuid, ordinal integer NOT NULL, content own.pair)",
        )
        .await;
    let error = cluster.error(&sql).await;
    assert_eq!(error.code().code(), "42804", "{error}");
    assert_eq!(
        error.message(),
        r#"column "content" of relation "own.chunks" cannot be read as text"#
    );
}

#[tokio::test]
async fn two_documents_with_one_id_are_an_error() {
    let cluster = Cluster::start().await;
    let again = "SELECT outcome FROM passage.ingest('a.md', 'other')";
    cluster
        .execute(
            "SELECT passage.create_store(); SELECT passage.ingest('a.md', 'word');
            ALTER TABLE rag.documents DROP CONSTRAINT documents_pkey CASCADE,
                DROP CONSTRAINT documents_uri_collection_version_key;
            INSERT INTO rag.documents SELECT * FROM rag.documents",
        )
        .await;
    let error = cluster.error(again).await;
    assert_eq!(error.code().code(), "21000", "{error}");
    assert_eq!(error.message(), r#"relation "rag.documents" has several rows with the same id"#);
}

#[tokio::test]
async fn a_setting_without_a_valid_language_is_a_problem_and_not_shown() {
    let cluster = Cluster::start().await;
    cluster
        .execute(
            r#"SELECT passage.create_store('own');
            ALTER TABLE own.chunks DROP COLUMN tsv;
            UPDATE own.settings SET value = '"quokka"' WHERE key = 'language'"#,
        )
        .await;
    let problems = cluster
        .query_lines(
            "SELECT problem, remedy FROM passage.check_store('own') WHERE problem ~ 'language'",
        )
        .await;
    assert_eq!(
        problems,
        [
            r#"setting language does not name a text search configuration|UPDATE own.settings SET value = '"english"' WHERE key = 'language';"#
        ]
    );
    for call in cases(["create_store('own')", "upgrade_store('own')"]) {
        let error = cluster.error(&format!("SELECT passage.{call}")).await;
        assert_eq!(error.code().code(), "22023", "{error}");
        assert!(!error.message().contains("quokka"), "{error}");
    }
    cluster
        .execute(r#"UPDATE own.settings SET value = '"pg_catalog.english"' WHERE key = 'language'"#)
        .await;
    cluster.execute("SELECT passage.upgrade_store('own')").await;
}
