//! Manifests, and what they say without being run.

use super::*;

fn names(manifest: &Manifest) -> Vec<&str> {
    manifest.targets.iter().map(|target| target.name.as_str()).collect()
}

#[test]
fn one_expression() {
    let manifest = Manifest::parse(
        r#"// swift-tools-version: 5.9
import PackageDescription
let package = Package(
    name: "mine",
    platforms: [.macOS(.v13)],
    products: [
        .library(name: "Mine", targets: ["Mine", "MineCore"]),
        .executable(name: "tool", targets: ["tool"]),
        .plugin(name: "Plug", targets: ["Plug"]),
    ],
    dependencies: [
        .package(url: "https://host.example/a/b.git", from: "1.2.3"),
        .package(name: "C", url: "https://host.example/c", .upToNextMinor(from: "0.4.0")),
        .package(url: "https://host.example/d", exact: "2.0.0-beta.1"),
        .package(url: "https://host.example/e", "1.0.0"..<"3.0.0"),
        .package(url: "https://host.example/f", branch: "main"),
        .package(id: "mona.LinkedList", .upToNextMajor(from: "1.0.0")),
        .package(path: "../Local"),
    ],
    targets: [
        .target(name: "Mine", dependencies: ["MineCore", .target(name: "Inner"), .product(name: "B", package: "b")],
                path: "Lib", exclude: ["x.md"], sources: ["a", "b.swift"]),
        .target(name: "MineCore"),
        .executableTarget(name: "tool"),
        .macro(name: "Macros"),
        .plugin(name: "Plug", capability: .buildTool()),
        .testTarget(name: "MineTests", dependencies: ["Mine"]),
    ]
)
"#,
    );
    assert_eq!(manifest.name.as_deref(), Some("mine"));
    assert_eq!(manifest.tools, (5, 9));
    assert!(!manifest.computed);
    assert_eq!(names(&manifest), ["Mine", "MineCore", "tool", "Macros", "Plug", "MineTests"]);
    assert_eq!(manifest.targets[0].path.as_deref(), Some("Lib"));
    assert_eq!(manifest.targets[0].sources, ["a", "b.swift"]);
    assert_eq!(manifest.products[0].targets, ["Mine", "MineCore"]);
    assert_eq!(manifest.products.len(), 3);
    let requirements: Vec<Option<&str>> =
        manifest.dependencies.iter().map(|one| one.requirement.as_deref()).collect();
    assert_eq!(
        requirements,
        [
            Some("1.2.3..<2.0.0"),
            Some("0.4.0..<0.5.0"),
            Some("2.0.0-beta.1"),
            Some("1.0.0..<3.0.0"),
            Some("branch:main"),
            Some("1.0.0..<2.0.0"),
            None
        ]
    );
    assert_eq!(manifest.dependencies[6].source, Source::Path("../Local".to_owned()));
}

#[test]
fn a_program() {
    let manifest = Manifest::parse(
        r#"// swift-tools-version:5.7
let title = "Named"
extension Target { static func own(name: String) -> Target { .target(name: name) } }
let targets: [Own] = [.target(kind: .hidden, name: "A", directory: "Folder")]
let products = targets.map { .library(name: $0.name, targets: [$0.name]) }
let package = Package(name: title, products: products, targets: targets)
package.targets.append(.target(name: "B"))
if ProcessInfo.processInfo.environment["X"] != nil {
  package.dependencies += [.package(url: "https://host.example/x", from: "1.0.0")]
}
"#,
    );
    assert_eq!(manifest.name.as_deref(), Some("Named"));
    assert!(manifest.computed);
    assert_eq!(names(&manifest), ["A", "B"]);
    assert_eq!(manifest.targets[0].others, ["Folder"]);
    assert_eq!(manifest.dependencies.len(), 1);
}

#[test]
fn the_newest_tools_decide() {
    let manifests = [
        ("Package.swift", "// swift-tools-version:5.5\nPackage(name: \"old\")"),
        ("Package@swift-5.9.swift", "// swift-tools-version:5.9\nPackage(name: \"new\")"),
        ("Other.swift", "// swift-tools-version:9.9\nPackage(name: \"other\")"),
    ];
    let owned = manifests.map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(Manifest::newest(owned).and_then(|one| one.name).as_deref(), Some("new"));
}

#[test]
fn any_text_is_survived() {
    for text in
        ["", "Package(", ".package(url:", ".target(name: \"", "}}}", ".library(name:, targets: ["]
    {
        let _ = Manifest::parse(text);
    }
}
