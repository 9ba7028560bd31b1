//! The user's own settings of git as one file without includes, for a git that may not read where they lie: a file
//! that is replaced while an agent runs is not readable to it any more, and git then refuses to do anything.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::cli::git;
use super::error::GitError;

/// The user's settings, and the files they come from.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Personal {
    /// In the form of git's configuration files.
    pub text: String,
    /// Every file that was read for it.
    pub files: Vec<PathBuf>,
}

/// Reads what applies to the user in a checkout: conditional includes are decided there. What stands in a file that is
/// `secret` is left out. Starts no program but git.
pub fn personal_settings(
    checkout: &Path,
    secret: &dyn Fn(&Path) -> bool,
) -> Result<Personal, GitError> {
    let listed = git(checkout)
        .args([
            "config",
            "--list",
            "--includes",
            "--show-scope",
            "--show-origin",
            "-z",
        ])
        .run()?;
    Ok(flatten(&listed.stdout, secret))
}

/// Puts together what `git config --list --show-scope --show-origin -z` has printed about the user.
fn flatten(listed: &[u8], secret: &dyn Fn(&Path) -> bool) -> Personal {
    let mut personal = Personal::default();
    let mut words = listed.split(|byte| *byte == 0);
    while let (Some(scope), Some(origin), Some(entry)) = (words.next(), words.next(), words.next())
    {
        if scope != b"global" {
            continue;
        }
        if let Some(file) = origin.strip_prefix(b"file:") {
            let file = PathBuf::from(String::from_utf8_lossy(file).into_owned());
            let is_secret = secret(&file);
            if !personal.files.contains(&file) {
                personal.files.push(file);
            }
            if is_secret {
                continue;
            }
        }
        let entry = String::from_utf8_lossy(entry);
        let (key, value) = match entry.split_once('\n') {
            Some((key, value)) => (key, Some(value)),
            None => (&*entry, None),
        };
        if let Some(lines) = lines(key, value) {
            personal.text.push_str(&lines);
        }
    }
    personal
}

/// A section with one setting; nothing for what only leads to other files, which have been read.
fn lines(key: &str, value: Option<&str>) -> Option<String> {
    let (rest, name) = key.rsplit_once('.')?;
    let (section, sub) = match rest.split_once('.') {
        Some((section, sub)) => (section, Some(sub)),
        None => (rest, None),
    };
    if section == "include" || section == "includeif" {
        return None;
    }
    let mut text = match sub {
        Some(sub) => format!("[{section} \"{}\"]\n", quoted(sub)),
        None => format!("[{section}]\n"),
    };
    match value {
        // Without a value it is a switch that is on.
        None => writeln!(text, "\t{name}"),
        Some(value) => writeln!(text, "\t{name} = \"{}\"", escaped(value)),
    }
    .ok()?;
    Some(text)
}

/// As the name of a subsection is written.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// As a value between quotation marks is written.
fn escaped(text: &str) -> String {
    quoted(text).replace('\n', "\\n").replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_reads_from_the_copy_is_what_it_read_from_the_files() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        let repo = home.join("work/repo");
        std::fs::create_dir_all(&repo).unwrap();
        let run = |config: &Path, words: &[&str]| {
            git(&repo)
                .args(words)
                .env("HOME", &home)
                .env("XDG_CONFIG_HOME", home.join(".config"))
                .env("GIT_CONFIG_GLOBAL", config)
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .run()
                .unwrap()
                .stdout
        };
        let original = home.join(".gitconfig");
        std::fs::write(&original, "").unwrap();
        run(&original, &["init", "-q", "."]);
        let included = home.join("work.inc");
        std::fs::write(&included, "[user]\n\temail = work@example.org\n").unwrap();
        std::fs::write(
            home.join("other.inc"),
            "[user]\n\temail = other@example.org\n",
        )
        .unwrap();
        let text = format!(
            "[user]\n\tname = A \\\"B\\\" C\n[rerere]\n\tenabled\n[core]\n\tx = \"a # b ; c  \"\n[alias]\n\tlg = \"log\\tx\\n\\\\y\"\n\
             [url \"https://e.org/a.b\\\"c\"]\n\tinsteadOf = e:\n\
             [includeIf \"gitdir:{0}/work/\"]\n\tpath = {0}/work.inc\n\
             [includeIf \"gitdir:{0}/else/\"]\n\tpath = {0}/other.inc\n",
            home.display()
        );
        std::fs::write(&original, text).unwrap();
        let list = [
            "config",
            "--list",
            "--includes",
            "--show-scope",
            "--show-origin",
            "-z",
        ];
        let none = |_: &Path| false;
        let found = flatten(&run(&original, &list), &none);
        assert_eq!(found.files, [original.clone(), included.clone()]);
        let open = flatten(&run(&original, &list), &|file| file == included);
        assert!(!open.text.contains("work@example.org"), "{}", open.text);
        let copy = home.join("copy");
        std::fs::write(&copy, &found.text).unwrap();
        let again = flatten(&run(&copy, &list), &none);
        assert_eq!(again.text, found.text);
        let value = |key: &str| {
            let printed = run(&copy, &["config", "--get", key]);
            String::from_utf8(printed)
                .unwrap()
                .trim_end_matches('\n')
                .to_owned()
        };
        assert_eq!(value("user.email"), "work@example.org");
        assert_eq!(value("user.name"), "A \"B\" C");
        assert_eq!(value("alias.lg"), "log\tx\n\\y");
        assert_eq!(value("core.x"), "a # b ; c  ");
        assert_eq!(value("url.https://e.org/a.b\"c.insteadof"), "e:");
    }
}
