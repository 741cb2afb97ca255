//! Every bound of the crate in one place, with defaults that are safe to expose.

use std::time::Duration;

use crate::schema::SchemaLimits;

/// What one connection may cost. Every field is enforced; none is advisory.
///
/// ```
/// use docent_mcp::Limits;
///
/// let limits = Limits { message_bytes_max: 16 << 20, ..Limits::default() };
/// assert_eq!(limits.json_depth_max, 64);
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    /// Longest accepted message. A longer one is skipped without being held in memory and, if its
    /// id can be read, answered with an error.
    pub message_bytes_max: usize,
    /// Deepest nesting of arrays and objects in a message.
    pub json_depth_max: usize,
    /// Longest accepted request id, in bytes of JSON.
    pub id_bytes_max: usize,
    /// Most messages in a batch (2025-03-26 only; other revisions have none).
    pub batch_messages_max: usize,
    /// Most requests of one peer that run at the same time. Further ones wait in the backlog.
    pub in_flight_max: usize,
    /// Most requests of one peer that wait to run. Beyond that, reading pauses, which is how a
    /// sender on a pipe learns to slow down.
    pub backlog_max: usize,
    /// How long reading may stay paused while no running request finishes. Then the backlog is
    /// answered with an error, so that a cancellation or an answer behind it can be read. Also how
    /// long a peer that has ended its input may leave its last answers unread.
    pub stall_timeout: Duration,
    /// Bytes that may wait to be written before handlers that send notifications have to wait.
    pub outbox_bytes_max: usize,
    /// Most of our own requests that wait for the peer's answer.
    pub pending_max: usize,
    /// Most resources one legacy session may subscribe to, and most URIs in one listen filter.
    pub subscriptions_max: usize,
    /// Longest time without any answer at the end of input before requests that are still running
    /// are ended with an error.
    pub drain_timeout: Duration,
    /// How long the last bytes may take to be written when this side closes. When the peer does,
    /// it gets all of its answers as long as it reads within the stall timeout.
    pub flush_timeout: Duration,
    /// Default time for one of our requests to be answered; progress starts it anew.
    pub request_timeout: Duration,
    /// Longest time for one request, whatever progress is reported.
    pub request_timeout_max: Duration,
    /// How long a server may take to answer the first message of a connection.
    pub connect_timeout: Duration,
    /// How long a server may leave the era probe unanswered before it is taken for a legacy one.
    pub probe_timeout: Duration,
    /// Largest tool result, in bytes of text; longer text is cut and marked.
    pub tool_result_bytes_max: usize,
    /// Most entries in one page of a list.
    pub page_entries_max: usize,
    /// Most pages that a client follows for one list.
    pub pages_max: usize,
    /// Most rounds of questions that one modern request may take.
    pub input_rounds_max: u32,
    /// Most times in a minute that one server may have the client's model asked.
    pub samples_per_minute_max: u32,
    /// How long a `requestState` stays valid.
    pub request_state_ttl: Duration,
    /// Most tasks that a server keeps: running, waiting, or done and not yet expired.
    pub tasks_max: usize,
    /// Most tasks that a server keeps for one principal; those of nobody count together.
    pub tasks_per_principal_max: usize,
    /// How long a task is kept after its beginning, unless the client asks for another time.
    pub task_ttl: Duration,
    /// Longest time that a client may ask a server to keep a task.
    pub task_ttl_max: Duration,
    /// Largest result of a task, in bytes of JSON; a task with a larger one fails.
    pub task_result_bytes_max: usize,
    /// How often a server wants to be asked about a task, and how often a client asks when the
    /// server does not say.
    pub task_poll_interval: Duration,
    /// The shortest interval at which a client asks about a task, whatever the server says.
    pub task_poll_interval_min: Duration,
    /// The longest interval at which a client asks about a task, whatever the server says.
    pub task_poll_interval_max: Duration,
    /// Most files of one skill, served or loaded.
    pub skill_files_max: usize,
    /// Most bytes of all files of one skill, served or loaded.
    pub skill_bytes_max: usize,
    /// Deepest nesting of folders in which skills are looked for.
    pub skill_depth_max: usize,
    /// Longest front matter of a skill.
    pub skill_frontmatter_bytes_max: usize,
    /// Most results that a client keeps because a server said how long they stay fresh.
    pub cached_results_max: usize,
    /// Bytes of a child's stderr that are kept for error messages.
    pub stderr_bytes_max: usize,
    /// How long a child may take to exit after its input was closed, and again after SIGTERM.
    pub child_exit_timeout: Duration,
    /// Bounds for compiling and evaluating JSON Schemas.
    pub schema: SchemaLimits,
    /// Bounds for HTTP.
    pub http: HttpLimits,
}

