//! `expertise record`: keep something that the next one should know.

use serde::Serialize;
use serde_json::{Map, Value};

use super::super::comma_lists::{kept, list};
use crate::cli::{CliError, CliResult, Context, Outcome, Project};
use crate::config::config_path;
use crate::db::SessionStore;
use crate::git::{GitCall, GitError, Repo, git, path_name};
use crate::mulch::{self, Action, Mulch, NewOutcome, NewRecord, OutcomeStatus, kind};
use crate::tracker::add_merge_union;
use crate::worktree;

/// Record a convention, pattern, failure, decision, reference or guide
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: grove expertise record cli --type failure --description \"Colours in pipes\" --resolution \"Ask the printer\""
)]
pub(super) struct Args {
    /// Domain; made when it does not exist
    #[arg(value_name = "domain")]
    domain: String,
    /// The content of a convention, or the description of what has a name
    #[arg(value_name = "text")]
    text: Option<String>,
    /// Type: convention, pattern, failure, decision, reference or guide
    #[arg(long = "type", value_name = "type")]
    kind: String,
    /// How long it is meant to hold: foundational, tactical or observational
    #[arg(long, value_name = "class")]
    classification: Option<String>,
    /// What a convention says
    #[arg(long, value_name = "text")]
    content: Option<String>,
    /// Name of a pattern, reference or guide
    #[arg(long, value_name = "text")]
    name: Option<String>,
    /// What it is, or how it fails
    #[arg(long, value_name = "text")]
    description: Option<String>,
    /// What helps against a failure
    #[arg(long, value_name = "text")]
    resolution: Option<String>,
    /// What was decided
    #[arg(long, value_name = "text")]
    title: Option<String>,
    /// Why it was decided
    #[arg(long, value_name = "text")]
    rationale: Option<String>,
    /// Files it is about, separated by commas; the changed ones when left out
    #[arg(long, value_name = "list")]
    files: Option<String>,
    /// Tags, separated by commas
    #[arg(long, value_name = "list")]
    tags: Option<String>,
    /// Records it belongs with, separated by commas
    #[arg(long, value_name = "ids")]
    relates_to: Option<String>,
    /// Records it replaces, separated by commas
    #[arg(long, value_name = "ids")]
    supersedes: Option<String>,
    #[command(flatten)]
    evidence: EvidenceArgs,
    /// What came of it already: success, failure or partial
    #[arg(long, value_name = "status")]
    outcome_status: Option<String>,
    /// Record it even if it already exists
    #[arg(long)]
    force: bool,
}

#[derive(Debug, clap::Args)]
struct EvidenceArgs {
    /// Commit it comes from; the current one when left out
    #[arg(long, value_name = "commit")]
    evidence_commit: Option<String>,
    /// Issue it comes from
    #[arg(long, value_name = "text")]
    evidence_issue: Option<String>,
    /// File it comes from
    #[arg(long, value_name = "path")]
    evidence_file: Option<String>,
    /// Beads issue it comes from
    #[arg(long, value_name = "id")]
    evidence_bead: Option<String>,
    /// Task it comes from; an agent's own when left out
    #[arg(long, value_name = "id")]
    evidence_seeds: Option<String>,
    /// GitHub issue it comes from
    #[arg(long, value_name = "n")]
    evidence_gh: Option<String>,
    /// Linear issue it comes from
    #[arg(long, value_name = "id")]
    evidence_linear: Option<String>,
}

#[derive(Serialize)]
struct RecordedJson<'a> {
    action: &'static str,
    domain: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    record: &'a Map<String, Value>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CliResult {
    let project = ctx.project()?;
    let new = build(ctx, &project, &args)?;
    let store = match Mulch::open(&project.root) {
        Some(store) => store,
        None => begin(ctx, &project)?,
    };
    let recorded = store.record(&args.domain, &new, args.force)?;
    if ctx.is_json() {
        let json = RecordedJson {
            action: recorded.action.as_str(),
            domain: &args.domain,
            kind: &args.kind,
            record: recorded.record.fields(),
        };
        ctx.out.json("expertise record", &json)?;
        return Ok(Outcome::Done);
    }
    let id = recorded.record.id();
    match recorded.action {
        Action::Created => ctx
            .out
            .success(format!("Recorded {} {id} in {}", args.kind, args.domain))?,
        Action::Updated => ctx
            .out
            .success(format!("Updated {} {id} in {}", args.kind, args.domain))?,
        Action::Skipped => ctx.out.warning(
            &format!("{id} says the same already"),
            Some("--force records it again"),
        )?,
    }
    Ok(Outcome::Done)
}

