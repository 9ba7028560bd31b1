//! `/api/coordinator`: its state, mail to it, and starting and stopping it.
//!
//! Starting, stopping and the exit triggers are done by the commands of the same name in a
//! process of their own: their `--json` is the contract, and the loop must not become a child
//! of this server.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::mail::{OPERATOR, SentJson};
use crate::agents::roster;
use crate::coordinator::post::{self, SENDER as NAME};
use crate::db::Stores;
use crate::platform::{ProjectPaths, env, lease, random};
use crate::process::own;
use crate::serve::answer::{Answer, Failure, data};
use crate::serve::body::Fields;
use crate::serve::server::Shared;
use crate::serve::shelf::blocking;
use crate::types::mail::{MailMessage, MailType, NewMail};

const MAX_WAIT_SECONDS: u64 = 600;
const DEFAULT_WAIT: Duration = Duration::from_secs(120);

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct StateJson {
    running: bool,
    agent_name: &'static str,
    pid: Option<i64>,
    tmux_session: Option<String>,
    run_id: Option<String>,
    started_at: Option<String>,
    last_activity_at: Option<String>,
    headless: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StartedJson {
    started: bool,
    already_running: bool,
    pid: Option<i64>,
    run_id: Option<String>,
}

#[derive(Serialize)]
struct StoppedJson {
    stopped: bool,
}

#[derive(Serialize)]
struct AnswerJson<'a> {
    id: &'a str,
    body: &'a str,
    subject: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AskedJson<'a> {
    message_id: &'a str,
    reply: Option<AnswerJson<'a>>,
    timed_out: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Correlation<'a> {
    correlation_id: &'a str,
}

pub(super) async fn state(State(shared): State<Arc<Shared>>) -> Answer {
    data(&look(&shared).await?)
}

async fn look(shared: &Shared) -> Result<StateJson, Failure> {
    let paths = shared.paths.clone();
    shared
        .shelf
        .with(move |stores| observe(&paths, stores))
        .await
}

/// Whoever holds the lease runs the loop; ov's coordinator, which knows no lease, is judged by
/// its process.
fn observe(paths: &ProjectPaths, stores: &Stores) -> Result<StateJson, Failure> {
    let holder = lease::holder(&paths.coordinator_lease())?;
    let session = stores.sessions.get(NAME)?;
    let session = session.filter(|s| s.capability == NAME && s.state.is_active());
    let alive = session
        .as_ref()
        .is_some_and(|s| s.pid.is_none_or(|pid| roster::is_alive(pid) != Some(false)));
    let running = holder.is_some() || alive;
    let session = session.filter(|_| running);
    let own_pid = session.as_ref().and_then(|s| s.pid);
    let holder_pid = holder.map(|h| i64::from(h.pid)).filter(|pid| *pid > 0);
    Ok(StateJson {
        running,
        agent_name: NAME,
        pid: own_pid.or(holder_pid),
        headless: session.as_ref().is_some_and(|s| s.tmux_session.is_empty()),
        tmux_session: session
            .as_ref()
            .map(|s| s.tmux_session.clone())
            .filter(|name| !name.is_empty()),
        run_id: session.as_ref().and_then(|s| s.run_id.clone()),
        started_at: session.as_ref().map(|s| s.started_at.clone()),
        last_activity_at: session.map(|s| s.last_activity),
    })
}

async fn must_run(shared: &Shared) -> Result<(), Failure> {
    if look(shared).await?.running {
        return Ok(());
    }
    Err(Failure::conflict(
        "Coordinator is not running; start it with POST /api/coordinator/start",
    ))
}

/// Stores a message to the coordinator.
async fn write(
    shared: &Shared,
    fields: &Fields,
    payload: Option<String>,
) -> Result<MailMessage, Failure> {
    let mut mail = NewMail::new(
        &fields
            .optional("from")?
            .unwrap_or_else(|| OPERATOR.to_owned()),
        NAME,
        MailType::Dispatch,
        &fields.required("subject")?,
        &fields.required("body")?,
    );
    mail.payload = payload;
    must_run(shared).await?;
    let paths = shared.paths.clone();
    blocking(move || {
        let stored = post::post(&paths, &mail)?;
        post::announce(&paths, NAME);
        Ok(stored)
    })
    .await
}

