//! Checks of code against small packages on disk.

use docent_testkit::folder::Folder;

use super::{Checked, CodeToCheck, Language};
use crate::{Engine, Environment, Progress};

const KIT: &str = r#"
export interface Options { depth?: number; retryCount?: number }
export interface Open { name: string; [key: string]: unknown }
export declare class Client {
  constructor(options?: Options);
  static from(url: string): Client;
  get(path: string): Promise<Reply>;
  name(text: string): this;
  name(): string;
  close(): void;
}
export declare class Far extends Unseen { near(): void }
export interface Reply { status: number; json(): unknown }
export declare function connect(url: string, options?: Options): Client;
export declare function loose(options: Open): void;
export declare enum Level { Low, High }
export declare const tools: { trim(text: string): string };
declare const kit: { connect: typeof connect };
export default kit;
"#;

const LIB: &str = r#"
import json

class Base:
    def shared(self): ...

class Client(Base):
    def __init__(self, url, *, timeout=10, retries=0):
        self.url = url

    def __enter__(self):
        return self

    def get(self, path, headers=None) -> "Reply":
        self._last = path

    def send(self, **options): ...

class Reply:
    def json(self): ...

class Loose:
    def __getattr__(self, name): ...

class Far(json.Unseen):
    def near(self): ...

def connect(url, timeout=10) -> Client:
    reply = Reply()
    reply.given = 1

@json.decorated
def wrapped(a): ...

def anything(a, **rest): ...
"#;

const GO: &str = r#"// Package kit is a kit.
package kit

import (
	"net/http"

	"m.example/far"
)

type Base struct{ Shared int }

func (b *Base) Reset() {}

type Options struct {
	Base
	Depth      int
	RetryCount int
}

type Client struct {
	*Base
	Name  string
	inner int
}

func NewClient(url string) (*Client, error) { return nil, nil }
func (c *Client) Get(path string) *Reply    { return nil }
func (c *Client) Handler() http.Handler     { return nil }
func (c *Client) HTTP() *http.Client        { return nil }

type Reply struct{ Status int }

func (r Reply) JSON() ([]byte, error) { return nil, nil }

type Far struct{ far.Unseen }

type Doer interface {
	error
	Do(c *Client) Reply
}

type Alias = Client
type Set[T any] struct{ All []T }

func (s *Set[T]) Pop() (one T) { return }
func NewSet[T any]() *Set[T]   { return nil }

type Table map[string]int

const Low, High = 1, 2

var Default = &Client{}

var Made, _ = NewClient("x")
"#;

const GO_HTTP: &str = "package http\n\ntype Handler interface{ ServeHTTP() }\n\n\
    type Client struct{ Timeout int }\n\nfunc (c *Client) Do() {}\n";

const SWIFT: &str = r#"
public struct Options: Sendable, Equatable {
    public var depth: Int
    public var retryCount: Int
    public init(depth: Int = 1, retryCount: Int = 2) {}
    static let hidden = 1
}
public final class Client {
    public let options: Options
    public static let shared = Client(url: "x")
    public init(url: String, options: Options? = nil) {}
    public func get(_ path: String, headers: [String: String] = [:]) async throws -> Reply { Reply() }
    public func get(all paths: [String]) {}
    public func close(now: Bool) {}
    public struct Inner { public init?(text: String) {} }
}
extension Client { public func added() -> Options { Options() } }
public struct Reply { public var status: Int; public init() {} }
public enum Level: String, CaseIterable { case low, high }
public struct List: Sequence { public init() {} public func near() {} }
public protocol Plugin { func start() }
extension Plugin { public func stop() {} }
@dynamicMemberLookup public struct Loose { public init() {} }
public struct Box<Value> { public var value: Value; public init(_ value: Value) {} }
"#;

