//! Reaching a model: what its CLI is told, and what it needs in its environment. The same for agents
//! and for single questions.

use std::collections::BTreeMap;
use std::process::Command;

use super::model_names;
use crate::config::{Config, ProviderKind};

/// What a CLI is told of its model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Model {
    /// `None`: the CLI's own choice.
    pub name: Option<String>,
    /// Variables with their values.
    pub env: BTreeMap<String, String>,
    /// Variables whose value is that of another one, because it is nobody's to write down.
    pub env_from: BTreeMap<String, String>,
}

/// Short names that the user's environment may give another meaning.
const ALIASES: [&str; 3] = ["sonnet", "opus", "haiku"];

/// What a CLI started by another one of its kind takes for its own.
const OF_ANOTHER: [&str; 3] = [
    "CLAUDECODE",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_CODE_ENTRYPOINT",
];

/// The model that a project calls by this name, through its gateway where it is one's. `lookup` knows
/// the environment.
pub fn reach(config: &Config, wanted: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Model {
    if let Some(model) = through_gateway(config, wanted) {
        return model;
    }
    let expanded = ALIASES
        .contains(&wanted)
        .then(|| {
            lookup(&format!(
                "ANTHROPIC_DEFAULT_{}_MODEL",
                wanted.to_uppercase()
            ))
        })
        .flatten()
        .filter(|name| !name.is_empty());
    Model {
        name: Some(expanded.unwrap_or_else(|| wanted.to_owned())),
        ..Model::default()
    }
}

/// The model of a single question to a runtime's CLI: reached as its agents reach it, under the name
/// that the CLI knows.
pub fn for_question(
    config: &Config,
    runtime: &str,
    wanted: Option<&str>,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Model {
    let mut model = wanted.map_or_else(Model::default, |wanted| {
        // Only claude has the short names of itself; the others' own are in `model_names`.
        let reached = reach(config, wanted, lookup);
        let name = if reached.env.is_empty() && runtime != "claude" {
            Some(wanted.to_owned())
        } else {
            reached.name
        };
        Model { name, ..reached }
    });
    let named = |name: String| model_names::for_cli(runtime, &name, &config.runtime.pi, lookup);
    model.name = model.name.and_then(named);
    if runtime == "sapling" {
        if !model.env.is_empty() {
            model
                .env
                .insert("SAPLING_BACKEND".to_owned(), "sdk".to_owned());
        }
        // A key of the user's own stays where there is no gateway: nothing else would let it in.
        for name in OF_ANOTHER {
            model.env.insert(name.to_owned(), String::new());
        }
    }
    model
}

impl Model {
    /// Gives a command what it needs to reach the model.
    pub fn equip(&self, command: &mut Command, lookup: &dyn Fn(&str) -> Option<String>) {
        for name in OF_ANOTHER {
            command.env_remove(name);
        }
        command.envs(&self.env);
        for (name, from) in &self.env_from {
            if let Some(value) = lookup(from) {
                command.env(name, value);
            }
        }
    }
}

/// `provider/model` of a gateway: the CLI speaks to the gateway as if it were its maker, and calls
/// the model by a name of its own.
fn through_gateway(config: &Config, wanted: &str) -> Option<Model> {
    let (provider, model) = wanted.split_once('/')?;
    let ProviderKind::Gateway {
        base_url,
        auth_token_env,
    } = &config.provider(provider)?.kind
    else {
        return None;
    };
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Some(Model {
        name: Some("sonnet".to_owned()),
        env: BTreeMap::from([
            pair("ANTHROPIC_BASE_URL", base_url),
            // A key of the maker itself would be taken before the gateway's token.
            pair("ANTHROPIC_API_KEY", ""),
            pair("ANTHROPIC_DEFAULT_SONNET_MODEL", model),
        ]),
        env_from: BTreeMap::from([pair("ANTHROPIC_AUTH_TOKEN", auth_token_env)]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Provider;

    fn config() -> Config {
        let mut config = Config::default();
        config.providers.0.push(Provider {
            name: "mine".to_owned(),
            kind: ProviderKind::Gateway {
                base_url: "http://127.0.0.1:9".to_owned(),
                auth_token_env: "MY_TOKEN".to_owned(),
            },
        });
        config
    }

    fn opus(name: &str) -> Option<String> {
        (name == "ANTHROPIC_DEFAULT_OPUS_MODEL").then(|| "opus-9".to_owned())
    }

    #[test]
    fn a_question_is_answered_by_the_model_that_agents_get() {
        for (runtime, wanted, name, gateway) in [
            ("claude", "opus", Some("opus-9"), false),
            ("claude", "mine/big", Some("sonnet"), true),
            ("claude", "theirs/big", Some("theirs/big"), false),
            ("sapling", "opus", Some("opus-9"), false),
            ("copilot", "opus", Some("claude-opus-4-6"), false),
            ("codex", "mine/big", None, true),
            ("codex", "openai/gpt-5", Some("gpt-5"), false),
        ] {
            let model = for_question(&config(), runtime, Some(wanted), &opus);
            assert_eq!(model.name.as_deref(), name, "{runtime} {wanted}");
            let through = model.env.contains_key("ANTHROPIC_BASE_URL");
            assert_eq!(through, gateway, "{runtime} {wanted}");
        }
        let own = for_question(&config(), "claude", None, &opus);
        assert_eq!(own, Model::default());
    }

    #[test]
    fn sapling_is_told_of_a_gateway_and_of_no_other_key() {
        let model = for_question(&config(), "sapling", Some("mine/big"), &opus);
        let value = |name: &str| model.env.get(name).map(String::as_str);
        assert_eq!(value("SAPLING_BACKEND"), Some("sdk"));
        assert_eq!(value("ANTHROPIC_API_KEY"), Some(""));
        assert_eq!(value("CLAUDECODE"), Some(""));
    }

    #[test]
    fn the_token_goes_from_its_variable_to_the_one_the_cli_reads() {
        let model = for_question(&config(), "claude", Some("mine/big"), &opus);
        let mut command = Command::new("x");
        model.equip(&mut command, &|name| Some(format!("value of {name}")));
        let token = command
            .get_envs()
            .find(|(name, _)| *name == "ANTHROPIC_AUTH_TOKEN");
        assert_eq!(token.unwrap().1.unwrap(), "value of MY_TOKEN");
    }
}
