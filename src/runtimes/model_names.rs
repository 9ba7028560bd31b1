//! What a CLI calls the model that a project names in its own short way.

use crate::config::PiConfig;

/// Short names of a project's configuration.
const ALIASES: [&str; 3] = ["sonnet", "opus", "haiku"];

/// The model's name as the runtime's CLI wants it; `None` leaves the choice to the CLI. `lookup`
/// knows the environment.
pub fn for_cli(
    runtime: &str,
    model: &str,
    pi: &PiConfig,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let is_alias = ALIASES.contains(&model);
    let known = match (runtime, model) {
        ("copilot", "sonnet") => "claude-sonnet-4-6",
        ("copilot", "opus") => "claude-opus-4-6",
        ("copilot", "haiku") => "claude-haiku-4-5",
        ("sapling", "sonnet") => "claude-sonnet-4-6-20251015",
        ("sapling", "opus") => "claude-opus-4-6-20251015",
        ("sapling", "haiku") => "claude-haiku-4-5-20251001",
        // They have no models of these names.
        ("codex" | "gemini" | "opencode", _) if is_alias => return None,
        // They know one provider, or are told of it elsewhere.
        ("codex" | "copilot" | "gemini", _) => {
            model.split_once('/').map_or(model, |(_, name)| name)
        }
        ("pi", _) => return Some(for_pi(model, pi)),
        (_, _) => model,
    };
    let chosen = if runtime == "sapling" && is_alias {
        lookup(&format!("ANTHROPIC_DEFAULT_{}_MODEL", model.to_uppercase()))
            .filter(|name| !name.is_empty())
    } else {
        None
    };
    Some(chosen.unwrap_or_else(|| known.to_owned()))
}

/// Its models always have their provider's name before them.
fn for_pi(model: &str, pi: &PiConfig) -> String {
    let mapped = pi.model_map.iter().find(|(alias, _)| alias == model);
    match mapped {
        Some((_, name)) => name.clone(),
        None if model.contains('/') => model.to_owned(),
        None => format!("{}/{model}", pi.provider),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cli_gets_the_name_it_knows() {
        let name =
            |runtime: &str, model: &str| for_cli(runtime, model, &PiConfig::default(), &|_| None);
        for (runtime, model, expected) in [
            ("claude", "sonnet", Some("sonnet")),
            ("copilot", "haiku", Some("claude-haiku-4-5")),
            ("sapling", "opus", Some("claude-opus-4-6-20251015")),
            ("codex", "sonnet", None),
            ("codex", "openai/gpt-5", Some("gpt-5")),
            ("codex", "gpt-5", Some("gpt-5")),
            ("pi", "opus", Some("anthropic/claude-opus-4-6")),
            ("pi", "x", Some("anthropic/x")),
            ("pi", "mine/x", Some("mine/x")),
            ("gemini", "google/flash", Some("flash")),
            ("gemini", "opus", None),
            ("opencode", "mine/x", Some("mine/x")),
        ] {
            assert_eq!(
                name(runtime, model).as_deref(),
                expected,
                "{runtime} {model}"
            );
        }
        let set =
            |wanted: &str| (wanted == "ANTHROPIC_DEFAULT_OPUS_MODEL").then(|| "mine".to_owned());
        let chosen = for_cli("sapling", "opus", &PiConfig::default(), &set);
        assert_eq!(chosen.as_deref(), Some("mine"));
    }
}
