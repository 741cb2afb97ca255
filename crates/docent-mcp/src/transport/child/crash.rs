//! Noticing that a child crashed although its pipes stay open.
//!
//! The end of a server is normally the end of its output. But what it started may have inherited
//! the pipe and hold it open, and then a session would wait for answers that nobody is left to give.
//! So a child that ends badly, by a signal or with an error, ends the output as well. One that ends
//! well does not: it may be a wrapper that handed its pipes on.

use std::future::Future;
use std::pin::Pin;
use std::process::Child;
use std::thread;

use tokio::sync::oneshot;

use super::members;

/// The thread that waits has next to nothing on its stack.
const STACK_BYTES: usize = 64 << 10;

pub(super) type Crash = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Resolves when the child has crashed; never if it ends well, or where that cannot be told.
pub(super) fn crash(child: &Child) -> Crash {
    let (crashed, noticed) = oneshot::channel();
    let end = members::end_of(child);
    // The system offers this wait only to threads, unless it also reaps. The thread ends with the
    // child; if there is none to be had, a crash shows in the pipe or not at all.
    let _ = thread::Builder::new()
        .name("docent-child-wait".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            if end().is_some_and(|status| !status.success()) {
                // Fails if nobody reads the output any more.
                let _ = crashed.send(());
            }
        });
    Box::pin(async {
        if noticed.await.is_err() {
            std::future::pending().await
        }
    })
}
