//! Fifty principals on the same few connections, of both eras, who all use `id: 1` and the same
//! progress token: each gets its own answers and nothing else, and nobody gets at a session of
//! somebody else.
//!
//! Who asks is said in a header, which a layer around the service believes, as it would a login.
//!
//! All of it happens once with the server and once with a gateway before it. [`gateway`] then looks
//! at what only a gateway could mix up, with [`backend`] behind it.

pub(crate) mod backend;
pub(crate) mod gateway;

use std::net::SocketAddr;
use std::sync::Arc;

use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::sync::Mutex;

use crate::Result;
use crate::arguments::Options;
use crate::report::Report;
use crate::web;
use crate::web::child::Served;
use crate::web::connection::Connection;
use crate::web::message::{self, Ask};

const PRINCIPALS: usize = 50;
/// Connections that all of them share, of each kind.
const CONNECTIONS: usize = 8;

/// Clients of each era before the gateway have servers of their own, so there are not as many.
const BEFORE_GATEWAY: usize = 6;

pub(crate) fn run(options: &Options) -> Result<Report> {
    let (calls, rounds) = if options.quick { (100, 5) } else { (4_000, 200) };
    web::runtime()?.block_on(async {
        let mut report = Report::new();
        let served = Served::start(&["principals"]).await?;
        let direct = Way { tool: "", whose: |name| name.to_owned() };
        let mut sum = measure(&served, direct, calls).await?;
        drop(served);
        let behind = Served::start(&[]).await?;
        let address = format!("web=http://{}/mcp", behind.address);
        let served = Served::start_as("serve-gateway", &[&address]).await?;
        // The gateway asks in its own name.
        let through = Way { tool: "web__", whose: |_| "nobody".to_owned() };
        sum.add(&measure(&served, through, calls).await?);
        drop((served, behind));
        let found = gateway::measure(BEFORE_GATEWAY, rounds).await?;
        println!(
            "through the gateway: {} calls, {} told something foreign; {} tries, {} reached",
            found.calls, found.foreign, found.tries, found.reached
        );
        let expected = BEFORE_GATEWAY * 2 * 8 * rounds;
        report.count("calls_missing", sum.missing + expected.saturating_sub(found.calls), 0);
        report.count("answers_not_ones_own", sum.wrong + found.foreign, 0);
        report.count("foreign_sessions_reached", sum.reached, 0);
        report.count("foreign_calls_tasks_reads_reached", found.reached, 0);
        Ok(report)
    })
}

fn name_of(number: usize) -> String {
    format!("principal-{number:02}")
}

/// How tools are called, and whom the server takes for the caller.
#[derive(Clone, Copy)]
struct Way {
    tool: &'static str,
    whose: fn(&str) -> String,
}

/// What went wrong.
#[derive(Default)]
struct Sum {
    missing: usize,
    wrong: usize,
    reached: usize,
}

impl Sum {
    fn add(&mut self, other: &Sum) {
        self.missing += other.missing;
        self.wrong += other.wrong;
        self.reached += other.reached;
    }
}

/// The connections: HTTP/1.1 takes turns, HTTP/2 carries everybody at once.
struct Shared {
    plain: Vec<Mutex<Connection>>,
    framed: Vec<SendRequest<Full<Bytes>>>,
    address: SocketAddr,
    way: Way,
}

struct Principal {
    name: String,
    session: String,
}

async fn measure(served: &Served, way: Way, calls: usize) -> Result<Sum> {
    let shared = Arc::new(Shared::open(served.address, way).await?);
    let mut principals = Vec::new();
    for number in 0..PRINCIPALS {
        let name = name_of(number);
        let hello = message::initialize("2025-11-25").with("x-principal", &name);
        let begun = shared.plain[number % CONNECTIONS].lock().await.begin(&hello).await?;
        let session = begun.map_err(|head| format!("no session: {}", head.status))?;
        principals.push(Arc::new(Principal { name, session }));
    }
    let mut tasks = Vec::new();
    for principal in &principals {
        // Two at once for each: one in its session, one without.
        for modern in [false, true] {
            let (shared, principal) = (shared.clone(), principal.clone());
            tasks.push(tokio::spawn(all_calls(shared, principal, modern, calls / 2)));
        }
    }
    let (mut wrong, mut made) = (0, 0);
    for task in tasks {
        wrong += task.await??;
        made += calls / 2;
    }
    println!("{PRINCIPALS} principals, {made} calls, {wrong} with anything foreign in the answer");
    let (tries, reached) = reach_for_others(&shared, &principals).await?;
    println!("{tries} tries to get at a session of somebody else, {reached} not answered with 404");
    Ok(Sum { missing: (PRINCIPALS * calls).saturating_sub(made), wrong, reached })
}

