//! What the host answers when its agent's CLI calls a hook.
//!
//! The guard fails closed: anything that is not understood is refused with exit code 2, the
//! one answer that blocks in every CLI, and so is an event that nobody knows. Everything else fails open and is written to
//! the log.

use super::deliver::{self, Delivery, OnItsWay};
use super::protocol::Answer;
use super::shared::Shared;
use super::unasked::{self, Ended};
use super::writer::Record;
use super::{habits, outcome, scope};
use crate::costs;
use crate::guard::{self, Decision};
use crate::logging::storable;
use crate::platform::env;
use crate::runtimes;
use crate::text::{self, recorded_args, tool_summary};
use crate::types::AgentState;
use crate::types::agent::{is_persistent, is_read_only};
use crate::types::event::{EventType, Level, NewEvent};
use crate::types::host::Mode;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Times an agent is sent on because its work is not finished, before it is let go.
const MAX_STOP_REFUSALS: u32 = 3;

/// An answer, and the mail that counts as read once the answer has arrived.
#[derive(Debug, Default)]
pub struct HookAnswer {
    pub answer: Answer,
    pub mail: OnItsWay,
    /// Why the agent is to be ended after this answer.
    pub given_up: Option<String>,
}

impl From<Answer> for HookAnswer {
    fn from(answer: Answer) -> Self {
        Self {
            answer,
            mail: OnItsWay::default(),
            given_up: None,
        }
    }
}

fn refuse(reason: &str) -> Answer {
    Answer {
        code: 2,
        stdout: String::new(),
        stderr: format!("{reason}\n"),
    }
}

/// Says in the CLI's own words that a call may be made. It is started so that it makes no others: one whose hook was
/// killed, or could not be started, is refused.
fn allow(payload: &Value) -> Answer {
    let name = payload.get("hook_event_name").and_then(Value::as_str);
    let stdout = name.filter(|name| *name == "PreToolUse").map(|name| {
        let said =
            json!({"hookSpecificOutput": {"hookEventName": name, "permissionDecision": "allow"}});
        format!("{said}\n")
    });
    Answer {
        stdout: stdout.unwrap_or_default(),
        ..Answer::default()
    }
}

/// Whether an answer to this hook may take as long as it likes.
pub(super) fn sleeps(event: &str) -> bool {
    matches!(event, "wait" | "stall")
}

/// Answers one hook call.
pub fn answer(shared: &Shared, event: &str, stdin: &[u8]) -> HookAnswer {
    shared.hook_seen();
    if event == "pre-tool" {
        shared.git_settings.renew();
        return pre_tool(shared, stdin).into();
    }
    shared.store.record(Record::Activity);
    let payload: Value = match crate::text::read_json(stdin) {
        Ok(value) => value,
        Err(e) => {
            tracing::warn!(event, "hook input is not JSON: {e}");
            Value::Null
        }
    };
    if let Some(path) = transcript(shared, &payload) {
        shared.store.record(Record::Transcript(path));
    }
    match event {
        "post-tool" => post_tool(shared, &payload),
        "prompt" => prompt(shared),
        "session-start" => session_start(shared, &payload),
        "stop" => stop(shared, &payload),
        "notification" => notification(shared, &payload),
        "pre-compact" => {
            let event = NewEvent::new(shared.agent(), EventType::Custom);
            note(
                shared,
                event.data(&json!({"type": "compact", "trigger": payload.get("trigger")})),
            );
            HookAnswer::default()
        }
        "session-end" => HookAnswer::default(),
        "wait" => wait(shared, false),
        "stall" => wait(shared, true),
        _ => {
            tracing::warn!(event, "unknown hook event");
            unknown(event).into()
        }
    }
}

