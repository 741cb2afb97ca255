//! One server: started when it is needed or at once, kept running, its lists at hand.
//!
//! A [`Backend`] is driven by one task of its own ([`drive`]), so that nobody who asks for it has to
//! wait longer than they want: the task connects, fetches the lists, fetches them again when the
//! server says that they changed, and after a failure tries again with growing pauses. What others
//! see is its [`State`] and its [`Catalog`]; [`source`] makes a connection of an entry, with the
//! [headers](printed_headers) that a command prints, and [`failure`] an explanation of what went wrong.

mod catalog;
mod drive;
mod failure;
mod printed_headers;
mod settings;
mod source;

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use docent_mcp::Client;
use docent_mcp::client::{RequestOptions, ServerDescription};
use docent_mcp::types::Tool;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

pub(crate) use catalog::{Catalog, Kind};
pub use failure::{Failure, FailureCode};
pub(crate) use settings::{BackendEvent, Relay, Role, Settings};

use self::failure::Witness;
use crate::config::{Approval, Masked, ServerEntry, Transport};
use crate::error::{Error, Result};
use crate::view::allows;

/// How a server is doing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum State {
    /// Nobody needed it yet.
    Idle,
    /// It is being started, or reached for the first time.
    Starting,
    /// It is there.
    Ready(Box<ServerDescription>),
    /// It is not there, and why. It is tried again by itself.
    Failed(Arc<Failure>),
    /// It is not to be used, and why.
    Off(String),
}

/// One server.
pub(crate) struct Backend {
    pub(crate) number: usize,
    pub(crate) entry: ServerEntry,
    pub(crate) settings: Arc<Settings>,
    status: Mutex<Status>,
    changed: watch::Sender<u64>,
    /// Lists that have to be fetched again, and whether the server says that they changed.
    dirty: Mutex<Vec<(Kind, bool)>>,
    wake: Notify,
    witness: Witness,
    driver: Mutex<Option<JoinHandle<()>>>,
    /// How the shared connection is to answer questions, set before it is opened.
    role: Mutex<Role>,
}

struct Status {
    state: State,
    client: Option<Client>,
    catalog: Option<Arc<Catalog>>,
    /// When it was first needed.
    begun: Option<Instant>,
    /// How long the last start took.
    took: Option<Duration>,
}

impl Backend {
    pub(crate) fn new(number: usize, entry: ServerEntry, settings: Arc<Settings>) -> Arc<Self> {
        let state = match (&entry.approval, entry.disabled) {
            (_, true) => State::Off("it is switched off in its configuration".to_owned()),
            (Approval::Needed { .. }, _) => State::Off(
                "a project brought it along, and you have not approved what it would run"
                    .to_owned(),
            ),
            (Approval::Approved, _) => State::Idle,
        };
        Arc::new(Backend {
            number,
            entry,
            settings,
            status: Mutex::new(Status {
                state,
                client: None,
                catalog: None,
                begun: None,
                took: None,
            }),
            changed: watch::Sender::new(0),
            dirty: Mutex::default(),
            wake: Notify::new(),
            witness: Witness::default(),
            driver: Mutex::default(),
            role: Mutex::default(),
        })
    }

    /// A server whose configuration cannot be used.
    pub(crate) fn unusable(
        number: usize,
        name: &str,
        problem: String,
        settings: Arc<Settings>,
    ) -> Arc<Self> {
        let transport = Transport::Stdio {
            command: Masked::plain(""),
            args: Vec::new(),
            env: Default::default(),
            cwd: None,
            inherit: false,
        };
        let backend = Backend::new(number, ServerEntry::new(name, transport), settings);
        backend.status().state = State::Failed(Arc::new(Failure::configuration(problem)));
        backend
    }

    pub(crate) fn name(&self) -> &str {
        &self.entry.name
    }

    fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().expect("no panic while locked")
    }

    /// How the server is doing.
    pub(crate) fn state(&self) -> State {
        self.status().state.clone()
    }

    pub(crate) fn took(&self) -> Option<Duration> {
        self.status().took
    }

    /// The shared connection, if it is open.
    pub(crate) fn open_client(&self) -> Option<Client> {
        self.status().client.clone()
    }

    /// How every call is made, by whomever: within the time that the entry gives it, or else the
    /// host.
    pub(crate) fn options(&self) -> RequestOptions {
        self.timed(RequestOptions::new())
    }

    /// The same for options that may have a time already.
    pub(crate) fn timed(&self, options: RequestOptions) -> RequestOptions {
        let timeout = self.entry.call_timeout.unwrap_or(self.settings.limits.call_timeout);
        options.timeout_unless_set(timeout)
    }

    /// What was last listed, if anything ever was.
    pub(crate) fn catalog(&self) -> Option<Arc<Catalog>> {
        self.status().catalog.clone()
    }

    /// Says how the shared connection answers questions. Returns whether that is still possible.
    pub(crate) fn play(&self, role: Role) -> bool {
        let status = self.status();
        let early = matches!(status.state, State::Idle);
        if early {
            *self.role.lock().expect("no panic while locked") = role;
        }
        early
    }

    /// Whether it may still become ready by itself.
    pub(crate) fn is_pending(&self) -> bool {
        let status = self.status();
        match status.state {
            State::Idle | State::Starting => true,
            State::Ready(_) => status.catalog.is_none(),
            State::Failed(_) | State::Off(_) => false,
        }
    }

    /// Whether it is started only for those who ask for it, or for everything that there is.
    pub(crate) fn is_lazy(&self) -> bool {
        self.entry.lazy == Some(true)
    }

    /// Starts the server unless it is off or was started before.
    pub(crate) fn start(self: &Arc<Self>) {
        let mut status = self.status();
        if matches!(status.state, State::Idle) {
            status.state = State::Starting;
            status.begun = Some(Instant::now());
            drop(status);
            let driving = tokio::spawn(drive::drive(self.clone()));
            *self.driver.lock().expect("no panic while locked") = Some(driving);
            self.told_state();
        }
    }

    /// The shared connection, once there is one; at once an error if there is none to be had.
    pub(crate) async fn client(self: &Arc<Self>) -> Result<Client> {
        self.start();
        let mut changed = self.changed.subscribe();
        loop {
            {
                let status = self.status();
                match (&status.state, &status.client) {
                    (State::Failed(failure), _) => {
                        return Err(Error::unavailable(self.name(), failure.clone()));
                    }
                    (State::Off(why), _) => {
                        return Err(Error::blocked(
                            self.name(),
                            format!("server `{}` is not used: {why}", self.name()),
                        ));
                    }
                    (State::Ready(_), Some(client)) => return Ok(client.clone()),
                    _ => {}
                }
            }
            if changed.changed().await.is_err() {
                return Err(self.closed());
            }
        }
    }

    /// What the server lists, once it did.
    pub(crate) async fn listed(self: &Arc<Self>) -> Result<Arc<Catalog>> {
        let mut changed = self.changed.subscribe();
        loop {
            self.client().await?;
            if let Some(catalog) = self.catalog() {
                return Ok(catalog);
            }
            if changed.changed().await.is_err() {
                return Err(self.closed());
            }
        }
    }

    /// Opens a connection of its own, for a caller that must not share one.
    pub(crate) async fn connect(self: &Arc<Self>, role: Role) -> Result<Client> {
        match drive::open(self, &role, false).await {
            Ok(client) => Ok(client),
            Err(failure) => Err(Error::unavailable(self.name(), Arc::new(failure))),
        }
    }

    /// Waits until the server was listed or has failed, but only until it has had this long since
    /// it was first needed: who comes later does not wait again for one that is slow.
    pub(crate) async fn settle(&self, patience: Duration) {
        let Some(begun) = self.status().begun else { return };
        let mut changed = self.changed.subscribe();
        let settling = async { while self.is_pending() && changed.changed().await.is_ok() {} };
        let _ = tokio::time::timeout_at(begun + patience, settling).await;
    }

    /// Has lists fetched again, behind what is shown meanwhile.
    pub(crate) fn refresh(&self, kinds: &[Kind]) {
        self.refresh_as(kinds, false);
    }

    /// [`Backend::refresh`]; with `told`, because the server says that they changed.
    fn refresh_as(&self, kinds: &[Kind], told: bool) {
        let mut dirty = self.dirty.lock().expect("no panic while locked");
        let wanted = |kind: &&Kind| **kind == Kind::Tools || !self.settings.tools_only;
        for kind in kinds.iter().filter(wanted) {
            match dirty.iter_mut().find(|(one, _)| one == kind) {
                Some((_, before)) => *before |= told,
                None => dirty.push((*kind, told)),
            }
        }
        drop(dirty);
        self.wake.notify_one();
    }

    /// Fetches again what is no longer fresh.
    pub(crate) fn refresh_stale(&self) {
        if let Some(catalog) = self.catalog() {
            let stale = catalog.stale();
            if !stale.is_empty() {
                self.refresh(&stale);
            }
        }
    }

    /// The error of a request, and what it shows about the server.
    pub(crate) fn request_failed(&self, error: docent_mcp::Error) -> Error {
        if error.is_closed() && error.rpc().is_none() {
            // The driver finds out whether it is really gone.
            self.refresh(&[Kind::Tools]);
            let failure = Arc::new(self.witness.explain(&error, &self.entry));
            return Error::unavailable(self.name(), failure);
        }
        Error::request(self.name(), error)
    }

    /// Whether a tool is offered, or why it is not.
    fn admits(&self, tool: &Tool) -> Result<(), String> {
        if !allows(&self.entry.tools, &tool.name) {
            return Err("the server's configuration does not allow it".to_owned());
        }
        self.settings.admit.as_ref().map_or(Ok(()), |admit| admit(self.name(), tool))
    }

    fn closed(&self) -> Error {
        let failure = Failure::configuration("the host is closed".to_owned());
        Error::unavailable(self.name(), Arc::new(failure))
    }

    fn notify(&self) {
        self.changed.send_modify(|version| *version += 1);
    }

    fn tell(&self, event: &BackendEvent) {
        for listener in self.settings.events.read().expect("no panic while locked").iter() {
            listener(self.number, event);
        }
    }

    fn told_state(&self) {
        self.notify();
        self.tell(&BackendEvent::State);
    }

    /// Ends the server and everything it started.
    pub(crate) async fn close(&self) {
        let driving = self.driver.lock().expect("no panic while locked").take();
        if let Some(driving) = driving {
            driving.abort();
            let _ = driving.await;
        }
        let client = {
            let mut status = self.status();
            status.state = State::Off("the host is closed".to_owned());
            status.client.take()
        };
        self.notify();
        if let Some(client) = client {
            client.close().await;
        }
    }

    /// [`Backend::close`] without waiting, for whoever is dropped.
    pub(crate) fn abandon(&self) {
        if let Some(driving) = self.driver.lock().expect("no panic while locked").take() {
            driving.abort();
        }
        self.status().client = None;
    }
}
