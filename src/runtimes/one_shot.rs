//! Asking an agent CLI one question and reading one answer: the command line for it and the shape of
//! what it prints, by runtime. Starts nothing.
//!
//! An answer needs no tool, so each CLI is started with as few as it lets itself be started with:
//! what is asked about was written by agents, and may try to talk the one that is asked into more.
//! The lines of claude, codex, copilot, gemini, opencode, pi and sapling are held against the
//! programs themselves by `tests/real/one_shot.rs`.

use super::registry;
use super::runtime::RuntimeError;

/// Prompts above this size, in bytes, do not fit into one argument of a process everywhere.
const LARGEST_ARGUMENT: usize = 100_000;

/// A call that prints its answer and ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneShot {
    pub argv: Vec<String>,
    /// The prompt, where it is given on stdin.
    pub stdin: Option<String>,
    shape: Shape,
}

/// What stands around the answer in what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Nothing.
    Plain,
    /// A JSON object a line, those of type `text` hold parts of it.
    OpencodeEvents,
    /// A JSON object a line, one of them with `response`.
    SaplingEvents,
    /// A banner that ends with `Repo-map: …`, the answer, `Tokens: …`.
    Aider,
}

/// How a CLI is asked.
struct Asking {
    program: &'static str,
    args: &'static [&'static str],
    prompt: Prompt,
    model_flag: &'static str,
    shape: Shape,
}

