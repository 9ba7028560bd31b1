//! Settings by which git itself refuses to push, and which change nothing of the user's: they are given to a
//! program by its environment. They hold for everything that pushes with git's own `push` and keeps its
//! environment; fetching works on.

use std::path::Path;

use super::cli::git;
use super::error::GitError;
use super::logins::withdrawn;
use super::settings::entries;
use super::version::{GitVersion, is_at_least};

/// Rewrites every push URL to a helper that does not exist, unless the user rewrites it in another way or a
/// remote has one of its own.
pub const NO_PUSH: (&str, &str) = ("url.grove-refuses-push::.pushInsteadOf", "");

/// An address that is nowhere.
const NOWHERE: &str = "grove-refuses-push::";
const REWRITTEN: &str = "url.grove-refuses-push::.insteadOf";

/// So many rewritings of the user are outdone; each takes about a hundred variables.
const MOST_REWRITINGS: usize = 8;

/// Settings for a program in the checkout at `dir` that is not to push anywhere.
pub fn no_push(dir: &Path) -> Vec<(String, String)> {
    match listed(dir, false) {
        Ok(all) => refusals(&all, empties_lists()),
        Err(error) => {
            tracing::debug!(%error, "the remotes are not known");
            owned(&[NO_PUSH])
        }
    }
}

/// The same for a program that is not to log in by what the repository itself says either, as if it had a
/// repository of its own, nor to sign with the user's key.
pub fn apart(dir: &Path) -> Vec<(String, String)> {
    let mut settings = no_push(dir);
    settings.extend(owned(&[
        ("commit.gpgSign", "false"),
        ("tag.gpgSign", "false"),
    ]));
    let both = listed(dir, false).and_then(|all| Ok((all, listed(dir, true)?)));
    match both {
        Ok((all, local)) => settings.extend(withdrawn(&all, &local)),
        Err(error) => tracing::debug!(%error, "the settings are not known"),
    }
    settings
}

