//! Calls that write where something other than their first argument says: a later argument, a statement, a
//! setting, a name in another spelling.

use super::super::reading::{Call, Found, Owner, PROGRAM, Value};
use super::super::syntax::Family;
use super::dynamic::unreadable;
use super::{Run, home_marked, starts};
use crate::policy::{Judged, Refusal, rule};
use crate::rules;
use crate::shell::walk::Walker;

/// Names of these calls, besides those that other rules ask for.
pub(super) const STEERED: &[&str] = &[
    "create",
    "extract",
    "dictConfig",
    "fileConfig",
    "execute",
    "executescript",
    "executemany",
    "backup",
    "store",
    "runctx",
    "run",
    "write",
    "compile",
    "compile_dir",
    "compile_file",
    "partial",
    "netrc",
    "posix_kill",
    "pidfd_send_signal",
    "terminate",
    "suspend",
    "send_signal",
];

/// Whether Python reads a letter as another one: names are compared in their plainest form.
fn is_compatible(c: char) -> bool {
    matches!(u32::from(c),
        0xAA | 0xBA | 0x2B0..=0x2B8 | 0x2E0..=0x2E4 | 0x1D2C..=0x1D6A | 0x1D78 | 0x1D9B..=0x1DBF | 0x17F
        | 0x2071..=0x209C | 0x2100..=0x218B | 0x2C7C..=0x2C7D | 0xA69C..=0xA69D | 0xFB00..=0xFB06
        | 0xFE33..=0xFE34 | 0xFE4D..=0xFE4F | 0xFF00..=0xFFEF | 0x1D400..=0x1D7FF)
}

/// Refuses names in a spelling that the language reads as another one, and settings that are signs.
pub(super) fn refuse_spellings(source: &str, run: &Run<'_>) -> Judged<()> {
    if run.family == Family::Python
        && !source.is_ascii()
        && let Some(name) = run
            .reading
            .words
            .iter()
            .find(|name| name.chars().any(is_compatible))
    {
        return Err(unreadable(name));
    }
    let in_place = source.contains("$^I") || run.uses("INPLACE_EDIT");
    if run.family == Family::Perl && in_place {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "$^I edits files in place that are not seen here; use perl -i with the files on the command line",
        ));
    }
    if run.family == Family::Perl
        && ["new IO::", "new FileHandle", "new Path::"]
            .iter()
            .any(|made| source.contains(made))
    {
        return Err(unreadable("new before the name of a class"));
    }
    // `system {"git"} "git", "push"`: the block names the program.
    if run.family == Family::Perl {
        for (at, _) in source.match_indices('{') {
            let before = source.get(..at).unwrap_or("").trim_end();
            let word = before
                .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
                .next()
                .unwrap_or("");
            if matches!(word, "system" | "exec") {
                return Err(starts::computed(word));
            }
        }
    }
    Ok(())
}

/// In Perl these work on the current name when they are given none; in Python a setting moves what follows.
pub(super) fn bare_effects(run: &mut Run<'_>) -> Judged<()> {
    let called = |name: &str| {
        run.reading
            .found
            .iter()
            .any(|found| matches!(found, Found::Call(made) if made.name == name && !made.args.is_empty()))
    };
    let alone = |name: &&str| run.uses(name) && !called(name);
    if run.family == Family::Perl
        && let Some(name) = ["system", "exec", "eval"].into_iter().find(alone)
        && (name != "eval" || !evaluates_blocks(run.source))
    {
        return Err(starts::computed(name));
    }
    let bare = match run.family {
        Family::Perl => ["unlink", "rmdir", "mkdir"].into_iter().find(alone),
        Family::Python => ["tempdir", "pycache_prefix"]
            .into_iter()
            .find(|name| run.uses(name)),
        Family::JavaScript => (run.uses("report") && run.uses("directory")).then_some("report"),
        Family::Ruby | Family::Php | Family::Other => None,
    };
    if let Some(name) = bare {
        // A dot that is put in by `s` or `tr` may make a step upwards of what is written out.
        let puts = ["tr/", "y/", "s/", "tr{", "s|", "s#"];
        let puts = puts.iter().any(|sign| run.source.contains(sign));
        let dots = run.family == Family::Perl
            && puts
            && run
                .reading
                .texts
                .iter()
                .any(|text| matches!(text.as_ref(), "." | ".."));
        if run.reads_lines() || dots {
            return Err(Refusal::new(
                rule::UNPROVEN,
                format!(
                    "{name} takes what the program reads or makes; name the paths as plain strings inside your worktree"
                ),
            ));
        }
        run.unresolved.get_or_insert_with(|| name.to_owned());
    }
    Ok(())
}