/// How the prompt gets there.
enum Prompt {
    /// On stdin, with this argument to say so.
    Stdin(&'static [&'static str]),
    /// As one argument; on stdin, without the first of these flags, where it is too large for that.
    ArgumentOrStdin(&'static str),
    /// As one argument after this flag, or alone.
    Argument(Option<&'static str>),
}

fn asking(runtime: &str) -> Option<Asking> {
    let by = |program, args, prompt| Asking {
        program,
        args,
        prompt,
        model_flag: "--model",
        shape: Shape::Plain,
    };
    let stdin = Prompt::Stdin(&[]);
    Some(match runtime {
        "claude" => by("claude", &["--print"], Prompt::ArgumentOrStdin("-p")),
        "codex" => by(
            "codex",
            // A scratch folder is no repository of its own.
            &[
                "exec",
                "--ephemeral",
                "--skip-git-repo-check",
                "--sandbox",
                "read-only",
            ],
            Prompt::Stdin(&["-"]),
        ),
        "copilot" => by("copilot", &["--silent", "--available-tools", "none"], stdin),
        "gemini" => by("gemini", &["--skip-trust"], stdin),
        "opencode" => Asking {
            shape: Shape::OpencodeEvents,
            ..by("opencode", &["run", "--format", "json"], stdin)
        },
        "pi" => by("pi", &["--print", "--no-tools"], stdin),
        "sapling" => Asking {
            shape: Shape::SaplingEvents,
            ..by("sp", &["run", "--json"], Prompt::Argument(None))
        },
        "cursor" => by("agent", &[], Prompt::Argument(Some("-p"))),
        "goose" => by("goose", &["run"], Prompt::Argument(Some("--text"))),
        "aider" => Asking {
            shape: Shape::Aider,
            // Without the last three it opens a browser, or asks.
            ..by(
                "aider",
                &[
                    "--chat-mode",
                    "ask",
                    "--no-git",
                    "--no-pretty",
                    "--no-stream",
                    "--no-show-release-notes",
                    "--no-show-model-warnings",
                    "--no-detect-urls",
                ],
                Prompt::Argument(Some("--message")),
            )
        },
        "amp" => by("amp", &[], Prompt::Argument(Some("-x"))),
        _ => return None,
    })
}

/// The one-shot call of a runtime; `model` is a name that its CLI knows.
///
/// # Errors
/// [`RuntimeError::Unknown`] for a name that is no runtime's, [`RuntimeError::PromptTooLarge`] where
/// the prompt has more than 100,000 bytes and the CLI takes it as an argument only.
pub fn one_shot(runtime: &str, model: Option<&str>, prompt: &str) -> Result<OneShot, RuntimeError> {
    let Some(asking) = asking(runtime) else {
        return Err(registry::unknown(runtime));
    };
    let is_large = prompt.len() > LARGEST_ARGUMENT;
    let mut argv = vec![asking.program];
    argv.extend(asking.args);
    if let Some(model) = model {
        argv.extend([asking.model_flag, model]);
    }
    let mut stdin = None;
    match asking.prompt {
        Prompt::Stdin(flags) => {
            argv.extend(flags);
            stdin = Some(prompt.to_owned());
        }
        Prompt::ArgumentOrStdin(_) if is_large => stdin = Some(prompt.to_owned()),
        Prompt::Argument(_) if is_large => {
            return Err(RuntimeError::PromptTooLarge {
                runtime: runtime.to_owned(),
                bytes: prompt.len(),
            });
        }
        Prompt::ArgumentOrStdin(flag) => argv.extend([flag, prompt]),
        Prompt::Argument(flag) => argv.extend(flag.into_iter().chain([prompt])),
    }
    Ok(OneShot {
        argv: argv.into_iter().map(str::to_owned).collect(),
        stdin,
        shape: asking.shape,
    })
}

impl OneShot {
    /// The answer's text in what the call has printed.
    pub fn answer(&self, printed: String) -> String {
        let events = || {
            printed
                .lines()
                .filter_map(|line| crate::text::read_json::<serde_json::Value>(line).ok())
        };
        let text = |event: &serde_json::Value, at: &str| {
            event
                .pointer(at)
                .and_then(|t| t.as_str())
                .map(str::to_owned)
        };
        let answer = match self.shape {
            Shape::Plain => None,
            // The text comes in parts.
            Shape::OpencodeEvents => events()
                .filter(|event| text(event, "/type").as_deref() == Some("text"))
                .filter_map(|event| text(&event, "/part/text"))
                .reduce(|all, part| all + &part),
            Shape::SaplingEvents => events()
                .filter_map(|event| text(&event, "/response"))
                .next_back(),
            Shape::Aider => {
                let start = printed.find("\nRepo-map:");
                let start = start.and_then(|at| Some(at + 1 + printed.get(at + 1..)?.find('\n')?));
                let end = printed.rfind("\nTokens: ");
                start
                    .zip(end)
                    .and_then(|(start, end)| printed.get(start..end))
                    .map(|text| format!("{}\n", text.trim_matches('\n')))
            }
        };
        answer.unwrap_or(printed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(runtime: &str, model: Option<&str>) -> String {
        let call = one_shot(runtime, model, "Q").unwrap();
        let stdin = call
            .stdin
            .map_or_else(String::new, |text| format!(" < {text}"));
        call.argv.join(" ") + &stdin
    }

    #[test]
    fn each_runtime_is_asked_in_its_own_way() {
        assert_eq!(line("claude", None), "claude --print -p Q");
        assert_eq!(
            line("claude", Some("sonnet")),
            "claude --print --model sonnet -p Q"
        );
        assert_eq!(
            line("gemini", Some("m")),
            "gemini --skip-trust --model m < Q"
        );
        assert_eq!(
            line("codex", Some("m")),
            "codex exec --ephemeral --skip-git-repo-check --sandbox read-only --model m - < Q"
        );
        let unknown = one_shot("nobody", None, "Q").unwrap_err().to_string();
        let (_, named) = unknown.rsplit_once(": ").unwrap();
        for name in named.split(", ") {
            assert!(
                one_shot(name, None, "Q").is_ok(),
                "{name} is named but cannot be asked"
            );
        }
    }

    #[test]
    fn a_prompt_too_large_for_an_argument_goes_over_stdin() {
        let prompt = "x".repeat(LARGEST_ARGUMENT + 1);
        let call = one_shot("claude", Some("m"), &prompt).unwrap();
        assert_eq!(call.argv, ["claude", "--print", "--model", "m"]);
        assert_eq!(call.stdin.as_deref(), Some(prompt.as_str()));
        assert!(one_shot("aider", None, &prompt).is_err());
    }

    #[test]
    fn text_in_events_is_put_together() {
        let answer = |runtime: &str, printed: &str| {
            let call = one_shot(runtime, None, "Q").unwrap();
            call.answer(printed.to_owned())
        };
        let printed = "{\"type\":\"start\"}\n{\"type\":\"text\",\"part\":{\"text\":\"a\\n\"}}\n{\"type\":\"text\",\"part\":{\"text\":\"b\"}}\n";
        assert_eq!(answer("opencode", printed), "a\nb");
        assert_eq!(answer("claude", "x"), "x");
        let printed = "{\"type\":\"ready\"}\n{\"success\":true,\"response\":\"a\\n\"}\n{\"success\":true,\"command\":\"run\"}\n";
        assert_eq!(answer("sapling", printed), "a\n");
        let printed =
            "Aider v0.86.2\nRepo-map: disabled\n\na\n\nb\n\n\nTokens: 100 sent, 20 received.\n";
        assert_eq!(answer("aider", printed), "a\n\nb\n");
    }
}
