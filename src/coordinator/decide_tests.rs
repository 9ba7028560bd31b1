//! The decisions, one situation each.

use super::*;
use crate::coordinator::snapshot::Look;
use crate::db::grove::HostRow;
use crate::db::merge_queue::QueueRow;
use crate::db::merging::LookedAt;
use crate::host::obituary;
use crate::types::AgentSession;
use crate::types::host::ExitReport;
use crate::types::mail::MailPriority;
use crate::types::merge::MergeEntry;
use crate::watchdog::foreign::Finding;
use crate::watchdog::{Excuse, Limits};

fn agent(name: &str, capability: &str, parent: Option<&str>, state: AgentState) -> AgentFacts {
    AgentFacts {
        session: AgentSession {
            capability: capability.to_owned(),
            branch_name: format!("overstory/{name}/t"),
            task_id: format!("t-{name}"),
            state,
            pid: Some(1),
            parent_agent: parent.map(str::to_owned),
            started_at: Timestamp(0).iso(),
            last_activity: Timestamp(0).iso(),
            ..AgentSession::example(name)
        },
        host: Some(HostRow {
            started_at: Timestamp(0).iso(),
            ..HostRow::example(name)
        }),
        host_alive: Liveness::Alive,
        in_turn: Some(true),
        quiet_ms: 0,
        at_stage_ms: 0,
        excuse: None,
    }
}

fn at(now_ms: i64, agents: Vec<AgentFacts>) -> Snapshot {
    Snapshot {
        agents,
        reports: Vec::new(),
        unread: Vec::new(),
        queue: Vec::new(),
        looked_at: LookedAt::default(),
        retries: std::collections::HashMap::new(),
        paused: false,
        merging_elsewhere: false,
        done: std::collections::HashSet::new(),
        questions: Vec::new(),
        limits: Limits {
            stale_ms: 1000,
            zombie_ms: 10_000,
            stage_ms: 500,
        },
        look: Look {
            merging: false,
            lands: true,
            watches: true,
            rests_until: Timestamp(0),
        },
        tells_deaths: true,
        triages: false,
        foreign: Vec::new(),
        finished_run: None,
        now: Timestamp(now_ms),
    }
}

fn report(from: &str, kind: MailType, payload: Option<&str>) -> MailMessage {
    MailMessage {
        id: format!("msg-{from}"),
        from: from.to_owned(),
        to: "x".to_owned(),
        subject: String::new(),
        body: String::new(),
        kind,
        unknown_kind: None,
        priority: MailPriority::Normal,
        unknown_priority: None,
        thread_id: None,
        payload: payload.map(str::to_owned),
        read: true,
        created_at: Timestamp(10).iso(),
    }
}

fn entry(branch: &str, status: MergeStatus) -> QueueRow {
    let entry = MergeEntry {
        branch_name: branch.to_owned(),
        task_id: "t".to_owned(),
        agent_name: "a".to_owned(),
        files_modified: vec![],
        enqueued_at: Timestamp(20).iso(),
        status,
        resolved_tier: None,
    };
    QueueRow { id: 7, entry }
}

#[test]
fn finished_work_is_enqueued_once_whether_or_not_somebody_has_read_the_mail() {
    let mut s = at(100, vec![agent("b", "builder", None, AgentState::Working)]);
    s.reports = vec![report("b", MailType::WorkerDone, None)];
    let plan = decide(&s);
    assert!(
        matches!(&plan.actions[..], [Action::Enqueue { branch, .. }] if branch == "overstory/b/t")
    );
    s.done.insert("report:msg-b".to_owned());
    assert!(decide(&s).actions.is_empty());
}

#[test]
fn a_lead_is_asked_first_and_bypassed_when_it_is_gone() {
    let mut s = at(
        100,
        vec![
            agent("l", "lead", None, AgentState::Working),
            agent("b", "builder", Some("l"), AgentState::Completed),
        ],
    );
    s.reports = vec![report("b", MailType::WorkerDone, None)];
    assert!(
        !decide(&s)
            .actions
            .iter()
            .any(|a| matches!(a, Action::Enqueue { .. }))
    );
    s.agents[0].session.state = AgentState::Completed;
    assert!(
        decide(&s)
            .actions
            .iter()
            .any(|a| matches!(a, Action::Enqueue { .. }))
    );
}

