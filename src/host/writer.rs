//! Writing what happened into the stores, on a thread of its own.
//!
//! Neither a slow disk nor a locked database may delay the agent or its hooks, nor fill the memory. What cannot be
//! written is counted and said in the host's log; what there was no room for is an event, too. The agent goes on.

use super::backlog::{Backlog, LIMITS};
use super::outbox::{Held, Outbox};
use super::unwritten::Unwritten;
use crate::costs::{self, Meter};
use crate::db::{DbError, EventStore, GroveStore, MetricsStore, SessionStore};
use crate::platform::{ProjectPaths, clock};
use crate::runtimes::{Runtime, Usage};
use crate::types::event::{EventType, Level, NewEvent};
use crate::types::host::ExitReport;
use crate::types::{AgentSession, AgentState};
use serde_json::json;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Activity is noted at most this often while the agent only prints.
const TOUCH_EVERY: Duration = Duration::from_secs(2);

/// While refusals wait for room they are tried this often.
const AGAIN: Duration = Duration::from_secs(5);

/// One thing to write.
#[derive(Debug)]
pub enum Record {
    Event(NewEvent),
    CloseTool(String),
    /// The agent did something now.
    Activity,
    State(AgentState),
    FirstHook,
    WaitingFor(Option<String>),
    Conversation {
        id: Option<String>,
        transcript: Option<String>,
    },
    /// Where the CLI writes its transcript; from time to time a reason to look into it.
    Transcript(PathBuf),
    Model(String),
    /// A turn has ended and this is what it used.
    Turn(Box<Usage>),
    /// Store what has been used so far.
    Snapshot,
    /// Store what the session used in all.
    Metrics {
        code: Option<i32>,
    },
    Ended(Box<ExitReport>),
}

/// The sending side; cheap to use from any thread.
#[derive(Debug)]
pub struct StoreWriter {
    outbox: Outbox,
    thread: Mutex<Option<JoinHandle<u64>>>,
}

impl StoreWriter {
    /// Starts the thread. The stores are opened with the first record that needs them.
    pub fn start(
        paths: ProjectPaths,
        agent: String,
        session: String,
        runtime: &'static dyn Runtime,
    ) -> std::io::Result<Self> {
        let (sender, receiver) = mpsc::channel();
        let backlog = Arc::new(Backlog::new(LIMITS));
        let worker = Worker::new(paths, agent, session, runtime, Arc::clone(&backlog));
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .stack_size(512 * 1024)
            .spawn(move || worker.run(&receiver))?;
        Ok(Self {
            outbox: Outbox::new(sender, backlog),
            thread: Mutex::new(Some(thread)),
        })
    }

    pub fn record(&self, record: Record) {
        self.outbox.put(record);
    }

    /// Stores nothing until what is returned is dropped.
    pub fn hold(&self) -> Held<'_> {
        self.outbox.hold()
    }

    pub fn event(&self, event: NewEvent) {
        self.record(Record::Event(event));
    }

    pub fn first_hook(&self) {
        self.record(Record::FirstHook);
    }

    /// Writes everything that is still queued and ends; returns how many records were lost.
    pub fn finish(&self) -> u64 {
        self.outbox.close();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .take();
        thread.and_then(|t| t.join().ok()).unwrap_or(0)
    }
}

struct Worker {
    paths: ProjectPaths,
    agent: String,
    session: String,
    events: Option<EventStore>,
    sessions: Option<SessionStore>,
    grove: Option<GroveStore>,
    metrics: Option<MetricsStore>,
    meter: Meter,
    last_touch: Option<Instant>,
    /// What was stored last; only this thread ever stores it.
    waiting_for: Option<Option<String>>,
    unwritten: Unwritten,
    backlog: Arc<Backlog>,
    lost: u64,
}

impl Worker {
    fn new(
        paths: ProjectPaths,
        agent: String,
        session: String,
        runtime: &'static dyn Runtime,
        backlog: Arc<Backlog>,
    ) -> Self {
        Self {
            paths,
            agent,
            session,
            events: None,
            sessions: None,
            grove: None,
            metrics: None,
            meter: Meter::new(runtime),
            last_touch: None,
            waiting_for: None,
            unwritten: Unwritten::default(),
            backlog,
            lost: 0,
        }
    }

