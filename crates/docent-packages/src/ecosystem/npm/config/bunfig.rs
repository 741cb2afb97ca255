//! `bunfig.toml` of Bun, turned into the keys of `.npmrc`.

use base64::Engine as _;
use toml::{Table, Value};

use super::layer::{Layer, filed_under};
use crate::{Environment, Limits};

/// Reads the file into a layer. The parser has a limit on nesting of its own.
pub(super) fn read(
    text: &str,
    layer: &mut Layer,
    environment: &Environment,
    _: &Limits,
) -> Result<(), String> {
    let table: Table = text.parse().map_err(|_| "is not valid TOML".to_owned())?;
    let Some(install) = table.get("install").and_then(Value::as_table) else { return Ok(()) };
    if let Some(registry) = install.get("registry") {
        add(registry, "registry", layer, environment);
    }
    let scopes = install.get("scopes").and_then(Value::as_table).into_iter().flatten();
    for (scope, registry) in scopes {
        let scope = scope.trim_start_matches('@');
        add(registry, &format!("@{scope}:registry"), layer, environment);
    }
    Ok(())
}

/// A registry is an address, or a table with the address and who one is there.
fn add(registry: &Value, key: &str, layer: &mut Layer, environment: &Environment) {
    let field = |name: &str| registry.get(name).and_then(Value::as_str).map(braced);
    let Some(url) = registry.as_str().map(braced).or_else(|| field("url")) else { return };
    layer.add(key, &url, environment);
    let Some(filed) = filed_under(&url) else { return };
    if let Some(token) = field("token") {
        layer.add(&format!("{filed}:_authToken"), &token, environment);
    }
    if let Some((user, password)) = field("username").zip(field("password")) {
        layer.add(&format!("{filed}:username"), &user, environment);
        let password = super::expand::expand(&password, environment).unwrap_or_default();
        let encoded = base64::engine::general_purpose::STANDARD.encode(password);
        layer.add(&format!("{filed}:_password"), &encoded, environment);
    }
}

/// Bun writes a variable without braces.
fn braced(value: &str) -> String {
    let name = value.strip_prefix('$').filter(|name| !name.starts_with('{'));
    name.map_or_else(|| value.to_owned(), |name| format!("${{{name}}}"))
}
