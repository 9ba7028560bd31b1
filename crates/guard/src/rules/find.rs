//! `find` and `fd`: their actions delete, write lists and run programs for each file.
//!
//! What an action gets is a path below the roots, or below the current folder for `-execdir`.

use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::glob;
use crate::shell::state::State;
use crate::shell::text::{self, ANY, PATH, TOKEN, activate, brief};
use crate::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    match name {
        "find" | "gfind" | "bfs" => Some(find(w, call, st)),
        "fd" | "fdfind" => Some(fd(w, call, st)),
        _ => None,
    }
}

fn find(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    let mut at = 0;
    let mut follows = false;
    while let Some(arg) = args.get(at) {
        match arg.as_str() {
            "-H" | "-L" | "-P" => {
                follows |= arg == "-L";
                at += 1;
            }
            "-D" => at += 2,
            _ if arg.starts_with("-O") => at += 1,
            _ => break,
        }
    }
    let start = at;
    while args
        .get(at)
        .is_some_and(|arg| !arg.starts_with(['-', '(', '!', ')', ',']))
    {
        at += 1;
    }
    let mut roots: Vec<String> = args.get(start..at).unwrap_or_default().to_vec();
    if roots.is_empty() {
        roots.push(".".to_owned());
    }
    for root in &roots {
        w.read_path(root, st)?;
    }
    let expression = args.get(at..).unwrap_or_default();
    follows |= expression.iter().any(|arg| arg == "-follow");
    let mut i = 0;
    while let Some(arg) = expression.get(i) {
        // Tests filter only for the actions behind them.
        let spares = || spares_git(expression.get(..i).unwrap_or_default(), &roots);
        match arg.as_str() {
            "-delete" => {
                w.need_writer("deletes files")?;
                for root in &roots {
                    // Everything below is deleted; the worktree's own top needs a filter that spares `.git`.
                    w.write_path(&below(root, follows), st)?;
                    if !spares() {
                        w.delete_path(root, true, st)?;
                    }
                }
                i += 1;
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                let target = expression.get(i + 1).cloned().unwrap_or_default();
                w.write_path(&target, st)?;
                i += 2;
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let end = expression
                    .iter()
                    .skip(i + 1)
                    .position(|word| word == ";" || word == "+")
                    .map_or(expression.len(), |offset| i + 1 + offset);
                let command = expression.get(i + 1..end).unwrap_or_default();
                for root in &roots {
                    let item = if arg.ends_with("dir") {
                        format!("./{PATH}")
                    } else {
                        let path = below(root, follows);
                        if finds_harmless(expression.get(..i).unwrap_or_default())
                            && !path.contains(ANY)
                        {
                            format!("{path}/{TOKEN}")
                        } else {
                            path
                        }
                    };
                    run_for_each(w, call, command, &item, root, spares(), st)?;
                }
                i = end + 1;
            }
            word => {
                if text::is_any(word)
                    && (word.starts_with(ANY) || word.starts_with('-'))
                    && !is_operand(expression, i)
                {
                    return Err(Refusal::new(
                        rule::UNPROVEN,
                        "find with unknown actions; write the expression out",
                    ));
                }
                i += 1;
            }
        }
    }
    Ok(())
}

/// A path `find` hands on. A root that is followed through links could lead anywhere.
fn below(root: &str, follows: bool) -> String {
    if follows || text::is_any(root) {
        return ANY.to_string();
    }
    format!("{}/{PATH}", root.trim_end_matches('/'))
}

/// Whether one test lets only names through that no credential has.
pub(crate) fn finds_harmless(expression: &[String]) -> bool {
    let open = |arg: &String| matches!(arg.as_str(), "-o" | "-or" | "," | "!" | "-not" | "(");
    !expression.iter().any(open)
        && expression.windows(2).any(|pair| {
            matches!(pair, [test, value] if test == "-name"
                && text::is_known(value)
                && !crate::paths::may_be_secret(&activate(value)))
        })
}

/// Whether the word is the value of the test before it.
fn is_operand(expression: &[String], at: usize) -> bool {
    at > 0
        && expression.get(at - 1).is_some_and(|before| {
            matches!(
                before.as_str(),
                "-name"
                    | "-iname"
                    | "-path"
                    | "-ipath"
                    | "-wholename"
                    | "-regex"
                    | "-iregex"
                    | "-newer"
                    | "-mtime"
                    | "-mmin"
                    | "-size"
                    | "-maxdepth"
                    | "-mindepth"
                    | "-type"
                    | "-user"
                    | "-group"
                    | "-perm"
                    | "-lname"
                    | "-atime"
                    | "-ctime"
                    | "-amin"
                    | "-cmin"
            ) || before.starts_with("-newer")
        })
}

