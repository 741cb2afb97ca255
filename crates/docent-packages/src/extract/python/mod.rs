//! The public API of a Python distribution, from its stubs and sources.

use super::Input;
use crate::Extraction;

pub(super) fn extract(input: &Input<'_>) -> Extraction {
    let _ = (input, input.find(""), input.source(input.package, ""));
    Extraction::default()
}
