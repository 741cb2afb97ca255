//! That no credential is ever where it should not be: twelve of them through every kind of flow,
//! then a look at everything that was sent, said, printed or stored.
//!
//! A credential may be in an `Authorization` or `Proxy-Authorization` header at its own place, and
//! nowhere else: not raw, not in base64, not percent-encoded, not in hexadecimal, and no piece of
//! eight characters or more of any of them.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::*;
use crate::cache::entry::hex;
use crate::tree::ArchiveFormat;

/// The least part of a secret that counts.
const PIECE: usize = 8;

/// Everything that could be read by somebody else.
#[derive(Default)]
struct Seen {
    texts: Vec<(String, Vec<u8>)>,
    flows: usize,
}

impl Seen {
    fn add(&mut self, place: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.texts.push((place.into(), bytes.into()));
    }

    fn error(&mut self, place: &str, error: &Error) {
        self.add(format!("{place}: error"), format!("{error}\n{error:?}\n{:?}", error.hints()));
        self.add(format!("{place}: error as JSON"), serde_json::to_vec(error).unwrap());
    }

    fn folder(&mut self, folder: &Path) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            self.add("a file's name", path.to_string_lossy().as_bytes());
            if path.is_dir() {
                self.folder(&path);
            } else {
                self.add(path.display().to_string(), std::fs::read(&path).unwrap());
            }
        }
    }
}

/// The twelve: what each is, and the text nobody else may see.
fn canaries() -> Vec<(&'static str, String)> {
    let names = [
        "npm token",
        "npm password",
        "npm _auth",
        "pip user as token",
        "pip password",
        "netrc password",
        "uv token",
        "address password",
        "address user",
        "proxy password",
        "query token",
        "redirect token",
    ];
    // Letters that are written differently in each form, far enough apart that no two secrets
    // share a piece.
    let text = |at: usize| {
        let random = hex(&crate::cache::entry::sha256(&[b"canary", &[u8::try_from(at).unwrap()]]));
        format!("{}/{}+{}~{}", &random[..7], &random[7..14], &random[14..21], &random[21..28])
    };
    names.iter().enumerate().map(|(at, name)| (*name, text(at))).collect()
}

/// All forms in which a secret could show.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let mut forms = vec![secret.to_owned()];
    // In base64 what comes before shifts the letters, so that all three shifts are looked for.
    for shift in 0..3 {
        let shifted = [&vec![b'x'; shift][..], secret.as_bytes()].concat();
        for engine in [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE] {
            let encoded = engine.encode(&shifted);
            // Without the letters that the neighbours share in.
            let (start, end) = ((shift * 8).div_ceil(6), encoded.trim_end_matches('=').len() - 1);
            forms.push(encoded[start..end].to_owned());
        }
    }
    forms.push(utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string());
    forms.push(utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string().to_lowercase());
    forms.push(
        Url::parse(&format!("http://{}@x/", secret.replace('/', "%2F")))
            .unwrap()
            .username()
            .to_owned(),
    );
    forms.push(hex(secret.as_bytes()));
    forms.push(format!("{secret:?}"));
    forms.into_iter().map(String::into_bytes).collect()
}