/// Makes the calls of one principal, one after another. Returns how many answers were wrong.
async fn all_calls(
    shared: Arc<Shared>,
    principal: Arc<Principal>,
    modern: bool,
    calls: usize,
) -> Result<usize> {
    let name = &principal.name;
    let whose = (shared.way.whose)(name);
    let mut wrong = 0;
    for number in 0..calls {
        let own = format!("{name}/{modern}/{number}");
        // Every tenth reports progress, and so is answered by a stream.
        let streams = number % 10 == 0;
        let (tool, arguments, expected) = match streams {
            true => ("wait", json!({ "millis": 0, "message": own }), format!("waited for {whose}")),
            false => ("echo", json!({ "message": own }), format!("{whose}: {own}")),
        };
        let tool = shared.tool(tool);
        let params = json!({
            "name": tool,
            "arguments": arguments,
            "_meta": { "progressToken": 1 },
        });
        let ask = match modern {
            true => message::modern(1, "tools/call", params),
            false => message::session_call(&principal.session, 1, &tool, params),
        };
        let (status, body) = shared.ask(number, &ask.with("x-principal", name)).await?;
        let text = String::from_utf8_lossy(&body);
        let answer = crate::web::connection::last_message(&body)?;
        let mut right = status == 200
            && answer["id"] == 1
            && answer["result"]["content"][0]["text"] == expected.as_str()
            && (!streams || text.contains(&own));
        // Names of others must not be anywhere in it.
        right &= text.matches("principal-").count() == text.matches(name.as_str()).count();
        if !right && wrong == 0 {
            println!("{own}: {status}: {text}");
        }
        wrong += usize::from(!right);
    }
    Ok(wrong)
}

/// Every principal reaches for the sessions of the next ones, in every way there is. Returns how
/// many tries there were, and how many got another answer than that there is no such session.
async fn reach_for_others(
    shared: &Shared,
    principals: &[Arc<Principal>],
) -> Result<(usize, usize)> {
    let (mut tries, mut reached) = (0, 0);
    for (number, own) in principals.iter().enumerate() {
        for offset in [1, 7, 25] {
            let other = &principals[(number + offset) % principals.len()].session;
            let arguments = json!({ "arguments": { "message": "mine" } });
            let asks = [
                message::session_call(other, 1, &shared.tool("echo"), arguments),
                message::initialized(other),
                message::in_session(other, &json!({ "jsonrpc": "2.0", "id": 1, "result": {} })),
                message::bare("GET", other),
                message::bare("GET", other).with("last-event-id", "1-0"),
                message::bare("DELETE", other),
            ];
            for ask in asks {
                // As somebody else, and as nobody.
                for ask in [ask.clone().with("x-principal", &own.name), ask] {
                    let (status, _) = shared.ask(tries, &ask).await?;
                    tries += 1;
                    reached += usize::from(status != 404);
                }
            }
        }
    }
    // Nobody's attempt to end a session ended it.
    for principal in principals {
        let arguments = json!({ "arguments": { "message": "still here" } });
        let ask = message::session_call(&principal.session, 1, &shared.tool("echo"), arguments);
        let (status, _) = shared.ask(0, &ask.with("x-principal", &principal.name)).await?;
        reached += usize::from(status != 200);
    }
    Ok((tries, reached))
}

impl Shared {
    async fn open(address: SocketAddr, way: Way) -> Result<Self> {
        let (mut plain, mut framed) = (Vec::new(), Vec::new());
        for _ in 0..CONNECTIONS {
            plain.push(Mutex::new(Connection::open(address).await?));
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            let (sender, connection) =
                hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
                    .await?;
            tokio::spawn(connection);
            framed.push(sender);
        }
        Ok(Shared { plain, framed, address, way })
    }

    fn tool(&self, name: &str) -> String {
        format!("{}{name}", self.way.tool)
    }

    /// Sends a request over one of the connections, of one kind or the other.
    async fn ask(&self, number: usize, ask: &Ask) -> Result<(u16, Vec<u8>)> {
        if number.is_multiple_of(2) {
            let mut connection = self.plain[number / 2 % CONNECTIONS].lock().await;
            let answer = connection.ask(ask).await?;
            return Ok((answer.status(), answer.body));
        }
        let method = hyper::Method::from_bytes(ask.method.as_bytes())?;
        let mut request =
            hyper::Request::builder().method(method).uri(format!("http://{}/mcp", self.address));
        for (name, value) in &ask.headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(Bytes::from(ask.body.clone())))?;
        let mut sender = self.framed[number / 2 % CONNECTIONS].clone();
        sender.ready().await?;
        let response = sender.send_request(request).await?;
        let status = response.status().as_u16();
        Ok((status, response.into_body().collect().await?.to_bytes().to_vec()))
    }
}
