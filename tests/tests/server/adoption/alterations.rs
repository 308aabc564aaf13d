/*!
Alterations of an adopted table, its store and what its expressions use, while a hostile role waits for each of them.

Each case gets a database with an adopted table. Its owner, or a superuser, alters one object. Then the role `thief` does what
it can with what it got: it takes the names that are free, and changes the objects that it owns now. It has CREATE
on the database and on all schemas, and traps of every kind: types with casts, operators, functions, triggers, rules, views and
policies. At last `writer` writes the table, in a session from before and in a new one, and `reader` reads the store.

In every case:

- No trap runs with the rights of another role. A role that writes or reads an object of the thief itself is exempt, as it
  would be without us.
- Each write succeeds, and the store equals a fresh adoption; or each write fails with a hint. Then `check_store` reports
  the same, and after its remedy the writes succeed.
*/

mod forms;
mod traps;

use forms::{Case, cases};
use futures_util::{StreamExt, stream};
use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use passage_tests::share::share_of_others;
use passage_tests::wait::until;
use std::collections::BTreeMap;
use tokio_postgres::error::DbError;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};
use traps::THIEF;

/// The databases that are tested at the same time.
const SESSIONS: usize = 3;

/// The table of a program, with its expressions in functions of the owner, and its store.
const SETUP: &str = "
    CREATE SCHEMA app;
    CREATE TYPE app.mood AS ENUM ('calm', 'keen');
    CREATE FUNCTION app.clean(text) RETURNS text IMMUTABLE LANGUAGE sql RETURN replace($1, '-', ' ');
    CREATE TABLE app.names (page text PRIMARY KEY, name text);
    CREATE TABLE app.parts (id bigint PRIMARY KEY, page text, position integer NOT NULL, headings text[] DEFAULT '{}', body text,
        first_character integer, mood app.mood DEFAULT 'calm', note text, price numeric(9, 2) DEFAULT 1, tenant text DEFAULT 'a');
    INSERT INTO app.names VALUES ('tea', 'About tea');
    INSERT INTO app.parts (id, page, position, headings, body) VALUES (1, 'tea', 0, '{Tea}', 'Tea needs hot-water.'), (2, 'tea', 1, '{Tea,Green}', 'Green tea needs less.'),
        (3, 'milk', 0, '{}', 'Milk is cold.'), (4, 'water', 0, '{}', 'Water-is wet.');
    GRANT USAGE ON SCHEMA app TO PUBLIC;
    GRANT SELECT ON app.parts, app.names TO reader;
    GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON app.parts TO writer;
    GRANT CREATE ON SCHEMA app TO thief;";

