//! Model providers and what refers to them. Only gateways are looked for on the network, briefly.

use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use super::{Check, Patient};
use crate::config::{Config, ProviderKind};
use crate::platform::env;

/// Roles that live from tool calls.
const TOOL_HEAVY: [&str; 3] = ["builder", "scout", "merger"];
/// How long a gateway may take to accept a connection.
const LIMIT: Duration = Duration::from_secs(2);

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let Ok(config) = &patient.config else {
        return Vec::new();
    };
    let mut checks = vec![configured(config)];
    checks.extend(gateways(config));
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

fn gateways(config: &Config) -> Vec<Check> {
    let mut checks = Vec::new();
    for provider in &config.providers.0 {
        let ProviderKind::Gateway {
            base_url,
            auth_token_env,
        } = &provider.kind
        else {
            continue;
        };
        checks.push(reachable(&provider.name, base_url));
        let name = format!("provider-auth-token-{}", provider.name);
        checks.push(if env::var(auth_token_env).is_some() {
            Check::pass(name, format!("{auth_token_env} is set"))
        } else {
            Check::warn(
                name,
                format!(
                    "{auth_token_env} is not set; {} cannot be used",
                    provider.name
                ),
            )
        });
    }
    if !checks.is_empty() {
        checks.push(Check::pass(
            "gateway-api-key-reminder",
            "Agents on a gateway run with an empty ANTHROPIC_API_KEY and the gateway's own token",
        ));
    }
    checks
}

/// Whether something listens where the gateway should be; it is not asked anything.
fn reachable(provider: &str, base_url: &str) -> Check {
    let name = format!("provider-reachable-{provider}");
    let Some(address) = address(base_url) else {
        let message = format!("{base_url} is not an address of the form http://host[:port]");
        return Check::warn(name, message);
    };
    let answers = address
        .to_socket_addrs()
        .is_ok_and(|mut found| found.any(|at| TcpStream::connect_timeout(&at, LIMIT).is_ok()));
    if answers {
        return Check::pass(name, format!("{provider} is reachable at {base_url}"));
    }
    Check::warn(
        name,
        format!("{provider} does not answer at {base_url}; agents on it cannot work"),
    )
}

fn address(url: &str) -> Option<(String, u16)> {
    let (scheme, rest) = url.split_once("://")?;
    let default = match scheme {
        "https" => 443,
        "http" => 80,
        _ => return None,
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    let host_port = authority.rsplit('@').next()?;
    let (host, port) = match host_port.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
        Some(_) | None => (host_port, default),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    (!host.is_empty()).then(|| (host.to_owned(), port))
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

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn addresses_are_taken_out_of_urls() {
        let of = |url| address(url).map(|(host, port)| format!("{host} {port}"));
        assert_eq!(
            of("https://gate.example/v1").as_deref(),
            Some("gate.example 443")
        );
        assert_eq!(
            of("http://u@127.0.0.1:8080").as_deref(),
            Some("127.0.0.1 8080")
        );
        assert_eq!(of("http://[::1]:9/x").as_deref(), Some("::1 9"));
        assert_eq!(of("http://[::1]").as_deref(), Some("::1 80"));
        assert_eq!(of("gate.example"), None);
        assert_eq!(of("ftp://x"), None);
        assert_eq!(of("http://x:many"), None);
    }
}
