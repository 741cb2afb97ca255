//! From a URI back to variables, in time that no URI can make grow out of hand.
//!
//! A template is a list of units (`program`): literal text, a value made of certain characters, a
//! run of `name=value`. Trying one length after another for each value is what makes matchers
//! explode, so nothing is tried here. Instead:
//!
//! 1. *Backward*: for every unit, from the last to the first, find the set of **all** places
//!    from which the rest of the URI can be matched by this unit and those behind it. A set is a
//!    bit string (`bits`); a literal takes one shift per character and a value of any length one
//!    addition, each over `length / 64` words.
//! 2. *Forward*: walk the units once. Each value ends at the best place from which the rest is
//!    known to match. No choice is ever taken back.
//!
//! So the work is at most `template length × (URI length / 64)` word operations and a few passes
//! over the URI for every unit, whatever the characters are. The work is counted, and a test holds
//! it to that bound. No match is missed either, with two exceptions: the sets know nothing of
//! lengths, so a `{a:3}` that would have needed another value to be shorter is not found; and in
//! `{;a}text` the name needs its `=`, because `;atext` is another name.
//!
//! What is found is still raw text; `bind` decodes it and refuses what a server of paths should
//! never see.

use super::bind;
use super::bits::Bits;
use super::characters::{Class, URI};
use super::pairs::Pair;
use super::program::{PairsUnit, Program, Unit, ValueUnit};
use super::template::{Modifier, Operator, Variable};
use super::{UriTemplate, Variables};

/// Raw text that was found for a variable.
#[derive(Debug)]
pub(super) struct Capture<'t, 'u> {
    pub(super) operator: Operator,
    pub(super) variable: &'t Variable,
    /// The name that stood before `=`, for operators that write one.
    pub(super) name: Option<&'u str>,
    pub(super) text: &'u str,
}

impl UriTemplate {
    /// Finds the variables for which the template makes `uri`; `None` if there are none.
    ///
    /// | expression | matches | may be absent |
    /// |---|---|---|
    /// | `{a}` | one or more characters of one path segment, so never `/`, `?` or `#` | no |
    /// | `{a,b}` | the same for each, with commas between | no |
    /// | `{+a}` | one or more of any characters; up to `?` or `#` where the template itself goes on with a query or a fragment | no |
    /// | `{#a}` | `#` and the rest | yes |
    /// | `{.a}` `{/a,b}` | `.` or `/` and one or more characters of a segment, for each | yes, from the last |
    /// | `{;a,b}` `{?a,b}` `{&a,b}` | `name=value` in any order, each name once, no others | yes |
    ///
    /// - An exploded variable (`*`) becomes a list. In `{;a*}`, `{?a*}` and `{&a*}` it takes every
    ///   `a=…`, and all names that no other variable has; then it becomes a map.
    /// - Values are percent-decoded once, must be UTF-8, and must not be decoded again. `+` is a
    ///   plus, not a space.
    /// - `{a}`, `{.a}` and `{/a}` **refuse** values that decode to `.` or `..` or that contain
    ///   `/`, `\` or NUL, so `%2e%2e%2f` gets nowhere. `{+a}` refuses `.` and `..` as a whole
    ///   segment, `\` and NUL, but it can be an absolute path: use
    ///   [`join_inside`](super::join_inside). Values of the other operators are plain data.
    /// - Where several divisions are possible, what may be absent is present if it can be, with as
    ///   many pairs as there are; then earlier values are longer: `{name}.{ext}` and
    ///   `{name}{.ext}` divide `a.tar.gz` into `a.tar` and `gz`.
    /// - A variable that occurs twice must have the same value twice; `{a:3}` must be the first
    ///   three characters of `{a}`, or is the value itself if `a` occurs nowhere else.
    ///
    /// Takes time proportional to the length of the URI. URIs longer than
    /// [`UriLimits::uri_bytes_max`](super::UriLimits::uri_bytes_max) match nothing.
    ///
    /// ```
    /// use docent_mcp::uri::UriTemplate;
    ///
    /// let template = UriTemplate::new("file://{/folders*}/{name}.{extension}")?;
    /// let found = template.matches("file:///home/me/a%20b.tar.gz").unwrap();
    /// assert_eq!(found.list("folders").unwrap(), ["home", "me"]);
    /// assert_eq!(found.get("name"), Some("a b.tar"));
    /// assert_eq!(found.get("extension"), Some("gz"));
    ///
    /// assert!(template.matches("file:///home/%2e%2e/x.txt").is_none());
    /// # Ok::<(), docent_mcp::uri::UriTemplateError>(())
    /// ```
    pub fn matches(&self, uri: &str) -> Option<Variables> {
        if uri.len() > self.limits.uri_bytes_max {
            return None;
        }
        bind::bind(&find(&self.program, uri, &mut 0)?)
    }
}

