//! Settings that log in somewhere, and taking them from programs that need no login. Pure.

use std::collections::BTreeMap;

use super::settings::{entries, given, variables};

/// What is put in the place of a setting that is not passed on.
const NOTHING: (&str, &str) = ("gc.auto", "0");

/// Variables that take out what the user has given by the environment and what logs in somewhere.
pub fn without_logins(
    count: Option<&str>,
    var: &dyn Fn(&str) -> Option<String>,
) -> BTreeMap<String, String> {
    let is_login = |i: &usize| {
        let key = var(&format!("GIT_CONFIG_KEY_{i}")).unwrap_or_default();
        let value = var(&format!("GIT_CONFIG_VALUE_{i}")).unwrap_or_default();
        logs_in(&key, &value)
    };
    (0..given(count))
        .filter(is_login)
        .flat_map(|i| variables(i, NOTHING))
        .collect()
}

/// Settings that undo a repository's own logins: `local` is its list (`git config --list -z`), `all` that of
/// everything git reads there. What the user has set for every repository stays.
pub(super) fn withdrawn(all: &str, local: &str) -> Vec<(String, String)> {
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in entries(local).filter(|(key, _)| can_be_emptied(key)) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut settings = Vec::new();
    for key in keys {
        let values = |listed| {
            let of_key = entries(listed).filter(move |(other, _)| *other == key);
            of_key.filter_map(|(_, value)| value).collect::<Vec<&str>>()
        };
        // An empty value empties what was listed before.
        settings.push((key.to_owned(), String::new()));
        let own = values(local);
        let users = values(all);
        let users = users.iter().filter(|value| !own.contains(value));
        settings.extend(users.map(|value| (key.to_owned(), (*value).to_owned())));
    }
    settings
}

fn can_be_emptied(key: &str) -> bool {
    let last = key.rsplit('.').next().unwrap_or_default();
    key.starts_with("credential.") && last == "helper"
        || key.starts_with("http.") && matches!(last, "extraheader" | "cookiefile")
        || key == "core.askpass"
}

/// Whether a setting brings a password, a token or a program that knows one.
pub(super) fn logs_in(key: &str, value: &str) -> bool {
    let key = key.to_lowercase();
    key.starts_with("credential.")
        || key.ends_with(".extraheader")
        || key.starts_with("http.") && key.ends_with(".cookiefile")
        || has_login(&key)
        || has_login(value)
}

/// Whether a text holds a URL with a password, or with a name where that may be a token.
fn has_login(text: &str) -> bool {
    text.match_indices("://").any(|(at, _)| {
        let (before, after) = text.split_at(at);
        let host = after.trim_start_matches("://");
        let host = host
            .split(['/', '?', '#', ' ', '\n'])
            .next()
            .unwrap_or_default();
        let is_http = before.ends_with("http") || before.ends_with("https");
        host.rsplit_once('@')
            .is_some_and(|(login, _)| is_http || login.contains(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_given_through_the_environment_is_taken_out() {
        let var = |name: &str| {
            let value = match name {
                "GIT_CONFIG_KEY_0" => "core.autocrlf",
                "GIT_CONFIG_VALUE_0" => "false",
                "GIT_CONFIG_KEY_1" => "http.https://h/.extraHeader",
                "GIT_CONFIG_VALUE_1" => "Authorization: basic eDp5",
                _ => return None,
            };
            Some(value.to_owned())
        };
        let vars = without_logins(Some("2"), &var);
        assert_eq!(vars.len(), 2);
        assert_eq!(vars["GIT_CONFIG_VALUE_1"], "0");
    }

    #[test]
    fn logins_of_the_repository_are_withdrawn_and_those_of_the_user_stay() {
        let users = "credential.helper\ncache\0user.name\nA\0";
        let local = "credential.helper\nstore\0http.https://h/.extraheader\nAuthorization: x\0\
            core.askpass\n/p\0remote.origin.url\nhttps://h/x\0";
        let found = withdrawn(&format!("{users}{local}"), local);
        let expected = [
            ("credential.helper", ""),
            ("credential.helper", "cache"),
            ("http.https://h/.extraheader", ""),
            ("core.askpass", ""),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(found, expected);
        assert_eq!(withdrawn(users, ""), []);
    }
}