const CRATE: &str = r#"
#![no_std]
pub mod net {
    pub struct Client { pub retries: u32, secret: u8 }
    pub struct Builder;
    pub enum Level { Low, High { by: u8 }, #[doc(hidden)] Other }
    #[derive(Clone)]
    pub struct Options { pub depth: u32, pub level: Level }
    pub type Plain = Client;
    impl Client {
        pub const LIMIT: u32 = 1;
        pub fn new() -> Self { loop {} }
        pub fn builder() -> Builder { Builder }
        pub fn options(&self) -> Option<&Options> { None }
        pub async fn get(&self, path: &str) -> crate::Result<Reply> { loop {} }
        fn inner(&self) {}
    }
    impl Builder {
        pub fn depth(&mut self, depth: u32) -> &mut Self { self }
        pub fn build(&self) -> Result<Client, crate::Error> { loop {} }
        #[cfg(unheard_of)]
        pub fn rare(&self) {}
    }
    pub struct Reply { pub status: u16 }
    impl Reply { pub fn text(self) -> impl core::future::Future<Output = Level> { loop {} } }
    pub struct Guard;
    impl core::ops::Deref for Guard { type Target = Client; fn deref(&self) -> &Client { loop {} } }
    #[derive(Builder)]
    pub struct Derived { pub a: u8 }
    outside! { pub struct Made; }
}
pub struct Error;
pub type Result<T, E = Error> = core::result::Result<T, E>;
pub trait Ext { fn more(&self); fn own(&self) {} }
impl<T> Ext for T { fn more(&self) {} }
pub mod far { pub use unseen::*; }
pub use net::Client;
#[macro_export]
macro_rules! shout { ($($t:tt)*) => {}; }
#[cfg(feature = "extra")]
pub fn extra() {}
#[cfg(windows)]
pub fn elsewhere() {}
pub fn connect(url: &str) -> Result<Client> { loop {} }
"#;

fn project() -> Folder {
    let folder = Folder::new();
    let npm = "project/node_modules/kit";
    folder.write("project/package.json", r#"{"name": "p", "dependencies": {"kit": "1"}}"#);
    let manifest = r#"{"name": "kit", "version": "1.2.0", "exports": {".": {"types": "./index.d.ts"},
        "./extra": {"types": "./extra.d.ts"}}}"#;
    folder.write(&format!("{npm}/package.json"), manifest);
    folder.write(&format!("{npm}/index.d.ts"), KIT);
    folder.write(&format!("{npm}/extra.d.ts"), "export declare const more: number;");
    let site = "project/.venv/lib/python3.12/site-packages";
    folder.write("project/.venv/pyvenv.cfg", "version = 3.12.0\n");
    folder.write(&format!("{site}/lib/__init__.py"), LIB);
    folder.write(&format!("{site}/lib/extra.py"), "from lib import connect\n_hidden = 1\n");
    folder.write(&format!("{site}/lib/native.cpython-312.so"), "");
    folder.write(&format!("{site}/lib/lazy.py"), "def __getattr__(name): ...\n");
    let info = format!("{site}/lib-2.0.dist-info");
    folder.write(&format!("{info}/METADATA"), "Metadata-Version: 2.1\nName: lib\nVersion: 2.0\n");
    let manifest = "[package]\nname = \"p\"\n[dependencies]\nkit = { path = \"kit\" }\nother = { path = \"kit\", package = \"kit\" }\n";
    folder.write("project/Cargo.toml", manifest);
    folder.write(
        "project/kit/Cargo.toml",
        "[package]\nname = \"kit\"\nversion = \"1.2.0\"\nedition = \"2021\"\n",
    );
    folder.write("project/kit/src/lib.rs", CRATE);
    let files = ["__init__.py", "extra.py", "lazy.py", "native.cpython-312.so"];
    let record: String = files.iter().map(|file| format!("lib/{file},,\n")).collect();
    folder.write(&format!("{info}/RECORD"), record);
    folder.write("project/go.mod", "module p.example/app\n\nrequire m.example/go-kit/v2 v2.1.0\n");
    folder.write("project/own/own.go", "package own\n");
    let go = "go/pkg/mod/m.example/go-kit/v2@v2.1.0";
    folder.write(&format!("{go}/go.mod"), "module m.example/go-kit/v2\n");
    folder.write(&format!("{go}/kit.go"), GO);
    folder.write(&format!("{go}/other_plan9.go"), "package kit\n\nfunc Rare() {}\n");
    folder.write(&format!("{go}/extra/extra.go"), "package extra\n\nfunc More() {}\n");
    let swift = "project/.build/checkouts/swift-kit";
    folder.write(
        "project/Package.swift",
        "let package = Package(name: \"app\", dependencies: [.package(url: \"https://h.example/o/swift-kit\", exact: \"1.0.0\")])\n",
    );
    folder.write(
        &format!("{swift}/Package.swift"),
        "let package = Package(name: \"kit\", products: [.library(name: \"Kit\", targets: [\"Kit\"])], \
         targets: [.target(name: \"Kit\")])\n",
    );
    folder.write(&format!("{swift}/Sources/Kit/Kit.swift"), SWIFT);
    folder.write("goroot/VERSION", "go1.26.0\n");
    folder.write("goroot/src/net/http/http.go", GO_HTTP);
    folder
}

