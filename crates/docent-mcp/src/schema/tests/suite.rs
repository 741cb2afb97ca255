//! The official JSON Schema Test Suite, when it is at hand.
//!
//! Set `JSON_SCHEMA_TEST_SUITE` to a checkout (the folder that holds `tests/` and `remotes/`).
//! Every required test of draft 2020-12 and draft-07 must then pass, apart from the groups
//! listed here with their reason; a listed group that passes is an error too, so the list
//! stays true.
//!
//! Some tests refer to other documents. Those schemas must be refused as they are, and then
//! pass with the documents bundled into them, which is how 2020-12 says to do it.

use super::super::{SchemaError, SchemaLimits, Validator};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const META: &str = "refers to the metaschema, which is not part of the document or the suite";
const VOCABULARY: &str = "declares a dialect of its own";

/// Folder, file, start of the group's description, and why its schema is refused.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    ("draft2020-12", "defs.json", "validate definition against metaschema", META),
    ("draft2020-12", "ref.json", "remote ref, containing refs itself", META),
    ("draft2020-12", "vocabulary.json", "schema that uses custom metaschema", VOCABULARY),
    ("draft2020-12", "vocabulary.json", "ignore unrecognized optional vocabulary", VOCABULARY),
    ("draft7", "definitions.json", "validate definition against metaschema", META),
    ("draft7", "ref.json", "remote ref, containing refs itself", META),
];

const FORMATS: [&str; 4] = ["email.json", "uri.json", "date.json", "date-time.json"];

#[test]
fn draft_2020_12_suite() {
    Run::named("draft_2020_12_suite", "draft2020-12", "").all(|_| true, Validator::new);
}

#[test]
fn draft_7_suite() {
    Run::named("draft_7_suite", "draft7", "").all(|_| true, Validator::new);
}

#[test]
fn format_suite() {
    let is_ours = |file: &str| FORMATS.contains(&file);
    for draft in ["draft2020-12", "draft7"] {
        let run = Run::named("format_suite", draft, "optional/format");
        run.all(is_ours, Validator::with_formats);
    }
}

type Compile = fn(&Value, &SchemaLimits) -> Result<Validator, SchemaError>;

/// One run over a folder of the suite.
struct Run {
    name: &'static str,
    draft: &'static str,
    folder: &'static str,
    passed: usize,
    bundled: usize,
    refused: usize,
    failures: Vec<String>,
}

impl Run {
    fn named(name: &'static str, draft: &'static str, folder: &'static str) -> Self {
        Self { name, draft, folder, passed: 0, bundled: 0, refused: 0, failures: Vec::new() }
    }

    fn all(mut self, is_ours: impl Fn(&str) -> bool, compile: Compile) {
        // Past the capture of test output, so that a skip is seen.
        let mut notes = std::io::stderr();
        let Some(suite) = std::env::var_os("JSON_SCHEMA_TEST_SUITE").map(PathBuf::from) else {
            let _ = writeln!(notes, "skipped {}: JSON_SCHEMA_TEST_SUITE is not set", self.name);
            return;
        };
        for path in files(&suite.join("tests").join(self.draft).join(self.folder)) {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if is_ours(&file) {
                for group in read(&path).as_array().unwrap() {
                    self.group(&suite, &file, group, compile);
                }
            }
        }
        let Self { name, draft, passed, bundled, refused, failures, .. } = self;
        let _ = writeln!(
            notes,
            "{name} ({draft}): {passed} passed, {bundled} of them bundled; \
             {refused} refused as listed; {} failed",
            failures.len()
        );
        assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    }

    fn group(&mut self, suite: &Path, file: &str, group: &Value, compile: Compile) {
        let description = group["description"].as_str().unwrap();
        let tests = group["tests"].as_array().unwrap();
        let listed = REFUSED.iter().any(|(draft, in_file, start, _)| {
            *draft == self.draft && *in_file == file && description.starts_with(start)
        });
        let limits = SchemaLimits::default();
        let schema = self.declared(&group["schema"]);
        let mut compiled = compile(&schema, &limits);
        let mut needed = BTreeSet::new();
        while let (Err(SchemaError::Unresolved { reference, .. }), false) = (&compiled, listed) {
            // Bundle the document it asks for, until it asks for no more.
            let document = reference.split('#').next().unwrap_or_default();
            let document = document.trim_start_matches("http://localhost:1234/");
            if !needed.insert(document.to_owned()) {
                break;
            }
            compiled = compile(&self.bundle(suite, &schema, &needed), &limits);
        }
        self.bundled += if needed.is_empty() { 0 } else { tests.len() };
        let validator = match compiled {
            Err(_) if listed => {
                self.refused += tests.len();
                return;
            }
            Ok(_) if listed => {
                self.failures.push(format!("{file}: {description}: listed, but compiles"));
                return;
            }
            Err(error) => {
                self.failures.push(format!("{file}: {description}: {error}"));
                return;
            }
            Ok(validator) => validator,
        };
        for test in tests {
            let result = validator.check(&test["data"]);
            if result.is_ok() == test["valid"].as_bool().unwrap() {
                self.passed += 1;
            } else {
                let case = test["description"].as_str().unwrap();
                self.failures.push(format!("{file}: {description}: {case}: got {result:?}"));
            }
        }
    }

    /// Draft-07 tests do not say that they are; this adds `$schema`.
    fn declared(&self, schema: &Value) -> Value {
        let mut schema = schema.clone();
        if let (Value::Object(schema), "draft7") = (&mut schema, self.draft) {
            let dialect = Value::from("http://json-schema.org/draft-07/schema#");
            schema.entry("$schema").or_insert(dialect);
        }
        schema
    }

    /// A schema with documents of the suite beside it, each under its address.
    fn bundle(&self, suite: &Path, schema: &Value, needed: &BTreeSet<String>) -> Value {
        let remotes = suite.join("remotes");
        let mut definitions = serde_json::Map::new();
        for path in files(&remotes) {
            let address = path.strip_prefix(&remotes).unwrap().to_string_lossy().into_owned();
            let other_draft = address.starts_with("draft") && !address.starts_with(self.draft);
            if other_draft || !needed.iter().any(|name| path.ends_with(name)) {
                continue;
            }
            let mut document = read(&path);
            document.as_object_mut().unwrap().shift_remove("$schema");
            self.name(&mut document, json!(format!("http://localhost:1234/{address}")));
            definitions.insert(address, document);
        }
        let dialect = schema.get("$schema").cloned();
        let dialect = dialect.unwrap_or(json!("https://json-schema.org/draft/2020-12/schema"));
        let address = schema.get("$id").cloned().unwrap_or(json!("http://localhost:1234/main"));
        let mut schema = schema.clone();
        self.name(&mut schema, address.clone());
        definitions.insert("main".to_owned(), schema);
        json!({ "$schema": dialect, "$defs": definitions, "allOf": [{ "$ref": address }] })
    }

    /// Names a document. In draft-07 a `$ref` beside the name would hide it.
    fn name(&self, document: &mut Value, address: Value) {
        let document = document.as_object_mut().unwrap();
        document.insert("$id".to_owned(), address);
        if self.draft == "draft7"
            && let Some(reference) = document.shift_remove("$ref")
        {
            document.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
        }
    }
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The JSON files of the suite's own folders; `optional` is asked for by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() && !path.ends_with("optional") {
            files.extend(self::files(&path));
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    files
}