#[test]
fn nobody_can_enqueue_a_branch_of_somebody_elses_agent() {
    let mut s = at(
        100,
        vec![
            agent("l", "lead", None, AgentState::Working),
            agent("b", "builder", Some("other"), AgentState::Working),
        ],
    );
    let payload = r#"{"branch":"overstory/b/t"}"#;
    s.reports = vec![report("l", MailType::MergeReady, Some(payload))];
    assert!(
        decide(&s)
            .actions
            .iter()
            .all(|a| !matches!(a, Action::Enqueue { .. }))
    );
    s.agents[1].session.parent_agent = Some("l".to_owned());
    assert!(
        decide(&s)
            .actions
            .iter()
            .any(|a| matches!(a, Action::Enqueue { agent, .. } if agent == "b"))
    );
}

#[test]
fn a_killed_host_is_a_death_and_an_unknown_one_is_not() {
    let mut s = at(100, vec![agent("b", "builder", None, AgentState::Working)]);
    s.agents[0].host_alive = Liveness::Unknown;
    assert!(decide(&s).actions.is_empty());
    s.agents[0].host_alive = Liveness::Dead;
    assert!(matches!(
        &decide(&s).actions[..],
        [Action::DeclareDead { .. }]
    ));
    s.agents[0].session.state = AgentState::Completed;
    assert!(decide(&s).actions.is_empty());
}

#[test]
fn a_crash_is_reported_with_the_cause_the_host_has_stored() {
    let mut s = at(100, vec![agent("b", "builder", None, AgentState::Zombie)]);
    let exit = ExitReport {
        code: Some(3),
        signal: None,
        cause: "exited with code 3".to_owned(),
        last_screen: String::new(),
        ended_at: Timestamp(50).iso(),
    };
    s.agents[0].host.as_mut().unwrap().exit = Some(exit);
    assert!(
        matches!(&decide(&s).actions[..], [Action::DeclareDead { cause, .. }] if cause.contains("code 3"))
    );
}

/// One silent agent, as long as given, at the level it has reached.
fn silent(quiet_ms: i64, level: i64) -> Snapshot {
    let mut s = at(5000, vec![agent("b", "builder", None, AgentState::Stalled)]);
    let agent = &mut s.agents[0];
    agent.quiet_ms = quiet_ms;
    agent.session.escalation_level = level;
    agent.session.stalled_since = Some(Timestamp(1000).iso());
    s
}

#[test]
fn silence_in_a_turn_is_noted_then_nudged_and_silence_between_turns_is_rest() {
    let mut s = silent(1200, 0);
    s.agents[0].session.state = AgentState::Working;
    let plan = decide(&s);
    assert!(matches!(
        &plan.actions[..],
        [Action::MarkStalled { level: 0, .. }]
    ));
    assert_eq!(plan.wake_at, Some(Timestamp(5500)));
    let mut s = silent(1500, 0);
    s.agents[0].at_stage_ms = 500;
    assert!(
        decide(&s)
            .actions
            .iter()
            .any(|a| matches!(a, Action::Nudge { level: 1, .. }))
    );
    s.agents[0].in_turn = Some(false);
    assert!(matches!(
        &decide(&s).actions[..],
        [Action::MarkActive { .. }]
    ));
}

#[test]
fn the_last_stages_ask_a_model_only_where_wanted_and_give_up_once() {
    let mut s = silent(2000, 2);
    assert!(matches!(
        &decide(&s).actions[..],
        [Action::Nudge { level: 2, .. }]
    ));
    s.triages = true;
    assert!(matches!(&decide(&s).actions[..], [Action::Triage { .. }]));
    let mut s = silent(2500, 3);
    let [Action::GiveUp { key, .. }] = &decide(&s).actions[..] else {
        panic!("{:?}", decide(&s).actions);
    };
    s.done.insert(key.clone());
    assert!(decide(&s).actions.is_empty());
}

#[test]
fn whoever_does_not_watch_judges_deaths_but_no_silence() {
    let mut s = silent(9_000, 0);
    s.look.watches = false;
    assert_eq!(decide(&s), Plan::default());
    s.agents[0].host_alive = Liveness::Dead;
    assert!(matches!(
        &decide(&s).actions[..],
        [Action::DeclareDead { .. }]
    ));
}

#[test]
fn an_agent_that_waits_for_a_person_is_not_stalled() {
    let mut s = silent(99_999, 0);
    s.agents[0].excuse = Some(Excuse::Person);
    assert!(matches!(
        &decide(&s).actions[..],
        [Action::MarkActive { .. }]
    ));
    let session = &mut s.agents[0].session;
    session.state = AgentState::Working;
    session.stalled_since = None;
    assert_eq!(decide(&s), Plan::default());
}

