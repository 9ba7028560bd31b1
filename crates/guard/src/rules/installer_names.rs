//! The installers that are known, with the words by which they change more than a project.

/// What is changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// Programs or settings outside of every project.
    Machine,
    /// The hooks of the repository.
    Hooks,
}

use What::{Hooks, Machine};

/// A program with the words that change something, and the names of what may be given instead.
pub(super) struct Installer {
    pub(super) names: &'static [&'static str],
    pub(super) what: What,
    /// First words; `*` stands for any, and for none.
    pub(super) words: &'static [&'static [&'static str]],
    /// Options one of which must be given; none where the words are enough.
    pub(super) options: &'static [&'static str],
    /// Options one of which must be given as well; none where those are enough.
    pub(super) also: &'static [&'static str],
    /// Fewer words only ask.
    pub(super) least: usize,
    /// Options by which only the project is changed.
    pub(super) here: &'static [&'static str],
    /// Options and variables that name a folder or file to be changed instead.
    pub(super) instead: &'static [&'static str],
    /// Options that take a value: letters, and names.
    pub(super) short: &'static str,
    pub(super) long: &'static [&'static str],
}

pub(super) const PLAIN: Installer = Installer {
    names: &[],
    what: Machine,
    words: &[&["*"]],
    options: &[],
    also: &[],
    least: 0,
    here: &[],
    instead: &[],
    short: "",
    long: &[],
};

