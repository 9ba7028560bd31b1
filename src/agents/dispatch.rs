//! What a new agent is told about its work: its first message, and the mail that comes with it.

use super::sling::SlingRequest;
use crate::mail::{self, Outgoing};
use crate::platform::ProjectPaths;
use crate::types::host::LaunchRecord;
use crate::types::ids::AgentName;
use crate::types::mail::{MailPriority, MailType};
use serde_json::json;

/// The agent's first message.
pub(super) fn first_prompt(
    name: &AgentName,
    request: &SlingRequest,
    time: &str,
    spec: Option<&str>,
) -> String {
    let parent = request.parent.as_deref().unwrap_or("none");
    let task = &request.task;
    let read = match spec {
        Some(spec) => format!("read your assignment and the spec {spec}"),
        None => "read your assignment".to_owned(),
    };
    format!(
        "[OVERSTORY] {name} ({}) {time} task:{task} — Depth: {} | Parent: {parent} — Startup: {read}, check your mail with `grove mail check`, then begin task {task}",
        request.capability, request.depth
    )
}

/// Sends the mail that the work comes with; what the user should know about that, one line each.
pub(super) fn mail(
    paths: &ProjectPaths,
    request: &SlingRequest,
    record: &LaunchRecord,
    spec: Option<&str>,
) -> Vec<String> {
    let from = request
        .sender
        .clone()
        .or_else(|| request.parent.clone())
        .unwrap_or_else(|| "orchestrator".to_owned());
    let payload = json!({
        "taskId": record.task_id,
        "specPath": spec,
        "capability": record.capability,
        "fileScope": request.files,
        "skipScouts": request.skip_scout,
        "skipReview": request.skip_review,
        "maxAgents": request.dispatch_max_agents,
    });
    let spec_line = spec.map(|s| format!(" Spec: {s}.")).unwrap_or_default();
    let sent = mail::send(
        paths,
        &Outgoing {
            from,
            to: record.agent.clone(),
            subject: format!("Dispatch: {}", record.task_id),
            body: format!(
                "You are {} on task {}.{spec_line}",
                record.capability, record.task_id
            ),
            kind: MailType::Dispatch,
            priority: MailPriority::Normal,
            payload: Some(payload.to_string()),
            waits: false,
        },
    );
    match sent {
        Ok(sent) => sent.warnings,
        Err(e) => vec![format!("the dispatch mail was not sent: {e}")],
    }
}
