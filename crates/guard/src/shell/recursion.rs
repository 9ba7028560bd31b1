//! Functions that call themselves: with a condition before the call it is ordinary work, without one, beside
//! itself or on both sides of a pipe it has no end.
//!
//! Two turns are judged as they are. The next one stands for all others: what grows by a path below itself stays
//! below, what counts stays a number, and everything else that changed may be anything.

use std::rc::Rc;

use super::ast::Command;
use super::control::is_within;
use super::endless::{Pace, bomb};
use super::state::State;
use super::text::{self, ANY, PATH, TOKEN};
use super::walk::{Done, Walker};
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};

/// A list of words that gets shorter is followed for so many turns.
const SHORTER: usize = 8;

type Args = Option<Rc<Vec<String>>>;

/// Where the walk is: which functions it is in, and how it came there.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    frames: Vec<Frame>,
    /// Conditions around what is judged now.
    pub(super) maybe: usize,
    /// Loops around it of which it is not the first turn.
    pub(super) later: usize,
    /// Jobs around it that run beside the shell.
    pub(super) aside: usize,
    /// Commands around it that run this one, itself included.
    pub(crate) runs: usize,
    /// Reasons around it why it may not run, or run at another time, or in another state of the files.
    pub(crate) loose: usize,
    /// The outermost function that was called again, by its place among those that are run.
    again: Option<usize>,
}

/// A function that is being run.
#[derive(Debug)]
struct Frame {
    body: Rc<Command>,
    args: Args,
    state: State,
    pace: Pace,
    maybe: usize,
    aside: usize,
    turn: Turn,
}

/// Which turn of a function it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// With the words it is called with.
    Exact,
    /// With words that stand for those of all later turns.
    Widened,
    /// With words that may be anything.
    Unknown,
}

impl Flow {
    /// Forgets which function was called again, and says which one was before.
    pub(super) fn part(&mut self) -> Option<usize> {
        self.again.take()
    }

    /// Whether one of the functions around a pipe was called in the part of it that ends here.
    pub(super) fn part_ends(&mut self, before: Option<usize>) -> bool {
        let called = self.again.is_some_and(|at| at < self.frames.len());
        self.again = match (self.again, before) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        called
    }
}

impl Walker<'_> {
    /// Judges the call of a function of the shell.
    pub(crate) fn function(&mut self, name: &str, call: &Call, st: &mut State) -> Judged<Done> {
        let Some(body) = st.functions.get(name).cloned() else {
            return Ok(Done::default());
        };
        if let Some(kept) = st.kept.get(name).cloned()
            && !Rc::ptr_eq(&kept, &body)
        {
            // The later definition may have failed.
            let mut other = st.clone();
            Rc::make_mut(&mut other.functions).insert(name.to_owned(), kept);
            let done = self.function(name, call, &mut other)?;
            Rc::make_mut(&mut st.kept).remove(name);
            let again = self.function(name, call, st)?;
            st.join(other);
            return Ok(done.or(again));
        }
        let given: Args = Some(Rc::new(call.args().to_vec()));
        let outer = self
            .flow
            .frames
            .iter()
            .rposition(|frame| Rc::ptr_eq(&frame.body, &body));
        let (args, turn) = match outer {
            None => (given, Turn::Exact),
            Some(at) => {
                self.has_an_end(at)?;
                match self.next_turn_of(at, given, st) {
                    Some(next) => next,
                    // All that this could do was judged.
                    None => return Ok(Done::printing(ANY)),
                }
            }
        };
        let before = outer.is_some().then(|| st.clone());
        let positional = std::mem::replace(&mut st.positional, args.clone());
        let input = std::mem::replace(&mut st.stdin, call.stdin.clone());
        let around = st.begin_function();
        for (key, value) in &call.env {
            // To some plain shells it is an assignment like any other.
            st.make_local(key, !st.plain);
            let mut var = super::state::Var::scalar(value.clone());
            var.exported = true;
            st.set(key, var);
        }
        let pace = self.pace;
        self.flow.frames.push(Frame {
            body: Rc::clone(&body),
            args,
            state: st.clone(),
            pace,
            maybe: self.flow.maybe,
            aside: self.flow.aside,
            turn,
        });
        let done = self.loosely(|walker| walker.body(&body, st));
        self.flow.frames.pop();
        self.pace = self.pace.within_function(pace);
        st.end_function(around);
        st.positional = positional;
        st.stdin = input;
        st.dead = false;
        if let Some(before) = before {
            // Later turns change it further.
            let within = is_within(&st.cwd, &before.cwd);
            widen(st, &before, within);
        }
        done
    }

    /// Judges what runs only behind a condition, if it is one.
    pub(super) fn perhaps<T>(
        &mut self,
        perhaps: bool,
        judge: impl FnOnce(&mut Self) -> Judged<T>,
    ) -> Judged<T> {
        let before = self.flow.maybe;
        self.flow.maybe += usize::from(perhaps);
        let judged = judge(self);
        self.flow.maybe = before;
        judged
    }

    /// Judges what may not run, or run beside what comes behind it: files may stay as they were.
    pub(crate) fn loosely<T>(&mut self, judge: impl FnOnce(&mut Self) -> Judged<T>) -> Judged<T> {
        self.flow.loose += 1;
        let judged = judge(self);
        self.flow.loose -= 1;
        judged
    }

    /// Whether the command that is judged surely runs, here and now, as the shell itself reads it.
    pub(crate) fn surely_runs(&self, st: &State) -> bool {
        self.flow.runs == 1
            && self.flow.loose == 0
            && !self.files_withstand
            && st.cwd.len() == 1
            && st.traps.is_empty()
            && !st.beside
            && !st.vars.contains_key("PATH")
    }

    /// Refuses a call of the function at this place that nothing can keep from coming again.
    fn has_an_end(&mut self, at: usize) -> Judged<()> {
        let Some(frame) = self.flow.frames.get(at) else {
            return Ok(());
        };
        if self.decisions.are_made() {
            // Asked where both outcomes of what is before it were taken.
            return Ok(());
        }
        if self.flow.aside > frame.aside {
            return Err(bomb());
        }
        if self.flow.maybe == frame.maybe && !self.pace.leaves(frame.pace) {
            return Err(Refusal::new(
                rule::PROCESS,
                "the function calls itself without a visible end; put a condition before the call, or write a loop",
            ));
        }
        self.flow.again = Some(self.flow.again.map_or(at, |other| other.min(at)));
        Ok(())
    }

    /// The words of the next turn of a function, and what they stand for; `None` when they were judged.
    fn next_turn_of(&self, at: usize, given: Args, st: &mut State) -> Option<(Args, Turn)> {
        let frame = self.flow.frames.get(at)?;
        let turns = self
            .flow
            .frames
            .iter()
            .filter(|other| Rc::ptr_eq(&other.body, &frame.body))
            .count();
        let within = is_within(&st.cwd, &frame.state.cwd);
        let same = st.same_values(&frame.state);
        match frame.turn {
            Turn::Unknown => None,
            Turn::Exact if turns == 1 => Some((given, Turn::Exact)),
            Turn::Exact if turns < SHORTER && is_shorter(&given, &frame.args) => {
                Some((given, Turn::Exact))
            }
            Turn::Exact if same && given == frame.args => None,
            Turn::Exact => {
                let args = widened(&frame.args, &given);
                widen(st, &frame.state, within);
                Some((args, Turn::Widened))
            }
            Turn::Widened if within && covers(&frame.args, &given) => None,
            Turn::Widened => {
                widen(st, &frame.state, within);
                Some((None, Turn::Unknown))
            }
        }
    }
}

