//! The process that embeds, or only multiplies.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use ndarray::Array2;
use ndarray::linalg::general_mat_mul;
use passage::embed::{Model, Pool};
use passage_split::Sizer;
use serde_json::Value;

use super::texts::Kind;
use crate::process;

/// The first argument of a worker.
pub const NAME: &str = "embed-worker";

/// The work of a worker.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The multiplications alone.
    Floor,
    /// Embedding as the client does.
    Ours,
}

impl Way {
    pub fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Ours => "ours",
        }
    }
}

/// Embeds if this process was started for it, and returns whether it was.
///
/// Prints the number of texts, the time in microseconds, and the peak of memory in bytes.
pub fn is_worker() -> bool {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [worker, way, kind] = &arguments[..] else { return false };
    if worker != NAME {
        return false;
    }
    let kind = Kind::ALL.into_iter().find(|known| known.name() == kind).expect("the kind is known");
    let folder = std::env::var_os("PASSAGE_MODEL").map(PathBuf::from).expect("a model is named");
    let model = Model::load(&folder).expect("the model is there");
    let texts = kind.texts(&model);
    let time = if way == Way::Floor.name() {
        let config = std::fs::read(folder.join("config.json")).expect("the model is there");
        let config = serde_json::from_slice(&config).expect("a configuration is JSON");
        let floor = Floor::of(&config);
        let length = |text: &String| (model.wordpieces().size(text) + 2).min(model.limit());
        let lengths: Vec<_> = texts.iter().map(length).collect();
        let begun = Instant::now();
        floor.multiply(&lengths);
        begun.elapsed()
    } else {
        let pool = Pool::new(&model, None).expect("the system gives threads");
        let begun = Instant::now();
        embed(&pool, &texts);
        begun.elapsed()
    };
    let peak = process::peak("/proc/self/status").unwrap_or(0);
    println!("{} {} {peak}", texts.len(), time.as_micros());
    true
}

fn embed(pool: &Pool, texts: &[String]) {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("the system gives a runtime");
    let pending: Vec<_> = texts.iter().map(|text| pool.submit(text.clone())).collect();
    for pending in pending {
        runtime.block_on(pending.wait()).expect("a model that loaded embeds");
    }
}

/// The multiplications of a BERT encoder. Their speed does not depend on the numbers.
struct Floor {
    layers: usize,
    heads: usize,
    head_size: usize,
    /// The weights of a layer: the projections of attention, its output, and both of the feed-forward network.
    weights: [Array2<f32>; 4],
}

impl Floor {
    fn of(config: &Value) -> Self {
        let size = |name: &str| {
            let number = config[name].as_u64().expect("an encoder has this size");
            usize::try_from(number).expect("it fits in memory")
        };
        let (hidden, inner) = (size("hidden_size"), size("intermediate_size"));
        let heads = size("num_attention_heads");
        let shapes = [(hidden, 3 * hidden), (hidden, hidden), (hidden, inner), (inner, hidden)];
        let weights = shapes.map(|shape| Array2::from_elem(shape, 0.5));
        Self { layers: size("num_hidden_layers"), heads, head_size: hidden / heads, weights }
    }

    /// Multiplies for texts of some lengths in wordpieces, with a thread for each processor.
    fn multiply(&self, lengths: &[usize]) {
        let next = AtomicUsize::new(0);
        let threads = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(&length) = lengths.get(next.fetch_add(1, Ordering::Relaxed)) {
                        self.multiply_one(length);
                    }
                });
            }
        });
    }

    fn multiply_one(&self, length: usize) {
        let zeros = |columns| Array2::<f32>::zeros((length, columns));
        let multiply = |left: &Array2<f32>, right: &Array2<f32>| {
            let mut product = zeros(right.ncols());
            general_mat_mul(1.0, left, right, 0.0, &mut product);
            product
        };
        let [projections, output, up, down] = &self.weights;
        let states = zeros(output.nrows());
        let (queries, keys) = (zeros(self.head_size), Array2::zeros((self.head_size, length)));
        for _ in 0..self.layers {
            multiply(&states, projections);
            for _ in 0..self.heads {
                multiply(&multiply(&queries, &keys), &queries);
            }
            multiply(&multiply(&multiply(&states, output), up), down);
        }
    }
}
