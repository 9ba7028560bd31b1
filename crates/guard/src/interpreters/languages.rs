//! Command lines of scripting languages: finds the code (`-c`, `-e`, standard input, a file) and hands it on.
//!
//! Knows options, not languages; what the code does is worked out in `effects`.

use std::rc::Rc;

use super::foreign;
use super::itself;
use super::javascript_tools::imports_address;
use super::lua;
use super::options::{interpreter, plan};
use super::syntax::Family;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::rules;
use crate::shell::state::State;
use crate::shell::text::{self, ANY, brief};
use crate::shell::walk::{Done, Walker, fetched};
use crate::wrappers::unproven;

pub(super) fn is_language(name: &str) -> bool {
    interpreter(name).is_some()
}

/// Steps that code takes to be read at all, besides those of what is in it.
const PROGRAM: usize = 12;

impl Walker<'_> {
    pub(super) fn language(
        &mut self,
        name: &str,
        call: &Call,
        st: &mut State,
    ) -> Judged<Option<Done>> {
        if matches!(name, "deno" | "node") {
            rules::runners::others::judge(self, name, call, st)?;
        }
        if matches!(name, "deno" | "bun") {
            return self.javascript_tool(name, call, st);
        }
        if name == "php"
            && let Some(done) = self.php_server(call, st)?
        {
            return Ok(Some(done));
        }
        let Some(interpreter) = interpreter(name) else {
            return Ok(None);
        };
        self.charge(PROGRAM)?;
        let args = call.args();
        if matches!(args, [only] if matches!(only.as_str(), "--version" | "-V" | "-v" | "--help" | "-h"))
        {
            return Ok(Some(Done::default()));
        }
        let subcommands = matches!(name, "swift" | "dart" | "nim" | "crystal" | "julia")
            && args
                .first()
                .is_some_and(|arg| !arg.starts_with('-') && !arg.contains('.'));
        if subcommands {
            return Ok(None);
        }
        // `dart --verbose pub publish`
        if name == "dart"
            && args.iter().any(|arg| arg == "pub")
            && args.first().is_some_and(|arg| arg.starts_with('-'))
            && let Some(judged) = rules::publishing_words(name, args)
        {
            judged?;
        }
        let plan = plan(&interpreter, args);
        for library in &plan.loads {
            self.loaded_by_option(name, library, st)?;
        }
        for folders in &plan.searched {
            rules::environment::searched(self, name, folders, st)?;
        }
        self.written_libraries(interpreter.family, &plan, call, st)?;
        for path in &plan.writes {
            // `--test-reporter-destination stdout`
            if !matches!(path.as_str(), "stdout" | "stderr") {
                self.write_path(path, st)?;
            }
        }
        if interpreter.family == Family::Perl && debugs(args) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "what the debugger is told cannot be seen; run the script directly",
            ));
        }
        if interpreter.family == Family::Php && args.iter().any(|arg| prepends(arg)) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "a file that is run before or behind the script cannot be followed; leave the setting out",
            ));
        }
        if let Some(module) = plan.module {
            // `-m unittest x`, `-m doctest x.py`
            if matches!(
                module.as_str(),
                "unittest" | "doctest" | "pytest" | "coverage" | "runpy"
            ) {
                self.written_imports(&plan.rest, Family::Python, call, st)?;
            }
            let mut argv = vec![module_program(&module)];
            argv.extend(plan.rest);
            if let Some(done) =
                self.python_module(&module, argv.get(1..).unwrap_or_default(), call, st)?
            {
                return Ok(Some(done));
            }
            if module == "timeit" {
                let source: Rc<str> = timed_code(argv.get(1..).unwrap_or_default()).into();
                self.judge_code(&source, Family::Python, &[], call, st)?;
                return Ok(Some(Done::printing(ANY)));
            }
            if matches!(
                module.as_str(),
                "pdb" | "cProfile" | "profile" | "trace" | "coverage"
            ) {
                self.need_writer("runs Python code")?;
                let steps = module == "pdb" && !self.wrote_named(".pdbrc") && only_steps(&argv);
                let given = argv.iter().any(|arg| {
                    arg == "-c"
                        || module == "pdb" && (arg.starts_with("-c") || arg.starts_with("--c"))
                });
                let told = module == "pdb"
                    && call
                        .stdin
                        .as_ref()
                        .is_some_and(|input| !input.lines().all(is_step));
                if given && !steps || told {
                    return Err(Refusal::new(
                        rule::UNPROVEN,
                        "what the debugger would run cannot be worked out; run the script directly",
                    ));
                }
                let script = argv.iter().skip(1).find(|arg| {
                    std::path::Path::new(arg)
                        .extension()
                        .is_some_and(|end| end == "py")
                });
                if let Some(script) = script.cloned() {
                    match self.known_script(&script, st) {
                        Some(source) => {
                            self.judge_code(&source, Family::Python, &[], call, st)?;
                        }
                        None => self.project_script(name, &script, st)?,
                    }
                }
                return Ok(Some(Done::printing(ANY)));
            }
            // A module that no rule knows is the project's own, whatever its subcommands are called.
            self.module = argv.first().cloned();
            let judged = self.separate(call, argv, st);
            self.module = None;
            return judged.map(Some);
        }
        if plan.interactive
            && let Some(source) = call.stdin.clone()
        {
            self.judge_code(&source, interpreter.family, &[], call, st)?;
        }
        if !plan.imports.is_empty() && plan.code.is_empty() {
            let source: Rc<str> = plan.imports.join("\n").into();
            self.judge_code(&source, interpreter.family, &plan.rest, call, st)?;
        }
        if name == "expect" {
            let code = plan.code.join("\n");
            let source = match (code.is_empty(), plan.from_stdin || plan.rest.is_empty()) {
                (false, _) => Some(code.into()),
                (true, true) => call.stdin.clone(),
                (true, false) => None,
            };
            if let Some(source) = source
                && self.dialogue(&source, call, st)?.is_some()
            {
                return Ok(Some(Done::printing(ANY)));
            }
        }
        if !plan.code.is_empty() {
            if name.starts_with("ipython") {
                let code = self.without_magic(&plan.code.join("\n"), st)?;
                self.judge_code(&code.into(), interpreter.family, &plan.rest, call, st)?;
                return Ok(Some(Done::printing(ANY)));
            }
            let mut code = plan.code;
            if plan.each_line && !self.fed_own_paths(&plan.rest, call, st) {
                code = vec![for_each_line(interpreter.family, &code.join("\n"))];
            }
            let parts: Vec<String> = plan.imports.into_iter().chain(code).collect();
            let source: Rc<str> = parts.join("\n").into();
            self.judge_code(&source, interpreter.family, &plan.rest, call, st)?;
            if plan.in_place {
                let texts = rules::texts_put(&source);
                self.in_place(&plan.rest, plan.backup.as_deref(), &texts, st)?;
            }
            return Ok(Some(Done::printing(ANY)));
        }
        let script = plan.rest.split_first().filter(|_| !plan.from_stdin);
        let Some((script, rest)) = script else {
            if !plan.from_stdin && args.iter().any(|arg| arg.starts_with("--test")) {
                self.need_writer("runs the project's tests")?;
                return Ok(Some(Done::printing(ANY)));
            }
            let Some(source) = call.stdin.clone() else {
                return Err(Refusal::new(
                    rule::UNPROVEN,
                    format!("an interactive {name} cannot be guarded; run a script or one-liner"),
                ));
            };
            self.judge_code(&source, interpreter.family, &plan.rest, call, st)?;
            return Ok(Some(Done::printing(ANY)));
        };
        if plan.only_checks {
            self.read_path(script, st)?;
            return Ok(Some(Done::printing("")));
        }
        let mut inner = st.clone();
        inner.stdin.clone_from(&call.stdin);
        if self.has_changed_code(script, interpreter.family, rest, call, &inner)? {
            self.project_script(name, script, st)?;
        } else if let Some(source) = self.script_or_module(name, script, &inner) {
            self.judge_code(&source, interpreter.family, rest, call, st)?;
        } else {
            self.project_script(name, script, st)?;
            rules::publishing_script(self, call, script, rest, st)?;
        }
        if script.ends_with("setup.py") {
            for place in crate::rules::installed_to(call) {
                self.write_path(&place, st)?;
            }
            rules::outside_arguments(self, "setup.py", rest, st)?;
        }
        if script.ends_with("setup.py")
            && rest
                .iter()
                .any(|arg| matches!(arg.as_str(), "upload" | "register"))
        {
            return Err(Refusal::new(
                rule::PUBLISH,
                "setup.py upload would publish; commit and send worker_done mail, the merge queue is the only way out",
            ));
        }
        if plan.in_place {
            self.in_place(rest, plan.backup.as_deref(), &[], st)?;
        }
        Ok(Some(Done::printing(ANY)))
    }

    /// Whether what code reads line by line is known, and nothing but paths inside: `find . -name x | perl -lne unlink`.
    fn fed_own_paths(&self, files: &[String], call: &Call, st: &State) -> bool {
        let inside = |line: &str| {
            line.is_empty() || st.cwd.iter().all(|place| self.paths.is_inside(line, place))
        };
        let fed = call.stdin.as_deref().filter(|_| files.is_empty());
        fed.is_some_and(|fed| !text::is_any(fed) && fed.split(['\n', '\0']).all(inside))
    }

    pub(super) fn judge_code(
        &mut self,
        source: &Rc<str>,
        family: Family,
        args: &[String],
        call: &Call,
        st: &State,
    ) -> Judged<()> {
        if family == Family::Other {
            if call.argv.first().is_some_and(|name| lua::is_lua(name)) {
                let left = self.opened_by_lua(source, st)?;
                return foreign::judge(&left);
            }
            return foreign::judge(source);
        }
        if family == Family::JavaScript && imports_address(source) {
            return Err(fetched());
        }
        let given = call.variable("PYTHON").is_some() || st.var("PYTHON").is_some();
        let source = &itself::replaced(source, family, given);
        self.nested(|walker| walker.code(source, family, args, call, st))
    }

    /// What an option loads before the script: a file of the project, or a package.
    pub(super) fn loaded_by_option(&mut self, name: &str, library: &str, st: &State) -> Judged<()> {
        let path = library.strip_prefix("file://").unwrap_or(library);
        if path.starts_with(['/', '.', '~']) {
            return self.project_script(name, path, st);
        }
        let address = path
            .split_once(':')
            .is_some_and(|(scheme, _)| !matches!(scheme, "node" | "npm"));
        if address || !text::is_known(library) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                format!(
                    "{} is code that would run unread; put it into a file of the project",
                    brief(library)
                ),
            ));
        }
        Ok(())
    }

    /// The code without the lines that IPython hands to a shell, which are judged as shell text.
    pub(super) fn without_magic(&mut self, code: &str, st: &State) -> Judged<String> {
        let mut plain = String::new();
        for line in code.lines() {
            let start = line.trim_start();
            // `name = !command` takes the output.
            let assigned = start
                .split_once('=')
                .map(|(_, value)| value.trim_start())
                .filter(|value| value.starts_with(['!', '%']));
            let magic = assigned.unwrap_or(start);
            if let Some(command) = magic.strip_prefix('!') {
                self.script(command.trim_start_matches('!'), &mut st.for_program())?;
                continue;
            }
            let timed = ["%timeit ", "%time "]
                .iter()
                .find_map(|name| magic.strip_prefix(name));
            if magic.starts_with('%') && timed.is_none() || line.contains("get_ipython") {
                return Err(unproven("ipython"));
            }
            plain.push_str(timed.unwrap_or(line));
            plain.push('\n');
        }
        Ok(plain)
    }
}

