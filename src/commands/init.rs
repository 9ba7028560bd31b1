//! `init`: make a repository a project. Writes into `.overstory/` and nowhere else.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::agents::scaffold::{self, FOLDERS, ScaffoldFile, Transaction};
use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::config::{self, InitialConfig, QualityGate, detect_quality_gates};
use crate::db::{DbError, EventStore, MailStore, MergeQueueStore, MetricsStore, SessionStore};
use crate::git::{Head, Repo};
use crate::platform::{ProjectPaths, clock, env, fs};
use crate::process::find_program;

/// External tools that the contract's options name; grove needs none of them.
const TOOLS: [&str; 3] = ["mulch", "seeds", "canopy"];

/// Programs looked for, with the runtime each one is.
const RUNTIMES: [(&str, &str); 7] = [
    ("claude", "claude"),
    ("copilot", "copilot"),
    ("gemini", "gemini"),
    ("opencode", "opencode"),
    ("sp", "sapling"),
    ("pi", "pi"),
    ("codex", "codex"),
];

/// Creates one database.
type CreateStore = fn(&Path) -> Result<(), DbError>;

/// The databases every project has.
const STORES: [(&str, CreateStore); 5] = [
    ("mail.db", |path| MailStore::open(path).map(drop)),
    ("sessions.db", |path| SessionStore::open(path).map(drop)),
    ("events.db", |path| EventStore::open(path).map(drop)),
    ("metrics.db", |path| MetricsStore::open(path).map(drop)),
    ("merge-queue.db", |path| {
        MergeQueueStore::open(path).map(drop)
    }),
];

/// Set up grove in this repository
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  grove init\n  grove init --yes --name shop")]
pub struct Args {
    /// Write a fresh configuration over an existing one (the old one is kept beside it)
    #[arg(long)]
    force: bool,
    /// Refresh the managed files of an existing project without asking
    #[arg(short, long)]
    yes: bool,
    /// Project name
    #[arg(long, value_name = "name")]
    name: Option<String>,
    /// External tools to set up; grove needs none, so the list changes nothing
    #[arg(long, value_name = "csv")]
    tools: Option<String>,
    /// Leave mulch out
    #[arg(long)]
    skip_mulch: bool,
    /// Leave seeds out
    #[arg(long)]
    skip_seeds: bool,
    /// Leave canopy out
    #[arg(long)]
    skip_canopy: bool,
    /// Leave onboarding of external tools out
    #[arg(long)]
    skip_onboard: bool,
}

struct Facts {
    root: PathBuf,
    name: String,
    branch: String,
    runtime: Option<&'static str>,
    gates: Vec<QualityGate>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    check_tools(args.tools.as_deref())?;
    let start = ctx
        .globals
        .project
        .as_ref()
        .map_or_else(|| ctx.cwd.clone(), |given| ctx.cwd.join(given));
    let facts = inspect(&start, args.name.as_deref())?;
    let existing = config::config_path(&facts.root);
    let exists = existing.is_file();
    if exists && !args.force && !args.yes {
        return already(ctx, &facts);
    }
    let fresh = !exists || args.force;
    let initial = InitialConfig {
        name: &facts.name,
        root: &facts.root,
        canonical_branch: &facts.branch,
        runtime: facts.runtime.unwrap_or("claude"),
        quality_gates: &facts.gates,
    };
    let mut files = scaffold::files(fresh.then_some(&initial))?;
    let backup = if exists && fresh {
        Some(backup(&existing)?)
    } else {
        None
    };
    files.extend(backup.clone());
    let written = write(&facts.root, &files)?;
    if ctx.is_json() {
        show_json(ctx, &facts, exists)?;
    } else {
        show_text(ctx, &facts, &written, backup.as_ref())?;
    }
    Ok(Outcome::Done)
}

fn check_tools(tools: Option<&str>) -> CliResult<()> {
    let unknown = tools
        .into_iter()
        .flat_map(|csv| csv.split(','))
        .map(str::trim)
        .find(|name| !name.is_empty() && !TOOLS.contains(name));
    match unknown {
        Some(name) => Err(CliError::validation(format!(
            "Unknown tool \"{name}\". Valid tools: {}",
            TOOLS.join(", ")
        ))),
        None => Ok(()),
    }
}

