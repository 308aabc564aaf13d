/*!
What others define is never taken for what PostgreSQL has built in.

PostgreSQL looks up an operator or a function by its name and the types at hand, and one for exactly these
types comes before one of `pg_catalog` that a value has to be converted for, wherever on the
`search_path` it lies. So every function is called twice: by a session as usual, whose parse trees say
which operators and functions the statements use, with which types; and by one whose path begins with
a schema that has a trap for each of them. Both must be answered alike.
*/

mod calls;
mod tree;

use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use std::collections::BTreeSet;
use tokio_postgres::{Client, SimpleQueryMessage};
use tree::Use;

/// What a call gave: how many rows, or its error.
type Outcome = Result<usize, String>;

#[tokio::test]
async fn no_call_is_captured_by_operators_and_functions_of_others() {
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
    let traps = set_traps(&cluster, &uses).await;
    assert!(traps > 100, "only {traps} traps");

    // The first, which is the default, captures what a value would have to be converted for; the second
    // hides what is built in.
    for path in [r#""$user", public"#, "public, pg_catalog"] {
        let trapped = outcomes(&cluster, &calls, &format!("SET search_path = {path}")).await;
        let differ: Vec<_> = calls
            .iter()
            .zip(plain.iter().zip(&trapped))
            .filter(|(_, (plain, trapped))| plain != trapped)
            .map(|(call, (plain, trapped))| format!("{call}\n    {plain:?}\n    {trapped:?}"))
            .collect();
        assert!(
            differ.is_empty(),
            "{path}: {} of {} calls:\n{}",
            differ.len(),
            calls.len(),
            differ.join("\n")
        );
    }
}

/// Runs calls in one session and takes back what they wrote.
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
    Ok(messages.iter().filter(|of| matches!(of, SimpleQueryMessage::Row(_))).count())
}

/// Makes a trap in the schema `public` for each use, and returns how many there are.
///
/// A trap returns a type that nothing else has, so most statements that would take it cannot even be
/// parsed; others raise its error.
async fn set_traps(cluster: &Cluster, uses: &BTreeSet<Use>) -> usize {
    cluster.execute_as(SUPERUSER, SET_TRAP).await;
    let client = cluster.client_as(SUPERUSER).await;
    client.batch_execute("SET search_path = pg_catalog").await.unwrap();
    for Use { kind, oid, types } in uses {
        let types: Vec<_> = types.iter().map(u32::to_string).collect();
        let types = types.join(",");
        let call = format!("CALL public.set_trap('{kind:?}', {oid}, '{{{types}}}')");
        client.batch_execute(&call).await.unwrap_or_else(|error| panic!("{call}: {error:?}"));
    }
    let count = "SELECT pg_catalog.count(*) FROM pg_catalog.pg_proc
        WHERE prorettype OPERATOR(pg_catalog.=) 'public.trapped'::pg_catalog.regtype::pg_catalog.oid";
    cluster.query_text_as(SUPERUSER, count).await.parse().unwrap()
}

/// A trap is named like what was used and takes exactly the types it was used with. Types that no
/// function can take, as those of any array, are left to the traps of the types that stand for them.
const SET_TRAP: &str = "
CREATE TYPE public.trapped AS ENUM ();
CREATE PROCEDURE public.set_trap(kind text, used oid, types oid[])
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
        types[2] := (SELECT typelem FROM pg_type WHERE oid = types[2]);
    END IF;
    IF EXISTS (SELECT FROM pg_type WHERE oid = ANY (types) AND typtype = 'p') THEN
        RETURN;
    END IF;
    named := ARRAY(SELECT format_type(of, NULL) FROM unnest(types) WITH ORDINALITY AS t (of, place) ORDER BY place);
    EXECUTE format('CREATE FUNCTION public.%s(%s) RETURNS public.trapped LANGUAGE plpgsql AS %L',
        function, array_to_string(named, ', '), format('BEGIN RAISE EXCEPTION %L; END', 'captured: ' || replace(name, '%', '%%')));
    IF kind <> 'Function' THEN
        EXECUTE format('CREATE OPERATOR public.%s (%s, FUNCTION = public.%s)', name,
            CASE WHEN cardinality(named) = 1 THEN format('RIGHTARG = %s', named[1])
                ELSE format('LEFTARG = %s, RIGHTARG = %s', named[1], named[2]) END, function);
    END IF;
EXCEPTION
    -- What lies in the schema already, as of ltree and pgvector, needs no trap.
    WHEN duplicate_function THEN NULL;
END
$$";
