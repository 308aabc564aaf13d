//! Expansion and reassembly compared with a simple model of them, on tables and on every other layout that
//! a store may have.

mod layouts;
mod model;
mod random;
mod seeds;
mod sql;

use layouts::text_cluster;
use model::{Document, coverage, expand, reassemble};
use random::{Function, Rng};
use sql::{Store, assert_same_answers};
use std::collections::BTreeMap;

#[test]
fn random_calls_apply_every_rule() {
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    for number in 0..10_000 {
        let mut rng = Rng::new(1, number);
        let documents: Vec<Document> = vec![random::document(number, &mut rng)];
        for _ in 0..5 {
            let call = random::call(0, &documents, &[], &[], &mut rng);
            let hits = call.hits.rank(&documents.iter().collect::<Vec<_>>(), &[], true);
            let function = match &call.function {
                Function::Expansion => None,
                Function::Passages(function) => Some(function),
            };
            let expansion = expand(&hits, function);
            let mut rules = coverage::of_expansion(&hits, &expansion);
            if let Some(function) = function {
                rules.extend(coverage::of_passages(&reassemble(&hits, &expansion, function)));
            }
            for rule in rules {
                *times.entry(rule).or_default() += 1;
            }
        }
    }
    for rule in coverage::RULES {
        let times = times.get(rule).copied().unwrap_or_default();
        // Few stores have a long head, or a unit that has no room for all its hits.
        let is_rare = ["an excerpt of the ends", "an excerpt with the best hit", "the head alone"]
            .contains(&rule);
        let least = if is_rare { 50 } else { 250 };
        assert!(times >= least, "{rule}: {times} of 50,000 calls");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_documents_get_the_answers_of_the_model() {
    assert_same_answers(&text_cluster("").await, Store::tables(), 10_000).await;
}
