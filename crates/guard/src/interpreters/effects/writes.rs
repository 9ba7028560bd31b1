//! Files that code writes or deletes by a call.

use std::rc::Rc;

use super::super::reading::{Call, Owner, PROGRAM, Source, Value, results};
use super::super::syntax::Family;
use super::{Run, home_marked, names, table};
use crate::commands::read_only;
use crate::paths::Place;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::text::brief;
use crate::shell::walk::Walker;
use crate::special_files::in_the_way;

fn refused(name: &str, what: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!(
            "{name} writes where {what} decides; name the path as a plain string inside your worktree"
        ),
    )
}

impl Walker<'_> {
    pub(super) fn written_by(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<()> {
        let name = made.name.as_str();
        let module = match &made.owner {
            Owner::Module(owner) => Some(owner.as_str()),
            Owner::None | Owner::Object(_) => None,
        };
        // Modes and owners are numbers, which name no file.
        let targets: Vec<&Value> = made.args.iter().filter(|arg| !is_number(arg)).collect();
        match (name, module, &made.owner) {
            ("replace", Some("os"), _) => {
                for target in targets {
                    self.target(name, target, true, run)?;
                }
                return Ok(());
            }
            ("replace" | "rename", None, Owner::Object(object))
                if made.args.len() == 1 && made.keys.is_empty() =>
            {
                // With one argument these are methods of paths.
                self.target(name, object, true, run)?;
                let to = made.args.first().cloned().unwrap_or(PROGRAM);
                return self.target(name, &to, true, run);
            }
            ("rename", None, Owner::Object(_)) if run.family == Family::Python => return Ok(()),
            ("write", Some("File" | "IO" | "Bun" | "Deno"), _) => {
                let to = made.args.first().cloned().unwrap_or(PROGRAM);
                return self.target(name, &to, false, run);
            }
            ("connect", Some("sqlite3"), _) => return self.database_opened(made, run),
            ("input" | "FileInput", Some("fileinput"), _)
                if made.keys.iter().any(|(key, _)| key == "inplace") =>
            {
                let files = made.args.first().cloned().unwrap_or(PROGRAM);
                return self.target("fileinput", &files, false, run);
            }
            ("basicConfig", _, _) => {
                let file = made.keys.iter().find(|(key, _)| key == "filename");
                return match file {
                    Some((_, file)) => self.target("basicConfig", file, false, run),
                    None => Ok(()),
                };
            }
            _ => {}
        }
        if self.saved_by(made, run)? || self.removed_by(made, run)? {
            return Ok(());
        }
        let Some(write) = table::find(name) else {
            return Ok(());
        };
        relative_to_descriptor(made)?;
        if name == "mknod" && makes_plain_file(made) {
            let file = made.args.first().cloned().unwrap_or(PROGRAM);
            return self.target("open", &file, false, run);
        }
        if let Owner::Object(object) = &made.owner {
            let path = matches!(object, Value::Path(_));
            if write.receiver && (path || !is_collection(name, write.distinct)) {
                self.target(name, object, write.deletes, run)?;
                if matches!(name, "hardlink_to" | "link_to") {
                    for target in targets {
                        self.target(name, target, false, run)?;
                    }
                }
                return Ok(());
            }
            if !write.distinct && !path {
                return Ok(());
            }
        }
        if matches!(made.owner, Owner::Object(_)) && write.args.is_empty() {
            return Ok(());
        }
        // `link` takes labels in some programs; a call without targets cannot be judged.
        let mut judged = false;
        for position in write.args {
            let Some(target) = made.args.get(*position).filter(|arg| !is_number(arg)) else {
                continue;
            };
            judged = true;
            self.target(name, target, write.deletes, run)?;
        }
        // Several files: `unlink "a", "b"`, `FileUtils.rm %w[a b]`.
        if write.deletes && matches!(run.family, Family::Perl | Family::Ruby) {
            for target in targets.iter().skip(1) {
                self.target(name, target, true, run)?;
            }
        }
        if matches!(name, "chmod" | "chown") && matches!(run.family, Family::Perl | Family::Ruby) {
            for target in targets {
                judged = true;
                self.target(name, target, false, run)?;
            }
        }
        let keyed = made.keys.iter().filter(|(key, _)| {
            matches!(
                key.as_str(),
                "path"
                    | "dst"
                    | "src"
                    | "name"
                    | "top"
                    | "filename"
                    | "members_path"
                    | "path_or_buf"
                    | "excel_writer"
                    | "fname"
                    | "extract_dir"
                    | "base_name"
                    | "cfile"
                    | "target"
                    | "dest"
                    | "destination"
                    | "outfile"
                    | "output"
            )
        });
        for (_, target) in keyed {
            judged = true;
            self.target(name, target, write.deletes, run)?;
        }
        if !judged && name != "extractall" && name != "copyfileobj" {
            self.target(name, &PROGRAM, write.deletes, run)?;
        }
        if !judged && name == "extractall" {
            self.target(name, &Value::text("."), false, run)?;
        }
        Ok(())
    }

    /// A database may be written by any statement; one that is opened read-only may not.
    fn database_opened(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<()> {
        let text = made.args.first().and_then(Value::as_text);
        match text {
            Some(":memory:" | "") => Ok(()),
            Some(uri) if self.opens_to_read(uri, made, run) => Ok(()),
            _ if !self.role.writes() => Err(read_only("may write a database")),
            Some(uri) if uri.starts_with("file:") && uri.contains("mode=ro") => Ok(()),
            Some(path) => {
                let path = path.strip_prefix("file:").unwrap_or(path);
                let path = path.split('?').next().unwrap_or(path).to_owned();
                self.target("connect", &Value::text(&path), false, run)
            }
            None => Ok(()),
        }
    }

    /// Whether a database is opened for reading alone. Even then its whole content could be put into a new file.
    fn opens_to_read(&self, uri: &str, made: &Call, run: &Run<'_>) -> bool {
        let Some((path, query)) = uri
            .strip_prefix("file:")
            .and_then(|uri| uri.split_once('?'))
        else {
            return false;
        };
        let mut modes = query.split('&').filter(|part| part.starts_with("mode="));
        let only = modes.next() == Some("mode=ro") && modes.next().is_none();
        let as_uri = made.keys.iter().any(|(key, _)| key == "uri");
        let copies = run
            .reading
            .texts
            .iter()
            .any(|text| text.to_lowercase().contains("vacuum"));
        let state = run
            .st
            .cwd
            .iter()
            .any(|place| self.paths.is_state(path, place));
        only && as_uri && !copies && !state && !run.uses("backup")
    }

    /// Judges one target of a call.
    pub(super) fn target(
        &mut self,
        name: &str,
        target: &Value,
        deletes: bool,
        run: &mut Run<'_>,
    ) -> Judged<()> {
        for choice in target.choices() {
            if let Value::List(items) = choice {
                for item in items.iter() {
                    self.target(name, item, deletes, run)?;
                }
                continue;
            }
            if let Some(path) = choice.as_text() {
                let path = self.with_temp(home_marked(path), run);
                if deletes {
                    self.delete_path(&path, true, &run.st)?;
                } else if matches!(name, "mkfifo" | "mknod") {
                    self.pipe_path(&path, &run.st)?;
                } else {
                    self.write_path(&path, &run.st)?;
                    self.put_texts(&path, &run.reading.texts, &run.st);
                }
                if changes_modes(name) {
                    self.keep_guard_files(&path, &run.st)?;
                }
                if makes_links(name) {
                    self.link_path(&path, &run.st)?;
                }
                continue;
            }
            if !self.role.writes() {
                return Err(read_only(&format!("changes files with {name}")));
            }
            if let Value::Named(full) = choice {
                if full.as_ref() == "_" && run.reads_lines() {
                    return Err(refused(name, "what it reads"));
                }
                if results::is_foreign(full, &run.reading.imports, run.family) {
                    return Err(refused(name, full));
                }
            }
            let apart = || TEMPORARY.iter().any(|word| run.uses(word));
            if matches!(name, "mkfifo" | "mknod") && !apart() {
                return Err(in_the_way("what is computed"));
            }
            match choice.source() {
                Source::Outside => return Err(refused(name, "the environment or its input")),
                Source::Content => return Err(refused(name, "what it reads")),
                Source::Made => return Err(refused(name, "a function or module it does not show")),
                Source::Turned => return Err(refused(name, "text that it makes of other text")),
                Source::Above => {
                    run.above.get_or_insert_with(|| name.to_owned());
                }
                Source::Program => {
                    run.unresolved.get_or_insert_with(|| name.to_owned());
                }
            }
        }
        Ok(())
    }

    /// The folder of what is computed is inside where everything is relative: going up from a name of the program
    /// ends at the folder the code runs in, unless that is spelled in full somewhere.
    pub(super) fn nothing_above(&mut self, name: &str, run: &Run<'_>) -> Judged<()> {
        if let Some(word) = FULL.iter().find(|word| run.uses(word)) {
            return Err(refused(name, word));
        }
        // What a program prints may be a full path.
        if run.started > 0 {
            return Err(refused(name, "what another program prints"));
        }
        let full = |text: &&Rc<str>| text.starts_with('/') && !text.contains('\n');
        if let Some(text) = run.reading.texts.iter().find(full) {
            return Err(refused(name, &brief(text)));
        }
        self.nothing_outside(name, run)
    }

    /// A target that is computed passes only when nothing in the program could name a place outside.
    pub(super) fn nothing_outside(&mut self, name: &str, run: &Run<'_>) -> Judged<()> {
        let words = names::CONJURES.iter().chain(names::PLACES);
        if let Some(word) = words.into_iter().find(|word| run.uses(word)) {
            return Err(refused(name, word));
        }
        for value in &run.reading.texts {
            let looks = value.starts_with(['/', '~']) || value.split('/').any(|part| part == "..");
            let inside = run
                .st
                .cwd
                .iter()
                .all(|place| self.paths.is_inside(value, place));
            if looks && !value.contains('\n') && !inside {
                return Err(refused(name, &brief(value)));
            }
        }
        let takes_args = ["argv", "ARGV", "args"].iter().any(|word| run.uses(word));
        for arg in run.args.iter().filter(|_| takes_args) {
            self.write_path(arg, &run.st)?;
        }
        if run
            .st
            .cwd
            .iter()
            .any(|place| matches!(place, Place::Unknown))
        {
            return Err(refused(name, "the directory"));
        }
        self.need_inside(&run.st, "writing files")
    }
}

/// `dir_fd=…`: the path is relative to an open folder, which may be anywhere.
pub(super) fn relative_to_descriptor(made: &Call) -> Judged<()> {
    let keyed = made
        .keys
        .iter()
        .any(|(key, _)| matches!(key.as_str(), "dir_fd" | "src_dir_fd" | "dst_dir_fd"));
    if keyed {
        return Err(refused(&made.name, "an open folder"));
    }
    Ok(())
}

/// `os.mknod('f')`, `os.mknod('f', 0o600)`: an empty file.
fn makes_plain_file(made: &Call) -> bool {
    let keyed = made.keys.iter().find(|(key, _)| key == "mode");
    let mode = made.args.get(1).or(keyed.map(|(_, mode)| mode));
    mode.is_none_or(|mode| {
        let digits = mode.as_text().and_then(|text| text.strip_prefix("0o"));
        let bits = digits.and_then(|digits| u32::from_str_radix(digits, 8).ok());
        bits.is_some_and(|bits| matches!(bits >> 12, 0 | 0o10))
    })
}

/// Calls after which a folder may hide what is in it.
fn changes_modes(name: &str) -> bool {
    ["chmod", "lchmod", "chown", "lchown"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Calls that make a link, or another name for a file.
fn makes_links(name: &str) -> bool {
    matches!(
        name,
        "symlink"
            | "symlinkSync"
            | "symlink_to"
            | "make_symlink"
            | "link"
            | "linkSync"
            | "link_to"
            | "hardlink_to"
            | "ln"
            | "ln_s"
            | "ln_sf"
    )
}

/// Names by which a program finds the folder for temporary files.
const TEMPORARY: &[&str] = &[
    "tempfile",
    "mkdtemp",
    "mkdtempSync",
    "mktmpdir",
    "mktemp",
    "gettempdir",
    "TemporaryDirectory",
    "tempdir",
    "tmpdir",
    "TMPDIR",
];

/// Whether lists, sets or other objects have a method of this name as well.
fn is_collection(name: &str, distinct: bool) -> bool {
    !distinct
        && matches!(
            name,
            "remove" | "copy" | "move" | "delete" | "install" | "link" | "truncate"
        )
}

fn is_number(value: &Value) -> bool {
    value.as_text().is_some_and(|text| {
        !text.is_empty()
            && text.starts_with(|c: char| c.is_ascii_digit())
            && text
                .bytes()
                .all(|c| c.is_ascii_digit() || matches!(c, b'o' | b'x'))
    })
}

/// Names that make a path a full one, or lead to one: the folder above it may be outside.
const FULL: &[&str] = &[
    "abspath",
    "realpath",
    "resolve",
    "absolute",
    "getcwd",
    "cwd",
    "pwd",
    "PWD",
    "chdir",
    "argv",
    "ARGV",
    "__file__",
    "__filename",
    "__dirname",
    "__FILE__",
    "__DIR__",
    "meta",
    "executable",
    "prefix",
    "tmpdir",
    "gettempdir",
    "mkdtemp",
    "walk",
    "realpathSync",
    "readlink",
];
