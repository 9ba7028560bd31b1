//! Watching without coordinating: what `grove watch` does while no coordinator runs, or beside one
//! of the other program.

use super::decide::Action;
use super::headless::{Message, report_end};
use super::pacing::{Next, Pacing, SAFETY};
use super::snapshot::{self, Look};
use super::work::{self, Listener, Notice};
use super::{CoordinatorError, execute, watch};
use crate::config::Config;
use crate::db::Stores;
use crate::platform::liveness::{self, Liveness};
use crate::platform::watch::{self as files, Wake};
use crate::platform::{ProjectPaths, clock};
use crate::types::{AgentSession, Timestamp};
use crate::watchdog::Quiet;
use std::collections::HashSet;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

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
    let from_hosts = sender.clone();
    ready(sender)?;
    let mut stores = Stores::open(paths)?;
    let mut quiet = Quiet::default();
    let mut watched = HashSet::new();
    let mut tick = clock::steady_ms();
    let mut look = true;
    // Kept over a look that shows no news: what is due then is due all the same.
    let mut wake_at: Option<Timestamp> = None;
    let mut pacing = Pacing::default();
    while paths.dir().is_dir() {
        if look || stores.changed().unwrap_or(true) {
            wake_at = patrol(paths, &stores, config, listener, &mut quiet);
            let hosts = stores.grove.hosts().unwrap_or_default();
            for host in hosts {
                let lives =
                    host.ended_at.is_none() && liveness::check(host.host) == Liveness::Alive;
                if lives && watched.insert(host.session_id.clone()) {
                    report_end(host, from_hosts.clone());
                }
            }
        }
        if clock::steady_ms() >= tick {
            tick = clock::steady_ms() + interval.as_millis() as i64;
            on_check(&stores.sessions.active()?);
        }
        let until_tick = Duration::from_millis((tick - clock::steady_ms()).max(1) as u64);
        let until_wake = wake_at.map_or(SAFETY, |at| {
            Duration::from_millis((at.0 - clock::now().0).max(1) as u64)
        });
        let wait = pacing.wait(until_tick.min(until_wake));
        look = match pacing.woken(receiver.recv_timeout(wait)) {
            Next::Look => true,
            Next::Ask => false,
            Next::End => break,
        };
    }
    drop(watcher);
    Ok(())
}

/// Does what is due; returns when time alone makes more of it due.
fn patrol(
    paths: &ProjectPaths,
    stores: &Stores,
    config: &Config,
    listener: &Listener,
    quiet: &mut Quiet,
) -> Option<Timestamp> {
    let look = Look {
        rests_until: Timestamp(0),
        merging: true,
        lands: false,
        watches: true,
    };
    for _ in 0..ROUNDS {
        let snapshot = match snapshot::gather(paths, stores, config, look, quiet) {
            Ok(snapshot) => snapshot,
            Err(e) => {
                listener(Notice::Trouble(e.to_string()));
                return None;
            }
        };
        let plan = watch::watch(&snapshot);
        if plan.actions.is_empty() {
            return plan.wake_at;
        }
        let mut done = 0;
        for action in plan.actions {
            if let Action::Triage {
                key,
                agent,
                session_id,
            } = action
            {
                work::ask(paths, config, listener, key, agent, session_id);
                done += 1;
                continue;
            }
            done += 1;
            match execute::execute(paths, &action) {
                Ok(Some(line)) => listener(Notice::Did(line)),
                Ok(None) => {}
                Err(e) => {
                    done -= 1;
                    listener(Notice::Trouble(e.to_string()));
                }
            }
        }
        if done == 0 {
            return plan.wake_at;
        }
    }
    None
}
