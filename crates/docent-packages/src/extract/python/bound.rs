//! What a value of a module can be called as: a method of an object (`choice = _shared.choice`), or what its
//! type says (`ones: Constructor`), if nobody can look that type up. And the keywords that a type says.
//!
//! A part of [`super::items`]'s writer.

use super::docstring::Docs;
use super::items::{Writer, as_class, docs_of, function_of};
use super::link::{Def, Target};
use super::modules::Id;
use super::scope::{Binding, Class, Variable, What};
use super::text::last;
use crate::Item;

/// How a value is called.
pub(super) struct Called {
    pub(super) lines: Vec<String>,
    pub(super) docs: Docs,
    /// Whether that is all there is to say of it.
    pub(super) is_method: bool,
}

impl Writer<'_, '_, '_> {
    /// How the variable `name` of a module can be called, if it can.
    pub(super) fn called(&self, module: Id, name: &str, variable: &Variable) -> Option<Called> {
        if let Some((object, method)) =
            variable.alias.as_ref().and_then(|alias| alias.rsplit_once('.'))
        {
            let Target::Def(object) = self.linker.dotted(module, object) else { return None };
            let home = self.linker.modules.get(object.module);
            let What::Variable(object_is) = &home.scope.bindings[object.at].what else {
                return None;
            };
            let class = self.made_of(object.module, object_is)?;
            return self.method(class, method, name, true);
        }
        variable.annotation.as_ref()?;
        let class = self.made_of(module, variable)?;
        let home = self.linker.modules.get(class.module);
        let binding = &home.scope.bindings[class.at];
        let is_protocol = |class: &Class| class.bases.iter().any(|base| last(base) == "Protocol");
        // What is public says in its own place how it is called.
        (binding.name.starts_with('_') || as_class(binding).is_some_and(is_protocol))
            .then_some(())?;
        self.method(class, "__call__", name, false)
    }

    /// The class that a variable holds an object of.
    fn made_of(&self, module: Id, variable: &Variable) -> Option<Def> {
        let name = variable.made_by.as_ref()?;
        let Target::Def(def) = self.linker.dotted(module, name) else { return None };
        let home = self.linker.modules.get(def.module);
        as_class(&home.scope.bindings[def.at]).map(|_| def)
    }

    /// A method as a function of another name.
    fn method(&self, class: Def, method: &str, name: &str, is_method: bool) -> Option<Called> {
        let home = self.linker.modules.get(class.module);
        let of = as_class(&home.scope.bindings[class.at])?;
        let ancestors = self.classes.ancestors(class.module, Some(class), of);
        self.classes.find_map(of, &ancestors, |owner, def| {
            let member = owner.members.get(method)?;
            let function = function_of(member)?;
            let def = def.unwrap_or(class);
            let at = self.linker.modules.get(def.module);
            let source = self.source(def, &at.scope.bindings[def.at].name, 0);
            let source_module = source.map(|source| self.linker.modules.get(source.module));
            let twin = source.zip(source_module.as_ref());
            let twin = twin.and_then(|(at, module)| as_class(&module.scope.bindings[at.at]));
            let twin = twin.and_then(|class| class.members.get(method));
            let is_static = function.decorators.iter().any(|one| one == "@staticmethod");
            let lines = function.lines_with(twin.and_then(function_of));
            let bound = |line: &String| without_receiver(line, name, is_static);
            let docs = docs_of(member, twin);
            Some(Called { lines: lines.iter().map(bound).collect(), docs, is_method })
        })
    }
}

impl Writer<'_, '_, '_> {
    /// Adds the keywords that a function takes from a class nobody can look up.
    pub(super) fn describe_keywords(&self, item: &mut Item, module: Id, binding: &Binding) {
        let Some(name) = function_of(binding).and_then(|it| it.unpacks.as_ref()) else { return };
        let Target::Def(def) = self.linker.dotted(module, name) else { return };
        let home = self.linker.modules.get(def.module);
        let class = &home.scope.bindings[def.at];
        if self.public.contains(&def) && !class.name.starts_with('_') {
            return;
        }
        let Some(class) = as_class(class) else { return };
        let ancestors = self.classes.ancestors(def.module, Some(def), class);
        let mut text = item.docs.to_string();
        for (at, field) in self.classes.fields(class, &ancestors).iter().enumerate() {
            text.push_str(match (at, text.is_empty()) {
                (0, true) => "**Keywords**\n\n",
                (0, false) => "\n\n**Keywords**\n\n",
                _ => "\n",
            });
            text.push_str(&format!("- `{field}`"));
        }
        item.docs = text.into();
    }
}

/// The signature of a method that is called as a function: by another name, and without its object.
fn without_receiver(line: &str, name: &str, is_static: bool) -> String {
    let keyword = ["async def ", "def "].into_iter().find(|keyword| line.starts_with(keyword));
    let Some(keyword) = keyword else { return line.to_owned() };
    let head = &line[keyword.len()..];
    let own = head.find(['(', '[']).unwrap_or(head.len());
    let Some(open) = outside_brackets(&head[own..], '(').map(|at| own + at) else {
        return line.to_owned();
    };
    let (generics, parameters) = (&head[own..open], &head[open + 1..]);
    if is_static || parameters.starts_with('*') {
        return format!("{keyword}{name}{generics}({parameters}");
    }
    let end = outside_brackets(parameters, ',');
    let close = outside_brackets(parameters, ')').unwrap_or(parameters.len());
    let rest = match end.filter(|end| *end < close) {
        Some(end) => parameters[end + 1..].trim_start(),
        None => &parameters[close..],
    };
    // That the object has no name for callers says nothing about the others.
    let rest = rest.strip_prefix('/').map_or(rest, |rest| rest.trim_start_matches([',', ' ']));
    format!("{keyword}{name}{generics}({rest}")
}

/// Where a character stands that is in no pair of brackets.
fn outside_brackets(text: &str, wanted: char) -> Option<usize> {
    let mut depth = 0usize;
    text.char_indices().find_map(|(at, c)| {
        if depth == 0 && c == wanted {
            return Some(at);
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_called_without_their_object() {
        let check = |line: &str, expected: &str| {
            assert_eq!(without_receiver(line, "f", false), expected);
        };
        check("def m(self) -> int", "def f() -> int");
        check("def m(self, /, a: int, b=(1, 2))", "def f(a: int, b=(1, 2))");
        check("def m(self, a, /)", "def f(a, /)");
        check(
            "async def m[T: (int, str)](self: X[T, int], a: T)",
            "async def f[T: (int, str)](a: T)",
        );
        check("def m(*args, **kwargs)", "def f(*args, **kwargs)");
        check("# a remark", "# a remark");
        check("def m", "def m");
        assert_eq!(without_receiver("def m(a)", "f", true), "def f(a)");
    }
}
