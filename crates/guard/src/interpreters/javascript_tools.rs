//! `deno` and `bun`: code in their arguments, and the scripts they run.

use super::syntax::Family;
use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::ANY;
use crate::shell::walk::{Done, Walker};
use crate::wrappers::rest_of;

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
                _ => {
                    if let Some(text) = arg
                        .strip_prefix("--eval=")
                        .or_else(|| arg.strip_prefix("--print="))
                    {
                        code = Some(text.to_owned());
                    }
                }
            }
            if !arg.starts_with('-') && at == 0 && arg != "eval" {
                break;
            }
        }
        if let Some(code) = code {
            self.judge_code(&code.into(), Family::JavaScript, &[], call, st)?;
            return Ok(Some(Done::printing(ANY)));
        }
        match args.first().map(String::as_str) {
            Some("run") => {
                let rest = rest_of(args, 1);
                let target = rest.iter().find(|arg| !arg.starts_with('-'));
                match target.map(String::as_str) {
                    Some("-") | None => match call.stdin.clone() {
                        Some(source) => {
                            self.judge_code(&source, Family::JavaScript, &[], call, st)?;
                        }
                        None => return Ok(None),
                    },
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
                        return Err(Refusal::new(
                            rule::NETWORK,
                            "code from the network would run unread; download it, read it, then run it",
                        ));
                    }
                    Some(_) if self.role.writes() => {}
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