/// What HTTP may cost, on top of what a message may.
#[derive(Clone, Debug)]
pub struct HttpLimits {
    /// Longest head of a request, with all of its headers.
    pub header_bytes_max: usize,
    /// Most headers of a request.
    pub header_fields_max: usize,
    /// How long a head may take from its first byte to its last.
    pub header_timeout: Duration,
    /// How long a body may take; one that hardly moves is given up earlier.
    pub body_timeout: Duration,
    /// How long a connection may wait for its next request.
    pub idle_timeout: Duration,
    /// How long a client may leave an answer unread before it is cut off.
    pub write_timeout: Duration,
    /// Most connections at once. Further ones are closed at once.
    pub connections_max: usize,
    /// How long an answer may take before the reply becomes a stream, so that what stands between
    /// sees that it is alive.
    pub stream_after: Duration,
    /// How often a silent stream says that it is alive.
    pub keep_alive: Duration,
    /// Most sessions (up to 2025-11-25).
    pub sessions_max: usize,
    /// Most sessions of one authenticated principal.
    pub sessions_per_principal_max: usize,
    /// How long a session may be left alone before it ends.
    pub session_idle_timeout: Duration,
    /// Most requests of one authenticated principal that run at the same time.
    pub in_flight_per_principal_max: usize,
    /// Bytes that are kept of one stream, so that a client can resume it.
    pub stream_bytes_max: usize,
    /// Bytes that are kept of all streams.
    pub streams_bytes_max: usize,
    /// Most broken or finished streams of one session that are kept to be resumed.
    pub streams_kept_max: usize,
    /// How long they are kept.
    pub resume_timeout: Duration,
    /// How long requests may take to finish once the server was told to stop. What still runs then
    /// is answered with an error.
    pub shutdown_timeout: Duration,
    /// How often in a row a client opens a stream again that ends without bringing anything; then
    /// whoever waits for it gets an error.
    pub reconnects_max: u32,
    /// Longest pause before that, unless the server asks for a longer one.
    pub reconnect_pause_max: Duration,
    /// How long the first requests of a session wait for the server's own stream to open: many
    /// servers lose what they ask before that.
    pub stream_open_timeout: Duration,
    /// How often a client makes a request again because its hook answered a challenge.
    pub challenges_max: u32,
    /// Bytes of a refusal that a client reads to find out why.
    pub refusal_bytes_max: usize,
}

/// What getting a token may cost; [`OAuth::limits`](crate::auth::OAuth::limits) takes it.
#[cfg(feature = "auth")]
#[derive(Clone, Debug)]
pub struct AuthLimits {
    /// How long a metadata or token endpoint may take.
    pub fetch_timeout: Duration,
    /// Largest document or answer of one.
    pub document_bytes_max: usize,
    /// Longest address in a document.
    pub address_bytes_max: usize,
    /// Most redirects on the way to a document.
    pub redirects_max: u32,
    /// How long a user may take to log in.
    pub login_timeout: Duration,
}

/// What verifying tokens may cost; [`JwtVerifier::limits`](crate::auth::JwtVerifier::limits),
/// [`Introspection::limits`](crate::auth::Introspection::limits) and
/// [`Protection::limits`](crate::auth::Protection::limits) take it.
#[cfg(feature = "auth")]
#[derive(Clone, Debug)]
pub struct VerifierLimits {
    /// Longest token, and longest proof of a key.
    pub token_bytes_max: usize,
    /// How far clocks may be apart.
    pub clock_skew: Duration,
    /// How long the authorization server may take to answer.
    pub fetch_timeout: Duration,
    /// Its largest answer.
    pub document_bytes_max: usize,
    /// Most keys of an authorization server that are kept.
    pub keys_max: usize,
    /// How long keys are used before they are fetched again.
    pub keys_ttl: Duration,
    /// How long keys are used when they cannot be fetched again.
    pub keys_stale_max: Duration,
    /// Shortest time between two fetches, whatever keys tokens name.
    pub keys_refresh_pause: Duration,
    /// Shortest time between two fetches while there are no keys at all.
    pub keys_retry_pause: Duration,
    /// How long the answer about a token is remembered.
    pub introspection_ttl: Duration,
    /// Most answers that are remembered.
    pub introspections_max: usize,
    /// Most tokens that are asked about at the same time.
    pub introspections_at_once_max: usize,
    /// How old the proof of a key may be.
    pub proof_age_max: Duration,
    /// Most proofs that are remembered, so that none is taken twice; further ones are refused.
    pub proofs_max: usize,
    /// How long a nonce for proofs may be used.
    pub nonce_ttl: Duration,
}

