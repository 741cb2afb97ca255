//! A question to all packages of a project: what is looked through, and when it is noticed that
//! something has changed.

use std::path::PathBuf;

use docent_packages::{Engine, Environment, PackageRef, Progress, Style, Target};
use docent_testkit::folder::Folder;

fn engine(folder: &Folder) -> Engine {
    let environment =
        Environment::isolated(folder.path()).in_directory(&folder.path().join("project"));
    let builder = Engine::builder().environment(environment).offline(true);
    builder.cache(folder.path().join("cache")).build().expect("an engine")
}

/// Installs npm packages, all of one version, each with its declarations, and locks them.
fn install(folder: &Folder, version: &str, packages: &[(&str, &str)]) {
    folder.write("project/.git/HEAD", "");
    let mut locked = String::new();
    let mut direct = String::new();
    for (name, declarations) in packages {
        let manifest =
            format!(r#"{{"name": "{name}", "version": "{version}", "types": "index.d.ts"}}"#);
        folder.write(&format!("project/node_modules/{name}/package.json"), manifest);
        folder.write(&format!("project/node_modules/{name}/index.d.ts"), *declarations);
        locked.push_str(&format!(r#", "node_modules/{name}": {{"version": "{version}"}}"#));
        direct.push_str(&format!(r#""{name}": "*","#));
    }
    let direct = direct.trim_end_matches(',');
    folder.write("project/package.json", format!(r#"{{"dependencies": {{{direct}}}}}"#));
    let packages = format!(r#"{{"": {{"name": "x"}}{locked}}}"#);
    let lock = format!(r#"{{"lockfileVersion": 3, "packages": {packages}}}"#);
    folder.write("project/package-lock.json", lock);
}

async fn read(engine: &Engine, packages: &[&str]) {
    for package in packages {
        let package = format!("npm:{package}").parse::<PackageRef>().expect("a package");
        let read = engine.load(&Target::new(package), &Progress::default()).await;
        read.expect("it can be read");
    }
    // The tests go on with another engine, as another process would.
    engine.settle().await;
}

async fn found(engine: &Engine, question: &str) -> Vec<String> {
    let none: [PathBuf; 0] = [];
    let answer = engine.search_project(&none, question, &Style::default()).await.expect("a folder");
    let names = answer.results.iter().map(|shown| format!("{} {}", shown.name, shown.place));
    names.collect()
}

#[tokio::test]
async fn a_question_reaches_all_packages_that_have_been_read() {
    let folder = Folder::new();
    let packages = [
        ("kit", "/** Opens a door. */\nexport declare function open(): void;"),
        ("tool", "export declare class Lock {\n  /** Turns the key. */\n  turn(): void;\n}"),
        ("unread", "/** Closes a door. */\nexport declare function close(): void;"),
    ];
    install(&folder, "1.0.0", &packages);
    let asked = engine(&folder);
    read(&asked, &["kit", "tool"]).await;
    let ready = asked.ready_project(&[]).await.expect("the folder is there");
    assert_eq!(ready.ready, 2);
    let unread: Vec<String> = ready.unread.iter().map(ToString::to_string).collect();
    assert_eq!(unread, ["npm:unread@1.0.0"]);
    assert_eq!(found(&asked, "open a door").await, ["open npm:kit@1.0.0: index.d.ts:2"]);
    assert_eq!(found(&asked, "Lock.turn").await[0], "Lock.turn npm:tool@1.0.0: index.d.ts:3");
    assert_eq!(found(&asked, "frobnicate").await, Vec::<String>::new());

    // The next process has it from the cache.
    let next = engine(&folder);
    let none: [PathBuf; 0] = [];
    let style = Style::default();
    let answer = next.search_project(&none, "open", &style).await.expect("a folder");
    assert!(answer.text.contains("Searched 2 of 3 packages"), "{}", answer.text);
    assert!(answer.text.contains("Opens a door."), "{}", answer.text);
    assert!(answer.text.contains("used by this project"), "{}", answer.text);
    let receipts: Vec<&str> =
        answer.receipts.iter().map(|receipt| receipt.package.as_str()).collect();
    assert_eq!(receipts, ["npm:kit@1.0.0"], "only what is shown has a receipt");

    // What is read meanwhile is noticed, by whoever it was read.
    read(&next, &["unread"]).await;
    assert_eq!(found(&asked, "close").await, ["close npm:unread@1.0.0: index.d.ts:2"]);
}

#[tokio::test]
async fn another_version_is_another_answer() {
    let folder = Folder::new();
    install(&folder, "1.0.0", &[("kit", "export declare function before(): void;")]);
    let asked = engine(&folder);
    read(&asked, &["kit"]).await;
    assert_eq!(found(&asked, "before").await, ["before npm:kit@1.0.0: index.d.ts:1"]);
    install(&folder, "2.0.0", &[("kit", "export declare function after(): void;")]);
    assert_eq!(found(&asked, "before").await, Vec::<String>::new(), "it is not there any more");
    // This engine has just looked it up, and would not look again.
    read(&engine(&folder), &["kit"]).await;
    assert_eq!(found(&asked, "after").await, ["after npm:kit@2.0.0: index.d.ts:1"]);
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_an_error() {
    let folder = Folder::new();
    folder.write("project/package.json", "{}");
    let asked = engine(&folder);
    let missing = [PathBuf::from("elsewhere")];
    assert!(asked.search_project(&missing, "open", &Style::default()).await.is_err());
}
