//! The user's terminal: taking it, drawing on it, and giving it back as it was.
//!
//! It is given back on every way out: leaving, errors, panics, signals that the loop handles. What
//! was switched on is remembered in one place, so that it is switched off exactly then.

use std::collections::VecDeque;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write, stdout};
use std::pin::Pin;
use std::process::{Child, Command, ExitStatus};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::task::{Context, Poll};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use crossterm::cursor::{SetCursorStyle, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste,
    EnableFocusChange, Event, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags,
    PushKeyboardEnhancementFlags,
};
use crossterm::style::Print;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    SetTitle, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use futures_core::Stream;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use tokio::sync::mpsc::Receiver;

use crate::platform::{fs, hangup, random};
use crate::tui::effect::Edit;
use crate::tui::keyboard::Keyboard;
use crate::tui::options::TuiError;
use crate::tui::probe;
use crate::tui::surface::{Surface, SurfaceOp};

/// Buttons, drags and the wheel in SGR form; mere movement would wake us for nothing.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
/// Saves the window title on the terminal's own stack.
const PUSH_TITLE: &str = "\x1b[22;2t";
const POP_TITLE: &str = "\x1b[23;2t";

/// What is drawn, on its way. After the terminal was given back nothing more has to arrive: it may be gone,
/// and the library complains of that on a terminal that is gone as well, which would end the process.
#[derive(Debug)]
pub(crate) struct Out(BufWriter<Stdout>);

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(_) if !TAKEN.load(Ordering::SeqCst) => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(_) if !TAKEN.load(Ordering::SeqCst) => Ok(()),
            flushed => flushed,
        }
    }
}

/// Whether the terminal is ours, and whether its keyboard was switched to the extended form.
static TAKEN: AtomicBool = AtomicBool::new(false);
static KEYS_PUSHED: AtomicBool = AtomicBool::new(false);
/// Whether it said that it has the extended form at all.
static EXTENDED_KEYS: AtomicBool = AtomicBool::new(false);
static PANIC_HOOK: Once = Once::new();

/// The process's terminal while it is ours.
pub(crate) struct RealTerminal {
    terminal: Terminal<CrosstermBackend<Out>>,
    mouse: bool,
    keyboard: Keyboard,
    /// Given to the input that is made of this terminal.
    events: Option<Receiver<io::Result<Event>>>,
}

fn push_keys(out: &mut impl Write) -> io::Result<()> {
    let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES
        | KeyboardEnhancementFlags::REPORT_ALTERNATE_KEYS;
    queue!(out, PushKeyboardEnhancementFlags(flags))?;
    KEYS_PUSHED.store(true, Ordering::SeqCst);
    Ok(())
}

/// The keyboard and mouse. The terminal is asked about its keyboard when the first event is waited
/// for, so that a terminal that does not answer delays no frame.
pub(crate) struct RealInput {
    keyboard: Keyboard,
    /// `None` when another input of the same terminal has it.
    events: Option<Receiver<io::Result<Event>>>,
    asked: bool,
    /// Typed while the terminal was asked.
    typed: VecDeque<Event>,
}

impl RealInput {
    /// Makes the input that belongs to a terminal.
    pub(crate) fn of(terminal: &mut RealTerminal) -> Self {
        Self {
            keyboard: terminal.keyboard.clone(),
            events: terminal.events.take(),
            asked: false,
            typed: VecDeque::new(),
        }
    }

    fn ask(&mut self) -> io::Result<()> {
        let learnt = probe::ask();
        self.typed.extend(learnt.typed);
        if learnt.extended_keys {
            EXTENDED_KEYS.store(true, Ordering::SeqCst);
            let mut out = stdout();
            push_keys(&mut out).and_then(|()| out.flush())?;
        }
        self.keyboard.start()
    }
}

impl Stream for RealInput {
    type Item = io::Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if !self.asked {
            self.asked = true;
            if let Err(error) = self.ask() {
                return Poll::Ready(Some(Err(error)));
            }
        }
        if let Some(event) = self.typed.pop_front() {
            return Poll::Ready(Some(Ok(event)));
        }
        match &mut self.events {
            Some(events) => events.poll_recv(cx),
            None => Poll::Ready(None),
        }
    }
}

fn failed(what: &'static str) -> impl FnOnce(io::Error) -> TuiError {
    move |source| TuiError::Terminal { what, source }
}

