//! The program as its own worker, with packages that are too much for it.
//!
//! What would keep a hostile file from its parser is turned off by limits, so that the parser
//! really fails and the boundary of the process is what holds.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use docent_packages::worker::{Isolation, Job, Source, Workers};
use docent_packages::{
    Ecosystem, Engine, Environment, Error, ErrorKind, Extraction, Limits, PackageRef, Place,
    Progress, Target,
};
use docent_testkit::folder::Folder;

fn program() -> Isolation {
    Isolation::Process(vec![OsString::from(env!("CARGO_BIN_EXE_docent"))])
}

fn job(root: PathBuf, limits: Limits) -> Job {
    let place = Place::Folder { root, files: None };
    let package = Source { name: "x".to_owned(), version: "1.0.0".to_owned(), place };
    Job {
        ecosystem: Ecosystem::Npm,
        package,
        part: None,
        companions: Vec::new(),
        reach: Vec::new(),
        limits,
    }
}

async fn read(folder: &Folder, limits: &Limits) -> Result<Extraction, Error> {
    Workers::new(program(), limits).run(job(folder.path().to_owned(), limits.clone())).await
}

fn package(files: &[(&str, String)]) -> Folder {
    let folder = Folder::new();
    folder.write("package.json", r#"{"name":"x","version":"1.0.0","types":"index.d.ts"}"#);
    for (path, text) in files {
        folder.write(path, text);
    }
    folder
}

/// Parentheses that no stack is deep enough for.
fn deep() -> String {
    format!("export const deep = {}1{};\n", "(".repeat(400_000), ")".repeat(400_000))
}

fn names(extraction: &Extraction) -> Vec<&str> {
    extraction.items.iter().map(|item| item.path.as_str()).filter(|path| !path.is_empty()).collect()
}

/// Limits under which nothing looks at a file before its parser does.
fn unguarded() -> Limits {
    let mut limits = Limits::default();
    limits.nesting_max = usize::MAX;
    limits
}

#[tokio::test]
async fn a_good_package_is_read() {
    let text = "export declare function f(a: string): void;\n".to_owned();
    let folder = package(&[("index.d.ts", text)]);
    let extraction = read(&folder, &Limits::default()).await.expect("a good package");
    assert_eq!(names(&extraction), ["f"]);
    assert_eq!(extraction.problems, []);
}

#[tokio::test]
async fn a_file_that_overflows_the_stack_is_left_out() {
    let index = "export declare function f(): void;\nexport * from './deep';\n".to_owned();
    let folder = package(&[("index.d.ts", index), ("deep.d.ts", deep())]);
    let extraction = read(&folder, &unguarded()).await.expect("the rest of the package");
    assert_eq!(names(&extraction), ["f"]);
    let problems: Vec<_> =
        extraction.problems.iter().map(|p| (p.file.as_str(), p.message.as_str())).collect();
    let expected = ("deep.d.ts", "not read: it nests too deeply for its parser");
    assert!(problems.contains(&expected), "{problems:?}");
}

#[tokio::test]
async fn more_such_files_than_attempts_are_an_error_that_names_the_last() {
    let files = ["a", "b", "c", "d", "e"];
    let index = files.map(|name| format!("export * from './{name}';\n")).concat();
    let mut all = vec![("index.d.ts", index)];
    for path in ["a.d.ts", "b.d.ts", "c.d.ts", "d.d.ts", "e.d.ts"] {
        all.push((path, deep()));
    }
    let error = read(&package(&all), &unguarded()).await.expect_err("too many bad files");
    assert_eq!(error.kind(), ErrorKind::Worker);
    let message = error.to_string();
    assert!(message.starts_with("x@1.0.0 could not be read: it nests too deeply"), "{message}");
    assert!(message.contains("at `x:"), "{message}");
}

#[tokio::test]
async fn too_little_memory_is_said_to_be() {
    let line = "export declare const someName: { a: string; b: number };\n";
    let folder = package(&[("index.d.ts", line.repeat(400_000))]);
    let mut limits = Limits::default();
    limits.worker_memory_bytes = 256 << 20;
    let result = read(&folder, &limits).await;
    // The one file that is too much is left out, or the job fails; either way it says why.
    let said = match &result {
        Ok(extraction) => extraction.problems.iter().map(|p| p.message.clone()).collect(),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
            error.to_string()
        }
    };
    assert!(said.contains("more memory than the limit"), "{said}");
}

#[tokio::test]
async fn a_worker_that_takes_too_long_is_killed() {
    let folder = package(&[("index.d.ts", "export {};\n".repeat(500_000))]);
    let mut limits = Limits::default();
    limits.worker_timeout = Duration::from_millis(1);
    let error = read(&folder, &limits).await.expect_err("no time");
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    let message = error.to_string();
    assert!(message.starts_with("x@1.0.0 could not be read: it takes longer"), "{message}");
}

#[tokio::test]
async fn a_program_that_is_no_worker_is_recognized() {
    let folder = package(&[]);
    let limits = Limits::default();
    for program in ["/bin/echo", "/bin/cat", "/nonexistent"] {
        let workers = Workers::new(Isolation::Process(vec![program.into()]), &limits);
        let result = workers.run(job(folder.path().to_owned(), limits.clone())).await;
        assert_eq!(result.expect_err("no worker").kind(), ErrorKind::Worker, "{program}");
    }
}

