//! Understanding a command line that is not finished: which command it is, what has been given,
//! and what may stand at the cursor.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Command};

use super::candidate::{Candidate, Offer};
use super::powershell;
use super::values::{self, Place};

/// What fits at word `index` of a line whose first word is the program.
pub(super) fn complete(root: &Command, shell: &str, index: usize, words: &[String]) -> Offer {
    let (before, current) = split(shell, index, words);
    let mut root = root.clone();
    root.build();
    let mut line = Line::new(&root);
    for word in &before {
        line.take(word);
    }
    line.offer(shell, &current)
}

/// The whole words before the cursor, without the program, and the one at the cursor.
fn split(shell: &str, index: usize, words: &[String]) -> (Vec<String>, String) {
    let current = words.get(index).cloned().unwrap_or_default();
    let before = words.get(1..index.min(words.len())).unwrap_or_default();
    if shell == "powershell" {
        let before = before.iter().map(|word| powershell::meant(word));
        return (before.collect(), powershell::meant(&current));
    }
    if shell == "zsh" {
        // The words before come as they are meant; a quote that is not closed yet is still there.
        return (before.to_vec(), unquoted(&current));
    }
    if shell != "bash" {
        return (before.to_vec(), current);
    }
    // bash makes three words of `--to=name`.
    let mut joined: Vec<String> = Vec::new();
    let mut after_equals = false;
    for word in before.iter().chain([&current]) {
        match joined.last_mut() {
            Some(last) if word == "=" && last.starts_with("--") => {
                last.push('=');
                after_equals = true;
            }
            Some(last) if after_equals => {
                last.push_str(word);
                after_equals = false;
            }
            Some(_) | None => joined.push(word.clone()),
        }
    }
    let current = joined.pop().unwrap_or_default();
    (joined, unquoted(&current))
}

/// What is quoted is meant without its quotes.
fn unquoted(word: &str) -> String {
    word.replace(['\\', '\'', '"'], "")
}

/// What the words so far have meant.
struct Line<'a> {
    command: &'a Command,
    path: Vec<&'a str>,
    /// An option whose value comes next.
    pending: Option<&'a Arg>,
    positionals: usize,
    given: BTreeSet<String>,
    only_positionals: bool,
    project: Option<PathBuf>,
}

impl<'a> Line<'a> {
    fn new(root: &'a Command) -> Self {
        Self {
            command: root,
            path: Vec::new(),
            pending: None,
            positionals: 0,
            given: BTreeSet::new(),
            only_positionals: false,
            project: None,
        }
    }

    fn take(&mut self, word: &str) {
        if let Some(arg) = self.pending.take() {
            self.note_value(arg, word);
        } else if self.only_positionals {
            self.positionals += 1;
        } else if word == "--" {
            self.only_positionals = true;
        } else if let Some(long) = word.strip_prefix("--") {
            self.take_long(long);
        } else if word.len() > 1 && word.starts_with('-') {
            self.take_short(word);
        } else if let Some(sub) = self.subcommand(word) {
            self.command = sub;
            self.path.push(sub.get_name());
        } else {
            self.positionals += 1;
        }
    }

    fn take_long(&mut self, text: &str) {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let Some(arg) = self.long(name) else { return };
        self.given.insert(arg.get_id().to_string());
        match value {
            Some(value) => self.note_value(arg, value),
            None if takes_value(arg) => self.pending = Some(arg),
            None => {}
        }
    }

    /// `-fx`: the last letter may want a value.
    fn take_short(&mut self, word: &str) {
        for letter in word.chars().skip(1) {
            let found = self
                .command
                .get_arguments()
                .find(|a| a.get_short() == Some(letter));
            let Some(arg) = found else { return };
            self.given.insert(arg.get_id().to_string());
            if takes_value(arg) {
                self.pending = word.ends_with(letter).then_some(arg);
                return;
            }
        }
    }

    fn note_value(&mut self, arg: &Arg, value: &str) {
        if arg.get_id() == "project" {
            self.project = Some(PathBuf::from(value));
        }
    }

