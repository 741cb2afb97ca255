//! A single definition as a binding: function, class, variable.
//!
//! Fed by [`super::declare`]; uses [`super::signature`] for the text.

use ruff_python_ast::{Expr, ExprCall, Operator, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_text_size::Ranged;

use super::declare::{self, Place, Reading};
use super::scope::{Binding, Class, Function, Variable, What};
use super::text::{Text, dotted, last, literal};
use super::{all, attributes, docstring, dynamic, property, signature};
use crate::Kind;

/// Statements at the start of a body among which a warning says that all of it is deprecated.
const WARNING_STATEMENTS: usize = 3;

/// Bases that make a constructor from the fields of a class, wherever they are defined.
const RECORD_BASES: &[&str] = &["BaseModel", "NamedTuple", "Struct", "TypedDict"];

/// Decorators that do.
const RECORD_DECORATORS: &[&str] = &["attrs", "dataclass", "define", "frozen", "mutable"];

/// Generic types whose subscript is a type and not an item.
const GENERICS: &[&str] = &[
    "Annotated",
    "AsyncIterable",
    "AsyncIterator",
    "Awaitable",
    "Callable",
    "ClassVar",
    "Collection",
    "Coroutine",
    "Dict",
    "FrozenSet",
    "Generator",
    "Iterable",
    "Iterator",
    "List",
    "Literal",
    "Mapping",
    "MutableMapping",
    "Optional",
    "Sequence",
    "Set",
    "Tuple",
    "Type",
    "Union",
    "dict",
    "frozenset",
    "list",
    "set",
    "tuple",
    "type",
];

/// Decorators after which a function is called as it is written.
const CALLED_AS_WRITTEN: &[&str] = &[
    "abstractmethod",
    "asynccontextmanager",
    "cache",
    "classmethod",
    "contextmanager",
    "final",
    "lru_cache",
    "overload",
    "override",
    "staticmethod",
];

/// Decorators after which a class has the members that it is written with.
const MADE_AS_WRITTEN: &[&str] = &[
    "attrs",
    "dataclass",
    "define",
    "final",
    "frozen",
    "mutable",
    "runtime_checkable",
    "total_ordering",
];

/// Whether all decorators are known to leave things as they are.
fn is_as_written(decorators: &[ruff_python_ast::Decorator], harmless: &[&str]) -> bool {
    decorators.iter().all(|decorator| {
        signature::decorator_name(decorator).is_some_and(|name| harmless.contains(&last(&name)))
    })
}

/// The parameters of a function that can be given by name.
fn keywords(def: &StmtFunctionDef) -> Vec<String> {
    let parameters = def.parameters.args.iter().chain(&def.parameters.kwonlyargs);
    parameters.map(|parameter| parameter.parameter.name.to_string()).collect()
}

/// The name that an annotation is, written as itself or as a string.
fn named(annotation: &Expr) -> Option<String> {
    let is_name = |text: &str| {
        text.split('.').all(|part| {
            let mut letters = part.chars();
            letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
                && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
        })
    };
    match literal(annotation) {
        Some(text) => is_name(text).then(|| text.to_owned()),
        None => dotted(annotation),
    }
}

/// A function, or `None` for a part of a property that adds nothing.
pub(super) fn function(
    reading: Reading<'_>,
    def: &StmtFunctionDef,
    place: Place,
) -> Option<Binding> {
    let text = reading.text;
    let (signature, parameter_docs) = signature::function(text, def);
    let mut function = Function {
        decorators: signature::decorators(text, &def.decorator_list),
        parameter_docs,
        defaults: match reading.has_stub {
            true => signature::defaults(text, def),
            false => Vec::new(),
        },
        is_closed: def.parameters.kwarg.is_none()
            && is_as_written(&def.decorator_list, CALLED_AS_WRITTEN),
        keywords: keywords(def),
        returns: def.returns.as_deref().and_then(named),
        returns_self: dynamic::returns_self(&def.body),
        makes_property: property::made_by(text, &def.body),
        unpacks: def.parameters.kwarg.as_ref().and_then(|kwarg| unpacked(kwarg.annotation()?)),
        ..Function::default()
    };
    let mut deprecated = None;
    for decorator in &def.decorator_list {
        let Some(name) = signature::decorator_name(decorator) else { continue };
        match last(&name) {
            "overload" => function.is_overload = true,
            "setter" => {
                function.setter = Some(format!("@{name}\n{signature}"));
                function.is_property = true;
            }
            "deleter" | "getter" if name.contains('.') => return None,
            "deprecated" => deprecated = Some(message(text, &decorator.expression)),
            name => function.is_property |= name.ends_with("property"),
        }
    }
    let parameters = &def.parameters;
    function.is_annotated = def.returns.is_some()
        || parameters.iter().any(|parameter| parameter.annotation().is_some());
    if function.is_overload {
        function.overloads.push(signature.clone());
    }
    function.text = signature;
    let line = text.line(def.name.range.start());
    let mut binding = Binding::new(def.name.as_str(), line, What::Function(function), place);
    binding.docs = docstring::raw(&def.body).map(str::to_owned);
    binding.deprecated = deprecated.or_else(|| warned(text, &def.body));
    Some(binding)
}

/// A class with its members.
pub(super) fn class(reading: Reading<'_>, def: &StmtClassDef, place: Place) -> Option<Binding> {
    let Reading { text, nesting_max, .. } = reading;
    if place.depth >= nesting_max {
        return None;
    }
    let mut class = Class {
        decorators: signature::decorators(text, &def.decorator_list),
        header: signature::class(text, def),
        members: declare::members(reading, &def.body, place),
        is_plain: is_as_written(&def.decorator_list, MADE_AS_WRITTEN),
        ..Class::default()
    };
    let mut deprecated = None;
    for decorator in &def.decorator_list {
        let Some(name) = signature::decorator_name(decorator) else { continue };
        match last(&name) {
            "deprecated" => deprecated = Some(message(text, &decorator.expression)),
            "dataclass_transform" => class.makes_records = true,
            short => class.is_record |= RECORD_DECORATORS.contains(&short) || name == "attr.s",
        }
    }
    if let Some(arguments) = &def.arguments {
        for base in &arguments.args {
            let name = match base {
                Expr::Subscript(subscript) => dotted(&subscript.value),
                other => dotted(other),
            };
            class.is_plain &= name.is_some();
            class.bases.extend(name);
        }
        let metaclass = arguments.find_keyword("metaclass");
        class.metaclass = metaclass.and_then(|keyword| dotted(&keyword.value));
        // Other keywords are told to the bases, which may do anything with them.
        let by_keyword = arguments.keywords.iter().any(|keyword| {
            keyword.arg.as_ref().is_none_or(|name| !matches!(name.as_str(), "metaclass" | "total"))
        });
        class.is_plain &= !by_keyword && metaclass.is_some() == class.metaclass.is_some();
    }
    class.is_record |= class.bases.iter().any(|base| RECORD_BASES.contains(&last(base)));
    class.makes_records |= class.bases.iter().any(|base| RECORD_BASES.contains(&last(base)));
    attributes::add(text, &def.body, &mut class.members, nesting_max);
    if let Some(deeds) = reading.deeds.get(&def.start()) {
        class.is_plain &= !deeds.sets_own && !deeds.sets_globals;
        class.attributes = deeds.own.iter().map(|&name| name.to_owned()).collect();
    }
    let line = text.line(def.name.range.start());
    let mut binding = Binding::new(def.name.as_str(), line, What::Class(Box::new(class)), place);
    binding.docs = docstring::raw(&def.body).map(str::to_owned);
    binding.deprecated = deprecated;
    Some(binding)
}

/// The variables that a statement assigns.
pub(super) fn variables(text: &Text<'_>, statement: &Stmt, place: Place) -> Vec<Binding> {
    let line = text.line(statement.start());
    let bind = |name: &str, variable| Binding::new(name, line, What::Variable(variable), place);
    match statement {
        Stmt::TypeAlias(alias) => {
            let Some(name) = dotted(&alias.name) else { return Vec::new() };
            let variable = Variable {
                kind: Kind::TypeAlias,
                text: Some(text.fold(alias.range, &[])),
                class: subscripted(&alias.value),
                ..Variable::default()
            };
            vec![bind(&name, variable)]
        }
        Stmt::AnnAssign(assign) => {
            let Expr::Name(name) = assign.target.as_ref() else { return Vec::new() };
            let annotation = text.of(&assign.annotation);
            let mut variable = variable(text, &name.id, assign.value.as_deref());
            if last(&annotation) == "TypeAlias" {
                variable.kind = Kind::TypeAlias;
            } else if variable.kind == Kind::TypeAlias {
                variable.kind = Kind::Variable;
            }
            variable.class = type_of(&assign.annotation).or(variable.class);
            variable.made_by = object_of(&assign.annotation);
            variable.annotation = Some(annotation);
            let mut binding = bind(&name.id, variable);
            binding.docs = assign.value.as_deref().and_then(described);
            vec![binding]
        }
        Stmt::Assign(assign) => {
            let mut found = Vec::new();
            for target in &assign.targets {
                match target {
                    Expr::Name(name) if name.id == "__slots__" => {
                        found.extend(slots(&assign.value).into_iter().map(|(name, docs)| {
                            let mut slot = bind(&name, variable(text, "", None));
                            slot.docs = docs;
                            slot
                        }));
                    }
                    Expr::Name(name) => {
                        let mut binding =
                            bind(&name.id, variable(text, &name.id, Some(&assign.value)));
                        binding.docs = described(&assign.value);
                        found.push(binding);
                    }
                    Expr::Tuple(names) => {
                        let values = match assign.value.as_ref() {
                            Expr::Tuple(values) if values.elts.len() == names.elts.len() => {
                                Some(&values.elts)
                            }
                            _ => None,
                        };
                        for (at, name) in names.elts.iter().enumerate() {
                            if let Expr::Name(name) = name {
                                let value = values.and_then(|values| values.get(at));
                                found.push(bind(&name.id, variable(text, &name.id, value)));
                            }
                        }
                    }
                    _ => {}
                }
            }
            found
        }
        _ => Vec::new(),
    }
}

fn variable(text: &Text<'_>, name: &str, value: Option<&Expr>) -> Variable {
    let call = value.and_then(Expr::as_call_expr);
    let prose = |argument| literal(argument).filter(|text| text.contains(char::is_whitespace));
    let prose = call.and_then(|call| call.arguments.args.iter().find_map(prose));
    Variable {
        kind: value.map_or_else(|| kind_by_name(name), |value| kind(name, value)),
        annotation: None,
        value: value.map(|value| signature::value(text, value)),
        text: None,
        alias: value.and_then(dotted),
        class: value.and_then(subscripted),
        made_by: call.and_then(|call| dotted(&call.func)),
        prose: prose.map(str::to_owned),
        hands_out: call.and_then(|call| hands_out(name, call)),
    }
}

/// `X` of `name = Accessor("name", X)`.
fn hands_out(name: &str, call: &ExprCall) -> Option<String> {
    match call.arguments.args.as_ref() {
        [own, class] if literal(own) == Some(name) => dotted(class),
        _ => None,
    }
}

/// `X` of `X`, `X[…]` and `Final[X]`: what a value is said to be an object of.
fn object_of(annotation: &Expr) -> Option<String> {
    let Expr::Subscript(subscript) = annotation else { return named(annotation) };
    let of = dotted(&subscript.value)?;
    match last(&of) {
        "Final" | "ClassVar" => match subscript.slice.as_ref() {
            Expr::Subscript(inner) => dotted(&inner.value),
            inner => named(inner),
        },
        _ => Some(of),
    }
}

/// `X` of `Unpack[X]` and `Unpack[X[…]]`.
fn unpacked(annotation: &Expr) -> Option<String> {
    let Expr::Subscript(subscript) = annotation else { return None };
    if last(&dotted(&subscript.value)?) != "Unpack" {
        return None;
    }
    subscripted(&subscript.slice).or_else(|| named(&subscript.slice))
}

/// `X` of `X[…]`.
fn subscripted(value: &Expr) -> Option<String> {
    match value {
        Expr::Subscript(subscript) => dotted(&subscript.value),
        _ => None,
    }
}

/// `X` of `type[X]`.
fn type_of(annotation: &Expr) -> Option<String> {
    let Expr::Subscript(subscript) = annotation else { return None };
    let of = dotted(&subscript.value)?;
    matches!(last(&of), "type" | "Type").then(|| dotted(&subscript.slice)).flatten()
}

fn kind_by_name(name: &str) -> Kind {
    let upper = name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase);
    if upper { Kind::Constant } else { Kind::Variable }
}

