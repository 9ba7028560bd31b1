//! Code that is named by an address instead of a name: what is there now would run, and nobody has read it.
//!
//! Packages of a registry have a name and a version, and are run like installed ones. Which words of a command line
//! name a package or a script is all that is known here.

use super::options::operand_at;
use crate::policy::Judged;
use crate::shell::walk::fetched;

/// Programs that run a package or a script that they are given.
struct Runner {
    names: &'static [&'static str],
    /// The words before it; none where it is the first operand.
    behind: &'static [&'static [&'static str]],
    /// Options whose value names a package as well.
    packages: &'static [&'static str],
    /// Options with another value: letters, and names.
    short: &'static str,
    long: &'static [&'static str],
    /// Whether `owner/name` is a repository of a forge.
    hosted: bool,
}

const NODE: Runner = Runner {
    names: &["npx", "bunx", "pnpx"],
    behind: &[&[]],
    packages: &["-p", "--package"],
    short: "pwc",
    long: &[
        "--package",
        "--workspace",
        "--prefix",
        "--cache",
        "--registry",
        "--userconfig",
        "--loglevel",
        "--call",
        "--dir",
        "--filter",
    ],
    hosted: true,
};

const SCRIPTS: Runner = Runner {
    names: &[
        "java",
        "jbang",
        "scala",
        "amm",
        "bb",
        "babashka",
        "zx",
        "kscript",
        "kotlin",
        "groovy",
        "jshell",
        "rust-script",
        "nodemon",
        "tsx",
        "ts-node",
        "esno",
        "vite-node",
    ],
    behind: &[&[]],
    packages: &[],
    short: "",
    long: &[
        "-cp",
        "--class-path",
        "-classpath",
        "--module-path",
        "--deps",
        "--java",
    ],
    hosted: false,
};

const RUNNERS: &[Runner] = &[
    NODE,
    Runner {
        names: &["npm"],
        behind: &[&["exec"], &["x"], &["init"], &["create"], &["innit"]],
        ..NODE
    },
    Runner {
        names: &["pnpm", "yarn"],
        behind: &[&["dlx"], &["create"]],
        ..NODE
    },
    Runner {
        names: &["bun"],
        behind: &[&["x"], &["create"]],
        ..NODE
    },
    Runner {
        names: &["uvx", "uv", "pipx"],
        behind: &[&["tool", "run"], &["run"], &[]],
        packages: &["--from", "--spec", "--with", "--with-editable"],
        short: "pCP",
        long: &[
            "--from",
            "--spec",
            "--with",
            "--with-editable",
            "--with-requirements",
            "--python",
            "--extra",
            "--group",
            "--only-group",
            "--project",
            "--directory",
            "--package",
            "--index",
            "--default-index",
            "--index-url",
            "--extra-index-url",
            "--env-file",
            "--cache-dir",
            "--config-file",
            "--color",
            "--refresh-package",
            "--upgrade-package",
            "--pip-args",
        ],
        hosted: false,
    },
    Runner {
        names: &["deno"],
        behind: &[&["test"], &["bench"], &["serve"], &["x"], &["compile"]],
        long: &["--config", "--import-map", "--lock", "--env-file"],
        ..SCRIPTS
    },
    Runner {
        names: &["scala-cli", "cs", "coursier"],
        behind: &[&["run"], &["launch"], &[]],
        ..SCRIPTS
    },
    // Files of tasks.
    Runner {
        names: &["make", "gmake", "just", "task", "go-task"],
        behind: &[],
        packages: &[
            "-f",
            "--file",
            "--makefile",
            "--justfile",
            "-t",
            "--taskfile",
        ],
        ..SCRIPTS
    },
    SCRIPTS,
];

/// Refuses a command line that would run what is at an address.
pub(crate) fn judge(name: &str, args: &[String]) -> Judged<()> {
    super::nix::judge(name, args)?;
    for runner in RUNNERS.iter().filter(|runner| runner.names.contains(&name)) {
        let own: Vec<String> = args.iter().filter(|arg| *arg != "--").cloned().collect();
        let Some(behind) = runner.behind(name, &own) else {
            continue;
        };
        let at = operand_at(behind, runner.short, runner.long);
        let target = behind.get(at).map_or("", String::as_str);
        let before = own.len() - behind.len() + at.min(behind.len());
        let options = own.get(..before).unwrap_or_default();
        let named = packages(options, runner.packages).chain(std::iter::once(target));
        for word in named {
            if is_package_by_address(word) || runner.hosted && is_hosted(word) {
                return Err(fetched());
            }
        }
    }
    Ok(())
}

impl Runner {
    /// What stands behind the words that make it run something, where they are there.
    fn behind<'a>(&self, name: &str, args: &'a [String]) -> Option<&'a [String]> {
        if self.behind.is_empty() {
            return args.get(args.len()..);
        }
        let found = self.behind.iter().find_map(|words| {
            let mut rest = args;
            for word in *words {
                let at = operand_at(rest, self.short, self.long);
                rest = (rest.get(at)? == word).then(|| rest.get(at + 1..))??;
            }
            Some(rest)
        });
        // `uv pip …` runs no package of that name.
        found.filter(|rest| rest.len() < args.len() || !matches!(name, "uv" | "pipx"))
    }
}

/// The values of these options.
fn packages<'a>(args: &'a [String], options: &[&str]) -> impl Iterator<Item = &'a str> {
    let next = args.iter().skip(1).map(String::as_str);
    let pairs = args.iter().zip(next.chain(std::iter::once("")));
    let options = options.to_vec();
    pairs.filter_map(move |(arg, next)| match arg.split_once('=') {
        Some((option, value)) => options.contains(&option).then_some(value),
        None => options.contains(&arg.as_str()).then_some(next),
    })
}

/// Whether a word is an address of something elsewhere.
pub(crate) fn is_address(word: &str) -> bool {
    const SCHEMES: &[&str] = &[
        "http", "https", "ftp", "ftps", "sftp", "scp", "rsync", "dav", "davs", "git", "ssh", "hg",
        "svn", "bzr",
    ];
    if !word.contains([':', '@']) {
        return false;
    }
    let lower = word.trim_start().to_lowercase();
    let scheme = lower.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| SCHEMES.contains(&scheme.split('+').next().unwrap_or(scheme)))
        || ["github:", "gitlab:", "bitbucket:", "gist:", "git@"]
            .iter()
            .any(|start| lower.starts_with(start))
}

/// The same of a package: `name@git+https://…`, `name @ https://…`
fn is_package_by_address(spec: &str) -> bool {
    let behind = spec.char_indices().skip(1).find(|(_, c)| *c == '@');
    let behind = behind.and_then(|(at, _)| spec.get(at + 1..));
    is_address(spec) || behind.is_some_and(is_address)
}

/// `owner/name`, which is a repository where a package is named; a folder begins with a dot.
fn is_hosted(spec: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    let repository = spec.split('#').next().unwrap_or(spec);
    let begins = spec.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    begins
        && repository
            .split_once('/')
            .is_some_and(|(owner, name)| plain(owner) && plain(name))
}
