//! The signature of a function or the head of a class, as its source has it.
//!
//! Uses [`super::text`]; feeds [`super::declare`]. Left out are comments, the documentation inside
//! of `Annotated[…, Doc("…")]`, which is kept apart, and defaults too long to read.

use ruff_python_ast::{Decorator, Expr, ParameterWithDefault, StmtClassDef, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange};

use super::text::{Text, dotted, last, literal};
use super::{docstring, stub};

/// A default value longer than this is written `...`.
const DEFAULT_BYTES_MAX: usize = 200;

/// A value of a variable longer than this is cut down to its outer form.
const VALUE_BYTES_MAX: usize = 120;

/// The decorators that change how a thing is used.
const DECORATORS: &[&str] = &[
    "abstractmethod",
    "asynccontextmanager",
    "attrs",
    "classmethod",
    "contextmanager",
    "dataclass",
    "define",
    "deprecated",
    "final",
    "frozen",
    "mutable",
    "singledispatch",
    "staticmethod",
];

/// A function's signature on one line, and what its annotations say of its parameters.
pub(super) fn function(text: &Text<'_>, def: &StmtFunctionDef) -> (String, Vec<(String, String)>) {
    let mut out = String::from(if def.is_async { "async def " } else { "def " });
    out.push_str(def.name.as_str());
    if let Some(generics) = &def.type_params {
        out.push_str(&text.fold(generics.range, &[]));
    }
    let mut edits: Vec<(TextRange, String)> = Vec::new();
    let mut docs = Vec::new();
    let parameters = &def.parameters;
    let with_default = parameters.posonlyargs.iter().chain(&parameters.args);
    for ParameterWithDefault { parameter, default, .. } in
        with_default.chain(&parameters.kwonlyargs)
    {
        if let Some(annotation) = &parameter.annotation {
            if let Some((of, notes)) = annotated(text, annotation) {
                edits.push((annotation.range(), of));
                docs.push((parameter.name.to_string(), notes));
            } else {
                let whole = text.with_brackets(annotation.range());
                if whole != annotation.range() {
                    edits.push((whole, text.of(annotation)));
                }
            }
        }
        if let Some(default) = default {
            if default.range().len().to_usize() > DEFAULT_BYTES_MAX {
                edits.push((default.range(), "...".to_owned()));
            } else if matches!(**default, Expr::EllipsisLiteral(_)) {
                edits.push((default.range(), stub::gap(&parameter.name)));
            }
        }
    }
    for parameter in parameters.vararg.iter().chain(&parameters.kwarg) {
        if let Some(annotation) = &parameter.annotation
            && let Some((of, notes)) = annotated(text, annotation)
        {
            edits.push((annotation.range(), of));
            docs.push((parameter.name.to_string(), notes));
        }
    }
    edits.sort_by_key(|(range, _)| range.start());
    out.push_str(&text.fold(parameters.range, &edits));
    if let Some(returns) = &def.returns {
        out.push_str(" -> ");
        match annotated(text, returns) {
            Some((of, _)) => out.push_str(&of),
            None => out.push_str(&text.of(returns)),
        }
    }
    (out, docs)
}

/// The defaults of a function's parameters, as they are written.
pub(super) fn defaults(text: &Text<'_>, def: &StmtFunctionDef) -> Vec<(String, String)> {
    let parameters = def.parameters.iter_non_variadic_params();
    let readable = parameters.filter_map(|parameter| {
        let default = parameter.default.as_deref()?;
        let is_short = default.range().len().to_usize() <= DEFAULT_BYTES_MAX;
        is_short.then(|| (parameter.parameter.name.to_string(), text.of(default)))
    });
    readable.collect()
}

/// `T` and the notes, of `Annotated[T, Doc("notes")]`; `None` of anything else.
fn annotated(text: &Text<'_>, annotation: &Expr) -> Option<(String, String)> {
    let Expr::Subscript(subscript) = annotation else { return None };
    if last(&dotted(&subscript.value)?) != "Annotated" {
        return None;
    }
    let Expr::Tuple(tuple) = subscript.slice.as_ref() else { return None };
    let (of, metadata) = tuple.elts.split_first()?;
    let mut notes = String::new();
    let mut rest = Vec::new();
    for note in metadata {
        let call = match note {
            Expr::Call(call) => dotted(&call.func).map(|name| (name, call)),
            _ => None,
        };
        let message = call.as_ref().and_then(|(name, call)| {
            let message = literal(call.arguments.args.first()?)?;
            let message = docstring::clean(message);
            match last(name) {
                "Doc" => Some(message),
                "deprecated" => Some(format!("Deprecated: {message}")),
                _ => None,
            }
        });
        match message {
            Some(message) => {
                if !notes.is_empty() {
                    notes.push_str("\n\n");
                }
                notes.push_str(&message);
            }
            None => rest.push(text.of(note)),
        }
    }
    if notes.is_empty() {
        return None;
    }
    let of = text.of(of);
    let of = if rest.is_empty() {
        of
    } else {
        format!("{}[{of}, {}]", text.of(&subscript.value), rest.join(", "))
    };
    Some((of, notes))
}

/// The head of a class on one line.
pub(super) fn class(text: &Text<'_>, def: &StmtClassDef) -> String {
    let mut out = format!("class {}", def.name.as_str());
    if let Some(generics) = &def.type_params {
        out.push_str(&text.fold(generics.range, &[]));
    }
    if let Some(arguments) = &def.arguments {
        let bases = text.fold(arguments.range, &[]);
        if bases != "()" {
            out.push_str(&bases);
        }
    }
    out
}

/// What a decorator is called: the dotted name of it, or of what it calls.
pub(super) fn decorator_name(decorator: &Decorator) -> Option<String> {
    match &decorator.expression {
        Expr::Call(call) => dotted(&call.func),
        other => dotted(other),
    }
}

/// The decorators that matter to a user, one each.
pub(super) fn decorators(text: &Text<'_>, decorators: &[Decorator]) -> Vec<String> {
    let matters = |decorator: &&Decorator| {
        decorator_name(decorator).is_some_and(|name| {
            let short = last(&name);
            DECORATORS.contains(&short) || short.ends_with("property") || name == "attr.s"
        })
    };
    let shown = decorators.iter().filter(matters);
    shown.map(|decorator| format!("@{}", text.of(&decorator.expression))).collect()
}

/// A value, or the form of it if it is long.
pub(super) fn value(text: &Text<'_>, value: &Expr) -> String {
    if value.range().len().to_usize() <= VALUE_BYTES_MAX {
        return text.of(value);
    }
    match value {
        Expr::Dict(_) | Expr::Set(_) | Expr::DictComp(_) | Expr::SetComp(_) => "{...}".to_owned(),
        Expr::List(_) | Expr::ListComp(_) => "[...]".to_owned(),
        Expr::Tuple(_) => "(...)".to_owned(),
        Expr::Call(call) => match dotted(&call.func) {
            Some(name) => format!("{name}(...)"),
            None => "...".to_owned(),
        },
        _ => "...".to_owned(),
    }
}
