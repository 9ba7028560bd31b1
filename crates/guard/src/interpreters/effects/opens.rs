//! Files that code opens, and commands that it opens like files.

use super::super::reading::{Call, Owner, Value};
use super::super::syntax::Family;
use super::writes::relative_to_descriptor;
use super::{Run, starts};
use crate::policy::Judged;
use crate::shell::walk::Walker;

/// Names that open files.
pub(super) const OPENS: &[&str] = &[
    "open",
    "fopen",
    "openSync",
    "open_file",
    "sysopen",
    "new",
    "GzipFile",
    "ZipFile",
    "TarFile",
    "reopen",
    "SplFileObject",
    "gzopen",
    "bzopen",
    "openForWrite",
    "FileIO",
    "LZMAFile",
    "BZ2File",
    "open_code",
];

/// Whether a program holds a mode that writes, or text that could be one.
pub(super) fn may_write(run: &Run<'_>) -> bool {
    run.reading
        .texts
        .iter()
        .any(|text| !text.is_empty() && writing(text))
        || super::names::CONJURES.iter().any(|word| run.uses(word))
}

/// Whether a mode writes: `w`, `ab+`, `>`, `w:utf-8`.
fn writing(mode: &str) -> bool {
    let mode = mode.trim();
    let letters = mode.split(':').next().unwrap_or("");
    if mode.starts_with('>') || mode.starts_with("+<") || mode.starts_with("+>") {
        return true;
    }
    let flags = letters.len() <= 6 && letters.chars().all(|c| "rwaxbtUsce+".contains(c));
    let number =
        !letters.is_empty() && letters.bytes().all(|c| c.is_ascii_digit()) && letters != "0";
    flags && letters.contains(['w', 'a', 'x', 'c', '+']) || number
}

/// Whether opening with this mode writes; what is computed may be anything.
fn mode_writes(mode: &Value) -> bool {
    mode.choices().iter().any(|choice| match choice {
        Value::Text(text) => writing(text),
        Value::Named(flag) => {
            let flag = flag.rsplit('.').next().unwrap_or(flag);
            !matches!(
                flag,
                "O_RDONLY" | "RDONLY" | "O_CLOEXEC" | "O_DIRECTORY" | "O_NOFOLLOW"
            )
        }
        Value::Map(pairs) => pairs.iter().any(|(key, value)| match key.as_str() {
            "write" | "append" | "create" | "truncate" | "createNew" => true,
            "flags" | "flag" | "mode" => mode_writes(value),
            _ => false,
        }),
        Value::Function => false,
        Value::Unknown(_)
        | Value::Path(_)
        | Value::List(_)
        | Value::Method(_)
        | Value::OneOf(_) => true,
    })
}

/// `open(*list)` and `open(**map)`: no file is a list or a map.
fn spread_out(made: &Call) -> Call {
    let mut spread = made.clone();
    spread.args = Vec::new();
    for arg in &made.args {
        match arg {
            Value::List(items) => spread.args.extend(items.iter().cloned()),
            Value::Map(pairs) => spread.keys.extend(pairs.iter().cloned()),
            Value::Text(_)
            | Value::Unknown(_)
            | Value::Named(_)
            | Value::Path(_)
            | Value::Method(_)
            | Value::OneOf(_)
            | Value::Function => spread.args.push(arg.clone()),
        }
    }
    spread
}

/// Whether a call `x.open(…)` is given a file and a mode that writes.
fn names_file_and_mode(made: &Call) -> bool {
    let is_mode = |value: &Value| match value {
        Value::Text(mode) => writing(mode),
        Value::Named(flag) => flag
            .rsplit('.')
            .next()
            .is_some_and(|flag| flag.contains("CREAT") || flag.contains("OVERWRITE")),
        Value::Unknown(_)
        | Value::Path(_)
        | Value::List(_)
        | Value::Map(_)
        | Value::Method(_)
        | Value::OneOf(_)
        | Value::Function => false,
    };
    match made.args.as_slice() {
        [file, mode, ..] => is_mode(mode) && !is_mode(file),
        [] | [_] => false,
    }
}

