//! Git commands that make or configure repositories.

use super::super::flags::parse;
use super::made;
use super::options::Plan;
use super::refusals::shared;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

pub(super) fn submodule(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "bj",
        &["branch", "depth", "reference", "jobs", "name"],
    );
    match flags.first() {
        "foreach" => {
            // Everything behind its own options is the command, with the command's options.
            let after = args.iter().skip_while(|arg| *arg != "foreach").skip(1);
            let words: Vec<&str> = after
                .skip_while(|arg| matches!(arg.as_str(), "--recursive" | "-q" | "--quiet" | "--"))
                .map(String::as_str)
                .collect();
            w.script(&words.join(" "), &mut st.for_program())
                .map(|_| ())
        }
        "update" => w.need_writer("checks submodules out"),
        _ => Err(shared("the submodule configuration")),
    }
}

pub(super) fn config(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "f",
        &["file", "blob", "type", "default", "comment", "value"],
    );
    w.need_writer("changes configuration")?;
    match flags.value(&["f", "file"]) {
        Some(path) if !flags.has(&["global", "system", "edit", "e"]) => w.write_path(path, st),
        _ => Err(shared("git configuration")),
    }
}

pub(super) fn clone(w: &mut Walker<'_>, args: &[String], plan: &Plan, call: &Call) -> Judged<()> {
    let st = &plan.st;
    let flags = parse(
        args,
        "bojucl",
        &[
            "branch",
            "origin",
            "depth",
            "jobs",
            "upload-pack",
            "config",
            "template",
            "reference",
            "separate-git-dir",
            "filter",
            "server-option",
            "shallow-since",
            "shallow-exclude",
        ],
    );
    if flags.has(&["c", "config", "separate-git-dir"]) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "settings given to a clone could run anything; clone with plain options",
        ));
    }
    let source = flags.first().to_owned();
    let target = match flags.operands.get(1) {
        Some(target) => target.clone(),
        None => source
            .trim_end_matches('/')
            .rsplit(['/', ':'])
            .next()
            .unwrap_or("clone")
            .trim_end_matches(".git")
            .to_owned(),
    };
    w.read_path(&source, st)?;
    w.write_path(&target, st)?;
    let remote = source.contains("://") || source.contains(':') || text::is_any(&source);
    if remote {
        w.landed_in(&target, true, st);
    }
    made::note(w, &target, &flags, plan, call, true);
    Ok(())
}

pub(super) fn init(w: &mut Walker<'_>, args: &[String], plan: &Plan, call: &Call) -> Judged<()> {
    let flags = parse(
        args,
        "b",
        &[
            "initial-branch",
            "template",
            "separate-git-dir",
            "object-format",
            "ref-format",
        ],
    );
    if flags.has(&["template", "separate-git-dir"]) || plan.repository.git_dir.is_some() {
        return Err(shared("the repository"));
    }
    let target = if flags.first().is_empty() {
        "."
    } else {
        flags.first()
    };
    let top = plan
        .st
        .cwd
        .iter()
        .any(|place| w.paths.zone(target, place) == crate::paths::Zone::Top);
    if top {
        return Err(shared("the repository"));
    }
    let target = target.to_owned();
    w.write_path(&target, &plan.st)?;
    made::note(w, &target, &flags, plan, call, false);
    Ok(())
}
