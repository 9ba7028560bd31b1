//! What language a file is in by its name, as far as that tells what gives a name to something in it. Pure.

/// A language, or several in which the same lines give names to things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Language {
    C,
    CSharp,
    Css,
    Docker,
    Go,
    GraphQl,
    /// `.env`, `.ini`, `.properties`, TOML.
    Ini,
    Java,
    Json,
    Kotlin,
    Make,
    Markdown,
    Nginx,
    Php,
    Proto,
    Python,
    Rust,
    /// JavaScript and TypeScript.
    Script,
    Shell,
    Sql,
    Yaml,
    /// Nothing is known of it.
    #[default]
    Other,
}

impl Language {
    pub(crate) fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        if name.starts_with("dockerfile") || name.ends_with(".dockerfile") {
            return Self::Docker;
        }
        if name == ".env" || name.starts_with(".env.") {
            return Self::Ini;
        }
        if name.ends_with("makefile") {
            return Self::Make;
        }
        if is_of_nginx(&path.to_lowercase(), &name) {
            return Self::Nginx;
        }
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => Self::C,
            "cs" => Self::CSharp,
            "css" | "scss" | "less" => Self::Css,
            "go" => Self::Go,
            "graphql" | "graphqls" | "gql" => Self::GraphQl,
            "env" | "ini" | "properties" | "toml" | "cfg" => Self::Ini,
            "java" => Self::Java,
            "json" | "jsonc" | "json5" => Self::Json,
            "kt" | "kts" => Self::Kotlin,
            "mk" => Self::Make,
            "md" | "markdown" | "mdown" | "mkd" | "mdx" | "qmd" | "rmd" => Self::Markdown,
            "php" => Self::Php,
            "proto" => Self::Proto,
            "py" | "pyi" => Self::Python,
            "rs" => Self::Rust,
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => Self::Script,
            "sh" | "bash" | "zsh" | "ksh" => Self::Shell,
            "sql" => Self::Sql,
            "yml" | "yaml" => Self::Yaml,
            _other => Self::Other,
        }
    }

    /// How a line begins that says nothing.
    pub(super) fn comments(self) -> &'static [&'static str] {
        match self {
            Self::C | Self::Css | Self::CSharp | Self::Go | Self::Java | Self::Json => {
                &["//", "/*"]
            }
            Self::Kotlin | Self::Proto | Self::Rust | Self::Script => &["//", "/*"],
            Self::Php => &["//", "/*", "# "],
            Self::Sql => &["--", "/*"],
            Self::Ini => &["#", ";", "!"],
            Self::Docker | Self::GraphQl | Self::Make | Self::Nginx => &["#"],
            Self::Python | Self::Shell | Self::Yaml => &["#"],
            Self::Markdown | Self::Other => &[],
        }
    }

    /// What opens a text that goes on over several lines, and what closes it.
    pub(super) fn texts(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Python | Self::GraphQl | Self::Ini => &[("\"\"\"", "\"\"\""), ("'''", "'''")],
            Self::Java | Self::Kotlin => &[("\"\"\"", "\"\"\""), ("/*", "*/")],
            Self::Script | Self::Go => &[("`", "`"), ("/*", "*/")],
            Self::Rust => &[("/*", "*/"), ("r#\"", "\"#"), ("\"", "\"")],
            Self::C | Self::Css | Self::CSharp | Self::Php | Self::Proto => &[("/*", "*/")],
            Self::Sql => &[("/*", "*/"), ("$$", "$$")],
            Self::Shell => &[("<<", ""), ("'", "'"), ("\"", "\"")],
            Self::Markdown => &[("```", "```"), ("~~~", "~~~")],
            Self::Docker | Self::Json | Self::Make | Self::Nginx | Self::Yaml | Self::Other => &[],
        }
    }
}

/// Settings of nginx have no extension of their own: what tells is where they lie, or their name.
fn is_of_nginx(path: &str, name: &str) -> bool {
    const FOLDERS: [&str; 4] = ["nginx", "sites-available", "sites-enabled", "conf.d"];
    let folders = path.strip_suffix(name).unwrap_or_default();
    let lies_there = folders.split('/').any(|folder| FOLDERS.contains(&folder));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    match extension {
        "nginx" => true,
        "conf" => lies_there || stem.contains("nginx"),
        "" => lies_there,
        _ => false,
    }
}
