//! `sandbox:`: what the operating system and the guard refuse an agent, by role.
//!
//! Either one word for everybody (`sandbox: guard`) or a map: `default`, roles, `gates`, `writable`,
//! `environment` and `network`.

use super::error::ConfigError;
use super::node::Node;
use super::opened::{Ground, opens_project, real};
use super::section::{Outcome, Section};
use crate::guard::STORES;
use crate::text::closest;
use serde::{Deserialize, Serialize};
use std::path::{Component, Path, PathBuf};

/// How an agent is confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxMode {
    /// Nothing is refused; for people who confine their agents by other means.
    Off,
    /// The guard judges every tool call.
    Guard,
    /// The guard, and the operating system wherever it can.
    Strict,
}

impl SandboxMode {
    const ALL: [Self; 3] = [Self::Off, Self::Guard, Self::Strict];

    /// The word in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Guard => "guard",
            Self::Strict => "strict",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == text)
    }
}

/// Where an agent's programs may connect to over TCP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Anywhere: the agent's CLI decides.
    #[default]
    Allow,
    /// This machine only.
    Loopback,
    /// These ports, wherever they are.
    Ports(Vec<u16>),
}

impl Network {
    fn parse(node: &Node) -> Option<Self> {
        let port = |text: &str| text.trim().parse().ok().filter(|port| *port != 0);
        if let Some(items) = node.items() {
            let ports = items.iter().map(|item| port(item.text()?));
            return ports.collect::<Option<_>>().map(Self::Ports);
        }
        match node.text()? {
            "allow" => Some(Self::Allow),
            "loopback" => Some(Self::Loopback),
            // Lists in brackets are text to the reader of these files.
            ports => {
                let inner = ports.strip_prefix('[').and_then(|p| p.strip_suffix(']'));
                let ports = inner.unwrap_or(ports).split(',').map(port);
                ports.collect::<Option<_>>().map(Self::Ports)
            }
        }
    }
}

/// `sandbox:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxConfig {
    /// For every role that is not named.
    pub default: SandboxMode,
    /// Roles with a mode of their own, in the order written; [`GATES`] counts as one.
    pub roles: Vec<(String, SandboxMode)>,
    /// More paths that roles which write may write; `~` is the home folder.
    pub writable: Vec<String>,
    /// Variables that gates get although they hold secrets, and everybody although they lead to the user's session.
    pub environment: Vec<String>,
    /// Where every role inside a sandbox may connect to.
    pub network: Network,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            default: SandboxMode::Strict,
            roles: Vec::new(),
            writable: Vec::new(),
            environment: Vec::new(),
            network: Network::Allow,
        }
    }
}

impl SandboxConfig {
    /// The mode of a role.
    pub fn mode(&self, capability: &str) -> SandboxMode {
        self.roles
            .iter()
            .find(|(role, _)| role == capability)
            .map_or(self.default, |(_, mode)| *mode)
    }

    /// The paths that are writable besides; those that name no place of their own count from the
    /// project's root. None of them opens what every agent depends on.
    pub fn writable_paths(&self, home: Option<&Path>, root: &Path) -> Vec<PathBuf> {
        let mut places = self.places(home, root);
        places.retain(|path| !opens_project(path, root));
        places
    }

    fn places(&self, home: Option<&Path>, root: &Path) -> Vec<PathBuf> {
        let place = |path: &String| match (path.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            (Some(_) | None, _) => root.join(path),
        };
        self.writable.iter().map(place).collect()
    }

    /// What to tell of entries that are not opened because of where they lead now.
    pub(super) fn closed_notices(&self, home: Option<&Path>, root: &Path) -> Vec<String> {
        let places = self.places(home, root);
        let homes: Vec<PathBuf> = home.into_iter().map(Path::to_owned).collect();
        let ground = Ground {
            root,
            homes: &homes,
            entries: &places,
        };
        let told = self
            .writable
            .iter()
            .zip(&places)
            .filter_map(|(entry, place)| {
                let why = ground.closes(place, &real(place))?;
                Some(format!(
                    "[overstory] WARNING: sandbox.writable: \"{entry}\" is not opened: {why}"
                ))
            });
        told.collect()
    }
}

