/*!
Embedding: texts to unit vectors, in this process.

A [`Model`] is a folder with three files: a BERT in safetensors, its tokenizer and its config. One
sequence goes through it at a time, as long as it is and never padded, and a [`Pool`] runs one
thread a core over that: on two cores this is half as fast again as padded batches and takes less
memory, since no batch is computed for the sake of its longest text. A text's vector is the mean
over its wordpieces, brought to length 1, so a cosine is a plain product.

The tokenizer also counts, as [`Wordpieces`]: a splitter that is given it keeps chunks within what
the model reads.
*/

mod error;
mod files;
mod model;
mod pool;
mod wordpieces;

pub use error::Error;
pub use files::{DEFAULT_MODEL, default_folder};
pub use model::Model;
pub use pool::{Pending, Pool};
pub use wordpieces::Wordpieces;

/// A text's embedding, of the model's dimensions and of length 1.
pub type Embedding = Vec<f32>;

#[cfg(test)]
mod tests;
