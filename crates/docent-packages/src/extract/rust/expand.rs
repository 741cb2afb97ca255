//! Calls of macros where declarations stand: what they stand for is read in their place.

use std::rc::Rc;

use ra_ap_syntax::SyntaxKind::{COMMA, EQ, ERROR, MACRO_CALL, R_ANGLE, TOKEN_TREE};
use ra_ap_syntax::SyntaxNode;
use ra_ap_syntax::ast::{self, AstNode as _};

use super::attributes::Attributes;
use super::cfg::{Cfg, Presence};
use super::collect::{Owner, Site};
use super::load::{At, Lines, Loader, Waiting};
use super::macros::{self, Rules, Tokens};
use super::meta::Meta;
use super::signature;
use super::syntax::Parsed;
use super::world::{Member, Spaces};
use crate::Kind;

/// The language's own choice between conditions.
const CHOICE: &str = "cfg_select";

impl Loader<'_, '_> {
    /// A definition: known from here on.
    pub(super) fn macro_rules(&mut self, item: &ast::MacroRules, attributes: &Attributes, at: &At) {
        let name = signature::name(item).trim_start_matches("r#").to_owned();
        let Some(tree) = item.token_tree() else { return };
        // Where conditions give one name to several, the one that is here counts; what the compiler
        // knows by itself is not in the rules.
        let counts = attributes.presence == Presence::Here || !self.macros.contains_key(&name);
        if counts && !attributes.is_builtin {
            let (inside, line) = (at.inside(tree.syntax()), at.lines.of(tree.syntax()));
            let tokens = Tokens::lex(inside, self.manifest().edition, line);
            let before = self.macros.insert(name.clone(), Rc::new(Rules::parse(&tokens)));
            self.covered.extend(before.map(|before| (name.clone(), before)));
        }
        let text = signature::macro_patterns(
            &format!("macro_rules! {name}"),
            &patterns(tree.syntax(), at),
            ';',
        );
        // Others see it only if it is exported; inside the crate it may still be imported.
        let is_public = attributes.is_macro_export;
        let site = Site { node: item.syntax(), is_public, attributes, at };
        self.plain(site, &name, Kind::Macro, text, Spaces::MACROS);
    }

    /// `macro name(…) { … }`, or `macro name { (…) => { … } }`. Those that the compiler knows by itself
    /// and that are given an item are attributes, or derives if they are named like traits.
    pub(super) fn macro_definition(&mut self, item: &ast::MacroDef, site: Site<'_>) {
        let name = signature::name(item);
        let trees = item.syntax().children().filter(|node| node.kind() == TOKEN_TREE);
        let text = match &trees.collect::<Vec<_>>()[..] {
            [given, _] => {
                let given = folded(site.at.text(given));
                let is_item = given.replace(' ', "") == "($item:item)";
                match site.attributes.is_builtin && is_item {
                    true if name.starts_with(char::is_uppercase) => format!("#[derive({name})]"),
                    true => format!("#[{name}]"),
                    false => format!("pub macro {name}{given} {{\n    ...\n}}"),
                }
            }
            [rules] => signature::macro_patterns(
                &format!("pub macro {name}"),
                &patterns(rules, site.at),
                ',',
            ),
            _ => format!("pub macro {name}"),
        };
        self.plain(site, &name, Kind::Macro, text, Spaces::MACROS);
    }

    /// A call where items stand.
    pub(super) fn call(&mut self, call: &ast::MacroCall, attributes: &Attributes, at: &Rc<At>) {
        let Some(path) = call.path() else { return };
        let name = path.segment().map(|it| it.to_string()).unwrap_or_default();
        // These stand for no items.
        if matches!(name.as_str(), "compile_error" | "global_asm") {
            return;
        }
        let needs = self.needs(attributes, at);
        let Some(tree) = call.token_tree() else { return };
        let (content, line) = (at.inside(tree.syntax()), at.lines.of(tree.syntax()));
        let within = At { needs, presence: attributes.presence, ..At::clone(at) };
        let within = Rc::new(within.without_text());
        if !self.expand_call(&name, content, line, &within, true) {
            self.waiting.push(Waiting { name, content: content.to_owned(), line, at: within });
        }
    }

    /// Calls whose macros were defined after them, and then those that say themselves what they
    /// stand for.
    pub(super) fn expand_waiting(&mut self) {
        loop {
            let waiting = std::mem::take(&mut self.waiting);
            let before = waiting.len();
            for call in waiting {
                if !self.expand_call(&call.name, &call.content, call.line, &call.at, true) {
                    self.waiting.push(call);
                }
            }
            if self.waiting.is_empty() || self.waiting.len() >= before {
                break;
            }
        }
        for call in std::mem::take(&mut self.waiting) {
            self.expand_call(&call.name, &call.content, call.line, &call.at, false);
        }
    }

