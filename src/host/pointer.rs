//! Keeping an agent's worktree in its repository: what leads from one to the other is put back as soon as it is
//! bent, because everybody who runs git there follows it.

use super::outcome;
use super::shared::Shared;
use super::stop;
use crate::git::{POINTERS, Pointers, Repo};
use crate::platform::watch::{self, Watch};
use crate::types::event::{EventType, Level, NewEvent};
use serde_json::json;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// So often an agent's pointers are put back before the agent is ended.
const PATIENCE: u32 = 10;
/// The rule in the list of refused calls; the watchdog reports it at once.
const RULE: &str = "git-pointer";

/// The pointers of the agent's worktree, watched for as long as this lives.
pub(super) struct Kept {
    keeper: Arc<Keeper>,
    _watch: Option<Watch>,
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
    let watch = watch::files(&keeper.pointers.folders(), &POINTERS, move || {
        watching.look();
    });
    keeper.look();
    if let Err(e) = &watch {
        tracing::warn!("the worktree's .git file is only looked at when the agent ends: {e}");
    }
    Some(Kept {
        keeper,
        _watch: watch.ok(),
    })
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
            self.give_up(why);
        }
    }

    fn tell(&self, file: &Path) {
        let name = file.strip_prefix(&self.shared.launch.cwd).unwrap_or(file);
        let what = if file.ends_with("HEAD") {
            "is no file any more, so that git would wait there; it"
        } else {
            "decides which repository git works in; it was changed and"
        };
        let reason = format!("{} {what} has been put back", name.display());
        tracing::warn!("{reason}");
        let mut event = NewEvent::new(self.shared.agent(), EventType::Custom).level(Level::Warn);
        event.run_id.clone_from(&self.shared.launch.run_id);
        event.session_id = Some(self.shared.launch.session_id.clone());
        let data = json!({"type": "guard_refused", "rule": RULE, "reason": reason});
        self.shared.store.event(event.data(&data));
    }

    /// On a thread of its own: this one may be the watcher's.
    fn give_up(&self, why: String) {
        let is_over = self.shared.with_turn(|t| {
            let is_over = t.ended || t.stopping;
            if !is_over {
                t.given_up = Some(why);
            }
            is_over
        });
        if is_over {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let started = std::thread::Builder::new()
            .name("give-up".to_owned())
            .spawn(move || stop::stop(&shared, true));
        if let Err(e) = started {
            tracing::error!("the agent could not be stopped: {e}");
        }
    }
}
