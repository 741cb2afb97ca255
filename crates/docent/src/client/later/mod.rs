//! Questions that are answered by a second command.
//!
//! Where there is no terminal, `docent call --ask later` does not make the call itself: it starts
//! this program once more, which makes it and stays. If a server asks something on the way, the first
//! process tells what and ends with an exit code of its own; `docent answer` brings the answer to the
//! one that stayed, and waits for the result or the next question. The era of the server makes no
//! difference: what it needs to go on, a connection or a process that knows its own seal, is kept.
//!
//! `files` is what both sides know of such a call, `keeper` the side that stays, `follow` the side
//! that looks.

mod files;
mod follow;
mod keeper;

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};

pub(crate) use self::files::{Files, Now, Question};
pub(crate) use self::follow::{follow, show};
use self::keeper::Keeper;
use super::sampling;
use crate::failure::Failure;
use crate::print::Console;

/// Who answers when a server asks something.
#[derive(Args, Clone, Copy, Default)]
pub(crate) struct Asking {
    /// Who answers when a server asks something: whoever sits at the terminal, if there is one
    #[arg(long, value_name = "WHOM", value_enum, default_value_t)]
    ask: Ask,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Ask {
    /// The terminal, or nobody where there is none
    #[default]
    Terminal,
    /// A second command: this one ends with 4 and says which
    Later,
    /// Nobody: servers are told so
    Never,
}

/// Who is asked.
#[derive(Clone)]
pub(crate) enum Whom {
    Terminal,
    Keeper(Arc<Keeper>),
    Nobody,
}

impl Whom {
    /// Whoever sits here.
    pub(crate) fn at_hand() -> Self {
        use std::io::IsTerminal as _;
        match std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
            true => Whom::Terminal,
            false => Whom::Nobody,
        }
    }
}

/// Runs a command whose questions are answered as the user wants. `kept` is the name of the call for
/// the process that stays.
pub(crate) async fn asking(
    Asking { ask }: Asking,
    kept: Option<&str>,
    console: &Console,
    run: impl AsyncFnOnce(Whom) -> Result<u8, Failure>,
) -> Result<ExitCode, Failure> {
    if let Some(token) = kept {
        let keeper = Keeper::start(Files::of(token)?)?;
        let whom = Whom::Keeper(keeper.clone());
        let status = match run(whom.clone()).await {
            Ok(status) => status,
            Err(failure) => {
                let failure = advised(failure, &whom, console);
                console.fail(&failure);
                failure.status()
            }
        };
        keeper.finish(status);
        return Ok(ExitCode::from(status));
    }
    let whom = match ask {
        Ask::Later => return follow::start(console).await,
        Ask::Terminal => Whom::at_hand(),
        Ask::Never => Whom::Nobody,
    };
    let outcome = run(whom.clone()).await.map(ExitCode::from);
    outcome.map_err(|failure| advised(failure, &whom, console))
}

/// A failure, with what to try if a server could not ask a model.
fn advised(failure: Failure, whom: &Whom, console: &Console) -> Failure {
    match sampling::hint(console, whom, &failure.to_string()) {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
