/*!
Long arguments of every function.

A role can call every function with values of hundreds of megabytes, so each function polls for interrupts while it reads
them, or refuses them. Each argument of a type without a fixed length gets each long value of its type, and all
arguments of that type get it together. The others are ordinary. The functions come from the catalog, so a new one is
included. The `statement_timeout` is random: a call reads its arguments, computes, and builds a result.

SQL that a caller passes is left out, because PostgreSQL parses any statement without a check for interrupts.
*/

use super::session::Session;
use passage_tests::Cluster;
use passage_tests::functions::{Argument, Function, OrdinaryValues, functions};
use passage_tests::share::share;
use std::ops::Range;
use std::time::Duration;

/// The size of a text, in bytes, and the number of elements of an array. The bound of a session is on them; twice as
/// many may take twice as long.
const BYTES: u32 = 100_000_000;
const ELEMENTS: u32 = 5_000_000;

/// The largest processor time from the timeout to the error. Functions of PostgreSQL that convert such a value take half
/// of it without a check for interrupts.
const MAX_WORK: Duration = Duration::from_secs(1);

/// The timeouts in milliseconds. PostgreSQL reads such a value from its table in 50 ms, without a check for interrupts.
const TIMEOUTS: Range<u64> = 50..250;

/// Long values: their type, and SQL with `@bytes` and `@elements`. Functions in SQL, which pass a text to functions of
/// PostgreSQL, get the first three.
const LONG: &[(&str, &[&str])] = &[
    (
        "text",
        &[
            "repeat('getUser_name array.sort 日本語の文 ', @bytes / 41)",
            "repeat('a.', @bytes / 2)",
            "'[1' || repeat(',1', @bytes / 2) || ']'",
            "repeat('a', @bytes)",
            "repeat(E'\\n', @bytes)",
            "repeat('日', @bytes / 3)",
            "repeat(U&'\\0301', @bytes / 2)",
        ],
    ),
    (
        "text[]",
        &[
            "array_fill('ab'::text, ARRAY[@elements * 4])",
            "ARRAY[repeat('a', @bytes / 2), repeat('b', @bytes / 2)]",
            "array_fill(NULL::text, ARRAY[@elements * 4])",
            "(SELECT array_agg(n::text) FROM generate_series(1, @elements / 4) AS n)",
        ],
    ),
    (
        "jsonb",
        &[
            "(SELECT jsonb_object_agg(n, 1) FROM generate_series(1, @elements / 10) AS n)",
            "jsonb_build_object('a', repeat('a', @bytes))",
            "(SELECT jsonb_agg(1) FROM generate_series(1, @elements / 4))",
            "(repeat('{\"a\":', 3000) || '1' || repeat('}', 3000))::jsonb",
        ],
    ),
    ("bytea", &["decode(repeat('AAAA', @bytes / 3), 'base64')"]),
    (
        "uuid[]",
        &[
            "array_fill('aaaaaaaa-0000-0000-0000-000000000002'::uuid, ARRAY[@elements])",
            "(SELECT array_agg(lpad(to_hex(n), 32, '0')::uuid) FROM generate_series(1, @elements / 4) AS n)",
        ],
    ),
    ("real[]", &["array_fill(1::real, ARRAY[@elements])"]),
    ("double precision[]", &["array_fill(1::float8, ARRAY[@elements])"]),
    ("bigint[]", &["array_fill(1::bigint, ARRAY[@elements])"]),
    ("integer[]", &["array_fill(1, ARRAY[@elements])"]),
    ("smallint[]", &["array_fill(1::smallint, ARRAY[@elements])"]),
    ("boolean[]", &["array_fill(true, ARRAY[@elements])"]),
    ("anyelement", &["jsonb_build_object('a', repeat('a', @bytes))"]),
    ("anyarray", &["array_fill('[1,0]'::text, ARRAY[@elements])"]),
    ("oid[]", &["array_fill(25::oid, ARRAY[@elements])"]),
    ("name[]", &["array_fill('a'::name, ARRAY[@elements / 4])"]),
    ("record", &["ROW(1, repeat('a', @bytes))::rag.notes"]),
];

/// The longest work of PostgreSQL on long texts, without a check for interrupts.
const CONVERSION: &str =
    "SELECT pg_column_size(jsonb_strip_nulls(jsonb_build_object('key', value))) FROM long";

/// The longest work of PostgreSQL on long ids, without a check for interrupts: a plan estimates each of them.
const PLAN: &str = "DO $$
    DECLARE ids uuid[] := (SELECT value FROM long);
    BEGIN
        SET LOCAL enable_seqscan = off;
        PERFORM FROM rag.chunks WHERE document_id = ANY (ids) AND id = ANY (ids);
    END $$";

/// Types whose values are short.
const SHORT: &[&str] = &[
    "bigint",
    "boolean",
    "double precision",
    "integer",
    "ltree",
    "name",
    "oid",
    "real",
    "regclass",
    "regconfig",
    "smallint",
    "uuid",
];

/// Arguments that are SQL, or contain it.
const SQL: &[&str] = &["condition", "expression", "plan", "statement"];

/// A table that a trigger follows, and the values of the arguments of that trigger.
const TRIGGER: &str = "
    CREATE TABLE rag.notes (id integer PRIMARY KEY, body text);
    CREATE TRIGGER step AFTER INSERT OR UPDATE OR DELETE ON rag.notes FOR EACH ROW
        EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}')";
