//! A program being judged: each thing it does, one after the other.

use super::super::reading::{Call, Found, Owner, Reading, Source, Value, read};
use super::super::syntax::Family;
use super::{dynamic, endless, names, opens, sent, starts, steered, table, uploads};
use crate::commands;
use crate::paths::Place;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::{self, HOME, TEMP};
use crate::shell::walk::{Walker, fetched};

/// A program being judged.
pub(super) struct Run<'r> {
    pub(super) family: Family,
    pub(super) reading: &'r Reading,
    /// The words behind the code on the command line.
    pub(super) args: &'r [String],
    pub(super) call: &'r commands::Call,
    pub(super) st: State,
    /// Programs started so far.
    pub(super) started: usize,
    pub(super) source: &'r str,
    /// A call whose target is not known.
    pub(super) unresolved: Option<String>,
    /// A call whose target is the folder of something that is not known.
    pub(super) above: Option<String>,
}

impl Walker<'_> {
    /// Judges code in a scripting language, run in `st` with these further arguments.
    pub(in crate::interpreters) fn code(
        &mut self,
        source: &str,
        family: Family,
        args: &[String],
        call: &commands::Call,
        st: &State,
    ) -> Judged<()> {
        if text::is_fetched(source) {
            return Err(fetched());
        }
        if text::is_any(source) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "the code to run is not known before it runs; write it out",
            ));
        }
        self.charge(source.len() / 64 + 32)?;
        let reading = read(source, family)
            .map_err(|unread| Refusal::new(rule::UNPROVEN, unread.to_string()))?;
        // Each text is looked at by several rules.
        self.charge(reading.tokens * 3 / 4 + reading.texts.len() * 2)?;
        let mut run = Run {
            family,
            reading: &reading,
            args,
            call,
            source,
            st: st.clone(),
            started: 0,
            unresolved: None,
            above: None,
        };
        dynamic::refuse_names(&run)?;
        steered::refuse_spellings(source, &run)?;
        Self::unclear(source, &run)?;
        let before = self.pace.jobs;
        for found in &reading.found {
            self.found(found, &mut run)?;
        }
        endless::refuse(source, &run, self.pace.jobs > before)?;
        self.secrets_in(&run)?;
        self.credentials_in(&run)?;
        steered::bare_effects(&mut run)?;
        sent::published(&run)?;
        uploads::refuse(&run)?;
        dynamic::brought_in(&run)?;
        starts::afterwards(source, self.is_library, &run)?;
        self.written_imports(&run.libraries(), family, call, st)?;
        if let Some(name) = run.above.take() {
            self.nothing_above(&name, &run)?;
        }
        match run.unresolved.take() {
            Some(name) => self.nothing_outside(&name, &run),
            None => Ok(()),
        }
    }

    pub(super) fn found(&mut self, found: &Found, run: &mut Run<'_>) -> Judged<()> {
        match found {
            Found::Call(made) => {
                // In PHP any function may be given the name of another one.
                if run.family != Family::Php && !table::is_judged(&made.name) {
                    return Ok(());
                }
                if made.name == "chdir" {
                    self.code_changes_directory(made, run);
                    return Ok(());
                }
                if made.name == "fchdir" {
                    run.st.cwd = vec![Place::Unknown];
                    return Ok(());
                }
                Self::sent_by(made, run)?;
                self.library_call(made, run)?;
                self.dynamic_call(made, run)?;
                self.started_by(made, run)?;
                self.opened_by(made, run)?;
                self.linked_by(made, run)?;
                if self.steered_by(made, run)? {
                    return Ok(());
                }
                self.written_by(made, run)
            }
            Found::Run(value) => {
                run.started += 1;
                match value.as_text() {
                    Some(code) => self.script(code, &mut run.st.for_program()).map(|_| ()),
                    None => Err(starts::computed("a command in backquotes")),
                }
            }
            Found::Escape(name, effect) => self.handed_on(name, *effect, run),
            Found::Computed(what) => Err(dynamic::unreadable(what)),
        }
    }

    pub(super) fn handed_on(
        &mut self,
        name: &str,
        effect: table::Effect,
        run: &mut Run<'_>,
    ) -> Judged<()> {
        match effect {
            table::Effect::Starts => Err(starts::computed(name)),
            table::Effect::Anything => Err(Refusal::new(
                rule::UNPROVEN,
                format!(
                    "{name} is handed on and could be made to do anything; call it by its own name"
                ),
            )),
            table::Effect::Opens if !opens::may_write(run) => Ok(()),
            table::Effect::Writes | table::Effect::Opens => {
                self.target(name, &Value::Unknown(Source::Program), false, run)
            }
        }
    }

    /// The path with the folder for temporary files that a program finds by itself spelled out.
    pub(super) fn with_temp(&self, path: String, run: &Run<'_>) -> String {
        let Some(rest) = path.strip_prefix(TEMP) else {
            return path;
        };
        let folder = crate::rules::temporary::folder(self, run.call, &run.st);
        format!("{}{rest}", folder.as_deref().unwrap_or("/tmp"))
    }

    pub(super) fn code_changes_directory(&mut self, made: &Call, run: &mut Run<'_>) {
        match made.args.first().and_then(Value::as_text) {
            Some(target) => {
                let target = self.with_temp(home_marked(target), run);
                self.enter(&target, &mut run.st);
            }
            None => run.st.cwd = vec![Place::Unknown],
        }
    }

    /// Text that was misread could hide anything: then no dangerous name may be in it.
    pub(super) fn unclear(source: &str, run: &Run<'_>) -> Judged<()> {
        // `\N{NAME}` in a string is a letter by its name, which is not looked up.
        let named = run.family == Family::Python && source.contains("\\N{");
        if !run.reading.unclear && !named {
            return Ok(());
        }
        let words = source.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        for name in words {
            if table::is_distinct(name) || names::GATEWAYS.contains(&name) || name == "eval" {
                return Err(starts::computed(name));
            }
        }
        Ok(())
    }

    pub(super) fn secrets_in(&mut self, run: &Run<'_>) -> Judged<()> {
        let database = [
            "connect",
            "Database",
            "DatabaseSync",
            "DBI",
            "SQLite3",
            "PDO",
            "open_database",
            "execute",
            // A lock is held against the orchestrator.
            "fcntl",
            "flock",
            "lockf",
            "portalocker",
            "filelock",
            "FileLock",
            "lockSync",
        ]
        .iter()
        .any(|name| run.reading.words.contains(*name));
        for value in &run.reading.texts {
            if value.contains([' ', '\n']) || !value.starts_with(['/', '~', '.']) {
                continue;
            }
            self.read_path(&home_marked(value), &run.st)?;
            if database
                && run
                    .st
                    .cwd
                    .iter()
                    .any(|place| self.paths.is_state(value, place))
            {
                return Err(Refusal::new(
                    rule::STATE,
                    "orchestrator state is changed only by the orchestrator's own commands",
                ));
            }
        }
        Ok(())
    }
}

