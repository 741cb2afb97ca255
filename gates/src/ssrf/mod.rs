//! Servers that send others into a private network: addresses in metadata, redirects and names that
//! lead there, through every fetch that somebody else can steer. Canaries listen; none may hear.
//!
//! The gate starts itself again in a network namespace in which *every* address is this machine, so
//! that the canary hears of a connection to any of them, and in which a name server of ours answers
//! (`namespace`, `names`). Where no namespace can be had, what is left is one kind of fetch and the
//! canary on loopback. `targets` is where they are sent, `fetches` who is sent, `canary` who listens.

mod canary;
mod fetches;
mod names;
mod namespace;
mod targets;

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::Arc;

use docent_mcp::auth::Reach;
use docent_testkit::folder::Folder;
use docent_testkit::tls::AUTHORITY;

use self::canary::Canary;
use self::fetches::Fetch;
use self::names::PUBLIC;
use crate::Result;
use crate::arguments::Options;
use crate::realm::Realm;
use crate::report::Report;
use crate::web;

/// The name of the hostile server; no proxy leads there.
const HOSTILE: &str = "hostile.example";

/// What is counted. None may happen.
const FIGURES: [&str; 5] = [
    "private_connections",
    "through_a_proxy",
    "led_by_a_changed_address",
    "controls_unheard",
    "targets_missing",
];

/// Fewer would not be all kinds.
const TARGETS_MIN: usize = 60;

pub(crate) fn run(options: &Options) -> Result<Report> {
    let mut report = Report::new();
    let mut totals = [0; FIGURES.len()];
    let default = if options.quick { "default-quick" } else { "default" };
    for mode in ["public", default] {
        for (total, found) in totals.iter_mut().zip(start(mode)?) {
            *total += found;
        }
    }
    for (name, total) in FIGURES.into_iter().zip(totals) {
        report.count(name, total, 0);
    }
    Ok(report)
}

/// Starts the role in a namespace, and reads its figures. In public mode there is a proxy to be
/// tempted by.
fn start(mode: &str) -> Result<[usize; FIGURES.len()]> {
    let mut command = namespace::command()?;
    command.args(["ssrf-inside", mode]).stdout(Stdio::piped()).stdin(Stdio::null());
    // The certificates of the machine would be read anew for every login.
    let folder = Folder::new();
    command
        .env("SSL_CERT_FILE", folder.write("authority.pem", AUTHORITY))
        .env_remove("SSL_CERT_DIR");
    for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
        command.env_remove(name).env_remove(name.to_ascii_uppercase());
    }
    if mode == "public" {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let proxy = format!("http://127.0.0.1:{port}");
        for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
            command.env(name, &proxy);
        }
        command.env("NO_PROXY", HOSTILE);
    }
    let mut child = command.spawn()?;
    let mut figures = None;
    for line in BufReader::new(child.stdout.take().ok_or("no stdout")?).lines() {
        let line = line?;
        match line.strip_prefix("figures ") {
            Some(numbers) => {
                let numbers: std::result::Result<Vec<usize>, _> =
                    numbers.split(' ').map(str::parse).collect();
                figures = Some(numbers?.try_into().map_err(|_| "other figures than expected")?);
            }
            None => println!("{line}"),
        }
    }
    match (child.wait()?.success(), figures) {
        (true, Some(figures)) => Ok(figures),
        _ => Err(format!("{mode} mode came to no end").into()),
    }
}

/// The role inside.
pub(crate) fn inside(words: &[String]) -> Result<()> {
    let (reach, kinds) = match words.first().map(String::as_str) {
        Some("public") => (Reach::Public, fetches::ALL),
        Some("default") => (Reach::LikeServer, fetches::ALL),
        _ => (Reach::LikeServer, &[Fetch::Challenge, Fetch::Keys][..]),
    };
    let figures = web::runtime()?.block_on(measure(reach, kinds))?;
    let figures = figures.map(|figure| figure.to_string());
    println!("figures {}", figures.join(" "));
    Ok(())
}

