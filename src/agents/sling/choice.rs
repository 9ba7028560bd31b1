//! Everything about a start that is decided before anything of it exists: names, limits, the task, the
//! runtime, where the branch begins.

use std::path::PathBuf;

use super::SlingRequest;
use super::run::current_run;
use crate::agents::assignment::{self, Assignment};
use crate::agents::limits::{self, Place, Wanted};
use crate::agents::manifest::Manifest;
use crate::agents::{AgentError, launching, reserved, roles, stagger};
use crate::config::Config;
use crate::db::SessionStore;
use crate::git::Repo;
use crate::platform::{ProjectPaths, clock};
use crate::runtimes::Runtime;
use crate::types::AgentSession;
use crate::types::host::Mode;
use crate::types::ids::{AgentName, TaskId, agent_branch};

/// What does not depend on the other agents.
pub(super) struct Ground<'a> {
    pub(super) paths: &'a ProjectPaths,
    pub(super) config: &'a Config,
    pub(super) request: &'a SlingRequest,
    pub(super) task: TaskId,
    pub(super) spec: Option<PathBuf>,
    pub(super) repo: Repo,
    pub(super) manifest: Manifest,
}

/// How the agent will be started. Holds only as long as nobody else starts one.
pub(super) struct Choice<'a> {
    pub(super) name: AgentName,
    pub(super) branch: String,
    /// The branch it starts from.
    pub(super) base: String,
    /// The run it belongs to; a new one is begun where there is none.
    pub(super) run: Option<String>,
    pub(super) runtime: &'static dyn Runtime,
    pub(super) mode: Mode,
    pub(super) assignment: Assignment<'a>,
    /// The sessions of all agents.
    pub(super) known: Vec<AgentSession>,
}

impl<'a> Ground<'a> {
    pub(super) fn look(
        paths: &'a ProjectPaths,
        config: &'a Config,
        request: &'a SlingRequest,
    ) -> Result<Self, AgentError> {
        let task = TaskId::parse(&request.task)?;
        if let Some(name) = &request.name {
            reserved::refuse(name)?;
        }
        let spec = find_spec(paths, request)?;
        limits::check_place(
            &Place {
                capability: &request.capability,
                parent: request.parent.as_deref(),
                depth: request.depth,
                force_hierarchy: request.force_hierarchy,
                for_agent: request.for_agent,
            },
            &config.agents,
        )?;
        let repo = Repo::discover(&paths.root)?;
        repo.require_usable()?;
        repo.require_genuine(&paths.objects_mark())?;
        let manifest = roles::manifest(paths, config)?;
        if manifest.agent(&request.capability).is_none() && request.capability != "supervisor" {
            let names: Vec<&str> = manifest.agents.iter().map(|a| a.name.as_str()).collect();
            return Err(AgentError::Capability {
                capability: request.capability.clone(),
                available: names.join(", "),
            });
        }
        Ok(Self {
            paths,
            config,
            request,
            task,
            spec,
            repo,
            manifest,
        })
    }

    /// Decides the rest. Waits where agents are started one after the other with a pause between.
    pub(super) fn choose(&self, sessions: &SessionStore) -> Result<Choice<'a>, AgentError> {
        let (config, request) = (self.config, self.request);
        let known = sessions.all()?;
        let run = current_run(self.paths, sessions, request, &known)?;
        let name = match &request.name {
            Some(name) => name.clone(),
            None => limits::free_name(&request.capability, self.task.as_str(), &known),
        };
        let name = AgentName::parse(&name)?;
        let wanted = Wanted {
            name: name.as_str(),
            task: self.task.as_str(),
            parent: request.parent.as_deref(),
            run: run.as_deref(),
            max_agents: request.max_agents,
        };
        limits::check(&wanted, &config.agents, &known)?;
        let assignment = assignment::check(&self.paths.root, &config.task_tracker, request)?;
        let (runtime, mode) = self.runtime()?;
        let known = match stagger::due(&known, config.agents.stagger_delay_ms, clock::now()) {
            Some(pause) => {
                std::thread::sleep(pause);
                // Others may have started meanwhile.
                let known = sessions.all()?;
                limits::check(&wanted, &config.agents, &known)?;
                known
            }
            None => known,
        };
        let branch = agent_branch(&name, &self.task);
        if self.repo.branch_exists(&branch) {
            return Err(AgentError::BranchExists { branch });
        }
        Ok(Choice {
            branch,
            base: self.base()?,
            name,
            run,
            runtime,
            mode,
            assignment,
            known,
        })
    }

    fn runtime(&self) -> Result<(&'static dyn Runtime, Mode), AgentError> {
        let (config, request) = (self.config, self.request);
        let name = request
            .runtime
            .as_deref()
            .unwrap_or_else(|| config.runtime_for(&request.capability));
        let runtime = launching::installed(name, "use --runtime")?;
        let headless =
            runtime.id() == "claude" && config.runtime.claude_headless_by_default == Some(true);
        let usual = if headless { Mode::Stream } else { Mode::Pty };
        Ok((runtime, launching::mode(runtime, request.mode, usual)?))
    }

    fn base(&self) -> Result<String, AgentError> {
        Ok(match &self.request.base_branch {
            Some(base) => base.clone(),
            None => self
                .repo
                .current_branch()?
                .unwrap_or_else(|| self.config.project.canonical_branch.clone()),
        })
    }
}

impl Choice<'_> {
    /// A lead that sends a builder into unknown ground is told so.
    pub(super) fn unscouted(&self, request: &SlingRequest) -> Option<String> {
        let known = &self.known;
        let lead = request.parent.as_deref()?;
        let is_lead = known
            .iter()
            .any(|s| s.agent_name == lead && s.capability == "lead");
        let has_scout = known
            .iter()
            .any(|s| s.parent_agent.as_deref() == Some(lead) && s.capability == "scout");
        let quiet = request.no_scout_check || request.skip_scout;
        (is_lead && request.capability == "builder" && !has_scout && !quiet).then(|| {
            format!("'{lead}' has sent no scout yet; --no-scout-check leaves this remark out")
        })
    }
}

fn find_spec(paths: &ProjectPaths, request: &SlingRequest) -> Result<Option<PathBuf>, AgentError> {
    if let Some(path) = &request.spec {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        return if absolute.is_file() {
            Ok(Some(absolute))
        } else {
            Err(AgentError::NoSpec { path: path.clone() })
        };
    }
    let specs = paths.file("specs");
    let names = [
        format!("{}.md", request.task),
        format!("{}.yaml", request.task),
    ];
    Ok(names.iter().map(|n| specs.join(n)).find(|p| p.is_file()))
}
