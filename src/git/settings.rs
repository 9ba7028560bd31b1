//! Settings for a git that others call: given by the environment, or copied into a repository of its own.
//! Pure.

use std::collections::BTreeMap;

/// Rewrites every push URL to a helper that does not exist.
pub const NO_PUSH: (&str, &str) = ("url.grove-refuses-push::.pushInsteadOf", "");

/// What is put in the place of a setting that is not passed on.
const NOTHING: (&str, &str) = ("gc.auto", "0");

/// Sections that say how git works and not whom it talks to. Others may hold tokens of any tool.
const SECTIONS: &[&str] = &[
    "advice",
    "apply",
    "author",
    "blame",
    "color",
    "column",
    "committer",
    "diff",
    "filter",
    "grep",
    "i18n",
    "index",
    "init",
    "lfs",
    "log",
    "merge",
    "rerere",
    "status",
    "submodule",
    "user",
];

/// Of `core`, where programs that talk to remotes and ask for passwords are named too.
const CORE: &[&str] = &[
    "abbrev",
    "attributesfile",
    "autocrlf",
    "checkroundtripencoding",
    "commentchar",
    "eol",
    "excludesfile",
    "filemode",
    "hookspath",
    "ignorecase",
    "longpaths",
    "precomposeunicode",
    "protecthfs",
    "protectntfs",
    "quotepath",
    "safecrlf",
    "symlinks",
    "whitespace",
];

/// Variables that give git these settings, after those the user has given the same way.
pub fn by_environment(count: Option<&str>, ours: &[(&str, &str)]) -> BTreeMap<String, String> {
    let first = given(count);
    let mut vars = BTreeMap::new();
    for (i, setting) in ours.iter().enumerate() {
        vars.extend(variables(first + i, *setting));
    }
    let all = first + ours.len();
    vars.insert("GIT_CONFIG_COUNT".to_owned(), all.to_string());
    vars
}

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

/// A settings file with what a repository's list (`git config --list -z`) says about how to work there:
/// no remotes, and nothing that logs in.
pub fn about_work(listed: &str) -> String {
    listed.split('\0').filter_map(kept).collect()
}

fn given(count: Option<&str>) -> usize {
    count.and_then(|c| c.parse().ok()).unwrap_or(0)
}

fn variables(i: usize, (key, value): (&str, &str)) -> [(String, String); 2] {
    [
        (format!("GIT_CONFIG_KEY_{i}"), key.to_owned()),
        (format!("GIT_CONFIG_VALUE_{i}"), value.to_owned()),
    ]
}

/// One entry of the list as lines of a settings file, if it is about work.
fn kept(entry: &str) -> Option<String> {
    let (key, value) = match entry.split_once('\n') {
        Some((key, value)) => (key, Some(value)),
        // Without a value it is true.
        None => (entry, None),
    };
    let (section, rest) = key.split_once('.')?;
    let is_about_work = SECTIONS.contains(&section) || section == "core" && CORE.contains(&rest);
    if !is_about_work || logs_in(key, value.unwrap_or_default()) {
        return None;
    }
    let value = value.map_or_else(String::new, |value| format!(" = \"{}\"", escaped(value)));
    Some(match rest.rsplit_once('.') {
        Some((name, last)) => format!("[{section} \"{}\"]\n\t{last}{value}\n", escaped(name)),
        None => format!("[{section}]\n\t{rest}{value}\n"),
    })
}

fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    text.replace('\n', "\\n")
}

/// Whether a setting brings a password, a token or a program that knows one.
fn logs_in(key: &str, value: &str) -> bool {
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
    fn settings_the_user_gave_through_the_environment_are_kept() {
        let vars = by_environment(Some("2"), &[NO_PUSH, ("gc.auto", "0")]);
        assert_eq!(vars["GIT_CONFIG_COUNT"], "4");
        assert_eq!(vars["GIT_CONFIG_KEY_2"], NO_PUSH.0);
        assert!(!vars.contains_key("GIT_CONFIG_KEY_0"));
    }

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
    fn a_copy_of_the_settings_has_no_remote_and_no_password() {
        let listed = "core.autocrlf\ninput\0core.sshcommand\nssh -i k\0user.name\nA \"B\" C\\\0\
            remote.origin.url\nhttps://u:p@h/x\0http.extraheader\nAuthorization: x\0\
            filter.My.Own.clean\nsed -e 's/a/b/'\nx\0submodule.s.url\nhttps://ghp_x@h/s\0\
            submodule.t.url\nssh://git@h/t\0merge.log\0url.https://u:p@h/.insteadof\ngh:\0";
        let expected = "[core]\n\tautocrlf = \"input\"\n\
            [user]\n\tname = \"A \\\"B\\\" C\\\\\"\n\
            [filter \"My.Own\"]\n\tclean = \"sed -e 's/a/b/'\\nx\"\n\
            [submodule \"t\"]\n\turl = \"ssh://git@h/t\"\n[merge]\n\tlog\n";
        assert_eq!(about_work(listed), expected);
    }
}