async fn checked(folder: &Folder, language: Language, text: &str) -> Checked {
    let directory = folder.path().join("project");
    let environment = Environment::isolated(folder.path()).in_directory(&directory);
    let goroot = folder.path().join("goroot");
    let environment = environment.with("GOROOT", &goroot.to_string_lossy());
    let builder = Engine::builder().environment(environment).offline(true);
    let engine = builder.cache(folder.path().join("cache")).build().expect("an engine");
    let code = CodeToCheck { text: text.to_owned(), language, file: "code".to_owned() };
    engine.check(&code, None, &Progress::default()).await.expect("a project")
}

/// Each finding as `line:column name → suggestions`, then each reason for what is unknown.
fn told(checked: &Checked) -> Vec<String> {
    let findings = checked.findings.iter().map(|finding| {
        let near: Vec<&str> = finding.suggestions.iter().map(|one| one.name.as_str()).collect();
        let at = &finding.position;
        format!("{}:{} {} → {}", at.line, at.column, finding.name, near.join(" "))
    });
    findings.collect()
}

/// Checks one piece of code; `expected` has the findings, one in each line.
async fn check(language: Language, text: &str, expected: &[&str]) {
    let folder = project();
    let found = checked(&folder, language, text).await;
    assert_eq!(told(&found), expected, "{text}\n{}", found.text());
}

async fn ts(text: &str, expected: &[&str]) {
    check(Language::TypeScript, text, expected).await;
}

async fn py(text: &str, expected: &[&str]) {
    check(Language::Python, text, expected).await;
}

async fn rs(text: &str, expected: &[&str]) {
    check(Language::Rust, text, expected).await;
}

#[tokio::test]
async fn names_that_a_module_does_not_export_are_found() {
    ts("import { conect } from 'kit'", &["1:10 conect → connect"]).await;
    ts("export { conect } from 'kit'", &["1:10 conect → connect"]).await;
    ts("const { conect } = require('kit')", &["1:9 conect → connect"]).await;
    ts("import * as kit from 'kit'\nkit.conect()", &["2:5 conect → connect"]).await;
    ts("const kit = await import('kit'); kit.conect()", &["1:38 conect → connect"]).await;
    ts("import type { Option } from 'kit'", &["1:15 Option → Options"]).await;
    ts("import { connect, Client, Level, type Options } from 'kit'", &[]).await;
    ts("import { anything } from './kit'\nimport x from '@/kit'", &[]).await;
}

#[tokio::test]
async fn modules_that_a_package_does_not_list_are_found() {
    ts("import 'kit/extras'", &["1:9 kit/extras → kit/extra kit"]).await;
    ts("import { more } from 'kit/extra'", &[]).await;
    py("import lib.extras", &["1:12 extras → extra"]).await;
    py("import lib.extra, lib.native\nfrom lib import native", &[]).await;
}

#[tokio::test]
async fn members_are_followed_through_what_is_certain() {
    let import = "import kit, { Client, Level, connect, tools } from 'kit'\n";
    for (code, expected) in [
        ("Level.Hihg", &["2:7 Hihg → High"][..]),
        ("Client.form('x')", &["2:8 form → from"]),
        ("new Client().gett('x')", &["2:14 gett → get"]),
        ("const c = connect('x'); c.clos()", &["2:27 clos → close"]),
        ("const r = await connect('x').get('y'); r.jsn()", &["2:42 jsn → json"]),
        ("connect('x').name('y').clos()", &["2:24 clos → close"]),
        ("connect('x').name().clos()", &[]),
        ("tools.tirm('x')", &["2:7 tirm → trim"]),
        ("kit.conect('x')", &["2:5 conect → connect"]),
        ("connect('x').get('y').jsn()", &[]),
        ("connect('x').toString(); Client.name; connect.bind(null)", &[]),
    ] {
        ts(&format!("{import}{code}"), expected).await;
    }
}

