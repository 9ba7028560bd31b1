//! Programs that run a command again and again or record it: `watch`, `entr`, `hyperfine`, `script`.

use super::options::{operand_at, rest_of, unproven};
use crate::commands::Call;
use crate::policy::Judged;
use crate::shell::endless::watches_without_pause;
use crate::shell::state::State;
use crate::shell::walk::{Done, Walker};

impl Walker<'_> {
    /// `watch`, `entr`, `hyperfine` …: options, then a command as words or as text.
    pub(super) fn text_wrapper(&mut self, name: &str, call: &Call, st: &mut State) -> Judged<Done> {
        let args = call.args();
        let (short, long): (&str, &[&str]) = match name {
            "watch" => ("nq", &["--interval"]),
            "entr" => ("", &[]),
            "watchexec" => (
                "ewifsnd",
                &[
                    "--exts",
                    "--watch",
                    "--ignore",
                    "--filter",
                    "--signal",
                    "--debounce",
                    "--project-origin",
                    "--workdir",
                    "--shell",
                ],
            ),
            "hyperfine" => (
                "wmMrpsSnNciLP",
                &[
                    "--warmup",
                    "--runs",
                    "--min-runs",
                    "--max-runs",
                    "--prepare",
                    "--setup",
                    "--cleanup",
                    "--shell",
                    "--export-json",
                    "--export-markdown",
                    "--export-csv",
                    "--command-name",
                    "--parameter-list",
                    "--parameter-scan",
                ],
            ),
            _ => (
                "wcenix",
                &[
                    "--ext", "--watch", "--exec", "--ignore", "--delay", "--names", "-n",
                    "--prefix",
                ],
            ),
        };
        for (flag, value) in args.iter().zip(args.iter().skip(1)) {
            if flag.starts_with("--export-") {
                self.write_path(value, st)?;
            }
        }
        let rest = rest_of(args, operand_at(args, short, long));
        if rest.is_empty() {
            return Ok(Done::default());
        }
        if matches!(name, "hyperfine" | "concurrently") {
            for code in &rest {
                // `npm:test` stands for `npm run test`, and `npm:watch-*` for all scripts of such names.
                let short = ["npm", "pnpm", "yarn", "bun"]
                    .iter()
                    .find_map(|tool| Some((tool, code.strip_prefix(tool)?.strip_prefix(':')?)));
                let code = match short {
                    Some((tool, script)) => format!("{tool} run {script}"),
                    None => code.clone(),
                };
                self.script(&code, &mut st.for_program())?;
            }
            return Ok(Done::default());
        }
        let shell_text =
            |arg: &String| arg.starts_with('-') && !arg.starts_with("--") && arg.contains('s');
        if name == "entr"
            && args
                .iter()
                .take_while(|arg| arg.starts_with('-'))
                .any(shell_text)
        {
            let code = rest.first().cloned().unwrap_or_default();
            return self.script(&code, &mut st.for_program());
        }
        if name == "nodemon" {
            let mut argv = vec!["node".to_owned()];
            argv.extend(rest);
            return self.separate(call, argv, st);
        }
        if name == "entr" || rest.len() > 1 && args.iter().any(|arg| arg == "-x" || arg == "--exec")
        {
            return self.separate(call, rest, st);
        }
        let before = self.pace;
        let done = self.script(&rest.join(" "), &mut st.for_program())?;
        if name == "watch" && watches_without_pause(args) {
            self.comes_to_an_end(before)?;
        }
        Ok(done)
    }

    pub(super) fn script_program(&mut self, call: &Call, st: &mut State) -> Judged<Done> {
        let args = call.args();
        let mut code = None;
        for (at, arg) in args.iter().enumerate() {
            if arg == "--command"
                || arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('c')
            {
                code = args.get(at + 1).cloned();
            } else if let Some(text) = arg.strip_prefix("--command=") {
                code = Some(text.to_owned());
            }
        }
        let at = operand_at(
            args,
            "cEIBOTmo",
            &[
                "--command",
                "--log-out",
                "--log-in",
                "--log-io",
                "--log-timing",
            ],
        );
        let file = args
            .get(at)
            .cloned()
            .unwrap_or_else(|| "typescript".to_owned());
        self.write_path(&file, st)?;
        // What was typed and shown, and when, may go to files of their own.
        let logs = crate::rules::flags::parse(
            args.get(..at).unwrap_or_default(),
            "cEIBOTmot?",
            &[
                "command",
                "log-out",
                "log-in",
                "log-io",
                "log-timing",
                "echo",
                "logging-format",
                "output-limit",
            ],
        );
        let named = [
            "I",
            "B",
            "O",
            "T",
            "t",
            "log-out",
            "log-in",
            "log-io",
            "log-timing",
            "timing",
        ];
        for log in logs.values(&named) {
            if !log.is_empty() {
                self.write_path(log, st)?;
            }
        }
        match code {
            Some(code) => self.script(&code, &mut st.for_program()),
            None if args.len() > at + 1 => self.separate(call, rest_of(args, at + 1), st),
            None => Err(unproven("script")),
        }
    }
}
