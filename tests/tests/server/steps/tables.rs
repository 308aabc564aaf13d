//! `keep_in_step` on tables of many kinds: keys of other types, foreign keys with cascades, partitions that
//! are attached and detached, policies, and concurrent writers.

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

/// The documents of the store with their texts.
const DOCUMENTS: &str = "SELECT coalesce(string_agg(uri || ': ' || content, ', ' ORDER BY uri), '')
    FROM rag.documents JOIN rag.chunks ON document_id = documents.id";

/// Returns SQL for a trigger on a table.
fn trigger(table: &str, arguments: &str) -> String {
    format!(
        "CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW
             EXECUTE FUNCTION passage.keep_in_step('text={{body}}', {arguments});
         CREATE TRIGGER emptied AFTER TRUNCATE ON {table}
             EXECUTE FUNCTION passage.keep_in_step('text={{body}}', {arguments});"
    )
}

async fn refused(session: &Client, sql: &str, state: &SqlState) {
    let error = session.batch_execute(sql).await.expect_err(sql);
    assert_eq!(error.code(), Some(state), "{sql}: {error:?}");
}

#[tokio::test]
async fn a_key_is_compared_as_its_unique_index_compares_it() {
    let cluster = Cluster::start().await;
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE SCHEMA own;
             CREATE TYPE own.tag AS (name text);
             CREATE FUNCTION own.cmp(own.tag, own.tag) RETURNS integer LANGUAGE sql IMMUTABLE STRICT
                 AS 'SELECT bttextcmp(lower(($1).name), lower(($2).name))';
             DO $$
             DECLARE op text[];
             BEGIN
                 FOREACH op SLICE 1 IN ARRAY '{{lt,<},{le,<=},{eq,=},{ge,>=},{gt,>}}'::text[][] LOOP
                     EXECUTE format('CREATE FUNCTION own.%s(own.tag, own.tag) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT
                         AS ''SELECT own.cmp($1, $2) OPERATOR(pg_catalog.%s) 0''', op[1], op[2]);
                     EXECUTE format('CREATE OPERATOR own.%s (FUNCTION = own.%s, LEFTARG = own.tag, RIGHTARG = own.tag)', op[2], op[1]);
                 END LOOP;
             END
             $$;
             CREATE OPERATOR CLASS own.tag_ops DEFAULT FOR TYPE own.tag USING btree AS
                 OPERATOR 1 own.<, OPERATOR 2 own.<=, OPERATOR 3 own.=, OPERATOR 4 own.>=, OPERATOR 5 own.>,
                 FUNCTION 1 own.cmp(own.tag, own.tag);
             GRANT USAGE ON SCHEMA own TO PUBLIC",
        )
        .await;
    cluster
        .execute(
            "CREATE SCHEMA lettered; CREATE EXTENSION citext SCHEMA lettered;
             CREATE DOMAIN lettered.word AS lettered.citext CHECK (value <> '');
             CREATE TYPE mood AS ENUM ('sad', 'glad')",
        )
        .await;
    // A type, two different keys, and a key that the index treats as equal to the first one.
    for (key, [one, two, same]) in cases([
        ("lettered.citext", ["'one'", "'two'", "'ONE'"]),
        ("lettered.word", ["'one'", "'two'", "'ONE'"]),
        ("own.tag", ["ROW('one')::own.tag", "ROW('two')::own.tag", "ROW('ONE')::own.tag"]),
        ("mood", ["'sad'", "'glad'", "'sad'"]),
        ("int4range", ["'[1,2)'", "'[3,4)'", "'[1,1]'"]),
        ("text[]", ["'{one}'", "'{two}'", "'{\"one\"}'"]),
    ]) {
        let as_uri =
            |key: &str, value: &str| format!("'keys/' || (to_jsonb({value}::{key}) #>> '{{}}')");
        cluster
            .execute(&format!(
                "CREATE TABLE keyed (key {key} PRIMARY KEY DEFERRABLE, body text); {}
                 INSERT INTO keyed VALUES ({one}, 'One.'), ({two}, 'Two.')",
                trigger("keyed", "'uri=keys/{key}'")
            ))
            .await;
        let named = |one: &str, two: &str| {
            let (one, two) = (as_uri(key, one), as_uri(key, two));
            format!(
                "SELECT string_agg(line, ', ' ORDER BY line) FROM (VALUES ({one} || ': One.'), ({two} || ': Two.')) AS of (line)"
            )
        };
        let expect = cluster.query_text(&named(one, two)).await;
        assert_eq!(cluster.query_text(DOCUMENTS).await, expect, "{key}");
        cluster.execute(&format!("UPDATE keyed SET key = {same} WHERE key = {one}")).await;
        let expect = cluster.query_text(&named(same, two)).await;
        assert_eq!(cluster.query_text(DOCUMENTS).await, expect, "{key}");
        cluster
            .execute(&format!(
                "UPDATE keyed SET key = CASE body WHEN 'One.' THEN {two}::{key} ELSE {one}::{key} END"
            ))
            .await;
        let expect = cluster.query_text(&named(two, one)).await;
        assert_eq!(cluster.query_text(DOCUMENTS).await, expect, "{key}");
        cluster.execute(&format!("DELETE FROM keyed WHERE key = {two}")).await;
        assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "1", "{key}");
        cluster.execute("TRUNCATE keyed").await;
        assert_eq!(cluster.query_text(DOCUMENTS).await, "", "{key}");
        cluster.execute("DROP TABLE keyed").await;
    }
}

#[tokio::test]
async fn documents_follow_rows_that_a_foreign_key_changes() {
    let cluster = Cluster::start().await;
    cluster.execute_as(SUPERUSER, "CREATE ROLE deleter LOGIN").await;
    cluster
        .execute(&format!(
            "CREATE TABLE book (id integer PRIMARY KEY);
             CREATE TABLE page (book integer REFERENCES book ON DELETE CASCADE ON UPDATE CASCADE, n integer, body text,
                 PRIMARY KEY (book, n));
             {}
             INSERT INTO book VALUES (1), (2), (3);
             INSERT INTO page VALUES (1, 1, 'One.'), (1, 2, 'Two.'), (2, 1, 'Three.'), (3, 1, 'Four.');
             GRANT SELECT, DELETE ON book TO deleter",
            trigger("page", "'uri={book}/{n}'")
        ))
        .await;
    cluster.execute("DELETE FROM book WHERE id = 1").await;
    assert_eq!(cluster.query_text(DOCUMENTS).await, "2/1: Three., 3/1: Four.");
    cluster.execute("UPDATE book SET id = id + 10").await;
    assert_eq!(cluster.query_text(DOCUMENTS).await, "12/1: Three., 13/1: Four.");
    // A cascade runs with the rights of the table's owner. The trigger also has them from PostgreSQL 18 on;
    // before, it has those of the caller, who may not write documents.
    let deleter = cluster.client_as("deleter").await;
    let delete = "DELETE FROM book WHERE id = 12";
    if cluster.query_text("SHOW server_version_num").await.as_str() < "180000" {
        refused(&deleter, delete, &SqlState::INSUFFICIENT_PRIVILEGE).await;
    } else {
        deleter.batch_execute(delete).await.unwrap();
        assert_eq!(cluster.query_text(DOCUMENTS).await, "13/1: Four.");
    }
    cluster.execute("TRUNCATE book CASCADE").await;
    assert_eq!(cluster.query_text(DOCUMENTS).await, "");
}

#[tokio::test]
async fn partitions_are_brought_in_step_after_attach_and_detach() {
    let cluster = Cluster::start().await;
    let arguments = "'uri=parts/{id}'";
    cluster
        .execute(&format!(
            "CREATE TABLE parts (id integer PRIMARY KEY, body text) PARTITION BY RANGE (id);
             CREATE TABLE low PARTITION OF parts FOR VALUES FROM (0) TO (10);
             {}
             CREATE TABLE high (body text, id integer PRIMARY KEY);
             INSERT INTO parts VALUES (1, 'One.');
             INSERT INTO high VALUES ('Eleven.', 11), ('Twelve.', 12);
             ALTER TABLE parts ATTACH PARTITION high FOR VALUES FROM (10) TO (20)",
            trigger("parts", arguments)
        ))
        .await;
    // No trigger fires for the rows of an attached partition, but for all writes from then on.
    cluster.execute("UPDATE high SET body = 'Eleven, written.' WHERE id = 11").await;
    assert_eq!(cluster.query_text(DOCUMENTS).await, "parts/1: One., parts/11: Eleven, written.");
    let bring = "SELECT * FROM passage.bring_in_step('parts')";
    assert_eq!(cluster.query_lines(bring).await, ["3|0"]);
    assert_eq!(
        cluster.query_text(DOCUMENTS).await,
        "parts/1: One., parts/11: Eleven, written., parts/12: Twelve."
    );

    // The documents of a detached partition stay until the table is brought in step.
    let session = cluster.client().await;
    session
        .batch_execute(&format!(
            "ALTER TABLE parts DETACH PARTITION high; {}",
            trigger("high", arguments)
        ))
        .await
        .unwrap();
    refused(&session, "UPDATE high SET body = body", &SqlState::UNIQUE_VIOLATION).await;
    assert_eq!(cluster.query_lines(bring).await, ["1|2"]);
    session.batch_execute("UPDATE high SET body = 'Own.' WHERE id = 12").await.unwrap();
    session.batch_execute("TRUNCATE parts").await.unwrap();
    assert_eq!(cluster.query_text(DOCUMENTS).await, "parts/12: Own.");
}

#[tokio::test]
async fn policies_apply_to_each_role_of_a_session() {
    let cluster = Cluster::start().await;
    cluster
        .execute_as(SUPERUSER, "CREATE ROLE alice; CREATE ROLE bob; GRANT alice, bob TO owner")
        .await;
    cluster
        .execute(&format!(
            "CREATE TABLE notes (id integer PRIMARY KEY, owner text NOT NULL, body text); {}
             GRANT ALL ON notes TO alice, bob; GRANT USAGE ON SCHEMA rag TO alice, bob;
             GRANT ALL ON ALL TABLES IN SCHEMA rag TO alice, bob",
            trigger("notes", "'uri=notes/{id}', 'collection={owner}'")
        ))
        .await;
    let session = cluster.client().await;
    let as_role = async |role: &str, sql: &str| {
        session.batch_execute(&format!("SET ROLE {role}")).await.unwrap();
        session.batch_execute(sql).await
    };
    let is_refused = async |role: &str, sql: &str| {
        let done = as_role(role, sql).await;
        let error = done.expect_err(sql);
        assert_eq!(error.code(), Some(&SqlState::INSUFFICIENT_PRIVILEGE), "{sql}: {error:?}");
    };

    // A policy on the table: the plan of one role is not used for the next one.
    cluster
        .execute(
            "ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
             CREATE POLICY written ON notes FOR INSERT WITH CHECK (true);
             CREATE POLICY seen ON notes TO alice USING (true)",
        )
        .await;
    as_role("alice", "INSERT INTO notes VALUES (1, 'alice', 'One.')").await.unwrap();
    is_refused("bob", "INSERT INTO notes VALUES (2, 'bob', 'Two.')").await;
    as_role("alice", "INSERT INTO notes VALUES (3, 'alice', 'Three.')").await.unwrap();
    assert_eq!(cluster.query_text(DOCUMENTS).await, "notes/1: One., notes/3: Three.");

    // A policy on documents: a role that cannot see the document of a row cannot change the row.
    cluster
        .execute(
            "ALTER TABLE notes DISABLE ROW LEVEL SECURITY;
             ALTER TABLE rag.documents ENABLE ROW LEVEL SECURITY;
             CREATE POLICY their_own ON rag.documents USING (collection = current_user)",
        )
        .await;
    as_role("bob", "INSERT INTO notes VALUES (2, 'bob', 'Two.')").await.unwrap();
    for hidden in [
        "INSERT INTO notes VALUES (4, 'alice', 'Four.')",
        "UPDATE notes SET body = 'Read.' WHERE id = 1",
        "UPDATE notes SET body = body WHERE id = 1",
        "UPDATE notes SET owner = 'bob' WHERE id = 1",
        "UPDATE notes SET owner = 'alice' WHERE id = 2",
        "UPDATE notes SET body = NULL WHERE id = 1",
        "DELETE FROM notes WHERE id = 1",
        "TRUNCATE notes",
    ] {
        is_refused("bob", hidden).await;
    }
    as_role("bob", "UPDATE notes SET body = 'Bob.' WHERE id = 2").await.unwrap();
    cluster.execute("ALTER TABLE rag.documents FORCE ROW LEVEL SECURITY").await;
    is_refused("owner", "SELECT passage.bring_in_step('notes')").await;
    cluster.execute("ALTER TABLE rag.documents NO FORCE ROW LEVEL SECURITY").await;
    as_role("alice", "DELETE FROM notes WHERE id = 1").await.unwrap();
    assert_eq!(cluster.query_text(DOCUMENTS).await, "notes/2: Bob., notes/3: Three.");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_writers_wait_only_for_writers_of_the_same_rows() {
    let cluster = Cluster::start().await;
    cluster
        .execute(&format!(
            "CREATE TABLE notes (id integer PRIMARY KEY, body text); {}
             INSERT INTO notes SELECT n, 'Note ' || n || '.' FROM generate_series(1, 4) AS n",
            trigger("notes", "'uri=notes/{id}'")
        ))
        .await;
    let [one, other] = [cluster.client().await, cluster.client().await];
    for session in [&one, &other] {
        session.batch_execute("SET lock_timeout = '5s'").await.unwrap();
    }
    // Neither transaction has committed when the other one writes its next document.
    for (session, id) in [(&one, 1), (&other, 4), (&one, 3), (&other, 2)] {
        if id == 1 || id == 4 {
            session.batch_execute("BEGIN").await.unwrap();
        }
        let write =
            format!("UPDATE notes SET body = body || ' Once.', id = id + 10 WHERE id = {id}");
        session.batch_execute(&write).await.unwrap();
    }
    one.batch_execute("COMMIT").await.unwrap();
    other.batch_execute("COMMIT").await.unwrap();

    // In opposite order the rows themselves would deadlock, so each transaction locks them first.
    let writes = async |session: &Client, order: [i32; 2], word: &str| {
        for _ in 0..50 {
            let [first, second] =
                order.map(|id| format!("UPDATE notes SET body = '{word}' || id WHERE id = {id}"));
            session
                .batch_execute(&format!(
                    "BEGIN; SELECT FROM notes WHERE id IN (11, 12) ORDER BY id FOR UPDATE; {first}; {second}; COMMIT"
                ))
                .await
                .unwrap();
        }
    };
    tokio::join!(writes(&one, [11, 12], "a"), writes(&other, [12, 11], "b"));
    let rows = "SELECT string_agg('notes/' || id || ': ' || body, ', ' ORDER BY 'notes/' || id) FROM notes";
    assert_eq!(cluster.query_text(DOCUMENTS).await, cluster.query_text(rows).await);

    // Without the common order one of the two transactions fails as a whole, and the other one succeeds.
    // Both hold their first row before either one updates its second.
    let both_hold_a_row = tokio::sync::Barrier::new(2);
    let crossed = async |session: &Client, [first, second]: [i32; 2], word: &str| {
        let update = |id: i32| format!("UPDATE notes SET body = '{word}' || id WHERE id = {id}");
        session.batch_execute(&update(first)).await?;
        both_hold_a_row.wait().await;
        session.batch_execute(&update(second)).await
    };
    one.batch_execute("BEGIN").await.unwrap();
    other.batch_execute("BEGIN").await.unwrap();
    let (done, also) = tokio::join!(crossed(&one, [11, 12], "c"), crossed(&other, [12, 11], "d"));
    let codes: Vec<_> = [&done, &also]
        .into_iter()
        .filter_map(|done| done.as_ref().err()?.code().cloned())
        .collect();
    assert_eq!(codes, [SqlState::T_R_DEADLOCK_DETECTED]);
    one.batch_execute("COMMIT").await.unwrap();
    other.batch_execute("COMMIT").await.unwrap();
    assert_eq!(cluster.query_text(DOCUMENTS).await, cluster.query_text(rows).await);
}
