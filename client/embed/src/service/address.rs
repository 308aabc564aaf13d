//! The address of requests, from the URL that a user gives.

use reqwest::Url;

/// Returns a URL whose path ends with the path of the requests, such as `embeddings`. A URL that lacks it gets it
/// behind its own path, and keeps its query: `https://host/v1?api-version=1` becomes
/// `https://host/v1/rerank?api-version=1`.
///
/// # Errors
///
/// Returns why the URL is invalid.
pub(super) fn address(url: &str, path: &str) -> Result<Url, String> {
    let mut url = Url::parse(url).map_err(|error| error.to_string())?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err("the URL must begin with https:// or http://".into());
    }
    if !url.path().trim_end_matches('/').ends_with(&format!("/{path}")) {
        let mut segments = url.path_segments_mut().expect("a URL of HTTP has a path");
        segments.pop_if_empty().extend(path.split('/'));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn the_path_of_requests_is_appended_before_the_query() {
        for (given, expected) in [
            ("https://host/v1", "https://host/v1/rerank"),
            ("https://host", "https://host/rerank"),
            ("https://host/v1/", "https://host/v1/rerank"),
            ("https://host/v1/rerank", "https://host/v1/rerank"),
            ("https://host/v1/rerank/", "https://host/v1/rerank/"),
            ("https://host/v1?api-version=1", "https://host/v1/rerank?api-version=1"),
            ("https://host/v1/?api-version=1", "https://host/v1/rerank?api-version=1"),
            ("https://host/v1/rerank?api-version=1/", "https://host/v1/rerank?api-version=1/"),
        ] {
            assert_eq!(address(given, "rerank").unwrap().as_str(), expected);
        }
        let odd = address("https://host/v1?a=b", "models/a?b#c/..").unwrap();
        assert_eq!(odd.as_str(), "https://host/v1/models/a%3Fb%23c?a=b");
        assert!(address("ftp://host/", "rerank").unwrap_err().contains("https://"));
        assert!(address("host", "rerank").is_err());
    }
}
