//! Programs that ask a model for text. One that can run what the model says is an agent and is among those; what is
//! left only prints, and printed text that would be run is refused as any other that is not known.

use super::agents::unguarded;
use super::publish::publishes;
use crate::commands::read_only;
use crate::policy::{Judged, Refusal, Role, rule};

/// Judges `ollama` and `llm`; `None` for every other program.
pub(super) fn judge(role: Role, name: &str, args: &[String]) -> Option<Judged<()>> {
    let first = args
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map_or("", String::as_str);
    let has = |names: &[&str]| {
        args.iter().any(|arg| {
            names
                .iter()
                .any(|name| arg == name || arg.starts_with(&format!("{name}=")))
        })
    };
    let asks = matches!(args, [only] if matches!(only.as_str(), "--version" | "-v" | "--help" | "-h" | "help"));
    let judged = match (name, first) {
        ("ollama" | "llm", _) if asks => Ok(()),
        ("ollama", "list" | "ls" | "ps" | "show")
        | ("llm", "models" | "plugins" | "similar" | "tools") => Ok(()),
        // These give the model hands.
        ("ollama", "launch") => Err(unguarded(name)),
        ("ollama", _) if args.iter().any(|arg| arg.starts_with("--experimental")) => {
            Err(unguarded(name))
        }
        ("llm", _) if has(&["-T", "--tool", "--functions"]) => Err(unguarded(name)),
        ("ollama", "push") => Err(publishes("ollama push")),
        ("ollama", "run" | "serve") => writer(role, "asks a model"),
        ("llm", "keys") => Err(Refusal::new(
            rule::CREDENTIALS,
            "the keys of models are not for agents",
        )),
        (
            "llm",
            "install" | "uninstall" | "aliases" | "templates" | "fragments" | "schemas"
            | "collections",
        )
        | ("ollama", _) => Err(Refusal::new(
            rule::OUTSIDE,
            format!("{name} {first} changes what the user has; ask your lead by mail"),
        )),
        ("llm", _) => writer(role, "asks a model"),
        _ => return None,
    };
    Some(judged)
}

/// What is asked is logged outside of the worktree by these programs.
fn writer(role: Role, what: &str) -> Judged<()> {
    if role.writes() {
        Ok(())
    } else {
        Err(read_only(what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_may_be_asked_for_text_and_gets_no_hands() {
        let allowed = |command: &str| {
            let mut words = command.split_whitespace().map(str::to_owned);
            let name = words.next().unwrap_or_default();
            let args: Vec<String> = words.collect();
            judge(Role::Writer, &name, &args).is_some_and(|judged| judged.is_ok())
        };
        for command in [
            "ollama run llama3 hi",
            "ollama list",
            "llm hello",
            "llm -m gpt-5 hello",
            "ollama serve",
        ] {
            assert!(allowed(command), "{command}");
        }
        for command in [
            "ollama launch claude",
            "ollama run x --experimental",
            "ollama push me/x",
            "ollama rm x",
            "llm -T bash hi",
            "llm --functions f.py hi",
            "llm keys get openai",
            "llm install llm-x",
        ] {
            assert!(!allowed(command), "{command}");
        }
    }
}
