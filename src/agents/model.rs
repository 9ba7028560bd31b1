//! Which model an agent uses.

use super::manifest::Manifest;
use crate::config::Config;
use crate::runtimes::reach::{Model, reach};

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
    match configured.or_else(role) {
        Some(wanted) => reach(config, wanted, lookup),
        None => Model::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Provider, ProviderKind};

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
