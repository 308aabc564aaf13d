//! Embedding services by name: each gets the request that its reference documents, and answers as it does.

use crate::embedding_service::{Reply, Request, Service};
use passage::embed::{
    ApiKey, EmbeddingKind, Error, Provider, RemoteEmbedder, ServiceConfig, ServiceError,
};
use passage_tests::cases;
use serde_json::{Value, json};
use std::num::NonZero;
use std::time::Duration;

const KEY: &str = "sk-xyzzy-hunter2";
const TEXT: &str = "xyzzy question";

/// A service as its vendor documents it.
#[derive(Debug)]
struct Documented {
    provider: Provider,
    /// The address that the user names, after the host.
    base: &'static str,
    /// The path of the request, with its query.
    path: &'static str,
    /// The header of the key, and its value before the key.
    key: (&'static str, &'static str),
    /// The body of a request for the embedding of a question in two dimensions.
    body: Value,
    /// The answer.
    answer: Value,
    /// The answer to an invalid key: its status and its body.
    invalid_key: (u16, Value),
}

fn documented() -> Vec<Documented> {
    let bearer = ("authorization", "Bearer ");
    let data = json!({"object": "list", "model": "m", "data": [{"object": "embedding", "index": 0, "embedding": [3, 4]}],
        "usage": {"prompt_tokens": 2, "total_tokens": 2}});
    vec![
        Documented {
            provider: Provider::OpenAi,
            base: "/v1",
            path: "/v1/embeddings",
            key: bearer,
            body: json!({"model": "m", "input": [TEXT], "encoding_format": "float", "dimensions": 2}),
            answer: data.clone(),
            invalid_key: (
                401,
                json!({"error": {"message": format!("Incorrect API key provided: {KEY}."),
                "type": "invalid_request_error", "param": null, "code": "invalid_api_key"}}),
            ),
        },
        Documented {
            provider: Provider::Azure,
            base: "/openai/deployments/small?api-version=2023-05-15",
            path: "/openai/deployments/small/embeddings?api-version=2023-05-15",
            key: ("api-key", ""),
            body: json!({"model": "m", "input": [TEXT], "encoding_format": "float", "dimensions": 2}),
            answer: data.clone(),
            invalid_key: (
                401,
                json!({"error": {"code": "401", "message": "Access denied due to invalid subscription key."}}),
            ),
        },
        Documented {
            provider: Provider::Ollama,
            base: "",
            path: "/api/embed",
            key: bearer,
            body: json!({"model": "m", "input": [TEXT], "truncate": true, "dimensions": 2}),
            answer: json!({"model": "m", "embeddings": [[3, 4]], "total_duration": 14_143_917}),
            invalid_key: (401, json!({"error": "unauthorized"})),
        },
        Documented {
            provider: Provider::Tei,
            base: "",
            path: "/embed",
            key: bearer,
            body: json!({"model": "m", "inputs": [TEXT], "truncate": true, "normalize": true, "dimensions": 2}),
            answer: json!([[3, 4]]),
            invalid_key: (401, json!({"error": "Unauthorized", "error_type": "Unauthorized"})),
        },
        Documented {
            provider: Provider::Voyage,
            base: "/v1",
            path: "/v1/embeddings",
            key: bearer,
            body: json!({"model": "m", "input": [TEXT], "input_type": "query", "truncation": true, "output_dimension": 2}),
            answer: data.clone(),
            invalid_key: (401, json!({"detail": "Provided API key is invalid."})),
        },
        Documented {
            provider: Provider::Cohere,
            base: "/v2",
            path: "/v2/embed",
            key: bearer,
            body: json!({"model": "m", "texts": [TEXT], "input_type": "search_query", "embedding_types": ["float"],
                "truncate": "END", "output_dimension": 2}),
            answer: json!({"id": "1", "texts": [TEXT], "embeddings": {"float": [[3, 4]]}, "response_type": "embeddings_by_type"}),
            invalid_key: (401, json!({"id": "1", "message": "invalid api token"})),
        },
        Documented {
            provider: Provider::Jina,
            base: "/v1",
            path: "/v1/embeddings",
            key: bearer,
            body: json!({"model": "m", "input": [TEXT], "task": "retrieval.query", "embedding_type": "float",
                "truncate": true, "dimensions": 2}),
            answer: data.clone(),
            invalid_key: (403, json!({"detail": "Invalid API key"})),
        },
        Documented {
            provider: Provider::Mistral,
            base: "/v1",
            path: "/v1/embeddings",
            key: bearer,
            body: json!({"model": "m", "input": [TEXT], "encoding_format": "float", "output_dimension": 2}),
            answer: data,
            invalid_key: (401, json!({"message": "Unauthorized", "request_id": "1"})),
        },
        Documented {
            provider: Provider::Gemini,
            base: "/v1beta",
            path: "/v1beta/models/m:batchEmbedContents",
            key: ("x-goog-api-key", ""),
            body: json!({"requests": [{"model": "models/m", "content": {"parts": [{"text": TEXT}]},
                "taskType": "RETRIEVAL_QUERY", "outputDimensionality": 2}]}),
            answer: json!({"embeddings": [{"values": [3, 4]}]}),
            invalid_key: (
                400,
                json!({"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.",
                "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID", "domain": "googleapis.com"}]}}),
            ),
        },
    ]
}

