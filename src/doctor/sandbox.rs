//! Whether agents are really confined: child processes inside the sandbox of each role attempt what must fail.
//!
//! Runs only when asked for by name: the list of all checks is read by other programs.

use super::{Check, Patient};
use crate::config::{GATES, Network, SandboxConfig, SandboxMode};
use crate::platform::{env, random};
use crate::process;
use crate::sandbox::{self, CheckPlace, Finding, Place, Rules};
use crate::types::agent::is_read_only;
use std::path::Path;

const NAME: &str = "sandbox canary";

/// Every role that grove starts, and the gates that run what roles wrote.
const ROLES: [&str; 10] = [
    "builder",
    "merger",
    "scout",
    "reviewer",
    "lead",
    "supervisor",
    "monitor",
    "orchestrator",
    "coordinator",
    GATES,
];

/// What the kernel interface has no rule for, in the words of a person who has to live with it.
#[cfg(target_os = "linux")]
const BEYOND: &str = "Landlock, as used here, has no rules for connecting to sockets in the file system: an agent can talk to \
     services such as Docker, D-Bus or an SSH agent of yours. It grants files and not their names: a file directly in \
     your home folder, in ~/.config or at the top of the checkout that is replaced or made after an agent's start \
     is not readable to that agent until it is started again";

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    if !patient.paths.dir().is_dir() {
        // A trial would leave a project's folder where there is none.
        return vec![Check::fail(
            NAME,
            "There is no project here, so no sandbox was tried; run it in one, or 'grove init' first",
        )];
    }
    let config = match &patient.config {
        Ok(config) => config.sandbox.clone(),
        // What agents get when the file cannot be read.
        Err(_) => SandboxConfig::default(),
    };
    let mut checks = vec![canaries(patient, &config)];
    checks.extend(network(&config));
    if patient.config.is_ok() {
        checks.push(roles(&config));
    }
    #[cfg(target_os = "linux")]
    if sandbox::support().is_some() {
        checks.push(Check::warn("sandbox limits", BEYOND));
    }
    checks
}

/// Tries the sandbox of each role that has one.
fn canaries(patient: &Patient, config: &SandboxConfig) -> Check {
    let mut held = Vec::new();
    for role in ROLES {
        if config.mode(role) != SandboxMode::Strict {
            continue;
        }
        match trial(patient, role, &config.network) {
            Ok(Finding::Holds(tried)) => held.push(format!("{role}: {}", tried.join(", "))),
            Ok(Finding::Absent(why)) => return Check::warn(NAME, format!("Guard only: {why}")),
            Ok(Finding::Leaks(why)) => {
                return Check::fail(
                    NAME,
                    format!("The sandbox of role {role} does not hold: {why}"),
                );
            }
            Err(e) => return Check::fail(NAME, format!("The sandbox could not be tried: {e}")),
        }
    }
    if held.is_empty() {
        return Check::warn(NAME, "No role works inside a sandbox, so none was tried");
    }
    match sandbox::support().note() {
        None => Check::pass(
            NAME,
            "A write outside the worktree and a read of a secret were refused",
        ),
        Some(note) => Check::warn(NAME, format!("Writes and reads are refused, but {note}")),
    }
    .details(held)
}

fn trial(
    patient: &Patient,
    role: &str,
    network: &Network,
) -> Result<Finding, crate::platform::FsError> {
    let folder = patient
        .paths
        .file(&format!(".canary-{}", random::alphanumeric(8)));
    let make = |open: &Path, shut: &Path| rules_of(role, network, open, shut);
    let finding = sandbox::try_out(&folder, make, process::attempt_in_sandbox);
    let swept = crate::platform::fs::remove_dir_all(&folder);
    finding.and_then(|finding| swept.map(|()| finding))
}

/// The rules of a role, for a worktree and a temporary folder of the trial. A role that only reads writes in
/// its temporary folder; there its worktree is among what must stay shut.
fn rules_of(role: &str, network: &Network, open: &Path, shut: &Path) -> Rules {
    // So that the logins that are there are tried.
    let home = env::home();
    if role == GATES {
        return sandbox::check_rules(&CheckPlace {
            folder: open,
            temp: open,
            overstory: shut,
            hosts: shut,
            caches: open,
            state: &[],
            logins: &[],
            extra: &[],
            network,
            home: home.as_deref(),
        });
    }
    let writes = !is_read_only(role);
    sandbox::rules(&Place {
        worktree: if writes { open } else { shut },
        writes,
        root: shut,
        temp: open,
        private_dir: open,
        overstory: shut,
        locks: &[],
        hosts: shut,
        caches: open,
        git: None,
        state: &[],
        logins: &[],
        extra: &[],
        network,
        home: home.as_deref(),
    })
}

fn network(config: &SandboxConfig) -> Option<Check> {
    const NETWORK: &str = "sandbox network";
    let wish = match &config.network {
        Network::Allow => return None,
        Network::Loopback => "this machine only".to_owned(),
        Network::Ports(ports) => {
            let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
            format!("TCP ports {}", ports.join(", "))
        }
    };
    Some(match sandbox::network_note(&config.network) {
        None => Check::pass(NETWORK, format!("Agents may connect to {wish}")),
        Some(why) => Check::fail(NETWORK, format!("Agents may connect anywhere: {why}")),
    })
}

fn roles(config: &SandboxConfig) -> Check {
    let named = config
        .roles
        .iter()
        .map(|(role, mode)| (role.as_str(), *mode));
    let loose: Vec<String> = named
        .chain([("all others", config.default)])
        .filter(|(_, mode)| *mode != SandboxMode::Strict)
        .map(|(role, mode)| format!("{role}: {}", mode.as_str()))
        .collect();
    if loose.is_empty() {
        Check::pass("sandbox roles", "Every role works inside the sandbox")
    } else {
        Check::warn("sandbox roles", "Some roles work without the sandbox").details(loose)
    }
}
