//! The function that a cross-encoder applies to its output, as sentence-transformers chooses it.

use serde::Deserialize;

/// The function from the output of the classifier to the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activation {
    Identity,
    Sigmoid,
}

impl Activation {
    /// Returns the function that a model's files name, the first of these:
    ///
    /// 1. `activation_fn` in `config_sentence_transformers.json`
    /// 2. `activation_fn` below `sentence_transformers` in `config.json`
    /// 3. `sbert_ce_default_activation_function` in `config.json`, which versions before 4 wrote
    /// 4. the sigmoid, for a model with one label
    ///
    /// # Errors
    ///
    /// Returns the name of another function.
    ///
    /// # Source
    ///
    /// `CrossEncoder.get_default_activation_fn` and `_parse_model_config` of sentence-transformers 5.
    pub(super) fn read(
        config: &[u8],
        sentence_transformers: Option<&[u8]>,
    ) -> Result<Self, String> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Named {
            activation_fn: Option<String>,
        }
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Config {
            sentence_transformers: Named,
            sbert_ce_default_activation_function: Option<String>,
        }
        let file: Named = sentence_transformers
            .and_then(|text| serde_json::from_slice(text).ok())
            .unwrap_or_default();
        let config: Config = serde_json::from_slice(config).unwrap_or_default();
        let name = file
            .activation_fn
            .or(config.sentence_transformers.activation_fn)
            .or(config.sbert_ce_default_activation_function);
        let Some(name) = name else { return Ok(Self::Sigmoid) };
        match name.rsplit('.').next().unwrap_or_default() {
            "Identity" => Ok(Self::Identity),
            "Sigmoid" => Ok(Self::Sigmoid),
            _ => Err(name),
        }
    }

    /// Returns the score of an output.
    pub(super) fn apply(self, output: f64) -> f64 {
        match self {
            Self::Identity => output,
            Self::Sigmoid => 1.0 / (1.0 + (-output).exp()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Activation::{self, Identity, Sigmoid};

    #[test]
    fn the_activation_is_that_of_the_first_file_that_names_one() {
        let old =
            br#"{"sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"}"#;
        let new = br#"{"sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Sigmoid", "version": "4.1.0"},
            "sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"}"#;
        let file = br#"{"activation_fn": "torch.nn.modules.linear.Identity", "model_type": "CrossEncoder"}"#;
        for (config, sentence_transformers, expected) in [
            (&b"{}"[..], None, Sigmoid),
            (b"{}", Some(&b"{\"prompts\": {}}"[..]), Sigmoid),
            (old, None, Identity),
            (new, None, Sigmoid),
            (new, Some(&file[..]), Identity),
        ] {
            assert_eq!(Activation::read(config, sentence_transformers), Ok(expected));
        }
        let other =
            br#"{"sbert_ce_default_activation_function": "torch.nn.modules.activation.Tanh"}"#;
        assert!(Activation::read(other, None).unwrap_err().ends_with("Tanh"));
    }

    #[test]
    fn the_sigmoid_is_between_0_and_1() {
        assert!((Sigmoid.apply(2.0) - 0.880_797).abs() < 1e-6);
        assert_eq!(
            (Sigmoid.apply(-1e4), Sigmoid.apply(1e4), Identity.apply(-3.0)),
            (0.0, 1.0, -3.0)
        );
    }
}
