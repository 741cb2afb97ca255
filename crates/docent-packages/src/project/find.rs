//! From a question to the places in all packages of a project that answer it.
//!
//! As `rank` does it for one package, with the names alone, and with words as rare as they are in
//! the whole project: scores of different packages can be compared.

use std::sync::Arc;

use super::names::{Names, Occurrences, digest, owned};
use crate::index::symbols::segments;
use crate::index::tokenize::{is_filler, terms};
use crate::index::vocabulary::{RELATED_WEIGHT, related};
use crate::rank::is_about_the_answer;

/// How quickly further occurrences stop adding.
const SATURATION: f32 = 2.0;

/// What scores less than this share of the best hit is noise.
const SCORE_SHARE_MIN: f32 = 0.3;

/// What a hit says of its package counts this much of a word in its text.
const PACKAGE_NAME: f32 = 0.5;

/// Hits in all, in one package, and packages that they are from.
const HITS_MAX: usize = 24;
const HITS_OF_PACKAGE_MAX: usize = 5;
const PACKAGES_MAX: usize = 8;

/// A document of a package, by position, and how well it fits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Hit {
    pub(super) package: usize,
    pub(super) document: usize,
    pub(super) score: f32,
}

/// One package to look in.
pub(super) struct Shelf {
    pub(super) names: Arc<Names>,
    /// The digests of the words in the package's name.
    pub(super) called: Vec<u32>,
}

impl Shelf {
    pub(super) fn new(package: &str, names: Arc<Names>) -> Self {
        let mut called = Vec::new();
        terms(package, |term| called.push(digest(term)));
        Self { names, called }
    }
}

/// What the question asks for, and how much each part counts.
struct Term {
    own: u32,
    /// Other words for it.
    related: Vec<u32>,
    weight: f32,
}

/// The best places, best first.
pub(super) fn find(shelves: &[Shelf], question: &str, fuzzy: bool) -> Vec<Hit> {
    let documents = shelves.iter().map(|shelf| shelf.names.documents()).sum();
    let mut total = 0.0;
    // What each term finds on each shelf, and the terms that are part of its name.
    let mut found: Vec<Vec<Part<'_>>> = shelves.iter().map(|_| Vec::new()).collect();
    let mut named: Vec<(usize, Part<'_>)> = Vec::new();
    for (term, asked) in asked(question, fuzzy).iter().enumerate() {
        let own = Word::look_up(shelves, documents, asked.own);
        let own_rarity = own.rarity;
        let mut rarity = own_rarity;
        let mut words = vec![(own, own_rarity)];
        for &word in &asked.related {
            let other = Word::look_up(shelves, documents, word);
            // A stand-in is never worth more than the word itself would be.
            let worth = if own_rarity > 0.0 { own_rarity.min(other.rarity) } else { other.rarity };
            let worth = worth * RELATED_WEIGHT;
            rarity = rarity.max(worth);
            words.push((other, worth));
        }
        // `tokio spawn` asks for what is called `spawn` there.
        let called = |shelf: &&Shelf| shelf.called.contains(&asked.own);
        let inside = shelves.iter().filter(called).map(|shelf| shelf.names.documents()).sum();
        let worth = PACKAGE_NAME * rarity_of(inside, documents);
        rarity = rarity.max(worth);
        total += rarity * asked.weight;
        let weight = asked.weight;
        for (at, _) in shelves.iter().enumerate().filter(|(_, shelf)| called(shelf)) {
            let occurrences = Occurrences::default();
            named.push((at, Part { term, occurrences, worth, rarity, weight }));
        }
        for (word, worth) in words {
            for (shelf, occurrences) in word.places {
                found[shelf].push(Part { term, occurrences, worth, rarity, weight });
            }
        }
    }
    // They count for what the other terms find.
    for (shelf, part) in named {
        if !found[shelf].is_empty() {
            found[shelf].push(part);
        }
    }
    let mut sheet = Sheet::default();
    let mut hits = Vec::new();
    for (package, (shelf, parts)) in shelves.iter().zip(found).enumerate() {
        sheet.add(shelf.names.documents(), parts);
        sheet.hits(package, &shelf.names, total, &mut hits);
    }
    spread(hits)
}

fn asked(question: &str, fuzzy: bool) -> Vec<Term> {
    let mut all: Vec<Term> = Vec::new();
    terms(question, |term| {
        let own = digest(term);
        if is_filler(term) || all.iter().any(|known| known.own == own) {
            return;
        }
        let related = related(term).filter(|word| fuzzy && *word != term).map(digest).collect();
        let weight = if is_about_the_answer(term) { 0.3 } else { 1.0 };
        all.push(Term { own, related, weight });
    });
    for word in question.split_whitespace() {
        let word = word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
        if let [.., owner, name] = segments(word)[..] {
            all.push(Term { own: digest(&owned(owner, name)), related: Vec::new(), weight: 1.0 });
        }
    }
    all
}

/// Where a word occurs in the whole project.
struct Word<'a> {
    places: Vec<(usize, Occurrences<'a>)>,
    /// How rare it is; 0 if it does not occur.
    rarity: f32,
}

impl<'a> Word<'a> {
    fn look_up(shelves: &'a [Shelf], documents: usize, word: u32) -> Self {
        let mut places = Vec::new();
        let mut count = 0;
        for (at, shelf) in shelves.iter().enumerate() {
            if let Some(occurrences) = shelf.names.occurrences(word) {
                count += occurrences.clone().count();
                places.push((at, occurrences));
            }
        }
        Self { places, rarity: rarity_of(count, documents) }
    }
}

/// How rare it is to be one of `count` among all documents; 0 if there are none.
fn rarity_of(count: usize, documents: usize) -> f32 {
    if count == 0 {
        return 0.0;
    }
    let (count, documents) = (count as f32, documents as f32);
    (1.0 + (documents - count + 0.5) / (count + 0.5)).ln()
}

/// What one word finds in one package.
struct Part<'a> {
    /// Which term of the question it stands for.
    term: usize,
    /// None, if it is part of the package's name.
    occurrences: Occurrences<'a>,
    worth: f32,
    /// How rare the term is, and how much it counts.
    rarity: f32,
    weight: f32,
}

