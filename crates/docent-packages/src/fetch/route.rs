//! Through which proxy an address is reached.

use std::net::IpAddr;

use url::Url;

use super::Access;

/// The way to an address.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Route {
    Direct,
    Proxy(Url),
    /// As the variables of the process say, or the system.
    System,
}

impl Route {
    pub(super) fn to(url: &Url, access: &Access) -> Self {
        let host = url.host_str().unwrap_or_default();
        let listed = access.no_proxy.as_deref().unwrap_or_default();
        if listed.split(',').any(|pattern| covers(pattern, host, url.port_or_known_default())) {
            return Self::Direct;
        }
        access.proxy.clone().map_or(Self::System, Self::Proxy)
    }
}

/// Whether an entry of a list of hosts means this host: `*`, a domain with all below it, an address,
/// or a range of addresses; each may have a port.
fn covers(pattern: &str, host: &str, port: Option<u16>) -> bool {
    let pattern = pattern.trim();
    if pattern == "*" {
        return true;
    }
    let bare = |host: &str| host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let host = bare(host);
    if let Ok(address) = host.parse::<IpAddr>()
        && let Some((network, bits)) = pattern.split_once('/')
    {
        let range = bare(network).parse().ok().zip(bits.parse().ok());
        return range.is_some_and(|(network, bits)| in_range(address, network, bits));
    }
    // A colon in what is not an address of IPv6 comes before a port.
    let (pattern, wanted) = match pattern.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => {
            (name, port.parse().ok())
        }
        _ => (pattern, None),
    };
    let pattern = bare(pattern.trim_start_matches('*').trim_start_matches('.'));
    let below = || host.strip_suffix(&pattern).is_some_and(|rest| rest.ends_with('.'));
    !pattern.is_empty() && (wanted.is_none() || wanted == port) && (host == pattern || below())
}

fn in_range(address: IpAddr, network: IpAddr, bits: u32) -> bool {
    let same = |one: u128, other: u128, width: u32| {
        bits <= width && (bits == 0 || one >> (width - bits) == other >> (width - bits))
    };
    match (address, network) {
        (IpAddr::V4(one), IpAddr::V4(other)) => {
            same(u128::from(one.to_bits()), u128::from(other.to_bits()), 32)
        }
        (IpAddr::V6(one), IpAddr::V6(other)) => same(one.to_bits(), other.to_bits(), 128),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_hosts_without_a_proxy() {
        for (list, url, direct) in [
            ("*", "http://a.example/", true),
            ("example", "http://a.example/", true),
            (".a.example", "http://a.example/", true),
            ("*.a.example", "http://b.a.example/", true),
            ("a.example", "http://ba.example/", false),
            ("b.example, A.example", "http://a.example/", true),
            ("a.example:8080", "http://a.example/", false),
            ("a.example:80", "http://a.example/", true),
            ("a.example:443", "https://a.example/", true),
            ("127.0.0.1", "http://127.0.0.1:99/", true),
            ("127.0.0.0/8", "http://127.9.9.9/", true),
            ("10.0.0.0/8", "http://127.9.9.9/", false),
            ("0.0.0.0/0", "http://127.9.9.9/", true),
            ("10.0.0.0/99", "http://10.0.0.0/", false),
            ("::1", "http://[::1]/", true),
            ("[::1]:80", "http://[::1]/", true),
            ("fe80::/10", "http://[fe80::7]/", true),
            ("", "http://a.example/", false),
            (",.,", "http://a.example/", false),
        ] {
            let access = Access { no_proxy: Some(list.to_owned()), ..Access::default() };
            let route = Route::to(&Url::parse(url).unwrap(), &access);
            assert_eq!(route == Route::Direct, direct, "{list} {url}");
        }
    }

    #[test]
    fn a_proxy_of_ones_own_comes_before_the_systems() {
        let proxy = Url::parse("http://proxy.example:3128").unwrap();
        let access = Access { proxy: Some(proxy.clone()), ..Access::default() };
        let url = Url::parse("https://registry.example/").unwrap();
        assert!(Route::to(&url, &access) == Route::Proxy(proxy));
        assert!(Route::to(&url, &Access::default()) == Route::System);
    }
}
