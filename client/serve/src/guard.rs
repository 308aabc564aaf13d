//! Admits callers of an HTTP server: programs of this machine, or those with a token.

use crate::authority::{is_loopback, is_loopback_origin};
use crate::error::Error;
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, Uri};
use sha2::{Digest, Sha256};
use std::net::SocketAddr;

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
/// use passage_serve::Guard;
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

    /// Checks that a request is made to this server under a name that it may have.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Invalid`] for a request with several names, and, without a token, for one of another site.
    pub(crate) fn check_host(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), Error> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next();
        if hosts.next().is_some() {
            // Programs differ in which one counts, so a proxy may have checked the other one.
            let cause = "the request has several Host headers";
            return Err(Error::invalid(cause, "Send one header Host with the name of the server."));
        }
        if self.has_token() || is_of_this_machine(host, headers, uri) {
            return Ok(());
        }
        Err(Error::Invalid {
            status: 403,
            cause: "the request is not made from this machine: see its headers Host, Origin and Sec-Fetch-Site".into(),
            remedy: "Use http://127.0.0.1 or http://localhost, or start the server with a token.".into(),
        })
    }

    /// Returns whether a request has the token, if one is needed.
    pub(crate) fn admits_caller(&self, headers: &HeaderMap) -> bool {
        let Some(expected) = self.token else { return true };
        let given =
            headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer);
        given.is_some_and(|given| hash(given) == expected)
    }
}

/// Returns whether a request names this machine as its server, and no page of another site sends it.
fn is_of_this_machine(host: Option<&HeaderValue>, headers: &HeaderMap, uri: &Uri) -> bool {
    let is_own = |value: &HeaderValue, is_own: fn(&str) -> bool| value.to_str().is_ok_and(is_own);
    // A request line can name the server too, as a proxy does. It then needs no header.
    let target = uri.authority().map(|authority| is_loopback(authority.as_str()));
    let named = host.map(|host| is_own(host, is_loopback));
    // A browser names the page that sends the request.
    let mut origins = headers.get_all(ORIGIN).iter();
    !is_of_another_site(headers)
        && origins.all(|origin| is_own(origin, is_loopback_origin))
        && named.or(target).unwrap_or(false)
        && target.unwrap_or(true)
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

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderName;

    /// Returns the status that the guard of a server answers, 200 if it admits the request.
    fn status(guard: &Guard, headers: &[(&str, &str)], target: &str) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
        }
        guard
            .check_host(&map, &target.parse().unwrap())
            .map_or_else(|error| error.status(), |()| 200)
    }

    fn local() -> Guard {
        Guard::new("127.0.0.1:1".parse().unwrap(), None).unwrap()
    }

    #[test]
    fn the_header_and_the_request_line_must_both_name_this_machine() {
        let (own, evil) = (("host", "localhost:1"), ("host", "evil.com"));
        for (headers, target, expected) in [
            (&[own][..], "/", 200),
            (&[own], "http://127.0.0.1/x", 200),
            (&[], "http://localhost/x", 200),
            (&[], "localhost:80", 200),
            (&[], "/", 403),
            (&[("host", "")], "/", 403),
            (&[("host", "localhost\u{e9}")], "http://localhost/", 403),
            (&[evil], "/", 403),
            (&[evil], "http://localhost/", 403),
            (&[own], "http://evil.com/", 403),
            (&[own], "http://localhost@evil.com/", 403),
            (&[own], "http://[::1].evil.com/", 403),
            (&[own], "evil.com:80", 403),
            (&[own, own], "/", 400),
            (&[own, evil], "/", 400),
            (&[evil, own], "/", 400),
        ] {
            assert_eq!(status(&local(), headers, target), expected, "{headers:?} {target}");
        }
        let guard = Guard::new("10.0.0.1:1".parse().unwrap(), Some("0123456789abcdef")).unwrap();
        assert_eq!(status(&guard, &[evil], "/"), 200);
        assert_eq!(status(&guard, &[evil, own], "/"), 400);
    }

    #[test]
    fn pages_of_other_sites_are_not_admitted_without_a_token() {
        let status_of = |origins: &[&'static str]| {
            let origins = origins.iter().map(|origin| ("origin", *origin));
            status(
                &local(),
                &[("host", "localhost")].into_iter().chain(origins).collect::<Vec<_>>(),
                "/",
            )
        };
        assert_eq!(status_of(&["http://localhost:8642"]), 200);
        assert_eq!(status_of(&["http://127.0.0.1"]), 200);
        for origin in [
            "http://evil.com",
            "null",
            "http://localhost.evil.com",
            "http://[::1].evil.com",
            "",
            "localhost",
        ] {
            assert_eq!(status_of(&[origin]), 403, "{origin}");
            assert_eq!(status_of(&["http://localhost", origin]), 403, "{origin}");
        }
    }

    #[test]
    fn a_page_of_another_site_can_only_link_to_a_server_without_a_token() {
        let admits = |site: &'static str, mode: &'static str, dest: &'static str| {
            let headers = [
                ("host", "localhost"),
                ("sec-fetch-site", site),
                ("sec-fetch-mode", mode),
                ("sec-fetch-dest", dest),
            ];
            status(&local(), &headers, "/") == 200
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