    fn long(&self, name: &str) -> Option<&'a Arg> {
        self.command.get_arguments().find(|a| {
            a.get_long() == Some(name)
                || a.get_all_aliases()
                    .is_some_and(|aliases| aliases.contains(&name))
        })
    }

    fn subcommand(&self, word: &str) -> Option<&'a Command> {
        if self.positionals > 0 {
            return None;
        }
        self.command
            .get_subcommands()
            .find(|c| c.get_name() == word || c.get_all_aliases().any(|a| a == word))
    }

    fn offer(&self, shell: &str, current: &str) -> Offer {
        if let Some(arg) = self.pending {
            return self.values(arg, current, "");
        }
        if !self.only_positionals && current.starts_with('-') {
            if let Some((name, value)) = current.split_once('=') {
                let Some(arg) = self.long(name.trim_start_matches('-')) else {
                    return Offer::nothing();
                };
                // bash replaces only what stands behind the equals sign.
                let kept = if shell == "bash" {
                    String::new()
                } else {
                    format!("{name}=")
                };
                return self.values(arg, value, &kept);
            }
            return Offer::Values(matching(self.options(), current));
        }
        let mut found = matching(self.subcommands(), current);
        let positional = self.positional();
        if let Some(arg) = positional {
            match self.values(arg, current, "") {
                Offer::Values(values) => found.extend(values),
                Offer::Files if found.is_empty() => return Offer::Files,
                Offer::Files => {}
            }
        }
        let nothing_else = found.is_empty() && positional.is_none();
        if nothing_else && current.is_empty() && !self.only_positionals {
            found = self.options();
        }
        Offer::Values(found)
    }

    fn values(&self, arg: &Arg, current: &str, kept: &str) -> Offer {
        let place = Place {
            path: &self.path,
            project: self.project.as_deref(),
        };
        let Some(values) = values::of(&place, arg) else {
            return Offer::Files;
        };
        // Lists are separated by commas: the last part is meant.
        let (head, last) = match current.rfind(',') {
            Some(comma) if values::is_list(arg) => current.split_at(comma + 1),
            Some(_) | None => ("", current),
        };
        let mut found = matching(values, last);
        for candidate in &mut found {
            candidate.value = format!("{kept}{head}{}", candidate.value);
        }
        Offer::Values(found)
    }

    fn subcommands(&self) -> Vec<Candidate> {
        if self.positionals > 0 || self.only_positionals {
            return Vec::new();
        }
        self.command
            .get_subcommands()
            .filter(|c| !c.is_hide_set() && c.get_name() != "help")
            .map(|c| Candidate::new(c.get_name(), text(c.get_about())))
            .collect()
    }

    fn options(&self) -> Vec<Candidate> {
        self.command
            .get_arguments()
            .filter(|a| !a.is_hide_set())
            .filter(|a| repeatable(a) || !self.given.contains(a.get_id().as_str()))
            .filter_map(|a| {
                Some(Candidate::new(
                    format!("--{}", a.get_long()?),
                    text(a.get_help()),
                ))
            })
            .collect()
    }

    fn positional(&self) -> Option<&'a Arg> {
        let mut last = None;
        for (index, arg) in self.command.get_positionals().enumerate() {
            if index == self.positionals {
                return Some(arg);
            }
            last = Some(arg);
        }
        last.filter(|arg| repeatable(arg))
    }
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

fn repeatable(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
        || arg.get_num_args().is_some_and(|n| n.max_values() > 1)
}

fn text(styled: Option<&clap::builder::StyledStr>) -> String {
    styled.map(ToString::to_string).unwrap_or_default()
}

