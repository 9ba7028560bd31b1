//! The full screen in a pseudo-terminal, watched by a terminal that is not grove's own.

use super::project::{GROVE, TestProject};
use super::wait::wait_until;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

type Input = Arc<Mutex<Box<dyn Write + Send>>>;

/// A grove process in a terminal.
pub(crate) struct ScreenProcess {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    input: Input,
    parser: Arc<Mutex<vt100::Parser<Answers>>>,
    received: Arc<AtomicU64>,
}

/// Answers what a terminal is asked for at the start.
struct Answers {
    input: Input,
}

impl vt100::Callbacks for Answers {
    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        first: Option<u8>,
        _second: Option<u8>,
        params: &[&[u16]],
        end: char,
    ) {
        let answer = match (first, end, params) {
            (None, 'c', _) => "\x1b[?62;22c".to_owned(),
            (None, 'n', [[6]]) => {
                let (row, column) = screen.cursor_position();
                format!("\x1b[{};{}R", row + 1, column + 1)
            }
            _ => return,
        };
        let mut input = self.input.lock().unwrap();
        input.write_all(answer.as_bytes()).ok();
        input.flush().ok();
    }
}

impl ScreenProcess {
    /// Starts grove in a terminal of 120×36.
    pub(crate) fn start(project: &TestProject, args: &[&str]) -> Self {
        Self::start_sized(project, args, 120, 36)
    }

    pub(crate) fn start_sized(project: &TestProject, args: &[&str], cols: u16, rows: u16) -> Self {
        Self::run(project, GROVE, args, cols, rows)
    }

    /// Starts any program, such as a shell.
    pub(crate) fn run(
        project: &TestProject,
        program: &str,
        args: &[&str],
        cols: u16,
        rows: u16,
    ) -> Self {
        let size = PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env_clear();
        for (name, value) in project.env() {
            command.env(name, value);
        }
        command.env("COLORTERM", "truecolor");
        command.cwd(project.root());
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut output = pair.master.try_clone_reader().unwrap();
        let input: Input = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let answers = Answers {
            input: Arc::clone(&input),
        };
        let parser =
            vt100::Parser::new_with_callbacks(at_least_one(rows), at_least_one(cols), 0, answers);
        let parser = Arc::new(Mutex::new(parser));
        let received = Arc::new(AtomicU64::new(0));
        let (watched, counted) = (Arc::clone(&parser), Arc::clone(&received));
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            while let Ok(n @ 1..) = output.read(&mut buffer) {
                watched.lock().unwrap().process(&buffer[..n]);
                counted.fetch_add(n as u64, Ordering::SeqCst);
            }
        });
        Self {
            child,
            master: pair.master,
            input,
            parser,
            received,
        }
    }

    pub(crate) fn pid(&self) -> i64 {
        i64::from(self.child.process_id().unwrap())
    }

    /// The screen as text.
    pub(crate) fn text(&self) -> String {
        self.parser.lock().unwrap().screen().contents()
    }

    pub(crate) fn shows(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    /// Bytes drawn since the start; unchanged means that nothing was drawn.
    pub(crate) fn received(&self) -> u64 {
        self.received.load(Ordering::SeqCst)
    }

    pub(crate) fn in_alternate_screen(&self) -> bool {
        self.parser.lock().unwrap().screen().alternate_screen()
    }

    /// Waits until the terminal shows again what it did before; the last bytes of a process may be read after its end.
    pub(crate) fn wait_left(&self, limit: Duration) {
        wait_until(
            "the alternate screen is left",
            limit,
            || (!self.in_alternate_screen()).then_some(()),
            || self.text(),
        );
    }

    pub(crate) fn type_keys(&self, keys: &str) {
        let mut input = self.input.lock().unwrap();
        input.write_all(keys.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn resize(&self, cols: u16, rows: u16) {
        let size = PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        };
        // A terminal has its new size before it tells; what arrives later is drawn into that.
        let mut parser = self.parser.lock().unwrap();
        let screen = parser.screen_mut();
        screen.set_size(at_least_one(rows), at_least_one(cols));
        self.master.resize(size).unwrap();
    }

    /// Waits until the screen shows a text.
    pub(crate) fn wait_for(&self, text: &str, limit: Duration, report: impl FnOnce() -> String) {
        wait_until(
            &format!("the screen shows {text:?}"),
            limit,
            || self.shows(text).then_some(()),
            || format!("--- screen\n{}\n{}", self.text(), report()),
        );
    }

    /// `kill -9`, and waits until the process is gone.
    pub(crate) fn kill_9(&mut self) {
        super::kill_9(self.pid());
        self.child.wait().unwrap();
    }

    /// Waits for the end; gives the exit code.
    pub(crate) fn wait_exit(&mut self, limit: Duration) -> u32 {
        let child = &mut self.child;
        let parser = &self.parser;
        wait_until(
            "the screen's process ends",
            limit,
            || child.try_wait().unwrap().map(|status| status.exit_code()),
            || parser.lock().unwrap().screen().contents(),
        )
    }
}

fn at_least_one(n: u16) -> NonZero<u16> {
    NonZero::new(n).expect("a terminal has rows and columns")
}

impl Drop for ScreenProcess {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
