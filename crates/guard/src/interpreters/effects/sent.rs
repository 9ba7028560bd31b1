//! Requests of code: what they take along to another machine.

use super::super::reading::{Call, Found, Owner, Source, Value};
use super::Run;
use crate::policy::{Judged, Refusal, rule};
use crate::rules::network;
use crate::rules::publish::addresses::publishes_at;
use crate::shell::walk::Walker;

/// Names of functions that send a request.
pub(super) const SENDS: &[&str] = &[
    "post",
    "put",
    "patch",
    "request",
    "urlopen",
    "Request",
    "fetch",
    "post_form",
    "sendto",
    "sendall",
];

/// What is sent under these names; credentials belong into headers.
const BODIES: &[&str] = &["data", "json", "body", "params", "files", "content", "form"];

impl Walker<'_> {
    /// Refuses a request whose body is taken from the environment.
    pub(super) fn sent_by(made: &Call, run: &Run<'_>) -> Judged<()> {
        if !SENDS.contains(&made.name.as_str()) || !run.uses_environment() {
            return Ok(());
        }
        let library = match &made.owner {
            Owner::Module(_) | Owner::None => true,
            Owner::Object(Value::Named(_)) => true,
            Owner::Object(_) => matches!(made.name.as_str(), "sendto" | "sendall"),
        };
        let local = made
            .args
            .first()
            .and_then(Value::as_text)
            .is_some_and(|url| url.contains("://localhost") || url.contains("://127.0.0.1"));
        if !library || local {
            return Ok(());
        }
        let options = made.args.iter().skip(1).flat_map(|arg| {
            let pairs: &[(String, Value)] = if let Value::Map(pairs) = arg {
                pairs
            } else {
                &[]
            };
            pairs
        });
        let named = made
            .keys
            .iter()
            .chain(options)
            .filter(|(key, _)| BODIES.contains(&key.as_str()))
            .map(|(_, value)| value);
        let plain = made
            .args
            .iter()
            .skip(1)
            .filter(|arg| !matches!(arg, Value::Map(_)));
        if named.chain(plain).any(from_outside) {
            return Err(Refusal::new(
                rule::CREDENTIALS,
                "this would send variables of the environment, which hold credentials; send data of your worktree only",
            ));
        }
        Ok(())
    }
}

/// Where the programs of forges and registries answer.
const INTERFACES: &[&str] = &[
    "api.github.com",
    "uploads.github.com",
    "/api/v4",
    "api.bitbucket.org",
    "codeberg.org/api",
    "/api/v1/repos",
    "registry.npmjs.",
    "upload.pypi.",
    "crates.io/api",
    "rubygems.org/api",
    "hooks.slack.com",
    "discord.com/api",
    "dev.azure.com",
];

/// Words that make a request one that changes something.
const CHANGES: &[&str] = &[
    "post",
    "put",
    "patch",
    "delete",
    "Post",
    "Put",
    "Patch",
    "Delete",
    "post_form",
    "postForm",
    "PostAsync",
    "CURLOPT_POST",
    "CURLOPT_POSTFIELDS",
    "CURLOPT_CUSTOMREQUEST",
    "graphql",
];

/// Libraries that speak to a forge by functions of its own.
const CLIENTS: &[&str] = &["github", "github3", "gitlab", "gitea", "atlassian"];

/// What those do when they change something.
const ACTS: &[&str] = &[
    "merge", "create", "update", "delete", "remove", "edit", "accept", "upload", "dispatch",
    "save", "request",
];

