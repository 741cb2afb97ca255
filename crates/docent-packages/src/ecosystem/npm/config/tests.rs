//! From files and variables to a registry and who one is there.

mod npm_says;

use docent_testkit::folder::Folder;
use proptest::prelude::*;

use super::*;
use crate::Limits;
use crate::ecosystem::npm::tests::with_context;
use crate::fetch::Credential;

/// A registry that is reached without anything special.
pub(in crate::ecosystem::npm) fn registry_at(url: &str) -> Registry {
    let url = Url::parse(url).expect("an address");
    Registry { url, access: Access::default(), stands_in_for: None }
}

/// A machine: the project is `project`, the home folder is `home`.
struct Machine {
    folder: Folder,
    environment: Environment,
}

impl Machine {
    fn new() -> Self {
        let folder = Folder::new();
        folder.write("project/package.json", "{}");
        folder.write("home/x", "");
        let environment = Environment::isolated(&folder.path().join("home"));
        Self { folder, environment }
    }

    fn file(self, path: &str, text: &str) -> Self {
        self.folder.write(path, text);
        self
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.environment = self.environment.with(name, value);
        self
    }

    fn config(&self) -> Config {
        let project = self.folder.path().join("project");
        with_context(&self.environment, &project, |context| {
            Config::read(&Project::find(context, &mut Notes::new()), context)
        })
    }

    fn registry(&self, package: &str) -> Registry {
        let fallback = Url::parse("https://fallback.example").expect("an address");
        let registry = self.config().registry(package, Some(&fallback));
        registry.expect("a registry").expect("a registry")
    }

    fn check_url(&self, package: &str, expected: &str) {
        assert_eq!(self.registry(package).url.as_str(), expected, "{package}");
    }

    /// Each login as `scope credential`, sorted.
    fn check_logins(&self, expected: &[&str]) {
        let access = self.registry("zod").access;
        let mut logins: Vec<String> = access
            .logins
            .iter()
            .map(|login| {
                let credential = match &login.credential {
                    Credential::Bearer(token) => format!("token {}", token.0),
                    Credential::Basic { user, password } => format!("{user}:{}", password.0),
                    Credential::BasicEncoded(encoded) => format!("encoded {}", encoded.0),
                    Credential::Plain(encoded) => format!("encoded {}", encoded.0),
                };
                format!("{} {credential}", login.scope)
            })
            .collect();
        logins.sort_unstable();
        assert_eq!(logins, expected);
    }
}

#[test]
fn the_nearest_source_wins() {
    let machine = Machine::new();
    machine.check_url("zod", "https://fallback.example/");
    let machine = machine.with("PREFIX", "").file("home/global", "registry=https://global.example");
    let global = machine.folder.path().join("home/global");
    let machine = machine.with("npm_config_globalconfig", global.to_str().expect("text"));
    machine.check_url("zod", "https://global.example/");
    let machine = machine.file("home/.npmrc", "registry = https://user.example/path ; mine");
    machine.check_url("zod", "https://user.example/path/");
    let machine = machine.file("project/.npmrc", "registry=\"https://project.example/\"\n");
    machine.check_url("zod", "https://project.example/");
    let machine = machine.with("NPM_CONFIG_REGISTRY", "https://environment.example");
    machine.check_url("zod", "https://environment.example/");
}

#[test]
fn nothing_is_known_beforehand() {
    let mut config = Machine::new().config();
    assert!(config.registry("zod", None).expect("no error").is_none());
}

#[test]
fn scopes_are_asked_only_where_they_belong() {
    let machine = Machine::new()
        .file(
            "home/.npmrc",
            "@scope:registry=https://scope.example/npm\nregistry=https://r.example",
        )
        .with("npm_config_@other:registry", "https://other.example");
    machine.check_url("@scope/name", "https://scope.example/npm/");
    machine.check_url("@other/name", "https://other.example/");
    machine.check_url("@third/name", "https://r.example/");
    machine.check_url("scope", "https://r.example/");
}

#[test]
fn a_registry_that_cannot_be_known_is_not_replaced() {
    for text in
        ["@scope:registry=${UNSET}", "@scope:registry=nonsense", "@scope:registry=file:///x"]
    {
        let machine = Machine::new().file("project/.npmrc", text);
        let fallback = Url::parse("https://fallback.example").expect("an address");
        let error = machine.config().registry("@scope/name", Some(&fallback)).expect_err(text);
        assert_eq!(error.kind(), ErrorKind::NoRegistry);
        machine.check_url("zod", "https://fallback.example/");
    }
}

