//! Cmdlets of PowerShell that write files or ask other machines, by their parameters.
//!
//! Names are read in letters of either size, and parameters may be shortened. Some are handed on as what other
//! shells have for them.

use super::{curl, sending};
use crate::commands::Call;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::Walker;

/// A cmdlet that writes: under which parameters the place stands, and as which word without one.
struct Cmdlet {
    name: &'static str,
    target: &'static [&'static str],
    at: usize,
    /// Whether what it takes from is gone afterwards.
    moves: bool,
}

const fn cmdlet(name: &'static str, target: &'static [&'static str], at: usize) -> Cmdlet {
    Cmdlet {
        name,
        target,
        at,
        moves: false,
    }
}

const WRITERS: &[Cmdlet] = &[
    cmdlet("set-content", &["path", "literalpath"], 0),
    cmdlet("add-content", &["path", "literalpath"], 0),
    cmdlet("clear-content", &["path", "literalpath"], 0),
    cmdlet("out-file", &["filepath", "literalpath"], 0),
    cmdlet("tee-object", &["filepath", "literalpath"], 0),
    cmdlet("new-item", &["path"], 0),
    cmdlet("set-item", &["path", "literalpath"], 0),
    cmdlet("set-itemproperty", &["path", "literalpath"], 0),
    cmdlet("set-acl", &["path", "literalpath"], 0),
    cmdlet("export-csv", &["path", "literalpath"], 0),
    cmdlet("export-clixml", &["path", "literalpath"], 0),
    cmdlet("start-transcript", &["path", "literalpath"], 0),
    cmdlet("copy-item", &["destination"], 1),
    cmdlet("expand-archive", &["destinationpath"], 1),
    cmdlet("compress-archive", &["destinationpath"], 1),
    Cmdlet {
        name: "move-item",
        target: &["destination"],
        at: 1,
        moves: true,
    },
    Cmdlet {
        name: "rename-item",
        target: &["path", "literalpath"],
        at: 0,
        moves: true,
    },
];

/// Parameters without a value.
const SWITCHES: &[&str] = &[
    "append",
    "asbytestream",
    "confirm",
    "container",
    "force",
    "includetypeinformation",
    "noclobber",
    "noheader",
    "nonewline",
    "notypeinformation",
    "passthru",
    "recurse",
    "skipcertificatecheck",
    "skiphttperrorcheck",
    "update",
    "usebasicparsing",
    "verbose",
    "whatif",
];

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    if !name.contains('-') {
        return None;
    }
    let name = name.to_lowercase();
    if matches!(name.as_str(), "invoke-webrequest" | "invoke-restmethod") {
        let asked = call.with(as_curl(&Words::of(call.args())));
        let judged = curl::judge(w, &asked, st);
        return Some(judged.and_then(|()| sending::curl(w, &asked, st)));
    }
    let cmdlet = WRITERS.iter().find(|cmdlet| cmdlet.name == name)?;
    Some(writes(w, cmdlet, &Words::of(call.args()), st))
}

fn writes(w: &mut Walker<'_>, cmdlet: &Cmdlet, words: &Words<'_>, st: &State) -> Judged<()> {
    w.need_writer("changes files")?;
    // What is named by a parameter is no longer the first word.
    let sources = ["path", "literalpath"];
    let named = words.value(&sources).is_some() && cmdlet.at > 0;
    let at = cmdlet.at - usize::from(named);
    let target = words
        .value(cmdlet.target)
        .or_else(|| words.plain.get(at).copied());
    let source = words
        .value(&sources)
        .or_else(|| words.plain.first().copied());
    if cmdlet.at > 0
        && let Some(source) = source
    {
        for path in source.split(',') {
            w.read_path(path, st)?;
        }
    }
    if cmdlet.moves
        && let Some(source) = source
    {
        for path in source.split(',') {
            w.delete_path(path, true, st)?;
        }
    }
    for path in target.into_iter().flat_map(|target| target.split(',')) {
        w.write_path(path, st)?;
    }
    Ok(())
}

/// A request in the words of `curl`.
fn as_curl(words: &Words<'_>) -> Vec<String> {
    let mut argv = vec!["curl".to_owned()];
    let options = [
        ("method", "--request"),
        ("outfile", "--output"),
        ("body", "--data-raw"),
        ("infile", "--upload-file"),
        ("form", "--form-string"),
        ("useragent", "--user-agent"),
    ];
    for (parameter, option) in options {
        if let Some(value) = words.value(&[parameter]) {
            argv.extend([option.to_owned(), value.to_owned()]);
        }
    }
    let address = words.value(&["uri"]).or(words.plain.first().copied());
    argv.extend(address.map(str::to_owned));
    argv
}

/// The words of a cmdlet: parameters with their values, and the others.
struct Words<'a> {
    named: Vec<(String, &'a str)>,
    plain: Vec<&'a str>,
}

impl<'a> Words<'a> {
    fn of(args: &'a [String]) -> Self {
        let mut words = Self {
            named: Vec::new(),
            plain: Vec::new(),
        };
        let mut rest = args.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            let parameter = word
                .strip_prefix('-')
                .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
            let Some(parameter) = parameter else {
                words.plain.push(word);
                continue;
            };
            let (name, attached) = match parameter.split_once(':') {
                Some((name, value)) => (name.to_lowercase(), Some(value)),
                None => (parameter.to_lowercase(), None),
            };
            let switch = SWITCHES.iter().any(|switch| switch.starts_with(&name));
            match attached {
                Some(value) if !value.is_empty() => words.named.push((name, value)),
                Some(_) | None if switch => {}
                Some(_) | None => words.named.extend(rest.next().map(|value| (name, value))),
            }
        }
        words
    }

    /// The value of one of these parameters, also shortened.
    fn value(&self, parameters: &[&str]) -> Option<&'a str> {
        let found = self
            .named
            .iter()
            .find(|(name, _)| parameters.iter().any(|full| full.starts_with(name)));
        found.map(|(_, value)| *value)
    }
}
