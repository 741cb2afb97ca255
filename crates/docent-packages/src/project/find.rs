//! From a question to the places in all packages of a project that answer it.
//!
//! As `rank` does it for one package, with the names alone, and with words as rare as they are in
//! the whole project: scores of different packages can be compared.

use std::sync::Arc;

use super::names::{Names, digest, owned};
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
    let mut starts = Vec::with_capacity(shelves.len());
    let mut documents = 0usize;
    for shelf in shelves {
        starts.push(documents);
        documents += shelf.names.documents();
    }
    let mut sheet = Sheet::new(documents);
    for term in asked(question, fuzzy) {
        sheet.term(shelves, &starts, &term);
    }
    let hits = sheet.hits(shelves, &starts);
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

/// The sums of all documents of the project, side by side.
struct Sheet {
    scores: Vec<f32>,
    covered: Vec<f32>,
    best: Vec<f32>,
    /// The documents that the term at hand occurs in.
    touched: Vec<u32>,
    total: f32,
}

impl Sheet {
    fn new(documents: usize) -> Self {
        let zeros = || vec![0.0; documents];
        let (scores, covered, best) = (zeros(), zeros(), zeros());
        Self { scores, covered, best, touched: Vec::new(), total: 0.0 }
    }

    fn term(&mut self, shelves: &[Shelf], starts: &[usize], term: &Term) {
        let own = self.rarity(shelves, term.own);
        self.take(shelves, starts, term.own, own);
        let mut rarity = own;
        for &word in &term.related {
            let other = self.rarity(shelves, word);
            // A stand-in is never worth more than the word itself would be.
            let worth = if own > 0.0 { own.min(other) } else { other } * RELATED_WEIGHT;
            self.take(shelves, starts, word, worth);
            rarity = rarity.max(worth);
        }
        self.total += rarity * term.weight;
        for document in self.touched.drain(..) {
            let at = document as usize;
            let value = std::mem::take(&mut self.best[at]);
            self.scores[at] += value * term.weight;
            self.covered[at] += term.weight * value.min(rarity).max(rarity * 0.3);
        }
    }

    /// How rare a term is in the project; 0 if it does not occur.
    fn rarity(&self, shelves: &[Shelf], term: u32) -> f32 {
        let count: usize = shelves.iter().map(|shelf| shelf.names.occurrences(term).count()).sum();
        if count == 0 {
            return 0.0;
        }
        let (count, documents) = (count as f32, self.scores.len() as f32);
        (1.0 + (documents - count + 0.5) / (count + 0.5)).ln()
    }

    /// Notes where a term occurs, which is worth that much where it occurs often.
    fn take(&mut self, shelves: &[Shelf], starts: &[usize], term: u32, worth: f32) {
        if worth <= 0.0 {
            return;
        }
        for (shelf, &start) in shelves.iter().zip(starts) {
            let is_called = shelf.called.contains(&term);
            for (document, weight) in shelf.names.occurrences(term) {
                let Some(best) = self.best.get_mut(start + document) else { continue };
                if *best == 0.0 {
                    self.touched.push((start + document) as u32);
                }
                let value = worth * weight / (weight + SATURATION);
                *best = best.max(value);
            }
            // `tokio spawn` asks for what is called `spawn` there.
            if is_called {
                let documents = shelf.names.documents();
                for at in start..start + documents {
                    if self.best[at] == 0.0 && self.scores[at] > 0.0 {
                        self.touched.push(at as u32);
                        self.best[at] = worth * PACKAGE_NAME;
                    }
                }
            }
        }
    }

    fn hits(&self, shelves: &[Shelf], starts: &[usize]) -> Vec<Hit> {
        let total = self.total.max(f32::MIN_POSITIVE);
        let mut hits = Vec::new();
        for (package, (shelf, &start)) in shelves.iter().zip(starts).enumerate() {
            for document in 0..shelf.names.documents() {
                let at = start + document;
                if self.scores[at] == 0.0 {
                    continue;
                }
                let share = (self.covered[at] / total).min(1.0);
                let score =
                    self.scores[at] * (0.4 + 0.6 * share) * shelf.names.likelihood(document);
                hits.push(Hit { package, document, score });
            }
        }
        hits
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
        Shelf::new(package, Arc::new(Names::of(&extraction).expect("it is small")))
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
