//! What a project has of a module, in all the places that Go looks in.

use std::path::PathBuf;
use std::sync::Arc;

use docent_testkit::folder::Folder;

use super::*;
use crate::Environment;
use crate::cache::Cache;
use crate::fetch::Fetcher;
use crate::tool::Tools;
use crate::tree::Place;

struct Machine {
    folder: Folder,
    environment: Environment,
}

impl Machine {
    fn new() -> Self {
        let folder = Folder::new();
        let environment = Environment::isolated(folder.path());
        folder.write("project/keep", "");
        Self { folder, environment }
    }

    fn write(&self, path: &str, text: &str) -> &Self {
        self.folder.write(path, text);
        self
    }

    /// A file of a module in the module cache.
    fn cached(&self, module: &str) -> &Self {
        self.write(&format!("go/pkg/mod/{module}/x.go"), "package x\n")
    }

    fn with<T>(&self, work: impl FnOnce(&Context<'_>) -> T) -> T {
        let limits = Limits::default();
        let cache = Cache::open(&self.folder.path().join("cache"), &limits).expect("a cache");
        let fetcher = Fetcher::new(&limits, Arc::new(cache), true);
        let tools = Tools::default();
        let project = self.folder.path().join("project").canonicalize().expect("a folder");
        let environment = &self.environment;
        let (fetcher, tools, limits, project) = (&fetcher, &tools, &limits, project.as_path());
        work(&Context { environment, limits, fetcher, tools, project })
    }

    /// What is found for a path: `name version folder`, then what is locked, then what is elsewhere.
    #[track_caller]
    fn check(&self, path: &str, expected: &[&str]) {
        let root = self.folder.path().canonicalize().expect("a folder");
        let shown = |path: &PathBuf| {
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            real.strip_prefix(&root).unwrap_or(&real).display().to_string()
        };
        let survey = self.with(|context| Go.survey(&name::parse(path).unwrap(), context));
        let mut found: Vec<String> = survey
            .installed
            .iter()
            .map(|copy| format!("{} {} {}", copy.name, copy.version, shown(&copy.shown)))
            .collect();
        found
            .extend(survey.locked.iter().map(|one| format!("locked {} {}", one.name, one.version)));
        found.extend(
            survey.elsewhere.iter().map(|one| format!("elsewhere {} {}", one.name, one.version)),
        );
        assert_eq!(found, expected, "{path}");
    }
}

#[test]
fn the_module_is_the_longest_that_is_required() {
    let machine = Machine::new();
    machine.write(
        "project/go.mod",
        "module m.example/own\nrequire (\n\tm.example/Kit v1.2.0\n\tm.example/Kit/sub v0.1.0\n\tm.example/Kit/v2 v2.0.0\n)\n",
    );
    machine
        .cached("m.example/!kit@v1.2.0")
        .cached("m.example/!kit@v1.1.0")
        .cached("m.example/!kit/sub@v0.1.0");
    let kit = "m.example/Kit v1.2.0 go/pkg/mod/m.example/!kit@v1.2.0";
    let rest = [
        "locked m.example/Kit v1.2.0",
        "elsewhere m.example/Kit v1.2.0",
        "elsewhere m.example/Kit v1.1.0",
    ];
    machine.check("m.example/Kit", &[&[kit], &rest[..]].concat());
    machine.check("m.example/Kit/deep/er", &[&[kit], &rest[..]].concat());
    let sub = "m.example/Kit/sub v0.1.0 go/pkg/mod/m.example/!kit/sub@v0.1.0";
    machine.check(
        "m.example/Kit/sub/x",
        &[
            sub,
            "locked m.example/Kit/sub v0.1.0",
            "elsewhere m.example/Kit/sub v0.1.0",
            "elsewhere m.example/Kit v1.2.0",
            "elsewhere m.example/Kit v1.1.0",
        ],
    );
    machine.check("m.example/Kit/v2", &[&["locked m.example/Kit/v2 v2.0.0"], &rest[1..]].concat());
    machine.check("m.example/own/part", &["m.example/own (devel) project"]);
    machine.check("m.example/unknown", &[]);
}

#[test]
fn replacements_count() {
    let machine = Machine::new();
    machine.write(
        "project/go.mod",
        "module m.example/own\nrequire (\n\tm.example/a v1.0.0\n\tm.example/b v1.0.0\n)\nreplace m.example/a => ../a\nreplace m.example/b => m.example/fork v1.5.0\n",
    );
    machine.write("a/go.mod", "module m.example/a\n").cached("m.example/fork@v1.5.0");
    machine.check("m.example/a/x", &["m.example/a v1.0.0 a", "locked m.example/a v1.0.0"]);
    machine.check(
        "m.example/b",
        &["m.example/b v1.5.0 go/pkg/mod/m.example/fork@v1.5.0", "locked m.example/b v1.0.0"],
    );
}

#[test]
fn a_vendor_folder_comes_first() {
    let machine = Machine::new();
    machine.write("project/go.mod", "module m.example/own\nrequire m.example/a v1.0.0\n");
    machine.write(
        "project/vendor/modules.txt",
        "# m.example/a v1.0.0\n## explicit\nm.example/a\nm.example/a/b\n# m.example/a/c v0.2.0\nm.example/a/c\n",
    );
    for file in ["a/a.go", "a/b/b.go", "a/c/c.go", "a/LICENSE"] {
        machine.write(&format!("project/vendor/m.example/{file}"), "package x\n");
    }
    let found = machine.with(|context| Go.survey(&name::parse("m.example/a/b").unwrap(), context));
    let Place::Folder { files: Some(list), .. } = &found.installed[0].place else {
        panic!("{found:?}")
    };
    assert_eq!(list, &["LICENSE", "a.go", "b/b.go"]);
    machine.check(
        "m.example/a/c",
        &["m.example/a/c v0.2.0 project/vendor/m.example/a/c", "locked m.example/a v1.0.0"],
    );
}

#[test]
fn a_workspace_and_go_sum_are_read() {
    let machine = Machine::new();
    machine.write("project/go.work", "go 1.22\nuse ./one\nuse ./two\n");
    machine.write("project/one/go.mod", "module m.example/one\nrequire m.example/a v1.0.0\n");
    machine.write("project/two/go.mod", "module m.example/two\nrequire m.example/a v1.3.0\n");
    let hash = "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    machine.write(
        "project/one/go.sum",
        &format!("m.example/deep v0.4.0 {hash}\nm.example/deep v0.5.0/go.mod {hash}\n"),
    );
    machine.check("m.example/two/x", &["m.example/two (devel) project/two"]);
    machine.check("m.example/a", &["locked m.example/a v1.3.0"]);
    machine.check("m.example/deep/er", &["locked m.example/deep v0.4.0"]);
    let dependencies = machine.with(|context| Go.dependencies(context));
    let dependencies: Vec<String> = dependencies
        .iter()
        .map(|one| {
            format!("{} {} {}", one.name, one.version.as_deref().unwrap_or_default(), one.direct)
        })
        .collect();
    assert_eq!(dependencies, ["m.example/a v1.3.0 true"]);
}

