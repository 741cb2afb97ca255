//! Declarations, and what is made of them.

use super::*;

/// Each declaration on a line, members indented.
fn outline(declarations: &[Declaration], depth: usize, out: &mut String) {
    for one in declarations {
        let indent = "  ".repeat(depth);
        out.push_str(&format!("{indent}{} | {}\n", one.full_name, one.signature));
        outline(&one.members, depth + 1, out);
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let mut found = String::new();
    outline(&file(text, 256).declarations, 0, &mut found);
    let expected: String = expected.lines().map(|line| format!("{line}\n")).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn functions_end_where_their_bodies_begin() {
    check(
        "public func f(a b: Int, _ c: A<B, C> = .init { $0 }) async throws(E) -> [D] where T: U { }",
        "f(a:_:) | func f(a b: Int, _ c: A<B, C> = .init { $0 }) async throws(E) -> [D] where T: U",
    );
    check(
        "func f() -> A<\n  B,\n  C\n> {\n}\nfunc g()\n  -> Int\n{ 1 }\nfunc h()",
        "f() | func f() -> A< B, C >\ng() | func g() -> Int\nh() | func h()",
    );
    check(
        "static func == <T>(l: T, r: T) -> Bool { true }\nfunc ==<T>(l: T, r: T) -> Bool {}",
        "==(l:r:) | static func == <T>(l: T, r: T) -> Bool\n==(l:r:) | func ==<T>(l: T, r: T) -> Bool",
    );
    check(
        "init?(a: Int) {}\ninit<T>(_ t: T) where T: A { }\nconvenience init!() {}",
        "init(a:) | init?(a: Int)\ninit(_:) | init<T>(_ t: T) where T: A\ninit() | convenience init!()",
    );
    check(
        "func f(@ViewBuilder _ c: () -> C, isolation: isolated (any Actor)? = #isolation) {}",
        "f(_:isolation:) | func f(@ViewBuilder _ c: () -> C, isolation: isolated (any Actor)? = #isolation)",
    );
}

#[test]
fn properties_say_what_can_be_done() {
    check(
        "var a: Int\nlet b = 5, c: A<B, C>\nvar d: Int { 1 }\nvar e: Int { get async throws }",
        "a | var a: Int\nb | let b = 5\nc | let c: A<B, C>\nd | var d: Int { get }\ne | var e: Int { get async throws }",
    );
    check(
        "var a: Int { get { 1 } set { } }\nvar b: Int { _read { } _modify { } }\nvar c: Int = 1 { didSet { } }",
        "a | var a: Int { get set }\nb | var b: Int { get set }\nc | var c: Int",
    );
    check(
        "public private(set) var a: Int\npublic internal(set) var b: Int { get { 1 } set {} }",
        "a | var a: Int { get }\nb | var b: Int { get }",
    );
    check(
        "var a = { 1 }()\nstatic let b: (A,\n B) -> C = { _ in }\nlazy var c = D(\n 1)\n  .e\nfunc f() {}",
        "a | var a\nb | static let b: (A, B) -> C\nc | var c = D(1) .e\nf() | func f()",
    );
    check(
        "var a: Int { @inlinable get { 1 } nonmutating set { } }\nvar b: Int {\n #if A\n 1\n #else\n 2\n #endif\n}",
        "a | var a: Int { get nonmutating set }\nb | var b: Int { get }",
    );
    check(
        "subscript(i: Int) -> E { get { } set { } }\nsubscript<T>(of t: T) -> E { e }",
        "subscript(_:) | subscript(i: Int) -> E { get set }\nsubscript(of:) | subscript<T>(of t: T) -> E { get }",
    );
}

#[test]
fn a_getter_may_begin_with_a_name_like_an_accessor() {
    check(
        "var a: Int { set.count }\nvar b: Int { read() }",
        "a | var a: Int { get }\nb | var b: Int { get }",
    );
    check(
        "var a: Int { get }\nvar b: Int { set(new) { } get { 1 } }",
        "a | var a: Int { get }\nb | var b: Int { get set }",
    );
}

#[test]
fn types_have_members() {
    check(
        "public enum E: Int { case a = 1, b; indirect case c(x: Int, E)\n case `default` }",
        "E | enum E: Int\n  a | case a = 1\n  b | case b\n  c(x:_:) | indirect case c(x: Int, E)\n  default | case `default`",
    );
    check(
        "open class A<T: B>: C<T>, D where T: E { open func f() {} }\nactor G { nonisolated let h: Int }",
        "A | open class A<T: B>: C<T>, D where T: E\n  f() | open func f()\nG | actor G\n  h | nonisolated let h: Int",
    );
    check(
        "protocol P<A>: Q { associatedtype A: B = C where A.D == E\n var v: Int { get set }\n static func f()\n init() }",
        "P | protocol P<A>: Q\n  A | associatedtype A: B = C where A.D == E\n  v | var v: Int { get set }\n  f() | static func f()\n  init() | init()",
    );
    check(
        "extension A.B: C, @unchecked D where X == Y { class var z: Int { 1 } }",
        "A.B | extension A.B: C, @unchecked D where X == Y\n  z | class var z: Int { get }",
    );
    check(
        "infix operator <~>: P\ntypealias A<T> = B<T>\nmacro m(_ a: Int) -> String = #externalMacro(module: \"M\", type: \"T\")\nlet x: Int",
        "<~> | infix operator <~>: P\nA | typealias A<T> = B<T>\nm(_:) | macro m(_ a: Int) -> String\nx | let x: Int",
    );
}

#[test]
fn attributes_may_be_conditional() {
    check(
        "@inlinable @discardableResult\n#if compiler(>=6)\n@available(macOS 12, *)\n#endif\npublic func f() {}\n#if os(Linux)\nfunc g() {}\n#endif",
        "f() | @discardableResult func f()\ng() | func g()",
    );
    let found = file(
        "#if os(Linux)\nfunc g() {}\n#else\n@available(*, deprecated)\nfunc h() {}\n#endif",
        9,
    );
    assert_eq!(found.declarations[0].conditions, ["os(Linux)"]);
    assert_eq!(found.declarations[1].conditions, ["!os(Linux)"]);
    assert!(found.declarations[1].availability.deprecated.is_some());
    assert!(file("#if false\nfunc g() {}\n#endif", 9).declarations.is_empty());
}

#[test]
fn comments_stay_with_what_they_are_about() {
    let docs = |text: &str| -> Vec<String> {
        file(text, 9).declarations.into_iter().map(|one| one.docs).collect()
    };
    assert_eq!(
        docs("/// far\n\n/// near\n@a /// inner\nfunc f() {}\n/** b */ var c: Int"),
        ["near\ninner", "b"]
    );
    assert_eq!(docs("/// header\nimport A\nfunc f() {}"), [""]);
}

#[test]
fn what_is_broken_costs_little() {
    check("func f {}\nfunc g() {}", "g() | func g()");
    check("struct A\nfunc g() {}", "A | struct A func g()");
    check(
        "foo.bar()\n#Preview { x }\nfunc g() {}\n}\nfunc h() {}",
        "g() | func g()\nh() | func h()",
    );
    assert!(!file("struct A { func f( }\n func g() {} }", 9).problems.is_empty());
    for text in [
        "func",
        "@",
        "var",
        "var a:",
        "case",
        "enum E { case",
        "#if",
        "extension",
        "let (",
        "@available(",
        "init?",
        "subscript(",
    ] {
        let _ = file(text, 9);
    }
    let deep = "struct A {".repeat(100_000);
    assert!(!file(&deep, 256).problems.is_empty());
}

#[test]
fn imports_are_noted() {
    let found = file(
        "@_exported import A\nimport struct B.C\n@_exported import class D.E\npublic import F",
        9,
    );
    assert_eq!(found.exported, ["A"]);
    assert_eq!(found.imported, ["A", "B", "D", "F"]);
}
