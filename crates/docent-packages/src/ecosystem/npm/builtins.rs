//! The modules that Node brings along, which no registry has.
//!
//! [`super::name`] turns one of them into the package that holds their types.

/// The package that declares Node's own modules.
pub(super) const TYPES: &str = "@types/node";

/// Modules that are Node's own under their bare name and after `node:`.
const BARE: &[&str] = &[
    "assert",
    "assert/strict",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "dns/promises",
    "domain",
    "events",
    "fs",
    "fs/promises",
    "http",
    "http2",
    "https",
    "inspector",
    "inspector/promises",
    "module",
    "net",
    "os",
    "path",
    "path/posix",
    "path/win32",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "readline/promises",
    "repl",
    "stream",
    "stream/consumers",
    "stream/promises",
    "stream/web",
    "string_decoder",
    "sys",
    "timers",
    "timers/promises",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "util/types",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

/// Modules that are Node's own only after `node:`; without it they are packages.
const PREFIXED: &[&str] = &["sea", "sqlite", "test", "test/reporters"];

/// The module that a specifier means, as the types of Node call it, if it is one of Node's.
pub(super) fn module(specifier: &str) -> Option<&str> {
    let Some(name) = specifier.strip_prefix("node:") else {
        return BARE.contains(&specifier).then_some(specifier);
    };
    if BARE.contains(&name) {
        return Some(name);
    }
    PREFIXED.contains(&name).then_some(specifier)
}
