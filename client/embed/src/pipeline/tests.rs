//! Folders that sentence-transformers reads, and settings that the client rejects by name.

use super::*;
use crate::prefixes::Prefixes;
use std::path::Path;
use tempfile::TempDir;

/// Returns a folder with files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    folder
}

const MODULES: &str = r#"[
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}
]"#;

fn read(files: &[(&str, &str)]) -> Result<String, Error> {
    let folder = folder(files);
    Ok(Pipeline::read(&Modules::read(folder.path())?, 4, &Checksums::of_user())?.to_string())
}

/// Returns the pooling of a file of settings.
fn pooling(settings: &str) -> Result<String, String> {
    let read = read(&[("modules.json", MODULES), ("1_Pooling/config.json", settings)]);
    read.map_err(|error| error.to_string().rsplit_once("model: ").unwrap().1.to_owned())
}

#[test]
fn a_folder_without_modules_has_the_normalized_mean() {
    assert_eq!(read(&[]).unwrap(), "mean, normalize");
    assert_eq!(
        read(&[("1_Pooling/config.json", r#"{"pooling_mode": "cls"}"#)]).unwrap(),
        "cls, normalize"
    );
    assert_eq!(read(&[("modules.json", MODULES)]).unwrap(), "mean");
}

#[test]
fn pooling_has_the_mode_of_its_flags_or_its_name() {
    for (settings, expected) in [
        ("{}", "mean"),
        (
            r#"{"word_embedding_dimension": 4, "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#,
            "cls",
        ),
        (r#"{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": true}"#, "cls + mean"),
        (r#"{"pooling_mode_lasttoken": true}"#, "lasttoken"),
        (
            r#"{"pooling_mode_max_tokens": true, "pooling_mode_weightedmean_tokens": true}"#,
            "max + weightedmean",
        ),
        (
            r#"{"pooling_mode": "mean_sqrt_len_tokens", "pooling_mode_cls_token": true}"#,
            "mean_sqrt_len_tokens",
        ),
        (
            r#"{"pooling_mode": ["lasttoken", "cls"], "embedding_dimension": 4, "include_prompt": true}"#,
            "lasttoken + cls",
        ),
    ] {
        assert_eq!(pooling(settings).unwrap(), expected, "{settings}");
    }
}

#[test]
fn unsupported_pooling_is_rejected_by_name() {
    for (settings, expected) in [
        (r#"{"pooling_mode": "attention"}"#, "the pooling mode \"attention\" is not supported"),
        (r#"{"pooling_mode": ["mean", "median"]}"#, "the pooling mode \"median\" is not supported"),
        (
            r#"{"include_prompt": false}"#,
            "include_prompt is false, and the client cannot leave out prompts",
        ),
        (
            r#"{"word_embedding_dimension": 8}"#,
            "it pools states of 8 numbers, and the encoder has 4",
        ),
        (
            r#"{"pooling_mode_cls_token": "yes"}"#,
            "invalid type: string \"yes\", expected a boolean at line 1 column 33",
        ),
    ] {
        assert_eq!(pooling(settings).unwrap_err(), expected, "{settings}");
    }
}

#[test]
fn modules_that_are_not_implemented_are_rejected_by_name() {
    let error = |modules: &str| read(&[("modules.json", modules)]).unwrap_err().to_string();
    let with = |entry: &str| MODULES.replace("}\n]", &format!("}}, {entry}]"));
    for (modules, expected) in [
        (
            with(r#"{"path": "2_CNN", "type": "sentence_transformers.models.CNN"}"#),
            "the module sentence_transformers.models.CNN is not supported",
        ),
        (
            with(r#"{"path": "../2", "type": "sentence_transformers.models.Normalize"}"#),
            "the path \"../2\" leads out of the folder",
        ),
        (
            with(r#"{"path": "/2", "type": "sentence_transformers.models.Normalize"}"#),
            "the path \"/2\" leads out of the folder",
        ),
        (
            MODULES.replace("sentence_transformers.models.T", "custom_st.T"),
            "Transformer is missing",
        ),
        (MODULES.replace("Pooling\"}", "SpladePooling\"}"), "Pooling is missing"),
        ("[]".into(), "Transformer is missing"),
        ("[".into(), "EOF while parsing"),
    ] {
        let error = error(&modules);
        assert!(error.contains(expected) && error.contains("modules.json"), "{modules}: {error}");
    }
}

#[test]
fn modules_may_be_in_folders_of_their_own() {
    let modules = MODULES.replace("\"path\": \"\"", "\"path\": \"0_Transformer\"");
    let folder = folder(&[("modules.json", &modules)]);
    let modules = Modules::read(folder.path()).unwrap();
    assert_eq!(modules.encoder, folder.path().join("0_Transformer"));
    assert!(!modules.are_assumed);
}

#[test]
fn unsupported_layers_are_rejected_by_name() {
    let modules = MODULES.replace(
        "}\n]",
        r#"}, {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]"#,
    );
    let tanh = r#""activation_function": "torch.nn.modules.activation.Tanh""#;
    for (settings, expected) in [
        (format!(r#"{{"in_features": 8, "out_features": 2, {tanh}}}"#), "in_features is 8, and the module before has 4 dimensions"),
        (format!(r#"{{"in_features": 4, "out_features": 2, "use_residual": true, {tanh}}}"#), "use_residual is not supported"),
        (format!(r#"{{"in_features": 4, "out_features": 2, "module_input_name": "token_embeddings", {tanh}}}"#), "a layer for \"token_embeddings\" is not supported"),
        (r#"{"in_features": 4, "out_features": 2, "activation_function": "torch.nn.modules.activation.GLU"}"#.into(), "the function torch.nn.modules.activation.GLU is not supported"),
        (format!(r#"{{"in_features": 4, "out_features": 2, {tanh}}}"#), "cannot read file"),
    ] {
        let files = [("modules.json", &*modules), ("2_Dense/config.json", &settings)];
        let error = read(&files).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("2_Dense"), "{settings}: {error}");
    }
}

#[test]
fn length_and_case_come_from_the_first_file_that_says_them() {
    let sequence = |files: &[(&str, &str)]| Sequence::read(folder(files).path()).unwrap();
    let tokenizer = ("tokenizer_config.json", r#"{"model_max_length": 128}"#);
    let none =
        ("tokenizer_config.json", r#"{"model_max_length": 1000000000000000019884624838656}"#);
    let old = ("sentence_roberta_config.json", r#"{"max_seq_length": 75, "do_lower_case": true}"#);
    let new = ("sentence_bert_config.json", r#"{"max_seq_length": null, "do_lower_case": false}"#);
    assert_eq!(sequence(&[]), Sequence::default());
    assert_eq!(sequence(&[tokenizer, new]).limit, Some(128));
    assert_eq!(sequence(&[none]).limit, Some(usize::MAX));
    assert_eq!(sequence(&[tokenizer, old]), Sequence { limit: Some(75), is_lowercase: true });
}

#[test]
fn prefixes_are_the_prompts_with_the_usual_names() {
    let read = |settings: &str| {
        let folder = folder(&[("config_sentence_transformers.json", settings)]);
        read_prefixes(folder.path())
    };
    for (settings, query, document) in [
        ("{}", "", ""),
        (r#"{"prompts": {}, "default_prompt_name": null}"#, "", ""),
        (r#"{"prompts": {"query": "query: ", "passage": "passage: "}}"#, "query: ", "passage: "),
        (r#"{"prompts": {"query": "q: ", "document": "", "passage": "p: "}}"#, "q: ", "p: "),
        (r#"{"prompts": {"all": "a: "}, "default_prompt_name": "all"}"#, "a: ", "a: "),
        (
            r#"{"prompts": {"query": "q: ", "document": ""}, "default_prompt_name": "query"}"#,
            "q: ",
            "",
        ),
    ] {
        let expected = Prefixes { query: query.into(), document: document.into() };
        assert_eq!(read(settings).unwrap(), expected, "{settings}");
    }
    assert_eq!(read_prefixes(Path::new("/nowhere")).unwrap(), Prefixes::default());
    let error = read(r#"{"prompts": {}, "default_prompt_name": "all"}"#).unwrap_err().to_string();
    assert!(error.contains("the default prompt \"all\" is missing"), "{error}");
}

#[test]
fn a_folder_may_list_the_dimensions_that_the_model_is_trained_for() {
    for (config, expected) in [
        ("{}", Matryoshka::Unknown),
        (r#"{"is_matryoshka": false, "matryoshka_dimensions": []}"#, Matryoshka::Unknown),
        (r#"{"is_matryoshka": true}"#, Matryoshka::Any),
        (
            r#"{"is_matryoshka": true, "matryoshka_dimensions": [2, 3]}"#,
            Matryoshka::Only(vec![2, 3]),
        ),
    ] {
        let folder = folder(&[("config.json", config)]);
        assert_eq!(Matryoshka::read(folder.path()).unwrap(), expected, "{config}");
    }
    let folder = folder(&[("config.json", r#"{"matryoshka_dimensions": 2}"#)]);
    assert!(Matryoshka::read(folder.path()).is_err());
}
