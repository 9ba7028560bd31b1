//! The sandbox of one agent, made by its host before the CLI starts.

use super::walls::{self, Effective, Wish};
use super::{HostError, git_settings};
use crate::config::{self, SandboxConfig, SandboxMode};
use crate::git::Repo;
use crate::platform::{ProjectPaths, env, fs};
use crate::runtimes::Runtime;
use crate::sandbox;
use crate::types::host::{LaunchRecord, Protection, Walls};
use std::path::{Path, PathBuf};

/// How the agent is confined.
#[derive(Debug)]
pub(super) struct Confinement {
    /// Whether its tool calls are judged.
    pub guarded: bool,
    /// The rules for `sandbox-exec`; `None` without a sandbox.
    pub rules: Option<PathBuf>,
    /// Where these let it change modes, owners and times; nowhere without a sandbox.
    pub attributes: Vec<PathBuf>,
    /// Variables that point programs to where they may write.
    pub env: Vec<(String, String)>,
    /// A folder with programs that come before those of the same name on PATH.
    pub front: Option<PathBuf>,
    /// Variables that lead to programs which act as the user on request.
    pub env_remove: Vec<String>,
    /// What a person should know.
    pub note: Option<String>,
}

impl Confinement {
    pub(super) fn protection(&self) -> Protection {
        let walls = match (&self.rules, self.guarded) {
            (Some(_), _) => Walls::Sandbox,
            (None, true) => Walls::Guard,
            (None, false) => Walls::Nothing,
        };
        let note = self.note.clone();
        Protection { walls, note }
    }
}

/// Decides and writes down how the agent is confined.
pub(super) fn prepare(
    launch: &LaunchRecord,
    paths: &ProjectPaths,
    runtime: &dyn Runtime,
) -> Result<Confinement, HostError> {
    // A configuration that became unreadable must not loosen anything.
    let config = config::load(&paths.root).map_or_else(
        |e| {
            tracing::warn!("the configuration cannot be read, the sandbox stays strict: {e}");
            SandboxConfig::default()
        },
        |loaded| loaded.config.sandbox,
    );
    let mode = config.mode(&launch.capability);
    let private_dir = paths.host_dir(&launch.agent);
    let file = private_dir.join("sandbox.json");
    // Rules of an earlier life must not pass for those of this one.
    fs::remove_file(&file)?;
    let writes = walls::writes(paths, &launch.capability, &launch.cwd);
    let open = |guarded: bool, note| {
        // Without it the stash of the user would be the agent's as well.
        let front = (guarded && writes)
            .then(|| git_front(&private_dir))
            .flatten();
        let only_stash = front.iter().map(|_| (env::GIT_FRONT, "stash"));
        Confinement {
            guarded,
            rules: None,
            attributes: Vec::new(),
            env: only_stash
                .map(|(k, v)| (k.to_owned(), v.to_owned()))
                .collect(),
            front,
            env_remove: Vec::new(),
            note,
        }
    };
    let set_to = |mode: &str| {
        let role = &launch.capability;
        Some(format!(
            "the configuration sets the sandbox of {role} to {mode}"
        ))
    };
    match mode {
        SandboxMode::Off => {
            return Ok(open(false, set_to("off")));
        }
        SandboxMode::Guard => return Ok(open(true, set_to("guard"))),
        SandboxMode::Strict => {}
    }
    let support = sandbox::support();
    let mut notes: Vec<String> = support.note().map(str::to_owned).into_iter().collect();
    notes.extend(sandbox::network_note(&config.network));
    if !support.is_some() {
        let why = (!notes.is_empty()).then(|| notes.join("; "));
        return Ok(open(true, why));
    }
    let home = env::home();
    make_state(runtime, home.as_deref(), &private_dir)?;
    let given = |name: &str| launch.env.get(name).cloned().or_else(|| env::var(name));
    let caches = walls::caches(paths, &launch.capability, &launch.cwd);
    fs::create_dir_all(&caches)?;
    let git = match Repo::discover(&paths.root) {
        // A role that only reads writes nothing of git's either.
        Ok(_) if !writes => None,
        Ok(repo) => Some(sandbox::prepare_git(
            repo.common_dir(),
            &launch.cwd,
            &launch.branch,
        )?),
        Err(e) => {
            tracing::warn!("no git folder for the sandbox: {e}");
            None
        }
    };
    let Effective { rules, notes: more } = walls::effective(&Wish {
        paths,
        config: &config,
        capability: &launch.capability,
        runtime,
        worktree: &launch.cwd,
        temp: &launch.temp,
        private_dir: &private_dir,
        git: git.as_ref(),
        variable: &given,
    })?;
    notes.extend(more);
    let text = serde_json::to_string(&rules).map_err(|error| {
        // A path of the home folder, say, that is no text.
        HostError::Sandbox(format!(
            "the rules of the sandbox cannot be written: {error}"
        ))
    })?;
    fs::write_atomic(&file, text)?;
    // Inside of the rules: agents write there, and a link of theirs must not lead this write elsewhere.
    let offered = sandbox::within(&rules, |_| {
        sandbox::offer_crates(home.as_deref(), &caches.join("cargo"))
    });
    match offered {
        Ok(Ok(())) => {}
        Ok(Err(e)) => tracing::warn!("crates that are here are not offered to the agent: {e}"),
        Err(e) => return Err(HostError::Sandbox(e.to_string())),
    }
    Ok(Confinement {
        guarded: true,
        rules: Some(file),
        attributes: rules.attributes(),
        env: variables(launch, &caches, &private_dir, writes),
        front: git.as_ref().and_then(|_| git_front(&private_dir)),
        env_remove: sandbox::closed_doors(&config.environment)
            .map(str::to_owned)
            .collect(),
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    })
}

