//! The length and the case of the texts that the encoder reads.

use super::settings::read_settings;
use crate::error::Error;
use serde::Deserialize;
use std::path::Path;

/// The settings of the tokens that reach the encoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sequence {
    /// The maximum number of wordpieces, including special ones; `None` if no file says it.
    pub(crate) limit: Option<usize>,
    /// Whether texts are converted to lower case before the tokenizer reads them.
    pub(crate) is_lowercase: bool,
}

/// The names of the first file. Old versions of sentence-transformers named it after the encoder.
const FILES: [&str; 7] =
    ["bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"];

#[derive(Default, Deserialize)]
struct Settings {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

#[derive(Deserialize)]
struct TokenizerSettings {
    /// A tokenizer without a limit has 1e30 here.
    model_max_length: Option<f64>,
}

impl Sequence {
    /// Reads the settings in the folder of an encoder.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unsupported`] if a setting has another type.
    pub(crate) fn read(folder: &Path) -> Result<Self, Error> {
        let mut settings = None;
        for file in FILES {
            settings =
                settings.or(read_settings(&folder.join(format!("sentence_{file}_config.json")))?);
        }
        let Settings { max_seq_length, do_lower_case } = settings.unwrap_or_default();
        let tokenizer: Option<TokenizerSettings> =
            read_settings(&folder.join("tokenizer_config.json"))?;
        let tokenizer_limit = tokenizer.and_then(|settings| settings.model_max_length);
        // The conversion of a number that is too large returns the largest `usize`.
        let limit = max_seq_length
            .or(tokenizer_limit.map(|limit| limit as usize))
            .filter(|limit| *limit > 0);
        Ok(Self { limit, is_lowercase: do_lower_case })
    }
}
