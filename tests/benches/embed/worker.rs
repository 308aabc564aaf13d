//! The process that embeds, in one of the two ways.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::BertModel;
use passage::embed::{Model, Pool};
use tokenizers::{Encoding, PaddingParams, Tokenizer, TruncationParams};

use super::texts::Kind;
use crate::process;

/// The first argument of a worker.
pub const NAME: &str = "embed-worker";

/// The size of a batch, as in sentence-transformers.
const BATCH: usize = 32;

/// A way to embed texts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// In batches, each padded to its longest text, on candle's own threads.
    Padded,
    /// As the client does.
    Unpadded,
}

impl Way {
    pub fn name(self) -> &'static str {
        match self {
            Self::Padded => "padded",
            Self::Unpadded => "unpadded",
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
    let (texts, time) = if way == Way::Padded.name() {
        // One model counts the sizes of the chunks and is dropped before the other one is loaded.
        let texts = kind.texts(&Model::load(&folder).expect("the model is there"));
        let padded = Padded::load(&folder).expect("the model is there");
        let begun = Instant::now();
        for batch in texts.chunks(BATCH) {
            padded.embed(batch).expect("a model that loaded embeds");
        }
        (texts.len(), begun.elapsed())
    } else {
        let model = Model::load(&folder).expect("the model is there");
        let texts = kind.texts(&model);
        let pool = Pool::new(&model, None).expect("the system gives threads");
        let begun = Instant::now();
        unpadded(&pool, &texts);
        (texts.len(), begun.elapsed())
    };
    println!("{texts} {} {}", time.as_micros(), process::peak("/proc/self/status").unwrap_or(0));
    true
}

fn unpadded(pool: &Pool, texts: &[String]) {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("the system gives a runtime");
    let pending: Vec<_> = texts.iter().map(|text| pool.submit(text.clone())).collect();
    for pending in pending {
        runtime.block_on(pending.wait()).expect("a model that loaded embeds");
    }
}

/// An error of candle or of the tokenizer.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The model as it is commonly used.
struct Padded {
    bert: BertModel,
    tokenizer: Tokenizer,
}

impl Padded {
    fn load(folder: &Path) -> Result<Self> {
        let config = fs::read(folder.join("config.json"))?;
        let config = serde_json::from_slice(&config)?;
        let weights = fs::read(folder.join("model.safetensors"))?;
        let weights = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)?;
        let bert = BertModel::load(weights, &config)?;
        let mut tokenizer = Tokenizer::from_file(folder.join("tokenizer.json"))?;
        tokenizer.with_padding(Some(PaddingParams::default()));
        let truncation = TruncationParams { max_length: 256, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation))?;
        Ok(Self { bert, tokenizer })
    }

    /// Returns the mean over the wordpieces without padding, normalized to length 1.
    fn embed(&self, batch: &[String]) -> Result<Vec<Vec<f32>>> {
        let encodings = self.tokenizer.encode_batch(batch.to_vec(), true)?;
        let stacked = |of: fn(&Encoding) -> &[u32]| {
            let rows: Vec<_> = encodings.iter().map(|encoding| of(encoding).to_vec()).collect();
            Tensor::new(rows, &Device::Cpu)
        };
        let (ids, mask) = (stacked(Encoding::get_ids)?, stacked(Encoding::get_attention_mask)?);
        let states = self.bert.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        let weights = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
        let mean = states.broadcast_mul(&weights)?.sum(1)?.broadcast_div(&weights.sum(1)?)?;
        let length = mean.sqr()?.sum_keepdim(1)?.sqrt()?;
        Ok(mean.broadcast_div(&length)?.to_vec2()?)
    }
}
