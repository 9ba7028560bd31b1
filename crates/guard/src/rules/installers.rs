//! Installs for every project of the user, settings of the user, and hooks that every worktree shares.
//!
//! Programs by the words they are asked with. Given a folder of the worktree to work in instead, they are the
//! project's own; whether it is one is judged by where it lies.

use super::flags::{Flags, parse};
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::brief;
use crate::shell::walk::Walker;

/// What is changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// Programs or settings outside of every project.
    Machine,
    /// The hooks of the repository.
    Hooks,
}

use What::{Hooks, Machine};

/// A program with the words that change something, and the names of what may be given instead.
struct Installer {
    names: &'static [&'static str],
    what: What,
    /// First words; `*` stands for any, and for none.
    words: &'static [&'static [&'static str]],
    /// Options one of which must be given; none where the words are enough.
    options: &'static [&'static str],
    /// Options and variables that name a folder or file to be changed instead.
    instead: &'static [&'static str],
    /// Options that take a value: letters, and names.
    short: &'static str,
    long: &'static [&'static str],
}

const PLAIN: Installer = Installer {
    names: &[],
    what: Machine,
    words: &[&["*"]],
    options: &[],
    instead: &[],
    short: "",
    long: &[],
};

const INSTALLERS: &[Installer] = &[
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

/// Refuses what changes the machine, or what every worktree shares; `None` for everything else.
pub(super) fn judge(w: &Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    let asks = |arg: &String| {
        matches!(
            arg.as_str(),
            "--help"
                | "-h"
                | "--version"
                | "-V"
                | "help"
                | "--list"
                | "--dry-run"
                | "--list-extensions"
        )
    };
    let found = INSTALLERS.iter().find(|installer| {
        installer.names.contains(&name)
            && installer.changes(&parse(args, installer.short, installer.long), args)
    })?;
    if args.iter().any(asks) || found.stays(w, call, st) {
        return None;
    }
    let asked = args.iter().take(2).map(String::as_str);
    let asked: Vec<&str> = std::iter::once(name).chain(asked).collect();
    let asked = brief(&asked.join(" "));
    Some(Err(match found.what {
        Machine => Refusal::new(
            rule::OUTSIDE,
            format!(
                "{asked} changes what all projects of this machine get; use what the project has, and ask your lead by mail for more"
            ),
        ),
        Hooks => Refusal::new(
            rule::PROTECTED,
            format!(
                "{asked} changes git hooks, which all worktrees share; run the checks themselves instead"
            ),
        ),
    }))
}

impl Installer {
    fn changes(&self, flags: &Flags, args: &[String]) -> bool {
        let asked = |words: &&[&str]| match **words {
            ["*"] => true,
            [] => flags.operands.is_empty(),
            [only] if only.starts_with('-') => args.iter().any(|arg| arg == only),
            _ => {
                words.len() <= flags.operands.len()
                    && words.iter().zip(&flags.operands).all(|(a, b)| a == b)
            }
        };
        let given = |option: &&str| match option.strip_suffix('*') {
            Some(start) => flags
                .options
                .iter()
                .any(|(name, _)| name.starts_with(start)),
            None => flags.has(&[option]),
        };
        self.words.iter().any(asked) && (self.options.is_empty() || self.options.iter().any(given))
    }

    /// Whether everything named instead lies in the worktree, and something is.
    fn stays(&self, w: &Walker<'_>, call: &Call, st: &State) -> bool {
        let flags = parse(call.args(), self.short, self.long);
        let mut places: Vec<String> = flags
            .values(self.instead)
            .into_iter()
            .map(str::to_owned)
            .collect();
        let variables = self.instead.iter().filter_map(|name| call.variable(name));
        places.extend(variables.map(|value| value.to_string()));
        // A switch that is a folder is one in that folder.
        if self.names == ["opam"]
            && let [first, second, target, ..] = flags.operands.as_slice()
            && first == "switch"
            && second == "create"
            && target.starts_with('.')
        {
            places.push(target.clone());
        }
        let inside = |path: &String| {
            !path.is_empty() && st.cwd.iter().all(|place| w.paths.is_inside(path, place))
        };
        !places.is_empty() && places.iter().all(inside)
    }
}
