//! Triggers of `keep_in_step` and roles that take the name of a store or have code in it: none of their code runs
//! with the rights of a role that writes the table.

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{OWNER, SUPERUSER};
use passage_tests::wait::{until, within};
use tokio_postgres::Client;
use tokio_postgres::error::DbError;

/// The trigger of the table `notes`, with more arguments at its end.
fn trigger(arguments: &str) -> String {
    format!(
        "CREATE OR REPLACE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW \
         EXECUTE FUNCTION passage.keep_in_step('text={{body}}', 'uri=notes/{{id}}'{arguments})"
    )
}

/// Starts a server where the role `writer` writes the table `notes` and the store `rag` of the owner. The role
/// `mallory` may create schemas, and has functions that count their calls by other roles.
async fn with_mallory() -> Cluster {
    let cluster = Cluster::start().await;
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE ROLE mallory LOGIN; CREATE ROLE writer LOGIN; GRANT CREATE ON DATABASE passage TO mallory, owner;
             CREATE SEQUENCE public.sprung; GRANT ALL ON SEQUENCE public.sprung TO PUBLIC",
        )
        .await;
    cluster
        .execute(&format!(
            "CREATE TABLE notes (id serial PRIMARY KEY, body text); {};
             GRANT USAGE ON SEQUENCE notes_id_seq TO writer; GRANT SELECT, INSERT, UPDATE, DELETE ON notes TO writer;
             GRANT USAGE ON SCHEMA rag TO writer; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA rag TO writer;
             INSERT INTO notes (body) VALUES ('Before.')",
            trigger("")
        ))
        .await;
    let spring =
        "IF current_user <> 'mallory' THEN PERFORM pg_catalog.nextval('public.sprung'); END IF";
    cluster
        .execute_as(
            "mallory",
            &format!(
                "CREATE SCHEMA evil; GRANT USAGE ON SCHEMA evil TO PUBLIC;
                 CREATE FUNCTION evil.fired() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {spring}; RETURN NEW; END $$;
                 CREATE FUNCTION evil.truth() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN {spring}; RETURN true; END $$;
                 CREATE TYPE evil.mood AS ENUM ('glad', 'sad');
                 CREATE DOMAIN evil.word AS text;
                 CREATE FUNCTION evil.cast_json(evil.mood) RETURNS json LANGUAGE plpgsql AS $$ BEGIN {spring}; RETURN '\"cast\"'; END $$;
                 CREATE FUNCTION evil.cast_text(evil.mood) RETURNS text LANGUAGE plpgsql AS $$ BEGIN {spring}; RETURN 'cast'; END $$;
                 CREATE CAST (evil.mood AS json) WITH FUNCTION evil.cast_json(evil.mood);
                 CREATE CAST (evil.mood AS text) WITH FUNCTION evil.cast_text(evil.mood)"
            ),
        )
        .await;
    cluster
}

/// Frees the name of the store, and lets mallory take it with tables that have traps of every kind.
async fn take_name(cluster: &Cluster) {
    cluster.execute("ALTER SCHEMA rag RENAME TO former").await;
    let tables = ["documents", "chunks", "embeddings"].map(|table| {
        format!(
            "IF to_regclass('rag.{table}') IS NOT NULL THEN
                 CREATE TRIGGER trap BEFORE INSERT OR UPDATE OR DELETE ON rag.{table} EXECUTE FUNCTION evil.fired();
                 ALTER TABLE rag.{table} ENABLE ROW LEVEL SECURITY;
                 CREATE POLICY trap ON rag.{table} USING (evil.truth());
             END IF;"
        )
    });
    let has_vector = if cluster.has_vector() { "dimensions => 384" } else { "" };
    cluster
        .execute_as(
            "mallory",
            &format!(
                "SELECT passage.create_store({has_vector}); DO $do$ BEGIN {} END $do$;
                 GRANT USAGE ON SCHEMA rag TO PUBLIC; GRANT ALL ON ALL TABLES IN SCHEMA rag TO PUBLIC",
                tables.concat()
            ),
        )
        .await;
}

/// Asserts that a statement fails because of a role, and returns the error.
async fn refused(session: &Client, sql: &str, names: &str) -> DbError {
    let error = session.batch_execute(sql).await.expect_err(sql);
    let error = error.as_db_error().unwrap_or_else(|| panic!("{sql}: {error}")).clone();
    assert_eq!(error.code().code(), "42501", "{sql}: {error:?}");
    assert!(error.message().contains(names), "{sql}: {error:?}");
    assert!(error.message().contains("\"mallory\""), "{sql}: {error:?}");
    assert!(error.hint().is_some_and(|hint| hint.contains("'owner=mallory'")), "{sql}: {error:?}");
    error
}

