//! `parallel`: a template that is filled in and run by a shell for each value.

use super::options::{operand_at, rest_of};
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::rules::flags::parse;
use crate::shell::state::State;
use crate::shell::text::ANY;
use crate::shell::walk::{Done, Walker, quote};

impl Walker<'_> {
    pub(super) fn parallel(&mut self, call: &Call, st: &mut State) -> Judged<Done> {
        let args = call.args();
        let at = operand_at(
            args,
            "jNnILsadCS",
            &[
                "--jobs",
                "--joblog",
                "--results",
                "--colsep",
                "--arg-file",
                "--delay",
                "--tmpdir",
                "--sshlogin",
                "--retries",
                "--timeout",
            ],
        );
        if args
            .iter()
            .any(|arg| arg == "-S" || arg.starts_with("--sshlogin"))
        {
            return Err(Refusal::new(
                rule::NETWORK,
                "commands run on this machine only; drop the remote login",
            ));
        }
        for (flag, value) in args.iter().zip(args.iter().skip(1)) {
            if matches!(flag.as_str(), "--joblog" | "--results" | "--tmpdir") {
                self.write_path(value, st)?;
            }
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
        let marks = ["{}", "{.}", "{/}", "{//}", "{/.}", "{1}", "{2}"];
        for value in values.iter().take(200) {
            let quoted = if template.is_empty() {
                value.clone()
            } else {
                quote(value)
            };
            let code = if marks.iter().any(|mark| template.contains(mark)) {
                marks
                    .iter()
                    .fold(template.clone(), |code, mark| code.replace(mark, &quoted))
            } else {
                format!("{template} {quoted}")
            };
            self.script_with_unknown_words(&code, st)?;
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
        let list = crate::shell::parser::parse(code, self.depth)
            .map_err(|error| Refusal::new(rule::UNPROVEN, error.to_string()))?;
        self.nested(|walker| walker.list(&list, &mut st.for_program()))?;
        Ok(())
    }
}
