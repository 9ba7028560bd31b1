//! Which files of the worktree are not committed, found out before the agent wants to stop.
//!
//! Asking git takes longer than a hook may. So git is asked in the background when the agent has been quiet for
//! a moment after a tool call, while its model thinks; what it said holds until the next tool call, and for a
//! while at most. Whoever asks when nothing is known joins the look that is going on, or asks git.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long after its last tool call an agent counts as thinking.
const QUIET: Duration = Duration::from_millis(250);
/// How long an answer holds. What the agent left running may change files without a tool call.
const HOLDS: Duration = Duration::from_secs(60);
/// A large worktree is looked at for one part in so many of the time at most.
const SHARE: u32 = 20;
/// The same once the work is reported: only then does the answer decide whether the agent may stop.
const SHARE_REPORTED: u32 = 4;

/// What is known, shared by the hooks and the thread that looks.
#[derive(Debug, Default)]
pub struct Unsaved {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Grows with everything that may change a file.
    touches: u64,
    touched_at: Option<Instant>,
    wanted: bool,
    over: bool,
    reported: bool,
    /// The touches that a look has seen that is going on.
    looking: Option<u64>,
    /// When the last look has ended, and how long it took.
    last: Option<(Instant, Duration)>,
    known: Option<Known>,
}

#[derive(Debug)]
struct Known {
    touches: u64,
    at: Instant,
    files: Vec<String>,
}

/// What the thread does next.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Sleep,
    Wait(Duration),
    Look,
    Leave,
}

impl State {
    fn next(&self, now: Instant) -> Next {
        if self.over {
            return Next::Leave;
        }
        if !self.wanted {
            return Next::Sleep;
        }
        let share = if self.reported { SHARE_REPORTED } else { SHARE };
        let quiet = self.touched_at.map(|at| at + QUIET);
        match quiet.max(self.last.map(|(at, took)| at + took * share)) {
            Some(due) if due > now => Next::Wait(due - now),
            Some(_) | None => Next::Look,
        }
    }

    fn touch(&mut self, now: Instant) {
        self.touches += 1;
        self.touched_at = Some(now);
    }

    fn begin(&mut self) -> u64 {
        self.looking = Some(self.touches);
        self.touches
    }

    /// Takes in what a look has found; `None` when it has failed.
    fn end(&mut self, touches: u64, files: Option<Vec<String>>, started: Instant, now: Instant) {
        // A later look than this one may have begun since.
        if self.looking == Some(touches) {
            self.looking = None;
        }
        self.last = Some((now, now - started));
        let older = self.known.as_ref().is_some_and(|k| k.touches > touches);
        if let Some(files) = files
            && !older
        {
            self.known = Some(Known {
                touches,
                at: started,
                files,
            });
        }
    }

    fn answer(&self, now: Instant) -> Option<Vec<String>> {
        let known = self.known.as_ref()?;
        let holds = known.touches == self.touches && now.duration_since(known.at) < HOLDS;
        holds.then(|| known.files.clone())
    }
}

impl Unsaved {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let woken = self.changed.wait(state);
        woken.unwrap_or_else(PoisonError::into_inner)
    }

    /// A tool call begins: what is known holds no longer.
    pub fn touch(&self) {
        self.lock().touch(Instant::now());
    }

    /// A tool call has ended: soon somebody may ask.
    pub fn settle(&self) {
        let mut state = self.lock();
        state.touch(Instant::now());
        state.wanted = true;
        drop(state);
        self.changed.notify_all();
    }

    /// What is known without asking.
    pub fn known(&self) -> Option<Vec<String>> {
        self.lock().answer(Instant::now())
    }

    /// What is known, or what a look finds; `None` when git does not tell.
    pub fn files(&self, look: impl FnOnce() -> Option<Vec<String>>) -> Option<Vec<String>> {
        let mut state = self.lock();
        loop {
            if let Some(files) = state.answer(Instant::now()) {
                return Some(files);
            }
            if state.looking != Some(state.touches) {
                break;
            }
            state = self.wait(state);
        }
        self.look_now(state, look)
    }

    /// Looks without holding the lock.
    fn look_now(
        &self,
        mut state: MutexGuard<'_, State>,
        look: impl FnOnce() -> Option<Vec<String>>,
    ) -> Option<Vec<String>> {
        let mut going_on = Looking {
            unsaved: self,
            touches: state.begin(),
            started: Instant::now(),
            found: None,
        };
        drop(state);
        going_on.found = look();
        going_on.found.clone()
    }

    /// Ends [`Unsaved::keep_looking`].
    pub fn leave(&self) {
        self.lock().over = true;
        self.changed.notify_all();
    }

    /// Looks whenever it is time to, on the thread of the caller. `has_reported` tells whether the agent
    /// has reported the end of its work; once it has, it is not asked again.
    pub fn keep_looking(
        &self,
        look: impl Fn() -> Option<Vec<String>>,
        has_reported: impl Fn() -> bool,
    ) {
        let mut state = self.lock();
        loop {
            state = match state.next(Instant::now()) {
                Next::Leave => return,
                Next::Sleep => self.wait(state),
                Next::Wait(time) if time > QUIET && !state.reported => {
                    // A rest is shorter for who is about to stop.
                    let touches = state.touches;
                    drop(state);
                    let reported = has_reported();
                    let mut state = self.lock();
                    state.reported |= reported;
                    if reported || state.over || state.touches != touches {
                        state
                    } else {
                        self.wait_for(state, time)
                    }
                }
                Next::Wait(time) => self.wait_for(state, time),
                Next::Look => {
                    state.wanted = false;
                    self.look_now(state, &look);
                    self.lock()
                }
            };
        }
    }

    fn wait_for<'a>(&self, state: MutexGuard<'a, State>, time: Duration) -> MutexGuard<'a, State> {
        let woken = self.changed.wait_timeout(state, time);
        woken.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// A look that is going on. However it ends, who waits for it is told.