async fn assert_no_trap_ran(cluster: &Cluster, what: &str) {
    let called = cluster.query_text_as(SUPERUSER, "SELECT is_called FROM public.sprung").await;
    assert_eq!(called, "f", "{what}");
}

const INSERT: &str = "INSERT INTO notes (body) VALUES ('Written.')";

#[tokio::test]
async fn a_store_whose_name_another_role_took_is_not_written() {
    let cluster = with_mallory().await;
    let writer = cluster.client_as("writer").await;
    writer.batch_execute(INSERT).await.unwrap();
    let older = cluster.client_as("writer").await;
    let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM rag.documents";
    older.batch_execute(begin).await.unwrap();
    take_name(&cluster).await;

    let superuser = cluster.client_as(SUPERUSER).await;
    for session in [&writer, &cluster.client_as("writer").await, &superuser] {
        for sql in cases([
            INSERT,
            "UPDATE notes SET body = 'New.'",
            "DELETE FROM notes",
            "UPDATE notes SET id = -id",
        ]) {
            let error = refused(session, sql, "rag.").await;
            assert!(error.detail().is_some_and(|detail| detail.contains("\"owner\"")), "{error:?}");
        }
    }
    // The snapshot of this transaction still has the former store under the name.
    refused(&older, INSERT, "rag.").await;
    refused(&cluster.client().await, "SELECT passage.bring_in_step('notes')", "rag.").await;
    assert_no_trap_ran(&cluster, "a write").await;

    // Both remedies of the HINT. The traps run from now on, as the owner of the table has decided.
    cluster.execute(&trigger(", 'owner=mallory'")).await;
    writer.batch_execute(INSERT).await.unwrap();
    cluster.execute(&trigger("")).await;
    refused(&writer, INSERT, "rag.").await;
    cluster.execute_as(SUPERUSER, "GRANT mallory TO owner").await;
    writer.batch_execute(INSERT).await.unwrap();
    cluster.execute_as(SUPERUSER, "REVOKE mallory FROM owner").await;
    cluster.execute(&trigger(", 'store=former'")).await;
    writer.batch_execute("DELETE FROM notes").await.unwrap();
    let error = cluster.error(&format!("{}; {INSERT}", trigger(", 'owner=nobody'"))).await;
    assert_eq!((error.code().code(), error.hint().is_some()), ("42704", true));
}

#[tokio::test]
async fn a_session_notices_at_once_that_a_role_is_no_longer_trusted() {
    let cluster = with_mallory().await;
    cluster
        .execute(
            "SELECT passage.create_store('parted', partitions => 2);
             CREATE TABLE others (id serial PRIMARY KEY, body text);
             CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON others FOR EACH ROW
                 EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=others/{id}', 'store=parted')",
        )
        .await;
    let superuser = cluster.client_as(SUPERUSER).await;
    let insert = "INSERT INTO others (body) VALUES ('Written.')";
    for relation in cases(["parted.documents", "parted.chunks", "parted.chunks_1"]) {
        superuser.batch_execute(insert).await.unwrap();
        let to = async |role: &str| {
            cluster.execute_as(SUPERUSER, &format!("ALTER TABLE {relation} OWNER TO {role}")).await;
        };
        to("mallory").await;
        refused(&superuser, insert, relation).await;
        to(OWNER).await;
    }

    // Members of a role have its rights, as long as they are members.
    cluster
        .execute_as(
            SUPERUSER,
            "ALTER TABLE rag.chunks OWNER TO mallory; GRANT ALL ON rag.chunks TO writer",
        )
        .await;
    let writer = cluster.client_as("writer").await;
    let inherited = "CREATE ROLE staff; GRANT mallory TO staff; GRANT staff TO owner";
    let disinherited = "REVOKE staff FROM owner";
    for (trust, distrust) in cases([
        (inherited, disinherited),
        ("GRANT mallory TO owner", "REVOKE mallory FROM owner"),
        ("ALTER ROLE mallory SUPERUSER", "ALTER ROLE mallory NOSUPERUSER"),
    ]) {
        refused(&writer, INSERT, "rag.chunks").await;
        cluster.execute_as(SUPERUSER, trust).await;
        writer.batch_execute(INSERT).await.unwrap_or_else(|error| panic!("{trust}: {error:?}"));
        cluster.execute_as(SUPERUSER, distrust).await;
    }
    refused(&writer, INSERT, "rag.chunks").await;
    // The owner of the table trusts superusers. A superuser trusts no other role.
    cluster.execute_as(SUPERUSER, "ALTER TABLE rag.chunks OWNER TO postgres").await;
    writer.batch_execute(INSERT).await.unwrap();
    cluster.execute_as(SUPERUSER, "ALTER TABLE notes OWNER TO postgres").await;
    let error = writer.batch_execute(INSERT).await.unwrap_err();
    assert!(error.as_db_error().unwrap().hint().unwrap().contains("'owner=owner'"), "{error:?}");
}

