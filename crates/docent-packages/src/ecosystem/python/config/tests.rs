//! Whole configurations: who is asked, in what order, as whom.

mod tools_say;

use docent_testkit::folder::Folder;

use super::*;
use crate::Limits;
use crate::fetch::Credential;

/// A user's home and a project.
struct Setup {
    folder: Folder,
    environment: Environment,
}

impl Setup {
    fn new(files: &[(&str, &str)], variables: &[(&str, &str)]) -> Self {
        let folder = Folder::new();
        for (path, text) in files {
            folder.write(path, text);
        }
        let home = Environment::isolated(&folder.path().join("home"));
        let environment =
            variables.iter().fold(home, |environment, (name, value)| environment.with(name, value));
        Self { folder, environment }
    }

    /// Without the files of the machine that runs the test.
    fn read(&self) -> Result<Configuration, Error> {
        let limits = Limits::default();
        let project = self.folder.path().join("project");
        let files = Files::new(&limits);
        read_below(&[project], &self.environment, &files, self.folder.path())
    }

    #[track_caller]
    fn check(&self, package: &str, expected: &[&str]) -> &Self {
        let configuration = self.read().unwrap();
        let shown = |index: &&Index| {
            let logins = index.access.logins.iter().map(|login| match &login.credential {
                Credential::Basic { user, password } => {
                    format!(" {user}/{} in {}", password.0, login.scope)
                }
                other => format!(" {other:?}"),
            });
            let insecure = if index.access.insecure { " insecure" } else { "" };
            format!("{}{insecure}{}", index.url, logins.collect::<String>())
        };
        let found: Vec<String> =
            configuration.for_package(package).unwrap().iter().map(shown).collect();
        assert_eq!(found, expected, "{package}");
        self
    }
}

#[test]
fn pip_files_and_variables() {
    let conf = "[global]\nindex-url = https://a.example/simple\nextra-index-url =\n  https://b.example/x\n\
                trusted-host = b.example\n[install]\nindex_url = https://c.example/simple/\n";
    let files = [("home/.config/pip/pip.conf", conf)];
    Setup::new(&files, &[])
        .check("x", &["https://b.example/x/ insecure", "https://c.example/simple/"]);
    Setup::new(
        &files,
        &[
            ("PIP_INDEX_URL", "https://d.example"),
            ("PIP_EXTRA_INDEX_URL", "https://e.example https://f.example"),
        ],
    )
    .check("x", &["https://e.example/", "https://f.example/", "https://d.example/"]);
    let refused = Setup::new(&files, &[("PIP_NO_INDEX", "1")]).read().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NoRegistry);
}

#[test]
fn credentials_leave_the_address_and_keep_a_scope() {
    let netrc = ("home/.netrc", "machine n.example login me password netpass");
    Setup::new(
        &[netrc],
        &[
            ("PIP_INDEX_URL", "https://user:p%40ss@a.example:8443/pypi/team/simple?x#y"),
            ("PIP_EXTRA_INDEX_URL", "https://token@n.example/x https://n.example/y"),
            ("UV_INDEX", "my.index=https://u.example/+simple/"),
            ("UV_INDEX_MY_INDEX_USERNAME", "uvuser"),
            ("UV_INDEX_MY_INDEX_PASSWORD", "uvpass"),
        ],
    )
    .check(
        "x",
        &[
            "https://u.example/+simple/ uvuser/uvpass in https://u.example/",
            "https://n.example/x/ token/ in https://n.example/x/",
            "https://n.example/y/ me/netpass in https://n.example/",
            "https://a.example:8443/pypi/team/simple/ user/p@ss in https://a.example:8443/pypi/team/",
        ],
    );
}

#[test]
fn nothing_prints_a_credential() {
    let setup = Setup::new(&[], &[("PIP_INDEX_URL", "https://user:canary@a.example/simple")]);
    assert!(!format!("{:?}", setup.read().unwrap()).contains("canary"));
    assert!(!format!("{:?}", pip::variables(&setup.environment)).contains("canary"));
    for broken in ["user:canary@", "https://user:canary@", "ftp://user:canary@a.example", "/canary"]
    {
        let error = Setup::new(&[], &[("PIP_INDEX_URL", broken)]).read().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NoRegistry);
        assert!(!format!("{error:?}").contains("canary"), "{error:?}");
    }
}

#[test]
fn uv_names_indexes_and_binds_packages_to_them() {
    let manifest = "[tool.uv]\nextra-index-url = ['https://extra.example']\n\
        [[tool.uv.index]]\nname = 'main'\nurl = 'https://main.example/simple'\ndefault = true\n\
        [[tool.uv.index]]\nname = 'private'\nurl = 'https://private.example/simple'\nexplicit = true\n\
        [[tool.uv.index]]\nurl = 'https://other.example'\n\
        [tool.uv.sources]\nOur_Pkg = {index = 'private'}\nlost = [{index = 'nowhere'}]\nlocal = {path = 'x'}\n";
    let setup = Setup::new(
        &[("project/pyproject.toml", manifest)],
        &[("PIP_INDEX_URL", "https://pip.example")],
    );
    let rest = ["https://other.example/", "https://extra.example/", "https://main.example/simple/"];
    setup
        .check("our-pkg", &["https://private.example/simple/"])
        .check("x", &rest)
        .check("local", &rest);
    let error = setup.read().unwrap().for_package("lost").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoRegistry);
    let both = [
        ("project/pyproject.toml", manifest),
        ("project/uv.toml", "index-url = 'https://toml.example'"),
    ];
    Setup::new(&both, &[]).check("x", &["https://toml.example/"]);
    Setup::new(&both, &[("UV_DEFAULT_INDEX", "m=https://env.example")])
        .check("x", &["https://env.example/"]);
}

