//! The options that all gates share.

use crate::Result;

/// How to run a gate.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// Fewer rounds, for every change; the full number is for releases.
    pub(crate) quick: bool,
    /// Where chance begins, so that a failure can be run again.
    pub(crate) seed: u64,
}

pub(crate) fn parse(words: &[String]) -> Result<Options> {
    let mut options = Options { quick: false, seed: 1 };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--quick" => options.quick = true,
            "--seed" => options.seed = words.next().ok_or("--seed needs a number")?.parse()?,
            other => return Err(format!("a gate has no option `{other}`").into()),
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: std::result::Result<Options, &str>) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let parsed = parse(&words).map_err(|error| error.to_string());
        assert_eq!(parsed, expected.map_err(str::to_owned), "{line}");
    }

    #[test]
    fn options_are_read_and_mistakes_named() {
        check("", Ok(Options { quick: false, seed: 1 }));
        check("--seed 7 --quick", Ok(Options { quick: true, seed: 7 }));
        check("--seed", Err("--seed needs a number"));
        check("--fast", Err("a gate has no option `--fast`"));
    }
}
