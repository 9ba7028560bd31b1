//! Tools that hand out keys and passwords, and servers that keep them.

use serde_json::Value;

use super::names::{has, words};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::text::brief;

/// Servers of stores that hold nothing but secrets.
const STORES: &[&str] = &[
    "vault",
    "1password",
    "onepassword",
    "bitwarden",
    "vaultwarden",
    "keychain",
    "keyring",
    "kwallet",
    "lastpass",
    "keepass",
    "keepassxc",
    "dashlane",
    "passbolt",
    "gopass",
    "doppler",
    "infisical",
    "secretsmanager",
    "secretmanager",
    "secrets",
    "keyvault",
];

/// What is no secret about a store.
const ASKS: &[&str] = &["help", "version", "status", "health"];

/// Names of secrets. Behind a verb that looks, none of them is only spoken about.
const SECRETS: &[&str] = &[
    "secret",
    "secrets",
    "password",
    "passwords",
    "passphrase",
    "credential",
    "credentials",
    "apikey",
    "apikeys",
    "keychain",
    "otp",
    "totp",
];

/// What may stand behind the name of a secret that is handed out.
const PARTS: &[&str] = &[
    "value", "values", "data", "version", "versions", "by", "id", "name", "item", "entry", "and",
    "v1", "v2",
];

/// What may stand before `token` or `key` where it lets one act as somebody.
const OF_TOKENS: &[&str] = &[
    "get",
    "read",
    "fetch",
    "show",
    "reveal",
    "list",
    "view",
    "create",
    "generate",
    "issue",
    "retrieve",
    "access",
    "auth",
    "api",
    "bearer",
    "refresh",
    "session",
    "id",
    "oauth",
    "personal",
    "installation",
    "private",
    "ssh",
    "signing",
    "secret",
    "my",
    "user",
    "service",
    "account",
    "login",
    "new",
    "the",
    "admin",
    "bot",
    "app",
    "github",
    "gitlab",
    "npm",
];

/// Refuses calls that would reach stored credentials.
pub(super) fn judge(tool: &str, server: &[String], verb: &[String], input: &Value) -> Judged<()> {
    let notes = has(server, &["obsidian", "notes", "markdown"]);
    let store = has(server, STORES) && !notes && !has(verb, ASKS);
    if store || hands_out(verb) || names_kind(input) {
        return Err(Refusal::new(
            rule::CREDENTIALS,
            format!(
                "{} reaches stored credentials, which are not for agents; ask your lead by mail for what needs them",
                brief(tool)
            ),
        ));
    }
    Ok(())
}

/// Whether a verb is about a secret itself: `get_secret_value`, not `get_secret_scanning_alert`.
fn hands_out(verb: &[String]) -> bool {
    if has(
        verb,
        &["search", "count", "validate", "check", "scan", "rotate"],
    ) {
        return false;
    }
    let object = verb
        .iter()
        .rposition(|word| !PARTS.contains(&word.as_str()))
        .and_then(|at| Some((verb.get(at)?.as_str(), verb.get(..at)?)));
    let Some((last, before)) = object else {
        return false;
    };
    let only = |list: &[&str]| before.iter().all(|word| list.contains(&word.as_str()));
    match last {
        // A field of a form is filled in with one, or the word stands alone.
        _ if before.is_empty() => false,
        "token" | "tokens" | "jwt" => only(OF_TOKENS),
        "key" | "keys" => {
            only(OF_TOKENS)
                && has(
                    before,
                    &["api", "private", "ssh", "access", "secret", "signing"],
                )
        }
        word => SECRETS.contains(&word) && !has(before, &["fill", "type", "enter", "press"]),
    }
}

/// Whether a field says that things of this kind are looked at: `{"kind": "Secret"}`.
fn names_kind(input: &Value) -> bool {
    input
        .as_object()
        .into_iter()
        .flatten()
        .any(|(name, value)| {
            let words = words(name);
            let kind = matches!(
                words.concat().as_str(),
                "kind" | "resource" | "resourcetype" | "resourcekind" | "resources"
            );
            kind && value.as_str().is_some_and(|value| {
                let first = value.split(['/', '.', ' ']).next().unwrap_or(value);
                first.eq_ignore_ascii_case("secret") || first.eq_ignore_ascii_case("secrets")
            })
        })
}

#[cfg(test)]
mod tests {
    use super::hands_out;
    use crate::mcp::names::words;

    #[test]
    fn what_hands_out_a_secret_is_told_from_what_is_about_one() {
        for name in [
            "get_secret_value",
            "read_secret",
            "getPassword",
            "get_token",
            "list_secrets",
            "create_access_token",
            "get_api_key",
            "fetch_credentials",
            "get_secret_by_id",
        ] {
            assert!(hands_out(&words(name)), "{name}");
        }
        for name in [
            "count_tokens",
            "get_design_tokens",
            "list_secret_scanning_alerts",
            "get_keys",
            "press_key",
            "search_tokens",
            "get_translation_keys",
            "get_password_policy",
            "get_token_price",
        ] {
            assert!(!hands_out(&words(name)), "{name}");
        }
    }
}
