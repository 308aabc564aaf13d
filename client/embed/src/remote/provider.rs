/*!
The embedding services that the client knows by name: addresses, keys, fields and limits.

Each service documents its own request. The table has what differs; [`request`](super::request) writes a request
from it, and [`response`](super::response) reads the answers. A store does not record the service: each run names it
with its key, and the name of the model, which the store records, differs between services.
*/

mod presets;

use super::response::Shape;
use crate::EmbeddingKind;
use presets::PRESETS;
use reqwest::Url;

/// An embedding service with an API of its own.
///
/// # Examples
///
/// ```
/// use passage_embed::Provider;
///
/// let provider = Provider::from_name("voyage").unwrap();
/// assert_eq!(provider.address(), Some("https://api.voyageai.com/v1"));
/// assert_eq!(provider.key_variables("https://api.voyageai.com/v1"), ["VOYAGE_API_KEY"]);
/// // The key of a service goes to that service alone.
/// assert!(provider.key_variables("https://proxy.example/v1").is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provider {
    /// `OpenAI`, and the many services with its API.
    #[default]
    OpenAi,
    /// Azure `OpenAI`: a deployment in a resource of the user.
    Azure,
    /// Ollama.
    Ollama,
    /// Text Embeddings Inference.
    Tei,
    /// Voyage AI.
    Voyage,
    /// Cohere.
    Cohere,
    /// Jina AI.
    Jina,
    /// Mistral AI.
    Mistral,
    /// The Gemini API.
    Gemini,
}

/// What the client knows of a service.
pub(super) struct Preset {
    provider: Provider,
    name: &'static str,
    /// The base address; `None` if each user has another one.
    address: Option<&'static str>,
    /// The last part of the path.
    pub(super) path: Path,
    /// The variables with the key, in order of preference.
    keys: &'static [&'static str],
    /// The ends of the hosts that these keys belong to.
    key_hosts: &'static [&'static str],
    /// The header of the key; `None` for a bearer token.
    pub(super) key_header: Option<&'static str>,
    /// The field with the texts.
    pub(super) texts: &'static str,
    /// The field with the kind of the texts, and its values for questions and documents.
    pub(super) kind: Option<(&'static str, [&'static str; 2])>,
    /// The field with the dimensions.
    pub(super) dimensions: &'static str,
    /// The other fields, as members of a JSON object.
    pub(super) fields: &'static str,
    /// The shape of the answer.
    pub(super) shape: Shape,
    /// The maximum number of texts in a request.
    max_texts: usize,
}

/// The last part of the path of a request.
pub(super) enum Path {
    /// The same for all models.
    Fixed(&'static str),
    /// `openai/deployments/MODEL/embeddings` below a host, with the version of the API.
    Deployment,
    /// `models/MODEL:batchEmbedContents`, and a request for each text.
    Model,
}

impl Provider {
    /// All services.
    pub const ALL: [Self; 9] = [
        Self::OpenAi,
        Self::Azure,
        Self::Ollama,
        Self::Tei,
        Self::Voyage,
        Self::Cohere,
        Self::Jina,
        Self::Mistral,
        Self::Gemini,
    ];

    /// Returns the name in options.
    pub fn name(self) -> &'static str {
        self.preset().name
    }

    /// Returns the service with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }

    /// Returns the base address; `None` if each user has another one.
    pub fn address(self) -> Option<&'static str> {
        self.preset().address
    }

    /// Returns the maximum number of texts in a request.
    pub fn max_texts(self) -> usize {
        self.preset().max_texts
    }

    /// Returns the variables with the key for an address; none for another host than that of the service.
    pub fn key_variables(self, address: &str) -> &'static [&'static str] {
        let preset = self.preset();
        let Ok(url) = Url::parse(address) else { return &[] };
        let host = url.host_str().unwrap_or_default();
        let is_of = |end: &&str| match end.strip_prefix('.') {
            Some(_) => host.ends_with(*end),
            None => host == *end,
        };
        let is_known = url.scheme() == "https" && preset.key_hosts.iter().any(is_of);
        if is_known { preset.keys } else { &[] }
    }

    pub(super) fn preset(self) -> &'static Preset {
        let preset = PRESETS.iter().find(|preset| preset.provider == self);
        preset.expect("each service has a preset")
    }
}

impl Preset {
    /// Returns the name and the value of the field with the kind of the texts.
    pub(super) fn kind_field(&self, kind: EmbeddingKind) -> Option<(&'static str, &'static str)> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, Value};

    #[test]
    fn each_service_has_one_preset_with_valid_fields() {
        for provider in Provider::ALL {
            let presets = PRESETS.iter().filter(|preset| preset.provider == provider);
            assert_eq!(presets.count(), 1, "{provider:?}");
            assert_eq!(Provider::from_name(provider.name()), Some(provider));
            let fields = provider.preset().fields;
            serde_json::from_str::<Map<String, Value>>(&format!("{{{fields}}}")).expect(fields);
        }
    }

    #[test]
    fn a_key_belongs_to_the_hosts_of_its_service() {
        let keys = |provider: Provider, address| provider.key_variables(address).first().copied();
        for (provider, key) in [
            (Provider::OpenAi, "OPENAI_API_KEY"),
            (Provider::Cohere, "CO_API_KEY"),
            (Provider::Jina, "JINA_API_KEY"),
            (Provider::Mistral, "MISTRAL_API_KEY"),
            (Provider::Gemini, "GEMINI_API_KEY"),
        ] {
            assert_eq!(keys(provider, provider.address().unwrap()), Some(key));
        }
        let azure = "https://mine.openai.azure.com/openai/deployments/a?api-version=1";
        assert_eq!(keys(Provider::Azure, azure), Some("AZURE_OPENAI_API_KEY"));
        for other in [
            "https://openai.azure.com.example/",
            "https://notopenai.azure.com.example/?.openai.azure.com",
            "http://mine.openai.azure.com/",
            "mine.openai.azure.com",
        ] {
            assert_eq!(keys(Provider::Azure, other), None, "{other}");
        }
        assert_eq!(keys(Provider::OpenAi, "https://api.openai.com.example/v1"), None);
        assert_eq!(keys(Provider::OpenAi, "https://api.openai.com@example.com/v1"), None);
        assert_eq!(keys(Provider::Tei, "https://api.openai.com/v1"), None);
    }
}
