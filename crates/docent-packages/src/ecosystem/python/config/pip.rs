//! pip's configuration: files of the machine, the user and the environment, and `PIP_*`.

use std::path::PathBuf;

use super::{Declared, Layer, is_on};
use crate::Environment;
use crate::ecosystem::python::files::Files;
use crate::ecosystem::python::ini;

/// What the variables say.
pub(crate) fn variables(environment: &Environment) -> Layer {
    let get = |key: &str| {
        environment.variable(&format!("PIP_{}", key.to_ascii_uppercase().replace('-', "_")))
    };
    let mut layer = layer(&get);
    let bundles = ["REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"].iter();
    let bundles = bundles.filter_map(|name| environment.variable(name)).map(PathBuf::from);
    layer.certificates.extend(bundles);
    layer
}

/// What the files say, the strongest first.
pub(crate) fn files(environment: &Environment, files: &Files<'_>) -> Vec<Layer> {
    paths(environment)
        .iter()
        .filter_map(|file| files.text(file))
        .map(|text| of_text(&text))
        .collect()
}

/// The files that pip would read, the strongest first.
fn paths(environment: &Environment) -> Vec<PathBuf> {
    let set = environment.variable("PIP_CONFIG_FILE");
    // The way to turn all files off.
    if matches!(set, Some("/dev/null" | "nul" | "NUL")) {
        return Vec::new();
    }
    let mut paths: Vec<PathBuf> = set.map(PathBuf::from).into_iter().collect();
    for prefix in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        let prefix = environment.variable(prefix).map(PathBuf::from);
        paths.extend(prefix.into_iter().flat_map(|at| [at.join("pip.conf"), at.join("pip.ini")]));
    }
    let home = environment.home();
    paths.extend(environment.config_folder().map(|folder| folder.join("pip/pip.conf")));
    paths.extend(home.map(|home| home.join("Library/Application Support/pip/pip.conf")));
    paths.extend(
        environment.variable("APPDATA").map(|data| PathBuf::from(data).join("pip/pip.ini")),
    );
    paths.extend(home.map(|home| home.join(".pip/pip.conf")));
    let shared = environment.variable("XDG_CONFIG_DIRS").unwrap_or("/etc/xdg");
    paths.push(PathBuf::from("/etc/pip.conf"));
    paths.extend(std::env::split_paths(shared).map(|folder| folder.join("pip/pip.conf")));
    paths.retain(|path| path.is_absolute());
    paths
}

/// One file: what is said of a command wins over what is said of all.
fn of_text(text: &str) -> Layer {
    let settings = ini::parse(text);
    let sections = ["install", "download", "global"];
    let get = |key: &str| sections.iter().find_map(|section| ini::value(&settings, section, key));
    layer(&get)
}

fn layer<'a>(get: &dyn Fn(&str) -> Option<&'a str>) -> Layer {
    let words = |key: &str| get(key).unwrap_or_default().split_whitespace();
    let filled = |key: &str| get(key).map(str::trim).filter(|value| !value.is_empty());
    Layer {
        default: filled("index-url").map(Declared::at),
        extra: words("extra-index-url").map(Declared::at).collect(),
        no_index: get("no-index").is_some_and(is_on),
        certificates: filled("cert").map(PathBuf::from).into_iter().collect(),
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
