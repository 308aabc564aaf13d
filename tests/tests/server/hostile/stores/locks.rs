/*!
Locks: no function locks a relation that its caller may not read.

A lock that stays until the end of a transaction makes TRUNCATE, ALTER and DROP of the owner wait. So every function is
called with arguments that name relations of another role, and after each call an observer looks for locks of
the session on these relations. The arguments are the stores and relations of [`HIDDEN`] by name, by oid and in
the jsonb and arrays that administration passes on, in every combination.

There are two callers. The one without USAGE on the schemas must not even wait for such a lock. So the
owner holds all relations in the strictest mode, and no call may run into its `lock_timeout`. PostgreSQL locks the tables of
a statement before it checks the privileges on them, so the caller with USAGE waits as with a plain SELECT, and
only locks that stay count.
*/

use super::attacker::{ATTACKER, Attacker, Outcome};
use super::cluster;
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{SUPERUSER, session_lines};
use passage_tests::functions::{Argument, Function, OrdinaryValues, functions, ordinary_value};
use tokio_postgres::Client;

/// A role with USAGE on the schemas of the stores and without privileges on their relations.
const VISITOR: &str = "visitor";

/// The stores of the owner: one of each kind, an adopted table, and a table with a trigger of `keep_in_step`.
const HIDDEN: &str = r"
SELECT count(*) FROM passage.create_store('hidden', dimensions => 3);
SELECT count(*) FROM passage.create_store('hidden_parts', partitions => 2);
SELECT count(*) FROM passage.ingest('guide.md', E'# Guide\n\nA quokka.\n', store => 'hidden');
SELECT count(*) FROM passage.ingest('guide.md', E'# Guide\n\nA quokka.\n', store => 'hidden_parts');
CREATE SCHEMA hidden_source;
CREATE TABLE hidden_source.notes (id integer PRIMARY KEY, body text);
CREATE TRIGGER step AFTER INSERT OR UPDATE OR DELETE ON hidden_source.notes FOR EACH ROW
    EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}', 'store=hidden');
INSERT INTO hidden_source.notes VALUES (1, 'A note.');
SELECT count(*) FROM passage.adopt('hidden_source.notes', 'hidden_adopted', document => 'id', content => 'body');
CREATE SCHEMA hidden_views;
CREATE VIEW hidden_views.chunks AS SELECT * FROM hidden.chunks;
CREATE VIEW hidden_views.documents AS SELECT * FROM hidden.documents;
CREATE VIEW hidden_views.embeddings AS SELECT * FROM hidden.embeddings;
CREATE VIEW hidden_views.chunks_embedded AS SELECT * FROM hidden.chunks_embedded;
ANALYZE";

/// A store of views of the visitor over the hidden relations, whose names USAGE on the schema finds.
const OWN: &str = "
CREATE SCHEMA visitor;
CREATE VIEW visitor.chunks AS SELECT * FROM hidden.chunks;
CREATE VIEW visitor.documents AS SELECT * FROM hidden.documents;
CREATE VIEW visitor.embeddings AS SELECT * FROM hidden.embeddings;
CREATE VIEW visitor.chunks_embedded AS SELECT * FROM hidden.chunks_embedded";

/// The hidden relations.
const RELATIONS: &str = "SELECT format('%I.%I', nspname, relname) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname LIKE 'hidden%' AND relkind IN ('r', 'p', 'v') ORDER BY 1";

/// The relations that arguments name: one of each kind.
const NAMED: &[&str] = &[
    "hidden.chunks",
    "hidden.chunks_embedded",
    "hidden_parts.chunks",
    "hidden_source.notes",
    "hidden_adopted.adopted_chunks",
    "hidden_adopted.chunks",
    "hidden_views.chunks",
];

