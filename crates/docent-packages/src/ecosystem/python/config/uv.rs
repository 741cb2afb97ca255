//! uv's configuration: `UV_*`, `uv.toml` of the user and the machine, and the same keys in a project.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{Declared, Layer, is_on, pip};
use crate::Environment;
use crate::ecosystem::python::files::Files;
use crate::ecosystem::python::name::normalized;

/// What the variables say.
pub(crate) fn variables(environment: &Environment) -> Layer {
    let words = |name: &str| environment.variable(name).unwrap_or_default().split_whitespace();
    let default =
        environment.variable("UV_DEFAULT_INDEX").or_else(|| environment.variable("UV_INDEX_URL"));
    let declared = |text: &str| with_login(named(text), environment);
    Layer {
        default: default.map(declared),
        extra: words("UV_INDEX").chain(words("UV_EXTRA_INDEX_URL")).map(declared).collect(),
        trusted: words("UV_INSECURE_HOST").map(str::to_owned).collect(),
        client_certificate: environment.variable("SSL_CLIENT_CERT").map(PathBuf::from),
        ..Layer::default()
    }
}

/// What the files of the user and the machine say: the first of each that there is.
pub(crate) fn files(environment: &Environment, files: &Files<'_>, machine: &Path) -> Vec<Layer> {
    let read = |file: PathBuf| Some(layer(&files.toml(&file)?, environment));
    if let Some(set) = environment.variable("UV_CONFIG_FILE") {
        return read(environment.directory().join(set)).into_iter().collect();
    }
    if !reads_files(environment) {
        return Vec::new();
    }
    let below = |folder: PathBuf| folder.join("uv/uv.toml");
    let windows = environment.variable("APPDATA").map(PathBuf::from);
    let user = [environment.config_folder(), windows].into_iter().flatten().map(below);
    let shared = pip::shared_folders(environment, machine).into_iter().map(below);
    let shared = shared.chain([machine.join("etc/uv/uv.toml")]);
    [{ user }.find_map(read), { shared }.find_map(read)].into_iter().flatten().collect()
}

/// Whether uv looks for files at all, those of the project included: not when one was chosen.
pub(crate) fn reads_files(environment: &Environment) -> bool {
    let off = environment.variable("UV_NO_CONFIG").is_some_and(is_on);
    !off && environment.variable("UV_CONFIG_FILE").is_none()
}

/// The keys of `uv.toml`, which are those of `[tool.uv]`.
pub(crate) fn layer(table: &Table, environment: &Environment) -> Layer {
    let pip = table.get("pip").and_then(Value::as_table);
    let text = |key: &str| {
        let value = table.get(key).or_else(|| pip?.get(key));
        value.and_then(Value::as_str)
    };
    let texts = |key: &str| {
        let value = table.get(key).or_else(|| pip?.get(key)).and_then(Value::as_array);
        value.into_iter().flatten().filter_map(Value::as_str)
    };
    let mut layer = Layer {
        default: text("index-url").map(Declared::at),
        trusted: texts("allow-insecure-host").map(str::to_owned).collect(),
        ..Layer::default()
    };
    let mut has_default = false;
    let indexes = table.get("index").and_then(Value::as_array).into_iter().flatten();
    for index in indexes {
        let Some(url) = index.get("url").and_then(Value::as_str) else { continue };
        let name = index.get("name").and_then(Value::as_str).map(str::to_owned);
        let is = |key: &str| index.get(key).and_then(Value::as_bool).unwrap_or(false);
        // A list of links is no index.
        if index.get("format").and_then(Value::as_str) == Some("flat") {
            continue;
        }
        let anonymous = index.get("authenticate").and_then(Value::as_str) == Some("never");
        let declared = Declared { name, explicit: is("explicit"), anonymous, ..Declared::at(url) };
        let declared = with_login(declared, environment);
        if !is("default") {
            layer.extra.push(declared);
        } else if !has_default {
            has_default = true;
            layer.default = Some(declared);
        }
    }
    layer.extra.extend(texts("extra-index-url").map(Declared::at));
    let sources = table.get("sources").and_then(Value::as_table).into_iter().flatten();
    for (package, source) in sources {
        // One for each platform, perhaps: the first that names an index.
        let several = source.as_array().map(Vec::as_slice);
        let one = several.unwrap_or(std::slice::from_ref(source)).iter();
        let index = one.filter_map(|source| source.get("index")?.as_str()).next();
        layer.pins.extend(index.map(|index| (normalized(package), index.to_owned())));
    }
    layer
}

/// `name=url`, or only the address.
fn named(text: &str) -> Declared {
    let named = text.split_once('=').filter(|(name, _)| !name.contains([':', '/', '?']));
    let Some((name, url)) = named else { return Declared::at(text) };
    Declared { name: Some(name.to_owned()), ..Declared::at(url) }
}

/// Adds the login that the variables of a named index hold.
fn with_login(mut declared: Declared, environment: &Environment) -> Declared {
    if let Some(name) = &declared.name {
        declared.login = login("UV_INDEX", name, environment);
    }
    declared
}

/// The login in `PREFIX_NAME_USERNAME` and `PREFIX_NAME_PASSWORD`.
pub(crate) fn login(
    prefix: &str,
    name: &str,
    environment: &Environment,
) -> Option<(String, String)> {
    let upper =
        |char: char| if char.is_ascii_alphanumeric() { char.to_ascii_uppercase() } else { '_' };
    let name: String = name.chars().map(upper).collect();
    let get = |what: &str| environment.variable(&format!("{prefix}_{name}_{what}"));
    let (user, password) = (get("USERNAME"), get("PASSWORD"));
    let given = user.is_some() || password.is_some();
    given.then(|| (user.unwrap_or_default().to_owned(), password.unwrap_or_default().to_owned()))
}