/// What an assigned value makes of its name.
fn kind(name: &str, value: &Expr) -> Kind {
    let starts_upper = name.trim_start_matches('_').starts_with(char::is_uppercase);
    match value {
        Expr::Subscript(subscript) => {
            let generic = dotted(&subscript.value);
            if generic.is_some_and(|generic| GENERICS.contains(&last(&generic))) {
                return Kind::TypeAlias;
            }
        }
        Expr::BinOp(union)
            if union.op == Operator::BitOr
                && starts_upper
                && kind_by_name(name) != Kind::Constant =>
        {
            return Kind::TypeAlias;
        }
        Expr::Call(call) => {
            let function = dotted(&call.func).unwrap_or_default();
            match last(&function) {
                "NewType" | "TypeVar" | "ParamSpec" | "TypeVarTuple" | "TypeAliasType" => {
                    return Kind::TypeAlias;
                }
                "namedtuple" | "NamedTuple" | "TypedDict" => return Kind::Class,
                "Enum" | "IntEnum" | "StrEnum" | "Flag" | "IntFlag" => return Kind::Enum,
                _ => {}
            }
        }
        _ => {}
    }
    kind_by_name(name)
}

/// The names in `__slots__`, with what a dictionary says of them.
fn slots(value: &Expr) -> Vec<(String, Option<String>)> {
    match value {
        Expr::Dict(dict) => {
            let items = dict.items.iter();
            let slot = |item: &ruff_python_ast::DictItem| {
                let docs = literal(&item.value).map(str::to_owned);
                Some((literal(item.key.as_ref()?)?.to_owned(), docs))
            };
            items.filter_map(slot).collect()
        }
        Expr::StringLiteral(name) => vec![(name.value.to_str().to_owned(), None)],
        other => {
            let names = all::strings(other).unwrap_or_default();
            names.into_iter().map(|name| (name, None)).collect()
        }
    }
}

