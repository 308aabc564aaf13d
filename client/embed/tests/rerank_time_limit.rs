//! The time limit of reranking. The test is alone in its program, because it measures the processor time of the process.

use passage_embed::rerank::{CrossEncoder, Error, Reranker};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Returns the seconds of processor time of this process.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<_> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let ticks = |field: usize| fields[field].parse::<f64>().unwrap();
    (ticks(11) + ticks(12)) / 100.0
}

#[tokio::test]
async fn a_time_limit_ends_the_computation() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rerank/bert");
    let model = CrossEncoder::load(&folder).unwrap();
    let limit = Duration::from_millis(50);
    let reranker = Reranker::local(&model, limit).unwrap();
    let texts = vec!["the door is open".to_owned(); 200_000];
    let error = reranker.scores("open", texts).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut(time) if time == limit), "{error}");
    // The pair that each thread had begun, and the jobs that it skips.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let begun = processor_seconds();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let used = processor_seconds() - begun;
    assert!(used < 0.2, "the threads computed for {used} s after the limit");
    // The pool serves the next call.
    let scores = Reranker::local(&model, Duration::from_mins(1)).unwrap();
    assert_eq!(scores.scores("open", vec!["the door".into()]).await.unwrap().len(), 1);
}
