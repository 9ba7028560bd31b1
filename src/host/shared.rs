//! What the threads of a host share: the launch, the screen, and where the agent is in its turn.

use super::git_settings::GitSettings;
use super::mailbox::Mailbox;
use super::slots::Slots;
use super::terminal::Terminal;
use super::unasked::Calls;
use super::unsaved::Unsaved;
use super::writer::StoreWriter;
use crate::guard::Policy;
use crate::platform::{ProjectPaths, clock};
use crate::types::host::{LaunchRecord, ProcessId};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// So many commands of the agent run at once.
const COMMANDS: usize = 8;

/// Where the agent is in its turn, as its hooks and stream tell.
#[derive(Debug, Default)]
pub struct Turn {
    pub in_turn: bool,
    pub tools_running: u32,
    pub hooks_seen: bool,
    pub last_hook_ms: i64,
    /// How often the agent was sent on because its work was not finished.
    pub stop_refusals: u32,
    /// Nudges that wait for the agent's next step.
    pub nudges: Vec<String>,
    /// Mail that has been given to a hook which has not yet said that it arrived.
    pub on_the_way: HashSet<String>,
    /// Requests to stop that have not been answered yet.
    pub stops_open: u32,
    /// Grows with every poke, so that a waiter sees one that came before it slept.
    pub pokes: u64,
    pub ended: bool,
    pub stopping: bool,
    /// Whether it was recorded that the agent has left its files.
    pub scope_told: bool,
    /// Whether the CLI has said which conversation it runs.
    pub conversation_seen: bool,
    /// What the guard was asked about.
    pub(super) calls: Calls,
    /// Why the agent was given up, if it was.
    pub given_up: Option<String>,
}

/// Everything the threads of a host share.
pub struct Shared {
    pub launch: LaunchRecord,
    pub paths: ProjectPaths,
    pub socket: PathBuf,
    /// `None` when the project has switched the guard off for this role.
    pub policy: Option<Policy>,
    pub terminal: Terminal,
    pub store: StoreWriter,
    pub mailbox: Mailbox,
    pub unsaved: Unsaved,
    pub(super) git_settings: GitSettings,
    turn: Mutex<Turn>,
    turn_changed: Condvar,
    /// Bytes for the agent's terminal or standard input.
    input: SyncSender<Vec<u8>>,
    cli: Mutex<ProcessId>,
    /// The agent's commands that run at once: each is a process, and a crowd of them would leave people none of the machine.
    pub(super) commands: Slots,
    /// Held while a program of the user's renews the login.
    renewing: Mutex<()>,
}

impl Shared {
    pub fn new(
        launch: LaunchRecord,
        paths: ProjectPaths,
        socket: PathBuf,
        policy: Option<Policy>,
        terminal: Terminal,
        store: StoreWriter,
        input: SyncSender<Vec<u8>>,
    ) -> Self {
        // The first prompt goes with the start, so a new agent is in its first turn.
        let turn = Turn {
            in_turn: true,
            ..Turn::default()
        };
        Self {
            mailbox: Mailbox::new(paths.mail_db()),
            unsaved: Unsaved::default(),
            git_settings: GitSettings::new(&launch.cwd, &paths.host_dir(&launch.agent)),
            launch,
            paths,
            socket,
            policy,
            terminal,
            store,
            turn: Mutex::new(turn),
            turn_changed: Condvar::new(),
            input,
            cli: Mutex::new(ProcessId { pid: 0, start: 0 }),
            commands: Slots::new(COMMANDS),
            renewing: Mutex::new(()),
        }
    }

    pub fn agent(&self) -> &str {
        &self.launch.agent
    }

    /// While this is held, nobody renews the login, and nobody ends what the host has started.
    pub(super) fn renewing(&self) -> MutexGuard<'_, ()> {
        self.renewing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at or changes the turn and wakes everybody who waits for it.
    pub fn with_turn<T>(&self, f: impl FnOnce(&mut Turn) -> T) -> T {
        let value = f(&mut self.lock_turn());
        self.turn_changed.notify_all();
        value
    }

    fn lock_turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sleeps until the condition holds or the time is up; tells whether it holds.
    pub fn wait_turn(
        &self,
        limit: Option<std::time::Duration>,
        mut done: impl FnMut(&Turn) -> bool,
    ) -> bool {
        let turn = self.lock_turn();
        match limit {
            Some(limit) => {
                let result = self
                    .turn_changed
                    .wait_timeout_while(turn, limit, |t| !done(t))
                    .unwrap_or_else(PoisonError::into_inner);
                !result.1.timed_out()
            }
            None => {
                drop(
                    self.turn_changed
                        .wait_while(turn, |t| !done(t))
                        .unwrap_or_else(PoisonError::into_inner),
                );
                true
            }
        }
    }

    /// Notes that a hook has reported in.
    pub fn hook_seen(&self) {
        let first = self.with_turn(|t| {
            t.last_hook_ms = clock::now().0;
            !std::mem::replace(&mut t.hooks_seen, true)
        });
        if first {
            self.store.first_hook();
        }
    }

    /// Gives bytes to the agent, waiting while its input is full.
    pub fn send_input(&self, bytes: Vec<u8>) -> bool {
        self.input.send(bytes).is_ok()
    }

    /// Gives bytes to the agent if there is room now; an agent that does not read its input
    /// must not stop the thread that reads its output.
    pub fn try_input(&self, bytes: Vec<u8>) -> bool {
        match self.input.try_send(bytes) {
            Ok(()) => true,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => false,
        }
    }

    pub fn cli(&self) -> ProcessId {
        *self.cli.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set_cli(&self, id: ProcessId) {
        *self.cli.lock().unwrap_or_else(PoisonError::into_inner) = id;
    }
}
