//! The presets of embedding services, each from the reference of its API.

use crate::EmbeddingKind;
use crate::remote::response::Shape;

/// The facts about a service that its requests need.
pub(in crate::remote) struct Preset {
    pub(super) name: &'static str,
    /// The base address; `None` if each user has another one.
    pub(super) address: Option<&'static str>,
    /// The last part of the path.
    pub(in crate::remote) path: Path,
    /// The variables with the key, in order of preference.
    pub(super) keys: &'static [&'static str],
    /// The ends of the hosts that these keys belong to.
    pub(super) key_hosts: &'static [&'static str],
    /// The header of the key; `None` for a bearer token.
    pub(in crate::remote) key_header: Option<&'static str>,
    /// The field with the texts.
    pub(in crate::remote) texts: &'static str,
    /// The field with the kind of the texts, and its values for questions and documents.
    pub(in crate::remote) kind: Option<(&'static str, [&'static str; 2])>,
    /// The field with the dimensions.
    pub(in crate::remote) dimensions: &'static str,
    /// The other fields, as members of a JSON object.
    pub(in crate::remote) fields: &'static str,
    /// The shape of the answer.
    pub(in crate::remote) shape: Shape,
    /// The maximum number of texts in a request.
    pub(super) max_texts: usize,
}

/// The last part of the path of a request.
pub(in crate::remote) enum Path {
    /// The same for all models.
    Fixed(&'static str),
    /// `openai/deployments/MODEL/embeddings` below a host, with the version of the API.
    Deployment,
    /// `models/MODEL:batchEmbedContents`, and a request for each text.
    Model,
}

impl Preset {
    /// Returns the name and the value of the field with the kind of the texts.
    pub(in crate::remote) fn kind_field(
        &self,
        kind: EmbeddingKind,
    ) -> Option<(&'static str, &'static str)> {
        let (field, [query, document]) = self.kind?;
        Some((
            field,
            match kind {
                EmbeddingKind::Query => query,
                EmbeddingKind::Document => document,
            },
        ))
    }
}

/// The preset of a service with the API of `OpenAI`.
///
/// Source: <https://platform.openai.com/docs/api-reference/embeddings/create>
pub(super) const OPENAI: Preset = Preset {
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

/// The preset of a deployment in Azure `OpenAI`.
///
/// Source: <https://learn.microsoft.com/azure/ai-foundry/openai/reference>
pub(super) const AZURE: Preset = Preset {
    name: "azure",
    address: None,
    path: Path::Deployment,
    keys: &["AZURE_OPENAI_API_KEY"],
    key_hosts: &[".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"],
    key_header: Some("api-key"),
    ..OPENAI
};

/// The preset of Ollama.
///
/// Source: <https://docs.ollama.com/api/embed>
pub(super) const OLLAMA: Preset = Preset {
    name: "ollama",
    address: Some("http://localhost:11434"),
    path: Path::Fixed("api/embed"),
    keys: &[],
    key_hosts: &[],
    fields: r#""truncate": true"#,
    shape: Shape::Embeddings,
    ..OPENAI
};

/// The preset of Text Embeddings Inference.
///
/// `max_client_batch_size` is 32 by default. Its prompts are those of the model's folder, which may lack them, so prefixes are those of the options.
///
/// Source: <https://huggingface.github.io/text-embeddings-inference>
pub(super) const TEI: Preset = Preset {
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
};

/// The preset of Voyage AI.
///
/// Source: <https://docs.voyageai.com/reference/embeddings-api>
pub(super) const VOYAGE: Preset = Preset {
    name: "voyage",
    address: Some("https://api.voyageai.com/v1"),
    keys: &["VOYAGE_API_KEY"],
    key_hosts: &["api.voyageai.com"],
    kind: Some(("input_type", ["query", "document"])),
    dimensions: "output_dimension",
    fields: r#""truncation": true"#,
    max_texts: 1_000,
    ..OPENAI
};

/// The preset of Cohere.
///
/// Source: <https://docs.cohere.com/reference/embed>
pub(super) const COHERE: Preset = Preset {
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
};

/// The preset of Jina AI.
///
/// Source: <https://api.jina.ai/redoc#tag/embeddings>
pub(super) const JINA: Preset = Preset {
    name: "jina",
    address: Some("https://api.jina.ai/v1"),
    keys: &["JINA_API_KEY"],
    key_hosts: &["api.jina.ai"],
    kind: Some(("task", ["retrieval.query", "retrieval.passage"])),
    fields: r#""embedding_type": "float", "truncate": true"#,
    max_texts: 512,
    ..OPENAI
};

/// The preset of Mistral AI.
///
/// Source: <https://docs.mistral.ai/api/endpoint/embeddings>
pub(super) const MISTRAL: Preset = Preset {
    name: "mistral",
    address: Some("https://api.mistral.ai/v1"),
    keys: &["MISTRAL_API_KEY"],
    key_hosts: &["api.mistral.ai"],
    dimensions: "output_dimension",
    ..OPENAI
};

/// The preset of the Gemini API.
///
/// Source: <https://ai.google.dev/api/embeddings>
pub(super) const GEMINI: Preset = Preset {
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
};
