//! Several sequences at a time, without padding.
//!
//! The rows of all sequences are below each other in one matrix, so each weight is read once for all of them. That helps
//! short sequences: of a question of ten wordpieces, a projection takes most of its time to read the weights. Only
//! attention treats the sequences separately.

use super::{Attention, Bert, Error, Layer};
use ndarray::{Array2, Axis, concatenate, s};
use std::ops::Range;

impl Bert {
    /// Returns the last hidden states of each sequence: a row for each wordpiece.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`forward`](Self::forward) for one of the sequences.
    pub(in super::super) fn forward_batch(
        &self,
        sequences: &[Vec<u32>],
    ) -> Result<Vec<Array2<f32>>, Error> {
        if sequences.is_empty() {
            return Ok(Vec::new());
        }
        let mut rows = Vec::with_capacity(sequences.len());
        let mut embedded = Vec::with_capacity(sequences.len());
        let mut start = 0;
        for sequence in sequences {
            embedded.push(self.embed(sequence)?);
            rows.push(start..start + sequence.len());
            start += sequence.len();
        }
        let views: Vec<_> = embedded.iter().map(|states| states.view()).collect();
        let mut states = concatenate(Axis(0), &views).expect("all rows have one length");
        for layer in &self.layers {
            states = layer.forward_batch(&states, &rows);
        }
        Ok(rows.into_iter().map(|rows| states.slice(s![rows, ..]).to_owned()).collect())
    }
}

impl Layer {
    fn forward_batch(&self, states: &Array2<f32>, rows: &[Range<usize>]) -> Array2<f32> {
        self.transform(states, &self.attention.forward_batch(states, rows))
    }
}

impl Attention {
    fn forward_batch(&self, states: &Array2<f32>, rows: &[Range<usize>]) -> Array2<f32> {
        let projected = self.projections.forward(states);
        let attended: Vec<_> =
            rows.iter().map(|rows| self.attend(&projected.slice(s![rows.clone(), ..]))).collect();
        let views: Vec<_> = attended.iter().map(|contexts| contexts.view()).collect();
        concatenate(Axis(0), &views).expect("all rows have one length")
    }
}
