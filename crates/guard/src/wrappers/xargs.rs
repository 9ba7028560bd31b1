//! `xargs`: its input becomes arguments.

use super::options::rest_of;
use crate::commands::Call;
use crate::policy::Judged;
use crate::shell::output::append;
use crate::shell::state::State;
use crate::shell::text::{self, ANY};
use crate::shell::walk::{Done, Walker};

impl Walker<'_> {
    pub(super) fn xargs(&mut self, call: &Call, st: &mut State) -> Judged<Done> {
        let args = call.args();
        let mut replace: Option<String> = None;
        let mut file: Option<String> = None;
        let mut separator = None;
        let mut batch = None;
        let mut at_once = None;
        let before = self.pace;
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            let value = |at: usize| args.get(at + 1).cloned().unwrap_or_default();
            if arg == "--" {
                at += 1;
                break;
            }
            separator = separator.or_else(|| item_separator(arg, args.get(at + 1)));
            batch = batch.or(Batch::of(arg, args.get(at + 1)));
            at_once = at_once.or_else(|| number_at_once(arg, args.get(at + 1)));
            if arg == "-I" {
                replace = Some(value(at));
                at += 2;
            } else if let Some(text) = arg.strip_prefix("-I") {
                replace = Some(text.to_owned());
                at += 1;
            } else if arg == "-i" || arg == "--replace" {
                replace = Some("{}".to_owned());
                at += 1;
            } else if let Some(text) = arg.strip_prefix("--replace=") {
                replace = Some(text.to_owned());
                at += 1;
            } else if arg == "-J" {
                replace = Some(value(at));
                at += 2;
            } else if matches!(arg.as_str(), "-a" | "--arg-file") {
                file = Some(value(at));
                at += 2;
            } else if let Some(text) = arg
                .strip_prefix("--arg-file=")
                .or_else(|| arg.strip_prefix("-a"))
            {
                file = Some(text.to_owned());
                at += 1;
            } else if matches!(
                arg.as_str(),
                "-n" | "-P"
                    | "-L"
                    | "-s"
                    | "-d"
                    | "-E"
                    | "-R"
                    | "-S"
                    | "--max-args"
                    | "--max-procs"
                    | "--max-chars"
                    | "--delimiter"
                    | "--max-lines"
                    | "--eof"
            ) {
                at += 2;
            } else if arg.starts_with('-') && arg.len() > 1 {
                at += 1;
            } else {
                break;
            }
        }
        let input = match &file {
            Some(path) => {
                self.read_path(path, st)?;
                self.content(path, st)
            }
            None => call.stdin.clone().unwrap_or_else(|| ANY.to_string().into()),
        };
        let argv = rest_of(args, at);
        if argv.is_empty() {
            self.started_for_each(&input, at_once.as_deref(), before)?;
            return Ok(Done::printing(input.to_string()));
        }
        let mut inner = call.clone();
        inner.stdin = Some("".into());
        let items: Vec<String> = match &replace {
            Some(_) => input
                .split(['\n', '\0'])
                .map(|line| line.trim().to_owned())
                .filter(|line| !line.is_empty())
                .collect(),
            None => split_items(&input, separator),
        };
        self.charge(2 * items.len())?;
        let Some(mark) = replace.filter(|mark| !mark.is_empty()) else {
            let done = self.in_batches(&inner, argv, &input, items, batch, st)?;
            self.started_for_each(&input, at_once.as_deref(), before)?;
            return Ok(done);
        };
        let mut unique = items;
        unique.sort();
        unique.dedup();
        if unique.len() > 50 || unique.is_empty() {
            unique = vec![ANY.to_string()];
        }
        for item in unique {
            let line = argv.iter().map(|arg| arg.replace(&mark, &item)).collect();
            self.separate(&inner, line, st)?;
        }
        self.started_for_each(&input, at_once.as_deref(), before)?;
        Ok(Done::printing(ANY))
    }
}

/// `-P 4`, `--max-procs=0`: how many run at a time.
fn number_at_once(arg: &str, next: Option<&String>) -> Option<String> {
    if matches!(arg, "-P" | "--max-procs") {
        return next.cloned();
    }
    let cluster = || {
        let letters = arg.strip_prefix('-')?;
        letters
            .trim_start_matches(['0', 'r', 't', 'x'])
            .strip_prefix('P')
    };
    let given = arg.strip_prefix("--max-procs=").or_else(cluster)?;
    match given {
        "" => next.cloned(),
        number => Some(number.to_owned()),
    }
}

/// How the items are dealt out to several runs of the program.
#[derive(Debug, Clone, Copy)]
enum Batch {
    /// So many items each.
    Items(usize),
    /// So many lines each.
    Lines(usize),
    /// Somehow: by length, or by a number that is not known.
    Other,
}

