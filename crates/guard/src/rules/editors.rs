//! Editors: scripted ones can write any file and run commands from their arguments or input.
//!
//! An interactive editor needs a person; agents have file tools instead, so only scripted use is judged.

use super::flags::parse;
use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    match name {
        "vi" | "vim" | "nvim" | "ex" | "view" | "rvim" | "vimdiff" | "ed" | "red" | "emacs"
        | "emacsclient" | "nano" | "pico" | "micro" | "hx" | "helix" | "kak" | "joe" | "mg"
        | "code" | "cursor" | "subl" | "gedit" | "kate" | "zed" | "mcedit" | "ne" | "jed" => {
            Some(edit(w, name, call, st))
        }
        _ => None,
    }
}

fn edit(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    if args.iter().any(|arg| arg == "--version" || arg == "--help") {
        return Ok(());
    }
    if !w.role.writes() {
        return Err(read_only("opens an editor"));
    }
    let flags = parse(
        args,
        "cSuUirwWTl",
        &[
            "cmd",
            "eval",
            "execute",
            "load",
            "funcall",
            "command",
            "startuptime",
        ],
    );
    let mut scripts: Vec<String> = flags
        .values(&["c", "cmd", "eval", "execute", "funcall", "command"])
        .into_iter()
        .map(str::to_owned)
        .collect();
    scripts.extend(
        args.iter()
            .filter_map(|arg| arg.strip_prefix('+'))
            .map(str::to_owned),
    );
    if matches!(name, "ed" | "ex" | "red" | "vim" | "vi" | "nvim")
        && let Some(input) = &call.stdin
    {
        scripts.extend(input.lines().map(str::to_owned));
    }
    for script in &scripts {
        editor_script(w, name, script, st)?;
    }
    for file in flags.operands.iter().filter(|file| !file.starts_with('+')) {
        w.write_path(file, st)?;
    }
    Ok(())
}

/// Editor commands that run programs or write other files.
fn editor_script(w: &mut Walker<'_>, name: &str, script: &str, st: &State) -> Judged<()> {
    if text::is_any(script) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "the editor script is not known before it runs; write it out",
        ));
    }
    if name.starts_with("emacs") {
        let runs = [
            "shell-command",
            "call-process",
            "start-process",
            "write-file",
            "delete-file",
            "write-region",
            "rename-file",
            "copy-file",
            "delete-directory",
            "load",
            "eval",
        ];
        if runs.iter().any(|word| script.contains(word)) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "this Emacs code could run or write anything; use the file tools",
            ));
        }
        return Ok(());
    }
    for part in script.split('|') {
        w.charge(1)?;
        let part = part
            .trim()
            .trim_start_matches([':', '%', '.', ',', '$', ' '])
            .trim_start_matches(|c: char| c.is_ascii_digit());
        if let Some(code) = part
            .strip_prefix('!')
            .or_else(|| part.strip_prefix("r!"))
            .or_else(|| part.strip_prefix("r !"))
            .or_else(|| part.strip_prefix("w !"))
            .or_else(|| part.strip_prefix("read !"))
        {
            w.script(code.trim(), &mut st.for_program())?;
            continue;
        }
        let runs = [
            "system(",
            "systemlist(",
            "term",
            "jobstart",
            "job_start",
            "py",
            "lua",
            "perl",
            "ruby",
            "silent !",
            "silent!",
            "execute",
            "exe ",
            "source",
            "so ",
            "writefile",
            "delete(",
            "rename(",
            "call ",
            "norm",
            "luafile",
        ];
        let anywhere = ["system(", "writefile("];
        if runs.iter().any(|word| part.starts_with(word))
            || anywhere.iter().any(|word| part.contains(word))
        {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "this editor script could run or write anything; use the file tools",
            ));
        }
        for verb in ["read", "re", "r"] {
            if let Some(rest) = part.strip_prefix(verb)
                && rest.starts_with([' ', '\t'])
            {
                w.read_path(&crate::tools::home(rest.trim()), st)?;
                break;
            }
        }
        for verb in [
            "wq!", "wq", "w!", "write!", "write", "saveas!", "saveas", "sav", "w", "x!", "x", "W",
            "e!", "edit", "e", "up", "update", "wn", "f", "file",
        ] {
            if let Some(rest) = part.strip_prefix(verb)
                && (rest.starts_with([' ', '\t', '>']))
            {
                let path = rest.trim().trim_start_matches('>').trim();
                let path = path.trim_start_matches("++p").trim();
                if !path.is_empty() {
                    w.write_path(path, st)?;
                }
                break;
            }
        }
    }
    Ok(())
}
