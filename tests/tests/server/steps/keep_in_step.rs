//! Triggers of `keep_in_step` after random statements: the store equals one that is filled from the tables.

use passage_tests::Cluster;
use passage_tests::cases;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

/// The number of statements, and the number of statements between two comparisons.
const STATEMENTS: usize = 10_000;
const BETWEEN: usize = 250;

/// Tables whose uris and keys share prefixes: plain, partitioned, with two key columns, with other types.
const TABLES: &str = "
SELECT passage.create_store('kept');
SELECT passage.create_store('fresh');
CREATE TABLE plain (id integer PRIMARY KEY, title text, body text);
CREATE TABLE parts (id integer PRIMARY KEY DEFERRABLE, body text) PARTITION BY RANGE (id);
CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (0) TO (6);
CREATE TABLE parts_high (body text, removed text, id integer NOT NULL);
ALTER TABLE parts_high DROP COLUMN removed;
ALTER TABLE parts ATTACH PARTITION parts_high FOR VALUES FROM (6) TO (1000);
CREATE TABLE pairs (a text, b text, body text, PRIMARY KEY (a, b) DEFERRABLE);
CREATE TABLE times (at timestamptz PRIMARY KEY, n numeric, body text);
CREATE TABLE names (key text PRIMARY KEY, place text NOT NULL, body text);
";

/// The tables with the arguments of their triggers.
const TRIGGERS: [(&str, &str); 5] = [
    ("plain", "'text={body}', 'uri=notes/{id}', 'title={title}'"),
    ("parts", "'text=# {id}{{}}\n\n{body}', 'uri=notes/parts/{id}', 'media_type=text/markdown'"),
    ("pairs", "'text={body}', 'uri=pairs/{a}/{b}'"),
    ("times", "'text={body}', 'uri=times/{at}/{n}', 'title={n}'"),
    ("names", "'text={body}', 'uri={key}', 'collection={place}', 'version=1'"),
];

/// The documents that the triggers should make, as plain SQL.
const FRESH: &str = "
SET timezone = 'UTC';
TRUNCATE fresh.documents CASCADE;
SELECT count(*) FROM plain, passage.ingest('notes/' || id, body, title => title, store => 'fresh') WHERE body IS NOT NULL;
SELECT count(*) FROM parts, passage.ingest('notes/parts/' || id, E'# ' || id || E'{}\\n\\n' || body,
    media_type => 'text/markdown', store => 'fresh') WHERE body IS NOT NULL;
