//! The values an option or argument can have: fixed words, or what is in the stores right now.
//!
//! An argument is known by its name: whatever command it belongs to, `--agent` is an agent. Only
//! what is called otherwise in one command, such as the `<id>` of a run, is listed by command.

use std::path::Path;

use clap::Arg;

use super::candidate::Candidate;
use super::scripts::SHELLS;
use crate::agents::groups::Groups;
use crate::cli::{Context, Globals, Printer};
use crate::commands::agents::CAPABILITIES;
use crate::config::PrimeFormat;
use crate::db::peek::{AgentGlance, Peek};
use crate::doctor;
use crate::git::Repo;
use crate::mail::VALID_GROUPS;
use crate::mulch::{self, CLASSIFICATIONS, OutcomeStatus};
use crate::platform::{ProjectPaths, fs};
use crate::runtimes::registry;
use crate::setup::tools;
use crate::tracker;
use crate::types::event::Level;
use crate::types::mail::{MailPriority, MailType};

/// Where on the command line a value is wanted.
pub(super) struct Place<'a> {
    pub(super) path: &'a [&'a str],
    /// The project named on the line.
    pub(super) project: Option<&'a Path>,
}

/// What an argument stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Agent,
    /// An agent or a group such as `@builders`.
    Address,
    Run,
    Group,
    Task,
    AgentOrTask,
    Mail,
    AgentBranch,
    Branch,
    Profile,
    /// One of these words.
    Words(Words),
    File,
    /// Free text, a number, a time: nothing to offer.
    Free,
}

/// The words that a command accepts in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    Capability,
    MailType,
    MailPriority,
    TaskType,
    TaskStatus,
    TaskPriority,
    RecordType,
    Classification,
    OutcomeStatus,
    PrimeFormat,
    Level,
    Category,
    Shell,
    Runtime,
    /// What a hook reports.
    HookEvent,
    /// A store that a project can ask for.
    Tool,
    /// What a discovery looks at.
    Topic,
    /// What the guard refuses calls by.
    GuardRule,
}

impl Words {
    fn candidates(self) -> Vec<Candidate> {
        match self {
            Self::Capability => plain(CAPABILITIES),
            Self::MailType => plain(MailType::ALL.iter().map(|t| t.as_str())),
            Self::MailPriority => plain(MailPriority::ALL.iter().map(|p| p.as_str())),
            Self::TaskType => plain(tracker::TYPES.iter().copied()),
            Self::TaskStatus => plain(tracker::STATUSES.iter().copied()),
            Self::TaskPriority => tracker::PRIORITIES
                .map(|n| Candidate::new(n.to_string(), tracker::priority_name(n)))
                .collect(),
            Self::RecordType => plain(mulch::KINDS.iter().map(|kind| kind.name)),
            Self::Classification => plain(CLASSIFICATIONS.iter().copied()),
            Self::OutcomeStatus => plain(OutcomeStatus::ALL.iter().map(|s| s.as_str())),
            Self::PrimeFormat => plain(PrimeFormat::ALL.iter().map(|f| f.name())),
            Self::Level => plain(Level::ALL.iter().map(|l| l.as_str())),
            Self::Category => plain(doctor::all_categories()),
            Self::Shell => plain(SHELLS),
            Self::Runtime => plain(registry::names()),
            Self::HookEvent => plain(crate::commands::log::EVENTS),
            Self::Tool => plain(tools::built_in()),
            Self::Topic => plain(crate::commands::discover::categories()),
            Self::GuardRule => plain(crate::guard::RULES.iter().copied()),
        }
    }
}

fn kind(place: &Place<'_>, arg: &Arg) -> Kind {
    let id = arg.get_id().as_str();
    match (place.path, id) {
        (["mail", "send"], "to") => Kind::Address,
        (["mail", "read" | "reply"], "id") => Kind::Mail,
        (["run", "show"], "id") => Kind::Run,
        (["group", ..], "ids") => Kind::Task,
        (["task", ..], "id" | "ids" | "depends_on") => Kind::Task,
        (["trace"], "target") => Kind::AgentOrTask,
        (["merge"], "branch") => Kind::AgentBranch,
        (_, "spec" | "files" | "project" | "file" | "path") => Kind::File,
        (_, "agent" | "from" | "to" | "parent" | "siblings") => Kind::Agent,
        (_, "run") => Kind::Run,
        (_, "group") => Kind::Group,
        (_, "task" | "task_id" | "bead") => Kind::Task,
        (_, "branch" | "into" | "base_branch") => Kind::Branch,
        (_, "profile") => Kind::Profile,
        _ => words(place.path, id).map_or(Kind::Free, Kind::Words),
    }
}

