//! Which part of a text may be seen.
//!
//! People write secrets where references belong. What is known to be one, or stands where secrets
//! stand, is not shown; a wrong guess costs a word in an explanation, never a secret.

use super::expand::Shown;

/// In place of what is not shown.
pub(crate) const HIDDEN: &str = "…";

/// Words in the names of flags, variables and parameters whose values are secret.
const SECRET_NAMES: &[&str] = &[
    "token",
    "key",
    "apikey",
    "secret",
    "password",
    "passwd",
    "pwd",
    "auth",
    "credential",
    "bearer",
    "pat",
];

/// How the tokens of well-known services begin.
const SECRET_STARTS: &[&str] = &[
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "sk-",
    "sk_",
    "pk_live",
    "rk_live",
    "xox",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "eyJ",
    "npm_",
    "pypi-",
    "hf_",
    "lin_api_",
    "ntn_",
    "secret_",
    "figd_",
    "dop_v1_",
    "shpat_",
];

/// What comes before a credential in a header.
const SCHEMES: &[&str] = &["Bearer ", "Basic ", "Token ", "token ", "ApiKey ", "Digest "];

/// From this length on, a run of letters and digits in a path may be a key.
const KEY_LENGTH: usize = 24;

/// The part of a literal text that may be seen.
pub(crate) fn text(text: &str, shown: Shown) -> String {
    match shown {
        Shown::Hidden => match SCHEMES.iter().find(|scheme| text.starts_with(**scheme)) {
            Some(scheme) if text.len() == scheme.len() => (*scheme).to_owned(),
            Some(scheme) => format!("{scheme}{HIDDEN}"),
            None => HIDDEN.to_owned(),
        },
        Shown::Argument => argument(text),
        // The whole address is masked when it is put together.
        Shown::Address => text.to_owned(),
    }
}

/// Whether values of this name are secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|word| {
        name.match_indices(word).any(|(at, word)| {
            // `pat` is a word of its own, or every path would be secret.
            let apart = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphabetic());
            word.len() > 3
                || apart(name[..at].chars().next_back())
                    && apart(name[at + word.len()..].chars().next())
        })
    })
}

fn is_secret(text: &str) -> bool {
    SECRET_STARTS.iter().any(|start| text.starts_with(start) && text.len() >= start.len() + 8)
}

fn argument(text: &str) -> String {
    if is_secret(text) {
        return HIDDEN.to_owned();
    }
    if text.contains("://") {
        return address(text);
    }
    for separator in ['=', ':'] {
        let Some((name, value)) = text.split_once(separator) else { continue };
        // `Authorization: Bearer …`, `--token=…`, `API_KEY=…`, but not `user/image:tag`.
        let plain = !name.is_empty() && !name.contains([' ', '/', '.', '@']);
        if plain && is_secret_name(name) && !value.is_empty() {
            let space = if value.starts_with(' ') { " " } else { "" };
            let value = self::text(value.trim_start(), Shown::Hidden);
            return format!("{name}{separator}{space}{value}");
        }
        if is_secret(value.trim_start()) {
            return format!("{name}{separator}{HIDDEN}");
        }
    }
    text.to_owned()
}

/// A command's arguments as they may be seen: what follows `--token` is hidden too.
pub(crate) fn follows_secret_flag(before: Option<&str>) -> bool {
    before.is_some_and(|flag| flag.starts_with('-') && !flag.contains('=') && is_secret_name(flag))
}

/// An address without passwords, values of parameters, and long keys in its path.
pub(crate) fn address(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (place, query) = match rest.find(['?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (authority, path) = match place.find('/') {
        Some(at) => place.split_at(at),
        None => (place, ""),
    };
    let authority = match authority.rsplit_once('@') {
        Some((_, host)) => format!("{HIDDEN}@{host}"),
        None => authority.to_owned(),
    };
    let path: Vec<&str> =
        path.split('/').map(|part| if is_key(part) { HIDDEN } else { part }).collect();
    let query: Vec<String> = query.split('&').map(parameter).collect();
    format!("{scheme}://{authority}{}{}", path.join("/"), query.join("&"))
}

fn is_key(part: &str) -> bool {
    let digits = part.chars().filter(char::is_ascii_digit).count();
    let plain = part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    is_secret(part) || plain && digits >= 3 && part.len() >= KEY_LENGTH
}

/// References stay visible: they are no secrets.
fn parameter(text: &str) -> String {
    match text.split_once('=') {
        Some((name, value)) if !value.starts_with("${") && !value.is_empty() => {
            format!("{name}={HIDDEN}")
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_and_the_rest_is_shown() {
        for (given, expected) in [
            ("-y", "-y"),
            ("@scope/server@1.2.3", "@scope/server@1.2.3"),
            ("ghcr.io/github/github-mcp-server:1.0", "ghcr.io/github/github-mcp-server:1.0"),
            ("--token=abc", "--token=…"),
            ("API_KEY=abc", "API_KEY=…"),
            ("Authorization: Bearer abc", "Authorization: Bearer …"),
            ("Authorization:${AUTH_HEADER}", "Authorization:…"),
            ("ghp_0123456789abcdef", "…"),
            ("postgres://me:pw@db/app?sslmode=require", "postgres://…@db/app?sslmode=…"),
            ("https://x.dev/s/0123456789abcdef0123456789/mcp", "https://x.dev/s/…/mcp"),
            ("--path=src", "--path=src"),
            ("--monkey=1", "--monkey=1"),
        ] {
            assert_eq!(argument(given), expected, "{given}");
        }
    }
}
