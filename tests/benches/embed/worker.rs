//! The process that embeds as the client does.

use std::time::Instant;

use passage::embed::{Embedding, Model, Pool};
use passage_tests::cluster::model_path;
use serde_json::json;

use super::texts::Kind;
use crate::process;

/// The first argument of a worker.
pub const NAME: &str = "embed-worker";

/// Embeds if this process was started for it, and returns whether it was. Prints a JSON object as `onnxruntime_floor.py` does.
pub fn is_worker() -> bool {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [worker, kind] = &arguments[..] else { return false };
    if worker != NAME {
        return false;
    }
    let kind = Kind::ALL.into_iter().find(|known| known.name() == kind).expect("the kind is known");
    let folder = model_path().expect("ground/fetch/model fetches the model");
    let model = Model::load(&folder).expect("the model is there");
    let texts = kind.texts(&model);
    let pool = Pool::new(&model, None).expect("the system gives threads");
    let begun = Instant::now();
    let vectors = embed(&pool, &texts);
    let microseconds = begun.elapsed().as_micros() as u64;
    let peak = process::peak("/proc/self/status").unwrap_or_default();
    println!("{}", json!({ "microseconds": microseconds, "peak": peak, "first": vectors[0] }));
    true
}

fn embed(pool: &Pool, texts: &[String]) -> Vec<Embedding> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("the system gives a runtime");
    let pending: Vec<_> = texts.iter().map(|text| pool.submit(text.clone())).collect();
    let vector = |embedding: Result<Embedding, _>| embedding.expect("a model that loaded embeds");
    pending.into_iter().map(|pending| vector(runtime.block_on(pending.wait()))).collect()
}
