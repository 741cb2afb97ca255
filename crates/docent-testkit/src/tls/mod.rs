//! A certificate for servers on this machine, and the authority to trust for it, in PEM. It is good
//! for loopback addresses, `localhost` and a few names below `.example`, and for nothing else: the
//! key of the authority was thrown away, and the one here is known to everybody.

/// The authority, for clients.
pub const AUTHORITY: &[u8] = include_bytes!("authority.pem");
/// The certificate, for servers.
pub const CERTIFICATE: &[u8] = include_bytes!("server.pem");
/// The key of the certificate.
pub const KEY: &[u8] = include_bytes!("server.key");
