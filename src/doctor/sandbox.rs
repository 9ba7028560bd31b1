//! Whether agents are really confined: child processes inside the sandbox of each role, as it is by this configuration,
//! attempt what must fail, on the project's own files and the user's own keys. Nothing of these is changed.
//!
//! Runs only when asked for by name: the list of all checks is read by other programs.

use super::real_places::real_places;
use super::{Check, Patient};
use crate::config::{Config, GATES, Network, SandboxConfig, SandboxMode};
use crate::git::Repo;
use crate::host::walls::{self, Wish};
use crate::platform::{FsError, env, fs, random};
use crate::process;
use crate::runtimes;
use crate::sandbox::{self, CheckPlace, Finding, Ground, Rules};
use std::path::{Path, PathBuf};

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

/// Those of them that work in the main checkout.
const LIVE_AT_ROOT: [&str; 4] = ["supervisor", "monitor", "orchestrator", "coordinator"];

/// How the folders of trials begin.
const TRIALS: &str = ".canary-";

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
    // What agents get when the file cannot be read.
    let whole = patient
        .config
        .as_ref()
        .map_or_else(|_| Config::default(), Config::clone);
    let config = &whole.sandbox;
    let mut checks = vec![canaries(patient, &whole)];
    checks.extend(network(config));
    if patient.config.is_ok() {
        checks.push(roles(config));
        checks.extend(writable(patient, config));
    }
    #[cfg(target_os = "linux")]
    if sandbox::support().is_some() {
        checks.push(Check::warn("sandbox limits", BEYOND));
    }
    checks
}

/// Tries the sandbox of each role that has one.
fn canaries(patient: &Patient, config: &Config) -> Check {
    let mut held = Vec::new();
    let mut leaks = Vec::new();
    let own = config.sandbox.roles.iter().map(|(role, _)| role.as_str());
    let own: Vec<&str> = own.filter(|role| !ROLES.contains(role)).collect();
    for role in ROLES.into_iter().chain(own) {
        if config.sandbox.mode(role) != SandboxMode::Strict {
            continue;
        }
        match trial(patient, role, config) {
            Ok(Finding::Holds(tried)) => held.push(format!("{role}: {}", tried.join(", "))),
            Ok(Finding::Absent(why)) => return Check::warn(NAME, format!("Guard only: {why}")),
            Ok(Finding::Leaks(why)) => leaks.push((role, why)),
            Err(e) => return Check::fail(NAME, format!("The sandbox could not be tried: {e}")),
        }
    }
    if let Some((role, why)) = leaks.first() {
        let message = format!("The sandbox of role {role} does not hold: {why}");
        let all = leaks.iter().map(|(role, why)| format!("{role}: {why}"));
        return Check::fail(NAME, message).details(all.collect());
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

/// The folders of one trial, which go when it is over.
struct Scene {
    folder: PathBuf,
}

impl Scene {
    const OWN: [&str; 4] = ["worktree", "temp", "private", "others"];

    fn make(patient: &Patient) -> Result<Self, FsError> {
        let name = format!("{TRIALS}{}", random::alphanumeric(8));
        let folder = patient.paths.file(&name);
        let scene = Self { folder };
        for name in Self::OWN {
            fs::create_private_dir(&scene.folder.join(name))?;
        }
        Ok(scene)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        if let Err(e) = fs::remove_dir_all(&self.folder) {
            tracing::error!("the folder of a trial stays behind: {e}");
        }
    }
}

/// A role that writes does so in its worktree. For one that only reads the worktree is among what must stay shut.
fn trial(patient: &Patient, role: &str, config: &Config) -> Result<Finding, FsError> {
    let scene = Scene::make(patient)?;
    let lives_at_root = LIVE_AT_ROOT.contains(&role);
    let worktree = if lives_at_root {
        patient.paths.root.clone()
    } else {
        scene.at("worktree")
    };
    let is_gate = role == GATES;
    let writes = is_gate || walls::writes(&patient.paths, role, &worktree);
    let caches = if is_gate {
        patient.paths.file(sandbox::GATE_CACHES)
    } else {
        walls::caches(&patient.paths, role, &worktree)
    };
    let rules = if is_gate {
        rules_of_gates(patient, config, &scene, &caches)
    } else {
        rules_of(patient, config, role, &scene, &worktree)?
    };
    let mut closed = real_places(&patient.paths, &config.sandbox, &caches);
    if !writes {
        closed.push(worktree.clone());
    }
    let inside = if writes { worktree } else { scene.at("temp") };
    let ground = Ground {
        rules,
        inside: &inside,
        outside: &scene.at("others"),
        closed,
    };
    sandbox::try_out(ground, process::attempt_in_sandbox)
}

/// What its host would give an agent of this role.
fn rules_of(
    patient: &Patient,
    config: &Config,
    role: &str,
    scene: &Scene,
    worktree: &Path,
) -> Result<Rules, FsError> {
    let name = config.runtime_for(role);
    // One that is not known cannot be started; then the script's rules, the narrowest, stand for it.
    let runtime = runtimes::find(name).or_else(|_| runtimes::find("script"));
    let runtime = runtime.map_err(|e| FsError {
        op: "find",
        path: PathBuf::from(name),
        source: std::io::Error::other(e.to_string()),
    })?;
    let git = Repo::discover(&patient.paths.root).ok().map(|repo| {
        let branch = format!("overstory/{TRIALS}/trial");
        sandbox::git_of_branch(repo.common_dir(), &branch)
    });
    let found = walls::effective(&Wish {
        paths: &patient.paths,
        config: &config.sandbox,
        capability: role,
        runtime,
        worktree,
        temp: &scene.at("temp"),
        private_dir: &scene.at("private"),
        git: git.as_ref(),
        variable: &env::var,
    });
    found.map(|found| found.rules)
}

/// What gates get.
fn rules_of_gates(patient: &Patient, config: &Config, scene: &Scene, caches: &Path) -> Rules {
    let home = env::home();
    let paths = &patient.paths;
    sandbox::check_rules(&CheckPlace {
        folder: &scene.at("worktree"),
        temp: &scene.at("temp"),
        overstory: &paths.dir(),
        hosts: &paths.file("hosts"),
        caches,
        state: &[],
        logins: &[],
        extra: &config.sandbox.writable_paths(home.as_deref(), &paths.root),
        network: &config.sandbox.network,
        home: home.as_deref(),
    })
}

/// What the configuration names as writable and does not get. Says nothing where it gets everything.
fn writable(patient: &Patient, config: &SandboxConfig) -> Option<Check> {
    let home = env::home();
    let extra = config.writable_paths(home.as_deref(), &patient.paths.root);
    let hidden = sandbox::credential_stores(home.as_deref()?, &[]);
    let note = sandbox::closed_note(sandbox::Wanted {
        extra: &extra,
        hidden: &hidden,
        overstory: &patient.paths.dir(),
        home: home.as_deref(),
    })?;
    Some(Check::warn("sandbox writable", note))
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