/// Where the CLI keeps its transcript. Whatever runs in an agent can call a hook and name any file, which the host
/// would read for it.
fn transcript(shared: &Shared, payload: &Value) -> Option<PathBuf> {
    let path = PathBuf::from(payload.get("transcript_path")?.as_str()?);
    let runtime = runtimes::find(&shared.launch.runtime).ok()?;
    let home = env::home().unwrap_or_default();
    let own = shared.paths.host_dir(shared.agent());
    let is_its = costs::is_place_of(runtime, &home, &own, &shared.launch.cwd, &path);
    if !is_its {
        tracing::warn!(path = %path.display(), "this is no place for a transcript");
    }
    is_its.then_some(path)
}

/// Hooks are called by what grove itself has set up, so no new event of a CLI comes here; a misspelt one may have been
/// meant for a tool call.
fn unknown(event: &str) -> Answer {
    let name = text::sanitize_line(event);
    refuse(&format!(
        "grove: the hook event '{name}' is not known here, so nothing was judged and the call is refused; the hooks of an \
         agent are set up by `grove sling`"
    ))
}

fn note(shared: &Shared, mut event: NewEvent) {
    event.run_id.clone_from(&shared.launch.run_id);
    event.session_id = Some(shared.launch.session_id.clone());
    shared.store.event(event);
}

/// Bytes of one field of a refused call that are kept: an agent may be refused the same megabyte again and again.
const KEPT: usize = 4096;

/// The fields of a refused call as far as they are kept. Secrets go first: half of one would not be known as such.
fn shortened(mut fields: Value) -> Value {
    let texts = fields
        .as_object_mut()
        .into_iter()
        .flat_map(|fields| fields.values_mut());
    for value in texts {
        if let Value::String(text) = value
            && text.len() > KEPT
        {
            let hidden = storable(text);
            let cut = hidden.floor_char_boundary(KEPT);
            let begun = hidden.get(..cut).unwrap_or_default();
            *value = Value::String(format!("{begun}… ({} bytes)", text.len()));
        }
    }
    fields
}

fn pre_tool(shared: &Shared, stdin: &[u8]) -> Answer {
    let decision = shared.policy.as_ref().map_or(Decision::Allow, |policy| {
        no_worktree(shared).unwrap_or_else(|| {
            guard::judge_raw_mended(policy, stdin, |json| text::mended_json(json))
        })
    });
    let payload: Value = crate::text::read_json(stdin).unwrap_or(Value::Null);
    let tool = tool_name(&payload);
    if let Some(call) = call_name(&payload) {
        let allowed = matches!(decision, Decision::Allow);
        shared.with_turn(|t| {
            t.calls.judged(&tool, call, command_of(&payload), allowed);
        });
    }
    let mut event = NewEvent::new(shared.agent(), EventType::ToolStart);
    event.tool_name = Some(tool.clone());
    let input = payload.get("tool_input");
    event.tool_args = Some(recorded_args(&tool, input).to_string());
    match decision {
        Decision::Allow => {
            shared.unsaved.touch();
            shared.with_turn(|t| {
                t.in_turn = true;
                t.tools_running += 1;
            });
            shared.store.record(Record::WaitingFor(None));
            shared.store.record(Record::State(AgentState::Working));
            let summary = tool_summary(&tool, input, storable);
            note(shared, event.data(&json!({ "summary": summary })));
            shared.store.record(Record::Activity);
            let command = input.and_then(|input| input.get("command")?.as_str());
            if let Some(command) = command.filter(|c| tool == "Bash" && habits::polls_mail(c)) {
                note(shared, habits::polling_seen(shared.agent(), command));
            }
            allow(&payload)
        }
        Decision::Block { rule, reason } => {
            event.event_type = EventType::Custom;
            event.tool_args = Some(shortened(recorded_args(&tool, input)).to_string());
            let data = json!({"type": "guard_refused", "rule": rule, "reason": reason});
            note(shared, event.level(Level::Warn).data(&data));
            refuse(&format!("grove: {reason}"))
        }
    }
}

