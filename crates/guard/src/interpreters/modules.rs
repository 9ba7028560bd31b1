//! Modules of Python that are run by name: what they write besides, and those that run what they are given.

use super::syntax::Family;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::rules::flags::parse;
use crate::shell::state::State;
use crate::shell::walk::{Done, Walker};

impl Walker<'_> {
    /// Judges what is special about a module; `None` when the rules for its name decide.
    pub(super) fn python_module(
        &mut self,
        module: &str,
        args: &[String],
        call: &Call,
        st: &State,
    ) -> Judged<Option<Done>> {
        match module {
            // These read what to run from standard input.
            "asyncio" | "code" | "IPython" | "ptpython" | "bpython" | "idlelib"
            | "idlelib.idle" | "xonsh" | "ptipython" => {
                if args
                    .iter()
                    .any(|arg| arg == "--version" || arg == "--help" || arg == "-h")
                {
                    return Ok(Some(Done::default()));
                }
                let Some(source) = call.stdin.clone() else {
                    return Err(Refusal::new(
                        rule::UNPROVEN,
                        "an interactive python cannot be guarded; run a script or one-liner",
                    ));
                };
                self.judge_code(&source, Family::Python, &[], call, st)?;
                Ok(Some(Done::printing(crate::shell::text::ANY)))
            }
            "cProfile" | "profile" | "trace" | "coverage" | "pdb" => {
                let (own, inner) = behind_module(args);
                let flags = parse(
                    own,
                    "oCfdsr",
                    &[
                        "outfile",
                        "coverdir",
                        "file",
                        "data-file",
                        "directory",
                        "sort",
                        "rcfile",
                        "source",
                        "omit",
                        "include",
                    ],
                );
                let places = [
                    "o",
                    "outfile",
                    "C",
                    "coverdir",
                    "f",
                    "file",
                    "data-file",
                    "directory",
                    "d",
                ];
                for place in flags
                    .values(&places)
                    .into_iter()
                    .filter(|place| !matches!(*place, "" | "-"))
                {
                    self.write_path(place, st)?;
                }
                let Some(inner) = inner else {
                    return Ok(None);
                };
                self.need_writer("runs Python code")?;
                let mut argv = vec!["python3".to_owned(), "-m".to_owned()];
                argv.extend(inner.iter().cloned());
                self.separate(call, argv, st).map(Some)
            }
            "venv" | "virtualenv" => {
                let flags = parse(
                    args,
                    "p",
                    &["prompt", "python", "app-data", "seeder", "activators"],
                );
                self.need_writer("makes an environment")?;
                for folder in &flags.operands {
                    self.write_path(folder, st)?;
                }
                Ok(Some(Done::default()))
            }
            "zipfile" | "tarfile" => {
                let given =
                    |names: [&str; 2]| args.iter().position(|arg| names.contains(&arg.as_str()));
                let operands =
                    |at: usize| args.iter().skip(at + 1).filter(|arg| !arg.starts_with('-'));
                if let Some(at) = given(["-e", "--extract"]) {
                    self.need_writer("unpacks an archive")?;
                    let folder = operands(at).nth(1).map_or(".", String::as_str).to_owned();
                    self.write_path(&folder, st)?;
                } else if let Some(at) = given(["-c", "--create"]) {
                    self.need_writer("writes an archive")?;
                    if let Some(archive) = operands(at).next().cloned() {
                        self.write_path(&archive, st)?;
                    }
                }
                for path in args.iter().filter(|arg| !arg.starts_with('-')) {
                    self.read_path(path, st)?;
                }
                Ok(Some(Done::default()))
            }
            "webbrowser" | "antigravity" => Err(Refusal::new(
                rule::PROCESS,
                "a browser of the desktop would be started; name the address in your mail instead",
            )),
            _ => Ok(None),
        }
    }
}

/// The options of a module, and the module it is told to run with its arguments.
fn behind_module(args: &[String]) -> (&[String], Option<Vec<String>>) {
    for (at, arg) in args.iter().enumerate() {
        let own = args.get(..at).unwrap_or_default();
        let rest = || args.get(at + 1..).unwrap_or_default();
        if matches!(arg.as_str(), "-m" | "--module") {
            return (own, Some(rest().to_vec()));
        }
        let attached = arg
            .strip_prefix("-m")
            .or_else(|| arg.strip_prefix("--module="))
            .filter(|name| {
                !arg.starts_with("--m") || arg.starts_with("--module=") && !name.is_empty()
            });
        if let Some(name) = attached {
            let inner = std::iter::once(name.to_owned()).chain(rest().iter().cloned());
            return (own, Some(inner.collect()));
        }
        let is_script = std::path::Path::new(arg)
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("py"));
        if is_script {
            return (own, None);
        }
    }
    (args, None)
}
