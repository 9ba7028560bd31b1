//! The coordinator at work: look, decide, do, until nothing is left to do.

use super::decide::{Action, decide};
use super::merge_due::merge_due;
use super::merge_retry::Rest;
use super::retries::Retries;
use super::snapshot::{Look, Seen};
use super::{CoordinatorError, completion, execute, intervene, recovery, snapshot};
use crate::config::Config;
use crate::db::Stores;
use crate::merge::CallOff;
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, clock, lease};
use crate::types::merge::MergeStatus;
use crate::watchdog::{Claim, PidFile, Quiet, pid_file};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many times the stores are looked at again in one go: what one action brings about may
/// make another one due.
const ROUNDS: usize = 8;

/// What the coordinator tells whoever runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Something was done.
    Did(String),
    /// Something could not be done; it is tried again.
    Trouble(String),
    /// What is merged without anybody having asked just now, and what became of it.
    Merge { text: String, is_well: bool },
    /// A merge has come to its next gate.
    Gate {
        queue_id: i64,
        done: usize,
        total: usize,
        current: Option<String>,
    },
    /// A merge has ended, however.
    MergeEnded { queue_id: i64 },
}

/// Somebody who listens.
pub type Listener = Arc<dyn Fn(Notice) + Send + Sync>;

/// The loop's memory. Dropping it gives the lease back.
pub struct Coordinator {
    paths: ProjectPaths,
    config: Config,
    listener: Listener,
    merging: Arc<AtomicBool>,
    rest: Arc<Rest>,
    call_off: CallOff,
    merge_thread: Option<std::thread::JoinHandle<()>>,
    /// Mail that hosts have been told of by this process.
    poked: HashSet<String>,
    stores: Stores,
    /// Whether finished work is landed without a person.
    lands: bool,
    quiet: Quiet,
    retries: Retries,
    /// Held while this process is the one that watches.
    watch: Option<PidFile>,
    _lease: lease::Lease,
}

impl Coordinator {
    /// Takes the lease; `Err` names who holds it.
    pub fn take(
        paths: &ProjectPaths,
        config: &Config,
        call_off: CallOff,
        listener: Listener,
    ) -> Result<Self, CoordinatorError> {
        match lease::try_take(&paths.coordinator_lease())? {
            lease::Taken::Mine(lease) => {
                let mut coordinator = Self {
                    paths: paths.clone(),
                    config: config.clone(),
                    listener,
                    merging: Arc::new(AtomicBool::new(false)),
                    rest: Arc::default(),
                    call_off,
                    merge_thread: None,
                    poked: HashSet::new(),
                    stores: Stores::open(paths)?,
                    lands: true,
                    quiet: Quiet::default(),
                    retries: Retries::default(),
                    watch: None,
                    _lease: lease,
                };
                coordinator.keep_watch();
                Ok(coordinator)
            }
            lease::Taken::HeldBy(who) => Err(CoordinatorError::AlreadyRunning {
                pid: who.map_or(0, |p| p.pid),
            }),
        }
    }

    /// Leaves landing to a person.
    pub fn only_prepare(&mut self) {
        self.lands = false;
    }

    /// Becomes the watchdog unless another process is: this program's `watch`, or ov's.
    fn keep_watch(&mut self) {
        if !self.config.watchdog.tier0_enabled || self.watch.is_some() {
            return;
        }
        match pid_file::claim(&self.paths) {
            Ok(Claim::Mine(file)) => {
                if let Some(what) = file.taken_over() {
                    (self.listener)(Notice::Trouble(what));
                }
                self.watch = Some(file);
            }
            Ok(Claim::HeldBy(_)) => {}
            Err(e) => (self.listener)(Notice::Trouble(e.to_string())),
        }
    }

