//! A fleet like one on a working afternoon.

use grove::engine::event::{EngineEvent, Level, LogLine};
use grove::engine::review::{CodeLine, Ink, Place, PlaceKind, ReviewView, Run, Side};
use grove::engine::view::*;
use grove::text::align;

use crate::driver::{NOON, ScreenDriver};

const MIN: i64 = 60_000;

pub(crate) fn agent(name: &str, capability: &str, attention: Attention) -> AgentView {
    let state = match attention {
        Attention::Booting => AgentState::Booting,
        Attention::BetweenTurns => AgentState::BetweenTurns,
        Attention::Stalled => AgentState::Stalled,
        Attention::Dead => AgentState::Zombie,
        Attention::Done => AgentState::Completed,
        _ => AgentState::Working,
    };
    AgentView {
        name: name.to_owned(),
        capability: capability.to_owned(),
        state,
        attention,
        evidence: Evidence {
            text: "output 2s ago".to_owned(),
            since_ms: NOON - 12 * MIN,
        },
        observations: Vec::new(),
        parent: None,
        depth: 0,
        task: None,
        branch: None,
        worktree: None,
        runtime: "claude".to_owned(),
        mode: PaneMode::Pty,
        model: Some("sonnet".to_owned()),
        cost_micro_usd: None,
        tokens: TokenCounts::default(),
        context_percent: None,
        pid: Some(41_822),
        started_ms: NOON - 42 * MIN,
        last_output_ms: Some(NOON - 2_000),
        unread_mail: 0,
        escalation_level: 0,
        next_step: None,
        exit: None,
        protection: None,
    }
}

fn child(
    name: &str,
    capability: &str,
    attention: Attention,
    parent: &str,
    cents: i64,
) -> AgentView {
    AgentView {
        parent: Some(parent.to_owned()),
        depth: 2,
        cost_micro_usd: Some(cents * 10_000),
        ..agent(name, capability, attention)
    }
}

pub(crate) fn fleet() -> Vec<AgentView> {
    let needs = Attention::NeedsYou {
        reason: NeedsReason::Permission,
    };
    let mut builder = child(
        "builder-auth",
        "builder",
        Attention::Working,
        "lead-auth",
        120,
    );
    builder.task = Some("sd-112".to_owned());
    builder.branch = Some("overstory/builder-auth/sd-112".to_owned());
    builder.context_percent = Some(41);
    builder.last_output_ms = Some(NOON - 1_000);
    builder.tokens = TokenCounts {
        input: 96_000,
        output: 11_000,
        cache: 800_000,
    };
    let mut reviewer = child("reviewer-api", "reviewer", needs, "lead-api", 40);
    reviewer.evidence = Evidence {
        text: "permission prompt: Bash npm audit --json".to_owned(),
        since_ms: NOON - 2 * MIN,
    };
    let mut stalled = child("builder-db", "builder", Attention::Stalled, "lead-api", 75);
    stalled.last_output_ms = Some(NOON - 6 * MIN);
    stalled.evidence = Evidence {
        text: "no output, 0% cpu".to_owned(),
        since_ms: NOON - 6 * MIN,
    };
    stalled.escalation_level = 1;
    stalled.next_step = Some(Evidence {
        text: "triage in 48s".to_owned(),
        since_ms: NOON,
    });
    stalled.observations = vec![
        Evidence {
            text: "last line: waiting for postgres".to_owned(),
            since_ms: NOON - 6 * MIN,
        },
        Evidence {
            text: "nudge sent, no reaction".to_owned(),
            since_ms: NOON - 4 * MIN,
        },
    ];
    let mut lead_auth = agent("lead-auth", "lead", Attention::Working);
    lead_auth.parent = Some("coordinator".to_owned());
    lead_auth.unread_mail = 1;
    let mut lead_api = agent("lead-api", "lead", Attention::Working);
    lead_api.parent = Some("coordinator".to_owned());
    lead_api.started_ms = NOON - 31 * MIN;
    let mut scout = child(
        "scout-auth",
        "scout",
        Attention::BetweenTurns,
        "lead-auth",
        11,
    );
    scout.mode = PaneMode::Stream;
    vec![
        agent("coordinator", "coordinator", Attention::BetweenTurns),
        lead_auth,
        builder,
        child(
            "builder-login",
            "builder",
            Attention::Working,
            "lead-auth",
            84,
        ),
        scout,
        lead_api,
        reviewer,
        child(
            "builder-api",
            "builder",
            Attention::Working,
            "lead-api",
            202,
        ),
        stalled,
        child("builder-cfg", "builder", Attention::Done, "lead-api", 31),
        child("scout-api", "scout", Attention::Done, "lead-api", 9),
    ]
}

