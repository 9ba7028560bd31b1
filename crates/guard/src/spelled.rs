//! A command taken apart for the comparison with a rule of the project: options as a set, whichever way they are
//! bundled, split, shortened or given their value, and operands as what they name.

use super::letters::Letters;
use super::patterns::like;
use super::shell::{glob, text};

/// One part of a command behind the program's name.
#[derive(Debug, Clone)]
enum Part {
    Option {
        names: Vec<String>,
        value: Option<String>,
        /// Whether it takes a value, where that is known.
        valued: Option<bool>,
    },
    /// Every way to write what it names.
    Operand(Vec<String>),
    /// Not known before it runs: could be anything.
    Unknown,
}

/// Longer operands are no paths.
const LONGEST: usize = 4096;

/// Programs each of whose operands is something it is done to.
const EACH: &[&str] = &[
    "rm", "rmdir", "unlink", "shred", "touch", "cp", "mv", "ln", "chmod", "chown", "cat", "mkdir",
];

/// Subcommands with such operands.
const EACH_BEHIND: &[&str] = &[
    "add",
    "install",
    "rm",
    "remove",
    "uninstall",
    "restore",
    "checkout",
    "update",
    "stage",
];

/// Whether the command is one that the rule means. More words may follow.
pub(super) fn meets(
    rule: &[String],
    command: &[String],
    locate: &dyn Fn(&str) -> Option<String>,
) -> bool {
    let (Some((wanted, rest)), Some((program, args))) = (rule.split_first(), command.split_first())
    else {
        return false;
    };
    if !like(wanted, program) {
        return false;
    }
    // A star at the end stands for whatever follows.
    let rest = match rest.split_last() {
        Some((last, rest)) if last == "*" => rest,
        Some(_) | None => rest,
    };
    let parts = apart(program, args, locate);
    let wanted = apart_rule(program, rest);
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(want) = wanted.get(at) {
        at += 1;
        let (choices, value, valued) = match want {
            Want::Word(word) => {
                words.push(word.clone());
                continue;
            }
            Want::Option {
                choices,
                value,
                valued,
            } => (choices, value, *valued),
        };
        let next = match wanted.get(at) {
            Some(Want::Word(word)) if value.is_none() && valued != Some(false) => Some(word),
            Some(_) | None => None,
        };
        let Some(given) = value.as_ref().or(next) else {
            if !choices.iter().any(|names| has_all(&parts, names)) {
                return false;
            }
            continue;
        };
        // The word behind an option may be its value, or an operand where the option takes none.
        if choices.iter().any(|names| has_value(&parts, names, given)) {
            at += usize::from(value.is_none());
        } else if value.is_some() || !choices.iter().any(|names| stands_alone(&parts, names)) {
            return false;
        }
    }
    in_order(program, &words, &parts)
}

/// A part of a rule.
enum Want {
    Word(String),
    Option {
        /// Sets of names: all of one set have to be there.
        choices: Vec<Vec<String>>,
        value: Option<String>,
        valued: Option<bool>,
    },
}

/// The subcommand: the first word that is no option and not the value of one of git's own.
fn subcommand<'a>(program: &str, args: &'a [String]) -> &'a str {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if !arg.starts_with('-') {
            return arg;
        }
        let valued = program == "git" && matches!(arg.as_str(), "-C" | "-c");
        at += if valued { 2 } else { 1 };
    }
    ""
}

fn apart(program: &str, args: &[String], locate: &dyn Fn(&str) -> Option<String>) -> Vec<Part> {
    let letters = Letters::of(program, subcommand(program, args));
    let mut parts = Vec::new();
    let mut only_operands = false;
    let mut is_value = false;
    for arg in args {
        let value = std::mem::take(&mut is_value);
        if text::is_any(arg) && arg.starts_with(text::ANY) && !value {
            parts.push(Part::Unknown);
        } else if only_operands || value || arg == "-" || !arg.starts_with('-') {
            parts.push(Part::Operand(ways(arg, locate)));
        } else if arg == "--" {
            only_operands = true;
        } else {
            options(arg, letters, &mut parts);
            is_value = matches!(
                parts.last(),
                Some(Part::Option {
                    value: None,
                    valued: Some(true),
                    ..
                })
            );
        }
    }
    parts
}

/// Every way to write an operand that names the same.
fn ways(arg: &str, locate: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let plain = trimmed(arg);
    let mut all = vec![arg.to_owned()];
    if plain != arg {
        all.push(plain.to_owned());
    }
    if arg.len() <= LONGEST {
        all.extend(locate(arg).filter(|path| !path.is_empty()));
    }
    all
}

fn trimmed(path: &str) -> &str {
    let mut plain = path;
    while let Some(rest) = plain.strip_prefix("./") {
        plain = rest;
    }
    let plain = plain.trim_end_matches("/.").trim_end_matches('/');
    if plain.is_empty() { path } else { plain }
}

