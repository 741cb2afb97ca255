//! Skills: folders of instructions, listed, loaded and verified.

use std::fs;
use std::sync::{Arc, Mutex};

use docent_mcp::client::Client;
use docent_mcp::server::{Server, ServerResource};
use docent_mcp::skills::{ServerSkill, Skills};
use docent_mcp::transport::memory;
use docent_mcp::types::{Revision, Skill, SkillResources};
use docent_mcp::{ErrorKind, Limits};
use docent_testkit::folder::Folder;
use serde_json::{Value, json};

use crate::server::line::{Line, modern};

const TEXT: &str = "---\nname: pdf-forms\ndescription: Fill in PDF forms\nmetadata:\n  version: 2\n---\n\n# Forms\n";

fn skills() -> Skills {
    let forms = ServerSkill::new(TEXT).unwrap();
    let forms = forms.file("references/FORMS.md", "# All forms\n").unwrap();
    let forms = forms.file("references/deep/logo.bin", vec![0xff, 0xfe]).unwrap();
    let git = ServerSkill::new("---\nname: git\ndescription: How we branch\n---\n").unwrap();
    Skills::new().with(forms).with(git.prefix("acme").unwrap())
}

/// A client of this server, and the addresses that it read.
async fn connect(server: Server) -> (Client, Arc<Mutex<Vec<String>>>) {
    let reads = Arc::new(Mutex::new(Vec::new()));
    let (near, far) = memory();
    tokio::spawn(server.layer(Reads(reads.clone())).serve(far));
    (Client::start(near).await.unwrap(), reads)
}

/// Notes which resources are read.
struct Reads(Arc<Mutex<Vec<String>>>);

impl<S> tower_layer::Layer<S> for Reads {
    type Service = ReadsService<S>;
    fn layer(&self, inner: S) -> Self::Service {
        ReadsService { inner, reads: self.0.clone() }
    }
}

#[derive(Clone)]
struct ReadsService<S> {
    inner: S,
    reads: Arc<Mutex<Vec<String>>>,
}

impl<S: tower_service::Service<docent_mcp::server::Call>>
    tower_service::Service<docent_mcp::server::Call> for ReadsService<S>
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(
        &mut self,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: docent_mcp::server::Call) -> S::Future {
        if call.method == "resources/read" {
            let params: Value = call.params.as_ref().unwrap().decode().unwrap();
            self.reads.lock().unwrap().push(params["uri"].as_str().unwrap().to_owned());
        }
        self.inner.call(call)
    }
}

async fn request(line: &mut Line, method: &str, mut params: Value) -> Value {
    // Who can read resources can use skills, without declaring anything.
    params["_meta"] = modern(json!({}));
    line.request(1, method, params).await
}

