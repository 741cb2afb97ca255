//! The adapter as the engine uses it, on made-up projects.

use std::path::Path;
use std::sync::Arc;

use docent_testkit::folder::Folder;

use super::*;
use crate::cache::Cache;
use crate::fetch::Fetcher;
use crate::tool::Tools;
use crate::{Environment, ErrorKind, Limits};

/// A machine on which nothing but what a test writes is configured.
struct Machine {
    folder: Folder,
    environment: Environment,
    limits: Limits,
    fetcher: Fetcher,
    tools: Tools,
}

impl Machine {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Folder::new();
        for (path, text) in files {
            folder.write(path, text);
        }
        let limits = Limits::default();
        let cache = Cache::open(&folder.path().join("cache"), &limits).unwrap();
        let environment = Environment::isolated(&folder.path().join("home"))
            .with("PIP_CONFIG_FILE", "/dev/null")
            .with("XDG_CONFIG_DIRS", "/nowhere");
        let fetcher = Fetcher::new(&limits, Arc::new(cache), true);
        Self { folder, environment, limits, fetcher, tools: Tools::default() }
    }

    fn context<'a>(&'a self, project: &'a Path) -> Context<'a> {
        Context {
            environment: &self.environment,
            limits: &self.limits,
            fetcher: &self.fetcher,
            tools: &self.tools,
            project,
        }
    }

    fn survey(&self, project: &str, written: &str) -> Survey {
        let project = self.folder.path().join(project);
        Python.survey(&Python.name(written).unwrap(), &self.context(&project))
    }
}

const LOCK: &str = "[[package]]\nname = 'pyyaml'\nversion = '6.0.2'\n\
                    [[package]]\nname = 'six'\nversion = '1.17.0'\n";

#[test]
fn a_project_with_everything() {
    let machine = Machine::new(&[
        ("p/.git/HEAD", ""),
        ("p/uv.lock", LOCK),
        ("p/pyproject.toml", "[project]\nname = 'p'\ndependencies = ['PyYAML>=6', 'click']\n"),
        ("p/.venv/pyvenv.cfg", "version = 3.11.7\n"),
        (
            "p/.venv/lib/python3.11/site-packages/PyYAML-6.0.3.dist-info/METADATA",
            "Name: PyYAML\nVersion: 6.0.3\n",
        ),
        (
            "p/.venv/lib/python3.11/site-packages/PyYAML-6.0.3.dist-info/RECORD",
            "yaml/__init__.py,,\n",
        ),
        ("p/.venv/lib/python3.11/site-packages/yaml/__init__.py", ""),
        ("p/sub/broken/poetry.lock", "["),
    ]);
    // From below, by the name of the import: the lock is found through what is installed.
    let survey = machine.survey("p/sub/broken", "yaml.nodes");
    let installed: Vec<_> =
        survey.installed.iter().map(|one| (one.name.as_str(), one.version.as_str())).collect();
    assert_eq!(installed, [("pyyaml", "6.0.3")]);
    assert_eq!(survey.locked[0].version, "6.0.2");
    assert_eq!(survey.requirement.unwrap().range, ">=6");
    assert_eq!(survey.problems.len(), 1, "{:?}", survey.problems);

    let project = machine.folder.path().join("p");
    let all = Python.dependencies(&machine.context(&project));
    let shown: Vec<String> = all
        .iter()
        .map(|one| {
            format!("{} {:?} {}", one.name, one.version.as_deref().unwrap_or("-"), one.direct)
        })
        .collect();
    assert_eq!(shown, ["pyyaml \"6.0.2\" true", "click \"-\" true", "six \"1.17.0\" false"]);
}

#[test]
fn an_empty_or_missing_folder_has_nothing() {
    let machine = Machine::new(&[]);
    for project in ["", "nowhere", "cache"] {
        let survey = machine.survey(project, "requests");
        assert!(
            survey.installed.is_empty() && survey.locked.is_empty() && survey.problems.is_empty()
        );
    }
}

