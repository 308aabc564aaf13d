//! Small models with random weights, against the vectors that sentence-transformers computes with them.
//!
//! `tests/fixtures/models/make_models.py` has written the models and the vectors. `PASSAGE_REFERENCE` names another folder of
//! models with a file `expected.json`, for example of real ones.

use crate::{Embedder, Embedding, Model, Pool};
use serde::Deserialize;
use serde_json::Value;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file with the vectors.
#[derive(Deserialize)]
struct Expected {
    texts: Vec<String>,
    cases: Vec<Case>,
}

/// A model with the vector of each text.
#[derive(Deserialize)]
struct Case {
    model: String,
    length: usize,
    vectors: Vec<Embedding>,
    /// The vector of the third text as a question, and of the second as a document.
    query: Option<Embedding>,
    document: Option<Embedding>,
}

/// The difference of two numbers, as a share of the length of their vectors.
const TOLERANCE: f32 = 2e-5;

fn folder(model: &str) -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/models");
    std::env::var_os("PASSAGE_REFERENCE").map_or_else(own, PathBuf::from).join(model)
}

fn expected() -> Expected {
    let file = std::fs::read(folder("expected.json")).expect("the file is a part of the project");
    serde_json::from_slice(&file).expect("the script writes this form")
}

fn load(model: &str) -> Arc<Model> {
    Model::load(&folder(model)).unwrap_or_else(|error| panic!("{error}"))
}

/// Asserts that a text has a vector.
fn assert_vector(model: &Model, text: &str, expected: &Embedding, case: &str) {
    let actual = model.embed(text).unwrap();
    assert_eq!(actual.len(), expected.len(), "{case}");
    let length = expected.iter().map(|number| number * number).sum::<f32>().sqrt();
    let differences = actual.iter().zip(expected).map(|(a, b)| (a - b).abs() / length);
    let largest = differences.fold(0.0, f32::max);
    assert!(largest < TOLERANCE, "{case}: the vector of {text:?} differs by {largest:e}");
}

#[test]
fn vectors_equal_those_of_sentence_transformers() {
    let Expected { texts, cases } = expected();
    for Case { model: name, length, vectors, .. } in cases {
        let model = load(&name);
        assert_eq!(model.limit(), length, "{name}");
        assert_eq!(model.dimensions(), vectors[0].len(), "{name}");
        for (text, vector) in texts.iter().zip(&vectors) {
            assert_vector(&model, text, vector, &name);
        }
    }
}

#[test]
fn prefixes_of_the_folder_give_the_vectors_of_encode_query_and_encode_document() {
    let Expected { texts, cases } = expected();
    let case = cases.into_iter().find(|case| case.query.is_some()).unwrap();
    let model = load(&case.model);
    let prefixes = model.prefixes();
    let question = format!("{}{}", prefixes.query, texts[2]);
    assert_vector(&model, &question, &case.query.unwrap(), "query");
    let document = format!("{}{}", prefixes.document, texts[1]);
    assert_vector(&model, &document, &case.document.unwrap(), "document");
}

#[test]
fn fewer_dimensions_are_those_that_the_folder_lists() {
    let listed = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(folder("bare")).unwrap() {
        let path = file.unwrap().path();
        std::fs::copy(&path, listed.path().join(path.file_name().unwrap())).unwrap();
    }
    let path = listed.path().join("config.json");
    let mut config: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    config["matryoshka_dimensions"] = vec![4, 8].into();
    std::fs::write(&path, config.to_string()).unwrap();
    let model = Model::load(listed.path()).unwrap();
    let embedder = || Embedder::from(Pool::new(&model, NonZero::new(1)).unwrap());
    let with = |dimensions| embedder().with_dimensions(NonZero::new(dimensions));
    assert_eq!(with(4).unwrap().dimensions(), 4);
    assert_eq!(with(model.dimensions()).unwrap().dimensions(), model.dimensions());
    let error = with(5).err().unwrap().to_string();
    assert_eq!(error, "the embedding model is not trained for 5 dimensions, but for 4, 8");
}

#[test]
fn a_folder_with_an_encoder_alone_has_the_mean_and_says_so() {
    assert_eq!(load("bare").assumptions(), ["modules.json, so the vector is: mean, normalize"]);
    assert!(load("bert").assumptions().is_empty());
    assert_eq!(load("bert").prefixes().query, "");
}
