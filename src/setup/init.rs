//! Making a repository a project: first a plan that can be shown, then the plan in one step.

use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use super::error::SetupError;
use super::files::{self, FOLDERS, ManagedFile};
use super::repository::Facts;
use super::tools::{self, ToolPlan, ToolStatus};
use super::transaction::{Transaction, end_of_links};
use super::update::{self, Replaced};
use crate::config::{self, InitialConfig};
use crate::db::{DbError, EventStore, MailStore, MergeQueueStore, MetricsStore, SessionStore};
use crate::platform::lease::{self, Lease};
use crate::platform::{ProjectPaths, clock, fs};
use crate::tracker::GITATTRIBUTES;

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

/// The state folder, relative to the root.
const STATE: &str = ".overstory";
/// The configuration, relative to the root.
const CONFIG: &str = ".overstory/config.yaml";

/// What setting up would change.
#[derive(Debug)]
pub struct InitPlan {
    /// Files that are missing or differ, with their new text.
    pub files: Vec<ManagedFile>,
    /// Databases that are missing, relative to the root.
    pub databases: Vec<String>,
    /// Files whose present text will be kept, with the place of the copy.
    pub replaced: Vec<Replaced>,
    /// The companions.
    pub tools: Vec<ToolPlan>,
    /// Whether lines are added to `.gitattributes`.
    pub attributes: bool,
    /// The lock that those who start something take in turns, if it is still to be made.
    pub lock: Option<String>,
}

/// Plans to set up the project; `fresh` also writes a new configuration.
pub fn plan(facts: &Facts, fresh: bool, wanted: &[&str]) -> Result<InitPlan, SetupError> {
    let root = &facts.root;
    let tools = tools::plan(root, &facts.name, wanted);
    refuse_what_is_in_the_way(root, &tools)?;
    let initial = InitialConfig {
        name: &facts.name,
        root,
        canonical_branch: &facts.branch,
        runtime: facts.default_runtime(),
        quality_gates: &facts.gates,
    };
    let mut files = files::files(fresh.then_some(&initial))?;
    files.extend(tools.iter().flat_map(|tool| tool.files.iter().cloned()));
    let present = fs::read_optional(&root.join(GITATTRIBUTES))?;
    let attributes = tools::attributes(present.as_deref(), &tools);
    files.retain(|file| update::differs(root, file));
    let replaced = update::replaced(root, &files, &clock::now().stamp())?;
    let attributes_added = attributes.is_some();
    files.extend(attributes);
    Ok(InitPlan {
        files,
        databases: STORES
            .iter()
            .map(|(name, _)| format!(".overstory/{name}"))
            .filter(|path| !root.join(path).exists())
            .collect(),
        replaced,
        tools,
        attributes: attributes_added,
        lock: (!ProjectPaths::new(root).start_lock().exists()).then(lock_name),
    })
}

/// Makes a plan and carries it out, or leaves everything as it was. Several at once take turns, and
/// `plan` is asked when it is this one's turn, so that what another one has written is kept like
/// everything else that is replaced. `first` makes a project of what is none yet: of several who try
/// that, one does, and the others get `None`. Once `asked` gives a signal, all is taken back.
pub fn carry_out(
    root: &Path,
    first: bool,
    plan: impl Fn() -> Result<InitPlan, SetupError>,
    asked: impl Fn() -> Option<i32>,
) -> Result<Option<InitPlan>, SetupError> {
    // Declared first, so that what fails is taken back before it is another one's turn.
    let mut turn = None;
    let mut transaction = Transaction::new(root);
    match all_steps(root, first, plan, &asked, &mut transaction, &mut turn) {
        Ok(Steps::Done(plan)) => {
            transaction.keep();
            Ok(Some(*plan))
        }
        // The folder and the lock are the other one's.
        Ok(Steps::Others) => {
            transaction.keep();
            Ok(None)
        }
        Ok(Steps::NotOurTurn(signal)) => {
            transaction.keep();
            Err(SetupError::Ended { signal })
        }
        // An error that only came while ending is not worth telling.
        Err(error) => match (transaction.take_back(error), asked()) {
            (error @ SetupError::Unrestored { .. }, _) | (error, None) => Err(error),
            (_, Some(signal)) => Err(SetupError::Ended { signal }),
        },
    }
}

/// How the steps have ended when none of them failed.
enum Steps {
    /// All are done.
    Done(Box<InitPlan>),
    /// Somebody else was faster.
    Others,
    /// Asked by this signal to end while somebody else had the turn.
    NotOurTurn(i32),
}

fn all_steps(
    root: &Path,
    first: bool,
    plan: impl Fn() -> Result<InitPlan, SetupError>,
    asked: &dyn Fn() -> Option<i32>,
    transaction: &mut Transaction,
    turn: &mut Option<Lease>,
) -> Result<Steps, SetupError> {
    let paths = ProjectPaths::new(root);
    transaction.folder(STATE)?;
    let lock_is_new = !paths.start_lock().exists();
    transaction.expect_lock(&paths.start_lock());
    *turn = match take_turn(&paths.start_lock(), asked) {
        Err(SetupError::Ended { signal }) => return Ok(Steps::NotOurTurn(signal)),
        taken => Some(taken?),
    };
    let mut plan = plan()?;
    plan.lock = lock_is_new.then(lock_name);
    if first {
        let config = plan.files.iter().find(|file| file.path == CONFIG);
        // A plan without one was made when somebody else's was there already.
        let created = config.map_or(Ok(false), |config| transaction.create(config))?;
        if !created {
            return Ok(Steps::Others);
        }
    }
    apply(&paths, transaction, &plan, asked)?;
    Ok(Steps::Done(Box::new(plan)))
}

