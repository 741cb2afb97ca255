//! Which sections help somebody who uses the package.
//!
//! Takes the sections of [`super::markdown`], and leaves out what is about the project instead:
//! license, sponsors, people, how to contribute; badges and tables of contents. Feeds
//! [`super::chunk`].

use super::is_listed;
use super::markdown::{Block, Section, Shape, is_word};

/// Never about using the package, nor is anything below it.
const DROPPED: &str = "\
    license, licensing, licenses, license and copyright, copyright, legal, sponsor, \
    sponsors, sponsorship, sponsoring, backers, funding, donate, donations, supporters, support \
    us, support the project, supporting, financial contributors, author, authors, maintainer, \
    maintainers, contributor, contributors, contribute, contributing, contribution, contributions, \
    contribution guide, contribution guidelines, how to contribute, code contributors, people, \
    team, core team, the team, committee, technical committee, tc, triagers, collaborators, \
    emeritus, community, communities, community support, stay in touch, follow us, changelog, \
    change log, changes, release notes, release history, version history, history, releases, whats \
    new, news, security policy, security issues, reporting security issues, security \
    vulnerabilities, reporting a vulnerability, security contact information, build status, ci, ci \
    status, status, coverage, code coverage, badges, acknowledgement, acknowledgements, \
    acknowledgment, acknowledgments, credit, credits, thanks, thank you, special thanks, \
    inspiration, table of contents, contents, toc, star history, stargazers, stargazers over time, \
    used by, who uses, whos using, users, code of conduct, translations, readme translations, \
    roadmap, todo, show your support, governance, help wanted, get help, getting help, disclaimer, \
    citation, citing";

/// Mostly about the project, unless it shows code that is more than a command to run.
const DOUBTFUL: &str = "\
    test, tests, testing, running tests, running the tests, run tests, run the tests, unit tests, \
    test suite, build, building, building from source, development, developing, local development, \
    dev, developers, development setup, support, help, need help, questions, security, releasing, \
    release, benchmarks, benchmark, contact, links, resources, see also, related, related \
    projects, faq and support, project status, bugs, issues, bug reports, reporting bugs, \
    reporting issues, feedback, ecosystem";

/// Words that make a heading doubtful wherever they are in it, and those that do so at its start.
const DOUBTFUL_WORDS: &str = "\
    contributing, contribution, contributions, contribute, contributors, sponsor, sponsors, \
    sponsorship, backers, donate, donations, funding, maintainers, license, licensing, \
    committee, emeriti, emeritus, acknowledgements, acknowledgments, credits, changelog, bugs, \
    team, governance, trademark, trademarks";
const DOUBTFUL_STARTS: &str = "\
    support, supporting, cloning, badge, hacking, developing";

/// Kept whatever they look like; a word of the heading is enough.
const KEPT: &str = "\
    install, installation, installing, setup, usage, use, using, quickstart, start, started, api, \
    apis, method, methods, function, functions, option, options, config, configuration, \
    configuring, settings, example, examples, guide, guides, howto, how, overview, feature, \
    features, tutorial, reference, parameters, arguments, types, migration, migrating, upgrading, \
    requirements, compatibility, introduction, documentation, docs, cli, commands";

/// Languages of code that is typed into a terminal.
const TERMINAL: &str = "\
    sh, bash, shell, zsh, console, shellsession, terminal, cmd, powershell, bat, fish, text";

/// What a file is, for the rules that differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rules {
    /// For everybody who comes along: mixed with what is about the project.
    Readme,
    /// Written for users.
    Guide,
}

/// The sections that stay, with their headings from the outermost to their own.
pub(super) fn filter(sections: Vec<Section>, rules: Rules) -> Vec<(Vec<String>, Section)> {
    let mut kept = Vec::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut dropped_level = None;
    let mut rest = sections.into_iter().peekable();
    while let Some(mut section) = rest.next() {
        if section.level > 0 {
            path.retain(|(level, _)| *level < section.level);
            path.push((section.level, section.title.clone()));
            if dropped_level.is_some_and(|level| section.level > level) {
                continue;
            }
            dropped_level = None;
        }
        section.blocks.retain(|block| !is_navigation(block));
        let title = normal(&section.title);
        // The outermost heading names the document: a package may well be called `history`.
        let is_name = path.len() <= 1 && kept.is_empty();
        if section.level > 0 && !is_name && is_dropped(&title, &section, rules) {
            dropped_level = Some(section.level);
            continue;
        }
        let has_below = rest.peek().is_some_and(|next| next.level > section.level);
        let headings: Vec<String> = path.iter().map(|(_, title)| title.clone()).collect();
        if is_worth_keeping(&title, &section, rules, is_name) {
            kept.push((headings, section));
        } else if section.blocks.is_empty() && !has_below && headings.len() > 1 {
            add_to_parent(&mut kept, &headings, &section);
        }
    }
    kept
}

