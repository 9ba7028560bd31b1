//! Runners of package managers and of prepared environments: `npx`, `uv run`, `nix develop`.

use super::carried::values;
use super::options::{operand_at, rest_of, unproven};
use crate::commands::Call;
use crate::policy::Judged;
use crate::rules::agents;
use crate::rules::fragments;
use crate::rules::is_dangerous_name;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::{Done, Walker};

/// The options that take a value before the subcommand: letters, and names.
fn before_the_subcommand(name: &str) -> (&'static str, &'static [&'static str]) {
    match name {
        "hatch" => (
            "ep",
            &[
                "--env",
                "--project",
                "--config",
                "--data-dir",
                "--cache-dir",
            ],
        ),
        "pdm" => ("cC", &["--config", "--directory", "--project"]),
        "pipenv" => ("", &["--python", "--pypi-mirror"]),
        "nix" => (
            "",
            &[
                "--extra-experimental-features",
                "--experimental-features",
                "--store",
                "--log-format",
            ],
        ),
        "poetry" => ("CP", &["--directory", "--project"]),
        "uv" => (
            "C",
            &[
                "--directory",
                "--project",
                "--config-file",
                "--cache-dir",
                "--color",
                "--allow-insecure-host",
                "--python-preference",
            ],
        ),
        _ => ("C", &["--directory", "--project", "-C"]),
    }
}

/// The options of a subcommand whose value is shell text.
fn carries_text(name: &str, sub: &str) -> &'static [&'static str] {
    match (name, sub) {
        ("mise" | "rtx", "exec" | "x") => &["-c", "--command"],
        ("mise" | "rtx", "en") => &["-s", "--shell"],
        ("doppler" | "infisical", "run") => &["--command"],
        _ => &[],
    }
}

/// The options of package runners that are known to take a value.
const WITH_VALUE: &[&str] = &["--package", "--workspace", "--prefix"];

/// Whether it is known of an option of package runners that no value of it stands in the next word.
fn is_flag(option: &str) -> bool {
    option.contains('=')
        || matches!(
            option,
            "-y" | "--yes"
                | "--no"
                | "--no-install"
                | "--ignore-existing"
                | "-q"
                | "--quiet"
                | "-s"
                | "--silent"
                | "-d"
                | "--verbose"
                | "--bun"
                | "--offline"
                | "--prefer-offline"
                | "--prefer-online"
                | "--isolated"
                | "--workspaces"
                | "--ws"
                | "-r"
                | "--recursive"
                | "--parallel"
        )
}