struct Looking<'a> {
    unsaved: &'a Unsaved,
    touches: u64,
    started: Instant,
    found: Option<Vec<String>>,
}

impl Drop for Looking<'_> {
    fn drop(&mut self) {
        let mut state = self.unsaved.lock();
        state.end(
            self.touches,
            self.found.take(),
            self.started,
            Instant::now(),
        );
        drop(state);
        self.unsaved.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(start: Instant, ms: u64) -> Instant {
        start + Duration::from_millis(ms)
    }

    fn files(names: &[&str]) -> Option<Vec<String>> {
        Some(names.iter().map(|&name| name.to_owned()).collect())
    }

    #[test]
    fn what_git_said_holds_until_the_next_tool_call() {
        let now = Instant::now();
        let mut state = State::default();
        assert_eq!(state.answer(now), None);
        state.touch(now);
        let touches = state.begin();
        state.end(touches, files(&["a"]), now, now);
        assert_eq!(state.answer(after(now, 10)), files(&["a"]));
        assert_eq!(state.answer(now + HOLDS), None);
        state.touch(now);
        assert_eq!(state.answer(after(now, 10)), None);
    }

    #[test]
    fn an_answer_from_before_a_tool_call_is_not_taken_for_one_after_it() {
        let unsaved = Unsaved::default();
        let seen = unsaved.files(|| {
            unsaved.touch();
            files(&["old"])
        });
        assert_eq!(seen, files(&["old"]));
        assert_eq!(unsaved.known(), None);
        assert_eq!(unsaved.files(|| files(&[])), files(&[]));
        // And now it is known.
        assert_eq!(unsaved.files(|| unreachable!()), files(&[]));
        assert_eq!(unsaved.known(), files(&[]));
    }

    #[test]
    fn a_look_that_ends_late_does_not_replace_what_a_later_one_has_seen() {
        let now = Instant::now();
        let mut state = State::default();
        let first = state.begin();
        state.touch(now);
        let second = state.begin();
        state.end(second, files(&["new"]), now, now);
        state.end(first, files(&[]), now, now);
        assert_eq!(state.answer(now), files(&["new"]));
    }

    #[test]
    fn who_asks_while_a_look_is_going_on_waits_for_its_answer() {
        let unsaved = Unsaved::default();
        unsaved.touch();
        let touches = unsaved.lock().begin();
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| unsaved.files(|| unreachable!()));
            let now = Instant::now();
            unsaved.lock().end(touches, files(&["a"]), now, now);
            unsaved.changed.notify_all();
            assert_eq!(asked.join().unwrap(), files(&["a"]));
        });
    }

    #[test]
    fn git_is_asked_once_the_agent_is_quiet_and_not_all_the_time() {
        let now = Instant::now();
        let mut state = State::default();
        assert_eq!(state.next(now), Next::Sleep);
        state.touch(now);
        state.wanted = true;
        assert_eq!(state.next(now), Next::Wait(QUIET));
        assert_eq!(state.next(now + QUIET), Next::Look);
        // It took a second, so the next look waits; less so when the agent is about to stop.
        let touches = state.begin();
        state.end(touches, files(&[]), now, after(now, 1000));
        let rest = |state: &State| match state.next(after(now, 1000)) {
            Next::Wait(rest) => rest.as_secs(),
            Next::Sleep | Next::Look | Next::Leave => panic!("no rest"),
        };
        assert_eq!(rest(&state), 20);
        state.reported = true;
        assert_eq!(rest(&state), 4);
        state.over = true;
        assert_eq!(state.next(now), Next::Leave);
    }

    #[test]
    fn a_look_that_fails_is_not_an_answer() {
        let unsaved = Unsaved::default();
        assert_eq!(unsaved.files(|| None), None);
        assert_eq!(unsaved.known(), None);
        assert_eq!(unsaved.files(|| files(&["a"])), files(&["a"]));
    }
}
