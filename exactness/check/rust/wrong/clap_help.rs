// invented: subcommand_required_else_help; right: subcommand_required
use clap::{Arg, ArgAction, Command};

fn main() {
    let matches = Command::new("tool")
        .version("1.0")
        .subcommand_required_else_help(true)
        .arg(Arg::new("verbose").short('v').action(ArgAction::Count))
        .subcommand(Command::new("run").about("Runs it"))
        .get_matches();
    println!("{}", matches.get_count("verbose"));
}
