//! The walk: everything a command line would run, in order, with the state each command would see.
//!
//! Control flow is followed, not decided: both branches are taken and their states joined. Simple commands
//! end in `commands`, which asks the rules.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use super::ast::{Command, Item, List};
use super::contents::Parts;
use super::cursor::MAX_DEPTH;
use super::earlier::Earlier;
use super::endless::Pace;
use super::readings::Decisions;
use super::recursion::Flow;
use super::state::{State, Var};
use super::traps::is_called_unasked;
use super::{output, parser, text};
use crate::explain::RunLine;
use crate::paths::{Links, Paths, Place};
use crate::policy::{Judged, Policy, Refusal, Role, rule};

/// Steps one call may take: a word is one, a file about eight, a command about a dozen. Together they are
/// to take no more than a few milliseconds; what needs more is refused.
pub(crate) const BUDGET: usize = 24_000;

/// Steps that go into a file.
pub(crate) const FILE: usize = 8;

/// Steps that go into a text of its own, besides those of what is in it.
pub(crate) const SHELL: usize = 16;

/// Bytes of shell text that are read for one call, those of `eval` and of shells in shells once more on each level.
const MOST_READ: usize = 150_000;

/// The walker: the policy, what the file system looks like, and what the command did so far.
pub(crate) struct Walker<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) role: Role,
    pub(crate) paths: Paths<'a>,
    /// Files this command wrote: their text when it is known.
    pub(crate) written: HashMap<PathBuf, Option<Rc<str>>>,
    /// Known text this command put into files, also where what they held before is not known.
    pub(crate) added: HashMap<PathBuf, String>,
    /// Files this command changed without writing them anew, or in ways of which only the texts are known.
    pub(crate) parts: HashMap<PathBuf, Parts>,
    /// What those files may hold besides.
    pub(crate) earlier: Earlier,
    /// Folders this command made, so that entering them cannot fail.
    pub(crate) made: Vec<PathBuf>,
    /// Temporary files and folders this command made for itself, where the agent has no such place of its own.
    pub(crate) fresh: Vec<PathBuf>,
    /// Containers, images and the like that this command made, by kind and name; `branch` where it left one.
    pub(crate) begun: HashSet<String>,
    /// Folders into which this command downloaded files of unknown names; whether folders below count too.
    pub(crate) landed: Vec<(PathBuf, bool)>,
    /// Folders in which archives were unpacked that came over the network.
    pub(crate) unpacked: Vec<PathBuf>,
    /// Links that went into an archive of this command, by their names in it, with what they lead to.
    pub(crate) packed: Vec<(PathBuf, PathBuf)>,
    pub(crate) trace: Option<Vec<RunLine>>,
    pub(crate) depth: usize,
    pub(crate) pace: Pace,
    pub(crate) flow: Flow,
    /// How its conditions come out.
    pub(super) decisions: Decisions,
    /// What is judged is brought in by other code, which may use what it brings in.
    pub(crate) is_library: bool,
    /// The module that an interpreter runs by this name.
    pub(crate) module: Option<String>,
    pub(crate) calls: Vec<String>,
    /// Traps that could not be judged where they were set, with why.
    pub(super) deferred: Vec<(String, Refusal)>,
    /// The rules that do not know a program, by its name: one bit each.
    pub(crate) passed: HashMap<String, u32>,
    /// `shopt -s nocasematch` was seen: what a pattern finds is not known any more.
    pub(super) ignores_case: bool,
    /// `shopt -s cdable_vars` was seen: `cd name` may go where the variable says.
    pub(crate) enters_variables: bool,
    /// Files may stay as they are though they are written or removed: of their modes, or by `set -C`.
    pub(crate) files_withstand: bool,
    /// Variables that a trap may change before any command.
    pub(super) unsettled: Vec<String>,
    /// Whether such a trap may change the folder.
    pub(super) wanders: bool,
    /// Programs that the rules were asked about.
    pub(crate) programs: usize,
    budget: usize,
    /// Of `MOST_READ`, so many are left.
    unread: usize,
    pipes: usize,
}

/// What a command leaves: its output, and the state after a failure when that is another one.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) out: String,
    pub(crate) failed: Option<State>,
    /// It went into a folder that is there.
    pub(crate) enters: bool,
}

impl Done {
    pub(crate) fn printing(out: impl Into<String>) -> Self {
        Self {
            out: out.into(),
            ..Self::default()
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
            added: HashMap::new(),
            parts: HashMap::new(),
            earlier: Earlier::default(),
            made: Vec::new(),
            fresh: Vec::new(),
            begun: HashSet::new(),
            landed: Vec::new(),
            unpacked: Vec::new(),
            packed: Vec::new(),
            trace: None,
            depth: 0,
            pace: Pace::default(),
            flow: Flow::default(),
            decisions: Decisions::default(),
            is_library: false,
            module: None,
            calls: Vec::new(),
            deferred: Vec::new(),
            passed: HashMap::new(),
            ignores_case: false,
            enters_variables: false,
            files_withstand: false,
            unsettled: Vec::new(),
            wanders: false,
            programs: 0,
            budget: BUDGET,
            unread: MOST_READ,
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
        match self.budget.checked_sub(steps + self.paths.take_work()) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => {
                self.budget = 0;
                Err(too_much())
            }
        }
    }