fn config(documented: &Documented, service: &Service) -> ServiceConfig {
    let url = format!("{}{}", service.origin(), documented.base);
    let mut config = ServiceConfig::of_provider(documented.provider, Some(&url), "m");
    config.key = Some(ApiKey::new(KEY));
    config.dimensions = NonZero::new(2);
    (config.retries, config.pause) = (0, Duration::from_millis(1));
    config
}

#[tokio::test]
async fn each_service_gets_the_request_that_it_documents() {
    for documented in cases(documented()) {
        let name = documented.provider.name();
        let answer = documented.answer.to_string();
        let service = Service::start(move |_, _| Reply::Status(200, vec![], answer.clone())).await;
        let config = config(&documented, &service);
        let embedding =
            RemoteEmbedder::embed_one(config.clone(), EmbeddingKind::Query, TEXT.into());
        assert_eq!(embedding.await.unwrap(), [0.6, 0.8], "{name}");
        let Request { path, headers, body, .. } = service.seen().remove(0);
        assert_eq!((&*path, &body), (documented.path, &documented.body), "{name}");
        let (header, scheme) = documented.key;
        assert_eq!(headers.get(header), Some(&format!("{scheme}{KEY}")), "{name}");
        let keys = headers.values().filter(|value| value.contains(KEY));
        assert_eq!(keys.count(), 1, "{name}");

        // The first request of a run is of a document.
        RemoteEmbedder::connect(config).await.unwrap();
        let document = service.seen().remove(1).body.to_string();
        for (query, kind) in [
            ("\"query\"", "\"document\""),
            ("search_query", "search_document"),
            ("retrieval.query", "retrieval.passage"),
            ("RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"),
        ] {
            let is_asymmetric = body.to_string().contains(query);
            assert_eq!(document.contains(kind), is_asymmetric, "{name}: {document}");
            assert!(!document.contains(query), "{name}: {document}");
        }
    }
}

#[tokio::test]
async fn an_invalid_key_is_named_and_no_message_has_the_key_or_the_text() {
    for documented in cases(documented()) {
        let name = documented.provider.name();
        let (status, body) = documented.invalid_key.clone();
        let echo = format!("{body}\n{TEXT}");
        let service = Service::start(move |_, _| Reply::Status(status, vec![], echo.clone())).await;
        let config = config(&documented, &service);
        let error =
            RemoteEmbedder::embed_one(config, EmbeddingKind::Query, TEXT.into()).await.unwrap_err();
        let message = format!("{error} {error:?} {}", error.remedy());
        assert!(
            !message.contains("xyzzy") && message.contains("PASSAGE_API_KEY"),
            "{name}: {message}"
        );
        let Error::Service { error, .. } = error else { panic!("{error}") };
        assert_eq!(error, ServiceError::Unauthorized(status), "{name}");
    }
}

#[tokio::test]
async fn batches_are_as_large_as_the_service_accepts() {
    for (provider, expected) in cases([(Provider::Tei, 32), (Provider::Cohere, 64)]) {
        let service = Service::start(move |_, asked| {
            let texts = asked.texts().len();
            let vectors = vec![[1, 0]; texts];
            Reply::Status(
                200,
                vec![],
                match provider {
                    Provider::Tei => json!(vectors).to_string(),
                    _ => json!({"embeddings": {"float": vectors}}).to_string(),
                },
            )
        })
        .await;
        let origin = service.origin();
        let config = ServiceConfig::of_provider(provider, Some(&origin), "m");
        let embedder =
            passage::embed::Embedder::from(RemoteEmbedder::connect(config).await.unwrap());
        let submit = move || {
            let text = |number: usize| format!("text {number}");
            (0..200)
                .map(|number| embedder.submit(EmbeddingKind::Document, text(number)))
                .collect::<Vec<_>>()
        };
        for pending in tokio::task::spawn_blocking(submit).await.unwrap() {
            assert_eq!(pending.wait().await.unwrap(), [1.0, 0.0]);
        }
        let largest = service.seen().iter().map(|asked| asked.texts().len()).max();
        assert_eq!(largest, Some(expected), "{}", provider.name());
    }
}
