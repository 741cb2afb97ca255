//! Gates over what no other crate can reach: they run unit tests of the crate and count.

use std::process::{Command, Stdio};

use crate::Result;

pub(crate) struct Counted {
    pub(crate) passed: usize,
}

/// Runs these tests of a package's library, each of which must exist.
pub(crate) fn run(package: &str, names: &[&str]) -> Result<Counted> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["test", "--quiet", "--package", package, "--lib", "--", "--exact"]);
    command.args(names).env("RUST_BACKTRACE", "0");
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let passed = passed(&text);
    if !output.status.success() {
        println!("{text}");
    }
    Ok(Counted { passed: if output.status.success() { passed } else { 0 } })
}

/// The number in `test result: ok. 3 passed; …`.
fn passed(text: &str) -> usize {
    let results = text.lines().filter_map(|line| line.strip_prefix("test result: ok. "));
    results.filter_map(|rest| rest.split(' ').next()?.parse::<usize>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_tests_are_counted() {
        for (text, expected) in [
            ("", 0),
            ("running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored", 2),
            ("test result: FAILED. 1 passed; 1 failed", 0),
        ] {
            assert_eq!(passed(text), expected, "{text}");
        }
    }
}
