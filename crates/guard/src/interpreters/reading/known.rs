//! What is known about the names and the pure functions of a language.

use super::super::effects::table;
use super::super::itself;
use super::super::syntax::Family;
use super::lexical::{below, expanded, found_by, joined, lists_names, parent};
use super::{PROGRAM, Reader, Source, Value, results};
use crate::shell::text::{TEMP, TOKEN};

/// Names of a language that stand for a value.
pub(super) fn constant(name: &str, family: Family) -> Option<Value> {
    Some(match name {
        "__dirname" | "__DIR__" => Value::text("."),
        "__file__" | "__filename" | "__FILE__" => Value::text("./program"),
        "true" | "false" | "null" | "undefined" | "None" | "True" | "False" | "nil" => PROGRAM,
        "argv" | "ARGV" => PROGRAM,
        own if let Some(program) = itself::program(own) => Value::text(program),
        "STDIN" | "stdin" => Value::Unknown(Source::Outside),
        "input" if family == Family::Python => return None,
        _ => return None,
    })
}

/// A module by the name it is imported under.
pub(super) fn module(name: &str, family: Family) -> Value {
    let plain = name.trim_start_matches("node:");
    let plain = match (family, plain) {
        (Family::JavaScript, "fs/promises" | "fs-extra" | "graceful-fs" | "original-fs") => "fs",
        (_, other) => other,
    };
    // What a file of the project holds or hands out, other than functions of its own.
    if plain.starts_with(['.', '/']) && family == Family::JavaScript {
        return Value::Unknown(Source::Content);
    }
    if plain.is_empty() || plain.starts_with(['.', '/']) {
        return PROGRAM;
    }
    Value::named(plain.split('/').next().unwrap_or(plain))
}

/// Calls that only show what they are given.
pub(super) fn only_shows(name: &str) -> bool {
    matches!(
        name,
        "print"
            | "log"
            | "dir"
            | "help"
            | "type"
            | "repr"
            | "str"
            | "keys"
            | "hasattr"
            | "id"
            | "getsource"
            | "getfile"
            | "getdoc"
            | "signature"
            | "info"
            | "error"
            | "inspect"
            | "reload"
            | "isinstance"
            | "callable"
            | "promisify"
            | "getattr"
            | "sorted"
            | "puts"
            | "p"
            | "var_dump"
            | "print_r"
            | "getmembers"
            | "getOwnPropertyNames"
            | "len"
    )
}

/// Methods that call what they are given with each element.
pub(super) fn walks(name: &str) -> bool {
    matches!(
        name,
        "forEach" | "map" | "filter" | "flatMap" | "some" | "every" | "find"
    )
}

/// Calls whose result comes from a file, a program or the network.
pub(super) fn reads_content(name: &str) -> bool {
    matches!(
        name,
        "read"
            | "readlines"
            | "read_text"
            | "read_bytes"
            | "readFile"
            | "readFileSync"
            | "load"
            | "readTextFile"
            | "readTextFileSync"
            | "file_get_contents"
            | "foreach"
            | "urlopen"
            | "fetch"
            | "check_output"
            | "dumps"
            | "execSync"
            | "execFileSync"
            | "run"
            | "spawnSync"
            | "Popen"
            | "communicate"
            | "shell_exec"
            | "getoutput"
            | "file"
            | "open"
            | "fopen"
    )
}

/// Calls whose result may be any text at all.
pub(super) fn conjures(name: &str) -> bool {
    table::is_conjuring(name)
}

