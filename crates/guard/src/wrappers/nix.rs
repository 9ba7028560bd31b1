//! Nix: expressions and flakes named by an address, and what `nix run` starts.
//!
//! A name of the registry is a package like any other. What is at another address nobody has read, and a build of
//! it runs as much of it as its program does.

use super::addresses::is_address;
use super::options::{operand_at, rest_of, unproven};
use crate::commands::Call;
use crate::policy::Judged;
use crate::rules::publish::publishing_task;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::{Done, Walker, fetched};

/// Subcommands that evaluate, build or run what they are given.
const RUNNING: &[&str] = &[
    "run",
    "shell",
    "develop",
    "dev-shell",
    "build",
    "bundle",
    "print-dev-env",
    "eval",
    "repl",
    "fmt",
    "check",
    "env",
];

/// Those that only tell of a flake, or keep what it names.
const TELLING: &[&str] = &["show", "metadata", "prefetch", "search", "path-info", "log"];

/// Options whose value is no code: stores, caches and machines by their address, and the command that is run, which
/// is judged by itself. The number says how many words the value has.
const OTHER_VALUES: &[(&str, usize)] = &[
    ("--store", 1),
    ("--eval-store", 1),
    ("--substituters", 1),
    ("--extra-substituters", 1),
    ("--builders", 1),
    ("--option", 2),
    ("--argstr", 2),
    ("--run", 1),
    ("--command", 1),
];

/// What brings in code from elsewhere inside of an expression.
const FETCHERS: &[&str] = &[
    "fetchTarball",
    "fetchGit",
    "fetchTree",
    "fetchMercurial",
    "fetchClosure",
    "builtins.fetchurl",
    "getFlake",
];

/// Options of `nix run` with a value: letters, and names.
const VALUED: (&str, &[&str]) = (
    "Ifok",
    &[
        "--file",
        "--expr",
        "--include",
        "--profile",
        "--out-link",
        "--inputs-from",
        "--extra-experimental-features",
        "--experimental-features",
        "--store",
        "--log-format",
    ],
);

/// Refuses a command line that would build or run what is at an address.
pub(super) fn judge(name: &str, args: &[String]) -> Judged<()> {
    if !matches!(
        name,
        "nix" | "nix-shell" | "nix-build" | "nix-instantiate" | "nix-env"
    ) {
        return Ok(());
    }
    let first = |words: &[&str]| args.iter().position(|arg| words.contains(&arg.as_str()));
    let told = first(TELLING).unwrap_or(args.len());
    let runs = first(RUNNING).is_some_and(|at| at < told);
    if name == "nix" && !runs {
        return Ok(());
    }
    let commands = ["-c", "--command", "--"];
    let own = first(&commands).filter(|_| name == "nix");
    let mut words = args.iter().take(own.unwrap_or(args.len()));
    while let Some(word) = words.next() {
        if let Some((_, values)) = OTHER_VALUES.iter().find(|(option, _)| word == option) {
            for _ in 0..*values {
                words.next();
            }
        } else if is_elsewhere(word) || brings_in(word) {
            return Err(fetched());
        } else if word.contains("builtins.exec") {
            return Err(unproven(name));
        }
    }
    Ok(())
}

/// Whether a word names a flake, or a folder of expressions, by an address: `github:x/y`, `nixpkgs=https://…`.
fn is_elsewhere(word: &str) -> bool {
    let value = match word.split_once('=') {
        // `nixpkgs=…`, `--file=…`, `-Inixpkgs=…`
        Some((option, value)) if !option.contains(':') => value,
        Some(_) | None => word.strip_prefix("-I").unwrap_or(word),
    };
    let plain = value
        .strip_prefix("tarball+")
        .or_else(|| value.strip_prefix("file+"))
        .unwrap_or(value);
    (is_address(plain) || plain.starts_with("sourcehut:")) && !is_registry(plain)
}

/// Where the packages of the registry are themselves.
fn is_registry(address: &str) -> bool {
    let lower = address.to_lowercase();
    let behind = [
        "github:nixos/nixpkgs",
        "https://github.com/nixos/nixpkgs",
        "git+https://github.com/nixos/nixpkgs",
        "https://nixos.org/channels",
        "https://channels.nixos.org",
    ]
    .iter()
    .find_map(|start| lower.strip_prefix(start));
    behind.is_some_and(|rest| {
        rest.is_empty() || rest.starts_with(['/', '#', '?', '.']) && !rest.contains("..")
    })
}

/// Whether an expression brings in code from anywhere but there.
fn brings_in(code: &str) -> bool {
    if !FETCHERS.iter().any(|fetcher| code.contains(fetcher)) {
        return false;
    }
    let ends = |c: char| c.is_whitespace() || "\"'();{}".contains(c);
    let mut addresses = code.split(ends).filter(|word| is_address(word)).peekable();
    addresses.peek().is_none() || addresses.any(|address| !is_registry(address))
}

impl Walker<'_> {
    /// `nix run nixpkgs#tool -- args`: the tool is judged by its own name; a program of the project's flake is the
    /// project's own.
    pub(super) fn nix_run(&mut self, call: &Call, after: &[String], st: &State) -> Judged<Done> {
        let (short, long) = VALUED;
        let dashes = after.iter().position(|arg| arg == "--");
        let own = after
            .get(..dashes.unwrap_or(after.len()))
            .unwrap_or_default();
        let at = operand_at(own, short, long);
        let flake = own.get(at).map_or(".", String::as_str);
        let given = match dashes {
            Some(dashes) => rest_of(after, dashes + 1),
            None => rest_of(after, at + 1),
        };
        let foreign = own
            .iter()
            .any(|arg| matches!(arg.as_str(), "-f" | "--file" | "--expr" | "--impure"));
        if text::is_any(flake) || foreign {
            return Err(unproven("nix"));
        }
        let (place, output) = flake.split_once('#').unwrap_or((flake, ""));
        let program = output.rsplit('.').next().unwrap_or(output);
        let folder = place
            .strip_prefix("path:")
            .or_else(|| place.strip_prefix("git+file:"))
            .unwrap_or(place);
        let local = folder != place || folder.is_empty() || folder.starts_with(['.', '/', '~']);
        let argv = if local {
            let folder = if folder.is_empty() { "." } else { folder };
            let here = |place| folder == "." || self.paths.is_inside(folder, place);
            if !st.cwd.iter().all(here) {
                return Err(unproven("nix"));
            }
            publishing_task(&format!("nix run {flake}"), program)?;
            self.need_writer("runs a program of the project")?;
            let program = if program.is_empty() {
                "default"
            } else {
                program
            };
            format!("./result/bin/{program}")
        } else if program.is_empty() {
            place.to_owned()
        } else {
            program.to_owned()
        };
        self.separate(call, std::iter::once(argv).chain(given).collect(), st)
    }
}
