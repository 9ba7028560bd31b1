//! What `find` and `fd` find: the shape of the paths, by their tests.

use super::find_formats;
use crate::commands::Call;
use crate::paths::Zone;
use crate::shell::glob;
use crate::shell::listings;
use crate::shell::state::State;
use crate::shell::text::{self, ANY, BRACKET, PATH, SOLID, TOKEN, WHOLE, activate};
use crate::shell::walk::Walker;

/// A command line of `find`, taken apart.
pub(super) struct Search<'a> {
    pub(super) roots: Vec<String>,
    pub(super) expression: &'a [String],
    pub(super) follows: bool,
}

impl<'a> Search<'a> {
    pub(super) fn of(args: &'a [String]) -> Self {
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
        let expression = args.get(at..).unwrap_or_default();
        follows |= expression.iter().any(|arg| arg == "-follow");
        Self {
            roots,
            expression,
            follows,
        }
    }
}

/// What `find` or `fd` prints.
pub(crate) fn printed(w: &Walker<'_>, name: &str, call: &Call, st: &State) -> String {
    if matches!(name, "fd" | "fdfind") {
        return fd_prints(w, call.args(), st);
    }
    let search = Search::of(call.args());
    if takes_roots_from_a_file(search.expression) || search.follows {
        return ANY.to_string();
    }
    if let Some(printed) = find_formats::printed(search.expression) {
        return printed;
    }
    let mut out = String::new();
    for root in &search.roots {
        if !spares_root(search.expression) {
            out.push_str(root);
            out.push('\n');
        }
        let zone = kind_of(w, root, st);
        let settings = super::aimed::settings(w, root, search.expression).filter(|_| is_top(zone));
        let items = found(root, search.expression, false, zone);
        for item in items.into_iter().chain(settings) {
            out.push_str(&item);
            out.push('\n');
        }
    }
    out
}

/// Whether the roots stand in a file, or come from a pipe, and so may be anywhere.
pub(super) fn takes_roots_from_a_file(expression: &[String]) -> bool {
    expression.iter().any(|arg| arg == "-files0-from")
}

/// What kind of place a root is, the worst one wherever the command may be.
pub(super) fn kind_of(w: &Walker<'_>, root: &str, st: &State) -> Zone {
    let zones = st.cwd.iter().map(|place| w.paths.zone(root, place));
    zones.max().unwrap_or(Zone::Unknown)
}

/// Whether the worktree's own top folder is what is searched, or a folder it is in.
pub(super) fn is_top(zone: Zone) -> bool {
    matches!(zone, Zone::Top | Zone::Above | Zone::Unknown)
}

/// Whether a test keeps a root from being among what is found.
pub(super) fn spares_root(expression: &[String]) -> bool {
    expression.windows(2).any(|pair| match pair {
        [test, value] => match test.as_str() {
            "-name" | "-iname" => value != "*" && value != ".",
            "-type" => value == "f" || value == "l",
            "-mindepth" => value != "0",
            _ => false,
        },
        _ => false,
    })
}

/// Whether a command may leave the path it is handed: climb out of it, or enter what lies in a root.
pub(super) fn climbs(command: &[String]) -> bool {
    let signs = ["..", "dirname", "%/", "%%/", "{}/"];
    command
        .iter()
        .any(|word| signs.iter().any(|sign| word.contains(sign)))
}

/// The tests that all hold for what is found, with their values: those beside no `-o` and in no brackets.
fn conjunction(expression: &[String]) -> Vec<(&str, &str)> {
    let mut depth = 0_usize;
    let mut tests = Vec::new();
    let mut negated = false;
    for (at, word) in expression.iter().enumerate() {
        let negates = std::mem::take(&mut negated);
        match word.as_str() {
            "(" | "\\(" => depth += 1,
            ")" | "\\)" => depth = depth.saturating_sub(1),
            "!" | "-not" => negated = true,
            "-o" | "-or" | "," if depth == 0 => return Vec::new(),
            test if depth == 0 && !negates && test.starts_with('-') => {
                if let Some(value) = expression.get(at + 1) {
                    tests.push((test, value.as_str()));
                }
            }
            _ => {}
        }
    }
    tests
}

