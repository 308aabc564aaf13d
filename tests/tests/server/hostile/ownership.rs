//! Administration of objects of other roles: it raises an error or reads the catalogs, and runs none of their code.

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;

/// Body of a trap function: it increments a sequence, which no rollback undoes.
const TRAP: &str = "BEGIN PERFORM pg_catalog.nextval('public.sprung'); RETURN";

/// Starts a server where the unprivileged role mallory owns functions that count their calls.
async fn with_mallory() -> Cluster {
    let cluster = Cluster::bare().await;
    cluster.install_as(SUPERUSER).await;
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE ROLE mallory LOGIN; CREATE ROLE victim LOGIN;
            CREATE SEQUENCE public.sprung; GRANT ALL ON SEQUENCE public.sprung TO PUBLIC;
            GRANT CREATE ON DATABASE passage TO mallory, victim",
        )
        .await;
    let functions = format!(
        "CREATE SCHEMA evil; GRANT USAGE ON SCHEMA evil TO PUBLIC;
        CREATE FUNCTION evil.stable(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ {TRAP} $1; END $$;
        CREATE FUNCTION evil.truth(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ {TRAP} true; END $$;
        CREATE FUNCTION evil.fired() RETURNS trigger LANGUAGE plpgsql AS $$ {TRAP} NEW; END $$"
    );
    cluster.execute_as("mallory", &functions).await;
    cluster
}

async fn assert_no_trap_ran(cluster: &Cluster, what: &str) {
    let called = cluster.query_text_as(SUPERUSER, "SELECT is_called FROM public.sprung").await;
    assert_eq!(called, "f", "{what}");
}

#[tokio::test]
async fn create_store_rejects_objects_of_another_role() {
    let cluster = with_mallory().await;
    for (what, setup, names) in cases([
        ("a schema", "CREATE SCHEMA rag", "schema \"rag\""),
        (
            "a table",
            "CREATE TABLE rag.settings (key text PRIMARY KEY, value jsonb)",
            "table \"settings\" of store \"rag\"",
        ),
        (
            "a view",
            "CREATE VIEW rag.chunks AS SELECT NULL::uuid AS id, NULL::uuid AS document_id, 0 AS ordinal, ''::text AS content",
            "view \"chunks\" of store \"rag\"",
        ),
        (
            "a view of embedded chunks",
            "CREATE VIEW rag.chunks_embedded AS SELECT evil.stable('a')",
            "view \"chunks_embedded\" of store \"rag\"",
        ),
        (
            "a materialized view",
            "CREATE MATERIALIZED VIEW rag.documents AS SELECT 1 AS id",
            "materialized view \"documents\" of store \"rag\"",
        ),
        (
            "a partitioned table",
            "CREATE TABLE rag.embeddings (chunk_id uuid) PARTITION BY HASH (chunk_id)",
            "table \"embeddings\" of store \"rag\"",
        ),
    ]) {
        for caller in cases([SUPERUSER, "victim"]) {
            cluster.execute_as(SUPERUSER, "DROP SCHEMA IF EXISTS rag CASCADE").await;
            if setup != "CREATE SCHEMA rag" {
                let schema = "CREATE SCHEMA rag; GRANT ALL ON SCHEMA rag TO mallory";
                cluster.execute_as(caller, schema).await;
            }
            cluster.execute_as("mallory", setup).await;
            for call in cases([
                "create_store()",
                "create_store(dry_run => true)",
                "create_store(partitions => 2)",
                "create_store(distributed => 'schema', dry_run => true)",
                "create_store(distributed => 'document')",
            ]) {
                let error = cluster.error_as(caller, &format!("SELECT passage.{call}")).await;
                assert_eq!(error.code().code(), "42501", "{what} {caller} {error:?}");
                assert_eq!(error.message(), format!("{names} is owned by role \"mallory\""));
                assert_eq!(
                    error.hint(),
                    Some(
                        "Run SET ROLE mallory; if that role is to own the store, or choose another name for the store."
                    )
                );
            }
            assert_no_trap_ran(&cluster, what).await;
        }
    }
}

#[tokio::test]
async fn errors_quote_the_names_of_owners_and_stores() {
    let cluster = Cluster::bare().await;
    cluster.install_as(SUPERUSER).await;
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE ROLE \"M; DROP\"; CREATE SCHEMA \"r'ag; x\" AUTHORIZATION \"M; DROP\"",
        )
        .await;
    let error = cluster.error_as(SUPERUSER, "SELECT passage.create_store('r''ag; x')").await;
    assert_eq!(error.message(), "schema \"r'ag; x\" is owned by role \"M; DROP\"");
    assert!(error.hint().unwrap().starts_with("Run SET ROLE \"M; DROP\"; if"), "{error:?}");
}

