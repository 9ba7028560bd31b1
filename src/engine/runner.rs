//! The engine's own loop: wakes for requests, changes in the stores, news of the coordinator.

use super::attempts;
use super::carry_out;
use super::command::{Command, CommandId, Request};
use super::duty::{Duty, News};
use super::event::{EngineEvent, EngineHandle, EngineSide, Level, LogLine};
use super::feed::Feed;
use super::forecast::{self, Forecasts, Seen};
use super::gather::{self, Gathered};
use super::outside;
use super::panes::Panes;
use super::reviews::{Line, Reviews};
use super::take_back;
use super::view::MergeView;
use crate::config;
use crate::db::Stores;
use crate::merge::CallOff;
use crate::platform::settle::Settle;
use crate::platform::watch::{self, Watch};
use crate::platform::{ProjectPaths, clock};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Several writes in a row are one change.
const DEBOUNCE: Duration = Duration::from_millis(15);
/// The stores are looked at this often even if no notification came.
const SAFETY: Duration = Duration::from_secs(30);
/// While another process merges: its death gives no notice.
const WHILE_MERGING_ELSEWHERE: Duration = Duration::from_secs(5);

/// Where the engine is started.
#[derive(Debug, Clone)]
pub struct EngineOptions {
    /// The project, or the folder where one could be.
    pub root: PathBuf,
    /// Never take the coordinator's lease: only look on.
    pub look_only: bool,
    /// Cancels merges of this engine, also while it comes to its end.
    pub call_off: CallOff,
}

/// Starts the engine on a thread of its own. It ends when the front end's half is dropped.
pub fn start(options: EngineOptions) -> std::io::Result<(EngineHandle, JoinHandle<()>)> {
    let (handle, side) = EngineHandle::pair(512);
    let thread = std::thread::Builder::new()
        .name("engine".to_owned())
        .spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            match runtime {
                Ok(runtime) => runtime.block_on(Runner::new(options, side).run()),
                Err(e) => tracing::error!("the engine cannot run: {e}"),
            }
        })?;
    Ok((handle, thread))
}

/// A change that the watcher or the duty has seen.
enum Wake {
    /// A store may have changed.
    Stores,
    /// Something else has: read everything again.
    Anything,
    News(News),
    Seen(Seen),
}

struct Runner {
    options: EngineOptions,
    paths: ProjectPaths,
    side: EngineSide,
    last: Gathered,
    feed: Feed,
    panes: Panes,
    reviews: Reviews,
    duty: Option<Duty>,
    forecasts: Forecasts,
    wakes: mpsc::UnboundedReceiver<Wake>,
    waker: mpsc::UnboundedSender<Wake>,
    watch: Option<Watch>,
    stores: Option<Stores>,
    /// The front end has seen everything once; an empty list is news the first time.
    sent: bool,
}

impl Runner {
    fn new(options: EngineOptions, side: EngineSide) -> Self {
        let (waker, wakes) = mpsc::unbounded_channel();
        Self {
            paths: ProjectPaths::new(options.root.clone()),
            options,
            panes: Panes::new(side.events.clone()),
            reviews: Reviews::default(),
            side,
            last: Gathered::default(),
            feed: Feed::default(),
            duty: None,
            forecasts: Forecasts::default(),
            wakes,
            waker,
            watch: None,
            stores: None,
            sent: false,
        }
    }

    async fn run(mut self) {
        if self.is_ready() {
            self.begin();
        }
        self.refresh().await;
        let mut due: Option<Instant> = None;
        let mut whole = false;
        let mut settle = Settle::default();
        let mut looked = Instant::now();
        loop {
            let safety = self.next_look(looked);
            let deadline = due.unwrap_or(safety).min(safety);
            tokio::select! {
                biased;
                request = self.side.requests.recv() => match request {
                    Some(request) if matches!(request.command, Command::Quit { .. }) => break,
                    Some(request) => self.request(request).await,
                    None => break,
                },
                Some(wake) = self.wakes.recv() => {
                    match wake {
                        Wake::News(news) => {
                            self.news(news).await;
                            whole = true;
                        }
                        Wake::Seen(seen) => whole |= self.forecasts.take(seen),
                        Wake::Anything => {
                            self.forecasts.note_change();
                            whole = true;
                        }
                        Wake::Stores => {
                            settle.noticed();
                            self.forecasts.note_change();
                        }
                    }
                    // A further look that is far off must not hold up the first one.
                    let soon = Instant::now() + DEBOUNCE;
                    due = Some(due.map_or(soon, |due| due.min(soon)));
                }
                () = tokio::time::sleep_until(deadline) => {
                    // The slow tick looks at processes, too, which give no notice.
                    let tick = Instant::now() >= safety;
                    if self.stores_changed() || tick || std::mem::take(&mut whole) {
                        self.refresh().await;
                        looked = Instant::now();
                    }
                    due = settle.wait().map(|again| Instant::now() + again);
                    settle.is_due();
                }
            }
        }
        self.reviews.close();
        // The duty waits for a merge that is going on before it gives the lease back.
        if let Some(duty) = self.duty.take() {
            duty.end();
        }
    }

