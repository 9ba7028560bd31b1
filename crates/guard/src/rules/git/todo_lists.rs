//! What an editor puts into the list of a rebase: `exec` there runs a command for each commit.

use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::brief;
use crate::shell::walk::Walker;

/// Whether git may hand the list of a rebase to what this variable or setting names.
pub(in crate::rules) fn edits(name: &str) -> bool {
    matches!(
        name,
        "GIT_SEQUENCE_EDITOR"
            | "GIT_EDITOR"
            | "EDITOR"
            | "VISUAL"
            | "sequence.editor"
            | "core.editor"
    )
}

/// Judges the commands that an editor itself writes there, or copies from a file of this very command.
pub(in crate::rules) fn judge(w: &mut Walker<'_>, editor: &str, st: &State) -> Judged<()> {
    let mut words = editor.split(|c: char| !c.is_ascii_alphanumeric());
    if words.any(starts_command) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            format!(
                "{} would put commands into a rebase, which nobody reads; run them yourself",
                brief(editor)
            ),
        ));
    }
    for word in editor.split_whitespace().skip(1) {
        let Some(list) = w.known_script(word, st) else {
            continue;
        };
        for line in list.lines() {
            let line = line.trim_start();
            if let Some(code) = line.strip_prefix("exec ").or(line.strip_prefix("x ")) {
                w.script(code, &mut st.for_program())?;
            }
        }
    }
    Ok(())
}

/// `exec` or `x`, also behind the command of `sed` that puts it there: `1iexec`.
fn starts_command(word: &str) -> bool {
    let word = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let bare = |word: &str| matches!(word, "exec" | "x");
    bare(word) || word.strip_prefix(['i', 'a', 'c', 'n']).is_some_and(bare)
}
