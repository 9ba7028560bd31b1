//! Questions that tools answer without doing anything: how a subcommand is used, what is set, where a cache is.

/// Tools with a word for their settings or their cache, and the words behind it that only show.
const SHOWN: &[(&str, &str, &[&str])] = &[
    ("pip", "config", &["list", "get", "debug"]),
    ("pip3", "config", &["list", "get", "debug"]),
    ("pip", "cache", &["dir", "list", "info"]),
    ("pip3", "cache", &["dir", "list", "info"]),
    ("uv", "cache", &["dir", "size"]),
    ("uv", "python", &["list", "dir", "find"]),
    ("uv", "tool", &["list", "dir"]),
    ("yarn", "cache", &["dir", "list"]),
    ("yarn", "config", &["list", "get"]),
    ("npm", "config", &["list", "ls", "get"]),
    ("npm", "cache", &["ls", "list", "verify"]),
    ("pnpm", "config", &["list", "ls", "get"]),
    ("pnpm", "store", &["path", "status"]),
    ("bun", "pm", &["ls", "bin", "cache", "hash"]),
    ("poetry", "config", &["--list"]),
    ("poetry", "cache", &["list"]),
    ("poetry", "env", &["info", "list"]),
    ("conda", "config", &["--show", "--show-sources", "--get"]),
    ("mamba", "config", &["--show", "--show-sources", "--get"]),
    ("conda", "env", &["list"]),
    ("bundle", "config", &["list", "get"]),
    ("composer", "config", &["--list", "-l"]),
    ("gem", "environment", &["gemdir", "gempath", "version"]),
];

/// Whether the tool is only asked what is set or where it keeps something.
fn asks_what_is_set(name: &str, args: &[String]) -> bool {
    let [word, question, rest @ ..] = args else {
        return false;
    };
    rest.iter().all(|arg| plain(arg) || arg == "--json")
        && rest.len() < 3
        && SHOWN.iter().any(|(tool, of, shown)| {
            *tool == name && *of == word.as_str() && shown.contains(&question.as_str())
        })
}

/// Runners of a project's own tasks, which may hand the question to one of them.
const RUNNERS: &[&str] = &[
    "just", "task", "go-task", "mage", "rake", "invoke", "inv", "fab", "ninja", "yarn", "pnpm",
    "bun", "grunt", "gulp", "nx", "turbo", "doit", "ant", "gradle", "gradlew", "mvn", "mvnw",
    "lein", "mise", "composer", "poe", "pdm", "hatch", "cap", "fastlane", "kamal", "bb", "rails",
    "deno", "mask", "xtask", "earthly", "bazel", "buck", "tox", "nox", "setup.py", "make", "gmake",
];

/// Whether a tool is only asked about itself, how a subcommand is used, or what is set.
pub(super) fn asks(name: &str, args: &[String]) -> bool {
    let about = |arg: &String| {
        matches!(
            arg.as_str(),
            "--version" | "-V" | "--help" | "-h" | "version" | "help"
        )
    };
    !args.is_empty() && args.iter().all(about)
        || asks_for_help(name, args)
        || asks_what_is_set(name, args)
}

/// Whether there is nothing but a subcommand and the question how it is used: any option before it could take the
/// question for its value.
pub(super) fn asks_for_help(name: &str, args: &[String]) -> bool {
    /// Words behind which another program has its say.
    const OTHERS: &[&str] = &[
        "run",
        "exec",
        "x",
        "dlx",
        "api",
        "alias",
        "extension",
        "plugin",
        "run-script",
    ];
    let Some((last, words)) = args.split_last() else {
        return false;
    };
    matches!(last.as_str(), "--help" | "-help" | "-h")
        && !RUNNERS.contains(&name)
        && words.len() < 3
        && words.iter().all(|word| plain(word))
        && !words.iter().any(|word| OTHERS.contains(&word.as_str()))
}

fn plain(word: &str) -> bool {
    !word.starts_with('-')
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
}
