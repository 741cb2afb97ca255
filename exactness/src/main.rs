//! What the engine extracts, measured.
//!
//! `compare` holds it against what the ecosystem's own tool says (`reference`, `names`,
//! `signature`, `compare`, `report`); `check` checks code that is right and code that is not;
//! `breadth` loads many packages from the user's registries;
//! `bench` measures times. The xtask commands install what they need and start this program.

#![expect(clippy::print_stdout, reason = "this program answers on stdout")]

mod bench;
mod breadth;
mod check;
mod compare;
mod inlined;
mod installed;
mod names;
mod reference;
mod report;
mod signature;

use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(max_term_width = 100)]
enum Arguments {
    /// Compares extractions of installed packages with reference files
    Compare(compare::Arguments),
    /// Checks files whose findings are known
    Check(check::Arguments),
    /// Measures times and memory over installed packages
    Bench(bench::Arguments),
    /// Loads packages from the user's registries and says what was found
    Breadth(breadth::Arguments),
}

fn main() -> ExitCode {
    // Packages are opened in processes of this program, as `docent` does it.
    docent_packages::worker::run_if_worker();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let outcome =
        runtime.map_err(|error| format!("the runtime cannot start: {error}")).and_then(|runtime| {
            match Arguments::parse() {
                Arguments::Compare(arguments) => runtime.block_on(compare::run(&arguments)),
                Arguments::Check(arguments) => runtime.block_on(check::run(&arguments)),
                Arguments::Bench(arguments) => runtime.block_on(bench::run(&arguments)),
                Arguments::Breadth(arguments) => runtime.block_on(breadth::run(&arguments)),
            }
        });
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