/// What `-n` and `-p` make of the code.
fn for_each_line(family: Family, code: &str) -> String {
    if family == Family::Ruby {
        return format!("$_ = gets\n{code}");
    }
    format!("while (<>) {{\n{code}\n}}")
}

/// Whether perl starts its own debugger; `-d:Module` is another one.
fn debugs(args: &[String]) -> bool {
    args.iter()
        .take_while(|arg| arg.starts_with('-'))
        .any(|arg| {
            arg.strip_prefix("-d")
                .is_some_and(|rest| !rest.contains(':'))
        })
}

/// Whether a setting of PHP makes it run a file besides the script.
fn prepends(setting: &str) -> bool {
    setting.contains("auto_prepend_file") || setting.contains("auto_append_file")
}

/// Whether the commands given to the debugger only go through the program.
fn only_steps(args: &[String]) -> bool {
    let commands = args
        .iter()
        .zip(args.iter().skip(1))
        .filter(|(flag, _)| *flag == "-c")
        .map(|(_, command)| command);
    let attached = args
        .iter()
        .any(|arg| arg.starts_with("-c") && arg.len() > 2 || arg.starts_with("--c"));
    !attached
        && commands
            .into_iter()
            .all(|command| !command.trim().is_empty() && is_step(command))
}

/// Whether a command of the debugger only goes through the program.
fn is_step(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let step = words.next().is_none_or(|word| {
        matches!(
            word,
            "c" | "cont"
                | "continue"
                | "b"
                | "break"
                | "tbreak"
                | "n"
                | "next"
                | "s"
                | "step"
                | "r"
                | "return"
                | "until"
                | "q"
                | "quit"
                | "w"
                | "where"
                | "bt"
                | "l"
                | "list"
        )
    });
    step && words.next().is_none_or(|place| {
        place
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '/' | ':'))
    }) && words.next().is_none()
}

/// The program that a Python module is.
fn module_program(module: &str) -> String {
    match module {
        "json.tool" => "python-json-tool".to_owned(),
        "ast" | "tokenize" => "python-syntax".to_owned(),
        "pydoc" => "python-help".to_owned(),
        "pytest" | "py.test" => "pytest".to_owned(),
        "dulwich.cli" => "dulwich".to_owned(),
        other => {
            let name = other.strip_suffix(".__main__").unwrap_or(other);
            rules::published_by_module(name).unwrap_or(name).to_owned()
        }
    }
}

/// The statements `timeit` runs: its operands and what `-s` sets up.
fn timed_code(args: &[String]) -> String {
    let mut code = Vec::new();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        match arg.as_str() {
            "-s" | "--setup" => {
                code.extend(args.get(at).cloned());
                at += 1;
            }
            "-n" | "-r" | "-u" | "--number" | "--repeat" | "--unit" => at += 1,
            _ => match arg.strip_prefix("--setup=").or(arg.strip_prefix("-s")) {
                Some(setup) => code.push(setup.to_owned()),
                None if arg.starts_with('-') => {}
                None => code.push(arg.clone()),
            },
        }
    }
    code.join("\n")
}