/// The values of arguments that name a relation, by the name or else the type of the argument. [`Values`] adds
/// those that the owner computes. An argument with an ordinary value and another name than these names none.
const NAMING: &[(&str, &[&str])] = &[
    ("store", &["'hidden'", "'hidden_parts'", "'hidden_adopted'", "'hidden_views'", "'visitor'"]),
    ("schema", &["'hidden'", "'hidden_source'", "'hidden_adopted'"]),
    ("trigger", &["'step'"]),
    ("relations", &[r#"ARRAY['"hidden"."chunks"']"#, r#"ARRAY['"hidden_source"."notes"']"#]),
    (
        "statement",
        &[
            "'SELECT count(*)::int4 FROM hidden.chunks'",
            r#"'SELECT count(*)::int4 FROM "hidden"."chunks"'"#,
        ],
    ),
    ("condition", &["'true'", "'EXISTS (SELECT FROM hidden.documents)'"]),
    ("expression", &["'id'", "'(SELECT count(*) FROM hidden.documents)'"]),
    ("placement", &["'{}'", r#"'{"distributed": "document"}'"#]),
    ("source_row", &[r#"'{"table": "hidden_source.notes", "key": {"id": 1}}'"#]),
    ("key jsonb", &[r#"'{"id": 1}'"#]),
    ("level", &["'ROW'"]),
    ("framework", &["NULL"]),
    ("relation name", &["'chunks'", "'notes'"]),
    ("name", &["'hidden'", "'chunks'", "'notes'"]),
    ("text[]", &["'{hidden.chunks}'"]),
    ("name[]", &["'{chunks}'"]),
];

/// The largest number of calls of a function.
const MAX_FAILURES: usize = 300;

/// The values of arguments.
struct Values {
    naming: Vec<(String, Vec<String>)>,
    ordinary: OrdinaryValues,
}

impl Values {
    async fn new(cluster: &Cluster) -> Self {
        let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        let mut naming: Vec<(String, Vec<String>)> =
            NAMING.iter().map(|(key, values)| ((*key).to_owned(), owned(values))).collect();
        let mut add = |key: &str, values: &[String]| naming.push((key.to_owned(), values.to_vec()));
        let names: Vec<_> = NAMED.iter().map(|name| format!("'{name}'")).collect();
        let oids =
            format!("SELECT name::regclass::oid FROM unnest(ARRAY[{}]) AS name", names.join(", "));
        let oids = cluster.query_lines(&oids).await;
        add("oid", &oids);
        add("regclass", &oids);
        add("oid[]", &[format!("'{{{}}}'", oids.join(","))]);
        add("text", &names);
        add("source", &names);
        let adoption = "_passage.adoption('hidden_adopted')";
        let arguments = "ARRAY['text={body}', 'uri=notes/{id}', 'store=hidden']";
        for (key, query) in cases([
            ("adoption", adoption.to_owned()),
            ("part", format!("_passage.adoption_parts({adoption})")),
            ("given", format!("{adoption} -> 'expressions'")),
            ("arguments jsonb", format!("{adoption} -> 'expressions'")),
            ("arguments text[]", arguments.to_owned()),
            (
                "plan",
                format!(
                    "_passage.step_plan('hidden_source.notes'::regclass, 'step', 'ROW', {arguments})"
                ),
            ),
        ]) {
            let value = cluster.query_text(&format!("SELECT quote_literal({query})")).await;
            add(key, &[value]);
        }
        Self { naming, ordinary: OrdinaryValues::of(cluster, "hidden").await }
    }

    fn get(&self, argument: &Argument) -> Vec<String> {
        let Argument { name, sql_type, .. } = argument;
        let naming = |key: &str| {
            self.naming.iter().find(|(known, _)| known == key).map(|(_, values)| values.clone())
        };
        let ordinary = |value| vec![self.ordinary.fill(value, "hidden")];
        // An oid always names a relation here.
        let names_always = ["oid", "regclass"].contains(&&**sql_type);
        naming(&format!("{name} {sql_type}"))
            .or_else(|| naming(if names_always { sql_type } else { name }))
            .or_else(|| ordinary_value(name).map(ordinary))
            .or_else(|| naming(sql_type))
            .unwrap_or_else(|| ordinary(self.ordinary.get(argument)))
    }

    /// Returns calls with each combination of values. Arguments with a default are left out, unless their names or types
    /// are those of relations.
    fn calls(&self, function: &Function) -> Vec<String> {
        let mut combinations: Vec<Vec<Option<String>>> = vec![Vec::new()];
        for (at, argument) in function.arguments.iter().enumerate() {
            let is_naming =
                argument.name == "store" || ["oid", "regclass"].contains(&&*argument.sql_type);
            let values: Vec<_> = if at < function.required || is_naming {
                self.get(argument)
                    .into_iter()
                    .map(|value| Some(format!("({value})::{}", argument.sql_type)))
                    .collect()
            } else {
                vec![None]
            };
            combinations = combinations
                .iter()
                .flat_map(|before| {
                    values.iter().map(|value| [&before[..], std::slice::from_ref(value)].concat())
                })
                .collect();
        }
        let (name, count) = (&function.name, combinations.len());
        assert!(
            count <= MAX_FAILURES,
            "{name} has {count} combinations: add ordinary values of its arguments"
        );
        combinations.iter().map(|values| function.call("f::pg_catalog.text", values)).collect()
    }
}

#[tokio::test]
async fn no_function_locks_a_relation_that_its_caller_may_not_read() {
    let Some(cluster) = cluster().await else { return };
    cluster
        .execute_as(
            SUPERUSER,
            &format!("CREATE ROLE {VISITOR} LOGIN; GRANT CREATE ON DATABASE passage TO {VISITOR}"),
        )
        .await;
    cluster.execute(HIDDEN).await;
    let schemas = "hidden, hidden_parts, hidden_source, hidden_adopted, hidden_views";
    cluster.execute(&format!("GRANT USAGE ON SCHEMA {schemas} TO {VISITOR}")).await;
    cluster.execute_as(VISITOR, OWN).await;
    let values = Values::new(&cluster).await;
    let calls: Vec<_> =
        functions(&cluster).await.iter().flat_map(|function| values.calls(function)).collect();
    let mut findings = Vec::new();

    let sessions = [(ATTACKER, "SET lock_timeout = '200ms'"), (VISITOR, "")];
    let observer = cluster.client_as(SUPERUSER).await;
    for (role, setting) in sessions {
        let mut session =
            Attacker::of(&cluster, role, &format!("SET passage.store = 'hidden'; {setting}")).await;
        let owner = cluster.client().await;
        if role == ATTACKER {
            owner.batch_execute("BEGIN").await.unwrap();
            for name in cluster.query_lines(RELATIONS).await {
                owner
                    .batch_execute(&format!("LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE"))
                    .await
                    .unwrap();
            }
        } else {
            // The observer sees a lock that a statement keeps.
            session.run("BEGIN; PREPARE hidden AS SELECT FROM hidden.chunks").await;
            assert_eq!(locks(&observer, &session).await, ["hidden.chunks AccessShareLock"]);
            session.run("ROLLBACK").await;
        }
        let mut answers = 0;
        for sql in &calls {
            session.run("BEGIN").await;
            let outcome = session.run(sql).await;
            answers += usize::from(matches!(outcome, Outcome::Rows(_)));
            let locks = locks(&observer, &session).await;
            if !locks.is_empty() {
                findings.push(format!("{role} locks {} | {sql}", locks.join(", ")));
            }
            match outcome {
                Outcome::Error { code, .. } if code == "55P03" => {
                    findings.push(format!("{role} waits for a lock | {sql}"));
                }
                Outcome::Crash | Outcome::Endless | Outcome::Lost => {
                    findings.push(format!("{role}: {outcome:?} | {sql}"));
                    session.reconnect().await;
                }
                _ => {}
            }
            session.run("ROLLBACK").await;
        }
        println!("{role}: {} calls, {answers} answers", calls.len());
        // If all calls failed, they would not reach the code that they should test.
        assert!(answers * 5 > calls.len(), "{answers} answers to {} calls", calls.len());
    }
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

/// Returns the locks of a session on hidden relations.
async fn locks(observer: &Client, session: &Attacker<'_>) -> Vec<String> {
    // The server sends an error before it releases the locks of the failed transaction.
    session.run("SELECT 1").await;
    let sql = format!(
        "SELECT format('%s %s', relation::regclass, mode) FROM pg_locks JOIN pg_class ON pg_class.oid = relation
        WHERE pid = {} AND locktype = 'relation' AND granted AND relnamespace::regnamespace::text LIKE 'hidden%' ORDER BY 1",
        session.process()
    );
    session_lines(observer, &sql).await
}
