//! Carrying out a front end's commands with the same verbs the command line uses.

use super::command::Command;
use super::land;
use super::take_back;
use super::view::MailPriority as ViewPriority;
use crate::agents::nudge::nudge;
use crate::agents::sling::{SlingRequest, sling};
use crate::agents::stop::{StopOptions, stop};
use crate::config;
use crate::coordinator::post;
use crate::db::MailStore;
use crate::mail::{self, Outgoing};
use crate::merge::CallOff;
use crate::platform::ProjectPaths;
use crate::process::shell::Cancel;
use crate::types::mail::{MailPriority, MailType};
use crate::watchdog::refusals_are_seen;
use std::path::PathBuf;

/// Who speaks when the person at the screen writes a mail.
const PERSON: &str = "coordinator";

/// A person who has told an agent something has seen what it was refused.
fn seen_to(paths: &ProjectPaths, agent: &str, told: bool) {
    if told && let Err(error) = refusals_are_seen(paths, agent) {
        tracing::warn!(%error, "it was not stored that the refusals of {agent} were seen");
    }
}

/// Does one command; both results are words for a person. `leaves` says that nobody waits for a turn any more.
pub(super) fn carry_out(
    paths: &ProjectPaths,
    call_off: &CallOff,
    leaves: &Cancel,
    command: &Command,
) -> Result<String, String> {
    match command {
        Command::SendMail {
            to,
            subject,
            body,
            kind,
            priority,
        } => {
            let sent = send(paths, to, subject, body, kind, *priority);
            seen_to(paths, to, sent.is_ok());
            sent
        }
        Command::ReplyMail { id, body } => reply(paths, id, body),
        Command::MarkRead { id, read } => mark(paths, id, *read),
        Command::Nudge { agent, message } => {
            let text = Some(message.as_str()).filter(|m| !m.trim().is_empty());
            let nudged = nudge(paths, agent, PERSON, text, true).map_err(words)?;
            seen_to(paths, agent, nudged.delivered);
            match (nudged.delivered, nudged.reason) {
                (true, _) if nudged.queued => Ok(format!("{agent} gets it at its next step")),
                (true, _) => Ok(format!("nudged {agent}")),
                (false, reason) => Err(reason.unwrap_or_else(|| "not delivered".to_owned())),
            }
        }
        Command::Stop { agent, force } => {
            let options = StopOptions {
                force: *force,
                clean_worktree: false,
            };
            stop(paths, agent, options).map_err(words)?;
            Ok(format!("stopped {agent}; its worktree and branch stay"))
        }
        Command::MergeNow { branch } => land::now(paths, call_off, branch),
        Command::MergeClean => land::all_clean(paths, call_off),
        Command::RetryMerge { branch } => land::requeue(paths, branch),
        Command::CombineMerge { branch } => land::combine(paths, call_off, branch),
        Command::KeepBoth { branch } => land::keep_both(paths, call_off, leaves, branch),
        Command::ReorderMerge { id, earlier } => land::reorder(paths, *id, *earlier),
        Command::PauseMerges { paused } => land::pause(paths, *paused),
        Command::DropMerge { branch } => land::drop_entry(paths, branch),
        Command::RestoreMerge { id } => land::restore(paths, *id),
        Command::UndoMerge { id, revert } => {
            take_back::undo(paths, call_off, *id, revert.as_deref())
        }
        Command::Sling {
            task,
            capability,
            name,
            runtime,
            spec,
        } => {
            let config = config::load(&paths.root).map_err(words)?.config;
            let given = |text: &String| (!text.trim().is_empty()).then(|| text.trim().to_owned());
            let request = SlingRequest {
                task: task.trim().to_owned(),
                capability: capability.clone(),
                name: given(name),
                runtime: given(runtime),
                spec: given(spec).map(|s| paths.root.join(PathBuf::from(s))),
                ..SlingRequest::default()
            };
            let slung = sling(paths, &config, &request).map_err(words)?;
            Ok(format!("started {} on {}", slung.agent, slung.task))
        }
        Command::Init => init(paths),
        Command::Attach { .. }
        | Command::Detach { .. }
        | Command::Input { .. }
        | Command::Paste { .. }
        | Command::Resize { .. }
        | Command::PlanUndo { .. }
        | Command::MergeHistory { .. }
        | Command::WatchMerges { .. }
        | Command::WatchOverlaps { .. }
        | Command::CancelMerge { .. }
        | Command::Review { .. }
        | Command::LookUp { .. }
        | Command::Decide { .. }
        | Command::AskAi { .. }
        | Command::AcceptReview { .. }
        | Command::Quit { .. } => Ok(String::new()),
    }
}

pub(super) fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn send(
    paths: &ProjectPaths,
    to: &str,
    subject: &str,
    body: &str,
    kind: &str,
    priority: ViewPriority,
) -> Result<String, String> {
    let outgoing = Outgoing {
        from: PERSON.to_owned(),
        to: to.to_owned(),
        subject: subject.to_owned(),
        body: body.to_owned(),
        kind: MailType::parse(kind).unwrap_or(MailType::Status),
        priority: match priority {
            ViewPriority::Low => MailPriority::Low,
            ViewPriority::Normal => MailPriority::Normal,
            ViewPriority::High => MailPriority::High,
            ViewPriority::Urgent => MailPriority::Urgent,
        },
        payload: None,
        waits: true,
    };
    let sent = mail::send(paths, &outgoing).map_err(words)?;
    sent.messages
        .iter()
        .for_each(|m| post::announce(paths, &m.to));
    Ok(match sent.messages.as_slice() {
        [one] => format!("sent to {}", one.to),
        many => format!("sent to {} agents", many.len()),
    })
}

fn reply(paths: &ProjectPaths, id: &str, body: &str) -> Result<String, String> {
    let store = MailStore::open(&paths.mail_db()).map_err(words)?;
    let reply = mail::reply(&store, id, PERSON, body).map_err(words)?;
    post::announce(paths, &reply.to);
    Ok(format!("replied to {}", reply.to))
}

fn mark(paths: &ProjectPaths, id: &str, read: bool) -> Result<String, String> {
    let store = MailStore::open(&paths.mail_db()).map_err(words)?;
    if read {
        store.mark_read(&[id]).map_err(words)?;
    } else {
        store.set_unread(id).map_err(words)?;
    }
    Ok(String::new())
}

/// Runs `grove init` in the folder: one way to do it, whoever asks.
fn init(paths: &ProjectPaths) -> Result<String, String> {
    let program = std::env::current_exe().map_err(words)?;
    let output = std::process::Command::new(program)
        .arg("init")
        .current_dir(&paths.root)
        .output()
        .map_err(words)?;
    if output.status.success() {
        return Ok(".overstory/ is there".to_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(text
        .lines()
        .next()
        .unwrap_or("grove init failed")
        .to_owned())
}