#[cfg(feature = "auth")]
impl Default for VerifierLimits {
    fn default() -> Self {
        VerifierLimits {
            token_bytes_max: 8 << 10,
            clock_skew: Duration::from_secs(60),
            fetch_timeout: Duration::from_secs(5),
            document_bytes_max: 256 << 10,
            keys_max: 64,
            keys_ttl: Duration::from_secs(600),
            keys_stale_max: Duration::from_secs(3600),
            keys_refresh_pause: Duration::from_secs(60),
            keys_retry_pause: Duration::from_secs(2),
            introspection_ttl: Duration::from_secs(30),
            introspections_max: 4096,
            introspections_at_once_max: 64,
            proof_age_max: Duration::from_secs(60),
            proofs_max: 65_536,
            nonce_ttl: Duration::from_secs(300),
        }
    }
}

#[cfg(feature = "auth")]
impl Default for AuthLimits {
    fn default() -> Self {
        AuthLimits {
            fetch_timeout: Duration::from_secs(20),
            document_bytes_max: 256 << 10,
            address_bytes_max: 4 << 10,
            redirects_max: 3,
            login_timeout: Duration::from_secs(300),
        }
    }
}

impl Default for HttpLimits {
    fn default() -> Self {
        HttpLimits {
            header_bytes_max: 16 << 10,
            header_fields_max: 100,
            header_timeout: Duration::from_secs(8),
            body_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(75),
            write_timeout: Duration::from_secs(30),
            connections_max: 16_384,
            stream_after: Duration::from_secs(2),
            keep_alive: Duration::from_secs(15),
            sessions_max: 10_000,
            sessions_per_principal_max: 100,
            session_idle_timeout: Duration::from_secs(1800),
            in_flight_per_principal_max: 128,
            stream_bytes_max: 1 << 20,
            streams_bytes_max: 64 << 20,
            streams_kept_max: 32,
            resume_timeout: Duration::from_secs(120),
            shutdown_timeout: Duration::from_secs(4),
            reconnects_max: 5,
            stream_open_timeout: Duration::from_secs(1),
            reconnect_pause_max: Duration::from_secs(30),
            challenges_max: 3,
            refusal_bytes_max: 64 << 10,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            message_bytes_max: 4 << 20,
            json_depth_max: 64,
            id_bytes_max: 1024,
            batch_messages_max: 100,
            in_flight_max: 1024,
            backlog_max: 1024,
            stall_timeout: Duration::from_secs(30),
            outbox_bytes_max: 1 << 20,
            pending_max: 1024,
            subscriptions_max: 1024,
            drain_timeout: Duration::from_secs(5),
            flush_timeout: Duration::from_millis(500),
            request_timeout: Duration::from_secs(60),
            request_timeout_max: Duration::from_secs(3600),
            connect_timeout: Duration::from_secs(30),
            probe_timeout: Duration::from_secs(10),
            tool_result_bytes_max: 256 << 10,
            page_entries_max: 100,
            pages_max: 1000,
            input_rounds_max: 16,
            samples_per_minute_max: 60,
            request_state_ttl: Duration::from_secs(3600),
            tasks_max: 4096,
            tasks_per_principal_max: 1024,
            task_ttl: Duration::from_secs(3600),
            task_ttl_max: Duration::from_secs(86_400),
            task_result_bytes_max: 1 << 20,
            task_poll_interval: Duration::from_secs(1),
            task_poll_interval_min: Duration::from_millis(50),
            task_poll_interval_max: Duration::from_secs(60),
            skill_files_max: 512,
            skill_bytes_max: 16 << 20,
            skill_depth_max: 16,
            skill_frontmatter_bytes_max: 64 << 10,
            cached_results_max: 1024,
            stderr_bytes_max: 64 << 10,
            child_exit_timeout: Duration::from_secs(1),
            schema: SchemaLimits::default(),
            http: HttpLimits::default(),
        }
    }
}