#[tokio::test]
async fn names_of_the_standard_library_are_asked_of_nobody() {
    let machine = Machine::new(&[]);
    let context = machine.context(machine.folder.path());
    let name = Python.name("os.path").unwrap();
    let error = Python.releases(&name, None, &context).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PackageNotFound);
    assert!(error.to_string().contains("comes with Python"), "{error}");
}

#[tokio::test]
async fn without_configuration_and_tools_there_is_no_registry() {
    let machine = Machine::new(&[]);
    let context = machine.context(machine.folder.path());
    let name = Python.name("requests").unwrap();
    let error = Python.releases(&name, None, &context).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoRegistry);
    assert_eq!(error.hints().len(), 2);
}

#[test]
fn stubs_of_what_may_be_private_are_asked_of_nobody() {
    let check = |configuration: &str, expected: bool| {
        let machine = Machine::new(&[("p/pyproject.toml", configuration)]);
        let project = machine.folder.path().join("p");
        let wanted = Python.name("types-secret").unwrap();
        let may = Python.may_ask("secret", &wanted, &machine.context(&project));
        assert_eq!(may, expected, "{configuration}");
    };
    check("[project]\nname = 'p'\n", true);
    check(
        "[[tool.uv.index]]\nname = 'own'\nurl = 'http://registry.example/simple'\ndefault = true\n",
        true,
    );
    check(
        "[[tool.uv.index]]\nname = 'own'\nurl = 'http://registry.example/simple'\n\
         [[tool.uv.index]]\nname = 'open'\nurl = 'http://mirror.example/simple'\ndefault = true\n",
        false,
    );
    check(
        "[tool.uv.sources]\nsecret = { index = 'own' }\n\
         [[tool.uv.index]]\nname = 'own'\nurl = 'http://registry.example/simple'\nexplicit = true\n",
        false,
    );
}

proptest::proptest! {
    /// Whatever is written, the answer is a name or an error, and only a safe name is ever asked for.
    #[test]
    fn any_name_is_judged(written in "\\PC{0,40}") {
        if let Ok(name) = Python.name(&written) {
            for candidate in name::candidates(&name) {
                proptest::prop_assert!(!candidate.contains(['/', '\\', '%', '@', ' ']), "{candidate}");
                proptest::prop_assert!(!candidate.contains(".."), "{candidate}");
            }
        }
    }

    #[test]
    fn any_requirement_is_judged(text in "[0-9a-z.<>=!~^*|, +-]{0,24}", version in "[0-9a-z.!+-]{0,12}") {
        let _ = Python.satisfies(&text, &version);
        if let Some(exact) = Python.exact(&text) {
            proptest::prop_assert!(Python.satisfies(&text, &exact).unwrap(), "{text} {exact}");
        }
    }

}

proptest::proptest! {
    // Each case writes a project to disk.
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

    /// Hostile files give notes, never a panic.
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400)) {
        let site = "p/.venv/lib/python3.11/site-packages";
        let machine = Machine::new(&[]);
        for path in [
            "p/.venv/pyvenv.cfg", "p/uv.lock", "p/Pipfile.lock", "p/pyproject.toml", "p/setup.cfg", "p/Pipfile",
            "p/requirements.txt", "p/.python-version", "p/.pdm-python", "home/.netrc",
        ] {
            machine.folder.write(path, &bytes);
        }
        for path in ["METADATA", "RECORD", "direct_url.json", "top_level.txt"] {
            machine.folder.write(&format!("{site}/a-1.0.dist-info/{path}"), &bytes);
        }
        for path in ["a.pth", "__editable___a_finder.py", "a.egg-link", "b.egg-info"] {
            machine.folder.write(&format!("{site}/{path}"), &bytes);
        }
        for written in ["a", "b", "c.d"] {
            machine.survey("p", written);
        }
        let project = machine.folder.path().join("p");
        let _ = config::read(&project::folders(&project), &machine.environment, &Files::new(&machine.limits));
    }
}
