//! Calculators, plotters and macro processors: small languages that can run commands.

use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    match name {
        "dc" => Some(desk_calculator(w, call, st)),
        "m4" => Some(macros(w, call, st)),
        "gnuplot" => Some(plotter(w, call, st)),
        _ => None,
    }
}

/// The programs on the command line, in files this command wrote, and on standard input.
fn programs(w: &Walker<'_>, call: &Call, codes: &[&str], st: &State) -> Vec<String> {
    let args = call.args();
    let mut found = Vec::new();
    let mut skip = false;
    for (at, arg) in args.iter().enumerate() {
        if std::mem::take(&mut skip) {
            continue;
        }
        if codes.contains(&arg.as_str()) {
            found.extend(args.get(at + 1).cloned());
            skip = true;
            continue;
        }
        let attached = codes.iter().find_map(|code| arg.strip_prefix(code));
        if let Some(code) = attached.filter(|_| arg.len() > 2) {
            found.push(code.trim_start_matches('=').to_owned());
            continue;
        }
        if !arg.starts_with('-') {
            let known = w.content(arg, st);
            if !text::is_any(&known) {
                found.push(known.to_string());
            }
        }
    }
    found.extend(call.stdin.as_ref().map(|input| input.to_string()));
    found
}

/// `!command` up to the end of the line, unless it is a comparison.
fn desk_calculator(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    for program in programs(w, call, &["--expression", "-e"], st) {
        for line in program.lines() {
            let mut rest = line;
            while let Some((_, after)) = rest.split_once('!') {
                if after.starts_with(['<', '>', '=']) {
                    rest = after;
                    continue;
                }
                w.script(after, &mut st.for_program())?;
                break;
            }
        }
    }
    Ok(())
}

fn macros(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let runs = |text: &str| text.contains("syscmd") || text::is_any(text);
    if programs(w, call, &[], st)
        .iter()
        .any(|program| runs(program))
        || call.args().iter().any(|arg| arg.contains("syscmd"))
    {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "m4 could run commands here; use a project file",
        ));
    }
    w.need_writer("runs a macro file")
}

fn plotter(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    for program in programs(w, call, &["-e"], st) {
        let runs = ["system", "!", "`", "load", "call", "'<", "\"<", "eval", "|"];
        if runs.iter().any(|word| program.contains(word)) || text::is_any(&program) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "gnuplot could run commands here; use a project file",
            ));
        }
        for (_, rest) in program
            .match_indices("set out")
            .map(|(at, _)| program.split_at(at))
        {
            if let Some(path) = rest.split(['"', '\'']).nth(1) {
                w.write_path(path, st)?;
            }
        }
    }
    if w.role.writes() {
        super::generic::outside_arguments(w, "gnuplot", call.args(), st)
    } else {
        Err(read_only("draws a picture into a file"))
    }
}
