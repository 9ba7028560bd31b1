//! Settings that tools keep in the user's home folder, with the words by which they change.
//!
//! Asked for one of them, and told to keep it in the project, the same tools are left alone.

use super::installer_names::{Installer, PLAIN};
use crate::shell::text;

pub(super) const SETTINGS: &[Installer] = &[
    // `config key` shows, `config key value` sets.
    Installer {
        names: &["poetry", "pdm"],
        words: &[&["config"]],
        least: 3,
        here: &["local"],
        ..PLAIN
    },
    Installer {
        names: &["poetry", "pdm"],
        words: &[&["config"]],
        options: &["unset", "d", "delete"],
        here: &["local"],
        ..PLAIN
    },
    Installer {
        names: &["hatch"],
        words: &[&["config", "set"], &["config", "restore"]],
        short: "ep",
        long: &["env", "project", "config", "data-dir", "cache-dir"],
        ..PLAIN
    },
    Installer {
        names: &["composer"],
        words: &[&["config"]],
        options: &["g", "global"],
        least: 3,
        short: "df",
        long: &["working-dir", "file"],
        ..PLAIN
    },
    Installer {
        names: &["composer"],
        words: &[&["config"]],
        options: &["g", "global"],
        also: &["unset", "e", "editor"],
        short: "df",
        long: &["working-dir", "file"],
        ..PLAIN
    },
    Installer {
        names: &["gem"],
        words: &[&["sources"], &["source"]],
        options: &[
            "a",
            "add",
            "r",
            "remove",
            "c",
            "clear-all",
            "append",
            "prepend",
        ],
        short: "ar",
        long: &["add", "remove", "append", "prepend"],
        ..PLAIN
    },
    Installer {
        names: &["dotnet"],
        words: &[
            &["nuget", "add", "source"],
            &["nuget", "remove", "source"],
            &["nuget", "update", "source"],
            &["nuget", "enable", "source"],
            &["nuget", "disable", "source"],
            &["nuget", "config", "set"],
            &["nuget", "config", "unset"],
        ],
        instead: &["configfile"],
        short: "npu",
        long: &["configfile", "name", "username", "password"],
        ..PLAIN
    },
    Installer {
        names: &["dotnet"],
        words: &[
            &["new", "install"],
            &["new", "uninstall"],
            &["new", "update"],
        ],
        ..PLAIN
    },
    Installer {
        names: &["micromamba"],
        words: &[
            &["config", "append"],
            &["config", "prepend"],
            &["config", "set"],
            &["config", "remove"],
            &["config", "remove-key"],
        ],
        instead: &["file"],
        long: &["file"],
        ..PLAIN
    },
    Installer {
        names: &["uv"],
        words: &[&["auth", "login"], &["auth", "logout"]],
        ..PLAIN
    },
    Installer {
        names: &["go"],
        words: &[
            &["telemetry", "on"],
            &["telemetry", "off"],
            &["telemetry", "local"],
        ],
        ..PLAIN
    },
    Installer {
        names: &["pnpm"],
        words: &[&["setup"]],
        ..PLAIN
    },
];

/// Options that name the place, or only change how a value is written.
const IN_PROJECT: &[&str] = &["--json", "--yarn-path", "--only-if-needed"];

/// The file of the project that `config set` and its like write; `None` where it is the user's, or not known.
pub(super) fn file_of_project(name: &str, args: &[String]) -> Option<&'static str> {
    if !args.iter().all(|arg| text::is_known(arg)) {
        return None;
    }
    let (words, project) = words(args)?;
    let words: Vec<&str> = words.iter().map(|word| word.as_str()).collect();
    match (name, words.as_slice()) {
        ("yarn", ["set", "version", version]) if !project => {
            is_version(version).then_some(".yarnrc.yml")
        }
        // Keys like these are of the releases that keep them in the project; the first one wrote into the home.
        ("yarn", ["config", "set", key, _] | ["config", "unset", key]) if !project => {
            let letters = key.bytes().all(|c| c.is_ascii_alphanumeric());
            let humped = key.starts_with(|c: char| c.is_ascii_lowercase())
                && key.bytes().any(|c| c.is_ascii_uppercase());
            (letters && humped && !is_secret(key)).then_some(".yarnrc.yml")
        }
        ("npm" | "pnpm", ["config" | "c", "set", pair]) if project => {
            let key = pair.split_once('=')?.0;
            (!is_secret(key)).then_some(".npmrc")
        }
        ("npm" | "pnpm", ["config" | "c", "set", key, _] | ["config" | "c", "delete", key])
            if project =>
        {
            (!is_secret(key)).then_some(".npmrc")
        }
        _ => None,
    }
}

/// The words without options, and whether `--location` says project; `None` for any other option.
fn words(args: &[String]) -> Option<(Vec<&String>, bool)> {
    let (mut words, mut project) = (Vec::new(), false);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "--location=project" => project = true,
            "--location" if rest.next().is_some_and(|place| place == "project") => project = true,
            option if IN_PROJECT.contains(&option) => {}
            option if option.starts_with('-') => return None,
            _ => words.push(arg),
        }
    }
    Some((words, project))
}

fn is_version(word: &str) -> bool {
    matches!(
        word,
        "stable" | "berry" | "classic" | "latest" | "canary" | "self"
    ) || word.starts_with(|c: char| c.is_ascii_digit())
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ".-".contains(c))
}

fn is_secret(key: &str) -> bool {
    let key = key.to_lowercase();
    ["auth", "token", "password", "username", "cert", "key"]
        .iter()
        .any(|part| key.contains(part))
}
