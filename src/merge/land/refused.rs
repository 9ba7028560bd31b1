//! Refs that git would not move: by a rule of the repository's owner, told in the words of the hook, or because something is
//! damaged.

use crate::git::GitError;
use crate::merge::error::MergeError;
use crate::text::sanitize_line;

/// How much of what a hook says is told.
const LINES_TOLD: usize = 3;

/// Why git would not move a branch.
pub(in crate::merge) fn not_moved(branch: &str, error: GitError) -> MergeError {
    match hook_said(&error) {
        Some(said) => MergeError::TargetProtected {
            branch: branch.to_owned(),
            said,
        },
        None => other(error),
    }
}

/// Why git would not move a ref of grove's own, without which nothing is merged or taken back.
pub(in crate::merge) fn not_kept(name: &str, error: GitError) -> MergeError {
    match hook_said(&error) {
        Some(said) => MergeError::OwnRefRefused {
            name: name.to_owned(),
            said,
        },
        None => other(error),
    }
}

fn other(error: GitError) -> MergeError {
    match error.stderr().and_then(damage) {
        Some(said) => MergeError::Damaged {
            said: sanitize_line(said).into_owned(),
            source: Box::new(error),
        },
        None => MergeError::Git(error),
    }
}

/// What a hook that has refused has said. Git tells it of the end as well, and it may say the same again.
fn hook_said(error: &GitError) -> Option<String> {
    let lines = error.stderr()?.lines().map(str::trim);
    let (of_git, said): (Vec<&str>, Vec<&str>) = lines.partition(|line| {
        ["aborted by hook", "aborted by the", "hook declined"]
            .iter()
            .any(|words| line.contains(words))
    });
    if of_git.is_empty() {
        return None;
    }
    let mut told: Vec<String> = Vec::new();
    for line in said.into_iter().filter(|line| !line.is_empty()) {
        let line = sanitize_line(line).into_owned();
        if !told.contains(&line) {
            told.push(line);
        }
    }
    told.truncate(LINES_TOLD);
    Some(if told.is_empty() {
        "it does not say why".to_owned()
    } else {
        told.join("; ")
    })
}

/// What git has said of an object that it cannot read.
fn damage(stderr: &str) -> Option<&str> {
    let signs = [
        "is corrupt",
        "unable to read",
        "unable to unpack",
        "inflate: ",
    ];
    let with = |sign: &str| stderr.lines().find(|line| line.contains(sign));
    let said = signs.into_iter().find_map(with)?.trim();
    let without = ["fatal: ", "error: "]
        .iter()
        .find_map(|word| said.strip_prefix(word));
    Some(without.unwrap_or(said))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(stderr: &str) -> String {
        let error = GitError::Failed {
            command: "update-ref -m grove: state before a merge".to_owned(),
            code: Some(128),
            stderr: stderr.to_owned(),
        };
        not_moved("main", error).to_string()
    }

    #[test]
    fn a_hook_that_refuses_is_told_once_and_in_its_own_words() {
        let next = "; ask whoever set it up, or merge into another branch with --into";
        let begin = "a hook of this repository does not let main move: ";
        let old = "fatal: ref updates aborted by hook";
        let new = "fatal: in 'prepared' phase, update aborted by the reference-transaction hook";
        for end in [old, new] {
            let said = of(&format!(
                "frozen until Monday\nfrozen until Monday\n{end}\n"
            ));
            assert_eq!(said, format!("{begin}frozen until Monday{next}"));
            assert_eq!(of(end), format!("{begin}it does not say why{next}"));
        }
        assert!(of("fatal: not a hook\n").starts_with("`git update-ref"));
    }
}
