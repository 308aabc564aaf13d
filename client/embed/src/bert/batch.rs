//! Several sequences at a time, without padding.
//!
//! The states of all sequences are beside each other in one matrix, so each weight is read once for all of them. That helps
//! short sequences: of a question of ten wordpieces, a projection takes most of its time to read the weights. Only
//! attention treats the sequences separately.

use super::{Bert, Error, Layer, RelativeBias};
use ndarray::{Array2, ArrayView2, Axis, concatenate, s};
use std::ops::Range;

impl Bert {
    /// Returns the last hidden states of each sequence, given by its wordpieces and their types: a row for each wordpiece.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`forward`](Self::forward) for one of the sequences.
    pub(crate) fn forward_batch(
        &self,
        sequences: &[(&[u32], &[u32])],
    ) -> Result<Vec<Array2<f32>>, Error> {
        if sequences.is_empty() {
            return Ok(Vec::new());
        }
        let mut columns = Vec::with_capacity(sequences.len());
        let mut embedded = Vec::with_capacity(sequences.len());
        let mut start = 0;
        for (wordpieces, types) in sequences {
            embedded.push(self.embeddings.forward(wordpieces, types)?);
            columns.push(start..start + wordpieces.len());
            start += wordpieces.len();
        }
        let mut states = side_by_side(&embedded);
        for layer in &self.layers {
            states = layer.forward_batch(&states, &columns, self.bias.as_ref());
        }
        Ok(columns
            .iter()
            .map(|columns| part(&states, columns).reversed_axes().to_owned())
            .collect())
    }
}

impl Layer {
    fn forward_batch(
        &self,
        states: &Array2<f32>,
        columns: &[Range<usize>],
        bias: Option<&RelativeBias>,
    ) -> Array2<f32> {
        let projected = self.attention.project(states);
        let attend = |columns: &Range<usize>| {
            self.attention.attend(&part(&projected, columns), columns.len(), bias)
        };
        let attended: Vec<_> = columns.iter().map(attend).collect();
        self.transform(&states.view(), &side_by_side(&attended))
    }
}

/// Returns the columns of one sequence.
fn part<'a>(states: &'a Array2<f32>, columns: &Range<usize>) -> ArrayView2<'a, f32> {
    states.slice(s![.., columns.clone()])
}

fn side_by_side(sequences: &[Array2<f32>]) -> Array2<f32> {
    let views: Vec<_> = sequences.iter().map(|states| states.view()).collect();
    concatenate(Axis(1), &views).expect("all states have one length")
}