    /// Whether the project's exit triggers say that the coordinator is done. Nothing may be left
    /// to do by itself: call it after [`Self::work`].
    pub fn is_complete(&self) -> bool {
        if self.is_merging() {
            return false;
        }
        match completion::check(&self.paths, &self.config) {
            Ok(triggers) => triggers.complete(),
            Err(e) => {
                (self.listener)(Notice::Trouble(format!("exit triggers: {e}")));
                false
            }
        }
    }

    /// Ends what an earlier coordinator was killed in the middle of.
    pub fn recover(&self) {
        match recovery::recover(&self.paths) {
            Ok(lines) => lines
                .into_iter()
                .for_each(|told| (self.listener)(Notice::Did(told.line))),
            Err(e) => (self.listener)(Notice::Trouble(format!("recovery: {e}"))),
        }
    }

    /// A merge of another process that was killed leaves its entry behind.
    fn recover_killed(&self, snapshot: &snapshot::Snapshot) {
        let mut rows = snapshot.queue.iter();
        if self.is_merging() || rows.all(|q| q.entry.status != MergeStatus::Merging) {
            return;
        }
        let progress = self.stores.grove.merge_progress().unwrap_or_default();
        let mut gone = progress.iter();
        if gone.any(|p| liveness::check(p.process) == Liveness::Dead) {
            self.recover();
        }
    }

    pub fn is_merging(&self) -> bool {
        self.merging.load(Ordering::Acquire)
    }

    /// Whether a store has changed since this was last asked; what cannot be told counts as
    /// changed.
    pub fn has_news(&mut self) -> bool {
        self.stores.changed().unwrap_or(true)
    }

    /// Does everything that is due.
    pub fn work(&mut self) -> Seen {
        self.keep_watch();
        let mut alive = Vec::new();
        for _ in 0..ROUNDS {
            let look = Look {
                merging: self.is_merging(),
                lands: self.lands,
                watches: self.watch.is_some(),
                rests_until: self.rest.until(),
            };
            let (paths, stores, config) = (&self.paths, &self.stores, &self.config);
            let snapshot = match snapshot::gather(paths, stores, config, look, &mut self.quiet) {
                Ok(snapshot) => snapshot,
                Err(e) => {
                    (self.listener)(Notice::Trouble(e.to_string()));
                    return Seen::nothing(clock::now());
                }
            };
            self.recover_killed(&snapshot);
            let plan = decide(&snapshot);
            alive = snapshot.alive();
            self.retries.keep(&plan.actions);
            let due: Vec<_> = plan
                .actions
                .into_iter()
                .filter(|a| self.is_due(a))
                .collect();
            let done = due.into_iter().filter(|a| self.act(a.clone())).count();
            if done == 0 {
                let (now, steady) = (clock::now(), clock::steady_ms());
                let wake_at = self.retries.wake_at(plan.wake_at, now, steady);
                return Seen { wake_at, alive };
            }
        }
        let wake_at = None;
        Seen { wake_at, alive }
    }

    fn is_due(&self, action: &Action) -> bool {
        if !self.retries.is_due(action, clock::steady_ms()) {
            return false;
        }
        match action {
            Action::Poke { messages, .. } => messages.iter().any(|m| !self.poked.contains(m)),
            Action::Enqueue { .. }
            | Action::Acknowledge { .. }
            | Action::Merge { .. }
            | Action::DeclareDead { .. }
            | Action::MarkStalled { .. }
            | Action::MarkActive { .. }
            | Action::Nudge { .. }
            | Action::Triage { .. }
            | Action::GiveUp { .. }
            | Action::Correct { .. }
            | Action::TellRunEnd { .. }
            | Action::Answer { .. }
            | Action::Retire { .. } => true,
        }
    }

    /// Does one action; `false` when it failed.
    fn act(&mut self, action: Action) -> bool {
        let tried = action.clone();
        let worked = self.carry_out(action);
        self.retries.tried(&tried, worked, clock::steady_ms());
        worked
    }

