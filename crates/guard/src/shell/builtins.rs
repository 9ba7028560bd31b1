//! Shell builtins that change the state of the shell: directories, variables, aliases, traps, input.
//!
//! Builtins that run other text (`eval`, `source`, `trap`) hand it back to the walk.

use std::rc::Rc;

use super::arithmetic::{refuse_expression, refuse_substitution};
use super::ast::Command;
use super::output;
use super::state::{State, Var};
use super::text::{self, ANY};
use super::walk::{Done, Walker};
use crate::commands::Call;
use crate::paths::Place;
use crate::policy::{Judged, Refusal, rule};

/// Steps that each name takes which a builtin gives a value, besides those of the word.
const NAME: usize = 6;

/// Steps that it takes to find out where a folder leads.
const FOLDER: usize = 24;

/// Builtins that look at each of their words as a name.
fn takes_names(name: &str) -> bool {
    matches!(
        name,
        "read"
            | "mapfile"
            | "readarray"
            | "declare"
            | "typeset"
            | "local"
            | "export"
            | "readonly"
            | "setenv"
            | "unset"
            | "trap"
            | "let"
            | "wait"
    )
}

impl Walker<'_> {
    pub(crate) fn body(&mut self, body: &Rc<Command>, st: &mut State) -> Judged<Done> {
        self.command(body, st)
    }

    /// Carries out a builtin; `None` when the name is not one.
    pub(crate) fn builtin(
        &mut self,
        name: &str,
        call: &Call,
        st: &mut State,
    ) -> Judged<Option<Done>> {
        let args = call.args();
        if takes_names(name) {
            self.charge(args.len() * NAME)?;
        }
        if matches!(name, "cd" | "chdir" | "pushd") {
            self.charge(FOLDER)?;
        }
        let done = match name {
            "cd" | "chdir" => {
                if let Some(path) = call.variable("CDPATH") {
                    let path = path.to_owned();
                    st.set("CDPATH", super::state::Var::scalar(path));
                }
                self.change_directory(args, st)
            }
            "pushd" => {
                let here = st.cwd.clone();
                if args.iter().any(|arg| arg.starts_with(['+', '-'])) || args.is_empty() {
                    st.cwd = vec![Place::Unknown];
                    return Ok(Some(Done::default()));
                }
                let before = st.plain.then(|| st.clone());
                let mut done = self.change_directory(args, st);
                done.failed = done.failed.or(before);
                if let Some(failed) = &mut done.failed
                    && args.first().is_some_and(|target| self.presumes(target))
                {
                    Rc::make_mut(&mut failed.stack).push(here.clone());
                }
                Rc::make_mut(&mut st.stack).push(here);
                done
            }
            "popd" => {
                let before = st.clone();
                let back = Rc::make_mut(&mut st.stack).pop();
                st.cwd = back.unwrap_or_else(|| before.cwd.clone());
                Done::default()
            }
            "exit" | "logout" => {
                self.traps_at_exit(st)?;
                st.dead = true;
                Done::default()
            }
            // Outside a function or loop these only print an error, so what follows counts as run.
            "return" | "break" | "continue" => Done::default(),
            // PowerShell's runs what comes through its pipe.
            "eval" if args.is_empty() && call.stdin.is_some() => {
                let code = call.stdin.clone().unwrap_or_default();
                self.script(&code, st)?
            }
            "eval" => self.script(&args.join(" "), st)?,
            "source" | "." => self.source(call, st)?,
            "trap" => self.trap(args, st)?,
            "alias" => {
                self.define_aliases(args, st)?;
                Done::default()
            }
            "unalias" => {
                for arg in args {
                    Rc::make_mut(&mut st.aliases).remove(arg);
                }
                Done::default()
            }
            "export" | "declare" | "typeset" | "local" | "readonly" | "setenv" => {
                self.declare(name, args, st)?;
                if args.iter().all(|arg| arg.starts_with('-')) {
                    Done::printing(text::secret(ANY.to_string()))
                } else {
                    Done::default()
                }
            }
            "unset" => {
                let reference = args.first().is_some_and(|arg| arg == "-n");
                for arg in args {
                    self.evaluate_name(arg, st)?;
                    self.check_variable(arg, "", st)?;
                    st.undefine(arg);
                    if arg == "BASH_SOURCE" {
                        st.source = None;
                    }
                    if reference {
                        Rc::make_mut(&mut st.vars).remove(arg);
                    } else {
                        st.set(arg, Var::scalar(String::new()));
                        let known = st.target(arg).unwrap_or_else(|| arg.clone());
                        st.unexport(&known);
                    }
                }
                Done::default()
            }
            "set" => {
                self.makes_one_of_several();
                let letters = |arg: &&String| arg.starts_with('-') && !arg.starts_with("--");
                self.files_withstand |= args.iter().filter(letters).any(|arg| arg.contains('C'));
                self.switch(args, st);
                Self::set_options(args, st);
                if args.is_empty() {
                    Done::printing(text::secret(ANY.to_string()))
                } else {
                    Done::default()
                }
            }
            "shift" => {
                let count = args.first().map_or(Some(1), |n| n.parse::<usize>().ok());
                st.positional = match (&st.positional, count) {
                    (Some(all), Some(count)) => {
                        Some(Rc::new(all.iter().skip(count).cloned().collect()))
                    }
                    _ => None,
                };
                Done::default()
            }
            "shopt" | "setopt" => {
                self.switch(args, st);
                Done::default()
            }
            "read" | "mapfile" | "readarray" => {
                self.read_input(name, args, call, st)?;
                Done::default()
            }
            "getopts" => {
                if let Some(name) = args.get(1) {
                    self.evaluate_name(name, st)?;
                    st.set(name, Var::scalar(text::TOKEN.to_string()));
                }
                st.set("OPTARG", Var::unknown());
                Done::default()
            }
            "let" => {
                for arg in args {
                    self.evaluate(arg, st)?;
                }
                Done::default()
            }
            "printf" if args.first().is_some_and(|arg| arg.starts_with("-v")) => {
                let (name, rest) = match args.split_first() {
                    Some((flag, rest)) if flag.len() > 2 => {
                        (flag.get(2..).unwrap_or("").to_owned(), rest)
                    }
                    Some((_, rest)) => match rest.split_first() {
                        Some((name, rest)) => (name.clone(), rest),
                        None => return Ok(Some(Done::default())),
                    },
                    None => return Ok(Some(Done::default())),
                };
                self.evaluate_name(&name, st)?;
                let value = output::printf(rest);
                let known = st.target(&name).unwrap_or_else(|| name.clone());
                self.check_variable(&known, &value, st)?;
                st.set(&name, Var::scalar(value));
                Done::default()
            }
            "[" | "test" => {
                for arg in args {
                    refuse_substitution(arg).or_else(|refusal| {
                        let arithmetic = args.iter().any(|op| {
                            matches!(
                                op.as_str(),
                                "-eq" | "-ne" | "-lt" | "-gt" | "-le" | "-ge" | "-v"
                            )
                        });
                        if arithmetic { Err(refusal) } else { Ok(()) }
                    })?;
                }
                Done::default()
            }
            "echo" if st.dash => Done::printing(output::echo_of_dash(args)),
            "echo" => Done::printing(output::echo(args)),
            "printf" => Done::printing(output::printf(args)),
            "wait" => {
                for arg in args {
                    self.evaluate_name(arg, st)?;
                }
                Done::default()
            }
            "compgen" => self.completions(args, st)?,
            // Runs its words as a command, in which jobs stand for their processes.
            "jobs" if args.first().is_some_and(|arg| arg.starts_with("-x")) => {
                let argv = args.get(1..).unwrap_or_default().to_vec();
                self.run(call.with(argv), &mut st.clone())?
            }
            // A signal to this very shell runs its traps.
            "kill" if !st.traps.is_empty() => {
                let mut after = st.clone();
                for code in st.traps.clone().iter() {
                    self.script(code, &mut after)?;
                }
                after.dead = false;
                after.widen(st);
                *st = after;
                return Ok(None);
            }
            "true" | ":" | "false" | "jobs" | "fg" | "bg" | "disown" | "umask" | "hash"
            | "type" | "ulimit" | "times" | "dirs" | "help" | "history" | "fc" | "bind"
            | "complete" | "compopt" | "caller" | "suspend" | "enable" => {
                let done = Self::side_builtin(name, args)?;
                match name {
                    "type" | "hash" => Done::printing(super::lookups::printed(name, args, st)),
                    _ => done,
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(done))
    }

    /// `compgen` runs what the others only register: a command, a function, a list of words.
    fn completions(&mut self, args: &[String], st: &mut State) -> Judged<Done> {
        for (at, arg) in args.iter().enumerate() {
            let Some(kind) = arg.strip_prefix('-').and_then(|rest| rest.chars().next()) else {
                continue;
            };
            let attached = arg.get(2..).filter(|rest| !rest.is_empty());
            let value = attached.or_else(|| args.get(at + 1).map(String::as_str));
            match (kind, value) {
                ('C' | 'F', Some(code)) => {
                    self.script(code, &mut st.clone())?;
                }
                ('W', Some(words)) => refuse_expression(words)?,
                _ => {}
            }
        }
        Ok(Done::printing(ANY))
    }

    fn side_builtin(name: &str, args: &[String]) -> Judged<Done> {
        let runs = match name {
            "fc" => !args.iter().any(|arg| arg.starts_with("-l")),
            "complete" => {
                args.iter().any(|arg| arg.starts_with("-C"))
                    || args.iter().any(|arg| refuse_expression(arg).is_err())
            }
            "bind" => args.iter().any(|arg| arg.starts_with("-x")),
            "enable" => args.iter().any(|arg| arg.starts_with("-f")),
            "hash" => args.iter().any(|arg| arg.starts_with("-p")),
            "history" => args
                .iter()
                .any(|arg| matches!(arg.as_str(), "-w" | "-a" | "-c")),
            _ => false,
        };
        if runs {
            return Err(Refusal::new(
                rule::UNPROVEN,
                format!(
                    "{name} with these options can run or change anything; write the command out"
                ),
            ));
        }
        Ok(Done::default())
    }
}
