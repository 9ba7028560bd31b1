//! The git command line that a call comes to.

use crate::mcp::fields::Given;

/// Commands that take a word for what is done before everything else, and which one without it.
const WORDS: &[(&str, &str)] = &[
    ("stash", "push"),
    ("worktree", "list"),
    ("remote", ""),
    ("notes", "list"),
    ("submodule", "status"),
    ("bisect", "start"),
    ("reflog", "show"),
    ("bundle", "create"),
    ("sparse-checkout", "list"),
    ("lfs", "status"),
    ("maintenance", "run"),
    ("rerere", "status"),
    ("subtree", "add"),
    ("svn", ""),
];

/// Commands that take a message.
const MESSAGES: &[&str] = &["commit", "tag", "merge", "notes", "stash"];

/// The words of the command, from its name on.
pub(super) fn argv(command: &str, action: Option<&str>, given: &Given) -> Vec<String> {
    let said = action
        .or_else(|| given.actions.first().map(String::as_str))
        .filter(|said| *said != command);
    let mut command = command;
    let mut options = Vec::new();
    let mut first = None;
    if let Some((_, usual)) = WORDS.iter().find(|(name, _)| *name == command) {
        first = Some(word(command, said, usual, given));
    } else if let Some(said) = said {
        (command, options) = option(command, said);
    } else if command == "config" && given.operands.is_empty() && given.options.is_empty() {
        options.push("--list".to_owned());
    }
    // What further fields say is done besides.
    let further = given.actions.iter().skip(usize::from(action.is_none()));
    options.extend(further.map(|said| format!("--{said}")));
    let mut out = vec![command.to_owned()];
    out.extend(first.filter(|word| !word.is_empty()));
    out.extend(options);
    creating(command, given, &mut out);
    if let Some(message) = &given.message
        && MESSAGES.contains(&command)
    {
        out.extend(["-m".to_owned(), message.clone()]);
    }
    let mut operands: Vec<String> = given
        .operands
        .iter()
        .map(|(_, text)| text.clone())
        .collect();
    if !matches!(command, "checkout" | "switch") {
        operands.extend(given.new_branch.clone());
    }
    match command {
        // `git rebase upstream branch`
        "rebase" => operands.reverse(),
        // Without a remote, the first operand would be read as one.
        "fetch" | "pull"
            if !operands.is_empty() && !given.operands.iter().any(|(rank, _)| *rank == 0) =>
        {
            operands.insert(0, "origin".to_owned());
        }
        _ => {}
    }
    ran(command, given, &mut out);
    match command {
        "bundle" => {
            out.extend(given.files.iter().cloned());
            out.extend(operands);
        }
        "clone" => out.extend(operands),
        _ => {
            out.extend(operands);
            if !given.files.is_empty() {
                out.push("--".to_owned());
                out.extend(given.files.iter().cloned());
            }
        }
    }
    out
}

/// The word for what is done.
fn word(command: &str, said: Option<&str>, usual: &str, given: &Given) -> String {
    let named = !given.operands.is_empty() || given.new_branch.is_some();
    let address = given.operands.len() > 1;
    match (command, said) {
        ("worktree" | "notes" | "remote" | "submodule", Some("create" | "new")) => "add",
        ("worktree" | "remote" | "notes", Some("delete" | "rm")) => "remove",
        ("stash", Some("create" | "new")) => "push",
        ("stash", Some("delete" | "remove")) => "drop",
        ("remote", Some("list" | "ls")) => "",
        ("remote" | "notes" | "reflog", Some("get")) | ("reflog", Some("list")) => "show",
        (_, Some(said)) => said,
        ("worktree", None) if named => "add",
        ("remote", None) if address => "add",
        ("remote", None) if named => "show",
        ("notes", None) if given.message.is_some() => "add",
        ("bisect", None) if !given.code.is_empty() => "run",
        ("submodule", None) if !given.code.is_empty() => "foreach",
        (_, None) => usual,
    }
    .to_owned()
}

/// What is done as the option that says it.
fn option<'a>(command: &'a str, said: &str) -> (&'a str, Vec<String>) {
    let one = |option: &str| (command, vec![option.to_owned()]);
    match (command, said) {
        ("branch" | "tag", "create" | "new" | "add" | "make")
        | ("config", "set" | "add")
        | ("rebase" | "merge" | "cherry-pick" | "revert" | "am", "start" | "begin" | "run")
        | ("commit", "create" | "new")
        | ("add", "stage") => (command, Vec::new()),
        ("branch" | "tag", "list" | "ls" | "show" | "get" | "all")
        | ("config", "list" | "show") => one("--list"),
        ("branch" | "tag", "delete" | "remove" | "rm") => one("--delete"),
        ("branch", "rename" | "move") => one("--move"),
        ("branch", "current") => one("--show-current"),
        ("branch", "switch" | "checkout") => ("checkout", Vec::new()),
        (_, said) => one(&format!("--{said}")),
    }
}

/// The options of the call, and at last `-b` for a branch that is to be made.
fn creating(command: &str, given: &Given, out: &mut Vec<String>) {
    let makes = matches!(command, "checkout" | "switch");
    for option in &given.options {
        out.push(match option.as_str() {
            "--force-create" | "--create-force" if makes => "-B".to_owned(),
            option => option.to_owned(),
        });
    }
    match &given.new_branch {
        Some(name) if makes => out.extend([flag(command), name.clone()]),
        Some(_) | None if given.creates && makes => out.push(flag(command)),
        Some(_) | None => {}
    }
}

fn flag(command: &str) -> String {
    if command == "switch" { "-c" } else { "-b" }.to_owned()
}

/// What git is told to run.
fn ran(command: &str, given: &Given, out: &mut Vec<String>) {
    for code in &given.code {
        match command {
            "bisect" => out.extend(code.split_whitespace().map(str::to_owned)),
            "rebase" => out.push(format!("--exec={code}")),
            _ => out.push(code.clone()),
        }
    }
}
