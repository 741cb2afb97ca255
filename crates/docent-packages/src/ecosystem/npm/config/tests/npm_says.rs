//! What npm itself makes of a configuration, and that the same comes out here: `cases.json` holds each
//! case with npm's answer, which `record.mjs` writes, and with our own where we want another.

use std::collections::BTreeMap;

use docent_testkit::folder::Folder;
use serde::Deserialize;
use url::Url;

use super::{Config, Environment, Notes, Project, with_context};
use crate::fetch::{Credential, Pem};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    about: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    package: Option<String>,
    from: Option<String>,
    npm: Said,
    /// What we say instead.
    docent: Option<Said>,
    why: Option<String>,
}

#[derive(Default, Deserialize, PartialEq, Eq, Debug)]
#[serde(default, deny_unknown_fields)]
struct Said {
    registry: Option<String>,
    authorization: Option<String>,
    ca: Vec<String>,
    certificate: Option<[String; 2]>,
    insecure: bool,
    proxy: Option<String>,
    noproxy: Option<String>,
    /// npm wants such a configuration to be repaired; its answers are those of the repaired one.
    refuses: Option<String>,
}

impl Case {
    fn ours(&self) -> Said {
        let folder = Folder::new();
        let root = folder.path().display().to_string();
        let put = |text: &str| text.replace("@root@", &root);
        for (file, text) in [("project/package.json", "{}"), ("home/x", "")] {
            folder.write(file, text);
        }
        for program in ["npm/bin/npm", "node/bin/node"] {
            folder.write(program, "");
        }
        for (file, text) in &self.files {
            folder.write(&put(file).replace("//", "/"), put(text));
        }
        let home = folder.path().join("home");
        let path = format!("{root}/npm/bin:{root}/node/bin");
        let mut environment = Environment::isolated(&home).with("PATH", &path);
        for (name, value) in &self.variables {
            environment = environment.with(name, &put(value));
        }
        let from = folder.path().join(self.from.as_deref().unwrap_or("project"));
        let mut config = with_context(&environment, &from, |context| {
            Config::read(&Project::find(context, &mut Notes::new()), context)
        });
        let fallback = Url::parse("https://fallback.example/").expect("an address");
        let package = self.package.as_deref().unwrap_or("x");
        let found = config.registry(package, Some(&fallback)).expect("a registry");
        let found = found.expect("a registry");
        let url = found.url.join(&package.replace('@', "%40").replace('/', "%2f"));
        let (url, access) = (url.expect("an address"), found.access);
        let pem = |pem: &Pem| match pem {
            Pem::File(file) => std::fs::read_to_string(file).expect("a file"),
            Pem::Text(text) => text.clone(),
        };
        let files = access.ca_files.iter().cloned().map(Pem::File).map(|file| pem(&file));
        Said {
            registry: Some(found.url.to_string()).filter(|_| found.url != fallback),
            authorization: access.login(&url).map(|login| header(&login.credential)),
            ca: { files }
                .chain(access.ca_pem.iter().cloned())
                .map(|pem| pem.trim().to_owned())
                .collect(),
            certificate: access
                .certificate(&url)
                .map(|shown| [pem(&shown.certificate), pem(&shown.key)]),
            insecure: access.insecure,
            proxy: access.proxy.map(String::from),
            noproxy: access.no_proxy,
            refuses: self.npm.refuses.clone().filter(|_| self.docent.is_none()),
        }
    }
}

fn header(credential: &Credential) -> String {
    let url = Url::parse("https://any.example/").expect("an address");
    let header = credential.header(&url).expect("a header");
    header.to_str().expect("text").to_owned()
}

#[test]
fn every_field_of_the_configuration() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("cases.json")).expect("cases");
    assert!(cases.len() >= 100, "{}", cases.len());
    let mut differ = Vec::new();
    for case in &cases {
        assert_eq!(case.docent.is_some(), case.why.is_some(), "{}", case.about);
        let ours = case.ours();
        let expected = case.docent.as_ref().unwrap_or(&case.npm);
        if ours != *expected {
            differ.push(format!("{}: {ours:?}, expected {expected:?}", case.about));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
