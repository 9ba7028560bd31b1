//! Code that programs of a project run in its language: `rails runner`, `manage.py shell -c`, `mix run -e`, and what
//! their prompts read from standard input.
//!
//! Only adds refusals: whatever else such a command line does is judged by the rules for its program.

use std::path::Path;
use std::rc::Rc;

use super::code_options_table::{Language, ROWS, Row};
use super::foreign;
use super::syntax::Family;
use crate::commands::Call;
use crate::policy::Judged;
use crate::rules::fragments::{self, Around};
use crate::shell::state::State;
use crate::shell::text::ANY;
use crate::shell::walk::Walker;

impl Walker<'_> {
    /// Judges the code on a program's command line and on its standard input, where the program is known to run it.
    pub(crate) fn given_code(&mut self, name: &str, call: &Call, st: &State) -> Judged<()> {
        self.written_scripts(base(name), call, st)?;
        let (name, args) = started(base(name), call.args());
        if name == "sbt" {
            args.iter()
                .filter_map(|arg| of_sbt(arg))
                .try_for_each(foreign::judge)?;
        }
        for row in ROWS.iter().filter(|row| row.names.contains(&name)) {
            let Some(rest) = behind(row, args) else {
                continue;
            };
            let found = taken_apart(row, rest);
            let named = found.file.as_deref();
            // A file that this very command wrote, or what it is fed.
            let mut fed = st.clone();
            fed.stdin.clone_from(&call.stdin);
            let written = named.and_then(|file| self.known_script(file, &fed));
            let codes = found.codes.iter().map(|code| Rc::from(code.as_str()));
            let input = call
                .stdin
                .clone()
                .filter(|_| row.prompts && (row.goes_on || found.codes.is_empty()))
                .filter(|_| !row.forms || args.iter().all(|arg| arg == "-"))
                // Behind a script it is what the script reads.
                .filter(|_| named.is_none_or(|file| file == "-"));
            for code in codes.chain(written).chain(input) {
                if row.starts.iter().any(|sign| code.contains(sign)) {
                    return Err(foreign::unknown());
                }
                self.code_in(row.language, &code, call, st)?;
            }
        }
        Ok(())
    }

    fn code_in(
        &mut self,
        language: Language,
        code: &Rc<str>,
        call: &Call,
        st: &State,
    ) -> Judged<()> {
        match language {
            Language::Known(family) => self.judge_code(code, family, &[], call, st),
            Language::IPython => {
                let plain = self.without_magic(code, st)?;
                self.judge_code(&plain.into(), Family::Python, &[], call, st)
            }
            Language::Starting(family) => {
                fragments::judge(self, &[Rc::clone(code)], Around::Values, st)?;
                self.judge_code(code, family, &[], call, st)
            }
            Language::Other => foreign::judge(code),
        }
    }
}

/// The program that is started, with its arguments: behind an interpreter stands the project's own.
fn started<'a>(name: &'a str, args: &'a [String]) -> (&'a str, &'a [String]) {
    let interpreter = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let script = match interpreter {
        "python" | "pypy" | "ruby" | "php" => args
            .iter()
            .take(4)
            .position(|arg| ROWS.iter().any(|row| row.names.contains(&base(arg)))),
        "dotnet" if args.first().is_some_and(|arg| arg == "script") => {
            return ("dotnet-script", args.get(1..).unwrap_or_default());
        }
        _ => None,
    };
    match script.filter(|at| leads(args, *at)) {
        Some(at) => (
            args.get(at).map_or(name, |arg| base(arg)),
            args.get(at + 1..).unwrap_or_default(),
        ),
        None => (name, args),
    }
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether only options and their values stand before a word.
fn leads(args: &[String], at: usize) -> bool {
    let before = args.get(..at).unwrap_or_default();
    before.iter().enumerate().all(|(place, arg)| {
        arg.starts_with('-')
            || place > 0
                && before
                    .get(place - 1)
                    .is_some_and(|flag| flag.starts_with('-') && !flag.contains('='))
    })
}