#[test]
fn poetry_pipenv_and_requirements() {
    let poetry = "[[tool.poetry.source]]\nname = 'one'\nurl = 'https://one.example'\n\
        [[tool.poetry.source]]\nname = 'two'\nurl = 'https://two.example'\npriority = 'supplemental'\n\
        [[tool.poetry.source]]\nname = 'three'\nurl = 'https://three.example'\npriority = 'explicit'\n\
        [tool.poetry.dependencies]\nx = {version = '1', source = 'three'}\n";
    let auth =
        ("home/.config/pypoetry/auth.toml", "[http-basic.three]\nusername = 'u'\npassword = 'p'\n");
    Setup::new(&[("project/pyproject.toml", poetry), auth], &[])
        .check("x", &["https://three.example/ u/p in https://three.example/"])
        .check("y", &["https://one.example/", "https://two.example/"]);
    let pipfile = "[[source]]\nname = 'a'\nurl = 'https://${WHO}:${PW}@a.example/simple'\n\
        [[source]]\nname = 'b'\nurl = 'https://b.example'\n[packages]\nx = {version = '*', index = 'b'}\n";
    Setup::new(&[("project/Pipfile", pipfile)], &[("WHO", "canary")])
        .check("x", &["https://b.example/"])
        .check("y", &["https://a.example/simple/"]);
    let text = "-i https://r.example/simple\n--extra-index-url https://${TOKEN}@e.example\nx==1\n";
    Setup::new(&[("project/requirements.txt", text)], &[("TOKEN", "t")])
        .check("x", &["https://e.example/", "https://r.example/simple/"]);
    // Not even into the host: a cloned project must not learn what is in the environment.
    let text = "-i https://${TOKEN}.evil.example/simple\n";
    let error =
        Setup::new(&[("project/requirements.txt", text)], &[("TOKEN", "t")]).read().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoRegistry);
    assert_eq!(error.hints().len(), 1);
}

#[test]
fn without_any_configuration_there_is_no_default() {
    let configuration =
        Setup::new(&[("project/pyproject.toml", "[tool]\nuv = 3\n")], &[]).read().unwrap();
    assert!(!configuration.has_default);
    assert!(configuration.for_package("x").unwrap().is_empty());
}

#[test]
fn client_certificates_go_where_their_owner_meant() {
    let certificates = |setup: &Setup| -> Vec<String> {
        let configuration = setup.read().unwrap();
        let indexes = configuration.for_package("x").unwrap();
        let shown = indexes.iter().flat_map(|index| &index.access.certificates);
        shown.map(|shown| format!("{} {:?}", shown.scope, shown.identity.key)).collect()
    };
    let file = |file: &str| format!("File({file:?})");
    // For all indexes that the user names, at each as far as its own pages and files go.
    let setup = Setup::new(
        &[("project/pyproject.toml", "[[tool.uv.index]]\nurl = 'https://theirs.example/simple'\n")],
        &[
            ("SSL_CLIENT_CERT", "/me.pem"),
            ("UV_INDEX", "https://a.example/pypi/simple"),
            ("PIP_INDEX_URL", "https://b.example/simple"),
        ],
    );
    let me = file("/me.pem");
    let expected = [format!("https://a.example/pypi/ {me}"), format!("https://b.example/ {me}")];
    assert_eq!(certificates(&setup), expected);
    // For an index by its name, as Poetry files it.
    let poetry = "[[tool.poetry.source]]\nname = 'one'\nurl = 'https://one.example'\n";
    let filed = "[certificates.one]\nclient-cert = '/one.pem'\ncert = '/ca.pem'\n";
    let setup = Setup::new(
        &[("project/pyproject.toml", poetry), ("home/.config/pypoetry/config.toml", filed)],
        &[],
    );
    assert_eq!(certificates(&setup), [format!("https://one.example/ {}", file("/one.pem"))]);
    let setup = Setup::new(
        &[("project/pyproject.toml", poetry)],
        &[("POETRY_CERTIFICATES_ONE_CLIENT_CERT", "/other.pem")],
    );
    assert_eq!(certificates(&setup), [format!("https://one.example/ {}", file("/other.pem"))]);
}

#[test]
fn a_project_that_weakens_trust_gets_no_credential_of_the_user() {
    let netrc = ("home/.netrc", "machine n.example login me password netpass");
    let options = "-i https://n.example/simple\n--trusted-host n.example\n";
    Setup::new(&[netrc, ("project/requirements.txt", options)], &[])
        .check("x", &["https://n.example/simple/ insecure"]);
    Setup::new(
        &[netrc, ("project/requirements.txt", options)],
        &[("PIP_TRUSTED_HOST", "n.example")],
    )
    .check("x", &["https://n.example/simple/ insecure me/netpass in https://n.example/"]);
    // An index may want to be asked by nobody in particular.
    let uv = "[[index]]\nurl = 'https://n.example/simple'\nauthenticate = 'never'\n";
    Setup::new(&[netrc, ("project/uv.toml", uv)], &[]).check("x", &["https://n.example/simple/"]);
}
