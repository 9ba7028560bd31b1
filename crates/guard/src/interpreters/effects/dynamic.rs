//! Code that runs other code, libraries that do what git does, and signals.

use super::super::reading::{Call, Owner, Value};
use super::super::syntax::Family;
use super::{Run, names, table};
use crate::policy::{Judged, Refusal, rule};
use crate::rules::agents;
use crate::shell::walk::Walker;

pub(super) fn unreadable(name: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!("{name} runs code that cannot be read beforehand; write the code out"),
    )
}

/// Refuses names whose mere use is too much.
pub(super) fn refuse_names(run: &Run<'_>) -> Judged<()> {
    if let Some(name) = names::DYNAMIC.iter().find(|name| run.uses(name)) {
        return Err(unreadable(name));
    }
    let thaws = run
        .reading
        .texts
        .iter()
        .any(|text| text.contains("!!python/"));
    if thaws && run.reading.imports.contains("yaml") {
        return Err(unreadable("yaml"));
    }
    let starters = ["run", "harness", "start", "capture", "new"];
    if run.family == Family::Perl
        && (run.uses("IPC") || run.uses("Proc"))
        && let Some(name) = starters.iter().find(|name| run.uses(name))
    {
        return Err(super::starts::computed(name));
    }
    let library = run
        .reading
        .imports
        .iter()
        .any(|name| matches!(name.as_str(), "git" | "pygit2" | "dulwich" | "rugged"))
        || run.reading.texts.iter().any(|text| {
            matches!(
                text.as_ref(),
                "simple-git" | "isomorphic-git" | "nodegit" | "rugged"
            )
        });
    // `require 'git'`
    let library = library
        || run.family == Family::Ruby
            && run.uses("Git")
            && run.reading.texts.iter().any(|text| text.as_ref() == "git");
    let changes = [
        "push",
        "push_to",
        "reset",
        "delete",
        "delete_head",
        "force",
        "clean",
        "set_reference",
    ];
    if library && changes.iter().any(|name| run.uses(name)) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "what a git library would do here cannot be worked out; use plain git commands",
        ));
    }
    Ok(())
}

/// Refuses code that is imported as text, and libraries that start an agent.
pub(super) fn brought_in(run: &Run<'_>) -> Judged<()> {
    let script = run.family == Family::JavaScript;
    let as_text = |text: &str| {
        let lower = text.to_lowercase();
        lower.starts_with("data:")
            && (lower.contains("javascript")
                || lower.contains("ecmascript")
                || lower.contains("wasm"))
    };
    if script && run.reading.texts.iter().any(|text| as_text(text)) {
        return Err(unreadable("import"));
    }
    let modules = run.reading.imports.iter().map(String::as_str);
    let texts = run.reading.texts.iter().filter(|text| {
        let file = std::path::Path::new(text.as_ref());
        script
            && file
                .extension()
                .is_none_or(|end| end != "json" && end != "md")
    });
    let agent = modules
        .filter_map(|module| agents::of_package(&module.replace('_', "-")))
        .chain(
            texts.filter_map(|text| agents::of_package(text).or_else(|| agents::of_script(text))),
        )
        .next();
    let loads =
        !script || run.uses("require") || run.uses("import") || !run.reading.imports.is_empty();
    match agent {
        Some(agent) if loads => Err(agents::unguarded(agent)),
        Some(_) | None => Ok(()),
    }
}

impl Walker<'_> {
    pub(super) fn dynamic_call(&mut self, made: &Call, run: &Run<'_>) -> Judged<()> {
        let name = made.name.as_str();
        let plain = Run::is_plain(made);
        let first = made.args.first();
        match (run.family, name) {
            (Family::Python, "compile") if plain => Err(unreadable(name)),
            (Family::Python, "exec" | "eval") if plain => self.inner_code(made, run),
            (Family::JavaScript, "eval") => self.inner_code(made, run),
            (Family::Perl | Family::Php | Family::Ruby, "eval") => self.inner_code(made, run),
            (Family::JavaScript, "Function" | "constructor" | "binding") => Err(unreadable(name)),
            (Family::JavaScript, "Worker") if made.args.len() > 1 => Err(unreadable(name)),
            (Family::Ruby, "send") => Err(unreadable(name)),
            (Family::Ruby, "method" | "public_method" | "instance_method") => {
                match first.and_then(Value::as_text) {
                    Some(method) if !table::is_distinct(method) && method != "open" => Ok(()),
                    _ => Err(unreadable(name)),
                }
            }
            (Family::Php, "assert") => Err(unreadable(name)),
            (Family::Php, _) => {
                // Functions go by their name as text here.
                let named = made
                    .args
                    .iter()
                    .filter_map(Value::as_text)
                    .find(|text| table::is_start(text) && *text != "exec" && *text != "fork");
                match named {
                    Some(function) if !table::is_start(name) => Err(unreadable(function)),
                    _ => self.loaded(made, run),
                }
            }
            (Family::Perl | Family::Ruby, _) => self.loaded(made, run),
            _ => Ok(()),
        }?;
        let signals = matches!(name, "kill" | "killpg")
            && (plain
                || matches!(&made.owner, Owner::Object(Value::Named(owner)) if owner.as_ref() == "process"));
        // Signal 0 only asks; where it stands depends on the language, and process 0 is the whole group.
        let at = usize::from(!matches!(run.family, Family::Perl | Family::Ruby));
        let asks = made.args.get(at).and_then(Value::as_text) == Some("0");
        if signals && !asks && !made.args.is_empty() {
            return Err(Refusal::new(
                rule::PROCESS,
                "signalling processes from code is not allowed; stop a job you started with kill %1",
            ));
        }
        Ok(())
    }

    /// `eval` and its kin: text that is written out is read like the program around it.
    fn inner_code(&mut self, made: &Call, run: &Run<'_>) -> Judged<()> {
        match made.args.first() {
            Some(Value::Text(code)) => {
                let code = code.clone();
                self.nested(|walker| walker.code(&code, run.family, run.args, run.call, &run.st))
            }
            None => Ok(()),
            Some(_) => Err(unreadable(&made.name)),
        }
    }

    /// Files that are loaded as code.
    fn loaded(&mut self, made: &Call, run: &Run<'_>) -> Judged<()> {
        let loads = matches!(
            made.name.as_str(),
            "require"
                | "load"
                | "do"
                | "include"
                | "include_once"
                | "require_once"
                | "require_relative"
        );
        if !loads || matches!(made.owner, Owner::Object(_)) {
            return Ok(());
        }
        match made.args.first() {
            Some(Value::Text(path))
                if path.starts_with(['/', '~', '.']) || path.contains("://") =>
            {
                self.project_script(&made.name, &super::home_marked(path), &run.st)
            }
            Some(Value::Text(_)) | None => Ok(()),
            Some(Value::Named(_)) => Ok(()),
            Some(_) => Err(unreadable(&made.name)),
        }
    }
}
