/*!
The way from hidden states to a vector, as a model's folder describes it.

The files are those of sentence-transformers:

| file | what it says |
|---|---|
| `modules.json` | the modules in their order, each with its folder |
| `1_Pooling/config.json` | how the states of all wordpieces become one vector |
| `2_Dense/config.json` and weights | a layer behind the pooling |
| `config.json` | how many of the first dimensions are a vector too |
| `sentence_bert_config.json`, `tokenizer_config.json` | how many wordpieces the model reads, and whether in lower case |
| `config_sentence_transformers.json` | the prefixes of questions and documents |

A folder without `modules.json` has an encoder alone. Its vectors are the normalized means of all states. If a setting changes the
vectors and is not implemented, it is an error that names the setting.
*/

mod dense;
mod matryoshka;
mod modules;
mod pooling;
mod prompts;
mod sequence;
mod settings;

pub use matryoshka::Matryoshka;
pub(super) use modules::Modules;
pub(super) use prompts::read_prefixes;
pub(super) use sequence::Sequence;

use super::bert::States;
use super::checksums::Checksums;
use super::error::Error;
use dense::Dense;
use modules::StepKind;
use ndarray::{Array1, Array2};
use pooling::Pooling;
use std::fmt;

/// A shorter vector has no direction: as in `PyTorch`, it is divided by this and not by its length.
const MIN_LENGTH: f32 = 1e-12;

/// The modules behind the encoder.
pub(super) struct Pipeline {
    pooling: Pooling,
    steps: Vec<Step>,
    dimensions: usize,
}

/// A module behind the pooling.
enum Step {
    Dense(Dense),
    Normalize,
}

impl Pipeline {
    /// Reads the modules that a folder lists, for states of `hidden_size` numbers.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unsupported`] for a setting that is not implemented, and [`Error::Unreadable`] for a missing file.
    pub(super) fn read(
        modules: &Modules,
        hidden_size: usize,
        checksums: &Checksums,
    ) -> Result<Self, Error> {
        let pooling = Pooling::read(&modules.pooling, hidden_size)?;
        let mut dimensions = hidden_size * pooling.modes().len();
        let mut steps = Vec::with_capacity(modules.steps.len());
        for (kind, folder) in &modules.steps {
            steps.push(match kind {
                StepKind::Dense => {
                    let dense = Dense::read(folder, dimensions, checksums)?;
                    dimensions = dense.dimensions();
                    Step::Dense(dense)
                }
                StepKind::Normalize => Step::Normalize,
            });
        }
        Ok(Self { pooling, steps, dimensions })
    }

    /// Returns the states that [`vector`](Self::vector) reads.
    pub(super) fn states(&self) -> States {
        self.pooling.states()
    }

    /// Returns the vector of a text from the states of its wordpieces, of which there is at least one.
    pub(super) fn vector(&self, states: &Array2<f32>) -> Array1<f32> {
        let mut vector = self.pooling.pool(states);
        for step in &self.steps {
            match step {
                Step::Dense(dense) => vector = dense.forward(vector),
                Step::Normalize => vector /= vector.dot(&vector).sqrt().max(MIN_LENGTH),
            }
        }
        vector
    }

    /// Returns how many numbers a vector has.
    pub(super) fn dimensions(&self) -> usize {
        self.dimensions
    }
}

/// Writes everything that the vectors depend on, as a part of the model's identity: `mean, normalize`.
impl fmt::Display for Pipeline {
    fn fmt(&self, output: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(output, "{}", self.pooling)?;
        self.steps.iter().try_for_each(|step| match step {
            Step::Dense(dense) => write!(output, ", {dense}"),
            Step::Normalize => output.write_str(", normalize"),
        })
    }
}

#[cfg(test)]
mod tests;
