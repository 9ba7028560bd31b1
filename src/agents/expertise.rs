//! What an agent or a session is told of the project's expertise.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::config::MulchConfig;
use crate::mulch::{self, Mulch, MulchError, PrimeRequest, Primed, suggest};
use crate::platform::landed;

/// Expertise for one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Briefing {
    /// The domains it comes from.
    pub(super) domains: Vec<String>,
    /// The text and the records in it; `None` when there is nothing to say.
    pub(super) primed: Option<Primed>,
    /// A line for the user when the expertise could not be read.
    pub(super) warning: Option<String>,
}

/// Collects what concerns an agent's files.
pub(super) fn brief(root: &Path, config: &MulchConfig, files: &[String]) -> Briefing {
    let store = Mulch::open(root).filter(|_| config.enabled);
    let store = store.map(Mulch::for_agents);
    let Some(store) = store else {
        return Briefing {
            domains: config.domains.clone(),
            ..Briefing::default()
        };
    };
    let prime = || -> Result<(Vec<String>, Primed), MulchError> {
        let domains = domains(&store, config, files)?;
        let primed = store.prime(&PrimeRequest {
            domains: &domains,
            files,
            format: config.prime_format,
            bare: true,
            ..PrimeRequest::default()
        })?;
        Ok((domains, primed))
    };
    match prime() {
        Ok((domains, primed)) => Briefing {
            domains,
            primed: Some(primed).filter(|p| !p.text.is_empty()),
            warning: None,
        },
        Err(e) => Briefing {
            warning: Some(format!("the agent starts without expertise: {e}")),
            ..Briefing::default()
        },
    }
}

/// The domains of the files, else those the project is configured with, else all.
fn domains(
    store: &Mulch,
    config: &MulchConfig,
    files: &[String],
) -> Result<Vec<String>, MulchError> {
    let known = store.domains()?;
    let mut found: Vec<String> = suggest(store, files)?
        .into_iter()
        .map(|suggestion| suggestion.domain)
        .collect();
    found.extend(
        files
            .iter()
            .filter_map(|file| by_place(file))
            .map(str::to_owned),
    );
    let exist = |wanted: &[String]| -> Vec<String> {
        let mut names: Vec<String> = known
            .iter()
            .filter(|d| wanted.contains(d))
            .cloned()
            .collect();
        names.sort();
        names
    };
    let of_files = exist(&found);
    if !of_files.is_empty() {
        return Ok(of_files);
    }
    let configured = exist(&config.domains);
    if !configured.is_empty() {
        return Ok(configured);
    }
    Ok(known)
}

/// Places that have a domain by custom.
fn by_place(file: &str) -> Option<&'static str> {
    let file = file.trim_start_matches("./");
    let begins = |folders: &[&str]| folders.iter().any(|folder| file.starts_with(folder));
    if begins(&["src/mail/"]) {
        return Some("messaging");
    }
    if begins(&[
        "src/commands/",
        "src/events/",
        "src/logging/",
        "src/metrics/",
    ]) {
        return Some("cli");
    }
    if begins(&["agents/"]) {
        return Some("agents");
    }
    if begins(&["src/merge/", "src/worktree/"]) {
        return Some("architecture");
    }
    (begins(&["src/"]) || file.ends_with(".test.ts")).then_some("typescript")
}

/// What a new session of a person or an agent is told. Where grove sees no store of its own format,
/// the `ml` program is asked; without either there is nothing to say.
pub fn for_session(root: &Path, config: &MulchConfig) -> Option<String> {
    if !config.enabled {
        return None;
    }
    let Some(store) = Mulch::open(root) else {
        return from_program(root, config);
    };
    let known = store.domains().ok()?;
    let domains: Vec<String> = config
        .domains
        .iter()
        .filter(|d| known.contains(d))
        .cloned()
        .collect();
    let primed = store.prime(&PrimeRequest {
        domains: &domains,
        format: config.prime_format,
        ..PrimeRequest::default()
    });
    primed
        .ok()
        .filter(|primed| !primed.records.is_empty())
        .map(|primed| primed.text)
}

fn from_program(root: &Path, config: &MulchConfig) -> Option<String> {
    if let Err(e) = landed::may_enter(root, &root.join(mulch::FOLDER)) {
        tracing::warn!("no expertise is told: {e}");
        return None;
    }
    let output = Command::new("ml")
        .arg("prime")
        .args(&config.domains)
        .args(["--format", config.prime_format.name()])
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mulch::{NewRecord, create};

    #[test]
    fn an_agent_is_told_what_concerns_its_files() {
        let dir = tempfile::tempdir().unwrap();
        let config = MulchConfig::default();
        let files = ["src/mail/send.rs".to_owned()];
        assert_eq!(brief(dir.path(), &config, &files), Briefing::default());
        create(dir.path()).unwrap();
        assert_eq!(brief(dir.path(), &config, &files).primed, None);
        let store = Mulch::open(dir.path()).unwrap();
        let convention = |text: &str| NewRecord::new("convention").text("content", text);
        store
            .record("messaging", &convention("about mail"), false)
            .unwrap();
        store
            .record("db", &convention("about rows"), false)
            .unwrap();
        let told = brief(dir.path(), &config, &files);
        assert_eq!(told.domains, ["messaging"]);
        let primed = told.primed.unwrap();
        assert!(primed.text.contains("about mail") && !primed.text.contains("about rows"));
        assert_eq!(brief(dir.path(), &config, &[]).domains.len(), 2);
        let off = MulchConfig {
            enabled: false,
            ..config
        };
        assert_eq!(brief(dir.path(), &off, &files).primed, None);
    }
}
