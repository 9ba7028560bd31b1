//! How fast agents may write to each other.
//!
//! Mail wakes its recipient, as a nudge does, so agents that answer whatever comes would go on until the budget is gone, be
//! it two of them or a circle of many: fast within minutes, or slowly for hours. Both count alike. Reports and calls for help have more room; people
//! and the coordinator are not held up.

use super::error::MailError;
use crate::db::{EventStore, MailStore, SessionStore};
use crate::platform::{ProjectPaths, clock};
use crate::types::Timestamp;
use crate::types::mail::MailType;

use super::address::{GroupAddress, resolve_group};
use super::post::{OPERATOR, ORCHESTRATOR};

/// How far back is looked, in minutes.
const MINUTES: i64 = 10;
/// So many messages from each to the next, and back to the first, are a conversation that does not end.
const EACH_WAY: i64 = 12;
/// So many to one recipient, answered or not, are more than anybody reads.
const ONE_WAY: i64 = 40;
/// So many to whomever; a lead of a large team that talks to everybody stays below it.
const IN_ALL: i64 = 120;

/// How far back is looked for what goes on slowly, in hours.
const HOURS: i64 = 24;
/// So many messages from each to the next within that time, and back to the first, without a word of a person.
const SLOWLY_EACH_WAY: i64 = 60;

/// The two spans as they are told.
const MINUTES_TEXT: &str = "10 minutes";
const HOURS_TEXT: &str = "24 hours";

/// Who has written to whom, and how often.
type Pairs = [(String, String, i64)];

/// The way from `from` by `to` back to `from`, along which at least `limit` messages went at every step.
fn circle<'a>(pairs: &'a Pairs, from: &'a str, to: &'a str, limit: i64) -> Option<Vec<&'a str>> {
    let next = |at: &'a str| {
        let busy = move |(one, _, count): &&(String, String, i64)| one == at && *count >= limit;
        pairs
            .iter()
            .filter(busy)
            .map(|(_, other, _)| other.as_str())
    };
    if from == to || !next(from).any(|other| other == to) {
        return None;
    }
    // Breadth first, so that the shortest way is the one that is told.
    let mut seen = vec![(to, None)];
    let mut at = 0;
    while let Some((here, _)) = seen.get(at).copied() {
        if here == from {
            let mut way = Vec::new();
            let mut step = Some(at);
            while let Some((name, before)) = step.and_then(|index| seen.get(index)).copied() {
                way.push(name);
                step = before;
            }
            way.push(from);
            way.reverse();
            return Some(way);
        }
        for other in next(here) {
            if !seen.iter().any(|(name, _)| *name == other) {
                seen.push((other, Some(at)));
            }
        }
        at += 1;
    }
    None
}

/// How often one has written to the other.
fn count(pairs: &Pairs, one: &str, other: &str) -> i64 {
    let pair = pairs.iter().find(|(a, b, _)| a == one && b == other);
    pair.map_or(0, |(_, _, count)| *count)
}

/// Why one more message would only go round once more, if it would.
fn round(
    pairs: &Pairs,
    (from, to): (&str, &str),
    limit: i64,
    time: &'static str,
) -> Option<MailError> {
    let way = circle(pairs, from, to, limit)?;
    Some(if way.len() == 3 {
        MailError::Loop {
            other: to.to_owned(),
            count: count(pairs, from, to) + count(pairs, to, from),
            time,
        }
    } else {
        let path = way.into_iter().map(str::to_owned).collect();
        MailError::Circle { path, time }
    })
}

/// Why one more message would be too much, if it would; `room` is how much more often this kind may go.
fn too_much(pairs: &Pairs, from: &str, to: &str, room: i64) -> Option<MailError> {
    let time = MINUTES_TEXT;
    if let Some(error) = round(pairs, (from, to), EACH_WAY * room, time) {
        return Some(error);
    }
    let flood = |to: String, count| MailError::Flood { to, count, time };
    let there = count(pairs, from, to);
    if there >= ONE_WAY * room {
        return Some(flood(format!("to \"{to}\""), there));
    }
    let sent = pairs.iter().filter(|(one, _, _)| one == from);
    let all: i64 = sent.map(|(_, _, count)| count).sum();
    (all >= IN_ALL * room).then(|| flood("in all".to_owned(), all))
}

/// How much more often reports and calls for help may go.
const REPORTS: i64 = 4;

/// Types that end a piece of work or ask for help; holding them back would hide it.
const fn is_report(kind: MailType) -> bool {
    match kind {
        MailType::Result
        | MailType::Error
        | MailType::WorkerDone
        | MailType::WorkerDied
        | MailType::MergeReady
        | MailType::Merged
        | MailType::MergeFailed
        | MailType::Escalation => true,
        MailType::Status
        | MailType::Question
        | MailType::HealthCheck
        | MailType::Dispatch
        | MailType::Assign
        | MailType::DecisionGate => false,
    }
}

/// Who has written to whom between two times or nudged whom, and how often.
fn pairs_between(
    paths: &ProjectPaths,
    mail: &MailStore,
    since: &str,
    until: &str,
) -> Result<Vec<(String, String, i64)>, MailError> {
    let mut pairs = mail.pairs_between(since, until)?;
    let events = paths.events_db();
    if !events.exists() {
        return Ok(pairs);
    }
    for (from, to, nudges) in EventStore::look(&events)?.nudges_between(since, until)? {
        match pairs.iter_mut().find(|pair| pair.0 == from && pair.1 == to) {
            Some((_, _, count)) => *count += nudges,
            None => pairs.push((from, to, nudges)),
        }
    }
    Ok(pairs)
}

/// Refuses a message of an agent, or a nudge, that would only keep a loop going.
pub fn check_pace(
    paths: &ProjectPaths,
    from: &str,
    to: &str,
    kind: MailType,
) -> Result<(), MailError> {
    let room = if is_report(kind) { REPORTS } else { 1 };
    let recipients = if GroupAddress::looks_like_group(to) {
        let sessions = SessionStore::look(&paths.sessions_db())?;
        resolve_group(to, from, &sessions.active()?)?
    } else {
        vec![to.to_owned()]
    };
    let mail = MailStore::look(&paths.mail_db())?;
    let now = clock::now();
    let since = Timestamp(now.0 - MINUTES * 60_000).iso();
    // What was written before the clock was set back was not written just now.
    let pairs = pairs_between(paths, &mail, &since, &now.iso())?;
    let refused = |to: &String| too_much(&pairs, from, to, room);
    if let Some(error) = recipients.iter().find_map(refused) {
        return Err(error);
    }
    for to in &recipients {
        let since = unbroken_since(&mail, from, to, now)?;
        let pairs = pairs_between(paths, &mail, &since, &now.iso())?;
        if let Some(error) = round(&pairs, (from, to), SLOWLY_EACH_WAY * room, HOURS_TEXT) {
            return Err(error);
        }
    }
    Ok(())
}

/// Since when no person has written to either of two, as ISO text; a day ago at the earliest. Nobody else's mail counts as
/// such: agents could ask each other for it.
pub(super) fn unbroken_since(
    mail: &MailStore,
    from: &str,
    to: &str,
    now: Timestamp,
) -> Result<String, MailError> {
    let mut since = Timestamp(now.0 - HOURS * 3_600_000).iso();
    for person in [OPERATOR, ORCHESTRATOR] {
        // The user's session may be an agent; its own words do not break off what it is part of.
        if person == from || person == to {
            continue;
        }
        for either in [from, to] {
            let last = mail.last_between((person, either), &since, &now.iso())?;
            since = last.unwrap_or(since);
        }
    }
    Ok(since)
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;
