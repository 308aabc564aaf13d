//! The names under which programs of this machine call a server that needs no token.

use axum::http::uri::Authority;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Returns whether an authority, as in a `Host` header, is a loopback name or address, with or without a port.
///
/// The host is compared with the whole text. The parser accepts `[::1].evil.com`, `localhost:80.evil.com` and
/// `evil.com@localhost`, of which it reports only a part as the host.
pub(crate) fn is_loopback(authority: &str) -> bool {
    let Ok(parsed) = authority.parse::<Authority>() else { return false };
    let host = parsed.host();
    let is_port =
        |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    let is_whole = authority
        .strip_prefix(host)
        .is_some_and(|rest| rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port));
    is_whole && is_loopback_host(host)
}

/// Returns whether the value of an `Origin` header is a page of this machine. The value `null` is a page without an
/// address.
pub(crate) fn is_loopback_origin(origin: &str) -> bool {
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(is_loopback)
}

fn is_loopback_host(host: &str) -> bool {
    let bracketed = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match bracketed {
        Some(address) => address.parse().is_ok_and(|address: Ipv6Addr| address.is_loopback()),
        None => {
            host.eq_ignore_ascii_case("localhost")
                || host.parse().is_ok_and(|address: Ipv4Addr| address.is_loopback())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;
    use url::Url;

    const LOOPBACK: [&str; 8] = [
        "localhost",
        "LocalHost",
        "127.0.0.1",
        "127.8.8.8",
        "127.255.255.255",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::0.0.0.1]",
    ];
    const FOREIGN: [&str; 24] = [
        "",
        "localhost.",
        "127.0.0.1.",
        "localhost.evil.com",
        "evil.localhost",
        "evil.com",
        "127.0.0.1.nip.io",
        "[::1].evil.com",
        "[::1",
        "::1",
        "::1]",
        "[::1]]",
        "[[::1]]",
        "[::1%25lo]",
        "[::1%lo]",
        "[::2]",
        "[::ffff:127.0.0.1]",
        "[127.0.0.1]",
        "[localhost]",
        "127.1",
        "0x7f000001",
        "2130706433",
        "0.0.0.0",
        "10.0.0.1",
    ];
    const PORTS: [&str; 5] = ["", ":0", ":80", ":8642", ":65535"];
    const WRONG_PORTS: [&str; 12] = [
        ":",
        ":65536",
        ":+80",
        ":-1",
        ":80.evil.com",
        ":80:80",
        ":evil.com",
        ":80@evil.com",
        "@evil.com",
        "/",
        ":80/",
        ":80,evil.com",
    ];
    /// The part that precedes a host in a request that means another one.
    const PREFIXES: [&str; 7] =
        ["evil@", "localhost@", "evil:80@", "http://", "//", " ", "evil.com,"];

    /// Returns the host that a browser would call.
    fn browsed(authority: &str) -> Option<Url> {
        Url::parse(&format!("http://{authority}/"))
            .ok()
            .filter(|url| url.username().is_empty() && url.path() == "/")
    }

    fn is_this_machine(url: &Url) -> bool {
        use std::net::IpAddr;
        let host = url.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }

    proptest! {
        #[test]
        fn a_loopback_name_with_or_without_a_port_is_admitted(
            host in select(&LOOPBACK[..]), port in select(&PORTS[..]),
        ) {
            let authority = format!("{host}{port}");
            prop_assert!(is_loopback(&authority), "{authority}");
            for scheme in ["http", "https"] {
                let origin = format!("{scheme}://{authority}");
                prop_assert!(is_loopback_origin(&origin), "{origin}");
            }
            prop_assert!(is_this_machine(&browsed(&authority).unwrap()), "{authority}");
        }

        #[test]
        fn a_name_with_anything_else_is_refused(
            prefix in select(&PREFIXES[..]), host in select(&LOOPBACK[..]), foreign in select(&FOREIGN[..]),
            port in select(&PORTS[..]), wrong in select(&WRONG_PORTS[..]),
        ) {
            for authority in [
                format!("{foreign}{port}"),
                format!("{foreign}{wrong}"),
                format!("{host}{wrong}"),
                format!("{prefix}{host}{port}"),
                format!("{host}{port} "),
                format!("{host}\t{port}"),
                format!("{host}{port}#{foreign}"),
                format!("{host}{port}?{foreign}"),
                format!("{host}{port}\\{foreign}"),
                format!("{host}%00{port}"),
            ] {
                prop_assert!(!is_loopback(&authority), "{authority}");
                let origin = format!("http://{authority}");
                prop_assert!(!is_loopback_origin(&origin), "{origin}");
            }
            for origin in [
                "null".to_owned(),
                host.to_owned(),
                format!("HTTP://{host}"),
                format!("ftp://{host}"),
                format!("file://{host}"),
                format!("http:/{host}"),
                format!("http:///{host}"),
                format!("http://{host}{port}/"),
                format!("http://{host} http://evil.com"),
                format!("chrome-extension://{host}"),
            ] {
                prop_assert!(!is_loopback_origin(&origin), "{origin}");
            }
        }

        // Texts of the characters that separate the parts of an address, and of names.
        #[test]
        fn an_admitted_name_leads_a_browser_to_this_machine(
            authority in r"(localhost|LOCALHOST|127|0|1|[.:@%/?#\[\]\\]|::1|evil|com|80|[ -~é]){0,8}",
        ) {
            if is_loopback(&authority) {
                prop_assert!(browsed(&authority).is_some_and(|url| is_this_machine(&url)), "{authority}");
            }
            let origin = format!("http://{authority}");
            prop_assert_eq!(is_loopback_origin(&origin), is_loopback(&authority));
        }
    }
}
