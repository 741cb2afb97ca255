//! The MCP servers that are configured, explained.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use docent_host::config::{Approvals, Client, Explanation, Machine, Survey};
use docent_packages::Environment;

use crate::client::behind;
use crate::exit;
use crate::failure::Failure;
use crate::print::Console;

#[derive(Args)]
pub(crate) struct Explain {
    /// One server only; all of them, and the settings, if none is named
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) which: Which,
}

/// Where servers are looked for.
#[derive(Args)]
pub(crate) struct Which {
    /// Look at this file only
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Whose rules that file follows, such as `cursor`; its name tells if this does not
    #[arg(long, value_name = "CLIENT", requires = "config", value_parser = name_of_client())]
    pub(crate) client: Option<Client>,
}

/// A client by its name on the command line.
pub(crate) fn name_of_client() -> impl TypedValueParser<Value = Client> {
    let names = PossibleValuesParser::new(Client::all().map(Client::id));
    names.map(|id| Client::from_id(&id).unwrap_or_default())
}

impl Which {
    /// What there is; a failure if the file that was named cannot be read.
    pub(super) fn readable(&self, machine: &Machine) -> Result<Survey, Failure> {
        let survey = self.survey(machine);
        let Explanation { files, problems, .. } = survey.explain(&Approvals::in_memory());
        match self.config.is_some() && files.iter().any(|file| file.servers.is_none()) {
            true => {
                let why = problems.first().map_or("the file cannot be read", String::as_str);
                Err(Failure::new(why.strip_prefix("error: ").unwrap_or(why)))
            }
            false => Ok(survey),
        }
    }

    fn survey(&self, machine: &Machine) -> Survey {
        match &self.config {
            Some(file) => Survey::of_file(machine, file, self.client),
            None => Survey::of(machine),
        }
    }
}

/// Whether something is wrong with what was explained is told by the exit code.
pub(super) fn explain(
    explain: &Explain,
    console: &Console,
    environment: &Environment,
) -> Result<ExitCode, Failure> {
    let machine = Machine::of_process();
    let mut survey = explain.which.survey(&machine);
    behind::leave_out(&mut survey);
    let explanation = survey.explain(&approvals(&machine)?);
    let Some(name) = &explain.server else {
        super::explain(console, environment, Some(&explanation))?;
        let unread = explanation.files.iter().any(|file| file.servers.is_none());
        let failed = unread || explanation.servers.iter().any(|server| server.state == "failed");
        return Ok(if failed { exit::findings() } else { ExitCode::SUCCESS });
    };
    let server = explanation.servers.iter().find(|server| server.name == *name);
    let server = server.ok_or_else(|| {
        let names = explanation.servers.iter().map(|server| server.name.as_str());
        absent(name, names)
    })?;
    console.value(server, &server.to_string())?;
    Ok(if server.state == "failed" { exit::findings() } else { ExitCode::SUCCESS })
}

/// There is no such server; perhaps one of these was meant.
pub(super) fn absent<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Failure {
    let failure = Failure::absent(format!("no server `{}` is configured", name.escape_debug()));
    match crate::suggest::nearest(name, names).first() {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`docent config explain` lists those that are"),
    }
}

fn approvals(machine: &Machine) -> Result<Approvals, Failure> {
    Approvals::load(machine).map_err(|error| {
        Failure::io("the approvals cannot be read", &error)
            .hint("`docent` will not start anything of a project until approvals.json is mended")
    })
}
