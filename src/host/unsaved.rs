//! Which files of the worktree are not committed, found out before the agent wants to stop.
//!
//! Asking git takes longer than a hook may. So git is asked in the background when the agent has been quiet for
//! a moment after a tool call, while its model thinks; what it said holds until the next tool call, and for a
//! while at most. Whoever asks when nothing is known asks git.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long after its last tool call an agent counts as thinking.
const QUIET: Duration = Duration::from_millis(250);
/// How long an answer holds. What the agent left running may change files without a tool call.
const HOLDS: Duration = Duration::from_secs(60);
/// A large worktree is looked at for one part in so many of the time at most.
const SHARE: u32 = 20;

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
    rests_until: Option<Instant>,
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
    Look(u64),
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
        let quiet = self.touched_at.map(|at| at + QUIET);
        match quiet.max(self.rests_until) {
            Some(due) if due > now => Next::Wait(due - now),
            Some(_) | None => Next::Look(self.touches),
        }
    }

    fn touch(&mut self, now: Instant) {
        self.touches += 1;
        self.touched_at = Some(now);
    }

    fn learn(&mut self, touches: u64, files: Vec<String>, started: Instant, now: Instant) {
        self.rests_until = Some(now + (now - started) * SHARE);
        self.known = Some(Known {
            touches,
            at: now,
            files,
        });
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

    /// What is known now; otherwise what `look` finds.
    pub fn files(&self, look: impl FnOnce() -> Option<Vec<String>>) -> Vec<String> {
        let started = Instant::now();
        let (touches, known) = {
            let state = self.lock();
            (state.touches, state.answer(started))
        };
        if let Some(files) = known {
            return files;
        }
        let Some(files) = look() else {
            return Vec::new();
        };
        self.lock()
            .learn(touches, files.clone(), started, Instant::now());
        files
    }

    /// Ends [`Unsaved::keep_looking`].
    pub fn leave(&self) {
        self.lock().over = true;
        self.changed.notify_all();
    }

    /// Looks whenever it is time to, on the thread of the caller.
    pub fn keep_looking(&self, look: impl Fn() -> Option<Vec<String>>) {
        let mut state = self.lock();
        loop {
            state = match state.next(Instant::now()) {
                Next::Leave => return,
                Next::Sleep => self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                Next::Wait(time) => {
                    let woken = self.changed.wait_timeout(state, time);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                Next::Look(touches) => {
                    state.wanted = false;
                    drop(state);
                    let started = Instant::now();
                    let files = look();
                    let mut state = self.lock();
                    if let Some(files) = files {
                        state.learn(touches, files, started, Instant::now());
                    }
                    state
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(start: Instant, ms: u64) -> Instant {
        start + Duration::from_millis(ms)
    }

    #[test]
    fn what_git_said_holds_until_the_next_tool_call() {
        let now = Instant::now();
        let mut state = State::default();
        assert_eq!(state.answer(now), None);
        state.touch(now);
        state.learn(1, vec!["a".to_owned()], now, now);
        assert_eq!(state.answer(after(now, 10)), Some(vec!["a".to_owned()]));
        assert_eq!(state.answer(now + HOLDS), None);
        state.touch(now);
        assert_eq!(state.answer(after(now, 10)), None);
    }

    #[test]
    fn an_answer_from_before_a_tool_call_is_not_taken_for_one_after_it() {
        let unsaved = Unsaved::default();
        let seen = unsaved.files(|| {
            unsaved.touch();
            Some(vec!["old".to_owned()])
        });
        assert_eq!(seen, ["old"]);
        assert_eq!(unsaved.files(|| Some(Vec::new())), Vec::<String>::new());
        // And now it is known.
        assert_eq!(unsaved.files(|| unreachable!()), Vec::<String>::new());
    }

    #[test]
    fn git_is_asked_once_the_agent_is_quiet_and_not_all_the_time() {
        let now = Instant::now();
        let mut state = State::default();
        assert_eq!(state.next(now), Next::Sleep);
        state.touch(now);
        state.wanted = true;
        assert_eq!(state.next(now), Next::Wait(QUIET));
        assert_eq!(state.next(now + QUIET), Next::Look(1));
        // It took a second, so the next look waits.
        state.learn(1, Vec::new(), now, after(now, 1000));
        let Next::Wait(rest) = state.next(after(now, 1000)) else {
            panic!("no rest");
        };
        assert_eq!(rest, Duration::from_secs(20));
        state.over = true;
        assert_eq!(state.next(now), Next::Leave);
    }

    #[test]
    fn a_look_that_fails_is_not_an_answer() {
        let unsaved = Unsaved::default();
        assert_eq!(unsaved.files(|| None), Vec::<String>::new());
        assert_eq!(unsaved.files(|| Some(vec!["a".to_owned()])), ["a"]);
    }
}