/// The paths `find` hands on, other than the root. A root that is followed through links could lead anywhere.
pub(super) fn found(root: &str, expression: &[String], follows: bool, zone: Zone) -> Vec<String> {
    if follows || text::is_any(root) {
        return vec![ANY.to_string()];
    }
    // Where a name decides, what is found below a home is none of its credentials.
    if finds_harmless(expression) && root.starts_with(text::HOME) {
        let base = root.trim_end_matches('/');
        return vec![format!("{base}/{PATH}/{TOKEN}")];
    }
    let whole = is_top(zone) && !spares_git(expression);
    if !matches!(zone, Zone::Top | Zone::Inside | Zone::Temp) {
        // Of other places only what lies below them counts.
        let mark = if whole {
            WHOLE.to_string()
        } else {
            String::new()
        };
        return vec![format!("{}/{mark}{PATH}", root.trim_end_matches('/'))];
    }
    listed(root, expression, whole)
}

/// Paths below a folder by what the tests say of them: no links, or names of a pattern.
pub(super) fn listed(root: &str, expression: &[String], whole: bool) -> Vec<String> {
    let base = root.trim_end_matches('/');
    let mark = if whole {
        WHOLE.to_string()
    } else {
        String::new()
    };
    let tests = conjunction(expression);
    let solid = tests
        .iter()
        .any(|(test, kind)| *test == "-type" && kind.chars().all(|c| "fd,".contains(c)));
    if solid {
        return vec![format!("{base}/{mark}{SOLID}{PATH}")];
    }
    let name = tests.iter().find(|(test, _)| *test == "-name");
    match name.and_then(|(_, name)| as_pattern(name)) {
        Some(name) => vec![
            format!("{base}/{mark}{name}"),
            format!("{base}/{SOLID}{PATH}/{name}"),
        ],
        None => vec![format!("{base}/{mark}{PATH}")],
    }
}

/// A name to be found as a pattern, as there may be none or several of it: `x` is `[x]`.
fn as_pattern(name: &str) -> Option<String> {
    if !text::is_known(name) || name.contains(['/', '\\']) {
        return None;
    }
    let pattern = activate(name);
    if text::has_glob(&pattern) {
        return Some(pattern);
    }
    let last = name
        .chars()
        .next_back()
        .filter(char::is_ascii_alphanumeric)?;
    let before = name.get(..name.len() - 1)?;
    Some(format!("{before}{BRACKET}{last}]"))
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

/// Whether the tests keep `.git` and the top folder out of what is found.
pub(super) fn spares_git(expression: &[String]) -> bool {
    let prunes = expression.windows(3).any(|words| {
        matches!(words, [a, b, c] if (a == "-name" || a == "-path") && b.contains(".git") && c == "-prune")
    });
    if prunes {
        return true;
    }
    let negates = |word: &String| word == "!" || word == "-not";
    let groups = |word: &String| word == "(" || word == "\\(";
    let negated_group = expression
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if negates(a) && groups(b)));
    !negated_group
        && expression
            .split(|word| matches!(word.as_str(), "-o" | "-or" | ","))
            .all(alternative_spares)
}

