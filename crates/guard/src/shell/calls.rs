//! Simple commands as they run: every value a variable may have is tried, then the command is judged.
//!
//! Simple commands end in `commands`, which asks the rules.

use std::rc::Rc;

use super::arithmetic::refuse_expression;
use super::ast::{Assign, AssignValue, Piece, Redirect, RedirectOp, Simple, Word};
use super::naming;
use super::state::{State, Var};
use super::text::{self, ANY, BRACKET, TOKEN};
use super::variables::Declared;
use super::walk::{Done, Walker};
use crate::commands::Call;
use crate::policy::Judged;
use crate::rules;

impl Walker<'_> {
    pub(super) fn simple(&mut self, simple: &Simple, st: &mut State) -> Judged<Done> {
        self.each_choice(simple, st)
            .map_err(|refusal| naming::named(refusal, simple, st))
    }

    fn each_choice(&mut self, simple: &Simple, st: &mut State) -> Judged<Done> {
        let choices = Self::choices(simple, st);
        if choices.is_empty() {
            return self.simple_once(simple, st);
        }
        // A variable that may have one of several values: every combination is judged.
        self.alternatives(choices, st, |walker, choice, one| {
            for (name, value) in choice {
                let var = one.vars.get(&name).map(|old| old.one(value));
                Rc::make_mut(&mut one.vars).extend(var.map(|var| (name, var)));
            }
            walker.simple_once(simple, one)
        })
    }

    fn choices(simple: &Simple, st: &State) -> Vec<Vec<(String, String)>> {
        if st.vars.values().all(|var| var.values.len() < 2) {
            return Vec::new();
        }
        let mut names = Vec::new();
        for word in &simple.words {
            mentioned(word, &mut names);
        }
        for redirect in &simple.redirects {
            mentioned(&redirect.target, &mut names);
        }
        for assign in &simple.assigns {
            if let AssignValue::Scalar(word) = &assign.value {
                mentioned(word, &mut names);
            }
        }
        names.sort();
        names.dedup();
        let mut combos: Vec<Vec<(String, String)>> = vec![Vec::new()];
        for name in names {
            let Some(var) = st.vars.get(&name) else {
                continue;
            };
            if var.values.len() < 2 || combos.len() * var.values.len() > 24 {
                continue;
            }
            combos = combos
                .iter()
                .flat_map(|combo| {
                    var.values.iter().map(|value| {
                        let mut combo = combo.clone();
                        combo.push((name.clone(), value.clone()));
                        combo
                    })
                })
                .collect();
        }
        if combos.len() < 2 { Vec::new() } else { combos }
    }

    fn simple_once(&mut self, simple: &Simple, st: &mut State) -> Judged<Done> {
        let argv = self.unread_fields(&simple.words, st)?;
        if !argv.iter().any(|word| text::has_escape(word)) {
            return self.expanded(simple, argv, st);
        }
        // Whether a pattern finds something is not looked up.
        let read = |reading: fn(&str) -> String| argv.iter().map(|word| reading(word)).collect();
        let readings: [Vec<String>; 2] = [read(text::as_found), read(text::as_written)];
        self.alternatives(readings, st, |walker, argv, one| {
            walker.expanded(simple, argv, one)
        })
    }

    /// A command of which the words are known.
    fn expanded(&mut self, simple: &Simple, mut argv: Vec<String>, st: &mut State) -> Judged<Done> {
        let plain_name = simple.words.first().and_then(Word::plain).is_some();
        if argv.is_empty() {
            return self.only_assignments(simple, st);
        }
        let mut env = Vec::new();
        for assign in &simple.assigns {
            let declares = matches!(
                argv.first().map(String::as_str),
                Some("declare" | "typeset" | "export" | "local" | "readonly")
            );
            if declares {
                let associative = argv
                    .iter()
                    .any(|arg| arg.starts_with('-') && arg.contains('A'));
                let (name, options) = argv.split_first().unwrap_or((&assign.name, &[]));
                Declared::by(name, options).begin(&assign.name, st);
                let before = st.var(&assign.name).cloned();
                self.assign(assign, associative, st)?;
                // What stands before the builtin holds for it alone, unless it is one of its names.
                let alone = matches!(assign.value, AssignValue::Scalar(_))
                    && !options.contains(&assign.name);
                if alone && before.is_some() {
                    st.may_be(&assign.name, before);
                }
                if name == "local" && st.locals.is_none() {
                    st.set(&assign.name, Var::unknown());
                }
                argv.push(assign.name.clone());
                continue;
            }
            let value = match &assign.value {
                AssignValue::Scalar(word) => self.scalar(word, st)?,
                AssignValue::Array(_) => ANY.to_string(),
            };
            self.check_variable(&assign.name, &value, st)?;
            // The program gets the old value where this one may not take its place.
            let stays = st.var(&assign.name).is_some_and(|var| var.fixed);
            env.push((
                assign.name.clone(),
                if stays { ANY.to_string() } else { value },
            ));
        }
        let plan = self.redirect(&simple.redirects, st)?;
        let stdin = plan.stdin.clone().or_else(|| st.stdin.clone());
        let alias = argv
            .first()
            .filter(|first| plain_name && !self.calls.contains(first))
            .and_then(|first| st.aliases.get(first).cloned());
        let texts = plan.target.as_ref().map(|_| rules::texts_printed(&argv));
        // Where a redirection fails, nothing runs; a variable may name other folders for programs.
        let loose = !env.is_empty() || simple.redirects.iter().any(may_fail);
        let redirected = redirects_the_shell(&argv);
        let call = Call { argv, env, stdin };
        let mut done = match alias {
            Some(text) => self.loosely(|walker| walker.aliased(&text, &simple.words, call, st))?,
            None if loose => self.loosely(|walker| walker.run(call, st))?,
            None => self.run(call, st)?,
        };
        done.enters &= !simple.redirects.iter().any(may_fail);
        self.record(&plan, &done.out);
        if let (Some(key), Some(texts)) = (&plan.target, texts) {
            self.put_texts_at(key, &texts);
        }
        if redirected && let Some(key) = &plan.target {
            self.keeps_open(key);
        }
        if plan.swallows {
            done.out.clear();
        }
        Ok(done)
    }

    fn only_assignments(&mut self, simple: &Simple, st: &mut State) -> Judged<Done> {
        let plan = self.redirect(&simple.redirects, st)?;
        self.record(&plan, "");
        for assign in &simple.assigns {
            self.assign(assign, false, st)?;
        }
        Ok(Done::default())
    }

    /// Carries out an assignment. `associative`: the subscripts are text, as `declare -A` makes them.
    fn assign(&mut self, assign: &Assign, associative: bool, st: &mut State) -> Judged<()> {
        if let Some(index) = &assign.index {
            self.arithmetic(index, st)?;
        }
        // Another state has them, too: now they are copied.
        if Rc::strong_count(&st.vars) > 1 {
            self.charge(st.vars.len() / 2)?;
        }
        let name = st
            .target(&assign.name)
            .unwrap_or_else(|| assign.name.clone());
        match &assign.value {
            AssignValue::Array(words) => {
                let elements = self.fields(words, st)?;
                self.charge(elements.len() / 8)?;
                if holds_commands(&name) {
                    for element in &elements {
                        self.check_variable(&name, element, st)?;
                    }
                }
                let var = self.elements(assign, elements, associative, st)?;
                st.set(&assign.name, var);
            }
            AssignValue::Scalar(word) => {
                let mut value = self.scalar(word, st)?;
                if assign.append {
                    let old = st.var(&name).map_or(ANY.to_string(), Var::value);
                    value.insert_str(0, &old);
                }
                self.charge(value.len() / 64)?;
                self.check_variable(&name, &value, st)?;
                if st.var(&name).is_some_and(|var| var.integer) {
                    self.evaluate(&value, st)?;
                    if value.parse::<i64>().is_err() {
                        value = TOKEN.to_string();
                    }
                }
                if assign.index.is_some() {
                    st.set(&name, Var::unknown());
                } else {
                    self.charge(st.vars.len() / 64)?;
                    st.set(&assign.name, Var::scalar(value));
                }
            }
        }
        self.traps_that_read(&name, st)
    }

    /// The array that `NAME=(…)` makes of these fields, `[key]=value` among them.
    fn elements(
        &mut self,
        assign: &Assign,
        mut elements: Vec<String>,
        associative: bool,
        st: &mut State,
    ) -> Judged<Var> {
        let old = st.var(&assign.name).filter(|_| assign.append);
        let before = old.and_then(|old| old.array.as_ref()).map_or(0, Vec::len);
        self.charge((before + elements.len()) / 4)?;
        let old = old.cloned();
        let mut keys = Vec::new();
        // Only a bracket that is not quoted begins a subscript.
        let subscripts = match &assign.value {
            AssignValue::Array(words) => words.iter().any(|word| {
                matches!(word.pieces.first(), Some(Piece::Text { text, quoted: false }) if text.starts_with('['))
            }),
            AssignValue::Scalar(_) => false,
        };
        for field in &mut elements {
            if subscripts && field.starts_with(['[', BRACKET]) {
                refuse_expression(field)?;
            }
            let spelled = field
                .strip_prefix(['[', BRACKET])
                .and_then(|rest| rest.split_once("]="));
            if let Some((key, value)) = spelled {
                let (key, value) = (key.to_owned(), value.to_owned());
                self.evaluate(&key, st)?;
                keys.push(key);
                *field = value;
            }
        }
        let keyed = !keys.is_empty() || old.as_ref().is_some_and(|old| old.keys.is_some());
        let number = |key: &String| key.bytes().all(|c| c.is_ascii_digit());
        let certain = keys.len() == elements.len()
            && (associative || keys.iter().all(number))
            && keys.iter().all(|key| text::is_known(key));
        if keyed && (!certain || old.is_some()) {
            // Which subscript has which value is not worked out, only what values there are.
            let mut var = Var::unknown();
            var.array = Some(vec![ANY.to_string()]);
            return Ok(var);
        }
        if let Some(old) = old {
            let mut all = old.array.unwrap_or(old.values);
            all.append(&mut elements);
            elements = all;
        }
        let mut var = Var::scalar(elements.first().cloned().unwrap_or_default());
        if keyed {
            if !associative {
                // An indexed array is in the order of its numbers, however it is spelled.
                let mut pairs: Vec<(String, String)> = keys.into_iter().zip(elements).collect();
                pairs.sort_by_key(|(key, _)| key.parse::<u64>().unwrap_or(u64::MAX));
                (keys, elements) = pairs.into_iter().unzip();
            }
            var = Var::unknown();
            var.keys = Some(keys);
        }
        var.array = Some(elements);
        Ok(var)
    }
}

