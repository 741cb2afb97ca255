//! Names for things of many servers: at most 64 characters of `A–Z a–z 0–9 _ -`, which is what
//! models' interfaces take.
//!
//! A name is the server's, two underscores, and its own. It depends on nothing else, so it stays the
//! same whichever other servers there are. A name that does not fit is cut, and ends with a hash of
//! what it stands for; the way back is a table, so nothing is ever taken for something else.

use std::collections::BTreeSet;

use ring::digest::{SHA256, digest};

/// What models' interfaces take.
const NAME_BYTES_MAX: usize = 64;
/// So that room is left for the thing's own name.
const SLUG_BYTES_MAX: usize = 24;
/// What stands between a server's name and the thing's own.
pub(crate) const SEPARATOR: &str = "__";

/// The first part of the names of each server, in order. Two servers never get the same.
pub(crate) fn slugs<'a>(servers: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut slugs = Vec::new();
    for server in servers {
        let mut slug = slug(server);
        let mut salt = 0_u32;
        while !taken.insert(slug.clone()) {
            slug = cut(&clean(server), SLUG_BYTES_MAX, &format!("{server}\0{salt}"), 4);
            salt += 1;
        }
        slugs.push(slug);
    }
    slugs
}

fn slug(server: &str) -> String {
    let cleaned = clean(server);
    // Two underscores in a server's name would be taken for the end of it.
    match cleaned == server && !server.contains(SEPARATOR) && fits(server) {
        true => cleaned,
        false => cut(&cleaned.replace(SEPARATOR, "_"), SLUG_BYTES_MAX, server, 4),
    }
}

fn fits(server: &str) -> bool {
    !server.is_empty() && server.len() <= SLUG_BYTES_MAX && !server.ends_with('_')
}

/// The name of a server's thing.
pub(crate) fn name(slug: &str, own: &str) -> String {
    let cleaned = clean(own);
    let whole = format!("{slug}{SEPARATOR}{cleaned}");
    match cleaned == own && whole.len() <= NAME_BYTES_MAX {
        true => whole,
        false => cut(&whole, NAME_BYTES_MAX, &format!("{slug}\0{own}"), 8),
    }
}

/// The scheme that stands before an address when two servers have the same one.
pub(crate) fn scheme(slug: &str) -> String {
    let mut scheme = slug.to_ascii_lowercase().replace('_', "-");
    if !scheme.starts_with(|first: char| first.is_ascii_lowercase()) {
        scheme.insert_str(0, "s-");
    }
    scheme
}

fn clean(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.chars().map(|c| if allowed(c) { c } else { '_' }).collect()
}

/// Cuts a name and ends it with a hash of what it stands for.
fn cut(cleaned: &str, bytes_max: usize, stands_for: &str, hash_chars: usize) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let digest = digest(&SHA256, stands_for.as_bytes());
    let hash: String = digest.as_ref()[..hash_chars]
        .iter()
        .map(|byte| char::from(LETTERS[usize::from(byte % 32)]))
        .collect();
    let kept = &cleaned[..cleaned.len().min(bytes_max - hash_chars - 1)];
    match kept.trim_end_matches('_') {
        "" => hash,
        kept => format!("{kept}_{hash}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_and_are_never_shared() {
        let long = "x".repeat(200);
        let owns = ["search", "a.b", "a/b", "a_b", "été", "", &long, &format!("{long}y")];
        let servers =
            ["github", "my server", "my_server", "my.server", "a__b", "a", "_", "", &long];
        let slugs = slugs(servers);
        let mut seen = BTreeSet::new();
        for slug in &slugs {
            assert!(slug.len() <= SLUG_BYTES_MAX && !slug.contains(SEPARATOR), "{slug}");
            for own in owns {
                let name = name(slug, own);
                let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                assert!((1..=64).contains(&name.len()) && name.chars().all(fits), "{name}");
                assert!(seen.insert(name.clone()), "{name} twice");
            }
        }
        assert_eq!(name("github", "search"), "github__search");
        // At the limit, and one past it.
        let room = NAME_BYTES_MAX - "github__".len();
        assert_eq!(name("github", &long[..room]), format!("github__{}", &long[..room]));
        assert_ne!(name("github", &long[..room + 1]), format!("github__{}", &long[..room + 1]));
    }

    #[test]
    fn a_name_does_not_depend_on_other_servers() {
        assert_eq!(slugs(["a b", "github"])[1], slugs(["github"])[0]);
        assert_eq!(slugs(["a b"]), slugs(["a b", "x"])[..1]);
    }
}
