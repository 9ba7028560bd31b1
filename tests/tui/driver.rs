//! `ScreenDriver`: runs the loop, types, and takes pictures.
//!
//! The loop's future is polled by hand until it has taken everything and waits; so there are no
//! sleeps and no races. Time is a number that the test moves.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::{Context, Poll};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseEvent, MouseEventKind};
use futures_core::Stream;
use grove::engine::command::{Command, CommandId};
use grove::engine::event::{EngineEvent, EngineHandle, EngineSide, PaneEvent};
use grove::engine::review::ReviewView;
use grove::tui::{Depth, Edit, ExitReason, Pace, Surface, SurfaceOp, TuiError, TuiOptions, run_on};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;
use tokio::sync::mpsc;
use unicode_width::UnicodeWidthStr;

/// 14:02 on some day.
pub(crate) const NOON: i64 =
    1_772_000_000_000 - 1_772_000_000_000 % 86_400_000 + 14 * 3_600_000 + 120_000;
/// Between two keys, so that no dialog takes them for one typed ahead.
const BETWEEN_KEYS: i64 = 200;

struct Keyboard(mpsc::UnboundedReceiver<Event>);

impl Stream for Keyboard {
    type Item = io::Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(cx).map(|event| event.map(Ok))
    }
}

struct Paper {
    terminal: Terminal<TestBackend>,
    ops: Vec<SurfaceOp>,
    /// What the editor leaves, and what it was given.
    editor: Result<String, String>,
    edits: Vec<Edit>,
}

impl Surface for Paper {
    type Backend = TestBackend;

    fn terminal(&mut self) -> &mut Terminal<TestBackend> {
        &mut self.terminal
    }

    fn perform(&mut self, op: SurfaceOp) -> Result<(), TuiError> {
        self.ops.push(op);
        Ok(())
    }

    fn edit(&mut self, _editor: &str, edit: &Edit) -> Result<Result<String, String>, TuiError> {
        self.edits.push(edit.clone());
        Ok(self.editor.clone())
    }
}

/// Something to do, in order.
enum Step {
    Event(Event),
    Engine(Box<EngineEvent>),
    Advance(i64),
    CloseEngine,
}

/// What a run left behind.
pub(crate) struct Run {
    pub(crate) buffer: Buffer,
    pub(crate) cursor: Option<(u16, u16)>,
    pub(crate) commands: Vec<Command>,
    pub(crate) ops: Vec<SurfaceOp>,
    pub(crate) exit: Option<ExitReason>,
    pub(crate) frames: usize,
    pub(crate) edits: Vec<Edit>,
}

/// A script for the loop.
pub(crate) struct ScreenDriver {
    size: (u16, u16),
    steps: VecDeque<Step>,
    options: TuiOptions,
    clock: Arc<AtomicI64>,
    screens: BTreeMap<String, Vec<u8>>,
    fail: Option<String>,
    silent: bool,
    editor: Result<String, String>,
    reviews: Vec<ReviewView>,
}

/// Starts a script at 120×36, in truecolor, at 14:02.
pub(crate) fn screen() -> ScreenDriver {
    let clock = Arc::new(AtomicI64::new(NOON));
    let for_options = Arc::clone(&clock);
    let mut options = TuiOptions::new(Arc::new(move || for_options.load(Ordering::SeqCst)));
    options.pace = Pace::IMMEDIATE;
    options.settings.resize_settle_ms = 0;
    ScreenDriver {
        size: (120, 36),
        steps: VecDeque::new(),
        options,
        clock,
        screens: BTreeMap::new(),
        fail: None,
        silent: false,
        editor: Err("no editor".to_owned()),
        reviews: Vec::new(),
    }
}

impl ScreenDriver {
    pub(crate) fn size(mut self, cols: u16, rows: u16) -> Self {
        self.size = (cols, rows);
        self
    }

    pub(crate) fn depth(mut self, depth: Depth) -> Self {
        self.options.depth = depth;
        self
    }

    pub(crate) fn ascii(mut self) -> Self {
        self.options.ascii = true;
        self
    }

    pub(crate) fn theme(mut self, name: &str) -> Self {
        self.options.theme = name.to_owned();
        self
    }