pub(super) async fn send(State(shared): State<Arc<Shared>>, body: Body) -> Answer {
    let fields = Fields::read(body).await?;
    let sent = write(&shared, &fields, None).await?;
    data(&SentJson {
        message_id: &sent.id,
    })
}

pub(super) async fn ask(State(shared): State<Arc<Shared>>, body: Body) -> Answer {
    let fields = Fields::read(body).await?;
    let patience = fields
        .seconds("timeoutSec", MAX_WAIT_SECONDS)?
        .unwrap_or(DEFAULT_WAIT);
    let id = random::uuid();
    let payload = serde_json::to_string(&Correlation {
        correlation_id: &id,
    })
    .ok();
    // Before the question is asked, so that no answer is missed.
    let mut changes = shared.hub.changes();
    let asked = write(&shared, &fields, payload).await?;
    let mut ending = shared.ending.clone();
    let reply = async {
        loop {
            if let Some(reply) = find_reply(&shared, &asked).await? {
                return Ok::<_, Failure>(reply);
            }
            let goes_on = tokio::select! {
                changed = changes.changed() => changed.is_ok(),
                _ = ending.changed() => false,
            };
            if !goes_on {
                return Err(Failure::unavailable(
                    "the server is ending; ask again later",
                ));
            }
        }
    };
    let reply = timeout(patience, reply).await.ok().transpose()?;
    data(&AskedJson {
        message_id: &asked.id,
        timed_out: reply.is_none(),
        reply: reply.as_ref().map(|mail| AnswerJson {
            id: &mail.id,
            body: &mail.body,
            subject: &mail.subject,
        }),
    })
}

async fn find_reply(shared: &Shared, asked: &MailMessage) -> Result<Option<MailMessage>, Failure> {
    let thread = asked.id.clone();
    let to = asked.from.clone();
    let replies = shared
        .shelf
        .with(move |stores| Ok(stores.mail.thread(&thread)?))
        .await?;
    Ok(replies.into_iter().find(|m| m.from == NAME && m.to == to))
}

pub(super) async fn check_complete(State(shared): State<Arc<Shared>>) -> Answer {
    let result = command(&shared, "check-complete").await?;
    data(&result?)
}

pub(super) async fn start(State(shared): State<Arc<Shared>>) -> Answer {
    let before = look(&shared).await?;
    if before.running {
        return data(&StartedJson {
            started: false,
            already_running: true,
            pid: before.pid,
            run_id: before.run_id,
        });
    }
    let result = command(&shared, "start").await?;
    let after = look(&shared).await?;
    match result {
        Err(failure) if !after.running => Err(failure),
        // Somebody else was faster.
        result => data(&StartedJson {
            started: result.is_ok(),
            already_running: result.is_err(),
            pid: after.pid,
            run_id: after.run_id,
        }),
    }
}

pub(super) async fn stop(State(shared): State<Arc<Shared>>) -> Answer {
    if !look(&shared).await?.running {
        return data(&StoppedJson { stopped: false });
    }
    command(&shared, "stop").await??;
    data(&StoppedJson { stopped: true })
}

/// Runs `grove coordinator <verb> --json`. The inner result is what the command said; the outer
/// one fails when it said nothing.
async fn command(
    shared: &Shared,
    verb: &'static str,
) -> Result<Result<Map<String, Value>, Failure>, Failure> {
    let root = shared.paths.root.clone();
    blocking(move || {
        let shown = root.to_string_lossy();
        let args = ["--project", &shown, "coordinator", verb, "--json"];
        let output = own::run(&args, &root, &[env::ACTING_FOR])
            .map_err(|e| Failure::internal(e.to_string()))?;
        let line = output.stdout.lines().last().unwrap_or_default();
        let Ok(Value::Object(mut fields)) = serde_json::from_str(line) else {
            let said = output.stderr.lines().next().unwrap_or("it said nothing");
            return Err(Failure::internal(format!(
                "'grove coordinator {verb}' failed: {said}"
            )));
        };
        if output.success {
            fields.shift_remove("success");
            fields.shift_remove("command");
            return Ok(Ok(fields));
        }
        let error = fields.get("error").and_then(Value::as_str);
        Ok(Err(Failure::conflict(
            error.unwrap_or("the coordinator refused"),
        )))
    })
    .await
}