impl Walker<'_> {
    /// `npx tool args`: the tool is judged by its own name.
    pub(super) fn package_runner(
        &mut self,
        call: &Call,
        args: Vec<String>,
        st: &State,
    ) -> Judged<Done> {
        let mut at = 0;
        while let Some(arg) = args.get(at).filter(|arg| arg.starts_with('-')) {
            if matches!(arg.as_str(), "-c" | "--call") {
                let code = args.get(at + 1).cloned().unwrap_or_default();
                return self.script(&code, &mut st.for_program());
            }
            if let Some(code) = arg.strip_prefix("--call=") {
                return self.script(code, &mut st.for_program());
            }
            if arg == "--" {
                break;
            }
            at += 1;
            if WITH_VALUE.contains(&arg.as_str()) || matches!(arg.as_str(), "-p" | "-w") {
                at += 1;
            } else if !is_flag(arg) && args.get(at).is_some_and(|next| !next.starts_with('-')) {
                // The word may be the value of the option, or the package.
                self.charge(9 + args.len() / 4)?;
                let behind = rest_of(&args, at + 1);
                fragments::definite(self.nested(|w| w.package_runner(call, behind, st)))?;
            }
        }
        let at = operand_at(&args, "pw", WITH_VALUE);
        let mut rest = rest_of(&args, at);
        let Some(tool) = rest.first_mut() else {
            return Ok(Done::default());
        };
        if let Some(cut) = tool.get(1..).and_then(|name| name.find('@')) {
            tool.truncate(cut + 1);
        }
        if let Some((_, last)) = tool.clone().rsplit_once('/')
            && tool.starts_with('@')
        {
            *tool = match agents::of_package(tool) {
                Some(agent) => agent.to_owned(),
                // `@railway/cli` is the program of its scope.
                None if last == "cli" => tool
                    .trim_start_matches('@')
                    .split('/')
                    .next()
                    .unwrap_or(last)
                    .to_owned(),
                None => last.to_owned(),
            };
        }
        self.separate(call, rest, st)
    }

    /// What `direnv` would run, where this very command wrote it; else it is a script of the project.
    fn written_settings(&mut self, st: &State) -> Judged<()> {
        if !self.wrote_named("/.envrc") {
            return Ok(());
        }
        let code = self.content(".envrc", st);
        if text::is_any(&code) {
            return Err(unproven("direnv"));
        }
        self.script(&code, &mut st.for_program()).map(|_| ())
    }

    /// `tox exec -- tool args` runs the tool; else what is behind the dashes belongs to commands of the project,
    /// which may be nothing but that.
    pub(super) fn test_environments(&mut self, name: &str, call: &Call, st: &State) -> Judged<()> {
        let args = call.args();
        let dashes = args.iter().position(|arg| arg == "--");
        let own = args.get(..dashes.unwrap_or(args.len())).unwrap_or_default();
        let given = rest_of(args, dashes.map_or(args.len(), |at| at + 1));
        let runs = name == "tox" && own.iter().any(|arg| arg == "exec" || arg == "e");
        let program = given
            .first()
            .map(|word| word.rsplit('/').next().unwrap_or(word));
        if runs || program.is_some_and(is_dangerous_name) {
            self.separate(call, given, st)?;
        }
        for (at, arg) in own.iter().enumerate().filter(|_| name == "tox") {
            let setting = match arg.as_str() {
                "-x" | "--override" => own.get(at + 1).map(String::as_str),
                _ => arg.strip_prefix("--override=").or(arg.strip_prefix("-x")),
            };
            if let Some((key, code)) = setting.and_then(|setting| setting.split_once('='))
                && key.contains("commands")
            {
                self.script(code, &mut st.for_program())?;
            }
        }
        Ok(())
    }

    pub(super) fn environment_runner(
        &mut self,
        name: &str,
        call: &Call,
        st: &State,
    ) -> Judged<Option<Done>> {
        let args = call.args();
        let (short, long) = before_the_subcommand(name);
        let top = operand_at(args, short, long);
        let sub = args.get(top).map(String::as_str).unwrap_or("");
        let after = rest_of(args, top + 1);
        if name == "direnv" {
            self.written_settings(st)?;
        }
        let dashes = after.iter().position(|arg| arg == "--");
        let own = after.get(..dashes.unwrap_or(after.len()));
        let mut carried = None;
        for code in values(own.unwrap_or_default(), carries_text(name, sub)) {
            carried = Some(self.script(code, &mut st.for_program())?);
        }
        if carried.is_some() {
            return Ok(carried);
        }
        let (short, long): (&str, &[&str]) = match (name, sub) {
            ("uv", "tool") if after.first().is_some_and(|word| word == "run") => {
                return self.package_runner(call, rest_of(&after, 1), st).map(Some);
            }
            ("uv" | "pdm" | "rye", "run") => (
                "pC",
                &[
                    "--with",
                    "--python",
                    "--extra",
                    "--group",
                    "--project",
                    "--directory",
                    "--package",
                    "--index",
                    "--env-file",
                    "--with-requirements",
                ],
            ),
            // `hatch run +py=3.12 tool`
            ("hatch", "run") => ("+", &[]),
            ("hatch", "env") if after.first().is_some_and(|word| word == "run") => {
                let after = rest_of(&after, 1);
                let long = ["--env", "--include", "--exclude", "--filter"];
                let at = operand_at(&after, "eix", &long);
                return self.separate(call, rest_of(&after, at), st).map(Some);
            }
            ("poetry" | "pipenv", "run")
            | ("stack" | "cabal" | "opam" | "dune" | "spack" | "guix", "exec") => ("", &[]),
            ("stack", "runghc" | "runhaskell" | "ghci" | "repl") => {
                let dashes = after.iter().filter(|arg| *arg != "--").cloned();
                let argv = std::iter::once("runghc".to_owned()).chain(dashes);
                return self.separate(call, argv.collect(), st).map(Some);
            }
            ("conda" | "mamba" | "micromamba", "run") => ("np", &["--name", "--prefix", "--cwd"]),
            ("bundle", "exec") => ("", &[]),
            ("pipx", "run") => ("", &["--spec", "--python"]),
            (
                "asdf" | "rbenv" | "pyenv" | "nodenv" | "goenv" | "jenv" | "plenv" | "phpenv",
                "exec",
            ) => ("", &[]),
            ("fnm", "exec") => ("", &["--using"]),
            ("volta", "run") => ("", &["--node", "--npm", "--pnpm", "--yarn"]),
            ("dotenvx" | "foreman" | "honcho", "run") => ("fe", &["--env-file", "--env"]),
            ("nvm", "exec" | "run") => {
                let skip = operand_at(&after, "", &[]) + 1;
                let mut argv = rest_of(&after, skip);
                if sub == "run" {
                    argv.insert(0, "node".to_owned());
                }
                return self.separate(call, argv, st).map(Some);
            }
            ("mise" | "rtx", "exec" | "x") => ("", &[]),
            ("doppler" | "infisical" | "op" | "devbox", "run") => {
                ("", &["--env-file", "--project", "--config"])
            }
            ("direnv", "exec") | ("rustup", "run") => {
                let skip = operand_at(&after, "", &[]) + 1;
                return self.separate(call, rest_of(&after, skip), st).map(Some);
            }
            ("corepack", "yarn" | "pnpm" | "npm") => {
                return self.separate(call, rest_of(args, top), st).map(Some);
            }
            ("dotenv", _) if !args.is_empty() => {
                let at = args
                    .iter()
                    .position(|arg| arg == "--" || arg == "run")
                    .map_or(operand_at(args, "efv", &["--file"]), |at| at + 1);
                return self.separate(call, rest_of(args, at), st).map(Some);
            }
            ("nix", "run") => return self.nix_run(call, &after, st).map(Some),
            ("nix", "develop" | "shell") => {
                let at = args
                    .iter()
                    .position(|arg| matches!(arg.as_str(), "-c" | "--command" | "--"));
                return match at {
                    Some(at) => self.separate(call, rest_of(args, at + 1), st).map(Some),
                    None => Err(unproven("nix")),
                };
            }
            _ => return Ok(None),
        };
        let first = operand_at(&after, short, long);
        let at = match dashes {
            Some(dashes)
                if dashes < first
                    || matches!(name, "mise" | "rtx" | "op" | "doppler" | "infisical") =>
            {
                dashes + 1
            }
            _ => first,
        };
        let mut argv = rest_of(&after, at);
        // `uv run -`: the program is on standard input.
        if matches!((name, sub), ("uv" | "pipx", "run"))
            && argv.first().is_some_and(|word| word == "-")
        {
            argv.insert(0, "python3".to_owned());
        }
        self.separate(call, argv, st).map(Some)
    }
}
