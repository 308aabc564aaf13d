//! Addresses of pages: parsing, comparing, and hiding what may be secret in them.

use crate::Error;
use reqwest::header::LOCATION;
use reqwest::{Response, Url};

/// Parses an address, which may contain a user and a password.
///
/// # Errors
///
/// Returns [`Error::Unreachable`] if it is not an http or https address.
pub(crate) fn parse(argument: &str) -> Result<Url, Error> {
    let invalid = |reason: String| Error::Unreachable { url: argument.to_owned(), reason };
    let mut url = Url::parse(argument).map_err(|error| invalid(error.to_string()))?;
    if !is_web(&url) {
        return Err(invalid("not an http or https address".into()));
    }
    url.set_fragment(None);
    Ok(url)
}

/// Returns whether a request can be made to an address.
pub(super) fn is_web(url: &Url) -> bool {
    url.has_host() && matches!(url.scheme(), "http" | "https")
}

/// Returns the uri of a page: its address without user, password and fragment.
pub(crate) fn uri(url: &Url) -> String {
    let mut url = url.clone();
    // Every address with a host accepts these changes.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    url.into()
}

/// Returns an address for messages. It is also without its query, which may contain keys.
pub(super) fn redacted(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    uri(&url)
}

/// Returns the scheme, host and port of an address.
pub(super) fn server(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Returns the target of a redirect. On the same server it keeps user and password.
pub(super) fn redirect_target(from: &Url, response: &Response) -> Option<Url> {
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let mut target = is_redirect.then(|| from.join(location)).and_then(Result::ok)?;
    if server_difference(from, &target).is_none() {
        set_credentials(&mut target, from);
    }
    Some(target)
}

/// Gives an address the user and the password of another one of its server.
pub(super) fn set_credentials(url: &mut Url, from: &Url) {
    // Every address with a host accepts these changes.
    let _ = url.set_username(from.username());
    let _ = url.set_password(from.password());
}

/// Returns the first difference between the servers of two addresses.
pub(super) fn server_difference(from: &Url, to: &Url) -> Option<&'static str> {
    if from.scheme() != to.scheme() {
        Some("under another scheme")
    } else if from.host_str() != to.host_str() {
        Some("on another host")
    } else {
        (from.port_or_known_default() != to.port_or_known_default()).then_some("on another port")
    }
}

/// Returns the folder of an address, with a slash at its end.
pub(crate) fn folder(url: &Url) -> &str {
    let path = url.path();
    &path[..=path.rfind('/').unwrap_or(0)]
}

/// Returns whether an address is that of a list of pages by its name: a sitemap, `llms.txt` or `llms-full.txt`.
pub(crate) fn is_list_name(url: &Url) -> bool {
    let name = url.path().rsplit('/').next();
    name.is_some_and(|name| {
        name.contains("sitemap") || matches!(name, "llms.txt" | "llms-full.txt")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_has_no_fragment_and_no_password() {
        let uri_of = |argument: &str| uri(&parse(argument).unwrap());
        assert_eq!(
            uri_of("https://me:secret@example.org/a.md?b=1#c"),
            "https://example.org/a.md?b=1"
        );
        assert_eq!(uri_of("http://example.org"), "http://example.org/");
        assert!(parse("https://").is_err() && parse("file:///etc/passwd").is_err());
    }
}