SELECT count(*) FROM pairs, passage.ingest('pairs/' || a || '/' || b, body, store => 'fresh') WHERE body IS NOT NULL;
SELECT count(*) FROM times, passage.ingest('times/' || (to_jsonb(at) #>> '{}') || '/' || n, body, title => n::text, store => 'fresh')
    WHERE body IS NOT NULL AND n IS NOT NULL;
SELECT count(*) FROM names, passage.ingest(key, body, collection => place, version => '1', store => 'fresh') WHERE body IS NOT NULL;
";

/// The documents that differ between the two stores.
const DIFFERENCES: &str = "
WITH kept AS (
    SELECT collection, version, uri, title, media_type, metadata, (
        SELECT string_agg(format('%s %s %s', ordinal, section, content), ';' ORDER BY ordinal) FROM kept.chunks WHERE document_id = d.id)
    FROM kept.documents AS d
), fresh AS (
    SELECT collection, version, uri, title, media_type, metadata, (
        SELECT string_agg(format('%s %s %s', ordinal, section, content), ';' ORDER BY ordinal) FROM fresh.chunks WHERE document_id = d.id)
    FROM fresh.documents AS d
)
SELECT coalesce(string_agg(line, E'\\n'), '') FROM (
    SELECT 'too much: ' || removed FROM (SELECT * FROM kept EXCEPT SELECT * FROM fresh) AS removed
    UNION ALL
    SELECT 'missing: ' || lacks FROM (SELECT * FROM fresh EXCEPT SELECT * FROM kept) AS lacks
) AS differing (line)";

/// Random numbers that a seed repeats.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn text(&mut self) -> String {
        match self.below(8) {
            0 => "NULL".to_owned(),
            1 => "''".to_owned(),
            number => format!("'Text {number} {}.'", self.below(1_000)),
        }
    }

    /// Returns a name with characters that are special in uris and templates.
    fn name(&mut self) -> String {
        let name = self.one_of(&[
            "a",
            "a/b",
            "b",
            "b/c",
            "{a}",
            "{{",
            "parts/3",
            "über 100%_",
            "a\\\\",
            "",
        ]);
        format!("E'{name}'")
    }

    fn time(&mut self) -> String {
        format!("'2024-0{}-01 0{}:00+00'", 1 + self.below(9), self.below(3))
    }

    fn key(&mut self) -> u64 {
        self.below(12)
    }

    /// Returns a statement that writes.
    fn statement(&mut self) -> String {
        let (key, other, text) = (self.key(), self.key(), self.text());
        let whole = self.one_of(&["plain", "parts"]);
        match self.below(24) {
            0 => format!("INSERT INTO plain VALUES ({key}, {}, {text})", self.text()),
            1 => format!("INSERT INTO parts VALUES ({key}, {text}), ({}, {text})", key + 12),
            2 => format!(
                "INSERT INTO plain VALUES ({key}, 'T', {text}) ON CONFLICT (id) DO UPDATE SET body = excluded.body"
            ),
            3 => format!("UPDATE {whole} SET body = {text} WHERE id < {key}"),
            4 => {
                format!("UPDATE {whole} SET id = id + 100 WHERE id < 100 AND id % 3 = {}", key % 3)
            }
            5 => format!("UPDATE {whole} SET id = id - 100 WHERE id >= 100"),
            // Swaps, also between partitions.
            6 | 7 => {
                format!("UPDATE parts SET id = {key} + {other} - id WHERE id IN ({key}, {other})")
            }
            8 => format!("DELETE FROM {whole} WHERE id % 4 = {}", key % 4),
            9 => format!(
                "MERGE INTO plain USING (VALUES ({key}), ({})) AS given (id) ON plain.id = given.id \
                WHEN MATCHED AND plain.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET body = {text}, id = plain.id + 20 \
                WHEN NOT MATCHED THEN INSERT VALUES (given.id, NULL, {text})",
                key + 1
            ),
            10 => format!(
                "WITH removed AS (DELETE FROM plain WHERE id = {key} RETURNING *) INSERT INTO parts SELECT id, body FROM removed"
            ),
            11 => format!(
                "WITH removed AS (DELETE FROM parts WHERE id = {key} RETURNING *) INSERT INTO plain SELECT id, 'moved', body FROM removed"
            ),
            12 => format!("INSERT INTO pairs VALUES ({}, {}, {text})", self.name(), self.name()),
            13 => format!("UPDATE pairs SET a = b, b = a WHERE a <> b AND body > {}", self.text()),
            14 => format!("UPDATE pairs SET body = {text} WHERE a = {}", self.name()),
            15 => format!("DELETE FROM pairs WHERE b = {} OR body IS NULL", self.name()),
            16 => format!(
                "INSERT INTO times VALUES ({}, {key}.50, {text}) ON CONFLICT DO NOTHING",
                self.time()
            ),
            17 => format!(
                "UPDATE times SET at = {}, body = {text} WHERE at = {}",
                self.time(),
                self.time()
            ),
            18 => format!(
                "UPDATE times SET n = nullif({key}, 3) WHERE extract(hour FROM at AT TIME ZONE 'UTC') = 1"
            ),
            19 => format!("DELETE FROM times WHERE at < {}", self.time()),
            20 => format!(
                "INSERT INTO names VALUES ({}, {}, {text}) ON CONFLICT (key) DO UPDATE SET place = excluded.place",
                self.name(),
                self.name()
            ),
            21 => format!(
                "UPDATE names SET key = CASE key WHEN 'a' THEN 'z' WHEN 'z' THEN 'a' ELSE key END, body = coalesce({text}, body)"
            ),
            22 => format!("DELETE FROM names WHERE key = {}", self.name()),
            _ => match self.below(4) {
                0 => format!(
                    "TRUNCATE {}",
                    self.one_of(&[
                        "plain",
                        "parts",
                        "pairs",
                        "times",
                        "names",
                        "parts_low",
                        "parts_high",
                        "plain, parts"
                    ])
                ),
                1 => "COPY parts FROM PROGRAM $$seq 30 33 | sed 's/$/;Copied./'$$ (DELIMITER ';')"
                    .to_owned(),
                2 => format!("UPDATE {whole} SET body = body"),
                _ => format!("DELETE FROM names WHERE place = {}", self.name()),
            },
        }
    }

    /// Returns statements of one session: alone, or as a transaction with savepoints.
    fn script(&mut self) -> Vec<String> {
        if self.below(2) == 0 {
            return vec![self.statement()];
        }
        let mut script = vec![format!(
            "BEGIN ISOLATION LEVEL {}",
            self.one_of(&["READ COMMITTED", "READ COMMITTED", "REPEATABLE READ"])
        )];
        if self.below(2) == 0 {
            script.push("SET CONSTRAINTS ALL DEFERRED".to_owned());
        }
        for _ in 0..=self.below(4) {
            if self.below(3) == 0 {
                script.extend([
                    "SAVEPOINT before".to_owned(),
                    self.statement(),
                    "ROLLBACK TO before".to_owned(),
                ]);
            }
            script.push(self.statement());
        }
        script.push(self.one_of(&["COMMIT", "COMMIT", "COMMIT", "ROLLBACK"]).to_owned());
        script
    }
}