/// Whether each `eval` of Perl is one of a block, which is read where it stands.
fn evaluates_blocks(source: &str) -> bool {
    source.split("eval").skip(1).all(|behind| {
        let behind = behind.trim_start();
        behind.starts_with('{') || behind.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}

impl Run<'_> {
    /// Whether a loop of Perl puts what it reads into `$_`, which calls without arguments work on.
    pub(super) fn reads_lines(&self) -> bool {
        if self.family != Family::Perl {
            return false;
        }
        let mut plain = self.source.to_owned();
        plain.retain(|c| !c.is_whitespace());
        [
            "while(<",
            "until(!<",
            "for(<STDIN",
            "foreach(<STDIN",
            "for(<>",
            "foreach(<>",
        ]
        .iter()
        .any(|start| plain.contains(start))
    }
}

impl Walker<'_> {
    /// Judges a call of this kind; whether there is nothing more to say about it.
    pub(super) fn steered_by(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<bool> {
        let module = match &made.owner {
            Owner::Module(owner) => owner.as_str(),
            Owner::Object(Value::Named(owner)) => owner.as_ref(),
            Owner::None | Owner::Object(_) => "",
        };
        let key = |names: &[&str]| {
            made.keys
                .iter()
                .find(|(key, _)| names.contains(&key.as_str()))
                .map(|(_, value)| value.clone())
        };
        let name = made.name.as_str();
        let signals = matches!(name, "posix_kill" | "pidfd_send_signal")
            || matches!(name, "kill" | "terminate" | "suspend" | "send_signal")
                && run.reading.imports.contains("psutil");
        if signals && made.args.get(1).and_then(Value::as_text) != Some("0") {
            return Err(Refusal::new(
                rule::PROCESS,
                "signalling processes from code is not allowed; stop a job you started with kill %1",
            ));
        }
        match (run.family, name) {
            (Family::Python, "create")
                if module == "venv" || run.reading.imports.contains("venv") =>
            {
                let folder = made.args.first().cloned().or_else(|| key(&["env_dir"]));
                self.target(name, &folder.unwrap_or(PROGRAM), false, run)?;
            }
            // A member of an archive, and where it goes; texts and tables have such a method as well.
            (Family::Python, "extract") if matches!(made.owner, Owner::Object(_)) => {
                if let Some(to) = key(&["path"]).or_else(|| made.args.get(1).cloned())
                    && (run.uses("zipfile") || run.uses("tarfile") || to.as_text().is_some())
                {
                    self.target(name, &to, false, run)?;
                }
                return Ok(true);
            }
            (Family::Python, "run" | "runctx")
                if matches!(module, "cProfile" | "profile")
                    || run.reading.imports.contains("cProfile")
                        && !matches!(module, "subprocess") =>
            {
                let at = if name == "run" { 1 } else { 3 };
                let file = key(&["filename"]).or_else(|| made.args.get(at).cloned());
                if let Some(file) = file {
                    self.target(name, &file, false, run)?;
                }
                return Ok(true);
            }
            (Family::Python, "compile" | "compile_dir" | "compile_file")
                if matches!(module, "py_compile" | "compileall") =>
            {
                let to = key(&["cfile", "ddir"])
                    .or_else(|| made.args.get(1).cloned().filter(|_| name == "compile"))
                    // Beside the source otherwise.
                    .or_else(|| made.args.first().cloned());
                if let Some(to) = to {
                    self.target(name, &to, false, run)?;
                }
            }
            // Settings nest: any text in them may be a file.
            (Family::Python, "dictConfig" | "fileConfig")
                if run
                    .reading
                    .texts
                    .iter()
                    .any(|text| text.contains("FileHandler")) =>
            {
                self.target(name, &PROGRAM, false, run)?;
            }
            // Trees and books are written to a file by the name that `write` is given.
            (Family::Python, "write") if matches!(made.owner, Owner::Object(_)) => {
                let tree = ["xml", "lxml", "ElementTree", "configobj", "pypdf", "PyPDF2"]
                    .iter()
                    .any(|name| run.reading.imports.contains(*name));
                if let Some(to) = made
                    .args
                    .first()
                    .or(made.keys.first().map(|(_, value)| value))
                    .cloned()
                    && tree
                    && to
                        .as_text()
                        .is_some_and(|text| !text.contains([' ', '\n', '<']))
                {
                    self.target(name, &to, false, run)?;
                    return Ok(true);
                }
            }
            (
                _,
                "execute" | "executescript" | "executemany" | "exec" | "run" | "query" | "prepare",
            ) if run.family != Family::Php || name != "exec" => {
                if let Some(sql) = made
                    .args
                    .first()
                    .and_then(Value::as_text)
                    .map(str::to_owned)
                {
                    let lower = sql.to_lowercase();
                    if ["attach", "vacuum", "copy "]
                        .iter()
                        .any(|word| lower.trim_start().starts_with(word))
                    {
                        rules::other_files(self, &sql, &run.st)?;
                    }
                }
            }
            (Family::Perl, "store")
                if matches!(module, "Storable" | "") && run.uses("Storable") =>
            {
                let to = made.args.get(1).cloned().unwrap_or(PROGRAM);
                self.target(name, &to, false, run)?;
            }
            _ => {}
        }
        // A link that gets another name leads where it led.
        let moves = matches!(
            name,
            "rename" | "renames" | "replace" | "move" | "copytree" | "renameSync" | "mv" | "link"
        );
        if moves
            && let (Some(from), Some(to)) = (
                made.args.first().and_then(Value::as_text).map(home_marked),
                made.args.get(1).and_then(Value::as_text).map(home_marked),
            )
        {
            rules::carry_links(self, &[from], Some(&to), &run.st);
        }
        Ok(false)
    }

    /// Credentials that a library finds by itself, and homes that are walked through.
    pub(super) fn credentials_in(&mut self, run: &Run<'_>) -> Judged<()> {
        let refused = |what: &str| {
            Err(Refusal::new(
                rule::CREDENTIALS,
                format!("{what} reads credentials, which are not for agents"),
            ))
        };
        if let Some(module) = ["netrc", "keyring", "secretstorage"]
            .iter()
            .find(|module| run.reading.imports.contains(**module))
        {
            return refused(module);
        }
        for text in &run.reading.texts {
            if let Some(path) = text.strip_prefix("file:") {
                let path = path
                    .trim_start_matches("//")
                    .trim_start_matches("localhost");
                self.read_path(path, &run.st)?;
            }
        }
        let reads = [
            "open",
            "read_text",
            "read_bytes",
            "readFileSync",
            "readFile",
            "read",
            "copy",
            "copyfile",
            "copytree",
        ]
        .iter()
        .any(|name| run.uses(name));
        let descriptor = run.uses("dir_fd") || run.uses("fwalk") || run.uses("fchdir");
        let whole = |value: &Value| {
            value.as_text().map(home_marked).is_some_and(|path| {
                // `~/*` and `~/**/*` are all of it; `*` alone is what the folder before it holds.
                let rooted = path.starts_with('/');
                let path = path.trim_end_matches(['*', '/']);
                let path = match (path, rooted) {
                    ("", true) => "/",
                    ("", false) => ".",
                    (path, _) => path,
                };
                run.st
                    .cwd
                    .iter()
                    .any(|place| self.paths.is_home(path, place))
            })
        };
        let walked = run.reading.found.iter().any(|found| {
            let Found::Call(made) = found else {
                return false;
            };
            let walks = WALKS.contains(&made.name.as_str()) || descriptor && made.name == "open";
            let on = match &made.owner {
                Owner::Object(object) => whole(object),
                Owner::None | Owner::Module(_) => false,
            };
            walks && (on || made.args.first().is_some_and(whole))
        });
        if walked && reads {
            return refused("what is found in a home");
        }
        Ok(())
    }
}

/// Calls that list what is in a folder.
const WALKS: &[&str] = &[
    "walk",
    "fwalk",
    "rglob",
    "glob",
    "iglob",
    "iterdir",
    "listdir",
    "scandir",
    "readdirSync",
    "readdir",
    "find",
    "children",
    "entries",
    "each_child",
];
