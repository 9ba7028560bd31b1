//! Settings that tools keep in the user's home folder, with the words by which they change.
//!
//! Asked for one of them, and told to keep it in the project, the same tools are left alone.

use super::installer_names::{Installer, PLAIN};

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
