//! Asking an agent CLI one question and reading one answer: the command line for it, by runtime.
//! Starts nothing.

use super::runtime::RuntimeError;

/// Prompts above this size do not fit into one argument of a process everywhere.
const LARGEST_ARGUMENT: usize = 100_000;

/// A call that prints its answer and ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneShot {
    pub argv: Vec<String>,
    /// The prompt, where it is given on stdin.
    pub stdin: Option<String>,
}

/// The one-shot call of a runtime.
pub fn one_shot(runtime: &str, model: Option<&str>, prompt: &str) -> Result<OneShot, RuntimeError> {
    let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
    let model_flag = if runtime == "gemini" { "-m" } else { "--model" };
    let model = || -> Vec<String> {
        model.map_or_else(Vec::new, |m| vec![model_flag.to_owned(), m.to_owned()])
    };
    if prompt.len() > LARGEST_ARGUMENT {
        // These read the prompt from stdin when no argument gives it.
        let start: &[&str] = match runtime {
            "claude" => &["claude", "--print"],
            "codex" => &["codex", "exec", "--full-auto", "--ephemeral"],
            "gemini" => &["gemini", "--yolo"],
            _ => {
                return Err(RuntimeError::PromptTooLarge {
                    runtime: runtime.to_owned(),
                    bytes: prompt.len(),
                });
            }
        };
        let mut argv = words(start);
        argv.extend(model());
        if runtime == "codex" {
            argv.push("-".to_owned());
        }
        return Ok(OneShot {
            argv,
            stdin: Some(prompt.to_owned()),
        });
    }
    // What stands before the prompt, what after it, and whether the model stands before it.
    let (before, after, model_first): (&[&str], &[&str], bool) = match runtime {
        "claude" => (&["claude", "--print", "-p"], &[], false),
        "sapling" => (&["sp", "print"], &[], true),
        "codex" => (&["codex", "exec", "--full-auto", "--ephemeral"], &[], true),
        "pi" => (&["pi", "--print"], &[], true),
        "copilot" => (&["copilot", "-p"], &["--allow-all-tools"], false),
        "cursor" => (&["agent", "-p"], &["--yolo"], false),
        "gemini" => (&["gemini", "-p"], &["--yolo"], false),
        "goose" => (&["goose", "run", "--text"], &[], false),
        "opencode" => (&["opencode", "--prompt"], &["--format", "json"], false),
        "aider" => (
            &["aider", "--message"],
            &["--yes-always", "--no-auto-commits"],
            false,
        ),
        "amp" => (&["amp", "--prompt"], &["--no-input", "--yes"], false),
        _ => {
            return Err(super::registry::unknown(runtime));
        }
    };
    let mut argv = words(before);
    if model_first {
        argv.extend(model());
    }
    argv.push(prompt.to_owned());
    argv.extend(words(after));
    if !model_first {
        argv.extend(model());
    }
    Ok(OneShot { argv, stdin: None })
}

/// The answer's text in what the call printed.
pub fn answer_text(runtime: &str, printed: String) -> String {
    if runtime != "opencode" {
        return printed;
    }
    // One JSON object a line; the text comes in parts.
    let parts: Vec<String> = printed
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|event| event.get("type").and_then(|t| t.as_str()) == Some("text"))
        .filter_map(|event| Some(event.pointer("/part/text")?.as_str()?.to_owned()))
        .collect();
    if parts.is_empty() {
        printed
    } else {
        parts.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_runtime_is_asked_in_its_own_way() {
        let line = |runtime, model| one_shot(runtime, model, "Q").unwrap().argv.join(" ");
        assert_eq!(line("claude", None), "claude --print -p Q");
        assert_eq!(line("claude", Some("m")), "claude --print -p Q --model m");
        assert_eq!(line("sapling", Some("m")), "sp print --model m Q");
        assert_eq!(line("gemini", Some("m")), "gemini -p Q --yolo -m m");
        assert!(one_shot("nobody", None, "Q").is_err());
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
        let printed = "{\"type\":\"start\"}\n{\"type\":\"text\",\"part\":{\"text\":\"a\\n\"}}\n{\"type\":\"text\",\"part\":{\"text\":\"b\"}}\n";
        assert_eq!(answer_text("opencode", printed.to_owned()), "a\nb");
        assert_eq!(answer_text("claude", "x".to_owned()), "x");
    }
}
