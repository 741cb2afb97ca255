//! Entries put into the files of clients: what was there stays, and nothing is half written.

use docent_host::config::{Client, Conversion, Machine, Scope, Survey};
use docent_testkit::folder::Folder;

fn conversion(folder: &Folder, client: Client) -> (Machine, Conversion) {
    folder.write(
        "me/.cursor/mcp.json",
        r#"{"mcpServers":{"s":{"command":"npx","args":["-y","s"],"env":{"K":"${env:KEY}"}}}}"#,
    );
    let home = folder.path().join("me");
    let machine = Machine::made_up(folder.path(), &home, &home);
    let converted = Survey::of(&machine).convert("s", client).expect("it can be converted");
    (machine, converted)
}

fn check(client: Client, before: &str, expected: &str) {
    let folder = Folder::new();
    let (machine, conversion) = conversion(&folder, client);
    let path = client.file(&machine, Scope::User).expect("a place");
    if !before.is_empty() {
        let place = path.strip_prefix(folder.path()).expect("inside").to_str().expect("UTF-8");
        folder.write(place, before);
    }
    let said = conversion.write_to(&path).map_err(|error| error.to_string());
    let after = match said {
        Ok(()) => std::fs::read_to_string(&path).expect("it is there"),
        Err(error) => {
            assert_eq!(std::fs::read_to_string(&path).expect("it is there"), before);
            error
        }
    };
    assert_eq!(after, expected, "{client}");
    let folder = path.parent().expect("a folder");
    let left = std::fs::read_dir(folder).expect("a folder").flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().ends_with(".new")).count();
    assert_eq!(left, 0, "a half-written file was left behind");
}

#[test]
fn a_file_is_made_or_extended() {
    let toml = "[servers.s]\ncommand = \"npx\"\nargs = [\"-y\", \"s\"]\n\n[servers.s.env]\nK = \"${KEY}\"\n";
    check(Client::Docent, "", toml);
    check(
        Client::Docent,
        "# Mine.\n[servers.a]\ncommand = \"a\"\n",
        &format!("# Mine.\n[servers.a]\ncommand = \"a\"\n\n{toml}"),
    );
    check(
        Client::Windsurf,
        r#"{"other":1.50,"mcpServers":{"a":{"command":"a"}}}"#,
        r#"{"other":1.50,"mcpServers":{"a":{"command":"a"},
  "s": {
    "command": "npx",
    "args": [
      "-y",
      "s"
    ],
    "env": {
      "K": "${env:KEY}"
    }
  }
}}"#,
    );
    check(
        Client::VsCode,
        "{\n  // Mine.\n  \"servers\": {},\n}\n",
        "{\n  // Mine.\n  \"servers\": {\n    \"s\": {\n      \"command\": \"npx\",\n      \
         \"args\": [\n        \"-y\",\n        \"s\"\n      ],\n      \"env\": {\n        \
         \"K\": \"${env:KEY}\"\n      }\n    }\n  },\n}\n",
    );
}

#[test]
fn a_file_that_cannot_be_changed_safely_stays() {
    let exists = "the file has a server of that name already";
    check(Client::Docent, "[servers.s]\ncommand = \"mine\"\n", exists);
    check(Client::Windsurf, r#"{"mcpServers":{"s":{}}}"#, exists);
    let other = "the file has something else than an object above `s`";
    check(Client::Windsurf, r#"{"mcpServers":[]}"#, other);
    check(
        Client::Windsurf,
        "{\n\"mcpServers\": {\n",
        "the file is not JSON: EOF while parsing an object at line 3 column 0",
    );
}