/// Runs a script. If the server refuses a statement, the script has no effect.
async fn run(session: &Client, script: &[String]) {
    // Duplicate keys, and the errors that concurrent sessions may cause.
    let usual = [
        SqlState::UNIQUE_VIOLATION,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::CARDINALITY_VIOLATION,
        // TRUNCATE while a deferred constraint is pending.
        SqlState::OBJECT_IN_USE,
    ];
    for statement in script {
        if let Err(error) = session.simple_query(statement).await {
            let in_snapshot = error.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED)
                && statement.starts_with("TRUNCATE");
            let known = error.code().is_some_and(|code| usual.contains(code)) || in_snapshot;
            assert!(known, "{statement}: {error:?}");
            session.simple_query("ROLLBACK").await.unwrap();
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_in_step_equals_a_fresh_ingest_after_random_statements() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = std::env::var("PASSAGE_SEED").map_or(now, |seed| seed.parse().unwrap());
    println!("PASSAGE_SEED={seed}");
    let mut random = Random(seed);
    let cluster = Cluster::start().await;
    cluster.execute(TABLES).await;
    for (table, arguments) in cases(TRIGGERS) {
        cluster
            .execute(&format!(
                "CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW \
            EXECUTE FUNCTION passage.keep_in_step({arguments}, 'store=kept')"
            ))
            .await;
        let partitions =
            if table == "parts" { vec!["parts", "parts_low", "parts_high"] } else { vec![table] };
        for table in partitions {
            cluster
                .execute(&format!(
                    "CREATE TRIGGER emptied AFTER TRUNCATE ON {table} \
                EXECUTE FUNCTION passage.keep_in_step({arguments}, 'store=kept')"
                ))
                .await;
        }
    }
    cluster
        .execute_as(passage_tests::cluster::SUPERUSER, "GRANT pg_execute_server_program TO owner")
        .await;
    let sessions = [cluster.client().await, cluster.client().await];
    let settings = [
        "timezone = 'Europe/Berlin'",
        "timezone = 'Asia/Tokyo'; SET datestyle = german; SET extra_float_digits = -9",
    ];
    for (session, settings) in sessions.iter().zip(settings) {
        session
            .batch_execute(&format!("SET {settings}; SET lock_timeout = '100ms'"))
            .await
            .unwrap();
    }

    let (mut done, mut compared) = (0, 0);
    let mut recent = Vec::new();
    while done < STATEMENTS {
        let scripts = [random.script(), random.script()];
        done += scripts[0].len() + scripts[1].len();
        if random.below(2) == 0 {
            tokio::join!(run(&sessions[0], &scripts[0]), run(&sessions[1], &scripts[1]));
        } else {
            run(&sessions[0], &scripts[0]).await;
            run(&sessions[1], &scripts[1]).await;
        }
        recent.push(scripts);
        if done / BETWEEN > compared || done >= STATEMENTS {
            compared = done / BETWEEN;
            cluster.execute(FRESH).await;
            let differences = cluster.query_text(DIFFERENCES).await;
            assert_eq!(
                differences, "",
                "seed {seed}, after {done} statements, the last of them {recent:#?}"
            );
            recent.clear();
        }
    }
}

#[tokio::test]
async fn a_virtual_column_is_computed_in_a_text_and_refused_in_a_uri() {
    let cluster = Cluster::start().await;
    if cluster.query_text("SHOW server_version_num").await.as_str() < "180000" {
        return;
    }
    let trigger = "AFTER INSERT OR UPDATE OR DELETE ON made FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step";
    cluster
        .execute(&format!(
            "CREATE TABLE made (id integer PRIMARY KEY, body text, loud text GENERATED ALWAYS AS (upper(body)) VIRTUAL);
             CREATE TRIGGER in_step {trigger}('text={{loud}}', 'uri=made/{{id}}');
             INSERT INTO made VALUES (1, 'one'), (2, NULL);
             UPDATE made SET id = 3 WHERE id = 1"
        ))
        .await;
    let documents = "SELECT string_agg(uri || ' ' || content, ', ') FROM rag.documents JOIN rag.chunks ON document_id = documents.id";
    assert_eq!(cluster.query_text(documents).await, "made/3 ONE");
    let refused = format!(
        "CREATE OR REPLACE TRIGGER in_step {trigger}('text={{body}}', 'uri=made/{{id}}/{{loud}}'); DELETE FROM made"
    );
    let error = cluster.client().await.batch_execute(&refused).await.unwrap_err();
    assert_eq!(error.code(), Some(&SqlState::FEATURE_NOT_SUPPORTED));
}

#[tokio::test]
async fn a_writer_needs_privileges_on_the_store_and_must_see_its_row() {
    let cluster = Cluster::start().await;
    cluster
        .execute(
            "CREATE TABLE notes (id integer PRIMARY KEY, owner text, body text);
             CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW
                 EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}');
             GRANT ALL ON notes TO PUBLIC",
        )
        .await;
    cluster.execute_as(passage_tests::cluster::SUPERUSER, "CREATE ROLE writer LOGIN").await;
    let writer = cluster.client_as("writer").await;
    let insert = "INSERT INTO notes VALUES (1, 'writer', 'One.')";
    let error = writer.batch_execute(insert).await.unwrap_err();
    assert_eq!(error.code(), Some(&SqlState::INSUFFICIENT_PRIVILEGE));
    cluster
        .execute(
            "GRANT USAGE ON SCHEMA rag TO writer; GRANT ALL ON ALL TABLES IN SCHEMA rag TO writer;
             ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
             CREATE POLICY written ON notes FOR INSERT WITH CHECK (true);
             CREATE POLICY seen ON notes FOR SELECT USING (owner = current_user)",
        )
        .await;
    writer.batch_execute(insert).await.unwrap();
    let hidden = writer.batch_execute("INSERT INTO notes VALUES (2, 'other', 'Two.')").await;
    assert_eq!(hidden.unwrap_err().code(), Some(&SqlState::INSUFFICIENT_PRIVILEGE));
    assert_eq!(
        cluster.query_text("SELECT string_agg(uri, ' ') FROM rag.documents").await,
        "notes/1"
    );
}