/// Whether a filter keeps `.git` and the top folder out of what is found.
fn spares_git(expression: &[String], roots: &[String]) -> bool {
    if expression
        .iter()
        .any(|arg| arg == "-o" || arg == "-or" || arg == ",")
    {
        return expression.windows(3).any(|words| {
            matches!(words, [a, b, c] if (a == "-name" || a == "-path") && b.contains(".git") && c == "-prune")
        });
    }
    // An empty folder holds neither `.git` nor the top folder's files.
    let plain = |test: &str, value: Option<&str>| {
        expression.iter().enumerate().any(|(at, word)| {
            word == test
                && value.is_none_or(|value| expression.get(at + 1).is_some_and(|v| v == value))
                && !(at > 0
                    && expression
                        .get(at - 1)
                        .is_some_and(|word| word == "!" || word == "-not"))
        })
    };
    if plain("-empty", None)
        && plain("-type", Some("d"))
        && !expression.iter().any(|word| word == "(")
    {
        return true;
    }
    expression.windows(2).enumerate().any(|(at, pair)| {
        let [test, value] = pair else { return false };
        let negated = at > 0
            && expression
                .get(at - 1)
                .is_some_and(|word| word == "!" || word == "-not");
        match test.as_str() {
            "-name" | "-iname" if !negated => {
                !glob::matches(&activate(value), ".git", true)
                    || roots.iter().all(|root| root != "." && root != "./")
            }
            "-path" | "-wholename" if negated => value.contains(".git"),
            "-name" if negated => value == ".git",
            "-path" | "-regex" if !negated => {
                !glob::matches(&activate(value), "./.git", true) && !value.starts_with(".*")
            }
            _ => false,
        }
    }) || roots
        .iter()
        .all(|root| !matches!(root.trim_end_matches('/'), "." | "" | "./."))
}

fn run_for_each(
    w: &mut Walker<'_>,
    call: &Call,
    command: &[String],
    item: &str,
    root: &str,
    spares: bool,
    st: &State,
) -> Judged<()> {
    let Some(program) = command.first() else {
        return Ok(());
    };
    let deletes = matches!(
        program.rsplit('/').next().unwrap_or(""),
        "rm" | "unlink" | "shred" | "mv"
    );
    // Only what the action names can be one of the roots.
    if deletes && !spares && command.iter().any(|word| word.contains('{')) {
        w.delete_path(root, true, st)?;
    }
    let line: Vec<String> = command
        .iter()
        .map(|word| word.replace("{}", item))
        .collect();
    if item.contains(ANY) && deletes {
        return Err(Refusal::new(
            rule::UNPROVEN,
            format!(
                "what find hands to {} cannot be shown to be inside your worktree",
                brief(program)
            ),
        ));
    }
    w.separate(call, line, st)?;
    Ok(())
}

fn fd(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    let at = args
        .iter()
        .position(|arg| matches!(arg.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"));
    let attached = args.iter().find_map(|arg| {
        arg.strip_prefix("--exec=")
            .or_else(|| arg.strip_prefix("--exec-batch="))
    });
    let before = args.get(..at.unwrap_or(args.len())).unwrap_or_default();
    let follows = before.iter().any(|arg| arg == "-L" || arg == "--follow");
    let operands: Vec<&String> = before.iter().filter(|arg| !arg.starts_with('-')).collect();
    let mut roots: Vec<String> = operands.iter().skip(1).map(|arg| (*arg).clone()).collect();
    for (flag, value) in before.iter().zip(before.iter().skip(1)) {
        if matches!(flag.as_str(), "--base-directory" | "--search-path" | "-C") {
            roots.push(value.clone());
        }
    }
    for flag in before {
        if let Some(value) = flag
            .strip_prefix("--base-directory=")
            .or_else(|| flag.strip_prefix("--search-path="))
        {
            roots.push(value.to_owned());
        }
    }
    if roots.is_empty() {
        roots.push(".".to_owned());
    }
    let mut command: Vec<String> = match (attached, at) {
        (Some(program), _) => vec![program.to_owned()],
        (None, Some(at)) => args.get(at + 1..).unwrap_or_default().to_vec(),
        (None, None) => return Ok(()),
    };
    command.retain(|word| word != ";");
    if !command.iter().any(|word| word.contains('{')) {
        command.push("{}".to_owned());
    }
    for root in &roots {
        let item = below(root, follows);
        let line: Vec<String> =
            ["{//}", "{/.}", "{/}", "{.}", "{}"]
                .iter()
                .fold(command.clone(), |line, mark| {
                    line.into_iter()
                        .map(|word| word.replace(mark, &item))
                        .collect()
                });
        w.separate(call, line, st)?;
    }
    Ok(())
}