/// Whether the words are `exec` without a command, whose redirections hold for all that follows.
fn redirects_the_shell(argv: &[String]) -> bool {
    let own = |word: &String| matches!(word.as_str(), "exec" | "command" | "builtin" | "--");
    argv.iter().any(|word| word == "exec") && argv.iter().all(own)
}

/// Whether a redirection is one that can fail: not to the null device, and not of a descriptor to another.
fn may_fail(redirect: &Redirect) -> bool {
    let target = redirect.target.plain().unwrap_or_default();
    let descriptor = !target.is_empty() && target.bytes().all(|c| c.is_ascii_digit());
    match redirect.op {
        RedirectOp::HereDoc | RedirectOp::HereString => false,
        RedirectOp::DupIn | RedirectOp::DupOut => !descriptor && target != "/dev/null",
        RedirectOp::Read | RedirectOp::Write => target != "/dev/null",
    }
}

/// Arrays whose elements the shell runs or looks programs up by.
fn holds_commands(name: &str) -> bool {
    matches!(
        name,
        "PROMPT_COMMAND" | "BASH_ALIASES" | "BASH_CMDS" | "PATH" | "path"
    ) || name.ends_with("_functions")
}

fn mentioned(word: &Word, names: &mut Vec<String>) {
    use super::ast::Piece;
    for piece in &word.pieces {
        match piece {
            Piece::Param { param, .. } => {
                names.push(param.name.clone());
                if let Some((_, operand)) = &param.op {
                    mentioned(operand, names);
                }
            }
            Piece::Arithmetic(inner) => mentioned(inner, names),
            Piece::Text { .. }
            | Piece::Tilde(_)
            | Piece::Command { .. }
            | Piece::Process { .. } => {}
        }
    }
}
