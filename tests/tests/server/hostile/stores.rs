/*!
An attacker without privileges: stores whose columns have any type except their own.

The attacker is not a superuser and owns no database. It may create schemas, and objects in its own schemas and in
`pg_temp`. Each call must return an ERROR with an ordinary SQLSTATE, or rows of the attacker's own data. It must never
cause a signal or a panic, or return bytes of the server's memory.

Covered cases:

- Plain tables in a schema of the attacker: every column of every relation with every type of [`types::TYPES`]
  and those of ltree and pgvector, and NULL in the third row. A function is called if it reads the relation
  of the column. Of types with the same layout, such as `timestamp` and `timestamptz`, one is used.
- Functions that are SQL over the catalogs (`check_store`, `create_store` and the functions they call): every
  column with one wrong type.
- `adopt` of the tables of chunks and embeddings, and `unadopt`: every column with the dangerous types
  (`Reach::Kinds`).
- The dangerous types in temporary tables, views over a function of the attacker, partitioned tables, materialized
  views and foreign tables.
- The same types in plain tables while operators, casts and types of the attacker are first on the
  `search_path`, and domains in `pg_temp` have the names of built-in types.
- Rows of odd values in columns of the right types (`rows.rs`).
- Every function except the trigger, with NULL and odd values for one argument at a time, and `shard_rows` with odd
  statements (`arguments.rs`).

Two wrong columns at once and two odd arguments at once are not tested. The tests notice calls that crash,
outlive their timeout, fail with an internal error, or show foreign data. They do not notice a wrong answer
of the attacker's own data.

The functions come from the catalog: `calls.rs` must name each new one.
*/

mod arguments;
mod attacker;
mod calls;
mod locks;
mod rows;
mod shadows;
mod store;
mod sweep;
mod types;
mod verdict;

use attacker::{ATTACKER, Attacker, Outcome};
use calls::{CALLS, WITHOUT_STORE};
use futures_util::{StreamExt, stream};
use passage_tests::Cluster;
use passage_tests::cluster::{SUPERUSER, is_sql_edition};
use passage_tests::share::share;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use store::{COLUMNS, Kind, Odd};
use sweep::{Report, Sweep};
use types::{LTREE, OF_PGVECTOR, Reach, TYPES, Type, XML};
use verdict::{SECRET, Vocabulary};

/// The statements at the beginning of each session of the attacker.
const GREETING: &str = "SET search_path = pg_catalog, public; SET passage.store = 'plain';
    SET client_min_messages = error; SET statement_timeout = '20s';
    SET extra_float_digits = 0; CREATE TEMPORARY TABLE unused ();";

/// A server with the attacker, its types, and a secret that it may not read.
async fn cluster() -> Option<Cluster> {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("stores with columns of other types are harmless") {
        return None;
    }
    let superuser = format!(
        "CREATE ROLE {ATTACKER} LOGIN;
        GRANT CREATE ON DATABASE passage TO {ATTACKER};
        CREATE SCHEMA attacker AUTHORIZATION {ATTACKER};
        CREATE SCHEMA forged AUTHORIZATION {ATTACKER};
        CREATE EXTENSION postgres_fdw;
        CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw
            OPTIONS (host '{}', dbname 'passage');
        CREATE USER MAPPING FOR {ATTACKER} SERVER loopback OPTIONS (user '{ATTACKER}', password_required 'false');
        GRANT USAGE ON FOREIGN SERVER loopback TO {ATTACKER};",
        cluster.folder().display()
    );
    cluster.execute_as(SUPERUSER, &superuser).await;
    cluster
        .execute(&format!(
            "SELECT passage.ingest('{SECRET}.md', repeat('{SECRET} ', 1000));
            CREATE TABLE public.secrets AS SELECT repeat('{SECRET} ', 100) AS secret FROM generate_series(1, 1000)"
        ))
        .await;
    let attacker = Attacker::new(&cluster, "SET search_path = pg_catalog, public").await;
    let schemas = ["plain"].into_iter().map(str::to_owned);
    let schemas = schemas.chain((0..SESSIONS).map(|number| format!("plain_{number}")));
    let schemas =
        schemas.chain(Kind::OTHERS.iter().map(|kind| format!("store_{kind:?}").to_lowercase()));
    for schema in schemas {
        let sql = format!("CREATE SCHEMA {schema} AUTHORIZATION {ATTACKER}");
        cluster.execute_as(SUPERUSER, &sql).await;
    }
    drop(attacker);
    cluster.execute_as(ATTACKER, types::SETUP).await;
    cluster.execute_as(ATTACKER, "CREATE DOMAIN attacker.own_vector AS public.vector").await;
    cluster.execute_as(ATTACKER, DROP).await;
    Some(cluster)
}

