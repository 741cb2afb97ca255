//! Texts that grow in one way: deeper, or longer.

/// One way of growing, in one file of a package.
pub(super) struct Shape {
    pub(super) name: &'static str,
    pub(super) file: File,
    pub(super) text: fn(usize) -> String,
}

/// Where the text goes, which decides the parser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum File {
    TypeScript,
    JavaScript,
    Jsx,
    Python,
    Go,
    Rust,
    Swift,
    Markdown,
    Html,
    Rest,
}

/// `open` so many times, `middle`, `close` as many times.
fn nest(count: usize, before: &str, open: &str, middle: &str, close: &str, after: &str) -> String {
    [before, &open.repeat(count), middle, &close.repeat(count), after].concat()
}

fn shape(name: &'static str, file: File, text: fn(usize) -> String) -> Shape {
    Shape { name, file, text }
}

/// Shapes that get deeper.
pub(super) fn deep() -> Vec<Shape> {
    use File::{Go, Html, JavaScript, Jsx, Markdown, Python, Rest, Rust, Swift, TypeScript};
    vec![
        shape("parentheses", JavaScript, |n| nest(n, "export const a = ", "(", "1", ")", ";")),
        shape("arrays", JavaScript, |n| nest(n, "export const a = ", "[", "1", "]", ";")),
        shape("objects", JavaScript, |n| nest(n, "export const a = ", "{a:", "1", "}", ";")),
        shape("blocks", JavaScript, |n| nest(n, "", "{", "", "}", "")),
        shape("functions", JavaScript, |n| nest(n, "", "function f(){", "", "}", "")),
        shape("arrows", JavaScript, |n| nest(n, "export const a = ", "a=>", "1", "", ";")),
        shape("not", JavaScript, |n| nest(n, "export const a = ", "!", "1", "", ";")),
        shape("typeof", JavaScript, |n| nest(n, "export const a = ", "typeof ", "1", "", ";")),
        shape("await", JavaScript, |n| nest(n, "export const a = ", "await ", "1", "", ";")),
        shape("new", JavaScript, |n| nest(n, "export const a = ", "new ", "A", "", ";")),
        shape("ternaries", JavaScript, |n| nest(n, "export const a = ", "a?b:", "1", "", ";")),
        shape("assignments", JavaScript, |n| nest(n, "", "a=", "1", "", ";")),
        shape("powers", JavaScript, |n| nest(n, "export const a = ", "a**", "1", "", ";")),
        shape("sums", JavaScript, |n| nest(n, "export const a = ", "a+", "1", "", ";")),
        shape("strings", JavaScript, |n| nest(n, "export const a = ", "'a'+\n", "'b'", "", ";")),
        shape("commas", JavaScript, |n| nest(n, "export const a = (", "a,", "1", "", ");")),
        shape("calls", JavaScript, |n| nest(n, "export const a = a", "()", "", "", ";")),
        shape("members", JavaScript, |n| nest(n, "export const a = a", ".a", "", "", ";")),
        shape("templates", JavaScript, |n| nest(n, "export const a = ", "`${", "1", "}`", ";")),
        shape("else if", JavaScript, |n| nest(n, "", "if(a){}else ", "{}", "", "")),
        shape("if", JavaScript, |n| nest(n, "", "if(a)", ";", "", "")),
        shape("labels", JavaScript, |n| nest(n, "", "a:", ";", "", "")),
        shape("do", JavaScript, |n| nest(n, "", "do ", ";", " while(a)", ";")),
        shape("hidden by strings", JavaScript, |n| {
            nest(n, "export const a = ", "(')'+", "1", ")", ";")
        }),
        shape("elements", Jsx, |n| nest(n, "export const a = ", "<a>", "", "</a>", ";")),
        shape("type arguments", TypeScript, |n| nest(n, "export type A = ", "B<", "C", ">", ";")),
        shape("object types", TypeScript, |n| nest(n, "export type A = ", "{a:", "C", "}", ";")),
        shape("array types", TypeScript, |n| nest(n, "export type A = C", "[]", "", "", ";")),
        shape("function types", TypeScript, |n| nest(n, "export type A = ", "()=>", "C", "", ";")),
        shape("keyof", TypeScript, |n| nest(n, "export type A = ", "keyof ", "C", "", ";")),
        shape("conditionals", TypeScript, |n| {
            nest(n, "export type A = ", "B extends C?D:", "E", "", ";")
        }),
        shape("unions", TypeScript, |n| nest(n, "export type A = ", "B|", "C", "", ";")),
        shape("namespaces", TypeScript, |n| nest(n, "export ", "namespace A{", "", "}", "")),
        shape("dotted namespaces", TypeScript, |n| {
            nest(n, "declare namespace A", ".A", "{}", "", "")
        }),
        shape("qualified names", TypeScript, |n| nest(n, "export type A = B", ".B", ";", "", "")),
        shape("open type arguments", TypeScript, |n| {
            nest(n, "export const a = ", "a<", "", "", "")
        }),
        shape("parentheses", Python, |n| nest(n, "a = ", "(", "1", ")", "\n")),
        shape("lists", Python, |n| nest(n, "a = ", "[", "1", "]", "\n")),
        shape("not", Python, |n| nest(n, "a = ", "not ", "1", "", "\n")),
        shape("minus", Python, |n| nest(n, "a = ", "-", "1", "", "\n")),
        shape("lambdas", Python, |n| nest(n, "a = ", "lambda:", "1", "", "\n")),
        shape("ternaries", Python, |n| nest(n, "a = ", "1 if b else ", "2", "", "\n")),
        shape("sums", Python, |n| nest(n, "a = ", "1+", "1", "", "\n")),
        shape("powers", Python, |n| nest(n, "a = ", "1**", "1", "", "\n")),
        shape("and", Python, |n| nest(n, "a = ", "b and ", "b", "", "\n")),
        shape("calls", Python, |n| nest(n, "a = a", "()", "", "", "\n")),
        shape("members", Python, |n| nest(n, "a = a", ".a", "", "", "\n")),
        shape("subscripts", Python, |n| nest(n, "a: ", "A[", "B", "]", "\n")),
        shape("unions", Python, |n| nest(n, "a: ", "B|", "B", "", "\n")),
        shape("assignments", Python, |n| nest(n, "", "a=", "1", "", "\n")),
        shape("elif", Python, |n| nest(n, "if a: pass\n", "elif a: pass\n", "", "", "")),
        shape("blocks", Python, |n| {
            // Indentation alone makes this quadratic in size.
            let n = n.min(3000);
            (0..n).map(|at| " ".repeat(at) + "if a:\n").collect::<String>()
                + &" ".repeat(n)
                + "pass\n"
        }),
        shape("f-strings", Python, |n| nest(n, "a = ", "f'{", "1", "}'", "\n")),
        shape("parentheses", Go, |n| nest(n, "package x\nvar A = ", "(", "1", ")", "\n")),
        shape("slices", Go, |n| nest(n, "package x\ntype A ", "[]", "int", "", "\n")),
        shape("pointers", Go, |n| nest(n, "package x\ntype A ", "*", "int", "", "\n")),
        shape("channels", Go, |n| nest(n, "package x\ntype A ", "chan ", "int", "", "\n")),
        shape("functions", Go, |n| nest(n, "package x\ntype A ", "func() ", "int", "", "\n")),
        shape("structures", Go, |n| nest(n, "package x\ntype A ", "struct{a ", "int", "}", "\n")),
        shape("type arguments", Go, |n| nest(n, "package x\ntype A ", "B[", "int", "]", "\n")),
        shape("sums", Go, |n| nest(n, "package x\nvar A = ", "1+", "1", "", "\n")),
        shape("not", Go, |n| nest(n, "package x\nvar A = ", "!", "a", "", "\n")),
        shape("blocks", Go, |n| nest(n, "package x\nfunc f() ", "{", "", "}", "\n")),
        shape("constraints", Go, |n| nest(n, "//go:build ", "(", "linux", ")", "\n\npackage x\n")),
        shape("parentheses", Rust, |n| nest(n, "pub const A: u8 = ", "(", "1", ")", ";")),
        shape("arguments", Rust, |n| nest(n, "pub type A = ", "B<", "C", ">", ";")),
        shape("tuples", Rust, |n| nest(n, "pub type A = ", "(", "C", ",)", ";")),
        shape("references", Rust, |n| nest(n, "pub type A = ", "&", "C", "", ";")),
        shape("pointers", Rust, |n| nest(n, "pub type A = ", "fn() -> ", "C", "", ";")),
        shape("slices", Rust, |n| nest(n, "pub fn a(b: ", "[", "u8", "]", ") {}")),
        shape("projections", Rust, |n| nest(n, "pub type A = ", "<", "B", " as C>::D", ";")),
        shape("modules", Rust, |n| nest(n, "", "pub mod a {", "pub fn b() {}", "}", "")),
        shape("imports", Rust, |n| nest(n, "pub use ", "a::{", "b", "}", ";")),
        shape("paths", Rust, |n| nest(n, "pub use a", "::a", ";", "", "")),
        shape("blocks", Rust, |n| nest(n, "pub fn a() ", "{", "", "}", "")),
        shape("functions", Rust, |n| nest(n, "", "pub fn a() {", "", "}", "")),
        shape("not", Rust, |n| nest(n, "pub const A: bool = ", "!", "true", "", ";")),
        shape("closures", Rust, |n| nest(n, "pub const A: B = ", "||", "1", "", ";")),
        shape("sums", Rust, |n| nest(n, "pub const A: u8 = ", "1+", "1", "", ";")),
        shape("conditions", Rust, |n| nest(n, "#[cfg(", "not(", "test", ")", ")]\npub fn a() {}")),
        shape("attributes", Rust, |n| nest(n, "#[a", "(a", "", ")", "]\npub fn a() {}")),
        shape("comments", Rust, |n| nest(n, "", "/* ", "", " */", "pub fn a() {}")),
        shape("calls", Rust, |n| nest(n, "a! ", "{", "", "}", "")),
        shape("calls of a macro", Rust, |n| {
            nest(n, "macro_rules! a { ($($t:tt)*) => { $($t)* } }\n", "a! { ", "", "}", "")
        }),
        shape("repetitions", Rust, |n| {
            nest(n, "macro_rules! a { (", "$(", "b", ")*", ") => {} }\na! { b b }\n")
        }),
        shape("parentheses", Swift, |n| nest(n, "public let a = ", "(", "1", ")", "\n")),
        shape("arrays", Swift, |n| nest(n, "public let a = ", "[", "1", "]", "\n")),
        shape("array types", Swift, |n| nest(n, "public let a: ", "[", "B", "]", "\n")),
        shape("optionals", Swift, |n| nest(n, "public let a: B", "?", "", "", "\n")),
        shape("arguments", Swift, |n| nest(n, "public let a: ", "B<", "C", ">", "\n")),
        shape("functions", Swift, |n| nest(n, "public let a: ", "() -> ", "C", "", "\n")),
        shape("types", Swift, |n| nest(n, "", "public struct A {", "", "}", "\n")),
        shape("bodies", Swift, |n| nest(n, "public func a() ", "{", "", "}", "\n")),
        shape("closures", Swift, |n| nest(n, "public let a = ", "{ ", "1", " }", "\n")),
        shape("not", Swift, |n| nest(n, "public let a = ", "!", "b", "", "\n")),
        shape("members", Swift, |n| nest(n, "public let a = b", ".b", "", "", "\n")),
        shape("interpolations", Swift, |n| nest(n, "public let a = ", "\"\\(", "1", ")\"", "\n")),
        shape("comments", Swift, |n| nest(n, "", "/* ", "", " */", "public func a() {}\n")),
        shape("conditions", Swift, |n| {
            nest(n, "", "#if A\n", "public func a() {}\n", "#endif\n", "")
        }),
        shape("attributes", Swift, |n| nest(n, "@a", "(", "b", ")", " public func a() {}\n")),
        shape("quotes", Markdown, |n| nest(n, "", ">", "a", "", "\n")),
        shape("lists", Markdown, |n| nest(n, "", "- ", "a", "", "\n")),
        shape("indented lists", Markdown, |n| {
            let n = n.min(3000);
            (0..n).map(|at| " ".repeat(2 * at) + "- a\n").collect()
        }),
        shape("emphasis", Markdown, |n| nest(n, "", "*a ", "b", " a*", "\n")),
        shape("brackets", Markdown, |n| nest(n, "", "[", "a", "](b)", "\n")),
        shape("open brackets", Markdown, |n| nest(n, "", "![", "a", "", "\n")),
        shape("tags", Markdown, |n| nest(n, "", "<div>\n", "a", "</div>\n", "\n")),
        shape("div", Html, |n| nest(n, "<html><body>", "<div>", "a", "</div>", "</body></html>")),
        shape("b", Html, |n| nest(n, "<html><body>", "<b>", "a", "</b>", "</body></html>")),
        shape("quotes", Html, |n| {
            nest(n, "<html><body>", "<blockquote>", "a", "", "</body></html>")
        }),
        shape("lists", Html, |n| {
            nest(n, "<html><body>", "<ul><li>", "a", "</li></ul>", "</body></html>")
        }),
        shape("tables", Html, |n| {
            nest(n, "<html><body>", "<table><tr><td>", "a", "", "</body></html>")
        }),
        shape("indents", Rest, |n| {
            let n = n.min(3000);
            (0..n).map(|at| " ".repeat(at) + "a\n").collect()
        }),
        shape("lists", Rest, |n| nest(n, "", "- ", "a", "", "\n")),
        shape("roles", Rest, |n| nest(n, "", ":a:`", "b", "`", "\n")),
    ]
}

