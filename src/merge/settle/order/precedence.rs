//! Lines whose order decides what they do, where both sides put some in at one place: the arm that takes what no other one
//! does comes last, and of rules of which the first that fits holds, or of lines that say where or as whom the next ones
//! run, nobody but their authors knows the order. Pure.

use crate::merge::lines::{is_blank, without};

use super::arms::{may_take_the_same, take_more};
use super::first::stand_behind;
use super::guards::are_done_behind_a_guard;
use super::paths::{are_routes_behind, contend_for_paths};
use crate::merge::settle::reading::kind::Kind;
use crate::merge::settle::reading::leaning::{depth, give_back, indent};
use crate::merge::settle::reading::names::defined_name;
use crate::merge::settle::reading::units::closes;

/// Words of rules of which the first that fits holds.
const DENY: [&str; 4] = ["drop", "reject", "deny", "block"];
const ALLOW: [&str; 4] = ["accept", "allow", "pass", "permit"];
/// A longer line is prose.
const LONGEST_RULE: usize = 16;

/// What a rule without a condition says of when a job runs.
const WHENEVER: [&str; 5] = ["always", "never", "on_success", "manual", "delayed"];

/// Lines that say where or as whom what follows is done.
const PLACES: [&str; 5] = ["USER", "WORKDIR", "cd", "pushd", "popd"];
/// Lines that do the same anywhere.
const ANYWHERE: [&str; 4] = ["LABEL", "EXPOSE", "ENV", "ARG"];

/// Tells whether some lines have to leave the first place to `others`, which the other side put in: those are about all that
/// follows or leave under a condition, these end with what is given back, or have an arm for all that no other arm takes, so that none may follow it.
pub(in crate::merge::settle) fn take_the_rest(lines: &[&[u8]], others: &[&[u8]]) -> bool {
    stand_behind(lines, others)
        || give_back(lines, others)
        || are_done_behind_a_guard(lines, others)
        || have_the_last_arm(lines, others)
}

fn have_the_last_arm(lines: &[&[u8]], others: &[&[u8]]) -> bool {
    let has_cases = outermost(others).any(|text| {
        let word = text.split_whitespace().next();
        word.is_some_and(|word| ["when", "WHEN"].contains(&word))
    });
    let [mine, theirs] = [lines, others].map(|lines| outermost(lines).collect::<Vec<_>>());
    mine.iter().any(|text| takes_the_rest(text, has_cases))
        || take_more(&mine, &theirs)
        || are_routes_behind(&mine, &theirs)
}

fn takes_the_rest(text: &str, has_cases: bool) -> bool {
    let is_arm = |rest: &str| rest.starts_with("=>") || rest.starts_with("->");
    let is_label = |rest: &str| rest.is_empty() || rest.ends_with([';', '{']) || is_arm(rest);
    let after = |word: &str| {
        let rest = text.strip_prefix(word)?;
        let is_word = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        is_word.then(|| rest.trim_start())
    };
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let text = text.strip_prefix("| ").unwrap_or(text);
    if text.starts_with('_') {
        return is_arm(text.trim_start_matches(is_name).trim_start());
    }
    after("case _").is_some_and(|rest| rest.starts_with(':') || is_arm(rest))
        || after("default").is_some_and(|rest| {
            is_arm(rest)
                || rest
                    .strip_prefix(':')
                    .is_some_and(|rest| is_label(rest.trim()))
        })
        || ["else", "ELSE"]
            .into_iter()
            .filter_map(after)
            .any(|rest| is_arm(rest) || has_cases)
        || text.starts_with("*)")
        || text.starts_with("otherwise =")
        || text
            .strip_prefix("- when: ")
            .is_some_and(|when| WHENEVER.contains(&when))
}

/// Tells whether the order of what both sides put in decides, and nothing shows which one is meant.
pub(in crate::merge::settle) fn depend_on_order(
    ours: &[&[u8]],
    theirs: &[&[u8]],
    kind: Kind,
) -> bool {
    if kind != Kind::Other {
        return false;
    }
    let (mine, other) = (without(ours, theirs), without(theirs, ours));
    let [mine, other] = [&mine, &other].map(|lines| outermost(lines).collect::<Vec<_>>());
    let rules = |one: &[&str], two: &[&str]| has_rule(one, &DENY) && has_rule(two, &ALLOW);
    let places = |one: &[&str], two: &[&str]| {
        one.iter().any(|text| begins_with(text, &PLACES)) && two.iter().any(|text| does(text))
    };
    let never = [(ours, &other), (theirs, &mine)]
        .into_iter()
        .any(|(lines, others)| {
            let says_never = lines.iter().any(|line| line.trim_ascii() == b"when: never");
            says_never && others.iter().any(|text| text.starts_with("- if:"))
        });
    rules(&mine, &other)
        || rules(&other, &mine)
        || places(&mine, &other)
        || places(&other, &mine)
        || may_take_the_same(&mine, &other)
        || contend_for_paths(&mine, &other)
        || never
}

fn has_rule(lines: &[&str], words: &[&str]) -> bool {
    lines.iter().any(|text| {
        let is_said = text.ends_with('.') || text.contains(['(', '{', '=', '"', '`']);
        let said = text
            .split_whitespace()
            .map(|word| word.trim_end_matches([';', ',']));
        let said: Vec<String> = said.map(str::to_lowercase).collect();
        !is_said
            && said.len() <= LONGEST_RULE
            && said.iter().any(|word| words.contains(&word.as_str()))
    })
}

/// Tells whether a line does something, as far as its words show.
fn does(text: &str) -> bool {
    let is_definition = defined_name(text.as_bytes()).is_some() || text.ends_with('{');
    !is_definition && !closes(text.as_bytes()) && !begins_with(text, &ANYWHERE)
}

/// Tells whether a line, or an entry of a list, begins with one of some words and goes on.
fn begins_with(text: &str, words: &[&str]) -> bool {
    let text = text.strip_prefix("- ").unwrap_or(text);
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    words.contains(&word) && !rest.starts_with(['=', ':'])
}

/// The outermost lines that are no comments.
fn outermost<'a>(lines: &[&'a [u8]]) -> impl Iterator<Item = &'a str> {
    let depth = depth(lines);
    let all: Vec<&[u8]> = lines.to_vec();
    let all = all
        .into_iter()
        .filter(move |line| !is_blank(line) && indent(line) == depth);
    let texts = all
        .filter_map(|line| std::str::from_utf8(line).ok())
        .map(str::trim);
    texts.filter(|text| !["#", "//", "--"].iter().any(|mark| text.starts_with(mark)))
}
