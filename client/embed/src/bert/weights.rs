/*!
The tensors of a model by name, as numbers of 32 bits.

A file in the format safetensors is a header with the shapes and offsets of all tensors, and their numbers. Each tensor is read into
its final place, and a row of a large table only when it is needed. So a model takes no more memory than the matrices of its layers, and
nothing is mapped: a file that another program cuts off is an error and not a signal.
*/

use super::error::Error;
use half::{bf16, f16};
use ndarray::{Array1, Array2, ArrayViewMut1};
use safetensors::tensor::{Metadata, TensorInfo};
use safetensors::{Dtype, SafeTensorError};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// The largest header, as in the library.
const MAX_HEADER: u64 = 100_000_000;

/// Tensors whose names begin with a prefix.
pub(crate) struct Weights {
    file: Arc<TensorFile>,
    prefix: String,
}

/// A file of tensors.
struct TensorFile {
    file: File,
    metadata: Metadata,
    /// The offset of the first number.
    data: u64,
}

/// A matrix whose rows are read when they are needed, such as the embeddings of all words.
pub(super) struct Table {
    file: Arc<TensorFile>,
    info: TensorInfo,
    name: String,
}

impl Weights {
    /// Reads the header of a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file has another format or cannot be read.
    pub(crate) fn read(file: File) -> Result<Self, Error> {
        let mut length = [0; 8];
        file.read_exact_at(&mut length, 0)?;
        let length = u64::from_le_bytes(length);
        if length > MAX_HEADER.min(file.metadata()?.len()) {
            return Err(SafeTensorError::HeaderTooLarge.into());
        }
        let mut header = vec![0; length as usize];
        file.read_exact_at(&mut header, 8)?;
        let metadata = serde_json::from_slice(&header)?;
        let file = Arc::new(TensorFile { file, metadata, data: 8 + length });
        Ok(Self { file, prefix: String::new() })
    }

    /// Returns the tensors whose names continue with a word and a dot.
    pub(crate) fn below(&self, word: &str) -> Self {
        Self { file: Arc::clone(&self.file), prefix: format!("{}{word}.", self.prefix) }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.file.metadata.info(&format!("{}{name}", self.prefix)).is_some()
    }

    pub(crate) fn matrix(
        &self,
        name: &str,
        rows: usize,
        columns: usize,
    ) -> Result<Array2<f32>, Error> {
        let table = self.table(name, &[rows, columns])?;
        let numbers = table.numbers(0, rows * columns)?;
        Ok(Array2::from_shape_vec((rows, columns), numbers).expect("the shape has been compared"))
    }

    pub(crate) fn vector(&self, name: &str, length: usize) -> Result<Array1<f32>, Error> {
        Ok(self.table(name, &[length])?.numbers(0, length)?.into())
    }

    /// Returns a tensor, which must have a shape.
    pub(super) fn table(&self, name: &str, shape: &[usize]) -> Result<Table, Error> {
        let name = format!("{}{name}", self.prefix);
        let Some(info) = self.file.metadata.info(&name) else { return Err(Error::Missing(name)) };
        if info.shape != shape {
            let (actual, expected) = (info.shape.clone(), shape.to_vec());
            return Err(Error::Shape { name, actual, expected });
        }
        if !matches!(info.dtype, Dtype::F32 | Dtype::F64 | Dtype::F16 | Dtype::BF16) {
            return Err(Error::Type { name, dtype: info.dtype });
        }
        let end = self.file.data.saturating_add(info.data_offsets.1 as u64);
        if end > self.file.file.metadata()?.len() {
            return Err(Error::Truncated(name));
        }
        Ok(Table { file: Arc::clone(&self.file), info: info.clone(), name })
    }
}

impl Table {
    pub(super) fn rows(&self) -> usize {
        self.info.shape[0]
    }

    pub(super) fn columns(&self) -> usize {
        self.info.shape[1]
    }

    /// Adds a row to a state.
    pub(super) fn add_row(
        &self,
        row: usize,
        state: &mut ArrayViewMut1<'_, f32>,
    ) -> Result<(), Error> {
        let columns = self.columns();
        for (sum, number) in state.iter_mut().zip(self.numbers(row * columns, columns)?) {
            *sum += number;
        }
        Ok(())
    }

    /// Reads numbers from the first one on.
    fn numbers(&self, first: usize, count: usize) -> Result<Vec<f32>, Error> {
        let size = match self.info.dtype {
            Dtype::F64 => 8,
            Dtype::F32 => 4,
            _ => 2,
        };
        let offset = self.file.data + (self.info.data_offsets.0 + first * size) as u64;
        let read = |bytes: &mut [u8]| self.file.file.read_exact_at(bytes, offset);
        let read_bytes = || -> Result<Vec<u8>, Error> {
            let mut bytes = vec![0; count * size];
            read(&mut bytes)?;
            Ok(bytes)
        };
        Ok(match self.info.dtype {
            Dtype::F32 => {
                let mut numbers = vec![0.0_f32; count];
                read(bytemuck::cast_slice_mut(&mut numbers))?;
                // Files are little endian. On such a processor this loop does nothing.
                for number in &mut numbers {
                    *number = f32::from_bits(u32::from_le(number.to_bits()));
                }
                numbers
            }
            Dtype::F64 => convert(&read_bytes()?, |number| f64::from_le_bytes(number) as f32),
            Dtype::F16 => convert(&read_bytes()?, |number| f16::from_le_bytes(number).to_f32()),
            Dtype::BF16 => convert(&read_bytes()?, |number| bf16::from_le_bytes(number).to_f32()),
            dtype => return Err(Error::Type { name: self.name.clone(), dtype }),
        })
    }
}

/// Converts numbers of `N` bytes.
fn convert<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|bytes| number(*bytes)).collect()
}
