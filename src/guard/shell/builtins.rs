//! Shell builtins that change the state of the shell: directories, variables, aliases, traps, input.
//!
//! Builtins that run other text (`eval`, `source`, `trap`) hand it back to the walk.

use std::rc::Rc;

use super::ast::Command;
use super::expand::{is_name, place_text, refuse_expression};
use super::output;
use super::state::{State, Var};
use super::text::{self, ANY};
use super::walk::{Done, Walker};
use crate::guard::commands::Call;
use crate::guard::paths::{Place, normal};
use crate::guard::policy::{Judged, Refusal, rule};

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
                let done = self.change_directory(args, st);
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
                st.dead = true;
                Done::default()
            }
            // Outside a function or loop these only print an error, so what follows counts as run.
            "return" | "break" | "continue" => Done::default(),
            "eval" => self.script(&args.join(" "), st)?,
            "source" | "." => self.source(call, st)?,
            "trap" => self.trap(args, st)?,
            "alias" => {
                for arg in args {
                    if let Some((name, value)) = arg.split_once('=') {
                        Rc::make_mut(&mut st.aliases).insert(name.to_owned(), value.to_owned());
                    }
                }
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
                Done::default()
            }
            "unset" => {
                for arg in args {
                    refuse_expression(arg)?;
                    self.check_variable(arg, "", st)?;
                    Rc::make_mut(&mut st.functions).remove(arg);
                    st.set(arg, Var::scalar(String::new()));
                }
                Done::default()
            }
            "set" => {
                Self::set_options(args, st);
                Done::default()
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
            "shopt" => {
                if args.iter().any(|arg| arg == "dotglob") {
                    self.paths.dotglob = true;
                }
                Done::default()
            }
            "read" | "mapfile" | "readarray" => {
                self.read_input(name, args, call, st)?;
                Done::default()
            }
            "getopts" => {
                if let Some(name) = args.get(1) {
                    st.set(name, Var::scalar(text::TOKEN.to_string()));
                }
                st.set("OPTARG", Var::unknown());
                Done::default()
            }
            "let" => {
                for arg in args {
                    refuse_expression(arg)?;
                    if let Some((name, _)) = arg.split_once('=')
                        && is_name(name)
                    {
                        st.set(name, Var::scalar(text::TOKEN.to_string()));
                    }
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
                refuse_expression(&name)?;
                let value = output::printf(rest);
                self.check_variable(&name, &value, st)?;
                st.set(&name, Var::scalar(value));
                Done::default()
            }
            "[" | "test" => {
                for arg in args {
                    refuse_expression(arg).or_else(|refusal| {
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
            "echo" => Done::printing(output::echo(args)),
            "printf" => Done::printing(output::printf(args)),
            "true" | ":" | "false" | "wait" | "jobs" | "fg" | "bg" | "disown" | "umask"
            | "hash" | "type" | "ulimit" | "times" | "dirs" | "help" | "history" | "fc"
            | "bind" | "complete" | "compgen" | "compopt" | "caller" | "suspend" | "enable" => {
                Self::side_builtin(name, args)?
            }
            _ => return Ok(None),
        };
        Ok(Some(done))
    }

    fn side_builtin(name: &str, args: &[String]) -> Judged<Done> {
        let runs = match name {
            "fc" => !args.iter().any(|arg| arg.starts_with("-l")),
            "complete" | "compgen" => args.iter().any(|arg| arg.starts_with("-C")),
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

    fn change_directory(&mut self, args: &[String], st: &mut State) -> Done {
        let target = args
            .iter()
            .find(|arg| !matches!(arg.as_str(), "-P" | "-L" | "-e" | "-@" | "--" | "-n"))
            .cloned()
            .unwrap_or_else(|| {
                st.vars
                    .get("HOME")
                    .map_or_else(|| text::HOME.to_owned(), Var::value)
            });
        let before = st.clone();
        if target == "-" {
            st.cwd.clone_from(&before.old_cwd);
            st.old_cwd.clone_from(&before.cwd);
            return Done {
                out: place_text(&st.cwd),
                failed: None,
            };
        }
        let searched = st.vars.contains_key("CDPATH")
            && !target.starts_with('/')
            && !target.starts_with("./")
            && !target.starts_with("..");
        let mut certain = true;
        let places = before
            .cwd
            .iter()
            .map(|place| {
                if searched || text::is_any(&target) {
                    return Place::Unknown;
                }
                let Some(absolute) = crate::guard::paths::absolute(&target, place) else {
                    return Place::Unknown;
                };
                let normal = normal(&absolute);
                certain &= self.made.contains(&normal) || self.paths.is_directory(&absolute);
                Place::Known(normal)
            })
            .collect();
        st.cwd = places;
        st.old_cwd.clone_from(&before.cwd);
        Done {
            out: String::new(),
            failed: (!certain).then_some(before),
        }
    }

    fn source(&mut self, call: &Call, st: &mut State) -> Judged<Done> {
        let Some(path) = call.args().first() else {
            return Ok(Done::default());
        };
        if matches!(
            path.as_str(),
            "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"
        ) {
            let code = call.stdin.clone().unwrap_or_else(|| ANY.to_string().into());
            return self.script(&code, st);
        }
        if let Some(key) = self.key(path, st)
            && let Some(text) = self.written.get(&key).cloned()
        {
            let code = text.unwrap_or_else(|| ANY.to_string().into());
            return self.script(&code, st);
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let environment = matches!(
            name,
            "activate"
                | ".bashrc"
                | ".profile"
                | ".bash_profile"
                | ".zshrc"
                | "nvm.sh"
                | "env"
                | ".env"
                | "profile"
                | "cargo-env"
                | "asdf.sh"
                | "conda.sh"
                | "sdkman-init.sh"
                | "emsdk_env.sh"
                | "setup.bash"
                | ".envrc"
                | "env.sh"
                | ".cargo-env"
        );
        let inside = st.cwd.iter().all(|place| self.paths.is_inside(path, place));
        if !(environment && text::is_known(path) && (inside || !path.starts_with("/tmp")))
            && !(inside && self.role.writes())
        {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "a script outside your worktree would run in this shell; run a project script instead",
            ));
        }
        Ok(Done::default())
    }

    fn trap(&mut self, args: &[String], st: &mut State) -> Judged<Done> {
        let action = match args.split_first() {
            Some((first, rest)) if first == "--" => rest.first(),
            Some((first, _)) => Some(first),
            None => None,
        };
        let Some(code) = action.filter(|code| !matches!(code.as_str(), "-" | "" | "-p" | "-l"))
        else {
            return Ok(Done::default());
        };
        self.script(code, &mut st.clone())?;
        Rc::make_mut(&mut st.traps).push(code.clone());
        Ok(Done::default())
    }

    fn declare(&mut self, name: &str, args: &[String], st: &mut State) -> Judged<()> {
        let mut export = name == "export";
        let mut reference = false;
        for arg in args {
            if arg.starts_with('-') && !arg.contains('=') {
                export |= arg.contains('x') && name != "export";
                reference |= arg.contains('n') && name != "export";
                continue;
            }
            refuse_expression(arg.split('=').next().unwrap_or(arg))?;
            let (key, value) = match arg.split_once('=') {
                Some((key, value)) => (key.trim_end_matches('+'), Some(value)),
                None => (arg.as_str(), None),
            };
            let mut var = match value {
                Some(_) if reference || arg.contains("+=") => Var::unknown(),
                Some(value) => Var::scalar(value.to_owned()),
                None => match st.vars.get(key) {
                    Some(var) => var.clone(),
                    None if name == "local" || !export => Var::scalar(String::new()),
                    None => continue,
                },
            };
            if let Some(value) = value {
                self.check_variable(key, value, st)?;
            }
            var.exported |= export;
            if text::is_known(key) && !key.contains('[') {
                st.set(key, var);
            }
        }
        Ok(())
    }

    fn set_options(args: &[String], st: &mut State) {
        let mut rest = args;
        while let Some((first, more)) = rest.split_first() {
            if first == "--" {
                st.positional = Some(Rc::new(more.to_vec()));
                return;
            }
            if first.starts_with(['-', '+']) && first.len() > 1 {
                let takes_name = first.contains('o');
                if first.contains('a') && first.starts_with('-') && !takes_name {
                    // `set -a`: every variable is exported from here on.
                    for var in Rc::make_mut(&mut st.vars).values_mut() {
                        var.exported = true;
                    }
                }
                rest = if takes_name {
                    more.get(1..).unwrap_or_default()
                } else {
                    more
                };
                continue;
            }
            st.positional = Some(Rc::new(rest.to_vec()));
            return;
        }
    }

    fn read_input(
        &mut self,
        name: &str,
        args: &[String],
        call: &Call,
        st: &mut State,
    ) -> Judged<()> {
        let mut names = Vec::new();
        let mut array = name != "read";
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            at += 1;
            if arg.starts_with('-') && arg.len() > 1 {
                if name != "read" && arg.starts_with("-C") {
                    return Err(Refusal::new(
                        rule::UNPROVEN,
                        "a callback would run for each line; write a loop instead",
                    ));
                }
                let last = arg.chars().last().unwrap_or('-');
                array |= last == 'a' && name == "read";
                if "dnNptuiscCO".contains(last) && arg.len() == 2 && last != 's' {
                    at += 1;
                }
                continue;
            }
            refuse_expression(arg)?;
            names.push(arg.clone());
        }
        let input = call.stdin.clone().unwrap_or_else(|| ANY.to_string().into());
        if names.is_empty() {
            names.push(if array { "MAPFILE" } else { "REPLY" }.to_owned());
        }
        if array {
            let elements: Vec<String> = if text::is_any(&input) {
                vec![ANY.to_string()]
            } else if name == "read" {
                input.split_whitespace().map(str::to_owned).collect()
            } else {
                input.lines().map(str::to_owned).collect()
            };
            for name in names {
                let mut var = Var::scalar(elements.first().cloned().unwrap_or_default());
                var.array = Some(elements.clone());
                st.set(&name, var);
            }
            return Ok(());
        }
        // Any line may be the one that is read; lines that differ give several values.
        let mut lines: Vec<&str> = input.lines().collect();
        lines.dedup();
        let many = lines.len() > 6 || text::is_any(&input);
        let count = names.len();
        for (position, name) in names.iter().enumerate() {
            let values: Vec<String> = if many {
                vec![ANY.to_string()]
            } else {
                lines
                    .iter()
                    .map(|line| {
                        let line = line.trim();
                        if count == 1 {
                            line.to_owned()
                        } else {
                            let words: Vec<&str> = line.split_whitespace().collect();
                            if position + 1 == count {
                                words.get(position..).unwrap_or_default().join(" ")
                            } else {
                                words.get(position).copied().unwrap_or("").to_owned()
                            }
                        }
                    })
                    .collect()
            };
            self.check_variable(name, values.first().map_or("", String::as_str), st)?;
            let mut var = Var::scalar(values.first().cloned().unwrap_or_default());
            if values.len() > 1 {
                var.values = values;
                var.values.sort();
                var.values.dedup();
            }
            st.set(name, var);
        }
        Ok(())
    }
}