pub(crate) fn project() -> ProjectView {
    ProjectView {
        name: "shop-api".to_owned(),
        stage: ProjectStage::Ready,
        branch: "main".to_owned(),
        run: Some(RunView {
            id: "run-0412".to_owned(),
            started_ms: NOON - 42 * MIN,
        }),
        cost_micro_usd: Some(6_310_000),
        budget_micro_usd: Some(20_000_000),
        coordinator: Lease::Mine,
        store_problem: None,
        gates: ["build", "lint", "test"].map(str::to_owned).to_vec(),
        merge_paused_ms: None,
        meetings: Vec::new(),
        found: Vec::new(),
        capabilities: vec![
            "builder".to_owned(),
            "scout".to_owned(),
            "reviewer".to_owned(),
        ],
        runtimes: vec!["claude".to_owned(), "codex".to_owned()],
    }
}

pub(crate) fn mails() -> Vec<MailView> {
    let mail = |id: &str, from: &str, kind: &str, subject: &str, age: i64, read: bool| MailView {
        id: id.to_owned(),
        from: from.to_owned(),
        to: "coordinator".to_owned(),
        subject: subject.to_owned(),
        body: format!("About {subject}.\nSecond line."),
        kind: kind.to_owned(),
        priority: MailPriority::Normal,
        thread: None,
        payload: None,
        read,
        created_ms: NOON - age * MIN,
    };
    let mut audit = mail(
        "m1",
        "reviewer-api",
        "escalation",
        "npm audit fails",
        2,
        false,
    );
    audit.priority = MailPriority::Urgent;
    audit.body = "2 critical advisories in lodash 4.17.20. The fix bumps a shared dependency \
                  owned by builder-api. May I?"
        .to_owned();
    audit.payload = Some(r#"{"severity":"high","files":["package.json"]}"#.to_owned());
    let mut reply = mail("m7", "lead-api", "status", "Re: npm audit fails", 1, true);
    reply.thread = Some("m1".to_owned());
    reply.to = "reviewer-api".to_owned();
    reply.body = "Waiting for the coordinator, do not edit package.json.".to_owned();
    vec![
        reply,
        audit,
        mail("m2", "lead-auth", "question", "skew on login?", 6, false),
        mail("m3", "builder-cfg", "merge_ready", "sd-109", 11, false),
        mail("m4", "builder-api", "status", "routes done", 14, true),
        mail("m5", "scout-auth", "result", "auth map", 31, true),
        mail("m6", "builder-db", "worker_died", "(synthetic)", 40, true),
    ]
}

pub(crate) fn receipt() -> ReceiptView {
    let gate = |name: &str, duration_ms: u64, attempts: u32| GateView {
        name: name.to_owned(),
        passed: true,
        duration_ms,
        attempts,
    };
    ReceiptView {
        id: "20260225-140000-Ab3dE9".to_owned(),
        commit: "8c1fd3a2b4c5d6e7f8091a2b3c4d5e6f70819203".to_owned(),
        before: "41d09b7755e6d7c8b9a0f1e2d3c4b5a697887766".to_owned(),
        undo_ref: "refs/grove/undo/20260225-140000-Ab3dE9".to_owned(),
        kept: 118,
        removed: 4,
        woven: 0,
        displaced: 0,
        compared: 1,
        taken_whole: 2,
        kept_twice: Vec::new(),
        gates: vec![gate("build", 8_200, 1), gate("test", 64_000, 2)],
    }
}

/// A branch whose second gate is red.
pub(crate) fn red() -> MergeView {
    let tail = (1..=14)
        .map(|n| format!("orders.spec.ts:{n} failed"))
        .collect();
    MergeView {
        id: 6,
        branch: "overstory/builder-mail/sd-130".to_owned(),
        agent: "builder-mail".to_owned(),
        task: Some("sd-130".to_owned()),
        state: MergeState::Failed,
        tier: None,
        files: vec!["src/mail.rs".to_owned()],
        conflict_files: Vec::new(),
        displaced: Vec::new(),
        gates: None,
        error: Some("quality gate test failed with exit code 1; nothing has landed".to_owned()),
        red_gate: Some(RedGateView {
            name: "test".to_owned(),
            how: "exit code 1".to_owned(),
            tail,
        }),
        receipt: None,
        undone_ms: None,
        revert: None,
        forecast: None,
        overlaps: Vec::new(),
        warnings: Vec::new(),
        looked_at: false,
        looked_over: Default::default(),
        in_passing: false,
        is_cancelled: false,
        decided: 0,
        is_accepted: false,
        follow_up: String::new(),
        enqueued_ms: NOON - 9 * MIN,
        merged_ms: None,
    }
}

pub(crate) fn merges() -> Vec<MergeView> {
    let entry = |id: i64, agent: &str, task: &str, state: MergeState| MergeView {
        id,
        branch: format!("overstory/{agent}/{task}"),
        agent: agent.to_owned(),
        task: Some(task.to_owned()),
        state,
        tier: None,
        files: vec!["src/a.rs".to_owned(), "src/b.rs".to_owned()],
        conflict_files: Vec::new(),
        displaced: Vec::new(),
        gates: None,
        error: None,
        red_gate: None,
        receipt: None,
        undone_ms: None,
        revert: None,
        forecast: None,
        overlaps: Vec::new(),
        warnings: Vec::new(),
        looked_at: false,
        looked_over: Default::default(),
        in_passing: false,
        is_cancelled: false,
        decided: 0,
        is_accepted: false,
        follow_up: String::new(),
        enqueued_ms: NOON - 3 * MIN,
        merged_ms: None,
    };
    let mut merging = entry(1, "builder-login", "sd-113", MergeState::Merging);
    merging.tier = Some("clean-merge".to_owned());
    merging.gates = Some(GateProgress {
        step: MergeStep::Gates,
        done: 1,
        total: 3,
        current: Some("lint".to_owned()),
        began_ms: NOON - 41_000,
        since_ms: NOON - 12_000,
        elsewhere: None,
    });
    let mut review = entry(2, "builder-api", "sd-120", MergeState::Review);
    review.tier = Some("auto-resolve".to_owned());
    review.conflict_files = vec!["README.md".to_owned(), "src/orders.rs".to_owned()];
    review.displaced = vec![
        DisplacedView {
            file: "README.md".to_owned(),
            kind: PlaceKind::Text,
            line: Some(30),
            agent: Some("builder-cfg".to_owned()),
            merged_ms: Some(NOON - 2 * MIN),
            lines: 3,
            ours: "## Prerequisites\nNode 22, PostgreSQL 16\nCopy .env.example to .env\n"
                .to_owned(),
            theirs: "## Quick start\nnpm ci && npm run dev\n".to_owned(),
        },
        DisplacedView {
            file: "src/orders.rs".to_owned(),
            kind: PlaceKind::Text,
            line: Some(88),
            agent: Some("builder-login".to_owned()),
            merged_ms: Some(NOON - 21 * MIN),
            lines: 4,
            ours: "fn reserve(stock: &mut Stock) {\n\tstock.take(1);\n\tstock.log();\n}\n"
                .to_owned(),
            theirs: String::new(),
        },
    ];
    let mut pending = entry(3, "builder-auth", "sd-112", MergeState::Pending);
    pending.forecast = Some(ForecastView {
        tier: Some("clean-merge".to_owned()),
        target: "8c1fd3a2".to_owned(),
        changes: vec![
            ChangeView {
                file: "src/auth/session.rs".to_owned(),
                lines: Some((42, 7)),
            },
            ChangeView {
                file: "logo.png".to_owned(),
                lines: None,
            },
        ],
        ..ForecastView::default()
    });
    pending.overlaps = vec![OverlapView {
        agent: "builder-login".to_owned(),
        file: "src/auth/session.rs".to_owned(),
        kind: MeetingKind::File,
    }];
    let mut conflict = entry(4, "builder-db", "sd-121", MergeState::Conflict);
    conflict.tier = Some("ai-resolve".to_owned());
    conflict.conflict_files = vec!["package.json".to_owned()];
    let mut merged = entry(5, "builder-cfg", "sd-109", MergeState::Merged);
    merged.tier = Some("clean-merge".to_owned());
    merged.merged_ms = Some(NOON - 2 * MIN);
    merged.receipt = Some(receipt());
    vec![merging, review, pending, conflict, merged]
}

fn code(lines: &[&str]) -> Vec<CodeLine> {
    lines
        .iter()
        .map(|text| CodeLine {
            text: (*text).to_owned(),
            runs: vec![Run {
                length: text.len(),
                ink: if text.contains("fn") || text.starts_with('#') {
                    Ink::Keyword
                } else {
                    Ink::Plain
                },
            }],
            changed: Vec::new(),
        })
        .collect()
}

fn side(first: usize, before: &[&str], lines: &[&str], after: &[&str]) -> Side {
    Side {
        first: Some(first),
        before: code(before),
        lines: code(lines),
        after: code(after),
    }
}

/// Two contested places of text, and a file that one side deleted.
pub(crate) fn review() -> ReviewView {
    let head = ["# Orders API", ""];
    let tail = ["", "## Usage", "", "Call it."];
    let mut readme = Place {
        key: "readme".to_owned(),
        file: "README.md".to_owned(),
        was: None,
        answer: None,
        kind: PlaceKind::Text,
        is_looked_up: true,
        agent: Some("builder-cfg".to_owned()),
        at_ms: Some(NOON - 2 * MIN),
        ours_go: 3,
        theirs_go: 2,
        base: code(&["## Setup", "npm install"]),
        ours: side(
            30,
            &head,
            &[
                "## Prerequisites",
                "Node 22, PostgreSQL 16",
                "Copy .env.example to .env",
            ],
            &tail,
        ),
        theirs: side(
            30,
            &head,
            &["## Quick start", "Node 22, npm run dev"],
            &tail,
        ),
        result: side(30, &head, &[], &tail),
        driven: None,
        rows: align(
            &[
                "## Prerequisites",
                "Node 22, PostgreSQL 16",
                "Copy .env.example to .env",
            ],
            &["## Quick start", "Node 22, npm run dev"],
        ),
        is_editable: true,
        decision: None,
    };
    readme.ours.lines[1].changed.push(9..22);
    readme.theirs.lines[1].changed.push(9..20);
    let reserve = [
        "fn reserve(stock: &mut Stock) {",
        "\tstock.take(1);",
        "\tstock.log();",
        "}",
    ];
    let orders = Place {
        key: "orders".to_owned(),
        file: "src/orders.rs".to_owned(),
        agent: Some("builder-login".to_owned()),
        at_ms: Some(NOON - 21 * MIN),
        ours_go: 4,
        theirs_go: 0,
        base: code(&reserve[..2]),
        ours: side(88, &["// stock"], &reserve, &["", "fn ship() {}"]),
        theirs: side(88, &["// stock"], &[], &["", "fn ship() {}"]),
        result: side(88, &["// stock"], &[], &["", "fn ship() {}"]),
        rows: align(&reserve, &[]),
        ..readme.clone()
    };
    let gone = Place {
        key: "gone".to_owned(),
        file: "docs/old.md".to_owned(),
        kind: PlaceKind::DeletedByBranch,
        ours_go: 5,
        theirs_go: 0,
        base: Vec::new(),
        ours: side(1, &[], &["Old notes", "still read"], &[]),
        theirs: Side::default(),
        result: Side::default(),
        rows: align(&["Old notes", "still read"], &[]),
        is_editable: false,
        ..readme.clone()
    };
    ReviewView {
        id: 2,
        branch: "overstory/builder-api/sd-120".to_owned(),
        agent: "builder-api".to_owned(),
        target: "main".to_owned(),
        target_tip: "8c1f".repeat(10),
        branch_tip: "27aa".repeat(10),
        places: vec![readme, orders, gone],
        warnings: Vec::new(),
        moved: None,
        landed: None,
    }
}

pub(crate) fn log() -> Vec<EngineEvent> {
    let line = |age: i64, level: Level, agent: &str, text: &str| {
        EngineEvent::Log(LogLine {
            at_ms: NOON - age * MIN,
            level,
            agent: Some(agent.to_owned()),
            text: text.to_owned(),
        })
    };
    vec![
        line(6, Level::Info, "builder-login", "spawned"),
        line(4, Level::Warn, "builder-db", "stalled"),
        line(2, Level::Ok, "builder-cfg", "merged"),
        line(1, Level::Act, "reviewer-api", "needs you"),
        line(0, Level::Info, "builder-auth", "ran tests"),
    ]
}

pub(crate) const BUILDER: &[u8] = b"\x1b[1m\xe2\x97\x8f Reading\x1b[0m src/auth/session.rs\r\n\
    \xe2\x97\x8f Edit src/auth/session.rs   \x1b[32m+42\x1b[0m \x1b[31m-7\x1b[0m\r\n\
    \x1b[38;2;120;200;90m    120 +    if claims.expires_within(self.skew) {\x1b[0m\r\n\
    \xe2\x97\x8f Bash(cargo test -p auth)\r\n  running 31 tests\r\n\r\n> ";
pub(crate) const REVIEWER: &[u8] = b"Bash: npm audit --json\r\n\r\nDo you want to proceed?\r\n> 1. Yes\r\n  2. Yes, and remember\r\n  3. No, tell the agent\r\n";
pub(crate) const STALLED: &[u8] =
    b"\xe2\x97\x8f Bash(docker compose up)\r\n  waiting for postgres\r\n";

/// Everything the engine would send at the start.
pub(crate) fn everything() -> Vec<EngineEvent> {
    let mut events = vec![
        EngineEvent::Project(project()),
        EngineEvent::Fleet(fleet()),
        EngineEvent::Mail(mails()),
        EngineEvent::Merge(merges()),
    ];
    events.extend(log());
    events
}

/// A driver with the whole afternoon in it.
pub(crate) fn afternoon() -> ScreenDriver {
    crate::driver::screen()
        .terminal("builder-auth", BUILDER)
        .terminal("reviewer-api", REVIEWER)
        .terminal("builder-db", STALLED)
        .terminal("builder-api", b"editing routes\r\n")
        .terminal("builder-login", b"thinking\r\n")
        .terminal("lead-auth", b"delegating\r\n")
        .terminal("lead-api", b"reviewing\r\n")
        .terminal("coordinator", b"idle\r\n")
        .terminal("scout-auth", b"transcript of the scout\r\n")
        .review(review())
        .engine_all(everything())
}
