//! The variables that a function of the shell reads, in what it calls as well.

use std::collections::BTreeSet;

use super::ast::{
    Assign, AssignValue, Command, Compound, Item, List, Param, Piece, Redirect, Simple, Word,
};
use super::state::State;

/// Everything that a text mentions through the functions it may call, and how much was looked at.
#[derive(Default)]
pub(super) struct Mentions {
    pub(super) variables: BTreeSet<String>,
    pub(super) looked_at: usize,
    words: BTreeSet<String>,
}

impl Mentions {
    /// What the functions mention whose names stand in this text.
    pub(super) fn through(code: &str, st: &State) -> Self {
        let mut all = Self::default();
        if st.functions.is_empty() {
            return all;
        }
        let separate = |c: char| c.is_whitespace() || "\"'`$(){};&|<>\\".contains(c);
        all.words.extend(code.split(separate).map(str::to_owned));
        let mut followed: BTreeSet<String> = BTreeSet::new();
        loop {
            let called = st
                .functions
                .iter()
                .filter(|(name, _)| all.words.contains(*name) && !followed.contains(*name));
            let called: Vec<_> = called.collect();
            if called.is_empty() {
                return all;
            }
            for (name, body) in called {
                followed.insert(name.clone());
                all.command(body);
            }
        }
    }

    /// What these commands mention themselves.
    pub(super) fn of(list: &List) -> Self {
        let mut all = Self::default();
        all.list(list);
        all
    }

    fn list(&mut self, list: &List) {
        for Item { first, rest, .. } in &list.items {
            let pipelines = std::iter::once(first).chain(rest.iter().map(|(_, next)| next));
            for stage in pipelines.flat_map(|pipeline| &pipeline.stages) {
                self.command(stage);
            }
        }
    }

    fn command(&mut self, command: &Command) {
        self.looked_at += 1;
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                self.compound(compound);
                self.redirects(redirects);
            }
            Command::Function { body, .. } => self.command(body),
        }
    }

    fn simple(&mut self, simple: &Simple) {
        self.words(&simple.words);
        self.redirects(&simple.redirects);
        for Assign { index, value, .. } in &simple.assigns {
            if let Some(index) = index {
                self.word(index);
            }
            match value {
                AssignValue::Scalar(word) => self.word(word),
                AssignValue::Array(words) => self.words(words),
            }
        }
    }

    fn redirects(&mut self, redirects: &[Redirect]) {
        for redirect in redirects {
            self.word(&redirect.target);
            if let Some(body) = redirect.body.as_ref().and_then(|body| body.get()) {
                self.word(body);
            }
        }
    }

    fn compound(&mut self, compound: &Compound) {
        match compound {
            Compound::Subshell(list) | Compound::Group(list) => self.list(list),
            Compound::If { arms, otherwise } => {
                for (condition, body) in arms {
                    self.list(condition);
                    self.list(body);
                }
                if let Some(otherwise) = otherwise {
                    self.list(otherwise);
                }
            }
            Compound::While { condition, body } => {
                self.list(condition);
                self.list(body);
            }
            Compound::For { words, body, .. } => {
                self.words(words.as_deref().unwrap_or_default());
                self.list(body);
            }
            Compound::Case { subject, arms } => {
                self.word(subject);
                for arm in arms {
                    self.words(&arm.patterns);
                    self.list(&arm.body);
                }
            }
            Compound::Test(words) => self.words(words),
            Compound::Arithmetic(word) => self.word(word),
            Compound::ArithmeticFor(word, body) => {
                self.word(word);
                self.list(body);
            }
            Compound::Coprocess(_, command) => self.command(command),
        }
    }

    fn words(&mut self, words: &[Word]) {
        for word in words {
            self.word(word);
        }
    }

    fn word(&mut self, word: &Word) {
        self.looked_at += 1;
        if let Some(plain) = word.plain() {
            self.words.insert(plain.to_owned());
        }
        for piece in &word.pieces {
            match piece {
                Piece::Text { .. } | Piece::Tilde(_) => {}
                Piece::Param { param, .. } => self.param(param),
                Piece::Command { list, .. } | Piece::Process { list } => self.list(list),
                Piece::Arithmetic(inner) => self.word(inner),
            }
        }
    }

    fn param(&mut self, param: &Param) {
        self.variables.insert(param.name.clone());
        if let Some(index) = &param.index {
            self.word(index);
        }
        if let Some((_, operand)) = &param.op {
            self.word(operand);
        }
    }
}
