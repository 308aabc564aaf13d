//! Queries: one statement for many calls of both functions.

use super::Store;
use crate::expansion::model::{Limits, OrderBy, ScoreBy};
use crate::expansion::random::{Call, Function};
use passage_tests::cases;
use serde_json::{Map, Value, json};
use tokio_postgres::{Client, Error, Row};
use uuid::Uuid;

/// The arguments that both functions have, with their types.
const OF_BOTH: [(&str, &str); 5] = [
    ("chunk_ids", "uuid[]"),
    ("scores", "float8[]"),
    ("strategy", "text"),
    ("max_tokens", "int"),
    ("limits", "jsonb"),
];

/// The arguments that only one of them has.
const OF_EXPANSION: [(&str, &str); 1] = [("max_chunks", "int")];
const OF_PASSAGES: [(&str, &str); 2] = [("ranking", "jsonb"), ("output", "jsonb")];

/// Returns the limits of a call, or of a row of strategies, by their names.
pub fn limits(limits: &Limits) -> Vec<(&'static str, Value)> {
    let windows = limits.windows.map(|widths| {
        let named = ["prose", "code", "api-reference"].into_iter().zip(widths);
        let given = named.filter_map(|(kind, width)| Some((kind.to_owned(), json!(width?))));
        Value::Object(given.collect::<Map<_, _>>())
    });
    vec![
        ("parents", json!(limits.parents)),
        ("preceding", json!(limits.preceding)),
        ("following", json!(limits.following)),
        ("children", json!(limits.children)),
        ("before", json!(limits.before)),
        ("after", json!(limits.after)),
        ("windows", json!(windows)),
        ("siblings", json!(limits.siblings)),
        ("within", json!(limits.within)),
        ("threshold", json!(limits.threshold)),
        ("count_by", json!(limits.count_by)),
        ("max_tokens", json!(limits.max_tokens)),
        ("max_chunks", json!(limits.max_chunks)),
    ]
}

/// Returns the arguments of a call by their names.
pub fn arguments(call: &Call) -> Vec<(&'static str, Value)> {
    let score = |score: &Option<f64>| match score {
        Some(score) if score.is_nan() => json!("NaN"),
        score => json!(score),
    };
    let scores = call.hits.scores.as_ref().map(|scores| scores.iter().map(score).collect());
    let ids = call.hits.ids.iter().map(|id| json!(id.map(|id| id.to_string()))).collect();
    let mut arguments = vec![
        ("chunk_ids", Value::Array(ids)),
        ("scores", scores.map_or(Value::Null, Value::Array)),
        ("strategy", json!(call.hits.strategy)),
    ];
    let given = limits(&call.hits.limits).into_iter().filter(|(_, value)| !value.is_null());
    let mut group: Map<_, _> = given.map(|(name, value)| (name.to_owned(), value)).collect();
    // Limits that a row of strategies does not have.
    if let Some(max) = call.hits.limits.max_passage_tokens {
        group.insert("max_passage_tokens".to_owned(), json!(max));
    }
    if let Some(share) = call.hits.limits.min_score {
        group.insert("min_score".to_owned(), json!(share));
    }
    if let Some(links) = call.hits.limits.links {
        group.insert("links".to_owned(), json!(links));
    }
    arguments.push(("max_tokens", json!(group.remove("max_tokens"))));
    match &call.function {
        Function::Expansion => arguments.push(("max_chunks", json!(group.remove("max_chunks")))),
        Function::Passages(function) => {
            let score_by = match function.score_by {
                ScoreBy::Max => "max",
                ScoreBy::Sum => "sum",
                ScoreBy::Mean => "mean",
                ScoreBy::Rank => "rank",
            };
            let order_by = match function.order_by {
                OrderBy::Score => "score",
                OrderBy::Document => "document",
            };
            let max_distance = function.max_distance.map_or(json!("document"), |max| json!(max));
            arguments.push(("ranking", json!({ "score_by": score_by })));
            let output = json!({ "max_distance": max_distance, "order_by": order_by });
            arguments.push(("output", output));
        }
    }
    arguments.push(("limits", Value::Object(group)));
    arguments
}

/// Returns the answers to calls, each as lines.
pub async fn all(client: &Client, store: &Store, calls: &[Call]) -> Vec<Vec<String>> {
    match try_all(client, store, calls).await {
        Ok(answers) => answers,
        Err(error) => {
            // One call fails, and the server does not say which one.
            for call in calls {
                if let Err(error) = try_all(client, store, std::slice::from_ref(call)).await {
                    panic!("{error:?}\n{}", super::display::sql(call, store));
                }
            }
            panic!("only many calls at once fail: {error:?}");
        }
    }
}

/// Returns the answers to calls, or the error of one of them.
pub async fn try_all(
    client: &Client,
    store: &Store,
    calls: &[Call],
) -> Result<Vec<Vec<String>>, Error> {
    let mut answers = vec![Vec::new(); calls.len()];
    for function in cases(["expand_contexts", "reassemble"]) {
        let of_function = calls.iter().enumerate().filter(|(_, call)| call.function() == function);
        let record = |(n, call): (usize, &Call)| {
            let given = arguments(call).into_iter().filter(|(_, value)| !value.is_null());
            let mut record: Map<_, _> =
                given.map(|(name, value)| (name.to_owned(), value)).collect();
            record.insert("n".to_owned(), json!(n));
            Value::Object(record)
        };
        let records: Vec<Value> = of_function.map(record).collect();
        if records.is_empty() {
            continue;
        }
        let rows = client.query(&statement(function, store), &[&Value::Array(records)]).await?;
        for row in rows {
            let line = if function == "reassemble" { passage(&row) } else { context(&row) };
            answers[row.get::<_, i32>(0) as usize].push(line);
        }
    }
    Ok(answers)
}

fn statement(function: &str, store: &Store) -> String {
    let (own, columns) = match function {
        "reassemble" => {
            (&OF_PASSAGES[..], "rank, score, document_id, chunk_ids, hit_ids, truncated, complete")
        }
        _ => (&OF_EXPANSION[..], "chunk_id, role, distance, hit_id, score, decayed_score"),
    };
    let arguments = OF_BOTH.iter().chain(own);
    let typed: Vec<_> =
        arguments.clone().map(|(name, sql_type)| format!("{name} {sql_type}")).collect();
    let given: Vec<_> = arguments.map(|(name, _)| format!("{name} => call.{name}")).collect();
    let columns: Vec<_> = columns.split(", ").map(|column| format!("found.{column}")).collect();
    format!(
        "SELECT call.n, {columns} FROM jsonb_to_recordset($1) AS call (n int, {typed}),
        LATERAL passage.{function}({given}, store => '{schema}') WITH ORDINALITY AS found
        ORDER BY call.n, found.ordinality",
        columns = columns.join(", "),
        typed = typed.join(", "),
        given = given.join(", "),
        schema = store.schema,
    )
}

fn context(row: &Row) -> String {
    let role: String = row.get(2);
    super::display::context(row.get(1), &role, row.get(3), row.get(4), row.get(5), row.get(6))
}

fn passage(row: &Row) -> String {
    let (chunks, hits): (Vec<Uuid>, Vec<Uuid>) = (row.get(4), row.get(5));
    super::display::passage(
        row.get(1),
        row.get(2),
        row.get(3),
        &chunks,
        &hits,
        [row.get(6), row.get(7)],
    )
}