#[tokio::test]
async fn code_of_another_role_in_a_store_is_not_run() {
    let cluster = with_mallory().await;
    let writer = cluster.client_as("writer").await;
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE FUNCTION public.fired() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
             GRANT TRIGGER, REFERENCES ON ALL TABLES IN SCHEMA rag TO mallory; GRANT USAGE ON SCHEMA rag TO mallory",
        )
        .await;
    for (role, attach, detach) in cases([
        (
            "mallory",
            "CREATE TRIGGER trap BEFORE INSERT ON rag.documents EXECUTE FUNCTION evil.fired()",
            "DROP TRIGGER trap ON rag.documents",
        ),
        (
            OWNER,
            "CREATE TRIGGER own AFTER DELETE ON rag.chunks FOR EACH ROW EXECUTE FUNCTION evil.fired()",
            "DROP TRIGGER own ON rag.chunks",
        ),
        (
            OWNER,
            "CREATE POLICY trap ON rag.documents USING (evil.truth()); ALTER TABLE rag.documents ENABLE ROW LEVEL SECURITY",
            "DROP POLICY trap ON rag.documents; ALTER TABLE rag.documents DISABLE ROW LEVEL SECURITY",
        ),
        (
            OWNER,
            "ALTER TABLE rag.documents ADD CONSTRAINT trap CHECK (evil.truth())",
            "ALTER TABLE rag.documents DROP CONSTRAINT trap",
        ),
        (
            OWNER,
            "ALTER TABLE rag.chunks ADD COLUMN trap boolean DEFAULT evil.truth()",
            "ALTER TABLE rag.chunks DROP COLUMN trap",
        ),
        (
            OWNER,
            "CREATE INDEX trap ON rag.chunks (id) WHERE evil.truth()",
            "DROP INDEX rag.trap",
        ),
        (
            OWNER,
            "CREATE RULE trap AS ON DELETE TO rag.chunks WHERE evil.truth() DO ALSO NOTHING",
            "DROP RULE trap ON rag.chunks",
        ),
        (
            OWNER,
            "ALTER TABLE rag.documents ADD COLUMN trap evil.word",
            "ALTER TABLE rag.documents DROP COLUMN trap",
        ),
        // A function that was trusted when the trigger was made.
        (
            SUPERUSER,
            "CREATE TRIGGER own BEFORE INSERT ON rag.chunks FOR EACH ROW EXECUTE FUNCTION public.fired();
             ALTER FUNCTION public.fired() OWNER TO mallory",
            "ALTER FUNCTION public.fired() OWNER TO postgres",
        ),
    ]) {
        writer.batch_execute(INSERT).await.unwrap();
        if role == OWNER {
            // The owner has to make such objects without running them as another role.
            let sequence = "ALTER SEQUENCE public.sprung RESTART";
            cluster.execute_as(OWNER, attach).await;
            cluster.execute_as(SUPERUSER, sequence).await;
        } else {
            cluster.execute_as(role, attach).await;
        }
        refused(&writer, INSERT, "store \"rag\" runs code of role").await;
        refused(&writer, "DELETE FROM notes", "store \"rag\" runs code of role").await;
        assert_no_trap_ran(&cluster, attach).await;
        cluster.execute_as(if role == "mallory" { OWNER } else { role }, detach).await;
    }
    writer.batch_execute("DELETE FROM notes").await.unwrap();
}

