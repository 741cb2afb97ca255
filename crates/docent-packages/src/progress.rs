//! How far a long piece of work has come, for whoever waits.

use std::fmt;
use std::sync::Arc;

/// One report.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Update {
    /// Bytes of an artifact that have arrived.
    Downloading {
        /// The package, as `name@version` or the last part of its address.
        what: String,
        /// So far.
        bytes: u64,
        /// Of all, if the server said.
        total: Option<u64>,
    },
    /// The files of a package are being read.
    Reading {
        /// The package, as `name@version`.
        what: String,
    },
}

/// Where reports go. Cheap to clone; the default one drops them.
#[derive(Clone, Default)]
pub struct Progress {
    listener: Option<Arc<dyn Fn(Update) + Send + Sync>>,
}

impl Progress {
    /// Reports go to this function, which must be quick.
    pub fn new(listener: impl Fn(Update) + Send + Sync + 'static) -> Self {
        Self { listener: Some(Arc::new(listener)) }
    }

    pub(crate) fn report(&self, update: impl FnOnce() -> Update) {
        if let Some(listener) = &self.listener {
            listener(update());
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("listens", &self.listener.is_some()).finish()
    }
}