fn matching(candidates: Vec<Candidate>, start: &str) -> Vec<Candidate> {
    candidates
        .into_iter()
        .filter(|c| c.value.starts_with(start))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::build;
    use crate::mulch;
    use proptest::prelude::*;

    fn ask_as(shell: &str, words: &[&str]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        match complete(&build(), shell, words.len() - 1, &words) {
            Offer::Values(values) => values.into_iter().map(|c| c.value).collect(),
            Offer::Files => vec![":files".to_owned()],
        }
    }

    fn ask(words: &[&str]) -> Vec<String> {
        ask_as("fish", words)
    }

    #[test]
    fn commands_options_and_fixed_values() {
        assert_eq!(ask(&["grove", "stat"]), ["status"]);
        assert_eq!(ask(&["grove", "mail", "re"]), ["read", "reply"]);
        assert!(ask(&["grove", ""]).contains(&"sling".to_owned()));
        assert!(!ask(&["grove", ""]).contains(&"host".to_owned()));
        assert_eq!(ask(&["grove", "mail", "send", "--prio"]), ["--priority"]);
        assert_eq!(
            ask(&["grove", "mail", "send", "--priority", "u"]),
            ["urgent"]
        );
        assert_eq!(
            ask(&["grove", "mail", "list", "--type", "merge_"]),
            ["merge_ready", "merge_failed"]
        );
        assert_eq!(
            ask(&["grove", "logs", "--level", ""]),
            ["debug", "info", "warn", "error"]
        );
        assert_eq!(ask(&["grove", "completions", "p"]), ["powershell"]);
        assert_eq!(
            ask(&["grove", "sling", "t-1", "--capability", "rev"]),
            ["reviewer"]
        );
        assert_eq!(
            ask(&["grove", "doctor", "--category", "data"]),
            ["databases"]
        );
        assert_eq!(ask(&["grove", "sling", "t-1", "--spec", ""]), [":files"]);
        assert_eq!(ask(&["grove", "run", "--qui"]), ["--quiet"]);
        // Refused there.
        for line in [
            &["grove", "mail", "--qui"][..],
            &["grove", "mail", "list", "--proj"],
            &["grove", "logs", "--timi"],
            &["grove", "trace", "x", "--qui"],
            &["grove", "nudge", "x", "--proj"],
        ] {
            assert!(ask(line).is_empty(), "{line:?}");
        }
    }

    #[test]
    fn words_of_one_command_are_not_offered_for_another() {
        let types = ["task", "bug", "feature", "epic"];
        let statuses = ["open", "in_progress", "closed"];
        let priorities = ["0", "1", "2", "3", "4"];
        let records = mulch::KINDS.iter().map(|kind| kind.name);
        let records: Vec<&str> = records.collect();
        let outcomes = ["success", "failure", "partial"];
        for (line, words) in [
            ("task create --type", &types[..]),
            ("task list --type", &types),
            ("task ready --type", &types),
            ("task update --type", &types),
            ("task create --priority", &priorities),
            ("task update --priority", &priorities),
            ("task list --status", &statuses),
            ("task update --status", &statuses),
            ("expertise record --type", &records),
            ("expertise query --type", &records),
            ("expertise query --classification", mulch::CLASSIFICATIONS),
            ("expertise record --outcome-status", &outcomes),
            ("expertise outcome --status", &outcomes),
            ("expertise prime --format", &["markdown", "xml", "json"]),
            ("init --tools", &["mulch", "seeds"]),
            ("mail send --priority", &["low", "normal", "high", "urgent"]),
        ] {
            let mut asked = vec!["grove"];
            asked.extend(line.split(' '));
            asked.push("");
            assert_eq!(ask(&asked), words, "{line}");
        }
    }

    #[test]
    fn values_behind_an_equals_sign() {
        let line = ["grove", "mail", "send", "--priority=u"];
        assert_eq!(ask(&line), ["--priority=urgent"]);
        let line = ["grove", "mail", "send", "--priority", "=", "u"];
        assert_eq!(ask_as("bash", &line), ["urgent"]);
        let line = ["grove", "mail", "send", "--priority", "="];
        assert_eq!(ask_as("bash", &line).len(), 4);
        let line = ["grove", "mail", "send", "--priority", "=", "low", "--t"];
        assert_eq!(ask_as("bash", &line), ["--to", "--type"]);
    }

    #[test]
    fn a_word_in_quotes_is_meant_without_them() {
        for shell in ["bash", "zsh"] {
            for word in ["\"stat", "'stat", "st\\at"] {
                assert_eq!(
                    ask_as(shell, &["grove", word]),
                    ["status"],
                    "{shell} {word}"
                );
            }
        }
    }

    #[test]
    fn what_was_given_is_not_offered_again() {
        let left = ask(&["grove", "status", "--json", "--"]);
        assert!(left.contains(&"--all".to_owned()), "{left:?}");
        assert!(!left.contains(&"--json".to_owned()), "{left:?}");
        // May be repeated.
        let left = ask(&["grove", "feed", "--agent", "a", "--ag"]);
        assert_eq!(left, ["--agent"]);
        // Behind `--` there are no options.
        assert!(ask(&["grove", "status", "--", "--j"]).is_empty());
    }

    proptest! {
        #[test]
        fn no_line_breaks_it(words in proptest::collection::vec("[ -~]{0,8}", 0..6), index in 0usize..9) {
            let mut all = vec!["grove".to_owned(), "--project".to_owned(), "/nowhere".to_owned()];
            all.extend(words);
            for shell in ["bash", "fish"] {
                drop(complete(&build(), shell, index, &all));
            }
        }
    }
}
