//! Languages whose library is not known here: code that only computes and prints passes.
//!
//! Nothing is parsed. A word that could start, write or load something is enough for a refusal, wherever it stands.

use crate::policy::{Judged, Refusal, rule};
use crate::shell::text::ANY;
use crate::shell::walk::{Walker, fetched};

/// Functions that print, under names that would otherwise look like something else.
const PRINTS: &[&str] = &[
    "io.puts",
    "io.inspect",
    "io.write(",
    "io.read(",
    "console.write",
    "writeln(",
    "system.out.print",
    "system.out::print",
    "system.err.print",
    "system.currenttimemillis",
    "system.nanotime",
    "system.lineseparator",
    "system.getproperty(\"java.version\")",
    "system.version",
    "import java.util.",
    "os.time(",
    "os.date(",
    "os.clock(",
    "commandargs(",
];

/// Parts of names that may do more.
const SUSPICIOUS: &[&str] = &[
    "system",
    "exec",
    "program",
    "shell",
    "popen",
    "spawn",
    "open",
    "write",
    "process",
    "remove",
    "unlink",
    "delete",
    "file",
    "rename",
    "mkdir",
    "eval",
    "load",
    "command",
    "runtime",
    "unix",
    "extern",
    "apply",
    "to_atom",
    "to_existing_atom",
    "binary_to_term",
    "forname",
    "getclass",
    "getmethod",
    "invoke",
    "reflect",
    "ccall",
    "spurt",
    "require",
    "`",
    "run(",
    "io.",
    "os.",
    "os[",
    "_g[",
    "_env",
    "module.",
    "java.nio",
    "java.net",
    "slurp",
    "fs/",
    "(io/",
    "install.packages",
];

/// Functions that install what they are given, run it, or hand in the package that is worked on.
const BRINGS: &[&str] = &[
    "install_",
    "install(",
    "mix.install",
    "pkg.add(url",
    "pkg.develop(url",
    "pak(",
    "source_url",
    "source_gist",
    "submit_cran",
    "devtools::release",
    "use_github_release",
    "deployapp",
    "deploydoc",
    "deploy_to_branch",
];

/// Beside an address: what is there is run. Other functions read it as data.
const RUNS: &[&str] = &["source", "include", "evalfile"];

/// Whole words that may do more.
const WORDS: &[&str] = &[
    "cmd", "rm", "mv", "cp", "port", "sink", "ffi", "spit", "save", "run", "qx", "sh", "dos", "nio",
];

pub(super) fn judge(source: &str) -> Judged<()> {
    let mut lower = source.to_lowercase();
    for print in PRINTS {
        lower = lower.replace(print, " print ");
    }
    let words = || lower.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    if lower.contains("://") && words().any(|word| RUNS.contains(&word)) {
        return Err(fetched());
    }
    let doubtful = lower.contains(ANY)
        || SUSPICIOUS.iter().any(|part| lower.contains(part))
        || BRINGS.iter().any(|part| lower.contains(part))
        || words().any(|word| WORDS.contains(&word))
        || shell_escape(&lower);
    if doubtful {
        return Err(unknown());
    }
    Ok(())
}

pub(super) fn unknown() -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        "what this code starts or writes cannot be worked out; put it in a project script or use the shell",
    )
}

/// A `!` that is neither a comparison nor behind a word may hand the rest to a shell.
fn shell_escape(code: &str) -> bool {
    let mut before = ' ';
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '!' && chars.peek() != Some(&'=') && !before.is_alphanumeric() {
            return true;
        }
        before = c;
    }
    false
}

impl Walker<'_> {
    /// What `clojure` runs besides code that it is given: `-M -m main`, `-X:alias`, dependencies at an address.
    pub(super) fn clojure_program(&self, args: &[String]) -> Judged<()> {
        if args
            .iter()
            .any(|arg| arg.contains(":git/url") || arg.contains("io.github."))
        {
            return Err(fetched());
        }
        let runs = |arg: &String| {
            ["-M", "-X", "-T"]
                .iter()
                .any(|start| arg.starts_with(start))
        };
        let code = |arg: &String| matches!(arg.as_str(), "-e" | "--eval");
        if args.iter().any(runs) && !args.iter().any(code) {
            self.need_writer("runs a program of the project")?;
        }
        Ok(())
    }
}
