//! What a server says when it refuses: the `WWW-Authenticate` headers of a 401 or 403.

use crate::transport::http::Challenge;

/// What a refusal asks for, as far as this client understands it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Demand {
    /// Where the metadata of the resource is.
    pub(super) resource_metadata: Option<String>,
    /// The scopes that the request needs.
    pub(super) scopes: Option<Vec<String>>,
    /// `invalid_token`, `insufficient_scope`, `use_dpop_nonce` and the like.
    pub(super) error: Option<String>,
    /// The server takes tokens that are bound to a key, and no others.
    pub(super) dpop: bool,
}

impl Demand {
    /// Reads the headers. Schemes that this client does not know are skipped.
    pub(super) fn read(challenge: &Challenge) -> Demand {
        let offers: Vec<_> = challenge.www_authenticate().flat_map(parse).collect();
        let of = |scheme: &str| offers.iter().find(|o| o.scheme.eq_ignore_ascii_case(scheme));
        let (bearer, dpop) = (of("bearer"), of("dpop"));
        let mut demand = Demand { dpop: dpop.is_some() && bearer.is_none(), ..Demand::default() };
        for offer in [bearer, dpop].into_iter().flatten() {
            let get = |name: &str| offer.get(name).map(str::to_owned);
            demand.resource_metadata =
                demand.resource_metadata.or_else(|| get("resource_metadata"));
            demand.scopes = demand.scopes.or_else(|| get("scope").map(|scope| words(&scope)));
            demand.error = demand.error.or_else(|| get("error"));
        }
        demand
    }

    pub(super) fn is(&self, error: &str) -> bool {
        self.error.as_deref() == Some(error)
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_ascii_whitespace().map(str::to_owned).collect()
}

/// One scheme with its parameters.
#[derive(Debug, PartialEq, Eq)]
struct Offer {
    scheme: String,
    parameters: Vec<(String, String)>,
}

impl Offer {
    fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.parameters.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            // Which of two is meant, only an attacker knows.
            _ => None,
        }
    }
}

/// Reads one header: schemes with parameters, all separated by commas (RFC 9110, 11.6.1). What
/// cannot be read is skipped up to the next comma.
fn parse(header: &str) -> Vec<Offer> {
    let mut offers: Vec<Offer> = Vec::new();
    let mut rest = header;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return offers;
        }
        let (word, after) = token(rest);
        if word.is_empty() {
            rest = skip_item(rest);
            continue;
        }
        let spaced = after.trim_start_matches([' ', '\t']);
        match (spaced.strip_prefix('='), offers.last_mut()) {
            (Some(value), Some(offer)) if !value.starts_with('=') => {
                let (value, after) = parameter_value(value.trim_start_matches([' ', '\t']));
                if let Some(value) = value {
                    offer.parameters.push((word.to_owned(), value));
                }
                rest = skip_item(after);
            }
            (Some(_), _) => rest = skip_item(after),
            (None, _) => {
                offers.push(Offer { scheme: word.to_owned(), parameters: Vec::new() });
                rest = skip_token68(spaced);
            }
        }
    }
}

/// Skips credentials of the older form (`Negotiate oWwwXQ==`), which have no names.
fn skip_token68(text: &str) -> &str {
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || "-._~+/=".contains(c)))
        .unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    let named = word.trim_end_matches('=').contains('=') || after.starts_with(['"', ' ', '\t']);
    let is_token68 = !word.is_empty() && !named && (after.is_empty() || after.starts_with(','));
    if is_token68 { after } else { text }
}

fn token(text: &str) -> (&str, &str) {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    text.split_at(text.find(|c| !is_token(c)).unwrap_or(text.len()))
}

/// A value, quoted or not; `None` for a quote that does not end.
fn parameter_value(text: &str) -> (Option<String>, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let (value, after) = token(text);
        return ((!value.is_empty()).then(|| value.to_owned()), after);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return (Some(value), &quoted[at + 1..]),
            '\\' => value.extend(characters.next().map(|(_, c)| c)),
            c => value.push(c),
        }
    }
    (None, "")
}

/// Whatever is left before the next comma.
fn skip_item(text: &str) -> &str {
    text.find(',').map_or("", |at| &text[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, expected: &[(&str, &[(&str, &str)])]) {
        let found = parse(header);
        let found: Vec<(&str, Vec<(&str, &str)>)> = found
            .iter()
            .map(|offer| {
                let pairs = offer.parameters.iter().map(|(k, v)| (k.as_str(), v.as_str()));
                (offer.scheme.as_str(), pairs.collect())
            })
            .collect();
        let expected: Vec<_> = expected.iter().map(|(s, p)| (*s, p.to_vec())).collect();
        assert_eq!(found, expected, "{header}");
    }

    #[test]
    fn headers_of_every_shape() {
        check("", &[]);
        check("Bearer", &[("Bearer", &[])]);
        check(
            r#"Bearer scope="a b", resource_metadata="https://h/x?y=1,2", error=invalid_token"#,
            &[(
                "Bearer",
                &[
                    ("scope", "a b"),
                    ("resource_metadata", "https://h/x?y=1,2"),
                    ("error", "invalid_token"),
                ],
            )],
        );
        check(
            r#"Negotiate oWwwXQ==, Basic realm="a \"b\" , c", DPoP algs="ES256""#,
            &[
                ("Negotiate", &[]),
                ("Basic", &[("realm", "a \"b\" , c")]),
                ("DPoP", &[("algs", "ES256")]),
            ],
        );
        check(
            r#"Bearer realm = "x" ,, error="y""#,
            &[("Bearer", &[("realm", "x"), ("error", "y")])],
        );
        check(r#"Bearer error="open"#, &[("Bearer", &[])]);
        check(r#"="x", Bearer a=b"#, &[("Bearer", &[("a", "b")])]);
        check("Bearer \u{e9}=1, a=b", &[("Bearer", &[("a", "b")])]);
    }

    #[test]
    fn a_parameter_that_comes_twice_counts_for_nothing() {
        let offers = parse(r#"Bearer scope="a", scope="b", error="x""#);
        assert_eq!(offers[0].get("scope"), None);
        assert_eq!(offers[0].get("ERROR"), Some("x"));
    }

    /// Whatever a server sends, reading it ends, and takes time in proportion.
    #[test]
    fn hostile_headers_end() {
        for piece in ["\"", "a=", ",", "a=\"\\", "=", "Bearer ", "a b=c,", "\u{0}"] {
            parse(&piece.repeat(20_000));
        }
    }
}
