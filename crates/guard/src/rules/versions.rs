//! Version managers and installers of languages: choosing among what is installed is the project's, installing for
//! every project of the user is the machine's.

use crate::policy::{Judged, Refusal, rule};
use crate::shell::text::brief;

/// Each with the words by which it changes what is installed, or what everybody gets.
const MANAGERS: &[(&str, &[&str])] = &[
    (
        "asdf",
        &[
            "install",
            "uninstall",
            "global",
            "plugin",
            "plugin-add",
            "reshim",
            "update",
        ],
    ),
    (
        "fnm",
        &["install", "uninstall", "default", "alias", "unalias"],
    ),
    ("goenv", INSTALLS),
    ("gvm", &["install", "uninstall", "implode"]),
    ("jenv", &["add", "remove", "global", "enable-plugin"]),
    ("mise", MISE),
    (
        "n",
        &[
            "rm",
            "prune",
            "uninstall",
            "install",
            "i",
            "lts",
            "latest",
            "stable",
            "auto",
        ],
    ),
    ("nodenv", INSTALLS),
    (
        "nvm",
        &[
            "install",
            "uninstall",
            "alias",
            "unalias",
            "reinstall-packages",
            "install-latest-npm",
        ],
    ),
    ("phpenv", INSTALLS),
    ("plenv", INSTALLS),
    (
        "proto",
        &["install", "uninstall", "pin", "clean", "upgrade"],
    ),
    ("pyenv", INSTALLS),
    ("rbenv", INSTALLS),
    ("rtx", MISE),
    (
        "rvm",
        &[
            "install",
            "remove",
            "uninstall",
            "reinstall",
            "upgrade",
            "implode",
            "get",
        ],
    ),
    (
        "sdk",
        &[
            "install",
            "i",
            "uninstall",
            "rm",
            "default",
            "d",
            "upgrade",
            "update",
            "selfupdate",
            "flush",
        ],
    ),
    ("tfenv", &["install", "uninstall"]),
    ("volta", &["install", "uninstall", "setup"]),
];

const INSTALLS: &[&str] = &[
    "install",
    "uninstall",
    "global",
    "rehash",
    "virtualenv",
    "virtualenv-delete",
];

const MISE: &[&str] = &[
    "install",
    "i",
    "uninstall",
    "upgrade",
    "up",
    "prune",
    "self-update",
    "plugins",
    "link",
    "implode",
    "reshim",
];

/// Installers by program and first word (`""` for any), each with the options that name a folder instead.
const INSTALLERS: &[(&str, &str, &[&str])] = &[
    ("bun", "upgrade", &[]),
    ("cabal", "install", &["--installdir"]),
    ("cpan", "", &["-l"]),
    ("cpanm", "", &["-L", "-l", "--local-lib"]),
    ("deno", "upgrade", &[]),
    ("ghcup", "install", &[]),
    ("ghcup", "rm", &[]),
    ("ghcup", "set", &[]),
    ("ghcup", "upgrade", &[]),
    ("luarocks", "install", &["--tree"]),
    ("luarocks", "remove", &["--tree"]),
    ("mix", "local.hex", &[]),
    ("mix", "local.rebar", &[]),
    ("poetry", "self", &[]),
    ("raco", "pkg", &[]),
    ("rye", "self", &[]),
    ("stack", "install", &["--local-bin-path"]),
    ("uv", "self", &[]),
];

/// Whether this installs for every project of the user.
fn installs(name: &str, first: &str, args: &[String]) -> bool {
    let asks = args.is_empty()
        || args
            .iter()
            .any(|arg| matches!(arg.as_str(), "--help" | "-h" | "--version" | "-v" | "show"));
    let given = |folder: &&str| args.iter().any(|arg| arg.starts_with(folder));
    let listed = INSTALLERS.iter().any(|(program, word, folders)| {
        *program == name && (word.is_empty() || *word == first) && !folders.iter().any(given)
    });
    let python = name == "uv"
        && first == "python"
        && args
            .iter()
            .any(|arg| matches!(arg.as_str(), "install" | "uninstall" | "upgrade"));
    let settings =
        name == "bundle" && first == "config" && args.iter().any(|arg| arg == "--global");
    !asks && (listed || python || settings)
}

/// Refuses what changes the machine; `None` for everything else.
pub(super) fn judge(name: &str, args: &[String]) -> Option<Judged<()>> {
    let first = args
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map_or("", String::as_str);
    let everybody = args.iter().any(|arg| arg == "-g" || arg == "--global");
    let version = name == "n" && first.starts_with(|c: char| c.is_ascii_digit());
    // `plugin list` and the like only look.
    let looks = args.iter().any(|arg| {
        matches!(
            arg.as_str(),
            "list" | "ls" | "list-all" | "--list" | "-l" | "--help"
        )
    });
    let manager = MANAGERS.iter().find(|(manager, _)| *manager == name);
    let manages = manager
        .is_some_and(|(_, changes)| !looks && (changes.contains(&first) || everybody || version));
    if !manages && !installs(name, first, args) {
        return None;
    }
    Some(Err(Refusal::new(
        rule::OUTSIDE,
        format!(
            "{} changes what is installed for everybody; work with the versions there are, and ask your lead by mail for others",
            brief(&format!("{name} {first}"))
        ),
    )))
}

#[cfg(test)]
mod tests {
    use super::judge;

    #[test]
    fn choosing_a_version_is_the_projects_and_installing_one_the_machines() {
        let refused = |command: &str| {
            let mut words = command.split_whitespace().map(str::to_owned);
            let name = words.next().unwrap_or_default();
            judge(&name, &words.collect::<Vec<_>>()).is_some()
        };
        for command in [
            "nvm install 20",
            "n 20",
            "pyenv global 3.12",
            "mise use -g node",
            "asdf plugin add x",
            "stack install",
            "cpanm Moose",
            "uv python install 3.12",
        ] {
            assert!(refused(command), "{command}");
        }
        for command in [
            "nvm use 20",
            "pyenv local 3.12",
            "mise run build",
            "asdf plugin list",
            "pyenv install --list",
            "make install",
            "cpanm -L local Moose",
            "luarocks install --tree lua_modules x",
            "uv python list",
            "stack build",
        ] {
            assert!(!refused(command), "{command}");
        }
    }
}