impl Batch {
    fn of(arg: &str, next: Option<&String>) -> Option<Self> {
        let long = |names: [&str; 2]| {
            let (name, value) = arg.split_once('=').unwrap_or((arg, ""));
            let given = names.contains(&name);
            given.then(|| match value {
                "" => next.cloned().unwrap_or_default(),
                value => value.to_owned(),
            })
        };
        let short = |letter: &str| {
            let value = arg.strip_prefix(letter)?;
            Some(match value {
                "" => next.cloned().unwrap_or_default(),
                value => value.to_owned(),
            })
        };
        let items = long(["--max-args", "--max-args"]).or_else(|| short("-n"));
        let lines = long(["--max-lines", "--max-lines"])
            .or_else(|| short("-L"))
            .or_else(|| arg.strip_prefix("-l").map(str::to_owned));
        let number = |text: String| text.parse::<usize>().ok().filter(|count| *count > 0);
        match (items, lines) {
            (Some(items), _) => Some(number(items).map_or(Self::Other, Self::Items)),
            (None, Some(lines)) => Some(number(lines).map_or(Self::Other, Self::Lines)),
            (None, None) => (long(["--max-chars", "--max-chars"]).is_some()
                || short("-s").is_some())
            .then_some(Self::Other),
        }
    }
}

/// More runs than this are judged as one with an item that stands for any.
const RUNS: usize = 50;

impl Walker<'_> {
    /// Runs the program as often as the items are dealt out: what comes first and last is another item each time.
    fn in_batches(
        &mut self,
        call: &Call,
        argv: Vec<String>,
        input: &str,
        items: Vec<String>,
        batch: Option<Batch>,
        st: &State,
    ) -> Judged<Done> {
        let mut runs: Vec<Vec<String>> = match batch {
            None => vec![items],
            Some(_) if items.len() < 2 => vec![items],
            Some(Batch::Items(count)) => items.chunks(count).map(<[String]>::to_vec).collect(),
            Some(Batch::Lines(count)) => {
                let lines: Vec<&str> = input.lines().filter(|line| !line.is_empty()).collect();
                let some = lines.chunks(count);
                some.map(|some| split_items(&some.join("\n"), None))
                    .collect()
            }
            Some(Batch::Other) => vec![vec![text::part_of(input)]],
        };
        runs.sort();
        runs.dedup();
        if runs.len() > RUNS {
            runs = vec![vec![text::part_of(input)]];
        }
        let mut out = String::new();
        for run in runs {
            let done = self.separate(call, [argv.clone(), run].concat(), st)?;
            append(&mut out, &done.out);
        }
        Ok(Done::printing(out))
    }
}

/// What separates the items when `-0` or `-d` say so.
fn item_separator(arg: &str, next: Option<&String>) -> Option<char> {
    let named = |value: &str| match value {
        "\\n" => Some('\n'),
        "\\t" => Some('\t'),
        "\\0" => Some('\0'),
        other => other.chars().next(),
    };
    match arg {
        "--null" => Some('\0'),
        "-d" | "--delimiter" => next.and_then(|value| named(value)),
        _ => {
            if let Some(value) = arg.strip_prefix("--delimiter=").or(arg.strip_prefix("-d")) {
                named(value)
            } else {
                let cluster = arg.strip_prefix('-')?;
                let plain = cluster.chars().all(|c| "0rtpxo".contains(c));
                (plain && cluster.contains('0')).then_some('\0')
            }
        }
    }
}

/// The items `xargs` reads: split at white space, quotes group, a backslash keeps one character. With a
/// separator of its own nothing else counts.
fn split_items(input: &str, separator: Option<char>) -> Vec<String> {
    if let Some(separator) = separator {
        // What other programs print is known by lines only, whatever really ends its items.
        let lines = separator == '\0' && !text::is_known(input);
        let whole =
            input
                .split(|c| c == separator || lines && c == '\n')
                .map(|item| match separator {
                    // Text that ends its last line is the same command with and without the line end.
                    '\0' => item.trim_end_matches('\n').to_owned(),
                    _ => item.to_owned(),
                });
        return whole.filter(|item| !item.is_empty()).collect();
    }
    let mut items = Vec::new();
    let mut item = String::new();
    let mut started = false;
    let mut quote = None;
    let mut chars = input.chars().map(|c| if c == '\0' { ' ' } else { c });
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => item.push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                started = true;
            }
            (None, '\\') => {
                item.extend(chars.next());
                started = true;
            }
            (None, c) if c.is_whitespace() => {
                if started {
                    items.push(std::mem::take(&mut item));
                    started = false;
                }
            }
            (None, c) => {
                item.push(c);
                started = true;
            }
        }
    }
    if started {
        items.push(item);
    }
    items
}
