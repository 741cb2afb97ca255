//! Names that bundlers made up, replaced by the public ones in the text of signatures.
//!
//! A bundle declares `Foo$1` and exports it as `Foo`. While the file is read, the references to such
//! names are noted from the syntax tree; when items are written, each is replaced by the name under
//! which its declaration is public.

use oxc_ast::ast::{Expression, IdentifierReference, Program as Syntax, TSType};
use oxc_ast_visit::{Visit, walk};

use super::program::{ExportSource, FileId, Import, Program, ScopeId};
use crate::hashing::HashSet;

/// How deep the syntax tree is followed; it was parsed, so it is no deeper than the stack allows.
const DEEP_MAX: usize = 400;

pub(super) fn note_references(
    program: &mut Program,
    file: FileId,
    scope: ScopeId,
    syntax: &Syntax<'_>,
) {
    if program.files[file].javascript {
        return;
    }
    let found = {
        let mut names: HashSet<&str> = HashSet::default();
        for export in &program.scopes[scope].exports {
            match &export.source {
                ExportSource::Local(local)
                    if *local != export.name && &*export.name != "default" =>
                {
                    names.insert(local);
                }
                _ => {}
            }
        }
        for (local, &symbol) in &program.scopes[scope].names {
            let imported = matches!(&program.symbols[symbol].import,
                Some(Import::Named { name, .. }) if name != local);
            if imported || is_made_up(local) {
                names.insert(local);
            }
        }
        if names.is_empty() {
            return;
        }
        let mut references = References { names, found: Vec::new(), depth: 0 };
        references.visit_program(syntax);
        references.found
    };
    program.files[file].references = found;
    program.files[file].references.sort_unstable_by_key(|range| range.start);
}

/// Whether a name looks like one that a bundler numbered: `Foo$1`, `Foo_2`.
fn is_made_up(name: &str) -> bool {
    let stem = name.trim_end_matches(|last: char| last.is_ascii_digit());
    stem.len() < name.len() && stem.len() > 1 && stem.ends_with(['$', '_'])
}

struct References<'n> {
    names: HashSet<&'n str>,
    found: Vec<super::program::Range>,
    depth: usize,
}

impl<'a> Visit<'a> for References<'_> {
    fn visit_identifier_reference(&mut self, reference: &IdentifierReference<'a>) {
        if self.names.contains(reference.name.as_str()) {
            self.found.push(reference.span.into());
        }
    }

    fn visit_ts_type(&mut self, syntax: &TSType<'a>) {
        if self.depth < DEEP_MAX {
            self.depth += 1;
            walk::walk_ts_type(self, syntax);
            self.depth -= 1;
        }
    }

    fn visit_expression(&mut self, syntax: &Expression<'a>) {
        if self.depth < DEEP_MAX {
            self.depth += 1;
            walk::walk_expression(self, syntax);
            self.depth -= 1;
        }
    }
}
