//! One simple command, fully expanded: finds out what it really starts and asks the rules about it.
//!
//! Also home of the questions every rule asks: may this path be written, deleted, read; may this variable
//! be set.

use std::rc::Rc;

use super::explain::RunLine;
pub(crate) use super::permissions::read_only;
use super::policy::{Judged, Refusal, Role, rule};
use super::shell::state::{State, Var};
use super::shell::text::{self, brief};
use super::shell::walk::{Done, Walker};
use super::shell::{endless, output};
use super::{patterns, rules};

/// A command with its arguments, the variables set for it alone, and what it can read.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) argv: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) stdin: Option<Rc<str>>,
}

impl Call {
    pub(crate) fn args(&self) -> &[String] {
        self.argv.get(1..).unwrap_or_default()
    }

    /// The same call with another command line.
    pub(crate) fn with(&self, argv: Vec<String>) -> Self {
        Self {
            argv,
            env: self.env.clone(),
            stdin: self.stdin.clone(),
        }
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.env
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Programs of a call that is a usual one.
const PROGRAMS: usize = 600;

/// Steps that each one more takes besides: every rule is asked whether it knows it.
const PROGRAM: usize = 80;

/// Words of a command that is no longer a short one.
const MANY: usize = 64;

/// Programs that take away what is there.
fn removes(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    matches!(
        base,
        "rm" | "rmdir"
            | "unlink"
            | "shred"
            | "mv"
            | "truncate"
            | "dd"
            | "find"
            | "fd"
            | "git"
            | "trash"
            | "rsync"
    )
}

/// Whether a program surely takes no file or folder away.
fn keeps(name: &str) -> bool {
    matches!(
        name,
        "" | ":"
            | "["
            | "cat"
            | "cd"
            | "chmod"
            | "cp"
            | "date"
            | "declare"
            | "echo"
            | "export"
            | "false"
            | "grep"
            | "head"
            | "ln"
            | "local"
            | "ls"
            | "mkdir"
            | "popd"
            | "printf"
            | "pushd"
            | "pwd"
            | "read"
            | "sed"
            | "set"
            | "shift"
            | "sleep"
            | "tail"
            | "test"
            | "touch"
            | "true"
            | "unset"
            | "wc"
    )
}

impl Walker<'_> {
    /// Judges one command and everything it would start.
    pub(crate) fn run(&mut self, call: Call, st: &mut State) -> Judged<Done> {
        // Of many words each is looked at by more rules than of few.
        let words = call.argv.len();
        self.charge(9 + words / 4 + words.saturating_sub(MANY) / 4)?;
        let name = call.argv.first().map_or("", String::as_str);
        if let Some(names) = text::programs(name) {
            return self.each_program(&names, &call, st);
        }
        let moves = matches!(name, "cd" | "chdir" | "pushd" | "popd");
        if !moves {
            st.idle = false;
        }
        if !st.doubt.is_empty() && removes(name) {
            // What is removed is gone wherever the command is.
            let mut there = st.clone();
            there.cwd = std::mem::take(&mut there.doubt);
            self.loosely(|walker| {
                walker.nested(|walker| walker.run_here(call.clone(), &mut there))
            })?;
        }
        self.loosely(|walker| {
            walker.runs_written(&call, st)?;
            walker.runs_earlier(&call, st)
        })?;
        let keeps = keeps(call.argv.first().map_or("", String::as_str));
        self.flow.runs += 1;
        let done = self.nested(|walker| walker.run_here(call, st));
        self.flow.runs -= 1;
        if !keeps {
            self.paths.may_be_cleared();
        }
        done
    }

    /// Judges a command with each of the programs that it may be.
    fn each_program(&mut self, names: &[&str], call: &Call, st: &mut State) -> Judged<Done> {
        self.alternatives(names, st, |walker, name, one| {
            let mut argv = call.argv.clone();
            argv.splice(..1, [(*name).to_owned()]);
            walker.run(call.with(argv), one)
        })
    }

    /// Judges a command once more, in another state of what it finds.
    pub(crate) fn again(&mut self, call: Call, st: &mut State) -> Judged<Done> {
        self.nested(|walker| walker.run_here(call, st))
    }

    /// Judges a program or script that a pattern names once for each file that this command wrote and it may find.
    fn runs_written(&mut self, call: &Call, st: &State) -> Judged<()> {
        let Some(name) = call.argv.first().filter(|_| !self.written.is_empty()) else {
            return Ok(());
        };
        let base = name.rsplit('/').next().unwrap_or(name);
        let scripts = crate::interpreters::is_known(base) || matches!(base, "source" | ".");
        let last = if scripts { call.argv.len() } else { 1 };
        for (at, word) in call.argv.iter().enumerate().take(last) {
            if at == 0 && !word.contains('/') {
                continue;
            }
            for file in self.written_as(word, st)? {
                self.charge(9 + call.argv.len() / 4)?;
                let mut argv = call.argv.clone();
                if let Some(word) = argv.get_mut(at) {
                    *word = file;
                }
                let call = call.with(argv);
                self.nested(|walker| walker.run_here(call, &mut st.clone()))?;
            }
        }
        Ok(())
    }

    fn run_here(&mut self, mut call: Call, st: &mut State) -> Judged<Done> {
        self.note(&call, st);
        let Some(name) = call.argv.first().cloned() else {
            return Ok(Done::default());
        };
        if let Some(code) = self.shell_script_written(&name, st) {
            let mut child = st.for_program();
            // Without a line that names a shell, the one that starts it reads it.
            child.plain = names_sh(&code);
            if !child.plain && code.starts_with("#!") && !names_bash(&code) {
                child.functions = Rc::default();
            }
            child.zero = name.as_str().into();
            if !child.plain && (names_bash(&code) || !code.starts_with("#!")) {
                child.reads_file(&name);
            }
            child.positional = Some(Rc::new(call.args().to_vec()));
            child.stdin.clone_from(&call.stdin);
            for (key, value) in &call.env {
                let mut var = Var::scalar(value.clone());
                var.exported = true;
                child.set(key, var);
            }
            return self.within_script(&name, st, |walker| walker.program(&code, &mut child));
        }
        self.has_changed_program(&name, st)?;
        endless::not_itself(&name, st)?;
        let base = self.program_name(&name, st)?;
        if let Some(first) = call.argv.first_mut()
            && name.contains('/')
            && base != name
        {
            first.clone_from(&base);
        }
        self.not_blocked(&name, &call, st)?;
        if let Some(path) = self.found_in_path(&name, &call, st)? {
            let mut argv = call.argv.clone();
            argv.splice(..1, [path]);
            return self.run(call.with(argv), st);
        }
        if !name.contains('/') && st.functions.contains_key(&name) {
            return self.function_or_program(&name, &call, st);
        }
        self.paced(&base, &call, st);
        let lent = self.lend(&base, &call, st)?;
        let done = self.builtin(&base, &call, st)?;
        lent.take_back(st);
        if let Some(mut done) = done {
            if let Some(failed) = &mut done.failed {
                lent.take_back(failed);
            }
            return Ok(done);
        }
        self.programs += 1;
        if self.programs > PROGRAMS {
            self.charge(PROGRAM)?;
        }
        self.carried(&base, &call, st)?;
        self.given_code(&base, &call, st)?;
        self.given_commands(&base, &call, st)?;
        rules::runners::found::judge(self, &base, &call, st)?;
        rules::named_tasks(&base, call.args())?;
        crate::wrappers::runs_address(&base, call.args())?;
        if let Some(done) = self.wrapper(&base, &call, st)? {
            return Ok(done);
        }
        rules::credentials::words(self, &base, &call, st)?;
        rules::compiling::brings_in(self, &base, &call, st)?;
        // A gate may build things, also where it is a script of the project.
        let role = self.role;
        if !role.writes() {
            let named = self.named(&name, &call, st);
            let joined = rules::publish::global_options::joined(&base, &named);
            let gate = joined.as_ref().unwrap_or(&named);
            if patterns::allowed(self.policy, &named) || self.is_gate(&call, gate, st)? {
                self.role = Role::Writer;
            }
        }
        let interpreted = self.interpreter(&base, &call, st);
        let judged = match &interpreted {
            Ok(None) => rules::judge(self, &base, &call, st),
            Ok(Some(_)) | Err(_) => Ok(()),
        };
        self.role = role;
        if let Some(done) = interpreted? {
            return Ok(done);
        }
        judged.map_err(|refusal| self.without_gates(refusal, &call))?;
        self.settle_repositories(st);
        let temp = if base == "mktemp" {
            rules::temporary::folder(self, &call, st)
        } else {
            None
        };
        let out = match base.as_str() {
            "git" => rules::git::output(self, &call, st),
            "find" | "gfind" | "bfs" | "fd" | "fdfind" => {
                rules::finding::printed(self, &base, &call, st)
            }
            _ => output::of_program(
                &base,
                call.args(),
                call.stdin.as_deref(),
                st,
                temp.as_deref(),
            ),
        };
        let out = match (base.as_str(), call.args()) {
            // A file this very command wrote can be read back.
            ("cat", [path]) if !path.starts_with('-') => self.content(path, st).to_string(),
            _ => out,
        };
        let out = rules::sending::origin(self, &base, &call, out, st);
        let input = call.stdin.as_deref();
        Ok(Done::printing(endless::goes_on(
            &base,
            call.args(),
            input,
            out,
        )))
    }

    /// The words as the project names them: a program of the worktree by its path from the top folder.
    fn named(&self, name: &str, call: &Call, st: &State) -> Vec<String> {
        let mut argv = call.argv.clone();
        let own = argv.first().is_some_and(|first| first.starts_with("./"));
        let place = match st.cwd.as_slice() {
            [place] if own => self.paths.below_worktree(name, place),
            _ => None,
        };
        if let (Some(first), Some(path)) = (argv.first_mut(), place) {
            *first = format!("./{path}");
        }
        argv
    }

    /// Refuses what the project's own rules block, in the spelling of the call and under its real name.
    fn not_blocked(&mut self, name: &str, call: &Call, st: &State) -> Judged<()> {
        if self.policy.block.is_empty() {
            return Ok(());
        }
        let mut spelled = call.argv.clone();
        if let Some(first) = spelled.first_mut() {
            name.clone_into(first);
        }
        if patterns::concerned(self.policy, &spelled) {
            self.charge(call.argv.len() * 4)?;
        }
        let locate = |path: &str| match st.cwd.as_slice() {
            [place] => self.paths.below_worktree(path, place),
            _ => None,
        };
        let blocked = patterns::blocked(self.policy, &spelled, &locate).or_else(|| {
            (spelled != call.argv)
                .then(|| patterns::blocked(self.policy, &call.argv, &locate))
                .flatten()
        });
        match blocked {
            Some(pattern) => Err(Refusal::new(
                rule::PROJECT,
                format!(
                    "this project blocks {} (guard.block: {}); ask your lead by mail if it has to run",
                    brief(&call.argv.join(" ")),
                    brief(pattern)
                ),
            )),
            None => Ok(()),
        }
    }

    fn note(&mut self, call: &Call, st: &State) {
        if let Some(trace) = &mut self.trace {
            let words: Vec<String> = call.argv.iter().map(|arg| shown(arg)).collect();
            let cwd = super::shell::expand::place_text(&st.cwd);
            let set = call
                .env
                .iter()
                .map(|(key, value)| format!("{key}={} ", shown(value)));
            let line = RunLine {
                depth: self.depth.saturating_sub(3),
                command: format!("{}{}", set.collect::<String>(), words.join(" ")),
                directory: text::show(&cwd),
            };
            trace.push(line);
        }
    }
}

/// A word as people write it: quoted where a shell would take it apart.
fn shown(word: &str) -> String {
    let text = brief(word);
    let plain =
        !text.is_empty() && !text.contains([' ', '\'', '"', '|', '&', ';', '$', '`', '(', ')']);
    if plain {
        text
    } else {
        super::shell::walk::quote(&text)
    }
}

/// The program that the first line of a script names.
fn named_by(code: &str) -> Option<&str> {
    let first = code
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("#!"))?;
    let mut words = first.split_whitespace();
    let program = words.find(|word| !word.ends_with("/env") && !word.starts_with('-'))?;
    program.rsplit('/').next()
}

/// Whether the first line of a script names a shell that may know no words of bash.
fn names_sh(code: &str) -> bool {
    named_by(code).is_some_and(|name| matches!(name, "sh" | "dash" | "ash" | "posh" | "yash"))
}

/// Whether it names the shell that takes functions from its environment.
fn names_bash(code: &str) -> bool {
    named_by(code).is_some_and(|name| matches!(name, "bash" | "rbash"))
}
