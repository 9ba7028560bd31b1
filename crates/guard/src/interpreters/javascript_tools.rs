//! `deno` and `bun`: code in their arguments, and the scripts they run.

use super::options::loads;
use super::syntax::Family;
use crate::commands::{Call, read_only};
use crate::policy::Judged;
use crate::rules::agents;
use crate::rules::runners::recipes;
use crate::shell::state::State;
use crate::shell::text::ANY;
use crate::shell::walk::{Done, Walker, fetched};
use crate::wrappers::{is_address, rest_of};

impl Walker<'_> {
    pub(super) fn javascript_tool(
        &mut self,
        name: &str,
        call: &Call,
        st: &mut State,
    ) -> Judged<Option<Done>> {
        let args = call.args();
        let mut code = None;
        for (at, arg) in args.iter().enumerate() {
            match arg.as_str() {
                "-e" | "--eval" | "-p" | "--print" if name == "bun" => {
                    code = args.get(at + 1).cloned();
                }
                "eval" if name == "deno" && at == 0 => {
                    code = args
                        .iter()
                        .skip(1)
                        .find(|arg| !arg.starts_with('-'))
                        .cloned();
                    code.get_or_insert_with(|| ANY.to_string());
                }
                "--eval" if name == "deno" => code = args.get(at + 1).cloned(),
                file if name == "deno" && file.starts_with("--eval-file") => {
                    code = Some(ANY.to_string());
                }
                _ => {
                    if let Some(text) = arg
                        .strip_prefix("--eval=")
                        .or_else(|| arg.strip_prefix("--print="))
                    {
                        code = Some(text.to_owned());
                    }
                }
            }
            if !arg.starts_with('-') && at == 0 && arg != "eval" && arg != "repl" {
                break;
            }
        }
        if let Some(code) = code {
            self.judge_code(&code.into(), Family::JavaScript, &[], call, st)?;
            return Ok(Some(Done::printing(ANY)));
        }
        for folder in args
            .iter()
            .filter_map(|arg| arg.strip_prefix("--coverage="))
        {
            self.write_path(folder, st)?;
        }
        let (loads, target) = taken_apart(args);
        for library in loads {
            self.loaded_by_option(name, library, st)?;
        }
        match args.first().map(String::as_str) {
            Some("run") => {
                match target.map(|at| args.get(at).map_or("", String::as_str)) {
                    Some("-") | None => match call.stdin.clone() {
                        Some(source) => {
                            self.judge_code(&source, Family::JavaScript, &[], call, st)?;
                        }
                        None => return Ok(None),
                    },
                    // A package, as `npx` runs it.
                    Some(script) if script.starts_with("npm:") => {
                        let mut argv = rest_of(args, target.unwrap_or(0));
                        if let Some(first) = argv.first_mut() {
                            *first = package_program(script);
                        }
                        return self.separate(call, argv, st).map(Some);
                    }
                    Some(script) if script.starts_with("data:") || script.starts_with("blob:") => {
                        self.loaded_by_option(name, script, st)?;
                    }
                    Some(script) if script.contains(['/', '.']) && !script.contains("://") => {
                        let mut inner = st.clone();
                        inner.stdin.clone_from(&call.stdin);
                        if let Some(source) = self.known_script(script, &inner) {
                            self.judge_code(&source, Family::JavaScript, &[], call, st)?;
                        } else {
                            self.project_script(name, script, st)?;
                        }
                    }
                    Some(script) if script.contains("://") => {
                        return Err(fetched());
                    }
                    // A script of the package.
                    Some(_) if self.role.writes() => recipes::judge(self, name, args, st)?,
                    Some(_) => return Err(read_only("runs a project script")),
                }
                Ok(Some(Done::printing(ANY)))
            }
            Some("-") => match call.stdin.clone() {
                Some(source) => {
                    self.judge_code(&source, Family::JavaScript, &[], call, st)?;
                    Ok(Some(Done::printing(ANY)))
                }
                None => Ok(None),
            },
            Some(script) if script.starts_with("data:") || script.starts_with("blob:") => {
                self.loaded_by_option(name, script, st).map(|()| None)
            }
            Some(script) if script.contains(['/', '.']) && !script.starts_with('-') => {
                if let Some(source) = self.known_script(script, st) {
                    self.judge_code(&source, Family::JavaScript, &[], call, st)?;
                } else {
                    self.project_script(name, script, st)?;
                }
                Ok(Some(Done::printing(ANY)))
            }
            _ => Ok(None),
        }
    }
}

/// What options load before the script, and where the script is.
fn taken_apart(args: &[String]) -> (Vec<&str>, Option<usize>) {
    let mut libraries = Vec::new();
    let skip = usize::from(args.first().is_some_and(|sub| sub == "run"));
    let mut at = skip;
    while let Some(arg) = args.get(at) {
        if !arg.starts_with('-') || arg == "-" {
            return (libraries, Some(at));
        }
        at += 1;
        match arg.split_once('=') {
            Some((option, value)) if loads(option) => libraries.push(value),
            None if loads(arg) || arg == "-r" => {
                libraries.extend(args.get(at).map(String::as_str));
                at += 1;
            }
            Some(_) | None => {}
        }
    }
    (libraries, None)
}

/// The program of a package named like `npm:@scope/name@version/file`.
fn package_program(specifier: &str) -> String {
    let name = specifier.strip_prefix("npm:").unwrap_or(specifier);
    if let Some(agent) = agents::of_package(name) {
        return agent.to_owned();
    }
    let scoped = name.strip_prefix('@').and_then(|name| name.split_once('/'));
    let name = scoped.map_or(name, |(_, name)| name);
    let end = name.find(['@', '/']).unwrap_or(name.len());
    name.get(..end).unwrap_or(name).to_owned()
}

/// Whether a program brings in a module from an address and binds nothing of it, or does so while it runs. A module
/// whose parts are named is a dependency like another, as programs for `deno` have them.
pub(super) fn imports_address(source: &str) -> bool {
    source.match_indices("import").any(|(at, word)| {
        let behind = source.get(at + word.len()..).unwrap_or("").trim_start();
        let behind = behind.strip_prefix('(').map_or(behind, str::trim_start);
        behind
            .strip_prefix(['"', '\'', '`'])
            .is_some_and(|text| is_address(text.get(..MOST_OF_ADDRESS).unwrap_or(text)))
    })
}

/// So much of an address says that it is one.
const MOST_OF_ADDRESS: usize = 32;
