//! Who one is at which registry, from all layers of configuration.
//!
//! A credential goes only where it was filed: to that host and port, below that path, over https;
//! over http only if whoever filed it also configured a registry there that is http.

use base64::Engine as _;
use url::Url;

use super::layer::{Layer, Owner, Setting, filed_under};
use crate::ecosystem::npm::read::Notes;
use crate::fetch::{Credential, Login, Secret};

const TOKEN: &str = "_authToken";
const ENCODED: &str = "_auth";
const USER: &str = "username";
const PASSWORD: &str = "_password";

/// A login, and whose it is.
pub(super) struct Owned {
    pub(super) login: Login,
    pub(super) owner: Owner,
}

/// All logins. `default` is the registry of names without a scope when no layer says another.
pub(super) fn find(layers: &[Layer], default: Option<&Url>, notes: &mut Notes) -> Vec<Owned> {
    let mut logins = Vec::new();
    for place in places(layers, &[TOKEN, ENCODED, PASSWORD]) {
        let found = credential(layers, |field| format!("{place}:{field}"), notes);
        // Configuration may leave the slash at the end out.
        let Some(filed) = filed_under(&place) else { continue };
        if let Some((credential, owner)) = found {
            logins.extend(scopes(&filed, owner, layers).into_iter().map(|scope| Owned {
                login: Login { scope, credential: credential.clone() },
                owner,
            }));
        }
    }
    for owner in [Owner::Project, Owner::User] {
        logins.extend(unfiled(layers, owner, default, notes));
    }
    logins.extend(inside_addresses(layers));
    logins
}

/// The places that one of some fields is filed under, as written.
pub(super) fn places(layers: &[Layer], wanted: &[&str]) -> Vec<String> {
    let keys = layers.iter().flat_map(Layer::keys).filter(|key| key.starts_with("//"));
    let fields = keys.filter_map(|key| key.rsplit_once(':'));
    let known = fields.filter(|(_, field)| wanted.contains(field));
    let mut places: Vec<String> = known.map(|(place, _)| place.to_owned()).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// A token, or user and password in one, or one by one, as npm prefers them.
fn credential(
    layers: &[Layer],
    key: impl Fn(&str) -> String,
    notes: &mut Notes,
) -> Option<(Credential, Owner)> {
    let find = |field: &str, notes: &mut Notes| {
        let key = key(field);
        let layer = layers.iter().find(|layer| layer.get(&key).is_some())?;
        match layer.get(&key)? {
            Setting::Value(value) => super::is_set(value).then(|| (value.clone(), layer.owner)),
            Setting::Unset(variable) => {
                let source = &layer.source;
                notes.push(format!("`{key}` in {source} needs `{variable}`, which is not set"));
                None
            }
        }
    };
    if let Some((token, owner)) = find(TOKEN, notes) {
        return Some((Credential::Bearer(Secret(token)), owner));
    }
    if let Some((encoded, owner)) = find(ENCODED, notes) {
        return Some((Credential::BasicEncoded(Secret(encoded)), owner));
    }
    let ((user, _), (password, owner)) = (find(USER, notes)?, find(PASSWORD, notes)?);
    let Some(password) = decoded(&password) else {
        notes.push(format!("`{}` is not encoded as Base64", key(PASSWORD)));
        return None;
    };
    Some((Credential::Basic { user, password: Secret(password) }, owner))
}

/// A password; either alphabet of Base64 will do, with or without padding.
fn decoded(password: &str) -> Option<String> {
    let plain: String = password.trim().trim_end_matches('=').replace('-', "+").replace('_', "/");
    let bytes = base64::engine::general_purpose::STANDARD_NO_PAD.decode(plain).ok()?;
    String::from_utf8(bytes).ok()
}

/// Where a filed credential may go.
fn scopes(filed: &str, owner: Owner, layers: &[Layer]) -> Vec<Url> {
    let secure = Url::parse(&format!("https:{filed}")).ok();
    let plain = Url::parse(&format!("http:{filed}")).ok().filter(|plain| {
        let mut registries = believed(layers, owner).flat_map(registries);
        registries.any(|registry| registry.origin() == plain.origin())
    });
    secure.into_iter().chain(plain).collect()
}

/// The layers that decide where something of this owner's may go.
pub(super) fn believed(layers: &[Layer], owner: Owner) -> impl Iterator<Item = &Layer> {
    layers.iter().filter(move |layer| owner == Owner::Project || layer.owner == owner)
}

/// The registries that a layer names.
pub(super) fn registries(layer: &Layer) -> impl Iterator<Item = Url> {
    let keys = layer.keys().filter(|key| *key == "registry" || key.ends_with(":registry"));
    keys.filter_map(|key| match layer.get(key)? {
        Setting::Value(url) => Url::parse(url).ok(),
        Setting::Unset(_) => None,
    })
}

/// Credentials that are filed under no place belong to the default registry: to the one that their
/// owner knows of, so that a project cannot send the user's own to a registry of its choice.
fn unfiled(
    layers: &[Layer],
    owner: Owner,
    default: Option<&Url>,
    notes: &mut Notes,
) -> Option<Owned> {
    let own: Vec<Layer> = layers.iter().filter(|layer| layer.owner == owner).cloned().collect();
    let (credential, _) = credential(&own, str::to_owned, notes)?;
    let named = believed(layers, owner).find_map(|layer| match layer.get("registry")? {
        Setting::Value(url) => Url::parse(url).ok(),
        Setting::Unset(_) => None,
    });
    let scope = super::base(named.or_else(|| default.cloned())?)?;
    Some(Owned { login: Login { scope, credential }, owner })
}

/// Credentials written into the address of a registry.
fn inside_addresses(layers: &[Layer]) -> Vec<Owned> {
    let found = layers.iter().flat_map(|layer| {
        registries(layer).filter(|url| !url.username().is_empty()).filter_map(|url| {
            let decoded = |text: &str| {
                percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
            };
            let user = decoded(url.username());
            let password = Secret(decoded(url.password().unwrap_or_default()));
            let login = Login {
                scope: super::base(url)?,
                credential: Credential::Basic { user, password },
            };
            Some(Owned { login, owner: layer.owner })
        })
    });
    found.collect()
}
