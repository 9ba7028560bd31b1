//! Source text that this very command has written and now compiles and runs: what it plainly starts counts as run.
//!
//! Nothing is parsed. Code that starts programs is ordinary; refused is what holds a push or an escalation in plain words.

use crate::policy::{Judged, Refusal, rule};
use crate::shell::text;
use crate::shell::walk::Walker;

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

/// Judges a tool that compiles.
pub(super) fn judge(w: &Walker<'_>, name: &str, given: Option<&str>) -> Judged<()> {
    // `tcc -run -`, `rustc -`
    if given.is_some_and(starts_refused) {
        return Err(refused(name, "standard input"));
    }
    for (path, code) in &w.written {
        let compiled = path
            .extension()
            .and_then(|end| end.to_str())
            .is_some_and(|end| ENDINGS.contains(&end));
        let Some(code) = code
            .as_deref()
            .filter(|code| compiled && text::is_known(code))
        else {
            continue;
        };
        if starts_refused(code) {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            return Err(refused(name, &file));
        }
    }
    Ok(())
}

/// Whether a source plainly starts what is refused.
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