#[tokio::test]
async fn a_row_with_the_key_of_a_row_that_another_session_deleted_has_its_own_document() {
    let cluster = Cluster::start().await;
    cluster
        .execute(
            "CREATE TABLE notes (id integer PRIMARY KEY, topic text NOT NULL, body text);
             CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW
                 EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}', 'collection={topic}');
             INSERT INTO notes VALUES (1, 'old', 'The same.'), (2, 'old', NULL)",
        )
        .await;
    let older = cluster.client().await;
    older.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM notes").await.unwrap();
    cluster.execute("DELETE FROM notes").await;
    // The older snapshot still has the deleted rows beside the new ones.
    let again = "SAVEPOINT one; INSERT INTO notes VALUES (1, 'new', 'The same.'), (2, 'new', 'Another.'); COMMIT";
    older.batch_execute(again).await.unwrap();
    let documents =
        "SELECT string_agg(collection || ' ' || uri, ', ' ORDER BY uri) FROM rag.documents";
    assert_eq!(cluster.query_text(documents).await, "new notes/1, new notes/2");
}

#[tokio::test]
async fn an_insert_in_an_older_snapshot_does_not_lose_its_document() {
    let cluster = Cluster::start().await;
    cluster
        .execute(
            "CREATE TABLE notes (id integer PRIMARY KEY, body text);
             CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW
                 EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}');
             INSERT INTO notes VALUES (1, 'The same.')",
        )
        .await;
    let older = cluster.client().await;
    older.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM notes").await.unwrap();
    cluster.execute("DELETE FROM notes").await;
    let again = older.batch_execute("INSERT INTO notes VALUES (1, 'The same.')").await;
    assert_eq!(again.unwrap_err().code(), Some(&SqlState::T_R_SERIALIZATION_FAILURE));
}
