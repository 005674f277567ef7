//! Addresses of gateways as people type them.

use std::net::{IpAddr, Ipv6Addr};

/// An address that may be connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// `ws://…` or `wss://…`, without a trailing slash.
    pub url: String,
    /// Host and port, for people and as a key.
    pub authority: String,
}

/// Why an address is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// It can't be read.
    #[error("this is not an address of a gateway; it looks like gateway.example:18789 or wss://gateway.example")]
    Unreadable,
    /// The token would cross a network in the clear.
    #[error(
        "without TLS the token could be read on the way; use wss:// or an address on this computer or your own network"
    )]
    Clear,
}

/// Port of an OpenClaw gateway when none is given and there is no TLS.
const DEFAULT_PORT: u16 = 18_789;
/// Port of a gateway behind TLS; the same with and without.
const TLS_PORT: u16 = 443;

impl Address {
    /// Reads what a person typed: a URL (`ws`, `wss`, `http`, `https`), or host and port.
    pub fn parse(typed: &str) -> Result<Self, BadAddress> {
        let typed = typed.trim().trim_end_matches('/');
        let (secure, rest) = match typed.split_once("://") {
            None => (None, typed),
            Some((scheme, rest)) => match scheme.to_ascii_lowercase().as_str() {
                "ws" | "http" => (Some(false), rest),
                "wss" | "https" => (Some(true), rest),
                _ => return Err(BadAddress::Unreadable),
            },
        };
        let (host, port) = split_port(rest).ok_or(BadAddress::Unreadable)?;
        let host = read_host(host).ok_or(BadAddress::Unreadable)?;
        // Without a scheme: in the clear where that is safe, else with TLS.
        let secure = secure.unwrap_or(!may_be_clear(&host));
        if !secure && !may_be_clear(&host) {
            return Err(BadAddress::Clear);
        }
        let authority = match port {
            Some(TLS_PORT) | None if secure => host,
            Some(port) => format!("{host}:{port}"),
            None => format!("{host}:{DEFAULT_PORT}"),
        };
        Ok(Self { url: format!("{}://{authority}", if secure { "wss" } else { "ws" }), authority })
    }
}

fn split_port(rest: &str) -> Option<(&str, Option<u16>)> {
    let after_host = rest.rfind(']').map_or(0, |bracket| bracket + 1);
    match rest.get(after_host..)?.rsplit_once(':') {
        None => Some((rest, None)),
        Some((before, port)) => {
            let port = port.parse().ok().filter(|port| *port != 0)?;
            // More colons than one: an IPv6 address without brackets.
            (!before.contains(':')).then(|| (rest.get(..after_host + before.len()).unwrap_or_default(), Some(port)))
        }
    }
}

/// A name, an IPv4 address, or an IPv6 address in brackets, each in one spelling.
fn read_host(typed: &str) -> Option<String> {
    if let Some(literal) = typed.strip_prefix('[') {
        let ip: Ipv6Addr = literal.strip_suffix(']')?.parse().ok()?;
        return Some(format!("[{ip}]"));
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    (typed.contains(|c: char| c.is_ascii_alphanumeric()) && typed.chars().all(allowed))
        .then(|| typed.to_ascii_lowercase())
}

/// This computer, and literal addresses of private and tailnet networks. Names could point anywhere.
fn may_be_clear(host: &str) -> bool {
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    match literal.parse() {
        Ok(IpAddr::V4(ip)) => {
            // 100.64.0.0/10 is where tailnets live.
            let [a, b, ..] = ip.octets();
            ip.is_loopback() || ip.is_private() || ip.is_link_local() || (a == 100 && (64..128).contains(&b))
        }
        Ok(IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
        Err(_) => host == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type_is_understood() {
        for (typed, url) in [
            ("ws://127.0.0.1:18790", "ws://127.0.0.1:18790"),
            (" localhost ", "ws://localhost:18789"),
            ("http://192.168.1.5:18789/", "ws://192.168.1.5:18789"),
            ("gateway.example", "wss://gateway.example"),
            ("https://Gateway.example:8443", "wss://gateway.example:8443"),
            ("100.100.1.2:18789", "ws://100.100.1.2:18789"),
            ("[::1]:9", "ws://[::1]:9"),
            ("[0:0::1]:9", "ws://[::1]:9"),
            ("wss://gateway.example:443/", "wss://gateway.example"),
        ] {
            assert_eq!(Address::parse(typed).map(|address| address.url).as_deref(), Ok(url), "{typed}");
        }
    }

    #[test]
    fn a_token_never_crosses_a_network_in_the_clear() {
        for typed in [
            "ws://gateway.example",
            "ws://8.8.8.8:1",
            "ws://100.128.0.1:1",
            "ws://127.0.0.1.example.com:1",
            "ws://[2001:db8::1]:1",
        ] {
            assert_eq!(Address::parse(typed), Err(BadAddress::Clear), "{typed}");
        }
    }

    #[test]
    fn the_rest_is_refused() {
        for typed in [
            "",
            "ftp://x",
            "a b",
            "ws://",
            "host:0",
            "host:99999",
            "ws://user@host:1",
            "::1",
            "host/path",
            "host:1?x",
            "...",
            "::1]",
            "[::1",
            "[[::1]]:9",
            "10.0.0.1]",
            "[10.0.0.1]",
            "[host]",
            "ho]st",
        ] {
            assert_eq!(Address::parse(typed), Err(BadAddress::Unreadable), "{typed}");
        }
    }
}