/// Refuses a request that changes something at a forge or a registry.
pub(super) fn published(run: &Run<'_>) -> Judged<()> {
    let reading = run.reading;
    let interface = reading.texts.iter().any(|text| {
        let lower = text.to_lowercase();
        INTERFACES.iter().any(|host| lower.contains(host))
    });
    let named = reading
        .words
        .iter()
        .any(|word| CHANGES.contains(&word.as_str()));
    let method = reading.texts.iter().any(|text| {
        ["POST", "PUT", "PATCH", "DELETE"]
            .iter()
            .any(|method| text.eq_ignore_ascii_case(method))
    });
    // A body makes a request a change even where no method is named.
    let body = reading.found.iter().any(|found| {
        let Found::Call(made) = found else {
            return false;
        };
        let pairs = made
            .args
            .iter()
            .filter_map(|arg| {
                if let Value::Map(pairs) = arg {
                    Some(pairs.iter())
                } else {
                    None
                }
            })
            .flatten();
        SENDS.contains(&made.name.as_str())
            && made
                .keys
                .iter()
                .chain(pairs)
                .any(|(key, _)| BODIES.contains(&key.as_str()) && key != "params")
    });
    let sends = run.uses_network();
    let client = reading
        .imports
        .iter()
        .any(|module| CLIENTS.contains(&module.as_str()))
        || reading
            .texts
            .iter()
            .any(|text| text.contains("octokit") || text.starts_with("@gitbeaker/"));
    let acts = reading
        .words
        .iter()
        .any(|word| ACTS.iter().any(|act| word.starts_with(act)));
    let requests = || {
        reading
            .found
            .iter()
            .any(|found| matches!(found, Found::Call(made) if changes_there(made)))
    };
    if interface && sends && (named || method || body) || client && acts || sends && requests() {
        return Err(network::publishes());
    }
    Ok(())
}

/// Whether one call sends a changing request to an address at which that publishes.
fn changes_there(made: &Call) -> bool {
    let texts = |value: &Value| -> Vec<String> {
        let choices = value.choices().iter();
        choices
            .filter_map(|choice| choice.as_text().map(str::to_owned))
            .collect()
    };
    let given = made
        .args
        .iter()
        .chain(made.keys.iter().map(|(_, value)| value));
    let published = given
        .flat_map(texts)
        .any(|text| text.contains("://") && publishes_at(&text));
    if !published {
        return false;
    }
    let mut options = made.keys.iter().chain(made.args.iter().flat_map(|arg| {
        let pairs: &[(String, Value)] = if let Value::Map(pairs) = arg {
            pairs
        } else {
            &[]
        };
        pairs
    }));
    let is_method = |text: &str| {
        ["POST", "PUT", "PATCH", "DELETE"]
            .iter()
            .any(|method| text.eq_ignore_ascii_case(method))
    };
    let says = |value: &Value| texts(value).iter().any(|text| is_method(text));
    let body = |key: &str| BODIES.contains(&key) && key != "params";
    let sends = SENDS.contains(&made.name.as_str());
    let second = matches!(made.name.as_str(), "urlopen" | "Request") && made.args.len() > 1;
    CHANGES.contains(&made.name.as_str())
        || sends && second
        || made.args.iter().any(says)
        || options.any(|(key, value)| {
            key.eq_ignore_ascii_case("method") && says(value) || sends && body(key)
        })
}

impl Run<'_> {
    /// Whether the program has the means to send a request.
    fn uses_network(&self) -> bool {
        const MEANS: &[&str] = &[
            "requests",
            "httpx",
            "aiohttp",
            "urllib",
            "urllib2",
            "urllib3",
            "urlopen",
            "http",
            "https",
            "fetch",
            "axios",
            "got",
            "undici",
            "ky",
            "superagent",
            "Net",
            "HTTP",
            "LWP",
            "Faraday",
            "HTTParty",
            "RestClient",
            "Mojo",
            "curl_init",
            "file_get_contents",
            "Guzzle",
            "GuzzleHttp",
            "pycurl",
            "socket",
            "Bun",
            "Deno",
            "XMLHttpRequest",
        ];
        let imported = |name: &&str| {
            self.reading.imports.contains(*name)
                || self.reading.texts.iter().any(|text| {
                    let module = text.strip_prefix("node:").unwrap_or(text);
                    module == *name
                })
        };
        MEANS.iter().any(|name| self.uses(name) || imported(name))
    }
}

/// Whether a value comes from the environment, or is the environment itself.
fn from_outside(value: &Value) -> bool {
    value.source() == Source::Outside
        || value.choices().iter().any(|choice| {
            matches!(choice, Value::Named(name) if matches!(name.as_ref(), "os.environ" | "process.env" | "ENV"))
        })
}