/// The same for tests that all have to hold.
fn alternative_spares(tests: &[String]) -> bool {
    let negated = |at: usize| {
        at.checked_sub(1)
            .and_then(|before| tests.get(before))
            .is_some_and(|word| word == "!" || word == "-not")
    };
    let plain = |test: &str, value: Option<&str>| {
        tests.iter().enumerate().any(|(at, word)| {
            word == test
                && value.is_none_or(|value| tests.get(at + 1).is_some_and(|v| v == value))
                && !negated(at)
        })
    };
    // `.git` is a file that is not empty, directly in the top folder, which is not empty either.
    if plain("-empty", None) || plain("-size", Some("0")) && plain("-type", Some("f")) {
        return true;
    }
    tests.windows(2).enumerate().any(|(at, pair)| {
        let [test, value] = pair else { return false };
        let negated = negated(at);
        match test.as_str() {
            "-name" | "-iname" if !negated => !glob::matches(&activate(value), ".git", true),
            "-path" | "-wholename" if negated => value.contains(".git"),
            "-name" if negated => value == ".git",
            "-path" | "-wholename" if !negated => !glob::matches(&activate(value), "./.git", true),
            "-regex" if !negated => !super::aimed::fits(test, value, "./.git"),
            "-type" | "-xtype" if !negated => value == "l",
            "-mindepth" if !negated => value.parse::<u32>().is_ok_and(|depth| depth > 1),
            _ => false,
        }
    })
}

/// The folders `fd` searches, and whether it follows links.
pub(super) fn fd_roots(before: &[String]) -> (Vec<String>, bool) {
    let follows = before.iter().any(|arg| arg == "-L" || arg == "--follow");
    let operands = fd_operands(before);
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
    (roots, follows)
}

/// The pattern and the folders among the words of `fd`.
fn fd_operands(before: &[String]) -> Vec<&String> {
    let valued = [
        "-t",
        "--type",
        "-e",
        "--extension",
        "-d",
        "--max-depth",
        "-E",
        "--exclude",
    ];
    let mut operands: Vec<&String> = Vec::new();
    let mut value = false;
    for arg in before {
        if !std::mem::take(&mut value) && !arg.starts_with('-') {
            operands.push(arg);
        }
        value = valued.contains(&arg.as_str());
    }
    operands
}

/// What `fd` finds below a root; hidden names, and with them `.git`, only when it is told to.
pub(super) fn fd_finds(
    w: &Walker<'_>,
    root: &str,
    before: &[String],
    follows: bool,
    st: &State,
) -> String {
    if follows || text::is_any(root) {
        return ANY.to_string();
    }
    let has = |names: &[&str]| before.iter().any(|arg| names.contains(&arg.as_str()));
    let files = before.windows(2).any(|pair| {
        matches!(pair, [flag, kind] if matches!(flag.as_str(), "-t" | "--type")
            && matches!(kind.as_str(), "f" | "d" | "file" | "directory"))
    }) || has(&[
        "-tf",
        "-td",
        "--type=f",
        "--type=d",
        "--type=file",
        "--type=directory",
    ]);
    let hidden = has(&[
        "-H",
        "--hidden",
        "-u",
        "-uu",
        "--unrestricted",
        "-HI",
        "-IH",
    ]);
    let mut mark = String::new();
    if hidden && is_top(kind_of(w, root, st)) && !fd_spares_git(before) {
        mark.push(WHOLE);
    }
    if files {
        mark.push(SOLID);
    }
    format!("{}/{mark}{PATH}", root.trim_end_matches('/'))
}

/// Whether `.git` is left out by name, or the pattern needs letters that are not of it.
fn fd_spares_git(before: &[String]) -> bool {
    let excluded = before.windows(2).any(|pair| {
        matches!(pair, [flag, value] if matches!(flag.as_str(), "-E" | "--exclude") && value == ".git")
    }) || before
        .iter()
        .any(|arg| matches!(arg.as_str(), "--exclude=.git" | "-E.git"));
    // The pattern may be of the whole path, or of other alternatives in braces.
    let whole_path = before.iter().any(|arg| {
        arg == "--full-path" || arg.starts_with('-') && !arg.starts_with("--") && arg.contains('p')
    });
    let pattern = fd_operands(before).first().copied();
    excluded
        || !whole_path
            && pattern.is_some_and(|pattern| {
                text::is_known(pattern) && !pattern.contains('{') && listings::spares_git(pattern)
            })
}

fn fd_prints(w: &Walker<'_>, args: &[String], st: &State) -> String {
    let (roots, follows) = fd_roots(args);
    let items = roots
        .iter()
        .map(|root| fd_finds(w, root, args, follows, st) + "\n");
    items.collect()
}
