//! Authorization, against a realm that is told what to do.

/// What authorization servers and servers must not get away with.
mod hostile;
/// A user logs in.
mod login;
/// Programs that log in by themselves.
mod machine;
/// The realm.
mod realm;
/// Tokens that end, and several programs that share them.
mod renewal;

use self::realm::{Instead, Realm, User};
