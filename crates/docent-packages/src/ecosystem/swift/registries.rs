//! Which registry a package is asked of: `registries.json` of the project, then of the user.

use std::path::PathBuf;

use serde::Deserialize;
use url::Url;

use super::name::Id;
use super::project::Project;
use crate::Environment;
use crate::ecosystem::python::config::netrc;
use crate::ecosystem::python::files::Files;
use crate::fetch::{Access, Credential, Login, Secret};
use crate::hashing::HashMap;

/// The registries that are configured, the nearest file first.
#[derive(Debug, Default)]
pub(super) struct Registries {
    files: Vec<HashMap<String, Url>>,
    logins: Vec<Login>,
}

/// One registry.
#[derive(Clone, Debug)]
pub(super) struct Registry {
    /// With a slash at the end.
    pub(super) url: Url,
    pub(super) access: Access,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    registries: HashMap<String, Entry>,
    #[serde(default)]
    authentication: HashMap<String, Authentication>,
}

#[derive(Deserialize)]
struct Entry {
    url: String,
}

#[derive(Deserialize)]
struct Authentication {
    #[serde(rename = "type", default)]
    kind: String,
}

impl Registries {
    pub(super) fn read(project: &Project, environment: &Environment, files: &Files<'_>) -> Self {
        const FILE: &str = "configuration/registries.json";
        let of_project = project.folders.iter().map(|folder| folder.join(".swiftpm").join(FILE));
        let home = environment.home();
        let of_user = home.into_iter().flat_map(|home| {
            [home.join(".swiftpm").join(FILE), home.join("Library/org.swift.swiftpm").join(FILE)]
        });
        let set = environment.variable("XDG_CONFIG_HOME").map(PathBuf::from);
        let set = set.map(|folder| folder.join("swiftpm").join(FILE));
        let mut found = Self::default();
        let mut kinds: HashMap<String, String> = HashMap::default();
        // A project lies inside the home folder, whose file would be read twice.
        let mut seen: Vec<PathBuf> = Vec::new();
        for file in of_project.chain(of_user).chain(set) {
            if seen.contains(&file) {
                continue;
            }
            let text = files.text(&file);
            seen.push(file.clone());
            let Some(text) = text else { continue };
            let Ok(parsed) = serde_json::from_str::<File>(&text) else {
                files.problem(&file, "is not what `swift package-registry set` writes");
                continue;
            };
            let urls = parsed.registries.into_iter();
            let urls =
                urls.filter_map(|(scope, entry)| Some((scope.to_lowercase(), url(&entry.url)?)));
            found.files.push(urls.collect());
            for (host, authentication) in parsed.authentication {
                kinds.entry(host).or_insert(authentication.kind);
            }
        }
        let urls = found.files.iter().flat_map(HashMap::values);
        let logins = urls.filter_map(|url| {
            let host = url.host_str()?;
            let (user, password) = netrc::login(host, environment, files)?;
            let is_token = kinds.get(host).is_some_and(|kind| kind == "token") || user == "token";
            let password = Secret(password);
            let credential = match is_token {
                true => Credential::Bearer(password),
                false => Credential::Basic { user, password },
            };
            Some(Login { scope: url.clone(), credential })
        });
        found.logins = logins.collect();
        found
    }

    /// The registry for a package: that of its scope, else the one for all.
    pub(super) fn of(&self, id: &Id) -> Option<Registry> {
        let scope = id.scope.to_lowercase();
        let find = |key: &str| self.files.iter().find_map(|file| file.get(key));
        let url = find(&scope).or_else(|| find("[default]"))?.clone();
        let access = Access { logins: self.logins.clone(), ..Access::default() };
        Some(Registry { url, access })
    }
}

/// An address with a slash at the end; only https, except on this machine.
fn url(text: &str) -> Option<Url> {
    let mut url = Url::parse(text).ok()?;
    let is_local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_local);
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    is_safe.then_some(url)
}