#[tokio::test]
async fn members_of_the_owning_role_can_change_a_store() {
    let cluster = with_mallory().await;
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE ROLE team; GRANT team TO victim; GRANT CREATE ON DATABASE passage TO team",
        )
        .await;
    cluster.execute_as("victim", "SET ROLE team; SELECT passage.create_store('shared')").await;
    cluster
        .execute_as(
            "victim",
            "ALTER TABLE shared.chunks DROP COLUMN tsv; SELECT passage.upgrade_store('shared')",
        )
        .await;
    // A superuser must become the owner first.
    let upgrade = "SELECT passage.upgrade_store('shared')";
    assert_eq!(cluster.error_as(SUPERUSER, upgrade).await.code().code(), "42501");
    cluster.execute_as(SUPERUSER, &format!("SET ROLE team; {upgrade}")).await;
    assert_eq!(cluster.error_as("mallory", upgrade).await.code().code(), "42501");
    // The owner of the database owns `public`.
    cluster.execute("SELECT passage.create_store('public')").await;
}

#[tokio::test]
async fn set_role_does_not_make_code_of_a_store_run() {
    let cluster = with_mallory().await;
    let settings = "CREATE TABLE rag.settings (key text PRIMARY KEY, value jsonb NOT NULL)";
    for (what, setup) in cases([
        (
            "a trigger",
            format!("{settings}; CREATE TRIGGER trap BEFORE INSERT ON rag.settings FOR EACH ROW EXECUTE FUNCTION evil.fired()"),
        ),
        (
            "a rule",
            format!("{settings}; CREATE RULE trap AS ON INSERT TO rag.settings DO ALSO SELECT evil.stable('a')"),
        ),
        ("a default", format!("{settings}; ALTER TABLE rag.settings ADD note text DEFAULT evil.stable('a')")),
        ("a check", format!("{settings}; ALTER TABLE rag.settings ADD CHECK (evil.truth(key))")),
        ("an index", format!("{settings}; CREATE INDEX ON rag.settings (evil.stable(key))")),
        ("an index with a condition", format!("{settings}; CREATE INDEX ON rag.settings (key) WHERE evil.truth(key)")),
        (
            "a generated column",
            format!("{settings}; ALTER TABLE rag.settings ADD note text GENERATED ALWAYS AS (evil.stable(key)) STORED"),
        ),
        (
            "a domain",
            format!("{settings}; CREATE DOMAIN evil.checked AS text DEFAULT 'a' CHECK (evil.truth(VALUE)); ALTER TABLE rag.settings ADD note evil.checked"),
        ),
        (
            "an operator",
            format!("{settings}; CREATE OPERATOR evil.!! (RIGHTARG = text, FUNCTION = evil.truth); ALTER TABLE rag.settings ADD CHECK (OPERATOR(evil.!!) key)"),
        ),
        (
            "a partition",
            "CREATE TABLE rag.settings (key text PRIMARY KEY, value jsonb NOT NULL) PARTITION BY LIST (key);
            CREATE TABLE rag.rest PARTITION OF rag.settings DEFAULT;
            CREATE TRIGGER trap BEFORE INSERT ON rag.rest FOR EACH ROW EXECUTE FUNCTION evil.fired()"
                .to_owned(),
        ),
        (
            "a policy",
            format!("{settings}; ALTER TABLE rag.settings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY trap ON rag.settings USING (evil.truth(key))"),
        ),
    ]) {
        for become_owner in cases(["SET ROLE mallory", "SET SESSION AUTHORIZATION mallory"]) {
            cluster
                .execute_as(SUPERUSER, "DROP SCHEMA IF EXISTS rag CASCADE; DROP DOMAIN IF EXISTS evil.checked; DROP OPERATOR IF EXISTS evil.!! (NONE, text)")
                .await;
            cluster.execute_as("mallory", &format!("CREATE SCHEMA rag; {setup}")).await;
            // Its creation can have called it.
            cluster.execute_as(SUPERUSER, "ALTER SEQUENCE public.sprung RESTART").await;
            let call = format!("{become_owner}; SELECT passage.create_store()");
            let error = cluster.error_as(SUPERUSER, &call).await;
            assert_eq!(error.code().code(), "42501", "{what}: {error:?}");
            assert_eq!(error.message(), "a table of store \"rag\" runs code of role \"mallory\"", "{what}");
            assert!(error.hint().unwrap().starts_with("Connect as a role that may run that code"), "{error:?}");
            assert_no_trap_ran(&cluster, what).await;
            // The owner's own code runs for the owner; policies never run.
            if what != "a policy" {
                cluster.execute_as("mallory", "SELECT passage.create_store()").await;
            }
        }
    }
}

