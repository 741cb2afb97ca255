//! What pip and uv themselves make of a configuration, and that the same comes out here: `cases.json`
//! holds each case with the tool's answer, which `record.py` writes, and with our own where we want
//! another.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use url::Url;

use super::Setup;
use crate::ErrorKind;
use crate::fetch::{Access, Pem};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    about: String,
    tool: String,
    files: BTreeMap<String, String>,
    variables: BTreeMap<String, String>,
    says: Said,
    /// What we say instead.
    docent: Option<Said>,
    why: Option<String>,
}

#[derive(Default, Deserialize, PartialEq, Eq, Debug)]
#[serde(default, deny_unknown_fields)]
struct Said {
    indexes: Vec<String>,
    no_index: u8,
    trusted: Vec<String>,
    cert: Option<PathBuf>,
    client_cert: Option<PathBuf>,
    proxy: Option<String>,
}

impl Case {
    /// Ours, and what is expected, in words that both have.
    fn both(&self) -> (Said, Said) {
        let setup = Setup::new(&[], &[]);
        let root = setup.folder.path().display().to_string();
        let put =
            |text: &str| text.replace("@home@", &format!("{root}/home")).replace("@root@", &root);
        for (file, text) in [("project/x", ""), ("home/x", "")] {
            setup.folder.write(file, text);
        }
        for (file, text) in &self.files {
            setup.folder.write(file, put(text));
        }
        let variables = self.variables.iter();
        let environment = variables
            .fold(setup.environment.clone(), |environment, (name, value)| {
                environment.with(name, &put(value))
            });
        let setup = Setup { environment, ..setup };
        let expected = self.docent.as_ref().unwrap_or(&self.says);
        let slashed = |url: &String| format!("{}/", url.trim_end_matches('/'));
        let file = |file: &Option<PathBuf>| {
            file.as_ref().map(|file| PathBuf::from(put(&file.to_string_lossy())))
        };
        let expected = Said {
            indexes: expected.indexes.iter().map(slashed).collect(),
            no_index: expected.no_index,
            trusted: Vec::new(),
            cert: file(&expected.cert),
            client_cert: file(&expected.client_cert),
            proxy: expected.proxy.as_ref().map(slashed),
        };
        let configuration = match setup.read() {
            Ok(configuration) => configuration,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::NoRegistry, "{}", self.about);
                return (
                    Said { no_index: 1, ..Said::default() },
                    Said { indexes: Vec::new(), ..expected },
                );
            }
        };
        let indexes = configuration.for_package("x").expect("indexes");
        let access = indexes.first().map(|index| index.access.clone()).unwrap_or_default();
        for index in &indexes {
            let host = index.url.host_str().expect("a host");
            let trusted = self.says.trusted.iter().any(|trusted| trusted == host);
            assert_eq!(index.access.insecure, trusted, "{}: {host}", self.about);
        }
        let ours = Said {
            indexes: indexes.iter().map(|index| index.url.to_string()).collect(),
            no_index: 0,
            trusted: Vec::new(),
            cert: access.ca_files.first().cloned(),
            client_cert: shown(&access, indexes.first().map(|index| &index.url)),
            proxy: access.proxy.map(String::from),
        };
        (ours, expected)
    }
}

fn shown(access: &Access, url: Option<&Url>) -> Option<PathBuf> {
    match &access.certificate(url?)?.key {
        Pem::File(file) => Some(file.clone()),
        Pem::Text(_) => None,
    }
}

#[test]
fn every_field_of_the_configuration() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("cases.json")).expect("cases");
    assert!(cases.len() >= 60, "{}", cases.len());
    let mut differ = Vec::new();
    for case in &cases {
        assert_eq!(case.docent.is_some(), case.why.is_some(), "{}", case.about);
        let (ours, expected) = case.both();
        if ours != expected {
            differ.push(format!("{}: {}: {ours:?}, expected {expected:?}", case.tool, case.about));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
