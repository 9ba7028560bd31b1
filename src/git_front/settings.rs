//! What a call of git is shown of the repository's settings: the file itself, by a link.
//!
//! Calls that remove branches get a copy, because git takes the settings of a branch along, and the agent has none in
//! the real ones. So do all where settings include others by a relative path: that leads on from the file git reads, and
//! the view lies elsewhere.

use std::fs;
use std::io;
use std::path::Path;

use super::view::{lead, remove};
use super::words::Need;

const NAME: &str = "config";

/// Shows the settings of the git folder `common` in the view `git`.
pub(super) fn show(git: &Path, common: &Path, need: Need) -> io::Result<()> {
    let (shown, real) = (git.join(NAME), common.join(NAME));
    // Left by a git that was killed; no other one is running.
    remove(&git.join("config.lock"))?;
    let text = match fs::read(&real) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return lead(&shown, &real),
        text => text?,
    };
    let leads_on = with_whole_paths(&text, common);
    let text = match (leads_on, need) {
        (Some(text), _) => text,
        (None, Need::Branches) => text,
        (None, Need::Nothing | Need::State | Need::Stash) => return lead(&shown, &real),
    };
    let is_file = shown.symlink_metadata().is_ok_and(|found| found.is_file());
    if is_file && fs::read(&shown)? == text {
        return Ok(());
    }
    remove(&shown)?;
    fs::write(shown, text)
}

/// The settings with whole paths in place of relative ones; `None` where there are none.
fn with_whole_paths(text: &[u8], base: &Path) -> Option<Vec<u8>> {
    let base = base.to_str()?;
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let mut whole = Vec::with_capacity(text.len());
    let mut is_include = false;
    let mut is_changed = false;
    for line in lines {
        let Ok(text) = std::str::from_utf8(line) else {
            whole.extend_from_slice(line);
            continue;
        };
        let (header, rest) = header(text);
        if !header.is_empty() {
            let section = header.trim_start_matches(['[', ' ', '\t']);
            let name: String = section
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric())
                .collect();
            is_include = ["include", "includeif"].contains(&name.to_lowercase().as_str());
        }
        match relative_path(rest).filter(|_| is_include) {
            Some(path) => {
                let path = format!("{base}/{path}");
                let path = path.replace('\\', "\\\\").replace('"', "\\\"");
                whole.extend_from_slice(format!("{header}\n\tpath = \"{path}\"\n").as_bytes());
                is_changed = true;
            }
            None => whole.extend_from_slice(line),
        }
    }
    is_changed.then_some(whole)
}

/// The header of a section at the start of a line, and what follows it.
fn header(line: &str) -> (&str, &str) {
    if !line.trim_start().starts_with('[') {
        return ("", line);
    }
    let mut is_quoted = false;
    let mut is_escaped = false;
    let end = line.find(|c| {
        let ends = c == ']' && !is_quoted;
        is_quoted ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    end.map_or((line, ""), |end| line.split_at(end + 1))
}

/// The value of a line that sets `path`, when it leads on from where the file lies.
fn relative_path(line: &str) -> Option<String> {
    let (key, value) = line.trim_ascii().split_once('=')?;
    if !key.trim_ascii_end().eq_ignore_ascii_case("path") {
        return None;
    }
    let mut path = String::new();
    let mut is_quoted = false;
    let mut chars = value.trim_ascii().chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => break,
            // A line that goes on is not looked into: the included file is then missed, as it would be anyhow.
            '\\' => path.push(chars.next()?),
            c => path.push(c),
        }
    }
    let path = path.trim_ascii_end();
    (!path.is_empty() && !path.starts_with(['/', '~', '%'])).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Option<String> {
        let text = with_whole_paths(text.as_bytes(), Path::new("/p/.git"))?;
        Some(String::from_utf8(text).unwrap())
    }

    #[test]
    fn settings_included_by_a_relative_path_are_found_from_elsewhere() {
        let text = "[core]\n\tbare = false\n[include]\n\tpath = ../.gitconfig # ours\n[user]\n\tname = A\n";
        let expected = text.replace(
            "\tpath = ../.gitconfig # ours\n",
            "\n\tpath = \"/p/.git/../.gitconfig\"\n",
        );
        assert_eq!(whole(text), Some(expected));
        let text = "[IncludeIf \"gitdir:/a]/\"] Path=\"a b\\\\\"\n";
        let expected = "[IncludeIf \"gitdir:/a]/\"]\n\tpath = \"/p/.git/a b\\\\\"\n";
        assert_eq!(whole(text).as_deref(), Some(expected));
    }

    #[test]
    fn settings_without_relative_paths_are_shown_as_they_are() {
        for text in [
            "",
            "[core]\n\tpath = a\n",
            "[include]\n\tpath = /etc/team\n\tpath = ~/team\n[x \"[include]\"]\n\tpath = a\n",
            "[includes]\n\tpath = a\n",
            "[include]\n\tpaths = a\n;path = b\n",
        ] {
            assert_eq!(whole(text), None, "{text}");
        }
    }
}
