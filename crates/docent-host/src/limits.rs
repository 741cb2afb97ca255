//! Every bound of the host and the gateway, with defaults that are safe to expose.

use std::time::Duration;

/// The longest configuration file, lock file or file of variables that is read. Some clients keep
/// their history in the same file.
pub(crate) const CONFIG_BYTES_MAX: u64 = 32 << 20;

/// What many servers may cost. What one connection may cost is in
/// [`docent_mcp::Limits`], as [`connection`](HostLimits::connection).
#[derive(Clone, Debug)]
pub struct HostLimits {
    /// Bounds of every connection to a server.
    pub connection: docent_mcp::Limits,
    /// How long a list waits for servers that were never listed before. Then those that are there
    /// are shown, and a change is told when the others come.
    pub list_patience: Duration,
    /// How long the first answer to a client waits for servers, so that it can hold what they want
    /// a model to know.
    pub greeting_patience: Duration,
    /// How long a server may take to start and to list what it has, unless its entry says.
    pub startup_timeout: Duration,
    /// How long one call may take, unless the server's entry says.
    pub call_timeout: Duration,
    /// The longest pause before a server that failed is tried again.
    pub retry_pause_max: Duration,
    /// The shortest time between two looks at the lists of one server.
    pub refresh_pause: Duration,
    /// Most connections to one server that the gateway opens for callers of their own.
    pub homes_per_server_max: usize,
    /// How long such a connection is kept when its caller makes no calls.
    pub home_idle_timeout: Duration,
    /// Most calls that the gateway holds open until their questions are answered.
    pub held_calls_max: usize,
    /// How long such a call is held.
    pub held_call_timeout: Duration,
    /// Most addresses of resources that results named, kept to find their servers.
    pub links_max: usize,
    /// Calls of one caller that may share a connection.
    pub calls_per_home_max: usize,
    /// Progress reports and log messages of one call that may wait for the caller.
    pub notices_max: usize,
    /// Questions of one server that may wait for one call.
    pub questions_max: usize,
    /// How long a server may go on logging for a call that was taken back.
    pub leaving_timeout: Duration,
    /// Callers who took calls back and are remembered that long; while there are more, nobody hears
    /// logs.
    pub leaving_max: usize,
    /// Lines of the record of calls that may wait to be written.
    pub record_lines_max: usize,
    /// How long a command may take that prints the headers for a server.
    pub headers_helper_timeout: Duration,
    /// How much it may print.
    pub headers_helper_bytes_max: usize,
    /// Most principals whose rate of calls is remembered.
    pub rates_max: usize,
}

impl Default for HostLimits {
    fn default() -> Self {
        HostLimits {
            // Whoever ends a gateway may give it no more than two seconds, in which the most stubborn
            // of its servers has to be gone as well.
            connection: docent_mcp::Limits {
                child_exit_timeout: Duration::from_millis(700),
                ..docent_mcp::Limits::default()
            },
            list_patience: Duration::from_millis(1500),
            greeting_patience: Duration::from_millis(300),
            startup_timeout: Duration::from_secs(30),
            call_timeout: Duration::from_secs(3600),
            retry_pause_max: Duration::from_secs(30),
            refresh_pause: Duration::from_millis(200),
            homes_per_server_max: 64,
            home_idle_timeout: Duration::from_secs(900),
            held_calls_max: 1024,
            held_call_timeout: Duration::from_secs(600),
            links_max: 4096,
            calls_per_home_max: 1024,
            notices_max: 256,
            questions_max: 64,
            leaving_timeout: Duration::from_secs(60),
            leaving_max: 1024,
            record_lines_max: 4096,
            headers_helper_timeout: Duration::from_secs(10),
            headers_helper_bytes_max: 64 << 10,
            rates_max: 10_000,
        }
    }
}