#[test]
fn the_root_of_a_workspace_and_other_user_files() {
    let folder = Folder::new();
    folder.write("package.json", r#"{"workspaces": ["app"]}"#);
    // npm would not read the file of a member.
    folder.write("yarn.lock", "");
    folder.write(".npmrc", "registry=https://root.example\n@a:registry=https://root-a.example");
    folder.write("app/package.json", "{}");
    folder.write("app/.npmrc", "@a:registry=https://app-a.example");
    let own = folder.write("elsewhere", "@b:registry=https://user-b.example");
    let environment = Environment::isolated(&folder.path().join("home"))
        .with("NPM_CONFIG_USERCONFIG", own.to_str().expect("text"));
    let url = |package: &str| {
        with_context(&environment, &folder.path().join("app"), |context| {
            let project = Project::find(context, &mut Notes::new());
            let registry = Config::read(&project, context).registry(package, None);
            registry.expect("no error").expect("a registry").url.to_string()
        })
    };
    assert_eq!(url("zod"), "https://root.example/");
    assert_eq!(url("@a/x"), "https://app-a.example/");
    assert_eq!(url("@b/x"), "https://user-b.example/");
}

#[test]
fn filed_credentials() {
    let text = "//registry.example/:_authToken=${TOKEN}\n\
                //registry.example/path:_auth = YTpi\n\
                //b.example:8080/:username=me\n//b.example:8080/:_password=c2VjcmV0\n\
                //c.example/:_password=c2VjcmV0\n\
                //d.example/:username=me\n//d.example/:_password=%%%\n\
                //e.example/:always-auth=true\n";
    let machine = Machine::new().file("home/.npmrc", text).with("TOKEN", "abc");
    machine.check_logins(&[
        "https://b.example:8080/ me:secret",
        "https://registry.example/ token abc",
        "https://registry.example/path/ encoded YTpi",
    ]);
}

#[test]
fn variables_that_are_not_set_are_said_and_never_sent() {
    let machine = Machine::new()
        .file("project/.npmrc", "//a.example/:_authToken=${MISSING}")
        .file("home/.npmrc", "//a.example/:_authToken=mine");
    machine.check_logins(&[]);
    let mut config = machine.config();
    config.registry("zod", Some(&Url::parse("https://a.example").expect("url"))).expect("one");
    let [note] = config.notes.as_slice() else { panic!("{:?}", config.notes) };
    assert!(note.contains("`MISSING`, which is not set"), "{note}");
}

#[test]
fn plain_http_only_where_it_was_asked_for() {
    let token = "//a.example:81/:_authToken=t";
    let machine = Machine::new().file("home/.npmrc", token);
    machine.check_logins(&["https://a.example:81/ token t"]);
    let http = format!("{token}\nregistry=http://a.example:81/npm/");
    let machine = Machine::new().file("home/.npmrc", &http);
    machine.check_logins(&["http://a.example:81/ token t", "https://a.example:81/ token t"]);
    // A project cannot make the user's token travel in the open.
    let machine = Machine::new()
        .file("home/.npmrc", token)
        .file("project/.npmrc", "registry=http://a.example:81/");
    machine.check_logins(&["https://a.example:81/ token t"]);
}

#[test]
fn credentials_without_a_place_stay_with_their_owners_registry() {
    let own = "_authToken=mine\nregistry=https://user.example/npm";
    let machine = Machine::new().file("home/.npmrc", own);
    machine.check_logins(&["https://user.example/npm/ token mine"]);
    let machine = machine.file("project/.npmrc", "registry=https://project.example");
    machine.check_url("zod", "https://project.example/");
    machine.check_logins(&["https://user.example/npm/ token mine"]);
    let machine = Machine::new().with("NPM_CONFIG__AUTHTOKEN", "mine");
    machine.check_logins(&["https://fallback.example/ token mine"]);
    let machine = machine.file("project/.npmrc", "registry=https://project.example\n_auth=YTpi");
    machine.check_logins(&[
        "https://fallback.example/ token mine",
        "https://project.example/ encoded YTpi",
    ]);
}

#[test]
fn credentials_inside_an_address() {
    let machine = Machine::new().file("home/.npmrc", "registry=https://me:p%40ss@r.example/npm");
    machine.check_url("zod", "https://r.example/npm/");
    machine.check_logins(&["https://r.example/npm/ me:p@ss"]);
}

#[test]
fn trust_and_proxies() {
    let text = "cafile=certificates/own.pem\nca[]=\"-----BEGIN CERTIFICATE-----\\nx\"\n\
                ca[]=nonsense\nstrict-ssl=false\nproxy=http://p.example:1\n\
                https-proxy=q.example:2\nnoproxy[]=a.example\nnoproxy[]=b.example";
    let machine = Machine::new()
        .file("home/.npmrc", text)
        .file("home/certificates/own.pem", "")
        .with("NODE_EXTRA_CA_CERTS", "/extra.pem");
    let access = machine.registry("zod").access;
    let own = machine.folder.path().join("home/certificates/own.pem");
    assert_eq!(access.ca_files, [own, PathBuf::from("/extra.pem")]);
    assert_eq!(access.ca_pem, ["-----BEGIN CERTIFICATE-----\nx"]);
    assert!(access.insecure);
    assert_eq!(access.proxy.as_ref().map(Url::as_str), Some("http://q.example:2/"));
    assert_eq!(access.no_proxy.as_deref(), Some("a.example,b.example"));
    let access = Machine::new()
        .file("home/.npmrc", "cafile=~/own.pem\nproxy=false\nca=null")
        .file("home/own.pem", "")
        .registry("zod")
        .access;
    assert!(access.proxy.is_none() && access.ca_pem.is_empty() && !access.insecure);
    assert!(access.ca_files[0].ends_with("home/own.pem"), "{:?}", access.ca_files);
}

#[test]
fn a_project_that_weakens_trust_gets_no_credential_of_the_user() {
    for weaker in ["strict-ssl=false", "cafile=x.pem", "ca=\"-----BEGIN CERTIFICATE-----\""] {
        let machine = Machine::new()
            .file("home/.npmrc", "//a.example/:_authToken=mine")
            .file("project/.npmrc", &format!("{weaker}\n//b.example/:_authToken=theirs"));
        machine.check_logins(&["https://b.example/ token theirs"]);
    }
    let machine = Machine::new()
        .file("home/.npmrc", "//a.example/:_authToken=mine")
        .file("project/.npmrc", "strict-ssl=true");
    machine.check_logins(&["https://a.example/ token mine"]);
}

#[test]
fn yarn_and_bun() {
    let yarn = "npmRegistryServer: https://yarn.example/npm\nnpmAuthToken: ${T-default}\n\
                npmScopes:\n  s:\n    npmRegistryServer: https://scope.example\n    \
                npmAuthIdent: me:secret\nnpmRegistries:\n  //third.example:\n    npmAuthToken: x\n\
                enableStrictSsl: true\nnodeLinker: pnp\n";
    let machine = Machine::new().file("home/.yarnrc.yml", yarn);
    machine.check_url("zod", "https://yarn.example/npm/");
    machine.check_url("@s/x", "https://scope.example/");
    machine.check_logins(&[
        "https://scope.example/ encoded bWU6c2VjcmV0",
        "https://third.example/ token x",
        "https://yarn.example/npm/ token default",
    ]);
    let bun = "[install]\nregistry = \"https://bun.example\"\n[install.scopes]\n\
               \"@s\" = { url = \"https://scope.example/\", token = \"$T\" }\n\
               t = { url = \"https://t.example/\", username = \"me\", password = \"secret\" }\n";
    let machine = Machine::new().file("project/bunfig.toml", bun).with("T", "abc");
    machine.check_url("zod", "https://bun.example/");
    machine.check_url("@s/x", "https://scope.example/");
    machine.check_logins(&["https://scope.example/ token abc", "https://t.example/ me:secret"]);
    let machine = Machine::new()
        .file("project/.yarnrc.yml", "npmAuthToken: [s3cret")
        .file("project/bunfig.toml", "s3cret");
    let notes = machine.config().notes;
    assert_eq!(notes.len(), 2);
    assert!(!notes.concat().contains("s3cret"), "{notes:?}");
}

#[test]
fn a_registry_that_stands_in_for_another() {
    let check = |setting: &str, tarball: &str, expected: &str| {
        let machine = Machine::new()
            .file("home/.npmrc", &format!("registry=https://mirror.example/npm\n{setting}"));
        let tarball = Url::parse(tarball).expect("an address");
        assert_eq!(machine.registry("zod").replace_host(tarball).as_str(), expected);
    };
    let (there, here) =
        ("https://origin.example/z/-/z.tgz", "https://mirror.example/npm/z/-/z.tgz");
    check("", there, there);
    check("replace-registry-host=never", there, there);
    check("replace-registry-host=always", there, here);
    check("replace-registry-host=origin.example", there, here);
    check("replace-registry-host=always", here, here);
}

proptest! {
    #[test]
    fn any_configuration_is_read(text in "([@/:_.{}\\[\\]\"'#;=$?\\\\ \n0-9a-zé-]|//|registry|\\$\\{|_auth){0,60}") {
        let environment = Environment::isolated(&PathBuf::from("/"));
        let _ = rc::parse(&text);
        let _ = expand::expand(&text, &environment);
        let _ = layer::filed_under(&text);
        let _ = proxy_url(&text);
        let mut layer = Layer::new("test", &PathBuf::new(), Owner::User);
        for (key, value) in rc::parse(&text) {
            layer.add(&key, &value, &environment);
        }
        let _ = yarnrc::read(&text, &mut layer, &environment, &Limits::default());
        let _ = bunfig::read(&text, &mut layer, &environment, &Limits::default());
        let logins = login::find(&[layer], None, &mut Notes::new());
        for login in logins {
            prop_assert!(matches!(login.login.scope.scheme(), "http" | "https"));
        }
    }
}

#[test]
fn nothing_secret_is_printed() {
    let secrets = "//a.example/:_authToken=s3cret\n_auth=s3cret\ncert=c\nkey=s3cret";
    let machine = Machine::new().file("home/.npmrc", secrets);
    assert_eq!(machine.registry("zod").access.certificates.len(), 1);
    assert!(!format!("{:?}", machine.registry("zod")).contains("s3cret"));
}