/// The words of an argument. What several commands call the same is not the same there: only those of
/// the named command are offered.
fn words(path: &[&str], id: &str) -> Option<Words> {
    Some(match (path, id) {
        (["log"], "event") => Words::HookEvent,
        (["init"], "tools") => Words::Tool,
        (["discover"], "skip") => Words::Topic,
        (["guard", "log"], "rule") => Words::GuardRule,
        (["mail", ..], "kind") => Words::MailType,
        (["mail", ..], "priority") => Words::MailPriority,
        (["task", ..], "kind") => Words::TaskType,
        (["task", ..], "status") => Words::TaskStatus,
        (["task", ..], "priority") => Words::TaskPriority,
        (["expertise", ..], "kind") => Words::RecordType,
        (["expertise", ..], "classification") => Words::Classification,
        (["expertise", "record"], "outcome_status") | (["expertise", "outcome"], "status") => {
            Words::OutcomeStatus
        }
        (["expertise", "prime"], "format") => Words::PrimeFormat,
        (_, "capability") => Words::Capability,
        (_, "level") => Words::Level,
        (_, "category") => Words::Category,
        (_, "shell") => Words::Shell,
        (_, "runtime") => Words::Runtime,
        _ => return None,
    })
}

/// Whether a value is a list separated by commas.
pub(super) fn is_list(arg: &Arg) -> bool {
    matches!(arg.get_id().as_str(), "siblings" | "tools" | "skip")
}

/// What an argument can be; `None` means a file.
pub(super) fn of(place: &Place<'_>, arg: &Arg) -> Option<Vec<Candidate>> {
    let listed = arg.get_possible_values();
    if !listed.is_empty() {
        let values = listed.iter().filter(|v| !v.is_hide_set());
        let about = |v: &clap::builder::PossibleValue| {
            v.get_help().map(ToString::to_string).unwrap_or_default()
        };
        return Some(
            values
                .map(|v| Candidate::new(v.get_name(), about(v)))
                .collect(),
        );
    }
    let kind = kind(place, arg);
    Some(match kind {
        Kind::File => return None,
        Kind::Free => Vec::new(),
        Kind::Words(words) => words.candidates(),
        Kind::Agent
        | Kind::Address
        | Kind::Run
        | Kind::Group
        | Kind::Task
        | Kind::AgentOrTask
        | Kind::Mail
        | Kind::AgentBranch
        | Kind::Branch
        | Kind::Profile => stored(place, kind),
    })
}

fn plain<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<Candidate> {
    words.into_iter().map(|w| Candidate::new(w, "")).collect()
}

/// What the project's files hold right now.
fn stored(place: &Place<'_>, kind: Kind) -> Vec<Candidate> {
    let Some(paths) = project(place) else {
        return Vec::new();
    };
    let sessions = || Peek::open(&paths.sessions_db());
    let agents = || sessions().map(|s| s.agents()).unwrap_or_default();
    match kind {
        Kind::Agent => agents().iter().map(agent).collect(),
        Kind::Address => {
            let groups = VALID_GROUPS.map(|g| Candidate::new(g, "everybody of this kind"));
            agents().iter().map(agent).chain(groups).collect()
        }
        Kind::Run => glances(sessions().map(|s| s.runs())),
        Kind::Group => groups(&paths),
        Kind::Task => tasks(&paths, &agents()),
        Kind::AgentOrTask => {
            let agents = agents();
            let mut found: Vec<_> = agents.iter().map(agent).collect();
            found.extend(tasks(&paths, &agents));
            found
        }
        Kind::Mail => glances(Peek::open(&paths.mail_db()).map(|m| m.mail())),
        Kind::AgentBranch => agent_branches(&paths, &agents()),
        Kind::Branch => branches(&paths, ""),
        Kind::Profile => profiles(&paths),
        Kind::Words(_) | Kind::File | Kind::Free => Vec::new(),
    }
}

