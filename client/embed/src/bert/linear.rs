//! A linear projection.

use super::error::Error;
use super::multiply::multiply;
use super::weights::Weights;
use ndarray::{Array1, Array2, Axis, concatenate};

/// A linear projection.
pub(crate) struct Linear {
    /// A row for each number of the result, as files have it.
    weight: Array2<f32>,
    bias: Array1<f32>,
}

impl Linear {
    pub(crate) fn load(
        weights: &Weights,
        from: usize,
        to: usize,
        has_bias: bool,
    ) -> Result<Self, Error> {
        let weight = weights.matrix("weight", to, from)?;
        let bias = if has_bias { weights.vector("bias", to)? } else { Array1::zeros(to) };
        Ok(Self { weight, bias })
    }

    /// Joins projections of the same states to one, whose results follow each other.
    pub(super) fn joined<const N: usize>(projections: &[Self; N]) -> Self {
        let weights = projections.each_ref().map(|projection| projection.weight.view());
        let biases = projections.each_ref().map(|projection| projection.bias.view());
        Self {
            weight: concatenate(Axis(0), &weights).expect("they have the same states"),
            bias: concatenate(Axis(0), &biases).expect("vectors have one axis"),
        }
    }

    /// Returns how many numbers a result has.
    pub(crate) fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Returns a column for each column of states.
    pub(crate) fn forward(&self, states: &Array2<f32>) -> Array2<f32> {
        let mut product = Array2::zeros((self.bias.len(), states.ncols()));
        for (mut row, bias) in product.rows_mut().into_iter().zip(&self.bias) {
            row.fill(*bias);
        }
        multiply(1.0, self.weight.view(), states.view(), true, product.view_mut());
        product
    }
}
