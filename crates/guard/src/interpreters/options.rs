//! Options of interpreters: where the code is (`-c`, `-e`, a file), and what else is loaded.

use super::syntax::Family;
use crate::shell::text::ANY;
use crate::wrappers::rest_of;

/// How one interpreter is called.
pub(super) struct Interpreter {
    pub(super) family: Family,
    /// Short options whose value is code.
    pub(super) code: &'static str,
    /// Long options whose value is code.
    pub(super) long_code: &'static [&'static str],
    /// Short options with another value.
    pub(super) values: &'static str,
    /// Long options with another value.
    pub(super) long_values: &'static [&'static str],
    /// What a first word that is no script means.
    pub(super) operands: Operands,
    /// Options that make it go on with what standard input says, whatever else it ran.
    pub(super) interactive: &'static [&'static str],
}

/// Where the words of a command line say that the code comes from standard input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// A dash is standard input, any other word the script.
    Script,
    /// As [`Operands::Script`], and behind `--` are arguments only (php).
    ArgumentsBehindDashes,
    /// A first word that starts with a dash is an argument already (tclsh).
    ArgumentsFromDash,
    /// Scripts are named by options only, and other words are passed over (R).
    Ignored,
}

/// Languages whose library is not known here.
const OTHER: Interpreter = Interpreter {
    family: Family::Other,
    code: "eEc",
    long_code: &["--eval", "-eval", "--execute", "-exec", "--expr"],
    values: "l",
    long_values: &["--project"],
    operands: Operands::Script,
    interactive: &["-i"],
};

pub(super) fn interpreter(name: &str) -> Option<Interpreter> {
    let versionless = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match versionless {
        "python" | "pypy" | "ipython" | "python-" | "py" => Interpreter {
            family: Family::Python,
            code: "c",
            long_code: &[],
            values: "WXQm",
            long_values: &["--check-hash-based-pycs"],
            operands: Operands::Script,
            interactive: &["-i"],
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
                "--preload",
                "--conditions",
                "--env-file",
                "--test-name-pattern",
                "--test-reporter",
                "-P",
                "--project",
            ],
            operands: Operands::Script,
            interactive: &["-i", "--interactive"],
        },
        "perl" => Interpreter {
            family: Family::Perl,
            code: "eE",
            long_code: &[],
            values: "IMmF",
            long_values: &[],
            operands: Operands::Script,
            interactive: &[],
        },
        "ruby" | "jruby" | "irb" => Interpreter {
            family: Family::Ruby,
            code: "e",
            long_code: &[],
            values: "IrEFC",
            long_values: &[],
            operands: Operands::Script,
            interactive: &[],
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
            operands: Operands::ArgumentsBehindDashes,
            interactive: &["-a", "--interactive"],
        },
        "tclsh" | "wish" => Interpreter {
            operands: Operands::ArgumentsFromDash,
            ..OTHER
        },
        "R" => Interpreter {
            operands: Operands::Ignored,
            values: "gd",
            long_values: &["--gui", "--debugger", "--encoding"],
            ..OTHER
        },
        "lua" | "luajit" | "texlua" | "texluajit" | "julia" | "Rscript" | "r" | "littler"
        | "elixir" | "iex" | "groovy" | "scala" | "ocaml" | "racket" | "sbcl" | "clojure"
        | "clj" | "guile" | "expect" | "osascript" | "swift" | "ghc" | "ghci" | "runghc"
        | "runhaskell" | "jshell" | "erl" | "octave" | "octave-cli" | "maxima" | "gp" | "nim"
        | "crystal" | "dart" | "kotlin" | "gawk-lib" | "raku" | "io" | "janet" | "fennel"
        | "qjs" | "jq-lang" => OTHER,
        _ => return None,
    })
}

pub(super) struct Plan {
    pub(super) code: Vec<String>,
    /// Imports on the command line that are code, or bring in functions that start programs.
    pub(super) imports: Vec<String>,
    pub(super) module: Option<String>,
    pub(super) in_place: bool,
    /// The code runs for each line of what is read.
    pub(super) each_line: bool,
    /// How the names of the files that are kept differ.
    pub(super) backup: Option<String>,
    pub(super) loads: Vec<String>,
    /// Folders in which libraries are looked for.
    pub(super) searched: Vec<String>,
    pub(super) rest: Vec<String>,
    /// The code comes from standard input, and `rest` are its arguments.
    pub(super) from_stdin: bool,
    /// Behind the script or the code, standard input is code too.
    pub(super) interactive: bool,
    pub(super) only_checks: bool,
    /// Files and folders that options make it write.
    pub(super) writes: Vec<String>,
}