/// What is wrong with an entry of `writable` that no single folder is meant by.
fn too_wide(path: &str) -> Option<&'static str> {
    let mut parts = Path::new(path).components().peekable();
    while parts.next_if_eq(&Component::CurDir).is_some() {}
    let first = parts.peek().copied();
    if path.starts_with(['[', '{']) {
        return Some("is a list; name one folder, such as ~/data");
    }
    if path.contains(['*', '?', '$']) {
        return Some(
            "has a * or a variable in it, which nothing here replaces; name one folder, such as ~/data",
        );
    }
    if parts.clone().any(|part| part == Component::ParentDir) {
        return Some("has .. in it; name the folder itself, such as ~/data");
    }
    let is_whole = parts.clone().nth(1).is_none();
    match first {
        None => Some("is the whole checkout; name one folder in it, such as out"),
        Some(Component::RootDir) if is_whole => {
            Some("is everything on the machine; name one folder, such as ~/data")
        }
        Some(Component::Normal(name)) if name == "~" && is_whole => {
            Some("is your whole home folder; name one folder in it, such as ~/data")
        }
        Some(Component::Normal(name)) if name == ".git" => {
            Some("is git's: agents would have your hooks and branches; take it out")
        }
        Some(Component::Normal(name)) if name == ".overstory" => {
            Some("is what decides over agents; take it out")
        }
        Some(Component::Normal(name))
            if name
                .to_str()
                .is_some_and(|n| n.len() > 1 && n.starts_with('~')) =>
        {
            Some("is another user's home by a name that is not looked up here; write the full path")
        }
        Some(
            Component::Normal(_)
            | Component::RootDir
            | Component::CurDir
            | Component::ParentDir
            | Component::Prefix(_),
        ) => None,
    }
}

/// Whether a text can be the name of a variable; some programs have dots and dashes in theirs.
fn is_variable(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    text.chars().all(is_part)
        && !text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && !text.is_empty()
}

/// What an entry of `writable` does not open because it is hidden from agents, if that is told by its name alone; what
/// variables and links lead to is found when an agent starts.
fn hides(path: &str) -> Option<String> {
    let named = Path::new(path.strip_prefix("~/")?);
    let is_inside = STORES.iter().any(|store| named.starts_with(store));
    if is_inside {
        return Some("is hidden from agents as a store of keys or logins, and stays so".to_owned());
    }
    let held: Vec<&str> = STORES
        .iter()
        .filter(|store| Path::new(store).starts_with(named))
        .copied()
        .collect();
    let first = held.first()?;
    let more = match held.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    Some(format!(
        "has ~/{first}{more} in it, which stays hidden; only what is beside it at an agent's start can be written"
    ))
}

/// The name by which quality gates have a mode of their own.
pub const GATES: &str = "gates";

/// The keys that are known beside the roles of a project's own.
const ROLES: [&str; 14] = [
    "default",
    GATES,
    "writable",
    "environment",
    "network",
    "scout",
    "builder",
    "reviewer",
    "lead",
    "merger",
    "supervisor",
    "monitor",
    "coordinator",
    "orchestrator",
];

const RULE: &str = "must be one of: off, guard, strict";

