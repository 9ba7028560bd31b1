//! Usage in the form of the rows of `metrics.db`.

use crate::costs::estimate;
use crate::db::metrics::{SessionMetrics, TokenSnapshot};
use crate::platform::clock;
use crate::runtimes::Usage;
use crate::types::{AgentSession, Timestamp};

/// What the CLI itself says a conversation costs, else what the table says.
fn cost(usage: &Usage) -> Option<f64> {
    usage.total_cost_usd.or_else(|| estimate(usage))
}

/// What an agent has used so far.
pub fn snapshot(agent: &str, run: Option<&str>, usage: &Usage) -> TokenSnapshot {
    TokenSnapshot {
        agent_name: agent.to_owned(),
        input_tokens: usage.input,
        output_tokens: usage.output,
        cache_read_tokens: usage.cache_read,
        cache_creation_tokens: usage.cache_creation,
        estimated_cost_usd: cost(usage),
        model_used: usage.model.clone(),
        run_id: run.map(str::to_owned),
        created_at: clock::now().iso(),
    }
}

/// What a session used in all, as of now.
pub fn session_metrics(session: &AgentSession, usage: &Usage, code: Option<i32>) -> SessionMetrics {
    let now = clock::now();
    let lasted = Timestamp::parse(&session.started_at).map_or(0, |started| now.0 - started.0);
    SessionMetrics {
        agent_name: session.agent_name.clone(),
        task_id: session.task_id.clone(),
        capability: session.capability.clone(),
        started_at: session.started_at.clone(),
        completed_at: Some(now.iso()),
        duration_ms: lasted,
        exit_code: code.map(i64::from),
        merge_result: None,
        parent_agent: session.parent_agent.clone(),
        input_tokens: usage.input,
        output_tokens: usage.output,
        cache_read_tokens: usage.cache_read,
        cache_creation_tokens: usage.cache_creation,
        estimated_cost_usd: cost(usage),
        model_used: usage.model.clone(),
        run_id: session.run_id.clone(),
    }
}
