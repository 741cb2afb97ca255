//! Where metadata may send us: which addresses exist on the public net only, and the name
//! resolution that refuses the others.
//!
//! A check of names would be of no use: whoever owns a name decides what it resolves to, and may
//! decide differently the next time. So the addresses that are connected to are checked, by the
//! resolver that the connection uses, and addresses that are written out by whoever makes the
//! request.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Which hosts documents of others may lead to: a server its clients, for metadata and tokens; an
/// authorization server those who verify its tokens, for keys and introspection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Public addresses; private ones only if the one who names them has one itself. What a machine in the
    /// cloud knows of itself (link-local addresses) is never asked for.
    #[default]
    LikeServer,
    /// Public addresses only, and no proxies, which would hide them: for programs that connect to
    /// servers that strangers choose.
    Public,
    /// Every address but link-local ones.
    Any,
}

impl Reach {
    /// What is allowed when the way begins at `start`.
    pub(in crate::auth) async fn allowed(self, start: &Url) -> Allowed {
        match self {
            Reach::Public => Allowed::Public,
            Reach::Any => Allowed::Private,
            Reach::LikeServer => like_server(start).await,
        }
    }
}

/// What is allowed once the server is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::auth) enum Allowed {
    Public,
    Private,
}

impl Allowed {
    pub(in crate::auth) fn permits(self, address: IpAddr) -> bool {
        match self {
            Allowed::Public => is_public(address),
            Allowed::Private => !is_link_local(address),
        }
    }
}

/// Whether the host of an address is this machine, by its name.
pub(in crate::auth) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    host == "localhost" || literal(url).is_some_and(|address| address.is_loopback())
}

/// The address that is written out in a URL, in any of the ways that exist.
pub(in crate::auth) fn literal(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_matches(['[', ']']).parse().ok()
}

/// What the server's own addresses allow. A name that nobody knows allows nothing special.
async fn like_server(server: &Url) -> Allowed {
    let addresses = match literal(server) {
        Some(address) => vec![address],
        None => match lookup(server.host_str().unwrap_or_default()).await {
            Ok(addresses) => addresses.into_iter().map(|address| address.ip()).collect(),
            Err(_) => Vec::new(),
        },
    };
    match !addresses.is_empty() && !addresses.iter().any(|address| is_public(*address)) {
        true => Allowed::Private,
        false => Allowed::Public,
    }
}

async fn lookup(host: &str) -> std::io::Result<Vec<SocketAddr>> {
    Ok(tokio::net::lookup_host((host, 0)).await?.collect())
}

/// Resolves names, and leaves out the addresses that are not allowed.
pub(in crate::auth) struct Resolver(pub(in crate::auth) Allowed);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allowed = self.0;
        Box::pin(async move {
            let host = name.as_str();
            let mut addresses = lookup(host).await?;
            // Plain HTTP is let through to this machine by its name, so that must be this machine.
            addresses.retain(|address| match host {
                "localhost" => address.ip().is_loopback(),
                _ => true,
            });
            let known = addresses.len();
            addresses.retain(|address| allowed.permits(address.ip()));
            if addresses.is_empty() && known > 0 {
                return Err(format!("{host} is not on the public net").into());
            }
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

fn is_link_local(address: IpAddr) -> bool {
    match embedded(address) {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

fn is_public(address: IpAddr) -> bool {
    match embedded(address) {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// The IPv4 address that an IPv6 address leads to: mapped, compatible, NAT64, 6to4.
fn embedded(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    let segments = v6.segments();
    let v4 =
        |high: u16, low: u16| IpAddr::V4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)));
    match segments {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => address,
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => v4(high, low),
        [0, 0, 0, 0, 0xffff, 0, high, low] => v4(high, low),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => v4(high, low),
        [0x2002, high, low, ..] => v4(high, low),
        _ => address,
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224.., _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 168, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (198, 18..=19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    // Only 2000::/3 is handed out; within it, some blocks are set apart.
    let special = matches!((first, second), (0x2001, 0..=0x01ff | 0x0db8) | (0x3fff, 0..=0x0fff));
    (first & 0xe000) == 0x2000 && !special
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [SEC-02] every way to write an address that is not public.
    #[test]
    fn addresses_that_are_not_public() {
        for host in [
            "127.0.0.1",
            "127.8.8.8",
            "0.0.0.0",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "192.0.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "127.1",
            "127.0.0.1.",
            "[::1]",
            "[::]",
            "[::ffff:10.0.0.1]",
            "[::ffff:169.254.169.254]",
            "[::127.0.0.1]",
            "[64:ff9b::10.0.0.1]",
            "[64:ff9b::a9fe:a9fe]",
            "[2002:7f00:1::]",
            "[2002:a00:1::1]",
            "[fc00::1]",
            "[fd12:3456::1]",
            "[fe80::1]",
            "[ff02::1]",
            "[2001:db8::1]",
            "[2001::1]",
            "[100::1]",
            "[::ffff:0:127.0.0.1]",
        ] {
            let url = Url::parse(&format!("https://{host}/x")).unwrap();
            let address = literal(&url).unwrap_or_else(|| panic!("{host} is an address"));
            assert!(!Allowed::Public.permits(address), "{host}: {address}");
        }
        for host in ["8.8.8.8", "1.1.1.1", "172.32.0.1", "[2606:4700::1111]", "[2002:808:808::1]"] {
            let url = Url::parse(&format!("https://{host}/x")).unwrap();
            assert!(Allowed::Public.permits(literal(&url).unwrap()), "{host}");
        }
    }

    /// [SEC-02] what a machine in the cloud knows of itself is never asked for.
    #[test]
    fn link_local_addresses_are_never_allowed() {
        for address in ["169.254.169.254", "fe80::1", "::ffff:169.254.169.254"] {
            assert!(!Allowed::Private.permits(address.parse().unwrap()), "{address}");
        }
        for address in ["127.0.0.1", "10.0.0.1", "fd00::1"] {
            assert!(Allowed::Private.permits(address.parse().unwrap()), "{address}");
        }
    }

    /// [SEC-02] a public name that resolves to a private address is not connected to.
    #[tokio::test]
    async fn names_are_judged_by_their_addresses() {
        let resolve = |name: &str, allowed| Resolver(allowed).resolve(name.parse().unwrap());
        let refused = resolve("localhost", Allowed::Public).await;
        assert!(refused.err().unwrap().to_string().contains("public net"));
        let addresses: Vec<_> = resolve("localhost", Allowed::Private).await.unwrap().collect();
        assert!(!addresses.is_empty() && addresses.iter().all(|a| a.ip().is_loopback()));
        let server = Url::parse("http://127.0.0.1:1/mcp").unwrap();
        assert_eq!(like_server(&server).await, Allowed::Private);
        let server = Url::parse("https://8.8.8.8/mcp").unwrap();
        assert_eq!(like_server(&server).await, Allowed::Public);
    }
}