fn lock_name() -> String {
    format!("{STATE}/start.lock")
}

fn apply(
    paths: &ProjectPaths,
    transaction: &mut Transaction,
    plan: &InitPlan,
    asked: &dyn Fn() -> Option<i32>,
) -> Result<(), SetupError> {
    for folder in FOLDERS {
        go_on(asked)?;
        transaction.folder(folder)?;
    }
    for copy in &plan.replaced {
        go_on(asked)?;
        transaction.write(&copy.copy)?;
    }
    for file in &plan.files {
        go_on(asked)?;
        transaction.write(file)?;
    }
    for (name, create) in STORES {
        go_on(asked)?;
        transaction.expect_database(&format!(".overstory/{name}"));
        // One that is there already is opened too: a project with a broken store is not ready.
        create(&paths.file(name))?;
    }
    // The proof that what was written can be used; if it cannot, nothing of it stays.
    config::load(&paths.root)?;
    go_on(asked)
}

/// How often who waits for a turn finds out that it was asked to end.
const ASK: Duration = Duration::from_millis(50);

/// Waits for this one's turn; ends the wait when the process is asked to end.
fn take_turn(lock: &Path, asked: &dyn Fn() -> Option<i32>) -> Result<Lease, SetupError> {
    let (sender, receiver) = mpsc::channel();
    let path = lock.to_owned();
    // A wait for a lock cannot be broken off, only left behind.
    let waiting = std::thread::Builder::new()
        .name("turn".to_owned())
        .spawn(move || sender.send(lease::wait_for(&path)).unwrap_or_default());
    if waiting.is_err() {
        return Ok(lease::wait_for(lock)?);
    }
    loop {
        match receiver.recv_timeout(ASK) {
            Ok(turn) => return Ok(turn?),
            Err(RecvTimeoutError::Timeout) => go_on(asked)?,
            Err(RecvTimeoutError::Disconnected) => return Ok(lease::wait_for(lock)?),
        }
    }
}

fn go_on(asked: &dyn Fn() -> Option<i32>) -> Result<(), SetupError> {
    asked().map_or(Ok(()), |signal| Err(SetupError::Ended { signal }))
}

/// A file where a folder belongs, or the other way round, is named before anything is written.
fn refuse_what_is_in_the_way(root: &Path, tools: &[ToolPlan]) -> Result<(), SetupError> {
    let in_the_way = |path: &Path, is: &str, wanted: &str| {
        SetupError::refused(
            format!(
                "{} is a {is}, but grove needs a {wanted} there",
                path.display()
            ),
            "next: move it away, then grove init",
        )
    };
    let leads_nowhere = |path: &Path| path.is_symlink() && !path.exists();
    let mut files: Vec<String> = files::files(None)?
        .into_iter()
        .map(|file| file.path)
        .collect();
    files.push(CONFIG.to_owned());
    files.push(GITATTRIBUTES.to_owned());
    files.extend(
        tools
            .iter()
            .flat_map(|t| t.files.iter().map(|f| f.path.clone())),
    );
    let parents = files.iter().filter_map(|path| Path::new(path).parent());
    let folders = FOLDERS.iter().map(Path::new).chain(parents);
    for folder in folders.flat_map(Path::ancestors) {
        let path = root.join(folder);
        if leads_nowhere(&path) {
            return Err(in_the_way(&path, "link that leads nowhere", "folder"));
        }
        if std::fs::metadata(&path).is_ok_and(|meta| !meta.is_dir()) {
            return Err(in_the_way(&path, "file", "folder"));
        }
    }
    for file in &files {
        let path = root.join(file);
        if path.is_dir() {
            return Err(in_the_way(&path, "folder", "file"));
        }
        if leads_nowhere(&path) {
            return Err(in_the_way(&path, "link that leads nowhere", "file"));
        }
    }
    for path in STORES.map(|(name, _)| root.join(STATE).join(name)) {
        if path.is_dir() {
            return Err(in_the_way(&path, "folder", "file"));
        }
        // A link to a file that is still to be made is fine where it can be made.
        let end = end_of_links(path.clone());
        if !end.is_some_and(|end| end.exists() || end.parent().is_some_and(Path::is_dir))
            && leads_nowhere(&path)
        {
            return Err(in_the_way(&path, "link that leads nowhere", "file"));
        }
    }
    Ok(())
}

impl InitPlan {
    /// Leaves the project's own files out, so that only companions are added.
    pub fn only_tools(&mut self) {
        let own = |path: &str| path.starts_with(".overstory/");
        self.files.retain(|file| !own(&file.path));
        self.replaced.clear();
    }

    /// Every path that will be new or different.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter().map(|file| file.path.as_str());
        let databases = self.databases.iter().map(String::as_str);
        files.chain(databases).chain(self.lock.as_deref())
    }

    /// What will have become of a companion.
    pub fn tool(&self, name: &str) -> ToolStatus {
        self.tools
            .iter()
            .find(|tool| tool.name == name)
            .map_or(ToolStatus::Skipped, |tool| tool.status)
    }
}
