//! The encoder with weights of a few numbers.

use super::*;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::json;
use std::io::Write;
use std::path::Path;

fn config(activation: &str) -> serde_json::Value {
    json!({
        "vocab_size": 5, "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": 8, "hidden_act": activation, "max_position_embeddings": 3,
        "type_vocab_size": 2, "layer_norm_eps": 1e-12, "model_type": "bert",
    })
}

/// Returns a file of weights that differ from each other, with names that begin with a prefix.
fn file(prefix: &str) -> Vec<u8> {
    let mut tensors = Vec::new();
    let mut add = |name: &str, shape: &[usize]| {
        let numbers: usize = shape.iter().product();
        let seed = name.len() as f32;
        let numbers = (0..numbers).map(|at| (seed + at as f32 * 1.7).sin());
        let bytes: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
        tensors.push((format!("{prefix}{name}"), shape.to_vec(), bytes));
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
    let views = tensors.iter().map(|(name, shape, bytes)| {
        (name, TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap())
    });
    safetensors::serialize(views, None).unwrap()
}

/// Returns the tensors of a file.
fn weights(bytes: &[u8]) -> Result<Weights, Error> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    Weights::read(file)
}

fn read(config: &serde_json::Value) -> Result<Config, Error> {
    Config::read(config.to_string().as_bytes())
}

fn states(prefix: &str, activation: &str, wordpieces: &[u32]) -> Result<Vec<Vec<f32>>, Error> {
    let config = read(&config(activation))?;
    let file = file(prefix);
    let types = vec![0; wordpieces.len()];
    let states = Bert::load(&weights(&file)?, &config)?.forward(wordpieces, &types, States::All)?;
    Ok(states.rows().into_iter().map(|row| row.to_vec()).collect())
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
fn the_first_state_alone_equals_that_among_all() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/models");
    for name in ["bert", "mpnet", "xlm-roberta", "distilbert", "electra"] {
        let config = std::fs::read(models.join(name).join("config.json")).unwrap();
        let file = std::fs::read(models.join(name).join("model.safetensors")).unwrap();
        let bert = Bert::load(&weights(&file).unwrap(), &Config::read(&config).unwrap()).unwrap();
        let wordpieces: Vec<u32> = (1..30).collect();
        let read = |read| bert.forward(&wordpieces, &vec![0; wordpieces.len()], read).unwrap();
        let (all, first) = (read(States::All), read(States::First));
        assert_eq!((all.nrows(), first.nrows()), (29, 1), "{name}");
        let differences =
            all.row(0).iter().zip(first.row(0)).map(|(a, b)| (a - b).abs()).collect::<Vec<_>>();
        assert!(differences.iter().all(|difference| *difference < 1e-5), "{name}: {differences:?}");
    }
}

#[test]
fn a_sequence_beyond_the_positions_or_the_vocabulary_is_an_error() {
    assert!(matches!(states("", "gelu", &[1, 2, 3, 4]), Err(Error::TooLong(3))));
    assert!(matches!(states("", "gelu", &[5]), Err(Error::Vocabulary(5))));
}

#[test]
fn other_kinds_of_encoders_are_rejected() {
    for (name, value) in [
        ("position_embedding_type", json!("relative_key")),
        ("hidden_act", json!("silu")),
        ("num_attention_heads", json!(0)),
        ("num_attention_heads", json!(3)),
        ("is_decoder", json!(true)),
        ("auto_map", json!({"AutoModel": "modeling_bert.JinaBertModel"})),
    ] {
        let mut config = config("gelu");
        config[name] = value;
        assert!(read(&config).is_err(), "{name}");
    }
}

#[test]
fn other_architectures_are_rejected_by_name() {
    for name in ["modernbert", "new", "nomic_bert", "qwen3", "gemma3_text", "t5", "albert"] {
        let error = read(&json!({"model_type": name})).err().unwrap();
        assert!(matches!(error, Error::Architecture(architecture) if architecture == name));
    }
}

#[test]
fn a_tensor_of_another_shape_is_an_error_that_names_it() {
    let mut config = config("gelu");
    config["intermediate_size"] = json!(6);
    let config = read(&config).unwrap();
    let file = file("");
    let error = Bert::load(&weights(&file).unwrap(), &config).err().unwrap();
    let expected =
        "tensor encoder.layer.0.intermediate.dense.weight has the shape [8, 4] instead of [6, 4]";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn numbers_of_16_and_64_bits_are_read() {
    let numbers = [1.5, -0.25];
    for (dtype, bytes) in [
        (Dtype::F16, numbers.map(|number| half::f16::from_f64(number).to_le_bytes()).concat()),
        (Dtype::BF16, numbers.map(|number| half::bf16::from_f64(number).to_le_bytes()).concat()),
        (Dtype::F64, numbers.map(f64::to_le_bytes).concat()),
    ] {
        let view = TensorView::new(dtype, vec![2], &bytes).unwrap();
        let file = safetensors::serialize([("bias", view)], None).unwrap();
        let vector = weights(&file).unwrap().vector("bias", 2).unwrap();
        assert_eq!(vector.to_vec(), [1.5, -0.25], "{dtype:?}");
    }
}
