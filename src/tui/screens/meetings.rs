//! Whose work meets, in words, wherever it is told.

use crate::engine::view::{MeetingKind, MeetingView};
use crate::tui::label;
use crate::tui::state::State;

/// Whose work meets, for somebody who looks at nobody's branch.
pub(super) fn meeting(meeting: &MeetingView) -> String {
    let ([one, two], file) = (&meeting.agents, &meeting.file);
    match meeting.kind {
        MeetingKind::Lines => format!("{one} and {two} change the same lines of {file}"),
        MeetingKind::File => format!("{one} and {two} change other places of {file}"),
        MeetingKind::TheirScope => format!("{one} changes {file}, which was given to {two}"),
        MeetingKind::OwnScope => format!("{two} changes {file}, which was given to {one}"),
    }
}

/// The closest of all meetings that matter, and how many more there are.
pub(super) fn in_short(state: &State) -> String {
    let matter = state.project.meetings.iter();
    first_and_more(matter.filter(|m| m.kind.risk().is_some()).map(meeting))
}

/// The same of agents that are at work.
pub(super) fn at_work_in_short(state: &State) -> String {
    first_and_more(at_work(state).map(meeting))
}

/// The same for a narrow place: `same lines: ann, ben` where that fits, else `same lines: big.txt`.
pub(super) fn at_work_in_few_words(state: &State, width: u16) -> String {
    let mut all = at_work(state);
    let Some((risk, meeting)) = all.by_ref().find_map(|m| Some((m.kind.risk()?, m))) else {
        return String::new();
    };
    let more = match all.count() {
        0 => String::new(),
        more => format!(", +{more}"),
    };
    let named = format!("{risk}: {}{more}", meeting.agents.join(", "));
    if label::width(&named) <= usize::from(width) {
        return named;
    }
    let file = meeting.file.rsplit('/').next().unwrap_or(&meeting.file);
    format!("{risk}: {file}{more}")
}

/// What of an agent's work meets somebody else's who is at work.
pub(super) fn of_agent(state: &State, agent: &str) -> Vec<String> {
    let of_agent = at_work(state).filter(|m| m.agents.iter().any(|name| name == agent));
    of_agent.map(meeting).collect()
}

fn at_work(state: &State) -> impl Iterator<Item = &MeetingView> {
    let is_at_work = |name: &String| {
        let agent = state.fleet.get(name);
        agent.is_some_and(|agent| !agent.state.is_terminal())
    };
    let all = state.project.meetings.iter();
    all.filter(move |m| m.kind.risk().is_some() && m.agents.iter().all(is_at_work))
}

fn first_and_more(mut said: impl Iterator<Item = String>) -> String {
    let Some(first) = said.next() else {
        return String::new();
    };
    match said.count() {
        0 => first,
        more => format!("{first}, and {more} more"),
    }
}