/// Sorts the words of an interpreter's command line.
pub(super) fn plan(interpreter: &Interpreter, args: &[String]) -> Plan {
    let mut plan = Plan {
        code: Vec::new(),
        imports: Vec::new(),
        module: None,
        in_place: false,
        each_line: false,
        backup: None,
        loads: Vec::new(),
        searched: Vec::new(),
        rest: Vec::new(),
        from_stdin: false,
        interactive: false,
        only_checks: false,
        writes: Vec::new(),
    };
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let next = || args.get(at + 1).cloned().unwrap_or_else(|| ANY.to_string());
        plan.interactive |= interpreter.interactive.contains(&arg.as_str());
        match interpreter.operands {
            Operands::ArgumentsFromDash if arg == "-encoding" => {
                plan.rest = rest_of(args, at + 2);
                return plan;
            }
            Operands::ArgumentsFromDash if arg.starts_with('-') => {
                plan.rest = rest_of(args, at);
                plan.from_stdin = true;
                return plan;
            }
            Operands::Ignored if arg == "--args" => break,
            Operands::Ignored if matches!(arg.as_str(), "-f" | "--file") => {
                plan.rest = rest_of(args, at + 1);
                plan.from_stdin = plan.rest.first().is_some_and(|file| file == "-");
                return plan;
            }
            Operands::Ignored if arg.starts_with("--file=") => {
                plan.rest = vec![arg.trim_start_matches("--file=").to_owned()];
                return plan;
            }
            Operands::Ignored
                if matches!(arg.as_str(), "-" | "--") || !arg.starts_with('-') && arg != "CMD" =>
            {
                at += 1;
                continue;
            }
            Operands::Script
            | Operands::ArgumentsBehindDashes
            | Operands::ArgumentsFromDash
            | Operands::Ignored => {}
        }
        if arg == "--" {
            plan.rest = rest_of(args, at + 1);
            plan.from_stdin = interpreter.operands == Operands::ArgumentsBehindDashes;
            return plan;
        }
        let named =
            interpreter.family == Family::Other && matches!(arg.as_str(), "-stdin" | "--stdin");
        if arg == "-" || named {
            plan.rest = rest_of(args, at + 1);
            plan.from_stdin = true;
            return plan;
        }
        if !arg.starts_with('-') {
            plan.rest = rest_of(args, at);
            return plan;
        }
        if let Some((flag, value)) = arg.split_once('=')
            && flag.starts_with("--")
        {
            if interpreter.long_code.contains(&flag) {
                plan.code.push(value.to_owned());
            } else if loads(flag) {
                plan.loads.push(value.to_owned());
            } else if interpreter.family == Family::JavaScript && records(flag) {
                plan.writes.push(value.to_owned());
            }
            at += 1;
            continue;
        }
        if interpreter.long_code.contains(&arg.as_str()) {
            plan.code.push(next());
            at += 2;
            continue;
        }
        if arg.starts_with("--") {
            plan.only_checks |= arg == "--check";
            if loads(arg) {
                plan.loads.push(next());
            }
            let records = interpreter.family == Family::JavaScript && records(arg);
            let names = records && names_place(arg);
            if records {
                plan.writes
                    .push(if names { next() } else { ".".to_owned() });
            }
            at += if names || interpreter.long_values.contains(&arg.as_str()) {
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
            plan.interactive |= *letter == 'i' && interpreter.family == Family::Python;
            // `node -p -e code`: what is printed is the other's value.
            if *letter == 'p'
                && args.get(at).is_some_and(|next| next.starts_with('-'))
                && interpreter.family == Family::JavaScript
            {
                break;
            }
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
                if attached.contains('/') {
                    plan.backup = Some(attached);
                    break;
                }
                // What follows is the backup suffix, unless it is the next switch of a cluster.
                let more = attached.starts_with(['.', '~', '_', '\'']) || attached.contains('.');
                if more {
                    break;
                }
                continue;
            }
            plan.each_line |= matches!(letter, 'n' | 'p')
                && matches!(interpreter.family, Family::Perl | Family::Ruby);
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
                    ('X', Family::Python) => {
                        let folder = value.strip_prefix("pycache_prefix=");
                        plan.writes.extend(folder.map(str::to_owned));
                    }
                    ('r', Family::JavaScript | Family::Ruby) => plan.loads.push(value),
                    ('I', Family::Perl | Family::Ruby) => plan.searched.push(value),
                    ('M', Family::Perl) if value.starts_with("lib=") => {
                        let folders = value.trim_start_matches("lib=").replace(',', ":");
                        plan.searched.push(folders);
                    }
                    ('M' | 'm', Family::Perl) => plan.imports.extend(perl_import(&value)),
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
    plan
}

/// Whether a long option names what is loaded before the script.
pub(super) fn loads(option: &str) -> bool {
    matches!(
        option,
        "--require" | "--import" | "--loader" | "--experimental-loader" | "--preload"
    )
}

/// Whether an option of node makes it write profiles, reports, logs or stores.
fn records(option: &str) -> bool {
    const RECORDS: &[&str] = &[
        "--cpu-prof",
        "--heap-prof",
        "--prof",
        "--trace-event-",
        "--report-",
        "--heapsnapshot-",
        "--redirect-warnings",
        "--diagnostic-dir",
        "--build-snapshot",
        "--snapshot-blob",
        "--test-reporter-destination",
        "--logfile",
        "--localstorage-file",
        "--trace-sigint-file",
    ];
    RECORDS.iter().any(|start| option.starts_with(start))
        && !option.ends_with("-interval")
        && !matches!(option, "--prof-process" | "--heapsnapshot-signal")
}

/// Whether such an option takes the place it writes to.
fn names_place(option: &str) -> bool {
    [
        "-dir",
        "-name",
        "-directory",
        "-filename",
        "-pattern",
        "-destination",
        "-warnings",
        "-file",
        "-blob",
        "logfile",
    ]
    .iter()
    .any(|end| option.ends_with(end))
}

/// `-MModule=names` is code only when it could do something.
fn perl_import(value: &str) -> Option<String> {
    let harmless = value
        .chars()
        .all(|c| c.is_alphanumeric() || ":_=,-".contains(c));
    let starts = value.starts_with("IPC") || value.starts_with("Proc");
    if harmless && starts {
        let module = value.split('=').next().unwrap_or(value);
        return Some(format!("use {module};"));
    }
    (!harmless).then(|| value.to_owned())
}
