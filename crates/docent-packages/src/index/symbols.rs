//! Finds items by their names, exactly as written or nearly.

use super::tokenize::{fold, whole};
use crate::hashing::HashMap;
use crate::{Item, Kind};

/// The names of all items.
pub(crate) struct Symbols {
    /// By the last segment of the path in its common spelling: `sendfile`.
    by_name: HashMap<String, Vec<u32>>,
}

/// How well an item fits a written symbol; better is smaller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Fit {
    /// The whole path, letter by letter.
    Exact,
    /// The end of the path, letter by letter.
    Suffix,
    /// The whole path, but for case and separators.
    Folded,
    /// The end of the path, but for case and separators.
    FoldedSuffix,
    /// The name alone; what stands before it is not the item's path.
    Name,
    /// The name alone, but for case and separators.
    FoldedName,
}

impl Symbols {
    pub(crate) fn build(items: &[Item]) -> Self {
        let mut by_name: HashMap<String, Vec<u32>> = HashMap::default();
        let mut name = String::new();
        for (position, item) in (0u32..).zip(items) {
            let aliases = item.aliases.iter();
            let aliases = aliases.map(|(module, path)| if path.is_empty() { module } else { path });
            let names = std::iter::once(item.name()).chain(aliases.map(|path| last_segment(path)));
            for written in names {
                name.clear();
                fold(written, &mut name);
                match by_name.get_mut(&name) {
                    // Other places of the same name.
                    Some(known) if known.last() == Some(&position) => {}
                    Some(known) => known.push(position),
                    None => {
                        by_name.insert(name.clone(), vec![position]);
                    }
                }
            }
        }
        Self { by_name }
    }

    /// The items that a written symbol can mean, best first: `res.sendFile`, `Arg::value_parser`,
    /// `click.confirm`, `Tag#find_all`.
    pub(crate) fn lookup(&self, symbol: &str, items: &[Item]) -> Vec<(u32, Fit)> {
        let wanted = segments(symbol);
        let Some(last) = wanted.last() else { return Vec::new() };
        let candidates = self.by_name.get(&whole(last)).map_or(&[][..], Vec::as_slice);
        let mut found: Vec<(u32, Fit)> = candidates
            .iter()
            .map(|&position| (position, fit(&wanted, &items[position as usize])))
            .collect();
        found.sort_by_key(|&(position, fit)| {
            let item = &items[position as usize];
            let depth = item.path.matches('.').count() + module_parts(&item.module).count();
            // Where a module and a class share a name, people mean the class.
            let container = matches!(item.kind, Kind::Module | Kind::Namespace);
            (fit, container, item.inherited.is_some(), depth, position)
        });
        found
    }

    /// Whether there is something at this very path.
    pub(crate) fn has(&self, symbol: &str, items: &[Item]) -> bool {
        self.lookup(symbol, items).first().is_some_and(|(_, fit)| *fit == Fit::Exact)
    }

    /// The names nearest to a name that no item has, for "did you mean".
    pub(crate) fn nearest(&self, symbol: &str, items: &[Item], count: usize) -> Vec<u32> {
        let wanted = segments(symbol);
        let Some(last) = wanted.last() else { return Vec::new() };
        let last = whole(last);
        let mut found: Vec<(f64, &str, u32)> = self
            .by_name
            .iter()
            .filter_map(|(name, positions)| {
                let score = likeness(&last, name);
                (score > 0.62).then_some((score, name.as_str(), positions))
            })
            .flat_map(|(score, name, positions)| {
                positions.iter().take(3).map(move |&position| (score, name, position))
            })
            .collect();
        found.sort_by(|a, b| {
            let depth = |position: u32| items[position as usize].path.matches('.').count();
            b.0.total_cmp(&a.0)
                .then(depth(a.2).cmp(&depth(b.2)))
                .then(a.1.cmp(b.1))
                .then(a.2.cmp(&b.2))
        });
        found.truncate(count);
        found.into_iter().map(|(_, _, position)| position).collect()
    }
}

/// How alike two names are, 0 to 1; one that contains the other is quite alike.
fn likeness(wanted: &str, name: &str) -> f64 {
    if wanted.len() >= 3 && name.len() >= 3 && (name.contains(wanted) || wanted.contains(name)) {
        let (short, long) = (wanted.len().min(name.len()), wanted.len().max(name.len()));
        return 0.7 + 0.3 * short as f64 / long as f64;
    }
    let longest = wanted.len().max(name.len());
    if longest > 64 || wanted.len().abs_diff(name.len()) > longest / 2 {
        return 0.0;
    }
    strsim::normalized_damerau_levenshtein(wanted, name)
}

/// The parts of a symbol as anybody might write it, without call brackets.
pub(crate) fn segments(symbol: &str) -> Vec<&str> {
    let symbol = symbol.split(['(', '<', ' ']).next().unwrap_or(symbol);
    symbol.split(['.', ':', '#', '/']).filter(|part| !part.is_empty()).collect()
}

