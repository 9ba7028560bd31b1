//! Options and operands of a command line, the way GNU tools read them.
//!
//! Long options may be shortened, short ones clustered, values attached or apart.

/// A command line taken apart.
#[derive(Debug, Default)]
pub(crate) struct Flags {
    pub(crate) options: Vec<(String, Option<String>)>,
    pub(crate) operands: Vec<String>,
    /// How many operands came before `--`, when there was one.
    pub(crate) dashes: Option<usize>,
}

/// Takes a command line apart. `short` and `long` name the options that take a value; a letter in `short`
/// followed by `?` takes one only when attached.
pub(crate) fn parse(args: &[String], short: &str, long: &[&str]) -> Flags {
    let mut flags = Flags::default();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        if flags.dashes.is_some() || arg == "-" || !arg.starts_with('-') {
            flags.operands.push(arg.clone());
        } else if arg == "--" {
            flags.dashes = Some(flags.operands.len());
        } else if let Some(name) = arg.strip_prefix("--") {
            if let Some((name, value)) = name.split_once('=') {
                flags.options.push((spelled(name), Some(value.to_owned())));
            } else if long.iter().any(|full| abbreviates(name, full)) {
                flags.options.push((spelled(name), args.get(at).cloned()));
                at += 1;
            } else {
                flags.options.push((spelled(name), None));
            }
        } else {
            let letters = arg.get(1..).unwrap_or("");
            let mut seen = 0_u128;
            for (position, letter) in letters.char_indices() {
                let found = short.find(letter).filter(|_| letter != '?');
                let Some(found) = found else {
                    // Once more changes nothing, and no tool has options outside of ASCII.
                    let bit = 1 << u32::from(letter).min(127);
                    if seen & bit == 0 {
                        flags.options.push((letter.to_string(), None));
                    }
                    seen |= bit;
                    continue;
                };
                let attached = letters.get(position + letter.len_utf8()..).unwrap_or("");
                let optional = short
                    .get(found + letter.len_utf8()..)
                    .is_some_and(|rest| rest.starts_with('?'));
                if !attached.is_empty() {
                    let value = Some(attached.to_owned());
                    flags.options.push((letter.to_string(), value));
                } else if optional {
                    flags.options.push((letter.to_string(), None));
                } else {
                    flags
                        .options
                        .push((letter.to_string(), args.get(at).cloned()));
                    at += 1;
                }
                break;
            }
        }
    }
    flags
}

/// Whether `name` is `full` or a shortening of it that tools accept: one letter is enough where no other option
/// begins with it.
pub(crate) fn abbreviates(name: &str, full: &str) -> bool {
    name == full || !name.is_empty() && full.len() > 1 && full.starts_with(name)
}

/// A long option as it is kept: one of a single letter keeps its dashes, so that it is not taken for a short one.
fn spelled(name: &str) -> String {
    if name.len() == 1 {
        format!("--{name}")
    } else {
        name.to_owned()
    }
}

impl Flags {
    /// Whether an option was given, by its letter or its long name (or a shortening of it).
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.options
            .iter()
            .any(|(option, _)| names.iter().any(|name| matches(option, name)))
    }

    /// The values an option was given.
    pub(crate) fn values(&self, names: &[&str]) -> Vec<&str> {
        self.options
            .iter()
            .filter(|(option, _)| names.iter().any(|name| matches(option, name)))
            .map(|(_, value)| value.as_deref().unwrap_or(""))
            .collect()
    }

    pub(crate) fn value(&self, names: &[&str]) -> Option<&str> {
        self.values(names).last().copied()
    }

    pub(crate) fn first(&self) -> &str {
        self.operands.first().map_or("", String::as_str)
    }
}

fn matches(option: &str, name: &str) -> bool {
    if let Some(letter) = option.strip_prefix("--") {
        return abbreviates(letter, name);
    }
    // Letters are given as letters; a longer name is never one.
    if name.len() == 1 || option.len() == 1 {
        return option == name;
    }
    abbreviates(option, name)
}
