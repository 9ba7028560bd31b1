//! Programs that run another program: finds the inner command line and judges that.
//!
//! Only the shapes of their options live here. Interpreters with a language of their own are elsewhere.

use super::commands::Call;
use super::policy::{Judged, Refusal, rule};
use super::shell::state::State;
use super::shell::text::{self, ANY};
use super::shell::walk::{Done, Walker, quote};

/// A wrapper whose command starts at its first operand.
struct Shape {
    /// Short options that take a value.
    short: &'static str,
    /// Long options that take a value as the next word.
    long: &'static [&'static str],
    /// Operands before the command.
    skip: usize,
}

const fn shape(short: &'static str, long: &'static [&'static str], skip: usize) -> Shape {
    Shape { short, long, skip }
}

fn shape_of(name: &str) -> Option<Shape> {
    Some(match name {
        "nohup" | "setsid" | "builtin" | "unbuffer" | "fakeroot" | "caffeinate" | "catchsegv"
        | "rlwrap" | "dbus-run-session" | "torsocks" | "proxychains" | "proxychains4"
        | "ccache" | "sccache" | "distcc" | "winpty" | "allocate-pty" | "tsp" | "chronic"
        | "ifne" | "errno" | "not" => shape("ptn", &[], 0),
        "exec" => shape("a", &[], 0),
        "nice" => shape("n", &["--adjustment"], 0),
        "ionice" => shape("cnpPu", &["--class", "--classdata"], 0),
        "chrt" => shape("TPD", &[], 1),
        "taskset" => shape("", &[], 1),
        "numactl" => shape("NmCpi", &["--cpunodebind", "--membind"], 0),
        "prlimit" => shape("p", &["--pid"], 0),
        "cpulimit" => shape("lpP", &["--limit"], 0),
        "stdbuf" => shape("ioe", &["--input", "--output", "--error"], 0),
        "timeout" | "gtimeout" => shape("sk", &["--signal", "--kill-after"], 1),
        "time" | "gtime" => shape("fo", &["--format", "--output"], 0),
        "faketime" => shape("f", &[], 1),
        "xvfb-run" => shape("nesfpw", &["--server-args", "--server-num"], 0),
        "valgrind" => shape("", &[], 0),
        "strace" | "ltrace" => shape("aeEoOpPsSuXbI", &["--output", "--trace"], 0),
        "linux32" | "linux64" => shape("", &[], 0),
        "arch" | "setarch" => shape("", &[], 0),
        "busybox" | "toybox" => shape("", &[], 0),
        "pipx" | "uvx" => shape("p", &["--spec", "--from", "--with", "--python", "-p"], 0),
        "direnv" | "mise" | "asdf" | "rtx" => shape("", &[], 0),
        _ => return None,
    })
}

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
                _ => self.inner(call, operand_at(args, "", &[]), st)?,
            },
            "exec" | "builtin" => {
                let at = operand_at(args, "a", &[]);
                self.inner(call, at, st)?
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
                for arg in args {
                    let runs = [
                        "shell", "!", "python", "call", "system", "pipe", "make", "script",
                        "platform",
                    ];
                    if runs.iter().any(|word| arg.trim_start().starts_with(word)) {
                        return Err(unproven(name));
                    }
                }
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
            "npx" | "bunx" | "pnpx" => self.package_runner(call, rest_of(args, 0), st)?,
            "npm" | "pnpm" | "yarn" | "bun" => match args.first().map(String::as_str) {
                Some("exec" | "x" | "dlx") => self.package_runner(call, rest_of(args, 1), st)?,
                _ => return Ok(None),
            },
            "poetry" | "uv" | "pipenv" | "pdm" | "hatch" | "rye" | "conda" | "mamba"
            | "micromamba" | "bundle" | "rustup" | "pipx" | "direnv" | "mise" | "rtx" | "asdf"
            | "corepack" | "dotenv" | "op" | "nix" | "doppler" | "infisical" | "devbox" => {
                return self.environment_runner(name, call, st);
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
                || name.starts_with("qemu-") =>
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
                    let output = ["strace", "ltrace", "time", "gtime"].contains(&name);
                    if output {
                        for (flag, value) in args.iter().zip(args.iter().skip(1)) {
                            if matches!(flag.as_str(), "-o" | "--output") {
                                self.write_path(value, st)?;
                            }
                        }
                    }
                    let at = operand_at(args, shape.short, shape.long) + shape.skip;
                    self.separate(call, rest_of(args, at), st)?
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

    /// Runs the words as another program: what it does to its own shell state is lost.
    pub(crate) fn separate(&mut self, call: &Call, argv: Vec<String>, st: &State) -> Judged<Done> {
        if argv.is_empty() {
            return Ok(Done::default());
        }
        let mut child = st.clone();
        let done = self.run(call.with(argv), &mut child)?;
        Ok(Done::printing(done.out))
    }

    fn env(&mut self, call: &Call, st: &mut State) -> Judged<Done> {
        let mut rest = call.args().to_vec();
        let mut inner = call.clone();
        let mut child = st.clone();
        loop {
            let Some(first) = rest.first().cloned() else {
                return Ok(Done::default());
            };
            let mut drop = 1;
            if first == "--" {
                rest.drain(..1);
                continue;
            } else if let Some(code) = split_string(&first, rest.get(1)) {
                // `-S` is split like shell words, and the result goes on as arguments.
                let (text, used) = code;
                let mut words = self.words_of(&text, &mut child)?;
                words.extend(rest_of(&rest, used));
                rest = words;
                continue;
            } else if matches!(first.as_str(), "-u" | "--unset") {
                let name = rest.get(1).cloned().unwrap_or_default();
                self.check_variable(&name, "", st)?;
                drop = 2;
            } else if let Some(name) = first
                .strip_prefix("--unset=")
                .or_else(|| first.strip_prefix("-u"))
            {
                self.check_variable(name, "", st)?;
            } else if matches!(first.as_str(), "-C" | "--chdir") {
                let target = rest.get(1).cloned().unwrap_or_default();
                self.enter(&target, &mut child);
                drop = 2;
            } else if let Some(target) = first.strip_prefix("--chdir=") {
                self.enter(target, &mut child);
            } else if matches!(first.as_str(), "-a" | "--argv0") {
                drop = 2;
            } else if first.starts_with('-') {
                if text::is_any(&first) {
                    return Err(unproven("env"));
                }
            } else if let Some((name, value)) = first.split_once('=') {
                self.check_variable(name, value, st)?;
                inner.env.push((name.to_owned(), value.to_owned()));
                let mut var = super::shell::state::Var::scalar(value.to_owned());
                var.exported = true;
                child.set(name, var);
            } else {
                return self.separate(&inner, rest, &child);
            }
            rest.drain(..drop.min(rest.len()));
        }
    }

    /// Moves a state into a directory, whether it exists or not.
    pub(crate) fn enter(&mut self, target: &str, st: &mut State) {
        let call = [target.to_owned()];
        let plain = Call {
            argv: std::iter::once("cd".to_owned()).chain(call).collect(),
            env: Vec::new(),
            stdin: None,
        };
        if target == "-" || self.builtin("cd", &plain, st).is_err() {
            st.cwd = vec![super::paths::Place::Unknown];
        }
    }

    fn words_of(&mut self, text: &str, st: &mut State) -> Judged<Vec<String>> {
        let list = super::shell::parser::parse(text, self.depth)
            .map_err(|error| Refusal::new(rule::UNPROVEN, error.to_string()))?;
        let simple = match list.items.as_slice() {
            [item] if item.rest.is_empty() => match item.first.stages.as_slice() {
                [super::shell::ast::Command::Simple(simple)] => simple,
                _ => return Err(unproven("env -S")),
            },
            _ => return Err(unproven("env -S")),
        };
        let mut words = Vec::new();
        for assign in &simple.assigns {
            if let super::shell::ast::AssignValue::Scalar(word) = &assign.value {
                let value = self.scalar(word, st)?;
                words.push(format!("{}={value}", assign.name));
            }
        }
        words.extend(self.fields(&simple.words, st)?);
        Ok(words)
    }

    fn xargs(&mut self, call: &Call, st: &mut State) -> Judged<Done> {
        let args = call.args();
        let mut replace: Option<String> = None;
        let mut file: Option<String> = None;
        let mut separator = None;
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            let value = |at: usize| args.get(at + 1).cloned().unwrap_or_default();
            if arg == "--" {
                at += 1;
                break;
            }
            separator = separator.or_else(|| item_separator(arg, args.get(at + 1)));
            if arg == "-I" {
                replace = Some(value(at));
                at += 2;
            } else if let Some(text) = arg.strip_prefix("-I") {
                replace = Some(text.to_owned());
                at += 1;
            } else if arg == "-i" || arg == "--replace" {
                replace = Some("{}".to_owned());
                at += 1;
            } else if let Some(text) = arg.strip_prefix("--replace=") {
                replace = Some(text.to_owned());
                at += 1;
            } else if arg == "-J" {
                replace = Some(value(at));
                at += 2;
            } else if matches!(arg.as_str(), "-a" | "--arg-file") {
                file = Some(value(at));
                at += 2;
            } else if let Some(text) = arg
                .strip_prefix("--arg-file=")
                .or_else(|| arg.strip_prefix("-a"))
            {
                file = Some(text.to_owned());
                at += 1;
            } else if matches!(
                arg.as_str(),
                "-n" | "-P"
                    | "-L"
                    | "-s"
                    | "-d"
                    | "-E"
                    | "-R"
                    | "-S"
                    | "--max-args"
                    | "--max-procs"
                    | "--max-chars"
                    | "--delimiter"
                    | "--max-lines"
                    | "--eof"
            ) {
                at += 2;
            } else if arg.starts_with('-') && arg.len() > 1 {
                at += 1;
            } else {
                break;
            }
        }
        let input = match &file {
            Some(path) => {
                self.read_path(path, st)?;
                self.content(path, st)
            }
            None => call.stdin.clone().unwrap_or_else(|| ANY.to_string().into()),
        };
        let mut argv = rest_of(args, at);
        if argv.is_empty() {
            return Ok(Done::printing(input.to_string()));
        }
        let mut inner = call.clone();
        inner.stdin = Some("".into());
        let items: Vec<String> = match &replace {
            Some(_) => input
                .split(['\n', '\0'])
                .map(|line| line.trim().to_owned())
                .filter(|line| !line.is_empty())
                .collect(),
            None => split_items(&input, separator),
        };
        self.charge(items.len())?;
        let Some(mark) = replace.filter(|mark| !mark.is_empty()) else {
            argv.extend(items);
            return self.separate(&inner, argv, st);
        };
        let mut unique = items;
        unique.sort();
        unique.dedup();
        if unique.len() > 50 || unique.is_empty() {
            unique = vec![ANY.to_string()];
        }
        for item in unique {
            let line = argv.iter().map(|arg| arg.replace(&mark, &item)).collect();
            self.separate(&inner, line, st)?;
        }
        Ok(Done::printing(ANY))
    }

    fn parallel(&mut self, call: &Call, st: &mut State) -> Judged<Done> {
        let args = call.args();
        let at = operand_at(
            args,
            "jNnILsadCS",
            &[
                "--jobs",
                "--joblog",
                "--results",
                "--colsep",
                "--arg-file",
                "--delay",
                "--tmpdir",
                "--sshlogin",
                "--retries",
                "--timeout",
            ],
        );
        if args
            .iter()
            .any(|arg| arg == "-S" || arg.starts_with("--sshlogin"))
        {
            return Err(Refusal::new(
                rule::NETWORK,
                "commands run on this machine only; drop the remote login",
            ));
        }
        for (flag, value) in args.iter().zip(args.iter().skip(1)) {
            if matches!(flag.as_str(), "--joblog" | "--results" | "--tmpdir") {
                self.write_path(value, st)?;
            }
        }
        let rest = rest_of(args, at);
        let split = rest.iter().position(|arg| arg.starts_with(":::"));
        let template = rest
            .get(..split.unwrap_or(rest.len()))
            .unwrap_or_default()
            .join(" ");
        let values: Vec<String> = match split {
            Some(at) if rest.get(at).is_some_and(|mark| mark.starts_with("::::")) => {
                vec![ANY.to_string()]
            }
            Some(at) => rest
                .iter()
                .skip(at + 1)
                .filter(|arg| !arg.starts_with(":::"))
                .cloned()
                .collect(),
            None => call.stdin.as_deref().map_or_else(
                || vec![ANY.to_string()],
                |input| input.lines().map(str::to_owned).collect(),
            ),
        };
        self.charge(values.len())?;
        let marks = ["{}", "{.}", "{/}", "{//}", "{/.}", "{1}", "{2}"];
        for value in values.iter().take(200) {
            let quoted = if template.is_empty() {
                value.clone()
            } else {
                quote(value)
            };
            let code = if marks.iter().any(|mark| template.contains(mark)) {
                marks
                    .iter()
                    .fold(template.clone(), |code, mark| code.replace(mark, &quoted))
            } else {
                format!("{template} {quoted}")
            };
            self.script_with_unknown_words(&code, st)?;
        }
        Ok(Done::printing(ANY))
    }

    /// Shell text in which unknown parts are quoted words, not syntax.
    fn script_with_unknown_words(&mut self, code: &str, st: &State) -> Judged<()> {
        let list = super::shell::parser::parse(code, self.depth)
            .map_err(|error| Refusal::new(rule::UNPROVEN, error.to_string()))?;
        self.nested(|walker| walker.list(&list, &mut st.for_program()))?;
        Ok(())
    }

    /// `watch`, `entr`, `hyperfine` …: options, then a command as words or as text.
    fn text_wrapper(&mut self, name: &str, call: &Call, st: &mut State) -> Judged<Done> {
        let args = call.args();
        let (short, long): (&str, &[&str]) = match name {
            "watch" => ("nq", &["--interval"]),
            "entr" => ("", &[]),
            "watchexec" => (
                "ewifsnd",
                &[
                    "--exts",
                    "--watch",
                    "--ignore",
                    "--filter",
                    "--signal",
                    "--debounce",
                    "--project-origin",
                    "--workdir",
                    "--shell",
                ],
            ),
            "hyperfine" => (
                "wmMrpsSnNciLP",
                &[
                    "--warmup",
                    "--runs",
                    "--min-runs",
                    "--max-runs",
                    "--prepare",
                    "--setup",
                    "--cleanup",
                    "--shell",
                    "--export-json",
                    "--export-markdown",
                    "--export-csv",
                    "--command-name",
                    "--parameter-list",
                    "--parameter-scan",
                ],
            ),
            _ => (
                "wcenix",
                &[
                    "--ext", "--watch", "--exec", "--ignore", "--delay", "--names", "-n",
                    "--prefix",
                ],
            ),
        };
        for (flag, value) in args.iter().zip(args.iter().skip(1)) {
            match flag.as_str() {
                "--prepare" | "-p" | "--setup" | "-s" | "--cleanup" | "-c"
                    if name == "hyperfine" =>
                {
                    self.script(value, &mut st.for_program())?;
                }
                "--exec" | "-x" | "-c" if matches!(name, "nodemon" | "chokidar") => {
                    self.script(value, &mut st.for_program())?;
                }
                "--export-json" | "--export-markdown" | "--export-csv" => {
                    self.write_path(value, st)?;
                }
                _ => {}
            }
        }
        let rest = rest_of(args, operand_at(args, short, long));
        if rest.is_empty() {
            return Ok(Done::default());
        }
        if matches!(name, "hyperfine" | "concurrently") {
            for code in &rest {
                self.script(code, &mut st.for_program())?;
            }
            return Ok(Done::default());
        }
        let shell_text =
            |arg: &String| arg.starts_with('-') && !arg.starts_with("--") && arg.contains('s');
        if name == "entr"
            && args
                .iter()
                .take_while(|arg| arg.starts_with('-'))
                .any(shell_text)
        {
            let code = rest.first().cloned().unwrap_or_default();
            return self.script(&code, &mut st.for_program());
        }
        if name == "nodemon" {
            let mut argv = vec!["node".to_owned()];
            argv.extend(rest);
            return self.separate(call, argv, st);
        }
        if name == "entr" || rest.len() > 1 && args.iter().any(|arg| arg == "-x" || arg == "--exec")
        {
            return self.separate(call, rest, st);
        }
        self.script(&rest.join(" "), &mut st.for_program())
    }

    fn script_program(&mut self, call: &Call, st: &mut State) -> Judged<Done> {
        let args = call.args();
        let mut code = None;
        for (at, arg) in args.iter().enumerate() {
            if arg == "--command"
                || arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('c')
            {
                code = args.get(at + 1).cloned();
            } else if let Some(text) = arg.strip_prefix("--command=") {
                code = Some(text.to_owned());
            }
        }
        let at = operand_at(
            args,
            "cEIBOTmo",
            &[
                "--command",
                "--log-out",
                "--log-in",
                "--log-io",
                "--log-timing",
            ],
        );
        let file = args
            .get(at)
            .cloned()
            .unwrap_or_else(|| "typescript".to_owned());
        self.write_path(&file, st)?;
        match code {
            Some(code) => self.script(&code, &mut st.for_program()),
            None if args.len() > at + 1 => self.separate(call, rest_of(args, at + 1), st),
            None => Err(unproven("script")),
        }
    }

    /// `npx tool args`: the tool is judged by its own name.
    fn package_runner(&mut self, call: &Call, args: Vec<String>, st: &State) -> Judged<Done> {
        for (at, arg) in args.iter().enumerate() {
            if matches!(arg.as_str(), "-c" | "--call") {
                let code = args.get(at + 1).cloned().unwrap_or_default();
                return self.script(&code, &mut st.for_program());
            }
            if let Some(code) = arg.strip_prefix("--call=") {
                return self.script(code, &mut st.for_program());
            }
            if !arg.starts_with('-') {
                break;
            }
        }
        let at = operand_at(&args, "pw", &["--package", "--workspace", "--prefix"]);
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
            *tool = match tool.as_str() {
                "@anthropic-ai/claude-code" => "claude".to_owned(),
                "@openai/codex" => "codex".to_owned(),
                "@google/gemini-cli" => "gemini".to_owned(),
                "@github/copilot" => "copilot".to_owned(),
                "@biomejs/biome" => "biome".to_owned(),
                _ => last.to_owned(),
            };
        }
        self.separate(call, rest, st)
    }

    fn environment_runner(&mut self, name: &str, call: &Call, st: &State) -> Judged<Option<Done>> {
        let args = call.args();
        let top = operand_at(args, "C", &["--directory", "--project", "-C"]);
        let sub = args.get(top).map(String::as_str).unwrap_or("");
        let after = rest_of(args, top + 1);
        let (short, long): (&str, &[&str]) = match (name, sub) {
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
            ("poetry" | "pipenv" | "hatch", "run") => ("", &[]),
            ("conda" | "mamba" | "micromamba", "run") => ("np", &["--name", "--prefix", "--cwd"]),
            ("bundle", "exec") => ("", &[]),
            ("pipx", "run") => ("", &["--spec", "--python"]),
            ("asdf", "exec") => ("", &[]),
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
            ("nix", "develop" | "shell" | "run") => {
                let at = args
                    .iter()
                    .position(|arg| matches!(arg.as_str(), "-c" | "--command" | "--"));
                return match at {
                    Some(at) if sub != "run" => {
                        self.separate(call, rest_of(args, at + 1), st).map(Some)
                    }
                    _ => Err(unproven("nix")),
                };
            }
            _ => return Ok(None),
        };
        let dashes = after.iter().position(|arg| arg == "--");
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
        self.separate(call, rest_of(&after, at), st).map(Some)
    }
}