/// A heading with nothing below it is a list item of the section above, such as one of many methods.
fn add_to_parent(kept: &mut Vec<(Vec<String>, Section)>, headings: &[String], section: &Section) {
    let Some((own, parents)) = headings.split_last() else { return };
    if kept.last().is_none_or(|last| last.0 != parents) {
        let parent = Section { level: parents.len(), line: section.line, ..Section::default() };
        kept.push((parents.to_vec(), parent));
    }
    let Some((_, parent)) = kept.last_mut() else { return };
    let item = format!("- {own}");
    match parent.blocks.last_mut() {
        Some(block) if block.shape == Shape::List && block.text.starts_with("- ") => {
            block.text.push('\n');
            block.text.push_str(&item);
        }
        _ => parent.blocks.push(Block {
            shape: Shape::List,
            text: item,
            line: section.line,
            words: 1,
            ..Block::default()
        }),
    }
}

fn is_dropped(title: &str, section: &Section, rules: Rules) -> bool {
    // Spelled with a c or an s, in the singular or the plural.
    let is_license = title.starts_with("licen") && !title.contains(' ');
    if is_license || is_listed(DROPPED, title) {
        return true;
    }
    let only_commands = || {
        let mut code = section.blocks.iter().flat_map(|block| &block.code);
        code.all(|language| {
            language.is_empty() || is_listed(TERMINAL, language.to_ascii_lowercase().as_str())
        })
    };
    rules == Rules::Readme && is_doubtful(title) && only_commands()
}

fn is_doubtful(title: &str) -> bool {
    let mut words = title.split(' ');
    let (first, last) =
        (words.next().unwrap_or_default(), title.rsplit(' ').next().unwrap_or_default());
    is_listed(DOUBTFUL, title)
        || title.split(' ').any(|word| word.starts_with("licen") || is_listed(DOUBTFUL_WORDS, word))
        || is_listed(DOUBTFUL_STARTS, first)
        || (matches!(first, "run" | "running" | "build" | "building")
            && matches!(last, "test" | "tests" | "suite" | "docs" | "documentation" | "source"))
        || title.ends_with("for enterprise")
}

fn is_worth_keeping(title: &str, section: &Section, rules: Rules, is_name: bool) -> bool {
    let words: usize = section.blocks.iter().map(|block| block.words).sum();
    let has_code = section.blocks.iter().any(|block| !block.code.is_empty());
    let is_kept = title.split(' ').any(|word| is_listed(KEPT, word));
    if section.blocks.is_empty() {
        return false;
    }
    let is_sentence = words >= 4
        || section.blocks.iter().any(|block| block.text.ends_with(['.', '!', ':', '。']));
    has_code || is_kept || (words > 0 && (is_sentence || is_name || rules == Rules::Guide))
}

/// A table of contents, or a row of links to elsewhere.
fn is_navigation(block: &Block) -> bool {
    if block.words > 0 || block.links == 0 || !block.code.is_empty() {
        return false;
    }
    block.links_in_page == block.links || (block.shape == Shape::Text && block.links > 1)
}

/// A heading as it is compared: lower case, words only, without numbering.
pub(super) fn normal(title: &str) -> String {
    let title = title.replace(['’', '\''], "").replace('&', " and ");
    let is_separator = |c: char| !c.is_alphanumeric();
    let words = title.split(is_separator).filter(|word| is_word(word));
    let words = words.skip_while(|word| word.chars().all(|c| c.is_ascii_digit()));
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_compared_loosely() {
        for (title, expected) in [
            ("📄 License", "license"),
            ("3.1 What's New?", "whats new"),
            ("Thanks & Credits", "thanks and credits"),
            ("API_reference()", "api reference"),
            ("4", ""),
        ] {
            assert_eq!(normal(title), expected);
        }
    }
}
