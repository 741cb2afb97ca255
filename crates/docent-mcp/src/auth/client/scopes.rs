//! Which scopes are asked for.

use super::challenge::Demand;
use super::discovery::ResourceMetadata;
use super::issuer::Issuer;

const OFFLINE: &str = "offline_access";

/// What a login asks for: what the server demands, or else all that it knows, or else nothing,
/// which is the authorization server's choice; and what was asked for before, and what the program
/// wants in any case.
pub(super) fn select(
    demand: &Demand,
    resource: Option<&ResourceMetadata>,
    before: &[String],
    wanted: &[String],
) -> Vec<String> {
    let supported = || resource.and_then(|resource| resource.scopes_supported.as_deref());
    let base = demand.scopes.as_deref().or_else(supported).unwrap_or_default();
    union([before, base, wanted])
}

/// The same, with a refresh token if the authorization server offers one that way.
pub(super) fn with_offline(mut scopes: Vec<String>, issuer: &Issuer) -> Vec<String> {
    let offered =
        issuer.scopes_supported.as_ref().is_some_and(|all| all.iter().any(|one| one == OFFLINE));
    // Without any other scope it would stand for less than what no scope at all stands for.
    if offered && !scopes.is_empty() && !scopes.iter().any(|one| one == OFFLINE) {
        scopes.push(OFFLINE.to_owned());
    }
    if !offered {
        scopes.retain(|one| one != OFFLINE);
    }
    scopes
}

/// All of them, each once, in the order in which they came.
pub(super) fn union<const N: usize>(lists: [&[String]; N]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for scope in lists.into_iter().flatten() {
        if is_scope(scope) && !all.contains(scope) {
            all.push(scope.clone());
        }
    }
    all
}

/// Whether it can be one word of a list (RFC 6749, 3.3).
fn is_scope(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    !text.is_empty() && text.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// [CLI-AUTH-14] [SEC-06] the challenge, then the metadata, then nothing.
    #[test]
    fn scopes_come_from_the_server() {
        let resource = |scopes: Option<&str>| ResourceMetadata {
            scopes_supported: scopes.map(list),
            ..ResourceMetadata::default()
        };
        let demand =
            |scopes: Option<&str>| Demand { scopes: scopes.map(list), ..Demand::default() };
        for (challenged, supported, before, wanted, expected) in [
            (Some("a"), Some("b c"), "", "", "a"),
            (None, Some("b c"), "", "", "b c"),
            (None, None, "", "", ""),
            (Some("w"), Some("x"), "r", "", "r w"),
            (Some("a"), None, "a", "z a", "a z"),
            (Some("a\\ \u{e9} ok"), None, "", "", "ok"),
        ] {
            let found = select(
                &demand(challenged),
                Some(&resource(supported)),
                &list(before),
                &list(wanted),
            );
            assert_eq!(found, list(expected), "{challenged:?} {supported:?}");
        }
    }

    /// [CLI-AUTH-14] `offline_access` only where it is offered.
    #[test]
    fn offline_access_only_where_it_is_offered() {
        for (offered, scopes, expected) in [
            (Some("a offline_access"), "a", "a offline_access"),
            (Some("a offline_access"), "", ""),
            (Some("a"), "a", "a"),
            (None, "a offline_access", "a"),
        ] {
            let issuer = Issuer { scopes_supported: offered.map(list), ..Issuer::default() };
            assert_eq!(with_offline(list(scopes), &issuer), list(expected), "{offered:?} {scopes}");
        }
    }
}