/// The arguments behind the subcommand of a row; `None` when another one is called.
fn behind<'a>(row: &Row, args: &'a [String]) -> Option<&'a [String]> {
    if row.under.is_empty() {
        return Some(args);
    }
    let at = args
        .iter()
        .position(|arg| row.under.contains(&arg.as_str()))?;
    leads(args, at).then(|| args.get(at + 1..).unwrap_or_default())
}

struct Found {
    codes: Vec<String>,
    file: Option<String>,
}

fn taken_apart(row: &Row, args: &[String]) -> Found {
    let mut found = Found {
        codes: Vec::new(),
        file: None,
    };
    let mut operand = None;
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let next = |skip: usize| {
            args.get(at + skip)
                .cloned()
                .unwrap_or_else(|| ANY.to_string())
        };
        let attached = row.flags.iter().find_map(|flag| {
            let rest = arg.strip_prefix(flag)?;
            match flag.starts_with("--") {
                true => rest.strip_prefix(['=', ':']),
                false if flag.len() == 2 => Some(rest).filter(|rest| !rest.is_empty()),
                false => None,
            }
        });
        if arg == "--rpc-eval" {
            // The node comes first.
            found.codes.push(next(1));
            at += 2;
        } else if row.flags.contains(&arg.as_str()) {
            found.codes.push(next(0));
            at += 1;
        } else if let Some(code) = attached {
            found.codes.push(code.to_owned());
        } else if row.scripts.contains(&arg.as_str()) {
            found.file = Some(next(0));
            at += 1;
        } else if row.calls.contains(&arg.as_str()) {
            // A function and its arguments, up to the next option.
            let words: Vec<&str> = args
                .get(at..)
                .unwrap_or_default()
                .iter()
                .map(String::as_str)
                .take_while(|word| !word.starts_with('-'))
                .collect();
            at += words.len();
            found.codes.push(words.join(" "));
        } else if row.values.contains(&arg.as_str()) {
            at += 1;
        } else if row.forms && arg.starts_with('(') {
            found.codes.push(arg.clone());
        } else if !arg.starts_with('-') || arg == "-" {
            operand.get_or_insert(arg);
        }
    }
    let code = |word: &&String| {
        row.operand && (row.within.is_empty() || row.within.iter().any(|part| word.contains(part)))
    };
    if let Some(operand) = operand.filter(code) {
        if operand == "-" || row.within.is_empty() && is_file(operand) {
            found.file = Some(operand.clone());
        } else {
            found.codes.push(operand.clone());
        }
    }
    found
}

/// The code in a command of sbt: `eval code`, `set setting := code`, also behind others: `;compile;eval code`.
fn of_sbt(command: &str) -> Option<&str> {
    let mut rest = command.trim_start();
    loop {
        if rest.starts_with('!') {
            return Some(rest);
        }
        if let Some(code) = rest.strip_prefix("eval ") {
            return Some(code);
        }
        if let Some(setting) = rest.strip_prefix("set ") {
            // Before the sign stands the name of what is set.
            return setting.split_once('=').map(|(_, code)| code);
        }
        rest = rest.split_once(';')?.1.trim_start();
    }
}

/// Whether a word is the name of a script, not code.
fn is_file(word: &str) -> bool {
    let plain = word
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/'));
    plain
        && (word.contains('/')
            || Path::new(word).extension().is_some_and(|end| {
                matches!(
                    end.to_str(),
                    Some(
                        "rb" | "ru"
                            | "exs"
                            | "csx"
                            | "js"
                            | "mjs"
                            | "cjs"
                            | "ts"
                            | "nim"
                            | "nims"
                            | "py"
                            | "fsx"
                            | "kts"
                            | "sc"
                            | "ml"
                            | "sml"
                            | "fs"
                            | "4th"
                            | "fth"
                            | "pl"
                            | "pro"
                            | "g"
                            | "v"
                    )
                )
            }))
}
