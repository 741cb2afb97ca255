//! Which value counts, and where it comes from.

use docent_testkit::folder::Folder;

use super::*;

fn read(folder: &Folder, variables: &[(&str, &str)]) -> Result<Settings, Failure> {
    let home = folder.path().join("home");
    let environment = { variables }
        .iter()
        .fold(Environment::isolated(&home), |all, (name, value)| all.with(name, value));
    let project = folder.path().join("work/project");
    std::fs::create_dir_all(&project).expect("a folder");
    Settings::read(&Flags::default(), &environment.in_directory(&project), &project)
}

#[test]
fn flags_then_variables_then_project_then_user_then_default() {
    let folder = Folder::new();
    let user = folder.write("home/.config/docent/docent.toml", "max-tokens = 1\noffline = true\n");
    let project = folder.write("work/docent.toml", "max-tokens = 2\n");
    let settings = read(&folder, &[]).expect("settings");
    assert_eq!((settings.max_tokens.value, settings.max_tokens.source), (2, Source::File(project)));
    assert_eq!(settings.max_tokens.hidden.len(), 2);
    assert_eq!((settings.offline.value, settings.offline.source), (true, Source::File(user)));
    let settings = read(&folder, &[("DOCENT_MAX_TOKENS", "3")]).expect("settings");
    let from = Source::Variable("DOCENT_MAX_TOKENS".to_owned());
    assert_eq!((settings.max_tokens.value, settings.max_tokens.source), (3, from));
}

#[test]
fn a_project_cannot_choose_where_the_cache_is() {
    let folder = Folder::new();
    folder.write("work/project/docent.toml", "cache = \"here\"\nmax_tokens = 3\n");
    let settings = read(&folder, &[]).expect("settings");
    assert_eq!(settings.cache.value, None);
    assert_eq!(settings.warnings.len(), 2);
    assert!(settings.warnings[1].contains("did you mean `max-tokens`?"), "{settings:?}");
    folder.write("home/.config/docent/docent.toml", "cache = \"here\"\ncache-size = \"2 GB\"");
    let settings = read(&folder, &[]).expect("settings");
    assert_eq!(settings.cache.value, Some(folder.path().join("home/.config/docent/here")));
    assert_eq!(settings.cache_bytes_max.value, 2_000_000_000);
}

#[test]
fn a_project_can_keep_its_user_offline_but_not_bring_one_online() {
    let folder = Folder::new();
    folder.write("home/.config/docent/docent.toml", "offline = true\n");
    folder.write("work/project/docent.toml", "offline = false\n");
    assert!(read(&folder, &[]).expect("settings").offline.value);
    folder.write("home/.config/docent/docent.toml", "offline = false\n");
    folder.write("work/project/docent.toml", "offline = true\n");
    assert!(read(&folder, &[]).expect("settings").offline.value);
}

#[test]
fn a_repository_ends_the_search() {
    let folder = Folder::new();
    folder.write("work/docent.toml", "offline = true\n");
    folder.write("work/project/.git/HEAD", "ref");
    assert!(!read(&folder, &[]).expect("settings").offline.value);
}

#[test]
fn what_is_wrong_is_an_error_and_repeats_no_secret() {
    let folder = Folder::new();
    let check = |text: &str, expected: &str| {
        folder.write("work/project/docent.toml", text);
        let error = read(&folder, &[]).expect_err(text).to_string();
        assert!(error.contains(expected) && !error.contains("secret"), "{error}");
    };
    check("offline = 1", "`offline`");
    check("max-tokens = -3", "is not a number");
    check("max-tokens = 3\noffline", "line 2");
    check("[registries]\nnpm = \"user:secret@registry.example\"", "`registries.npm`");
    check("languages = \"de\"", "is not a list");
}

#[test]
fn registries_and_languages() {
    let folder = Folder::new();
    folder.write("work/docent.toml", "[registries]\nnpm = \"https://npm.registry.example/\"\n");
    let variables =
        [("LANG", "de_DE.UTF-8"), ("DOCENT_REGISTRY_PYTHON", "https://u:p@py.registry.example/s")];
    let settings = read(&folder, &variables).expect("settings");
    assert_eq!(settings.languages.value, ["de"]);
    let environment = settings.environment(Environment::isolated(folder.path()));
    assert_eq!(environment.registry(Ecosystem::Npm), Some("https://npm.registry.example/"));
    let python = environment.registry(Ecosystem::Python).expect("an address");
    assert_eq!(redacted(python), "https://…@py.registry.example/s");
    let list = "https://u:p@one.example/x?t=1,https://u:p@two.example|direct";
    assert_eq!(redacted(list), "https://…@one.example/x,https://…@two.example|direct");
    assert_eq!(environment.registry(Ecosystem::Go), None);
}

#[test]
fn no_project_names_the_program_that_answers_for_a_model() {
    let folder = Folder::new();
    let theirs = "[sampling]\ncommand = \"./theirs\"\nreview = \"never\"\ntools = true\n";
    folder.write("work/project/docent.toml", theirs);
    let settings = read(&folder, &[]).expect("settings");
    assert_eq!(settings.sampling.command.value, None);
    assert_eq!(settings.sampling.review.value, Review::Ask);
    assert!(!settings.sampling.tools.value);
    assert_eq!(settings.warnings.len(), 3, "{:?}", settings.warnings);
}

#[test]
fn a_program_is_a_line_or_a_list_of_words() {
    let folder = Folder::new();
    let check = |value: &str, program: &str, arguments: &[&str]| {
        let text = format!("[sampling]\ncommand = {value}\n");
        folder.write("home/.config/docent/docent.toml", text);
        let settings = read(&folder, &[]).expect(value);
        let line = settings.sampling.command.value.expect(value);
        assert_eq!(line.program, folder.path().join(program).as_path(), "{value}");
        assert_eq!(line.arguments, arguments, "{value}");
    };
    // The working folder may be anybody's, so that a path begins at the file.
    check("'./ask -m \"a b\"'", "home/.config/docent/ask", &["-m", "a b"]);
    check("['~/bin/my model', '-m', 'a b']", "home/bin/my model", &["-m", "a b"]);
    check("'/usr/bin/ask'", "/usr/bin/ask", &[]);
    folder.write("home/.config/docent/docent.toml", "[sampling]\ncommand = 'ask -m x'\n");
    let found = |variables| read(&folder, variables).expect("settings").sampling.command;
    assert_eq!(found(&[]).value.expect("a program").shown(), "ask (2 arguments)");
    let other = found(&[("DOCENT_SAMPLING_COMMAND", "other")]);
    assert_eq!(other.source, Source::Variable("DOCENT_SAMPLING_COMMAND".to_owned()));
    assert_eq!(other.value.expect("a program").program, Path::new("other"));
    folder.write("home/.config/docent/docent.toml", "[sampling]\ncommand = []\n");
    assert_eq!(found(&[]).value, None);
    for (text, expected) in [
        ("command = 3", "is neither a line nor a list of words"),
        ("command = ['a', 3]", "is neither a line nor a list of words"),
        ("command = \"a 'b\"", "has a quote that is not closed"),
        ("command = ['']", "names no program"),
        ("review = 'sometimes'", "is not `ask` or `never`"),
        ("timeout = 0", "is not a number of seconds up to 3600"),
        ("timeout = 3601", "is not a number of seconds up to 3600"),
        ("model = ''", "is not a name"),
        ("tools = 1", "is not `true` or `false`"),
    ] {
        folder.write("home/.config/docent/docent.toml", format!("[sampling]\n{text}\n"));
        let error = read(&folder, &[]).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}