/// The folder that holds this program by the name of git, for agents that commit. Without it git works with the
/// limits that the sandbox has.
fn git_front(private_dir: &Path) -> Option<PathBuf> {
    let folder = private_dir.join("bin");
    let made = || -> std::io::Result<()> {
        let name = folder.join("git");
        std::fs::create_dir_all(&folder)?;
        if name.symlink_metadata().is_ok() {
            std::fs::remove_file(&name)?;
        }
        std::os::unix::fs::symlink(std::env::current_exe()?, name)
    };
    match made() {
        Ok(()) => Some(folder),
        Err(e) => {
            tracing::warn!("git removes no refs for this agent: {e}");
            None
        }
    }
}

/// Makes the folders of what the CLI keeps, where it could not make them itself.
fn make_state(
    runtime: &dyn Runtime,
    home: Option<&Path>,
    private_dir: &Path,
) -> Result<(), HostError> {
    let folders = home.map(|home| runtime.state(home, Some(private_dir)).folders);
    for folder in folders.iter().flatten() {
        fs::create_dir_all(folder)?;
    }
    Ok(())
}

fn variables(
    launch: &LaunchRecord,
    caches: &Path,
    private_dir: &Path,
    writes: bool,
) -> Vec<(String, String)> {
    let now = |name: &str| launch.env.get(name).cloned().or_else(|| env::var(name));
    let mut vars = sandbox::cache_variables(caches, &now);
    vars.push((
        git_settings::VARIABLE.to_owned(),
        git_settings::copy_in(private_dir)
            .to_string_lossy()
            .into_owned(),
    ));
    vars.retain(|(name, value)| {
        launch
            .env
            .get(name)
            .is_none_or(|said| value.starts_with(said))
    });
    if !writes {
        // Git refreshes its index in passing, where it may not be written.
        vars.push(("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned()));
        // Gates of a role that only reads build where it may write.
        let target = launch.temp.join("target");
        vars.push((
            "CARGO_TARGET_DIR".to_owned(),
            target.to_string_lossy().into_owned(),
        ));
    }
    vars
}