pub(super) const INSTALLERS: &[Installer] = &[
    Installer {
        names: &["deno"],
        words: &[&["install"], &["i"], &["uninstall"]],
        options: &["g", "global"],
        instead: &["root"],
        short: "n",
        long: &["root", "name"],
        ..PLAIN
    },
    Installer {
        names: &["dart", "flutter"],
        words: &[
            &["pub", "global", "activate"],
            &["pub", "global", "deactivate"],
            &["--disable-analytics"],
        ],
        ..PLAIN
    },
    Installer {
        names: &["flutter"],
        words: &[&["upgrade"], &["downgrade"], &["channel"]],
        ..PLAIN
    },
    Installer {
        names: &["flutter"],
        words: &[&["config"]],
        options: &[
            "enable-*",
            "no-enable-*",
            "clear-*",
            "android-*",
            "jdk-dir",
            "build-dir",
            "no-analytics",
            "analytics",
            "no-cli-animations",
            "cli-animations",
        ],
        ..PLAIN
    },
    Installer {
        names: &["opam"],
        words: &[
            &["install"],
            &["remove"],
            &["uninstall"],
            &["reinstall"],
            &["upgrade"],
            &["update"],
            &["pin", "add"],
            &["pin", "remove"],
            &["init"],
            &["repo", "add"],
            &["repository", "add"],
            &["switch", "create"],
            &["switch", "remove"],
            &["switch", "set"],
            &["option"],
        ],
        instead: &["switch", "root"],
        short: "jb",
        long: &["switch", "root", "jobs", "repos", "packages"],
        ..PLAIN
    },
    Installer {
        names: &["nimble"],
        words: &[&["install"], &["uninstall"], &["refresh"]],
        instead: &["nimbleDir"],
        long: &["nimbleDir", "passNim"],
        ..PLAIN
    },
    Installer {
        names: &["nix"],
        words: &[
            &["profile", "install"],
            &["profile", "add"],
            &["profile", "remove"],
            &["profile", "upgrade"],
            &["profile", "rollback"],
            &["profile", "wipe-history"],
            &["registry", "add"],
            &["registry", "pin"],
            &["registry", "remove"],
            &["upgrade-nix"],
            &["store", "gc"],
            &["store", "delete"],
        ],
        instead: &["profile", "registry"],
        long: &[
            "profile",
            "registry",
            "priority",
            "extra-experimental-features",
            "experimental-features",
        ],
        ..PLAIN
    },
    Installer {
        names: &["nix-channel"],
        options: &["add", "remove", "update", "rollback"],
        ..PLAIN
    },
    Installer {
        names: &["nix-collect-garbage"],
        ..PLAIN
    },
    Installer {
        names: &["guix"],
        words: &[
            &["install"],
            &["remove"],
            &["upgrade"],
            &["pull"],
            &["package"],
            &["gc"],
            &["home"],
            &["system"],
        ],
        instead: &["p", "profile"],
        short: "pLm",
        long: &["profile", "load-path", "manifest"],
        ..PLAIN
    },
    Installer {
        names: &[
            "code",
            "code-insiders",
            "codium",
            "vscodium",
            "cursor",
            "windsurf",
            "positron",
        ],
        options: &[
            "install-extension",
            "uninstall-extension",
            "update-extensions",
        ],
        instead: &["extensions-dir"],
        long: &[
            "install-extension",
            "uninstall-extension",
            "extensions-dir",
            "user-data-dir",
            "profile",
        ],
        ..PLAIN
    },
    Installer {
        names: &["kubectl", "oc", "k3s"],
        words: &[
            &["config", "use-context"],
            &["config", "use"],
            &["config", "set-context"],
            &["config", "set-cluster"],
            &["config", "set-credentials"],
            &["config", "set"],
            &["config", "unset"],
            &["config", "delete-context"],
            &["config", "delete-cluster"],
            &["config", "delete-user"],
            &["config", "rename-context"],
            &["krew", "install"],
            &["krew", "uninstall"],
            &["krew", "upgrade"],
            &["krew", "update"],
        ],
        instead: &["kubeconfig", "KUBECONFIG"],
        short: "ns",
        long: &[
            "kubeconfig",
            "namespace",
            "context",
            "cluster",
            "user",
            "server",
        ],
        ..PLAIN
    },
    Installer {
        names: &["helm"],
        words: &[
            &["repo", "add"],
            &["repo", "update"],
            &["repo", "up"],
            &["repo", "remove"],
            &["repo", "rm"],
            &["plugin", "install"],
            &["plugin", "add"],
            &["plugin", "update"],
            &["plugin", "uninstall"],
            &["plugin", "remove"],
            &["registry", "login"],
            &["registry", "logout"],
        ],
        instead: &["repository-config", "HELM_REPOSITORY_CONFIG"],
        short: "n",
        long: &[
            "repository-config",
            "repository-cache",
            "namespace",
            "kube-context",
            "kubeconfig",
        ],
        ..PLAIN
    },
    Installer {
        names: &["gsettings"],
        words: &[&["set"], &["reset"], &["reset-recursively"]],
        long: &["schemadir"],
        ..PLAIN
    },
    Installer {
        names: &["dconf"],
        words: &[&["write"], &["reset"], &["load"], &["update"]],
        ..PLAIN
    },
    Installer {
        names: &["xfconf-query"],
        options: &["s", "set", "r", "reset", "n", "create"],
        short: "cpst",
        long: &["channel", "property", "set", "type"],
        ..PLAIN
    },
    Installer {
        names: &["kwriteconfig", "kwriteconfig5", "kwriteconfig6"],
        instead: &["file"],
        long: &["file", "group", "key", "type"],
        ..PLAIN
    },
    Installer {
        names: &["direnv"],
        words: &[&["edit"], &["prune"]],
        ..PLAIN
    },
    Installer {
        names: &["ssh-copy-id"],
        ..PLAIN
    },
    Installer {
        names: &["xcode-select"],
        options: &["install", "s", "switch", "r", "reset"],
        short: "s",
        long: &["switch"],
        ..PLAIN
    },
    Installer {
        names: &["ansible-galaxy"],
        words: &[
            &["install"],
            &["role", "install"],
            &["collection", "install"],
            &["remove"],
            &["role", "remove"],
        ],
        instead: &["p", "roles-path", "collections-path"],
        short: "prs",
        long: &[
            "roles-path",
            "collections-path",
            "role-file",
            "requirements-file",
            "server",
        ],
        ..PLAIN
    },
    Installer {
        names: &["dotnet"],
        words: &[
            &["workload", "install"],
            &["workload", "update"],
            &["workload", "uninstall"],
            &["workload", "restore"],
            &["workload", "clean"],
        ],
        ..PLAIN
    },
    Installer {
        names: &["sdkmanager"],
        instead: &["sdk_root"],
        long: &["sdk_root", "channel"],
        ..PLAIN
    },
    Installer {
        names: &["tlmgr"],
        words: &[
            &["install"],
            &["remove"],
            &["update"],
            &["option"],
            &["paper"],
        ],
        instead: &["usertree"],
        long: &["usertree", "repository"],
        ..PLAIN
    },
    Installer {
        names: &["husky"],
        what: Hooks,
        words: &[&[], &["install"], &["init"], &["uninstall"]],
        ..PLAIN
    },
    Installer {
        names: &["simple-git-hooks", "husky-init", "git-hooks-install"],
        what: Hooks,
        ..PLAIN
    },
    Installer {
        names: &[
            "lefthook",
            "captainhook",
            "prek",
            "cog",
            "hk",
            "rusty-hook",
            "git-format-staged",
        ],
        what: Hooks,
        words: &[
            &["install"],
            &["uninstall"],
            &["add"],
            &["init-templatedir"],
            &["install-hook"],
        ],
        ..PLAIN
    },
    Installer {
        names: &["overcommit"],
        what: Hooks,
        options: &[
            "i",
            "install",
            "u",
            "uninstall",
            "s",
            "sign",
            "template-dir",
        ],
        ..PLAIN
    },
];
