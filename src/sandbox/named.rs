//! Keys and logins that the settings of git, SSH and Ansible name, wherever they lie.

use std::path::{Path, PathBuf};

/// How many files that include each other are read.
const MOST: usize = 64;

/// A kind of settings: lines of a name and a value.
struct Settings {
    /// Below the home folder.
    files: &'static [&'static str],
    /// The setting that leads to more of them.
    include: &'static str,
    /// Settings whose value is a file with a key or a login.
    keys: &'static [&'static str],
    /// Settings whose value is a command line, and the option that is followed by such a file.
    commands: &'static [(&'static str, &'static str)],
}

const ALL: &[Settings] = &[
    Settings {
        files: &[".gitconfig", ".config/git/config"],
        include: "path",
        keys: &["sslkey", "cookiefile"],
        commands: &[("helper", "--file"), ("sshcommand", "-i")],
    },
    Settings {
        files: &[".ssh/config"],
        include: "include",
        keys: &["identityfile"],
        commands: &[],
    },
    Settings {
        files: &[".ansible.cfg"],
        include: "",
        keys: &["vault_password_file", "private_key_file"],
        commands: &[],
    },
];

/// The files that those settings name. What holds the home folder is none.
pub(super) fn by_settings(home: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ALL.iter().flat_map(|kind| named(kind, home)).collect();
    let is_device = |file: &PathBuf| file.starts_with("/dev");
    found.retain(|file| file.is_absolute() && !home.starts_with(file) && !is_device(file));
    found.sort();
    found.dedup();
    found
}

fn named(kind: &Settings, home: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = kind.files.iter().map(|name| home.join(name)).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(file) = files.get(at).filter(|_| at < MOST).cloned() {
        at += 1;
        // One that is not there, or is no text, names nothing.
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let beside = file.parent().unwrap_or(home);
        for (name, value) in text.lines().filter_map(setting) {
            let place = |value: &str| beside.join(expanded(value, home));
            if name == kind.include {
                let more = value
                    .split_whitespace()
                    .flat_map(|one| matching(&place(one)));
                files.extend(more.collect::<Vec<_>>());
            } else if kind.keys.contains(&name.as_str()) {
                found.push(place(value));
            } else {
                let options = kind.commands.iter().filter(|(key, _)| *key == name);
                found.extend(options.filter_map(|(_, option)| Some(place(behind(value, option)?))));
            }
        }
    }
    found
}

/// The name in small letters and the value, without the quotes around it.
fn setting(line: &str) -> Option<(String, &str)> {
    let line = line.trim();
    if line.starts_with(['#', ';', '[']) {
        return None;
    }
    let (name, value) = line.split_once(['=', ' ', '\t'])?;
    let value = value.trim_start_matches(['=', ' ', '\t']);
    Some((name.trim().to_lowercase(), value.trim_matches('"')))
}

/// What follows an option of a command line, or is attached to it.
fn behind<'v>(command: &'v str, option: &str) -> Option<&'v str> {
    let mut words = command.split_whitespace();
    let value = loop {
        let rest = words.next()?.strip_prefix(option);
        match rest {
            Some("") => break words.next()?,
            Some(attached) => break attached.trim_start_matches('='),
            None => {}
        }
    };
    Some(value.trim_matches(['"', '\'', '\\']))
}

fn expanded(value: &str, home: &Path) -> PathBuf {
    let of_home = ["~/", "$HOME/", "${HOME}/", "%d/"];
    let below = of_home.iter().find_map(|start| value.strip_prefix(start));
    below.map_or_else(|| PathBuf::from(value), |rest| home.join(rest))
}

/// The file, or all files beside it when its name is a pattern.
fn matching(path: &Path) -> Vec<PathBuf> {
    let is_pattern = path
        .file_name()
        .is_some_and(|name| name.to_string_lossy().contains('*'));
    match path.parent().filter(|_| is_pattern) {
        Some(folder) => {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect()
        }
        None => vec![path.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_lie_elsewhere_are_found_by_the_settings_that_name_them() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        let write = |name: &str, text: &str| {
            std::fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
            std::fs::write(home.join(name), text).unwrap();
        };
        write(
            ".gitconfig",
            "[credential]\n\thelper = store --file ~/vault/one\n[credential \"https://x\"]\n\thelper = \"store --file=/v/two\"\n\
             \thelper = cache\n[include]\n\tpath = more.inc\n[core]\n\tsshCommand = ssh -i ~/vault/three -o A=b\n",
        );
        write("more.inc", "[http]\n\tsslKey = /v/four\n");
        write(
            ".ssh/config",
            "Include conf.d/*\nHost x\n  IdentityFile ~/vault/five\n  IdentityFile %d/vault/six\n# IdentityFile /no\nIdentityFile /\nIdentityFile /dev/null\n",
        );
        write(".ssh/conf.d/y", "Host y\n\tidentityfile=\"/v/seven\"\n");
        write(
            ".ansible.cfg",
            "[defaults]\nvault_password_file = ~/vault/eight\n",
        );
        let mut expected: Vec<PathBuf> = ["one", "three", "five", "six", "eight"]
            .map(|name| home.join("vault").join(name))
            .into();
        expected.extend(["/v/two", "/v/four", "/v/seven"].map(PathBuf::from));
        expected.sort();
        assert_eq!(by_settings(home), expected);
    }
}
