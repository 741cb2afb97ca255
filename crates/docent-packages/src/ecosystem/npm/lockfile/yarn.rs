//! `yarn.lock`: which of Yarn's two formats it is in.

use super::{Importer, Package, yarn_berry, yarn_classic};
use crate::Limits;

pub(super) fn parse(
    text: &str,
    importer: &Importer,
    limits: &Limits,
) -> Result<Vec<Package>, String> {
    let is_berry = text.lines().any(|line| line.starts_with("__metadata:"));
    let parse = if is_berry { yarn_berry::parse } else { yarn_classic::parse };
    parse(text, importer, limits)
}