/// Finds the raw text of every variable and adds the work that it took to `work`: one for each
/// word operation and for each byte looked at.
pub(super) fn find<'t, 'u>(
    program: &'t Program,
    uri: &'u str,
    work: &mut usize,
) -> Option<Vec<Capture<'t, 'u>>> {
    let body = uri.strip_prefix(program.head.as_str())?.strip_suffix(program.tail.as_str())?;
    *work += program.head.len() + program.tail.len() + body.len();
    if program.units.is_empty() {
        return body.is_empty().then(Vec::new);
    }
    // No unit takes anything else, and `pairs` counts on it.
    if !body.bytes().all(|byte| URI.has(byte)) {
        return None;
    }
    let mut search = Search::new(program, body);
    let found = search.backward().then(|| search.forward()).flatten();
    *work += search.work;
    found
}

struct Search<'t, 'u> {
    program: &'t Program,
    uri: &'u str,
    /// The places where each byte of [`Program::single_bytes`] stands.
    single_bytes: Vec<Bits>,
    classes: Vec<(Class, Bits)>,
    /// The places between characters, not inside an escape or a character of several escapes.
    boundaries: Bits,
    /// For each unit that may be absent, the places where it is not, with the rest behind it.
    present: Vec<Bits>,
    /// For each unit, the places from which it and the rest match; and one more for the end.
    reach: Vec<Bits>,
    work: usize,
}

impl<'t, 'u> Search<'t, 'u> {
    fn new(program: &'t Program, uri: &'u str) -> Self {
        let size = uri.len();
        let mut single_bytes = vec![Bits::empty(size); program.single_bytes.len()];
        for (at, byte) in uri.bytes().rev().enumerate() {
            if program.single_bytes.has(byte) {
                single_bytes[program.single_bytes.rank(byte)].insert(at);
            }
        }
        let mut boundaries = Bits::before(uri, |_| true);
        boundaries.insert(size);
        for at in memchr::memchr_iter(b'%', uri.as_bytes()) {
            let digits = &uri.as_bytes()[at + 1..size.min(at + 3)];
            (1..=digits.len()).for_each(|inside| boundaries.remove(size - at - inside));
            if matches!(digits, [b'8' | b'9' | b'a' | b'b' | b'A' | b'B', _]) {
                boundaries.remove(size - at);
            }
        }
        let work = (single_bytes.len() + 1) * boundaries.words() + 2 * size;
        Search {
            program,
            uri,
            single_bytes,
            classes: Vec::new(),
            boundaries,
            present: Vec::new(),
            reach: Vec::new(),
            work,
        }
    }

    /// Fills `present` and `reach`; whether the whole URI can be matched.
    fn backward(&mut self) -> bool {
        let count = self.program.units.len();
        self.present = vec![Bits::default(); count];
        self.reach = vec![Bits::default(); count + 1];
        self.reach[count] = Bits::empty(self.uri.len());
        self.reach[count].insert(0);
        for (at, unit) in self.program.units.iter().enumerate().rev() {
            let mut places = self.reach[at + 1].clone();
            match unit {
                Unit::Literal(text) => self.before_literal(&mut places, text),
                Unit::Value(unit) => self.before_value(&mut places, unit),
                Unit::Pairs(unit) => self.before_pairs(&mut places, unit),
            }
            if let Some(behind) = unit.absent(at) {
                self.present[at] = places.clone();
                places.unite(&self.reach[behind]);
            }
            self.work += 4 * places.words();
            if places.is_empty() {
                return false;
            }
            self.reach[at] = places;
        }
        self.reach[0].contains(self.uri.len())
    }

    fn before_literal(&mut self, places: &mut Bits, text: &str) {
        for byte in text.bytes().rev() {
            self.before_byte(places, byte);
        }
    }

    fn before_byte(&mut self, places: &mut Bits, byte: u8) {
        places.step(&self.single_bytes[self.program.single_bytes.rank(byte)]);
        self.work += places.words();
    }

    fn before_value(&mut self, places: &mut Bits, unit: &ValueUnit) {
        places.intersect(&self.boundaries);
        let class = self.class(unit.class);
        let characters = &self.classes[class].1;
        if !unit.may_be_empty {
            places.step(characters);
        }
        places.spread(characters);
        places.intersect(&self.boundaries);
        self.work += 4 * places.words();
        if let Some(before) = unit.before {
            self.before_byte(places, before);
        }
    }

