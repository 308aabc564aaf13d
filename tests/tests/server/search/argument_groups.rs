//! The groups of arguments: their constructors, and the definitions in core against the catalogs.

use passage_core::arguments::{ArgumentType, GROUPS};
use passage_tests::{Cluster, cases};

#[tokio::test]
async fn constructors_have_the_keys_of_their_groups() {
    let cluster = Cluster::start().await;
    for group in cases(GROUPS) {
        let sql = format!(
            "SELECT string_agg(name || ' ' || format_type(type, NULL), ', ' ORDER BY n)
            FROM pg_proc, unnest(proargnames, proargtypes::oid[]) WITH ORDINALITY AS a (name, type, n)
            WHERE oid = 'passage.{}'::regproc",
            group.name
        );
        let keys = group.keys.iter().map(|key| format!("{} {}", key.name, key.value.sql_type()));
        assert_eq!(cluster.query_text(&sql).await, keys.collect::<Vec<_>>().join(", "));
    }
}

#[tokio::test]
async fn a_constructor_returns_the_given_keys_alone() {
    let cluster = Cluster::start().await;
    let values = |value: ArgumentType| match value {
        ArgumentType::Text | ArgumentType::Texts => ("'a'''", r#""a'""#.to_owned()),
        ArgumentType::Offsets => ("'{7,9}'", "[7, 9]".to_owned()),
        ArgumentType::TwoTexts => ("ARRAY['<b>', '']", r#"["<b>", ""]"#.to_owned()),
        ArgumentType::Word(words) => ("", format!("\"{}\"", words[0])),
        ArgumentType::Limit | ArgumentType::LimitOr(_) => ("7", "7".to_owned()),
        ArgumentType::Number(..) => ("0.25", "0.25".to_owned()),
        ArgumentType::Boolean => ("false", "false".to_owned()),
        ArgumentType::Object => ("'{\"a\": null}'", r#"{"a": null}"#.to_owned()),
    };
    for group in cases(GROUPS) {
        let name = group.name;
        let empty = cluster.query_text(&format!("SELECT passage.{name}()")).await;
        assert_eq!(empty, "{}");
        for key in group.keys {
            let (mut sql, json) = values(key.value);
            let word = json.replace('"', "'");
            if sql.is_empty() {
                sql = &word;
            }
            let call = format!("SELECT passage.{name}({} => {sql})", key.name);
            assert_eq!(cluster.query_text(&call).await, format!("{{\"{}\": {json}}}", key.name));
        }
    }
}

#[tokio::test]
async fn a_constructor_of_constants_is_a_constant_of_the_plan() {
    let cluster = Cluster::start().await;
    let call = "passage.filter(kind => 'code', metadata => '{\"a\": 1}', min_similarity => 0.5)";
    let sql = format!("EXPLAIN (VERBOSE, COSTS OFF) SELECT {call} FROM pg_class");
    cluster
        .execute("CREATE FUNCTION public.plan(sql text) RETURNS SETOF text LANGUAGE plpgsql AS 'BEGIN RETURN QUERY EXECUTE sql; END'")
        .await;
    let plan = cluster
        .query_text(&format!("SELECT string_agg(line, E'\\n') FROM public.plan($${sql}$$) AS line"))
        .await;
    assert!(plan.contains("\"kind\": \"code\"") && !plan.contains("filter("), "{plan}");
}

#[tokio::test]
async fn no_function_has_the_name_of_a_built_in_one() {
    let cluster = Cluster::start().await;
    let sql = "SELECT coalesce(string_agg(DISTINCT p.proname, ', '), '') FROM pg_proc AS p JOIN pg_proc AS b USING (proname)
        WHERE p.pronamespace = 'passage'::regnamespace AND b.pronamespace = 'pg_catalog'::regnamespace";
    assert_eq!(cluster.query_text(sql).await, "");
}

#[tokio::test]
async fn no_function_has_more_than_twelve_arguments() {
    let cluster = Cluster::start().await;
    let sql = "SELECT coalesce(string_agg(oid::regprocedure::text, ', '), '') FROM pg_proc
        WHERE pronamespace = 'passage'::regnamespace AND pronargs > 12
        AND proname <> ALL ('{limits,adopt}')";
    assert_eq!(cluster.query_text(sql).await, "");
}

#[tokio::test]
async fn values_out_of_range_name_the_key() {
    let cluster = Cluster::start().await;
    for (call, expected) in cases([
        ("search('a', ranking => '{\"mode\": \"words\"}')", "unrecognized value for \"mode\""),
        (
            "search('a', ranking => passage.ranking(vector_weight => -1))",
            "\"vector_weight\" is out of range: -1",
        ),
        (
            "search('a', ranking => passage.ranking(candidates => -1))",
            "\"candidates\" is out of range: -1",
        ),
        (
            "search('a', output => '{\"marks\": [\"<b>\"]}')",
            "\"marks\" in \"output\" must be a list of two strings",
        ),
        (
            "search('a', output => passage.output(max_distance => -3))",
            "\"max_distance\" is out of range: -3",
        ),
        (
            "search('a', filter => passage.filter(min_similarity => 2))",
            "\"min_similarity\" is out of range: 2",
        ),
        (
            "search('a', collection => 'b', filter => passage.filter(collection => 'c'))",
            "\"collection\" is given twice",
        ),
        ("search('a', limits => '[]')", "\"limits\" must be a JSON object"),
        (
            "search_hits('a', ranking => passage.ranking(score_by => 'sum'))",
            "unrecognized key \"score_by\" in \"ranking\"",
        ),
        (
            "reassemble('{}', ranking => passage.ranking(mode => 'text'))",
            "unrecognized key \"mode\" in \"ranking\"",
        ),
        (
            "fragments('a', filter => passage.filter(min_similarity => 0))",
            "unrecognized key \"min_similarity\" in \"filter\"",
        ),
    ]) {
        let error = cluster.error(&format!("SELECT * FROM passage.{call}")).await;
        assert!(error.message().contains(expected), "{}", error.message());
        assert_eq!(error.code().code(), "22023");
        assert!(error.hint().is_some());
    }
}
