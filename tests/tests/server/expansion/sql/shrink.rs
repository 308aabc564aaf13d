//! Shrinks a call as long as the answers to it differ.

use super::{Store, call, display, query};
use crate::expansion::model::{Document, Limits};
use crate::expansion::random::Call;
use std::collections::BTreeSet;
use tokio_postgres::Client;
use uuid::Uuid;

/// A call about documents without some of their chunks.
#[derive(Clone)]
struct Case {
    call: Call,
    without: BTreeSet<Uuid>,
}

/// Returns the smallest call found whose answers differ, with its documents and both answers.
pub async fn shrink(
    client: &Client,
    store: &Store,
    call: &Call,
    documents: &[&Document],
) -> String {
    let mut case = Case { call: call.clone(), without: BTreeSet::new() };
    let Some(mut text) = difference(client, store, &case, documents).await else {
        return format!("only with others in one statement: {}", display::sql(call, store));
    };
    // Each change is tried until none makes the call smaller.
    let mut goes_on = true;
    while goes_on {
        goes_on = false;
        for smaller in smaller(&case, documents) {
            if let Some(smaller_text) = difference(client, store, &smaller, documents).await {
                (case, text, goes_on) = (smaller, smaller_text, true);
                break;
            }
        }
    }
    text
}

/// Removes one limit.
type RemoveLimit = fn(&mut Limits);

/// Returns the cases without one hit, one limit, or one chunk.
fn smaller(case: &Case, documents: &[&Document]) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut with = |change: &dyn Fn(&mut Case)| {
        let mut smaller = case.clone();
        change(&mut smaller);
        cases.push(smaller);
    };
    for i in 0..case.call.hits.ids.len() {
        with(&|case| {
            case.call.hits.ids.remove(i);
            case.call.hits.scores.iter_mut().for_each(|scores| {
                scores.remove(i);
            });
        });
    }
    if case.call.hits.scores.is_some() {
        with(&|case| case.call.hits.scores = None);
    }
    let is_given = |name| {
        query::limits(&case.call.hits.limits).iter().any(|(n, v)| *n == name && !v.is_null())
    };
    let forget: [(&str, RemoveLimit); 13] = [
        ("parents", |limits| limits.parents = None),
        ("preceding", |limits| limits.preceding = None),
        ("following", |limits| limits.following = None),
        ("children", |limits| limits.children = None),
        ("before", |limits| limits.before = None),
        ("after", |limits| limits.after = None),
        ("windows", |limits| limits.windows = None),
        ("siblings", |limits| limits.siblings = None),
        ("within", |limits| limits.within = None),
        ("threshold", |limits| limits.threshold = None),
        ("count_by", |limits| limits.count_by = None),
        ("max_tokens", |limits| limits.max_tokens = None),
        ("max_chunks", |limits| limits.max_chunks = None),
    ];
    for (name, forget) in forget {
        if is_given(name) {
            with(&|case| forget(&mut case.call.hits.limits));
        }
    }
    if case.call.hits.limits.max_passage_tokens.is_some() {
        with(&|case| case.call.hits.limits.max_passage_tokens = None);
    }
    if case.call.hits.limits.min_score.is_some() {
        with(&|case| case.call.hits.limits.min_score = None);
    }
    if case.call.hits.limits.links.is_some() {
        with(&|case| case.call.hits.limits.links = None);
    }
    for chunk in documents.iter().flat_map(|document| &document.chunks) {
        let is_hit = case.call.hits.ids.contains(&Some(chunk.id));
        if !is_hit && !case.without.contains(&chunk.id) {
            with(&|case| {
                case.without.insert(chunk.id);
            });
        }
    }
    cases
}

/// Returns how the answers to a case differ, if they do.
async fn difference(
    client: &Client,
    store: &Store,
    case: &Case,
    documents: &[&Document],
) -> Option<String> {
    let rest = |document: &&Document| {
        let mut document = (*document).clone();
        document.chunks.retain(|chunk| !case.without.contains(&chunk.id));
        document
    };
    let documents: Vec<Document> = documents.iter().map(rest).collect();
    let expected = call::expected(&case.call, &documents.iter().collect::<Vec<_>>(), store);

    let without: Vec<Uuid> = case.without.iter().copied().collect();
    client.batch_execute("BEGIN").await.expect("a transaction begins");
    let delete = format!("DELETE FROM {} WHERE id = ANY ($1)", store.chunks);
    // A reader without the right to delete sees the whole document.
    let deleted = without.is_empty() || client.execute(&delete, &[&without]).await.is_ok();
    let answer = if deleted {
        query::try_all(client, store, std::slice::from_ref(&case.call)).await.ok()
    } else {
        None
    };
    client.batch_execute("ROLLBACK").await.expect("a transaction ends");
    let answer = answer?.remove(0);
    if answer == expected {
        return None;
    }
    let shown: Vec<String> = documents.iter().map(display::document).collect();
    Some(format!(
        "{}{}\nthe model:\n  {}\nthe server:\n  {}\n",
        shown.concat(),
        display::sql(&case.call, store),
        expected.join("\n  "),
        answer.join("\n  ")
    ))
}
