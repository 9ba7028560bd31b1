//! Source text that this very command has written and now compiles and runs: what it plainly starts counts as run.
//!
//! Nothing is parsed. Code that starts programs is ordinary; refused is what holds a push or an escalation in plain words.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::sources;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::{Walker, fetched};

/// Endings of languages that are compiled first.
const ENDINGS: &[&str] = &[
    "go", "rs", "c", "cc", "cpp", "cxx", "java", "kt", "swift", "zig", "cs", "hs", "nim", "cr", "d",
];

/// How they start programs.
const STARTS: &[&str] = &[
    "exec.command",
    "command::new",
    "system(",
    "popen(",
    "execl",
    "execv",
    "posix_spawn",
    "processbuilder",
    "getruntime()",
    "syscall.exec",
    "process.start",
    "process()",
    "child.init",
    "callprocess",
    "readprocess",
];

/// What they may not start.
const FORBIDDEN: &[&str] = &[
    "git push",
    "\"push\"",
    "\"sudo\"",
    "sudo ",
    "\"send-pack\"",
    "gh pr ",
];

/// How a program that this command has built is remembered, by its path.
pub(crate) fn built(path: &Path) -> String {
    format!("program {}", path.display())
}

/// Remembers the program that a compiler makes of sources that were there or are known, without options that let it
/// print something else.
pub(in crate::rules) fn note(
    w: &mut Walker<'_>,
    name: &str,
    args: &[String],
    output: &str,
    st: &State,
) {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let other = |arg: &&str| {
        [
            "-E", "-M", "-S", "-c", "-x", "-W", "-X", "-T", "-Z", "-B", "--", "-f", "-t", "-l", "@",
        ]
        .iter()
        .any(|start| arg.starts_with(start) && !is_plain(arg))
    };
    let compiles = match name {
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "rustc" => !words.iter().any(other),
        "go" => matches!(words.as_slice(), ["build", "-o", _] | ["build", "-o", _, _]),
        _ => false,
    };
    let Some(key) = w.key(output, st).filter(|_| compiles) else {
        return;
    };
    let read = |(path, code): (&PathBuf, &Option<Rc<str>>)| {
        key.starts_with(path) || code.as_deref().is_some_and(text::is_known)
    };
    if w.landed.is_empty() && w.written.iter().all(read) {
        w.written.remove(&key);
        w.begun.insert(built(&key));
    }
}

/// Tells whether an option of a compiler only says how the program is made, of what the system has.
fn is_plain(option: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && !name.contains(['/', ':', '.']);
    option.starts_with("-W") && !option.contains([',', '='])
        || option.strip_prefix("-l").is_some_and(is_name)
        || option.strip_prefix("--edition=").is_some_and(is_name)
        || ["-fsanitize=", "-fopenmp", "-fPIC", "-fPIE", "-fno-"]
            .iter()
            .any(|start| option.starts_with(start))
}

/// Judges a tool that compiles. `given`: what it may read from its input.
pub(in crate::rules) fn judge(
    w: &Walker<'_>,
    name: &str,
    args: &[String],
    given: Option<&str>,
) -> Judged<()> {
    if runs_input(name, args) {
        let code = given.unwrap_or("");
        if text::is_fetched(code) {
            return Err(fetched());
        }
        if text::is_any(code) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                format!(
                    "the code that {name} would run is not known before it runs; put it into a file of the project"
                ),
            ));
        }
    }
    // `gcc -x c -`, `rustc -`
    if given.is_some_and(starts_refused) {
        return Err(refused(name, "standard input"));
    }
    // The code in what documents other code is run as a test.
    let examples = match name {
        "cargo" => args.iter().any(|arg| matches!(arg.as_str(), "test" | "t")),
        "rustdoc" => true,
        _ => false,
    };
    for (path, code) in &w.written {
        let ending = path.extension().and_then(|end| end.to_str());
        let ending = ending.filter(|end| ENDINGS.contains(end));
        let (Some(ending), Some(code)) =
            (ending, code.as_deref().filter(|code| text::is_known(code)))
        else {
            continue;
        };
        if is_refused(code, ending, examples) {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            return Err(refused(name, &file));
        }
    }
    Ok(())
}

/// Whether a tool compiles its input and runs it at once: `tcc -run -`, `go run /dev/stdin`.
fn runs_input(name: &str, args: &[String]) -> bool {
    let has = |word: &str| args.iter().any(|arg| arg == word);
    let runs = match name {
        "tcc" | "dmd" | "ldc2" => args.iter().any(|arg| arg.starts_with("-run")),
        "go" | "zig" | "v" => args.first().is_some_and(|arg| arg == "run"),
        "rust-script" | "rdmd" | "cling" | "crun" => true,
        _ => false,
    };
    runs && (has("-") || has("/dev/stdin") || has("/dev/fd/0") || has("/proc/self/fd/0"))
}

/// Whether a tool that no other rule knows compiles code and runs it.
pub(in crate::rules) fn is_compiler(name: &str) -> bool {
    matches!(
        name,
        "tcc" | "dmd" | "ldc2" | "rdmd" | "v" | "rust-script" | "cling" | "crun"
    )
}

/// Whether a source plainly starts what is refused: with what its comments say only where they are run.
fn is_refused(code: &str, ending: &str, examples: bool) -> bool {
    // Most start nothing at all.
    if !starts_refused(code) {
        return false;
    }
    let Some(source) = sources::taken_apart(code, ending) else {
        return true;
    };
    let lower = |text: &str| text.to_lowercase();
    let holds = |text: &str, list: &[&str]| list.iter().any(|word| text.contains(word));
    holds(&lower(&source.code), STARTS) && holds(&lower(&source.spoken), FORBIDDEN)
        || examples && (starts_refused(&source.documented) || source.code.contains("[doc"))
}

/// Whether a text plainly starts what is refused.
fn starts_refused(code: &str) -> bool {
    let lower = code.to_lowercase();
    let holds = |list: &[&str]| list.iter().any(|word| lower.contains(word));
    holds(STARTS) && holds(FORBIDDEN)
}

fn refused(name: &str, source: &str) -> Refusal {
    Refusal::new(
        rule::PUBLISH,
        format!(
            "{name} would compile {source}, which starts what is refused; commit and send worker_done mail"
        ),
    )
}
