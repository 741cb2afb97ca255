//! The sparse registry protocol: a file with one line of JSON for each release of a crate, and a
//! `config.json` that says where archives are.

use serde::Deserialize;
use url::Url;

use super::version;
use crate::ecosystem::{Context, Release, Releases};
use crate::fetch::{Access, Algorithm, Artifact, Digest, Login, Request};
use crate::tree::ArchiveFormat;
use crate::{Error, ErrorKind};

const ACCEPT: &str = "application/json, text/plain; q=0.9, */*; q=0.1";

/// What `config.json` says.
#[derive(Deserialize)]
struct Configuration {
    dl: String,
    #[serde(default, rename = "auth-required")]
    auth_required: bool,
}

/// One line of a crate's file.
#[derive(Deserialize)]
struct Line {
    name: String,
    vers: String,
    cksum: String,
    #[serde(default)]
    yanked: bool,
}

/// What a registry knows of a crate.
pub(super) async fn releases(
    package: &str,
    index: &Url,
    access: &Access,
    context: &Context<'_>,
) -> Result<Releases, Error> {
    let get = async |path: &str| {
        let url = index.join(path).map_err(|_| nonsense(index, "has no such address"))?;
        context.fetcher.document(&Request { url, accept: ACCEPT, access }).await
    };
    let mut last = None;
    // A registry keeps names that differ in `-` and `_` together, but under one spelling.
    let spellings = [package.to_owned(), package.replace('_', "-"), package.replace('-', "_")];
    for (at, spelling) in spellings.iter().enumerate() {
        if spellings[..at].contains(spelling) {
            continue;
        }
        match get(&path_of(spelling)).await {
            Ok(document) => {
                let configuration = get("config.json").await?;
                let configuration: Configuration = serde_json::from_slice(&configuration.body)
                    .map_err(|_| nonsense(index, "has no `config.json` that can be read"))?;
                return listed(&document.body, spelling, index, access, &configuration);
            }
            Err(error) if error.kind() == ErrorKind::PackageNotFound => last = last.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    Err(last.unwrap_or_else(|| nonsense(index, "did not answer")))
}

fn nonsense(index: &Url, what: &str) -> Error {
    Error::new(ErrorKind::Network, format!("the registry at {} {what}", crate::fetch::shown(index)))
}

/// Where a crate's file is: `to/ki/tokio`, `3/s/syn`, `1/a`.
fn path_of(package: &str) -> String {
    format!("{}/{}", prefix(package).to_ascii_lowercase(), package.to_ascii_lowercase())
}

fn prefix(package: &str) -> String {
    match package.len() {
        1 => "1".to_owned(),
        2 => "2".to_owned(),
        3 => format!("3/{}", &package[..1]),
        _ => format!("{}/{}", &package[..2], &package[2..4]),
    }
}

fn listed(
    body: &[u8],
    package: &str,
    index: &Url,
    access: &Access,
    configuration: &Configuration,
) -> Result<Releases, Error> {
    let mut all = Vec::new();
    let mut name = None;
    for line in body.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        // A line of a later format is for later readers.
        let Ok(line) = serde_json::from_slice::<Line>(line) else { continue };
        if !super::name::same(&line.name, package) || version::parse(&line.vers).is_none() {
            continue;
        }
        let stable = !line.yanked && !version::is_prerelease(&line.vers);
        let artifact = artifact(&line, index, access, configuration);
        name = Some(line.name);
        all.push(Release { version: line.vers, artifact, stable });
    }
    if all.is_empty() {
        return Err(nonsense(index, &format!("says nothing of {package} that can be read")));
    }
    all.sort_by(|left, right| version::order(&left.version, &right.version));
    let name = name.filter(|name| name != package);
    Ok(Releases { all, tags: Vec::new(), name })
}

fn artifact(
    line: &Line,
    index: &Url,
    access: &Access,
    configuration: &Configuration,
) -> Option<Artifact> {
    let bytes = unhex(&line.cksum)?;
    let marks = ["{crate}", "{version}", "{prefix}", "{lowerprefix}", "{sha256-checksum}"];
    let template = &configuration.dl;
    let address = if marks.iter().any(|mark| template.contains(mark)) {
        let prefix = prefix(&line.name);
        template
            .replace("{crate}", &line.name)
            .replace("{version}", &line.vers)
            .replace("{prefix}", &prefix)
            .replace("{lowerprefix}", &prefix.to_ascii_lowercase())
            .replace("{sha256-checksum}", &line.cksum)
    } else {
        format!("{}/{}/{}/download", template.trim_end_matches('/'), line.name, line.vers)
    };
    let url = Url::parse(&address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    // A registry that says it wants to know who downloads gets to know it where it says archives
    // are, unless that were to send a token in the clear.
    let mut access = access.clone();
    let is_safe = url.scheme() == "https" || url.host() == index.host();
    if configuration.auth_required && is_safe {
        let here: Vec<Login> = access
            .logins
            .iter()
            .map(|login| Login { scope: url.clone(), credential: login.credential.clone() })
            .collect();
        access.logins.extend(here);
    }
    let digests = vec![Digest { algorithm: Algorithm::Sha256, bytes }];
    Some(Artifact { url, format: ArchiveFormat::TarGz, digests, access })
}

/// The bytes of a digest; `None` if it is not one.
fn unhex(text: &str) -> Option<Vec<u8>> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    (0..32).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_has_its_file() {
        for (package, expected) in
            [("a", "1/a"), ("ab", "2/ab"), ("syn", "3/s/syn"), ("Inflector", "in/fl/inflector")]
        {
            assert_eq!(path_of(package), expected);
        }
    }

    #[test]
    fn lines_become_releases() {
        let index = Url::parse("https://registry.example/index/").expect("an address");
        let sum = "ab".repeat(32);
        let line = |version: &str, yanked: bool| {
            format!(
                "{{\"name\":\"Kit\",\"vers\":\"{version}\",\"cksum\":\"{sum}\",\"yanked\":{yanked}}}\n"
            )
        };
        let body = [line("1.1.0", true), line("1.0.0", false), "nonsense\n".to_owned()].concat();
        let check = |dl: &str, expected: &str| {
            let configuration = Configuration { dl: dl.to_owned(), auth_required: false };
            let found = listed(body.as_bytes(), "kit", &index, &Access::default(), &configuration);
            let found = found.expect("releases");
            assert_eq!(found.name.as_deref(), Some("Kit"));
            let shown: Vec<_> =
                found.all.iter().map(|it| (it.version.as_str(), it.stable)).collect();
            assert_eq!(shown, [("1.0.0", true), ("1.1.0", false)]);
            let artifact = found.all[0].artifact.as_ref().expect("an archive");
            assert_eq!(artifact.url.as_str(), expected);
            assert_eq!(artifact.digests[0].bytes, [0xab; 32]);
        };
        check("https://files.example/api", "https://files.example/api/Kit/1.0.0/download");
        check(
            "https://files.example/{crate}/{crate}-{version}.crate",
            "https://files.example/Kit/Kit-1.0.0.crate",
        );
        check(
            "https://files.example/{prefix}/{lowerprefix}/{sha256-checksum}",
            &format!("https://files.example/3/K/3/k/{sum}"),
        );
    }
}
