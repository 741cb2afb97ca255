//! The host and the gateway, with servers and clients in memory and on loopback.

/// A server with a little of everything, and clients for it.
mod fixture;
/// Many servers served as one.
mod gateway;
/// Many servers used as one.
mod host;
