//! Text that an edit puts somewhere into a file: what stands around it is not read, so that only what is plainly
//! forbidden in it counts.

use std::rc::Rc;

use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Commands looked for in one text.
const MOST: usize = 24;
/// Lines looked at in one text, and bytes in which they are.
const MOST_LINES: usize = 600;
const LONGEST: usize = 65_536;

/// Programs that no table of rules names, of which some calls are forbidden, and those that start others.
const PROGRAMS: &[&str] = &[
    "gh",
    "glab",
    "hub",
    "jj",
    "hg",
    "svn",
    "sudo",
    "doas",
    "su",
    "pkexec",
    "env",
    "timeout",
    "nice",
    "nohup",
    "exec",
    "command",
    "eval",
    "time",
    "xargs",
    "curl",
    "wget",
    "docker",
    "podman",
    "helm",
    "kubectl",
    "terraform",
    "twine",
    "gem",
    "aws",
    "gcloud",
    "vercel",
    "netlify",
    "fly",
    "wrangler",
    "firebase",
    "kill",
    "pkill",
    "killall",
    "shutdown",
    "reboot",
    "mkfs",
    "mount",
    "claude",
    "codex",
    "gemini",
    "ssh",
    "scp",
    "crontab",
    "systemctl",
    "skopeo",
    "crane",
];

/// Whether a program is one of those.
pub(super) fn is_program(name: &str) -> bool {
    PROGRAMS.contains(&name)
}

/// How code of other languages starts programs.
const STARTS: &[&str] = &[
    "system",
    "exec",
    "popen",
    "subprocess",
    "spawn",
    "os.",
    "run(",
    "call(",
    "`",
    "sh(",
    "sh ",
    "$(",
];

/// What stands around a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Around {
    /// A script of a shell.
    Shell,
    /// A file of tasks, with variables that may be commands.
    Tasks,
    /// Names and values, or code, where commands stand in quotes.
    Values,
}

/// Judges texts that went into a file that is run.
pub(crate) fn judge(
    w: &mut Walker<'_>,
    texts: &[Rc<str>],
    around: Around,
    st: &State,
) -> Judged<()> {
    for text in texts.iter().filter(|text| text.len() <= LONGEST) {
        for line in text.lines().take(MOST_LINES) {
            let line = line.trim().trim_end_matches('\\');
            // Where a line is a command by itself, what is quoted in it is said and not run.
            let whole = plain(line);
            let is_command = worth(&whole) && plainly(w, &whole, st)?;
            for command in commands(line, around, is_command) {
                plainly(w, &command, st)?;
            }
        }
    }
    Ok(())
}

/// Judges texts that went into code of another language.
pub(crate) fn judge_code(w: &mut Walker<'_>, texts: &[Rc<str>], st: &State) -> Judged<()> {
    let starts = |text: &&Rc<str>| STARTS.iter().any(|word| text.contains(word));
    let texts: Vec<Rc<str>> = texts.iter().filter(starts).cloned().collect();
    judge(w, &texts, Around::Values, st)
}

/// Refuses a command that is forbidden whatever stands around it; whether it is one that may run. What cannot be read
/// may be no command at all.
fn plainly(w: &mut Walker<'_>, command: &str, st: &State) -> Judged<bool> {
    w.charge(4)?;
    let shown = w.trace.as_ref().map_or(0, Vec::len);
    let judged = w.script(command, &mut st.for_program());
    let runs = judged.is_ok();
    let name = command.split_whitespace().next().unwrap_or("");
    let path = |refusal: &Refusal| refusal.rule == rule::OUTSIDE;
    match definite(judged) {
        // `PREFIX ?= /opt` is a line of a makefile, and no program called `PREFIX`.
        Err(refusal) if !path(&refusal) || super::is_known(name) => return Err(refusal),
        Ok(()) | Err(_) => {}
    }
    if let Some(trace) = &mut w.trace {
        trace.truncate(shown);
    }
    Ok(runs)
}

/// A refusal that holds whatever else there is; what is only not known passes.
pub(crate) fn definite<T>(judged: Judged<T>) -> Judged<()> {
    match judged {
        Err(refusal)
            if !matches!(
                refusal.rule,
                rule::UNPROVEN | rule::MALFORMED | rule::READ_ONLY
            ) =>
        {
            Err(refusal)
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// What could be commands in a line: its parts between operators, values, and quoted texts.
fn commands(line: &str, around: Around, is_command: bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    if !is_command || around == Around::Values {
        parts(line, &mut found);
    }
    let value = match around {
        Around::Shell => None,
        Around::Tasks => line.split_once('='),
        Around::Values => line.split_once([':', '=']),
    };
    if let Some((_, value)) = value {
        parts(value, &mut found);
    }
    if around == Around::Values {
        for quote in ['"', '\'', '`'] {
            let quoted: Vec<&str> = line.split(quote).skip(1).step_by(2).collect();
            for inner in &quoted {
                parts(inner, &mut found);
            }
            // `["git", "push"]`
            parts(&quoted.join(" "), &mut found);
        }
    }
    found.truncate(MOST);
    found
}

fn parts(text: &str, found: &mut Vec<String>) {
    // What is quoted as a whole is text.
    if text.trim_start().starts_with(['"', '\'', '#']) {
        return;
    }
    for part in text
        .split(['&', '|', ';'])
        .map(plain)
        .filter(|part| worth(part))
    {
        if !found.contains(&part) {
            found.push(part);
        }
    }
}

/// A command without the signs that may stand before it in a recipe.
fn plain(text: &str) -> String {
    let text = text.trim_start_matches(['@', '-', '+', ' ', '\t', '(', '{']);
    text.trim().to_owned()
}

/// Whether a text could be a forbidden command: none of them is a single word.
fn worth(text: &str) -> bool {
    let variable = |word: &&str| word.contains('=') && !word.starts_with('-');
    let mut words = text.split_whitespace().skip_while(variable);
    let Some(name) = words.next() else {
        return false;
    };
    let name = name.rsplit('/').next().unwrap_or(name);
    let known = PROGRAMS.contains(&name) || super::is_known(name) || super::build::is_builder(name);
    text.contains(' ') && known && text::is_known(text)
}
