//! Cross-encoders against the scores of sentence-transformers, and folders that are not those of a rerank model.
//!
//! `fixtures/rerank/reference.py` made the models and their scores.

use passage_embed::rerank::{CrossEncoder, CrossEncoderPool, Error};
use std::fs;
use std::path::{Path, PathBuf};

const MODELS: [&str; 7] = [
    "bert",
    "bert-sigmoid",
    "bert-without-types",
    "bert-before-4",
    "xlm-roberta",
    "roberta",
    "camembert",
];

/// The maximum difference of a score.
const TOLERANCE: f64 = 2e-5;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rerank").join(name)
}

/// Returns the question, the text and the score of each pair.
fn reference(name: &str) -> Vec<(String, String, f64)> {
    let file = fs::read_to_string(folder(name).join("scores.json")).unwrap();
    serde_json::from_str(&file).unwrap()
}

#[test]
fn scores_equal_those_of_sentence_transformers() {
    for name in MODELS {
        let model = CrossEncoder::load(&folder(name)).unwrap();
        for (question, text, expected) in reference(name) {
            let score = model.score(&question, &text).unwrap();
            let difference = (score - expected).abs();
            assert!(
                difference < TOLERANCE,
                "{name}: {score} instead of {expected} for {question}, {text}"
            );
        }
    }
}

#[test]
fn the_end_of_a_long_text_has_no_influence_and_the_end_of_the_question_has() {
    let model = CrossEncoder::load(&folder("bert")).unwrap();
    let score = |question: &str, text: &str| model.score(question, text).unwrap().to_bits();
    let question = "how do I close the valve";
    let long = "the door ".repeat(20);
    assert_eq!(score(question, &long), score(question, &(long.clone() + "is open")));
    assert_ne!(score(question, &long), score("how do I close the water", &long));
}

#[tokio::test]
async fn a_pool_returns_the_score_of_each_text_in_order() {
    let model = CrossEncoder::load(&folder("xlm-roberta")).unwrap();
    let pool = CrossEncoderPool::new(&model, None).unwrap();
    let texts: Vec<String> = (0..40).map(|number| "door ".repeat(number)).collect();
    let expected: Vec<f64> = texts.iter().map(|text| model.score("open", text).unwrap()).collect();
    assert_eq!(pool.scores("open", texts).await.unwrap(), expected);
    assert_eq!(pool.scores("open", vec![]).await.unwrap(), [0.0; 0]);
}

/// Returns the folder of a model with one file changed.
fn changed(name: &str, file: &str, change: impl FnOnce(String) -> String) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder(name)).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    }
    let path = copy.path().join(file);
    // The header of the weights is a text, and so are the numbers for this purpose.
    let text: String = fs::read(&path).unwrap().into_iter().map(char::from).collect();
    let text = change(text);
    fs::write(&path, text.chars().map(|char| char as u8).collect::<Vec<_>>()).unwrap();
    copy
}

#[test]
fn other_models_are_refused_by_name_with_a_remedy() {
    let replaced = |from: &'static str, to: &'static str| {
        move |text: String| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        }
    };
    let config = "config.json";
    for (copy, cause) in [
        (
            changed("bert", config, replaced("\"bert\"", "\"modernbert\"")),
            "models of the type \"modernbert\" do not run in this process",
        ),
        (
            changed(
                "bert",
                "model.safetensors",
                replaced("\"classifier.weight\"", "\"classifiex.weight\""),
            ),
            "it has no tensor classifier.weight, so it does not score pairs of texts",
        ),
        (
            changed(
                "roberta",
                "model.safetensors",
                replaced("classifier.out_proj.bias", "classifier.out_proj.bxas"),
            ),
            "it has no tensor classifier.out_proj.bias",
        ),
        (
            changed("bert", "model.safetensors", replaced("[1,16]", "[2, 8]")),
            "its classifier has 2 labels instead of one",
        ),
        (
            changed("bert", config, replaced("Identity", "Tanh")),
            "its activation is torch.nn.modules.linear.Tanh",
        ),
        (
            changed("bert", "tokenizer.json", |text| {
                let mut tokenizer: serde_json::Value = serde_json::from_str(&text).unwrap();
                tokenizer["post_processor"] = serde_json::Value::Null;
                tokenizer.to_string()
            }),
            "its tokenizer adds no special wordpieces to a pair of texts",
        ),
        (
            changed("bert", "tokenizer.json", |_| "{}".into()),
            "tokenizer.json does not contain a supported rerank model",
        ),
        (
            changed("bert", "tokenizer_config.json", replaced("24", "4")),
            "it reads only 4 wordpieces",
        ),
        (changed("bert", config, |_| "{".into()), "EOF"),
    ] {
        let error = CrossEncoder::load(copy.path()).err().unwrap_or_else(|| panic!("{cause}"));
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains(cause), "{error}");
        assert!(
            error.remedy().contains("cross-encoder/ms-marco-MiniLM-L6-v2"),
            "{}",
            error.remedy()
        );
    }
}

#[test]
fn a_missing_file_is_an_error_that_names_it() {
    for name in ["model.safetensors", "tokenizer.json", "config.json"] {
        let copy = changed("bert", name, |text| text);
        fs::remove_file(copy.path().join(name)).unwrap();
        let error = CrossEncoder::load(copy.path()).err().unwrap();
        assert!(
            matches!(error, Error::Unreadable { .. }) && error.to_string().contains(name),
            "{error}"
        );
    }
    // A folder without the configuration of the tokenizer has the window of the model.
    let copy = changed("bert", "tokenizer_config.json", |_| String::new());
    fs::remove_file(copy.path().join("tokenizer_config.json")).unwrap();
    CrossEncoder::load(copy.path()).unwrap();
}