/// The sums of the documents of one package.
#[derive(Default)]
struct Sheet {
    scores: Vec<f32>,
    covered: Vec<f32>,
    /// What the term at hand is worth.
    best: Vec<f32>,
    /// The documents that it occurs in.
    touched: Vec<usize>,
    /// The documents that anything occurs in.
    seen: Vec<usize>,
}

impl Sheet {
    /// Adds up what the terms find; those that belong to one term are side by side.
    fn add(&mut self, documents: usize, parts: Vec<Part<'_>>) {
        self.seen.clear();
        if parts.is_empty() {
            return;
        }
        for sums in [&mut self.scores, &mut self.covered, &mut self.best] {
            sums.clear();
            sums.resize(documents, 0.0);
        }
        let mut parts = parts.into_iter().peekable();
        while let Some(part) = parts.next() {
            let Part { term, rarity, weight, .. } = part;
            let is_name = part.occurrences.is_empty();
            self.take(part);
            if is_name || parts.peek().is_none_or(|next| next.term != term) {
                self.end(rarity, weight);
            }
        }
    }

    fn take(&mut self, part: Part<'_>) {
        if part.occurrences.is_empty() {
            // All that was found so far is in a package of that name.
            for &document in &self.seen {
                if self.best[document] == 0.0 {
                    self.touched.push(document);
                    self.best[document] = part.worth;
                }
            }
        }
        for (document, weight) in part.occurrences {
            let Some(best) = self.best.get_mut(document) else { continue };
            if *best == 0.0 {
                self.touched.push(document);
            }
            *best = best.max(part.worth * weight / (weight + SATURATION));
        }
    }

    fn end(&mut self, rarity: f32, weight: f32) {
        for document in self.touched.drain(..) {
            let value = std::mem::take(&mut self.best[document]);
            if self.scores[document] == 0.0 {
                self.seen.push(document);
            }
            self.scores[document] += value * weight;
            self.covered[document] += weight * value.min(rarity).max(rarity * 0.3);
        }
    }

