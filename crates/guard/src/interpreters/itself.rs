//! The interpreter that runs the code, by the name its language has for it: `sys.executable`, `process.execPath`.
//!
//! Such a name is replaced by one that the reader knows to be the program. A program that could give the name
//! another meaning is left as it is, and so are texts: the new name is no code in any of them.

use std::rc::Rc;

use super::syntax::Family;

struct Itself {
    family: Family,
    /// What is written, an owner and its member.
    owner: &'static str,
    member: &'static str,
    /// What stands in its place.
    name: &'static str,
    /// With one of these in a program, the name could mean something else.
    doubts: &'static [&'static [&'static str]],
}

/// Through these a property of an object of JavaScript gets another value.
const DEFINES: &[&str] = &[
    "defineProperty",
    "Object.assign",
    "Reflect",
    "Proxy",
    "__proto__",
    "__define",
];

/// Through these a method of Ruby gets another meaning.
const REOPENS: &[&str] = &[
    "def ", "class", "module", "define_", "const_", "eval", "send",
];

const NAMES: &[Itself] = &[
    Itself {
        family: Family::Python,
        owner: "sys",
        member: "executable",
        name: "grove_itself_python",
        doubts: &[&[
            "setattr", "__dict__", "vars(", "globals(", "locals(", "modules", " as sys",
        ]],
    },
    Itself {
        family: Family::JavaScript,
        owner: "process",
        member: "execPath",
        name: "grove_itself_node",
        doubts: &[DEFINES],
    },
    Itself {
        family: Family::JavaScript,
        owner: "process",
        member: "argv[0]",
        name: "grove_itself_node",
        doubts: &[DEFINES, &["argv[0] =", "argv[0]=", "]=", "] =", " of "]],
    },
    Itself {
        family: Family::Ruby,
        owner: "RbConfig",
        member: "ruby",
        name: "grove_itself_ruby",
        doubts: &[REOPENS],
    },
    Itself {
        family: Family::Ruby,
        owner: "Gem",
        member: "ruby",
        name: "grove_itself_ruby",
        doubts: &[REOPENS],
    },
    Itself {
        family: Family::Perl,
        owner: "",
        member: "$^X",
        name: "$grove_itself_perl",
        doubts: &[&["*", "${", "&", "\\", "chr", "EXECUTABLE_NAME"]],
    },
    Itself {
        family: Family::Php,
        owner: "",
        member: "PHP_BINARY",
        name: "grove_itself_php",
        doubts: &[&["namespace", "define", "const "]],
    },
];

/// The program that a replaced name stands for.
pub(super) fn program(name: &str) -> Option<&'static str> {
    Some(match name {
        "grove_itself_python" => "python3",
        "grove_itself_node" => "node",
        "grove_itself_ruby" => "ruby",
        "grove_itself_perl" => "perl",
        "grove_itself_php" => "php",
        _ => return None,
    })
}

/// The program with the names of its own interpreter replaced. `given`: the command sets `PYTHON` itself.
pub(super) fn replaced(source: &Rc<str>, family: Family, given: bool) -> Rc<str> {
    let mut text = Rc::clone(source);
    if family == Family::Python && !given {
        text = asked_environment(text);
    }
    for itself in NAMES.iter().filter(|itself| itself.family == family) {
        if text.contains(itself.member) && is_plain(&text, itself) {
            text = text.replace(&written(itself), itself.name).into();
        }
    }
    // In a text of Perl it is a variable like any other, and what it holds is not known.
    if family == Family::Perl && text.contains("$^X") {
        text = text.replace("$^X", "$grove_not_known").into();
    }
    text
}

