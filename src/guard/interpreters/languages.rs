//! Command lines of scripting languages: finds the code (`-c`, `-e`, standard input, a file) and hands it on.
//!
//! Knows options, not languages; what the code does is worked out in `effects`.

use std::rc::Rc;

use super::code::Family;
use crate::guard::commands::{Call, read_only};
use crate::guard::policy::{Judged, Refusal, rule};
use crate::guard::shell::state::State;
use crate::guard::shell::text::ANY;
use crate::guard::shell::walk::{Done, Walker};
use crate::guard::wrappers::rest_of;

/// How one interpreter is called.
struct Interpreter {
    family: Family,
    /// Short options whose value is code.
    code: &'static str,
    /// Long options whose value is code.
    long_code: &'static [&'static str],
    /// Short options with another value.
    values: &'static str,
    /// Long options with another value.
    long_values: &'static [&'static str],
}

fn interpreter(name: &str) -> Option<Interpreter> {
    let versionless = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match versionless {
        "python" | "pypy" | "ipython" | "python-" | "py" => Interpreter {
            family: Family::Python,
            code: "c",
            long_code: &[],
            values: "WXQm",
            long_values: &["--check-hash-based-pycs"],
        },
        "node" | "nodejs" | "tsx" | "ts-node" | "electron" | "iojs" => Interpreter {
            family: Family::JavaScript,
            code: "ep",
            long_code: &["--eval", "--print", "-pe"],
            values: "rC",
            long_values: &[
                "--require",
                "--import",
                "--loader",
                "--experimental-loader",
                "--conditions",
                "--env-file",
                "--test-name-pattern",
                "--test-reporter",
                "-P",
                "--project",
            ],
        },
        "perl" => Interpreter {
            family: Family::Perl,
            code: "eE",
            long_code: &[],
            values: "IMmF",
            long_values: &[],
        },
        "ruby" | "jruby" | "irb" => Interpreter {
            family: Family::Ruby,
            code: "e",
            long_code: &[],
            values: "IrEFC",
            long_values: &[],
        },
        "php" => Interpreter {
            family: Family::Php,
            code: "rBRE",
            long_code: &[
                "--run",
                "--process-code",
                "--process-begin",
                "--process-end",
            ],
            values: "cdzSt",
            long_values: &["--define"],
        },
        "lua" | "luajit" | "julia" | "Rscript" | "R" | "elixir" | "iex" | "groovy" | "scala"
        | "ocaml" | "racket" | "sbcl" | "clojure" | "clj" | "guile" | "tclsh" | "expect"
        | "osascript" | "swift" | "ghc" | "ghci" | "runghc" | "runhaskell" | "jshell" | "erl"
        | "octave" | "maxima" | "gp" | "nim" | "crystal" | "dart" | "kotlin" | "gawk-lib"
        | "raku" | "io" | "janet" | "fennel" | "qjs" | "jq-lang" => Interpreter {
            family: Family::Other,
            code: "eEc",
            long_code: &["--eval", "-eval", "--execute", "-exec", "--expr"],
            values: "l",
            long_values: &["--project"],
        },
        _ => return None,
    })
}

pub(super) fn is_language(name: &str) -> bool {
    interpreter(name).is_some()
}

struct Plan {
    code: Vec<String>,
    module: Option<String>,
    in_place: bool,
    loads: Vec<String>,
    rest: Vec<String>,
    only_checks: bool,
}

