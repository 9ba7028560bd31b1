//! `find` and `fd`: their actions delete, write lists and run programs for each file.
//!
//! What an action gets is a path below the roots, or below the current folder for `-execdir`.

use super::aimed;
use super::finding::{
    Search, climbs, fd_finds, fd_roots, found, is_top, kind_of, listed, spares_git, spares_root,
    takes_roots_from_a_file,
};
use crate::commands::Call;
use crate::paths::Zone;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::{self, ANY, PATH, SOLID, brief};
use crate::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    match name {
        "find" | "gfind" | "bfs" => Some(find(w, call, st)),
        "fd" | "fdfind" => Some(fd(w, call, st)),
        _ => None,
    }
}

fn find(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let Search {
        mut roots,
        expression,
        follows,
    } = Search::of(call.args());
    for root in &roots {
        w.read_path(root, st)?;
    }
    if takes_roots_from_a_file(expression) {
        roots = vec![ANY.to_string()];
    }
    let zones: Vec<Zone> = roots.iter().map(|root| kind_of(w, root, st)).collect();
    let at_top = zones.iter().any(|zone| is_top(*zone));
    let mut i = 0;
    while let Some(arg) = expression.get(i) {
        // Tests filter only for the actions behind them.
        let tests = expression.get(..i).unwrap_or_default();
        let spares = || !at_top || spares_git(tests);
        match arg.as_str() {
            "-delete" => {
                w.need_writer("deletes files")?;
                for root in &roots {
                    w.forget_repositories(root, st);
                    // Everything below is deleted; the worktree's own top needs a filter that spares `.git`.
                    w.write_path(&entry_below(root, follows), st)?;
                    if !spares() {
                        w.delete_path(root, true, st)?;
                    }
                }
                for (root, _) in roots.iter().zip(&zones).filter(|(_, zone)| is_top(**zone)) {
                    if let Some(file) = aimed::settings(w, root, tests) {
                        w.delete_path(&file, false, st)?;
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
                let behind = expression.get(i + 1..).unwrap_or_default();
                let end = i + 1 + command_end(behind).unwrap_or(behind.len());
                let command = expression.get(i + 1..end).unwrap_or_default();
                if end == expression.len() && !command.iter().any(|word| text::is_any(word)) {
                    // Without an end it is a mistake, and nothing is run at all.
                    return Ok(());
                }
                let beside = arg.ends_with("dir");
                for (root, zone) in roots.iter().zip(&zones) {
                    let place = if beside {
                        beside_found(w, root, tests, st)
                    } else {
                        st.clone()
                    };
                    let items = if beside {
                        let whole = is_top(*zone) && !spares_git(tests);
                        listed(".", tests, whole)
                    } else {
                        let mut items = found(root, tests, follows, *zone);
                        items.extend(aimed::settings(w, root, tests).filter(|_| is_top(*zone)));
                        if climbs(command) && !spares_root(tests) {
                            items.push(root.clone());
                        }
                        items
                    };
                    if deletes(command) && !spares() {
                        w.delete_path(root, true, st)?;
                    }
                    for item in items {
                        run_for_each(w, call, command, &item, &place)?;
                    }
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
                        "what find would do is not known before it runs; write the expression out",
                    ));
                }
                i += 1;
            }
        }
    }
    Ok(())
}

/// Where the command of an action ends: at a semicolon, or at a plus behind the names.
fn command_end(words: &[String]) -> Option<usize> {
    let names = |at: usize| at > 0 && words.get(at - 1).is_some_and(|word| word == "{}");
    (0..words.len()).find(|at| match words.get(*at).map(String::as_str) {
        Some(";") => true,
        Some("+") => names(*at),
        Some(_) | None => false,
    })
}

/// What is below a root as entries of their folders: links among them are not followed.
fn entry_below(root: &str, follows: bool) -> String {
    if follows || text::is_any(root) {
        return ANY.to_string();
    }
    format!("{}/{SOLID}{PATH}", root.trim_end_matches('/'))
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

/// Whether what is found is deleted or moved. Only what the action names can be one of the roots.
fn deletes(command: &[String]) -> bool {
    is_deleter(command) && command.iter().any(|word| word.contains('{'))
}

fn is_deleter(command: &[String]) -> bool {
    let name = command
        .first()
        .and_then(|program| program.rsplit('/').next());
    matches!(name, Some("rm" | "unlink" | "shred" | "mv"))
}

/// Where `-execdir` runs its command: in the folder of what is found.
fn beside_found(w: &mut Walker<'_>, root: &str, tests: &[String], st: &State) -> State {
    let mut places = st.clone();
    w.enter(root, &mut places);
    let below_only = tests.iter().any(|word| {
        matches!(
            word.as_str(),
            "-name" | "-iname" | "-path" | "-ipath" | "-regex" | "-mindepth" | "-type"
        )
    });
    if !below_only && let Some((above, _)) = root.trim_end_matches('/').rsplit_once('/') {
        let mut itself = st.clone();
        w.enter(if above.is_empty() { "/" } else { above }, &mut itself);
        places.join(itself);
    }
    places
}

fn run_for_each(
    w: &mut Walker<'_>,
    call: &Call,
    command: &[String],
    item: &str,
    st: &State,
) -> Judged<()> {
    let Some(program) = command.first() else {
        return Ok(());
    };
    let line: Vec<String> = command
        .iter()
        .map(|word| word.replace("{}", item))
        .collect();
    if item.contains(ANY) && is_deleter(command) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            format!(
                "what find hands to {} cannot be shown to be inside your worktree; start it at a folder inside",
                brief(program)
            ),
        ));
    }
    // In the middle of a word some put no name there.
    let whole = |word: &String| {
        if word == "{}" {
            item.to_owned()
        } else {
            word.clone()
        }
    };
    let other: Vec<String> = command.iter().map(whole).collect();
    if other != line {
        w.separate(call, other, st)?;
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
    let (roots, follows) = fd_roots(before);
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
        let item = fd_finds(w, root, before, follows, st);
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