pub(crate) fn unproven(name: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!("what {name} would run here cannot be worked out; run the command directly"),
    )
}

pub(crate) fn rest_of(args: &[String], at: usize) -> Vec<String> {
    args.get(at..).unwrap_or_default().to_vec()
}

/// Where the first operand is, given which options take a value.
pub(crate) fn operand_at(args: &[String], short: &str, long: &[&str]) -> usize {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if arg == "--" {
            return at + 1;
        }
        if !arg.starts_with('-') || arg == "-" {
            if arg.starts_with('+') && arg.len() > 1 && at == 0 && short.contains('+') {
                at += 1;
                continue;
            }
            return at;
        }
        let takes = if arg.starts_with("--") {
            long.contains(&arg.as_str())
        } else {
            long.contains(&arg.as_str())
                || arg.chars().skip(1).position(|c| short.contains(c))
                    == Some(arg.chars().count() - 2)
        };
        at += if takes { 2 } else { 1 };
    }
    at
}

fn asks_version(args: &[String]) -> bool {
    matches!(args, [only] if matches!(only.as_str(), "--version" | "--help" | "-V"))
}

/// The text of `-S text`, `-Stext`, `--split-string=text`, and how many words it took.
fn split_string(first: &str, next: Option<&String>) -> Option<(String, usize)> {
    if let Some(text) = first.strip_prefix("--split-string=") {
        return Some((text.to_owned(), 1));
    }
    if first == "--split-string" {
        return Some((next.cloned().unwrap_or_default(), 2));
    }
    if first.starts_with('-') && !first.starts_with("--") {
        let at = first.find('S')?;
        let flags = first.get(1..at)?;
        if !flags.chars().all(|c| "iv0".contains(c)) {
            return None;
        }
        let attached = first.get(at + 1..)?;
        return Some(if attached.is_empty() {
            (next.cloned().unwrap_or_default(), 2)
        } else {
            (attached.to_owned(), 1)
        });
    }
    None
}