#[test]
fn an_agent_of_the_other_program_is_reported_once() {
    let mut s = at(100, vec![]);
    let theirs = agent("b", "builder", None, AgentState::Working).session;
    s.foreign = vec![(theirs, Finding::Died)];
    let [Action::DeclareDead { session_id, .. }] = &decide(&s).actions[..] else {
        panic!("{:?}", decide(&s).actions);
    };
    s.done.insert(obituary::key(session_id));
    assert!(decide(&s).actions.is_empty());
}

#[test]
fn a_question_is_answered_once_with_what_is_known() {
    let mut s = at(100, vec![agent("b", "builder", None, AgentState::Working)]);
    s.queue = vec![entry("overstory/x/t", MergeStatus::Conflict)];
    s.questions = vec![report("operator", MailType::Dispatch, None)];
    let [Action::Answer { key, body, .. }] = &decide(&s).actions[..] else {
        panic!("{:?}", decide(&s).actions);
    };
    assert!(
        body.contains("b (builder)") && body.contains("overstory/x/t"),
        "{body}"
    );
    s.done.insert(key.clone());
    assert!(decide(&s).actions.is_empty());
}

#[test]
fn where_a_person_lands_nothing_is_merged() {
    let mut s = at(100, vec![]);
    s.queue = vec![entry("x", MergeStatus::Pending)];
    s.look.lands = false;
    assert!(decide(&s).actions.is_empty());
}

#[test]
fn what_only_a_dry_run_has_queued_is_neither_landed_nor_taken_for_the_agents_report() {
    let mut s = at(100, vec![agent("b", "builder", None, AgentState::Working)]);
    let row = entry("overstory/b/t", MergeStatus::Pending);
    let key = (row.entry.branch_name.clone(), row.entry.enqueued_at.clone());
    s.looked_at = [key].into_iter().collect();
    s.queue = vec![row];
    assert!(decide(&s).actions.is_empty());
    s.reports = vec![report("b", MailType::WorkerDone, None)];
    assert!(matches!(
        &decide(&s).actions[..],
        [Action::Enqueue { branch, .. }] if branch == "overstory/b/t"
    ));
}

#[test]
fn merges_go_one_at_a_time() {
    let mut s = at(100, vec![]);
    s.queue = vec![entry("x", MergeStatus::Pending)];
    assert_eq!(decide(&s).actions, [Action::Merge { queue_id: 7 }]);
    s.look.merging = true;
    assert!(decide(&s).actions.is_empty());
}

#[test]
fn what_found_no_room_is_merged_again_when_its_time_has_come_and_the_loop_wakes_for_it() {
    let mut s = at(100, vec![]);
    s.queue = vec![entry("x", MergeStatus::Failed)];
    assert_eq!(decide(&s), Plan::default());
    s.retries = [(7, Timestamp(150))].into();
    assert_eq!(decide(&s).wake_at, Some(Timestamp(150)));
    assert!(decide(&s).actions.is_empty());
    s.now = Timestamp(150);
    assert_eq!(decide(&s).actions, [Action::Merge { queue_id: 7 }]);
    s.paused = true;
    assert_eq!(decide(&s), Plan::default());
}

#[test]
fn a_time_from_an_earlier_failure_says_nothing_about_an_entry_that_is_held() {
    let mut s = at(100, vec![]);
    s.retries = [(7, Timestamp(0))].into();
    for status in [MergeStatus::Conflict, MergeStatus::Merged] {
        s.queue = vec![entry("x", status)];
        assert_eq!(decide(&s), Plan::default());
    }
}

#[test]
fn nothing_is_merged_while_the_loop_rests_from_a_round_it_could_not_store() {
    let mut s = at(100, vec![]);
    s.queue = vec![entry("x", MergeStatus::Pending)];
    s.look.rests_until = Timestamp(130);
    assert!(decide(&s).actions.is_empty());
    assert_eq!(decide(&s).wake_at, Some(Timestamp(130)));
    s.now = Timestamp(130);
    assert_eq!(decide(&s).actions, [Action::Merge { queue_id: 7 }]);
}

#[test]
fn an_agent_is_retired_only_when_its_work_is_landed_and_it_is_idle() {
    let mut s = at(
        100,
        vec![agent("b", "builder", None, AgentState::Completed)],
    );
    s.agents[0].in_turn = Some(false);
    s.queue = vec![entry("overstory/b/t", MergeStatus::Conflict)];
    assert!(decide(&s).actions.is_empty());
    s.queue = vec![entry("overstory/b/t", MergeStatus::Merged)];
    assert!(matches!(&decide(&s).actions[..], [Action::Retire { .. }]));
    s.agents[0].in_turn = Some(true);
    assert!(decide(&s).actions.is_empty());
}