#[tokio::test]
async fn triggers_of_a_table_that_references_the_store_do_not_have_the_rights_of_writers() {
    let cluster = with_mallory().await;
    let writer = cluster.client_as("writer").await;
    cluster
        .execute("GRANT USAGE ON SCHEMA rag TO mallory; GRANT SELECT, REFERENCES ON rag.documents TO mallory")
        .await;
    cluster
        .execute_as(
            "mallory",
            "CREATE TABLE evil.cited (id uuid REFERENCES rag.documents ON DELETE CASCADE);
             CREATE TRIGGER trap AFTER DELETE ON evil.cited FOR EACH ROW EXECUTE FUNCTION evil.fired();
             INSERT INTO evil.cited SELECT id FROM rag.documents",
        )
        .await;
    let delete = "DELETE FROM notes";
    if cluster.query_text("SHOW server_version_num").await.as_str() < "180000" {
        refused(&writer, delete, "store \"rag\" runs code of role").await;
    } else {
        writer.batch_execute(delete).await.unwrap();
    }
    assert_no_trap_ran(&cluster, "a cascade").await;
}

#[tokio::test]
async fn a_cast_of_the_owner_of_a_type_is_not_run() {
    let cluster = with_mallory().await;
    let writer = cluster.client_as("writer").await;
    cluster
        .execute(
            "CREATE TYPE pair AS (a integer, b evil.mood); CREATE DOMAIN shown AS evil.mood;
             CREATE TYPE moods AS RANGE (subtype = evil.mood)",
        )
        .await;
    for of_type in
        cases(["evil.mood", "evil.mood[]", "shown", "pair", "pair[]", "moods", "evil.word"])
    {
        for (key, uses) in cases([
            ("id", "'uri=moods/{id}', 'title={mood}'"),
            ("id", "'uri=moods/{id}', 'metadata={\"mood\": {mood}}'"),
            ("id", "'uri=moods/{id}/{mood}'"),
            ("mood", "'uri=moods/{mood}'"),
        ]) {
            cluster
                .execute(&format!(
                    "DROP TABLE IF EXISTS moody; CREATE TABLE moody (id integer, mood {of_type}, body text, UNIQUE ({key}));
                     CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON moody FOR EACH ROW
                         EXECUTE FUNCTION passage.keep_in_step('text={{body}}', {uses});
                     GRANT ALL ON moody TO writer"
                ))
                .await;
            refused(&writer, "INSERT INTO moody VALUES (1, NULL, 'Text.')", "evil.").await;
        }
    }
    assert_no_trap_ran(&cluster, "a conversion").await;
    // A column that no argument names is not converted, and a type of the owner is trusted at once.
    cluster.execute("CREATE OR REPLACE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON moody FOR EACH ROW
        EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=moods/{id}'); ALTER TABLE moody ADD UNIQUE (id)").await;
    writer.batch_execute("INSERT INTO moody VALUES (1, NULL, 'Text.')").await.unwrap();
    cluster.execute("CREATE OR REPLACE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON moody FOR EACH ROW
        EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=moods/{id}', 'title={mood}')").await;
    refused(&writer, "UPDATE moody SET body = 'New.'", "evil.word").await;
    cluster.execute_as(SUPERUSER, "ALTER DOMAIN evil.word OWNER TO owner").await;
    writer.batch_execute("UPDATE moody SET body = 'New.'").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_taken_while_a_row_is_written_is_not_used() {
    let cluster = with_mallory().await;
    // The trigger waits while it reads the row, after it has checked the store.
    cluster
        .execute(
            "CREATE FUNCTION pause() RETURNS boolean LANGUAGE plpgsql AS $$
             BEGIN PERFORM pg_advisory_lock_shared(1); PERFORM pg_advisory_unlock_shared(1); RETURN true; END $$;
             ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
             CREATE POLICY written ON notes FOR INSERT WITH CHECK (true);
             CREATE POLICY seen ON notes FOR SELECT USING (pause())",
        )
        .await;
    let writer = cluster.client_as("writer").await;
    writer.batch_execute(INSERT).await.unwrap();
    let gate = cluster.client().await;
    gate.batch_execute("SELECT pg_advisory_lock(1)").await.unwrap();
    let write = async { writer.batch_execute(INSERT).await };
    let take = async {
        until("the trigger waits", async || {
            let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'";
            cluster.query_text_as(SUPERUSER, waits).await == "1"
        })
        .await;
        take_name(&cluster).await;
        gate.batch_execute("SELECT pg_advisory_unlock(1)").await.unwrap();
    };
    let (written, ()) = within("the write", async { tokio::join!(write, take) }).await;
    assert_no_trap_ran(&cluster, "a write").await;
    let error = written.unwrap_err();
    assert_eq!(error.code().unwrap().code(), "42501", "{error:?}");
    refused(&writer, INSERT, "rag.").await;
}
