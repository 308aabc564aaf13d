//! The ranking of all chunks of a set for each question.

use passage::embed::Model;
use passage_split::Sizer;

use super::configuration::Configuration;
use super::set::Set;
use super::store::Chunk;
use super::vectors::Vectors;

/// A split set and its rankings.
pub struct RankedSet {
    pub configuration: Configuration,
    /// The chunks of all documents, in order.
    pub chunks: Vec<Chunk>,
    /// The wordpieces of all embedded texts.
    pub embedded: usize,
    /// For each question, the indexes of all chunks, the nearest first.
    pub ranked: Vec<Vec<usize>>,
}

/// Splits and embeds a set, and compares every question with every chunk.
pub fn search(
    configuration: Configuration,
    set: &Set,
    model: &Model,
    vectors: &mut Vectors,
) -> RankedSet {
    let (window, sizer) = (model.limit() - 2, model.wordpieces());
    let documents = set.documents.iter().enumerate();
    let (texts, chunks): (Vec<_>, Vec<_>) = documents
        .flat_map(|(number, document)| configuration.chunks(number, document, window, sizer))
        .unzip();
    // The questions are embedded in the same call, which returns references to all vectors.
    let all = texts.iter().chain(set.questions.iter().map(|one| &one.text));
    let embeddings = vectors.embed(all.map(String::as_str));
    let (chunk_embeddings, asked) = embeddings.split_at(chunks.len());
    let ranked = asked.iter().map(|asked| ranked(asked, chunk_embeddings)).collect();
    let embedded = texts.iter().map(|text| sizer.size(text)).sum();
    RankedSet { configuration, chunks, embedded, ranked }
}

/// Returns the numbers of embeddings, nearest first; equal ones in the order of their chunks. All have length 1, so
/// the product is the cosine.
fn ranked(asked: &[f32], embeddings: &[&[f32]]) -> Vec<usize> {
    let product = |other: &[f32]| asked.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
    let scores: Vec<_> = embeddings.iter().map(|embedding| product(embedding)).collect();
    let mut ranked: Vec<_> = (0..scores.len()).collect();
    ranked.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    ranked
}
