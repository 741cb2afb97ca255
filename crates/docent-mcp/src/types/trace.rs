//! The W3C forms of the three trace keys in `_meta`. Values are passed on as they came; these
//! checks are for whoever wants to continue a trace instead of only carrying it.

/// Whether a text is a `traceparent`: version, trace id, parent id and flags in lower-case hex.
///
/// ```
/// # use docent_mcp::types::traceparent_is_valid;
/// assert!(traceparent_is_valid("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"));
/// ```
pub fn traceparent_is_valid(text: &str) -> bool {
    let mut parts = text.split('-');
    let (Some(version), Some(trace), Some(parent), Some(flags)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    is_hex(version, 2)
        && version != "ff"
        && is_hex(trace, 32)
        && trace.bytes().any(|digit| digit != b'0')
        && is_hex(parent, 16)
        && parent.bytes().any(|digit| digit != b'0')
        && is_hex(flags, 2)
        // Only later versions may append fields.
        && (version != "00" || parts.next().is_none())
}

/// Whether a text is a `tracestate`: up to 32 `key=value` members with distinct keys.
pub fn tracestate_is_valid(text: &str) -> bool {
    let mut keys = Vec::new();
    for member in text.split(',').map(|member| member.trim_matches([' ', '\t'])) {
        if member.is_empty() {
            continue;
        }
        let Some((key, value)) = member.split_once('=') else { return false };
        if keys.contains(&key) || !tracestate_key_is_valid(key) || !tracestate_value_is_valid(value)
        {
            return false;
        }
        keys.push(key);
    }
    keys.len() <= 32
}

/// Whether a text is a `baggage` list: `key=value` members, each with optional `;properties`.
pub fn baggage_is_valid(text: &str) -> bool {
    text.split(',').all(|member| {
        let mut parts = member.split(';').map(|part| part.trim_matches([' ', '\t']));
        let pair = parts.next().and_then(|pair| pair.split_once('='));
        pair.is_some_and(|(key, value)| is_token(key.trim_end()) && is_baggage_value(value))
            && parts.all(|property| match property.split_once('=') {
                Some((key, value)) => is_token(key.trim_end()) && is_baggage_value(value),
                None => is_token(property),
            })
    })
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn tracestate_key_is_valid(key: &str) -> bool {
    let simple = |part: &str, limit: usize, digit_first: bool| {
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-*/".contains(&b);
        part.len() <= limit
            && part.bytes().all(allowed)
            && part
                .bytes()
                .next()
                .is_some_and(|b| b.is_ascii_lowercase() || (digit_first && b.is_ascii_digit()))
    };
    match key.split_once('@') {
        Some((tenant, system)) => simple(tenant, 241, true) && simple(system, 14, false),
        None => simple(key, 256, false),
    }
}

fn tracestate_value_is_valid(value: &str) -> bool {
    (1..=256).contains(&value.len())
        && !value.ends_with(' ')
        && value.bytes().all(|b| (0x20..=0x7e).contains(&b) && b != b',' && b != b'=')
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

fn is_baggage_value(text: &str) -> bool {
    text.trim_start().bytes().all(|b| (0x21..=0x7e).contains(&b) && !b"\",;\\".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

    /// [BOTH-META-02] trace keys have the W3C form
    #[test]
    fn traceparent() {
        assert!(traceparent_is_valid(PARENT));
        assert!(traceparent_is_valid(&PARENT.replacen("00", "01", 1)));
        assert!(traceparent_is_valid(&format!("{}-more", PARENT.replacen("00", "cc", 1))));
        for bad in [
            "",
            "00",
            &PARENT[..54],
            &format!("{PARENT}-more"),
            &PARENT.replacen("00", "ff", 1),
            &PARENT.to_uppercase(),
            &PARENT.replace("0af7651916cd43dd8448eb211c80319c", &"0".repeat(32)),
            &PARENT.replace("00f067aa0ba902b7", &"0".repeat(16)),
            &PARENT.replace('-', "_"),
        ] {
            assert!(!traceparent_is_valid(bad), "{bad:?}");
        }
    }

    /// [BOTH-META-02] trace keys have the W3C form
    #[test]
    fn tracestate() {
        for good in ["", "rojo=00f067aa0ba902b7", "a=1, b=2\t,,c=3", "0t@sys=x y", "a=!~"] {
            assert!(tracestate_is_valid(good), "{good:?}");
        }
        let many = (0..33).map(|n| format!("k{n}=v")).collect::<Vec<_>>();
        assert!(tracestate_is_valid(&many[..32].join(",")));
        assert!(!tracestate_is_valid(&many.join(",")));
        for bad in ["a", "a=", "A=1", "0a=1", "a=1,a=2", "a=b=c", "a@=1", "a=é", "a=\u{7f}"] {
            assert!(!tracestate_is_valid(bad), "{bad:?}");
        }
    }

    /// [BOTH-META-02] trace keys have the W3C form
    #[test]
    fn baggage() {
        for good in ["k=v", "k=", "a=1,b=2;p;q=3 , c=%20", "userId=Am%C3%A9lie"] {
            assert!(baggage_is_valid(good), "{good:?}");
        }
        for bad in ["", "k", "=v", "k=a b", "k=\"q\"", "k=v,", "k=é", "k v=1"] {
            assert!(!baggage_is_valid(bad), "{bad:?}");
        }
    }
}