/// What a server says about its skills.
#[tokio::test]
async fn on_the_wire() {
    let mut line = Line::default(Server::new("helper", "1").extension(skills()));
    let discovered = request(&mut line, "server/discover", json!({})).await["result"].clone();
    let declared = json!({ "io.modelcontextprotocol/skills": { "directoryRead": true } });
    assert_eq!(discovered["capabilities"]["extensions"], declared);
    assert!(discovered["capabilities"]["resources"].is_object());

    let listed = request(&mut line, "skills/list", json!({})).await["result"].clone();
    assert!(listed["ttlMs"].is_u64() && listed["cacheScope"].is_string(), "{listed}");
    assert!(listed.get("nextCursor").is_none());
    let forms = &listed["skills"][0];
    assert_eq!(forms["uri"], "skill://pdf-forms/SKILL.md");
    let frontmatter = json!({ "name": "pdf-forms", "description": "Fill in PDF forms", "metadata": { "version": 2 } });
    assert_eq!(forms["frontmatter"], frontmatter);
    let files = forms["resources"].as_array().unwrap();
    let uris: Vec<_> = files.iter().map(|file| file["uri"].as_str().unwrap()).collect();
    let expected = [
        "skill://pdf-forms/SKILL.md",
        "skill://pdf-forms/references/FORMS.md",
        "skill://pdf-forms/references/deep/logo.bin",
    ];
    assert_eq!(uris, expected);
    assert_eq!(files[0]["size"], TEXT.len());
    let digest = "sha256:9bfcb6b1b4f3a79815cb3b731c5c5a36fb0f7a7dfd5f8eba176b2894c244cbba";
    assert_eq!(files[1]["digest"], digest);
    assert_eq!(listed["skills"][1]["uri"], "skill://acme/git/SKILL.md");

    let got =
        request(&mut line, "skills/get", json!({ "uri": expected[0] })).await["result"].clone();
    assert_eq!(got["skill"], *forms);
    assert!(got["ttlMs"].is_u64() && got["cacheScope"].is_string(), "{got}");
    let resources = request(&mut line, "resources/list", json!({})).await["result"].clone();
    let skill_md = &resources["resources"][0];
    assert_eq!(
        *skill_md,
        json!({
            "uri": expected[0], "name": "pdf-forms", "description": "Fill in PDF forms",
            "mimeType": "text/markdown", "size": TEXT.len(),
        })
    );
    let read =
        request(&mut line, "resources/read", json!({ "uri": expected[0] })).await["result"].clone();
    assert_eq!(read["contents"][0]["text"], TEXT);
    assert_eq!(read["contents"][0]["mimeType"], "text/markdown");

    let inside = |listed: &Value| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let children = listed["result"]["resources"].as_array().unwrap().iter();
        children.map(|child| (text(&child["uri"]), text(&child["mimeType"]))).collect()
    };
    let read = "resources/directory/read";
    let root = request(&mut line, read, json!({ "uri": "skill://pdf-forms" })).await;
    let folder = ("skill://pdf-forms/references".to_owned(), "inode/directory".to_owned());
    assert_eq!(inside(&root), [(expected[0].to_owned(), "text/markdown".to_owned()), folder]);
    let references =
        request(&mut line, read, json!({ "uri": "skill://pdf-forms/references" })).await;
    assert_eq!(inside(&references).len(), 2);
    for (method, uri) in [
        (read, "skill://pdf-forms/SKILL.md"),
        (read, "skill://pdf-forms/"),
        (read, "skill://unknown"),
        ("skills/get", "skill://unknown/SKILL.md"),
        ("skills/get", "skill://pdf-forms/references/FORMS.md"),
    ] {
        let error = request(&mut line, method, json!({ "uri": uri })).await["error"].clone();
        assert_eq!(error["code"], -32602, "{method} {uri}");
    }
}

/// Pages never split a skill, and a client follows them.
#[tokio::test]
async fn pages() {
    let limits = Limits { page_entries_max: 1, ..Limits::default() };
    let (client, _) = connect(Server::new("helper", "1").limits(limits).extension(skills())).await;
    assert_eq!(client.skills().await.unwrap().len(), 2);
    let inside = client.read_directory("skill://pdf-forms").await.unwrap();
    assert_eq!(inside.len(), 2);
}

/// A client lists without reading, and reads what it loads when it needs it.
#[tokio::test]
async fn listing_and_loading() {
    let (client, reads) = connect(Server::new("helper", "1").extension(skills())).await;
    let listed = client.skills().await.unwrap();
    let one = client.skill(&listed[0].uri).await.unwrap();
    assert_eq!(one, listed[0]);
    assert!(reads.lock().unwrap().is_empty());
    let loaded = client.load_skill(&one).await.unwrap();
    assert_eq!(loaded.text(), TEXT);
    assert_eq!(*reads.lock().unwrap(), ["skill://pdf-forms/SKILL.md"]);
    assert_eq!(loaded.read("references/FORMS.md").await.unwrap(), b"# All forms\n");
    assert_eq!(loaded.read("references/deep/logo.bin").await.unwrap(), [0xff, 0xfe]);
    for outside in ["references/other.md", "../acme/git/SKILL.md", ""] {
        let error = loaded.read(outside).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidResponse, "{outside}");
    }
    assert_eq!(reads.lock().unwrap().len(), 3, "what is not listed is not asked for");
    assert!(client.skill("skill://unknown/SKILL.md").await.unwrap_err().is_invalid_params());
}

