/*!
Embeddings, each computed once for a target folder.

One file keeps them in records of equal length: the SHA-256 of the model's name and the text, then the numbers. Ways of
making chunks have many chunks in common, and a rerun has all of them. An interrupted run keeps its records; an
incomplete last one is cut off.
*/

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use passage::embed::{Embedding, Model, Pool};
use sha2::{Digest, Sha256};

type Key = [u8; 32];

/// The number of texts that are embedded at once.
const BATCH: usize = 128;

/// The interval of progress messages.
const REPORT: Duration = Duration::from_secs(20);

/// Embeddings by the texts, from the file or the model.
pub struct Vectors {
    model: Arc<Model>,
    pool: Pool,
    known: HashMap<Key, Embedding>,
    file: File,
}

impl Vectors {
    /// Opens the file of a model in a folder, and creates it if needed.
    pub fn open(model: &Arc<Model>, folder: &Path) -> std::io::Result<Self> {
        fs::create_dir_all(folder)?;
        let path = folder.join("embeddings");
        let bytes = fs::read(&path).or_else(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Ok(Vec::new()),
            _ => Err(error),
        })?;
        let records = bytes.chunks_exact(size_of::<Key>() + model.dimensions() * size_of::<f32>());
        let whole = bytes.len() - records.remainder().len();
        let record = |record: &[u8]| {
            let (key, numbers) = record.split_first_chunk().expect("a record begins with its key");
            let (numbers, _) = numbers.as_chunks();
            (*key, numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
        };
        let known = records.map(record).collect();
        let file = File::options().create(true).append(true).open(&path)?;
        // Only now: another run may have added to the file since it was read.
        if whole < bytes.len() {
            file.set_len(whole as u64)?;
        }
        let pool = Pool::new(model, None).map_err(std::io::Error::other)?;
        Ok(Self { model: Arc::clone(model), pool, known, file })
    }

    /// Returns the embedding of each text.
    ///
    /// # Panics
    ///
    /// Panics if the file cannot be written.
    pub fn embed<'t>(&mut self, texts: impl Iterator<Item = &'t str>) -> Vec<&[f32]> {
        let texts: Vec<_> = texts.map(|text| (self.key(text), text)).collect();
        let mut seen = HashSet::new();
        let new = |(key, _): &&(Key, &str)| !self.known.contains_key(key) && seen.insert(*key);
        let missing: Vec<_> = texts.iter().filter(new).copied().collect();
        self.compute(&missing);
        texts.iter().map(|(key, _)| self.known[key].as_slice()).collect()
    }

    fn compute(&mut self, missing: &[(Key, &str)]) {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.expect("the system gives a runtime");
        let (begun, mut reported) = (Instant::now(), Instant::now());
        for (number, batch) in missing.chunks(BATCH).enumerate() {
            if reported.elapsed() >= REPORT {
                reported = Instant::now();
                let done = number * BATCH;
                let speed = done as f64 / begun.elapsed().as_secs_f64();
                eprintln!("bench: embedded {done} of {}, {speed:.1} a second", missing.len());
            }
            let pending: Vec<_> =
                batch.iter().map(|(key, text)| (key, self.pool.submit((*text).into()))).collect();
            let mut records = Vec::new();
            for (key, pending) in pending {
                let embedding =
                    runtime.block_on(pending.wait()).expect("a model that loaded embeds");
                records.extend_from_slice(key);
                records.extend(embedding.iter().flat_map(|number| number.to_le_bytes()));
                self.known.insert(*key, embedding);
            }
            self.file.write_all(&records).expect("the target folder can be written");
        }
    }

    fn key(&self, text: &str) -> Key {
        let name = self.model.name();
        Sha256::new().chain_update(name).chain_update([0]).chain_update(text).finalize().into()
    }
}