#[tokio::test]
async fn keys_of_options_are_checked_where_the_type_is_closed() {
    let import = "import { Client, connect, loose } from 'kit'\n";
    for (code, expected) in [
        ("connect('x', { retrycount: 1 })", &["2:16 retrycount → retryCount"][..]),
        ("new Client({ dept: 1 })", &["2:14 dept → depth"]),
        ("new Client({ depth: 1, ...rest, [key]: 2 })", &[]),
        ("loose({ name: 'x', other: 1 })", &[]),
        ("connect(...all, { retrycount: 1 })", &[]),
    ] {
        ts(&format!("{import}{code}"), expected).await;
    }
    // A script may pass what no declaration mentions.
    let script = "import { connect } from 'kit'\nconnect('x', { retrycount: 1 })";
    check(Language::JavaScript, script, &[]).await;
}

#[tokio::test]
async fn what_is_not_certain_is_no_finding() {
    for code in [
        "import { connect } from 'kit'\nfunction f(connect) { connect.nothing() }",
        "import * as kit from 'kit'\nif (kit.nothing) kit.nothing()",
        "import * as kit from 'kit'\nkit.nothing?.()",
        "import * as kit from 'kit'\nkit['nothing']()",
        "import * as kit from 'kit'\nkit.nothing = 1; kit.nothing",
        "import { connect } from 'kit'\nlet c = connect('x'); c = other(); c.nothing()",
        "import { connect } from 'kit'\nconst c: any = connect('x'); c.nothing()",
        "import { Far } from 'kit'\nnew Far().nothing()",
        "import { nothing } from 'kit'\ndeclare module 'kit' { export const nothing: 1 }",
        "import { nothing } from 'unheard-of'",
        "import { nothing } from 'kit",
    ] {
        ts(code, &[]).await;
    }
}

#[tokio::test]
async fn files_that_add_to_a_package_are_respected() {
    let folder = project();
    folder.write("project/src/kit.d.ts", "declare module 'kit' { interface Reply { more: 1 } }");
    let code = "import { connect } from 'kit'\nconst r = await connect('x').get('y'); r.more";
    let found = checked(&folder, Language::TypeScript, code).await;
    assert_eq!(told(&found), [""; 0]);
    let why: Vec<super::Why> = found.unknown.iter().map(|unknown| unknown.reason).collect();
    assert_eq!(why, [super::Why::Augmented]);
}

#[tokio::test]
async fn python_names_and_attributes_are_found() {
    for (code, expected) in [
        ("from lib import conect", &["1:17 conect → connect"][..]),
        ("import lib\nlib.conect('x')", &["2:5 conect → connect"]),
        ("import lib as l\nl.conect('x')", &["2:3 conect → connect"]),
        ("import lib.extra\nlib.extra.conect", &["2:11 conect → connect"]),
        ("from lib import Client\nc = Client('x')\nc.gett('y')", &["3:3 gett → get"]),
        ("from lib import Client\nwith Client('x') as c:\n  c.gett()", &["3:5 gett → get"]),
        ("from lib import Client\nr = Client('x').get('y')\nr.jsn()", &["3:3 jsn → json"]),
        ("from lib import connect\nconnect('x').gett('y')", &["2:14 gett → get"]),
        ("import lib\ndef f():\n  return lib.conect('x')", &["3:14 conect → connect"]),
        ("from lib import Client\nc = Client('x')\nc.shared(), c.url, c._last", &[]),
        ("from lib import connect\nconnect('x').get('y').given", &[]),
        ("from lib.extra import _hidden, connect", &[]),
    ] {
        py(code, expected).await;
    }
}

