//! Logins from the user's netrc file, each for the one host it names.

use std::path::PathBuf;

use crate::Environment;
use crate::ecosystem::python::files::Files;

/// The login for a host, from `$NETRC` or `~/.netrc`.
pub(crate) fn login(
    host: &str,
    environment: &Environment,
    files: &Files<'_>,
) -> Option<(String, String)> {
    let set = environment.variable("NETRC").map(PathBuf::from);
    let home =
        environment.home().into_iter().flat_map(|home| [home.join(".netrc"), home.join("_netrc")]);
    let text = set.into_iter().chain(home).find_map(|file| files.text(&file))?;
    find(&text, host)
}

/// The first entry for a host. `default` is left alone: it would send a login to any host at all.
fn find(text: &str, host: &str) -> Option<(String, String)> {
    let tokens = tokens(text);
    let mut tokens = tokens.iter().map(String::as_str);
    let mut here = false;
    let (mut user, mut password) = (None, None);
    while let Some(token) = tokens.next() {
        match token {
            "machine" | "default" => {
                if here && password.is_some() {
                    break;
                }
                here = token == "machine"
                    && tokens.next().is_some_and(|name| name.eq_ignore_ascii_case(host));
                (user, password) = (None, None);
            }
            "login" | "user" => user = tokens.next().map(str::to_owned),
            "password" => password = tokens.next().map(str::to_owned),
            "account" => _ = tokens.next(),
            _ => {}
        }
    }
    here.then(|| Some((user.unwrap_or_default(), password?))).flatten()
}

/// Words, quoted or not, without comments and macros.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut in_macro = false;
    for line in text.lines() {
        if in_macro {
            // A macro ends with an empty line.
            in_macro = !line.trim().is_empty();
            continue;
        }
        let mut rest = line.trim_start();
        while !rest.is_empty() {
            // A password may begin with the sign that opens a comment.
            let is_value =
                matches!(tokens.last().map(String::as_str), Some("password" | "login" | "account"));
            if rest.starts_with('#') && !is_value {
                break;
            }
            let (token, after) = match rest.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
                None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
            };
            if token == "macdef" {
                in_macro = true;
                break;
            }
            tokens.push(token.to_owned());
            rest = after.trim_start();
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_has_its_own() {
        let text = "\
# machine a.example login no password no
machine a.example login me password s3cret
machine b.example
    login \"a b\" account x password #hash
macdef init
machine c.example login macro password macro

machine c.example password only
machine d.example login incomplete
default login anyone password leaked
";
        for (host, expected) in [
            ("a.example", Some(("me", "s3cret"))),
            ("A.Example", Some(("me", "s3cret"))),
            ("b.example", Some(("a b", "#hash"))),
            ("c.example", Some(("", "only"))),
            ("d.example", None),
            ("other.example", None),
            ("example", None),
        ] {
            let found = find(text, host);
            let found = found.as_ref().map(|(user, password)| (user.as_str(), password.as_str()));
            assert_eq!(found, expected, "{host}");
        }
        for broken in ["", "machine", "machine a login", "\"", "machine a password \"open"] {
            let _ = find(broken, "a");
        }
    }
}
