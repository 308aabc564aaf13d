//! The encoder with weights of a few numbers.

use super::*;
use candle_core::DType;
use serde_json::json;
use std::collections::HashMap;

fn config(activation: &str) -> serde_json::Value {
    json!({
        "vocab_size": 5, "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": 8, "hidden_act": activation, "max_position_embeddings": 3,
        "type_vocab_size": 2, "layer_norm_eps": 1e-12, "model_type": "bert",
    })
}

/// Returns weights that differ from each other, with names that begin with a prefix.
fn weights(prefix: &str) -> VarBuilder<'static> {
    let mut tensors = HashMap::new();
    let mut add = |name: &str, shape: &[usize]| {
        let values: usize = shape.iter().product();
        let seed = name.len() as f32;
        let values: Vec<_> = (0..values).map(|at| (seed + at as f32 * 1.7).sin()).collect();
        let tensor = Tensor::from_vec(values, shape, &Device::Cpu).unwrap();
        tensors.insert(format!("{prefix}{name}"), tensor);
    };
    for (name, rows) in [("word", 5), ("position", 3), ("token_type", 2)] {
        add(&format!("embeddings.{name}_embeddings.weight"), &[rows, 4]);
    }
    for (name, from, to) in [
        ("attention.self.query", 4, 4),
        ("attention.self.key", 4, 4),
        ("attention.self.value", 4, 4),
        ("attention.output.dense", 4, 4),
        ("intermediate.dense", 4, 8),
        ("output.dense", 8, 4),
    ] {
        add(&format!("encoder.layer.0.{name}.weight"), &[to, from]);
        add(&format!("encoder.layer.0.{name}.bias"), &[to]);
    }
    for name in ["attention.output", "output"].map(|part| format!("encoder.layer.0.{part}")) {
        // The names of older PyTorch models.
        add(&format!("{name}.LayerNorm.gamma"), &[4]);
        add(&format!("{name}.LayerNorm.beta"), &[4]);
    }
    add("embeddings.LayerNorm.weight", &[4]);
    add("embeddings.LayerNorm.bias", &[4]);
    VarBuilder::from_tensors(tensors, DType::F32, &Device::Cpu)
}

fn states(prefix: &str, activation: &str, wordpieces: &[u32]) -> Result<Vec<Vec<f32>>> {
    let config = serde_json::from_value(config(activation)).unwrap();
    Bert::load(&weights(prefix), &config)?.forward(wordpieces)?.to_vec2()
}

#[test]
fn names_of_weights_may_begin_with_the_type_of_the_model() {
    let expected = states("", "gelu", &[1, 4, 2]).unwrap();
    assert_eq!(states("bert.", "gelu", &[1, 4, 2]).unwrap(), expected);
    assert!(states("roberta.", "gelu", &[1, 4, 2]).is_err());
    assert_eq!((expected.len(), expected[0].len()), (3, 4));
}

#[test]
fn the_activation_is_that_of_the_configuration() {
    let [exact, new, tanh, relu] = ["gelu", "gelu_new", "gelu_pytorch_tanh", "relu"]
        .map(|activation| states("", activation, &[1, 4, 2]).unwrap());
    assert_eq!(new, tanh);
    assert!(exact != new && exact != relu && new != relu);
}

#[test]
fn a_state_depends_on_the_words_and_their_positions() {
    let [a, b, c] =
        [[1, 4, 2], [4, 1, 2], [1, 3, 2]].map(|ids| states("", "gelu", &ids).unwrap()[2].clone());
    assert!(a != b && a != c && b != c);
}

#[test]
fn a_sequence_beyond_the_positions_or_the_vocabulary_is_an_error() {
    assert!(states("", "gelu", &[1, 2, 3, 4]).is_err());
    assert!(states("", "gelu", &[5]).is_err());
}

#[test]
fn other_kinds_of_encoders_are_rejected() {
    for (name, value) in [
        ("position_embedding_type", json!("relative_key")),
        ("hidden_act", json!("silu")),
        ("num_attention_heads", json!(0)),
    ] {
        let mut config = config("gelu");
        config[name] = value;
        assert!(serde_json::from_value::<Config>(config).is_err(), "{name}");
    }
}
