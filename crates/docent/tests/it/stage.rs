//! A machine for one test: a home without any configuration, a project, and the program.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use docent_testkit::folder::Folder;
use serde_json::Value;

const README: &str = "# Kit\n\nTools for *wood* and nothing else; see \
    [the guide](https://kit.example/guide) for all of it.\n\n## Usage\n\n1. Measure twice.\n\
    2. Saw `once`, which is a rule that everybody who has ever worked with wood will agree with.\n\n\
    ```js\nimport { saw } from 'kit'\nsaw(12) // in millimeters\n```\n\n\
    > **Note:** wood is heavy.\n\n| tool | use |\n|---|---|\n| saw | cut |\n";

const DECLARATIONS: &str = "\
/** Cuts wood. The blade has to be sharp. */
export declare function saw(length: number, options?: SawOptions): void;
/** How to saw: a long line of documentation that does not fit into eighty columns of a terminal. */
export interface SawOptions {
  /** How deep. */
  depth?: number;
}
/** A bench to work at. */
export declare class Bench {
  /** How high it is. */
  height: number;
  /** Lifts it. */
  lift(by: number): this;
}
/**
 * Cuts stone.
 * @deprecated Wood only.
 */
export declare function chisel(): void;
";

/// What a run of the program gave.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }

    /// The run, which must have gone well.
    #[track_caller]
    pub(crate) fn fine(self) -> Self {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{}", self.out);
        self
    }
}

pub(crate) struct Stage {
    pub(crate) folder: Folder,
}

impl Stage {
    /// A project with one package, installed.
    pub(crate) fn new() -> Self {
        let stage = Self::empty();
        stage.install("node_modules/kit");
        let manifest = r#"{ "name": "shop", "dependencies": { "kit": "^1.0.0" } }"#;
        stage.folder.write("project/package.json", manifest);
        let lock = r#"{ "name": "shop", "lockfileVersion": 3, "packages": {
            "": { "dependencies": { "kit": "^1.0.0" } },
            "node_modules/kit": { "version": "1.0.0" } } }"#;
        stage.folder.write("project/package-lock.json", lock);
        stage
    }

    /// A project with nothing in it.
    pub(crate) fn empty() -> Self {
        let folder = Folder::new();
        for inside in ["project", "home", "temporary"] {
            std::fs::create_dir_all(folder.path().join(inside)).expect("a folder");
        }
        Self { folder }
    }

    fn install(&self, place: &str) {
        let manifest = r#"{ "name": "kit", "version": "1.0.0", "types": "index.d.ts" }"#;
        self.folder.write(&format!("project/{place}/package.json"), manifest);
        self.folder.write(&format!("project/{place}/index.d.ts"), DECLARATIONS);
        self.folder.write(&format!("project/{place}/README.md"), README);
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join(inside)
    }

    pub(crate) fn read(&self, inside: &str) -> String {
        std::fs::read_to_string(self.path(inside)).expect(inside)
    }

    /// The program in the project, with no variables but a home.
    pub(crate) fn docent(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_docent"));
        command.env_clear().env("HOME", self.path("home")).env("TMPDIR", self.path("temporary"));
        command.current_dir(self.path("project")).args(arguments).stdin(Stdio::null());
        command
    }

    /// The program where no file can grow, as on a full disk: whoever runs this.
    #[cfg(target_os = "linux")]
    pub(crate) fn run_without_room(&self, arguments: &[&str]) -> Ran {
        // Without the signal that would end the process, writing fails.
        const SCRIPT: &str = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
        let mut command = Command::new("/bin/bash");
        command.args(["-c", SCRIPT, env!("CARGO_BIN_EXE_docent")]).args(arguments);
        command.env_clear().env("HOME", self.path("home")).env("TMPDIR", self.path("temporary"));
        ran(command.current_dir(self.path("project")).stdin(Stdio::null()))
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        ran(&mut self.docent(arguments))
    }

    /// The folder's own path out of a text, which is another one for every test.
    pub(crate) fn without_path(&self, text: &str) -> String {
        text.replace(&self.folder.path().display().to_string(), "")
    }
}

pub(crate) fn ran(command: &mut Command) -> Ran {
    let Output { status, stdout, stderr } = command.output().expect("the program");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { code: status.code(), out: text(stdout), err: text(stderr) }
}

/// A run at a terminal where this is typed; what is seen there is `err`.
#[cfg(unix)]
pub(crate) fn at_terminal(mut command: Command, typed: &str) -> Ran {
    use std::io::{Read as _, Write as _};

    use rustix::fs::{Mode, OFlags};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("a terminal of ours");
    let name = ptsname(&master, Vec::new()).expect("its name");
    let slave = || {
        let opened = rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty());
        Stdio::from(opened.expect("the other end"))
    };
    command.stdin(slave()).stderr(slave()).stdout(Stdio::piped());
    let mut terminal = std::fs::File::from(master);
    terminal.write_all(typed.as_bytes()).expect("somebody types");
    let process = command.spawn().expect("the program");
    // The terminal ends when nobody holds its other end any more.
    drop(command);
    let looking = std::thread::spawn(move || {
        let mut seen = Vec::new();
        let _ends_with_an_error = terminal.read_to_end(&mut seen);
        String::from_utf8(seen).expect("UTF-8").replace("\r\n", "\n")
    });
    let Output { status, stdout, .. } = process.wait_with_output().expect("it ends");
    let out = String::from_utf8(stdout).expect("UTF-8");
    Ran { code: status.code(), out, err: looking.join().expect("it is seen") }
}

/// Serves on this machine, at an address.
pub(crate) async fn listen(server: &docent_mcp::Server) -> String {
    use docent_mcp::transport::http::{HttpOptions, HttpServer};
    let service = server.clone().http_service(HttpOptions::new()).expect("a service");
    let listening = HttpServer::bind(service, "127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", listening.local_addr());
    tokio::spawn(listening.serve());
    url
}

/// Compares with the file of that name, control codes made visible; `DOCENT_BLESS` writes it.
#[track_caller]
pub(crate) fn check_snapshot(name: &str, found: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots").join(name);
    let found = found.replace('\u{1b}', "␛");
    if std::env::var_os("DOCENT_BLESS").is_some() {
        std::fs::write(&file, &found).expect("the snapshot");
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(found, expected, "{name}; DOCENT_BLESS=1 accepts what was found");
}
