//! Certificates that are shown or trusted at some registries, from all layers of configuration:
//! `//host/path/:certfile` and `:keyfile` as npm has them, `:cert`, `:key`, `:ca` and `:cafile` as pnpm
//! has them too, and `cert` and `key` for all registries.
//!
//! Each is good for the place it was filed under. Those without a place are for the registries that
//! their owner has named, so that a project cannot make the user's own known elsewhere; and a project
//! can only name files of its own.

use std::path::Path;

use url::Url;

use super::layer::{Layer, Owner, Setting, filed_under};
use super::login;
use crate::ecosystem::npm::read::Notes;
use crate::fetch::{Authority, Identity, Pem, Shown};

/// A certificate to show, and whose it is.
pub(super) struct Owned {
    pub(super) shown: Shown,
    pub(super) owner: Owner,
}

/// All certificates to show. `default` is the registry of names without a scope when no layer says
/// another.
pub(super) fn find(
    layers: &[Layer],
    home: Option<&Path>,
    default: Option<&Url>,
    notes: &mut Notes,
) -> Vec<Owned> {
    let mut found = Vec::new();
    for place in login::places(layers, &["certfile", "cert"]) {
        let pair = identity(layers, &format!("{place}:"), home, notes);
        if let (Some((identity, owner)), Some(scope)) = (pair, scope(&place)) {
            found.push(Owned { shown: Shown { scope, identity }, owner });
        }
    }
    for owner in [Owner::Project, Owner::User] {
        let own: Vec<Layer> = layers.iter().filter(|layer| layer.owner == owner).cloned().collect();
        let Some((identity, _)) = identity(&own, "", home, notes) else { continue };
        let named = login::believed(layers, owner).flat_map(login::registries);
        let named: Vec<Url> = named.chain(default.cloned()).filter_map(super::base).collect();
        found.extend(named.into_iter().filter(|url| url.scheme() == "https").map(|scope| {
            let shown = Shown { scope, identity: identity.clone() };
            Owned { shown, owner }
        }));
    }
    found
}

/// The authorities that are filed under a place.
pub(super) fn authorities(
    layers: &[Layer],
    home: Option<&Path>,
    notes: &mut Notes,
) -> Vec<Authority> {
    let places = login::places(layers, &["cafile", "ca"]).into_iter();
    let found = places.filter_map(|place| {
        let (pem, _) = pem(layers, &format!("{place}:"), ["cafile", "ca"], home, notes)?;
        Some(Authority { scope: scope(&place)?, pem })
    });
    found.collect()
}

fn scope(place: &str) -> Option<Url> {
    Url::parse(&format!("https:{}", filed_under(place)?)).ok()
}

/// The certificate and the key whose settings begin in this way. If either is the user's, both are.
fn identity(
    layers: &[Layer],
    start: &str,
    home: Option<&Path>,
    notes: &mut Notes,
) -> Option<(Identity, Owner)> {
    let (certificate, one) = pem(layers, start, ["certfile", "cert"], home, notes)?;
    let (key, other) = pem(layers, start, ["keyfile", "key"], home, notes)?;
    let owner = if [one, other].contains(&Owner::User) { Owner::User } else { Owner::Project };
    Some((Identity { certificate, key }, owner))
}

/// What a setting names: a file that is there, or PEM in the setting itself.
fn pem(
    layers: &[Layer],
    start: &str,
    [file, text]: [&str; 2],
    home: Option<&Path>,
    notes: &mut Notes,
) -> Option<(Pem, Owner)> {
    if let Some((layer, written)) = value(layers, &format!("{start}{file}")) {
        let path = layer.path(written, home);
        let real = path.canonicalize().ok().filter(|real| real.is_file());
        let (key, source) = (format!("{start}{file}"), &layer.source);
        let Some(real) = real else {
            notes.push(format!("`{key}` in {source} names a file that is not there"));
            return None;
        };
        let inside = layer.folder.canonicalize().is_ok_and(|folder| real.starts_with(folder));
        if layer.owner == Owner::Project && !inside {
            notes.push(format!(
                "`{key}` in {source} names a file outside of the project, which is not used; put \
                 it into your own `.npmrc`"
            ));
            return None;
        }
        return Some((Pem::File(path), layer.owner));
    }
    let (layer, written) = value(layers, &format!("{start}{text}"))?;
    Some((Pem::Text(written.replace("\\n", "\n")), layer.owner))
}

fn value<'a>(layers: &'a [Layer], key: &str) -> Option<(&'a Layer, &'a str)> {
    let (layer, setting) = layers.iter().find_map(|layer| Some((layer, layer.get(key)?)))?;
    match setting {
        Setting::Value(value) if super::is_set(value) => Some((layer, value)),
        _ => None,
    }
}
