//! What the files of one project folder say of indexes: uv, Poetry, Pipenv, requirements.
//!
//! A project may be somebody else's, cloned a minute ago, and a question about a package must not
//! make it send the user's secrets away. So `${NAME}`, which pip and Pipenv would fill in, is not.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{Declared, Layer, path, pip, uv};
use crate::Environment;
use crate::ecosystem::python::files::Files;
use crate::ecosystem::python::lockfile::requirements;
use crate::ecosystem::python::name::normalized;

/// The layers of a folder, the strongest first.
pub(crate) fn layers(folder: &Path, environment: &Environment, files: &Files<'_>) -> Vec<Layer> {
    let mut layers = Vec::new();
    let manifest = files.toml(&folder.join("pyproject.toml")).unwrap_or_default();
    let tool = |name: &str| manifest.get("tool").and_then(|tool| tool.get(name)?.as_table());
    // With a `uv.toml` beside it, uv takes nothing but sources from the manifest.
    let in_manifest = tool("uv").map(|table| uv::layer(table, environment));
    match files.toml(&folder.join("uv.toml")) {
        _ if !uv::reads_files(environment) => layers.extend(in_manifest.map(only_sources)),
        Some(table) => {
            layers.push(uv::layer(&table, environment));
            let pins = in_manifest.map(|layer| layer.pins).unwrap_or_default();
            layers.push(Layer { pins, ..Layer::default() });
        }
        None => layers.extend(in_manifest),
    }
    layers.extend(tool("poetry").map(|table| poetry(table, environment, files)));
    layers.extend(files.toml(&folder.join("Pipfile")).map(|table| pipfile(&table)));
    let requirements = requirements::in_folder(folder, files).into_iter();
    let options = requirements.flat_map(|one| one.options).collect::<Vec<_>>();
    layers.push(pip::of_options(&options));
    layers.into_iter().map(Layer::of_project).collect()
}

/// What counts of a manifest where uv was told to look for no settings: where each package comes
/// from, and the indexes that this names.
fn only_sources(layer: Layer) -> Layer {
    let named = layer.extra.into_iter().chain(layer.default);
    let named = named.filter(|declared| declared.name.is_some());
    let extra = named.map(|declared| Declared { explicit: true, ..declared }).collect();
    Layer { extra, pins: layer.pins, ..Layer::default() }
}

fn poetry(table: &Table, environment: &Environment, files: &Files<'_>) -> Layer {
    let mut layer = Layer::default();
    let sources = table.get("source").and_then(Value::as_array).into_iter().flatten();
    let (mut first, mut after) = (Vec::new(), Vec::new());
    let mut has_default = false;
    for source in sources {
        let text = |key: &str| source.get(key).and_then(Value::as_str);
        let name = text("name").unwrap_or_default();
        let priority = text("priority").unwrap_or("primary").to_ascii_lowercase();
        let Some(url) = text("url") else {
            // The public index, which Poetry knows by its name alone.
            has_default = true;
            continue;
        };
        let explicit = priority == "explicit";
        let file = |what| poetry_certificate(name, what, environment, files);
        let declared = Declared {
            name: Some(name.to_owned()),
            explicit,
            login: poetry_login(name, environment, files),
            certificate: file("cert"),
            client_certificate: file("client-cert"),
            ..Declared::at(url)
        };
        let list = match priority.as_str() {
            "explicit" => &mut layer.extra,
            "supplemental" | "secondary" => &mut after,
            _ => &mut first,
        };
        list.push(declared);
    }
    // Any primary source stands in for the public index, unless that is among the sources.
    let replaces = !first.is_empty() && !has_default;
    first.append(&mut after);
    layer.default = if replaces { first.pop() } else { None };
    layer.extra.extend(first);
    let dependencies = table.get("dependencies").and_then(Value::as_table);
    let groups = table.get("group").and_then(Value::as_table).into_iter().flatten();
    let groups = groups.filter_map(|(_, group)| group.get("dependencies")?.as_table());
    for (name, value) in dependencies.into_iter().chain(groups).flatten() {
        let source = value.get("source").and_then(Value::as_str);
        layer.pins.extend(source.map(|source| (normalized(name), source.to_owned())));
    }
    layer
}

/// From the variables, or from what `poetry config http-basic` writes.
fn poetry_login(
    name: &str,
    environment: &Environment,
    files: &Files<'_>,
) -> Option<(String, String)> {
    uv::login("POETRY_HTTP_BASIC", name, environment).or_else(|| {
        let logins = files.toml(&poetry_folder(environment)?.join("auth.toml"))?;
        let login = logins.get("http-basic")?.get(name)?;
        let get = |key: &str| login.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Some((get("username"), get("password")))
    })
}

/// From the variables, or from what `poetry config certificates` writes.
fn poetry_certificate(
    name: &str,
    what: &str,
    environment: &Environment,
    files: &Files<'_>,
) -> Option<PathBuf> {
    let upper = |text: &str| text.to_ascii_uppercase().replace(['-', '.'], "_");
    let variable = format!("POETRY_CERTIFICATES_{}_{}", upper(name), upper(what));
    if let Some(set) = environment.variable(&variable) {
        return Some(path(set, environment));
    }
    let settings = files.toml(&poetry_folder(environment)?.join("config.toml"))?;
    // `false` would turn the check off, which is for nobody to do by halves.
    let file = settings.get("certificates")?.get(name)?.get(what)?.as_str()?;
    Some(path(file, environment))
}

fn poetry_folder(environment: &Environment) -> Option<PathBuf> {
    let folder = environment.variable("POETRY_CONFIG_DIR").map(Into::into);
    folder.or_else(|| Some(environment.config_folder()?.join("pypoetry")))
}

/// Pipenv takes packages from its first source, and from another only what names it.
fn pipfile(table: &Table) -> Layer {
    let mut layer = Layer::default();
    let sources = table.get("source").and_then(Value::as_array).into_iter().flatten();
    for source in sources {
        let text = |key: &str| source.get(key).and_then(Value::as_str);
        let Some(url) = text("url") else { continue };
        let name = text("name").map(str::to_owned);
        let declared = Declared { name, ..Declared::at(url) };
        if layer.default.is_none() {
            layer.default = Some(declared);
        } else {
            layer.extra.push(Declared { explicit: true, ..declared });
        }
    }
    let groups = ["packages", "dev-packages"].iter();
    for (name, value) in groups.filter_map(|group| table.get(*group)?.as_table()).flatten() {
        let index = value.get("index").and_then(Value::as_str);
        layer.pins.extend(index.map(|index| (normalized(name), index.to_owned())));
    }
    layer
}
