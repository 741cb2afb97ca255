//! A template as the list of units that `matching` looks for, one after another.
//!
//! Fed by `template`. Here it is decided what each variable may consist of and which parts may
//! be absent; how to find them is the business of `matching`.

use super::characters::{Class, SEGMENT, URI};
use super::template::{Expression, Modifier, Operator, Part, Variable};

/// The units of a template, without the literal text at both ends, which is compared directly.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) head: String,
    pub(super) tail: String,
    pub(super) units: Vec<Unit>,
    /// Every byte that a unit looks for by itself.
    pub(super) single_bytes: Class,
}

#[derive(Clone, Debug)]
pub(super) enum Unit {
    Literal(String),
    Value(ValueUnit),
    Pairs(PairsUnit),
}

/// One value, with what introduces it.
#[derive(Clone, Debug)]
pub(super) struct ValueUnit {
    pub(super) operator: Operator,
    pub(super) variable: Variable,
    /// The operator's own character or the separator.
    pub(super) before: Option<u8>,
    pub(super) class: Class,
    pub(super) may_be_empty: bool,
    /// Where to go on when this value is absent: behind the whole expression, because a later
    /// value of an expression cannot be there without the earlier ones.
    pub(super) absent: Option<usize>,
}

/// A run of `name=value`, in any order, any of them absent.
#[derive(Clone, Debug)]
pub(super) struct PairsUnit {
    pub(super) operator: Operator,
    /// Sorted by name.
    pub(super) variables: Vec<Variable>,
    /// The exploded variable that takes the names nobody else asked for, as the keys of a map.
    pub(super) takes_all: Option<usize>,
}

impl Unit {
    /// The unit to go on with when this one, at `at`, is absent; `None` if it cannot be.
    pub(super) fn absent(&self, at: usize) -> Option<usize> {
        match self {
            Unit::Literal(_) => None,
            Unit::Value(unit) => unit.absent,
            Unit::Pairs(_) => Some(at + 1),
        }
    }
}

impl Program {
    pub(super) fn of(parts: &[Part]) -> Program {
        let mut program = Program::default();
        let mut parts = parts;
        if let [Part::Literal(text), rest @ ..] = parts {
            program.head.clone_from(text);
            parts = rest;
        }
        if let [rest @ .., Part::Literal(text)] = parts {
            program.tail.clone_from(text);
            parts = rest;
        }
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Literal(text) => program.push_literal(text),
                Part::Expression(expression) if expression.operator.is_named() => {
                    program.units.push(Unit::Pairs(pairs(expression)));
                }
                Part::Expression(expression) => {
                    let class = class(expression.operator, &parts[at + 1..], &program.tail);
                    program.push_values(expression, class);
                }
            }
        }
        program
    }

    fn push_literal(&mut self, text: &str) {
        self.single_bytes = self.single_bytes.with(Class::of(text.as_bytes()));
        self.units.push(Unit::Literal(text.to_owned()));
    }

    fn push_values(&mut self, expression: &Expression, class: Class) {
        let operator = expression.operator;
        let separator = Class::of(&[operator.separator()]);
        let end = self.units.len() + expression.variables.len();
        for (at, variable) in expression.variables.iter().enumerate() {
            let before = if at == 0 { operator.first() } else { Some(operator.separator()) };
            if let Some(before) = before {
                self.single_bytes = self.single_bytes.with(Class::of(&[before]));
            }
            let class = match variable.modifier {
                Modifier::Explode => class.with(separator),
                _ if expression.variables.len() > 1 => class.without(separator),
                _ => class,
            };
            self.units.push(Unit::Value(ValueUnit {
                operator,
                variable: variable.clone(),
                before,
                class,
                may_be_empty: operator == Operator::Fragment,
                absent: operator.first().map(|_| end),
            }));
        }
    }
}

/// What the values of an expression may consist of, given what comes after it.
fn class(operator: Operator, later: &[Part], tail: &str) -> Class {
    match operator {
        Operator::Reserved => {
            // Where the template goes on with a query or a fragment of its own, a value that
            // could hold one would swallow it, and with it the parameters that nobody asked for.
            let starts = |byte: u8, operator: Operator| {
                tail.as_bytes().contains(&byte)
                    || later.iter().any(|part| match part {
                        Part::Literal(text) => text.as_bytes().contains(&byte),
                        Part::Expression(expression) => expression.operator == operator,
                    })
            };
            let mut class = URI;
            if starts(b'?', Operator::Query) {
                class = class.without(Class::of(b"?"));
            }
            if starts(b'#', Operator::Fragment) {
                class = class.without(Class::of(b"#"));
            }
            class
        }
        Operator::Fragment => URI.without(Class::of(b"#")),
        _ => SEGMENT,
    }
}

fn pairs(expression: &Expression) -> PairsUnit {
    let first_exploded =
        expression.variables.iter().find(|variable| variable.modifier == Modifier::Explode);
    let mut variables = expression.variables.clone();
    variables.sort_by(|one, other| one.name.cmp(&other.name));
    let takes_all = first_exploded.and_then(|first| {
        variables.iter().position(|variable| variable.position == first.position)
    });
    PairsUnit { operator: expression.operator, variables, takes_all }
}
