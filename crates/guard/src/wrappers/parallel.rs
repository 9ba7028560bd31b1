//! `parallel`: a template that is filled in and run by a shell for each value.

use super::options::{operand_at, rest_of};
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::rules::flags::parse;
use crate::shell::state::{State, Var};
use crate::shell::text::ANY;
use crate::shell::walk::{Done, SHELL, Walker, quote};

/// Options with a value, besides those of `WORKDIR`.
const LONG: &[&str] = &[
    "--arg-file",
    "--arg-file-sep",
    "--arg-sep",
    "--basefile",
    "--bf",
    "--block",
    "--block-size",
    "--colsep",
    "--compress-program",
    "--delay",
    "--delimiter",
    "--env",
    "--halt",
    "--halt-on-error",
    "--header",
    "--id",
    "--jobs",
    "--joblog",
    "--limit",
    "--load",
    "--max-args",
    "--max-chars",
    "--max-procs",
    "--memfree",
    "--memsuspend",
    "--nice",
    "--process-slot-var",
    "--profile",
    "--recend",
    "--recstart",
    "--res",
    "--results",
    "--retries",
    "--return",
    "--rpl",
    "--semaphore-name",
    "--shebang-wrap",
    "--sshdelay",
    "--sshlogin",
    "--sshloginfile",
    "--slf",
    "--tagstring",
    "--term-seq",
    "--tf",
    "--timeout",
    "--tmpdir",
    "--tmpl",
    "--transferfile",
    "--trc",
    "--trim",
];

/// The option that names the folder the commands work in, with the short forms of its name.
const WORKDIR: &[&str] = &[
    "--wd",
    "--wo",
    "--wor",
    "--work",
    "--workd",
    "--workdi",
    "--workdir",
];

const MARKS: [&str; 7] = ["{}", "{.}", "{/}", "{//}", "{/.}", "{1}", "{2}"];

/// The folder that the commands work in.
fn folder(own: &[String]) -> Option<&str> {
    own.iter().enumerate().rev().find_map(|(at, arg)| {
        let (option, value) = match arg.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (arg.as_str(), own.get(at + 1).map(String::as_str)),
        };
        WORKDIR.contains(&option).then_some(value).flatten()
    })
}

/// What it writes itself, by options in full or shortened, with the value behind them or attached.
fn outputs(args: &[String]) -> Vec<&str> {
    const WRITTEN: [(&str, usize); 3] = [("--joblog", 6), ("--results", 5), ("--tmpdir", 6)];
    let own = args.iter().take_while(|arg| !arg.starts_with(":::"));
    own.enumerate()
        .filter_map(|(at, arg)| {
            let (option, value) = match arg.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (arg.as_str(), args.get(at + 1).map(String::as_str)),
            };
            let names =
                |(name, least): &(&str, usize)| option.len() >= *least && name.starts_with(option);
            value.filter(|_| WRITTEN.iter().any(names))
        })
        .collect()
}

/// A text with the value in the place of its marks.
fn with_value(text: &str, value: &str) -> String {
    MARKS
        .iter()
        .fold(text.to_owned(), |text, mark| text.replace(mark, value))
}

/// The options of the environment stand before those of the command line.
fn with_environment(call: &Call, st: &State) -> Vec<String> {
    let own = || st.vars.get("PARALLEL").map(Var::value);
    let before = call.variable("PARALLEL").map(str::to_owned).or_else(own);
    let before = before.unwrap_or_default();
    let words = before.split_whitespace();
    let words = words.map(|word| word.trim_matches(['\'', '"']).to_owned());
    words.chain(call.args().iter().cloned()).collect()
}

impl Walker<'_> {
    pub(super) fn parallel(&mut self, call: &Call, st: &mut State) -> Judged<Done> {
        let args = &with_environment(call, st);
        let long: Vec<&str> = LONG.iter().chain(WORKDIR).copied().collect();
        let at = operand_at(args, "jJnNILsadCSPEU", &long);
        let folder = folder(args.get(..at.min(args.len())).unwrap_or_default());
        if args
            .iter()
            .any(|arg| arg == "-S" || arg.starts_with("--sshlogin"))
        {
            return Err(Refusal::new(
                rule::NETWORK,
                "commands run on this machine only; drop the remote login",
            ));
        }
        for path in outputs(args) {
            self.write_path(path, st)?;
        }
        let rest = rest_of(args, at);
        let split = rest.iter().position(|arg| arg.starts_with(":::"));
        let template = rest
            .get(..split.unwrap_or(rest.len()))
            .unwrap_or_default()
            .join(" ");
        let values: Vec<String> = match split {
            Some(at) if rest.get(at).is_some_and(|mark| mark.starts_with("::::")) => {
                vec![ANY.to_string()]
            }
            Some(at) => rest
                .iter()
                .skip(at + 1)
                .filter(|arg| !arg.starts_with(":::"))
                .cloned()
                .collect(),
            None => call.stdin.as_deref().map_or_else(
                || vec![ANY.to_string()],
                |input| input.lines().map(str::to_owned).collect(),
            ),
        };
        self.charge(values.len())?;
        let before = self.pace;
        for value in values.iter().take(200) {
            let quoted = if template.is_empty() {
                value.clone()
            } else {
                quote(value)
            };
            let code = if MARKS.iter().any(|mark| template.contains(mark)) {
                with_value(&template, &quoted)
            } else {
                format!("{template} {quoted}")
            };
            let mut inner = st.clone();
            if let Some(folder) = folder {
                self.enter(&with_value(folder, value), &mut inner);
            }
            self.script_with_unknown_words(&code, &inner)?;
        }
        if let (None, Some(input)) = (split, call.stdin.as_deref()) {
            let at_once = parse(args, "jP", &["jobs", "max-procs"]);
            let at_once = at_once.values(&["j", "P", "jobs", "max-procs"]);
            self.started_for_each(input, at_once.first().copied(), before)?;
        }
        Ok(Done::printing(ANY))
    }

    /// Shell text in which unknown parts are quoted words, not syntax.
    fn script_with_unknown_words(&mut self, code: &str, st: &State) -> Judged<()> {
        let (list, parts) = crate::shell::parser::parse_counted(code, self.depth)
            .map_err(|error| Refusal::new(rule::UNPROVEN, error.to_string()))?;
        self.charge(SHELL + code.len() / 16 + parts / 2)?;
        self.nested(|walker| walker.list(&list, &mut st.for_program()))?;
        Ok(())
    }
}