    fn run(mut self, receiver: &Receiver<Record>) -> u64 {
        let mut tried = Instant::now();
        loop {
            let next = if self.unwritten.is_empty() {
                receiver.recv().map_err(RecvTimeoutError::from)
            } else {
                receiver.recv_timeout(AGAIN.saturating_sub(tried.elapsed()))
            };
            match next {
                Ok(record) => {
                    let dropped = self.backlog.taken(&record);
                    self.take(record);
                    if let Some(dropped) = dropped {
                        self.tell_dropped(dropped);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if tried.elapsed() >= AGAIN {
                tried = Instant::now();
                self.store_unwritten();
            }
        }
        self.store_unwritten();
        let dropped = self.backlog.dropped();
        if dropped > 0 {
            self.tell_dropped(dropped);
        }
        self.lost + self.unwritten.len()
    }

    /// Stores that records went for which there was no room.
    fn tell_dropped(&mut self, count: u64) {
        tracing::warn!(
            count,
            "more was to be stored than could be: calls of tools and the like are missing"
        );
        self.lost += count;
        let event = NewEvent::new(&self.agent, EventType::Custom).level(Level::Warn);
        let mut event = event.data(&json!({"type": "records_dropped", "count": count}));
        event.session_id = Some(self.session.clone());
        // Of a run only where that can be told: this very store may be what is slow.
        event.run_id = self.own_session().ok().flatten().and_then(|own| own.run_id);
        if let Err(e) = self.write(Record::Event(event)) {
            tracing::warn!("not stored: {e}");
            self.lost -= count;
            self.backlog.not_told(count);
        }
    }

    fn take(&mut self, record: Record) {
        let what = format!("{record:?}");
        let event = match &record {
            Record::Event(event) => Some((event.clone(), clock::now())),
            Record::CloseTool(_)
            | Record::Activity
            | Record::State(_)
            | Record::FirstHook
            | Record::WaitingFor(_)
            | Record::Conversation { .. }
            | Record::Transcript(_)
            | Record::Model(_)
            | Record::Turn(_)
            | Record::Snapshot
            | Record::Metrics { .. }
            | Record::Ended(_) => None,
        };
        if let Err(e) = self.write(record) {
            self.lost += event.map_or(1, |(event, at)| self.unwritten.keep(event, at));
            let short: String = what.chars().take(120).collect();
            tracing::warn!(lost = self.lost, record = %short, "not stored: {e}");
        }
    }

    /// Stores the refusals that wait, once there is room.
    fn store_unwritten(&mut self) {
        if self.unwritten.is_empty() {
            return;
        }
        let mut waiting = std::mem::take(&mut self.unwritten);
        let stored = self
            .events()
            .and_then(|events| waiting.store(|late| events.insert_late(late).map(|_| ())));
        self.unwritten = waiting;
        if let Err(e) = stored {
            tracing::debug!(waiting = self.unwritten.len(), "still not stored: {e}");
        }
    }

    fn write(&mut self, record: Record) -> Result<(), DbError> {
        match record {
            Record::Event(event) => self.events()?.insert(&event).map(|_| ()),
            Record::CloseTool(tool) => {
                let agent = self.agent.clone();
                self.events()?.close_tool(&agent, &tool).map(|_| ())
            }
            Record::Activity => {
                if self.last_touch.is_some_and(|t| t.elapsed() < TOUCH_EVERY) {
                    return Ok(());
                }
                self.last_touch = Some(Instant::now());
                let agent = self.agent.clone();
                self.sessions()?.touch(&agent)
            }
            Record::State(state) => {
                let (agent, session) = (self.agent.clone(), self.session.clone());
                let sessions = self.sessions()?;
                // Every tool call says it; looking takes no lock.
                if sessions.is_in(&agent, &session, state)? {
                    return Ok(());
                }
                sessions
                    .transition_session(&agent, &session, state)
                    .map(|_| ())
            }
            Record::FirstHook => {
                let session = self.session.clone();
                self.grove()?.set_first_hook(&session)
            }
            Record::WaitingFor(why) => {
                if self.waiting_for.as_ref() == Some(&why) {
                    return Ok(());
                }
                let session = self.session.clone();
                self.grove()?.set_waiting_for(&session, why.as_deref())?;
                self.waiting_for = Some(why);
                Ok(())
            }
            Record::Conversation { id, transcript } => {
                let agent = self.agent.clone();
                self.sessions()?
                    .set_conversation(&agent, id.as_deref(), transcript.as_deref())
            }
            Record::Transcript(path) => {
                self.meter.set_transcript(path);
                if self.meter.is_due() {
                    self.store_snapshot()
                } else {
                    Ok(())
                }
            }
            Record::Model(model) => {
                self.meter.set_model(&model);
                Ok(())
            }
            Record::Turn(usage) => {
                self.meter.add_turn(&usage);
                Ok(())
            }
            Record::Snapshot => self.store_snapshot(),
            Record::Metrics { code } => self.store_metrics(code),
            Record::Ended(exit) => {
                let session = self.session.clone();
                self.grove()?.host_ended(&session, &exit)
            }
        }
    }

    /// What the agent has used so far; nothing while nothing was used.
    fn store_snapshot(&mut self) -> Result<(), DbError> {
        let Some(usage) = self.meter.for_snapshot() else {
            return Ok(());
        };
        let run = self.own_session()?.and_then(|session| session.run_id);
        let row = costs::snapshot(&self.agent, run.as_deref(), &usage);
        self.metrics()?.snapshot(&row)
    }

    /// The row of this life; a later life of the same name has its own.
    fn store_metrics(&mut self, code: Option<i32>) -> Result<(), DbError> {
        let Some(session) = self.own_session()? else {
            return Ok(());
        };
        let row = costs::session_metrics(&session, &self.meter.usage(), code);
        self.metrics()?.record(&row)
    }

    fn own_session(&mut self) -> Result<Option<AgentSession>, DbError> {
        let agent = self.agent.clone();
        let found = self.sessions()?.get(&agent)?;
        Ok(found.filter(|session| session.id == self.session))
    }

    fn events(&mut self) -> Result<&EventStore, DbError> {
        open(&mut self.events, || {
            EventStore::open(&self.paths.events_db())
        })
    }

    fn sessions(&mut self) -> Result<&SessionStore, DbError> {
        open(&mut self.sessions, || {
            SessionStore::open(&self.paths.sessions_db())
        })
    }

    fn grove(&mut self) -> Result<&GroveStore, DbError> {
        open(&mut self.grove, || GroveStore::open(&self.paths.grove_db()))
    }

    fn metrics(&mut self) -> Result<&MetricsStore, DbError> {
        open(&mut self.metrics, || {
            MetricsStore::open(&self.paths.metrics_db())
        })
    }
}

fn open<T>(slot: &mut Option<T>, make: impl FnOnce() -> Result<T, DbError>) -> Result<&T, DbError> {
    let value = match slot.take() {
        Some(value) => value,
        None => make()?,
    };
    Ok(slot.insert(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::events::EventFilter;
    use crate::db::refusals::RefusalFilter;

    fn worker(paths: &ProjectPaths) -> Worker {
        let runtime = crate::runtimes::find("script").unwrap();
        let backlog = Arc::new(Backlog::new(LIMITS));
        Worker::new(paths.clone(), "ada".into(), "s".into(), runtime, backlog)
    }

    #[test]
    fn a_flood_while_the_store_is_locked_is_cut_counted_and_told() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path().to_owned());
        std::fs::create_dir_all(paths.dir()).unwrap();
        let worker = worker(&paths);
        let (sender, receiver) = mpsc::channel();
        let outbox = Outbox::new(sender, Arc::clone(&worker.backlog));
        // Nobody takes anything yet, as when the disk hangs.
        let (more, mails) = (500, 3);
        for _ in 0..LIMITS.records + more {
            outbox.put(Record::Event(NewEvent::new("ada", EventType::ToolStart)));
        }
        for _ in 0..mails {
            outbox.put(Record::Event(NewEvent::new("ada", EventType::MailSent)));
        }
        outbox.close();
        assert_eq!(worker.run(&receiver), more as u64);
        let store = EventStore::open(&paths.events_db()).unwrap();
        let of = |kind: EventType| {
            let filter = EventFilter {
                event_type: Some(kind.as_str().to_owned()),
                limit: Some(100_000),
                ..EventFilter::default()
            };
            store.query(&filter).unwrap()
        };
        assert_eq!(of(EventType::ToolStart).len(), LIMITS.records);
        assert_eq!(of(EventType::MailSent).len(), mails);
        let told = of(EventType::Custom);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].level, Level::Warn);
        let data = r#"{"type":"records_dropped","count":500}"#;
        assert_eq!(told[0].data.as_deref(), Some(data));
    }

    #[test]
    fn a_refusal_that_found_no_room_is_stored_with_its_time_when_there_is_some() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path().to_owned());
        // Nothing can be stored in a folder.
        std::fs::create_dir_all(paths.events_db()).unwrap();
        let mut worker = worker(&paths);
        let data = json!({"type": "guard_refused", "rule": "publish", "reason": "no"});
        let refused = NewEvent::new("ada", EventType::Custom).level(Level::Warn);
        worker.take(Record::Event(refused.data(&data)));
        worker.take(Record::Event(NewEvent::new("ada", EventType::ToolStart)));
        worker.store_unwritten();
        assert_eq!((worker.lost, worker.unwritten.len()), (1, 1));
        std::fs::remove_dir(paths.events_db()).unwrap();
        let (sender, receiver) = mpsc::channel();
        drop(sender);
        assert_eq!(worker.run(&receiver), 1);
        let filter = RefusalFilter {
            limit: 9,
            ..RefusalFilter::default()
        };
        let store = EventStore::open(&paths.events_db()).unwrap();
        let found = store.refusals(&filter).unwrap();
        assert_eq!(found.total, 1);
        assert!(found.newest[0].at.starts_with("20") && !found.newest[0].at.ends_with('Z'));
    }
}
