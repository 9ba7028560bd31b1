//! Model providers and what refers to them. Nothing here uses the network.

use super::{Check, Patient};
use crate::config::{Config, ProviderKind};
use crate::platform::env;

/// Roles that live from tool calls.
const TOOL_HEAVY: [&str; 3] = ["builder", "scout", "merger"];

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let Ok(config) = &patient.config else {
        return Vec::new();
    };
    let mut checks = vec![configured(config)];
    checks.extend(tokens(config));
    checks.push(tool_use(config));
    checks.push(references(config));
    checks
}

fn configured(config: &Config) -> Check {
    let providers = &config.providers.0;
    let plural = if providers.len() == 1 { "" } else { "s" };
    let details = providers
        .iter()
        .map(|provider| match &provider.kind {
            ProviderKind::Native => format!("{} (native)", provider.name),
            ProviderKind::Gateway { .. } => format!("{} (gateway)", provider.name),
        })
        .collect();
    Check::pass(
        "providers-configured",
        format!("{} provider{plural} configured", providers.len()),
    )
    .details(details)
}

fn tokens(config: &Config) -> Vec<Check> {
    config
        .providers
        .0
        .iter()
        .filter_map(|provider| match &provider.kind {
            ProviderKind::Native => None,
            ProviderKind::Gateway { auth_token_env, .. } => {
                let name = format!("provider-auth-token-{}", provider.name);
                Some(if env::var(auth_token_env).is_some() {
                    Check::pass(name, format!("{auth_token_env} is set"))
                } else {
                    Check::warn(
                        name,
                        format!(
                            "{auth_token_env} is not set; {} cannot be used",
                            provider.name
                        ),
                    )
                })
            }
        })
        .collect()
}

fn tool_use(config: &Config) -> Check {
    let foreign: Vec<String> = config
        .models
        .iter()
        .filter(|(role, model)| {
            TOOL_HEAVY.contains(&role.as_str())
                && model.contains('/')
                && !model.starts_with("anthropic/")
        })
        .map(|(role, model)| format!("{role}: {model}"))
        .collect();
    if foreign.is_empty() {
        return Check::pass(
            "tool-use-compat",
            "No tool-heavy roles use non-Anthropic models",
        );
    }
    Check::warn(
        "tool-use-compat",
        format!("{} tool-heavy role(s) use other models", foreign.len()),
    )
    .details(foreign)
}

fn references(config: &Config) -> Check {
    let prefixed: Vec<String> = config
        .models
        .iter()
        .filter(|(_, model)| model.contains('/'))
        .map(|(role, model)| format!("{role}: {model}"))
        .collect();
    if prefixed.is_empty() {
        return Check::pass(
            "model-provider-refs",
            "No provider-prefixed model references",
        );
    }
    // Unknown providers do not pass validation, so what is left is known.
    Check::pass(
        "model-provider-refs",
        format!("{} model reference(s) name a provider", prefixed.len()),
    )
    .details(prefixed)
}
