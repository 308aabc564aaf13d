//! A linear projection.

use super::error::Error;
use super::weights::Weights;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, Axis, concatenate};

/// The columns of a matrix that are multiplied at a time. A multiplication first copies the matrix in another order, which
/// takes most of its time for a short text. A narrow matrix is copied faster: its rows are near each other in memory.
const COLUMNS: usize = 192;

/// A linear projection.
pub(crate) struct Linear {
    /// A column for each number of the result, in parts of at most [`COLUMNS`].
    parts: Vec<Array2<f32>>,
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
        let parts = weight.axis_chunks_iter(Axis(0), COLUMNS);
        // The multiplication reads a matrix row by row.
        let parts = parts.map(|part| part.t().as_standard_layout().into_owned()).collect();
        let bias = if has_bias { weights.vector("bias", to)? } else { Array1::zeros(to) };
        Ok(Self { parts, bias })
    }

    /// Joins projections of the same states to one, whose results follow each other.
    pub(super) fn joined<const N: usize>(projections: [Self; N]) -> Self {
        let biases: Vec<_> = projections.iter().map(|projection| projection.bias.view()).collect();
        let bias = concatenate(Axis(0), &biases).expect("vectors have one axis");
        Self {
            bias,
            parts: projections.into_iter().flat_map(|projection| projection.parts).collect(),
        }
    }

    /// Returns how many numbers a result has.
    pub(crate) fn outputs(&self) -> usize {
        self.bias.len()
    }

    pub(crate) fn forward(&self, states: &Array2<f32>) -> Array2<f32> {
        let shape = (states.nrows(), self.bias.len());
        let mut product = self.bias.broadcast(shape).expect("a row for each state").to_owned();
        let mut rest = product.view_mut();
        for part in &self.parts {
            let (mut columns, right) = rest.split_at(Axis(1), part.ncols());
            general_mat_mul(1.0, states, part, 1.0, &mut columns);
            rest = right;
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use safetensors::Dtype;
    use safetensors::tensor::TensorView;

    #[test]
    fn a_projection_in_parts_equals_that_of_the_whole_matrix() {
        let (from, to) = (3, 2 * COLUMNS + 5);
        let numbers = |count: usize| (0..count).map(|at| (at as f32 * 1.7).sin());
        let bytes = |count| numbers(count).flat_map(f32::to_le_bytes).collect::<Vec<u8>>();
        let (weight, bias) = (bytes(from * to), bytes(to));
        let file = safetensors::serialize(
            [
                ("weight", TensorView::new(Dtype::F32, vec![to, from], &weight).unwrap()),
                ("bias", TensorView::new(Dtype::F32, vec![to], &bias).unwrap()),
            ],
            None,
        )
        .unwrap();
        let linear = Linear::load(&Weights::read(&file).unwrap(), from, to, true).unwrap();
        let states =
            Array2::from_shape_vec((2, from), vec![1.0, -2.0, 0.5, 3.0, 0.25, -1.0]).unwrap();
        let weight = Array2::from_shape_vec((to, from), numbers(from * to).collect()).unwrap();
        let expected = states.dot(&weight.t()) + Array1::from_iter(numbers(to));
        let difference = linear.forward(&states) - expected;
        assert!(difference.iter().all(|number| number.abs() < 1e-5), "{difference}");
    }
}
