//! Which part of a makefile runs: the targets that are asked for, or the first one, with what they need.
//!
//! Only makefiles of plain variables and rules are taken apart. Whatever else stands in one decides for the whole.

use std::collections::{HashMap, HashSet};

/// Options that do not change which targets there are.
const PLAIN: &[&str] = &[
    "-s",
    "--silent",
    "--quiet",
    "-B",
    "--always-make",
    "-k",
    "--keep-going",
    "-j",
    "--no-print-directory",
];

/// Variables that change how make reads its rules.
const READ_BY_MAKE: &[&str] = &["SHELL", "VPATH", "GPATH", "SUFFIXES"];

#[derive(Default)]
struct Rule<'a> {
    needs: Vec<&'a str>,
    lines: Vec<&'a str>,
}

/// The makefile with only the recipes that run for these arguments; `None` where that cannot be told for sure.
pub(super) fn that_run(code: &str, args: &[String]) -> Option<String> {
    if code.contains("\\\\\n") {
        return None;
    }
    let code = code.replace("\\\n", " ");
    let mut kept = String::new();
    let mut rules: HashMap<&str, Rule<'_>> = HashMap::new();
    let mut first: Option<&str> = None;
    let mut open: Vec<&str> = Vec::new();
    for line in code.lines() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with('\t') {
            if open.is_empty() || !is_plain(line) {
                return None;
            }
            for target in &open {
                rules.get_mut(target)?.lines.push(line);
            }
            continue;
        }
        if line.contains('=') {
            open.clear();
            if !is_variable(line) || !is_plain(line) {
                return None;
            }
            kept.push_str(line);
            kept.push('\n');
            continue;
        }
        let line = line.split('#').next().unwrap_or(line);
        let (targets, needs) = line.split_once(':')?;
        let targets = words(targets)?;
        let needs = words(needs)?;
        open.clear();
        if targets == [".PHONY"] {
            continue;
        }
        if targets.is_empty() || targets.iter().any(|target| is_special(target)) {
            return None;
        }
        if first.is_none() {
            first = targets.first().copied();
        }
        for target in targets {
            let rule = rules.entry(target).or_default();
            rule.needs.extend_from_slice(&needs);
            open.push(target);
        }
    }
    let mut asked = asked(args)?;
    if asked.is_empty() {
        asked.push(first?);
    }
    if !asked.iter().all(|target| rules.contains_key(*target)) {
        return None;
    }
    let mut run = HashSet::new();
    while let Some(target) = asked.pop() {
        let Some(rule) = rules.get(target).filter(|_| run.insert(target)) else {
            continue;
        };
        asked.extend_from_slice(&rule.needs);
        kept.push_str(target);
        kept.push_str(":\n");
        for line in &rule.lines {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    // What calls make again may ask for any other target.
    (!kept.to_lowercase().contains("make")).then_some(kept)
}

/// The targets that are named.
fn asked(args: &[String]) -> Option<Vec<&str>> {
    let mut targets = Vec::new();
    for arg in args {
        let jobs = arg
            .strip_prefix("-j")
            .is_some_and(|number| number.bytes().all(|c| c.is_ascii_digit()));
        if jobs || PLAIN.contains(&arg.as_str()) {
            continue;
        }
        if arg.starts_with('-') {
            return None;
        }
        targets.extend(words(arg)?);
    }
    Some(targets)
}

/// Words of plain letters as make names its targets.
fn words(text: &str) -> Option<Vec<&str>> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./|".contains(c);
    let all = text.split_whitespace();
    let named = all.filter(|word| *word != "|").map(|word| {
        let name = word.trim_start_matches("./");
        (!name.is_empty() && name.chars().all(plain) && !name.contains('|')).then_some(name)
    });
    named.collect()
}

/// Targets that mean something else to make, or are what it reads.
fn is_special(target: &str) -> bool {
    target.starts_with('.') || target.len() >= 8 && target.to_lowercase().ends_with("makefile")
}

/// `NAME = value`, `NAME := value`, `NAME ?= value` or `NAME += value`.
fn is_variable(line: &str) -> bool {
    let Some((name, _)) = line.split_once('=') else {
        return false;
    };
    let name = name
        .strip_suffix([':', '?', '+'])
        .unwrap_or(name)
        .trim_end();
    let word = !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    word && !name.starts_with("MAKE") && !READ_BY_MAKE.contains(&name)
}

/// Whether nothing but plain variables is filled in.
fn is_plain(line: &str) -> bool {
    if !line.contains('$') {
        return true;
    }
    let line = line.replace("$$", "");
    line.split('$').skip(1).all(|part| {
        let Some(name) = part.strip_prefix(['(', '{']) else {
            return part.starts_with(['@', '<', '^', '?', '+', '*']);
        };
        let end = name.find([')', '}']).unwrap_or(0);
        end > 0
            && name
                .bytes()
                .take(end)
                .all(|c| c.is_ascii_alphanumeric() || c == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::super::asked::{asked, whole};
    use super::that_run;

    fn run(code: &str, args: &[&str]) -> Option<String> {
        asked(that_run, code, args)
    }

    #[test]
    fn the_first_target_runs_with_what_it_needs() {
        let code = "CC := gcc\n.PHONY: all clean\nall: app\n\techo done\n\napp: a.c\n\t$(CC) -o $@ $<\nclean:\n\trm app\n";
        assert_eq!(
            run(code, &["-j4"]).as_deref(),
            Some("CC := gcc\nall:\n\techo done\napp:\n\t$(CC) -o $@ $<\n")
        );
        assert_eq!(
            run(code, &["clean"]).as_deref(),
            Some("CC := gcc\nclean:\n\trm app\n")
        );
    }

    #[test]
    fn whatever_is_not_plain_decides_for_the_whole() {
        let cases: &[(&str, &[&str])] = &[
            ("all:\n\techo\nx:\n\tls\n", &["y"]),
            ("all:\n\techo\n", &["-f", "other"]),
            ("all:\n\techo\n", &["A=b"]),
            (".DEFAULT_GOAL := x\nall:\n\techo\n", &[]),
            ("include x.mk\nall:\n\techo\n", &[]),
            ("all:\n\t$(MAKE) x\nx:\n\tls\n", &[]),
            ("all:\n\tmake x\nx:\n\tls\n", &[]),
            ("M = make\nall:\n\t$(M) x\nx:\n\tls\n", &[]),
            ("all: a.o\n%.o:\n\tls\n", &[]),
            ("all: $(X)\nx:\n\tls\n", &[]),
            ("all: ; ls\n", &[]),
            ("all:: x\n\tls\n", &[]),
            ("all: A = b\nall:\n\tls\n", &[]),
            ("ifdef X\nall:\n\tls\nendif\n", &[]),
            ("define X\nall:\nendef\n", &[]),
            ("all:\n\tls\nMakefile:\n\tls\n", &[]),
            ("all:\n\t$(shell ls)\n", &[]),
            ("A != ls\nall:\n\tls\n", &[]),
            (".DEFAULT:\n\tls\nall: x\n", &[]),
        ];
        whole(that_run, cases);
    }
}
