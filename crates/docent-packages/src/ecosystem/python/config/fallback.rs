//! The index that pip or uv would use where nothing is configured: their own default.
//!
//! None is written into this program. The tools have no command that prints it, but both name it in
//! the help for their options.

use super::{Configuration, Declared, Index, address};
use crate::ecosystem::Context;
use crate::ecosystem::python::files::Files;
use crate::{Ecosystem, Environment, Error};

/// Programs and constant arguments, in the order in which they are asked. Python is kept from taking
/// modules of the working folder for pip.
const QUESTIONS: &[(&str, &[&str])] = &[
    ("python3", &["-I", "-m", "pip", "install", "--help"]),
    ("pip3", &["install", "--help"]),
    ("pip", &["install", "--help"]),
    ("uv", &["pip", "install", "--help"]),
];

/// What `docent.toml` says, else what the tools answer; the index is reached in the way that the configuration says of all.
pub(crate) async fn default_index(
    configuration: &Configuration,
    context: &Context<'_>,
) -> Result<Index, Error> {
    let files = Files::new(context.limits);
    if let Some(url) = context.environment.registry(Ecosystem::Python) {
        return reached(url, configuration, context.environment, &files);
    }
    for (program, arguments) in QUESTIONS {
        let timeout = context.limits.tool_timeout;
        let help = context.tools.ask(program, arguments, context.environment, timeout).await;
        if let Some(url) = help.and_then(|help| named_in_help(&help)) {
            return reached(&url, configuration, context.environment, &files);
        }
    }
    Err(super::no_index())
}

fn reached(
    url: &str,
    configuration: &Configuration,
    environment: &Environment,
    files: &Files<'_>,
) -> Result<Index, Error> {
    address::index(&Declared::at(url), &configuration.layers, environment, files)
}

/// The default in the help of the option that sets the index: pip's `(default https://…)`, uv's
/// `(by default: <https://…>)`, wherever the lines are broken.
fn named_in_help(help: &str) -> Option<String> {
    let words: Vec<&str> = help.split_whitespace().collect();
    let is_option = |word: &&str| matches!(*word, "--index-url" | "--default-index");
    let mut option = false;
    for pair in words.windows(2) {
        if pair[0].starts_with("--") {
            option = is_option(&pair[0]);
        }
        let says = matches!(pair[0].trim_start_matches('('), "default" | "default:");
        if option && says {
            let url = pair[1].trim_start_matches('<');
            let end = url.find([')', '>', ']', ',']).unwrap_or(url.len());
            let url = &url[..end];
            if url.starts_with("https://") || url.starts_with("http://") {
                return Some(url.to_owned());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Limits;
    use crate::ecosystem::python::config::{combine, pip};

    #[test]
    fn the_default_is_reached_as_the_configuration_says() {
        let environment = Environment::isolated(Path::new("/nowhere"))
            .with("PIP_CERT", "/certificates.pem")
            .with("PIP_PROXY", "proxy.example:3128")
            .with("PIP_TRUSTED_HOST", "registry.example");
        let limits = Limits::default();
        let files = Files::new(&limits);
        let layers = vec![pip::variables(&environment)];
        let configuration = combine(layers, &environment, &files).unwrap();
        assert!(!configuration.has_default);
        let url = "https://registry.example/simple";
        let index = reached(url, &configuration, &environment, &files).unwrap();
        assert_eq!(index.url.as_str(), "https://registry.example/simple/");
        assert_eq!(index.access.ca_files, [Path::new("/certificates.pem")]);
        assert_eq!(index.access.proxy.unwrap().as_str(), "http://proxy.example:3128/");
        assert!(index.access.insecure);
    }

    #[test]
    fn the_default_is_in_the_help() {
        let pip = "\
  --pre                       Include pre-release versions (default
                              https://wrong.example).
  -i, --index-url <url>       Base URL of the Python Package Index (default
                              https://registry.example/simple). This should point to a
                              repository compliant with PEP 503.
  --extra-index-url <url>     Extra URLs (default https://extra.example)
";
        let uv = "\
      --index <INDEX>
          The indexes to use, in addition to the default index [env: UV_INDEX]
      --default-index <DEFAULT_INDEX>
          The default package index (by default: <https://registry.example/simple>) [env: X]
";
        let wrapped = "-i, --index-url <INDEX_URL>\n (Deprecated) The URL (by\n  default:\n <https://registry.example/simple>)";
        for help in [pip, uv, wrapped] {
            assert_eq!(named_in_help(help).as_deref(), Some("https://registry.example/simple"));
        }
        for help in [
            "",
            "--index-url",
            "--index-url (default",
            "--index-url (default file:///x)",
            "(default https://x)",
        ] {
            assert_eq!(named_in_help(help), None, "{help}");
        }
    }
}
