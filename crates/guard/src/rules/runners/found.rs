//! Files that a tool finds by their names and runs, or reads its commands from: where this very command wrote one of
//! them, what is plainly forbidden in it counts as run.
//!
//! Which tool reads which file is in `found_names`; how commands stand in them in `excerpts`.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::excerpts;
use super::found_names::{ROWS, Row};
use super::others::texts_in;
use crate::commands::Call;
use crate::policy::Judged;
use crate::rules::fragments::{self, Around};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// How commands stand in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    /// Names and values, any of which may be a command.
    Values,
    /// The same, of which only those run that the command line names.
    Tasks,
    /// Code of a language that is not read here: only lines that start something.
    Calls,
    /// Lines with a mark that makes them commands, in a file of something else.
    Marked,
    /// Behind a word that makes what follows a command.
    Behind(&'static str),
    /// Elements of XML.
    Markup,
    /// Lines of a shell.
    Shell,
    /// Code for an interpreter, which is given it by an option.
    Code(&'static str, &'static str),
}

/// Judges what a program would run of the files that this command wrote or changed.
pub(crate) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    if w.written.is_empty() && w.parts.is_empty() {
        return Ok(());
    }
    let name = name.rsplit('/').next().unwrap_or(name);
    let program = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rows: Vec<&Row> = ROWS
        .iter()
        .filter(|row| row.names.contains(&name) || row.names.contains(&program))
        .filter(|row| row.with.is_empty() || is_given(row.with, call, st))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let mut files: Vec<PathBuf> = w.written.keys().chain(w.parts.keys()).cloned().collect();
    files.sort();
    files.dedup();
    w.charge(files.len())?;
    for row in rows {
        for file in files.iter().filter(|file| row.reads(file)) {
            let mark = format!("{name} finds {}", file.display());
            if w.calls.contains(&mark) {
                continue;
            }
            w.calls.push(mark);
            let judged = runs(w, row.read, file, call, st);
            w.calls.pop();
            judged?;
        }
    }
    Ok(())
}

/// Whether an option is there, or a variable is set.
fn is_given(with: &[&str], call: &Call, st: &State) -> bool {
    with.iter().any(|word| {
        call.args().iter().any(|arg| arg == word)
            || call.variable(word).is_some()
            || st.var(word).is_some_and(|var| var.exported)
    })
}

fn runs(w: &mut Walker<'_>, read: Read, file: &Path, call: &Call, st: &State) -> Judged<()> {
    for code in texts_in(w, file) {
        w.charge(code.len() / 32 + 1)?;
        let (around, text) = match read {
            Read::Code(program, option) => {
                let argv = [program, option, &code].map(str::to_owned).to_vec();
                let shown = w.trace.as_ref().map_or(0, Vec::len);
                fragments::definite(w.separate(call, argv, st))?;
                if let Some(trace) = &mut w.trace {
                    trace.truncate(shown);
                }
                continue;
            }
            Read::Values => (Around::Values, excerpts::spread(&code)),
            Read::Tasks => (Around::Values, excerpts::tasks(&code, call.args())),
            Read::Calls => (Around::Values, excerpts::calls(&code)),
            Read::Marked => (Around::Shell, excerpts::marked(&code)),
            Read::Behind(word) => (Around::Shell, excerpts::behind(&code, word)),
            Read::Markup => (Around::Shell, excerpts::elements(&code)),
            Read::Shell => (Around::Shell, code.to_string()),
        };
        fragments::judge(w, &[text.as_str().into()], around, st)?;
        if matches!(read, Read::Values | Read::Tasks) {
            named_files(w, &text, call, st)?;
        }
    }
    Ok(())
}

/// Judges files that a setting names and this command wrote as well: `runner = "./w.sh"`.
fn named_files(w: &mut Walker<'_>, code: &str, call: &Call, st: &State) -> Judged<()> {
    let apart = |c: char| c.is_whitespace() || "\"'=:,;()[]{}<>".contains(c);
    for word in code.split(apart).filter(|word| word.contains('.')) {
        let Some(Some(source)) = w.key(word, st).and_then(|key| w.written.get(&key)).cloned()
        else {
            continue;
        };
        if !text::is_known(&source) {
            continue;
        }
        let end = Path::new(word).extension().and_then(|end| end.to_str());
        let argv: [&str; 3] = match end {
            Some("js" | "cjs" | "mjs" | "ts") => ["node", "-e", &source],
            Some("py") => ["python3", "-c", &source],
            Some("rb") => ["ruby", "-e", &source],
            Some("sh" | "bash") | None => ["bash", "-c", &source],
            Some(_) => continue,
        };
        let source: Rc<[String]> = argv.map(str::to_owned).into();
        fragments::definite(w.separate(call, source.to_vec(), st))?;
    }
    Ok(())
}
