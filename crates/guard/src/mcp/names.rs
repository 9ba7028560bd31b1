//! The words in the names of servers, tools and fields.

/// The words of a name: `repoPath`, `repo_path` and `repo-path` have the same.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        let starts = c.is_uppercase() && lower;
        if !c.is_alphanumeric() || starts {
            out.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(last) = out.last_mut()
        {
            last.extend(c.to_lowercase());
        }
        lower = c.is_lowercase() || c.is_numeric();
    }
    out.retain(|word| !word.is_empty());
    out
}

/// Whether one of the words is in the list.
pub(super) fn has(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}

/// The verbs behind `and`, `or` and `then`.
pub(super) fn joined_verbs(words: &[String]) -> impl Iterator<Item = &str> {
    words
        .iter()
        .zip(words.iter().skip(1))
        .filter(|(before, _)| matches!(before.as_str(), "and" | "or" | "then"))
        .map(|(_, verb)| verb.as_str())
}

/// Words that say by themselves that a folder is meant in which something is done.
const PLACES: &[&str] = &[
    "cwd",
    "pwd",
    "chdir",
    "dir",
    "directory",
    "folder",
    "root",
    "workdir",
    "workspace",
    "repo",
    "repository",
    "worktree",
    "project",
    "location",
    "gitdir",
];

/// Whether a field says in which folder a call works: its last word is one for a place, or `path` behind one.
pub(super) fn is_place(words: &[String]) -> bool {
    let Some((last, before)) = words.split_last() else {
        return false;
    };
    let names = |word: &str| {
        PLACES.contains(&word)
            || ["dir", "directory", "folder", "root", "workspace"]
                .iter()
                .any(|end| word.ends_with(end))
            || word
                .strip_suffix("path")
                .is_some_and(|place| PLACES.contains(&place))
    };
    if last == "path" {
        return before.is_empty()
            || has(before, PLACES)
            || has(
                before,
                &["base", "working", "work", "git", "current", "start"],
            );
    }
    names(last) && !is_output(words)
}

/// Whether a field says by its words that something is put there.
pub(super) fn is_output(words: &[String]) -> bool {
    let puts = [
        "out",
        "output",
        "outfile",
        "outdir",
        "save",
        "dest",
        "destination",
        "download",
        "write",
        "export",
        "dump",
        "store",
        "artifact",
        "artifacts",
        "result",
        "results",
        "log",
    ];
    let place = [
        "file",
        "path",
        "dir",
        "directory",
        "folder",
        "location",
        "to",
        "as",
        "output",
        "outfile",
        "outdir",
        "out",
    ];
    has(words, &puts)
        && words
            .last()
            .is_some_and(|last| place.contains(&last.as_str()))
}

#[cfg(test)]
mod tests {
    use super::{is_output, is_place, words};

    #[test]
    fn a_place_is_told_from_other_paths() {
        for name in [
            "cwd",
            "path",
            "repo_path",
            "repoPath",
            "workingDirectory",
            "work_dir",
            "projectRoot",
            "workspaceFolder",
            "basePath",
            "chdir",
            "root",
            "location",
            "projectPath",
        ] {
            assert!(is_place(&words(name)), "{name}");
        }
        for name in [
            "file_path",
            "shell_path",
            "output_dir",
            "timeout",
            "name",
            "remote",
        ] {
            assert!(!is_place(&words(name)), "{name}");
        }
        assert!(is_output(&words("outputDir")));
        assert!(!is_output(&words("workdir")));
    }
}
