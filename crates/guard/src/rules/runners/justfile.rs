//! Which part of a justfile runs: the recipes that are asked for, or the first one, with what they need.
//!
//! Only justfiles of plain settings and recipes are taken apart. Whatever else stands in one decides for the whole.

use std::collections::{BTreeMap, BTreeSet};

/// Options that do not change which recipes there are.
const PLAIN: &[&str] = &["-q", "--quiet", "-v", "--verbose", "--no-aliases"];

/// Settings that do not change how recipes are read or where they run.
const SETTINGS: &[&str] = &[
    "dotenv-load",
    "positional-arguments",
    "export",
    "quiet",
    "ignore-comments",
];

/// What may stand in brackets above a recipe.
const ATTRIBUTES: &[&str] = &[
    "private",
    "no-cd",
    "no-exit-message",
    "confirm",
    "unix",
    "linux",
    "macos",
    "windows",
];

#[derive(Default)]
struct Recipe {
    takes: bool,
    needs: Vec<String>,
    lines: Vec<String>,
}

/// The justfile with only the recipes that run for these arguments; `None` where that cannot be told for sure.
pub(super) fn that_run(code: &str, args: &[String]) -> Option<String> {
    let mut kept = String::new();
    let mut recipes: BTreeMap<String, Recipe> = BTreeMap::new();
    let mut first: Option<String> = None;
    let mut open: Option<String> = None;
    for line in code.lines() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with([' ', '\t']) {
            recipes.get_mut(open.as_ref()?)?.lines.push(line.to_owned());
            continue;
        }
        open = None;
        if line.ends_with('\\') {
            return None;
        }
        if line.starts_with('[') {
            if !is_attribute(line.trim_end()) {
                return None;
            }
            continue;
        }
        if line.contains(":=") {
            let (name, value) = line.split_once(":=")?;
            let value = value.trim();
            if let Some(alias) = name.strip_prefix("alias ") {
                let recipe = recipes.entry(alias.trim().to_owned()).or_default();
                recipe.takes = true;
                recipe.needs.push(value.to_owned());
            } else if is_name(name.trim().trim_start_matches("export ")) && is_text(value) {
                kept.push_str(line);
                kept.push('\n');
            } else {
                return None;
            }
            continue;
        }
        if let Some(setting) = line.strip_prefix("set ") {
            if !SETTINGS.contains(&setting.trim()) {
                return None;
            }
            continue;
        }
        let (head, needs) = line.split_once(':')?;
        let mut words = head.trim_start_matches('@').split_whitespace();
        let name = words.next().filter(|name| is_name(name))?.to_owned();
        let parameters: Vec<&str> = words.collect();
        if !parameters.iter().all(|word| is_parameter(word)) {
            return None;
        }
        if needs.contains(['`', '{']) {
            return None;
        }
        if first.is_none() {
            first = Some(name.clone());
        }
        let recipe = recipes.entry(name.clone()).or_default();
        recipe.takes |= !parameters.is_empty();
        // Whatever is named there runs, also where it is a value for something that does.
        let needs = needs.split('#').next().unwrap_or(needs);
        let named = needs.split(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)));
        recipe.needs.extend(named.map(str::to_owned));
        open = Some(name);
    }
    let mut asked = asked(args, &recipes)?;
    if asked.is_empty() {
        asked.push(first?);
    }
    let mut run = BTreeSet::new();
    let mut text = String::new();
    while let Some(name) = asked.pop() {
        let Some(recipe) = recipes.get(&name).filter(|_| run.insert(name.clone())) else {
            continue;
        };
        asked.extend(recipe.needs.iter().cloned());
        text.push_str(&name);
        text.push_str(":\n");
        for line in &recipe.lines {
            text.push_str(line);
            text.push('\n');
        }
    }
    // What calls just again may ask for any other recipe.
    let again = |line: &str| {
        let plain = line.trim().trim_start_matches(['@', '-']);
        !matches!(plain, "just --list" | "just -l") && plain.to_lowercase().contains("just")
    };
    (!text.lines().any(again)).then_some(kept + &text)
}

/// The recipes that are named, with whatever values of theirs are names of recipes as well.
fn asked(args: &[String], recipes: &BTreeMap<String, Recipe>) -> Option<Vec<String>> {
    let mut named: Vec<String> = Vec::new();
    let mut takes = false;
    for arg in args {
        if named.is_empty() && PLAIN.contains(&arg.as_str()) {
            continue;
        }
        match recipes.get(arg) {
            Some(recipe) => {
                takes |= recipe.takes;
                named.push(arg.clone());
            }
            None if takes && !named.is_empty() => {}
            None => return None,
        }
    }
    Some(named)
}

fn is_attribute(line: &str) -> bool {
    let inner = line
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| {
        let name = inner.split('(').next().unwrap_or(inner);
        ATTRIBUTES.contains(&inner) || matches!(name, "group" | "doc")
    })
}

fn is_name(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && word.chars().all(plain)
}

/// `name`, `+names`, `*names`, `$NAME`, with a plain value or none.
fn is_parameter(word: &str) -> bool {
    let (name, value) = word.split_once('=').unwrap_or((word, "''"));
    is_name(name.trim_start_matches(['+', '*', '$'])) && is_text(value)
}

/// A text in quotes, with nothing in it that is worked out.
fn is_text(value: &str) -> bool {
    let inner = ['"', '\''].iter().find_map(|quote| {
        let inner = value.strip_prefix(*quote)?.strip_suffix(*quote)?;
        (!inner.contains(['"', '\'', '`', '\\', '{'])).then_some(inner)
    });
    inner.is_some()
}

#[cfg(test)]
mod tests {
    use super::super::asked::{asked, whole};
    use super::that_run;

    fn run(code: &str, args: &[&str]) -> Option<String> {
        asked(that_run, code, args)
    }

    #[test]
    fn the_first_recipe_runs_with_what_it_needs() {
        let code = "bin := 'x'\n# all\n[private]\nall: app && (done \"y\")\n    echo a\n\napp:\n    cc a.c\ndone what:\n    echo {{what}}\npush:\n    git push\nalias p := push\n";
        assert_eq!(
            run(code, &[]).as_deref(),
            Some("bin := 'x'\nall:\n    echo a\ndone:\n    echo {{what}}\napp:\n    cc a.c\n")
        );
        assert!(run(code, &["p"]).is_some_and(|text| text.contains("git push")));
        assert!(run(code, &["done", "push"]).is_some_and(|text| text.contains("git push")));
        let lists = "default:\n    @just --list\npush:\n    git push\n";
        assert!(run(lists, &[]).is_some_and(|text| !text.contains("git push")));
    }

    #[test]
    fn whatever_is_not_plain_decides_for_the_whole() {
        let cases: &[(&str, &[&str])] = &[
            ("a:\n    ls\n", &["b"]),
            ("a:\n    ls\n", &["-f", "x"]),
            ("a:\n    ls\n", &["x=y", "a"]),
            ("a:\n    ls\n", &["a", "b"]),
            ("import 'x.just'\na:\n    ls\n", &[]),
            ("mod x\na:\n    ls\n", &[]),
            ("set shell := ['bash', '-c']\na:\n    ls\n", &[]),
            ("x := `ls`\na:\n    ls\n", &[]),
            ("a: b\n    just c\nb:\nc:\n    ls\n", &[]),
            ("a:\n    {{just_executable()}} c\nc:\n    ls\n", &[]),
            ("[default]\na:\n    ls\n", &[]),
            ("[script('python3')]\na:\n    ls\n", &[]),
            ("a x=`ls`:\n    ls\n", &[]),
        ];
        whole(that_run, cases);
    }
}