/// Looks at the repository and refuses what agents could not work on.
fn inspect(start: &Path, name: Option<&str>) -> CliResult<Facts> {
    let refuse = |message: String, next: &str| Err(CliError::validation(message).hint(next));
    if !start.is_dir() {
        return refuse(
            format!("{} is not a folder", start.display()),
            "name an existing folder inside a git repository",
        );
    }
    let Ok(repo) = Repo::discover(start) else {
        return refuse(
            format!(
                "{} is not in a git repository; agents work on branches",
                start.display()
            ),
            "next: git init && git add -A && git commit -m 'first commit', then grove init",
        );
    };
    let Some(root) = repo.main_root().filter(|_| !repo.is_bare()) else {
        return refuse(
            format!(
                "{} is a bare repository; agents need files to work on",
                start.display()
            ),
            "next: git clone it somewhere and run grove init in the clone",
        );
    };
    let root = strip_trailing_separator(&root);
    if repo.is_linked_worktree() {
        return refuse(
            format!(
                "{} is a linked worktree of {}",
                start.display(),
                root.display()
            ),
            "next: run grove init in the main checkout",
        );
    }
    if repo.is_empty() {
        return refuse(
            format!(
                "{} has no commits yet; an agent's branch has to start from one",
                root.display()
            ),
            "next: git add -A && git commit -m 'first commit', then grove init",
        );
    }
    let current = match repo.head()? {
        Head::Branch(name) => name,
        Head::Detached(_) | Head::Unborn(_) => {
            return refuse(
                format!(
                    "HEAD of {} is detached, so there is no branch that work could land on",
                    root.display()
                ),
                "next: git switch <branch>, then grove init",
            );
        }
    };
    let origin = repo
        .origin_head()
        .filter(|branch| repo.branch_exists(branch));
    let path = env::var("PATH");
    Ok(Facts {
        name: name
            .map(str::to_owned)
            .unwrap_or_else(|| project_name(&repo, &root)),
        branch: origin.unwrap_or(current),
        runtime: RUNTIMES
            .iter()
            .find(|(program, _)| find_program(program, path.as_deref()).is_some())
            .map(|(_, runtime)| *runtime),
        gates: detect_quality_gates(&|file| fs::read(&root.join(file)).ok()),
        root,
    })
}

fn strip_trailing_separator(path: &Path) -> PathBuf {
    path.components().collect()
}

/// The last part of origin's URL, else the folder's name.
fn project_name(repo: &Repo, root: &Path) -> String {
    let from_url = repo.origin_url().and_then(|url| {
        let last = url
            .trim_end_matches('/')
            .rsplit(['/', ':'])
            .next()?
            .trim_end_matches(".git")
            .to_owned();
        (!last.is_empty()).then_some(last)
    });
    from_url.unwrap_or_else(|| {
        root.file_name().map_or_else(
            || "project".into(),
            |name| name.to_string_lossy().into_owned(),
        )
    })
}

fn backup(path: &Path) -> CliResult<ScaffoldFile> {
    Ok(ScaffoldFile {
        path: format!(".overstory/config.yaml.{}", clock::now().stamp()),
        text: fs::read(path)?,
    })
}

fn write(root: &Path, files: &[ScaffoldFile]) -> CliResult<Vec<String>> {
    let mut transaction = Transaction::new(root);
    let mut written = Vec::new();
    for folder in FOLDERS {
        transaction.folder(folder)?;
    }
    for file in files {
        if transaction.write(file)? {
            written.push(file.path.clone());
        }
    }
    let paths = ProjectPaths::new(root);
    for (name, create) in STORES {
        let relative = format!(".overstory/{name}");
        let is_new = transaction.expect_database(&relative);
        // One that is there already is opened too: a project with a broken store is not ready.
        create(&paths.file(name))?;
        if is_new {
            written.push(relative);
        }
    }
    // The proof that what was written can be used; if it cannot, nothing of it stays.
    config::load(root)?;
    transaction.keep();
    Ok(written)
}

fn already(ctx: &Context, facts: &Facts) -> CliResult {
    if ctx.is_json() {
        show_json(ctx, facts, true)?;
        return Ok(Outcome::Done);
    }
    ctx.out
        .warning(&format!("{} is set up already", facts.root.display()), None)?;
    ctx.out
        .hint("--yes refreshes the managed files, --force writes a fresh configuration too")?;
    Ok(Outcome::Done)
}

fn show_json(ctx: &Context, facts: &Facts, existed: bool) -> CliResult<()> {
    let status = if existed {
        "already_initialized"
    } else {
        "initialized"
    };
    let mut tools = Map::new();
    tools.insert(
        "overstory".into(),
        json!({"status": status, "path": facts.root.join(".overstory")}),
    );
    for tool in TOOLS {
        tools.insert(
            tool.into(),
            json!({"status": "skipped", "path": facts.root.join(format!(".{tool}"))}),
        );
    }
    ctx.out.json(
        "init",
        &json!({
            "project": facts.name,
            "tools": tools,
            "onboard": Value::Object(Map::new()),
            "gitattributes": false,
            "scaffoldCommitted": false,
        }),
    )
}

fn show_text(
    ctx: &Context,
    facts: &Facts,
    written: &[String],
    backup: Option<&ScaffoldFile>,
) -> CliResult<()> {
    let out = &ctx.out;
    for path in written {
        out.success(path)?;
    }
    if written.is_empty() {
        out.hint("every managed file is up to date")?;
    }
    if let Some(backup) = backup {
        out.hint(format!("the old configuration is kept as {}", backup.path))?;
    }
    out.line("")?;
    out.line(format!("{} is ready: {}", facts.name, facts.root.display()))?;
    out.line(format!("  lands on   {}", facts.branch))?;
    match facts.runtime {
        Some(runtime) => out.line(format!("  runtime    {runtime}"))?,
        None => out.line(
            "  runtime    claude (no agent CLI found on PATH; install one before 'grove sling')",
        )?,
    }
    if facts.gates.is_empty() {
        out.line("  gates      none recognised; name them under project.qualityGates in .overstory/config.yaml")?;
    }
    for (index, gate) in facts.gates.iter().enumerate() {
        let label = if index == 0 { "gates" } else { "" };
        out.line(format!("  {label:<10} {}", gate.command))?;
    }
    out.line("")?;
    out.hint("next: grove        the workspace")?;
    out.hint("      grove doctor what is missing, if anything")
}
