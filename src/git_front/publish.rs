//! Calls that publish past `git push`, whose addresses no setting of git rewrites. Pure.

use std::ffi::OsString;

const PUBLISHING: &[&str] = &["send-pack", "http-push"];

/// Options of git itself that have a value behind them.
const WITH_VALUE: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--config-env",
    "--attr-source",
];

/// Why an agent's call is not made; `None` for every other one.
pub(super) fn refusal(words: &[OsString]) -> Option<String> {
    let mut rest = words.iter().map(|word| word.to_string_lossy());
    let command = loop {
        let word = rest.next()?;
        if WITH_VALUE.contains(&&*word) {
            rest.next()?;
        } else if !word.starts_with('-') {
            break word;
        }
    };
    PUBLISHING.contains(&&*command).then(|| {
        format!(
            "agents publish nothing, so 'git {command}' is refused; commit, and report the work as done: it is merged from \
             your branch"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(line: &str) -> bool {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        refusal(&words).is_some()
    }

    #[test]
    fn what_publishes_past_push_is_refused_and_nothing_else() {
        for line in [
            "send-pack /r HEAD:refs/heads/x",
            "-C a -c b.c=d --no-pager --git-dir e send-pack /r",
            "http-push https://x",
        ] {
            assert!(is_refused(line), "{line}");
        }
        for line in [
            "",
            "-C",
            "fetch-pack /r",
            "log send-pack",
            "-c send-pack status",
        ] {
            assert!(!is_refused(line), "{line}");
        }
    }
}
