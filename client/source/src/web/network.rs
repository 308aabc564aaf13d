/*!
The servers that pages are fetched from: only those of the public internet, unless the user allows all.

A foreign sitemap or name server must not make this machine send requests to servers that only it
can reach: its own services, its network, the metadata service of a cloud. So each name is resolved
once, all its addresses are checked, and the connection uses a checked address. Proxies resolve
names on their own, so none is used then.
*/

use hyper_util::client::proxy::matcher::Matcher;
use passage_http as http;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{ClientBuilder, Url};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

/// The servers that pages are fetched from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// Servers with public addresses, without a proxy.
    #[default]
    Public,
    /// All servers, through the proxies that the environment names.
    Any,
}

/// The reason why no request is sent to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// An address of the server is not public.
    Private(IpAddr),
    /// The environment names a proxy for it.
    Proxy,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Private(address) => write!(formatter, "its address {address} is not public"),
            Refusal::Proxy => formatter
                .write_str("the environment names a proxy, and the client cannot check the addresses that a proxy resolves"),
        }
    }
}

impl std::error::Error for Refusal {}

impl Network {
    /// Restricts a client for `url` to these servers.
    pub(super) fn restrict(self, builder: ClientBuilder, url: &Url) -> ClientBuilder {
        match self {
            Network::Public => {
                builder.no_proxy().dns_resolver(CheckedResolver(Arc::new(SystemResolver)))
            }
            // The password is not encrypted, so the connection must not leave this machine.
            Network::Any if http::has_credentials(url) && url.scheme() == "http" => {
                http::without_proxy(builder)
            }
            Network::Any => builder,
        }
    }

    /// Checks what the resolver does not see: numeric addresses and proxies.
    pub(super) fn check(self, url: &Url) -> Result<(), Refusal> {
        if self == Network::Any {
            return Ok(());
        }
        let address = url.host_str().and_then(|host| {
            host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok()
        });
        if let Some(address) = address.filter(|address| !is_public(*address)) {
            return Err(Refusal::Private(address));
        }
        let is_proxied = |target| Matcher::from_env().intercept(&target).is_some();
        // An address that a proxy cannot have as its target cannot be requested either.
        if url.as_str().parse().is_ok_and(is_proxied) { Err(Refusal::Proxy) } else { Ok(()) }
    }
}

/// The resolver of the system.
struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let addresses: Vec<_> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// A resolver that returns the addresses of a name only if all of them are public. So it does not
/// matter which of them the client uses.
struct CheckedResolver(Arc<dyn Resolve>);

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let addresses = self.0.resolve(name);
        Box::pin(async move {
            let addresses: Vec<_> = addresses.await?.collect();
            match addresses
                .iter()
                .map(std::net::SocketAddr::ip)
                .find(|address| !is_public(*address))
            {
                Some(address) => Err(Refusal::Private(address).into()),
                None => Ok(Box::new(addresses.into_iter()) as Addrs),
            }
        })
    }
}