    fn before_pairs(&mut self, places: &mut Bits, unit: &PairsUnit) {
        *places = unit.starts(self.uri, places, &self.boundaries);
        self.work += 2 * self.uri.len() + places.words();
    }

    /// Where the places of a class are kept; there are few classes, so each is found once.
    fn class(&mut self, class: Class) -> usize {
        if let Some(known) = self.classes.iter().position(|(known, _)| *known == class) {
            return known;
        }
        let places = Bits::before(self.uri, |byte| class.has(byte));
        self.work += self.uri.len() + places.words();
        self.classes.push((class, places));
        self.classes.len() - 1
    }

    /// Divides the URI among the units, after a successful `backward`. Only a prefix length can
    /// still fail, because the sets know nothing of lengths.
    fn forward(&mut self) -> Option<Vec<Capture<'t, 'u>>> {
        let units = &self.program.units;
        let mut captures = Vec::new();
        let (mut at, mut place) = (0, 0);
        while let Some(unit) = units.get(at) {
            if let Some(behind) = unit.absent(at)
                && !self.present[at].contains(self.uri.len() - place)
            {
                at = behind;
                continue;
            }
            at += 1;
            match unit {
                Unit::Literal(text) => place += text.len(),
                Unit::Value(unit) => {
                    let start = place + usize::from(unit.before.is_some());
                    place = self.value_end(unit, start, at)?;
                    captures.push(Capture {
                        operator: unit.operator,
                        variable: &unit.variable,
                        name: None,
                        text: &self.uri[start..place],
                    });
                }
                Unit::Pairs(unit) => place = self.take_pairs(unit, place, at, &mut captures)?,
            }
        }
        Some(captures)
    }

    /// Where the value that starts at `start` ends, with the unit `next` behind it.
    fn value_end(&mut self, unit: &ValueUnit, start: usize, next: usize) -> Option<usize> {
        let size = self.uri.len();
        let class = self.class(unit.class);
        let mut longest = size - self.classes[class].1.run_below(size - start);
        self.work += (longest - start) / 64 + 1;
        if let Modifier::Prefix(characters) = unit.variable.modifier {
            let mut ends = (start + 1..longest).filter(|end| self.boundaries.contains(size - end));
            longest = ends.nth(characters - 1).unwrap_or(longest);
            self.work += longest - start;
        }
        let shortest = start + usize::from(!unit.may_be_empty);
        self.best_end(shortest, longest, next)
    }

    /// The place from `from` to `to` that a value should end at, with the unit `next` behind it:
    /// the last where that unit can start, or the first if it takes pairs, so that it gets them
    /// all. If it may be absent and can start nowhere, the unit behind it decides, and so on.
    fn best_end(&mut self, from: usize, to: usize, mut next: usize) -> Option<usize> {
        let size = self.uri.len();
        let (nearest, farthest) = (size - to, size - from);
        loop {
            self.work += farthest.saturating_sub(nearest) / 64 + 1;
            let unit = self.program.units.get(next);
            let absent = unit.and_then(|unit| unit.absent(next));
            let places = if absent.is_some() { &self.present[next] } else { &self.reach[next] };
            let found = match unit {
                Some(Unit::Pairs(_)) => places.last_common(&self.boundaries, nearest, farthest),
                _ => places.first_common(&self.boundaries, nearest, farthest),
            };
            match found {
                Some(found) => return Some(size - found),
                None => next = absent?,
            }
        }
    }

    /// Takes the longest run of pairs after which the unit `next` can go on.
    fn take_pairs(
        &mut self,
        unit: &'t PairsUnit,
        start: usize,
        next: usize,
        captures: &mut Vec<Capture<'t, 'u>>,
    ) -> Option<usize> {
        let mut run = unit.run(self.uri, start);
        self.work += 2 * (self.uri.len() - start);
        let can_end = |pair: &Pair| pair.can_end(self.uri, &self.reach[next], &self.boundaries);
        while run.pop_if(|pair| !can_end(pair)).is_some() {}
        let last = run.last_mut()?;
        last.end = self.best_end(last.value_start(), last.end, next)?;
        captures.extend(run.iter().map(|pair| Capture {
            operator: unit.operator,
            variable: &unit.variables[pair.variable],
            name: Some(pair.name(self.uri)),
            text: &self.uri[pair.value_start()..pair.end],
        }));
        run.last().map(|pair| pair.end)
    }
}
