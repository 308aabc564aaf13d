//! Running a query on a node, and comparing its rows with those of a plain store.

use passage_tests::Cluster;
use std::collections::HashSet;
use std::time::Instant;
use tokio_postgres::{Client, SimpleQueryMessage};

/// The number of executions, of which the fastest counts.
const RUNS: usize = 3;

/// The rows of a query, or its error, and the milliseconds of its fastest execution.
pub struct Answer {
    pub rows: Result<Vec<String>, String>,
    pub milliseconds: f64,
}

/// A session on each node.
pub struct Sessions(Vec<Client>);

impl Sessions {
    pub async fn open(nodes: &[Cluster]) -> Self {
        let mut sessions = Vec::new();
        for node in nodes {
            sessions.push(node.client().await);
        }
        Self(sessions)
    }

    /// Executes a query whose `$STORE` is a store.
    pub async fn answer(&self, node: usize, query: &str, store: &str) -> Answer {
        let query = query.replace("$STORE", store);
        let mut answer = Answer { rows: Ok(Vec::new()), milliseconds: f64::MAX };
        for _ in 0..RUNS {
            let begun = Instant::now();
            answer.rows = rows(&self.0[node], &query).await;
            let elapsed = begun.elapsed().as_secs_f64() * 1_000.0;
            answer.milliseconds = answer.milliseconds.min(elapsed);
        }
        answer
    }
}

/// Returns the rows of a query, with its values joined by `|`.
pub async fn rows(client: &Client, query: &str) -> Result<Vec<String>, String> {
    let messages = client.simple_query(query).await.map_err(|error| {
        error.as_db_error().map_or(error.to_string(), |error| error.message().to_owned())
    })?;
    let row = |message| match message {
        SimpleQueryMessage::Row(row) => {
            Some((0..row.len()).map(|at| row.get(at).unwrap_or("")).collect::<Vec<_>>().join("|"))
        }
        _ => None,
    };
    Ok(messages.into_iter().filter_map(row).collect())
}

/// Returns which share of the first values of one result is among those of another one.
pub fn recall(expected: &[String], actual: &[String]) -> f64 {
    let first = |row: &String| row.split('|').next().unwrap_or_default().to_owned();
    let actual: HashSet<_> = actual.iter().map(first).collect();
    let found = expected.iter().map(first).filter(|value| actual.contains(value)).count();
    found as f64 / expected.len().max(1) as f64
}
