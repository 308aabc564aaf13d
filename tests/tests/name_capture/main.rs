/*!
No function of the extension uses an operator or function that another role defined.

PostgreSQL looks up an operator or a function by its name and the types of its arguments. An exact match
wins over a function of `pg_catalog` that needs a conversion, in any schema of the `search_path`. So every
function is called twice. The first session logs its parse trees, which contain the operators and functions
of the statements with their types. The `search_path` of the second session begins with a schema that has a
trap for each of them. Both sessions must get the same answers.
*/

mod calls;
mod tree;

use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use std::collections::BTreeSet;
use tokio_postgres::{Client, SimpleQueryMessage};
use tree::Use;

/// The result of a call: the number of rows, or the error.
type Outcome = Result<usize, String>;

#[tokio::test]
async fn no_call_uses_operators_and_functions_of_other_roles() {
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

    // The first path, the default, finds functions whose types match exactly; the second one also hides
    // the built-in functions.
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

/// Runs calls in one session, and rolls back what they write.
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

/// Makes a trap in the schema `public` for each use, and returns the number of traps.
///
/// A trap returns a type of its own, so most statements that would use it cannot even be parsed. The
/// others raise its error.
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

/// A trap has the name of the used function and takes exactly the types that it was used with. Types that
/// no function can take, such as polymorphic ones, are left to the traps of the types that replace them.
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
        -- Functions that are in the schema already, such as those of ltree and pgvector, need no trap.
    WHEN duplicate_function THEN NULL;
END
$$";
