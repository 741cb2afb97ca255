//! A registry on this machine: serves made-up packages as npm's, Python's and Go's do, remembers what it
//! was asked, and misbehaves on command.
//!
//! ```
//! use docent_testkit::registry::{Answer, Package, Registry};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
//! # runtime.block_on(async {
//! let registry = Registry::builder()
//!     .npm(Package::new("left", "1.0.0").file("index.js", "module.exports = 1"))
//!     .python(Package::new("right", "2.0").file("right/__init__.py", "x = 1"))
//!     .start()
//!     .await;
//! // The next request for it fails, the one after that works.
//! registry.next("/left", Answer::status(503));
//! assert!(registry.url("/left").starts_with("http://127.0.0.1:"));
//! assert!(registry.requests().is_empty());
//! # });
//! ```

mod go;
mod http;
mod npm;
mod python;
mod rust;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::tls::{self, Clients};

pub use self::http::{Answer, Request};

/// A release of a package, made of texts.
#[derive(Clone, Debug)]
pub struct Package {
    name: String,
    version: String,
    files: Vec<(String, String)>,
}

impl Package {
    /// A release without files.
    #[must_use]
    pub fn new(name: &str, version: &str) -> Self {
        Self { name: name.to_owned(), version: version.to_owned(), files: Vec::new() }
    }

    /// The same release with one more file.
    #[must_use]
    pub fn file(mut self, path: &str, text: &str) -> Self {
        self.files.push((path.to_owned(), text.to_owned()));
        self
    }

    /// The line that `go.sum` has for it as a Go module.
    #[must_use]
    pub fn go_sum(&self) -> String {
        go::sum(self)
    }

    /// The same release with more files.
    #[must_use]
    pub fn files<'a>(mut self, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let files = files.into_iter();
        self.files.extend(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
        self
    }
}

/// What a registry will have.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    npm: Vec<Package>,
    wheels: Vec<Package>,
    sdists: Vec<Package>,
    crates: Vec<Package>,
    go: Vec<Package>,
    files: Vec<(String, Answer)>,
    authorization: Vec<(String, String)>,
    clients: Option<Clients>,
}

impl Builder {
    /// An npm package: its packument at `/NAME` (`/@scope%2fname` too), its tarball beside it.
    #[must_use]
    pub fn npm(mut self, package: Package) -> Self {
        self.npm.push(package);
        self
    }

    /// A Python distribution with a wheel: its page at `/simple/NAME/`, its files under `/files/`.
    #[must_use]
    pub fn python(mut self, package: Package) -> Self {
        self.wheels.push(package);
        self
    }

    /// A Python distribution with only a source archive.
    #[must_use]
    pub fn sdist(mut self, package: Package) -> Self {
        self.sdists.push(package);
        self
    }

    /// A Go module, at a proxy below `/go/`.
    #[must_use]
    pub fn go(mut self, package: Package) -> Self {
        self.go.push(package);
        self
    }

    /// A crate: its line in the sparse index below `/index/`, its archive below `/crates/`.
    #[must_use]
    pub fn rust(mut self, package: Package) -> Self {
        self.crates.push(package);
        self
    }

    /// Anything else at a path.
    #[must_use]
    pub fn at(mut self, path: &str, answer: Answer) -> Self {
        self.files.push((path.to_owned(), answer));
        self
    }

    /// Everything below a path is refused with 401 without this `Authorization` header.
    #[must_use]
    pub fn require(mut self, prefix: &str, authorization: &str) -> Self {
        self.authorization.push((prefix.to_owned(), authorization.to_owned()));
        self
    }

    /// Serves over TLS with the certificate of [`tls`], and wants this of clients.
    #[must_use]
    pub fn over_tls(mut self, clients: Clients) -> Self {
        self.clients = Some(clients);
        self
    }