/// Drops a relation of any kind.
const DROP: &str = "CREATE FUNCTION attacker.drop(store pg_catalog.text, relation pg_catalog.text)
    RETURNS pg_catalog.void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
    DECLARE kind pg_catalog.text;
    BEGIN
        SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END
        INTO kind
        FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = store AND relname = relation;
        IF FOUND THEN
            EXECUTE pg_catalog.format('DROP %s %I.%I CASCADE', kind, store, relation);
        END IF;
    END $$";

/// The number of sessions that sweep at the same time: one more than the cores of a small machine, because each
/// session sometimes waits for the test.
const SESSIONS: usize = 3;

/// Returns the types of this server.
async fn all_types(cluster: &Cluster) -> Vec<Type> {
    let mut types = TYPES.to_vec();
    types.push(LTREE);
    types.extend(OF_PGVECTOR);
    let client = cluster.client_as(ATTACKER).await;
    if client.simple_query("SELECT '<quokka/>'::xml").await.is_ok() {
        types.push(XML);
    }
    types
}

/// Other words of our own: the id that nothing has, the id of the document without a collection, the words of
/// signals, and the reasons of `explain_context`.
const OWN_WORDS: &[&str] = &[
    "00000000-000000000000",
    "06c89d4f",
    "71b813af",
    "preview nothing without_embedding",
    "parents, preceding, following, children, nothing whole",
    "max_tokens max_passage_tokens max_chunks a nearer chunk of the hit was cut",
    "not found or not visible",
];

/// Returns the words that may appear in outputs: those of the right store and those of the odd values.
async fn vocabulary(cluster: &Cluster, types: &[Type]) -> Vocabulary {
    let mut vocabulary = Vocabulary::default();
    for odd_type in types {
        vocabulary.learn(odd_type.name);
        let sql_type = odd_type.name;
        let texts: Vec<_> =
            odd_type.values.iter().map(|value| format!("(({value})::{sql_type})::text")).collect();
        // Contents are joined, up to four of a document.
        let sql = format!(
            "WITH v (v) AS (VALUES ({}), (''))
            SELECT a.v || b.v || c.v || d.v FROM v AS a, v AS b, v AS c, v AS d",
            texts.join("), (")
        );
        for line in cluster.query_lines_as(ATTACKER, &sql).await {
            vocabulary.learn(&line);
        }
        for value in odd_type.values {
            vocabulary.learn(value);
        }
    }
    for word in OWN_WORDS {
        vocabulary.learn(word);
    }
    for column in COLUMNS {
        vocabulary.learn(column.name);
        vocabulary.learn(column.sql_type);
    }
    vocabulary
}

/// Returns the functions that `sql/edition` creates beside the twins of other functions.
fn edition_functions() -> BTreeSet<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../sql/edition")];
    let mut names = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(path).unwrap();
            let created =
                text.lines().filter_map(|line| line.strip_prefix("CREATE FUNCTION _passage."));
            names.extend(created.filter_map(|line| Some(line.split_once('(')?.0.to_owned())));
        }
    }
    names
}

#[tokio::test]
async fn every_function_with_a_store_is_called() {
    let cluster = Cluster::start().await;
    let sql = "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace IN ('passage'::regnamespace, '_passage'::regnamespace) ORDER BY 1";
    let named = |name: &String| {
        WITHOUT_STORE.contains(&name.as_str()) || CALLS.iter().any(|call| call.function == name)
    };
    let mut functions = cluster.query_lines(sql).await;
    if is_sql_edition() {
        // Only bodies of the edition call the others, with the rights of the caller.
        let internal = edition_functions();
        functions.retain(|name| named(name) || !internal.contains(name));
    }
    let forgotten: Vec<_> = functions.iter().filter(|name| !named(name)).collect();
    assert!(forgotten.is_empty(), "calls.rs does not call {forgotten:?}");
    let missing = |name: &&str| !functions.iter().any(|function| function == name);
    let called = CALLS.iter().map(|call| call.function).chain(WITHOUT_STORE.iter().copied());
    let missing: Vec<_> = called.filter(missing).collect();
    assert!(missing.is_empty(), "calls.rs calls {missing:?}, which are not functions");
    let sql = "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace IN ('passage'::regnamespace, '_passage'::regnamespace) AND 'store' = ANY (proargnames[:pronargs])";
    for name in cluster.query_lines(sql).await {
        assert!(!WITHOUT_STORE.contains(&name.as_str()), "{name} knows a store");
    }
}