fn project(place: &Place<'_>) -> Option<ProjectPaths> {
    let context = Context {
        out: Printer::new(false, true),
        globals: Globals {
            project: place.project.map(Path::to_owned),
            ..Globals::default()
        },
        cwd: std::env::current_dir().ok()?,
    };
    context.paths().ok()
}

fn agent(agent: &AgentGlance) -> Candidate {
    let task = if agent.task.is_empty() {
        String::new()
    } else {
        format!(", {}", agent.task)
    };
    Candidate::new(
        &agent.name,
        format!("{}, {}{task}", agent.capability, agent.state),
    )
}

fn glances(found: Option<Vec<crate::db::peek::Glance>>) -> Vec<Candidate> {
    let found = found.unwrap_or_default().into_iter();
    found.map(|g| Candidate::new(g.id, g.about)).collect()
}

/// Groups by name; by id where a name is not the only one of its kind.
fn groups(paths: &ProjectPaths) -> Vec<Candidate> {
    let all = Groups::load(paths).map(|g| g.all).unwrap_or_default();
    let once = |name: &str| all.iter().filter(|g| g.name == name).count() == 1;
    let by_name = all.iter().filter(|g| once(&g.name));
    let by_name = by_name.map(|g| Candidate::new(&g.name, &g.id));
    by_name
        .chain(all.iter().map(|g| Candidate::new(&g.id, &g.name)))
        .collect()
}

/// Tasks of the tracker that are not closed, then those that agents have had.
fn tasks(paths: &ProjectPaths, agents: &[AgentGlance]) -> Vec<Candidate> {
    let content = fs::read_bytes_optional(&paths.root.join(".seeds/issues.jsonl"));
    let content = content.ok().flatten().unwrap_or_default();
    #[derive(serde::Deserialize)]
    struct Issue {
        id: String,
        #[serde(default)]
        title: String,
        #[serde(default)]
        status: String,
    }
    // The file is a log: the last line about a task counts.
    let mut issues: std::collections::BTreeMap<String, Issue> = std::collections::BTreeMap::new();
    for issue in content
        .split(|byte| *byte == b'\n')
        .filter_map(|line| crate::text::read_json::<Issue>(line).ok())
    {
        issues.insert(issue.id.clone(), issue);
    }
    let open = issues.values().filter(|i| i.status != "closed");
    let mut found: Vec<_> = open.map(|i| Candidate::new(&i.id, &i.title)).collect();
    for agent in agents.iter().filter(|a| !a.task.is_empty()) {
        if !found.iter().any(|c| c.value == agent.task) {
            found.push(Candidate::new(
                &agent.task,
                format!("task of {}", agent.name),
            ));
        }
    }
    found
}

/// Branches that can land: the queue's first, then those of agents.
fn agent_branches(paths: &ProjectPaths, agents: &[AgentGlance]) -> Vec<Candidate> {
    let mut found = glances(Peek::open(&paths.merge_queue_db()).map(|q| q.queued()));
    for mut branch in branches(paths, "overstory/") {
        if found.iter().any(|c| c.value == branch.value) {
            continue;
        }
        if let Some(owner) = agents.iter().find(|a| a.branch == branch.value) {
            branch.about = format!("{}, {}", owner.name, owner.state);
        }
        found.push(branch);
    }
    found
}

fn branches(paths: &ProjectPaths, prefix: &str) -> Vec<Candidate> {
    Repo::open(&paths.root)
        .and_then(|repo| repo.branches_with_prefix(prefix))
        .map(|names| names.into_iter().map(|n| Candidate::new(n, "")).collect())
        .unwrap_or_default()
}

/// Definitions in the project that a profile can be.
fn profiles(paths: &ProjectPaths) -> Vec<Candidate> {
    let entries = std::fs::read_dir(paths.file("agent-defs"));
    let mut names: Vec<String> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|e| Some(e.file_name().to_str()?.strip_suffix(".md")?.to_owned()))
        .collect();
    names.sort();
    names.into_iter().map(|n| Candidate::new(n, "")).collect()
}
