//! The configured quality gates, which read-only roles may run as they are.

use super::commands::Call;
use super::patterns::program;
use super::policy::{Judged, Refusal, rule};
use super::shell::text;
use super::shell::walk::Walker;

impl Walker<'_> {
    /// Whether a command is one of the configured quality gates, run without a flag that changes files.
    /// `named`: its words as the project names them.
    pub(super) fn is_gate(&mut self, call: &Call, named: &[String]) -> Judged<bool> {
        let gate = self
            .policy
            .quality_gates
            .iter()
            .flat_map(|gate| gate.split("&&").flat_map(|part| part.split(';')))
            .any(|gate| {
                let words: Vec<&str> = gate.split_whitespace().collect();
                let program = words.first().map_or_else(String::new, |word| program(word));
                !words.is_empty()
                    && words.len() <= named.len()
                    && named.first() == Some(&program)
                    && words
                        .iter()
                        .zip(named)
                        .skip(1)
                        .all(|(word, arg)| word == arg)
            });
        if !gate {
            return Ok(false);
        }
        let changes = |arg: &String| {
            let flag = arg.split('=').next().unwrap_or(arg);
            matches!(
                flag,
                "--fix"
                    | "--write"
                    | "-w"
                    | "--bless"
                    | "--in-place"
                    | "--update"
                    | "-u"
                    | "--updateSnapshot"
                    | "--snapshot-update"
                    | "--accept"
                    | "--allow-dirty"
                    | "--emit"
                    | "--force"
                    | "--target-dir"
                    | "--config"
                    | "--out-dir"
                    | "--output"
                    | "-o"
                    | "--manifest-path"
                    | "--artifact-dir"
            ) || text::is_any(arg)
        };
        let own = call.argv.iter().take_while(|arg| *arg != "--");
        let changing = own.clone().any(changes);
        let env = call.env.iter().any(|(name, value)| {
            matches!(
                name.as_str(),
                "UPDATE_EXPECT"
                    | "BLESS"
                    | "TRYBUILD"
                    | "UPDATE_SNAPSHOTS"
                    | "UPDATE_GOLDEN"
                    | "CARGO_TARGET_DIR"
                    | "RUSTC_WRAPPER"
            ) || name == "INSTA_UPDATE" && value != "no"
        });
        if changing || env {
            return Err(Refusal::new(
                rule::READ_ONLY,
                "the quality gate would change files; run it without that option",
            ));
        }
        Ok(true)
    }
}
