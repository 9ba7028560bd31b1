//! Which model an agent uses, and what its CLI needs in its environment to reach it.

use std::collections::BTreeMap;

use super::manifest::Manifest;
use crate::config::{Config, ProviderKind};

/// What the CLI is told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Model {
    /// `None`: the CLI's own choice.
    pub(super) name: Option<String>,
    /// Variables with their values.
    pub(super) env: BTreeMap<String, String>,
    /// Variables whose value is that of another one, because it is nobody's to write down.
    pub(super) env_from: BTreeMap<String, String>,
}

/// Short names that the user's environment may give another meaning.
const ALIASES: [&str; 3] = ["sonnet", "opus", "haiku"];

/// The model for an agent of this capability: the project's choice, else its role's. `lookup` knows
/// the environment.
pub(super) fn choose(
    config: &Config,
    manifest: &Manifest,
    capability: &str,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Model {
    let configured = config.model_for(capability);
    let role = || manifest.agent(capability).map(|role| role.model.as_str());
    let Some(wanted) = configured.or_else(role) else {
        return Model::default();
    };
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

    fn choice(models: &[(&str, &str)], vars: &[(&str, &str)], capability: &str) -> Model {
        let named = models.iter();
        let mut config = Config {
            models: named
                .map(|(c, m)| ((*c).to_owned(), (*m).to_owned()))
                .collect(),
            ..Config::default()
        };
        config.providers.0.push(Provider {
            name: "mine".to_owned(),
            kind: ProviderKind::Gateway {
                base_url: "http://127.0.0.1:9".to_owned(),
                auth_token_env: "MY_TOKEN".to_owned(),
            },
        });
        let lookup = |name: &str| {
            let found = vars.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        choose(&config, &Manifest::standard(), capability, &lookup)
    }

    #[test]
    fn the_project_chooses_before_the_role_and_aliases_are_expanded() {
        let opus = [("ANTHROPIC_DEFAULT_OPUS_MODEL", "claude-opus-9")];
        for (models, vars, capability, name) in [
            (&[][..], &[][..], "lead", Some("opus")),
            (&[], &opus, "lead", Some("claude-opus-9")),
            (&[("lead", "haiku")], &opus, "lead", Some("haiku")),
            (&[("lead", "opus")], &opus, "lead", Some("claude-opus-9")),
            (
                &[],
                &[("ANTHROPIC_DEFAULT_OPUS_MODEL", "")],
                "lead",
                Some("opus"),
            ),
            (
                &[("lead", "anthropic/x")],
                &opus,
                "lead",
                Some("anthropic/x"),
            ),
            (&[], &[], "unheard-of", None),
        ] {
            let model = choice(models, vars, capability);
            assert_eq!(model.name.as_deref(), name, "{models:?} {vars:?}");
            assert!(model.env.is_empty() && model.env_from.is_empty());
        }
    }

    #[test]
    fn a_model_of_a_gateway_is_reached_through_it() {
        let model = choice(&[("lead", "mine/big/one")], &[], "lead");
        assert_eq!(model.name.as_deref(), Some("sonnet"));
        let env: Vec<_> = model
            .env
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect();
        assert_eq!(
            env,
            [
                ("ANTHROPIC_API_KEY", ""),
                ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9"),
                ("ANTHROPIC_DEFAULT_SONNET_MODEL", "big/one"),
            ]
        );
        assert_eq!(model.env_from["ANTHROPIC_AUTH_TOKEN"], "MY_TOKEN");
    }
}
