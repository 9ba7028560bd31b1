//! Calls that are not made for an agent, by the words of the call and by what its alias stands for: those that publish, and
//! those that make a branch another's name. Pure.
//!
//! The settings that rewrite push addresses for an agent are made as it starts; those that the user makes later, a
//! `pushurl` or `pushInsteadOf`, could lead around them. Nothing leads around a push that is not started.

use std::ffi::OsString;

use super::aliases::{self, DEEPEST};

/// The guard's words.
const PUSHING: &str = "agents do not push; commit on your branch and send worker_done mail, the merge queue takes it from there";
/// The same of names: a commit on a branch that is another's name moves the other one.
const RENAMING: &str = "an agent's branch is no other name of somebody's; start one there with 'git switch -c <new> <commit>'";
/// Commands that publish past `git push`, whose addresses no setting of git rewrites.
const PAST_PUSH: &[&str] = &["send-pack", "http-push"];

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

/// Why an agent's call is not made; `None` for every other one. `said` says what an alias stands for, given the words
/// in front of it; it is asked for commands that are not known to be git's own.
pub(super) fn refusal(
    words: &[OsString],
    said: &dyn Fn(&[OsString], &str) -> Option<String>,
) -> Option<String> {
    let (options, mut command, rest) = parts(words)?;
    let mut arguments = rest.to_vec();
    for _ in 0..DEEPEST {
        if let Some(why) = of_command(&command, &arguments) {
            return Some(why);
        }
        if aliases::is_own(&command) {
            return None;
        }
        let stands_for = said(options, &command)?;
        if let Some(line) = stands_for.trim().strip_prefix('!') {
            return of_shell(line);
        }
        let words = aliases::split(&stands_for)?.into_iter();
        let words: Vec<OsString> = words.map(OsString::from).collect();
        let (_, next, rest) = parts(&words)?;
        arguments.splice(..0, rest.to_vec());
        command = next;
    }
    None
}

/// The options of git itself, the command, and what is behind it.
fn parts(words: &[OsString]) -> Option<(&[OsString], String, &[OsString])> {
    let mut rest = words.iter();
    loop {
        let options = words.split_at(words.len() - rest.len()).0;
        let word = rest.next()?.to_string_lossy();
        if WITH_VALUE.contains(&&*word) {
            rest.next()?;
        } else if !word.starts_with('-') {
            return Some((options, word.into_owned(), rest.as_slice()));
        }
    }
}

fn of_command(command: &str, arguments: &[OsString]) -> Option<String> {
    if command == "push" {
        return Some(PUSHING.to_owned());
    }
    if command == "symbolic-ref" && makes_a_name(arguments) {
        return Some(RENAMING.to_owned());
    }
    PAST_PUSH.contains(&command).then(|| {
        format!(
            "agents publish nothing, so 'git {command}' is refused; commit, and report the work as done: it is merged from \
             your branch"
        )
    })
}

/// Whether a ref other than HEAD is to lead to another one: two names are given.
fn makes_a_name(arguments: &[OsString]) -> bool {
    let words: Vec<_> = arguments
        .iter()
        .map(|word| word.to_string_lossy())
        .collect();
    let mut names = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == "-m" {
            rest.next();
        } else if !word.starts_with('-') {
            names.push(word);
        }
    }
    names.len() > 1 && names.first().is_some_and(|name| *name != "HEAD")
}

/// What of a line for the shell publishes: it calls git by its full path, so no call of it comes here.
fn of_shell(line: &str) -> Option<String> {
    line.split([';', '&', '|', '(', ')', '`', '\n'])
        .find_map(|part| {
            let clean = |word: &str| OsString::from(word.trim_matches(['"', '\'', '$', '{', '}']));
            let words: Vec<OsString> = part.split_whitespace().map(clean).collect();
            let is_git =
                |word: &OsString| word == "git" || word.to_string_lossy().ends_with("/git");
            let at = words.iter().position(is_git)?;
            refusal(words.get(at + 1..)?, &|_, _| None)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(line: &str) -> Option<String> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        refusal(&words, &|options, name| {
            let named = options.iter().any(|word| word == "alias.given=push");
            let text = match name {
                "p" => "push",
                "up" => "-c a.b=c p --force",
                "pub" => "!f() { git add -A && git -C . push \"$@\"; }; f",
                "save" => "!git stash push; echo push",
                "loop" => "loop",
                "status" => "push",
                "given" if named => "push",
                _ => return None,
            };
            Some(format!("{text}\n"))
        })
    }

    #[test]
    fn no_branch_becomes_a_name_of_another() {
        for line in [
            "symbolic-ref refs/heads/overstory/x/y refs/heads/main",
            "-C a symbolic-ref -m why refs/heads/overstory/x/y refs/heads/main",
            "link refs/heads/main",
        ] {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            let said = |_: &[OsString], name: &str| {
                (name == "link").then(|| "symbolic-ref refs/heads/overstory/x/y".to_owned())
            };
            assert_eq!(refusal(&words, &said).as_deref(), Some(RENAMING), "{line}");
        }
        for line in [
            "symbolic-ref HEAD",
            "symbolic-ref --short HEAD",
            "symbolic-ref -q refs/heads/overstory/x/y",
            "symbolic-ref HEAD refs/heads/overstory/x/z",
            "symbolic-ref -d refs/heads/overstory/x/y",
        ] {
            assert_eq!(why(line), None, "{line}");
        }
    }

    #[test]
    fn a_push_is_refused_in_the_guards_words() {
        for line in [
            "push",
            "push origin HEAD",
            "-C a push /r HEAD:refs/heads/x",
            "--git-dir e push --force",
            "push . :overstory/ann/x",
            "p",
            "up origin",
            "pub",
            "-c alias.given=push given",
        ] {
            assert_eq!(why(line).as_deref(), Some(PUSHING), "{line}");
        }
        let policy = crate::guard::Policy {
            agent: "ann".to_owned(),
            capability: "builder".to_owned(),
            worktree: "/p/.overstory/worktrees/ann".into(),
            root: "/p".into(),
            temp: None,
            quality_gates: Vec::new(),
            task_id: None,
            allow: Vec::new(),
            block: Vec::new(),
        };
        let call = serde_json::json!({"command": "git push"});
        let judged = format!("{:?}", crate::guard::judge(&policy, "Bash", &call));
        assert!(judged.contains(PUSHING), "{judged}");
    }

    #[test]
    fn what_publishes_past_push_is_refused_and_nothing_else() {
        for line in [
            "send-pack /r HEAD:refs/heads/x",
            "-C a -c b.c=d --no-pager --git-dir e send-pack /r",
            "http-push https://x",
        ] {
            assert!(why(line).is_some(), "{line}");
        }
        for line in [
            "",
            "-C",
            "fetch-pack /r",
            "log send-pack",
            "-c send-pack status",
            "status",
            "stash push",
            "save",
            "loop",
            "given",
            "unknown push",
        ] {
            assert_eq!(why(line), None, "{line}");
        }
    }
}
