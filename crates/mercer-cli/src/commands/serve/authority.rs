//! The Host and Origin of requests: the only parser of `host:port`, and the rules for both headers.

use std::net::{IpAddr, Ipv6Addr};

use hyper::header::{self, HeaderMap, HeaderName};
use hyper::{Method, Uri, Version};

/// A host with an optional port, as in a Host header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Authority {
    host: Host,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Address(IpAddr),
    Name(String),
}

impl Authority {
    /// Parses `name`, `name:port`, `1.2.3.4:port` or `[v6]:port`. Everything else is refused: users, zones, text after
    /// the bracket.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (host, rest) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, rest) = rest.split_once(']')?;
                (Host::Address(IpAddr::V6(address.parse::<Ipv6Addr>().ok()?)), rest)
            }
            None => {
                let (name, rest) = text.split_at(text.find(':').unwrap_or(text.len()));
                let is_allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
                if name.is_empty() || name.len() > 255 || !name.bytes().all(is_allowed) {
                    return None;
                }
                let host = match name.parse::<IpAddr>() {
                    Ok(address) => Host::Address(address),
                    Err(_) => Host::Name(name.to_ascii_lowercase()),
                };
                (host, rest)
            }
        };
        let port = match rest.strip_prefix(':') {
            Some(digits) => {
                if digits.is_empty() || digits.len() > 5 || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return None;
                }
                Some(digits.parse::<u16>().ok()?)
            }
            None if rest.is_empty() => None,
            None => return None,
        };
        Some(Authority { host, port })
    }

    /// Whether this names the local host.
    pub(super) fn is_local(&self) -> bool {
        match &self.host {
            Host::Address(address) => address.is_loopback(),
            Host::Name(name) => name == "localhost",
        }
    }

    /// Whether both name the same host and port; a missing port means `usual`.
    fn is_same(&self, other: &Self, usual: u16) -> bool {
        self.host == other.host && self.port.unwrap_or(usual) == other.port.unwrap_or(usual)
    }
}

/// The host of a request: its only Host header, with which an absolute target must agree. HTTP/1.0 may have none.
pub(super) fn named(
    version: Version,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<Option<Authority>, &'static str> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(_), Some(_)) => return Err("more than one Host header"),
        (Some(host), None) => {
            let host = host.to_str().ok().and_then(Authority::parse);
            Some(host.ok_or("the Host header is not a host with an optional port")?)
        }
        (None, _) if version >= Version::HTTP_11 => return Err("no Host header"),
        (None, _) => None,
    };
    let Some(target) = uri.authority() else { return Ok(host) };
    let usual = match uri.scheme_str() {
        Some("http") | None => 80,
        Some("https") => 443,
        Some(_) => return Err("the target is not http"),
    };
    let target = Authority::parse(target.as_str()).ok_or("the target names no host")?;
    match host {
        Some(host) if !host.is_same(&target, usual) => Err("the target and the Host header disagree"),
        _ => Ok(Some(target)),
    }
}

/// Whether a page of another origin sent this request. Programs other than browsers send none of these headers.
pub(super) fn is_foreign(method: &Method, named: Option<&Authority>, headers: &HeaderMap) -> bool {
    let only = |name: &HeaderName| {
        let mut all = headers.get_all(name).iter();
        match (all.next(), all.next()) {
            (None, _) => Some(None),
            // A header must be readable and occur once.
            (Some(value), None) => value.to_str().ok().map(Some),
            _ => None,
        }
    };
    let (Some(site), Some(mode), Some(origin)) =
        (only(&SEC_FETCH_SITE), only(&SEC_FETCH_MODE), only(&header::ORIGIN))
    else {
        return true;
    };
    // Links from other pages are allowed: they only read, and the other page does not see the answer.
    let is_link = matches!(*method, Method::GET | Method::HEAD) && mode == Some("navigate");
    match site {
        None | Some("same-origin" | "none") => {}
        Some(_) if is_link => {}
        Some(_) => return true,
    }
    let Some(origin) = origin else { return false };
    let (usual, rest) = match (origin.strip_prefix("http://"), origin.strip_prefix("https://")) {
        (Some(rest), _) => (80, rest),
        (_, Some(rest)) => (443, rest),
        // `null`, files, extensions.
        _ => return true,
    };
    match (Authority::parse(rest), named) {
        (Some(origin), Some(named)) => !origin.is_same(named, usual),
        _ => true,
    }
}

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// The longest token.
pub(super) const LONGEST_TOKEN: usize = 256;

/// Compares secrets in constant time: always all bytes of the longest possible token.
pub(super) fn is_same_token(given: &[u8], token: &str) -> bool {
    let padded = |bytes: &[u8]| {
        let mut all = [0_u8; LONGEST_TOKEN];
        all.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        all
    };
    let (a, b) = (padded(given), padded(token.as_bytes()));
    let differing = a.iter().zip(&b).fold(0, |all, (x, y)| std::hint::black_box(all | (x ^ y)));
    // A token has no zero bytes, so padding never equals a longer one.
    (differing == 0) & (given.len() == token.len())
}