#[tokio::test]
async fn python_keywords_are_checked_where_all_are_known() {
    let import = "from lib import Client, connect, wrapped, anything\n";
    for (code, expected) in [
        ("connect('x', time_out=1)", &["2:14 time_out → timeout"][..]),
        ("Client('x', retry=1)", &["2:13 retry → retries"]),
        ("Client('x').get('y', header={})", &["2:22 header → headers"]),
        ("Client('x', timeout=1, retries=2)", &[]),
        ("Client('x').send(nothing=1)", &[]),
        ("wrapped(nothing=1)", &[]),
        ("anything(1, nothing=1)", &[]),
    ] {
        py(&format!("{import}{code}"), expected).await;
    }
}

#[tokio::test]
async fn what_python_may_do_when_it_runs_is_no_finding() {
    for code in [
        "from lib import Loose\nLoose().nothing",
        "from lib import Far\nFar().nothing",
        "from lib import lazy\nlazy.nothing",
        "from lib.lazy import nothing",
        "import lib\nlib = other()\nlib.nothing",
        "import lib\ndef f(lib):\n  lib.nothing",
        "import lib\n[lib.nothing for lib in all]",
        "import lib\nif hasattr(lib, 'nothing'):\n  lib.nothing()",
        "import lib\nlib.nothing = 1\nlib.nothing",
        "import lib\ntry:\n  lib.nothing()\nexcept AttributeError:\n  pass",
        "try:\n  from lib import nothing\nexcept ImportError:\n  nothing = None",
        "import lib\nif lib.VERSION > 1:\n  lib.nothing()",
        "import lib\nfrom other import *\nlib.nothing",
        "import lib\ndef f():\n  global lib\n  lib = 1\nlib.nothing",
        "from . import nothing",
        "import lib\nlib.__nothing__",
        "import lib\nlib.nothing(",
    ] {
        let folder = project();
        let found = checked(&folder, Language::Python, code).await;
        // The test of a version asks for a name that is not there, and is right to be told.
        let expected: &[&str] = if code.contains("VERSION") { &["2:8 VERSION → "] } else { &[] };
        assert_eq!(told(&found), expected, "{code}");
    }
}

/// The same, of the suggestions only the first.
async fn check_first(language: Language, text: &str, expected: &[&str]) {
    let folder = project();
    let found = checked(&folder, language, text).await;
    let mut first = found.clone();
    first.findings.iter_mut().for_each(|finding| finding.suggestions.truncate(1));
    assert_eq!(told(&first), expected, "{text}\n{}", found.text());
}

async fn go(text: &str, expected: &[&str]) {
    check_first(Language::Go, text, expected).await;
}

#[tokio::test]
async fn go_packages_and_names_are_found() {
    for (code, expected) in [
        (
            "import \"m.example/go-kit/v2\"\nvar x = kit.NewClint(1)",
            &["2:13 NewClint → NewClient"][..],
        ),
        ("import k \"m.example/go-kit/v2\"\nvar x k.Cliet", &["2:9 Cliet → Client"]),
        (
            "import \"m.example/go-kit/v2/extras\"",
            &["1:9 m.example/go-kit/v2/extras → m.example/go-kit/v2/extra"],
        ),
        ("import \"net/http\"\nvar c = http.Clent{}", &["2:14 Clent → Client"]),
        ("import \"m.example/go-kit/v2/extra\"\nfunc f() { extra.More() }", &[]),
        ("import \"m.example/go-kit/v2/sub/module\"\nfunc f() { module.Any() }", &[]),
        ("import \"p.example/app/own\"\nfunc f() { own.Nothing() }", &[]),
        ("import kit \"m.example/unheard/of\"\nfunc f() { kit.Nothing() }", &[]),
        ("import \"m.example/go-kit/v2\"\nfunc f() { kit.Rare() }", &[]),
    ] {
        go(code, expected).await;
    }
}

