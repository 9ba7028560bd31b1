//! Getting mail and nudges to the agent.
//!
//! Mail reaches a working agent with its next hook. An agent between turns has no next hook:
//! a stream agent gets a new user message, a terminal agent a line pasted at its prompt, whose
//! prompt hook then brings the mail. Nothing is ever typed while a turn is going on.

use super::protocol::Outcome;
use super::shared::Shared;
use crate::mail::{self, Claimed};
use crate::platform::claims::Claim;
use crate::runtimes;
use crate::types::host::Mode;
use crate::types::mail::MailMessage;

/// Text for the agent, and the mail in it.
#[derive(Debug, Default)]
pub struct Delivery {
    pub text: Option<String>,
    pub mail: OnItsWay,
}

/// Mail that is being given to the agent, until [`confirm`] or [`release`].
#[derive(Debug, Default)]
pub struct OnItsWay {
    ids: Vec<String>,
    /// Keeps other processes from handing the same mail over.
    claim: Option<Claim>,
}

impl OnItsWay {
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

/// Unread mail and waiting nudges as one text. Nudges are taken; mail stays unread, and is not
/// given to anybody else, until [`confirm`] or [`release`].
pub fn pending(shared: &Shared) -> Delivery {
    let nudges = shared.with_turn(|t| std::mem::take(&mut t.nudges));
    let mut unread = unread(shared);
    // Of two hooks at the same time only one gets a message.
    shared.with_turn(|t| unread.retain(|m| t.on_the_way.insert(m.id.clone())));
    let Claimed {
        messages: unread,
        claim,
    } = claimed(shared, unread);
    let mut parts = nudges;
    if !unread.is_empty() {
        // Left by either program; without mail to point at it says nothing.
        match mail::take_pending_nudge(&shared.paths, shared.agent()) {
            Ok(Some(nudge)) => {
                parts.push(crate::text::sanitize_line(&mail::priority_banner(&nudge)).to_string());
            }
            Ok(None) => {}
            Err(e) => tracing::warn!("a pending nudge cannot be read: {e}"),
        }
        parts.push(mail::injection_text_fenced(&unread));
    }
    Delivery {
        text: (!parts.is_empty()).then(|| parts.join("\n\n")),
        mail: OnItsWay {
            ids: unread.into_iter().map(|m| m.id).collect(),
            claim,
        },
    }
}

/// Unread mail that is not on its way to the agent already.
fn unread(shared: &Shared) -> Vec<MailMessage> {
    let mut unread = shared
        .mailbox
        .with(|store| store.unread(shared.agent()))
        .unwrap_or_else(|e| {
            tracing::warn!("mail cannot be read: {e}");
            Vec::new()
        });
    shared.with_turn(|t| unread.retain(|m| !t.on_the_way.contains(&m.id)));
    unread
}

/// The part that no other process hands over: a person or the agent itself may be checking its mail.
fn claimed(shared: &Shared, unread: Vec<MailMessage>) -> Claimed {
    let all: Vec<String> = unread.iter().map(|m| m.id.clone()).collect();
    let again = || {
        let mailbox = &shared.mailbox;
        mailbox.with(|store| store.unread_ids(shared.agent()))
    };
    let mine = mail::claim(&shared.paths, unread.clone(), again).unwrap_or_else(|e| {
        tracing::warn!("others may be given the same mail: {e}");
        Claimed {
            messages: unread,
            claim: None,
        }
    });
    let theirs = |id: &String| all.contains(id) && !mine.messages.iter().any(|m| m.id == *id);
    shared.with_turn(|t| t.on_the_way.retain(|id| !theirs(id)));
    mine
}

fn let_go(shared: &Shared, mail: OnItsWay) {
    let OnItsWay { ids, claim } = mail;
    drop(claim);
    shared.with_turn(|t| t.on_the_way.retain(|id| !ids.contains(id)));
}

/// The text has arrived: its mail is read now.
pub fn confirm(shared: &Shared, mail: OnItsWay) {
    if mail.is_empty() {
        return;
    }
    let marked = shared.mailbox.with(|store| store.mark_read(&mail.ids));
    if let Err(e) = marked {
        // It will be delivered again: at least once is the promise.
        tracing::warn!("delivered mail could not be marked as read: {e}");
    }
    let_go(shared, mail);
}

/// The text has not arrived: its mail waits for the next occasion.
pub fn release(shared: &Shared, mail: OnItsWay) {
    if mail.is_empty() {
        return;
    }
    let_go(shared, mail);
    poke(shared);
}

/// There may be new mail.
pub fn poke(shared: &Shared) {
    shared.with_turn(|t| t.pokes += 1);
    if shared.with_turn(|t| t.in_turn || t.ended || t.stopping) {
        return;
    }
    if !unread(shared).is_empty() {
        begin_turn(shared, "You have new mail from your team.");
    }
}

/// Somebody wants the agent's attention.
pub fn nudge(shared: &Shared, from: &str, text: &str) -> Outcome {
    let line = mail::nudge_text(from, text);
    let (in_turn, gone) = shared.with_turn(|t| (t.in_turn, t.ended || t.stopping));
    if gone {
        return Outcome {
            detail: "the agent is ending".to_owned(),
            ..Outcome::default()
        };
    }
    // The scripted agent is never at a prompt; it takes nudges from its wait.
    if in_turn || shared.launch.runtime == "script" {
        shared.with_turn(|t| {
            t.nudges.push(line);
            t.pokes += 1;
        });
        return Outcome {
            done: true,
            queued: in_turn,
            detail: "given to the agent at its next step".to_owned(),
        };
    }
    let done = begin_turn(shared, &line);
    Outcome {
        done,
        queued: false,
        detail: "given to the agent as a message".to_owned(),
    }
}

/// Starts a turn of an agent that is between turns.
fn begin_turn(shared: &Shared, line: &str) -> bool {
    match shared.launch.mode {
        Mode::Stream => {
            let found = pending(shared);
            let text = match &found.text {
                Some(mail) => format!("{line}\n\n{mail}"),
                None => line.to_owned(),
            };
            let sent = say(shared, &text);
            if sent {
                confirm(shared, found.mail);
            } else {
                release(shared, found.mail);
            }
            sent
        }
        Mode::Pty if shared.launch.runtime == "script" => true,
        Mode::Pty => {
            shared.with_turn(|t| t.in_turn = true);
            // Where the terminal takes no pastes, a line break would send what stands before it.
            let breaks = !shared.terminal.bracketed_paste();
            let line = if breaks {
                line.replace('\n', " ")
            } else {
                line.to_owned()
            };
            paste(shared, &line) && shared.send_input(b"\r".to_vec())
        }
    }
}

/// Writes one user message to a stream agent.
pub fn say(shared: &Shared, text: &str) -> bool {
    let Ok(runtime) = runtimes::find(&shared.launch.runtime) else {
        return false;
    };
    shared.with_turn(|t| {
        t.in_turn = true;
        t.stop_refusals = 0;
    });
    drop(
        shared
            .terminal
            .output(runtimes::stream::render_user(text).as_bytes()),
    );
    shared.send_input(runtime.user_line(text))
}

/// Gives text to a terminal agent as a paste, so that nothing in it acts as a key.
pub fn paste(shared: &Shared, text: &str) -> bool {
    let clean: String = text
        .replace("\r\n", "\n")
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect();
    let bytes = if shared.terminal.bracketed_paste() {
        format!("\x1b[200~{clean}\x1b[201~")
    } else {
        clean.replace('\n', "\r")
    };
    shared.send_input(bytes.into_bytes())
}