/// Queries of administration that read a store.
const QUESTIONS: [&str; 4] = [
    "SELECT object || ': ' || problem FROM passage.check_store('lure')",
    "SELECT object || ': ' || problem FROM passage.check_store('lure', data => true)",
    "SELECT store FROM passage.stores()",
    "SELECT _passage.store_settings('lure')",
];

#[tokio::test]
async fn views_of_another_role_are_neither_read_nor_planned() {
    let cluster = with_mallory().await;
    cluster
        .execute_as(
            "mallory",
            "CREATE SCHEMA lure; GRANT USAGE ON SCHEMA lure TO PUBLIC;
            CREATE VIEW lure.chunks AS SELECT gen_random_uuid() AS id, gen_random_uuid() AS document_id, 0 AS ordinal, evil.stable('a') AS content
                WHERE evil.truth('planned');
            CREATE VIEW lure.documents AS SELECT gen_random_uuid() AS id, evil.stable('a') AS uri WHERE evil.truth('planned');
            CREATE VIEW lure.settings AS SELECT evil.stable('language') AS key, '1'::jsonb AS value;
            GRANT SELECT ON ALL TABLES IN SCHEMA lure TO PUBLIC",
        )
        .await;
    for caller in cases([SUPERUSER, "victim"]) {
        for question in cases(QUESTIONS) {
            let rows = cluster.query_rows_as(caller, question).await;
            assert_no_trap_ran(&cluster, question).await;
            if question.contains("check_store") {
                let unread = "lure.chunks: not read: ";
                let honest =
                    |row: &Vec<Option<String>>| row[0].as_ref().unwrap().starts_with(unread);
                assert!(rows.iter().any(honest), "{rows:?}");
            }
        }
        let error = cluster.error_as(caller, "SELECT * FROM passage.store_stats('lure')").await;
        assert_eq!(error.code().code(), "42501", "{error:?}");
        assert_no_trap_ran(&cluster, caller).await;
    }
    // The caller's own view over a view of another role is not read either.
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE SCHEMA mine; CREATE VIEW mine.chunks AS SELECT * FROM lure.chunks; CREATE VIEW mine.documents AS SELECT * FROM lure.documents",
        )
        .await;
    for question in cases(QUESTIONS) {
        cluster.query_rows_as(SUPERUSER, &question.replace("lure", "mine")).await;
    }
    assert_no_trap_ran(&cluster, "a view over a view").await;
    // SET ROLE does not change that.
    for question in cases(QUESTIONS) {
        cluster.query_rows_as(SUPERUSER, &format!("SET ROLE mallory; {question}")).await;
    }
    assert_no_trap_ran(&cluster, "SET ROLE").await;
    // The owner may read it.
    let rows = cluster.query_lines_as("mallory", QUESTIONS[1]).await;
    assert!(rows.iter().all(|row| !row.contains("not read")), "{rows:?}");
}

#[tokio::test]
async fn policies_of_another_role_do_not_run() {
    let cluster = with_mallory().await;
    cluster.execute_as("mallory", "SELECT passage.create_store('lure')").await;
    cluster
        .execute_as(
            "mallory",
            "GRANT USAGE ON SCHEMA lure TO PUBLIC; GRANT SELECT ON ALL TABLES IN SCHEMA lure TO PUBLIC;
            INSERT INTO lure.documents (uri) VALUES ('a.md');
            ALTER TABLE lure.settings ENABLE ROW LEVEL SECURITY; CREATE POLICY trap ON lure.settings USING (evil.truth(key));
            ALTER TABLE lure.documents ENABLE ROW LEVEL SECURITY; CREATE POLICY trap ON lure.documents USING (evil.truth(uri))",
        )
        .await;
    for question in cases(QUESTIONS) {
        cluster.query_rows_as("victim", question).await;
        assert_no_trap_ran(&cluster, question).await;
    }
    let rows = cluster.query_lines_as("victim", QUESTIONS[1]).await;
    assert!(rows.iter().any(|row| row.starts_with("lure.documents: not read: ")), "{rows:?}");
    let error = cluster.error_as("victim", "SELECT * FROM passage.store_stats('lure')").await;
    assert_eq!(error.code().code(), "42501", "{error:?}");
    assert_no_trap_ran(&cluster, "policies").await;
    // A policy without functions of its owner runs and filters the counts.
    cluster
        .execute_as("mallory", "ALTER POLICY trap ON lure.documents USING (uri <> 'a.md')")
        .await;
    let stats = "SELECT documents FROM passage.store_stats('lure')";
    assert_eq!(cluster.query_lines_as("victim", stats).await, ["0"]);
    assert_eq!(cluster.query_lines_as("mallory", stats).await, ["1", "1"]);
}

