//! Addresses as they may be shown, stored and asked: without what could be a secret.

use url::Url;

/// An address for people: no user, no password, no query, no fragment.
pub(crate) fn shown(url: &Url) -> String {
    plain(url).to_string()
}

/// The address without user, password, query and fragment. Links relative to it lead where those
/// relative to the whole address do.
pub(super) fn plain(url: &Url) -> Url {
    let mut plain = without_user(url);
    plain.set_query(None);
    plain
}

/// The address as it is asked: whoever is named in it is not sent along.
pub(super) fn without_user(url: &Url) -> Url {
    let mut bare = url.clone();
    // Both fail only for addresses that cannot have a user.
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    bare.set_fragment(None);
    bare
}

/// Scheme, host and port, for people.
pub(super) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}
