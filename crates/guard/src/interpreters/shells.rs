//! Shells started as programs: `-c` text, scripts, text on standard input.
//!
//! The text is judged by the same walk as the command that starts them.

use std::rc::Rc;

use super::{powershell, zsh};
use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::rules::agents;
use crate::rules::fragments::{self, Around};
use crate::shell::contents::Parts;
use crate::shell::state::{State, Var};
use crate::shell::text::{self, ANY, brief};
use crate::shell::walk::{Done, Walker, fetched};
use crate::wrappers::ARGV0;

pub(super) fn is_shell(name: &str) -> bool {
    matches!(
        name,
        "sh" | "bash"
            | "dash"
            | "zsh"
            | "ksh"
            | "ksh93"
            | "mksh"
            | "ash"
            | "yash"
            | "posh"
            | "rbash"
            | "fish"
            | "csh"
            | "tcsh"
            | "elvish"
            | "xonsh"
            | "nu"
            | "oksh"
            | "osh"
            | "rc"
            | "es"
    ) || powershell::is_powershell(name)
}

impl Walker<'_> {
    pub(super) fn shell(&mut self, name: &str, call: &Call, st: &mut State) -> Judged<Done> {
        let spelled = if powershell::is_powershell(name) {
            Some(powershell::as_shell(name, call.args()).ok_or_else(unknown_script)?)
        } else {
            None
        };
        let args = spelled.as_deref().unwrap_or(call.args());
        let mut at = 0;
        let mut takes_text = false;
        let mut reads_stdin = false;
        let mut dashed = false;
        let mut options = Vec::new();
        let mut privileged = false;
        while let Some(arg) = args.get(at) {
            if arg == "--" || arg == "-" {
                dashed = arg == "-";
                at += 1;
                break;
            }
            if !arg.starts_with(['-', '+']) {
                break;
            }
            if text::is_any(arg) {
                return Err(unknown_script());
            }
            at += 1;
            match arg.as_str() {
                "--rcfile" | "--init-file" => {
                    return Err(Refusal::new(
                        rule::UNPROVEN,
                        "a shell start file would run first; run the command directly",
                    ));
                }
                "--emulate" => at += 1,
                "-C" | "--init-command" if name == "fish" => {
                    let code = args.get(at).cloned().unwrap_or_default();
                    self.program(&code, &mut st.for_program())?;
                    at += 1;
                }
                "--command" | "--commands" => takes_text = true,
                "--restricted" => privileged = true,
                "--posix" => options.push("posix".to_owned()),
                "--version" | "--help" => return Ok(Done::default()),
                long if long.starts_with("--") => {
                    if let Some(code) = long.strip_prefix("--init-command=") {
                        self.program(code, &mut st.for_program())?;
                    }
                }
                // Syntax check: nothing runs.
                short
                    if short.starts_with('-')
                        && short.contains('n')
                        && !short.contains('o')
                        && !args.iter().any(|arg| arg.starts_with('+')) =>
                {
                    return Ok(Done::default());
                }
                short => {
                    takes_text |= short.starts_with('-') && short.contains('c');
                    reads_stdin |= short.contains('s');
                    if short.contains(['p', 'r']) {
                        privileged = short.starts_with('-');
                    }
                    options.extend(short.contains('P').then(|| "physical".to_owned()));
                    if short.ends_with('o') || short.ends_with('O') {
                        let named = args.get(at).map(String::as_str);
                        if named == Some("privileged") {
                            privileged = short.starts_with('-');
                        }
                        options.extend(named.map(str::to_owned));
                        at += 1;
                    }
                }
            }
        }
        let mut child = st.for_program();
        child.cwd.clone_from(&st.cwd);
        self.physical_too(&mut child.cwd);
        child.plain = matches!(name, "sh" | "dash" | "ash" | "posh" | "yash");
        self.switch(&options, &mut child);
        // Others than bash take no functions from their environment, nor does bash where it is told so.
        if privileged || !child.plain && !matches!(name, "bash" | "rbash") {
            child.functions = Rc::default();
        }
        for (key, value) in &call.env {
            let mut var = Var::scalar(value.clone());
            var.exported = true;
            child.set(key, var);
        }
        child.stdin.clone_from(&call.stdin);
        child.zero = match call.variable(ARGV0) {
            Some(given) => given.into(),
            None => format!("/bin/{name}").into(),
        };
        let rest = args.get(at..).unwrap_or_default();
        if spelled.is_some() {
            let known = powershell::COMMANDS.iter().flat_map(|(name, same)| {
                let names = powershell::spellings(name).into_iter();
                names.map(|name| (name, (*same).to_owned()))
            });
            Rc::make_mut(&mut child.aliases).extend(known);
        }
        // `pwsh -Command -`
        if takes_text
            && dashed
            && spelled.is_some()
            && let Some(text) = call.stdin.clone()
        {
            return self.program(&text, &mut child);
        }
        if takes_text {
            let Some((code, params)) = rest.split_first() else {
                return Err(unknown_script());
            };
            if let Some(first) = params.first() {
                child.zero = first.as_str().into();
            }
            if name == "xonsh" {
                return self.xonsh(code, call, &child);
            }
            as_bash(name, code)?;
            child.positional = Some(Rc::new(params.get(1..).unwrap_or_default().to_vec()));
            return self.program(code, &mut child);
        }
        if let Some((script, params)) = rest.split_first()
            && !reads_stdin
        {
            child.zero = script.as_str().into();
            if name == "bash" {
                child.reads_file(script);
            }
            child.positional = Some(Rc::new(params.to_vec()));
            // The dash ends the options of some shells and is standard input to others; who pipes text behind
            // it means the latter.
            if dashed && let Some(code) = call.stdin.clone() {
                as_bash(name, &code)?;
                self.program(&code, &mut child.clone())?;
            }
            if let Some(code) = self.known_script(script, &child) {
                as_bash(name, &code)?;
            }
            return self.script_file(name, script, &mut child);
        }
        child.positional = Some(Rc::new(rest.to_vec()));
        match &call.stdin {
            Some(code) => {
                let code = Rc::clone(code);
                as_bash(name, &code)?;
                self.program_on_input(&code, &mut child)
            }
            None => Err(Refusal::new(
                rule::UNPROVEN,
                "an interactive shell cannot be guarded; run the command directly",
            )),
        }
    }

    /// A script named by path: its text when this command wrote it, else a project file.
    pub(crate) fn script_file(
        &mut self,
        program: &str,
        path: &str,
        st: &mut State,
    ) -> Judged<Done> {
        if self.has_changed(path, st)? {
            let copied = |(parts, _): (Parts, _)| parts.copied;
            let own = self.role.writes() && !self.has_landed(path, st);
            if !(own && self.changed(path, st).is_some_and(copied)) {
                self.project_script(program, path, st)?;
            }
            return Ok(Done::printing(ANY));
        }
        if let Some(code) = self.known_script(path, st) {
            let before = st.clone();
            return self.within_script(path, &before, |walker| walker.program(&code, st));
        }
        self.project_script(program, path, st)?;
        Ok(Done::printing(ANY))
    }

    /// Judges what this command put into a shell script that is the project's otherwise; whether it did.
    pub(crate) fn has_changed(&mut self, path: &str, st: &State) -> Judged<bool> {
        let Some((parts, added)) = self.changed(path, st) else {
            return Ok(false);
        };
        if let Some(added) = added {
            self.program(&added, &mut st.clone())?;
        }
        fragments::judge(self, &parts.texts, Around::Shell, st)?;
        Ok(true)
    }

    /// The text of a script that this very command produced; unknown text comes back as such.
    pub(crate) fn known_script(&self, path: &str, st: &State) -> Option<Rc<str>> {
        let unknown: Rc<str> = ANY.to_string().into();
        if matches!(path, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "-") {
            return Some(st.stdin.clone().unwrap_or(unknown));
        }
        if self.has_landed(path, st) {
            return Some(unknown);
        }
        let key = self.key(path, st)?;
        let text = self.written.get(&key)?;
        Some(text.clone().unwrap_or(unknown))
    }

    /// A script that is part of the project may run, for those who may change the project.
    pub(crate) fn project_script(&mut self, program: &str, path: &str, st: &State) -> Judged<()> {
        if text::is_any(path) {
            return Err(unknown_script());
        }
        if let Some(agent) = agents::of_script(path) {
            return Err(agents::unguarded(agent));
        }
        if crate::wrappers::is_address(path) {
            return Err(fetched());
        }
        self.read_path(path, st)?;
        let inside = st.cwd.iter().all(|place| self.paths.is_inside(path, place));
        if !inside {
            return Err(Refusal::new(
                rule::UNPROVEN,
                format!(
                    "{} is a script outside your worktree; run the project's own scripts",
                    brief(path)
                ),
            ));
        }
        if !self.role.writes() {
            return Err(read_only(&format!(
                "runs a script with {program}, which may change files"
            )));
        }
        Ok(())
    }
}

/// Refuses what zsh reads otherwise than the guard.
fn as_bash(name: &str, code: &str) -> Judged<()> {
    if name != "zsh" {
        return Ok(());
    }
    match zsh::misread(code) {
        Some(mark) => Err(Refusal::new(
            rule::UNPROVEN,
            format!(
                "{mark} means something else to zsh than to the guard; write the command for bash"
            ),
        )),
        None => Ok(()),
    }
}

fn unknown_script() -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        "the script to run is not known before it runs; name it or write the command out",
    )
}
