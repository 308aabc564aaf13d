//! How fast the model embeds: our pool, one sequence at a time without padding, against candle as
//! it is commonly used, in padded batches on its own threads. Both in one run, over the chunks of
//! a Markdown file.
//!
//! `PASSAGE_MODEL=DIR cargo bench -p passage --bench embed -- FILE.md`

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::BertModel;
use passage::embed::{Model, Pool};
use passage::split::Splitter;
use passage_core::MediaType;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tokenizers::{PaddingParams, Tokenizer, TruncationParams};

/// What a batch holds, as sentence-transformers has it.
const BATCH: usize = 32;

/// How many chunks are embedded each way.
const CHUNKS: usize = 128;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let folder = std::env::var_os("PASSAGE_MODEL").map(PathBuf::from);
    let folder =
        folder.or_else(passage::embed::default_folder).ok_or("PASSAGE_MODEL is not set")?;
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    match arguments.next().as_deref() {
        // The environment says how many threads candle takes, so each way is a process of its own.
        Some("unpadded") => {
            unpadded(&folder, &texts(&folder, &arguments.next().ok_or("no file")?)?)
        }
        Some("padded") => padded(&folder, &texts(&folder, &arguments.next().ok_or("no file")?)?),
        Some(file) => {
            let (name, value) = Pool::SINGLE_THREADED;
            let program = std::env::current_exe()?;
            let run = |way: &str, threads: Option<&str>| -> Result<f64, Failure> {
                let mut command = std::process::Command::new(&program);
                command.args([way, file]).env_remove(name);
                if let Some(threads) = threads {
                    command.env(name, threads);
                }
                let output = command.output()?;
                let rate = String::from_utf8(output.stdout)?;
                rate.trim()
                    .parse()
                    .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned().into())
            };
            // The middle one in time, so that a slow minute does not fall on one side alone.
            let first = run("padded", None)?;
            let unpadded = run("unpadded", Some(value))?;
            let padded = f64::midpoint(first, run("padded", None)?);
            let ratio = unpadded / padded;
            println!(
                "unpadded {unpadded:.1} chunks/s, padded {padded:.1} chunks/s, ratio {ratio:.2}"
            );
            Ok(())
        }
        None => Err("name a Markdown file".into()),
    }
}

/// The first chunks of a file, as they are embedded when it is ingested.
fn texts(folder: &Path, file: &str) -> Result<Vec<String>, Failure> {
    let model = Model::load(folder)?;
    let text = passage::source::read(Path::new(file))?;
    let splitter = Splitter::by_wordpieces(model.wordpieces().clone(), model.limit() - 2);
    let pieces = splitter.split(&text, &MediaType::MARKDOWN, None)?;
    Ok(pieces.iter().take(CHUNKS).map(|piece| piece.embedded_text(&text)).collect())
}

fn unpadded(folder: &Path, texts: &[String]) -> Result<(), Failure> {
    let pool = Arc::new(Pool::new(&Model::load(folder)?, None)?);
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let start = Instant::now();
    let pending: Vec<_> = texts.iter().map(|text| pool.submit(text.clone())).collect();
    for pending in pending {
        runtime.block_on(pending.wait())?;
    }
    rate(texts, start);
    Ok(())
}

fn padded(folder: &Path, texts: &[String]) -> Result<(), Failure> {
    let config = serde_json::from_slice(&std::fs::read(folder.join("config.json"))?)?;
    let weights = std::fs::read(folder.join("model.safetensors"))?;
    let weights = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)?;
    let bert = BertModel::load(weights, &config)?;
    let mut tokenizer = Tokenizer::from_file(folder.join("tokenizer.json"))?;
    tokenizer.with_padding(Some(PaddingParams::default()));
    tokenizer.with_truncation(Some(TruncationParams {
        max_length: 256,
        ..TruncationParams::default()
    }))?;
    let start = Instant::now();
    for batch in texts.chunks(BATCH) {
        let encodings = tokenizer.encode_batch(batch.to_vec(), true)?;
        let stacked = |of: fn(&tokenizers::Encoding) -> &[u32]| {
            let rows: Vec<_> = encodings.iter().map(|encoding| of(encoding).to_vec()).collect();
            Tensor::new(rows, &Device::Cpu)
        };
        let ids = stacked(tokenizers::Encoding::get_ids)?;
        let mask = stacked(tokenizers::Encoding::get_attention_mask)?;
        let states = bert.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        let weights = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
        let mean = states.broadcast_mul(&weights)?.sum(1)?.broadcast_div(&weights.sum(1)?)?;
        let length = mean.sqr()?.sum_keepdim(1)?.sqrt()?;
        mean.broadcast_div(&length)?.to_vec2::<f32>()?;
    }
    rate(texts, start);
    Ok(())
}

/// Prints chunks per second.
fn rate(texts: &[String], start: Instant) {
    println!("{}", texts.len() as f64 / start.elapsed().as_secs_f64());
}
