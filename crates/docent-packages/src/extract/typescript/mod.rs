//! The public API of an npm package, from its type declarations or its JavaScript.

use super::Input;
use crate::Extraction;

pub(super) fn extract(input: &Input<'_>) -> Extraction {
    let _ = (input, input.find(""), input.source(input.package, ""));
    Extraction::default()
}