    /// The steps taken so far.
    pub(crate) fn steps(&self) -> usize {
        BUDGET - self.budget
    }

    /// Goes on from where another walk is.
    pub(super) fn take_up(&mut self, steps: usize) {
        self.budget = BUDGET.saturating_sub(steps);
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
        let list = self.read(code, st)?;
        self.nested(|walker| {
            let out = walker.list(&list, st)?;
            Ok(Done::printing(out))
        })
    }

    /// The commands of shell text, unless it is one that nobody may run unread.
    fn read(&mut self, code: &str, st: &State) -> Judged<List> {
        if text::is_fetched(code) {
            return Err(fetched());
        }
        if text::is_any(code) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "text that is not known before it runs would run as shell; write the command out",
            ));
        }
        self.as_dash(code, st)?;
        // A shell of its own costs about as much as two commands, whatever its text is.
        self.charge(SHELL + code.len() / 64)?;
        self.unread = self.unread.checked_sub(code.len()).ok_or_else(too_much)?;
        let (list, parts) = parser::parse_counted(code, self.depth)
            .map_err(|error| Refusal::new(rule::UNPROVEN, error.to_string()))?;
        self.charge(parts / 2)?;
        Ok(list)
    }

    /// Judges a whole shell process that reads its text from its input: what it runs reads what is left of that.
    pub(crate) fn program_on_input(&mut self, code: &str, st: &mut State) -> Judged<Done> {
        let before = self.pace;
        let list = self.read(code, st)?;
        let done = self.nested(|walker| {
            let Some((last, others)) = list.items.split_last() else {
                return Ok(Done::default());
            };
            let mut out = walker.items(others, st)?;
            // Behind the last command there is nothing; what is left behind each of the others is not worked out.
            if !ends_in_comment(code) {
                st.stdin = Some("".into());
            }
            let more = walker.items(std::slice::from_ref(last), st)?;
            output::append(&mut out, &more);
            Ok(Done::printing(out))
        })?;
        self.pace = self.pace.within_process(before);
        self.traps_at_end(st)?;
        Ok(done)
    }

    /// Judges a whole shell process: its text and, at the end, its traps.
    pub(crate) fn program(&mut self, code: &str, st: &mut State) -> Judged<Done> {
        let before = self.pace;
        let done = self.script(code, st)?;
        self.pace = self.pace.within_process(before);
        self.traps_at_end(st)?;
        Ok(done)
    }

    pub(crate) fn list(&mut self, list: &List, st: &mut State) -> Judged<String> {
        self.items(&list.items, st)
    }

    fn items(&mut self, items: &[Item], st: &mut State) -> Judged<String> {
        let mut out = String::new();
        for item in items {
            if st.dead {
                break;
            }
            let printed = self.item(item, st)?;
            output::append(&mut out, &printed);
        }
        Ok(out)
    }

    pub(super) fn item(&mut self, item: &Item, st: &mut State) -> Judged<String> {
        if item.background {
            let mut job = st.clone();
            job.beside = true;
            let before = self.pace;
            self.flow.aside += 1;
            let out = self.loosely(|walker| walker.chain(item, &mut job));
            self.flow.aside -= 1;
            let out = out?;
            self.leaves_job(before);
            self.leave(&job, st)?;
            return Ok(out);
        }
        self.chain(item, st)
    }

    pub(super) fn command(&mut self, command: &Command, st: &mut State) -> Judged<Done> {
        self.charge(1)?;
        match command {
            Command::Simple(simple) => self.simple(simple, st),
            Command::Function { name, body } => {
                self.makes_one_of_several();
                st.define(name, body);
                if is_called_unasked(name) {
                    let mut unasked = st.clone();
                    unasked.positional = None;
                    self.nested(|walker| walker.command(body, &mut unasked))?;
                    unasked.positional.clone_from(&st.positional);
                    self.between(unasked, st);
                    Rc::make_mut(&mut st.traps).push(name.clone());
                }
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
                // A file that is not there keeps all of it from running.
                let done =
                    self.loosely(|walker| walker.nested(|walker| walker.compound(compound, st)));
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
}

/// Whether a text ends in a line that is a comment.
fn ends_in_comment(code: &str) -> bool {
    let mut lines = code.lines().rev().map(str::trim);
    lines
        .find(|line| !line.is_empty())
        .is_some_and(|line| line.starts_with('#'))
}

/// The refusal to run what came over the network and nobody has read.
pub(crate) fn fetched() -> Refusal {
    Refusal::new(
        rule::NETWORK,
        "text from the network would run unread; download it to a file in your worktree, read it, then run that",
    )
}

/// The refusal of what would take too long to follow.
pub(crate) fn too_much() -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!(
            "the command takes more than {BUDGET} steps to follow; write it to a file in your worktree and run that, or split it"
        ),
    )
}

/// The text as one shell word.
pub(crate) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
