//! The user's configuration: which registry knows a package, and how it is reached.
//!
//! Fed by `.npmrc` and the files of npm's relatives ([`sources`]), each turned into one [`layer`];
//! feeds [`super::registry`]. No registry is known beforehand. Files of the project are believed
//! about where packages come from, but never so that a credential of the user's goes elsewhere.

mod bunfig;
mod certificate;
mod expand;
mod files;
mod layer;
mod login;
mod rc;
mod sources;
mod yarnrc;

use std::path::PathBuf;

use url::Url;

use self::layer::{Layer, Owner, Setting};
use super::name;
use super::project::Project;
use super::read::Notes;
use crate::ecosystem::Context;
use crate::fetch::Access;
use crate::{Environment, Error, ErrorKind};

/// A registry, and how it is reached.
#[derive(Clone, Debug)]
pub(super) struct Registry {
    /// Its address, with a slash at the end.
    pub(super) url: Url,
    pub(super) access: Access,
    /// The host whose artifacts this registry serves in its place; `always` for every host.
    stands_in_for: Option<String>,
}

/// All layers of configuration, the one that wins first.
pub(super) struct Config {
    layers: Vec<Layer>,
    /// What could not be read or lacks a variable.
    pub(super) notes: Notes,
    home: Option<PathBuf>,
    extra_ca: Option<PathBuf>,
    /// Hosts without a proxy as the environment has them, for a proxy that the configuration names.
    no_proxy: Option<String>,
}

impl Config {
    /// Reads the configuration that holds for a project.
    pub(super) fn read(project: &Project, context: &Context<'_>) -> Self {
        let mut notes = Notes::new();
        let environment: &Environment = context.environment;
        let layers = sources::layers(project, environment, context.limits, &mut notes);
        let home = environment.home().map(PathBuf::from);
        let extra_ca = environment.variable("NODE_EXTRA_CA_CERTS").map(PathBuf::from);
        let no_proxy = ["no_proxy", "NO_PROXY"].iter().find_map(|name| environment.variable(name));
        let no_proxy = no_proxy.map(str::to_owned);
        Self { layers, notes, home, extra_ca, no_proxy }
    }

    /// The registry of a package: that of its scope, else the default one. `fallback` is the default
    /// where no configuration names one; without it, `None` says so.
    pub(super) fn registry(
        &mut self,
        package: &str,
        fallback: Option<&Url>,
    ) -> Result<Option<Registry>, Error> {
        let scope = name::scope(package).map(|scope| format!("{scope}:registry"));
        let keys = scope.iter().map(String::as_str).chain(["registry"]);
        let configured = { keys }.find_map(|key| Some((key, self.find(key)?)));
        let url = match configured {
            Some((key, (layer, Setting::Value(address)))) => {
                let url = Url::parse(address).ok().and_then(base);
                url.ok_or_else(|| unusable(key, layer, "is not the address of a registry"))?
            }
            // Another registry must not be asked in its place: the name may be a private one.
            Some((key, (layer, Setting::Unset(variable)))) => {
                let why = format!("needs the variable `{variable}`, which is not set");
                return Err(unusable(key, layer, &why));
            }
            None => match fallback.cloned().and_then(base) {
                Some(url) => url,
                None => return Ok(None),
            },
        };
        let access = self.access(fallback);
        let stands_in_for = self.text("replace-registry-host");
        Ok(Some(Registry { url, access, stands_in_for }))
    }

    /// Whether the scope of a package has a registry of its own.
    pub(super) fn has_own_registry(&self, package: &str) -> bool {
        name::scope(package).is_some_and(|scope| self.find(&format!("{scope}:registry")).is_some())
    }

    fn access(&mut self, default: Option<&Url>) -> Access {
        let mut notes = Notes::new();
        let home = self.home.as_deref();
        let mut logins = login::find(&self.layers, default, &mut notes);
        let mut shown = certificate::find(&self.layers, home, default, &mut notes);
        let authorities = certificate::authorities(&self.layers, home, &mut notes);
        let ca_file = self.ca_file(&mut notes);
        if let Some(source) = self.project_trust() {
            let before = logins.len() + shown.len();
            logins.retain(|login| login.owner == Owner::Project);
            shown.retain(|shown| shown.owner == Owner::Project);
            if logins.len() + shown.len() < before {
                notes.push(format!(
                    "{source} changes which certificates are trusted, so your own credentials are \
                     not sent; put `ca`, `cafile` or `strict-ssl` into your own `.npmrc`"
                ));
            }
        }
        notes.retain(|note| !self.notes.contains(note));
        self.notes.append(&mut notes);
        let pem = self.find_all("ca").into_iter().map(|pem| pem.replace("\\n", "\n"));
        let proxy = self.text("https-proxy").or_else(|| self.text("proxy"));
        let no_proxy = [self.find_all("noproxy"), self.find_all("no-proxy")].concat().join(",");
        let no_proxy = Some(no_proxy).filter(|hosts| !hosts.is_empty());
        Access {
            logins: logins.into_iter().map(|owned| owned.login).collect(),
            ca_files: ca_file.into_iter().chain(self.extra_ca.clone()).collect(),
            ca_pem: pem.filter(|pem| pem.contains("BEGIN CERTIFICATE")).collect(),
            authorities,
            certificates: shown.into_iter().map(|owned| owned.shown).collect(),
            insecure: self.text("strict-ssl").as_deref().is_some_and(is_off),
            proxy: proxy.as_deref().and_then(proxy_url),
            no_proxy: no_proxy.or_else(|| self.no_proxy.clone()),
        }
    }