#[tokio::test]
async fn a_column_of_any_type_is_read_correctly_or_an_error() {
    let Some(cluster) = cluster().await else { return };
    let begun = std::time::Instant::now();
    let started = cluster.query_text("SELECT pg_postmaster_start_time()").await;
    let types = all_types(&cluster).await;
    let vocabulary = vocabulary(&cluster, &types).await;

    // In the right store every function succeeds.
    let attacker = Attacker::new(&cluster, GREETING).await;
    let mut plain = Sweep::new(attacker, "plain", Kind::Table, &vocabulary);
    let mut wrong = Vec::new();
    plain
        .calls(None, |call, outcome| match outcome {
            Outcome::Rows(_) => {}
            outcome => wrong.push(format!("{}: {outcome:?}", call.sql)),
        })
        .await;
    drop(plain);
    assert!(wrong.is_empty(), "the right store fails:\n{}", wrong.join("\n"));

    let only = std::env::var("HOSTILE_COLUMN").ok();
    let cases = |reach: Reach| -> Vec<Odd> {
        let types: Vec<_> = types.iter().filter(|odd_type| odd_type.reach >= reach).collect();
        let cases: Vec<_> = COLUMNS
            .iter()
            .filter(|column| only.as_ref().is_none_or(|only| *only == column.name))
            .flat_map(|column| {
                types.iter().map(|odd_type| Odd { column: *column, odd_type: **odd_type })
            })
            .collect();
        if only.is_none() { share(&cases) } else { cases }
    };
    let all = cases(Reach::Tables);
    let mut report = Report::default();
    let part = all.len().div_ceil(SESSIONS);
    let sweeps = all.chunks(part).enumerate().map(|(number, cases)| {
        let (cluster, vocabulary) = (&cluster, &vocabulary);
        async move {
            let store = format!("plain_{number}");
            let greeting = GREETING.replace("'plain'", &format!("'{store}'"));
            let attacker = Attacker::new(cluster, &greeting).await;
            Sweep::new(attacker, &store, Kind::Table, vocabulary).run(cases).await
        }
    });
    for part in futures_util::future::join_all(sweeps).await {
        report.add(part);
    }
    eprintln!("plain: {} calls, {:?}", report.calls, begun.elapsed());

    let fewer = cases(Reach::Kinds);
    let sweeps = Kind::OTHERS.iter().map(|kind| {
        let (cluster, vocabulary, fewer) = (&cluster, &vocabulary, &fewer);
        async move {
            let store = format!("store_{kind:?}").to_lowercase();
            let greeting = GREETING.replace("'plain'", &format!("'{store}'"));
            let attacker = Attacker::new(cluster, &greeting).await;
            Sweep::new(attacker, &store, *kind, vocabulary).run(fewer).await
        }
    });
    let mut sweeps = stream::iter(sweeps).buffer_unordered(SESSIONS);
    while let Some(part) = sweeps.next().await {
        report.add(part);
    }
    eprintln!("kinds: {} calls, {:?}", report.calls, begun.elapsed());

    let Report { calls, errors, findings } = report;
    println!("{calls} calls, {errors} errors, {} findings, {:?}", findings.len(), begun.elapsed());
    if let Ok(path) = std::env::var("HOSTILE_FINDINGS") {
        std::fs::write(path, findings.join("\n")).unwrap();
    }
    assert!(findings.is_empty(), "{} of {calls} calls:\n{}", findings.len(), findings.join("\n"));
    assert_eq!(cluster.query_text("SELECT pg_postmaster_start_time()").await, started);
}
