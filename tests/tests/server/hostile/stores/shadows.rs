//! Objects of the attacker that hide those of PostgreSQL on the `search_path`.

use super::attacker::{Attacker, Outcome};
use super::store::{COLUMNS, Kind, Odd};
use super::sweep::Sweep;
use super::types::{self, Reach};
use super::verdict::Vocabulary;
use super::{GREETING, all_types, cluster, vocabulary};
use passage_tests::share::share;

/// Types that a statement may name without a schema.
const NAMES: &[&str] = &[
    "text",
    "uuid",
    "jsonb",
    "json",
    "tsvector",
    "tsquery",
    "name",
    "regclass",
    "regconfig",
    "bytea",
    "int4",
    "int8",
    "float4",
    "float8",
    "bool",
    "oid",
    "ltree",
    "lquery",
    "vector",
    "halfvec",
];

/// Returns the statements for a session whose `search_path` begins with the attacker's objects.
fn greeting(names: &[&str]) -> String {
    let domain = |name: &&str| format!("CREATE DOMAIN pg_temp.{name} AS pg_catalog.int8;");
    let domains: Vec<_> = names.iter().map(domain).collect();
    let domains = domains.join(" ");
    format!("{GREETING} {domains} SET search_path = pg_temp, attacker, public, pg_catalog")
}

#[tokio::test]
async fn the_search_path_of_the_caller_changes_no_answer() {
    let Some(cluster) = cluster().await else { return };
    let mut right = Vec::new();
    let attacker = Attacker::new(&cluster, GREETING).await;
    let mut plain = Sweep::new(attacker, "plain", Kind::Table, &Vocabulary::default());
    plain.calls(None, |_, outcome| right.push(sorted(outcome))).await;

    let (mut calls, mut findings) = (0, Vec::new());
    let operators = types::operators();
    cluster.execute_as(super::attacker::ATTACKER, &operators).await;
    let each = NAMES.iter().map(std::slice::from_ref).chain([&[][..], NAMES]);
    for names in each {
        let attacker = Attacker::new(&cluster, &greeting(names)).await;
        let mut sweep = Sweep::new(attacker, "plain", Kind::Table, &Vocabulary::default());
        let mut expected = right.iter();
        sweep
            .calls(None, |call, outcome| {
                calls += 1;
                let (outcome, expected) = (sorted(outcome), expected.next().expect("as many"));
                if outcome != *expected {
                    findings.push(format!(
                        "{names:?} | {} | {outcome:?} and not {expected:?}",
                        call.sql
                    ));
                }
            })
            .await;
    }
    println!("{calls} calls, {} findings", findings.len());
    assert!(findings.is_empty(), "{} of {calls} calls:\n{}", findings.len(), findings.join("\n"));
}

#[tokio::test]
async fn a_column_of_any_type_is_harmless_with_any_search_path() {
    let Some(cluster) = cluster().await else { return };
    cluster.execute_as(super::attacker::ATTACKER, &types::operators()).await;
    let types = all_types(&cluster).await;
    let vocabulary = vocabulary(&cluster, &types).await;
    let types: Vec<_> = types.iter().filter(|odd_type| odd_type.reach >= Reach::Kinds).collect();
    let cases: Vec<_> = COLUMNS
        .iter()
        .flat_map(|column| {
            types.iter().map(|odd_type| Odd { column: *column, odd_type: **odd_type })
        })
        .collect();
    let cases = share(&cases);
    let attacker = Attacker::new(&cluster, &greeting(NAMES)).await;
    let report = Sweep::new(attacker, "plain", Kind::Table, &vocabulary).run(&cases).await;
    println!("{report}");
    assert!(report.findings.is_empty(), "{}", report.findings.join("\n"));
}

/// Sorts rows, because the order of equal rows is undefined.
fn sorted(outcome: &Outcome) -> Outcome {
    match outcome {
        Outcome::Rows(rows) => {
            let mut rows = rows.clone();
            rows.sort();
            Outcome::Rows(rows)
        }
        other => other.clone(),
    }
}
