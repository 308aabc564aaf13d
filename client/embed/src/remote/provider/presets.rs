//! The presets of embedding services, each from the reference of its API.

use super::{Path, Preset, Provider};
use crate::remote::response::Shape;

/// The preset of a service with the API of `OpenAI`.
///
/// Source: <https://platform.openai.com/docs/api-reference/embeddings/create>
const OPENAI: Preset = Preset {
    provider: Provider::OpenAi,
    name: "openai",
    address: Some("https://api.openai.com/v1"),
    path: Path::Fixed("embeddings"),
    keys: &["OPENAI_API_KEY"],
    key_hosts: &["api.openai.com"],
    key_header: None,
    texts: "input",
    kind: None,
    dimensions: "dimensions",
    fields: r#""encoding_format": "float""#,
    shape: Shape::Data,
    max_texts: 2_048,
};

/// All presets.
pub(super) const PRESETS: [Preset; 9] = [
    OPENAI,
    // https://learn.microsoft.com/azure/ai-foundry/openai/reference
    Preset {
        provider: Provider::Azure,
        name: "azure",
        address: None,
        path: Path::Deployment,
        keys: &["AZURE_OPENAI_API_KEY"],
        key_hosts: &[".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"],
        key_header: Some("api-key"),
        ..OPENAI
    },
    // https://docs.ollama.com/api/embed
    Preset {
        provider: Provider::Ollama,
        name: "ollama",
        address: Some("http://localhost:11434"),
        path: Path::Fixed("api/embed"),
        keys: &[],
        key_hosts: &[],
        fields: r#""truncate": true"#,
        shape: Shape::Embeddings,
        ..OPENAI
    },
    // https://huggingface.github.io/text-embeddings-inference: `max_client_batch_size` is 32 by default. Its prompts
    // are those of the model's folder, which may lack them, so prefixes are those of the options.
    Preset {
        provider: Provider::Tei,
        name: "tei",
        address: Some("http://localhost:8080"),
        path: Path::Fixed("embed"),
        keys: &[],
        key_hosts: &[],
        texts: "inputs",
        fields: r#""truncate": true, "normalize": true"#,
        shape: Shape::List,
        max_texts: 32,
        ..OPENAI
    },
    // https://docs.voyageai.com/reference/embeddings-api
    Preset {
        provider: Provider::Voyage,
        name: "voyage",
        address: Some("https://api.voyageai.com/v1"),
        keys: &["VOYAGE_API_KEY"],
        key_hosts: &["api.voyageai.com"],
        kind: Some(("input_type", ["query", "document"])),
        dimensions: "output_dimension",
        fields: r#""truncation": true"#,
        max_texts: 1_000,
        ..OPENAI
    },
    // https://docs.cohere.com/reference/embed
    Preset {
        provider: Provider::Cohere,
        name: "cohere",
        address: Some("https://api.cohere.com/v2"),
        path: Path::Fixed("embed"),
        keys: &["CO_API_KEY", "COHERE_API_KEY"],
        key_hosts: &["api.cohere.com"],
        texts: "texts",
        kind: Some(("input_type", ["search_query", "search_document"])),
        dimensions: "output_dimension",
        fields: r#""embedding_types": ["float"], "truncate": "END""#,
        shape: Shape::Floats,
        max_texts: 96,
        ..OPENAI
    },
    // https://api.jina.ai/redoc#tag/embeddings
    Preset {
        provider: Provider::Jina,
        name: "jina",
        address: Some("https://api.jina.ai/v1"),
        keys: &["JINA_API_KEY"],
        key_hosts: &["api.jina.ai"],
        kind: Some(("task", ["retrieval.query", "retrieval.passage"])),
        fields: r#""embedding_type": "float", "truncate": true"#,
        max_texts: 512,
        ..OPENAI
    },
    // https://docs.mistral.ai/api/endpoint/embeddings
    Preset {
        provider: Provider::Mistral,
        name: "mistral",
        address: Some("https://api.mistral.ai/v1"),
        keys: &["MISTRAL_API_KEY"],
        key_hosts: &["api.mistral.ai"],
        dimensions: "output_dimension",
        ..OPENAI
    },
    // https://ai.google.dev/api/embeddings
    Preset {
        provider: Provider::Gemini,
        name: "gemini",
        address: Some("https://generativelanguage.googleapis.com/v1beta"),
        path: Path::Model,
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        key_hosts: &["generativelanguage.googleapis.com"],
        key_header: Some("x-goog-api-key"),
        texts: "requests",
        kind: Some(("taskType", ["RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"])),
        dimensions: "outputDimensionality",
        fields: "",
        shape: Shape::Values,
        max_texts: 100,
        ..OPENAI
    },
];
