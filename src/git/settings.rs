//! Settings for a git that others call: given by the environment, or copied into a repository of its own.
//! Pure.

use std::collections::BTreeMap;

use super::logins::logs_in;

/// Sections that say how git works and not whom it talks to. Others may hold tokens of any tool.
const SECTIONS: &[&str] = &[
    "advice",
    "alias",
    "apply",
    "author",
    "blame",
    "checkout",
    "clean",
    "color",
    "column",
    "commit",
    "committer",
    "diff",
    "filter",
    "format",
    "grep",
    "i18n",
    "index",
    "init",
    "lfs",
    "log",
    "merge",
    "notes",
    "pretty",
    "rerere",
    "status",
    "submodule",
    "tag",
    "trailer",
    "user",
    "versionsort",
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
pub fn by_environment<T: AsRef<str>>(
    count: Option<&str>,
    ours: &[(T, T)],
) -> BTreeMap<String, String> {
    let first = given(count);
    let mut vars = BTreeMap::new();
    for (i, (key, value)) in ours.iter().enumerate() {
        vars.extend(variables(first + i, (key.as_ref(), value.as_ref())));
    }
    let all = first + ours.len();
    vars.insert("GIT_CONFIG_COUNT".to_owned(), all.to_string());
    vars
}

/// A settings file with what a repository's list (`git config --list -z`) says about how to work there:
/// no remotes, and nothing that logs in.
pub fn about_work(listed: &str) -> String {
    entries(listed).filter_map(kept).collect()
}

/// The entries of a list; one without a value is true.
pub(super) fn entries(listed: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let entries = listed.split('\0').filter(|entry| !entry.is_empty());
    entries.map(|entry| match entry.split_once('\n') {
        Some((key, value)) => (key, Some(value)),
        None => (entry, None),
    })
}

pub(super) fn given(count: Option<&str>) -> usize {
    count.and_then(|c| c.parse().ok()).unwrap_or(0)
}

pub(super) fn variables(i: usize, (key, value): (&str, &str)) -> [(String, String); 2] {
    [
        (format!("GIT_CONFIG_KEY_{i}"), key.to_owned()),
        (format!("GIT_CONFIG_VALUE_{i}"), value.to_owned()),
    ]
}

/// One entry of the list as lines of a settings file, if it is about work.
fn kept((key, value): (&str, Option<&str>)) -> Option<String> {
    let (section, rest) = key.split_once('.')?;
    let is_about_work = SECTIONS.contains(&section) || section == "core" && CORE.contains(&rest);
    // The user's key is not for what agents have written.
    let signs = rest == "gpgsign";
    if !is_about_work || signs || logs_in(key, value.unwrap_or_default()) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_the_user_gave_through_the_environment_are_kept() {
        let vars = by_environment(Some("2"), &[("a.b", "c"), ("gc.auto", "0")]);
        assert_eq!(vars["GIT_CONFIG_COUNT"], "4");
        assert_eq!(vars["GIT_CONFIG_KEY_2"], "a.b");
        assert!(!vars.contains_key("GIT_CONFIG_KEY_0"));
    }

    #[test]
    fn a_copy_of_the_settings_has_no_remote_and_no_password() {
        let listed = "core.autocrlf\ninput\0core.sshcommand\nssh -i k\0user.name\nA \"B\" C\\\0\
            commit.gpgsign\ntrue\0alias.ci\ncommit\0\
            remote.origin.url\nhttps://u:p@h/x\0http.extraheader\nAuthorization: x\0\
            filter.My.Own.clean\nsed -e 's/a/b/'\nx\0submodule.s.url\nhttps://ghp_x@h/s\0\
            submodule.t.url\nssh://git@h/t\0merge.log\0url.https://u:p@h/.insteadof\ngh:\0";
        let expected = "[core]\n\tautocrlf = \"input\"\n\
            [user]\n\tname = \"A \\\"B\\\" C\\\\\"\n\
            [alias]\n\tci = \"commit\"\n\
            [filter \"My.Own\"]\n\tclean = \"sed -e 's/a/b/'\\nx\"\n\
            [submodule \"t\"]\n\turl = \"ssh://git@h/t\"\n[merge]\n\tlog\n";
        assert_eq!(about_work(listed), expected);
    }
}