/// Shapes that get longer; `n` is a number of repeated parts.
pub(super) fn long() -> Vec<Shape> {
    use File::{Go, Html, JavaScript, Markdown, Python, Rest, Rust, Swift, TypeScript};
    fn each(n: usize, part: impl Fn(usize) -> String) -> String {
        (0..n).map(part).collect()
    }
    vec![
        shape("functions", TypeScript, |n| {
            each(n, |at| format!("export function f{at}(a: string): void;\n"))
        }),
        shape("overloads", TypeScript, |n| {
            each(n, |at| format!("export function f(a: {at}): void;\n"))
        }),
        shape("members", TypeScript, |n| {
            format!("export interface A {{\n{}}}\n", each(n, |at| format!("a{at}: string;\n")))
        }),
        shape("merged interfaces", TypeScript, |n| {
            each(n, |at| format!("export interface A {{ a{at}: 1 }}\n"))
        }),
        shape("union members", TypeScript, |n| {
            format!("export type A = {}'z';\n", each(n, |at| format!("'{at}'|")))
        }),
        shape("comments", TypeScript, |n| {
            format!("/**\n{}*/\nexport const a: 1;\n", " * @param a b\n".repeat(n))
        }),
        shape("unterminated comments", TypeScript, |n| "/** ".repeat(n)),
        shape("exports", JavaScript, |n| each(n, |at| format!("export const a{at} = {at};\n"))),
        shape("array", JavaScript, |n| format!("export const a = [{}];\n", "1,".repeat(n))),
        shape("functions", Python, |n| each(n, |at| format!("def f{at}(a: int) -> None: ...\n"))),
        shape("classes", Python, |n| {
            each(n, |at| format!("class C{at}(C{}): ...\n", at.saturating_sub(1)))
        }),
        shape("names in __all__", Python, |n| {
            format!("__all__ = [{}]\n", each(n, |at| format!("'a{at}',")))
        }),
        shape("docstring", Python, |n| {
            format!(
                "def f():\n    \"\"\"A.\n\n    Args:\n{}    \"\"\"\n",
                each(n, |at| format!("        a{at} (int): b.\n"))
            )
        }),
        shape("string parts", Python, |n| format!("a = ({})\n", "'a'\n".repeat(n))),
        shape("functions", Go, |n| {
            format!("package x\n{}", each(n, |at| format!("func F{at}(a int) {{}}\n")))
        }),
        shape("constants", Go, |n| {
            format!("package x\nconst (\n{})\n", each(n, |at| format!("A{at} = iota\n")))
        }),
        shape("constants on a line", Go, |n| {
            format!("package x\nconst ({})\n", each(n, |at| format!("A{at} = 1;")))
        }),
        shape("names of one call", Go, |n| {
            format!("package x\nvar A{} = f()\n", each(n, |at| format!(", B{at}")))
        }),
        shape("fields", Go, |n| {
            let fields = each(n, |at| format!("A{at} int // a\n"));
            format!("package x\ntype T struct {{\n{fields}}}\n")
        }),
        shape("embedded", Go, |n| {
            let types = each(n, |at| format!("type T{} struct {{ T{at}; A{at} int }}\n", at + 1));
            format!("package x\n{types}")
        }),
        shape("comments", Go, |n| {
            let lines =
                each(n, |at| format!("// [a{at}]: https://a.example\n//\n// [a{at}]\n//\n"));
            format!("package x\n\n{lines}func F() {{}}\n")
        }),
        shape("comments on a line", Go, |n| {
            format!("package x\ntype T {}int\n", "/* a */".repeat(n))
        }),
        shape("functions", Rust, |n| each(n, |at| format!("pub fn f{at}(a: u8) -> u8 {{ a }}\n"))),
        shape("fields", Rust, |n| {
            format!("pub struct A {{\n{}}}\n", each(n, |at| format!("pub a{at}: u8,\n")))
        }),
        shape("variants", Rust, |n| {
            format!("pub enum A {{\n{}}}\n", each(n, |at| format!("A{at},\n")))
        }),
        shape("methods", Rust, |n| {
            let methods = each(n, |at| format!("pub fn f{at}(&self) {{}}\n"));
            format!("pub struct A;\nimpl A {{\n{methods}}}\n")
        }),
        shape("blocks of methods", Rust, |n| {
            let blocks = each(n, |at| format!("impl A {{ pub fn f{at}(&self) {{}} }}\n"));
            format!("pub struct A;\n{blocks}")
        }),
        shape("implementations", Rust, |n| {
            let types = each(n, |at| format!("pub struct A{at};\nimpl B for A{at} {{}}\n"));
            format!("pub trait B {{}}\n{types}")
        }),
        shape("traits of a type", Rust, |n| {
            let traits = each(n, |at| format!("pub trait B{at} {{}}\nimpl B{at} for A {{}}\n"));
            format!("pub struct A;\n{traits}")
        }),
        shape("foreign traits", Rust, |n| {
            each(n, |at| format!("pub struct A{at};\nimpl Clone{at} for A{at} {{}}\n"))
        }),
        shape("modules", Rust, |n| each(n, |at| format!("pub mod m{at} {{ pub fn f() {{}} }}\n"))),
        shape("imports", Rust, |n| {
            each(n, |at| format!("mod m{at} {{ pub fn f{at}() {{}} }}\npub use m{at}::f{at};\n"))
        }),
        shape("globs", Rust, |n| {
            each(n, |at| format!("mod m{at} {{ pub fn f{at}() {{}} }}\npub use m{at}::*;\n"))
        }),
        shape("globs of globs", Rust, |n| {
            let modules = each(n.min(60_000), |at| {
                format!("pub mod m{at} {{ pub use super::m{}::*; }}\n", at + 1)
            });
            format!("{modules}pub use m0::*;\n")
        }),
        shape("globs of all others", Rust, |n| {
            each(n, |at| {
                format!(
                    "mod m{at} {{ use super::*; pub struct A{at}; impl X for A{at} {{}} }}\npub use m{at}::*;\n"
                )
            })
        }),
        shape("types in a call", Rust, |n| {
            let types = each(n, |at| format!("A{at}: Vec<u8>;\n"));
            let rule = "($($n:ident: $t:ty;)*) => { $(pub const $n: $t = 1;)* }";
            format!("macro_rules! a {{ {rule} }}\na! {{ {types} }}\n")
        }),
        shape("items in a call", Rust, |n| {
            let items = each(n, |at| format!("pub struct A{at} {{ pub a: u8 }}\n"));
            format!("macro_rules! a {{ ($($i:item)*) => {{ $($i)* }} }}\na! {{ {items} }}\n")
        }),
        shape("one by one", Rust, |n| {
            let rule = "() => {}; ($h:ident $($t:tt)*) => { pub struct $h; a! { $($t)* } }";
            let names = each(n, |at| format!("A{at} "));
            format!("macro_rules! a {{ {rule} }}\na! {{ {names} }}\n")
        }),
        shape("calls", Rust, |n| {
            let calls = each(n, |at| format!("a! {{ A{at} }}\n"));
            format!("macro_rules! a {{ ($n:ident) => {{ pub struct $n; }} }}\n{calls}")
        }),
        shape("unknown calls", Rust, |n| each(n, |at| format!("a! {{ pub struct A{at}; }}\n"))),
        shape("comments", Rust, |n| format!("{}pub fn a() {{}}\n", "/// [a](b)\n".repeat(n))),
        shape("attributes", Rust, |n| format!("{}pub fn a() {{}}\n", "#[doc = \"a\"]\n".repeat(n))),
        shape("quotes", Rust, |n| "'".repeat(n)),
        shape("hashes", Rust, |n| format!("pub const A: &str = r{}\"", "#".repeat(n.min(60_000)))),
        shape("functions", Swift, |n| each(n, |at| format!("public func f{at}(a: Int) {{}}\n"))),
        shape("overloads", Swift, |n| each(n, |at| format!("public func f(a: T{at}) {{}}\n"))),
        shape("members", Swift, |n| {
            let members = each(n, |at| format!("public var a{at}: Int\n"));
            format!("public struct A {{\n{members}}}\n")
        }),
        shape("cases", Swift, |n| {
            format!("public enum A {{\n{}}}\n", each(n, |at| format!("case a{at}\n")))
        }),
        shape("cases on a line", Swift, |n| {
            format!("public enum A {{ case z{} }}\n", each(n, |at| format!(", a{at}")))
        }),
        shape("extensions", Swift, |n| {
            let extensions = each(n, |at| format!("extension A {{ public func f{at}() {{}} }}\n"));
            format!("public struct A {{}}\n{extensions}")
        }),
        shape("conformances", Swift, |n| {
            format!("public struct A: Z{} {{}}\n", each(n, |at| format!(", B{at}")))
        }),
        shape("protocols", Swift, |n| {
            each(n, |at| {
                format!("public protocol P{}: P{at} {{ var a{at}: Int {{ get }} }}\n", at + 1)
            })
        }),
        shape("comments", Swift, |n| {
            format!("{}public func a() {{}}\n", "/// - Parameter a: b\n".repeat(n))
        }),
        shape("branches", Swift, |n| {
            format!(
                "#if A\n{}#endif\n",
                each(n, |at| format!("public let a{at} = 1\n#elseif B{at}\n"))
            )
        }),
        shape("lines of a string", Swift, |n| {
            format!("public let a = \"\"\"\n{}\"\"\"\n", "a \\(b)\n".repeat(n))
        }),
        shape("open strings", Swift, |n| "\"\\(".repeat(n)),
        shape("fences", Markdown, |n| "```js\na\n```\n".repeat(n)),
        shape("open fences", Markdown, |n| "```js\n~~~\n".repeat(n)),
        shape("footnotes", Markdown, |n| each(n, |at| format!("a[^{at}]\n\n[^{at}]: b\n\n"))),
        shape("references", Markdown, |n| each(n, |at| format!("[a{at}]: b\n\n[a{at}]\n\n"))),
        shape("headings", Markdown, |n| each(n, |at| format!("# a{at}\n\nb\n\n"))),
        shape("table", Markdown, |n| format!("|a|b|\n|-|-|\n{}", "|c|d|\n".repeat(n))),
        shape("line", Markdown, |n| "word ".repeat(n)),
        shape("backticks", Markdown, |n| each(n.min(3000), |at| "`".repeat(at) + " ")),
        shape("open comments", Markdown, |n| "<!-- ".repeat(n)),
        shape("attributes", Html, |n| {
            format!("<p {}>a</p>", each(n, |at| format!("a{at}=\"b\" ")))
        }),
        shape("paragraphs", Html, |n| "<p>a <b>b</b></p>\n".repeat(n)),
        shape("unclosed tags", Html, |n| "<p><i>a".repeat(n)),
        shape("sections", Rest, |n| each(n, |at| format!("a{at}\n-----------\n\nb\n\n"))),
        shape("directives", Rest, |n| ".. code-block:: python\n\n   a\n\n".repeat(n)),
        shape("footnotes", Rest, |n| each(n, |at| format!("a [#f{at}]_\n\n.. [#f{at}] b\n\n"))),
        shape("open literals", Rest, |n| "``a ".repeat(n)),
    ]
}