impl Run<'_> {
    /// Whether a call is one of a module, or of no object at all.
    pub(super) fn is_plain(made: &Call) -> bool {
        !matches!(made.owner, Owner::Object(_))
    }

    /// Whether a program reads variables of the environment.
    pub(super) fn uses_environment(&self) -> bool {
        ["environ", "getenv", "env", "ENV", "_ENV"]
            .iter()
            .any(|name| self.uses(name))
    }

    /// What the code brings in, by the names and paths it says.
    fn libraries(&self) -> Vec<String> {
        let loads = [
            "require",
            "load",
            "do",
            "import",
            "require_relative",
            "autoload",
            "include",
            "require_once",
            "include_once",
            "__import__",
            "import_module",
            "run_path",
            "run_module",
            "execfile",
            "spec_from_file_location",
            "SourceFileLoader",
            "instance_eval",
        ];
        let loaded = loads.iter().any(|name| self.uses(name));
        let texts = self
            .reading
            .texts
            .iter()
            .filter(|text| loaded && text.len() < 256 && !text.contains([' ', '\n']));
        let texts = texts.map(|text| text.to_string());
        self.reading.imports.iter().cloned().chain(texts).collect()
    }

    pub(super) fn uses(&self, name: &str) -> bool {
        self.reading.words.contains(name)
    }
}

pub(super) fn home_marked(path: &str) -> String {
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{HOME}{rest}"),
        _ => path.to_owned(),
    }
}
