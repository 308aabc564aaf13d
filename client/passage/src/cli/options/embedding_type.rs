//! The SQL type of embeddings, which `init` and `reindex` choose.

use clap::ValueEnum;

/// The SQL type of embeddings.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmbeddingType {
    /// 4 bytes per dimension
    Vector,
    /// 2 bytes per dimension, which halves the memory of the index
    Halfvec,
    /// As halfvec, with an index of one bit per dimension; for models of many dimensions
    Binary,
}

impl EmbeddingType {
    /// Returns its name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            EmbeddingType::Vector => "vector",
            EmbeddingType::Halfvec => "halfvec",
            EmbeddingType::Binary => "binary",
        }
    }
}