/// What is not what was listed is not used: other length, digest or front matter, and listings that
/// cannot be true.
#[tokio::test]
async fn what_is_not_as_listed_is_not_used() {
    let served = |text: String| {
        let skill_md = ServerResource::new("skill://pdf-forms/SKILL.md", "x", move |_, _| {
            std::future::ready(Ok(text.clone()))
        });
        Server::new("helper", "1").extension(skills()).with_resource(skill_md)
    };
    let (client, _) = connect(served(TEXT.to_owned())).await;
    let honest = client.skill("skill://pdf-forms/SKILL.md").await.unwrap();
    client.load_skill(&honest).await.unwrap();

    for (text, reason) in
        [(format!("{TEXT}more\n"), "length"), (TEXT.replace("# Forms", "# Evils"), "digest")]
    {
        let (client, reads) = connect(served(text)).await;
        let error = client.load_skill(&honest).await.unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(reads.lock().unwrap().len(), 1);
    }

    let change = |change: &dyn Fn(&mut Skill)| {
        let mut skill = honest.clone();
        change(&mut skill);
        skill
    };
    let files = |change: &dyn Fn(&mut Vec<docent_mcp::types::SkillResource>)| {
        let mut skill = honest.clone();
        match &mut skill.resources {
            SkillResources::Listed(files) => change(files),
            SkillResources::Dynamic => unreachable!(),
        }
        skill
    };
    for (skill, reason) in [
        (
            change(&|skill| drop(skill.frontmatter.insert("description".into(), json!("Other")))),
            "front matter",
        ),
        (change(&|skill| drop(skill.frontmatter.insert("more".into(), json!(1)))), "front matter"),
        (change(&|skill| drop(skill.frontmatter.insert("name".into(), json!("x")))), "name"),
        (change(&|skill| skill.uri = "skill://pdf-forms/OTHER.md".into()), "address"),
        (change(&|skill| skill.resources = SkillResources::Dynamic), "nothing can be verified"),
        (files(&|files| drop(files.remove(0))), "not among its files"),
        (files(&|files| files.push(files[1].clone())), "twice"),
        (files(&|files| files[1].uri = "skill://other/x".into()), "outside"),
        (files(&|files| files[1].size = 17 << 20), "at most"),
        (files(&|files| files[0].digest = files[0].digest.to_uppercase()), "digest"),
    ] {
        let error = client.load_skill(&skill).await.unwrap_err();
        assert!(error.to_string().contains(reason), "{reason}: {error}");
    }
}

/// A server without skills says so, and a client asks nothing of it.
#[tokio::test]
async fn servers_without_skills() {
    let empty = Server::new("helper", "1").extension(Skills::new());
    for server in [empty, crate::fixture::server()] {
        let (client, _) = connect(server).await;
        assert_eq!(client.skills().await.unwrap_err().kind(), ErrorKind::Unsupported);
        assert_eq!(client.read_directory("x").await.unwrap_err().kind(), ErrorKind::Unsupported);
    }
    let legacy = Client::builder("test", "1").revisions([Revision::V2025_11_25]);
    let (near, far) = memory();
    tokio::spawn(Server::new("helper", "1").extension(skills()).serve(far));
    let client = legacy.connect(near).await.unwrap();
    assert_eq!(client.skills().await.unwrap_err().kind(), ErrorKind::Unsupported);
    assert_eq!(client.read("skill://pdf-forms/SKILL.md").await.unwrap().contents.len(), 1);
}

/// Skills from a folder: nested ones are skills of their own and part of the one around them;
/// hidden files are left out; what is ambiguous or too much is refused.
#[tokio::test]
async fn from_a_folder() {
    let text = |name: &str| format!("---\nname: {name}\ndescription: About {name}\n---\n");
    let folder = Folder::new();
    let root = folder.path();
    folder.write("README.md", "not a skill");
    folder.write("git/SKILL.md", text("git"));
    folder.write("git/.hidden", "x");
    folder.write("acme/refunds/SKILL.md", text("refunds"));
    folder.write("acme/refunds/templates/a.md", "a");
    folder.write("acme/refunds/inner/SKILL.md", text("inner"));
    let found = Skills::from_folder(root, &Limits::default()).unwrap();
    let (client, _) = connect(Server::new("helper", "1").extension(found)).await;
    let skills = client.skills().await.unwrap();
    let files = |skill: &Skill| match &skill.resources {
        SkillResources::Listed(files) => files.len(),
        SkillResources::Dynamic => 0,
    };
    let listed: Vec<_> = skills.iter().map(|skill| (&*skill.uri, files(skill))).collect();
    let expected = [
        ("skill://acme/refunds/SKILL.md", 3),
        ("skill://acme/refunds/inner/SKILL.md", 1),
        ("skill://git/SKILL.md", 1),
    ];
    assert_eq!(listed, expected);

    let refused = |limits: Limits, reason: &str| {
        let error = Skills::from_folder(root, &limits).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    };
    refused(Limits { skill_files_max: 2, ..Limits::default() }, "at most 2 files");
    refused(Limits { skill_bytes_max: 60, ..Limits::default() }, "60 bytes");
    refused(Limits { skill_depth_max: 1, ..Limits::default() }, "nested more than 1 deep");
    folder.write("other/SKILL.md", text("misnamed"));
    refused(Limits::default(), "misnamed");
    fs::remove_dir_all(root.join("other")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/passwd", root.join("git/link")).unwrap();
        refused(Limits::default(), "neither a file nor a folder");
    }
}
