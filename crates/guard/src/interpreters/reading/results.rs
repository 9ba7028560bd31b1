//! What is known of the results of calls that are not worked out: whether they can lead anywhere at all.
//!
//! Nothing is computed. A target that comes from a function that is not known, or is text turned into other text,
//! is told apart from one that is put together of what the program shows.

use std::collections::HashSet;

use super::super::syntax::{Family, Node};
use super::results_known::{
    BUILT_IN, COMBINE, DECODES, FINDERS, PLAIN, PYTHON_MODULES, REPLACE, SCRIPT_MODULES, TURN,
};
use super::{Owner, PROGRAM, Reader, Source, Value, known};
use crate::shell::text;

impl Reader {
    /// The result of a call that is not worked out.
    pub(super) fn result_of(&self, owner: &Owner, name: &str, args: &[Value]) -> Value {
        if PLAIN.contains(name) {
            return PROGRAM;
        }
        let mut source = if known::reads_content(name) {
            Source::Content
        } else {
            Source::Program
        };
        if known::conjures(name) {
            source = Source::Outside;
        }
        if let Owner::Object(object) = owner {
            source = source.max(object.source());
        }
        let source = args.iter().map(Value::source).fold(source, Source::max);
        if self.turns(owner, name, args) {
            return Value::Unknown(source.max(Source::Turned));
        }
        if self.is_foreign_call(owner, name) {
            return Value::Unknown(source.max(Source::Made));
        }
        Value::Unknown(source)
    }

    /// `$text =~ s/a/b/`, `$text =~ tr/a/b/`, behind the text: what was written out is so no longer.
    pub(super) fn substituted(&mut self, left: Value, right: &Value, behind: &[Node]) -> Value {
        let [Node::Pattern(from), Node::Sign(","), Node::Text(parts), ..] = behind else {
            return Value::Unknown(left.source().max(right.source()));
        };
        let put = self.string(parts);
        let flattens = matches!(from.as_str(), "/" | "\\/");
        if !is_literal(&left) && (flattens || !climbs(&put, &[])) {
            return Value::Unknown(left.source().max(right.source()));
        }
        let turned = Value::Unknown(Source::Turned);
        let holders = self.names.iter().filter(|(_, value)| **value == left);
        let holders: Vec<String> = holders.map(|(name, _)| name.clone()).collect();
        for holder in holders {
            self.bind(&holder, turned.clone());
        }
        turned
    }

    /// Whether a call makes other text of text that the program writes out.
    fn turns(&self, owner: &Owner, name: &str, args: &[Value]) -> bool {
        let receiver = match owner {
            Owner::Object(object @ (Value::Text(_) | Value::OneOf(_) | Value::List(_)))
                if is_literal(object) =>
            {
                Some(object)
            }
            Owner::Object(_) | Owner::Module(_) | Owner::None => None,
        };
        let given = || receiver.into_iter().chain(args);
        if COMBINE.contains(name) {
            return given().any(is_dotted) || given().any(|value| holds(value, "%c"));
        }
        if REPLACE.contains(name) {
            let (subject, put) = self.replacing(owner, name, args);
            let made = subject.is_some_and(is_literal) && !put.is_some_and(only_letters);
            return made || put.is_some_and(|put| climbs(put, args));
        }
        if DECODES.contains(name) {
            return given().any(|value| value.choices().iter().any(hides_path));
        }
        if TURN.contains(name) {
            return given().any(is_written_out);
        }
        let buffer = matches!(owner, Owner::Object(Value::Named(of)) if of.as_ref() == "Buffer");
        buffer && name == "from" || matches!(receiver, Some(Value::Text(_) | Value::OneOf(_)))
    }

