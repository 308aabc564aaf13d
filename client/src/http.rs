//! HTTP as all of this crate speaks it: TLS with the ciphers of ring and the authorities that the
//! system trusts, a name that servers see, and pauses before what may succeed the next time.

use reqwest::Url;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How long a server may take to take a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// The name of this machine for itself.
const LOCALHOST: &str = "localhost";

/// The longest pause between two tries, unless the server asks for more.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Returns what clients are built from.
pub(crate) fn builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls())
        .connect_timeout(CONNECT)
        .user_agent(concat!("passage/", env!("CARGO_PKG_VERSION")))
}

/// Tells whether nobody on the way to an address reads what is sent there: it goes over TLS, or to
/// this machine, which [`to_this_machine`] has to see to.
pub(crate) fn is_confidential(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let is_here =
        host == LOCALHOST || address.is_ok_and(|address| address.to_canonical().is_loopback());
    url.scheme() == "https" || (url.scheme() == "http" && is_here)
}

/// Tells whether an address holds a password, or a token in the place of a user.
pub(crate) fn has_secret(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// Has a client ask this machine itself: no proxy, and no name server for `localhost`.
pub(crate) fn to_this_machine(builder: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
    let here = [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()];
    builder.no_proxy().resolve_to_addrs(LOCALHOST, &here.map(|address| (address, 0).into()))
}

fn tls() -> ClientConfig {
    let builder = || {
        ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring knows TLS 1.2 and 1.3")
    };
    match builder().with_platform_verifier() {
        Ok(builder) => builder.with_no_client_auth(),
        // A system that trusts nobody can still be asked for what is in the clear.
        Err(_) => builder().with_root_certificates(RootCertStore::empty()).with_no_client_auth(),
    }
}

/// Reads when a server wants to be asked again: in so many seconds, or at a date.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds.max(0.0)).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// Returns how long to wait after so many tries: what is asked for, else twice as long each time;
/// at most half as long again by chance.
pub(crate) fn pause(first: Duration, after: Option<Duration>, tries: u32) -> Duration {
    let doubled = first.saturating_mul(1 << (tries - 1).min(16)).min(LONGEST_PAUSE);
    let pause = after.unwrap_or(doubled);
    pause + doubled.mul_f64(fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_over_tls_or_to_this_machine() {
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
    fn a_service_may_say_when_in_seconds_or_by_a_date() {
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
    fn pauses_grow_and_vary_and_the_service_may_ask_for_longer_ones() {
        let first = Duration::from_millis(500);
        for (after, tries, least) in
            [(None, 1, 500), (None, 3, 2_000), (None, 40, 60_000), (Some(7), 1, 7_000)]
        {
            let after = after.map(Duration::from_secs);
            let least = Duration::from_millis(least);
            for _ in 0..100 {
                let pause = pause(first, after, tries);
                assert!(pause >= least && pause <= least.mul_f64(1.51), "{pause:?} for {least:?}");
            }
        }
    }
}