    pub(crate) fn options(mut self, change: impl FnOnce(&mut TuiOptions)) -> Self {
        change(&mut self.options);
        self
    }

    /// What the engine's snapshot of an agent's terminal holds.
    pub(crate) fn terminal(mut self, agent: &str, bytes: &[u8]) -> Self {
        self.screens.insert(agent.to_owned(), bytes.to_vec());
        self
    }

    /// The person's editor leaves this text.
    pub(crate) fn editor(mut self, leaves: Result<&str, &str>) -> Self {
        self.options.settings.editor = Some("editor".to_owned());
        self.editor = leaves.map(str::to_owned).map_err(str::to_owned);
        self
    }

    /// What the engine loads when a review is opened.
    pub(crate) fn review(mut self, view: ReviewView) -> Self {
        self.reviews.push(view);
        self
    }

    /// Every command that is not about panes fails with this reason.
    pub(crate) fn failing(mut self, reason: &str) -> Self {
        self.fail = Some(reason.to_owned());
        self
    }

    /// Commands that are not about panes are taken and not answered: they take their time.
    pub(crate) fn slow(mut self) -> Self {
        self.silent = true;
        self
    }

    pub(crate) fn engine(mut self, event: EngineEvent) -> Self {
        self.steps.push_back(Step::Engine(Box::new(event)));
        self
    }

    pub(crate) fn engine_all(mut self, events: Vec<EngineEvent>) -> Self {
        self.steps
            .extend(events.into_iter().map(|e| Step::Engine(Box::new(e))));
        self
    }

    pub(crate) fn engine_stops(mut self) -> Self {
        self.steps.push_back(Step::CloseEngine);
        self
    }

    pub(crate) fn pane(self, agent: &str, event: PaneEvent) -> Self {
        let agent = agent.to_owned();
        self.engine(EngineEvent::Pane { agent, event })
    }

    pub(crate) fn advance(mut self, ms: i64) -> Self {
        self.steps.push_back(Step::Advance(ms));
        self
    }

    pub(crate) fn event(mut self, event: Event) -> Self {
        self.steps.push_back(Step::Event(event));
        self
    }

    /// Types keys: plain characters, and names in angle brackets such as `<esc>` or `<ctrl-q>`.
    pub(crate) fn keys(mut self, keys: &str) -> Self {
        for event in parse_keys(keys) {
            self.steps.push_back(Step::Advance(BETWEEN_KEYS));
            self.steps.push_back(Step::Event(Event::Key(event)));
        }
        self
    }

    /// Types a key without any time passing before it.
    pub(crate) fn at_once(mut self, keys: &str) -> Self {
        let events = parse_keys(keys).into_iter();
        self.steps
            .extend(events.map(|e| Step::Event(Event::Key(e))));
        self
    }

    pub(crate) fn paste(self, text: &str) -> Self {
        self.event(Event::Paste(text.to_owned()))
    }