/// Python with `os.environ.get("PYTHON", "python3")` replaced, when the environment is used for nothing else.
fn asked_environment(source: Rc<str>) -> Rc<str> {
    const DOUBTS: &[&str] = &[
        "putenv", "setattr", "__dict__", "vars(", "globals(", "locals(", "modules", " as os",
        "from os", "import *", "os =", "os=", "exec(", "eval(",
    ];
    if !source.contains("PYTHON") || DOUBTS.iter().any(|doubt| source.contains(doubt)) {
        return source;
    }
    let mut text = source.to_string();
    for call in ["os.environ.get", "os.getenv"] {
        for quote in ['"', '\''] {
            for space in ["", " "] {
                for program in ["python3", "python"] {
                    let asked =
                        format!("{call}({quote}PYTHON{quote},{space}{quote}{program}{quote})");
                    text = text.replace(&asked, "grove_itself_python");
                }
            }
        }
    }
    // Anything else that has to do with it could set what is asked for.
    if text.contains("environ") || text.contains("getenv") {
        return source;
    }
    text.into()
}

fn written(itself: &Itself) -> String {
    match itself.owner {
        "" => itself.member.to_owned(),
        owner => format!("{owner}.{}", itself.member),
    }
}

/// Whether a name can mean only the interpreter: owner and member stand together wherever the member stands, the
/// owner is only looked into, and nothing else changes it.
fn is_plain(source: &str, itself: &Itself) -> bool {
    let mut doubts = itself.doubts.iter().copied().flatten();
    if doubts.any(|doubt| source.contains(doubt)) {
        return false;
    }
    // Where names are not bound in plain sight, the interpreter must be what is started there and then.
    if matches!(itself.family, Family::Perl | Family::Ruby) {
        let name = written(itself);
        let looked_into = words(source, itself.owner).all(|(_, after)| after == Some('.'));
        return (itself.owner.is_empty() || looked_into) && {
            source.match_indices(&name).all(|(at, _)| {
                let before = source.get(..at).unwrap_or_default();
                let after = source.get(at + name.len()..).unwrap_or_default();
                // Perl puts it into texts as well.
                let (before, after) = match before.strip_suffix('"') {
                    Some(before) if itself.family == Family::Perl => {
                        (before, after.strip_prefix('"').unwrap_or(after))
                    }
                    Some(_) | None => (before, after),
                };
                ["system(", "exec(", "system ", "exec "]
                    .iter()
                    .any(|start| before.ends_with(start))
                    && after.starts_with([',', ' '])
                    || itself.family == Family::Perl
                        && is_opened(before)
                        && after.starts_with([',', ' '])
                    || itself.family == Family::Perl
                        && before.ends_with('`')
                        && after.starts_with(' ')
            })
        };
    }
    if itself.owner.is_empty() {
        return true;
    }
    // The list may be changed under its own name.
    if itself.member == "argv[0]"
        && source.matches("argv").count() != source.matches("process.argv[0]").count()
    {
        return false;
    }
    let member = written(itself);
    let parts = |segment: &str| {
        let owners = words(segment, itself.owner);
        let members = words(segment, itself.member).count();
        let whole = words(segment, &member).count();
        members == whole
            && owners
                .into_iter()
                .all(|(before, after)| before != Some('.') && after == Some('.'))
    };
    source.split(['\n', ';']).all(|segment| {
        let import = segment.trim_start().strip_prefix("import ");
        let brings_in = itself.family == Family::Python
            && import.is_some_and(|names| {
                names
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, ',' | ' ' | '_' | '.' | '\r'))
            });
        // `import sys as s` would let it be changed under the other name.
        brings_in && !segment.contains(" as ") || parts(segment)
    })
}

/// Whether this ends where `open` of Perl is given what it opens: `open(F, "`, `open(my $f, "-|", `.
fn is_opened(before: &str) -> bool {
    let statement = before
        .rsplit([';', '{', '}', '\n'])
        .next()
        .unwrap_or(before);
    let Some((_, given)) = statement.rsplit_once("open") else {
        return false;
    };
    given.trim_end().ends_with(',') && given.starts_with(['(', ' '])
}

/// The characters around each place where a word stands by itself.
fn words<'a>(
    text: &'a str,
    word: &'a str,
) -> impl Iterator<Item = (Option<char>, Option<char>)> + 'a {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).filter_map(move |(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text
            .get(at + word.len()..)
            .and_then(|text| text.chars().next());
        (!before.is_some_and(part) && !after.is_some_and(part)).then_some((before, after))
    })
}