#[tokio::test]
async fn go_members_are_followed_by_their_types() {
    let import = "package p\nimport (\"m.example/go-kit/v2\"; \"net/http\")\n";
    for (code, expected) in [
        ("func f() { c, err := kit.NewClient(1); c.Gett(err) }", &["3:42 Gett → Get"][..]),
        ("func f(c *kit.Client) { c.Get(1).Stat }", &["3:34 Stat → Status"]),
        ("func f(c *kit.Client) { c.Reset(); c.Shared++; c.Rest() }", &["3:50 Rest → Reset"]),
        ("func f(d kit.Doer) { d.Error(); d.Do(nil).JSN() }", &["3:43 JSN → JSON"]),
        ("func f() { kit.Default.Gett(1); kit.Made.Get(2) }", &["3:24 Gett → Get"]),
        ("func f(a kit.Alias) { a.Gett(1) }", &["3:25 Gett → Get"]),
        ("func f(all []*kit.Client) { for _, c := range all { c.Gett(1) } }", &["3:55 Gett → Get"]),
        ("type s struct{ c *kit.Client }\nfunc (s *s) f() { s.c.Gett(1) }", &["4:23 Gett → Get"]),
        (
            "func n() (*kit.Client, error) { return nil, nil }\nfunc f() { c, _ := n(); c.Gett(1) }",
            &["4:27 Gett → Get"],
        ),
        (
            "func f(v any) { switch c := v.(type) { case *kit.Client: c.Gett(1); case int, kit.Reply: c.Any() } }",
            &["3:60 Gett → Get"],
        ),
        ("var o = kit.Options{Deep: 1, RetryCount: 2}", &["3:21 Deep → Depth"]),
        ("var o = []kit.Options{{Depth: 1}, {Retry: 2}}", &["3:36 Retry → RetryCount"]),
        ("func f(c kit.Client) { c.HTTP().Tmeout = 1 }", &["3:33 Tmeout → Timeout"]),
        ("func f(c kit.Client) { c.Handler().ServeHTTP(); kit.NewSet[int]().All }", &[]),
        ("const k = \"a\"\nvar t = kit.Table{k: 1}", &[]),
        ("func f(x kit.Far) { x.Nothing() }", &[]),
        ("func f(s *kit.Set[kit.Client]) { s.Pop().Nothing() }", &[]),
        ("func f() { kit := other(); kit.Nothing() }", &[]),
        ("func f() { var c kit.Client; { c := other(); c.Nothing() }; c.Get(1) }", &[]),
        ("func f[T any](x T, kit T) { x.Nothing(); kit.Nothing() }", &[]),
        (
            "func f() { if c := other(); c.Nothing { } else if d, ok := c.(http.Client); ok { d.Do() } }",
            &[],
        ),
    ] {
        go(&format!("{import}{code}"), expected).await;
    }
}

#[tokio::test]
async fn swift_members_and_labels_are_found() {
    for (code, expected) in [
        ("Kit.Clint(url: 1)", &["2:5 Clint → Client"][..]),
        ("import struct Kit.Option", &["2:19 Option → Options"]),
        ("let o = Options(dept: 1)", &["2:17 dept → depth"]),
        ("let c = Client(url: 1)\nc.clos(now: true)", &["3:3 clos → close"]),
        ("let c = Client(url: 1)\nc.close(noww: true)", &["3:9 noww → now"]),
        ("func f(c: Client) { c.options.dept = 1 }", &["2:31 dept → depth"]),
        ("struct S { let c: Client\nfunc f() { self.c.clos() } }", &["3:19 clos → close"]),
        ("let l = Level.hihg", &["2:15 hihg → high"]),
        ("Client.shard.close(now: true)", &["2:8 shard → shared"]),
        ("Client.shared.added().dept", &["2:23 dept → depth"]),
        ("var o: Options = .init()\no.dpth = 1", &["3:3 dpth → depth"]),
        ("let c = Client(url: 1, options: nil)\nc.get(\"x\", header: 1)\nc.get(all: [])", &[]),
        ("let l = Level(rawValue: \"low\")!.rawValue\nLevel.allCases.map { $0 }", &[]),
    ] {
        check_first(Language::Swift, &format!("import Kit\n{code}"), expected).await;
    }
}

