//! Every command explains itself by an example, and the examples are right.

use clap::Command;

/// Calls `look` for every command that people see, with its words.
fn walk(command: &Command, path: &[String], look: &mut impl FnMut(&Command, &[String])) {
    look(command, path);
    for sub in command.get_subcommands() {
        if sub.is_hide_set() || sub.get_name() == "help" {
            continue;
        }
        let mut below = path.to_vec();
        below.push(sub.get_name().to_owned());
        walk(sub, &below, look);
    }
}

/// The grove commands of a help text's examples, as lists of words.
fn examples(help: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for line in help.lines() {
        let example = line
            .strip_prefix("Example: ")
            .or_else(|| line.strip_prefix("  "));
        let Some(line) = example else { continue };
        // The last of a pipeline, or what is inside `<(…)`.
        for part in line.split(['|', '(', ')']) {
            let words = words(part);
            if words.first().is_some_and(|w| w == "grove") {
                found.push(words);
            }
        }
    }
    found
}

/// Words as a shell would see them, up to a comment or a redirection.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#' | '<' | '>') => break,
            (None, ' ') => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[test]
fn every_command_has_an_example_of_itself_that_it_understands() {
    let mut root = grove::commands::build();
    root.build();
    let mut wrong = Vec::new();
    walk(&root, &[], &mut |command, path| {
        let name = format!("grove {}", path.join(" "));
        let help = command.get_after_help().map(ToString::to_string);
        let examples = examples(&help.unwrap_or_default());
        if !examples.iter().any(|e| e[1..].starts_with(path)) {
            wrong.push(format!("{name}: no example in --help"));
        }
        if examples.len() > 4 {
            wrong.push(format!("{name}: more examples than anybody reads"));
        }
        for example in examples {
            if let Err(e) = grove::commands::build().try_get_matches_from(&example) {
                wrong.push(format!("{name}: '{}': {e}", example.join(" ")));
            }
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_command_and_option_says_what_it_is() {
    let mut root = grove::commands::build();
    root.build();
    let mut silent = Vec::new();
    walk(&root, &[], &mut |command, path| {
        let name = format!("grove {}", path.join(" "));
        if command.get_about().is_none() {
            silent.push(name.clone());
        }
        for arg in command.get_arguments() {
            if !arg.is_hide_set() && arg.get_help().is_none() {
                silent.push(format!("{name} {}", arg.get_id()));
            }
        }
    });
    assert!(silent.is_empty(), "without a word of help: {silent:#?}");
}
