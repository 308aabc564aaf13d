//! HTTP clients of sources and services: TLS with the ciphers of ring and the system's certificate authorities,
//! a user agent, connection timeouts and retry pauses.

use reqwest::Url;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Time limit for opening a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The host name of the local machine.
const LOCALHOST: &str = "localhost";

/// Maximum pause between two attempts, unless the server asks for a longer one.
const MAX_BACKOFF: Duration = Duration::from_mins(1);

/// Returns a client builder with the settings that all clients share.
pub fn builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("passage/", env!("CARGO_PKG_VERSION")))
}

/// Returns whether nobody on the network can read a request to a URL: it uses TLS or stays on this
/// machine.
///
/// A client for a plain HTTP URL of this machine must come from [`without_proxy`].
pub fn is_confidential(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let is_local =
        host == LOCALHOST || address.is_ok_and(|address| address.to_canonical().is_loopback());
    url.scheme() == "https" || (url.scheme() == "http" && is_local)
}

/// Returns whether a URL contains a user name or a password; either may be a token.
pub fn has_credentials(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// Makes a client connect to this machine directly: without a proxy, and without asking a name server
/// for `localhost`.
pub fn without_proxy(builder: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
    let loopback = [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()];
    builder.no_proxy().resolve_to_addrs(LOCALHOST, &loopback.map(|address| (address, 0).into()))
}

fn tls() -> ClientConfig {
    let builder = || {
        ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring supports TLS 1.2 and 1.3")
    };
    match builder().with_platform_verifier() {
        Ok(builder) => builder.with_no_client_auth(),
        // Plain HTTP still works on a system without certificate authorities.
        Err(_) => builder().with_root_certificates(RootCertStore::empty()).with_no_client_auth(),
    }
}

/// Parses the header `Retry-After`, which holds seconds or a date, and returns the time from `now`.
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds.max(0.0)).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// Returns the pause after a number of attempts, from 1: `retry_after`, else `first` doubled with each
/// attempt, up to one minute. A random part of up to half of that time is added.
pub fn backoff(first: Duration, retry_after: Option<Duration>, attempts: u32) -> Duration {
    let doubled = first.saturating_mul(1 << (attempts - 1).min(16)).min(MAX_BACKOFF);
    let pause = retry_after.unwrap_or(doubled);
    pause + doubled.mul_f64(fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tls_and_loopback_urls_are_confidential() {
        for (url, expected) in [
            ("https://example.org/v1", true),
            ("http://localhost:8080/v1", true),
            ("http://127.0.0.1/v1", true),
            ("http://127.255.0.9/v1", true),
            ("http://0x7f.1/v1", true),
            ("http://[::1]:11434/v1", true),
            ("http://[::ffff:127.0.0.1]/v1", true),
            ("http://example.org/v1", false),
            ("http://10.0.0.1/v1", false),
            ("http://0.0.0.0/v1", false),
            ("http://[::]/v1", false),
            ("http://localhost.example.org/v1", false),
            ("http://127.0.0.1.example.org/v1", false),
            ("http://localhost@example.org/v1", false),
            ("ftp://localhost/", false),
        ] {
            assert_eq!(is_confidential(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }

    #[test]
    fn retry_after_accepts_seconds_and_dates() {
        let after = |value: &str| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap())]);
            let now = httpdate::parse_http_date("Sun, 22 Nov 2026 02:00:00 GMT").unwrap();
            retry_after(&headers, now)
        };
        assert_eq!(after("7"), Some(Duration::from_secs(7)));
        assert_eq!(after("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(after("Sun, 22 Nov 2026 02:01:30 GMT"), Some(Duration::from_secs(90)));
        assert_eq!(after("Sun, 22 Nov 2026 01:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(after("soon"), None);
    }

    #[test]
    fn backoff_doubles_up_to_a_minute_and_retry_after_takes_precedence() {
        let first = Duration::from_millis(500);
        for (retry_after, attempts, least) in
            [(None, 1, 500), (None, 3, 2_000), (None, 40, 60_000), (Some(7), 1, 7_000)]
        {
            let retry_after = retry_after.map(Duration::from_secs);
            let least = Duration::from_millis(least);
            for _ in 0..100 {
                let pause = backoff(first, retry_after, attempts);
                assert!(pause >= least && pause <= least.mul_f64(1.51), "{pause:?} for {least:?}");
            }
        }
    }
}
