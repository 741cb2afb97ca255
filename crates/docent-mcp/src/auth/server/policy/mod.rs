//! Who may use what: rules over tools, resources, prompts and methods, as a layer.
//!
//! `rules` holds them and decides, `subject` finds out what a request wants to use, `list` takes
//! out of a list what its reader may not use, `service` puts them around the requests.

mod list;
mod rules;
mod service;
mod subject;

pub use rules::Policy;
pub use service::Guarded;
