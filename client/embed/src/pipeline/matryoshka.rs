//! The numbers of dimensions that a model is trained for, in the encoder's `config.json`.

use super::settings::read_settings;
use crate::error::Error;
use serde::Deserialize;
use std::path::Path;

/// Fewer dimensions for which a model is trained, so that the first ones of a vector are a vector too.
///
/// The keys are those that vLLM reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matryoshka {
    /// The folder says nothing, as the folders of most models.
    Unknown,
    /// Any number: `"is_matryoshka": true`.
    Any,
    /// These numbers: `"matryoshka_dimensions": [64, 256]`.
    Only(Vec<usize>),
}

#[derive(Default, Deserialize)]
struct Settings {
    #[serde(default)]
    is_matryoshka: bool,
    matryoshka_dimensions: Option<Vec<usize>>,
}

impl Matryoshka {
    /// Reads the settings in the folder of an encoder.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unsupported`] if a setting has another type.
    pub(crate) fn read(folder: &Path) -> Result<Self, Error> {
        let settings = read_settings(&folder.join("config.json"))?;
        let Settings { is_matryoshka, matryoshka_dimensions } = settings.unwrap_or_default();
        Ok(match matryoshka_dimensions {
            Some(dimensions) if !dimensions.is_empty() => Self::Only(dimensions),
            _ if is_matryoshka => Self::Any,
            _ => Self::Unknown,
        })
    }
}
