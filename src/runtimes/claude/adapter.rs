//! How Claude Code is started and what its exits mean.

use super::{first_run, login, own_state, settings, stream, transcript};
use crate::platform::paths::INSTRUCTIONS;
use crate::platform::{env, fs, landed, random};
use crate::runtimes::state::State;
use crate::runtimes::{
    Capabilities, LaunchContext, Prepared, RunningLogin, Runtime, RuntimeError, StreamEvent, Usage,
    plain_cause,
};
use crate::types::host::Mode;
use std::path::{Path, PathBuf};

/// The runtime `claude`.
#[derive(Debug)]
pub struct Claude;

impl Runtime for Claude {
    fn id(&self) -> &'static str {
        "claude"
    }

    fn binary(&self) -> Option<(&'static str, &'static str)> {
        Some(("claude", "npm install -g @anthropic-ai/claude-code"))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            modes: &[Mode::Pty, Mode::Stream],
            hooks: true,
            resume: true,
            steering: true,
        }
    }

    fn instruction_file(&self) -> Option<&'static str> {
        Some(".claude/CLAUDE.md")
    }

    fn state(&self, home: &Path, private_dir: Option<&Path>) -> State {
        let user = own_state::of_user(home, &env::var);
        own_state::state(home, private_dir, &user)
    }

    fn prepare(&self, ctx: &LaunchContext<'_>) -> Result<Prepared, RuntimeError> {
        fs::create_private_dir(ctx.private_dir)?;
        let settings = ctx.private_dir.join("settings.json");
        let instructions = ctx.private_dir.join(INSTRUCTIONS);
        let user = ctx.home.map(|home| own_state::of_user(home, &env::var));
        let carried = settings::carried_over(user.as_ref(), ctx.root)?;
        fs::write_atomic(&settings, settings::render(&carried, ctx.grove))?;
        fs::write_atomic(&instructions, instructions_text(ctx)?)?;
        let mut argv: Vec<String> = vec!["claude".to_owned()];
        let mut add = |words: &[&str]| argv.extend(words.iter().map(|w| (*w).to_owned()));
        if ctx.mode == Mode::Stream {
            add(&[
                "-p",
                "--output-format",
                "stream-json",
                "--input-format",
                "stream-json",
            ]);
            add(&["--verbose"]);
        }
        add(&[
            // What no hook has allowed is refused: a hook that was killed, stopped or cannot be started allows nothing.
            "--permission-mode",
            "dontAsk",
            "--setting-sources",
            "",
        ]);
        add(&["--settings", &settings.to_string_lossy()]);
        add(&[
            "--append-system-prompt-file",
            &instructions.to_string_lossy(),
        ]);
        if let Some(servers) = settings::mcp_servers(user.as_ref(), ctx.root)? {
            let file = ctx.private_dir.join("mcp.json");
            fs::write_atomic(&file, servers)?;
            add(&["--mcp-config", &file.to_string_lossy()]);
        }
        add(&["--strict-mcp-config"]);
        if let Some(model) = ctx.model {
            add(&["--model", model]);
        }
        let conversation = match ctx.resume {
            Some(id) => {
                add(&["--resume", id]);
                id.to_owned()
            }
            None => {
                let id = random::uuid();
                add(&["--session-id", &id]);
                id
            }
        };
        let first_prompt = match ctx.mode {
            // A prompt that begins with a dash would be read as a flag.
            Mode::Pty => {
                add(&["--", ctx.prompt]);
                None
            }
            Mode::Stream => Some(ctx.prompt.to_owned()),
        };
        let mut prepared = Prepared {
            argv,
            first_prompt,
            conversation: Some(conversation),
            ..Prepared::default()
        };
        for name in [
            "CLAUDECODE",
            "CLAUDE_CODE_SSE_PORT",
            "CLAUDE_CODE_ENTRYPOINT",
        ] {
            prepared.env_remove.push(name.to_owned());
        }
        if let Some(user) = &user {
            let key = env::var("ANTHROPIC_API_KEY");
            match own_state::folder(ctx.private_dir) {
                Some(own) => {
                    let variables = own_state::make(&own, user, ctx.root, key.as_deref())?;
                    prepared.env.extend(variables);
                    own_state::remember(&own, user, ctx.root)?;
                    if let Some(id) = ctx.resume {
                        own_state::bring(&own, user, id)?;
                    }
                }
                None => first_run::answer(&user.state, ctx.root, key.as_deref())?,
            }
        }
        Ok(prepared)
    }

    fn prepare_question(
        &self,
        home: &Path,
        private_dir: &Path,
        root: &Path,
    ) -> Result<Vec<(String, String)>, RuntimeError> {
        let Some(own) = own_state::folder(private_dir) else {
            return Ok(Vec::new());
        };
        let user = own_state::of_user(home, &env::var);
        let key = env::var("ANTHROPIC_API_KEY");
        let variables = own_state::make(&own, &user, root, key.as_deref())?;
        // It reads its settings and the user's instructions, as it does when a person asks.
        let carried = settings::carried_over(Some(&user), root)?;
        let carried = format!("{:#}\n", serde_json::Value::Object(carried));
        fs::write_atomic(&own.join("settings.json"), carried)?;
        if let Some(text) = fs::read_optional(&user.folder.join("CLAUDE.md"))? {
            fs::write_atomic(&own.join("CLAUDE.md"), text)?;
        }
        Ok(variables.into())
    }

    fn running_login(
        &self,
        home: &Path,
        root: &Path,
        given: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<RunningLogin>, RuntimeError> {
        // In the keychain agents renew it themselves.
        if own_state::folder(home).is_none() {
            return Ok(None);
        }
        login::of_agent(&own_state::of_user(home, &env::var), root, given)
    }

    fn user_line(&self, text: &str) -> Vec<u8> {
        let message = serde_json::json!({
            "type": "user",
            "message": {"role": "user", "content": [{"type": "text", "text": text}]},
        });
        format!("{message}\n").into_bytes()
    }

    fn parse_line(&self, line: &str) -> Vec<StreamEvent> {
        stream::parse(line)
    }

    fn transcript_folders(
        &self,
        home: &Path,
        private_dir: Option<&Path>,
        place: &Path,
    ) -> Vec<PathBuf> {
        let own = private_dir.and_then(own_state::folder);
        let users = own_state::of_user(home, &env::var).folder;
        let all = own.into_iter().chain([users]);
        all.flat_map(|folder| transcript::folders(&folder, place))
            .collect()
    }

    fn transcript_usage(&self, line: &str) -> Option<(Option<String>, Usage)> {
        transcript::usage(line)
    }

    fn exit_cause(&self, code: Option<i32>, signal: Option<&str>, screen: &str) -> String {
        let known = [
            (
                "already in use",
                "the conversation id is already in use by another process",
            ),
            (
                "No conversation found",
                "the conversation to resume does not exist any more",
            ),
            (
                "Unable to connect to Anthropic",
                "claude could not reach its service",
            ),
            (
                "Invalid API key",
                "the API key was refused; sign in with `claude`",
            ),
            (
                "OAuth token has expired",
                "the login has run out; open a session of your own with `claude`, which renews it, then start the agent again",
            ),
            (
                "Please run /login",
                "not signed in; run `claude` once and sign in",
            ),
            (
                "unknown option",
                "this version of claude does not know a flag grove passes; update claude",
            ),
        ];
        known
            .iter()
            .find(|(text, _)| screen.contains(text))
            .map_or_else(
                || plain_cause(code, signal),
                |(_, cause)| (*cause).to_owned(),
            )
    }
}

/// The assignment and the project's own instructions: with isolated settings the CLI reads
/// neither from the worktree.
fn instructions_text(ctx: &LaunchContext<'_>) -> Result<String, RuntimeError> {
    let mut text = ctx.overlay.to_owned();
    let own = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];
    let mut found = false;
    for name in own {
        if let Some(content) = own_text(ctx.root, name)? {
            text.push_str(&format!("\n\n# Project instructions ({name})\n\n{content}"));
            found = true;
        }
    }
    if !found && let Some(content) = own_text(ctx.root, "AGENTS.md")? {
        text.push_str(&format!(
            "\n\n# Project instructions (AGENTS.md)\n\n{content}"
        ));
    }
    Ok(text)
}

/// A file of the project, for an agent. Where a link leads out of the project the agent reads for itself, as far as it may:
/// another one can have made that link.
fn own_text(root: &Path, name: &str) -> Result<Option<String>, RuntimeError> {
    let path = root.join(name);
    if path.is_file() && landed::stays_inside(root, &path).is_err() {
        let target = path.canonicalize().unwrap_or(path);
        return Ok(Some(format!(
            "They are in another place, where a link leads: read {} before you begin.",
            target.display()
        )));
    }
    Ok(fs::read_optional(&path)?)
}