    /// The file of the project that decides whom to trust, if one does: with a proxy of its own, it
    /// could read what is sent to any registry.
    fn project_trust(&self) -> Option<&str> {
        let weaker = |key: &str| {
            let (layer, setting) = self.find(key)?;
            let Setting::Value(value) = setting else { return None };
            let matters = if key == "strict-ssl" { is_off(value) } else { is_set(value) };
            (matters && layer.owner == Owner::Project).then_some(layer.source.as_str())
        };
        let filed = login::places(&self.layers, &["ca", "cafile"]).into_iter();
        let filed = filed.flat_map(|place| [format!("{place}:ca"), format!("{place}:cafile")]);
        let keys = ["strict-ssl", "ca", "cafile"].map(str::to_owned).into_iter().chain(filed);
        keys.collect::<Vec<_>>().iter().find_map(|key| weaker(key))
    }

    /// The file of certificates to trust, if it is there: npm does without one that is not.
    fn ca_file(&self, notes: &mut Notes) -> Option<PathBuf> {
        let (layer, setting) = self.find("cafile")?;
        let Setting::Value(file) = setting else { return None };
        let file = Some(file.as_str()).filter(|file| is_set(file))?;
        let file = layer.path(file, self.home.as_deref());
        if !file.is_file() {
            notes.push(format!("`cafile` in {} names a file that is not there", layer.source));
            return None;
        }
        Some(file)
    }

    /// The winning setting of a key.
    fn find(&self, key: &str) -> Option<(&Layer, &Setting)> {
        self.layers.iter().find_map(|layer| Some((layer, layer.get(key)?)))
    }

    /// The values of a key that can have several, from the winning layer.
    fn find_all(&self, key: &str) -> Vec<String> {
        let layer = self.layers.iter().find(|layer| layer.get(key).is_some());
        let settings = layer.into_iter().flat_map(|layer| layer.all(key));
        let values = settings.filter_map(|setting| match setting {
            Setting::Value(value) if is_set(value) => Some(value.clone()),
            _ => None,
        });
        values.collect()
    }

    fn text(&self, key: &str) -> Option<String> {
        match self.find(key)?.1 {
            Setting::Value(value) if !matches!(value.as_str(), "" | "null") => Some(value.clone()),
            _ => None,
        }
    }
}

impl Registry {
    /// The address of an artifact, at this registry if it serves it in another's place.
    pub(super) fn replace_host(&self, url: Url) -> Url {
        let replaces = self.stands_in_for.as_deref();
        let meant = replaces.is_some_and(|host| host == "always" || Some(host) == url.host_str());
        if !meant || url.origin() == self.url.origin() {
            return url;
        }
        let path = format!("{}{}", self.url.path().trim_end_matches('/'), url.path());
        let mut replaced = self.url.clone();
        replaced.set_path(&path);
        replaced.set_query(url.query());
        replaced
    }
}

/// Whether a value switches something off: npm takes numbers too.
fn is_off(value: &str) -> bool {
    matches!(value, "false" | "0")
}

fn is_set(value: &str) -> bool {
    !matches!(value, "" | "null" | "undefined" | "false")
}

/// The address of a registry in the form that names can be joined to; `None` if it is none.
fn base(mut url: Url) -> Option<Url> {
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return None;
    }
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    url.set_query(None);
    url.set_fragment(None);
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Some(url)
}

fn proxy_url(written: &str) -> Option<Url> {
    let written = Some(written).filter(|written| is_set(written))?;
    let parsed = Url::parse(written).ok().filter(Url::has_host);
    parsed.or_else(|| Url::parse(&format!("http://{written}")).ok())
}

fn unusable(key: &str, layer: &Layer, why: &str) -> Error {
    let message = format!("`{key}` in {} {why}", layer.source);
    Error::new(ErrorKind::NoRegistry, message).hint("set it to the address of your registry")
}

#[cfg(test)]
pub(super) mod tests;
