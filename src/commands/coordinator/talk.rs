//! `send` and `ask`: mail from the person at the command line.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;

use super::role::Role;
use crate::agents::nudge;
use crate::cli::{CliError, CliResult, Context, Outcome, positive};
use crate::coordinator::post::{self, OPERATOR};
use crate::db::MailStore;
use crate::platform::settle::Settle;
use crate::platform::{ProjectPaths, random, watch};
use crate::types::mail::{MailMessage, MailType, NewMail};

/// How much of a message goes into the nudge; the mail has the whole.
const NUDGE_CHARS: usize = 500;
/// Nobody waits longer; a clock cannot count as far as an option can.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);
/// Looked again this often in case a notification was missed.
const SAFETY: Duration = Duration::from_secs(5);

#[derive(Serialize)]
struct SentJson<'a> {
    id: &'a str,
    nudged: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnsweredJson<'a> {
    correlation_id: &'a str,
    sent_id: &'a str,
    reply_id: &'a str,
    subject: &'a str,
    body: &'a str,
    payload: Option<&'a str>,
}

/// Sends a message and does not wait.
pub(super) fn send(ctx: &Context, role: &Role, subject: &str, body: &str) -> CliResult {
    let paths = ctx.paths()?;
    let agent = reachable(role, &paths)?;
    let mail = NewMail::new(OPERATOR, &agent, MailType::Dispatch, subject, body);
    let sent = post::post(&paths, &mail)?;
    let nudged = prod(&paths, &agent, &format!("[DISPATCH] {subject}: {body}"));
    if ctx.is_json() {
        let sent = SentJson {
            id: &sent.id,
            nudged,
        };
        ctx.out.json(&format!("{} send", role.name), &sent)?;
    } else {
        ctx.out.success(format!("Sent to {agent} {}", sent.id))?;
    }
    Ok(Outcome::Done)
}

/// Sends a message and waits for the answer in its thread.
pub(super) fn ask(
    ctx: &Context,
    role: &Role,
    subject: &str,
    body: &str,
    timeout: &str,
) -> CliResult {
    let seconds = positive("--timeout", timeout)?;
    let paths = ctx.paths()?;
    let agent = reachable(role, &paths)?;
    // Before the question, so that no answer can be missed.
    let (sender, changes) = mpsc::channel();
    let watching = watch::stores(&paths.dir(), move |_| {
        // Nobody receives this any more when the answer has come.
        sender.send(()).unwrap_or_default();
    });
    let correlation = random::uuid();
    let mut mail = NewMail::new(OPERATOR, &agent, MailType::Dispatch, subject, body);
    mail.payload = Some(json!({"correlationId": correlation}).to_string());
    let sent = post::post(&paths, &mail)?;
    prod(&paths, &agent, &format!("[ASK] {subject}: {body}"));
    let store = MailStore::open(&paths.mail_db())?;
    let patience = Duration::from_secs(seconds.unsigned_abs()).min(LONGEST);
    let look = || answer(&store, &agent, &sent.id);
    let is_there = || reachable(role, &paths).map(drop);
    let Some(reply) = wait_for(&changes, patience, look, is_there)? else {
        return Err(CliError::agent(format!(
            "Timed out after {seconds}s waiting for {agent} reply (correlationId: {correlation})"
        )));
    };
    drop(watching);
    if ctx.is_json() {
        ctx.out.json(
            &format!("{} ask", role.name),
            &AnsweredJson {
                correlation_id: &correlation,
                sent_id: &sent.id,
                reply_id: &reply.id,
                subject: &reply.subject,
                body: &reply.body,
                payload: reply.payload.as_deref(),
            },
        )?;
    } else {
        ctx.out.line(&reply.body)?;
    }
    if ctx.out.is_read() {
        store.mark_read(&[&reply.id])?;
    }
    Ok(Outcome::Done)
}

/// Looks whenever something has changed, and now and then in any case; `None` when the time is up.
/// Fails when nobody is there any more who could answer.
fn wait_for<T>(
    changes: &Receiver<()>,
    patience: Duration,
    look: impl Fn() -> CliResult<Option<T>>,
    is_there: impl Fn() -> CliResult<()>,
) -> CliResult<Option<T>> {
    let deadline = Instant::now() + patience;
    let mut settle = Settle::default();
    loop {
        if let Some(found) = look()? {
            return Ok(Some(found));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        let again = settle.wait().unwrap_or(SAFETY);
        match changes.recv_timeout(left.min(again)) {
            Ok(()) => {
                while changes.try_recv().is_ok() {}
                settle.noticed();
            }
            Err(RecvTimeoutError::Timeout) if settle.is_due() => {}
            Err(RecvTimeoutError::Timeout) => is_there()?,
            // Without notifications there is only looking now and then.
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(left.min(Duration::from_millis(500)));
            }
        }
    }
}

/// Somebody must be there who can answer: the agent, or whoever runs the loop. Returns the address.
fn reachable(role: &Role, paths: &ProjectPaths) -> CliResult<String> {
    if role.loop_holder(paths)?.is_some() {
        return Ok(role.name.to_owned());
    }
    Ok(role.living(paths)?.agent_name)
}

fn answer(store: &MailStore, agent: &str, sent: &str) -> CliResult<Option<MailMessage>> {
    let thread = store.thread(sent)?;
    let theirs = |m: &MailMessage| m.from == agent && m.to == OPERATOR;
    Ok(thread.into_iter().find(theirs))
}

/// The loop needs no prodding: it sees the mail.
fn prod(paths: &ProjectPaths, agent: &str, text: &str) -> bool {
    let text: String = text.chars().take(NUDGE_CHARS).collect();
    match nudge::nudge(paths, agent, OPERATOR, Some(&text), true) {
        Ok(nudged) => nudged.delivered,
        Err(e) => {
            tracing::debug!("{agent} was not nudged: {e}");
            false
        }
    }
}
