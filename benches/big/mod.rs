//! A project as large as a long week: agents, events, mail, metrics, a queue; the same each time.

use rusqlite::{Connection, Transaction, params};

use crate::support::TestProject;

/// How large.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) agents: usize,
    pub(crate) events: usize,
    pub(crate) mails: usize,
}

pub(crate) const ORCHESTRATED: Size = Size {
    agents: 25,
    events: 100_000,
    mails: 10_000,
};

const ROLES: [&str; 7] = [
    "lead", "builder", "builder", "builder", "scout", "reviewer", "merger",
];
const STATES: [&str; 6] = [
    "working",
    "between_turns",
    "completed",
    "completed",
    "stalled",
    "zombie",
];
const KINDS: [&str; 7] = [
    "tool_start",
    "tool_end",
    "tool_start",
    "tool_end",
    "mail_sent",
    "custom",
    "progress",
];
const TOOLS: [&str; 6] = ["Bash", "Read", "Edit", "Write", "Grep", "Glob"];
const TYPES: [&str; 4] = ["status", "question", "result", "worker_done"];

/// A small generator of numbers that only look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Name of the agent with a number.
pub(crate) fn agent(n: usize) -> String {
    format!("{}-{n:03}", ROLES[n % ROLES.len()])
}

fn time(second: usize) -> String {
    grove::types::Timestamp(1_772_357_400_000 + second as i64 * 1000 + (second * 7 % 1000) as i64)
        .iso()
}

fn run(n: usize) -> String {
    format!("run-2026-03-0{}T09-30-00-000Z", n % 3 + 1)
}

/// Fills the stores of a project that has been set up.
pub(crate) fn fill(project: &TestProject, size: Size) {
    let mut dice = Dice(1);
    store(project, "sessions.db", |tx| sessions(tx, project, size));
    store(project, "events.db", |tx| events(tx, &mut dice, size));
    store(project, "mail.db", |tx| mail(tx, &mut dice, size));
    store(project, "metrics.db", |tx| metrics(tx, &mut dice, size));
    store(project, "merge-queue.db", |tx| queue(tx, size));
    project.write(".overstory/current-run.txt", &run(2));
}

fn store(project: &TestProject, name: &str, mut rows: impl FnMut(&Transaction<'_>)) {
    let mut connection = Connection::open(project.overstory(name)).unwrap();
    let tx = connection.transaction().unwrap();
    rows(&tx);
    tx.commit().unwrap();
}

fn sessions(tx: &Transaction<'_>, project: &TestProject, size: Size) {
    for n in 0..3 {
        tx.execute(
            "INSERT INTO runs (id, started_at, status) VALUES (?1, ?2, 'active')",
            params![run(n), time(n * 86_400)],
        )
        .unwrap();
    }
    for n in 0..size.agents {
        let worktree = project.overstory("worktrees").join(agent(n));
        let parent = (n % 7 > 0).then(|| agent(n / 7 * 7));
        tx.execute(
            "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, parent_agent, depth, run_id, started_at, last_activity)
             VALUES ('session-' || ?1, ?1, ?2, ?3, 'overstory/' || ?1, ?4, '', ?5, ?6, 1, ?7, ?8, ?8)",
            params![
                agent(n),
                ROLES[n % 7],
                worktree.to_str(),
                format!("t-{n}"),
                STATES[n % 6],
                parent,
                run(n),
                time(n * 60)
            ],
        )
        .unwrap();
    }
}

fn events(tx: &Transaction<'_>, dice: &mut Dice, size: Size) {
    let mut statement = tx
        .prepare(
            "INSERT INTO events (run_id, agent_name, event_type, tool_name, tool_args, tool_duration_ms, level, data, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )
        .unwrap();
    for n in 0..size.events {
        let text = format!("cargo test -p m{}", n % 40);
        let level = if n % 97 == 0 { "error" } else { "info" };
        statement
            .execute(params![
                run(n),
                agent(dice.below(size.agents)),
                KINDS[dice.below(KINDS.len())],
                TOOLS[dice.below(TOOLS.len())],
                format!("{{\"command\":\"{text}\"}}"),
                dice.below(5000) as i64,
                level,
                format!("{{\"summary\":\"bash: {text}\"}}"),
                time(n).trim_end_matches('Z')
            ])
            .unwrap();
    }
}

fn mail(tx: &Transaction<'_>, dice: &mut Dice, size: Size) {
    for n in 0..size.mails {
        let to = match dice.below(size.agents + 2) {
            0 => "orchestrator".to_owned(),
            1 => "coordinator".to_owned(),
            other => agent(other - 2),
        };
        tx.execute(
            "INSERT INTO messages (id, from_agent, to_agent, subject, body, type, priority, read, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'normal', ?7, ?8)",
            params![
                format!("msg-{n:012}"),
                agent(dice.below(size.agents)),
                to,
                format!("status {n}"),
                "Working on it. ".repeat(1 + dice.below(19)),
                TYPES[dice.below(TYPES.len())],
                i64::from(n % 20 > 0),
                time(n * 9)
            ],
        )
        .unwrap();
    }
}

fn metrics(tx: &Transaction<'_>, dice: &mut Dice, size: Size) {
    for n in 0..size.agents * 20 {
        tx.execute(
            "INSERT INTO sessions (agent_name, task_id, capability, started_at, completed_at, duration_ms, input_tokens, output_tokens, estimated_cost_usd, model_used, run_id)
             VALUES (?1, ?2, ?3, ?4, ?4, 900000, ?5, ?6, ?7, 'claude-sonnet-4-6', ?8)",
            params![
                agent(n % size.agents),
                format!("t-{n}"),
                ROLES[n % size.agents % 7],
                time(n),
                dice.below(1_000_000) as i64,
                dice.below(100_000) as i64,
                dice.below(500) as f64 / 100.0,
                run(n)
            ],
        )
        .unwrap();
    }
}

fn queue(tx: &Transaction<'_>, size: Size) {
    for n in 0..size.agents {
        tx.execute(
            "INSERT INTO merge_queue (branch_name, task_id, agent_name, enqueued_at, status) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                format!("overstory/{}/t-{n}", agent(n)),
                format!("t-{n}"),
                agent(n),
                time(n * 100),
                ["pending", "merged", "merged", "conflict"][n % 4]
            ],
        )
        .unwrap();
    }
}
