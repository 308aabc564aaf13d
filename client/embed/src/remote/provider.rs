/*!
The embedding services that the client knows by name: addresses, keys, fields and limits.

Each service documents its own request. The table has what differs; [`request`](super::request) writes a request
from it, and [`response`](super::response) reads the answers. A store does not record the service: each run names it
with its key, and the name of the model, which the store records, differs between services.
*/

mod presets;

use reqwest::Url;

pub(super) use presets::{Path, Preset};

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
        match self {
            Self::OpenAi => &presets::OPENAI,
            Self::Azure => &presets::AZURE,
            Self::Ollama => &presets::OLLAMA,
            Self::Tei => &presets::TEI,
            Self::Voyage => &presets::VOYAGE,
            Self::Cohere => &presets::COHERE,
            Self::Jina => &presets::JINA,
            Self::Mistral => &presets::MISTRAL,
            Self::Gemini => &presets::GEMINI,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, Value};

    #[test]
    fn each_service_has_a_name_of_its_own_and_valid_fields() {
        for provider in Provider::ALL {
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
