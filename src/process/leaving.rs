//! That this process was asked to end. What runs for it in a process group of its own hears nothing of a signal that a
//! terminal sends: it is ended from here, so that nothing goes on alone. What is started after that, to take back what
//! was begun, has little time; and none from the moment on that it is asked again.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::shell::{Cancel, Event};

/// How long a command may take that is started after this process was asked to end.
const TAKES_BACK_WITHIN: Duration = Duration::from_secs(5);
/// How long it is waited, when asked again, for the end of what runs.
const ALL_END_WITHIN: Duration = Duration::from_secs(10);

static ASKED: OnceLock<Asked> = OnceLock::new();

#[derive(Debug, Default)]
struct Asked {
    once: Cancel,
    again: Cancel,
    running: Mutex<usize>,
    ended: Condvar,
}

/// From now on, commands that run within bounds hear when this process is asked to end.
pub fn listen() {
    ASKED.get_or_init(Asked::default);
}

/// Ends what runs; what was begun is taken back by who began it.
pub fn ask() {
    if let Some(asked) = ASKED.get() {
        asked.once.call();
    }
}

/// Ends also what takes back, and returns when all has ended. Nothing is started any more.
pub fn ask_again() {
    let Some(asked) = ASKED.get() else { return };
    asked.once.call();
    asked.again.call();
    let deadline = Instant::now() + ALL_END_WITHIN;
    let mut running = asked.running();
    while *running > 0 {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let waited = asked.ended.wait_timeout(running, left);
        running = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// Whether something was not started because this process was asked to end a second time.
pub fn refuses(error: &std::io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<AtOnce>())
}

/// Nothing is started any more.
#[derive(Debug, thiserror::Error)]
#[error("grove was asked to end at once")]
struct AtOnce;

/// Whether this process was asked to end.
pub fn is_asked() -> bool {
    ASKED.get().is_some_and(|asked| asked.once.is_called())
}

/// What some calculation comes to, on a thread of its own. `None` as soon as this process is asked to end, or somebody
/// calls it off: it is left where it is, so it may change nothing that others see.
pub fn unless_asked<T: Send + 'static>(
    call_off: Option<&Cancel>,
    run: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let asked = ASKED.get().map(|asked| &asked.once);
    if asked.is_none() && call_off.is_none() {
        return Some(run());
    }
    let (event, events) = channel();
    for cancel in asked.into_iter().chain(call_off) {
        cancel.listen(&event);
    }
    let running = std::thread::spawn(move || {
        let _told = Told(event);
        run()
    });
    match events.recv() {
        Ok(Event::CalledOff) => None,
        Ok(Event::Exited | Event::PipeClosed) | Err(_) => match running.join() {
            Ok(value) => Some(value),
            Err(panic) => std::panic::resume_unwind(panic),
        },
    }
}

/// Tells that a calculation has ended, however it did.
struct Told(Sender<Event>);

impl Drop for Told {
    fn drop(&mut self) {
        // Nobody listens any more where it was left.
        self.0.send(Event::Exited).ok();
    }
}

impl Asked {
    fn running(&self) -> MutexGuard<'_, usize> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One command that runs, from before its start to after its end.
#[derive(Debug)]
pub(super) struct Running {
    /// What ends it.
    pub(super) token: &'static Cancel,
    /// What it may take at most.
    pub(super) limit: Duration,
    asked: &'static Asked,
}

impl Running {
    /// `None` where nobody listens; fails when nothing may be started any more.
    pub(super) fn begin(limit: Duration) -> std::io::Result<Option<Self>> {
        let Some(asked) = ASKED.get() else {
            return Ok(None);
        };
        // Counted before it is looked: whoever asks again waits for it, or it is not started.
        *asked.running() += 1;
        let (token, limit) = if asked.once.is_called() {
            (&asked.again, limit.min(TAKES_BACK_WITHIN))
        } else {
            (&asked.once, limit)
        };
        let running = Self {
            token,
            limit,
            asked,
        };
        if asked.again.is_called() {
            return Err(std::io::Error::other(AtOnce));
        }
        Ok(Some(running))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        *self.asked.running() -= 1;
        self.asked.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a process of its own, which is asked to end.
    #[test]
    #[ignore = "the other test starts it"]
    fn victim() {
        listen();
        assert_eq!(unless_asked(None, || 1), Some(1));
        until_it_begins(None, ask);
        let parked = unless_asked(None, std::thread::park);
        assert_eq!(parked, None, "and none begins");
    }

    /// Runs a calculation without an end, which `ends` ends once it has begun.
    fn until_it_begins(call_off: Option<&Cancel>, ends: impl FnOnce() + Send) {
        let (begun, begins) = channel();
        let endless = move || loop {
            begun.send(()).ok();
            std::thread::park();
        };
        std::thread::scope(|scope| {
            scope.spawn(move || {
                begins.recv().unwrap();
                ends();
            });
            assert_eq!(unless_asked::<()>(call_off, endless), None);
        });
    }

    #[test]
    fn a_calculation_that_somebody_calls_off_is_left_where_it_is() {
        let cancel = Cancel::default();
        assert_eq!(unless_asked(Some(&cancel), || 1), Some(1));
        until_it_begins(Some(&cancel), || cancel.call());
        assert_eq!(unless_asked(Some(&cancel), std::thread::park), None);
    }

    #[test]
    fn a_calculation_that_does_not_end_is_left_where_it_is() {
        assert_eq!(unless_asked(None, || 1), Some(1), "nobody listens");
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["process::leaving::tests::victim", "--exact", "--ignored"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("1 passed"), "{said}");
    }
}
