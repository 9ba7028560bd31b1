//! Words of a command that name credentials, or a folder tree that holds them, whatever program gets them.
//!
//! Programs whose words are mostly text or patterns have rules of their own that know which are files.

use super::flags::parse;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::brief;
use crate::shell::walk::Walker;

/// Programs that print or match their words, or hand them to a rule that knows which are files.
const TEXT: &[&str] = &[
    "echo",
    "printf",
    "test",
    "[",
    "[[",
    "true",
    "false",
    ":",
    "sed",
    "gsed",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "find",
    "gfind",
    "bfs",
    "fd",
    "fdfind",
    "grove",
    "ov",
    "overstory",
    "export",
    "cd",
    "which",
    "type",
];

/// Git commands whose words are messages, patterns and revisions.
const GIT_TEXT: &[&str] = &[
    "commit",
    "log",
    "tag",
    "notes",
    "stash",
    "merge",
    "show",
    "rev-list",
    "shortlog",
    "blame",
    "branch",
    "rev-parse",
];

/// Refuses a command one of whose words is a credential file, or that copies or searches a whole home.
pub(crate) fn words(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    cluster(name, args)?;
    trees(w, name, args, st)?;
    if matches!(name, "npm" | "pnpm" | "yarn") && shows_login(args) {
        return Err(stored());
    }
    if TEXT.contains(&name) || super::readers::is_reader(name) {
        return Ok(());
    }
    let mut files: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut there = None;
    if name == "git" {
        let Some((sub, rest)) = subcommand(args) else {
            return Ok(());
        };
        there = entered(w, args, args.len() - rest.len(), st);
        files = rest.iter().map(String::as_str).collect();
        if GIT_TEXT.contains(&sub) {
            return Ok(());
        }
        if sub == "grep" {
            if !rest.iter().any(|arg| arg == "--no-index") {
                return Ok(());
            }
            // The first operand is the pattern.
            files.retain(|arg| !arg.starts_with('-'));
            files = files.split_off(1.min(files.len()));
        }
    }
    let st = there.as_ref().unwrap_or(st);
    for word in files {
        w.read_path(word, st)?;
        let attached = match word.split_once('=') {
            Some((_, value)) => Some(value),
            None if word.starts_with('-') => word.get(2..),
            None => None,
        };
        if let Some(value) = attached.filter(|value| value.starts_with(['/', '.'])) {
            w.read_path(value, st)?;
        }
    }
    Ok(())
}

/// What a cluster keeps secret is shown by asking for it in full.
fn cluster(name: &str, args: &[String]) -> Judged<()> {
    if !matches!(name, "kubectl" | "oc" | "k3s") {
        return Ok(());
    }
    let flags = parse(
        args,
        "nolfLs",
        &[
            "namespace",
            "output",
            "selector",
            "filename",
            "context",
            "cluster",
            "user",
            "kubeconfig",
        ],
    );
    let words: Vec<&str> = flags.operands.iter().map(String::as_str).collect();
    let secret = |word: &str| {
        word.split(',').any(|kind| {
            matches!(
                kind.split(['/', '.']).next(),
                Some("secret" | "secrets" | "Secret" | "Secrets")
            )
        })
    };
    let full = flags
        .values(&["o", "output"])
        .iter()
        .any(|form| !matches!(*form, "name" | "wide"));
    let shows = match words.as_slice() {
        ["config", "view", ..] => flags.has(&["raw"]) && flags.value(&["raw"]) != Some("false"),
        ["get", kind, ..] => full && secret(kind),
        ["create", "token", ..] => true,
        _ => false,
    };
    if shows {
        return Err(Refusal::new(
            rule::CREDENTIALS,
            "this shows a cluster's credentials, which agents do not read; list names only",
        ));
    }
    Ok(())
}

/// The git command, and the words behind it.
fn subcommand(args: &[String]) -> Option<(&str, &[String])> {
    let mut at = 0;
    while args.get(at)?.starts_with('-') {
        let valued = matches!(
            args.get(at).map(String::as_str),
            Some("-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path")
        );
        at += if valued { 2 } else { 1 };
    }
    Some((args.get(at)?.as_str(), args.get(at + 1..)?))
}

/// Where git is told to go first by the words before these: `git -C folder`.
fn entered(w: &mut Walker<'_>, args: &[String], before: usize, st: &State) -> Option<State> {
    let mut there = None;
    for pair in args.get(..before).unwrap_or_default().windows(2) {
        if let [option, folder] = pair
            && option == "-C"
        {
            w.enter(folder, there.get_or_insert_with(|| st.clone()));
        }
    }
    there
}

/// Programs that take whole folders: a home among their operands takes its credentials along.
fn trees(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    let recursive = || {
        let flags = parse(
            args,
            "efmABCtS",
            &["include", "exclude", "target-directory"],
        );
        flags.has(&[
            "r",
            "R",
            "a",
            "recursive",
            "archive",
            "dereference-recursive",
        ])
    };
    let takes = match name {
        "tar" | "bsdtar" | "gtar" | "zip" | "7z" | "7za" | "7zz" | "7zr" | "rsync" | "mv"
        | "ditto" | "pax" | "rar" | "ag" | "ack" | "rg" | "ugrep" => true,
        "cp" | "gcp" | "grep" | "egrep" | "fgrep" | "zgrep" | "diff" => recursive(),
        _ => false,
    };
    if !takes {
        return Ok(());
    }
    // Without a folder these search the one they are in.
    let searches = matches!(
        name,
        "rg" | "ag" | "ack" | "ugrep" | "grep" | "egrep" | "fgrep" | "zgrep"
    );
    if searches
        && args.iter().filter(|arg| !arg.starts_with('-')).count() < 2
        && st.cwd.iter().any(|place| w.paths.is_home(".", place))
    {
        return Err(home("this folder"));
    }
    for (at, arg) in args.iter().enumerate() {
        // `tar -C / usr/x` only says where the names start.
        let starts = at > 0
            && arg == "/"
            && matches!(
                args.get(at - 1).map(String::as_str),
                Some("-C" | "--directory")
            );
        if starts || arg.starts_with('-') {
            continue;
        }
        w.charge(0)?;
        if st.cwd.iter().any(|place| w.paths.is_home(arg, place)) {
            return Err(home(arg));
        }
    }
    Ok(())
}

/// `npm config get _authToken`.
fn shows_login(args: &[String]) -> bool {
    let asks = args
        .iter()
        .any(|arg| arg == "config" || arg == "c" || arg == "get");
    let login = |arg: &String| {
        let lower = arg.to_lowercase();
        ["_auth", "token", "_password"]
            .iter()
            .any(|word| lower.contains(word))
    };
    asks && args.iter().any(login)
}

/// What a keyring or a helper of git keeps.
pub(crate) fn stored() -> Refusal {
    Refusal::new(
        rule::CREDENTIALS,
        "stored credentials are not for agents; fetching works without them",
    )
}

pub(crate) fn home(path: &str) -> Refusal {
    Refusal::new(
        rule::CREDENTIALS,
        format!(
            "{} holds credentials somewhere below, which agents do not read; name the folder you need",
            brief(path)
        ),
    )
}
