//! Which program is a wrapper, and how the command it runs is found.

use std::rc::Rc;

use super::ARGV0;
use super::debuggers::{attaches, attaching};
use super::limits::steers_another;
use super::options::{operand_at, rest_of, unproven};
use super::shapes::{asks_version, is_loose, shape_of};
use crate::commands::Call;
use crate::policy::Judged;
use crate::rules::agents;
use crate::rules::flags::parse;
use crate::rules::is_dangerous_name;
use crate::shell::state::State;
use crate::shell::text::{self, ANY};
use crate::shell::walk::{Done, Walker};

impl Walker<'_> {
    /// Judges what a wrapper runs; `None` when the program is not a wrapper.
    pub(crate) fn wrapper(
        &mut self,
        name: &str,
        call: &Call,
        st: &mut State,
    ) -> Judged<Option<Done>> {
        let args = call.args();
        if asks_version(args) && shape_of(name).is_some() {
            return Ok(Some(Done::default()));
        }
        if steers_another(name, args) {
            return Err(attaching(name));
        }
        let done = match name {
            "command" => match args.first().map(String::as_str) {
                Some(flag) if flag.starts_with('-') && flag.contains(['v', 'V']) => {
                    let found = args.get(1).map_or(ANY.to_string(), |what| {
                        if what.contains('/') || !text::is_known(what) {
                            what.clone()
                        } else {
                            format!("/usr/bin/{what}")
                        }
                    });
                    Done::printing(found)
                }
                _ => self.beneath_function(call, operand_at(args, "", &[]), st)?,
            },
            "exec" | "builtin" => {
                let at = operand_at(args, "a", &[]);
                let mut named = call.clone();
                let own = args.get(..at.min(args.len())).unwrap_or_default();
                let flags = parse(own, "a", &[]);
                if let Some(name) = flags.value(&["a"]) {
                    named.env.push((ARGV0.to_owned(), name.to_owned()));
                }
                if name == "exec" && flags.has(&["c"]) {
                    st.withhold_all();
                    named.env.retain(|(name, _)| name == ARGV0);
                }
                self.beneath_function(&named, at, st)?
            }
            "env" => self.env(call, st)?,
            "xargs" => self.xargs(call, st)?,
            "parallel" => self.parallel(call, st)?,
            "watch" | "entr" | "watchexec" | "hyperfine" | "chokidar" | "nodemon"
            | "concurrently" => self.text_wrapper(name, call, st)?,
            "script" => self.script_program(call, st)?,
            "flock" => {
                let at = operand_at(args, "wE", &["--timeout", "--conflict-exit-code"]);
                let rest = args.get(at + 1..).unwrap_or_default();
                if let Some(lock) = args.get(at)
                    && !lock.bytes().all(|c| c.is_ascii_digit())
                    && !rest.is_empty()
                {
                    self.write_path(lock, st)?;
                }
                match rest.first().map(String::as_str) {
                    Some("-c" | "--command") => {
                        let code = rest.get(1).cloned().unwrap_or_default();
                        self.script(&code, &mut st.for_program())?
                    }
                    Some(_) => self.separate(call, rest.to_vec(), st)?,
                    None => Done::default(),
                }
            }
            "gdb" | "lldb" => {
                if attaches(name, args) {
                    return Err(attaching(name));
                }
                self.debugged(name, call, st)?;
                match args.iter().position(|arg| arg == "--args" || arg == "--") {
                    Some(at) => self.separate(call, rest_of(args, at + 1), st)?,
                    None => return Ok(None),
                }
            }
            "perf" => match args.first().map(String::as_str) {
                Some("stat" | "record" | "trace") => {
                    let rest = rest_of(args, 1);
                    if attaches(name, &rest) {
                        return Err(attaching(name));
                    }
                    let at = operand_at(
                        &rest,
                        "eFgoCpt",
                        &["--event", "--output", "--freq", "--call-graph"],
                    );
                    for (flag, value) in rest.iter().zip(rest.iter().skip(1)) {
                        if matches!(flag.as_str(), "-o" | "--output") {
                            self.write_path(value, st)?;
                        }
                    }
                    self.need_writer("records a profile")?;
                    self.separate(call, rest_of(&rest, at), st)?
                }
                _ => return Ok(None),
            },
            "cmake" if args.first().is_some_and(|arg| arg == "-E") => {
                self.cmake_tool(call, rest_of(args, 1), st)?
            }
            "cargo" if args.iter().any(|arg| arg == "watch") => {
                match self.cargo_watch(call, st)? {
                    Some(done) => done,
                    None => return Ok(None),
                }
            }
            "just" if args.iter().any(|arg| arg == "-c" || arg == "--command") => {
                let at = args
                    .iter()
                    .position(|arg| arg == "-c" || arg == "--command")
                    .unwrap_or(0);
                let code = rest_of(args, at + 1).join(" ");
                self.script(&code, &mut st.for_program())?;
                return Ok(None);
            }
            "vhs" => self.vhs(call, st)?,
            "cross-env" | "cross-env-shell" | "env-cmd" => self.with_variables(name, call, st)?,
            "lerna" | "nx" | "turbo" | "rush" | "wsrun" | "ultra"
                if args.iter().any(|arg| arg == "exec") =>
            {
                let at = args.iter().position(|arg| arg == "exec").unwrap_or(0);
                let behind = args
                    .iter()
                    .position(|arg| arg == "--")
                    .filter(|dashes| *dashes > at);
                let rest = rest_of(args, behind.unwrap_or(at) + 1);
                match rest.as_slice() {
                    [only] if only.contains(' ') => self.script(only, &mut st.for_program())?,
                    _ => self.package_runner(call, rest, st)?,
                }
            }
            "npx" | "bunx" | "pnpx" => self.package_runner(call, rest_of(args, 0), st)?,
            "bun" if args.first().is_some_and(|arg| arg == "exec") => {
                let code = rest_of(args, 1).join(" ");
                self.script(&code, &mut st.for_program())?
            }
            // Where the project has no script of that name, the program is run.
            "bun"
                if args.first().is_some_and(|arg| arg == "run")
                    && args.get(1).is_some_and(|word| is_dangerous_name(word)) =>
            {
                self.separate(call, rest_of(args, 1), st)?;
                return Ok(None);
            }
            "npm" | "pnpm" | "yarn" | "bun" => match args.first().map(String::as_str) {
                // What others run a package by is a script of these.
                Some("x") if matches!(name, "yarn" | "pnpm") => return Ok(None),
                Some("exec" | "x" | "dlx") => self.package_runner(call, rest_of(args, 1), st)?,
                // These run a package's program by its name alone.
                first => {
                    // `pnpm -r exec …`, `yarn workspaces foreach exec …`, `pnpm --package=x dlx …`
                    let each = args
                        .iter()
                        .take_while(|arg| !matches!(arg.as_str(), "--" | "publish"))
                        .position(|arg| arg == "exec" || arg == "dlx");
                    let leads = |word: &str| {
                        word.starts_with('-')
                            || matches!(
                                word,
                                "workspace" | "workspaces" | "recursive" | "multi" | "m"
                            )
                    };
                    if let Some(at) = each.filter(|_| first.is_some_and(leads)) {
                        return self
                            .package_runner(call, rest_of(args, at + 1), st)
                            .map(Some);
                    }
                    let word = match first {
                        Some("run") => args.get(1).map(String::as_str),
                        other => other,
                    };
                    return match word.filter(|_| name != "npm").and_then(agents::of_name) {
                        Some(agent) => Err(agents::unguarded(agent)),
                        None => Ok(None),
                    };
                }
            },
            "poetry" | "uv" | "pipenv" | "pdm" | "hatch" | "rye" | "conda" | "mamba"
            | "micromamba" | "bundle" | "rustup" | "pipx" | "direnv" | "mise" | "rtx" | "asdf"
            | "corepack" | "rbenv" | "pyenv" | "nodenv" | "goenv" | "jenv" | "plenv" | "phpenv"
            | "fnm" | "volta" | "nvm" | "dotenvx" | "foreman" | "honcho" | "dotenv" | "op"
            | "nix" | "doppler" | "infisical" | "devbox" | "stack" | "cabal" | "opam" | "dune" => {
                return self.environment_runner(name, call, st);
            }
            "tox" | "nox" => {
                self.test_environments(name, call, st)?;
                return Ok(None);
            }
            "nix-shell" => {
                match args
                    .iter()
                    .position(|arg| arg == "--run" || arg == "--command")
                {
                    Some(at) => {
                        let code = args.get(at + 1).cloned().unwrap_or_default();
                        self.script(&code, &mut st.for_program())?
                    }
                    None => return Err(unproven(name)),
                }
            }
            _ if name.starts_with("ld-linux")
                || name.starts_with("ld-musl")
                || name.starts_with("qemu-")
                    && !matches!(name, "qemu-img" | "qemu-io" | "qemu-nbd") =>
            {
                let at = operand_at(args, "LE", &["--library-path", "--preload", "--argv0"]);
                self.separate(call, rest_of(args, at), st)?
            }
            "setarch" => {
                let at = operand_at(args, "", &[]);
                let skip = usize::from(args.get(at).is_some_and(|word| {
                    matches!(
                        word.as_str(),
                        "x86_64" | "i386" | "aarch64" | "linux32" | "linux64" | "uname26"
                    )
                }));
                self.separate(call, rest_of(args, at + skip), st)?
            }
            "arch" if args.is_empty() => return Ok(None),
            _ => match shape_of(name) {
                Some(shape) => {
                    if matches!(name, "strace" | "ltrace") && attaches(name, args) {
                        return Err(attaching(name));
                    }
                    let records = [
                        "bear",
                        "scan-build",
                        "intercept-build",
                        "heaptrack",
                        "t-rec",
                    ];
                    if records.contains(&name) {
                        self.need_writer("records what it runs")?;
                    }
                    let output = ["strace", "ltrace", "time", "gtime", "valgrind"].contains(&name);
                    if output || records.contains(&name) {
                        self.outputs_of_wrapper(name, args, st)?;
                    }
                    let at = operand_at(args, shape.short, shape.long) + shape.skip;
                    if is_loose(name) {
                        self.otherwise(call, at, st)?;
                    }
                    let before = self.pace;
                    let done = self.separate(call, rest_of(args, at), st)?;
                    let own = args.get(..at.min(args.len())).unwrap_or_default();
                    if name == "setsid" && parse(own, "", &[]).has(&["f", "fork"]) {
                        self.leaves_job(before);
                    }
                    done
                }
                None => return Ok(None),
            },
        };
        Ok(Some(done))
    }

    /// Runs the rest of the words in this very shell.
    fn inner(&mut self, call: &Call, at: usize, st: &mut State) -> Judged<Done> {
        let rest = rest_of(call.args(), at);
        if rest.is_empty() {
            return Ok(Done::default());
        }
        self.run(call.with(rest), st)
    }

    /// The same, where a function of that name is passed by: `command ls` in a function `ls`.
    fn beneath_function(&mut self, call: &Call, at: usize, st: &mut State) -> Judged<Done> {
        let name = call.args().get(at).map_or("", String::as_str);
        let Some(function) = st.functions.get(name).cloned() else {
            return self.inner(call, at, st);
        };
        Rc::make_mut(&mut st.functions).remove(name);
        let done = self.inner(call, at, st)?;
        let name = name.to_owned();
        Rc::make_mut(&mut st.functions)
            .entry(name)
            .or_insert(function);
        Ok(done)
    }

    /// Runs the words as another program: what it does to its own shell state is lost.
    pub(crate) fn separate(&mut self, call: &Call, argv: Vec<String>, st: &State) -> Judged<Done> {
        if argv.is_empty() {
            return Ok(Done::default());
        }
        let mut child = st.outside_shell();
        let done = self.run(call.with(argv), &mut child)?;
        Ok(Done::printing(done.out))
    }
}
