//! `.yarnrc.yml` of Yarn 2 and later, turned into the keys of `.npmrc`.

use std::collections::BTreeMap;

use base64::Engine as _;
use serde::Deserialize;

use super::layer::{Layer, filed_under};
use crate::ecosystem::npm::read;
use crate::{Environment, Limits};

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Settings {
    #[serde(flatten)]
    default: Server,
    npm_scopes: Option<BTreeMap<String, Server>>,
    npm_registries: Option<BTreeMap<String, Server>>,
    http_proxy: Option<String>,
    https_proxy: Option<String>,
    https_ca_file_path: Option<String>,
    https_cert_file_path: Option<String>,
    https_key_file_path: Option<String>,
    enable_strict_ssl: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Server {
    npm_registry_server: Option<String>,
    npm_auth_token: Option<String>,
    npm_auth_ident: Option<String>,
}

/// Reads the file into a layer.
pub(super) fn read(
    text: &str,
    layer: &mut Layer,
    environment: &Environment,
    limits: &Limits,
) -> Result<(), String> {
    let Some(settings) = read::yaml::<Settings>(text, limits)?.pop() else { return Ok(()) };
    let mut add = |key: &str, value: &Option<String>| {
        if let Some(value) = value {
            layer.add(key, value, environment);
        }
    };
    add("registry", &settings.default.npm_registry_server);
    add("_authToken", &settings.default.npm_auth_token);
    add("_auth", &settings.default.npm_auth_ident.map(encoded));
    add("proxy", &settings.http_proxy);
    add("https-proxy", &settings.https_proxy);
    add("cafile", &settings.https_ca_file_path);
    add("certfile", &settings.https_cert_file_path);
    add("keyfile", &settings.https_key_file_path);
    add("strict-ssl", &settings.enable_strict_ssl.map(|strict| strict.to_string()));
    for (scope, server) in settings.npm_scopes.unwrap_or_default() {
        add(&format!("@{scope}:registry"), &server.npm_registry_server);
        let Some(filed) = server.npm_registry_server.as_deref().and_then(filed_under) else {
            continue;
        };
        add(&format!("{filed}:_authToken"), &server.npm_auth_token);
        add(&format!("{filed}:_auth"), &server.npm_auth_ident.map(encoded));
    }
    for (address, server) in settings.npm_registries.unwrap_or_default() {
        let Some(filed) = filed_under(&address) else { continue };
        add(&format!("{filed}:_authToken"), &server.npm_auth_token);
        add(&format!("{filed}:_auth"), &server.npm_auth_ident.map(encoded));
    }
    Ok(())
}

/// `user:password` may be written as it is; npm's `_auth` is encoded.
fn encoded(ident: String) -> String {
    if ident.contains(':') && !ident.contains("${") {
        return base64::engine::general_purpose::STANDARD.encode(ident);
    }
    ident
}