#[tokio::test]
async fn what_swift_may_know_from_elsewhere_is_no_finding() {
    for code in [
        "List().nothing()",
        "Loose().nothing",
        "let i = Client.Inner(text: \"\")\ni.map { $0 }",
        "extension Client { func nothing() {} }\nClient(url: 1).nothing()",
        "struct Client {}\nClient().nothing()",
        "func f<Client>(c: Client) { c.nothing() }",
        "let c = Client(url: 1)\nfunc f(c: Int) { c.nothing() }",
        "let c = Client(url: 1)\nall.map { c in c.nothing() }",
        "let c = Client(url: 1)\nif let c = other(c) { c.nothing() }",
        "let c: Client? = nil\nc.map { $0 }",
        "let c = try? Client(url: 1)\nc.map { $0 }",
        "let c = Client(url: 1) ?? other\nc.nothing()",
        "let b = Box(1)\nb.value.nothing()",
        "Client(url: 1).stop()",
        "Other.nothing()",
        "@testable import Kit\nClient.nothing",
        "Client.nothing(",
    ] {
        let code = match code.contains("import") {
            true => code.to_owned(),
            false => format!("import Kit\n{code}"),
        };
        check_first(Language::Swift, &code, &[]).await;
    }
    let folder = project();
    folder.write("project/Sources/App/More.swift", "extension Client { func nothing() {} }\n");
    let code = "import Kit\nClient(url: 1).nothing()\nClient(ulr: 1)";
    let found = checked(&folder, Language::Swift, code).await;
    assert_eq!(told(&found), [""; 0]);
    let why: Vec<super::Why> = found.unknown.iter().map(|unknown| unknown.reason).collect();
    assert_eq!(why, [super::Why::Augmented]);
}

#[tokio::test]
async fn rust_paths_are_followed() {
    for (code, expected) in [
        ("use kit::conect;", &["1:10 conect → connect"][..]),
        ("use kit::{net::{self, Cleint}, connect};", &["1:21 Cleint → Client"]),
        ("use kit::Builder;", &["1:10 Builder → Builder"]),
        ("use other::conect;", &["1:12 conect → connect"]),
        ("fn f() { kit::conect(\"x\"); }", &["1:15 conect → connect"]),
        ("fn f() { ::kit::conect(\"x\"); }", &["1:17 conect → connect"]),
        ("use kit as k; fn f(c: k::Cleint) {}", &["1:26 Cleint → Client"]),
        ("use kit::net; fn f() { net::Level::Hihg; }", &["1:36 Hihg → High"]),
        ("fn f() { kit::shuot!(1); }", &["1:15 shuot → shout"]),
        ("mod a { pub fn f() { kit::conect(\"x\"); } }", &["1:27 conect → connect"]),
        (
            "use kit::net as n; mod a { use super::*; fn f() { n::Cleint; } }",
            &["1:54 Cleint → Client"],
        ),
        ("fn f() { println!(\"{}\", kit::conect(\"x\")); }", &["1:30 conect → connect"]),
        ("let c = kit::conect(\"x\");", &["1:14 conect → connect"]),
        (
            "use kit::{Client, Result, connect, net::{Guard, Level::*, Made}, extra, elsewhere, shout};",
            &[],
        ),
        ("use kit::far::anything; use kit::net::MadeBuilder; use kit::net::DerivedBuilder;", &[]),
    ] {
        rs(code, expected).await;
    }
}

#[tokio::test]
async fn rust_values_are_followed_through_what_is_certain() {
    for (code, expected) in [
        ("kit::Client::form()", &["1:40 form → "][..]),
        ("kit::net::Plain::nwe()", &["1:44 nwe → new"]),
        ("kit::Client::new().gett(1)", &["1:46 gett → get"]),
        ("let c = kit::connect(\"x\")?; c.gett(1)", &["1:57 gett → get"]),
        ("let c: &kit::Client = x; c.gett(1)", &["1:54 gett → get"]),
        (
            "let c = kit::Client::builder().depth(1).build().unwrap(); c.gett(1)",
            &["1:87 gett → get"],
        ),
        ("let r = c.get(1).await?; r.staus", &["1:54 staus → status"]),
        ("let l = c.get(1).await?.text().await; l.hihg()", &["1:67 hihg → High"]),
        ("if let Some(o) = c.options() { o.dept; }", &["1:60 dept → depth"]),
        ("let o = kit::net::Options { dept: 1, ..x };", &["1:55 dept → depth"]),
        ("match l { kit::net::Level::High { bye: 1 } => {} }", &["1:61 bye → by"]),
        ("s.client.gett(1)", &[]),
        ("c.retries; kit::Client::LIMIT; kit::net::Level::Other; b.rare(); b.derived()", &[]),
        (
            "let g: kit::net::Guard = x; g.anything(); let d: kit::net::Derived = x; d.anything()",
            &[],
        ),
        ("c.clone(); c.to_string(); kit::Client::from(1); c.more()", &[]),
        ("let c = 1; c.gett(); { let b = kit::Client::new(); } b.gett()", &["1:81 gett → "]),
        ("let c = other(); c.gett()", &[]),
        ("any!(c.gett(1)); #[cfg(x)] c.gett(1); kit::elsewhere()", &[]),
    ] {
        let code = format!("fn f(c: kit::Client, b: kit::net::Builder) {{ {code} }}");
        let expected: Vec<String> = expected.iter().map(|line| shifted(line, 18)).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        rs(&code, &expected).await;
    }
}