    fn carry_out(&mut self, action: Action) -> bool {
        match action {
            Action::Merge { queue_id } => {
                self.start_merge(queue_id);
                true
            }
            Action::Poke { ref messages, .. } => {
                self.poked.extend(messages.iter().cloned());
                self.tell(execute::execute(&self.paths, &action))
            }
            Action::Triage {
                key,
                agent,
                session_id,
            } => {
                ask(
                    &self.paths,
                    &self.config,
                    &self.listener,
                    key,
                    agent,
                    session_id,
                );
                true
            }
            Action::Enqueue { .. }
            | Action::Acknowledge { .. }
            | Action::DeclareDead { .. }
            | Action::MarkStalled { .. }
            | Action::MarkActive { .. }
            | Action::Nudge { .. }
            | Action::GiveUp { .. }
            | Action::Correct { .. }
            | Action::TellRunEnd { .. }
            | Action::Answer { .. }
            | Action::Retire { .. } => self.tell(execute::execute(&self.paths, &action)),
        }
    }

    fn tell(&self, result: Result<Option<String>, CoordinatorError>) -> bool {
        match result {
            Ok(Some(line)) => (self.listener)(Notice::Did(line)),
            Ok(None) => {}
            Err(e) => {
                (self.listener)(Notice::Trouble(e.to_string()));
                return false;
            }
        }
        true
    }

    /// Merges on a thread of its own; its end is a notice, upon which the owner works again.
    fn start_merge(&mut self, queue_id: i64) {
        self.merging.store(true, Ordering::Release);
        let (paths, config) = (self.paths.clone(), self.config.clone());
        let (listener, merging) = (Arc::clone(&self.listener), Arc::clone(&self.merging));
        let (rest, call_off) = (Arc::clone(&self.rest), self.call_off.clone());
        let started = std::thread::Builder::new()
            .name("merge".to_owned())
            .spawn(move || {
                let result = merge_due(&paths, &config, queue_id, &call_off, &listener);
                match &result {
                    Ok(_) => rest.went_well(),
                    Err(_) => rest.failed(clock::now()),
                }
                merging.store(false, Ordering::Release);
                match result {
                    Ok(told) => told.into_iter().for_each(|notice| listener(notice)),
                    Err(e) => listener(Notice::Trouble(format!("merge: {e}"))),
                }
                listener(Notice::MergeEnded { queue_id });
            });
        match started {
            Ok(thread) => self.merge_thread = Some(thread),
            Err(e) => {
                self.merging.store(false, Ordering::Release);
                (self.listener)(Notice::Trouble(format!(
                    "a merge could not be started: {e}"
                )));
            }
        }
    }

    /// Waits for a merge that is going on: it ends landed or held, not half done.
    pub fn finish(&mut self) {
        if let Some(thread) = self.merge_thread.take()
            && thread.join().is_err()
        {
            (self.listener)(Notice::Trouble("the merge thread failed".to_owned()));
        }
    }
}

/// Asks for a second opinion on a thread of its own: a model takes its time.
pub(super) fn ask(
    paths: &ProjectPaths,
    config: &Config,
    listener: &Listener,
    key: String,
    agent: String,
    session_id: String,
) {
    let claimed = crate::db::GroveStore::open(&paths.grove_db())
        .and_then(|grove| grove.claim_action(&key, ""));
    match claimed {
        Ok(true) => {}
        Ok(false) => return,
        Err(e) => return listener(Notice::Trouble(e.to_string())),
    }
    let (paths, config, listener) = (paths.clone(), config.clone(), Arc::clone(listener));
    let failed = Arc::clone(&listener);
    let started = std::thread::Builder::new()
        .name("triage".to_owned())
        .spawn(
            move || match intervene::second_opinion(&paths, &config, &agent, &session_id) {
                Ok(line) => listener(Notice::Did(line)),
                Err(e) => listener(Notice::Trouble(e.to_string())),
            },
        );
    if let Err(e) = started {
        failed(Notice::Trouble(format!("no second opinion: {e}")));
    }
}
