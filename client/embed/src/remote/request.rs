//! A request for embeddings, as the API of its service documents it.

use super::ServiceConfig;
use super::provider::{Path, Preset};
use crate::service::{Failure, HttpService};
use crate::{Embedding, EmbeddingKind};
use serde_json::{Map, Value, json};

/// Requests the embeddings of texts of a kind, and returns them in the same order, normalized to length 1.
pub(super) async fn request(
    service: &HttpService,
    config: &ServiceConfig,
    kind: EmbeddingKind,
    texts: &[String],
) -> Result<Vec<Embedding>, Failure> {
    let preset = config.provider.preset();
    let content = body(preset, config, kind, texts);
    preset.shape.embeddings(&service.post(&content).await?, texts.len())
}

/// Returns the body of a request.
fn body(preset: &Preset, config: &ServiceConfig, kind: EmbeddingKind, texts: &[String]) -> Value {
    let mut fields: Map<String, Value> =
        serde_json::from_str(&format!("{{{}}}", preset.fields)).expect("a test reads all presets");
    if let Some((field, value)) = preset.kind_field(kind) {
        fields.insert(field.into(), value.into());
    }
    if let Some(dimensions) = config.dimensions {
        fields.insert(preset.dimensions.into(), dimensions.get().into());
    }
    if let Path::Model = preset.path {
        // Each text is a request of its own, with all fields.
        fields.insert("model".into(), super::address::resource(&config.model).into());
        let request = |text: &String| {
            let mut request = fields.clone();
            request.insert("content".into(), json!({"parts": [{"text": text}]}));
            Value::Object(request)
        };
        return json!({ preset.texts: texts.iter().map(request).collect::<Vec<_>>() });
    }
    fields.insert("model".into(), (*config.model).into());
    fields.insert(preset.texts.into(), texts.into());
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;
    use std::num::NonZero;

    fn body_of(provider: Provider, kind: EmbeddingKind, dimensions: Option<usize>) -> Value {
        let mut config = ServiceConfig::of_provider(provider, None, "m");
        config.dimensions = dimensions.and_then(NonZero::new);
        body(provider.preset(), &config, kind, &["a".into(), "b".into()])
    }

    #[test]
    fn the_body_has_the_fields_of_its_service() {
        let (query, document) = (EmbeddingKind::Query, EmbeddingKind::Document);
        let texts = json!(["a", "b"]);
        assert_eq!(
            body_of(Provider::OpenAi, query, None),
            json!({"model": "m", "input": texts, "encoding_format": "float"})
        );
        assert_eq!(
            body_of(Provider::Voyage, query, Some(256)),
            json!({"model": "m", "input": texts, "input_type": "query", "output_dimension": 256, "truncation": true})
        );
        let requests = ["a", "b"].map(|text| {
            json!({"model": "models/m", "content": {"parts": [{"text": text}]},
                "taskType": "RETRIEVAL_DOCUMENT", "outputDimensionality": 8})
        });
        let expected = json!({ "requests": requests });
        assert_eq!(body_of(Provider::Gemini, document, Some(8)), expected);
    }
}
