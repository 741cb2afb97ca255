//! Sources that want to bring the reader down: each costs itself and nothing else.

use crate::extract::{Input, Package, extract};
use crate::{Ecosystem, Extraction, Limits, Tree};

fn read(files: &[(&str, &str)]) -> Extraction {
    let limits = Limits::default();
    let tree = Tree::in_memory(files.iter().map(|(path, text)| (*path, text.as_bytes())));
    let package = Package { name: "p".to_owned(), version: "1.0.0".to_owned(), tree };
    extract(Ecosystem::Npm, &Input::new(&package, &[], &limits))
}

/// A good declaration beside the hostile text is found.
fn check_survives(hostile: &str) {
    let manifest = r#"{"exports": {".": {"types": "./good.d.ts"}, "./bad": {"types": "./bad.d.ts"},
        "./script": "./bad.js"}}"#;
    let good = "export declare const good: 1; export * from './bad';";
    let found = read(&[
        ("package.json", manifest),
        ("good.d.ts", good),
        ("bad.d.ts", hostile),
        ("bad.js", hostile),
    ]);
    assert!(found.items.iter().any(|item| item.path == "good"), "{hostile:.80}");
    for (at, item) in found.items.iter().enumerate() {
        assert!(item.parent.is_none_or(|parent| (parent as usize) < at), "{}", item.path);
    }
}

#[test]
fn hostile_sources_cost_only_themselves() {
    for hostile in [
        "",
        "\u{feff}",
        "export",
        "export * from './bad'; export * from './good';",
        "export * as a from './bad';",
        "export { a as b, b as a } from './bad';",
        "export { a as b }; export { b as a };",
        "import a = a.b; export { a };",
        "import a = b; import b = a; export { a };",
        "export = x; import x = require('./bad');",
        "export interface A extends B {} export interface B extends A {}",
        "export type A<T> = A<A<T>> & T; export interface B extends A<B> {}",
        "export type A<T> = T & A<T>; export type B = A<{ x: 1 }> & { y: 2 };",
        "export const x: typeof x; export const y: X; type X = X;",
        "export declare namespace a { export import b = a; }",
        "/** @param {{{ */ export declare function f(): void;",
        "/**/ export declare const a: '日本\\",
        "export declare const 日本: '値'; /** 日本 {@link */",
        "module.exports = module.exports; exports.a = exports.a = exports;",
        "/// <reference path=\"./bad.d.ts\" />\n/// <reference path=\"../../../x\" />",
        "declare module './bad' { interface X {} } export {};",
        "declare global { declare global { interface X {} } } export {};",
        "export class A extends B(C(D(E))) {}",
        "export declare const { a, b: { c } }: any;",
        "#!/bin/sh",
    ] {
        check_survives(hostile);
    }
}

#[test]
fn nesting_is_bounded() {
    check_survives(&format!("export type A = {}1{};", "(".repeat(100_000), ")".repeat(100_000)));
    check_survives(&format!("export type A = {}string{};", "[".repeat(200), "]".repeat(200)));
    check_survives(&format!("export type A = {}string;", "keyof ".repeat(200)));
    let namespaces: String = (0..200).map(|at| format!("namespace n{at} {{ ")).collect();
    check_survives(&format!("export declare {namespaces} const x: 1; {}", "}".repeat(200)));
    let dotted: String = (0..200).map(|at| format!("n{at}.")).collect();
    check_survives(&format!("export declare namespace {dotted}x {{ const y: 1; }}"));
}

#[test]
fn many_names_take_time_in_proportion() {
    // A chain of stars, and many entry points that show the same: places are shared, not multiplied.
    let mut files: Vec<(String, String)> = Vec::new();
    let exports: Vec<String> =
        (0..300).map(|at| format!(r#""./s{at}": {{"types": "./s{at}.d.ts"}}"#)).collect();
    files.push(("package.json".into(), format!(r#"{{"exports": {{{}}}}}"#, exports.join(","))));
    for at in 0..300 {
        let next = (at + 1) % 300;
        files.push((
            format!("s{at}.d.ts"),
            format!("export * from './s{next}'; export declare const c{at}: {at};"),
        ));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let found = read(&files);
    let constants = found.items.iter().filter(|item| item.kind == crate::Kind::Constant).count();
    assert_eq!(constants, 300);
}

#[test]
fn manifests_of_any_form() {
    for manifest in [
        "",
        "[]",
        "{\"exports\": 1}",
        "{\"exports\": {\".\": [[[[null]]]]}}",
        "{\"exports\": {\".\": {\"types\": {\"types\": \"../../etc/passwd\"}}}}",
        "{\"types\": \"..\", \"main\": \".\"}",
        "{\"typesVersions\": {\"*\": {\"*\": [\"*\", 1, null]}}}",
        "{\"exports\": {\"./*\": \"./*/*/*\", \"./a*\": null}}",
    ] {
        let found =
            read(&[("package.json", manifest), ("index.d.ts", "export declare const a: 1;")]);
        assert!(found.items.iter().all(|item| !item.file.contains("..")), "{manifest}");
    }
}
