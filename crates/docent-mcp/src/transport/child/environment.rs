//! Which variables of our environment a child gets unless its owner says otherwise.
//!
//! Environments hold secrets: tokens of cloud providers, of registries, of other servers. A server
//! from elsewhere gets what programs need to run at all, to speak the user's language, and to reach
//! the network through the proxy and with the certificates of this machine.

use std::ffi::{OsStr, OsString};

/// Variables that are passed on. Proxy addresses may hold credentials, and are passed on all the
/// same: without them, a server behind a proxy reaches nothing.
const SAFE: &[&str] = &[
    // The user and the machine.
    "HOME",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "USER",
    // Language and time; see also `SAFE_PREFIX`.
    "LANG",
    "LANGUAGE",
    "TZ",
    "TZDIR",
    // Where files go by convention.
    "XDG_CACHE_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    // The same on Windows.
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMMONPROGRAMFILES",
    "COMMONPROGRAMFILES(X86)",
    "COMPUTERNAME",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROGRAMW6432",
    "PUBLIC",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERDOMAIN",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
    // The way out. Programs disagree on the case of these.
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    // Certificate authorities, by the programs that ask for them.
    "AWS_CA_BUNDLE",
    "CARGO_HTTP_CAINFO",
    "CURL_CA_BUNDLE",
    "DENO_CERT",
    "DENO_TLS_CA_STORE",
    "GIT_SSL_CAINFO",
    "NIX_SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "NODE_USE_SYSTEM_CA",
    "NPM_CONFIG_CAFILE",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "UV_NATIVE_TLS",
    "UV_SYSTEM_CERTS",
    "npm_config_cafile",
];

/// One variable per aspect of a locale.
const SAFE_PREFIX: &str = "LC_";

/// What a child gets of our environment, unless it inherits all of it.
pub fn passed_on() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, value)| is_safe(name, value))
}

fn is_safe(name: &OsStr, value: &OsStr) -> bool {
    // A value that starts so is a function that some shell exported: code, not data.
    if value.as_encoded_bytes().starts_with(b"()") {
        return false;
    }
    let Some(name) = name.to_str() else { return false };
    name.starts_with(SAFE_PREFIX) || SAFE.iter().any(|safe| same(safe, name))
}

/// Windows does not tell `Path` from `PATH`.
fn same(left: &str, right: &str) -> bool {
    if cfg!(windows) { left.eq_ignore_ascii_case(right) } else { left == right }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_gets_what_it_needs_and_no_secrets() {
        let safe = |name: &str| is_safe(name.as_ref(), "value".as_ref());
        for name in ["PATH", "LC_ALL", "XDG_CONFIG_HOME", "https_proxy", "NODE_EXTRA_CA_CERTS"] {
            assert!(safe(name), "{name} is held back");
        }
        for name in [
            "AWS_SECRET_ACCESS_KEY",
            "GITHUB_TOKEN",
            "XDG_SESSION_ID",
            "LD_PRELOAD",
            "NODE_OPTIONS",
        ] {
            assert!(!safe(name), "{name} is passed on");
        }
    }

    #[test]
    fn exported_shell_functions_are_held_back() {
        assert!(!is_safe("TERM".as_ref(), "() { :; }; echo vulnerable".as_ref()));
    }
}