    /// What is searched, and what is put in.
    fn replacing<'v>(
        &self,
        owner: &'v Owner,
        name: &str,
        args: &'v [Value],
    ) -> (Option<&'v Value>, Option<&'v Value>) {
        match (self.family, owner) {
            (Family::Php, _) if name == "strtr" => (args.first(), args.get(2)),
            (Family::Php, _) => (args.get(2), args.get(1)),
            (Family::Python, Owner::Object(Value::Named(_)) | Owner::Module(_)) => {
                (args.get(2), args.get(1))
            }
            (Family::Python, _) if matches!(name, "sub" | "subn") => (args.get(1), args.first()),
            (_, Owner::Object(object)) => (Some(object), args.get(1)),
            (_, Owner::None | Owner::Module(_)) => (args.first(), args.get(1)),
        }
    }

    /// Whether a call is one of a function that the program neither shows nor brings in from where it is known.
    fn is_foreign_call(&self, owner: &Owner, name: &str) -> bool {
        match owner {
            Owner::None if self.names.contains_key(name) => false,
            Owner::None => self.family != Family::Other && !BUILT_IN.contains(name),
            Owner::Object(Value::Named(full)) => {
                is_foreign(&format!("{full}.{name}"), &self.out.imports, self.family)
            }
            Owner::Object(_) | Owner::Module(_) => false,
        }
    }
}

/// Whether a name is a member of a module that is brought in and not known.
pub(in crate::interpreters) fn is_foreign(
    full: &str,
    imports: &HashSet<String>,
    family: Family,
) -> bool {
    let Some((root, _)) = full.split_once('.') else {
        return false;
    };
    let known = match family {
        Family::Python => PYTHON_MODULES.contains(root),
        Family::JavaScript => SCRIPT_MODULES.contains(root) || finds_files(full),
        Family::Perl | Family::Ruby | Family::Php | Family::Other => true,
    };
    !known && imports.contains(root)
}

/// Whether a function is one of a package that looks for files by patterns.
pub(super) fn finds_files(full: &str) -> bool {
    let root = full.split('.').next().unwrap_or(full);
    FINDERS.contains(root)
}

/// Whether `"…" % x` or `"…" * x` may make a name that leads upwards of what shows none.
pub(super) fn puts_together(left: &Value, right: &Value) -> bool {
    [left, right].into_iter().any(is_dotted) || holds(left, "%c")
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let parts = value.choices().iter().flat_map(|choice| {
        if let Value::List(items) = choice {
            items.as_slice()
        } else {
            std::slice::from_ref(choice)
        }
    });
    parts.filter_map(Value::as_text)
}

/// Whether a value is, or may be, text that the program writes out: what a folder holds is not.
fn is_literal(value: &Value) -> bool {
    texts(value).any(|text| !text.is_empty() && text::is_known(text))
}

/// The same, also of lists of numbers and of what has been unknown since.
fn is_written_out(value: &Value) -> bool {
    is_literal(value) || matches!(value, Value::List(_))
}

fn holds(value: &Value, part: &str) -> bool {
    texts(value).any(|text| text.contains(part))
}

/// Whether a part makes a step upwards together with another one.
fn is_dotted(value: &Value) -> bool {
    texts(value).any(|text| text == "." || text.starts_with("./") || text.ends_with("/."))
}

/// Whether what is put in may be a step upwards: dots without a letter beside them, or a slash.
fn climbs(put: &Value, args: &[Value]) -> bool {
    let flattens = args.first().and_then(Value::as_text) == Some("/");
    texts(put).any(|text| {
        let named = text.is_empty() || text.contains(char::is_alphanumeric);
        let signs = !text.contains(['.', '/']);
        !(named && !text.contains('/') || signs || flattens && text == ".")
    })
}

/// Whether what is put in leaves each step of a path what it is: no dot, no slash, nothing of what was found, and not
/// nothing, which would bring dots together.
fn only_letters(put: &Value) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    let mut all = texts(put).peekable();
    put.choices()
        .iter()
        .all(|choice| choice.as_text().is_some())
        && all.peek().is_some()
        && all.all(|text| !text.is_empty() && text.chars().all(plain))
}

/// Whether written text may hold a path that leads away, once it is read as data.
fn hides_path(value: &Value) -> bool {
    let Some(text) = value.as_text() else {
        return false;
    };
    let quoted = ["\"/", "'/", "\"~", "'~", "..", "\\", ": /", "- /"];
    text.starts_with(['/', '~']) || quoted.iter().any(|part| text.contains(part))
}