/// Returns whether an address is public, according to the special-purpose registries of IANA.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    match address.octets() {
        [0 | 10 | 127 | 224..=255, ..] // this network, private, loopback, multicast, reserved
        | [100, 64..=127, ..] // shared by customers of a provider
        | [169, 254, ..] // link-local, where clouds keep their metadata
        | [172, 16..=31, ..]
        | [192, 0, 0 | 2, _] // protocols, documentation
        | [192, 88, 99, _] // relays of 6to4
        | [192, 168, ..]
        | [198, 18 | 19, ..] // benchmarks
        | [198, 51, 100, _]
        | [203, 0, 113, _]
        | [168, 63, 129, 16] => false, // metadata of Azure
        _ => true,
    }
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let embedded = |high: u16, low: u16| {
        is_public_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
    };
    match address.segments() {
        // IPv4-mapped and NAT64 addresses lead to the IPv4 address in them.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            embedded(high, low)
        }
        // Protocols and tunnels such as Teredo, documentation twice, 6to4.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x2002, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // All other public addresses begin with the bits 001.
        [first, ..] => first >> 13 == 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::SocketAddr;
    use std::str::FromStr;
    use std::sync::Mutex;

    #[test]
    fn only_addresses_of_the_internet_are_public() {
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.0.1",
            "172.32.0.1",
            "192.1.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for private in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.1.2.3",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.168.1.1",
            "198.19.0.1",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::8.8.8.8",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
    }

    #[test]
    fn a_private_numeric_address_is_refused_in_every_notation() {
        for host in [
            "127.0.0.1",
            "2130706433",
            "0x7f.1",
            "0177.0.0.01",
            "127.1",
            "127.0.0.1.",
            "%31%32%37.0.0.1",
            "１２７.0.0.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[0:0:0:0:0:ffff:7f00:0001]",
            "[64:ff9b::7f00:1]",
        ] {
            let url = Url::parse(&format!("http://{host}/")).unwrap();
            let refused = Network::Public.check(&url);
            assert!(matches!(refused, Err(Refusal::Private(_))), "{host}: {refused:?}");
            assert_eq!(Network::Any.check(&url), Ok(()), "{host}");
        }
    }

    /// A resolver with another answer each time.
    struct Rebinding(Mutex<Vec<Vec<&'static str>>>);

    impl Resolve for Rebinding {
        fn resolve(&self, _: Name) -> Resolving {
            let answer = self.0.lock().unwrap().remove(0);
            let addresses: Vec<SocketAddr> = answer
                .iter()
                .map(|address| (address.parse::<IpAddr>().unwrap(), 0).into())
                .collect();
            Box::pin(async move { Ok(Box::new(addresses.into_iter()) as Addrs) })
        }
    }

    #[tokio::test]
    async fn all_addresses_of_a_name_are_checked_each_time_it_is_resolved() {
        let answers = vec![
            vec!["8.8.8.8", "2606:4700::1111"],
            vec!["8.8.8.8", "127.0.0.1"],
            vec!["::ffff:169.254.169.254"],
            vec!["1.1.1.1"],
        ];
        let checked = CheckedResolver(Arc::new(Rebinding(Mutex::new(answers))));
        let mut results = Vec::new();
        for _ in 0..4 {
            let name = Name::from_str("rebind.example").unwrap();
            results.push(match checked.resolve(name).await {
                Ok(addresses) => {
                    addresses.map(|address| address.ip().to_string()).collect::<Vec<_>>().join(" ")
                }
                Err(error) => error.to_string(),
            });
        }
        assert_eq!(
            results,
            [
                "8.8.8.8 2606:4700::1111",
                "its address 127.0.0.1 is not public",
                "its address ::ffff:169.254.169.254 is not public",
                "1.1.1.1"
            ]
        );
    }

    #[tokio::test]
    async fn a_client_connects_only_to_checked_addresses() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let answers = || Rebinding(Mutex::new(vec![vec!["127.0.0.1"]]));
        let url = format!("http://rebind.example:{port}/");

        let builder = Network::Public.restrict(http::builder(), &Url::parse(&url).unwrap());
        let client = builder.dns_resolver(CheckedResolver(Arc::new(answers()))).build().unwrap();
        let error = client.get(&url).send().await.unwrap_err();
        assert_eq!(
            crate::web::request::refusal(&error),
            Some(Refusal::Private(Ipv4Addr::LOCALHOST.into()))
        );
        let connected =
            tokio::time::timeout(std::time::Duration::from_millis(50), listener.accept()).await;
        assert!(connected.is_err(), "no connection is made");

        // Without the check, the same name leads to the private address.
        let client = http::builder().no_proxy().dns_resolver(answers()).build().unwrap();
        let (connected, _) = tokio::join!(listener.accept(), async {
            tokio::time::timeout(std::time::Duration::from_millis(500), client.get(&url).send())
                .await
        });
        assert!(connected.is_ok());
    }
}
