//! Prompts: what a user can start from.

use docent_mcp::server::{Completer, PromptArguments, Server, ServerPrompt};

use super::Desk;
use super::definition::LANGUAGES;
use super::resources::{packages, versions};

/// The server with its prompts.
pub(crate) fn add(server: Server, desk: &Desk) -> Server {
    let using =
        ServerPrompt::new("use_package", "Use a package for a task", |_, filled| async move {
            Ok(using(&filled))
        });
    let migrating = ServerPrompt::new(
        "migrate_package",
        "Move this project from one version of a package to another",
        |_, filled| async move { Ok(migrating(&filled)) },
    );
    let reviewing = ServerPrompt::new(
        "review_against_installed",
        "Review a file against the APIs that are installed",
        |_, filled| async move { Ok(reviewing(&filled)) },
    );
    let languages = || Completer::values(LANGUAGES.map(|(word, _)| word));
    let language = "go, python, npm, swift or rust";
    server
        .with_prompt(
            using
                .required("package", "The package")
                .required("task", "What to do with it")
                .optional("language", language)
                .complete("package", packages(desk))
                .complete("language", languages()),
        )
        .with_prompt(
            migrating
                .required("package", "The package")
                .optional("from", "The version in use")
                .optional("to", "The version to move to")
                .optional("language", language)
                .complete("package", packages(desk))
                .complete("from", versions(desk))
                .complete("to", versions(desk))
                .complete("language", languages()),
        )
        .with_prompt(
            reviewing
                .required("file", "The file")
                .optional("language", language)
                .complete("language", languages()),
        )
}

fn using(filled: &PromptArguments) -> String {
    format!(
        "Use the package {} for this task: {}.\n\n\
         First look the API up in the version that this project has: call `search_package_docs`{} \
         with the task as the query, then `get_symbol` for every symbol you are going to use. \
         Write code only with symbols and parameters that these answers show, and name the version \
         you wrote it for.",
        filled["package"],
        filled["task"],
        in_language(filled),
    )
}

fn migrating(filled: &PromptArguments) -> String {
    let version = |name: &str, otherwise: &str| {
        let given = filled.get(name).filter(|version| !version.is_empty());
        given.map_or_else(|| otherwise.to_owned(), |version| format!("version {version}"))
    };
    format!(
        "Move this project's use of the package {package} from {from} to {to}.\n\n\
         1. Call `diff_package_versions`{language} for {package} to see what was removed, changed, \
         moved and deprecated.\n\
         2. Find every place in this project that uses something from that list.\n\
         3. For each replacement, call `get_symbol` with the new version and change the code to what \
         it says.\n\
         4. List what you changed, and what you could not decide.",
        package = filled["package"],
        from = version("from", "the installed version"),
        to = version("to", "the newest version"),
        language = in_language(filled),
    )
}

fn reviewing(filled: &PromptArguments) -> String {
    format!(
        "Review the file {file} against the packages that this project has installed.\n\n\
         1. Call `check_code` with `file` set to it: it reports what does not exist in the \
         installed versions.\n\
         2. For every symbol that it could not judge, call `get_symbol`{language} and compare.\n\
         3. Report, with line numbers, only what does not exist or is used wrongly in the installed \
         version, and the right form of each. Say so if everything fits.",
        file = filled["file"],
        language = in_language(filled),
    )
}

fn in_language(filled: &PromptArguments) -> String {
    let language = filled.get("language").filter(|language| !language.is_empty());
    language.map_or_else(String::new, |language| format!(" (language `{language}`)"))
}