const OF_TRIGGER: &[(&str, &str)] = &[
    ("relation", "'rag.notes'::regclass"),
    ("scope", "'rag.notes'::regclass"),
    ("trigger", "'step'"),
    ("level", "'ROW'"),
    ("arguments text[]", "ARRAY['text={body}', 'uri=notes/{id}']"),
    (
        "plan",
        "_passage.step_plan('rag.notes'::regclass, 'step', 'ROW', ARRAY['text={body}', 'uri=notes/{id}'])",
    ),
    ("key jsonb", r#"'{"id": 1}'"#),
    ("record", "ROW(1, 'A note.')::rag.notes"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_function_with_long_arguments_ends_soon_after_its_timeout() {
    let cluster = Cluster::start().await;
    cluster.execute(TRIGGER).await;
    cluster
        .execute("SELECT passage.ingest('guide.md', E'# Guide\\n\\nHidden steps.\\n\\n## Part\\n\\nMore.\\n')")
        .await;
    let ordinary = OrdinaryValues::of(&cluster, "rag").await;
    let only = std::env::var("PASSAGE_FUNCTION").unwrap_or_default();
    let mut functions = functions(&cluster).await;
    for function in &functions {
        check_types(function);
    }
    functions.retain(|function| function.name.contains(&only));
    let functions = if only.is_empty() { share(&functions) } else { functions };
    let mut session = Session::of(&cluster, 9).await.within(MAX_WORK);
    let mut late = Vec::new();
    for (sql_type, values) in LONG {
        for (place, value) in values.iter().enumerate() {
            session.prepare(&store(sql_type, value)).await;
            for is_native in [true, false] {
                let calls: Vec<_> = functions
                    .iter()
                    .filter(|function| function.is_native == is_native && (is_native || place < 3))
                    .flat_map(|function| calls(function, sql_type, &ordinary))
                    .collect();
                if calls.is_empty() {
                    continue;
                }
                let work = match *sql_type {
                    "text" | "text[]" if !is_native => Some(CONVERSION),
                    "uuid[]" if !is_native => Some(PLAN),
                    _ => None,
                };
                session.allow_twice(work).await;
                for (what, sql) in calls {
                    let timeout = Duration::from_millis(session.random(TIMEOUTS));
                    late.extend(session.overrun(&format!("{what} {value}"), &sql, timeout).await);
                }
            }
        }
    }
    session.report();
    assert!(late.is_empty(), "{} calls end late:\n{}", late.len(), late.join("\n"));
}

/// Checks that each argument has a long value or needs none, also of the functions that another day calls.
fn check_types(function: &Function) {
    let is_known = |argument: &&Argument| {
        let sql_type = &*argument.sql_type;
        SHORT.contains(&sql_type) || LONG.iter().any(|(known, _)| *known == sql_type)
    };
    let unknown = function.arguments.iter().find(|argument| !is_known(argument));
    assert!(unknown.is_none(), "{}: no long value for {unknown:?}", function.name);
}

/// Returns SQL that stores a value, uncompressed, as the only row of a table.
fn store(sql_type: &str, value: &str) -> String {
    let value =
        value.replace("@bytes", &BYTES.to_string()).replace("@elements", &ELEMENTS.to_string());
    let (column, storage) = match sql_type {
        "record" => ("rag.notes", ""),
        "anyelement" => ("jsonb", ""),
        "anyarray" => ("text[]", ""),
        _ => (sql_type, "ALTER TABLE long ALTER value SET STORAGE EXTERNAL;"),
    };
    format!(
        "DROP TABLE IF EXISTS long; CREATE TEMP TABLE long (value {column}); {storage} INSERT INTO long SELECT {value}"
    )
}

/// Returns calls with the long value for one argument of its type, and for all of them, with what they test.
fn calls(function: &Function, sql_type: &str, ordinary: &OrdinaryValues) -> Vec<(String, String)> {
    let is_long =
        |argument: &Argument| argument.sql_type == sql_type && !SQL.contains(&&*argument.name);
    let all: Vec<_> =
        (0..function.arguments.len()).filter(|at| is_long(&function.arguments[*at])).collect();
    let mut sets: Vec<_> = all.iter().map(|at| vec![*at]).collect();
    if all.len() > 1 {
        sets.push(all);
    }
    let call = |set: Vec<usize>| {
        let value = |(at, argument): (usize, &Argument)| {
            let is_given = at < function.required || argument.name == "query";
            if set.contains(&at) {
                Some("long.value".to_owned())
            } else {
                is_given.then(|| ordinary_value(argument, ordinary))
            }
        };
        let values: Vec<_> = function.arguments.iter().enumerate().map(value).collect();
        let names: Vec<_> = set.iter().map(|at| &*function.arguments[*at].name).collect();
        let call = function.call("count(f)", &values).replace(" FROM ", " FROM long, LATERAL ");
        (format!("{} {}", function.name, names.join(" ")), call)
    };
    sets.into_iter().map(call).collect()
}

fn ordinary_value(argument: &Argument, ordinary: &OrdinaryValues) -> String {
    let Argument { name, sql_type, .. } = argument;
    let keys = [name, sql_type, &format!("{name} {sql_type}")];
    let of_trigger = OF_TRIGGER.iter().find(|(key, _)| keys.contains(&&(*key).to_owned()));
    let of_trigger = of_trigger.map(|(_, value)| *value);
    let value = of_trigger.unwrap_or_else(|| ordinary.get(argument));
    format!("({})::{}", ordinary.fill(value, "rag").replace("small", "rag"), argument.sql_type)
}
