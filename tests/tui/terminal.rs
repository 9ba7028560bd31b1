//! The real terminal: taken, given back, on every way out.
//!
//! The test runs itself in a pseudo-terminal, as the program that shows the screen; an independent
//! terminal parser watches.

use std::io::{Read, Write};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use grove::engine::event::EngineHandle;
use grove::tui::{ExitReason, TuiOptions, run};
use portable_pty::{CommandBuilder, PtyPair, PtySize, native_pty_system};

use crate::driver::NOON;
use crate::fixtures::everything;

const CHILD: &str = "GROVE_TEST_SCREEN";
const PATIENCE: Duration = Duration::from_secs(20);

/// The program under the glass; does nothing when run like any other test.
#[test]
#[ignore = "run by the other tests of this file inside a terminal"]
fn child() {
    let Ok(mode) = std::env::var(CHILD) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let reason = runtime.block_on(async {
        let (handle, side) = EngineHandle::pair(64);
        for event in everything() {
            side.events.try_send(event).unwrap();
        }
        let started = Instant::now();
        let fails = mode == "panic";
        let clock = move || {
            let passed = started.elapsed();
            assert!(
                !fails || passed < Duration::from_millis(300),
                "the clock broke"
            );
            NOON + i64::try_from(passed.as_millis()).unwrap()
        };
        let mut options = TuiOptions::new(std::sync::Arc::new(clock));
        options.stats_file = std::env::var("GROVE_TEST_STATS").ok().map(Into::into);
        run(handle, options).await
    });
    println!("left: {:?}", reason.unwrap());
}

struct Glass {
    pair: PtyPair,
    child: Box<dyn portable_pty::Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    output: mpsc::Receiver<Vec<u8>>,
    parser: vt100::Parser,
    raw: Vec<u8>,
}

impl Glass {
    fn start(mode: &str) -> Self {
        let size = PtySize {
            rows: 36,
            cols: 120,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
        command.args(["--exact", "terminal::child", "--ignored", "--nocapture"]);
        command.env(CHILD, mode);
        command.env("TERM", "xterm-256color");
        command.cwd(std::env::current_dir().unwrap());
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let (sender, output) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n) = reader.read(&mut buffer) {
                if n == 0 || sender.send(buffer[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            pair,
            child,
            writer,
            output,
            parser: vt100::Parser::new(36.try_into().unwrap(), 120.try_into().unwrap(), 0),
            raw: Vec::new(),
        }
    }

    fn wait_for(&mut self, what: &str, done: impl Fn(&vt100::Screen, &[u8]) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !done(self.parser.screen(), &self.raw) {
            let left = until.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => {
                    self.parser.process(&bytes);
                    self.raw.extend(bytes);
                }
                Err(e) => panic!(
                    "no {what} ({e}); screen:\n{}",
                    self.parser.screen().contents()
                ),
            }
        }
    }

    fn change_size(&self, rows: u16, cols: u16) {
        let size = PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        };
        self.pair.master.resize(size).unwrap();
    }

    fn resize(&mut self, rows: u16, cols: u16) {
        self.change_size(rows, cols);
        let screen = self.parser.screen_mut();
        screen.set_size(rows.try_into().unwrap(), cols.try_into().unwrap());
    }

    fn see(&mut self, text: &str) {
        self.wait_for(text, |screen, _| screen.contents().contains(text));
    }

    /// Presses a key until what it does is seen: for a moment a dialog takes no keys, and the clock stands still no longer
    /// than it likes.
    fn press_until(&mut self, bytes: &[u8], text: &str) {
        let until = Instant::now() + PATIENCE;
        self.press(bytes);
        while !self.parser.screen().contents().contains(text) {
            assert!(
                Instant::now() < until,
                "no {text}; screen:\n{}",
                self.parser.screen().contents()
            );
            match self.output.recv_timeout(Duration::from_millis(50)) {
                Ok(bytes) => {
                    self.parser.process(&bytes);
                    self.raw.extend(bytes);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => self.press(bytes),
                Err(mpsc::RecvTimeoutError::Disconnected) => panic!("no {text}; it has ended"),
            }
        }
    }

    fn press(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).unwrap();
        self.writer.flush().unwrap();
    }

    fn assert_given_back(&mut self) {
        self.wait_for("end of the alternate screen", |screen, _| {
            !screen.alternate_screen()
        });
        let until = Instant::now() + PATIENCE;
        while self.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < until, "still running");
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(20)) {
                self.parser.process(&bytes);
                self.raw.extend(bytes);
            }
        }
        let screen = self.parser.screen();
        assert!(!screen.hide_cursor());
        assert!(!screen.bracketed_paste());
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        let pushed = count(&self.raw, b"\x1b[>5u");
        let popped = count(&self.raw, b"\x1b[<1u");
        assert_eq!(pushed, popped);
    }
}

