//! The tensors of a model by name, as numbers of 32 bits.

use super::error::Error;
use half::{bf16, f16};
use ndarray::{Array1, Array2};
use safetensors::{Dtype, SafeTensors};
use std::sync::Arc;

/// Tensors whose names begin with a prefix.
pub(crate) struct Weights<'a> {
    tensors: Arc<SafeTensors<'a>>,
    prefix: String,
}

impl<'a> Weights<'a> {
    /// Reads the index of a file in the format safetensors.
    ///
    /// # Errors
    ///
    /// Returns [`Error::File`] if the file has another format.
    pub(crate) fn read(file: &'a [u8]) -> Result<Self, Error> {
        let tensors = Arc::new(SafeTensors::deserialize(file)?);
        Ok(Self { tensors, prefix: String::new() })
    }

    /// Returns the tensors whose names continue with a word and a dot.
    pub(crate) fn below(&self, word: &str) -> Self {
        Self { tensors: Arc::clone(&self.tensors), prefix: format!("{}{word}.", self.prefix) }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.tensors.tensor(&format!("{}{name}", self.prefix)).is_ok()
    }

    pub(crate) fn matrix(
        &self,
        name: &str,
        rows: usize,
        columns: usize,
    ) -> Result<Array2<f32>, Error> {
        let numbers = self.numbers(name, &[rows, columns])?;
        Ok(Array2::from_shape_vec((rows, columns), numbers).expect("the shape has been compared"))
    }

    pub(crate) fn vector(&self, name: &str, length: usize) -> Result<Array1<f32>, Error> {
        Ok(self.numbers(name, &[length])?.into())
    }

    /// Returns the numbers of a tensor, which must have a shape.
    fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        let name = format!("{}{name}", self.prefix);
        let Ok(tensor) = self.tensors.tensor(&name) else { return Err(Error::Missing(name)) };
        if tensor.shape() != shape {
            let (actual, expected) = (tensor.shape().to_vec(), shape.to_vec());
            return Err(Error::Shape { name, actual, expected });
        }
        let bytes = tensor.data();
        Ok(match tensor.dtype() {
            Dtype::F32 => convert(bytes, f32::from_le_bytes),
            Dtype::F64 => convert(bytes, |number| f64::from_le_bytes(number) as f32),
            Dtype::F16 => convert(bytes, |number| f16::from_le_bytes(number).to_f32()),
            Dtype::BF16 => convert(bytes, |number| bf16::from_le_bytes(number).to_f32()),
            dtype => return Err(Error::Type { name, dtype }),
        })
    }
}

/// Converts numbers of `N` bytes.
fn convert<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|bytes| number(*bytes)).collect()
}
