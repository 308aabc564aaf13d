//! The buffers that a call reads, as EXPLAIN counts them.

use std::fmt::Display;

use super::hits::Hits;
use super::sessions::{OURS_OF_ONE, OURS_OF_TEN, Session};

/// The number of calls that are explained; the median counts.
const CALLS: usize = 21;

/// Returns a sentence with the buffers of floor and ours.
pub async fn buffers(session: &Session, hits: &Hits, what: &str) -> String {
    let mut counted = [const { Vec::new() }; 4];
    for call in 0..CALLS {
        for (counts, statement) in counted.iter_mut().zip(statements(session, hits, call)) {
            counts.push(touched(&session.explain(&statement).await));
        }
    }
    let [floor_of_one, ours_of_one, floor_of_ten, ours_of_ten] = counted.map(|mut counts| {
        counts.sort_unstable();
        counts[CALLS / 2]
    });
    format!(
        "{what}: one hit {ours_of_one} (floor {floor_of_one}), \
         ten hits {ours_of_ten} (floor {floor_of_ten})"
    )
}

/// The four statements with literal values.
fn statements(session: &Session, hits: &Hits, call: usize) -> [String; 4] {
    let (one, ten) = (hits.one(call), hits.ten(call));
    [
        written(&session.floor_of_one, &[&quoted(&one.document), &one.first, &one.last]),
        written(OURS_OF_ONE, &[&quoted(&one.chunk)]),
        written(
            &session.floor_of_ten,
            &[&array(&ten.documents), &array(&ten.first), &array(&ten.last)],
        ),
        written(OURS_OF_TEN, &[&array(&ten.chunks)]),
    ]
}

fn written(sql: &str, values: &[&dyn Display]) -> String {
    let numbered = values.iter().zip(1..);
    numbered.fold(sql.to_owned(), |sql, (value, number)| {
        sql.replace(&format!("${number}"), &value.to_string())
    })
}

fn quoted(value: &impl Display) -> String {
    format!("'{value}'")
}

fn array(values: &[impl Display]) -> String {
    let values: Vec<_> = values.iter().map(ToString::to_string).collect();
    format!("'{{{}}}'", values.join(","))
}

/// Returns the buffers of the whole plan, cached or read.
fn touched(plan: &serde_json::Value) -> u64 {
    let count = |name: &str| plan[0]["Plan"][name].as_u64().expect("EXPLAIN counts buffers");
    count("Shared Hit Blocks") + count("Shared Read Blocks")
}