impl Walker<'_> {
    pub(super) fn language(
        &mut self,
        name: &str,
        call: &Call,
        st: &mut State,
    ) -> Judged<Option<Done>> {
        if matches!(name, "deno" | "bun") {
            return self.javascript_tool(name, call, st);
        }
        let Some(interpreter) = interpreter(name) else {
            return Ok(None);
        };
        let args = call.args();
        if matches!(args, [only] if matches!(only.as_str(), "--version" | "-V" | "-v" | "--help" | "-h"))
        {
            return Ok(Some(Done::default()));
        }
        let subcommands = matches!(name, "swift" | "dart" | "nim" | "crystal" | "julia")
            && args
                .first()
                .is_some_and(|arg| !arg.starts_with('-') && !arg.contains('.'));
        if subcommands {
            return Ok(None);
        }
        let plan = plan(&interpreter, args);
        for library in &plan.loads {
            if library.starts_with(['/', '.', '~']) {
                self.project_script(name, library, st)?;
            }
        }
        if let Some(module) = plan.module {
            let mut argv = vec![module_program(&module)];
            argv.extend(plan.rest);
            if module == "timeit" {
                let source: Rc<str> = timed_code(argv.get(1..).unwrap_or_default()).into();
                self.judge_code(&source, Family::Python, &[], call, st)?;
                return Ok(Some(Done::printing(ANY)));
            }
            if matches!(
                module.as_str(),
                "pdb" | "cProfile" | "profile" | "trace" | "coverage"
            ) {
                self.need_writer("runs Python code")?;
                if argv.iter().any(|arg| arg == "-c") {
                    return Err(Refusal::new(
                        rule::UNPROVEN,
                        "what the debugger would run cannot be worked out; run the script directly",
                    ));
                }
                let script = argv.iter().skip(1).find(|arg| {
                    std::path::Path::new(arg)
                        .extension()
                        .is_some_and(|end| end == "py")
                });
                if let Some(script) = script.cloned() {
                    match self.known_script(&script, st) {
                        Some(source) => {
                            self.judge_code(&source, Family::Python, &[], call, st)?;
                        }
                        None => self.project_script(name, &script, st)?,
                    }
                }
                return Ok(Some(Done::printing(ANY)));
            }
            return self.separate(call, argv, st).map(Some);
        }
        if !plan.code.is_empty() {
            let source: Rc<str> = plan.code.join("\n").into();
            self.judge_code(&source, interpreter.family, &plan.rest, call, st)?;
            if plan.in_place {
                self.in_place(&plan.rest, st)?;
            }
            return Ok(Some(Done::printing(ANY)));
        }
        let Some((script, rest)) = plan.rest.split_first() else {
            if args.iter().any(|arg| arg.starts_with("--test")) {
                self.need_writer("runs the project's tests")?;
                return Ok(Some(Done::printing(ANY)));
            }
            let Some(source) = call.stdin.clone() else {
                return Err(Refusal::new(
                    rule::UNPROVEN,
                    format!("an interactive {name} cannot be guarded; run a script or one-liner"),
                ));
            };
            self.judge_code(&source, interpreter.family, &[], call, st)?;
            return Ok(Some(Done::printing(ANY)));
        };
        if plan.only_checks {
            self.read_path(script, st)?;
            return Ok(Some(Done::printing("")));
        }
        let mut inner = st.clone();
        inner.stdin.clone_from(&call.stdin);
        if let Some(source) = self.known_script(script, &inner) {
            self.judge_code(&source, interpreter.family, rest, call, st)?;
        } else {
            self.project_script(name, script, st)?;
        }
        if script.ends_with("setup.py")
            && rest
                .iter()
                .any(|arg| matches!(arg.as_str(), "upload" | "register"))
        {
            return Err(Refusal::new(
                rule::PUBLISH,
                "setup.py upload would publish; commit and send worker_done mail, the merge queue is the only way out",
            ));
        }
        if plan.in_place {
            self.in_place(rest, st)?;
        }
        Ok(Some(Done::printing(ANY)))
    }

    fn judge_code(
        &mut self,
        source: &Rc<str>,
        family: Family,
        args: &[String],
        call: &Call,
        st: &State,
    ) -> Judged<()> {
        if family == Family::Other {
            return Self::foreign_code(source);
        }
        self.nested(|walker| walker.code(source, family, args, call, st))
    }

    /// Languages whose library is not known here: printing and arithmetic only.
    fn foreign_code(source: &str) -> Judged<()> {
        let lower = source.to_lowercase();
        let suspicious = [
            "system", "exec", "program", "shell", "popen", "spawn", "run(", "open", "write", "cmd",
            "process", "`", "remove", "unlink", "delete", "file", "rename", "mkdir", "rm", "eval",
            "load", "port", "io.", "os.", "do ", "ffi", "save", "sink", "unlink", "!",
        ];
        if suspicious.iter().any(|word| lower.contains(word)) || lower.contains(ANY) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "what this code starts or writes cannot be worked out; put it in a project script or use the shell",
            ));
        }
        Ok(())
    }

    fn in_place(&mut self, files: &[String], st: &State) -> Judged<()> {
        self.need_writer("edits files in place")?;
        for file in files {
            self.write_path(file, st)?;
        }
        Ok(())
    }

    fn javascript_tool(&mut self, name: &str, call: &Call, st: &mut State) -> Judged<Option<Done>> {
        let args = call.args();
        let mut code = None;
        for (at, arg) in args.iter().enumerate() {
            match arg.as_str() {
                "-e" | "--eval" | "-p" | "--print" if name == "bun" => {
                    code = args.get(at + 1).cloned();
                }
                "eval" if name == "deno" && at == 0 => {
                    code = args
                        .iter()
                        .skip(1)
                        .find(|arg| !arg.starts_with('-'))
                        .cloned();
                    code.get_or_insert_with(|| ANY.to_string());
                }
                _ => {
                    if let Some(text) = arg
                        .strip_prefix("--eval=")
                        .or_else(|| arg.strip_prefix("--print="))
                    {
                        code = Some(text.to_owned());
                    }
                }
            }
            if !arg.starts_with('-') && at == 0 && arg != "eval" {
                break;
            }
        }
        if let Some(code) = code {
            self.judge_code(&code.into(), Family::JavaScript, &[], call, st)?;
            return Ok(Some(Done::printing(ANY)));
        }
        match args.first().map(String::as_str) {
            Some("run") => {
                let rest = rest_of(args, 1);
                let target = rest.iter().find(|arg| !arg.starts_with('-'));
                match target.map(String::as_str) {
                    Some("-") | None => match call.stdin.clone() {
                        Some(source) => {
                            self.judge_code(&source, Family::JavaScript, &[], call, st)?;
                        }
                        None => return Ok(None),
                    },
                    Some(script) if script.contains(['/', '.']) && !script.contains("://") => {
                        let mut inner = st.clone();
                        inner.stdin.clone_from(&call.stdin);
                        if let Some(source) = self.known_script(script, &inner) {
                            self.judge_code(&source, Family::JavaScript, &[], call, st)?;
                        } else {
                            self.project_script(name, script, st)?;
                        }
                    }
                    Some(script) if script.contains("://") => {
                        return Err(Refusal::new(
                            rule::NETWORK,
                            "code from the network would run unread; download it, read it, then run it",
                        ));
                    }
                    Some(_) if self.role.writes() => {}
                    Some(_) => return Err(read_only("runs a project script")),
                }
                Ok(Some(Done::printing(ANY)))
            }
            Some("-") => match call.stdin.clone() {
                Some(source) => {
                    self.judge_code(&source, Family::JavaScript, &[], call, st)?;
                    Ok(Some(Done::printing(ANY)))
                }
                None => Ok(None),
            },
            Some(script) if script.contains(['/', '.']) && !script.starts_with('-') => {
                if let Some(source) = self.known_script(script, st) {
                    self.judge_code(&source, Family::JavaScript, &[], call, st)?;
                } else {
                    self.project_script(name, script, st)?;
                }
                Ok(Some(Done::printing(ANY)))
            }
            _ => Ok(None),
        }
    }
}

