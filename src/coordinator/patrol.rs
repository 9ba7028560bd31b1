//! Watching without coordinating: what `grove watch` does while no coordinator runs, or beside one
//! of the other program.

use super::decide::Action;
use super::ends::Ends;
use super::headless::Message;
use super::pacing::{self, Next, Pacing};
use super::retries::Retries;
use super::snapshot::{self, Look, Seen};
use super::work::{self, Listener, Notice};
use super::{CoordinatorError, execute, watch};
use crate::config::Config;
use crate::db::Stores;
use crate::platform::watch::{self as files, Wake};
use crate::platform::{ProjectPaths, clock};
use crate::types::AgentSession;
use crate::types::Timestamp;
use crate::watchdog::Quiet;
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

/// What one action brings about may make another one due.
const ROUNDS: usize = 4;

/// Watches until told to end. Whoever calls this holds `watchdog.pid`. `on_check` is given the
/// sessions at every tick.
pub fn run(
    paths: &ProjectPaths,
    config: &Config,
    interval: Duration,
    listener: &Listener,
    mut on_check: impl FnMut(&[AgentSession]),
    ready: impl FnOnce(Sender<Message>) -> Result<(), CoordinatorError>,
) -> Result<(), CoordinatorError> {
    let (sender, receiver) = mpsc::channel();
    let from_files = sender.clone();
    let watcher = files::stores(&paths.dir(), move |wake| {
        let message = match wake {
            Wake::Store => Message::Changed,
            Wake::File | Wake::Overflow => Message::Look,
        };
        // The loop has ended when nobody receives this.
        from_files.send(message).unwrap_or_default();
    })?;
    let ends = Ends::new(sender.clone());
    ready(sender)?;
    let mut stores = Stores::open(paths)?;
    let mut quiet = Quiet::default();
    let mut retries = Retries::default();
    let mut look = true;
    let mut tick = Instant::now();
    let mut pacing = Pacing::new(tick);
    while paths.dir().is_dir() {
        let ticks = Instant::now() >= tick;
        if stores.changed().unwrap_or(true) || look || ticks {
            let seen = patrol(paths, &stores, config, listener, &mut quiet, &mut retries);
            ends.follow(seen.alive);
            pacing.looked(Instant::now(), pacing::until(seen.wake_at, clock::now()));
        }
        if ticks {
            tick = Instant::now() + interval;
            on_check(&stores.sessions.active()?);
        }
        let now = Instant::now();
        let until_tick = tick.saturating_duration_since(now);
        let heard = receiver.recv_timeout(pacing.wait(now).min(until_tick));
        look = match pacing.woken(heard, Instant::now()) {
            Next::Look => true,
            Next::Ask => false,
            Next::End => break,
        };
    }
    drop(watcher);
    Ok(())
}

/// Does what is due.
fn patrol(
    paths: &ProjectPaths,
    stores: &Stores,
    config: &Config,
    listener: &Listener,
    quiet: &mut Quiet,
    retries: &mut Retries,
) -> Seen {
    let look = Look {
        rests_until: Timestamp(0),
        merging: true,
        lands: false,
        watches: true,
    };
    let mut alive = Vec::new();
    for _ in 0..ROUNDS {
        let snapshot = match snapshot::gather(paths, stores, config, look, quiet) {
            Ok(snapshot) => snapshot,
            Err(e) => {
                listener(Notice::Trouble(e.to_string()));
                return Seen::nothing(clock::now());
            }
        };
        let plan = watch::watch(&snapshot);
        alive = snapshot.alive();
        retries.keep(&plan.actions);
        let mut done = 0;
        for action in plan.actions {
            let steady = clock::steady_ms();
            if retries.is_due(&action, steady) {
                let worked = carry_out(paths, config, listener, &action);
                retries.tried(&action, worked, steady);
                done += usize::from(worked);
            }
        }
        if done == 0 {
            let wake_at = retries.wake_at(plan.wake_at, clock::now(), clock::steady_ms());
            return Seen { wake_at, alive };
        }
    }
    let wake_at = None;
    Seen { wake_at, alive }
}

/// Does one action; `false` when it failed.
fn carry_out(paths: &ProjectPaths, config: &Config, listener: &Listener, action: &Action) -> bool {
    if let Action::Triage {
        key,
        agent,
        session_id,
    } = action
    {
        let (key, agent, session_id) = (key.clone(), agent.clone(), session_id.clone());
        work::ask(paths, config, listener, key, agent, session_id);
        return true;
    }
    match execute::execute(paths, action) {
        Ok(Some(line)) => listener(Notice::Did(line)),
        Ok(None) => {}
        Err(e) => {
            listener(Notice::Trouble(e.to_string()));
            return false;
        }
    }
    true
}