fn build(ctx: &Context, project: &Project, args: &Args) -> CliResult<NewRecord> {
    let mut new = NewRecord::new(&args.kind);
    new.classification.clone_from(&args.classification);
    let mut texts = [
        ("content", &args.content),
        ("name", &args.name),
        ("description", &args.description),
        ("resolution", &args.resolution),
        ("title", &args.title),
        ("rationale", &args.rationale),
    ]
    .map(|(field, text)| (field, text.clone()));
    // The bare text is what the type is mainly made of, where the options leave it out.
    let main = match args.kind.as_str() {
        "convention" => "content",
        "pattern" | "reference" | "guide" => "description",
        _ => "",
    };
    for (field, text) in &mut texts {
        if *field == main && text.is_none() {
            text.clone_from(&args.text);
        }
        if let Some(text) = text.take() {
            new = new.text(field, text);
        }
    }
    let has_files = kind(&args.kind).is_some_and(|kind| kind.has_files);
    new.files = match &args.files {
        Some(files) => kept(Some(files)),
        None if has_files => changed_files(ctx),
        None => Vec::new(),
    };
    new.tags = kept(args.tags.as_deref());
    new.relates_to = list(args.relates_to.as_deref());
    new.supersedes = list(args.supersedes.as_deref());
    new.evidence = evidence(ctx, project, &args.evidence)?;
    if let Some(status) = &args.outcome_status {
        new.outcomes = vec![NewOutcome {
            agent: ctx.acting_agent(),
            ..NewOutcome::new(OutcomeStatus::parse(status)?)
        }];
    }
    Ok(new)
}

fn evidence(
    ctx: &Context,
    project: &Project,
    args: &EvidenceArgs,
) -> CliResult<Vec<(String, String)>> {
    let head = || {
        let text = asked(ctx, |call| call.args(["rev-parse", "HEAD"]).text())?;
        Some(text.trim().to_owned())
    };
    let task = match (&args.evidence_seeds, ctx.acting_agent()) {
        (Some(given), _) => Some(given.clone()),
        (None, Some(agent)) => own_task(project, &agent)?,
        (None, None) => None,
    };
    let all = [
        ("commit", args.evidence_commit.clone().or_else(head)),
        ("issue", args.evidence_issue.clone()),
        ("file", args.evidence_file.clone()),
        ("bead", args.evidence_bead.clone()),
        ("seeds", task),
        ("gh", args.evidence_gh.clone()),
        ("linear", args.evidence_linear.clone()),
    ];
    let given = all.into_iter();
    Ok(given
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect())
}

/// The task an agent works on.
fn own_task(project: &Project, agent: &str) -> CliResult<Option<String>> {
    let path = project.paths.sessions_db();
    if !path.exists() {
        return Ok(None);
    }
    let session = SessionStore::look(&path)?.get(agent)?;
    Ok(session.map(|s| s.task_id).filter(|task| !task.is_empty()))
}

/// Files with changes that are not committed yet. Outside of a repository there are none.
fn changed_files(ctx: &Context) -> Vec<String> {
    let listed = asked(ctx, |call| {
        let output = call.args(["diff", "--name-only", "-z", "HEAD"]).run()?;
        let names = output.stdout.split(|byte| *byte == 0);
        let names = names.filter(|name| !name.is_empty());
        Ok(names.map(path_name).collect())
    });
    listed.unwrap_or_default()
}

/// Asks git about where the command runs. For an agent that is a folder of the agent's, whatever it is: only its
/// worktree is asked about, and contained.
fn asked<T: Send>(
    ctx: &Context,
    question: impl FnOnce(GitCall) -> Result<T, GitError> + Send,
) -> Option<T> {
    let Some(agent) = ctx.acting_agent() else {
        return question(git(&ctx.cwd)).ok();
    };
    let paths = ctx.paths().ok()?;
    let repo = Repo::discover(&paths.root).ok()?;
    worktree::contained(&repo, &paths.worktree(&agent), |git| question(git.asking()))
        .ok()?
        .ok()
}

/// A project's first record makes the files for it. Agents do not decide about that.
fn begin(ctx: &Context, project: &Project) -> CliResult<Mulch> {
    let refused = |message: String| CliError::coded("MULCH_ERROR", message);
    if ctx.acting_agent().is_some() {
        return Err(refused(
            "this project records no expertise; report what you have learnt by mail".to_owned(),
        ));
    }
    if !config_path(&project.root).is_file() {
        let message = format!("{} is not set up for grove", project.root.display());
        return Err(refused(message).hint("go to your project, or run 'grove init' in it first"));
    }
    mulch::create(&project.root)?;
    add_merge_union(&project.root, &[Mulch::MERGED_BY_LINE])?;
    if !ctx.is_json() {
        ctx.out
            .hint("What this project has learnt is kept in .mulch/ from now on")?;
    }
    Mulch::open(&project.root).ok_or_else(|| mulch::MulchError::NoStore.into())
}