fn count(bytes: &[u8], needle: &[u8]) -> usize {
    bytes.windows(needle.len()).filter(|w| *w == needle).count()
}

#[test]
fn leaving_gives_the_terminal_back() {
    let mut glass = Glass::start("plain");
    glass.see("Fleet");
    assert!(glass.parser.screen().alternate_screen());
    assert!(glass.parser.screen().bracketed_paste());
    glass.press(b"2");
    glass.see("Inbox");
    glass.press(b"q");
    glass.see("merges?");
    glass.press_until(b"w", "Quit while 9 agents work?");
    let left = format!("left: {:?}", ExitReason::Quit { handover: false });
    glass.press_until(b"l", &left);
    glass.assert_given_back();
    assert!(count(&glass.raw, b"\x1b[?2026h") > 0);
    assert_eq!(
        count(&glass.raw, b"\x1b[?2026h") + 1,
        count(&glass.raw, b"\x1b[?2026l")
    );
}

#[cfg(unix)]
#[test]
fn a_signal_gives_the_terminal_back() {
    for signal in [rustix::process::Signal::TERM, rustix::process::Signal::HUP] {
        let mut glass = Glass::start("plain");
        glass.see("Fleet");
        let pid = glass.child.process_id().and_then(|p| i32::try_from(p).ok());
        let pid = pid.and_then(rustix::process::Pid::from_raw).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
        glass.see(&format!("left: {:?}", ExitReason::Signal));
        glass.assert_given_back();
    }
}

#[test]
fn the_extended_keyboard_is_used_only_by_terminals_that_have_it() {
    let mut without = Glass::start("plain");
    without.see("Fleet");
    without.press(b"\x1b[?62c");
    without.press(b"4");
    without.see("because");
    assert_eq!(count(&without.raw, b"\x1b[>5u"), 0);
    without.child.kill().unwrap();

    let mut with = Glass::start("plain");
    with.wait_for("the question", |_, raw| count(raw, b"\x1b[?u") > 0);
    with.press(b"\x1b[?0u\x1b[?62c");
    with.wait_for("the switch", |_, raw| count(raw, b"\x1b[>5u") > 0);
    with.see("builder-auth");
    // A key in the extended form is understood.
    with.press(b"\x1b[113;1u");
    with.see("Quit while");
    with.child.kill().unwrap();
}

#[test]
fn an_idle_screen_draws_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut glass = Glass::start("plain");
    glass.see("Fleet");
    // Panes are never answered here; after the notice about that nothing changes any more.
    let quiet = Duration::from_millis(1_500);
    while let Ok(bytes) = glass.output.recv_timeout(quiet) {
        glass.parser.process(&bytes);
    }
    assert!(glass.output.recv_timeout(quiet).is_err());
    glass.child.kill().unwrap();
    drop(folder);
}

#[test]
fn a_panic_gives_the_terminal_back_before_it_is_told() {
    let mut glass = Glass::start("panic");
    glass.see("builder-auth");
    glass.press_until(b"j", "the clock broke");
    glass.assert_given_back();
}

/// The keyboard is not read yet when the first frame stands: the terminal is asked about its keys first.
#[test]
fn a_window_resized_right_after_the_first_frame_is_drawn_in_its_new_size() {
    let mut glass = Glass::start("plain");
    glass.see("builder-auth");
    glass.resize(24, 80);
    glass.wait_for("the new size", |screen, _| shows(screen, "[1 Work"));
    glass.child.kill().unwrap();
}

/// Whether a screen of 24 rows and 80 columns is filled from its first row to its last.
fn shows(screen: &vt100::Screen, tab: &str) -> bool {
    let rows: Vec<String> = screen.rows(0, 80).collect();
    rows.last().is_some_and(|r| r.contains("NORMAL"))
        && rows.first().is_some_and(|r| r.contains(tab))
}

#[test]
fn a_storm_of_resizes_ends_in_the_right_picture() {
    let mut glass = Glass::start("plain");
    glass.see("builder-auth");
    for n in 0..200u16 {
        glass.change_size(4 + n % 60, 10 + n % 190);
    }
    glass.resize(24, 80);
    glass.wait_for("the last size", |screen, _| shows(screen, "[1 Work"));
    glass.press(b"3");
    glass.wait_for("the other screen", |screen, _| shows(screen, "[3 Merge"));
    glass.child.kill().unwrap();
}