#[tokio::test]
async fn casts_of_another_role_do_not_run() {
    let cluster = with_mallory().await;
    cluster
        .execute_as(
            "mallory",
            &format!(
                "CREATE SCHEMA lure; GRANT USAGE ON SCHEMA lure TO PUBLIC;
                CREATE TYPE evil.word AS ENUM ('a');
                CREATE FUNCTION evil.cast_text(evil.word) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ {TRAP} 'a'; END $$;
                CREATE FUNCTION evil.cast_int(evil.word) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$ {TRAP} 1; END $$;
                CREATE CAST (evil.word AS text) WITH FUNCTION evil.cast_text(evil.word) AS IMPLICIT;
                CREATE CAST (evil.word AS integer) WITH FUNCTION evil.cast_int(evil.word) AS IMPLICIT"
            ),
        )
        .await;
    // Each column in turn has another type.
    let columns = [
        "content",
        "start_byte",
        "end_byte",
        "ordinal",
        "kind",
        "tokens",
        "collection",
        "version",
        "chunk_count",
        "value",
        "key",
    ];
    for column in columns {
        let kind = |name: &str, kind: &'static str| if name == column { "evil.word" } else { kind };
        let make = format!(
            "CREATE TABLE lure.chunks (id uuid, document_id uuid, ordinal {}, content {}, start_byte {}, end_byte {}, kind {}, tokens {}, section text[]);
            CREATE TABLE lure.documents (id uuid, collection {}, version {}, chunk_count {}); CREATE TABLE lure.settings (key {}, value {});
            INSERT INTO lure.chunks (id, document_id, {column}) VALUES (gen_random_uuid(), gen_random_uuid(), NULL);
            GRANT SELECT ON ALL TABLES IN SCHEMA lure TO PUBLIC",
            kind("ordinal", "integer"), kind("content", "text"), kind("start_byte", "integer"), kind("end_byte", "integer"),
            kind("kind", "text"), kind("tokens", "integer"), kind("collection", "text"), kind("version", "text"),
            kind("chunk_count", "integer"), kind("key", "text"), kind("value", "jsonb"),
        );
        let rows = if ["collection", "version", "chunk_count"].contains(&column) {
            make.replace(
                &format!("INSERT INTO lure.chunks (id, document_id, {column}) VALUES (gen_random_uuid(), gen_random_uuid(), NULL)"),
                &format!("INSERT INTO lure.documents (id, {column}) VALUES (gen_random_uuid(), 'a')"),
            )
        } else if ["key", "value"].contains(&column) {
            make.replace(
                &format!("INSERT INTO lure.chunks (id, document_id, {column}) VALUES (gen_random_uuid(), gen_random_uuid(), NULL)"),
                &format!("INSERT INTO lure.settings ({column}) VALUES ('a')"),
            )
        } else {
            make.replace("gen_random_uuid(), NULL)", "gen_random_uuid(), 'a')")
        };
        cluster.execute_as("mallory", &rows).await;
        for question in cases(QUESTIONS) {
            cluster.query_rows_as(SUPERUSER, question).await;
            assert_no_trap_ran(&cluster, &format!("{column}: {question}")).await;
        }
        let stats = "SELECT documents FROM passage.store_stats('lure')";
        if column == "content" {
            assert_eq!(cluster.error_as(SUPERUSER, stats).await.code().code(), "42804");
        } else {
            cluster.query_rows_as(SUPERUSER, stats).await;
        }
        assert_no_trap_ran(&cluster, column).await;
        cluster
            .execute_as("mallory", "DROP TABLE lure.chunks, lure.documents, lure.settings")
            .await;
    }
}

#[tokio::test]
async fn a_table_that_becomes_a_view_during_a_call_raises_an_error() {
    let cluster = with_mallory().await;
    let known = "SELECT count(*) FROM pg_settings WHERE name = 'restrict_nonsystem_relation_kind'";
    if cluster.query_text(known).await == "0" {
        cluster.installation().report_skipped(
            "a table that becomes a view meanwhile is refused",
            "the server has no restrict_nonsystem_relation_kind",
        );
        return;
    }
    cluster
        .execute_as(
            "mallory",
            "CREATE SCHEMA lure; GRANT USAGE ON SCHEMA lure TO PUBLIC;
            CREATE VIEW lure.chunks AS SELECT gen_random_uuid() AS id, gen_random_uuid() AS document_id, 0 AS ordinal, evil.stable('a') AS content
                WHERE evil.truth('planned')",
        )
        .await;
    // The functions that run after the check of the catalogs.
    for call in cases(["restricted_data_problems", "restricted_store_counts"]) {
        let error =
            cluster.error_as(SUPERUSER, &format!("SELECT * FROM _passage.{call}('lure')")).await;
        assert_eq!(error.code().code(), "55000", "{error:?}");
        assert_eq!(error.message(), "access to non-system view \"chunks\" is restricted");
    }
    assert_no_trap_ran(&cluster, "the swap").await;
}
