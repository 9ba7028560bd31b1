//! The login of a subscription, which Claude Code renews under a lock beside it: in a folder that no agent writes.

use super::super::RuntimeError;
use super::super::login::RunningLogin;
use super::own_state::{LOGIN_FILE, OfUser};
use super::settings;
use crate::types::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;
use std::time::Duration;

/// Claude Code 2.1.330 renews a login in its last five minutes; some seconds of these are for clocks and timers.
const EARLY: Duration = Duration::from_secs(270);
/// Asks no model, runs no hook and starts no MCP server; the options are for a version that takes the words for a prompt.
const RENEW: &[&str] = &[
    "claude",
    "--setting-sources",
    "",
    "--strict-mcp-config",
    "auth",
    "status",
];
const NEXT_STEP: &str = "Sign in again: run `claude` in a terminal of your own and type /login; running agents go on with the \
new login. For work that nobody attends, `claude setup-token` makes a token that lasts: set CLAUDE_CODE_OAUTH_TOKEN to it before agents are started.";

/// What an agent logs in with instead.
const INSTEAD: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_VERTEX",
];

/// Of the file only this is looked at.
#[derive(Deserialize)]
struct LoginFile {
    #[serde(rename = "claudeAiOauth")]
    subscription: Option<Subscription>,
}

#[derive(Deserialize)]
struct Subscription {
    #[serde(rename = "expiresAt")]
    expires_at: Option<i64>,
}

fn runs_out(text: &str) -> Option<Timestamp> {
    let file: LoginFile = serde_json::from_str(text).ok()?;
    file.subscription?.expires_at.map(Timestamp)
}

/// The login of an agent in `root` with these variables; `None` when it uses another.
pub(super) fn of_agent(
    user: &OfUser,
    root: &Path,
    given: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<RunningLogin>, RuntimeError> {
    let carried = settings::carried_over(Some(user), root)?;
    let set = |name: &&str| given(name).or_else(|| variable(&carried, name));
    let is_on = |value: String| !["", "0", "false"].contains(&value.as_str());
    if carried.contains_key("apiKeyHelper") || INSTEAD.iter().filter_map(set).any(is_on) {
        return Ok(None);
    }
    Ok(Some(RunningLogin {
        file: user.login.join(LOGIN_FILE),
        watched: &[LOGIN_FILE],
        runs_out,
        early: EARLY,
        argv: RENEW,
        // The way to the service, such as a proxy; what the project says is not for the user's own call.
        env: variables(&settings::of_user(user)?),
        env_remove: &[
            "CLAUDECODE",
            "CLAUDE_CODE_SSE_PORT",
            "CLAUDE_CODE_ENTRYPOINT",
        ],
        next_step: NEXT_STEP,
    }))
}

fn variables(settings: &Map<String, Value>) -> Vec<(String, String)> {
    let all = settings.get("env").and_then(Value::as_object);
    let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    all.into_iter().flatten().filter_map(text).collect()
}

fn variable(settings: &Map<String, Value>, name: &str) -> Option<String> {
    let value = settings.get("env")?.get(name)?;
    Some(
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned),
    )
}

#[cfg(test)]
mod tests {
    use super::super::own_state::of_user;
    use super::*;

    fn login(settings: &str, given: &[(&str, &str)]) -> Option<RunningLogin> {
        let home = tempfile::tempdir().unwrap();
        let user = of_user(home.path(), &|_| None);
        std::fs::create_dir(&user.folder).unwrap();
        std::fs::write(user.folder.join("settings.json"), settings).unwrap();
        let given = |name: &str| {
            let found = given.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        of_agent(&user, Path::new("/nowhere"), &given).unwrap()
    }

    #[test]
    fn a_key_or_a_token_or_a_cloud_leaves_the_subscription_alone() {
        assert!(login("{}", &[]).is_some());
        assert!(
            login(
                "{}",
                &[("CLAUDE_CODE_USE_BEDROCK", "0"), ("ANTHROPIC_API_KEY", "")]
            )
            .is_some()
        );
        for name in INSTEAD {
            assert!(login("{}", &[(name, "x1")]).is_none(), "{name}");
            let settings = format!(r#"{{"env":{{"{name}":"x1"}}}}"#);
            assert!(login(&settings, &[]).is_none(), "{name}");
        }
        assert!(login(r#"{"apiKeyHelper":"helper"}"#, &[]).is_none());
    }

    #[test]
    fn the_call_has_the_variables_of_the_users_settings() {
        let found = login(
            r#"{"env":{"HTTPS_PROXY":"http://p","PATH":"/x","N":1}}"#,
            &[],
        )
        .unwrap();
        assert_eq!(
            found.env,
            [("HTTPS_PROXY".to_owned(), "http://p".to_owned())]
        );
    }

    #[test]
    fn when_a_login_runs_out_is_read_and_nothing_else() {
        let text =
            r#"{"mcpOAuth":{},"claudeAiOauth":{"accessToken":"a","expiresAt":1795453706346}}"#;
        assert_eq!(runs_out(text), Some(Timestamp(1_795_453_706_346)));
        for text in [
            "",
            "{",
            "{}",
            r#"{"claudeAiOauth":{"accessToken":"a","expiresAt":null}}"#,
        ] {
            assert_eq!(runs_out(text), None, "{text}");
        }
    }
}
