//! Settings that builds need and that sometimes hold a login: they are hidden when there is one in them.

use std::path::{Path, PathBuf};

/// Below the home folder.
const SETTINGS: &[&str] = &[
    ".pip/pip.conf",
    ".config/pip/pip.conf",
    "Library/Application Support/pip/pip.conf",
    ".config/uv/uv.toml",
    ".config/pdm/config.toml",
    ".config/hatch/config.toml",
    ".condarc",
    ".bundle/config",
    ".nuget/NuGet.Config",
    ".nuget/NuGet/NuGet.Config",
    ".config/NuGet/NuGet.Config",
    ".curlrc",
    ".config/curlrc",
    ".wgetrc",
    ".ansible.cfg",
];

/// Variables that name one, and its name in the folder that they name.
const MOVED: &[(&str, &str)] = &[
    ("ANSIBLE_CONFIG", ""),
    ("BUNDLE_USER_CONFIG", ""),
    ("BUNDLE_USER_HOME", "config"),
    ("CONDARC", ""),
    ("CURL_HOME", ".curlrc"),
    ("PIP_CONFIG_FILE", ""),
    ("UV_CONFIG_FILE", ""),
    ("WGETRC", ""),
    ("XDG_CONFIG_HOME", "pip/pip.conf"),
    ("XDG_CONFIG_HOME", "uv/uv.toml"),
    ("XDG_CONFIG_HOME", "curlrc"),
];

/// Words in the name of a setting that holds a login.
const WORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "credential",
    "auth",
    "bearer",
    "cookie",
];

/// Options of curl that take a login, and settings that do.
const LOGINS: &[&str] = &[
    "-u",
    "-U",
    "user",
    "--user",
    "proxy-user",
    "--proxy-user",
    "proxy_user",
];

/// Keys of Bundler that name no server although they look like it.
const OF_BUNDLER: &[&str] = &["BUNDLE_BUILD__", "BUNDLE_LOCAL__", "BUNDLE_MIRROR__"];

/// Larger ones are none that a person wrote.
const LARGEST: u64 = 1024 * 1024;

/// The settings that have a login in them.
pub(super) fn with_logins(home: &Path, lookup: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let usual = SETTINGS.iter().map(|name| home.join(name));
    let moved = MOVED.iter().filter_map(|(variable, name)| {
        let place = PathBuf::from(lookup(variable)?);
        Some(if name.is_empty() {
            place
        } else {
            place.join(name)
        })
    });
    let all = usual.chain(moved).filter(|path| path.is_absolute());
    all.filter(|path| path.is_file() && holds_login(path))
        .collect()
}

/// What cannot be read may hold one.
fn holds_login(path: &Path) -> bool {
    let is_large = path.metadata().is_ok_and(|found| found.len() > LARGEST);
    is_large || std::fs::read(path).is_ok_and(|bytes| tells(&String::from_utf8_lossy(&bytes)))
}

fn tells(text: &str) -> bool {
    text.lines().any(|line| {
        let lower = line.to_lowercase();
        WORDS.iter().any(|word| lower.contains(word))
            || has_login_in_address(line)
            || is_pair(line)
            || names_server(line)
    })
}

/// `scheme://login@server`.
fn has_login_in_address(line: &str) -> bool {
    line.split("://").skip(1).any(|rest| {
        let server = rest.split(['/', '?', '#', '"', '\'', ' ', '\t']).next();
        server.is_some_and(|server| server.contains('@'))
    })
}

/// `user = name:password`, as curl has it.
fn is_pair(line: &str) -> bool {
    let Some((name, value)) = line.trim().split_once(['=', ' ', '\t']) else {
        return false;
    };
    LOGINS.contains(&name.trim_end_matches(':')) && value.contains(':')
}

/// Bundler keeps the login to a server under the server's name.
fn names_server(line: &str) -> bool {
    let key = line.split(':').next().unwrap_or_default().trim();
    key.strip_prefix("BUNDLE_")
        .is_some_and(|rest| rest.contains("__"))
        && !OF_BUNDLER.iter().any(|other| key.starts_with(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_only_say_where_packages_come_from_stay_readable() {
        for text in [
            "[global]\nindex-url = https://pypi.example/simple\ntrusted-host = pypi.example\n",
            "---\nBUNDLE_PATH: \"vendor\"\nBUNDLE_BUILD__NOKOGIRI: \"--use-system-libraries\"\nBUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/: \"http://mirror\"\n",
            "<add key=\"nuget.org\" value=\"https://api.nuget.org/v3/index.json\" protocolVersion=\"3\" />",
            "user-agent = \"x: y\"\nproxy = http://proxy:3128\n",
        ] {
            assert!(!tells(text), "{text}");
        }
    }

    #[test]
    fn settings_with_a_login_are_hidden() {
        for text in [
            "[global]\nindex-url = https://ada:x@pypi.example/simple\n",
            "extra-index-url=\n    https://x@pypi.example/simple\n",
            "BUNDLE_GEMS__EXAMPLE__COM: \"ada:x\"\n",
            "<add key=\"ClearTextPassword\" value=\"x\" />",
            "user = \"ada:x\"\n",
            "-u ada:x\n",
            "header = \"Authorization: x\"\n",
            "password = x\n",
        ] {
            assert!(tells(text), "{text}");
        }
    }
}