/// Forgets what a turn has changed, but for folders that only lead further down.
fn widen(st: &mut State, before: &State, within: bool) {
    let places = within.then(|| st.cwd.clone());
    st.widen(before);
    if let Some(places) = places {
        st.cwd = places;
    }
}

/// Whether these words are the last ones of the others.
fn is_shorter(args: &Args, than: &Args) -> bool {
    match (args, than) {
        (Some(args), Some(than)) => args.len() < than.len() && than.ends_with(args),
        (Some(_) | None, Some(_) | None) => false,
    }
}

/// Words that stand for those of all later turns.
fn widened(before: &Args, now: &Args) -> Args {
    let (before, now) = (before.as_ref()?, now.as_ref()?);
    if before.len() != now.len() {
        return None;
    }
    let words = before.iter().zip(now.iter());
    Some(Rc::new(
        words.map(|(before, now)| either(before, now)).collect(),
    ))
}

fn either(before: &str, now: &str) -> String {
    if before == now {
        return now.to_owned();
    }
    if is_number(before) && is_number(now) {
        return TOKEN.to_string();
    }
    if descends(before, now) {
        return format!("{}/{PATH}", before.trim_end_matches('/'));
    }
    text::part_of(&format!("{before}{now}"))
}

/// Whether words that stand for those of all later turns stand for these.
fn covers(all: &Args, one: &Args) -> bool {
    let (Some(all), Some(one)) = (all, one) else {
        return all.is_none();
    };
    let covered = |all: &str, one: &str| {
        all == one
            || all == TOKEN.to_string() && is_number(one)
            || all.chars().all(|c| c == ANY) && !all.is_empty() && !text::is_secret(one)
            || all
                .strip_suffix(PATH)
                .is_some_and(|folder| descends(folder, one))
    };
    all.len() == one.len()
        && all
            .iter()
            .zip(one.iter())
            .all(|(all, one)| covered(all, one))
}

fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == TOKEN)
}

/// Whether a path is one below the other.
fn descends(from: &str, to: &str) -> bool {
    let folder = from.trim_end_matches('/');
    let Some(rest) = to.strip_prefix(folder) else {
        return false;
    };
    !folder.is_empty()
        && rest.starts_with('/')
        && !text::is_any(rest)
        && rest
            .split('/')
            .all(|part| !(part.starts_with("..") || part.starts_with('.') && text::has_glob(part)))
}
