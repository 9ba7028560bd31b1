//! Judges a call of a git server by the git command that it stands for.

use serde_json::Value;

use super::argv::argv;
use super::subcommands::{Tool, tool};
use crate::commands::Call;
use crate::mcp::fields::Given;
use crate::mcp::judge::{publish, unknown};
use crate::mcp::{outputs, places, runs};
use crate::policy::{Judged, Refusal, rule};
use crate::rules;
use crate::shell::state::State;
use crate::shell::text::brief;
use crate::shell::walk::Walker;

/// Judges a call of the tool with these words in its name.
pub(in crate::mcp) fn judge(
    w: &mut Walker<'_>,
    name: &str,
    words: &[String],
    input: &Value,
    st: &State,
) -> Judged<()> {
    let found = tool(words);
    if found == Tool::Any {
        return runs::judge(w, Some("git"), name, input, st);
    }
    let given = Given::read(input)?;
    for (name, value) in &given.env {
        w.check_variable(name, value, st)?;
    }
    outputs::outputs(w, input, false, st, 0)?;
    match found {
        Tool::Publishes => Err(publish(name)),
        Tool::Any | Tool::Unknown => Err(unknown(name)),
        Tool::Moves => places::entered(w, &given.places, st)?
            .iter()
            .try_for_each(|there| w.need_inside(there, "git")),
        Tool::Reads => in_each(w, "log", None, &given, st),
        Tool::Commands(commands, action) => {
            // One of several is what another field says it is.
            let chosen: Vec<&String> = commands
                .iter()
                .filter(|command| given.actions.contains(*command))
                .collect();
            let all = if chosen.is_empty() || commands.len() == 1 {
                commands.iter().collect()
            } else {
                chosen
            };
            all.into_iter()
                .try_for_each(|command| in_each(w, command, action.as_deref(), &given, st))
        }
    }
}

/// The command in every folder that the call may mean.
fn in_each(
    w: &mut Walker<'_>,
    command: &str,
    action: Option<&str>,
    given: &Given,
    st: &State,
) -> Judged<()> {
    for code in &given.code {
        w.command_line(code, &mut st.clone())?;
    }
    let words = argv(command, action, given);
    if let Some(field) = &given.unknown
        && let Some((command, args)) = words.split_first()
        && !rules::git::reads(command, args)
    {
        return Err(Refusal::new(
            rule::UNPROVEN,
            format!(
                "what {} means to git {} is not known to the guard; use git in the shell",
                brief(field),
                brief(command)
            ),
        ));
    }
    let settings = given
        .settings
        .iter()
        .flat_map(|setting| ["-c".to_owned(), setting.clone()]);
    let git: Vec<String> = std::iter::once("git".to_owned()).chain(settings).collect();
    // A clone goes to the folder that is named.
    let targets = command == "clone";
    let mut named = given.places.clone();
    if targets {
        named.extend(given.files.iter().cloned());
    }
    let mut lines: Vec<Vec<String>> = places::folders(&named)?
        .into_iter()
        .map(|there| {
            let mut line = git.clone();
            if targets {
                line.extend(words.iter().cloned().chain([there]));
            } else {
                line.extend(["-C".to_owned(), there]);
                line.extend(words.iter().cloned());
            }
            line
        })
        .collect();
    if lines.is_empty() {
        lines.push(git.into_iter().chain(words).collect());
    }
    lines.into_iter().try_for_each(|argv| {
        let call = Call {
            argv,
            env: given.env.clone(),
            stdin: None,
        };
        w.run(call, &mut st.clone()).map(|_| ())
    })
}