impl Reader {
    /// Functions that only compute.
    pub(super) fn known_call(
        &mut self,
        full: &str,
        args: &[Value],
        keys: &[(String, Value)],
    ) -> Option<Value> {
        let last = full.rsplit('.').next().unwrap_or(full);
        let first = args.first().cloned().unwrap_or(PROGRAM);
        if let Some(value) = self.reflected(full, last, args) {
            return Some(value);
        }
        let joined = || {
            let mut parts = args.iter();
            let start = parts.next().cloned().unwrap_or_else(|| Value::text("."));
            parts.fold(start, |whole, part| whole.join(part))
        };
        Some(match (full, last) {
            (_, "Path" | "PurePath" | "PosixPath" | "PurePosixPath" | "Pathname") => {
                Value::path(joined())
            }
            ("Pathname.new", _) => Value::path(joined()),
            (_, "home") if full.ends_with("Path.home") => Value::path(Value::home()),
            (_, "cwd") if full.ends_with("Path.cwd") => Value::path(Value::text(".")),
            ("path.join" | "path.resolve" | "os.path.join" | "posixpath.join" | "File.join", _) => {
                joined()
            }
            ("path.normalize" | "os.path.abspath" | "os.path.realpath" | "os.path.normpath", _)
            | (
                _,
                "abspath" | "realpath" | "normpath" | "fspath" | "str" | "String" | "promisify",
            ) => first,
            (_, "expanduser" | "expand_path") => expanded(&first),
            (_, "homedir") | ("Dir.home", _) => Value::home(),
            (_, "getcwd" | "cwd" | "pwd") => Value::text("."),
            (_, "tmpdir" | "gettempdir" | "sys_get_temp_dir") => Value::text(TEMP),
            (_, "getenv")
            | ("os.environ.get" | "ENV.fetch" | "Deno.env.get" | "process.env.get", _) => {
                match first.as_text() {
                    Some(name) => Self::environment(name),
                    None => Value::Unknown(Source::Outside),
                }
            }
            ("path.dirname" | "os.path.dirname" | "File.dirname" | "dirname", _) => {
                Value::any_of(first.choices().iter().map(|choice| match choice.as_text() {
                    Some(text) => Value::text(&parent(text)),
                    None => Value::Unknown(choice.source().max(Source::Above)),
                }))
            }
            (
                _,
                "check_output" | "getoutput" | "execSync" | "execFileSync" | "run" | "spawnSync"
                | "Popen",
            ) if lists_names(args) => PROGRAM,
            ("dict", _) if self.family == Family::Python && args.is_empty() => {
                Value::map(keys.to_vec())
            }
            ("shlex.split", _) => {
                let choices = first.choices().iter();
                let words = choices.map(|choice| match choice.as_text() {
                    Some(text) if !text.contains(['\'', '"', '\\', '#']) => {
                        Value::list(text.split_whitespace().map(Value::text).collect())
                    }
                    Some(_) | None => Value::Unknown(choice.source()),
                });
                words.reduce(Value::or).unwrap_or(first)
            }
            (_, "globals" | "locals" | "vars")
                if self.family == Family::Python && args.is_empty() =>
            {
                Value::named("globals()")
            }
            ("os.listdir" | "fs.readdirSync" | "Dir.children" | "Dir.entries" | "scandir", _) => {
                let text = first.as_text().unwrap_or(".");
                if text.starts_with(['/', '~']) || text.contains("..") {
                    return Some(Value::Unknown(Source::Outside));
                }
                Value::List(vec![Value::text(&TOKEN.to_string())].into())
            }
            ("glob.glob" | "glob.iglob" | "Dir.glob" | "glob" | "iglob" | "fs.globSync", _) => {
                found_by(&first)
            }
            (_, "sync" | "globSync" | "globbySync" | "globby" | "glob" | "async")
                if results::finds_files(full) =>
            {
                found_by(&first)
            }
            (_, "mkdtempSync" | "mkdtemp") if self.family == Family::JavaScript => {
                first.concat(&Value::text(&TOKEN.to_string()))
            }
            ("tempnam", _) => first.join(&Value::text(&TOKEN.to_string())),
            ("Buffer.from", _) if args.len() == 1 && first.as_text().is_some() => first,
            ("os.walk", _) => {
                let names = Value::List(vec![Value::text(&TOKEN.to_string())].into());
                let root = match first.as_text() {
                    Some(root) => below(root),
                    None => Value::Unknown(first.source().max(Source::Content)),
                };
                Value::List(vec![Value::List(vec![root, names.clone(), names].into())].into())
            }
            (_, "list" | "tuple") => first,
            (_, "sorted" | "set" | "reversed") => first.shuffled(),
            (_, "enumerate") => {
                Value::List(vec![Value::List(vec![PROGRAM, Self::element(&first)].into())].into())
            }
            (_, "dict") if !keys.is_empty() => Value::Map(keys.to_vec().into()),
            _ => return None,
        })
    }

    /// Modules and members by name.
    fn reflected(&mut self, full: &str, last: &str, args: &[Value]) -> Option<Value> {
        let first = args.first().cloned().unwrap_or(PROGRAM);
        match (self.family, full, last) {
            (Family::JavaScript, "import", _)
            | (Family::JavaScript, _, "require" | "getBuiltinModule" | "_load")
            | (Family::Python, _, "__import__" | "import_module") => match first.as_text() {
                Some(name) => {
                    self.imported(name);
                    Some(module(name, self.family))
                }
                None => {
                    self.computed(last);
                    Some(PROGRAM)
                }
            },
            // `eval("os.system")` is the function; what any other text gives is not followed.
            (Family::Python | Family::JavaScript, "eval", _) => {
                let text = first.as_text()?.trim().to_owned();
                let dotted = !text.is_empty()
                    && text
                        .chars()
                        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
                if !dotted {
                    let plain = !text.contains(|c: char| c.is_alphabetic());
                    return Some(if plain {
                        PROGRAM
                    } else {
                        Value::Unknown(Source::Outside)
                    });
                }
                let mut parts = text.split('.');
                let start = self.lookup(parts.next().unwrap_or(""));
                Some(parts.fold(start, |value, part| self.member(&value, part)))
            }
            (Family::JavaScript, _, "createRequire") => Some(Value::named("require")),
            (Family::Python, _, "getattr") => match args.get(1).and_then(Value::as_text) {
                Some(name) => Some(self.member(&first, name)),
                None => {
                    if matches!(&first, Value::Named(name) if table::is_module(name, self.family) || name.contains("builtins"))
                        || matches!(first, Value::Function)
                    {
                        self.computed("getattr");
                    }
                    Some(PROGRAM)
                }
            },
            _ => None,
        }
    }

