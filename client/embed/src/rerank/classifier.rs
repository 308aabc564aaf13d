//! The classifier of a cross-encoder: from the state of the first wordpiece to one number.

use crate::bert::{Config, Error, Weights};
use ndarray::{Array1, Array2, ArrayView1};

/// A projection, tanh, and the projection to one label.
///
/// BERT calls the first one its pooler, and `RoBERTa` the dense layer of its head. They compute the same.
pub(super) struct Classifier {
    dense: Array2<f32>,
    dense_bias: Array1<f32>,
    output: Array1<f32>,
    output_bias: f32,
}

impl Classifier {
    /// Takes the weights of the classifier.
    ///
    /// # Errors
    ///
    /// Returns why the model does not rerank: it has no classifier, or one with several labels.
    pub(super) fn load(weights: &Weights, config: &Config) -> Result<Self, String> {
        let size = config.hidden_size();
        let head = weights.below("classifier");
        let (dense, output) = if head.has("out_proj.weight") {
            (head.below("dense"), head.below("out_proj"))
        } else {
            (weights.below("bert.pooler.dense"), head)
        };
        let described = |error: Error| match error {
            Error::Missing(tensor) => {
                format!("it has no tensor {tensor}, so it does not score pairs of texts")
            }
            Error::Shape { name, actual, .. } if name.starts_with("classifier") => {
                format!("its classifier has {} labels instead of one", actual.first().unwrap_or(&0))
            }
            error => error.to_string(),
        };
        let load = || {
            // First, because an embedding model has a pooler too.
            let row = output.matrix("weight", 1, size)?;
            Ok(Self {
                output: row.row(0).to_owned(),
                output_bias: output.vector("bias", 1)?[0],
                dense: dense.matrix("weight", size, size)?,
                dense_bias: dense.vector("bias", size)?,
            })
        };
        load().map_err(described)
    }

    /// Returns the number for the state of the first wordpiece.
    pub(super) fn apply(&self, state: &ArrayView1<f32>) -> f64 {
        let pooled = (self.dense.dot(state) + &self.dense_bias).mapv(f32::tanh);
        f64::from(self.output.dot(&pooled) + self.output_bias)
    }
}