impl Walker<'_> {
    pub(super) fn opened_by(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<()> {
        let spread;
        let made = if run.family == Family::Python && OPENS.contains(&made.name.as_str()) {
            spread = spread_out(made);
            &spread
        } else {
            made
        };
        let name = made.name.as_str();
        if run.family == Family::Ruby {
            self.piped(made, run)?;
        }
        if !OPENS.contains(&name) {
            return Ok(());
        }
        let owner = match &made.owner {
            Owner::Module(owner) => owner.as_str(),
            Owner::None | Owner::Object(_) => "",
        };
        if name == "new" && !matches!(owner, "File" | "IO.File" | "IO") {
            return Ok(());
        }
        if run.family == Family::Perl && !owner.starts_with("IO") {
            return self.perl_open(made, run);
        }
        // `IO::File->new(">x")`: the mode stands before the name.
        if run.family == Family::Perl
            && let Some(text) = made.args.first().and_then(Value::as_text)
            && (text.trim_start().starts_with(['>', '+', '<', '|'])
                || text.trim_end().ends_with('|'))
        {
            let mut opened = made.clone();
            opened.args.insert(0, super::super::reading::PROGRAM);
            return self.perl_open(&opened, run);
        }
        let mut method = matches!(made.owner, Owner::Object(_)) && name != "reopen";
        // `wave.open(path, "wb")`, `archive.open(path, CREATE)`: a function with a path, or a method with one.
        method &= !names_file_and_mode(made);
        let keyed = made
            .keys
            .iter()
            .find(|(key, _)| matches!(key.as_str(), "mode" | "flags" | "flag"))
            .map(|(_, value)| value);
        // A shelf is made when there is none.
        let shelf = run.family == Family::Python && owner == "shelve";
        let writes = match keyed.or_else(|| made.args.get(usize::from(!method))) {
            Some(mode) => mode_writes(mode) || shelf && mode.as_text() != Some("r"),
            None => shelf,
        };
        if !writes {
            return Ok(());
        }
        relative_to_descriptor(made)?;
        let target = match (&made.owner, method) {
            (Owner::Object(object), true) => object.clone(),
            _ => match made.args.first() {
                Some(first) => first.clone(),
                None => made
                    .keys
                    .iter()
                    .find(|(key, _)| matches!(key.as_str(), "file" | "path" | "filename" | "name"))
                    .map_or(super::super::reading::PROGRAM, |(_, value)| value.clone()),
            },
        };
        self.target(name, &target, false, run)
    }

    /// `open("|command")` and `IO.read("|command")` in Ruby.
    fn piped(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<()> {
        let opens = matches!(
            made.name.as_str(),
            "open" | "read" | "readlines" | "foreach" | "binread" | "write" | "binwrite"
        );
        let command = made
            .args
            .first()
            .and_then(Value::as_text)
            .and_then(|text| text.strip_prefix('|'));
        match command {
            Some(code) if opens => {
                run.started += 1;
                self.script(code, &mut run.st.for_program()).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    /// `open(F, ">x")`, `open(F, ">", "x")`, `open(F, "|git log")`, `open(F, "-|", "git", "log")`.
    fn perl_open(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<()> {
        let Some(mode) = made.args.get(1) else {
            return Ok(());
        };
        if made.name == "sysopen" {
            let writes = made.args.get(2).is_none_or(mode_writes);
            return if writes {
                self.target("sysopen", mode, false, run)
            } else {
                Ok(())
            };
        }
        let Some(text) = mode.as_text() else {
            return if made.args.len() == 2 {
                // Text that is not known could be a command as well.
                Err(starts::computed("open"))
            } else {
                let target = made
                    .args
                    .get(2)
                    .cloned()
                    .unwrap_or(super::super::reading::PROGRAM);
                self.target("open", &target, false, run)
            };
        };
        let mode = text.trim();
        if matches!(mode, "|-" | "-|") {
            run.started += 1;
            let words: Option<Vec<String>> = made
                .args
                .iter()
                .skip(2)
                .map(|arg| arg.as_text().map(str::to_owned))
                .collect();
            let st = run.st.for_program();
            return match words.as_deref() {
                Some([code]) => self.script(code, &mut st.clone()).map(|_| ()),
                Some([_, ..]) => self
                    .separate(run.call, words.unwrap_or_default(), &st)
                    .map(|_| ()),
                Some([]) | None => Err(starts::computed("open with a pipe")),
            };
        }
        if let Some(code) = mode.strip_prefix('|').or_else(|| mode.strip_suffix('|')) {
            run.started += 1;
            return self.script(code, &mut run.st.for_program()).map(|_| ());
        }
        if !writing(mode) && !mode.starts_with('>') {
            return Ok(());
        }
        let rest = mode.trim_start_matches(['>', '+', '<']).trim();
        let target = match made.args.get(2) {
            Some(target) => target.clone(),
            None => Value::text(rest),
        };
        if rest.starts_with('&') {
            return Ok(());
        }
        self.target("open", &target, false, run)
    }
}
