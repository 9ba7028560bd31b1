//! Programs that are no wrappers, but run what one of their options or operands says.

use super::carriers::{BY_PROGRAM, Carries};
use super::options::unproven;
use crate::commands::Call;
use crate::policy::Judged;
use crate::rules::variables::runs_on_error;
use crate::shell::state::State;
use crate::shell::walk::Walker;

impl Walker<'_> {
    /// Judges the commands that stand in options and operands of a program that runs them.
    pub(crate) fn carried(&mut self, name: &str, call: &Call, st: &State) -> Judged<()> {
        for carrier in BY_PROGRAM.get(name).into_iter().flatten() {
            for value in values(call.args(), carrier.options) {
                self.carried_value(name, carrier.carries, value, st)?;
            }
        }
        if matches!(name, "java" | "javac" | "kotlin" | "scala")
            && call.args().iter().any(|arg| runs_on_error(arg))
        {
            return Err(unproven(name));
        }
        for code in operands(name, call.args()) {
            self.script(&code, &mut st.for_program())?;
        }
        Ok(())
    }

    fn carried_value(
        &mut self,
        name: &str,
        carries: Carries,
        value: &str,
        st: &State,
    ) -> Judged<()> {
        let code = match carries {
            Carries::Command => value.to_owned(),
            Carries::Pipe => match value.trim_start().strip_prefix(['|', '!']) {
                Some(code) => code.to_owned(),
                None => return Ok(()),
            },
            Carries::Moment => match value.split_once(':') {
                Some((moment, code))
                    if moment.chars().all(|c| c.is_ascii_lowercase() || c == '_') =>
                {
                    code.to_owned()
                }
                Some(_) | None => value.to_owned(),
            },
            Carries::Actions => {
                for code in of_actions(value) {
                    self.script(code, &mut st.for_program())?;
                }
                return Ok(());
            }
            Carries::Setting => match of_setting(name, value) {
                Set::Plain => return Ok(()),
                Set::Alias(code) => code,
                Set::Program => return Err(unproven(name)),
            },
            Carries::Variable(variable) => return self.check_variable(variable, value, st),
            Carries::Code => return Err(unproven(name)),
        };
        self.script(&code, &mut st.for_program()).map(|_| ())
    }
}

/// The values that options were given: apart, attached, behind `=`, at the end of a cluster, shortened.
pub(super) fn values<'a>(args: &'a [String], options: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        let next = || args.get(at + 1).map_or("", String::as_str);
        for option in options {
            if let Some(long) = option.strip_prefix("--") {
                let Some(given) = arg.strip_prefix("--") else {
                    continue;
                };
                let (given, attached) = match given.split_once('=') {
                    Some((given, value)) => (given, Some(value)),
                    None => (given, None),
                };
                if means(given, long) {
                    found.push(attached.unwrap_or_else(next));
                }
            } else if let (Some(letter), Some(cluster)) = (
                option.strip_prefix('-'),
                arg.strip_prefix('-').filter(|rest| !rest.starts_with('-')),
            ) && let Some((before, attached)) = cluster.split_once(letter)
                && before.len() <= 3
                && before.bytes().all(|c| c.is_ascii_alphabetic())
            {
                found.push(if attached.is_empty() {
                    next()
                } else {
                    attached
                });
            }
        }
    }
    found
}

/// Whether a long option is given, perhaps without the end of its last part.
fn means(given: &str, long: &str) -> bool {
    given == long
        || given.len() >= 3
            && long
                .strip_prefix(given)
                .is_some_and(|rest| !rest.contains(['-', '.']))
}

