//! pip's configuration: files of the machine, the user and the environment, and `PIP_*`.

use std::path::{Path, PathBuf};

use super::{Declared, Layer, is_on, path};
use crate::Environment;
use crate::ecosystem::python::files::Files;
use crate::ecosystem::python::ini;

/// What the variables say.
pub(crate) fn variables(environment: &Environment) -> Layer {
    let mut layer = layer(&|key| variable(key, environment), environment);
    let bundles = ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"].iter();
    let bundles = bundles.filter_map(|name| environment.variable(name)).take(1).map(PathBuf::from);
    // OpenSSL does without a file that is not there, and so do uv and pip then.
    let system = environment.variable("SSL_CERT_FILE").map(PathBuf::from);
    layer.certificates.extend(bundles.chain(system.filter(|file| file.is_file())));
    layer
}

/// What the files say, put together as pip does: a section for the command wins over that for all,
/// whatever files they are in, and what a variable says is not looked up at all.
pub(crate) fn files(environment: &Environment, files: &Files<'_>, machine: &Path) -> Layer {
    let paths = paths(environment, machine).into_iter();
    let texts = paths.filter_map(|file| files.text(&file)).collect::<Vec<_>>();
    let parsed: Vec<_> = texts.iter().map(|text| ini::parse(text)).collect();
    let get = |key: &str| {
        if variable(key, environment).is_some() {
            return None;
        }
        ["install", "download", "global"].iter().find_map(|section| {
            let strongest = parsed.iter().find_map(|file| ini::value(file, section, key))?;
            Some(strongest).filter(|value| !value.trim().is_empty())
        })
    };
    layer(&get, environment)
}

fn variable<'a>(key: &str, environment: &'a Environment) -> Option<&'a str> {
    environment.variable(&format!("PIP_{}", key.to_ascii_uppercase().replace('-', "_")))
}

/// The files that pip would read, the strongest first.
fn paths(environment: &Environment, machine: &Path) -> Vec<PathBuf> {
    let set = environment.variable("PIP_CONFIG_FILE");
    // The way to turn all files off.
    if matches!(set, Some("/dev/null" | "nul" | "NUL")) {
        return Vec::new();
    }
    let set = set.map(|set| environment.directory().join(set));
    // One that is there stands in for those of the user.
    let without_user = set.as_ref().is_some_and(|file| file.exists());
    let mut paths: Vec<PathBuf> = set.into_iter().collect();
    for prefix in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        let prefix = environment.variable(prefix).map(PathBuf::from);
        paths.extend(prefix.into_iter().flat_map(|at| [at.join("pip.conf"), at.join("pip.ini")]));
    }
    if !without_user {
        let home = environment.home();
        paths.extend(environment.config_folder().map(|folder| folder.join("pip/pip.conf")));
        paths.extend(home.map(|home| home.join("Library/Application Support/pip/pip.conf")));
        paths.extend(
            environment.variable("APPDATA").map(|data| PathBuf::from(data).join("pip/pip.ini")),
        );
        paths.extend(home.map(|home| home.join(".pip/pip.conf")));
    }
    paths.push(machine.join("etc/pip.conf"));
    let shared = shared_folders(environment, machine).into_iter().rev();
    paths.extend(shared.map(|folder| folder.join("pip/pip.conf")));
    paths.retain(|path| path.is_absolute());
    paths
}

/// The folders of configuration for all users.
pub(super) fn shared_folders(environment: &Environment, machine: &Path) -> Vec<PathBuf> {
    match environment.variable("XDG_CONFIG_DIRS") {
        Some(set) => std::env::split_paths(set).collect(),
        None => vec![machine.join("etc/xdg")],
    }
}

fn layer<'a>(get: &dyn Fn(&str) -> Option<&'a str>, environment: &Environment) -> Layer {
    let words = |key: &str| get(key).unwrap_or_default().split_whitespace();
    let filled = |key: &str| get(key).map(str::trim).filter(|value| !value.is_empty());
    let file = |key: &str| filled(key).map(|file| path(file, environment));
    Layer {
        default: filled("index-url").map(Declared::at),
        extra: words("extra-index-url").map(Declared::at).collect(),
        no_index: get("no-index").is_some_and(is_on),
        certificates: file("cert").into_iter().collect(),
        client_certificate: file("client-cert"),
        proxy: filled("proxy").map(str::to_owned),
        trusted: words("trusted-host").map(str::to_owned).collect(),
        ..Layer::default()
    }
}

/// The options of a requirements file.
pub(crate) fn of_options(options: &[(String, String)]) -> Layer {
    let mut layer = Layer::default();
    for (option, value) in options {
        match option.as_str() {
            "--index-url" => layer.default = Some(Declared::at(value)),
            "--extra-index-url" => layer.extra.push(Declared::at(value)),
            "--trusted-host" => layer.trusted.push(value.clone()),
            "--no-index" => layer.no_index = true,
            _ => {}
        }
    }
    layer
}