pub(super) fn fill(target: &mut SandboxConfig, top: &Section<'_>) -> Outcome {
    let Some(node) = top.value("sandbox") else {
        return Ok(());
    };
    if let Some(word) = node.text() {
        target.default = SandboxMode::parse(word).ok_or_else(|| top.invalid("sandbox", RULE))?;
        return Ok(());
    }
    let at = top.section("sandbox")?;
    for role in ROLES {
        at.knows(role);
    }
    for (key, value) in at.entries() {
        // Projects may have roles of their own; what is nearly one of ours is more likely misspelt.
        if closest(key, ROLES).is_none() {
            at.knows(key);
        }
        if key == "writable" {
            target.writable = texts(
                &at,
                key,
                "must be a list of paths",
                "name one folder in it, such as ~/data",
            )?;
            for item in at.list(key)?.unwrap_or_default() {
                let text = item.text().unwrap_or_default();
                if let Some(wrong) = too_wide(text) {
                    return Err(at.invalid_item(key, item, text, wrong));
                }
                if let Some(why) = hides(text) {
                    at.odd_item(key, item, text, &why);
                }
            }
            continue;
        }
        if key == "environment" {
            target.environment =
                texts(&at, key, "must be a list of variables", "name one variable")?;
            for item in at.list(key)?.unwrap_or_default() {
                let text = item.text().unwrap_or_default();
                if !is_variable(text) {
                    let rule = "must be the name of one variable; its value comes from your own environment";
                    return Err(at.invalid_item(key, item, text, rule));
                }
            }
            continue;
        }
        if key == "network" {
            target.network = Network::parse(value).ok_or_else(|| {
                at.invalid(
                    key,
                    "must be allow, loopback or a list of ports such as [443]",
                )
            })?;
            continue;
        }
        let mode = value
            .text()
            .and_then(SandboxMode::parse)
            .ok_or_else(|| at.invalid(key, RULE))?;
        if key == "default" {
            target.default = mode;
        } else {
            target.roles.push((key.clone(), mode));
        }
    }
    Ok(())
}