    /// Reads what a call stands for; `false` if that is not known.
    fn expand_call(
        &mut self,
        name: &str,
        content: &str,
        line: u32,
        at: &Rc<At>,
        may_wait: bool,
    ) -> bool {
        if !self.may_expand(at) {
            self.leave_out(at.module);
            return true;
        }
        // Most of what waits does so in vain: it need not be looked at twice.
        let is_known = matches!(name, "include" | CHOICE) || self.macros.contains_key(name);
        if may_wait && !is_known && !is_choice(content) {
            return false;
        }
        let tokens = Tokens::lex(content, self.manifest().edition, line);
        self.expand_tokens(name, &tokens, at, may_wait)
    }

    /// The same, of a call that is tokens already.
    fn expand_tokens(&mut self, name: &str, tokens: &Tokens, at: &Rc<At>, may_wait: bool) -> bool {
        if !self.may_expand(at) {
            self.leave_out(at.module);
            return true;
        }
        let edition = self.manifest().edition;
        if let Some(rules) = self.macros.get(name).cloned()
            && let Some(expanded) = macros::expand(&rules, tokens, edition)
        {
            self.read_tokens(&expanded, at);
            return true;
        }
        let branch = match name {
            CHOICE => self.chosen_arm(tokens),
            _ => self.chosen_branch(tokens),
        };
        if let Some(branch) = branch {
            // The other branches count elsewhere.
            self.mention(tokens, at.module);
            self.read_tokens(&branch, at);
            return true;
        }
        if name == "include" {
            self.include(tokens.text().0.trim(), at);
            return true;
        }
        if may_wait {
            return false;
        }
        self.mention(tokens, at.module);
        // A macro of another crate that is given whole items most often leaves them as they are.
        let (text, lines) = tokens.text();
        let parsed = self.parse(&text);
        let items = &parsed.node;
        let is_items = items.children().count() > 0
            && !items.descendants().any(|node| node.kind() == ERROR)
            && items.children().all(|node| ast::Item::can_cast(node.kind()))
            && !items.children().any(|node| node.kind() == MACRO_CALL);
        if is_items {
            self.read_items(&text, lines, &parsed, at);
        }
        true
    }

    fn read_tokens(&mut self, tokens: &Tokens, at: &Rc<At>) {
        // Macros that only call others are many, and need not become text on the way.
        if let Some(calls) = macros::calls(tokens) {
            let at = Rc::new(At { depth: at.depth + 1, ..At::clone(at) });
            for (name, tokens) in calls {
                // Each costs something, even if there is nothing in it.
                self.expanded_bytes += 16 + 4 * tokens.all.len();
                if !self.expand_tokens(&name, &tokens, &at, true) {
                    let line = tokens.all.first().map_or(1, |token| token.line);
                    let (content, at) = (tokens.text().0, Rc::clone(&at));
                    self.waiting.push(Waiting { name, content, line, at });
                }
            }
            return;
        }
        let (text, lines) = tokens.text();
        self.expanded_bytes += text.len();
        let parsed = self.parse(&text);
        if !parsed.is_good {
            self.mention(tokens, at.module);
        }
        self.read_items(&text, lines, &parsed, at);
    }

    /// Reads what a text was parsed as whose parts are from `lines`.
    fn read_items(
        &mut self,
        before: &str,
        mut lines: Vec<(u32, u32)>,
        parsed: &Parsed,
        at: &Rc<At>,
    ) {
        parsed.moved(before, &mut lines);
        let lines = Rc::new(Lines::Mapped(lines));
        let text = Rc::clone(&parsed.text);
        let inside = At { text, lines, depth: at.depth + 1, ..At::clone(at) };
        self.items(&parsed.node, &Rc::new(inside));
    }

    /// `if #[cfg(a)] { … } else if #[cfg(b)] { … } else { … }`: the branch that is here.
    fn chosen_branch(&self, tokens: &Tokens) -> Option<Tokens> {
        let mut at = 0;
        let all = &tokens.all;
        let word = |at: usize, text: &str| all.get(at).is_some_and(|token| token.text == text);
        loop {
            let mut holds = true;
            if word(at, "if") {
                if !(word(at + 1, "#") && word(at + 2, "[") && word(at + 3, "cfg")) {
                    return None;
                }
                let end = macros::group_after(tokens, at + 2)?;
                let condition = Tokens { all: all[at + 3..end - 1].to_vec() }.text().0;
                let condition = Meta::parse(&condition)?;
                let condition = Cfg::of(condition.list.first()?)?;
                holds = condition.presence(&self.manifest().platform) == Presence::Here;
                at = end;
            } else if at == 0 {
                return None;
            }
            let end = macros::group_after(tokens, at)?;
            if holds {
                return Some(Tokens { all: all[at + 1..end - 1].to_vec() });
            }
            if !word(end, "else") {
                return Some(Tokens::default());
            }
            at = end + 1;
        }
    }