/// What `Field(description="…")` and its like say.
fn described(value: &Expr) -> Option<String> {
    let Expr::Call(call) = value else { return None };
    let keyword = |name| call.arguments.find_keyword(name);
    let keyword = keyword("description").or_else(|| keyword("doc"))?;
    literal(&keyword.value).map(str::to_owned)
}

/// The message of a deprecation in the first statements of a body.
pub(super) fn warned(text: &Text<'_>, body: &[Stmt]) -> Option<String> {
    let skip = usize::from(docstring::raw(body).is_some());
    body.iter().skip(skip).take(WARNING_STATEMENTS).find_map(|statement| {
        let Stmt::Expr(statement) = statement else { return None };
        let Expr::Call(call) = statement.value.as_ref() else { return None };
        let function = dotted(&call.func)?;
        let keywords = call.arguments.keywords.iter().map(|keyword| &keyword.value);
        let mut categories = call.arguments.args.iter().chain(keywords).filter_map(dotted);
        let deprecates = categories.any(|category| last(&category).contains("Deprecat"));
        (last(&function) == "warn" && deprecates).then(|| message(text, &statement.value))
    })
}

/// The message that a call is given first.
fn message(text: &Text<'_>, call: &Expr) -> String {
    let Expr::Call(call) = call else { return String::new() };
    let keyword = ["message", "reason"].iter().find_map(|name| call.arguments.find_keyword(name));
    let argument = call.arguments.args.first().or(keyword.map(|keyword| &keyword.value));
    match argument {
        Some(Expr::StringLiteral(string)) => string.value.to_str().trim().to_owned(),
        Some(formatted @ Expr::FString(_)) => {
            let written = text.of(formatted);
            written.trim_start_matches(['f', 'r']).trim_matches(['"', '\'']).to_owned()
        }
        _ => String::new(),
    }
}