    /// Methods that only compute.
    pub(super) fn known_method(
        &mut self,
        object: &Value,
        name: &str,
        args: &[Value],
    ) -> Option<Value> {
        let first = args.first().cloned().unwrap_or(PROGRAM);
        if let Value::Path(inner) = object {
            return Some(match name {
                "resolve" | "absolute" => object.clone(),
                "expanduser" | "expand_path" => Value::path(expanded(inner)),
                "joinpath" | "join" | "+" => args
                    .iter()
                    .fold(object.clone(), |whole, part| whole.join(part)),
                "rglob" | "glob" | "iterdir" | "children" => match inner.as_text() {
                    Some(text) => {
                        let climbs = first
                            .as_text()
                            .is_some_and(|pattern| pattern.contains(".."));
                        if climbs {
                            return Some(Value::Unknown(Source::Outside));
                        }
                        Value::List(vec![Value::path(below(text))].into())
                    }
                    None => Value::Unknown(inner.source().max(Source::Content)),
                },
                "with_suffix" | "with_name" | "with_stem" | "relative_to" | "sub_ext" => {
                    match (name, inner.as_text(), first.as_text()) {
                        ("with_suffix", Some(text), Some(suffix)) if !suffix.contains('/') => {
                            Value::path(Value::Text(format!("{text}{suffix}").into()))
                        }
                        ("with_name", Some(text), Some(new)) => {
                            Value::path(Value::text(&parent(text)).join(&Value::text(new)))
                        }
                        _ => Value::path(Value::Unknown(inner.source().max(first.source()))),
                    }
                }
                "as_posix" | "to_s" | "to_path" => inner.as_ref().clone(),
                _ => return None,
            });
        }
        Some(match (object, name) {
            (Value::Text(separator), "join") if self.family == Family::Python => match &first {
                Value::List(items) => joined(items, separator),
                other @ (Value::Text(_)
                | Value::Unknown(_)
                | Value::Named(_)
                | Value::Path(_)
                | Value::Map(_)
                | Value::Method(_)
                | Value::OneOf(_)
                | Value::Function) => Value::Unknown(other.source()),
            },
            (Value::List(items), "join") => match first.as_text() {
                Some(separator) if !args.is_empty() => joined(items, separator),
                _ => joined(
                    items,
                    if self.family == Family::JavaScript {
                        ","
                    } else {
                        ""
                    },
                ),
            },
            (Value::Text(_), "concat") => args
                .iter()
                .fold(object.clone(), |whole, part| whole.concat(part)),
            (Value::Text(text), "toString" | "to_s" | "valueOf" | "freeze" | "dup" | "encode")
                if args.is_empty() =>
            {
                Value::Text(text.clone())
            }
            (Value::Text(text), "strip" | "trim" | "chomp") if args.is_empty() => {
                Value::text(text.trim())
            }
            (Value::Text(text), "decode") if args.is_empty() => Value::Text(text.clone()),
            (Value::Text(text), "lower" | "toLowerCase" | "downcase") => {
                Value::text(&text.to_lowercase())
            }
            (Value::Text(text), "upper" | "toUpperCase" | "upcase") => {
                Value::text(&text.to_uppercase())
            }
            (Value::Text(text), "replace" | "replaceAll") => {
                match (first.as_text(), args.get(1).and_then(Value::as_text)) {
                    (Some(from), Some(to))
                        if !from.is_empty() && text.len() < 512 && to.len() < 512 =>
                    {
                        Value::text(&text.replace(from, to))
                    }
                    _ => return None,
                }
            }
            (Value::Text(text), "split") => match first.as_text() {
                Some(separator) if !separator.is_empty() => Value::List(
                    text.split(separator)
                        .take(64)
                        .map(Value::text)
                        .collect::<Vec<_>>()
                        .into(),
                ),
                _ => Value::List(
                    text.split_whitespace()
                        .take(64)
                        .map(Value::text)
                        .collect::<Vec<_>>()
                        .into(),
                ),
            },
            (Value::List(_), "filter" | "sort" | "slice" | "select" | "reject") => {
                object.shuffled()
            }
            (Value::List(_), "concat" | "each") => object.clone(),
            (Value::Map(_), "items") => object.blurred(),
            _ => return None,
        })
    }
}
