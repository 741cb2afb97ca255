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
