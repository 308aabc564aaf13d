//! The address of a request, from the address that the user names.

use super::ServiceConfig;
use super::provider::Path;
use reqwest::Url;

/// The version of Azure's API, unless the address has one.
const AZURE_VERSION: (&str, &str) = ("api-version", "2024-10-21");

/// Returns the resource of a model in the Gemini API.
pub(super) fn resource(model: &str) -> String {
    let name = model.strip_prefix("models/").unwrap_or(model);
    format!("models/{name}")
}

/// Returns the base address of a request and the last part of its path, which follows it.
///
/// An address that cannot be parsed is returned unchanged: the client of the service rejects it.
pub(super) fn address(config: &ServiceConfig) -> (String, String) {
    let unchanged = |path: &str| (config.url.clone(), path.to_owned());
    match config.provider.preset().path {
        Path::Fixed(path) => unchanged(path),
        Path::Model => unchanged(&format!("{}:batchEmbedContents", resource(&config.model))),
        Path::Deployment => match Url::parse(&config.url) {
            Ok(url) if !url.cannot_be_a_base() => {
                (deployment(url, &config.model), "embeddings".into())
            }
            _ => unchanged("embeddings"),
        },
    }
}

/// Returns the address of a deployment of Azure. A user may name the resource, whose deployment has the name of the
/// model, or the deployment. The addresses of the newer API end with `/openai/v1` and have no version.
fn deployment(mut url: Url, model: &str) -> String {
    if url.path() == "/" {
        let segments = url.path_segments_mut();
        segments.expect("it has a path").pop_if_empty().extend(["openai", "deployments", model]);
    }
    let has_version = url.query_pairs().any(|(key, _)| key == AZURE_VERSION.0);
    if url.path().contains("/deployments/") && !has_version {
        url.query_pairs_mut().append_pair(AZURE_VERSION.0, AZURE_VERSION.1);
    }
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;

    #[test]
    fn the_deployment_and_the_version_of_azure_are_added_where_they_are_missing() {
        let azure =
            |url: &str| address(&ServiceConfig::of_provider(Provider::Azure, Some(url), "small")).0;
        let host = "https://mine.openai.azure.com";
        let version = "api-version=2024-10-21";
        assert_eq!(azure(host), format!("{host}/openai/deployments/small?{version}"));
        let named = format!("{host}/openai/deployments/other");
        assert_eq!(azure(&named), format!("{named}?{version}"));
        for whole in ["?api-version=2023-05-15", "/embeddings?api-version=1&a=b"] {
            assert_eq!(azure(&format!("{named}{whole}")), format!("{named}{whole}"));
        }
        assert_eq!(azure(&format!("{host}/openai/v1/")), format!("{host}/openai/v1/"));
    }

    #[test]
    fn the_path_of_gemini_has_the_model() {
        for model in ["gemini-embedding-001", "models/gemini-embedding-001"] {
            let (url, path) = address(&ServiceConfig::of_provider(Provider::Gemini, None, model));
            assert_eq!(url, "https://generativelanguage.googleapis.com/v1beta");
            assert_eq!(path, "models/gemini-embedding-001:batchEmbedContents");
        }
    }
}
