//! What expansion and reassembly give, compared with a plain model of what they mean: over tables,
//! and over every other layout that a store may have.

mod layouts;
mod model;
mod random;
mod seeds;
mod sql;

use layouts::text_cluster;
use model::{Document, expand, met, reassemble};
use random::{Asked, Dice};
use sql::{Store, agree};
use std::collections::BTreeMap;

#[test]
fn random_calls_come_upon_every_rule() {
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    for number in 0..2_000 {
        let mut dice = Dice::new(1, number);
        let documents: Vec<Document> = vec![random::document(number, &mut dice)];
        for _ in 0..5 {
            let call = random::call(0, &documents, &[], &[], &mut dice);
            let hits = call.hits.rank(&documents.iter().collect::<Vec<_>>(), &[]);
            let expansion = expand(&hits);
            let mut rules = met::of_expansion(&hits, &expansion);
            if let Asked::Passages(asked) = &call.asked {
                rules.extend(met::of_passages(&reassemble(&hits, &expansion, asked)));
            }
            for rule in rules {
                *times.entry(rule).or_default() += 1;
            }
        }
    }
    for rule in met::RULES {
        let times = times.get(rule).copied().unwrap_or_default();
        assert!(times >= 50, "{rule}: {times} of 10,000 calls");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_documents_give_what_the_model_gives() {
    agree(&text_cluster("").await, Store::tables(), 10_000).await;
}
