//! What the server knows: clients, codes, tokens.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::Shared;
use super::consent::Waiting;
use super::keys::Keys;

/// A client that is known.
#[derive(Clone, Debug, Default)]
pub struct Client {
    /// Its id.
    pub id: String,
    /// Its secret, if it can keep one.
    pub secret: Option<String>,
    /// Where codes may be sent, letter by letter. For loopback addresses the port is free.
    pub redirect_uris: Vec<String>,
    /// What it may use: `authorization_code`, `refresh_token`, `client_credentials`, or the URN of
    /// token exchange or of a JWT as a grant.
    pub grant_types: Vec<String>,
    /// How it shows who it is: `none`, `client_secret_basic` or `client_secret_post`.
    pub auth_method: String,
}

/// What a user allowed a client to do.
#[derive(Clone, Debug)]
pub(super) struct Grant {
    pub(super) client: String,
    pub(super) subject: String,
    pub(super) resource: Option<String>,
    pub(super) scope: String,
    /// All tokens that come from the same consent.
    pub(super) family: String,
}

pub(super) struct Code {
    pub(super) grant: Grant,
    pub(super) redirect_uri: String,
    pub(super) challenge: String,
    pub(super) expires: u64,
    pub(super) used: bool,
}

pub(super) struct Refresh {
    pub(super) grant: Grant,
    pub(super) used: bool,
}

pub(super) struct State {
    pub(super) keys: Keys,
    pub(super) clients: BTreeMap<String, Client>,
    /// Client metadata documents that are known without fetching them.
    pub(super) documents: HashMap<String, Value>,
    /// Questions to the user, by their tickets.
    pub(super) waiting: HashMap<String, Waiting>,
    pub(super) codes: HashMap<String, Code>,
    pub(super) refresh: HashMap<String, Refresh>,
    /// The claims of every access token that was issued, by the token.
    pub(super) issued: HashMap<String, Value>,
    /// What ID tokens say, by the token: who, and to which client.
    pub(super) id_tokens: HashMap<String, (String, String)>,
    /// The claims of every assertion that was issued, by the assertion.
    pub(super) assertions: HashMap<String, Value>,
    /// The names of assertions that were used here.
    pub(super) used_assertions: HashSet<String>,
    /// The identity provider whose assertions are taken.
    pub(super) trusted: Option<Arc<Shared>>,
    /// Families that ended, because one of their secrets was used twice.
    pub(super) revoked: HashSet<String>,
    /// Proofs that were used.
    pub(super) proofs: HashSet<String>,
    /// Every request: method and path.
    pub(super) seen: Vec<String>,
}

impl State {
    pub(super) fn new() -> State {
        State {
            keys: Keys::generate(1),
            clients: BTreeMap::new(),
            documents: HashMap::new(),
            waiting: HashMap::new(),
            codes: HashMap::new(),
            refresh: HashMap::new(),
            issued: HashMap::new(),
            id_tokens: HashMap::new(),
            assertions: HashMap::new(),
            used_assertions: HashSet::new(),
            trusted: None,
            revoked: HashSet::new(),
            proofs: HashSet::new(),
            seen: Vec::new(),
        }
    }
}

pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
