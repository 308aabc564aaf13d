//! How the states of all wordpieces become one vector.

use super::settings::read_settings;
use crate::bert::States;
use crate::error::Error;
use ndarray::{Array1, Array2, Axis, concatenate};
use serde::Deserialize;
use std::fmt;
use std::path::Path;

/// The modes whose vectors are concatenated.
pub(super) struct Pooling(Vec<Mode>);

/// A vector from the states of all wordpieces, including the special ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The state of the first wordpiece.
    Cls,
    /// The largest number in each dimension.
    Max,
    Mean,
    /// The sum, divided by the square root of the number of wordpieces.
    MeanSqrtLen,
    /// The mean with the weights 1, 2, 3 and so on: Muennighoff 2022, arXiv:2202.08904.
    WeightedMean,
    LastToken,
}

/// The file `config.json` of the module.
#[derive(Deserialize)]
struct Settings {
    #[serde(alias = "word_embedding_dimension")]
    embedding_dimension: Option<usize>,
    pooling_mode: Option<Names>,
    #[serde(default = "included")]
    include_prompt: bool,
    #[serde(flatten)]
    flags: Flags,
}

/// The value of `pooling_mode`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Several(Vec<String>),
}

/// The flags of sentence-transformers before version 6, which ignores them if `pooling_mode` is set.
#[derive(Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the format of the file")]
struct Flags {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_max_tokens: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    #[serde(default)]
    pooling_mode_mean_sqrt_len_tokens: bool,
    #[serde(default)]
    pooling_mode_weightedmean_tokens: bool,
    #[serde(default)]
    pooling_mode_lasttoken: bool,
}

fn included() -> bool {
    true
}

impl Flags {
    fn modes(&self) -> Vec<Mode> {
        let flags = [
            self.pooling_mode_cls_token,
            self.pooling_mode_max_tokens,
            self.pooling_mode_mean_tokens,
            self.pooling_mode_mean_sqrt_len_tokens,
            self.pooling_mode_weightedmean_tokens,
            self.pooling_mode_lasttoken,
        ];
        Mode::ALL
            .into_iter()
            .zip(flags)
            .filter_map(|(mode, is_set)| is_set.then_some(mode))
            .collect()
    }
}

impl Pooling {
    /// Reads the settings in a folder. Without any it is the mean.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unsupported`] for an unknown mode, for states of another size, and if prompts are left out.
    pub(super) fn read(folder: &Path, hidden_size: usize) -> Result<Self, Error> {
        let path = folder.join("config.json");
        let Some(settings) = read_settings::<Settings>(&path)? else {
            return Ok(Self(vec![Mode::Mean]));
        };
        if let Some(size) = settings.embedding_dimension.filter(|size| *size != hidden_size) {
            return Err(Error::unsupported(
                &path,
                &format!("it pools states of {size} numbers, and the encoder has {hidden_size}"),
            ));
        }
        if !settings.include_prompt {
            return Err(Error::unsupported(
                &path,
                &"include_prompt is false, and the client cannot leave out prompts",
            ));
        }
        let parse = |name: &String| {
            let mode = Mode::ALL.into_iter().find(|mode| mode.name() == name);
            mode.ok_or_else(|| {
                Error::unsupported(&path, &format!("the pooling mode \"{name}\" is not supported"))
            })
        };
        let modes = match settings.pooling_mode {
            Some(Names::One(name)) => vec![parse(&name)?],
            Some(Names::Several(names)) => names.iter().map(parse).collect::<Result<_, _>>()?,
            None => settings.flags.modes(),
        };
        Ok(Self(if modes.is_empty() { vec![Mode::Mean] } else { modes }))
    }

    pub(super) fn modes(&self) -> &[Mode] {
        &self.0
    }

    /// Returns the states that the modes read.
    pub(super) fn states(&self) -> States {
        if self.0.iter().all(|mode| *mode == Mode::Cls) { States::First } else { States::All }
    }

    /// Returns the vector of a text. It needs at least one state.
    pub(super) fn pool(&self, states: &Array2<f32>) -> Array1<f32> {
        let vectors: Vec<_> = self.0.iter().map(|mode| mode.pool(states)).collect();
        let views: Vec<_> = vectors.iter().map(|vector| vector.view()).collect();
        concatenate(Axis(0), &views).expect("there is a mode, and vectors have one axis")
    }
}

impl Mode {
    /// All modes, in the order in which the vectors of several flags are concatenated.
    const ALL: [Self; 6] =
        [Self::Cls, Self::Max, Self::Mean, Self::MeanSqrtLen, Self::WeightedMean, Self::LastToken];

    fn pool(self, states: &Array2<f32>) -> Array1<f32> {
        let count = states.nrows() as f32;
        match self {
            Self::Cls => states.row(0).to_owned(),
            Self::LastToken => states.row(states.nrows() - 1).to_owned(),
            Self::Max => {
                states.fold_axis(Axis(0), f32::NEG_INFINITY, |max, number| max.max(*number))
            }
            Self::Mean => states.sum_axis(Axis(0)) / count,
            Self::MeanSqrtLen => states.sum_axis(Axis(0)) / count.sqrt(),
            Self::WeightedMean => {
                let weights = Array1::from_iter((1..=states.nrows()).map(|weight| weight as f32));
                weights.dot(states) / weights.sum()
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Cls => "cls",
            Self::Max => "max",
            Self::Mean => "mean",
            Self::MeanSqrtLen => "mean_sqrt_len_tokens",
            Self::WeightedMean => "weightedmean",
            Self::LastToken => "lasttoken",
        }
    }
}

impl fmt::Display for Pooling {
    fn fmt(&self, output: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.iter().map(|mode| mode.name()).collect();
        output.write_str(&names.join(" + "))
    }
}
