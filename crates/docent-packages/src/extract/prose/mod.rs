//! What a package says in prose: README, guides, examples, changes.

mod html;
mod rest;

mod clean;

pub(crate) use clean::visible;
pub(crate) use html::to_markdown as html_to_markdown;
pub(crate) use rest::to_markdown as rest_to_markdown;

use super::Input;
use crate::{Chunk, Ecosystem};

pub(super) fn extract(ecosystem: Ecosystem, input: &Input<'_>) -> Vec<Chunk> {
    let _ = (ecosystem, input);
    Vec::new()
}