/// Adopts the table as a store, with the columns that it has now.
const ADOPT: &str = "SELECT count(*) FROM passage.adopt('TABLE', 'STORE', document => '{page}', content => 'app.clean({body})',
    ordinal => '{position}', section => '{headings}', start_char => '{first_character}', version => '{mood}::text',
    title => '(SELECT name FROM app.names WHERE names.page = source.{page})', uri => '''page/'' || {page}')";

/// All chunks of a store, without the ids, which depend on the names that a table had.
const CHUNKS: &str = "SELECT uri, title, version, ordinal, source_id, section, start_byte, end_byte, content, tsv
    FROM STORE.chunks JOIN STORE.documents ON documents.id = document_id ORDER BY uri, version, ordinal";

/// The state of the store of a case after its writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// PostgreSQL refused the alteration.
    Refused,
    /// Writes succeed, and the store equals a fresh adoption.
    InStep,
    /// Writes fail until the remedy was executed.
    Repaired,
    /// No trigger sees the writes, or none is left, so the store cannot be read, or `check_store` reports it.
    Reported,
}

/// The database of a case.
struct Database<'c> {
    cluster: &'c Cluster,
    name: String,
}

impl Database<'_> {
    async fn session(&self, role: &str) -> Client {
        let mut config = self.cluster.config(role);
        let (client, connection) = config.dbname(&self.name).connect(NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }

    async fn run(&self, role: &str, sql: &str) -> Result<Vec<String>, DbError> {
        run(&self.session(role).await, &sql.replace("DATABASE_NAME", &self.name)).await
    }
}

/// Runs statements in one transaction, and returns their rows.
async fn run(client: &Client, sql: &str) -> Result<Vec<String>, DbError> {
    let messages = client
        .simple_query(sql)
        .await
        .map_err(|error| error.as_db_error().unwrap_or_else(|| panic!("{sql}: {error}")).clone())?;
    let row = |message| match message {
        SimpleQueryMessage::Row(row) => {
            let values = (0..row.len()).map(|column| row.get(column).unwrap_or("NULL").to_owned());
            Some(values.collect::<Vec<_>>().join("|"))
        }
        _ => None,
    };
    Ok(messages.into_iter().filter_map(row).collect())
}

/// Statements of the writer that use only columns that exist.
fn writes(case: &Case) -> Vec<String> {
    let row = |id, page, position, body| {
        case.insert(&[("id", id), ("page", page), ("position", position), ("body", body)])
    };
    vec![
        row("10", "'tea'", "7", "'Black-tea is bitter.'"),
        row("11", "'rice'", "1", "'Rice-'"),
        row("12", "'tea'", "3", "'Between-both.'"),
        case.fill("UPDATE TABLE SET tenant = 'b' WHERE {page} = 'tea'"),
        case.fill("DELETE FROM TABLE WHERE {page} = 'milk'"),
    ]
}

/// Writes the table in an old session and in a new one. Returns the error if all writes fail.
async fn write(
    database: &Database<'_>,
    old: &Client,
    case: &Case,
) -> Result<Option<DbError>, String> {
    let (mut errors, mut succeeded) = (Vec::new(), Vec::new());
    let new = database.session("writer").await;
    for (place, sql) in writes(case).iter().enumerate() {
        let session = if place % 2 == 0 { old } else { &new };
        match run(session, sql).await {
            Ok(_) => succeeded.push(sql.clone()),
            Err(error) => errors.push(error),
        }
    }
    if !succeeded.is_empty() && !errors.is_empty() {
        return Err(format!("some writes succeed, {succeeded:?}, and some do not, {errors:?}"));
    }
    Ok(errors.pop())
}

/// Executes the remedies of `check_store` until none is left. Returns whether there was one.
async fn repair(database: &Database<'_>, case: &Case) -> Result<bool, String> {
    let check = case.fill("SELECT problem, remedy FROM passage.check_store('STORE', data => true)");
    let mut is_repaired = false;
    for _ in 0..4 {
        let problems = match database.run(case.store_owner, &check).await {
            Ok(problems) => problems,
            // The remedy has removed the store.
            Err(error) if error.code().code() == "3F000" => break,
            Err(error) => return Err(format!("check_store: {error:?}")),
        };
        let statement = |line: &str| {
            let remedy = line.rsplit_once('|')?.1;
            let is_statement = remedy.ends_with(';') && !remedy.starts_with("CREATE INDEX");
            is_statement.then(|| remedy.to_owned())
        };
        let Some(remedy) = problems.iter().find_map(|line| statement(line)) else { break };
        is_repaired = true;
        let Err(error) = database.run(case.store_owner, &remedy).await else { continue };
        // A remedy can fail because of what the thief did, and then names another one. Others need a superuser.
        let unadopt = case.fill("SELECT passage.unadopt('STORE')");
        let (role, other) = if error.hint().is_some_and(|hint| hint.contains(&unadopt)) {
            (case.store_owner, &unadopt)
        } else {
            (SUPERUSER, &remedy)
        };
        if let Err(later) = database.run(role, other).await {
            return Err(format!("{remedy}: {error:?}\n{other}: {later:?}"));
        }
    }
    Ok(is_repaired)
}

/// Compares the store with a fresh adoption of its table.
async fn compare(database: &Database<'_>, case: &Case) -> Result<(), String> {
    let run = async |role, sql: &str| {
        database.run(role, sql).await.map_err(|error| format!("{sql}: {error:?}"))
    };
    run(case.table_owner, &case.fill(&ADOPT.replace("STORE", "fresh"))).await?;
    // The owner would run what the thief has put into a view that it owns.
    let kept = run("reader", &case.fill(CHUNKS)).await?;
    let fresh = run(case.table_owner, &CHUNKS.replace("STORE", "fresh")).await?;
    if kept == fresh {
        Ok(())
    } else {
        Err(format!("the store differs: {kept:#?}\nfrom {fresh:#?}"))
    }
}

/// Tests a case in the database that was made for it.
async fn test(database: &Database<'_>, case: &Case) -> Result<Outcome, String> {
    let old = database.session("writer").await;
    // The session has planned each statement of the triggers.
    for sql in writes(&Case::default()) {
        run(&old, &format!("BEGIN; {sql}; ROLLBACK")).await.unwrap();
    }
    let reader = database.session("reader").await;
    run(&reader, "SELECT content FROM kept.chunks").await.unwrap();

    if let Err(error) = database.run(case.by, &case.sql).await {
        let is_expected =
            error.message().contains("prevents table") || error.code().code() == "2BP01";
        return if is_expected {
            Ok(Outcome::Refused)
        } else {
            Err(format!("the alteration: {error:?}"))
        };
    }
    for sql in traps::after(case) {
        // Most of it is not possible.
        let _ = database.run(THIEF, &sql).await;
    }
    let error = write(database, &old, case).await?;
    let reads = [
        "SELECT content, title FROM STORE.chunks JOIN STORE.documents ON documents.id = document_id",
        "SELECT content FROM passage.search('tea', store => 'STORE')",
    ];
    let mut is_readable = true;
    for sql in reads {
        is_readable &= run(&reader, &case.fill(sql)).await.is_ok();
    }
    let Some(error) = error else {
        if !case.is_unseen && is_readable {
            return compare(database, case).await.map(|()| Outcome::InStep);
        }
        if !repair(database, case).await? && is_readable {
            return Err("check_store does not report it".to_owned());
        }
        return Ok(Outcome::Reported);
    };
    let (code, hint) = (error.code().code(), error.hint().unwrap_or_default());
    if !["55000", "42501"].contains(&code) || !hint.contains(';') {
        return Err(format!("the error has no remedy: {error:?}"));
    }
    if !repair(database, case).await? {
        return Err(format!("check_store reports nothing, but {error:?}"));
    }
    match write(database, &old, case).await? {
        None => Ok(Outcome::Repaired),
        Some(later) => Err(format!("after the remedy: {later:?}; before: {error:?}")),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_altered_adoption_stays_in_step_or_refuses_writes_and_runs_no_code_of_others() {
    let cluster = Cluster::without_store().await;
    let roles = "CREATE ROLE thief LOGIN; CREATE ROLE writer LOGIN; CREATE ROLE reader LOGIN; CREATE ROLE heir LOGIN;
        GRANT CREATE ON SCHEMA public TO thief; GRANT CREATE ON DATABASE passage TO thief";
    cluster.execute_as(SUPERUSER, roles).await;
    cluster.execute(SETUP).await;
    cluster.execute_as(THIEF, traps::TRAPS).await;
    cluster.execute(&Case::default().fill(ADOPT)).await;

    let only = std::env::var("ALTERATION").ok();
    let all = cases();
    let mut cases = share_of_others(&all);
    let is_whole = cases.len() == all.len();
    cases.retain(|case| only.as_ref().is_none_or(|only| case.sql.contains(only)));
    let administration = Database { cluster: &cluster, name: "postgres".to_owned() };
    let mut tested = stream::iter(cases.iter().enumerate())
        .map(|(number, case)| {
            let administration = &administration;
            async move {
                let name = format!("case_{number}");
                let create = format!("CREATE DATABASE {name} TEMPLATE passage");
                // Sessions of the template end a little later than they are dropped.
                until("the template is copied", async || {
                    administration.run(SUPERUSER, &create).await.is_ok()
                })
                .await;
                let grant = format!("GRANT CREATE ON DATABASE {name} TO thief, owner, heir");
                administration.run(SUPERUSER, &grant).await.unwrap();
                let database = Database { cluster: administration.cluster, name };
                let outcome = test(&database, case).await;
                let drop = format!("DROP DATABASE {} WITH (FORCE)", database.name);
                administration.run(SUPERUSER, &drop).await.unwrap();
                outcome.map_err(|problem| format!("{} by {}: {problem}", case.sql, case.by))
            }
        })
        .buffer_unordered(SESSIONS);
    let (mut outcomes, mut wrong) = (BTreeMap::<Outcome, usize>::new(), Vec::new());
    while let Some(outcome) = tested.next().await {
        match outcome {
            Ok(outcome) => *outcomes.entry(outcome).or_default() += 1,
            Err(problem) => wrong.push(problem),
        }
    }
    println!("{} alterations: {outcomes:?}", cases.len());
    let log = cluster.whole_log();
    wrong.extend(traps::sprung(&log, &cases));
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count} of {} alterations:\n{}", cases.len(), wrong.join("\n"));
    assert!(!is_whole || log.contains("ran as thief"), "no trap works");
    assert!(only.is_some() || !is_whole || outcomes.len() == 4, "{outcomes:?}");
}
