//! The loop: wait, take everything there is, update, draw once if something changed.
//!
//! It sleeps until there is input, news from the engine or a deadline something asked for; there
//! is no tick. Each turn takes a bounded amount, so a flood in one pane cannot delay a key.

use std::io;
use std::time::{Duration, Instant};

use crossterm::event::Event;
use futures_core::Stream;
use ratatui::backend::Backend;
use tokio::sync::mpsc::Receiver;

use crate::engine::event::{EngineEvent, EngineHandle, Level};
use crate::tui::effect::Effect;
use crate::tui::frames::Frames;
use crate::tui::options::{ExitReason, TuiError, TuiOptions};
use crate::tui::outbox::Outbox;
use crate::tui::screens;
use crate::tui::signals::{Signal, Signals};
use crate::tui::start;
use crate::tui::state::{Dirty, State};
use crate::tui::stats::Stats;
use crate::tui::surface::{Surface, SurfaceOp};
use crate::tui::{update, wait};

/// Most inputs taken before drawing.
const INPUTS_PER_TURN: usize = 256;
/// Most engine events, and bytes of output in them, taken before looking at input again.
const EVENTS_PER_TURN: usize = 128;
const BYTES_PER_TURN: usize = 256 * 1024;

struct App<'a, S> {
    surface: &'a mut S,
    options: TuiOptions,
    state: State,
    outbox: Outbox,
    stats: Stats,
    frames: Frames,
    stale_at_ms: Option<i64>,
    title: String,
    cursor_bar: bool,
    engine_gone: bool,
    /// An editor had the terminal just now.
    edited: bool,
    exit: Option<ExitReason>,
}

enum Woken {
    Signal(Signal),
    Input(Option<io::Result<Event>>),
    Engine(Option<Box<EngineEvent>>),
    Sent,
    Deadline,
}

/// Runs the interface on a surface until the user leaves or there is nothing left to show.
pub async fn run_on<S, I>(
    surface: &mut S,
    mut input: I,
    handle: EngineHandle,
    options: TuiOptions,
) -> Result<ExitReason, TuiError>
where
    S: Surface,
    I: Stream<Item = io::Result<Event>> + Unpin,
    <S::Backend as Backend>::Error: Send + Sync + 'static,
{
    let EngineHandle {
        commands,
        mut events,
    } = handle;
    let size = surface.terminal().size().map_err(TuiError::drawing)?;
    let mut signals = Signals::listen();
    let mut app = App {
        state: start::state((size.width, size.height), &options),
        surface,
        outbox: Outbox::new(commands),
        options,
        stats: Stats::default(),
        frames: Frames::default(),
        stale_at_ms: None,
        title: String::new(),
        cursor_bar: false,
        engine_gone: false,
        edited: false,
        exit: None,
    };
    app.settle()?;
    while app.exit.is_none() {
        app.draw_if_due()?;
        let woken = app.wait(&mut signals, &mut input, &mut events).await;
        app.stats.wakeups += 1;
        app.state.now_ms = (app.options.clock)();
        app.take(woken)?;
        app.edited = false;
        app.take_inputs(&mut input).await?;
        app.take_events(&mut events)?;
        app.settle()?;
    }
    let reason = app.exit.unwrap_or(ExitReason::TerminalLost);
    app.outbox.farewell().await;
    if let Some(path) = &app.options.stats_file {
        app.stats.write(path)?;
    }
    Ok(reason)
}

