//! Admits callers of an HTTP server: programs of this machine, or those with a token.

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};
use sha2::{Digest, Sha256};
use std::net::{IpAddr, SocketAddr};

/// The minimum length of a token, in bytes.
const MIN_TOKEN: usize = 16;

/// Admits requests to an HTTP server.
///
/// Without a token, the server listens on a loopback address only, and admits only requests whose `Host` is a
/// loopback name, and that no page of another site sends. So such a page cannot reach it, even under a name of its own
/// (DNS rebinding).
///
/// # Examples
///
/// ```
/// use passage::serve::Guard;
///
/// let loopback = "127.0.0.1:8000".parse().unwrap();
/// let public = "0.0.0.0:8000".parse().unwrap();
/// assert!(Guard::new(loopback, None).is_ok());
/// assert!(Guard::new(public, None).is_err());
/// assert!(Guard::new(public, Some("0123456789abcdef")).is_ok());
/// ```
#[derive(Clone)]
pub struct Guard {
    /// The hash of the token. Hashes of equal length are compared, so the time of a comparison does not reveal the token.
    token: Option<[u8; 32]>,
}

/// The reason for which a server must not start.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// The address is reachable from other machines, and there is no token.
    #[error("{0} is not a loopback address, and there is no token")]
    NoToken(SocketAddr),
    /// The token can be guessed.
    #[error("the token has fewer than {MIN_TOKEN} characters")]
    ShortToken,
    /// No header can have the token.
    #[error("the token has other characters than visible ASCII")]
    UnreadableToken,
}

impl Guard {
    /// Makes the guard of a server at an address.
    ///
    /// # Errors
    ///
    /// Returns [`GuardError::NoToken`] for an address that other machines can reach, without a token,
    /// [`GuardError::ShortToken`] for a token of fewer than 16 bytes, and [`GuardError::UnreadableToken`] for one with
    /// spaces, control characters or other characters than ASCII.
    pub fn new(address: SocketAddr, token: Option<&str>) -> Result<Self, GuardError> {
        match token {
            None if !address.ip().is_loopback() => Err(GuardError::NoToken(address)),
            Some(token) if token.len() < MIN_TOKEN => Err(GuardError::ShortToken),
            Some(token) if !token.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Err(GuardError::UnreadableToken)
            }
            token => Ok(Self { token: token.map(hash) }),
        }
    }

    /// Returns whether callers need a token.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Returns whether a request is made to this server under a name that it may have.
    pub(super) fn admits_host(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        if self.has_token() {
            return true;
        }
        if is_of_another_site(headers) {
            return false;
        }
        // A browser names the page that sends the request. `null` is a page without an address.
        let is_own = |origin: &str| {
            origin.split_once("://").is_some_and(|(_, authority)| is_loopback(authority))
        };
        if !headers.get_all(ORIGIN).iter().all(|origin| origin.to_str().is_ok_and(is_own)) {
            return false;
        }
        let header = headers.get(HOST).and_then(|host| host.to_str().ok());
        // A proxy that names the server in the request line needs no header.
        header
            .or_else(|| uri.authority().map(axum::http::uri::Authority::as_str))
            .is_some_and(is_loopback)
    }

    /// Returns whether a request has the token, if one is needed.
    pub(super) fn admits_caller(&self, headers: &HeaderMap) -> bool {
        let Some(expected) = self.token else { return true };
        let given =
            headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer);
        given.is_some_and(|given| hash(given) == expected)
    }
}

/// Returns whether a page of another site sends the request. A user may follow its link to the page of this server.
fn is_of_another_site(headers: &HeaderMap) -> bool {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|given| given == value);
    let is_link = is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document");
    is("sec-fetch-site", "cross-site") && !is_link
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

/// Returns the token of a header `Bearer TOKEN`.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// Returns whether the value of a `Host` header names this machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_are_admitted_without_a_token() {
        for host in
            ["localhost", "LOCALHOST:80", "127.0.0.1:8000", "127.8.8.8", "[::1]:8000", "[::1]"]
        {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "example.com",
            "localhost.example.com",
            "127.0.0.1.nip.io:8000",
            "10.0.0.1",
            "[::2]",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn pages_of_other_sites_are_not_admitted_without_a_token() {
        let guard = Guard::new("127.0.0.1:1".parse().unwrap(), None).unwrap();
        let admits = |origin: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, "localhost".parse().unwrap());
            headers.insert(ORIGIN, origin.parse().unwrap());
            guard.admits_host(&headers, &Uri::from_static("/"))
        };
        assert!(admits("http://localhost:8642"));
        assert!(admits("http://127.0.0.1"));
        for origin in [
            "http://attacker.example",
            "null",
            "http://localhost.attacker.example",
            "",
            "localhost",
        ] {
            assert!(!admits(origin), "{origin}");
        }
    }

    #[test]
    fn a_page_of_another_site_can_only_link_to_a_server_without_a_token() {
        let guard = Guard::new("127.0.0.1:1".parse().unwrap(), None).unwrap();
        let admits = |site: &'static str, mode: &'static str, dest: &'static str| {
            let mut headers = HeaderMap::new();
            for (name, value) in [
                ("host", "localhost"),
                ("sec-fetch-site", site),
                ("sec-fetch-mode", mode),
                ("sec-fetch-dest", dest),
            ] {
                headers.insert(name, value.parse().unwrap());
            }
            guard.admits_host(&headers, &Uri::from_static("/"))
        };
        assert!(admits("cross-site", "navigate", "document"));
        assert!(admits("same-origin", "cors", "empty"));
        assert!(admits("none", "navigate", "document"));
        assert!(!admits("cross-site", "navigate", "iframe"));
        assert!(!admits("cross-site", "no-cors", "script"));
        assert!(!admits("cross-site", "cors", "empty"));
    }

    #[test]
    fn a_caller_needs_the_whole_token() {
        let guard = Guard::new("10.0.0.1:1".parse().unwrap(), Some("0123456789abcdef")).unwrap();
        let admits = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, value.parse().unwrap());
            guard.admits_caller(&headers)
        };
        assert!(admits("Bearer 0123456789abcdef"));
        assert!(admits("bearer  0123456789abcdef"));
        for value in [
            "Bearer 0123456789abcde",
            "Bearer",
            "Basic 0123456789abcdef",
            "0123456789abcdef",
            "Bearer ",
        ] {
            assert!(!admits(value), "{value}");
        }
        assert!(!guard.admits_caller(&HeaderMap::new()));
        assert!(matches!(
            Guard::new("127.0.0.1:1".parse().unwrap(), Some("short")),
            Err(GuardError::ShortToken)
        ));
        for token in ["gehört-mir-0123456789", "0123456789 abcdef", "0123456789abcdef\n"] {
            let made = Guard::new("127.0.0.1:1".parse().unwrap(), Some(token));
            assert!(matches!(made, Err(GuardError::UnreadableToken)), "{token}");
        }
    }
}