    /// Starts to serve on a free port of this machine.
    ///
    /// # Panics
    /// If there is no free port, or no runtime.
    pub async fn start(self) -> Registry {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let scheme = if self.clients.is_some() { "https" } else { "http" };
        let base = format!("{scheme}://{address}");
        let mut pages = BTreeMap::new();
        npm::pages(&self.npm, &base, &mut pages);
        python::pages(&self.wheels, &self.sdists, &mut pages);
        rust::pages(&self.crates, &base, &mut pages);
        go::pages(&self.go, &mut pages);
        pages.extend(self.files);
        let shared = Arc::new(Shared {
            pages: Mutex::new(pages),
            scripts: Mutex::default(),
            requests: Mutex::default(),
            abandoned: watch::Sender::default(),
            authorization: self.authorization,
        });
        let acceptor = self.clients.map(tls::acceptor);
        let server = tokio::spawn(http::serve(listener, acceptor, Arc::clone(&shared)));
        Registry { address, scheme, shared, server }
    }
}

struct Shared {
    pages: Mutex<BTreeMap<String, Answer>>,
    scripts: Mutex<HashMap<String, VecDeque<Answer>>>,
    requests: Mutex<Vec<Request>>,
    /// The paths whose requests were given up before an answer.
    abandoned: watch::Sender<Vec<String>>,
    authorization: Vec<(String, String)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Notes a request and says what to answer.
    fn answer(&self, request: Request) -> Answer {
        let path = request.path.clone();
        let authorization = request.header("authorization").map(str::to_owned);
        let accept = request.header("accept").unwrap_or_default().to_owned();
        lock(&self.requests).push(request);
        let scripted = lock(&self.scripts).get_mut(&path).and_then(VecDeque::pop_front);
        if let Some(answer) = scripted {
            return answer;
        }
        let required = self.authorization.iter().filter(|(prefix, _)| path.starts_with(prefix));
        if required.map(|(_, value)| Some(value)).any(|value| value != authorization.as_ref()) {
            return Answer::status(401).header("www-authenticate", "Basic realm=\"registry\"");
        }
        let bare = path.split('?').next().unwrap_or_default();
        let pages = lock(&self.pages);
        // A page that exists in two forms has its JSON under the path and its HTML beside it.
        let html = pages.get(&format!("{bare}#html")).filter(|_| !accept.contains("json"));
        html.or_else(|| pages.get(bare)).cloned().unwrap_or_else(|| Answer::status(404))
    }
}

/// A running registry; it ends when it is dropped.
pub struct Registry {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
    server: tokio::task::JoinHandle<()>,
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Registry {
    /// A registry to be filled.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The address of a path.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// The same place under another name: another host as far as credentials go.
    #[must_use]
    pub fn other_host(&self, path: &str) -> String {
        format!("{}://localhost:{}{path}", self.scheme, self.address.port())
    }

    /// Host and port.
    #[must_use]
    pub fn authority(&self) -> String {
        self.address.to_string()
    }

    /// Answers the next request for a path, query included, in this way; several wait in a row.
    pub fn next(&self, path: &str, answer: Answer) {
        lock(&self.shared.scripts).entry(path.to_owned()).or_default().push_back(answer);
    }

    /// Puts something at a path from now on.
    pub fn set(&self, path: &str, answer: Answer) {
        lock(&self.shared.pages).insert(path.to_owned(), answer);
    }

    /// What is at a path.
    #[must_use]
    pub fn page(&self, path: &str) -> Option<Answer> {
        lock(&self.shared.pages).get(path).cloned()
    }

    /// All requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.shared.requests).clone()
    }

    /// Waits until whoever asked for a path that [hangs](Answer::hang) no longer waits for it.
    pub async fn abandoned(&self, path: &str) {
        let mut abandoned = self.shared.abandoned.subscribe();
        // The sender is in this registry, so it cannot be gone.
        let _ = abandoned.wait_for(|paths| paths.iter().any(|given_up| given_up == path)).await;
    }

    /// How often a path was asked for.
    #[must_use]
    pub fn hits(&self, path: &str) -> usize {
        lock(&self.shared.requests).iter().filter(|request| request.path == path).count()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn tar_gz(prefix: &str, files: &[(String, String)]) -> Vec<u8> {
    let encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(encoder);
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        let added = archive.append_data(&mut header, format!("{prefix}/{path}"), text.as_bytes());
        added.expect("an archive in memory");
    }
    archive.into_inner().and_then(flate2::write::GzEncoder::finish).expect("an archive in memory")
}