/// Every piece of every form of every secret, and whose it is.
struct Pieces(HashMap<[u8; PIECE], &'static str>);

impl Pieces {
    fn of(secrets: &[(&'static str, String)]) -> Self {
        let mut pieces = HashMap::new();
        for (name, secret) in secrets {
            for form in forms(secret) {
                let windows = form.windows(PIECE).filter_map(|window| window.try_into().ok());
                pieces.extend(windows.map(|piece: [u8; PIECE]| (piece, *name)));
            }
        }
        Self(pieces)
    }

    /// The secrets that show in a text.
    fn shown_in(&self, text: &[u8]) -> BTreeSet<&'static str> {
        let windows = text.windows(PIECE);
        windows.filter_map(|window| self.0.get(window).copied()).collect()
    }
}

/// The lines of a request, without the headers that a credential belongs in.
fn without_authorization(raw: &str) -> String {
    let lines = raw.lines().filter(|line| {
        let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
        name != "authorization" && name != "proxy-authorization"
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_search_finds_what_it_should() {
    let secret = &canaries()[0].1;
    let hidden = [
        format!("token={secret}"),
        format!("Basic {}", STANDARD.encode(format!("me:{secret}"))),
        format!("Basic {}", STANDARD.encode(format!("user:{secret}"))),
        format!("Basic {}", STANDARD.encode(secret)),
        format!("?t={}", utf8_percent_encode(secret, NON_ALPHANUMERIC)),
        format!("…{}…", secret.chars().take(8).collect::<String>()),
        hex(secret.as_bytes()),
    ];
    let pieces = Pieces::of(&canaries()[..1]);
    for text in hidden {
        assert!(!pieces.shown_in(text.as_bytes()).is_empty(), "{text}");
    }
    assert!(pieces.shown_in(canaries()[1].1.as_bytes()).is_empty());
}

struct Flows {
    world: World,
    there: World,
    canaries: Vec<(&'static str, String)>,
    seen: Seen,
}

impl Flows {
    async fn new() -> Self {
        let there = World::new(Registry::builder().at("/x", json("there"))).await;
        let mut world = World::new(Registry::builder()).await;
        world.limits.retries_max = 1;
        world.limits.stall_timeout = Duration::from_millis(60);
        Self { world, there, canaries: canaries(), seen: Seen::default() }
    }

    fn secret(&self, at: usize) -> Secret {
        Secret(self.canaries[at].1.clone())
    }

    /// The ways to be somebody: each with a credential for the folder `/own/` of the registry.
    fn accesses(&self) -> Vec<Access> {
        let basic = |user: &str, at: usize| Credential::Basic {
            user: user.to_owned(),
            password: self.secret(at),
        };
        let encoded = STANDARD.encode(format!("me:{}", self.canaries[2].1));
        let bearer = |at: usize| Credential::Bearer(self.secret(at));
        let credentials = [
            bearer(0),
            basic("me", 1),
            Credential::BasicEncoded(Secret(encoded)),
            basic(&self.canaries[3].1, 4),
            basic("machine", 5),
            bearer(6),
            // One that cannot be sent at all.
            Credential::Bearer(Secret(format!("{}\r\n", self.canaries[6].1))),
        ];
        let scope = Url::parse(&self.world.registry.url("/own/")).unwrap();
        let accesses = credentials.into_iter().map(|credential| Access {
            logins: vec![Login { scope: scope.clone(), credential }],
            ..self.world.access.clone()
        });
        let mut accesses: Vec<Access> = accesses.collect();
        // A scope and a proxy that name somebody.
        let mut named = accesses[0].clone();
        let _ = named.logins[0].scope.set_username(&self.canaries[8].1);
        let _ = named.logins[0].scope.set_password(Some(&self.canaries[7].1));
        accesses.push(named);
        let mut proxied = self.world.access.clone();
        let mut proxy = Url::parse(&self.world.registry.url("/")).unwrap();
        let _ = proxy.set_username("me");
        let _ = proxy.set_password(Some(&self.canaries[9].1));
        (proxied.proxy, proxied.no_proxy) = (Some(proxy), None);
        accesses.push(proxied.clone());
        proxied.proxy = Url::parse(&format!("gopher://me:{}@p.example", hex(b"x"))).ok();
        accesses.push(proxied);
        accesses
    }

    /// The answers that a registry may give, by path.
    fn answers(&self) -> Vec<(String, Answer)> {
        let (here, there) = (&self.world.registry, &self.there.registry);
        let token = utf8_percent_encode(&self.canaries[11].1, NON_ALPHANUMERIC).to_string();
        let to = |url: String| Answer::redirect(&url);
        let named = there.url("/x").replace("http://", &format!("http://{token}:{token}@"));
        let rows = [
            ("ok", stale("ok").etag("\"1\"")),
            ("missing", Answer::status(404)),
            ("refused", Answer::status(401)),
            ("forbidden", Answer::status(403)),
            ("proxy", Answer::status(407)),
            ("broken", Answer::status(500)),
            ("later", Answer::status(429).header("retry-after", "999")),
            ("teapot", Answer::status(418)),
            ("short", json("whole").truncate_at(2)),
            ("nonsense", json("x").header("content-encoding", "gzip")),
            ("bomb", Answer::gzip_bomb(200_000)),
            ("long", json(&"x".repeat(100_001))),
            ("hangs", Answer::hang()),
            ("to-own", Answer::redirect("/own/ok")),
            ("to-outside", Answer::redirect("/outside")),
            ("to-port", to(there.url(&format!("/x?token={token}")))),
            ("to-host", to(here.other_host("/own/ok"))),
            ("to-user", to(named)),
            ("to-file", to(format!("file:///{token}"))),
            ("to-nothing", to(format!("http://[{token}"))),
            ("to-closed", to(format!("http://127.0.0.1:1/?{token}"))),
            ("to-https", to(format!("https://{}/own/ok?{token}", here.authority()))),
            ("loop", Answer::redirect(&format!("/own/loop?{token}"))),
        ];
        rows.into_iter().map(|(name, answer)| (format!("/own/{name}"), answer)).collect()
    }

    /// One flow: metadata, the same offline, and a download.
    async fn flow(&mut self, path: &str, access: &Access) {
        self.seen.flows += 1;
        let query = utf8_percent_encode(&self.canaries[10].1, NON_ALPHANUMERIC).to_string();
        let mut url = Url::parse(&self.world.registry.url(path)).unwrap();
        let _ = url.set_username(&self.canaries[8].1);
        let _ = url.set_password(Some(&self.canaries[7].1));
        url.set_query(Some(&format!("token={query}")));
        let request = Request { url: url.clone(), accept: "application/json", access };
        let digests = vec![Digest { algorithm: Algorithm::Sha1, bytes: vec![0; 20] }];
        let (format, access) = (ArchiveFormat::Zip, access.clone());
        let artifact = Artifact { url, format, digests, access };
        let printed = format!("{request:?}\n{request:#?}\n{artifact:?}\n{artifact:#?}");
        self.seen.add(format!("{path}: printed"), printed);
        for fetcher in [self.world.fetcher(), self.world.offline()] {
            match fetcher.document(&request).await {
                Ok(document) => self
                    .seen
                    .add(format!("{path}: document"), format!("{document:?} {}", document.url)),
                Err(error) => self.seen.error(path, &error),
            }
            match fetcher.artifact(&artifact, &Progress::default()).await {
                Ok(blob) => self.seen.add(format!("{path}: blob"), format!("{blob:?}")),
                Err(error) => self.seen.error(path, &error),
            }
        }
    }

    /// What the registries were told, apart from what they may be.
    fn listen(&mut self) {
        for request in self.world.registry.requests() {
            self.seen.add("a request", without_authorization(&request.raw));
            let own = request.path.starts_with("/own/")
                && request.header("host") == Some(&self.world.registry.authority());
            if !own {
                let sent = request.header("authorization").unwrap_or_default();
                self.seen.add(format!("a header for {}", request.path), sent);
            }
        }
        for request in self.there.registry.requests() {
            // Its own address was given to it by the redirect.
            let headers = request.raw.lines().skip(1).collect::<Vec<_>>().join("\n");
            self.seen.add("a request elsewhere", headers);
        }
    }
}

#[tokio::test]
async fn credentials_are_nowhere_but_where_they_belong() {
    let mut flows = Flows::new().await;
    let answers = flows.answers();
    for (path, answer) in &answers {
        flows.world.registry.set(path, answer.clone());
    }
    flows.world.registry.set("/outside", json("outside"));
    let accesses = flows.accesses();
    // Every answer to one access, and every access to some answers: the rest repeats itself.
    for (path, _) in &answers {
        flows.flow(path, &accesses[1]).await;
    }
    for access in &accesses {
        for path in ["/own/ok", "/own/forbidden", "/own/to-port", "/own/to-host"] {
            flows.flow(path, access).await;
        }
    }
    flows.listen();
    let folder = flows.world.folder.path().to_owned();
    flows.seen.folder(&folder);
    assert!(flows.seen.flows >= 40, "{}", flows.seen.flows);
    assert!(flows.seen.texts.len() > 300, "{}", flows.seen.texts.len());
    let sent = flows.world.registry.requests();
    assert!(sent.iter().any(|request| request.header("authorization").is_some()));
    let pieces = Pieces::of(&flows.canaries);
    for (place, text) in &flows.seen.texts {
        let mut shown = pieces.shown_in(text);
        if place.starts_with("a request") {
            // What a redirect's author put into it, its target may hear.
            shown.remove("redirect token");
        }
        if place == "a request" {
            // What is part of the address is for whoever has that address.
            shown.remove("query token");
        }
        let text = String::from_utf8_lossy(text);
        assert!(shown.is_empty(), "{shown:?} shows in {place}: {text:.500}");
    }
}