#[test]
fn what_comes_with_go_is_found_where_go_is() {
    let mut machine = Machine::new();
    machine
        .write("sdk/VERSION", "go1.25.1\ntime 2025\n")
        .write("sdk/src/net/http/a.go", "package http\n");
    machine
        .write("sdk/src/net/http/b_test.go", "package http\n")
        .write("sdk/src/fmt/c.go", "package fmt\n");
    let root = machine.folder.path().join("sdk");
    machine.environment = machine.environment.clone().with("GOROOT", &root.to_string_lossy());
    machine.check("net/http", &["std go1.25.1 sdk/src"]);
    machine.check("net/nothing", &[]);
    machine.check("std", &["std go1.25.1 sdk/src"]);
    let found = machine.with(|context| Go.survey(&name::parse("net/http").unwrap(), context));
    assert!(found.installed[0].bundled);
    let Place::Folder { files: Some(list), .. } = &found.installed[0].place else {
        panic!("{found:?}")
    };
    assert_eq!(list, &["net/http/a.go", "net/http/b_test.go"]);

    machine.write("project/go.mod", "module own\ngo 1.24.2\n");
    machine
        .write("go/pkg/mod/golang.org/toolchain@v0.0.1-go1.24.2.linux-amd64/VERSION", "go1.24.2\n");
    machine.write(
        "go/pkg/mod/golang.org/toolchain@v0.0.1-go1.24.2.linux-amd64/src/fmt/c.go",
        "package fmt\n",
    );
    let toolchain = "go/pkg/mod/golang.org/toolchain@v0.0.1-go1.24.2.linux-amd64/src";
    machine.check("fmt", &[&format!("std go1.24.2 {toolchain}"), "std go1.25.1 sdk/src"]);
    // A module of the project may have a name without a dot.
    machine.check("own/part", &["own (devel) project"]);
}
