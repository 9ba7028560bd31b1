//! Keeping an agent's worktree in its repository: what leads from one to the other is put back as soon as it is
//! bent, because everybody who runs git there follows it. So is a branch of the agent's that leads to somebody else's.

use super::outcome;
use super::shared::Shared;
use super::stop;
use crate::git::{POINTERS, Pointers, Repo, stand_alone, symbolic_refs};
use crate::platform::watch::{self, Rounds, Watch};
use crate::types::event::{EventType, Level, NewEvent};
use serde_json::json;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// So often an agent's pointers are put back before the agent is ended.
const PATIENCE: u32 = 10;
/// How often they are looked at where the system does not tell of changes: other agents may have taken all that it has for
/// telling.
const ROUND: Duration = Duration::from_millis(100);
/// The rule in the list of refused calls; the watchdog reports it at once.
const RULE: &str = "git-pointer";

/// The pointers of the agent's worktree, watched for as long as this lives.
pub(super) struct Kept {
    keeper: Arc<Keeper>,
    _watch: Option<Watch>,
    /// Instead of it.
    _rounds: Option<Rounds>,
}

struct Keeper {
    shared: Arc<Shared>,
    pointers: Pointers,
    /// One at a time: what one puts back, another must not take for the agent's.
    looking: Mutex<()>,
    bent: AtomicU32,
}

/// Puts right what an earlier life has left, and watches from now on.
pub(super) fn keep(shared: &Arc<Shared>) -> Option<Kept> {
    if shared.launch.cwd == shared.paths.root || !outcome::writes(&shared.launch.capability) {
        return None;
    }
    let repo = match Repo::discover(&shared.paths.root) {
        Ok(repo) => repo,
        Err(e) => {
            tracing::debug!("no pointers to keep: {e}");
            return None;
        }
    };
    let Some(pointers) = Pointers::of(&repo, &shared.launch.cwd) else {
        tracing::warn!("the repository does not know this worktree; its .git file is not watched");
        return None;
    };
    let keeper = Arc::new(Keeper {
        shared: Arc::clone(shared),
        pointers,
        looking: Mutex::new(()),
        bent: AtomicU32::new(0),
    });
    let watching = Arc::clone(&keeper);
    // The file of its own branch, too: its folder is made before the agent starts.
    let own = repo
        .common_dir()
        .join("refs/heads")
        .join(&shared.launch.branch);
    let branch = own.file_name().and_then(|name| name.to_str());
    let names: Vec<&str> = POINTERS.into_iter().chain(branch).collect();
    let mut folders = keeper.pointers.folders().to_vec();
    folders.extend(own.parent().filter(|folder| folder.is_dir()));
    let watch = watch::files(&folders, &names, move || {
        watching.look();
    });
    keeper.look();
    let (watch, rounds) = match watch {
        Ok(watch) => (Some(watch), None),
        Err(e) => (None, in_rounds(&keeper, &e)),
    };
    Some(Kept {
        keeper,
        _watch: watch,
        _rounds: rounds,
    })
}

fn in_rounds(keeper: &Arc<Keeper>, why: &notify::Error) -> Option<Rounds> {
    let looking = Arc::clone(keeper);
    let (how, rounds) = match Rounds::start(ROUND, move || looking.look()) {
        Ok(rounds) => ("ten times a second", Some(rounds)),
        Err(_) => ("only when the agent ends", None),
    };
    let note = format!(
        "changes of its worktree's .git are not told by the system ({why}), so it is looked at {how}; raise \
         fs.inotify.max_user_instances, or see which program has them"
    );
    tracing::warn!("{note}");
    let event = NewEvent::new(keeper.shared.agent(), EventType::Custom).level(Level::Warn);
    let data = json!({"type": "sandbox", "note": note});
    keeper.shared.store.event(event.data(&data));
    rounds
}

impl Kept {
    /// The agent has ended: nobody bends anything from now on.
    pub(super) fn end(self) {
        self.keeper.look();
    }
}

impl Keeper {
    fn look(self: &Arc<Self>) {
        let guard = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let restored = self.pointers.restore();
        self.keep_branches();
        drop(guard);
        let why = match restored {
            Ok(files) => {
                for file in &files {
                    self.tell(file);
                }
                let count = u32::from(!files.is_empty());
                let before = self.bent.fetch_add(count, Ordering::AcqRel);
                (count > 0 && before + 1 == PATIENCE).then(|| {
                    format!("it changed the pointers of its worktree {PATIENCE} times, so it was stopped")
                })
            }
            Err(e) => {
                tracing::error!("a pointer of the worktree cannot be put back: {e}");
                let before = self.bent.swap(PATIENCE, Ordering::AcqRel);
                (before < PATIENCE).then(|| {
                    format!(
                        "its worktree leads to another repository and that cannot be mended: {e}"
                    )
                })
            }
        };
        if let Some(why) = why {
            stop::give_up(&self.shared, why);
        }
    }

    /// A branch of the agent's own that it has made another name of somebody's is its own again: a commit there would move
    /// the other one.
    fn keep_branches(&self) {
        let branch = &self.shared.launch.branch;
        let Some((folder, _)) = branch.rsplit_once('/') else {
            return;
        };
        let repo = match Repo::discover(&self.shared.paths.root) {
            Ok(repo) => repo,
            Err(e) => {
                tracing::warn!("the agent's branches cannot be looked at: {e}");
                return;
            }
        };
        for found in symbolic_refs(&repo, &format!("refs/heads/{folder}")) {
            match stand_alone(&repo, &found) {
                Ok(_) => self.say(format!(
                    "{} was made another name of {}, which a commit there would have moved; it is a branch of its own again",
                    found.name, found.target
                )),
                Err(e) => tracing::error!("{} stays a name of {}: {e}", found.name, found.target),
            }
        }
    }

    fn tell(&self, file: &Path) {
        let name = file.strip_prefix(&self.shared.launch.cwd).unwrap_or(file);
        let what = if file.ends_with("HEAD") {
            "is no file any more, so that git would wait there; it"
        } else {
            "decides which repository git works in; it was changed and"
        };
        self.say(format!("{} {what} has been put back", name.display()));
    }

    fn say(&self, reason: String) {
        tracing::warn!("{reason}");
        let mut event = NewEvent::new(self.shared.agent(), EventType::Custom).level(Level::Warn);
        event.run_id.clone_from(&self.shared.launch.run_id);
        event.session_id = Some(self.shared.launch.session_id.clone());
        let data = json!({"type": "guard_refused", "rule": RULE, "reason": reason});
        self.shared.store.event(event.data(&data));
    }
}