/// What separates the items when `-0` or `-d` say so.
fn item_separator(arg: &str, next: Option<&String>) -> Option<char> {
    let named = |value: &str| match value {
        "\\n" => Some('\n'),
        "\\t" => Some('\t'),
        "\\0" => Some('\0'),
        other => other.chars().next(),
    };
    match arg {
        "--null" => Some('\0'),
        "-d" | "--delimiter" => next.and_then(|value| named(value)),
        _ => {
            if let Some(value) = arg.strip_prefix("--delimiter=").or(arg.strip_prefix("-d")) {
                named(value)
            } else {
                let cluster = arg.strip_prefix('-')?;
                let plain = cluster.chars().all(|c| "0rtpxo".contains(c));
                (plain && cluster.contains('0')).then_some('\0')
            }
        }
    }
}

/// The items `xargs` reads: split at white space, quotes group, a backslash keeps one character. With a
/// separator of its own nothing else counts.
fn split_items(input: &str, separator: Option<char>) -> Vec<String> {
    if let Some(separator) = separator {
        // What other programs print is known by lines only, whatever really ends its items.
        let lines = separator == '\0' && !text::is_known(input);
        let whole =
            input
                .split(|c| c == separator || lines && c == '\n')
                .map(|item| match separator {
                    // Text that ends its last line is the same command with and without the line end.
                    '\0' => item.trim_end_matches('\n').to_owned(),
                    _ => item.to_owned(),
                });
        return whole.filter(|item| !item.is_empty()).collect();
    }
    let mut items = Vec::new();
    let mut item = String::new();
    let mut started = false;
    let mut quote = None;
    let mut chars = input.chars().map(|c| if c == '\0' { ' ' } else { c });
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => item.push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                started = true;
            }
            (None, '\\') => {
                item.extend(chars.next());
                started = true;
            }
            (None, c) if c.is_whitespace() => {
                if started {
                    items.push(std::mem::take(&mut item));
                    started = false;
                }
            }
            (None, c) => {
                item.push(c);
                started = true;
            }
        }
    }
    if started {
        items.push(item);
    }
    items
}

/// Whether a debugger or tracer is told to take hold of a running process. What stands behind the
/// program to start is that program's business.
fn attaches(name: &str, args: &[String]) -> bool {
    let mut value = false;
    for arg in args {
        if value {
            value = false;
            continue;
        }
        match arg.as_str() {
            "--args" | "--" => return false,
            "-n" if name == "lldb" => return true,
            "-o" | "-e" | "-s" | "-ex" | "-x" | "-b" | "-E" | "-u" | "-F" | "-c" => value = true,
            _ if arg.starts_with("--pid") || arg.starts_with("--attach") => return true,
            _ if arg.starts_with("-p") => return true,
            _ if arg.starts_with('-') => {}
            // `gdb program 123` attaches, `strace program` starts it.
            _ => {
                let process = args.last().filter(|last| *last != arg);
                return name == "gdb" && process.is_some_and(|last| is_number(last));
            }
        }
    }
    false
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn attaching(name: &str) -> Refusal {
    Refusal::new(
        rule::PROCESS,
        format!("{name} takes hold of a process that may not be yours; start the program under it"),
    )
}