impl<S> App<'_, S>
where
    S: Surface,
    <S::Backend as Backend>::Error: Send + Sync + 'static,
{
    async fn wait<I>(
        &mut self,
        signals: &mut Signals,
        input: &mut I,
        events: &mut Receiver<EngineEvent>,
    ) -> Woken
    where
        I: Stream<Item = io::Result<Event>> + Unpin,
    {
        let deadline = self.deadline();
        tokio::select! {
            biased;
            signal = signals.next() => Woken::Signal(signal),
            event = wait::next(input) => Woken::Input(event),
            event = events.recv(), if !self.engine_gone => Woken::Engine(event.map(Box::new)),
            () = self.outbox.drain() => Woken::Sent,
            () = wait::until(deadline) => Woken::Deadline,
        }
    }

    /// Gives the nearest time at which there is something to do without anything happening.
    fn deadline(&self) -> Option<Instant> {
        let now_ms = (self.options.clock)();
        let timed = update::deadline(&self.state, self.stale_at_ms).map(|at| {
            let wait = u64::try_from(at - now_ms).unwrap_or(0);
            Instant::now() + Duration::from_millis(wait)
        });
        let sync = self.state.panes.sync_deadline();
        [self.frame_due(), timed, sync].into_iter().flatten().min()
    }

    fn frame_due(&self) -> Option<Instant> {
        self.frames.due(self.state.dirty, self.options.pace)
    }

    fn take(&mut self, woken: Woken) -> Result<(), TuiError> {
        match woken {
            // What was pressed to leave the editor was meant for the editor.
            Woken::Signal(Signal::Interrupt) if self.edited => {}
            Woken::Signal(Signal::Terminate | Signal::Interrupt) => {
                self.exit = Some(ExitReason::Signal);
            }
            Woken::Signal(Signal::Continue | Signal::Resize) => self.redraw_all()?,
            Woken::Input(event) => self.input(event)?,
            Woken::Engine(Some(event)) => self.engine(*event)?,
            Woken::Engine(None) => {
                self.engine_gone = true;
                let text = "the engine stopped; agents go on, q leaves".to_owned();
                self.state.banner = Some(text.clone());
                self.state.note(Level::Error, text, false);
            }
            Woken::Sent | Woken::Deadline => {}
        }
        Ok(())
    }

    fn input(&mut self, event: Option<io::Result<Event>>) -> Result<(), TuiError> {
        self.stats.inputs += 1;
        match event {
            Some(Ok(event)) => {
                let effects = update::input(&mut self.state, event);
                self.act(effects)?;
                // What the next key means may depend on what is visible now.
                self.sync_panes()
            }
            Some(Err(_)) | None => {
                self.exit = Some(ExitReason::TerminalLost);
                Ok(())
            }
        }
    }

    fn engine(&mut self, event: EngineEvent) -> Result<(), TuiError> {
        self.stats.engine_events += 1;
        let effects = update::engine(&mut self.state, event);
        self.act(effects)
    }

    /// Takes the input that is there already.
    async fn take_inputs<I>(&mut self, input: &mut I) -> Result<(), TuiError>
    where
        I: Stream<Item = io::Result<Event>> + Unpin,
    {
        for _ in 0..INPUTS_PER_TURN {
            let ready = wait::ready(input).await;
            match ready {
                Some(event) if self.exit.is_none() => self.input(event)?,
                Some(_) | None => return Ok(()),
            }
        }
        Ok(())
    }

    /// Takes the engine events that are there already, up to a limit.
    fn take_events(&mut self, events: &mut Receiver<EngineEvent>) -> Result<(), TuiError> {
        let mut bytes = 0;
        for _ in 0..EVENTS_PER_TURN {
            let Ok(event) = events.try_recv() else {
                return Ok(());
            };
            bytes += event.output_len();
            self.engine(event)?;
            if bytes >= BYTES_PER_TURN {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Brings everything that follows from the state up to date with it.
    fn settle(&mut self) -> Result<(), TuiError> {
        update::tick(&mut self.state);
        if self.state.panes.close_late_syncs(Instant::now()) {
            self.state.touch_as(Dirty::Pane);
        }
        if self.stale_at_ms.is_some_and(|at| at <= self.state.now_ms) {
            self.stale_at_ms = None;
            self.state.touch();
        }
        self.sync_panes()?;
        let title = start::title(&self.state);
        if title != self.title {
            self.surface.perform(SurfaceOp::Title(title.clone()))?;
            self.title = title;
        }
        self.frames.owe(self.state.dirty);
        Ok(())
    }

    fn sync_panes(&mut self) -> Result<(), TuiError> {
        let effects = update::sync_panes(&mut self.state);
        self.act(effects)
    }

    fn act(&mut self, effects: Vec<Effect>) -> Result<(), TuiError> {
        for effect in effects {
            match effect {
                Effect::Send(request) => self.outbox.push(request),
                Effect::Quit(reason) => self.exit = Some(reason),
                Effect::Suspend => {
                    self.surface.perform(SurfaceOp::Suspend)?;
                    self.redraw_all()?;
                }
                Effect::Edit(edit) => {
                    let editor = self.state.settings.editor.clone().unwrap_or_default();
                    let edited = self.surface.edit(&editor, &edit)?;
                    self.edited = true;
                    self.redraw_all()?;
                    let effects = update::edited(&mut self.state, edited);
                    self.act(effects)?;
                }
                Effect::Clear => self.redraw_all()?,
                Effect::CaptureMouse(on) => self.surface.perform(SurfaceOp::CaptureMouse(on))?,
                Effect::Bell => self.surface.perform(SurfaceOp::Bell)?,
                Effect::Copy(text) => self.surface.perform(SurfaceOp::Copy(text))?,
            }
        }
        Ok(())
    }

    fn redraw_all(&mut self) -> Result<(), TuiError> {
        // Resizing clears the screen and forgets what was drawn. `clear` would also ask the terminal
        // where its cursor is, and a late answer is an error.
        let terminal = self.surface.terminal();
        let area = terminal.size().map_err(TuiError::drawing)?.into();
        terminal.resize(area).map_err(TuiError::drawing)?;
        self.state.touch();
        Ok(())
    }

    fn draw_if_due(&mut self) -> Result<(), TuiError> {
        if self.frame_due().is_none_or(|at| at > Instant::now()) {
            return Ok(());
        }
        self.state.now_ms = (self.options.clock)();
        let terminal = self.surface.terminal();
        terminal.autoresize().map_err(TuiError::drawing)?;
        let area = terminal.get_frame().area();
        if self.state.size != (area.width, area.height) {
            self.state.size = (area.width, area.height);
            self.sync_panes()?;
        }
        let bar = start::wants_bar(&self.state);
        if bar != self.cursor_bar {
            self.surface.perform(SurfaceOp::CursorBar(bar))?;
            self.cursor_bar = bar;
        }
        self.surface.perform(SurfaceOp::BeginFrame)?;
        let mut drawn = None;
        let state = &self.state;
        let result = self.surface.terminal().draw(|frame| {
            let done = screens::render(state, frame.buffer_mut());
            if let Some(at) = done.cursor {
                frame.set_cursor_position(at);
            }
            drawn = Some(done);
        });
        result.map_err(TuiError::drawing)?;
        self.surface.perform(SurfaceOp::EndFrame)?;
        if let Some(drawn) = drawn {
            self.state.hits = drawn.hits;
            self.stale_at_ms = drawn.stale_at_ms;
        }
        self.state.dirty = Dirty::No;
        self.frames.drawn();
        self.stats.frames += 1;
        Ok(())
    }
}
