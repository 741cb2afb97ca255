//! Projects, lockfiles, checkouts and registries of Swift, as a machine may have them.

use std::path::Path;

use docent_testkit::folder::Folder;

use super::*;
use crate::Environment;
use crate::cache::Cache;
use crate::fetch::Fetcher;
use crate::tool::Tools;

const MANIFEST: &str = r#"// swift-tools-version:5.9
let package = Package(name: "App", products: [.library(name: "AppKit2", targets: ["AppCore"])],
    dependencies: [
        .package(url: "https://host.example/a/swift-log.git", from: "1.4.0"),
        .package(path: "../Shared"),
    ],
    targets: [.target(name: "AppCore")])
"#;

/// What the project in `folder/app` has of a package.
#[track_caller]
fn survey(folder: &Folder, written: &str) -> Survey {
    with_context(folder, |context| Swift.survey(&Swift.name(written).expect("a name"), context))
}

fn with_context<T>(folder: &Folder, ask: impl FnOnce(&Context<'_>) -> T) -> T {
    let limits = Limits::default();
    let environment = Environment::isolated(&folder.path().join("home"));
    let cache =
        std::sync::Arc::new(Cache::open(&folder.path().join("cache"), &limits).expect("a cache"));
    let fetcher = Fetcher::new(&limits, cache, true);
    let (tools, project) = (Tools::default(), folder.path().join("app"));
    ask(&Context {
        environment: &environment,
        limits: &limits,
        fetcher: &fetcher,
        tools: &tools,
        project: &project,
    })
}

fn app() -> Folder {
    let folder = Folder::new();
    folder.write("app/Package.swift", MANIFEST);
    folder.write(
        "Shared/Package.swift",
        "Package(name: \"Shared\", targets: [.target(name: \"SharedUI\")])",
    );
    folder.write(
        "app/Package.resolved",
        r#"{"pins":[{"identity":"swift-log","kind":"remoteSourceControl",
           "location":"https://host.example/a/swift-log.git","state":{"revision":"x","version":"1.5.3"}}],"version":2}"#,
    );
    folder
}

fn with_checkout(folder: &Folder, container: &str) {
    folder.write(
        &format!("{container}/workspace-state.json"),
        r#"{"object":{"dependencies":[{"basedOn":null,"packageRef":{"identity":"swift-log","kind":"remoteSourceControl",
           "location":"https://host.example/a/swift-log.git","name":"swift-log"},
           "state":{"checkoutState":{"revision":"x","version":"1.5.3"},"name":"sourceControlCheckout"},
           "subpath":"swift-log"}]},"version":6}"#,
    );
    let manifest = "Package(name: \"swift-log\", products: [.library(name: \"Logging\", targets: [\"Logging\"])])";
    folder.write(&format!("{container}/checkouts/swift-log/Package.swift"), manifest);
}

#[track_caller]
fn check_installed(survey: &Survey, expected: &[(&str, &str, &Path)]) {
    let found: Vec<(&str, &str, &Path)> = survey
        .installed
        .iter()
        .map(|one| (one.name.as_str(), one.version.as_str(), one.shown.as_path()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_checkout_is_found_by_address_identity_and_product() {
    let folder = app();
    with_checkout(&folder, "app/.build");
    let root = folder.path().join("app/.build/checkouts/swift-log");
    let url = "https://host.example/a/swift-log";
    for written in [url, "swift-log", "Swift-Log", "git@host.example:a/swift-log.git", "Logging"] {
        check_installed(&survey(&folder, written), &[(url, "1.5.3", &root)]);
    }
    check_installed(&survey(&folder, "swift-nio"), &[]);
}

#[test]
fn the_lockfile_and_the_manifest_know_what_is_not_there() {
    let folder = app();
    let found = survey(&folder, "swift-log");
    assert!(found.installed.is_empty());
    assert_eq!(found.locked[0].version, "1.5.3");
    assert_eq!(found.requirement.map(|one| one.range).as_deref(), Some("1.4.0..<2.0.0"));
    let dependencies = with_context(&folder, |context| Swift.dependencies(context));
    let expected = Dependency {
        name: "https://host.example/a/swift-log".to_owned(),
        version: Some("1.5.3".to_owned()),
        direct: true,
    };
    assert_eq!(dependencies, [expected]);
}

#[test]
fn the_project_and_its_local_packages_are_packages_too() {
    let folder = app();
    let app = folder.path().join("app");
    for written in ["app", "App", "AppCore", "AppKit2"] {
        check_installed(&survey(&folder, written), &[("app", "local", &app)]);
    }
    let shared = folder.path().join("Shared").canonicalize().expect("a folder");
    check_installed(&survey(&folder, "SharedUI"), &[("shared", "local", &shared)]);
    check_installed(
        &survey(&folder, "https://host.example/x/app"),
        &[("https://host.example/x/app", "local", &app)],
    );
    folder.write("app/.git/HEAD", "0123456789012345678901234567890123456789");
    folder.write("app/.git/refs/tags/2.0.0", "0123456789012345678901234567890123456789");
    check_installed(&survey(&folder, "App"), &[("app", "2.0.0", &app)]);
}

#[test]
fn xcode_keeps_packages_elsewhere() {
    let folder = Folder::new();
    folder.write("app/My App.xcodeproj/project.pbxproj", "");
    folder.write(
        "app/My App.xcodeproj/project.xcworkspace/xcshareddata/swiftpm/Package.resolved",
        r#"{"pins":[{"identity":"b","location":"https://host.example/a/b","state":{"version":"2.0.0"}}],"version":3}"#,
    );
    let data = "home/Library/Developer/Xcode/DerivedData";
    let project = folder.path().join("app/My App.xcodeproj");
    folder.write(
        &format!("{data}/My_App-abc/info.plist"),
        format!("<string>{}</string>", project.display()),
    );
    folder.write(
        &format!("{data}/My_App-def/info.plist"),
        "<string>/elsewhere/My App.xcodeproj</string>",
    );
    with_checkout(&folder, &format!("{data}/My_App-abc/SourcePackages"));
    with_checkout(&folder, &format!("{data}/My_App-def/SourcePackages"));
    let root = folder.path().join(data).join("My_App-abc/SourcePackages/checkouts/swift-log");
    let found = survey(&folder, "swift-log");
    check_installed(&found, &[("https://host.example/a/swift-log", "1.5.3", &root)]);
    assert_eq!(survey(&folder, "b").locked[0].version, "2.0.0");
}

#[test]
fn a_state_cannot_lead_out_of_its_folder() {
    let folder = app();
    folder.write("secret/Package.swift", "");
    folder.write(
        "app/.build/workspace-state.json",
        r#"{"object":{"dependencies":[{"packageRef":{"identity":"swift-log","location":"https://host.example/a/swift-log"},
           "state":{"name":"sourceControlCheckout"},"subpath":"../../../secret"}]},"version":6}"#,
    );
    check_installed(&survey(&folder, "swift-log"), &[]);
}