    pub(crate) fn mouse(self, kind: MouseEventKind, column: u16, row: u16) -> Self {
        self.event(Event::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers: KeyModifiers::NONE,
        }))
    }

    /// Runs the script.
    pub(crate) fn run(self) -> Run {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(self.play())
    }

    /// Runs the script and gives the picture as text.
    pub(crate) fn snapshot(self) -> String {
        let run = self.run();
        run.assert_rows_fit();
        run.text()
    }

    async fn play(self) -> Run {
        let Self {
            size,
            mut steps,
            options,
            clock,
            screens,
            fail,
            silent,
            editor,
            reviews,
        } = self;
        let mut paper = Paper {
            terminal: Terminal::new(TestBackend::new(size.0, size.1)).unwrap(),
            ops: Vec::new(),
            editor,
            edits: Vec::new(),
        };
        let (keyboard, receiver) = mpsc::unbounded_channel();
        let (handle, side) = EngineHandle::pair(64);
        let EngineSide {
            mut requests,
            events,
        } = side;
        let mut events = Some(events);
        let mut keyboard = Some(keyboard);
        let mut commands = Vec::new();
        let mut exit = None;
        {
            let mut app = Box::pin(run_on(&mut paper, Keyboard(receiver), handle, options));
            loop {
                // A fresh budget for the channels, as if the loop had slept.
                tokio::task::yield_now().await;
                // Until the loop waits and has nothing left to take.
                std::future::poll_fn(|cx| {
                    for _ in 0..4 {
                        if exit.is_none()
                            && let Poll::Ready(reason) = app.as_mut().poll(cx)
                        {
                            exit = Some(reason.unwrap());
                        }
                    }
                    Poll::Ready(())
                })
                .await;
                let mut answered = false;
                while let Ok(request) = requests.try_recv() {
                    let waits = silent && is_asked(&request.command);
                    if let Some(events) = events.as_ref().filter(|_| !waits) {
                        answered |= match &request.command {
                            Command::Review { id } => answer_review(events, *id, &reviews),
                            command => answer(events, request.id, command, &screens, &fail),
                        };
                    }
                    commands.push(request.command);
                }
                if answered && exit.is_none() {
                    continue;
                }
                match steps.pop_front() {
                    _ if exit.is_some() => break,
                    Some(Step::Advance(ms)) => {
                        clock.fetch_add(ms, Ordering::SeqCst);
                    }
                    Some(Step::Event(event)) => {
                        keyboard.as_ref().unwrap().send(event).unwrap();
                    }
                    Some(Step::Engine(event)) => {
                        events.as_ref().unwrap().try_send(*event).unwrap();
                    }
                    Some(Step::CloseEngine) => events = None,
                    None if keyboard.is_some() => keyboard = None,
                    None => break,
                }
            }
        }
        let backend = paper.terminal.backend();
        Run {
            buffer: backend.buffer().clone(),
            cursor: backend
                .cursor_visible()
                .then(|| (backend.cursor_position().x, backend.cursor_position().y)),
            commands,
            frames: paper
                .ops
                .iter()
                .filter(|o| **o == SurfaceOp::BeginFrame)
                .count(),
            ops: paper.ops,
            edits: paper.edits,
            // The end of the script is the end of the input.
            exit: exit.filter(|e| *e != ExitReason::TerminalLost),
        }
    }
}

/// Whether somebody waits for what comes of it.
fn is_asked(command: &Command) -> bool {
    !matches!(
        command,
        Command::Attach { .. }
            | Command::Resize { .. }
            | Command::Detach { .. }
            | Command::Input { .. }
            | Command::Paste { .. }
            | Command::WatchMerges { .. }
            | Command::WatchOverlaps { .. }
            | Command::MergeHistory { .. }
    )
}

fn answer_review(events: &mpsc::Sender<EngineEvent>, id: i64, reviews: &[ReviewView]) -> bool {
    let view = reviews.iter().find(|view| view.id == id);
    let result = view.map(|view| Box::new(view.clone()));
    let result = result.ok_or_else(|| "the entry is no longer in the queue".to_owned());
    events.try_send(EngineEvent::Review { id, result }).is_ok()
}

fn answer(
    events: &mpsc::Sender<EngineEvent>,
    id: CommandId,
    command: &Command,
    screens: &BTreeMap<String, Vec<u8>>,
    fail: &Option<String>,
) -> bool {
    let event = match command {
        Command::Attach { agent, cols, rows } => EngineEvent::Pane {
            agent: agent.clone(),
            event: match screens.get(agent) {
                Some(bytes) => PaneEvent::Snapshot {
                    cols: *cols,
                    rows: *rows,
                    bytes: bytes.clone(),
                },
                None => PaneEvent::Unavailable {
                    reason: "no host answers for this agent".to_owned(),
                },
            },
        },
        Command::Resize { agent, cols, rows } => EngineEvent::Pane {
            agent: agent.clone(),
            event: PaneEvent::Resized {
                cols: *cols,
                rows: *rows,
            },
        },
        Command::Detach { .. } | Command::Input { .. } | Command::Paste { .. } => return false,
        _ => EngineEvent::CommandDone {
            id,
            result: match fail {
                Some(reason) => Err(reason.clone()),
                None => Ok(String::new()),
            },
        },
    };
    // An interface that has left takes no more answers.
    events.try_send(event).is_ok()
}

impl Run {
    /// The picture as text, trailing blanks removed.
    pub(crate) fn text(&self) -> String {
        let rows: Vec<String> = (0..self.buffer.area.height)
            .map(|y| self.row(y).trim_end().to_owned())
            .collect();
        rows.join("\n")
    }