async fn measure(reach: Reach, kinds: &'static [Fetch]) -> Result<[usize; FIGURES.len()]> {
    let alone = namespace::prepare() && names::serve(HOSTILE).await;
    let canary = Arc::new(Canary::start().await?);
    let proxy = match std::env::var("HTTPS_PROXY") {
        Ok(proxy) => Some(Canary::at(proxy.trim_start_matches("http://")).await?),
        Err(_) => None,
    };
    let targets = targets::all(canary.port);
    let kinds = if alone { kinds } else { &[Fetch::Challenge] };
    let mut running = tokio::task::JoinSet::new();
    for &kind in kinds {
        let realm = match alone {
            true => Realm::start_as(Some(HOSTILE)).await?,
            false => Realm::start().await?,
        };
        let (targets, canary) = (targets.clone(), canary.clone());
        // Without names and public addresses of our own, a private server is all there is.
        let reach = if alone { reach } else { Reach::Public };
        running.spawn(async move { through(kind, &realm, reach, alone, &targets, &canary).await });
    }
    let mut unheard = 0;
    for outcome in running.join_all().await {
        unheard += usize::from(!outcome?);
    }
    let led = alone && reach == Reach::LikeServer && turncoat(&canary).await?;
    let mut proxied = 0;
    if let Some(proxy) = proxy {
        proxied = proxy.heard().len();
        if alone {
            // The variables are in force: who may, goes through the proxy.
            let realm = Realm::start_as(Some(HOSTILE)).await?;
            let target = format!("https://elsewhere.example:{}/x", canary.port);
            let _ = Fetch::Challenge.run(&realm, Reach::Any, &target).await;
            unheard += usize::from(proxy.heard().len() == proxied);
        }
    }
    let private = canary.private();
    println!(
        "{reach:?}: {} targets, {} kinds of fetch{}: {} private connections, {proxied} to a proxy",
        targets.len(),
        kinds.len(),
        if alone { "" } else { " (no namespace can be had: loopback only)" },
        private.len(),
    );
    for address in &private {
        println!("HEARD: {address}");
    }
    let missing = TARGETS_MIN.saturating_sub(targets.len());
    Ok([private.len(), proxied, usize::from(led), unheard, missing])
}

/// Sends one kind of fetch to all targets, and then to one that may be connected to: whether the
/// canary heard of that. Some targets are the hostile server itself to who reads them well, and lead
/// to nothing; so whether a login comes about does not count.
async fn through(
    kind: Fetch,
    realm: &Realm,
    reach: Reach,
    alone: bool,
    targets: &[String],
    canary: &Canary,
) -> Result<bool> {
    for target in targets {
        let _ = kind.run(realm, reach, target).await;
    }
    let before = canary.heard().len();
    let (reach, control) = match alone {
        true => (reach, format!("https://{PUBLIC}:{}/x", canary.port)),
        false => (Reach::Any, format!("https://127.0.0.1:{}/x", canary.port)),
    };
    if !alone {
        canary.expect_loopback();
    }
    let said = kind.run(realm, reach, &control).await;
    let heard = canary.heard().len() > before;
    if !heard {
        println!("UNHEARD: {kind:?} {control}: {said:?}");
    }
    Ok(heard)
}

/// A server that is public when it is connected to, and calls itself private afterwards, so that
/// private addresses would be within its reach. Whether that helps it.
async fn turncoat(canary: &Canary) -> Result<bool> {
    let realm = Realm::start_as(Some("turncoat.example")).await?;
    let target = format!("https://10.0.0.1:{}/x", canary.port);
    let outcome = Fetch::Challenge.run(&realm, Reach::LikeServer, &target).await;
    let held = outcome.as_ref().is_err_and(|said| said.contains("public net"));
    println!("a server that changes its address: {outcome:?}");
    Ok(!held)
}