fn last_segment(path: &str) -> &str {
    path.rsplit(['.', '/', ':']).next().unwrap_or(path)
}

/// The parts of a module's name in any language: `zod/v4`, `os.path`, `tokio::task`.
pub(crate) fn module_parts(module: &str) -> impl Iterator<Item = &str> {
    module.split(['.', '/', ':']).filter(|part| !part.is_empty())
}

fn fit(wanted: &[&str], item: &Item) -> Fit {
    let paths = std::iter::once((item.module.as_str(), &item.path))
        .chain(item.aliases.iter().map(|(module, path)| (module.as_str(), path)));
    paths.map(|(module, path)| fit_path(wanted, module, path)).min().unwrap_or(Fit::FoldedName)
}

fn fit_path(wanted: &[&str], module: &str, path: &str) -> Fit {
    let inner: Vec<&str> = path.split('.').filter(|part| !part.is_empty()).collect();
    let full: Vec<&str> = module_parts(module).chain(inner.iter().copied()).collect();
    let same = |a: &[&str], b: &[&str]| a == b;
    let folded = |a: &[&str], b: &[&str]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| whole(a) == whole(b))
    };
    let end = |parts: &[&str]| parts.len() >= wanted.len();
    let tail = |parts: &'_ [&str]| parts.len().saturating_sub(wanted.len());
    if same(wanted, &inner) || same(wanted, &full) {
        Fit::Exact
    } else if end(&full) && same(wanted, &full[tail(&full)..]) && wanted.len() > 1 {
        Fit::Suffix
    } else if folded(wanted, &inner) || folded(wanted, &full) {
        Fit::Folded
    } else if end(&full) && folded(wanted, &full[tail(&full)..]) && wanted.len() > 1 {
        Fit::FoldedSuffix
    } else if wanted.last() == inner.last() {
        Fit::Name
    } else {
        Fit::FoldedName
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(module: &str, path: &str, aliases: &[(&str, &str)]) -> Item {
        let aliases = aliases.iter().map(|(m, p)| ((*m).to_owned(), (*p).to_owned())).collect();
        Item { module: module.into(), path: path.to_owned(), aliases, ..Item::default() }
    }

    fn items() -> Vec<Item> {
        vec![
            item("express", "", &[]),
            item("express", "Response.sendFile", &[]),
            item("express", "Response.send", &[]),
            item("click", "confirm", &[("click.termui", "confirm")]),
            item("bs4", "Tag.find_all", &[]),
            item("bs4", "BeautifulSoup.find_all", &[]),
            item("clap", "Arg.value_parser", &[]),
            item("tokio::task", "JoinHandle.abort", &[]),
        ]
    }

    fn check(symbol: &str, expected: &[(&str, Fit)]) {
        let items = items();
        let symbols = Symbols::build(&items);
        let found = symbols.lookup(symbol, &items);
        let found: Vec<(&str, Fit)> =
            found.iter().map(|(at, fit)| (items[*at as usize].path.as_str(), *fit)).collect();
        assert_eq!(found, expected, "{symbol}");
    }

    #[test]
    fn a_symbol_is_found_however_it_is_written() {
        check("confirm", &[("confirm", Fit::Exact)]);
        check("click.confirm", &[("confirm", Fit::Exact)]);
        check("click.termui.confirm()", &[("confirm", Fit::Exact)]);
        check("termui.confirm", &[("confirm", Fit::Suffix)]);
        check("Response.sendFile", &[("Response.sendFile", Fit::Exact)]);
        check("res.sendFile(path)", &[("Response.sendFile", Fit::Name)]);
        check("response#send_file", &[("Response.sendFile", Fit::Folded)]);
        check("Arg::value_parser", &[("Arg.value_parser", Fit::Exact)]);
        check("JoinHandle::abort", &[("JoinHandle.abort", Fit::Exact)]);
        check("tokio::task::JoinHandle::abort", &[("JoinHandle.abort", Fit::Exact)]);
        check("task::JoinHandle::abort", &[("JoinHandle.abort", Fit::Suffix)]);
        check(
            "Tag.find_all",
            &[("Tag.find_all", Fit::Exact), ("BeautifulSoup.find_all", Fit::Name)],
        );
        check("sendfiles", &[]);
        check("()", &[]);
    }

    #[test]
    fn what_is_misspelled_has_near_names() {
        let items = items();
        let symbols = Symbols::build(&items);
        let near = |symbol| {
            let near = symbols.nearest(symbol, &items, 2);
            near.iter().map(|at| items[*at as usize].path.clone()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(near("sendfiles"), "Response.sendFile Response.send");
        assert_eq!(near("confrim"), "confirm");
        assert_eq!(near("zzzzzz"), "");
    }
}