impl RealTerminal {
    /// Takes the terminal.
    pub(crate) fn enter(mouse: bool) -> Result<Self, TuiError> {
        if !stdout().is_terminal() || !io::stdin().is_terminal() {
            return Err(TuiError::NotATerminal);
        }
        PANIC_HOOK.call_once(|| {
            let earlier = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                // Nothing more can be done about a terminal that refuses to be restored.
                restore().unwrap_or_default();
                earlier(info);
            }));
        });
        enable_raw_mode().map_err(failed("take"))?;
        TAKEN.store(true, Ordering::SeqCst);
        let out = Out(BufWriter::with_capacity(64 * 1024, stdout()));
        let terminal = Terminal::new(CrosstermBackend::new(out)).map_err(failed("take"));
        let (keyboard, events) = Keyboard::new();
        let mut taken = Self {
            terminal: match terminal {
                Ok(terminal) => terminal,
                Err(error) => {
                    restore().map_err(failed("restore"))?;
                    return Err(error);
                }
            },
            mouse,
            keyboard,
            events: Some(events),
        };
        taken.switch_on().map_err(failed("take"))?;
        Ok(taken)
    }

    fn switch_on(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        let out = self.terminal.backend_mut();
        queue!(
            out,
            Print(PUSH_TITLE),
            EnterAlternateScreen,
            EnableBracketedPaste,
            EnableFocusChange,
            SetCursorStyle::SteadyBlock
        )?;
        if EXTENDED_KEYS.load(Ordering::SeqCst) {
            push_keys(out)?;
        }
        if self.mouse {
            queue!(out, Print(MOUSE_ON))?;
        }
        out.flush()
    }

    /// Gives the terminal back.
    pub(crate) fn leave(mut self) -> Result<(), TuiError> {
        self.give_back().map_err(failed("restore"))
    }

    fn give_back(&mut self) -> io::Result<()> {
        self.keyboard.stop();
        // It is given back in any case, also if what was drawn last does not arrive.
        let drawn = self.terminal.backend_mut().flush();
        restore().and(drawn)
    }

    #[cfg(unix)]
    fn suspend(&mut self) -> io::Result<()> {
        use rustix::process::{Signal, getpid, kill_process};
        self.give_back()?;
        kill_process(getpid(), Signal::TSTP)?;
        self.switch_on()?;
        self.keyboard.start()
    }

    #[cfg(not(unix))]
    fn suspend(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for RealTerminal {
    fn drop(&mut self) {
        // An error has been reported by `leave` already, or there is nobody left to tell.
        self.give_back().unwrap_or_default();
    }
}

/// Switches everything off again; does nothing if the terminal is not ours.
fn restore() -> io::Result<()> {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let mut out = stdout();
    if KEYS_PUSHED.swap(false, Ordering::SeqCst) {
        queue!(out, PopKeyboardEnhancementFlags)?;
    }
    execute!(
        out,
        EndSynchronizedUpdate,
        DisableMouseCapture,
        DisableFocusChange,
        DisableBracketedPaste,
        SetCursorStyle::DefaultUserShape,
        LeaveAlternateScreen,
        Show,
        Print(POP_TITLE)
    )?;
    disable_raw_mode()
}

impl Surface for RealTerminal {
    type Backend = CrosstermBackend<Out>;

    fn terminal(&mut self) -> &mut Terminal<Self::Backend> {
        &mut self.terminal
    }

    fn perform(&mut self, op: SurfaceOp) -> Result<(), TuiError> {
        let out = self.terminal.backend_mut();
        let result = match op {
            SurfaceOp::BeginFrame => queue!(out, BeginSynchronizedUpdate),
            SurfaceOp::EndFrame => execute!(out, EndSynchronizedUpdate),
            SurfaceOp::Title(title) => execute!(out, SetTitle(title)),
            SurfaceOp::Bell => execute!(out, Print("\x07")),
            SurfaceOp::Copy(text) => {
                let coded = BASE64.encode(text);
                execute!(out, Print(format!("\x1b]52;c;{coded}\x07")))
            }
            SurfaceOp::CaptureMouse(on) => {
                self.mouse = on;
                if on {
                    execute!(out, Print(MOUSE_ON))
                } else {
                    execute!(out, DisableMouseCapture)
                }
            }
            SurfaceOp::CursorBar(true) => execute!(out, SetCursorStyle::SteadyBar),
            SurfaceOp::CursorBar(false) => execute!(out, SetCursorStyle::SteadyBlock),
            SurfaceOp::Suspend => self.suspend(),
        };
        result.map_err(failed("use"))
    }

    fn edit(&mut self, editor: &str, edit: &Edit) -> Result<Result<String, String>, TuiError> {
        // It also stops the reading: the keys are the editor's now.
        self.give_back().map_err(failed("restore"))?;
        let edited = run_editor(editor, edit);
        self.switch_on().map_err(failed("take"))?;
        self.keyboard.start().map_err(failed("use"))?;
        Ok(edited)
    }
}

/// Runs an editor on a private copy of a text.
fn run_editor(editor: &str, edit: &Edit) -> Result<String, String> {
    let mut words = editor.split_whitespace();
    let program = words.next().ok_or("no editor is set")?;
    let name = edit.file.rsplit(['/', '\\']).next().unwrap_or("text");
    let path = std::env::temp_dir().join(format!("grove-{}-{name}", random::alphanumeric(8)));
    fs::create_new_private(&path, &edit.text).map_err(|error| error.to_string())?;
    let status = Command::new(program).args(words).arg(&path).spawn();
    let status = status.and_then(wait_for_editor);
    let text = fs::read(&path);
    fs::remove_existing(&path).map_err(|error| error.to_string())?;
    match status {
        Ok(status) if status.success() => text.map_err(|error| error.to_string()),
        Ok(status) => Err(format!("{program} ended with {status}")),
        Err(error) => Err(format!(
            "{program} could not be started: {error}; set VISUAL or EDITOR"
        )),
    }
}

/// Waits for an editor, for as long as there is a terminal to edit in.
fn wait_for_editor(mut editor: Child) -> io::Result<ExitStatus> {
    let (done, ended) = channel();
    let gone = done.clone();
    // Dropped at the end: the watch ends with this wait.
    let _watch = hangup::watch_input(move || {
        let error = io::Error::other("the terminal is gone");
        gone.send(Err(error)).unwrap_or_default();
    });
    std::thread::Builder::new()
        .name("editor".to_owned())
        .spawn(move || done.send(editor.wait()).unwrap_or_default())?;
    ended.recv().map_err(io::Error::other)?
}
