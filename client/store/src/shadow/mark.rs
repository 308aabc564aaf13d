/*!
The mark of a shadow store: the settings of the reindex that fills it.

A later run resumes an interrupted one only if both have the same mark. The mark is stored in the
database, so its format has a version and each of its fields is named.
*/

use super::super::admin::EmbeddingModel;
use super::layout::ShadowOptions;
use serde_json::{Value, json};

/// The version of the format. Earlier versions of the client wrote marks without one.
const FORMAT: u32 = 4;

/// The decision of a run about an existing shadow store.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Resumption {
    /// Continue: the settings are the same.
    Continue,
    /// Drop it and create a new one: its mark has another format, so the settings cannot be compared.
    StartAgain,
    /// Refuse: the settings differ.
    Refuse,
}

/// Returns the mark of a reindex of the store whose schema has this oid.
pub(super) fn mark(oid: u32, options: &ShadowOptions) -> Value {
    let model = options.model.as_ref();
    json!({
        "format": FORMAT,
        "of": oid,
        "model": model.map(model_mark),
        "embedding_type": options.embedding_type,
        "language": options.language,
        "splitting": options.splitting,
    })
}

/// Returns the part of a mark that describes a model.
fn model_mark(EmbeddingModel { name, dimensions, prefixes }: &EmbeddingModel) -> Value {
    json!({"name": name, "dimensions": dimensions, "prefixes": prefixes})
}

/// Compares the mark of an existing shadow store with that of this run.
pub(super) fn resumption(existing: &Value, mark: &Value) -> Resumption {
    if existing["format"] != mark["format"] {
        Resumption::StartAgain
    } else if existing == mark {
        Resumption::Continue
    } else {
        Resumption::Refuse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(overlap: u32) -> ShadowOptions {
        ShadowOptions {
            model: Some(EmbeddingModel {
                name: "other".into(),
                dimensions: 64,
                prefixes: Some(json!({"query": "", "document": ""})),
            }),
            embedding_type: None,
            language: None,
            splitting: json!({"unit": "characters", "max": 1_000, "overlap": overlap}),
        }
    }

    #[test]
    fn a_run_resumes_one_with_the_same_settings_and_refuses_others() {
        let this = mark(42, &options(0));
        assert_eq!(resumption(&mark(42, &options(0)), &this), Resumption::Continue);
        assert_eq!(resumption(&mark(42, &options(20)), &this), Resumption::Refuse);
        assert_eq!(resumption(&mark(43, &options(0)), &this), Resumption::Refuse);
    }

    #[test]
    fn a_run_starts_again_if_the_mark_has_another_format() {
        let this = mark(42, &options(0));
        let limits = "Limits { min: 200, preferred: 600, max: 1000, window: 1250 }";
        let unversioned = json!({
            "of": 42, "model": ["other", 64], "embedding_type": null, "language": null,
            "splitting": {"unit": "characters", "limits": limits, "overlap": 0, "version": 7},
        });
        let mut newer = this.clone();
        newer["format"] = (FORMAT + 1).into();
        for existing in [unversioned, newer, json!({}), json!("x"), Value::Null] {
            assert_eq!(resumption(&existing, &this), Resumption::StartAgain, "{existing}");
        }
    }
}
