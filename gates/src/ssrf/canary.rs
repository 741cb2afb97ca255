//! Whoever listens where nobody should connect: notes the address that was connected to, and hangs
//! up.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::names::PUBLIC;
use crate::Result;

pub(super) struct Canary {
    pub(super) port: u16,
    heard: Arc<Mutex<Vec<IpAddr>>>,
    loopback_expected: AtomicBool,
    listening: JoinHandle<()>,
}

impl Canary {
    /// On a free port of every address there is.
    pub(super) async fn start() -> Result<Canary> {
        match Canary::at("[::]:0").await {
            Ok(canary) => Ok(canary),
            Err(_) => Canary::at("0.0.0.0:0").await,
        }
    }

    pub(super) async fn at(address: &str) -> Result<Canary> {
        let listener = TcpListener::bind(address).await?;
        let port = listener.local_addr()?.port();
        let heard: Arc<Mutex<Vec<IpAddr>>> = Arc::default();
        let noting = heard.clone();
        let listening = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                if let Ok(address) = socket.local_addr() {
                    let address = address.ip().to_canonical();
                    noting.lock().expect("no panic while locked").push(address);
                }
            }
        });
        let loopback_expected = AtomicBool::new(false);
        Ok(Canary { port, heard, loopback_expected, listening })
    }

    /// Everything that was connected to.
    pub(super) fn heard(&self) -> Vec<IpAddr> {
        self.heard.lock().expect("no panic while locked").clone()
    }

    /// From now on, loopback is connected to by the one who controls the canary.
    pub(super) fn expect_loopback(&self) {
        let before = self.private();
        assert!(before.is_empty(), "private addresses were connected to: {before:?}");
        self.loopback_expected.store(true, Ordering::Relaxed);
    }

    /// What was connected to and is not public.
    pub(super) fn private(&self) -> Vec<IpAddr> {
        let expected = self.loopback_expected.load(Ordering::Relaxed);
        let mut all = self.heard();
        all.retain(|address| {
            *address != IpAddr::from(PUBLIC) && !(expected && address.is_loopback())
        });
        all
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        self.listening.abort();
    }
}