/// The refusal of everything a role that writes does while its worktree is not where it was made: what it would
/// write lands elsewhere or nowhere.
fn no_worktree(shared: &Shared) -> Option<Decision> {
    let launch = &shared.launch;
    if is_read_only(&launch.capability) || launch.cwd.is_dir() {
        return None;
    }
    Some(Decision::Block {
        rule: "outside",
        reason: format!(
            "the worktree of {} is not at {} any more; end your turn and say so: a person moves it back there, or stops \
             this agent",
            launch.agent,
            launch.cwd.display()
        ),
    })
}

fn tool_name(payload: &Value) -> String {
    payload
        .get("tool_name")
        .and_then(Value::as_str)
        .unwrap_or("unknown")
        .to_owned()
}

/// Longer names of calls are no CLI's, in bytes.
const LONGEST_NAME: usize = 256;

/// By what a CLI names one call before and after it.
fn call_name(payload: &Value) -> Option<&str> {
    let name = payload.get("tool_use_id")?.as_str()?;
    (1..=LONGEST_NAME).contains(&name.len()).then_some(name)
}

/// What a call runs, if it runs something.
fn command_of(payload: &Value) -> Option<&str> {
    payload.get("tool_input")?.get("command")?.as_str()
}

/// Tells of a call that ran unasked; why the agent is to be ended, once that has happened too often.
fn unasked(shared: &Shared, tool: &str, payload: &Value, failed: bool) -> Option<String> {
    let call = call_name(payload).filter(|_| shared.policy.is_some())?;
    match shared.with_turn(|t| t.calls.ended(tool, call, command_of(payload), failed)) {
        Ended::AsAllowed => None,
        Ended::Unasked(times) => {
            note(shared, unasked::event(shared.agent(), tool));
            (times == unasked::PATIENCE).then(|| {
                format!("it ran {times} tool calls that its guard was not asked about, so it was stopped")
            })
        }
    }
}

fn post_tool(shared: &Shared, payload: &Value) -> HookAnswer {
    let tool = tool_name(payload);
    shared.unsaved.settle();
    shared.with_turn(|t| t.tools_running = t.tools_running.saturating_sub(1));
    let failed = payload.get("error").is_some();
    let given_up = unasked(shared, &tool, payload, failed);
    let mut event = NewEvent::new(shared.agent(), EventType::ToolEnd);
    event.tool_name = Some(tool.clone());
    event.tool_duration_ms = payload.get("duration_ms").and_then(Value::as_i64);
    if failed {
        event.level = Level::Warn;
    }
    note(shared, event);
    shared.store.record(Record::CloseTool(tool));
    let name = payload
        .get("hook_event_name")
        .and_then(Value::as_str)
        .unwrap_or("PostToolUse");
    let answer = with_mail(shared, |text| {
        let context =
            json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}});
        format!("{context}\n")
    });
    HookAnswer { given_up, ..answer }
}

fn prompt(shared: &Shared) -> HookAnswer {
    // Between turns a person may have changed files, and what is asked now is new work.
    shared.unsaved.settle();
    shared.with_turn(|t| {
        t.in_turn = true;
        t.tools_running = 0;
        t.stop_refusals = 0;
    });
    shared.store.record(Record::WaitingFor(None));
    shared.store.record(Record::State(AgentState::Working));
    with_mail(shared, |text| format!("{text}\n"))
}

fn session_start(shared: &Shared, payload: &Value) -> HookAnswer {
    let text = |key: &str| payload.get(key).and_then(Value::as_str).map(str::to_owned);
    shared.store.record(Record::Conversation {
        id: text("session_id"),
        transcript: transcript(shared, payload).and_then(|path| path.to_str().map(str::to_owned)),
    });
    shared.store.record(Record::State(AgentState::Working));
    conversation_seen(shared, text("session_id").as_deref());
    let event = NewEvent::new(shared.agent(), EventType::SessionStart);
    note(
        shared,
        event.data(&json!({"source": text("source"), "conversation": text("session_id")})),
    );
    // Mail waits for the prompt hook that follows: delivering it twice would be noise.
    HookAnswer::default()
}

