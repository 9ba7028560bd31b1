//! Agent command lines: started by hand they run without a guard, whatever starts them.

use crate::policy::{Judged, Refusal, rule};

/// Their programs.
const AGENTS: &[&str] = &[
    "claude",
    "claude-code",
    "ccr",
    "codex",
    "gemini",
    "copilot",
    "opencode",
    "aider",
    "goose",
    "pi",
    "agent",
    "cursor-agent",
    "amp",
    "qwen",
    "crush",
    "droid",
    "kiro-cli",
    "kimi",
    "openhands",
    "sapling",
    "cline",
    "auggie",
    "plandex",
    "gptme",
    "grok",
    "q",
    "continue",
    "roo",
    "forge-code",
    "sp",
    "rovodev",
    "swe-agent",
    "mini-swe-agent",
    "codebuff",
    "iflow",
    "aichat",
    "butterfish",
    "cagent",
    "claude-flow",
    "claude-squad",
    "devin",
    "gpt-engineer",
    "gpte",
    "happy-coder",
    "interpreter",
    "jules",
    "junie",
    "kilo",
    "kilocode",
    "letta",
    "mods",
    "nanocoder",
    "open-interpreter",
    "openclaw",
    "qodo",
    "ruflo",
    "sgpt",
    "shell-gpt",
    "stakpak",
    "tgpt",
    "trae-cli",
    "vibe",
    "vibe-kanban",
    "yai",
    "zencoder",
];

/// Packages that bring them along, or a library that starts them.
const PACKAGES: &[(&str, &str)] = &[
    ("@anthropic-ai/claude-code", "claude"),
    ("@anthropic-ai/claude-agent-sdk", "claude"),
    ("@augmentcode/auggie", "auggie"),
    ("@charmland/crush", "crush"),
    ("@continuedev/cli", "continue"),
    ("@factory/cli", "droid"),
    ("@github/copilot", "copilot"),
    ("@github/copilot-sdk", "copilot"),
    ("@google/gemini-cli", "gemini"),
    ("@iflow-ai/iflow-cli", "iflow"),
    ("@mariozechner/pi-coding-agent", "pi"),
    ("@musistudio/claude-code-router", "ccr"),
    ("@openai/codex", "codex"),
    ("@openai/codex-sdk", "codex"),
    ("@opencode-ai/sdk", "opencode"),
    ("@os-eco/sapling-cli", "sapling"),
    ("@qwen-code/qwen-code", "qwen"),
    ("@sourcegraph/amp", "amp"),
    ("@sourcegraph/amp-sdk", "amp"),
    ("@vibe-kit/grok-cli", "grok"),
    ("aider-chat", "aider"),
    ("claude-agent-sdk", "claude"),
    ("claude-code-sdk", "claude"),
    ("codebuff", "codebuff"),
    ("goose-ai", "goose"),
    ("kimi-cli", "kimi"),
    ("mini-swe-agent", "mini-swe-agent"),
    ("opencode-ai", "opencode"),
    ("openhands-ai", "openhands"),
    ("sweagent", "swe-agent"),
];

/// The agent that a program of this name is; a package is one by the name it is run by.
pub(crate) fn of_name(name: &str) -> Option<&'static str> {
    let known = AGENTS.iter().copied().find(|agent| *agent == name);
    known.or_else(|| of_package(name))
}

/// The agent that a package brings: its name with a version, a scheme or a path in it, or without.
pub(crate) fn of_package(specifier: &str) -> Option<&'static str> {
    let name = specifier.strip_prefix("npm:").unwrap_or(specifier);
    let name = name.strip_prefix('/').unwrap_or(name);
    let name = name.split("==").next().unwrap_or(name);
    let (_, agent) = PACKAGES.iter().find(|(package, _)| {
        name.strip_prefix(package)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['@', '/', '[']))
    })?;
    Some(agent)
}

/// The agent whose program or package a path leads into.
pub(crate) fn of_script(path: &str) -> Option<&'static str> {
    let installed = path.split("node_modules/").skip(1).find_map(of_package);
    installed.or_else(|| {
        let (folder, file) = path.rsplit_once('/')?;
        let (_, last) = folder.rsplit_once('/').unwrap_or(("", folder));
        // A project may well have a `bin/agent` of its own.
        if last == ".bin" || last == "bin" && folder.contains("venv") {
            of_name(file)
        } else {
            None
        }
    })
}

/// Judges the start of an agent: asking for its version is fine.
pub(crate) fn judge(name: &str, args: &[String]) -> Judged<()> {
    let first = args.first().map_or("", String::as_str);
    let asks = matches!(args, [only] if matches!(only.as_str(), "--version" | "-v" | "-V" | "--help" | "-h" | "version" | "help" | "doctor"));
    // Database migrations share a name with one agent.
    let migrates = name == "goose"
        && (matches!(
            first,
            "up" | "down"
                | "status"
                | "create"
                | "validate"
                | "fix"
                | "reset"
                | "redo"
                | "version"
                | "up-by-one"
        ) || args.iter().any(|arg| arg == "-dir"));
    if asks || migrates {
        return Ok(());
    }
    Err(unguarded(name))
}

pub(crate) fn unguarded(name: &str) -> Refusal {
    Refusal::new(
        rule::DELEGATION,
        format!(
            "{name} started here would run without a guard; ask your lead by mail to sling an agent"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_known_by_its_package_and_by_where_its_program_is() {
        for path in [
            "node_modules/@anthropic-ai/claude-code/cli.js",
            "./node_modules/.bin/claude",
            "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js",
            ".venv/bin/claude",
        ] {
            assert_eq!(of_script(path), Some("claude"), "{path}");
        }
        for path in [
            "node_modules/typescript/bin/tsc",
            "node_modules/@anthropic-ai/claude-code-tools/x.js",
            "src/claude",
            "bin/serve",
        ] {
            assert_eq!(of_script(path), None, "{path}");
        }
        assert_eq!(
            of_package("npm:@openai/codex@1.2.0/bin/codex.js"),
            Some("codex")
        );
        assert_eq!(of_package("aider-chat[help]"), Some("aider"));
        assert_eq!(of_package("@openai/codex-tools"), None);
    }
}