/// Operands that are commands.
fn operands(name: &str, args: &[String]) -> Vec<String> {
    let words = args.iter().filter(|arg| !arg.starts_with('-')).cloned();
    match name {
        "pee" | "mispipe" => words.collect(),
        // Addresses and names of the package's scripts are one word.
        "start-server-and-test" | "start-test" | "server-test" => {
            words.filter(|word| word.contains(' ')).collect()
        }
        // What is put into a queue runs later, the words joined.
        "pueue" if args.first().is_some_and(|sub| sub == "add") => {
            vec![words.skip(1).collect::<Vec<_>>().join(" ")]
        }
        // What is given in the place of a task is shell text.
        "deno" if args.first().is_some_and(|sub| sub == "task") => {
            let text = args.iter().any(|arg| arg == "--eval");
            let given: Vec<_> = words.skip(1).filter(|_| text).collect();
            vec![given.join(" ")]
        }
        // `-pdflatex='pdflatex %O %S'`: what is run for each kind of document.
        "latexmk" => {
            let set = args.iter().filter_map(|arg| arg.split_once('='));
            set.filter(|(option, code)| option.ends_with("latex") && code.contains(' '))
                .map(|(_, code)| code.replace("%O", "").replace("%S", "a.tex"))
                .collect()
        }
        "sem" => {
            let at = super::options::operand_at(args, "jS", &["--id", "--jobs", "--timeout"]);
            let rest = super::options::rest_of(args, at);
            vec![rest.join(" ")]
        }
        "salt-call" if args.iter().any(|arg| arg.starts_with("cmd.")) => {
            let at = args.iter().position(|arg| arg.starts_with("cmd."));
            let rest = super::options::rest_of(args, at.map_or(0, |at| at + 1));
            vec![rest.join(" ")]
        }
        _ => Vec::new(),
    }
}

/// The shell text in a finder's actions: behind the name of the action in brackets, or to the end behind `:`.
fn of_actions(actions: &str) -> Vec<&str> {
    const RUNS: &[&str] = &["execute", "become", "reload", "transform", "preview"];
    let mut found = Vec::new();
    for (at, open) in actions.char_indices() {
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            ':' => '\0',
            other if other.is_ascii_punctuation() && !matches!(other, '-' | '+' | ',' | '_') => {
                other
            }
            _ => continue,
        };
        let before = actions.get(..at).unwrap_or_default();
        let name = before.rsplit([':', '+', ',']).next().unwrap_or_default();
        let is_name = name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        if !is_name || !RUNS.iter().any(|action| name.contains(action)) {
            continue;
        }
        let rest = actions.get(at + open.len_utf8()..).unwrap_or_default();
        let end = rest
            .match_indices(close)
            .map(|(end, _)| end)
            .find(|end| matches!(rest.as_bytes().get(end + 1), None | Some(b'+' | b',')));
        found.push(end.and_then(|end| rest.get(..end)).unwrap_or(rest));
    }
    found
}

/// What a setting given on the command line does.
enum Set {
    Plain,
    Alias(String),
    Program,
}

fn of_setting(name: &str, setting: &str) -> Set {
    let Some((key, value)) = setting.split_once('=') else {
        return Set::Program;
    };
    let key = key.trim().to_lowercase();
    let value = value.trim();
    if name != "jj" && key.starts_with("alias.") {
        return Set::Alias(match value.strip_prefix('!') {
            Some(code) => code.to_owned(),
            None => format!("{name} {value}"),
        });
    }
    let runs = [
        "alias",
        "hook",
        "pager",
        "extension",
        "extdiff",
        "tool",
        "default",
        "editor",
        "ssh",
        "merge",
        "fix",
        "cmd",
        "command",
        "program",
        "backend",
        "remote",
    ];
    if runs.iter().any(|part| key.contains(part)) {
        Set::Program
    } else {
        Set::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_an_action_ends_where_the_action_does() {
        for (actions, expected) in [
            ("start:execute(git push)", vec!["git push"]),
            (
                "ctrl-r:reload(rg {q} || true)+first",
                vec!["rg {q} || true"],
            ),
            (
                "a:execute-silent[x (y)],b:become:vi {1} + x",
                vec!["x (y)", "vi {1} + x"],
            ),
            ("enter:accept,ctrl-d:half-page-down", vec![]),
        ] {
            assert_eq!(of_actions(actions), expected, "{actions}");
        }
    }

    #[test]
    fn values_are_found_in_every_spelling() {
        let args: Vec<String> = ["-fo", "a", "-ob", "--output=c", "--out", "d", "-x"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(values(&args, &["-o", "--output"]), ["a", "b", "c", "d"]);
    }
}