/// Notes when the CLI begins with another conversation than it was told to; a later one is the
/// agent's or its user's own choice.
pub fn conversation_seen(shared: &Shared, id: Option<&str>) {
    if shared.with_turn(|t| std::mem::replace(&mut t.conversation_seen, true)) {
        return;
    }
    let wanted = shared.launch.conversation.as_deref();
    if let Some(event) = habits::other_conversation(shared.agent(), wanted, id) {
        note(shared, event);
    }
}

fn notification(shared: &Shared, payload: &Value) -> HookAnswer {
    let kind = payload
        .get("notification_type")
        .and_then(Value::as_str)
        .unwrap_or("");
    let message = payload
        .get("message")
        .and_then(Value::as_str)
        .unwrap_or("waits for you");
    // An idle prompt after a turn is not a question.
    if kind != "idle_prompt" && kind != "auth_success" {
        let why = crate::text::sanitize_line(message);
        shared
            .store
            .record(Record::WaitingFor(Some(why.to_string())));
    }
    HookAnswer::default()
}

/// Puts unread mail and waiting nudges into an answer.
fn with_mail(shared: &Shared, form: impl FnOnce(&str) -> String) -> HookAnswer {
    let Delivery { text, mail } = deliver::pending(shared);
    match text {
        Some(text) => HookAnswer {
            answer: Answer {
                code: 0,
                stdout: form(&text),
                stderr: String::new(),
            },
            mail,
            given_up: None,
        },
        None => HookAnswer::default(),
    }
}

/// The agent wants to end its turn: it may when there is no mail and its work is reported.
fn stop(shared: &Shared, payload: &Value) -> HookAnswer {
    let with = with_mail(shared, |text| {
        format!("{}\n", json!({"decision": "block", "reason": text}))
    });
    if !with.answer.stdout.is_empty() {
        return with;
    }
    let refusals = shared.with_turn(|t| t.stop_refusals);
    let background = payload
        .get("background_tasks")
        .and_then(Value::as_array)
        .is_some_and(|tasks| !tasks.is_empty());
    // Asking git costs more than all the rest, so it is asked only when the answer counts.
    if refusals < MAX_STOP_REFUSALS
        && !background
        && let Some(reason) = outcome::unfinished(shared)
    {
        shared.with_turn(|t| t.stop_refusals += 1);
        let answer = json!({"decision": "block", "reason": reason});
        return Answer {
            code: 0,
            stdout: format!("{answer}\n"),
            stderr: String::new(),
        }
        .into();
    }
    if shared.launch.mode == Mode::Pty {
        // A stream says itself what its turn used.
        shared.store.record(Record::Snapshot);
    }
    end_turn(shared);
    HookAnswer::default()
}

/// A turn has ended and the agent was let go.
pub fn end_turn(shared: &Shared) {
    shared.with_turn(|t| {
        t.in_turn = false;
        t.tools_running = 0;
    });
    note(shared, NewEvent::new(shared.agent(), EventType::TurnEnd));
    // A report of one who lives as long as the project ends a piece of work, not its life.
    if outcome::has_reported(shared) && !is_persistent(&shared.launch.capability) {
        scope::check(shared);
        shared.store.record(Record::State(AgentState::Completed));
        shared.store.record(Record::Metrics { code: None });
    }
}

/// For the scripted agent: sleeps until there is mail or a nudge, between turns or, as an agent
/// that is stuck, in the middle of one.
fn wait(shared: &Shared, in_turn: bool) -> HookAnswer {
    shared.with_turn(|t| t.in_turn = in_turn);
    loop {
        let before = shared.with_turn(|t| t.pokes);
        let found = with_mail(shared, |text| format!("{text}\n"));
        if !found.answer.stdout.is_empty() {
            shared.with_turn(|t| t.in_turn = true);
            return found;
        }
        shared.wait_turn(None, |t| t.pokes != before || t.ended || t.stopping);
        if shared.with_turn(|t| t.ended || t.stopping) {
            return HookAnswer::default();
        }
    }
}