    fn hits(&self, package: usize, names: &Names, total: f32, hits: &mut Vec<Hit>) {
        for &document in &self.seen {
            let share = (self.covered[document] / total.max(f32::MIN_POSITIVE)).min(1.0);
            let score = self.scores[document] * (0.4 + 0.6 * share) * names.likelihood(document);
            hits.push(Hit { package, document, score });
        }
    }
}

/// The best of many, but not all from one package.
fn spread(mut hits: Vec<Hit>) -> Vec<Hit> {
    /// What is looked at, to find some of each package.
    const LOOKED_AT: usize = 512;
    let order = |a: &Hit, b: &Hit| {
        b.score.total_cmp(&a.score).then((a.package, a.document).cmp(&(b.package, b.document)))
    };
    if hits.len() > LOOKED_AT {
        hits.select_nth_unstable_by(LOOKED_AT, order);
        hits.truncate(LOOKED_AT);
    }
    hits.sort_unstable_by(order);
    let least = hits.first().map_or(0.0, |best| best.score * SCORE_SHARE_MIN);
    let mut packages: Vec<(usize, usize)> = Vec::new();
    hits.retain(|hit| {
        if hit.score < least {
            return false;
        }
        if let Some((_, count)) = packages.iter_mut().find(|known| known.0 == hit.package) {
            *count += 1;
            return *count <= HITS_OF_PACKAGE_MAX;
        }
        let has_room = packages.len() < PACKAGES_MAX;
        if has_room {
            packages.push((hit.package, 1));
        }
        has_room
    });
    hits.truncate(HITS_MAX);
    hits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Extraction, Item, Kind};

    fn shelf(package: &str, items: &[(&str, &str)]) -> Shelf {
        let items = items.iter().map(|(path, docs)| Item {
            module: package.into(),
            path: (*path).to_owned(),
            kind: Kind::Function,
            docs: (*docs).into(),
            ..Item::default()
        });
        let extraction = Extraction { items: items.collect(), ..Extraction::default() };
        Shelf::new(package, Arc::new(Names::of(&extraction).expect("it is small").0))
    }

    fn shelves() -> Vec<Shelf> {
        vec![
            shelf("click", &[("confirm", "Prompts for confirmation."), ("echo", "Prints a text.")]),
            shelf("tokio", &[("spawn", "Spawns a task."), ("Runtime.spawn", "Spawns on it.")]),
            shelf("children", &[("spawn", "Starts a process."), ("Child.kill", "Ends it.")]),
            shelf("many", &[("spawn_a", ""), ("spawn_b", ""), ("spawn_c", ""), ("spawn_d", "")]),
        ]
    }

    fn check(question: &str, expected: &[(&str, usize)]) {
        let packages = ["click", "tokio", "children", "many"];
        let hits = find(&shelves(), question, true);
        let found: Vec<(&str, usize)> = hits
            .iter()
            .take(expected.len())
            .map(|hit| (packages[hit.package], hit.document))
            .collect();
        assert_eq!(found, expected, "{question}");
    }

    #[test]
    fn a_question_finds_the_package_that_answers_it() {
        check("ask a yes/no question", &[("click", 0)]);
        check("start a process", &[("children", 0)]);
        check("kill a child", &[("children", 1)]);
        check("tokio::spawn", &[("tokio", 0)]);
        check("tokio spawn", &[("tokio", 0)]);
        check("spawn with children", &[("children", 0)]);
        check("children.spawn()", &[("children", 0)]);
        check("Runtime::spawn", &[("tokio", 1)]);
        check("spawn_c", &[("many", 2)]);
        assert_eq!(find(&shelves(), "zzz", true), []);
        assert_eq!(find(&[], "spawn", true), []);
    }

    #[test]
    fn no_package_has_all_the_places() {
        let many: Vec<(String, String)> =
            (0..50).map(|at| (format!("spawn_{at}"), String::new())).collect();
        let many: Vec<(&str, &str)> =
            many.iter().map(|(path, docs)| (path.as_str(), docs.as_str())).collect();
        let shelves = [shelf("one", &many), shelf("other", &[("spawn_other_thing", "")])];
        let hits = find(&shelves, "spawn", true);
        assert_eq!(hits.iter().filter(|hit| hit.package == 0).count(), HITS_OF_PACKAGE_MAX);
        assert_eq!(hits.iter().filter(|hit| hit.package == 1).count(), 1);
    }
}
