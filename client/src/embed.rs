/*!
Embedding: texts to unit vectors, in this process or by a service.

A [`Model`] is a folder with three files: a BERT in safetensors, its tokenizer and its config. One
sequence goes through it at a time, as long as it is and never padded, and a [`Pool`] runs one
thread a core over that: on two cores this is half as fast again as padded batches and takes less
memory, since no batch is computed for the sake of its longest text. A text's vector is the mean
over its wordpieces, brought to length 1, so a cosine is a plain product.

A [`Remote`] asks a service that speaks as `OpenAI` does, in batches, several at a time, and asks
again where asking again helps. An [`Embedder`] is either of the two, and what uses embeddings
does not know which.

The tokenizer also counts, as [`Wordpieces`]: a splitter that is given it keeps chunks within what
the model reads.
*/

mod embedder;
mod error;
mod fetch;
mod files;
mod model;
mod pool;
mod remote;
mod wordpieces;

pub use embedder::{Embedder, Pending};
pub use error::Error;
pub use fetch::{default_source, fetch};
pub use files::{DEFAULT_MODEL, default_folder};
pub use model::Model;
pub use pool::Pool;
pub use remote::{Key, Problem, Remote, Service};
pub use wordpieces::Wordpieces;

/// A text's embedding, of the model's dimensions and of length 1.
pub type Embedding = Vec<f32>;

#[cfg(test)]
mod tests;