fn listed(dir: &Path, local: bool) -> Result<String, GitError> {
    let scope: &[&str] = if local { &["--local"] } else { &[] };
    let call = git(dir).arg("config").args(scope);
    let output = call.args(["--includes", "--list", "-z"]).run()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether an empty `pushurl` takes back those before it.
fn empties_lists() -> bool {
    is_at_least(GitVersion::EMPTIES_URLS).unwrap_or(false)
}

fn owned(settings: &[(&str, &str)]) -> Vec<(String, String)> {
    let settings = settings.iter();
    settings
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

/// Which settings refuse, given all that git reads (`git config --list -z`).
fn refusals(listed: &str, empties_lists: bool) -> Vec<(String, String)> {
    let mut settings = owned(&[NO_PUSH]);
    let users = rewritings(listed);
    for (name, remote) in remotes(listed) {
        let key = format!("remote.{name}.pushurl");
        if !remote.pushurls.is_empty() && !empties_lists {
            let outdone = remote.pushurls.iter();
            settings.extend(outdone.map(|url| (REWRITTEN.to_owned(), (*url).to_owned())));
        } else if !remote.pushurls.is_empty() {
            settings.push((key.clone(), String::new()));
            settings.push((key, NOWHERE.to_owned()));
        } else if remote.urls.iter().any(|url| users.contains(url)) {
            // Nothing is longer than a whole address, but one that is spelled out goes before it.
            settings.push((key, NOWHERE.to_owned()));
        }
    }
    if users.len() > MOST_REWRITINGS {
        tracing::warn!(
            "pushes by the last of {} rewritings go through",
            users.len()
        );
    }
    for prefix in users.iter().take(MOST_REWRITINGS) {
        // The longest wins, and of two that are as long the user's, which comes first.
        let longer = (b'!'..=b'~').map(|next| format!("{prefix}{}", char::from(next)));
        settings.extend(longer.map(|prefix| (NO_PUSH.0.to_owned(), prefix)));
        if !prefix.ends_with(['/', ':']) {
            // It may be an address as it is. Whatever is pushed to, is a remote for as long.
            settings.push((format!("remote.{prefix}.pushurl"), NOWHERE.to_owned()));
        }
    }
    settings
}

#[derive(Debug, Default)]
struct Remote<'a> {
    urls: Vec<&'a str>,
    pushurls: Vec<&'a str>,
}

fn remotes(listed: &str) -> Vec<(&str, Remote<'_>)> {
    let mut remotes: Vec<(&str, Remote<'_>)> = Vec::new();
    for (key, value) in entries(listed) {
        let Some((name, last)) = key.strip_prefix("remote.").and_then(|k| k.rsplit_once('.'))
        else {
            continue;
        };
        let value = value.unwrap_or_default();
        let at = remotes.iter().position(|(known, _)| *known == name);
        let at = at.unwrap_or_else(|| {
            remotes.push((name, Remote::default()));
            remotes.len() - 1
        });
        let Some((_, remote)) = remotes.get_mut(at) else {
            continue;
        };
        match last {
            "url" => remote.urls.push(value),
            "pushurl" if value != NOWHERE && !value.is_empty() => remote.pushurls.push(value),
            _ => {}
        }
    }
    remotes
}

/// The starts of addresses that the user has rewritten for pushing.
fn rewritings(listed: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for (key, value) in entries(listed) {
        let base = key
            .strip_prefix("url.")
            .and_then(|k| k.strip_suffix(".pushinsteadof"));
        let prefix = value.filter(|value| !value.is_empty() && !found.contains(value));
        if let (Some(base), Some(prefix)) = (base, prefix)
            && base != NOWHERE
        {
            found.push(prefix);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::by_environment;
    use std::process::Command;

    fn refusing(listed: &str, empties_lists: bool) -> Vec<(String, String)> {
        let mut settings = refusals(listed, empties_lists);
        assert_eq!(settings.remove(0), owned(&[NO_PUSH])[0]);
        settings
    }

    #[test]
    fn a_remote_that_is_pushed_to_by_its_only_address_needs_nothing_more() {
        assert_eq!(refusing("remote.origin.url\nhttps://h/x\0", true), []);
    }

    #[test]
    fn an_address_for_pushing_is_taken_back_or_rewritten() {
        let listed = "remote.a.b.url\nhttps://h/x\0remote.a.b.pushurl\nssh://h/x\0";
        let key = "remote.a.b.pushurl";
        assert_eq!(refusing(listed, true), owned(&[(key, ""), (key, NOWHERE)]));
        assert_eq!(refusing(listed, false), owned(&[(REWRITTEN, "ssh://h/x")]));
    }

    #[test]
    fn settings_that_refuse_already_are_not_outdone() {
        let listed = "remote.o.pushurl\nssh://h/x\0url.ssh://h/.pushinsteadof\ngh:\0";
        let once = refusals(listed, true);
        let mut again = listed.to_owned();
        for (key, value) in &once {
            let key = key.replace("pushInsteadOf", "pushinsteadof");
            again.push_str(&format!("{key}\n{value}\0"));
        }
        assert_eq!(refusals(&again, true).len(), once.len());
    }

    /// A program that pushes to each of these; says which went through.
    fn pushed(dir: &Path, targets: &[&str]) -> Vec<String> {
        let refused = by_environment(None, &no_push(dir));
        let went = |target: &&&str| {
            let mut push = Command::new("git");
            push.args(["push", target, "HEAD:refs/heads/x"])
                .current_dir(dir)
                .envs(&refused);
            push.output().unwrap().status.success()
        };
        let went = targets.iter().filter(went);
        went.map(|target| (*target).to_owned()).collect()
    }

    #[test]
    fn no_address_of_the_user_is_pushed_to_and_each_is_fetched_from() {
        let folder = tempfile::tempdir().unwrap();
        let (bare, work) = (folder.path().join("r.git"), folder.path().join("w"));
        let path = bare.display().to_string();
        let run = |dir: &Path, args: &[&str]| git(dir).args(args).run().unwrap();
        run(folder.path(), &["init", "-q", "--bare", "r.git"]);
        run(folder.path(), &["init", "-q", "w"]);
        let who = ["-c", "user.name=n", "-c", "user.email=e"];
        let commit = [&who[..], &["commit", "-q", "--allow-empty", "-m", "a"]].concat();
        run(&work, &commit);
        let base = format!("{}/", folder.path().display());
        let mut targets = vec!["plain", "own", "both", "whole", "gh:r.git"];
        for (key, value) in [
            ("remote.plain.url", path.as_str()),
            ("remote.own.url", "gh:r.git"),
            ("remote.own.pushurl", &path),
            ("remote.both.url", &path),
            ("remote.both.pushurl", &path),
            ("remote.whole.url", "https://host.test/r.git"),
            (&format!("url.{base}.insteadOf"), "gh:"),
            (&format!("url.{base}.pushInsteadOf"), "gh:"),
            (
                &format!("url.{path}.pushInsteadOf"),
                "https://host.test/r.git",
            ),
            (&format!("url.{path}.insteadOf"), "https://host.test/r.git"),
        ] {
            run(&work, &["config", "--add", key, value]);
        }
        targets.extend(["https://host.test/r.git", path.as_str()]);
        for target in &targets {
            let target = ["push", "-q", target, "HEAD:refs/heads/users"];
            run(&work, &target);
        }
        assert_eq!(pushed(&work, &targets), Vec::<String>::new());
        let refused = by_environment(None, &no_push(&work));
        for target in targets {
            let mut fetch = Command::new("git");
            fetch.args(["fetch", "-q", target, "users"]);
            fetch.current_dir(&work);
            assert!(fetch.envs(&refused).status().unwrap().success(), "{target}");
        }
    }
}