/// Takes one word of options apart. Where the letters are not known, every reading counts.
fn options(arg: &str, letters: Option<Letters>, parts: &mut Vec<Part>) {
    let option = |names: Vec<String>, value: Option<&str>, valued: Option<bool>| Part::Option {
        names,
        value: value.map(str::to_owned),
        valued,
    };
    if let Some(long) = arg.strip_prefix("--") {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        let known = letters.and_then(|letters| letters.long(name));
        let full = known.map_or(name, |(full, _)| full);
        parts.push(option(
            vec![full.to_owned()],
            value,
            known.map(|(_, valued)| valued),
        ));
        return;
    }
    let cluster = arg.trim_start_matches('-');
    let signs: Vec<char> = cluster.chars().collect();
    if let Some(letters) = letters {
        for (at, sign) in signs.iter().enumerate() {
            let rest: String = signs.iter().skip(at + 1).collect();
            let rest = rest.strip_prefix('=').unwrap_or(&rest);
            match letters.letter(*sign) {
                Some(letter) => {
                    let mut names: Vec<String> =
                        letter.names.iter().map(|name| (*name).to_owned()).collect();
                    names.push(sign.to_string());
                    let value = (letter.valued && !rest.is_empty()).then_some(rest);
                    parts.push(option(names, value, Some(letter.valued)));
                    if letter.valued {
                        return;
                    }
                }
                None => parts.push(option(vec![sign.to_string()], None, None)),
            }
        }
        return;
    }
    let (name, value) = match cluster.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (cluster, None),
    };
    if let [first, rest @ ..] = signs.as_slice()
        && !rest.is_empty()
    {
        let rest: String = rest.iter().collect();
        let rest = rest.strip_prefix('=').unwrap_or(&rest);
        parts.push(option(vec![first.to_string()], Some(rest), None));
        let letters = name.chars().filter(|sign| sign.is_ascii_alphanumeric());
        parts.extend(letters.map(|sign| option(vec![sign.to_string()], None, None)));
    }
    parts.push(option(vec![name.to_owned()], value, None));
}

fn apart_rule(program: &str, words: &[String]) -> Vec<Want> {
    let letters = Letters::of(program, subcommand(program, words));
    let mut wanted = Vec::new();
    for word in words {
        if word == "--" {
            continue;
        }
        if word == "-" || !word.starts_with('-') {
            wanted.push(Want::Word(trimmed(word).to_owned()));
            continue;
        }
        let mut parts = Vec::new();
        options(word, letters, &mut parts);
        let plain = word.trim_start_matches('-');
        if letters.is_none() && !word.starts_with("--") {
            let (name, value) = match plain.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (plain, None),
            };
            let mut choices = vec![vec![name.to_owned()]];
            // So few letters may be options of their own.
            if name.len() <= 4 && name.bytes().all(|c| c.is_ascii_alphanumeric()) {
                choices.push(name.chars().map(String::from).collect());
            }
            wanted.push(Want::Option {
                choices,
                value,
                valued: None,
            });
            continue;
        }
        for part in parts {
            if let Part::Option {
                mut names,
                value,
                valued,
            } = part
            {
                // The letter itself says no more than its names.
                if names.len() > 1 {
                    names.pop();
                }
                wanted.push(Want::Option {
                    choices: vec![names],
                    value,
                    valued,
                });
            }
        }
    }
    wanted
}

fn named(part: &Part, name: &str) -> bool {
    match part {
        Part::Option { names, .. } => names.iter().any(|given| like(name, given)),
        Part::Unknown => true,
        Part::Operand(_) => false,
    }
}

fn has_all(parts: &[Part], names: &[String]) -> bool {
    names
        .iter()
        .all(|name| parts.iter().any(|part| named(part, name)))
}

fn is(part: Option<&Part>, word: &str) -> bool {
    match part {
        Some(Part::Operand(ways)) => ways.iter().any(|way| same(word, way)),
        Some(Part::Unknown) => true,
        Some(Part::Option { .. }) | None => false,
    }
}

/// Whether a word is the rule's, or a pattern of the shell that may become it.
fn same(rule: &str, word: &str) -> bool {
    like(rule, word)
        || text::is_any(word)
        || text::has_glob(word) && glob::matches(word, rule, false)
}

/// Whether the last of the options is given this value, attached or as the next word.
fn has_value(parts: &[Part], names: &[String], value: &str) -> bool {
    let Some((last, others)) = names.split_last() else {
        return false;
    };
    has_all(parts, others)
        && parts.iter().enumerate().any(|(at, part)| {
            named(part, last)
                && match part {
                    Part::Option {
                        value: Some(given), ..
                    } => same(value, given),
                    Part::Option { .. } => is(parts.get(at + 1), value),
                    Part::Unknown => true,
                    Part::Operand(_) => false,
                }
        })
}

/// Whether the options are there, and the last of them takes no value: none can be seen, or it is known to.
fn stands_alone(parts: &[Part], names: &[String]) -> bool {
    let Some(last) = names.last() else {
        return false;
    };
    has_all(parts, names)
        && parts.iter().enumerate().any(|(at, part)| {
            named(part, last)
                && match part {
                    Part::Option { value: Some(_), .. } => false,
                    Part::Option {
                        valued: Some(valued),
                        ..
                    } => !valued,
                    Part::Option { valued: None, .. } => {
                        !matches!(parts.get(at + 1), Some(Part::Operand(_)))
                    }
                    Part::Unknown => true,
                    Part::Operand(_) => false,
                }
        })
}

/// Whether the operands begin with these words; where each operand is done the same to, they may stand anywhere.
fn in_order(program: &str, words: &[String], parts: &[Part]) -> bool {
    let mut rest = parts.iter();
    let mut each = EACH.contains(&program);
    for word in words {
        let mut may_be_value = false;
        loop {
            let Some(part) = rest.next() else {
                return false;
            };
            match part {
                part if is(Some(part), word) => break,
                // The table does not know every subcommand: the next word may be a value all the same.
                Part::Option { value, .. } => may_be_value = value.is_none(),
                Part::Operand(_) | Part::Unknown if may_be_value => may_be_value = false,
                Part::Operand(_) | Part::Unknown if each => {}
                Part::Operand(_) | Part::Unknown => return false,
            }
        }
        each |= EACH_BEHIND.contains(&word.as_str());
    }
    true
}
