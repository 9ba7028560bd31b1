//! The walk: everything a command line would run, in order, with the state each command would see.
//!
//! Control flow is followed, not decided: both branches are taken and their states joined. Simple commands
//! end in `commands`, which asks the rules.

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use super::ast::{
    Assign, AssignValue, Command, Compound, Connector, Item, List, Pipeline, Redirect, RedirectOp,
    Simple, Word,
};
use super::output;
use super::parser::{self, MAX_DEPTH};
use super::state::{State, Var};
use super::text::{self, ANY};
use crate::guard::commands::Call;
use crate::guard::explain::RunLine;
use crate::guard::paths::{Links, Paths, Place};
use crate::guard::policy::{Judged, Policy, Refusal, Role, rule};

/// Steps one call may take; each is a few hundred nanoseconds.
const BUDGET: usize = 120_000;
/// A `for` over more values than this is judged with one unknown value that stands for all.
const TURNS: usize = 2_000;

/// The walker: the policy, what the file system looks like, and what the command did so far.
pub(crate) struct Walker<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) role: Role,
    pub(crate) paths: Paths<'a>,
    /// Files this command wrote: their text when it is known.
    pub(crate) written: HashMap<PathBuf, Option<Rc<str>>>,
    /// Folders this command made, so that entering them cannot fail.
    pub(crate) made: Vec<PathBuf>,
    pub(crate) trace: Option<Vec<RunLine>>,
    pub(crate) depth: usize,
    pub(crate) calls: Vec<String>,
    budget: usize,
    pipes: usize,
}

/// What a command leaves: its output, and the state after a failure when that is another one.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) out: String,
    pub(crate) failed: Option<State>,
}

impl Done {
    pub(crate) fn printing(out: impl Into<String>) -> Self {
        Self {
            out: out.into(),
            failed: None,
        }
    }
}

impl<'a> Walker<'a> {
    pub(crate) fn new(policy: &'a Policy, links: &'a dyn Links) -> Self {
        Self {
            policy,
            role: Role::of(&policy.capability),
            paths: Paths::new(policy, links),
            written: HashMap::new(),
            made: Vec::new(),
            trace: None,
            depth: 0,
            calls: Vec::new(),
            budget: BUDGET,
            pipes: 0,
        }
    }

    /// The state of a fresh shell in a directory.
    pub(crate) fn start(&self, cwd: Place) -> State {
        let mut st = State::new(cwd);
        let seeds = [
            ("OVERSTORY_AGENT_NAME", Some(self.policy.agent.clone())),
            (
                "OVERSTORY_WORKTREE_PATH",
                Some(self.policy.worktree.to_string_lossy().into_owned()),
            ),
            (
                "OVERSTORY_PROJECT_ROOT",
                Some(self.policy.root.to_string_lossy().into_owned()),
            ),
            (
                "TMPDIR",
                self.policy
                    .temp
                    .as_ref()
                    .map(|temp| temp.to_string_lossy().into_owned()),
            ),
        ];
        for (name, value) in seeds {
            if let Some(value) = value {
                let mut var = Var::scalar(value);
                var.exported = true;
                st.set(name, var);
            }
        }
        st
    }