    pub(crate) fn row(&self, y: u16) -> String {
        let mut row = String::new();
        let mut skip = 0;
        for x in 0..self.buffer.area.width {
            let symbol = self.buffer[(x, y)].symbol();
            if skip > 0 {
                skip -= 1;
                continue;
            }
            skip = symbol.width().saturating_sub(1);
            row.push_str(symbol);
        }
        row
    }

    pub(crate) fn contains(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    /// Where a text begins on screen.
    pub(crate) fn find(&self, text: &str) -> Option<(u16, u16)> {
        (0..self.buffer.area.height).find_map(|y| {
            let row = self.row(y);
            let at = row.find(text)?;
            Some((row[..at].width() as u16, y))
        })
    }

    pub(crate) fn assert_rows_fit(&self) {
        for y in 0..self.buffer.area.height {
            let width = self.row(y).width();
            assert_eq!(
                width,
                usize::from(self.buffer.area.width),
                "row {y}: {:?}",
                self.row(y)
            );
        }
    }

    /// Every style in use with the first text it has.
    pub(crate) fn legend(&self) -> String {
        let mut styles: Vec<(String, String)> = Vec::new();
        for y in 0..self.buffer.area.height {
            let mut x = 0;
            while x < self.buffer.area.width {
                let name = style_name(&self.buffer, x, y);
                let mut text = String::new();
                while x < self.buffer.area.width && style_name(&self.buffer, x, y) == name {
                    text.push_str(self.buffer[(x, y)].symbol());
                    x += 1;
                }
                let text = text.trim();
                if text.is_empty() || styles.iter().any(|(n, _)| *n == name) {
                    continue;
                }
                styles.push((name, text.chars().take(40).collect()));
            }
        }
        styles.sort();
        let lines: Vec<String> = styles.iter().map(|(n, t)| format!("{n:<40} {t}")).collect();
        lines.join("\n")
    }

    pub(crate) fn uses_colour(&self) -> bool {
        self.buffer
            .content
            .iter()
            .any(|c| c.fg != Color::Reset || c.bg != Color::Reset)
    }
}

fn style_name(buffer: &Buffer, x: u16, y: u16) -> String {
    let cell = &buffer[(x, y)];
    let mut name = format!("{} on {}", cell.fg, cell.bg);
    if !cell.modifier.is_empty() {
        name.push_str(&format!(" {:?}", cell.modifier));
    }
    name
}

/// Reads a key string.
pub(crate) fn parse_keys(text: &str) -> Vec<KeyEvent> {
    let mut events = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = rest.find('>').filter(|end| c == '<' && *end > 1);
        if let Some(end) = end {
            events.push(named(&rest[1..end]));
            rest = &rest[end + 1..];
        } else {
            let mods = if c.is_uppercase() {
                KeyModifiers::SHIFT
            } else {
                KeyModifiers::NONE
            };
            events.push(KeyEvent::new(KeyCode::Char(c), mods));
            rest = &rest[c.len_utf8()..];
        }
    }
    events
}

fn named(name: &str) -> KeyEvent {
    let mut mods = KeyModifiers::NONE;
    let mut rest = name;
    for (prefix, bit) in [
        ("ctrl-", KeyModifiers::CONTROL),
        ("alt-", KeyModifiers::ALT),
        ("shift-", KeyModifiers::SHIFT),
    ] {
        if let Some(tail) = rest.strip_prefix(prefix) {
            mods |= bit;
            rest = tail;
        }
    }
    let code = match rest {
        "esc" => KeyCode::Esc,
        "enter" => KeyCode::Enter,
        "tab" if mods.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        "tab" => KeyCode::Tab,
        "backspace" => KeyCode::Backspace,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "pgup" => KeyCode::PageUp,
        "pgdn" => KeyCode::PageDown,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "space" => KeyCode::Char(' '),
        "lt" => KeyCode::Char('<'),
        "gt" => KeyCode::Char('>'),
        "f1" => KeyCode::F(1),
        "f12" => KeyCode::F(12),
        one => KeyCode::Char(one.chars().next().unwrap()),
    };
    KeyEvent::new(code, mods)
}
