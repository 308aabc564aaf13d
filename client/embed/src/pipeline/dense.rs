//! A layer behind the pooling.

use super::settings::read_settings;
use crate::bert::{Linear, Weights};
use crate::checksums::Checksums;
use crate::error::Error;
use ndarray::{Array1, Axis};
use serde::Deserialize;
use std::fmt;
use std::fs::File;
use std::path::Path;

/// A linear layer and a function of each number.
pub(super) struct Dense {
    linear: Linear,
    activation: Activation,
    checksum: String,
}

/// The function behind the layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Activation {
    Identity,
    Tanh,
    Relu,
    Sigmoid,
}

/// The file `config.json` of the module.
#[derive(Deserialize)]
struct Settings {
    in_features: usize,
    out_features: usize,
    #[serde(default = "with_bias")]
    bias: bool,
    #[serde(default = "tanh")]
    activation_function: String,
    module_input_name: Option<String>,
    module_output_name: Option<String>,
    #[serde(default)]
    use_residual: bool,
}

fn with_bias() -> bool {
    true
}

fn tanh() -> String {
    "torch.nn.modules.activation.Tanh".into()
}

impl Dense {
    /// Reads the layer in a folder, for vectors of a number of dimensions.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unsupported`] for a function or a setting that is not implemented, and for weights of another shape;
    /// [`Error::Unreadable`] if there are no weights in safetensors.
    pub(super) fn read(
        folder: &Path,
        dimensions: usize,
        checksums: &Checksums,
    ) -> Result<Self, Error> {
        let path = folder.join("config.json");
        let settings: Settings = read_settings(&path)?
            .ok_or_else(|| Error::unsupported(&path, &"the file is missing"))?;
        if settings.in_features != dimensions {
            let reason = format!(
                "in_features is {}, and the module before has {dimensions} dimensions",
                settings.in_features
            );
            return Err(Error::unsupported(&path, &reason));
        }
        if settings.use_residual {
            return Err(Error::unsupported(&path, &"use_residual is not supported"));
        }
        for name in
            [&settings.module_input_name, &settings.module_output_name].into_iter().flatten()
        {
            if name != "sentence_embedding" {
                return Err(Error::unsupported(
                    &path,
                    &format!("a layer for \"{name}\" is not supported"),
                ));
            }
        }
        let activation = Activation::named(&settings.activation_function).ok_or_else(|| {
            Error::unsupported(
                &path,
                &format!("the function {} is not supported", settings.activation_function),
            )
        })?;
        let path = folder.join("model.safetensors");
        let unreadable = |source| Error::Unreadable { path: path.clone(), source };
        let file = File::open(&path).map_err(unreadable)?;
        let checksum = checksums.sha256(&path, &file).map_err(unreadable)?;
        let load = move || {
            let weights = Weights::read(file)?.below("linear");
            Linear::load(&weights, settings.in_features, settings.out_features, settings.bias)
        };
        let linear = load().map_err(|error| Error::unsupported(&path, &error))?;
        Ok(Self { linear, activation, checksum })
    }

    pub(super) fn forward(&self, vector: Array1<f32>) -> Array1<f32> {
        let mut output = self.linear.forward(&vector.insert_axis(Axis(1))).remove_axis(Axis(1));
        output.mapv_inplace(|number| self.activation.apply(number));
        output
    }

    pub(super) fn dimensions(&self) -> usize {
        self.linear.outputs()
    }
}

impl Activation {
    /// Returns the function of a class of `PyTorch`.
    fn named(class: &str) -> Option<Self> {
        Some(match class.strip_prefix("torch.nn.modules.")? {
            "linear.Identity" => Self::Identity,
            "activation.Tanh" => Self::Tanh,
            "activation.ReLU" => Self::Relu,
            "activation.Sigmoid" => Self::Sigmoid,
            _ => return None,
        })
    }

    fn apply(self, number: f32) -> f32 {
        match self {
            Self::Identity => number,
            Self::Tanh => number.tanh(),
            Self::Relu => number.max(0.0),
            Self::Sigmoid => 1.0 / (1.0 + (-number).exp()),
        }
    }
}

impl fmt::Display for Dense {
    fn fmt(&self, output: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(output, "dense {} {:?}", self.checksum, self.activation)
    }
}
