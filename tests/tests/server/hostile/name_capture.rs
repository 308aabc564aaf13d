/*!
No statement calls operators or functions of other schemas in place of built-in ones.

PostgreSQL finds an operator or a function by its name and argument types. A candidate with exactly these
types is preferred to one of `pg_catalog` that requires a conversion, at any position of the
`search_path`. So the test calls every function in two sessions. The parse trees of the first session list
the operators and functions that the statements use, with their types. The `search_path` of the second
session starts with a schema that has a trap for each of them. Both sessions must return the same results. So must a session after
stores got the traps.
*/

mod calls;
mod tree;

use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use std::collections::BTreeSet;
use tokio_postgres::{Client, SimpleQueryMessage};
use tree::Use;

/// The result of a call: its number of rows, or its error.
type Outcome = Result<usize, String>;

#[tokio::test]
async fn no_call_uses_operators_or_functions_of_other_schemas() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("traps for operators of embeddings") {
        return;
    }
    cluster.psql(calls::STORES).await;
    let calls = calls::all(&cluster).await;

    let plain =
        outcomes(&cluster, &calls, "SET debug_pretty_print = off; SET debug_print_parse = on")
            .await;
    let succeeded = plain.iter().filter(|outcome| outcome.is_ok()).count();
    assert!(succeeded * 3 > calls.len() * 2, "only {succeeded} of {} calls succeed", calls.len());

    let uses = tree::uses(&cluster.whole_log());
    cluster.execute_as(SUPERUSER, SET_TRAP).await;
    let traps = set_traps(&cluster, &uses, "public").await;
    assert!(traps > 100, "only {traps} traps");

    // The default path prefers traps where a built-in candidate requires a conversion; the second path
    // prefers all traps.
    for path in [r#""$user", public"#, "public, pg_catalog"] {
        let trapped = outcomes(&cluster, &calls, &format!("SET search_path = {path}")).await;
        assert_equal(path, &calls, &plain, &trapped);
    }

    // A function that writes, or one of the SQL edition, has a store in its search_path. Some calls list the traps.
    for store in ["small", "bits", "spread"] {
        set_traps(&cluster, &uses, store).await;
    }
    let mut trapped = outcomes(&cluster, &calls, "RESET search_path").await;
    for (trapped, plain) in trapped.iter_mut().zip(&plain) {
        if trapped.is_ok() && plain.is_ok() {
            trapped.clone_from(plain);
        }
    }
    assert_equal("traps in stores", &calls, &plain, &trapped);
}

fn assert_equal(path: &str, calls: &[String], plain: &[Outcome], trapped: &[Outcome]) {
    let differ: Vec<_> = calls
        .iter()
        .zip(plain.iter().zip(trapped))
        .filter(|(_, (plain, trapped))| plain != trapped)
        .map(|(call, (plain, trapped))| format!("{call}\n    {plain:?}\n    {trapped:?}"))
        .collect();
    let number = differ.len();
    assert!(number == 0, "{path}: {number} of {} calls:\n{}", calls.len(), differ.join("\n"));
}

/// Runs calls in one session and rolls back what they wrote.
async fn outcomes(cluster: &Cluster, calls: &[String], setup: &str) -> Vec<Outcome> {
    let client = cluster.client().await;
    let run = async |sql: &str| client.batch_execute(sql).await.expect("the session lives");
    run(setup).await;
    run("BEGIN").await;
    let mut outcomes = Vec::new();
    for call in calls {
        run("SAVEPOINT before").await;
        outcomes.push(outcome(&client, call).await);
        run("ROLLBACK TO before; RELEASE before").await;
    }
    run("ROLLBACK").await;
    outcomes
}

async fn outcome(client: &Client, call: &str) -> Outcome {
    let messages = client.simple_query(call).await.map_err(|error| {
        let error = error.as_db_error().expect("the session lives");
        format!("{}: {}", error.code().code(), error.message())
    })?;
    Ok(messages.iter().filter(|message| matches!(message, SimpleQueryMessage::Row(_))).count())
}

/// Creates a trap in a schema for each use and returns the number of all traps.
///
/// A trap returns a type of its own, so most statements that resolve to it fail to parse; others raise its
/// error.
async fn set_traps(cluster: &Cluster, uses: &BTreeSet<Use>, schema: &str) -> usize {
    let client = cluster.client_as(SUPERUSER).await;
    client.batch_execute("SET search_path = pg_catalog").await.unwrap();
    for Use { kind, oid, types } in uses {
        let types: Vec<_> = types.iter().map(u32::to_string).collect();
        let types = types.join(",");
        let call = format!("CALL public.set_trap('{schema}', '{kind:?}', {oid}, '{{{types}}}')");
        client.batch_execute(&call).await.unwrap_or_else(|error| panic!("{call}: {error:?}"));
    }
    let count = "SELECT pg_catalog.count(*) FROM pg_catalog.pg_proc
        WHERE prorettype OPERATOR(pg_catalog.=) 'public.trapped'::pg_catalog.regtype::pg_catalog.oid";
    cluster.query_text_as(SUPERUSER, count).await.parse().unwrap()
}

/// Creates a trap with the name and the exact argument types of a use. Uses with pseudo-types such as
/// `anyarray` have no trap of their own, since no function can have them; those of the actual types cover
/// them.
const SET_TRAP: &str = "
CREATE TYPE public.trapped AS ENUM ();
CREATE PROCEDURE public.set_trap(schema name, kind text, used oid, types oid[])
LANGUAGE plpgsql
SET search_path = pg_catalog
AS $$
DECLARE
    name text := CASE WHEN kind = 'Function' THEN (SELECT proname FROM pg_proc WHERE oid = used)
        ELSE (SELECT oprname FROM pg_operator WHERE oid = used) END;
    function text := CASE WHEN kind = 'Function' THEN quote_ident(name) ELSE 'trap_' || used || '_' || array_to_string(types, '_') END;
    named text[];
BEGIN
    IF kind = 'Any' THEN
        -- The elements of ARRAY(SELECT ...) have their own type.
        types[2] := (SELECT CASE typcategory WHEN 'A' THEN typelem ELSE oid END FROM pg_type WHERE oid = types[2]);
    END IF;
    IF EXISTS (SELECT FROM pg_type WHERE oid = ANY (types) AND typtype = 'p') THEN
        RETURN;
    END IF;
    named := ARRAY(SELECT format_type(of, NULL) FROM unnest(types) WITH ORDINALITY AS t (of, place) ORDER BY place);
    EXECUTE format('CREATE FUNCTION %I.%s(%s) RETURNS public.trapped LANGUAGE plpgsql AS %L',
        schema, function, array_to_string(named, ', '), format('BEGIN RAISE EXCEPTION %L; END', 'captured: ' || replace(name, '%', '%%')));
    IF kind <> 'Function' THEN
        EXECUTE format('CREATE OPERATOR %I.%s (%s, FUNCTION = %I.%s)', schema, name,
            CASE WHEN cardinality(named) = 1 THEN format('RIGHTARG = %s', named[1])
                ELSE format('LEFTARG = %s, RIGHTARG = %s', named[1], named[2]) END, schema, function);
    END IF;
EXCEPTION
    -- Functions that already exist in the schema, such as those of ltree and pgvector, need no trap.
    WHEN duplicate_function THEN NULL;
END
$$";