    /// When everything is looked at again, however much is noticed until then that changes nothing.
    fn next_look(&self, looked: Instant) -> Instant {
        let elsewhere = |m: &MergeView| m.gates.as_ref().is_some_and(|g| g.elsewhere.is_some());
        let usual = looked
            + if self.last.merges.iter().any(elsewhere) {
                WHILE_MERGING_ELSEWHERE
            } else {
                SAFETY
            };
        let map = self.forecasts.map_due_in();
        map.map_or(usual, |wait| usual.min(Instant::now() + wait))
    }

    fn is_ready(&self) -> bool {
        // A checkout of a branch without the tracked configuration is still this project.
        config::config_path(&self.paths.root).is_file() || self.paths.sessions_db().is_file()
    }

    /// Starts what needs a project: the watch and, if nobody else does it, the coordinator.
    fn begin(&mut self) {
        let waker = self.waker.clone();
        let watch = watch::stores(&self.paths.dir(), move |wake| {
            let wake = match wake {
                watch::Wake::Store => Wake::Stores,
                watch::Wake::File | watch::Wake::Overflow => Wake::Anything,
            };
            // The engine has ended when nobody receives this.
            waker.send(wake).unwrap_or_default();
        });
        match watch {
            Ok(watch) => self.watch = Some(watch),
            Err(e) => tracing::warn!("changes are noticed late: {e}"),
        }
        self.take_duty();
    }

    fn take_duty(&mut self) {
        let running = self.duty.as_ref().is_some_and(Duty::is_running);
        if self.options.look_only || running {
            return;
        }
        let waker = self.waker.clone();
        self.duty = Duty::take(&self.paths, &self.options.call_off, move |news| {
            waker.send(Wake::News(news)).unwrap_or_default();
        });
    }

    fn stores_changed(&mut self) -> bool {
        // What cannot be told counts as changed.
        self.stores
            .as_mut()
            .is_none_or(|s| s.changed().unwrap_or(true))
    }

    async fn send(&self, event: EngineEvent) {
        // A front end that has left needs no news; the loop ends with its requests.
        self.side.events.send(event).await.unwrap_or_default();
    }

    async fn log(&self, level: Level, text: String) {
        let line = LogLine {
            at_ms: clock::now().0,
            level,
            agent: None,
            text,
        };
        self.send(EngineEvent::Log(line)).await;
    }

    async fn news(&mut self, news: News) {
        match news {
            News::Did(text) => self.log(Level::Info, text).await,
            News::Trouble(text) => self.log(Level::Warn, text).await,
            News::Merge { text, is_well } => {
                let level = if is_well { Level::Info } else { Level::Warn };
                self.send(EngineEvent::Toast { level, text }).await;
            }
            News::Moved => {}
        }
    }

    /// Reads everything again and sends what has changed.
    async fn refresh(&mut self) {
        if !self.is_ready() {
            let project = outside::outside(&self.options.root);
            self.send(EngineEvent::Project(project)).await;
            return;
        }
        if self.watch.is_none() {
            self.begin();
        }
        self.take_duty();
        let lease = self.duty.as_ref().is_some_and(Duty::is_running);
        if self.stores.is_none() {
            match Stores::open(&self.paths) {
                Ok(stores) => self.stores = Some(stores),
                Err(e) => return self.problem(e.to_string()).await,
            }
        }
        let Some(stores) = &self.stores else { return };
        let mut now = match gather::gather(&self.paths, stores, lease) {
            Ok(now) => now,
            Err(e) => return self.problem(e.to_string()).await,
        };
        let lines = self.feed.news(&stores.events);
        self.look_ahead(&mut now);
        if now.project != self.last.project {
            self.send(EngineEvent::Project(now.project.clone())).await;
        }
        let first = !std::mem::replace(&mut self.sent, true);
        if first || now.fleet != self.last.fleet {
            self.send(EngineEvent::Fleet(now.fleet.clone())).await;
        }
        if first || now.mail != self.last.mail {
            self.send(EngineEvent::Mail(now.mail.clone())).await;
        }
        if first || now.merges != self.last.merges {
            self.send(EngineEvent::Merge(now.merges.clone())).await;
        }
        for line in lines {
            self.send(EngineEvent::Log(line)).await;
        }
        self.panes.follow(&now.hosts).await;
        self.last = now;
    }