/// Sorts the words of an interpreter's command line.
fn plan(interpreter: &Interpreter, args: &[String]) -> Plan {
    let mut plan = Plan {
        code: Vec::new(),
        module: None,
        in_place: false,
        loads: Vec::new(),
        rest: Vec::new(),
        only_checks: false,
    };
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let next = || args.get(at + 1).cloned().unwrap_or_else(|| ANY.to_string());
        if arg == "--" {
            plan.rest = rest_of(args, at + 1);
            return plan;
        }
        if !arg.starts_with('-') || arg == "-" {
            // A dash as script means standard input: no script word remains.
            plan.rest = rest_of(args, at + usize::from(arg == "-"));
            return plan;
        }
        if let Some((flag, value)) = arg.split_once('=')
            && flag.starts_with("--")
        {
            if interpreter.long_code.contains(&flag) {
                plan.code.push(value.to_owned());
            } else if matches!(flag, "--require" | "--import" | "--loader") {
                plan.loads.push(value.to_owned());
            }
            at += 1;
            continue;
        }
        if interpreter.long_code.contains(&arg.as_str()) {
            plan.code.push(next());
            at += 2;
            if interpreter.family != Family::JavaScript {
                continue;
            }
            continue;
        }
        if arg.starts_with("--") {
            plan.only_checks |= arg == "--check";
            if matches!(
                arg.as_str(),
                "--require" | "--import" | "--loader" | "--experimental-loader"
            ) {
                plan.loads.push(next());
            }
            at += if interpreter.long_values.contains(&arg.as_str()) {
                2
            } else {
                1
            };
            continue;
        }
        at += 1;
        let letters: Vec<char> = arg.chars().skip(1).collect();
        let mut done = false;
        for (position, letter) in letters.iter().enumerate() {
            let attached: String = letters
                .get(position + 1..)
                .unwrap_or_default()
                .iter()
                .collect();
            if interpreter.code.contains(*letter) {
                if attached.is_empty() || interpreter.family == Family::JavaScript {
                    plan.code
                        .push(args.get(at).cloned().unwrap_or_else(|| ANY.to_string()));
                    at += 1;
                } else {
                    plan.code.push(attached);
                }
                // Python takes everything behind the code as arguments.
                done = interpreter.family == Family::Python;
                break;
            }
            if *letter == 'i' && matches!(interpreter.family, Family::Perl | Family::Ruby) {
                plan.in_place = true;
                // What follows is the backup suffix, unless it is the next switch of a cluster.
                let more = attached.starts_with(['.', '~', '_', '\'']) || attached.contains('.');
                if more {
                    break;
                }
                continue;
            }
            if *letter == 'c'
                && matches!(
                    interpreter.family,
                    Family::Perl | Family::Ruby | Family::JavaScript
                )
            {
                plan.only_checks = true;
                continue;
            }
            if *letter == 'l' && interpreter.family == Family::Php {
                plan.only_checks = true;
                continue;
            }
            if interpreter.values.contains(*letter) {
                let value = if attached.is_empty() {
                    at += 1;
                    args.get(at - 1).cloned().unwrap_or_default()
                } else {
                    attached
                };
                match (*letter, interpreter.family) {
                    ('m', Family::Python) => {
                        plan.module = Some(value);
                        done = true;
                    }
                    ('r', Family::JavaScript | Family::Ruby) => plan.loads.push(value),
                    ('M' | 'm', Family::Perl) => plan.code.extend(perl_import(&value)),
                    _ => {}
                }
                break;
            }
        }
        if done {
            plan.rest = rest_of(args, at);
            return plan;
        }
    }
    // `perl -Mstrict script` has imports but no code of its own.
    plan
}

/// `-MModule=names` is code only when it could do something.
fn perl_import(value: &str) -> Option<String> {
    let harmless = value
        .chars()
        .all(|c| c.is_alphanumeric() || ":_=,-".contains(c));
    (!harmless).then(|| value.to_owned())
}

/// The program that a Python module is.
fn module_program(module: &str) -> String {
    match module {
        "json.tool" => "python-json-tool".to_owned(),
        "pytest" | "py.test" => "pytest".to_owned(),
        other => other.to_owned(),
    }
}

/// The statements `timeit` runs: its operands and what `-s` sets up.
fn timed_code(args: &[String]) -> String {
    let mut code = Vec::new();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        match arg.as_str() {
            "-s" | "--setup" => {
                code.extend(args.get(at).cloned());
                at += 1;
            }
            "-n" | "-r" | "-u" | "--number" | "--repeat" | "--unit" => at += 1,
            _ => match arg.strip_prefix("--setup=").or(arg.strip_prefix("-s")) {
                Some(setup) => code.push(setup.to_owned()),
                None if arg.starts_with('-') => {}
                None => code.push(arg.clone()),
            },
        }
    }
    code.join("\n")
}
