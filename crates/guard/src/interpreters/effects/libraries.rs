//! Library functions that are handed code, commands or frozen objects, and run them.

use super::super::reading::{Call, Owner, Source, Value};
use super::super::syntax::Family;
use super::dynamic::unreadable;
use super::{Run, starts};
use crate::policy::Judged;
use crate::shell::walk::Walker;

/// Modules of Python whose functions run text as code.
const RUN_CODE: &[&str] = &[
    "timeit", "cProfile", "profile", "pdb", "bdb", "trace", "code", "codeop", "doctest", "IPython",
];

/// Modules of Python that bring objects back to life, which runs what the bytes say.
const THAW: &[&str] = &[
    "pickle",
    "cPickle",
    "_pickle",
    "dill",
    "cloudpickle",
    "joblib",
    "torch",
    "pandas",
    "pd",
];

impl Walker<'_> {
    pub(super) fn library_call(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<()> {
        if run.family == Family::Perl {
            return Self::perl_library(made, run);
        }
        if matches!(&made.owner, Owner::Module(owner) if owner == "Open3")
            && made.name.starts_with("pipeline")
        {
            return Err(starts::computed(&made.name));
        }
        if run.family != Family::Python {
            return Ok(());
        }
        let name = made.name.as_str();
        let module = module_of(made, run);
        match name {
            "timeit"
            | "repeat"
            | "Timer"
            | "run"
            | "runctx"
            | "runeval"
            | "runsource"
            | "runcode"
            | "push"
            | "run_docstring_examples"
            | "debug_src"
            | "debug_script"
                if given_code(module, name, run) =>
            {
                self.code_given(made, run)
            }
            // These read what to run from standard input.
            "interact" | "set_trace" | "breakpoint" if run.call.stdin.is_some() => {
                Err(unreadable(name))
            }
            "pipepager" | "tempfilepager" => self.command_given(made, 1, run),
            "get" | "register" | "GenericBrowser" | "BackgroundBrowser"
                if module == Some("webbrowser") =>
            {
                let at = usize::from(name == "register") * 2;
                match made.args.get(at) {
                    Some(Value::Text(_)) => self.command_given(made, at, run),
                    Some(_) | None => Ok(()),
                }
            }
            "load" | "loads" | "Unpickler" | "read_pickle"
                if module.is_some_and(|module| THAW.contains(&module)) =>
            {
                self.thawed(made, run)
            }
            _ => Ok(()),
        }
    }

    /// Each text that is handed over is read like the program around it.
    fn code_given(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<()> {
        let keyed = made
            .keys
            .iter()
            .filter(|(key, _)| {
                matches!(
                    key.as_str(),
                    "stmt" | "setup" | "statement" | "cmd" | "source" | "expr"
                )
            })
            .map(|(_, value)| value);
        for (at, value) in made.args.iter().chain(keyed).enumerate() {
            for choice in value.choices() {
                match choice {
                    Value::Text(code) if code.trim_start().starts_with(">>>") => {
                        return Err(unreadable(&made.name));
                    }
                    Value::Text(code) => {
                        let code = code.clone();
                        self.nested(|walker| {
                            walker.code(&code, run.family, run.args, run.call, &run.st)
                        })?;
                    }
                    Value::Unknown(_) if at == 0 => return Err(unreadable(&made.name)),
                    Value::Unknown(_)
                    | Value::Named(_)
                    | Value::Path(_)
                    | Value::List(_)
                    | Value::Map(_)
                    | Value::Method(_)
                    | Value::OneOf(_)
                    | Value::Function => {}
                }
            }
        }
        Ok(())
    }

    fn command_given(&mut self, made: &Call, at: usize, run: &mut Run<'_>) -> Judged<()> {
        let command = made.args.get(at).and_then(Value::as_text);
        match command {
            Some(command) => self.script(command, &mut run.st.for_program()).map(|_| ()),
            None => Err(starts::computed(&made.name)),
        }
    }

    /// What is thawed must come from a file of the project, which is as good as a script of it.
    fn thawed(&mut self, made: &Call, run: &Run<'_>) -> Judged<()> {
        let from = made
            .args
            .first()
            .map_or(Source::Content, |first| match first {
                // The path of a file.
                Value::Text(_) | Value::Path(_) if made.name != "loads" => Source::Content,
                Value::Text(_) => Source::Outside,
                other @ (Value::Unknown(_)
                | Value::Named(_)
                | Value::Path(_)
                | Value::List(_)
                | Value::Map(_)
                | Value::Method(_)
                | Value::OneOf(_)
                | Value::Function) => other.source(),
            });
        let foreign = run.reading.texts.iter().any(|text| {
            let looks = text.starts_with(['/', '~']) || text.split('/').any(|part| part == "..");
            looks
                && !text.contains('\n')
                && !run
                    .st
                    .cwd
                    .iter()
                    .all(|place| self.paths.is_inside(text, place))
        });
        let computed = matches!(from, Source::Outside | Source::Turned)
            || matches!(from, Source::Program | Source::Made) && made.name == "loads";
        if computed || foreign || run.uses("urlopen") || run.uses("requests") {
            return Err(unreadable(&made.name));
        }
        Ok(())
    }

    /// Modules of Perl that start programs under names of their own.
    fn perl_library(made: &Call, run: &Run<'_>) -> Judged<()> {
        let brings = run.uses("IPC") || run.uses("Proc");
        let starts = matches!(
            made.name.as_str(),
            "run" | "runx" | "capture" | "capturex" | "run_forked" | "harness" | "start"
        );
        if starts && brings || matches!(made.name.as_str(), "runx" | "capturex" | "run_forked") {
            return Err(starts::computed(&made.name));
        }
        Ok(())
    }
}

/// The first part of the module a function is called on; `None` for objects and for no module at all.
fn module_of<'c>(made: &'c Call, run: &Run<'_>) -> Option<&'c str> {
    let full = match &made.owner {
        Owner::Module(name) => name.as_str(),
        Owner::Object(Value::Named(name)) => name.as_ref(),
        Owner::None | Owner::Object(_) => return None,
    };
    let first = full.split('.').next().unwrap_or(full);
    (run.reading.imports.contains(first) || first == "pd").then_some(first)
}

/// Whether this is one of the functions that run text; objects may be of any class of those modules.
fn given_code(module: Option<&str>, name: &str, run: &Run<'_>) -> bool {
    match module {
        Some(module) => RUN_CODE.contains(&module),
        None => {
            let imported = RUN_CODE
                .iter()
                .any(|module| run.reading.imports.contains(*module));
            imported && (!matches!(name, "push" | "repeat") || run.uses("code"))
        }
    }
}