    /// Adds forecasts to the queue; what is not known yet is worked out beside.
    fn look_ahead(&mut self, now: &mut Gathered) {
        let target = now.project.branch.clone();
        let question = self
            .forecasts
            .complete(&self.paths, &target, &mut now.merges);
        now.project.meetings = self.forecasts.meetings();
        if let Some(question) = question {
            let waker = self.waker.clone();
            tokio::task::spawn_blocking(move || {
                let seen = forecast::look(&question);
                waker.send(Wake::Seen(seen)).unwrap_or_default();
            });
        }
    }

    /// Shows that a store cannot be read; the last views stay.
    async fn problem(&mut self, what: String) {
        let mut project = self.last.project.clone();
        project.store_problem = Some(what);
        if project != self.last.project {
            self.last.project = project.clone();
            self.send(EngineEvent::Project(project)).await;
        }
    }

    async fn done(&self, id: CommandId) {
        let result = Ok(String::new());
        self.send(EngineEvent::CommandDone { id, result }).await;
    }

    async fn request(&mut self, request: Request) {
        let Request { id, command } = request;
        match command {
            Command::Attach { agent, cols, rows } => {
                self.panes.attach(&self.paths, &agent, cols, rows).await;
            }
            Command::Detach { agent } => self.panes.detach(&agent),
            Command::Input { agent, bytes } => self.panes.input(&self.paths, &agent, bytes).await,
            Command::Paste { agent, text } => self.panes.paste(&self.paths, &agent, text).await,
            Command::Resize { agent, cols, rows } => self.panes.resize(&agent, cols, rows).await,
            command @ (Command::Review { .. }
            | Command::LookUp { .. }
            | Command::Decide { .. }
            | Command::AskAi { .. }
            | Command::AcceptReview { .. }) => {
                let waker = self.waker.clone();
                let line = Line {
                    paths: self.paths.clone(),
                    events: self.side.events.clone(),
                    call_off: self.options.call_off.clone(),
                    wake: Arc::new(move || waker.send(Wake::Anything).unwrap_or_default()),
                };
                self.reviews.request(id, command, line);
            }
            Command::CancelMerge { branch } => {
                match branch {
                    Some(branch) => self.options.call_off.branch(&branch),
                    None => self.options.call_off.all(),
                }
                self.done(id).await;
            }
            Command::SendMail { .. }
            | Command::ReplyMail { .. }
            | Command::MarkRead { .. }
            | Command::Nudge { .. }
            | Command::Stop { .. }
            | Command::MergeNow { .. }
            | Command::MergeClean
            | Command::RetryMerge { .. }
            | Command::CombineMerge { .. }
            | Command::KeepBoth { .. }
            | Command::ReorderMerge { .. }
            | Command::PauseMerges { .. }
            | Command::DropMerge { .. }
            | Command::RestoreMerge { .. }
            | Command::UndoMerge { .. }
            | Command::Sling { .. }
            | Command::Init => {
                let (paths, events) = (self.paths.clone(), self.side.events.clone());
                let (waker, call_off) = (self.waker.clone(), self.options.call_off.clone());
                let leaves = self.reviews.leaves();
                // Some of these take seconds; nothing here waits for them.
                tokio::task::spawn_blocking(move || {
                    let result = carry_out::carry_out(&paths, &call_off, &leaves, &command);
                    events
                        .blocking_send(EngineEvent::CommandDone { id, result })
                        .unwrap_or_default();
                    waker.send(Wake::Anything).unwrap_or_default();
                });
            }
            Command::PlanUndo { id: merge } => {
                let (paths, events) = (self.paths.clone(), self.side.events.clone());
                tokio::task::spawn_blocking(move || {
                    let result = match take_back::plan_undo(&paths, merge) {
                        Ok(view) => {
                            let view = EngineEvent::Undo(view);
                            events.blocking_send(view).unwrap_or_default();
                            Ok(String::new())
                        }
                        Err(why) => Err(why),
                    };
                    events
                        .blocking_send(EngineEvent::CommandDone { id, result })
                        .unwrap_or_default();
                });
            }
            Command::MergeHistory { id: merge } => {
                let (paths, events) = (self.paths.clone(), self.side.events.clone());
                tokio::task::spawn_blocking(move || {
                    let attempts = attempts::attempts(&paths, merge).unwrap_or_else(|why| {
                        tracing::warn!("the attempts of {merge} cannot be read: {why}");
                        Vec::new()
                    });
                    let id = merge;
                    events
                        .blocking_send(EngineEvent::Attempts { id, attempts })
                        .unwrap_or_default();
                });
            }
            Command::WatchMerges { on } => {
                self.forecasts.watch(on);
                self.waker.send(Wake::Anything).unwrap_or_default();
                self.done(id).await;
            }
            Command::WatchOverlaps { on } => {
                self.forecasts.watch_overlaps(on);
                self.waker.send(Wake::Anything).unwrap_or_default();
                self.done(id).await;
            }
            Command::Quit { .. } => {}
        }
    }
}
