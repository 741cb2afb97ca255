//! The formats of elicitation forms: `email`, `uri`, `date`, and `date-time`.
//!
//! Fed by the `format` keyword when formats are asserted. Each test is one pass over the text.

use super::uri;

/// A format that can be asserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Email,
    Uri,
    Date,
    DateTime,
}

impl Format {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "email" => Some(Self::Email),
            "uri" => Some(Self::Uri),
            "date" => Some(Self::Date),
            "date-time" => Some(Self::DateTime),
            _ => None,
        }
    }

    /// What was expected, for messages.
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Email => "an email address such as \"name@example.com\"",
            Self::Uri => "an absolute URI such as \"https://example.com/page\"",
            Self::Date => "a date such as \"2026-07-28\"",
            Self::DateTime => "a date and time with offset such as \"2026-07-28T09:30:00Z\"",
        }
    }

    pub(super) fn admits(self, text: &str) -> bool {
        match self {
            Self::Email => is_email(text),
            Self::Uri => is_uri(text),
            Self::Date => is_date(text.as_bytes()),
            Self::DateTime => is_date_time(text.as_bytes()),
        }
    }
}

/// RFC 5321 `Mailbox`.
fn is_email(text: &str) -> bool {
    // The local part may quote an `@`; the domain never holds one.
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let quoted = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let local_fits = match quoted {
        Some(inner) => is_quoted(inner),
        None => !local.is_empty() && local.split('.').all(is_atom),
    };
    let literal = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let domain_fits = match literal {
        Some(address) => is_address(address),
        None => domain.len() <= 255 && domain.split('.').all(is_label),
    };
    local_fits && domain_fits
}

fn is_atom(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&b))
}

/// The inside of a quoted local part: printable, with `\` before quotes and backslashes.
fn is_quoted(text: &str) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let fits = match byte {
            b'\\' => bytes.next().is_some_and(|next| (b' '..=b'~').contains(&next)),
            b'"' => false,
            _ => (b' '..=b'~').contains(&byte),
        };
        if !fits {
            return false;
        }
    }
    true
}

fn is_label(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 63
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// `127.0.0.1` or `IPv6:::1`.
fn is_address(text: &str) -> bool {
    match text.strip_prefix("IPv6:") {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => text.parse::<std::net::Ipv4Addr>().is_ok(),
    }
}

/// RFC 3986 `URI`: with a scheme, and nothing that would have to be escaped.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let mut parts = rest.splitn(2, '#');
    let (body, fragment) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let authority = body.strip_prefix("//").map(|rest| {
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        (&rest[..end], &rest[end..])
    });
    let path_and_query = authority.map_or(body, |(_, rest)| rest);
    uri::is_scheme(scheme)
        && authority.is_none_or(|(authority, _)| is_authority(authority))
        && is_uri_text(path_and_query, b":@/?")
        && is_uri_text(fragment, b":@/?")
}

fn is_authority(text: &str) -> bool {
    let (user, host) = match text.rsplit_once('@') {
        Some((user, host)) => (user, host),
        None => ("", text),
    };
    let (host, port) = match host.rfind(']') {
        Some(end) => (&host[..=end], host[end + 1..].strip_prefix(':').unwrap_or(&host[end + 1..])),
        None => host.split_once(':').unwrap_or((host, "")),
    };
    let host_fits = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(literal) => {
            literal.parse::<std::net::Ipv6Addr>().is_ok()
                || (literal.starts_with(['v', 'V']) && is_uri_text(literal, b":"))
        }
        None => is_uri_text(host, b""),
    };
    is_uri_text(user, b":") && host_fits && port.bytes().all(|b| b.is_ascii_digit())
}

/// Unreserved characters, sub-delimiters, whole percent escapes, and `more`.
fn is_uri_text(text: &str, more: &[u8]) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let fits = match byte {
            b'%' => {
                let hex = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_hexdigit());
                hex(bytes.next()) && hex(bytes.next())
            }
            _ => {
                byte.is_ascii_alphanumeric()
                    || b"-._~!$&'()*+,;=".contains(&byte)
                    || more.contains(&byte)
            }
        };
        if !fits {
            return false;
        }
    }
    true
}

/// Two or four ASCII digits as a number.
fn digits(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0'))
    })
}

/// RFC 3339 `full-date`.
fn is_date(text: &[u8]) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text else { return false };
    let Some(year) = digits(&[y1, y2, y3, y4]) else { return false };
    let (Some(month), Some(day)) = (digits(&[m1, m2]), digits(&[d1, d2])) else { return false };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// RFC 3339 `date-time`; a leap second must fall on the end of a day in UTC.
fn is_date_time(text: &[u8]) -> bool {
    let Some((date, [b'T' | b't', time @ ..])) = text.split_at_checked(10) else { return false };
    let Some((&[h1, h2, b':', m1, m2, b':', s1, s2], rest)) = time.split_first_chunk() else {
        return false;
    };
    let (Some(hour), Some(minute), Some(second)) =
        (digits(&[h1, h2]), digits(&[m1, m2]), digits(&[s1, s2]))
    else {
        return false;
    };
    let offset = match rest {
        [b'.', rest @ ..] => {
            let fraction = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            if fraction == 0 {
                return false;
            }
            &rest[fraction..]
        }
        _ => rest,
    };
    let offset_minutes = match *offset {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (Some(hours), Some(minutes)) = (digits(&[h1, h2]), digits(&[m1, m2])) else {
                return false;
            };
            if hours > 23 || minutes > 59 {
                return false;
            }
            let total = (hours * 60 + minutes).cast_signed();
            if sign == b'-' { -total } else { total }
        }
        _ => return false,
    };
    let utc_minute = ((hour * 60 + minute).cast_signed() - offset_minutes).rem_euclid(24 * 60);
    let leap_second = second == 60 && utc_minute == 24 * 60 - 1;
    is_date(date) && hour < 24 && minute < 60 && (second < 60 || leap_second)
}