    /// Takes steps off the budget; an empty budget is a refusal.
    pub(crate) fn charge(&mut self, steps: usize) -> Judged<()> {
        match self.budget.checked_sub(steps) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => Err(Refusal::new(
                rule::UNPROVEN,
                "the command is too large to follow; split it into several calls",
            )),
        }
    }

    /// The steps taken so far.
    pub(crate) fn steps(&self) -> usize {
        BUDGET - self.budget
    }

    /// Goes one level deeper; too deep is a refusal.
    pub(crate) fn nested<T>(&mut self, run: impl FnOnce(&mut Self) -> Judged<T>) -> Judged<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "the command nests too deep; split it into several calls",
            ));
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        result
    }

    /// A name for the file behind a process substitution.
    pub(crate) fn pipe_file(&mut self, content: String) -> String {
        self.pipes += 1;
        let name = format!("/dev/fd/{}", 1000 + self.pipes);
        self.written
            .insert(PathBuf::from(&name), Some(content.into()));
        name
    }

    /// Judges shell text that a shell reading it in `st` would run.
    pub(crate) fn script(&mut self, code: &str, st: &mut State) -> Judged<Done> {
        if text::is_any(code) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "text that is not known before it runs would run as shell; write the command out",
            ));
        }
        self.charge(1 + code.len() / 64)?;
        let list = parser::parse(code, self.depth)
            .map_err(|error| Refusal::new(rule::UNPROVEN, error.to_string()))?;
        self.nested(|walker| {
            let out = walker.list(&list, st)?;
            Ok(Done::printing(out))
        })
    }

    /// Judges a whole shell process: its text and, at the end, its traps.
    pub(crate) fn program(&mut self, code: &str, st: &mut State) -> Judged<Done> {
        let done = self.script(code, st)?;
        for trap in st.traps.clone().iter() {
            let mut late = st.clone();
            late.dead = false;
            self.script(trap, &mut late)?;
        }
        Ok(done)
    }

    pub(crate) fn list(&mut self, list: &List, st: &mut State) -> Judged<String> {
        let mut out = String::new();
        for item in &list.items {
            if st.dead {
                break;
            }
            let printed = self.item(item, st)?;
            output::append(&mut out, &printed);
        }
        Ok(out)
    }

    fn item(&mut self, item: &Item, st: &mut State) -> Judged<String> {
        if item.background {
            let mut job = st.clone();
            return self.chain(item, &mut job);
        }
        self.chain(item, st)
    }

    /// An and-or list: each part runs in the states in which it can be reached.
    fn chain(&mut self, item: &Item, st: &mut State) -> Judged<String> {
        let first = self.pipeline(&item.first, st)?;
        let mut out = first.out;
        let mut failed = first.failed;
        let first_outcome = certain(&item.first);
        for (at, (connector, pipeline)) in item.rest.iter().enumerate() {
            match connector {
                Connector::And => {
                    if st.dead {
                        continue;
                    }
                    let mut before = failed.take().unwrap_or_else(|| st.clone());
                    before.dead |= first_outcome == Some(true) && at == 0;
                    let done = self.pipeline(pipeline, st)?;
                    output::append(&mut out, &done.out);
                    failed = merged(before, done.failed, st);
                }
                Connector::Or => {
                    let mut other = failed.take().unwrap_or_else(|| st.clone());
                    if other.dead {
                        failed = Some(other);
                        continue;
                    }
                    let done = self.pipeline(pipeline, &mut other)?;
                    out = output::either(out, done.out);
                    failed = Some(done.failed.unwrap_or_else(|| other.clone()));
                    if first_outcome == Some(false) && at == 0 {
                        *st = other;
                    } else {
                        st.join(other);
                    }
                }
            }
        }
        if let Some(failed) = failed {
            self.charge(failed.vars.len() / 8)?;
            st.join(failed);
        }
        Ok(out)
    }

    fn pipeline(&mut self, pipeline: &Pipeline, st: &mut State) -> Judged<Done> {
        if let [only] = pipeline.stages.as_slice() {
            let mut done = self.command(only, st)?;
            if pipeline.negated
                && let Some(failed) = done.failed.take()
            {
                done.failed = Some(std::mem::replace(st, failed));
            }
            return Ok(done);
        }
        let mut input = st.stdin.clone();
        let mut out = String::new();
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let mut part = st.clone();
            part.stdin = input.take();
            let done = self.command(stage, &mut part)?;
            out = done.out;
            if at + 1 < pipeline.stages.len() {
                input = Some(std::mem::take(&mut out).into());
            }
        }
        Ok(Done::printing(out))
    }

    pub(super) fn command(&mut self, command: &Command, st: &mut State) -> Judged<Done> {
        self.charge(1)?;
        match command {
            Command::Simple(simple) => self.simple(simple, st),
            Command::Function { name, body } => {
                Rc::make_mut(&mut st.functions).insert(name.clone(), Rc::clone(body));
                Ok(Done::default())
            }
            Command::Compound(compound, redirects) => {
                if redirects.is_empty() {
                    return self.nested(|walker| walker.compound(compound, st));
                }
                let outer = st.stdin.clone();
                let plan = self.redirect(redirects, st)?;
                if let Some(input) = &plan.stdin {
                    st.stdin = Some(Rc::clone(input));
                }
                let done = self.nested(|walker| walker.compound(compound, st));
                st.stdin = outer;
                let mut done = done?;
                self.record(&plan, &done.out);
                if plan.swallows {
                    done.out.clear();
                }
                Ok(done)
            }
        }
    }

    fn compound(&mut self, compound: &Compound, st: &mut State) -> Judged<Done> {
        let out = match compound {
            Compound::Subshell(list) => {
                let mut inner = st.clone();
                self.list(list, &mut inner)?
            }
            Compound::Group(list) => self.list(list, st)?,
            Compound::If { arms, otherwise } => self.branches(arms, otherwise.as_ref(), st)?,
            Compound::While { condition, body } => self.repeat(st, |walker, st| {
                let mut out = walker.list(condition, st)?;
                output::append(&mut out, &walker.list(body, st)?);
                Ok(out)
            })?,
            Compound::For { name, words, body } => {
                self.for_each(name, words.as_deref(), body, st)?
            }
            Compound::Case { subject, arms } => {
                self.scalar(subject, st)?;
                let before = st.clone();
                let mut outs: Option<String> = None;
                for (patterns, body) in arms {
                    for pattern in patterns {
                        self.scalar(pattern, &mut before.clone())?;
                    }
                    let mut arm = before.clone();
                    let out = self.list(body, &mut arm)?;
                    self.charge(arm.vars.len() / 8)?;
                    st.join(arm);
                    outs = Some(match outs {
                        None => out,
                        Some(other) => output::either(other, out),
                    });
                }
                outs.unwrap_or_default()
            }
            Compound::Test(words) => {
                for word in words {
                    let value = self.scalar(word, st)?;
                    super::expand::refuse_expression(&value).or_else(|refusal| {
                        // Only arithmetic comparison evaluates its operands.
                        let arithmetic = words.iter().filter_map(Word::plain).any(|op| {
                            matches!(op, "-eq" | "-ne" | "-lt" | "-gt" | "-le" | "-ge" | "-v")
                        });
                        if arithmetic { Err(refusal) } else { Ok(()) }
                    })?;
                }
                String::new()
            }
            Compound::Arithmetic(word) => {
                self.arithmetic(word, st)?;
                String::new()
            }
            Compound::ArithmeticFor(header, body) => {
                self.arithmetic(header, st)?;
                self.repeat(st, |walker, st| walker.list(body, st))?
            }
            Compound::Coprocess(command) => {
                let mut inner = st.clone();
                inner.stdin = Some(ANY.to_string().into());
                self.command(command, &mut inner)?;
                String::new()
            }
        };
        Ok(Done::printing(out))
    }

    fn branches(
        &mut self,
        arms: &[(List, List)],
        otherwise: Option<&List>,
        st: &mut State,
    ) -> Judged<String> {
        let mut results: Vec<State> = Vec::new();
        let mut out: Option<String> = None;
        for (condition, body) in arms {
            let mut printed = self.list(condition, st)?;
            let mut taken = st.clone();
            output::append(&mut printed, &self.list(body, &mut taken)?);
            results.push(taken);
            out = Some(match out {
                None => printed,
                Some(other) => output::either(other, printed),
            });
        }
        if let Some(body) = otherwise {
            let printed = self.list(body, st)?;
            out = Some(output::either(out.unwrap_or_default(), printed));
        }
        for result in results {
            self.charge(result.vars.len() / 8)?;
            st.join(result);
        }
        Ok(out.unwrap_or_default())
    }

    /// A loop that may run any number of times: until nothing changes any more, then with everything
    /// that keeps changing forgotten.
    fn repeat(
        &mut self,
        st: &mut State,
        mut turn: impl FnMut(&mut Self, &mut State) -> Judged<String>,
    ) -> Judged<String> {
        let before = st.clone();
        let mut out = turn(self, st)?;
        for _ in 0..2 {
            if st.same_values(&before) || st.dead {
                st.dead = false;
                st.join(before.clone());
                return Ok(out);
            }
            let seen = st.clone();
            st.widen(&before);
            out = output::either(out, turn(self, st)?);
            st.join(seen);
        }
        st.widen(&before);
        st.dead = false;
        st.join(before);
        Ok(out)
    }

    fn for_each(
        &mut self,
        name: &str,
        words: Option<&[Word]>,
        body: &List,
        st: &mut State,
    ) -> Judged<String> {
        let values = match words {
            Some(words) => self.fields(words, st)?,
            None => match &st.positional {
                Some(all) => all.to_vec(),
                None => vec![ANY.to_string()],
            },
        };
        let values = if values.len() > TURNS {
            vec![ANY.to_string()]
        } else {
            values
        };
        let mut out: Option<String> = None;
        let mut after: Option<State> = None;
        for value in values {
            if st.dead {
                break;
            }
            // One value may stand for many (a pattern, unknown text): what a turn changes is seen by the next.
            let many = !text::is_known(&value);
            let before = st.clone();
            st.set(name, Var::scalar(value.clone()));
            let printed = self.list(body, st)?;
            if many && !st.dead && st.cwd != before.cwd {
                st.widen(&before);
                st.set(name, Var::scalar(value));
                self.list(body, st)?;
            }
            // `continue` and `break` behind a condition: a later turn may see the state before.
            self.charge(1 + st.vars.len() / 8)?;
            if st.dead {
                st.dead = false;
                after = Some(st.clone());
                *st = before;
            }
            out = Some(match out {
                None => printed,
                Some(other) => output::repeated(other, &printed),
            });
        }
        if let Some(after) = after {
            st.join(after);
        }
        Ok(out.unwrap_or_default())
    }

    fn simple(&mut self, simple: &Simple, st: &mut State) -> Judged<Done> {
        let choices = Self::choices(simple, st);
        if choices.is_empty() {
            return self.simple_once(simple, st);
        }
        // A variable that may have one of several values: every combination is judged.
        let before = st.clone();
        let mut done: Option<Done> = None;
        for choice in choices {
            let mut one = before.clone();
            for (name, value) in choice {
                let mut var = Var::scalar(value);
                var.exported = before.vars.get(&name).is_some_and(|old| old.exported);
                one.set(&name, var);
            }
            let result = self.simple_once(simple, &mut one)?;
            done = Some(match done {
                None => {
                    *st = one;
                    result
                }
                Some(other) => {
                    st.join(one);
                    Done {
                        out: output::either(other.out, result.out),
                        failed: other.failed.or(result.failed),
                    }
                }
            });
        }
        Ok(done.unwrap_or_default())
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
        let mut argv = self.fields(&simple.words, st)?;
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
                self.assign(assign, st)?;
                argv.push(assign.name.clone());
                continue;
            }
            let value = match &assign.value {
                AssignValue::Scalar(word) => self.scalar(word, st)?,
                AssignValue::Array(_) => ANY.to_string(),
            };
            self.check_variable(&assign.name, &value, st)?;
            env.push((assign.name.clone(), value));
        }
        let plan = self.redirect(&simple.redirects, st)?;
        let stdin = plan.stdin.clone().or_else(|| st.stdin.clone());
        if plain_name
            && let Some(first) = argv.first()
            && let Some(value) = st.aliases.get(first).cloned()
            && !self.calls.contains(first)
        {
            return self.alias(&value, &argv, st);
        }
        let mut done = self.run(Call { argv, env, stdin }, st)?;
        self.record(&plan, &done.out);
        if plan.swallows {
            done.out.clear();
        }
        Ok(done)
    }

    fn alias(&mut self, value: &str, argv: &[String], st: &mut State) -> Judged<Done> {
        let rest: Vec<String> = argv.iter().skip(1).map(|arg| quote(arg)).collect();
        let code = format!("{value} {}", rest.join(" "));
        self.calls.push(argv.first().cloned().unwrap_or_default());
        let done = self.script(&code, st);
        self.calls.pop();
        done
    }

    fn only_assignments(&mut self, simple: &Simple, st: &mut State) -> Judged<Done> {
        let plan = self.redirect(&simple.redirects, st)?;
        self.record(&plan, "");
        for assign in &simple.assigns {
            self.assign(assign, st)?;
        }
        Ok(Done::default())
    }

    fn assign(&mut self, assign: &Assign, st: &mut State) -> Judged<()> {
        if let Some(index) = &assign.index {
            self.arithmetic(index, st)?;
        }
        match &assign.value {
            AssignValue::Array(words) => {
                let mut elements = self.fields(words, st)?;
                if assign.append
                    && let Some(old) = st.vars.get(&assign.name)
                {
                    let mut all = old.array.clone().unwrap_or_else(|| old.values.clone());
                    all.append(&mut elements);
                    elements = all;
                }
                self.charge(elements.len() / 8)?;
                let mut var = Var::scalar(elements.first().cloned().unwrap_or_default());
                var.array = Some(elements);
                st.set(&assign.name, var);
            }
            AssignValue::Scalar(word) => {
                let mut value = self.scalar(word, st)?;
                if assign.append {
                    let old = st
                        .vars
                        .get(&assign.name)
                        .map_or(ANY.to_string(), Var::value);
                    value.insert_str(0, &old);
                }
                self.check_variable(&assign.name, &value, st)?;
                if assign.index.is_some() {
                    st.set(&assign.name, Var::unknown());
                } else {
                    self.charge(st.vars.len() / 64)?;
                    st.set(&assign.name, Var::scalar(value));
                }
            }
        }
        Ok(())
    }

    /// Judges where redirections lead and what they feed.
    fn redirect(&mut self, redirects: &[Redirect], st: &mut State) -> Judged<Plan> {
        let mut plan = Plan::default();
        for redirect in redirects {
            self.charge(1)?;
            match redirect.op {
                RedirectOp::HereDoc => {
                    let body = match redirect.body.as_ref().and_then(|body| body.get()) {
                        Some(body) => self.scalar(body, st)?,
                        None => String::new(),
                    };
                    if redirect.to_stdin {
                        plan.stdin = Some(body.into());
                    }
                }
                RedirectOp::HereString => {
                    let mut body = self.scalar(&redirect.target, st)?;
                    body.push('\n');
                    if redirect.to_stdin {
                        plan.stdin = Some(body.into());
                    }
                }
                RedirectOp::Read => {
                    let path = self.one_field(&redirect.target, st)?;
                    self.read_path(&path, st)?;
                    if redirect.to_stdin {
                        plan.stdin = Some(self.content(&path, st));
                    }
                }
                RedirectOp::DupIn => {
                    self.scalar(&redirect.target, st)?;
                    if redirect.to_stdin {
                        plan.stdin = Some(ANY.to_string().into());
                    }
                }
                RedirectOp::DupOut | RedirectOp::Write => {
                    let path = self.one_field(&redirect.target, st)?;
                    let descriptor = redirect.op == RedirectOp::DupOut
                        && (path == "-"
                            || path == text::TOKEN.to_string()
                            || path
                                .strip_suffix('-')
                                .unwrap_or(&path)
                                .bytes()
                                .all(|c| c.is_ascii_digit()));
                    plan.swallows |= redirect.to_stdout;
                    if !descriptor {
                        self.write_path(&path, st)?;
                        if redirect.to_stdout {
                            plan.target = self.key(&path, st);
                            plan.append = redirect.append;
                            if Self::is_standard_output(&path) {
                                plan.swallows = false;
                            }
                        } else if let Some(key) = self.key(&path, st) {
                            self.written.insert(key, None);
                        }
                    }
                }
            }
        }
        Ok(plan)
    }

    /// A redirection target: patterns in it are active, more than one field is not known.
    fn one_field(&mut self, word: &Word, st: &mut State) -> Judged<String> {
        let mut fields = self.fields(std::slice::from_ref(word), st)?;
        match (fields.pop(), fields.is_empty()) {
            (Some(only), true) => Ok(only),
            _ => Ok(ANY.to_string()),
        }
    }

    fn is_standard_output(path: &str) -> bool {
        matches!(path, "/dev/stdout" | "/dev/fd/1" | "/dev/tty")
    }

    /// Remembers what went into a file, in case the same command runs it.
    fn record(&mut self, plan: &Plan, out: &str) {
        let Some(key) = &plan.target else { return };
        let text = if plan.append {
            match self.written.get(key) {
                Some(Some(old)) => Some(format!("{old}{out}")),
                _ => None,
            }
        } else {
            Some(out.to_owned())
        };
        let known = text.filter(|text| !text::is_any(text)).map(Rc::from);
        self.written.insert(key.clone(), known);
    }

    /// What reading a file would give, when this command wrote it.
    pub(crate) fn content(&self, path: &str, st: &State) -> Rc<str> {
        self.key(path, st)
            .and_then(|key| self.written.get(&key).cloned().flatten())
            .unwrap_or_else(|| ANY.to_string().into())
    }

    pub(crate) fn key(&self, path: &str, st: &State) -> Option<PathBuf> {
        if path.starts_with("/dev/fd/") {
            return Some(PathBuf::from(path));
        }
        match st.cwd.as_slice() {
            [place] => self.paths.key(path, place),
            _ => None,
        }
    }
}

/// What redirections mean for the command they belong to.
#[derive(Default)]
struct Plan {
    stdin: Option<Rc<str>>,
    /// Standard output does not reach the next command.
    swallows: bool,
    target: Option<PathBuf>,
    append: bool,
}

/// Whether a pipeline surely succeeds or surely fails. What cannot be reached is judged all the same; this
/// only keeps values that are certain.
fn certain(pipeline: &Pipeline) -> Option<bool> {
    let [Command::Simple(simple)] = pipeline.stages.as_slice() else {
        return None;
    };
    let outcome = match simple.words.first().and_then(Word::plain)? {
        "true" | ":" => true,
        "false" => false,
        _ => return None,
    };
    Some(outcome != pipeline.negated)
}

/// The state after a failure of `A && B`: A failed before, or B did now.
fn merged(before: State, failed: Option<State>, after: &State) -> Option<State> {
    let mut result = before;
    match failed {
        Some(failed) => result.join(failed),
        None => {
            if result.same_values(after) && Rc::ptr_eq(&result.functions, &after.functions) {
                return None;
            }
            result.join(after.clone());
        }
    }
    Some(result)
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

/// The text as one shell word.
pub(crate) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
