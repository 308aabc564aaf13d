//! The sum of the embeddings of a wordpiece, of its position and of its type.

use super::config::Config;
use super::error::Error;
use super::linear::Linear;
use super::norm::LayerNorm;
use super::weights::{Table, Weights};
use ndarray::Array2;

/// The tables of a model.
pub(super) struct Embeddings {
    /// A table of 50 MB to 1 GB, of which a text needs some hundred rows.
    words: Table,
    positions: Array2<f32>,
    /// A row for each type: the first text of a pair, and the second one. Some models have no types.
    types: Option<Array2<f32>>,
    norm: LayerNorm,
    projection: Option<Linear>,
    /// The id of the padding, if positions begin behind it.
    padding: Option<u32>,
    max_wordpieces: usize,
}

impl Embeddings {
    pub(super) fn load(weights: &Weights, config: &Config) -> Result<Self, Error> {
        let sizes = &config.sizes;
        let embedding_size = sizes.embedding_size.unwrap_or(sizes.hidden_size);
        let tables = weights.below("embeddings");
        let table =
            |rows, name: &str| tables.matrix(&format!("{name}.weight"), rows, embedding_size);
        let types = if config.family.has_token_types() {
            let count =
                sizes.type_vocab_size.ok_or(Error::Setting("a model without type_vocab_size"))?;
            Some(table(count.get(), "token_type_embeddings")?)
        } else {
            None
        };
        let projection = if embedding_size == sizes.hidden_size {
            None
        } else {
            let weights = weights.below("embeddings_project");
            Some(Linear::load(&weights, embedding_size, sizes.hidden_size, true)?)
        };
        Ok(Self {
            words: tables.table("word_embeddings.weight", &[sizes.vocab_size, embedding_size])?,
            positions: table(sizes.max_position_embeddings, "position_embeddings")?,
            types,
            norm: LayerNorm::load(
                &tables.below("LayerNorm"),
                embedding_size,
                sizes.layer_norm_eps,
            )?,
            projection,
            padding: config.padding_offset(),
            max_wordpieces: config.max_wordpieces(),
        })
    }

    /// Returns the state of each wordpiece before the first layer, as a column. A model without types ignores `types`.
    pub(super) fn forward(&self, wordpieces: &[u32], types: &[u32]) -> Result<Array2<f32>, Error> {
        if wordpieces.len() > self.max_wordpieces {
            return Err(Error::TooLong(self.max_wordpieces));
        }
        if let Some(&id) = wordpieces.iter().find(|&&id| id as usize >= self.words.rows()) {
            return Err(Error::Vocabulary(id));
        }
        let mut states = Array2::zeros((self.words.columns(), wordpieces.len()));
        let columns = states.columns_mut().into_iter();
        let columns = columns.zip(wordpieces).zip(types).zip(self.positions_of(wordpieces));
        for (((mut state, &id), &kind), position) in columns {
            state += &self.positions.row(position);
            self.words.add_row(id as usize, &mut state)?;
            if let Some(table) = &self.types {
                state += &table.row((kind as usize).min(table.nrows() - 1));
            }
        }
        self.norm.apply(&mut states);
        Ok(match &self.projection {
            Some(projection) => projection.forward(&states),
            None => states,
        })
    }

    /// Returns the row of each wordpiece in the table of positions.
    ///
    /// If positions begin behind the padding, a wordpiece in the text that is the padding has its row and is not counted.
    fn positions_of(&self, wordpieces: &[u32]) -> impl Iterator<Item = usize> {
        let padding = self.padding;
        let mut next = padding.map_or(0, |padding| padding as usize + 1);
        wordpieces.iter().map(move |id| match padding {
            Some(padding) if padding == *id => padding as usize,
            _ => {
                next += 1;
                next - 1
            }
        })
    }
}