#[tokio::test]
async fn a_missing_package_is_the_packages_error() {
    let limits = Limits::default();
    let workers = Workers::new(program(), &limits);
    let missing = Folder::new().path().join("missing");
    let error = workers.run(job(missing, limits)).await.expect_err("no such folder");
    assert_eq!(error.kind(), ErrorKind::Io);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_worker_is_held_back_and_says_so() {
    let folder = package(&[]);
    let limits = Limits::default();
    let workers = Workers::new(program(), &limits);
    assert_eq!(workers.confinement(), None);
    workers.run(job(folder.path().to_owned(), limits)).await.expect("an empty package");
    let confinement = workers.confinement().expect("a worker has run");
    // What the kernel offers beyond that differs from one machine to the next.
    assert_eq!(confinement.resources, docent_packages::worker::Degree::Full);
}

#[tokio::test]
async fn a_thread_gives_the_same_as_a_process() {
    let folder = package(&[("index.d.ts", "export declare const a: number;\n".to_owned())]);
    let limits = Limits::default();
    let job = job(folder.path().to_owned(), limits.clone());
    let thread = Workers::new(Isolation::InProcess, &limits).run(job.clone()).await;
    let process = Workers::new(program(), &limits).run(job).await;
    assert_eq!(thread.expect("a good package"), process.expect("a good package"));
}

/// What an engine with worker processes says of `Kit`, which is derived from the base of another
/// package.
async fn kit(folder: &Folder, limits: Limits) -> Extraction {
    let environment = Environment::isolated(folder.path()).in_directory(folder.path());
    let engine = Engine::builder().environment(environment).isolation(program()).limits(limits);
    let engine = engine.offline(true).cache(folder.path().join("cache")).build();
    let target = Target::new("npm:kit".parse::<PackageRef>().expect("a package"));
    let loaded = engine.expect("an engine").load(&target, &Progress::default()).await;
    loaded.expect("the package").extraction().clone()
}

/// Installs `kit` with a manifest that has these fields too, and `base`.
fn install_kit(fields: &str, base: &str) -> Folder {
    let folder = Folder::new();
    let manifest = |name: &str, fields: &str| {
        format!(r#"{{"name":"{name}","version":"1.0.0","types":"index.d.ts"{fields}}}"#)
    };
    let kit = "import { Base } from 'base';\nexport declare class Kit extends Base {}\n";
    folder.write("package.json", "{}");
    folder.write("node_modules/kit/package.json", manifest("kit", fields));
    folder.write("node_modules/kit/index.d.ts", kit);
    folder.write("node_modules/base/package.json", manifest("base", ""));
    folder.write("node_modules/base/index.d.ts", base);
    folder
}

#[tokio::test]
async fn a_worker_gets_what_it_asks_for() {
    let base = "export declare class Base { start(): void; }\n";
    // What no manifest names is beyond the reach of the first worker, and given to the second.
    for fields in [r#","dependencies":{"base":"1"}"#, ""] {
        let folder = install_kit(fields, base);
        let extraction = kit(&folder, Limits::default()).await;
        assert_eq!(names(&extraction), ["Kit", "Kit.start"], "{fields}");
        assert_eq!(extraction.problems, [], "{fields}");
    }
}

#[tokio::test]
async fn a_companion_that_brings_the_worker_down_is_left_out() {
    let folder = install_kit(r#","dependencies":{"base":"1"}"#, &deep());
    let extraction = kit(&folder, unguarded()).await;
    assert_eq!(names(&extraction), ["Kit"]);
    let [problem] = &extraction.problems[..] else { panic!("{:?}", extraction.problems) };
    assert_eq!(problem.file, "base:index.d.ts");
}

#[cfg(target_os = "linux")]
mod processes {
    use super::*;

    /// The workers of this test: children of this process with a state, as the kernel lists them.
    fn children() -> Vec<String> {
        let own = std::process::id().to_string();
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
            let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
            // After the name in parentheses: the state, then the parent.
            let Some((_, rest)) = stat.rsplit_once(") ") else { continue };
            if rest.split(' ').nth(1) == Some(own.as_str()) {
                found.push(stat.clone());
            }
        }
        found
    }

    /// In a process of its own, because other tests have workers too.
    #[test]
    fn nothing_is_left_of_a_request_that_was_dropped() {
        if std::env::var_os("DOCENT_TEST_ALONE").is_none() {
            let this = std::env::current_exe().expect("this program");
            let name = "worker::processes::nothing_is_left_of_a_request_that_was_dropped";
            let mut command = std::process::Command::new(this);
            command.args([name, "--exact"]).env("DOCENT_TEST_ALONE", "1");
            assert!(command.status().expect("the test alone").success());
            return;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let folder = package(&[("index.d.ts", "export {};\n".repeat(500_000))]);
            let limits = Limits::default();
            for _ in 0..10 {
                let read = read(&folder, &limits);
                let cut = tokio::time::timeout(Duration::from_millis(20), read).await;
                assert!(cut.is_err(), "the package takes longer than that");
            }
            for _ in 0..500 {
                if children().is_empty() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            panic!("left: {:?}", children());
        });
    }
}