/// A finding some columns further to the right.
fn shifted(line: &str, by: usize) -> String {
    let (place, rest) = line.split_once(' ').unwrap_or((line, ""));
    let column: usize = place.trim_start_matches("1:").parse().expect("a column");
    format!("1:{} {rest}", column + by)
}

#[tokio::test]
async fn traits_and_their_members_are_respected() {
    for (code, expected) in [
        ("impl kit::Ext for X { fn mroe(&self) {} }", &["1:26 mroe → more"][..]),
        ("impl kit::Ext for X { fn more(&self) {} }", &[]),
        ("use kit::Ext; fn f(c: kit::Client) { c.more(); c.owned(); }", &["1:50 owned → own"]),
        ("trait Mine { fn owned(&self); } fn f(c: kit::Client) { c.owned(); }", &[]),
        ("use crate::prelude::*; fn f(c: kit::Client) { c.owned(); }", &[]),
        ("use unheard_of::Ext; fn f(c: kit::Client) { c.owned(); }", &[]),
        ("use std::fmt::Write; fn f(c: kit::Client) { c.owned(); }", &["1:47 owned → "]),
        (
            "struct S { c: kit::Client } impl S { fn f(&self) { self.c.gett(); } }",
            &["1:59 gett → get"],
        ),
        ("fn f<Client>(c: Client) { c.gett(); }", &[]),
        (
            "mod kit { } fn f() { kit::anything(); self::kit::anything(); crate::kit::anything(); }",
            &[],
        ),
        ("#[cfg(feature = \"old\")] use kit::nothing;", &[]),
        ("#[derive(kit::Nothing)] struct S;", &["1:15 Nothing → "]),
    ] {
        rs(code, expected).await;
    }
}

#[tokio::test]
async fn the_answer_says_what_it_was_checked_against_and_what_it_does_not_know() {
    let folder = project();
    let code = "import { Far, connect } from 'kit'\nimport 'nowhere'\nnew Far().maybe()";
    let found = checked(&folder, Language::TypeScript, code).await;
    assert_eq!(found.packages[0].package, "npm:kit@1.2.0");
    assert_eq!(found.confirmed, 2);
    let unknown: Vec<(super::Why, usize)> =
        found.unknown.iter().map(|unknown| (unknown.reason, unknown.count)).collect();
    assert_eq!(unknown, [(super::Why::NotInstalled, 1), (super::Why::Open, 1)]);
    let json = serde_json::to_value(&found).expect("JSON");
    assert_eq!(json["unknown"][0]["reason"], "notInstalled");
    assert!(found.text().contains("nothing found"), "{}", found.text());
}

#[tokio::test]
async fn no_text_is_too_strange() {
    let folder = project();
    for text in [
        "",
        "\u{0}",
        "(((((((((",
        "import",
        "from",
        "é.ö(ü=1)",
        "import {",
        "`${",
        "\u{feff}import lib",
        "lib.\n",
    ] {
        for language in [
            Language::TypeScript,
            Language::Tsx,
            Language::JavaScript,
            Language::Python,
            Language::Rust,
            Language::Go,
            Language::Swift,
        ] {
            let found = checked(&folder, language, text).await;
            assert!(found.findings.is_empty(), "{text}");
        }
    }
    let deep = format!("import lib\nx = {}1{}", "(".repeat(100_000), ")".repeat(100_000));
    for language in [Language::TypeScript, Language::Python] {
        let found = checked(&folder, language, &deep).await;
        assert_eq!(found.unknown[0].reason, super::Why::NotParsed);
    }
}
