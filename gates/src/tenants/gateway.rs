//! Principals before a gateway, each with a client of each era, over servers of each era: whatever
//! a client is told, asked and answered is its principal's. Then each reaches for what others have:
//! calls that wait for answers, tasks, what somebody else read.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use docent_host::config::ServerEntry;
use docent_host::{Gateway, Host};
use docent_mcp::Client;
use docent_mcp::client::{Called, ClientTask, RequestOptions};
use docent_mcp::transport::http::{HttpEndpoint, HttpOptions};
use docent_mcp::types::{ElicitAction, ElicitResult, JsonObject, LoggingLevel, Revision};
use serde_json::{Value, json};

use super::{PRINCIPALS, name_of};
use crate::Result;
use crate::web::child::Served;
use crate::web::role::behind_login;

/// Servers behind the gateway, by era.
const SERVERS: [&str; 2] = ["legacy", "modern"];
const ERAS: [Revision; 2] = [Revision::NEWEST_LEGACY, Revision::NEWEST_MODERN];

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) calls: usize,
    pub(super) foreign: usize,
    pub(super) tries: usize,
    pub(super) reached: usize,
}

/// One client of a principal, and everything that it saw besides results.
struct Tenant {
    name: String,
    era: Revision,
    client: Client,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Tenant {
    async fn connect(address: SocketAddr, name: &str, era: Revision) -> Result<Tenant> {
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let (events, questions) = (seen.clone(), seen.clone());
        let own = name.to_owned();
        let endpoint =
            HttpEndpoint::new(format!("http://{address}/mcp"))?.header("x-principal", name)?;
        let client =
            Client::builder(name, "1.0")
                .revisions([era])
                .tasks()
                .on_event(move |event| {
                    events.lock().expect("no panic while locked").push(format!("{event:?}"));
                })
                .on_elicit_form(move |form| {
                    questions.lock().expect("no panic while locked").push(form.message);
                    let name = JsonObject::from_iter([("name".to_owned(), json!(own))]);
                    let (action, content) =
                        (ElicitAction::Accept, serde_json::from_value(json!(name)));
                    async move {
                        Ok(ElicitResult { action, content: content.ok(), ..Default::default() })
                    }
                })
                .connect(endpoint)
                .await?;
        client.set_log_level(LoggingLevel::Debug).await?;
        Ok(Tenant { name: name.to_owned(), era, client, seen })
    }

    fn own(&self) -> Value {
        json!({ "own": self.name })
    }

    /// Everything once, at each server. Returns how many calls were made, and how many of what came
    /// back is not this principal's.
    async fn round(&self) -> Result<(usize, usize)> {
        let (mut made, mut foreign) = (0, 0);
        for server in SERVERS {
            let seen = self.seen.clone();
            let options = RequestOptions::new().on_progress(move |report| {
                seen.lock().expect("no panic while locked").push(format!("{report:?}"));
            });
            let [work, ask, touch, later] =
                ["work", "ask", "touch", "later"].map(|tool| format!("{server}__{tool}"));
            let work = self.client.call_with(&work, self.own(), options);
            let ask = self.client.call(&ask, self.own());
            let touch = self.client.call(&touch, self.own());
            let later = self.client.call(&later, self.own());
            let (work, ask, touch, later) = tokio::try_join!(work, ask, touch, later)?;
            for result in [work, ask, touch, later] {
                made += 1;
                foreign += usize::from(!self.is_own(&serde_json::to_string(&result)?));
            }
        }
        let seen = std::mem::take(&mut *self.seen.lock().expect("no panic while locked"));
        foreign += seen.iter().filter(|text| !self.only_own(text)).count();
        Ok((made, foreign))
    }

    /// Says so, and names nobody else.
    fn is_own(&self, text: &str) -> bool {
        text.contains(&self.name) && self.only_own(text)
    }

    fn only_own(&self, text: &str) -> bool {
        let own = text.matches("principal-").count() == text.matches(&self.name).count();
        if !own {
            println!("{} {} saw: {text}", self.name, self.era);
        }
        own
    }

    async fn request(&self, method: &str, params: Value) -> Result<Value> {
        let params: JsonObject = serde_json::from_value(params)?;
        let options = RequestOptions::new().hand_over_questions();
        Ok(self.client.request(method, params, options).await?.decode()?)
    }
}

pub(super) async fn measure(principals: usize, rounds: usize) -> Result<Found> {
    let served = Served::start_as("serve-gateway", &[]).await?;
    let mut tenants = Vec::new();
    for number in 0..principals.min(PRINCIPALS) {
        for era in ERAS {
            tenants.push(Arc::new(Tenant::connect(served.address, &name_of(number), era).await?));
        }
    }
    for tenant in &tenants {
        // Over each server, its own and nobody else's.
        for server in SERVERS {
            tenant.client.subscribe(format!("{server}+memo://of/{}", tenant.name)).await?;
        }
    }
    let mut found = Found::default();
    let mut running = tokio::task::JoinSet::new();
    for tenant in &tenants {
        let tenant = tenant.clone();
        running.spawn(async move {
            let mut sum = (0, 0);
            for _ in 0..rounds {
                let (made, foreign) = tenant.round().await?;
                sum = (sum.0 + made, sum.1 + foreign);
            }
            Ok::<_, crate::Error>(sum)
        });
    }
    while let Some(joined) = running.join_next().await {
        let (made, foreign) = joined??;
        found.calls += made;
        found.foreign += foreign;
    }
    let nobody = HttpEndpoint::new(format!("http://{}/mcp", served.address))?;
    let nobody = Client::builder("nobody", "1.0").tasks().connect(nobody).await?;
    let nobody =
        Tenant { name: "nobody".into(), era: ERAS[1], client: nobody, seen: Arc::default() };
    for (number, tenant) in tenants.iter().enumerate() {
        // The next principal with a client of the same era, and somebody who is none.
        let other = &tenants[(number + ERAS.len()) % tenants.len()];
        for thief in [&**other, &nobody] {
            for server in SERVERS {
                reach_for_question(tenant, thief, server, &mut found).await?;
                reach_for_task(tenant, thief, server, &mut found).await?;
                reach_for_read(tenant, thief, server, number, &mut found).await?;
            }
        }
    }
    Ok(found)
}

impl Found {
    fn tried(&mut self, what: &str, reached: bool) {
        self.tries += 1;
        self.reached += usize::from(reached);
        if reached {
            println!("somebody got at {what} of somebody else");
        }
    }
}

/// A call that waits for its user is answered by nobody else, and goes on when the user answers.
async fn reach_for_question(
    owner: &Tenant,
    thief: &Tenant,
    server: &str,
    found: &mut Found,
) -> Result<()> {
    if !owner.era.is_modern() || !thief.era.is_modern() {
        return Ok(());
    }
    let call = |more: Value| {
        let mut params = json!({ "name": format!("{server}__ask"), "arguments": owner.own() });
        if let (Value::Object(params), Value::Object(more)) = (&mut params, more) {
            params.extend(more);
        }
        params
    };
    let asked = owner.request("tools/call", call(json!({}))).await?;
    let keys = asked["inputRequests"].as_object().ok_or("no question came")?.keys();
    let answers = |name: &str| -> Value {
        let answer = json!({ "action": "accept", "content": { "name": name } });
        keys.clone().map(|key| (key.clone(), answer.clone())).collect()
    };
    let stolen = json!({
        "requestState": asked["requestState"],
        "inputResponses": answers(&thief.name),
    });
    let taken = thief.request("tools/call", call(stolen)).await;
    found.tried("a question", taken.is_ok());
    let own = json!({
        "requestState": asked["requestState"],
        "inputResponses": answers(&owner.name),
    });
    let done = owner.request("tools/call", call(own)).await?;
    let expected = format!("{} is called {}", owner.name, owner.name);
    found.tried("an answer", !done.to_string().contains(&expected));
    Ok(())
}

/// A task is nobody else's to see, to end or to be told of.
async fn reach_for_task(
    owner: &Tenant,
    thief: &Tenant,
    server: &str,
    found: &mut Found,
) -> Result<()> {
    let called = owner.client.call_task(&format!("{server}__later"), owner.own()).await?;
    // Between eras there are no tasks.
    let Called::Task(task) = called else { return Ok(()) };
    let same: ClientTask = thief.client.task(task.id());
    found.tried("a task", same.status().await.is_ok());
    found.tried("the end of a task", same.cancel().await.is_ok());
    let id = json!({ "taskId": task.id() });
    for method in ["tasks/result", "tasks/get", "tasks/update", "tasks/cancel"] {
        let mut id = id.clone();
        if method == "tasks/update" {
            id["inputResponses"] = json!({});
        }
        found.tried("a task", thief.request(method, id).await.is_ok());
    }
    if !thief.era.is_modern() {
        let listed = thief.request("tasks/list", json!({})).await?;
        found.tried("a list of tasks", listed.to_string().contains(task.id()));
    }
    let result = serde_json::to_string(&task.wait().await?)?;
    found.tried("the result of a task", !owner.is_own(&result));
    Ok(())
}

/// What one has read and nobody else may be shown is read anew.
async fn reach_for_read(
    owner: &Tenant,
    thief: &Tenant,
    server: &str,
    number: usize,
    found: &mut Found,
) -> Result<()> {
    let uri = format!("{server}+memo://private/{number}");
    let text = |read: &docent_mcp::types::ReadResourceResult| {
        read.contents.first().and_then(|contents| contents.as_text().map(str::to_owned))
    };
    let own = text(&owner.client.read(&uri).await?);
    let other = text(&thief.client.read(&uri).await?);
    found.tried("a private resource", own.is_none() || own == other);
    Ok(())
}

/// The role of the gateway, before one server of each era and before what else its words name as
/// `name=address`. Who asks is in a header, as a login would say.
pub(crate) fn role(words: &[String]) -> Result<()> {
    let program = std::env::current_exe()?.to_string_lossy().into_owned();
    let mut entries: Vec<_> = SERVERS
        .iter()
        .map(|era| ServerEntry::stdio(*era, program.clone(), ["tenant-server", *era]))
        .collect();
    for word in words {
        let (name, address) = word.split_once('=').ok_or("serve-gateway NAME=ADDRESS…")?;
        entries.push(ServerEntry::http(name, address));
    }
    crate::web::role::end_with_input();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async move {
        let host = Host::from_entries(entries);
        // So that no client comes before the servers are listed.
        host.start();
        host.tools().await;
        let gateway = Gateway::new(host);
        behind_login(gateway.http_service(HttpOptions::new())?).await
    })
}