/// The items of a list; `instead` is what to write for one that is YAML's word for nothing.
fn texts(
    at: &Section<'_>,
    key: &str,
    rule: &str,
    instead: &str,
) -> Result<Vec<String>, ConfigError> {
    let items = at.list(key)?.unwrap_or_default();
    let text = |item: &Node| match item.nothing() {
        Some(word) => {
            let rule = format!("is YAML's word for nothing; {instead}");
            Err(at.invalid_item(key, item, word, &rule))
        }
        None => item
            .text()
            .map(str::to_owned)
            .ok_or_else(|| at.invalid(key, rule)),
    };
    items.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn read(text: &str) -> Result<SandboxConfig, String> {
        parse(
            Path::new("/p"),
            &[(PathBuf::from("config.yaml"), text.to_owned())],
        )
        .map(|loaded| loaded.config.sandbox)
        .map_err(|e| e.to_string())
    }

    #[test]
    fn one_word_is_for_everybody() {
        let config = read("sandbox: guard\n").unwrap();
        assert_eq!(config.mode("builder"), SandboxMode::Guard);
    }

    #[test]
    fn a_role_may_differ_and_paths_may_be_added() {
        let text =
            "sandbox:\n  default: strict\n  scout: off\n  writable:\n    - ~/.cargo/registry\n";
        let config = read(text).unwrap();
        assert_eq!(config.mode("scout"), SandboxMode::Off);
        assert_eq!(config.mode("builder"), SandboxMode::Strict);
        assert_eq!(config.writable, ["~/.cargo/registry"]);
    }

    #[test]
    fn variables_that_gates_keep_are_named_one_by_one() {
        let config = read("sandbox:\n  environment:\n    - NPM_TOKEN\n").unwrap();
        assert_eq!(config.environment, ["NPM_TOKEN"]);
        assert!(read("sandbox:\n  environment: NPM_TOKEN\n").is_err());
    }

    #[test]
    fn gates_have_a_mode_of_their_own_and_paths_count_from_the_project() {
        let config =
            read("sandbox:\n  gates: off\n  writable:\n    - ~/data\n    - out\n").unwrap();
        assert_eq!(config.mode(GATES), SandboxMode::Off);
        assert_eq!(SandboxConfig::default().mode(GATES), SandboxMode::Strict);
        let whole = read(
            "sandbox:\n  writable:\n    - /p\n    - /p/.git\n    - /p/.git/hooks\n    - /p/out\n",
        )
        .unwrap();
        let paths = whole.writable_paths(None, Path::new("/p"));
        assert_eq!(paths, [Path::new("/p/out")]);
        let paths = config.writable_paths(Some(Path::new("/home/u")), Path::new("/p"));
        assert_eq!(paths, ["/home/u/data", "/p/out"].map(PathBuf::from));
    }

    #[test]
    fn a_wrong_entry_is_named_with_what_is_wrong_with_it() {
        for (wide, why) in [
            ("/", "everything"),
            ("//", "everything"),
            ("~", "home folder"),
            ("~/", "home folder"),
            (".", "whole checkout"),
            ("./", "whole checkout"),
            (".git/refs", "git's"),
            ("./.git/hooks", "git's"),
            (".overstory", "decides over agents"),
            ("a/../.git", "has .."),
            ("~/../home", "has .."),
            ("~/*", "has a *"),
            ("$HOME", "variable"),
            ("~bob/x", "another user's"),
            ("[a]", "is a list"),
        ] {
            let text = format!("sandbox:\n  writable:\n    - ~/data\n    - \"{wide}\"\n");
            let error = read(&text).unwrap_err();
            let named = format!("sandbox.writable: \"{wide}\" ");
            assert!(
                error.contains(&named) && error.contains(why),
                "{wide}: {error}"
            );
            assert!(error.contains("config.yaml:4"), "{error}");
        }
        assert!(
            read("sandbox:\n  writable:\n    - .github/out\n    - /data\n    - ~/.x\n").is_ok()
        );
        for wrong in ["A=B", "[a]", "A B", "$A"] {
            let text = format!("sandbox:\n  environment:\n    - \"{wrong}\"\n");
            let error = read(&text).unwrap_err();
            let named = format!("sandbox.environment: \"{wrong}\" must be the name");
            assert!(
                error.contains(&named) && error.contains("config.yaml:3"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_store_that_is_named_writable_is_told_in_one_line() {
        let text = "sandbox:\n  writable:\n    - ~/.aws/sso\n    - ~/.config\n    - ~/data\n";
        let files = [(PathBuf::from("config.yaml"), text.to_owned())];
        let told = parse(Path::new("/p"), &files).unwrap().notices;
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(
            told[0]
                .contains("config.yaml:3: sandbox.writable: \"~/.aws/sso\" is hidden from agents"),
            "{told:?}"
        );
        assert!(
            told[1].contains("config.yaml:4: sandbox.writable: \"~/.config\" has ~/.config/"),
            "{told:?}"
        );
        assert!(told.iter().all(|line| line.lines().count() == 1));
    }

    #[test]
    fn a_tilde_that_yaml_takes_for_nothing_is_named_as_that() {
        for word in ["~", "null"] {
            let error = read(&format!("sandbox:\n  writable:\n    - {word}\n")).unwrap_err();
            let expected = format!(
                "sandbox.writable: \"{word}\" is YAML's word for nothing; name one folder in it, such as ~/data"
            );
            assert!(error.contains(&expected), "{error}");
        }
        let error = read("sandbox:\n  writable: [~]\n").unwrap_err();
        assert!(
            error.contains("one \"- item\" per line, not \"[~]\""),
            "{error}"
        );
    }

    #[test]
    fn the_network_is_a_word_or_ports() {
        let network = |text: &str| {
            read(&format!("sandbox:\n  network: {text}\n")).map(|config| config.network)
        };
        assert_eq!(network("allow"), Ok(Network::Allow));
        assert_eq!(network("loopback"), Ok(Network::Loopback));
        assert_eq!(network("[443, 8080]"), Ok(Network::Ports(vec![443, 8080])));
        assert_eq!(network("443"), Ok(Network::Ports(vec![443])));
        assert_eq!(network("\n    - 443"), Ok(Network::Ports(vec![443])));
        for wrong in ["none", "[0]", "[https]", "[70000]"] {
            let error = network(wrong).unwrap_err();
            assert!(error.contains("sandbox.network"), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_role_that_is_nearly_one_is_told_and_one_of_the_projects_own_is_not() {
        let notices = |text: &str| {
            let files = [(PathBuf::from("config.yaml"), text.to_owned())];
            parse(Path::new("/p"), &files).unwrap().notices
        };
        let told = notices("sandbox:\n  bulder: off\n  gate: off\n");
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("sandbox.builder"), "{told:?}");
        assert!(told[1].contains("sandbox.gates"), "{told:?}");
        assert!(notices("sandbox:\n  surveyor: guard\n  builder: strict\n").is_empty());
    }

    #[test]
    fn an_unknown_word_is_named_with_the_known_ones() {
        let error = read("sandbox:\n  builder: loose\n").unwrap_err();
        assert!(error.contains("sandbox.builder") && error.contains("off, guard, strict"));
    }
}
