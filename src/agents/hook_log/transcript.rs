//! Tokens of an agent without a host, from the transcript its CLI writes.

use std::path::{Path, PathBuf};

use super::call::{Call, attempt};
use crate::costs;
use crate::db::MetricsStore;
use crate::logging::AgentLog;
use crate::platform::{FsError, clock, env, fs};
use crate::runtimes::Usage;

/// Snapshots are taken at most this often; milliseconds.
const EVERY_MS: i64 = 30_000;

/// Stores what the agent has used so far, unless that was done a moment ago.
pub(super) fn snapshot_if_due(call: &Call<'_>, log: &AgentLog) {
    if call.conversation.is_none() {
        return;
    }
    let marker = call.logs().join(call.agent).join(".last-snapshot");
    let last = attempt(
        log,
        "read the time of the last snapshot",
        fs::read_optional(&marker),
    );
    let now = clock::now().0;
    let last = last
        .flatten()
        .and_then(|text| text.trim().parse::<i64>().ok());
    // A time in the future is a clock that was set back, not a reason to wait.
    if last.is_some_and(|last| (0..EVERY_MS).contains(&(now - last))) {
        return;
    }
    let Some(usage) = used(call, log) else { return };
    let run = attempt(
        log,
        "look the session up",
        call.sessions().and_then(|s| s.get(call.agent)),
    )
    .flatten()
    .and_then(|session| session.run_id);
    let row = costs::snapshot(call.agent, run.as_deref(), &usage);
    let stored =
        MetricsStore::open(&call.paths.metrics_db()).and_then(|store| store.snapshot(&row));
    if attempt(log, "store a snapshot", stored).is_some() {
        attempt(
            log,
            "note the time of the snapshot",
            fs::write_atomic(&marker, now.to_string()),
        );
    }
}

/// What the agent has used, by its transcript; `None` when there is none.
pub(super) fn used(call: &Call<'_>, log: &AgentLog) -> Option<Usage> {
    let runtime = call.runtime()?;
    let path = attempt(log, "find the transcript", locate(call)).flatten()?;
    attempt(log, "read the transcript", costs::read(&path, runtime))
}

/// Where the transcript is: told by the hook, recorded with the session, found before, or looked
/// for. What is found is remembered.
fn locate(call: &Call<'_>) -> Result<Option<PathBuf>, FsError> {
    if let Some(path) = call.transcript.as_ref().filter(|path| path.is_file()) {
        return Ok(Some(path.clone()));
    }
    // Without a readable session store the other places are still worth a look.
    let session = call.sessions().and_then(|s| s.get(call.agent)).ok();
    let recorded = session
        .flatten()
        .and_then(|session| session.transcript_path)
        .map(PathBuf::from);
    if let Some(path) = recorded.filter(|path| path.is_file()) {
        return Ok(Some(path));
    }
    let cache = call.logs().join(call.agent).join(".transcript-path");
    let cached = fs::read_optional(&cache)?.map(|text| PathBuf::from(text.trim()));
    if let Some(path) = cached.filter(|path| path.is_file()) {
        return Ok(Some(path));
    }
    let found = look_for(call);
    if let Some(path) = &found {
        remember(call, &cache, path)?;
    }
    Ok(found)
}

fn look_for(call: &Call<'_>) -> Option<PathBuf> {
    let conversation = call.conversation.as_deref()?;
    costs::find(
        call.runtime()?,
        &env::home()?,
        Some(&call.paths.host_dir(call.agent)),
        &call.paths.root,
        conversation,
    )
}

fn remember(call: &Call<'_>, cache: &Path, path: &Path) -> Result<(), FsError> {
    let text = path.display().to_string();
    fs::write_atomic(cache, &text)?;
    let stored = call
        .sessions()
        .and_then(|sessions| sessions.set_conversation(call.agent, None, Some(&text)));
    if let Err(error) = stored {
        tracing::debug!("the transcript's place is only in the cache: {error}");
    }
    Ok(())
}