    /// `cfg_select! { a => { … } _ => { … } }`: the same, in the words of the language.
    fn chosen_arm(&self, tokens: &Tokens) -> Option<Tokens> {
        let mut at = 0;
        let all = &tokens.all;
        while at < all.len() {
            let mut arrow = at;
            while !(all.get(arrow)?.kind == EQ && all.get(arrow + 1)?.kind == R_ANGLE) {
                arrow = macros::group_after(tokens, arrow).unwrap_or(arrow + 1);
            }
            let condition = Tokens { all: all[at..arrow].to_vec() }.text().0;
            let end = macros::group_after(tokens, arrow + 2)?;
            let holds = condition.trim() == "_" || {
                let condition = Cfg::of(&Meta::parse(&condition)?)?;
                condition.presence(&self.manifest().platform) == Presence::Here
            };
            if holds {
                return Some(Tokens { all: all[arrow + 3..end - 1].to_vec() });
            }
            at = end + usize::from(all.get(end).is_some_and(|token| token.kind == COMMA));
        }
        Some(Tokens::default())
    }

    /// `include!("file.rs")`: the items of a file.
    fn include(&mut self, content: &str, at: &Rc<At>) {
        let package = Rc::clone(&self.package);
        let path = Meta::parse(&format!("x = {content}"));
        let path = path.as_ref().and_then(Meta::text);
        let path = path.and_then(|path| crate::tree::join(crate::tree::folder(&at.file), path));
        let text = path.as_ref().and_then(|path| self.input.text(&package, path));
        let (Some(path), Some(text)) = (&path, text) else {
            // Made by a build, and about anything.
            self.leave_out(at.module);
            return;
        };
        let Parsed { text, node, is_good, is_too_deep, .. } = self.parse(&text);
        if is_too_deep {
            self.input.too_deep(&package, path);
        }
        if !is_good {
            self.leave_out(at.module);
        }
        let lines = Rc::new(Lines::count(&text));
        let file = path.as_str().into();
        let inside = At { text, lines, file, depth: at.depth + 1, ..At::clone(at) };
        self.items(&node, &Rc::new(inside));
    }

    /// A call where the items of a type or trait stand.
    pub(super) fn associated_call(
        &mut self,
        call: &ast::MacroCall,
        owner: Owner,
        at: &At,
        depth: usize,
    ) -> Vec<Member> {
        const BEFORE: &str = "impl X { ";
        let name = call.path().and_then(|path| path.segment()).map(|it| it.to_string());
        let rules = name.and_then(|name| self.macros.get(&name).cloned());
        let (Some(rules), Some(tree)) = (rules, call.token_tree()) else {
            self.has_missed = true;
            return Vec::new();
        };
        if !self.may_expand(at) || depth > 32 {
            self.has_missed = true;
            return Vec::new();
        }
        let edition = self.manifest().edition;
        let tokens = Tokens::lex(at.inside(tree.syntax()), edition, at.lines.of(tree.syntax()));
        let Some(expanded) = macros::expand(&rules, &tokens, edition) else {
            self.has_missed = true;
            return Vec::new();
        };
        let (text, mut lines) = expanded.text();
        self.expanded_bytes += text.len();
        for (start, _) in &mut lines {
            *start = start.saturating_add(u32::try_from(BEFORE.len()).unwrap_or(0));
        }
        let text = [BEFORE, &text, "}"].concat();
        let parsed = self.parse(&text);
        self.has_missed |= !parsed.is_good;
        let item = parsed.node.children().find_map(ast::Impl::cast);
        let Some(list) = item.and_then(|item| item.assoc_item_list()) else { return Vec::new() };
        parsed.moved(&text, &mut lines);
        let lines = Rc::new(Lines::Mapped(lines));
        let inside = At { text: parsed.text, lines, depth: at.depth + 1, ..at.clone() };
        self.associated(list.syntax(), owner, &inside, depth + 1)
    }
}

/// Whether a text may be a choice between branches.
fn is_choice(content: &str) -> bool {
    content.contains("if") && content.contains("cfg")
}

/// What the rules of a macro ask for.
fn patterns(rules: &SyntaxNode, at: &At) -> Vec<String> {
    let trees = rules.children().filter(|node| node.kind() == TOKEN_TREE);
    trees.step_by(2).map(|tree| folded(at.text(&tree))).collect()
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
