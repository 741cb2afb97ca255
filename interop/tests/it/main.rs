//! docent-mcp against the SDKs of other languages, in both directions and both eras.
//!
//! The peers are installed by `cargo xtask peers`, which says where in `DOCENT_PEERS`. A peer that
//! is not there is skipped by name.

/// What a client of another SDK printed about its checks.
mod checklist;
/// Our client, and all that it can ask of a fixture.
mod driver;
/// Clients and servers written with other SDKs, with the gateway between them.
mod gateway;
/// The official Inspector drives the documentation server.
mod inspector;
/// Logins, in both directions, with authorization servers of others and of the test kit.
mod logins;
/// Our client drives servers written with other SDKs.
mod our_client;
/// The same over HTTP.
mod our_client_http;
/// Clients written with other SDKs drive our server.
mod our_server;
/// The same over Streamable HTTP.
mod our_server_http;
/// The same over HTTP+SSE.
mod our_server_sse;
/// The peers and where they are.
mod peers;
/// Servers that print their address.
mod served;
/// What passes between a client and a server.
mod tap;
