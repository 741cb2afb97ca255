//! Describes a package or one of its symbols: `package npm:zod@4 ZodString.email`.

#![expect(clippy::print_stdout, reason = "an example answers on stdout")]

use docent_packages::worker::{Isolation, run_if_worker};
use docent_packages::{Engine, PackageRef, Style, Target};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Packages are parsed in a process of their own; this program is its own worker.
    run_if_worker();
    let mut arguments = std::env::args().skip(1);
    let package: PackageRef = arguments.next().ok_or("which package?")?.parse()?;
    let symbol = arguments.next();

    let engine = Engine::builder().isolation(Isolation::default()).build()?;
    let style = Style::default().max_tokens(1000);
    let answer = engine.describe(&Target::new(package), symbol.as_deref(), &style).await?;
    println!("{}", answer.text);
    // What was read for it is kept for the next question.
    engine.settle().await;
    Ok(())
}
