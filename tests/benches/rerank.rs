/*!
Reranking against embedding texts of as many wordpieces: a rerank model reads each candidate once, as an embedding model
would.

The model has the size of a `MiniLM` of six layers: it is the default model with a classifier of zeros, since the time does not
depend on the numbers.
*/

mod model;

use std::path::Path;
use std::time::{Duration, Instant};

use passage::embed::{Model, Pool};
use passage::rerank::{CrossEncoder, CrossEncoderPool};
use passage_split::Sizer;
use passage_tests::cluster::model_path;

use crate::rounds::turns;
use crate::table::{Bar, Table};

/// The candidates of a search by default.
const CANDIDATES: usize = 50;
/// The wordpieces of a candidate.
const WORDPIECES: usize = 200;
/// The maximum time for them, on two cores.
const MAX_TIME: Duration = Duration::from_millis(1_200);

const QUESTION: &str = "How do I rotate a log by hand?";

/// Measures the time for the candidates of a search.
pub async fn measure(table: &mut Table) {
    let folder = model_path().expect("ground/fetch/model fetches the model");
    let model = Model::load(&folder).expect("the model is there");
    let embedder = Pool::new(&model, None).expect("the system gives threads");
    let temporary = std::env::temp_dir().join(format!("passage-rerank-{}", std::process::id()));
    let reranker = load(&folder, &temporary);
    std::fs::remove_dir_all(&temporary).expect("it was just written");

    let texts = texts(&model, WORDPIECES);
    // A candidate is read with the question and one more special wordpiece.
    let pairs = texts_of_pairs(&model);
    let mut worst = Duration::ZERO;
    let figures = turns(
        async |_| {
            let begun = Instant::now();
            let pending: Vec<_> = pairs.iter().map(|text| embedder.submit(text.clone())).collect();
            for pending in pending {
                pending.wait().await.expect("a model that loaded embeds");
            }
            begun.elapsed().as_secs_f64() * 1e6
        },
        async |round| {
            let begun = Instant::now();
            let scores = reranker.scores(QUESTION, texts.clone()).await;
            assert_eq!(scores.expect("a model that loaded scores").len(), CANDIDATES);
            if round > 0 {
                worst = worst.max(begun.elapsed());
            }
            begun.elapsed().as_secs_f64() * 1e6
        },
    );
    let figures = figures.await;
    let what = format!("rerank {CANDIDATES} texts of {WORDPIECES} wordpieces");
    table.times(&format!("{what}, against embedding as many"), figures, Bar::AtMost(1.1));
    table.late(&format!("{what}, the slowest"), worst, MAX_TIME);
}

fn load(folder: &Path, temporary: &Path) -> CrossEncoderPool {
    model::write(folder, temporary);
    let model = CrossEncoder::load(temporary).expect("the model is complete");
    CrossEncoderPool::new(&model, None).expect("the system gives threads")
}

/// Returns the candidates, each with a number of wordpieces.
fn texts(model: &Model, wordpieces: usize) -> Vec<String> {
    let text = |number: usize| format!("{number} {}", "word ".repeat(wordpieces - 1));
    let texts: Vec<_> = (0..CANDIDATES).map(text).collect();
    assert_eq!(model.wordpieces().size(&texts[0]), wordpieces);
    texts
}

/// Returns texts with as many wordpieces as the pairs.
fn texts_of_pairs(model: &Model) -> Vec<String> {
    texts(model, WORDPIECES + model.wordpieces().size(QUESTION) + 1)
}
