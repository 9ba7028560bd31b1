//! The merge queue: what its rows and details say, and what its verbs ask for.

use grove::engine::command::Command;
use grove::engine::event::EngineEvent;
use grove::engine::view::*;
use insta::assert_snapshot;

use crate::driver::{NOON, Run, ScreenDriver, screen};
use crate::fixtures::{afternoon, merges, project, red};

const SIZES: [(u16, u16); 2] = [(80, 24), (120, 36)];

fn queue(items: Vec<MergeView>) -> ScreenDriver {
    screen()
        .engine(EngineEvent::Project(project()))
        .engine(EngineEvent::Merge(items))
        .keys("3")
}

fn pictures(name: &str, make: impl Fn() -> ScreenDriver) {
    for (cols, rows) in SIZES {
        assert_snapshot!(
            format!("queue_{name}_{cols}x{rows}"),
            make().size(cols, rows).snapshot()
        );
    }
}

fn only(state: MergeState) -> Vec<MergeView> {
    merges().into_iter().filter(|m| m.state == state).collect()
}

fn paused() -> EngineEvent {
    EngineEvent::Project(ProjectView {
        merge_paused_ms: Some(NOON - 60_000),
        ..project()
    })
}

fn asked(run: &Run) -> Vec<&Command> {
    let all = run.commands.iter();
    all.filter(|c| {
        !matches!(
            c,
            Command::WatchMerges { .. }
                | Command::WatchOverlaps { .. }
                | Command::MergeHistory { .. }
        )
    })
    .collect()
}

#[test]
fn what_only_a_dry_run_has_queued_is_no_part_of_all_clean() {
    let mut items = only(MergeState::Pending);
    for item in &mut items {
        item.looked_at = true;
    }
    let run = queue(items).size(120, 36).keys("A").run();
    assert!(asked(&run).is_empty(), "{:?}", run.commands);
    assert!(run.contains("dry run only"), "{}", run.text());
    assert!(
        run.contains("only a dry run has put it here"),
        "{}",
        run.text()
    );
    assert!(run.contains("put there by a dry run"), "{}", run.text());
}

#[test]
fn an_empty_queue_says_what_fills_it() {
    pictures("empty", || queue(Vec::new()));
}

#[test]
fn a_waiting_branch_shows_its_forecast_and_who_else_is_there() {
    pictures("pending", || queue(only(MergeState::Pending)));
    pictures("preview", || queue(only(MergeState::Pending)).keys("p"));
}

#[test]
fn a_merge_shows_its_gates() {
    pictures("merging", || queue(only(MergeState::Merging)));
}

#[test]
fn a_held_branch_shows_whose_lines_would_go() {
    pictures("review", || queue(only(MergeState::Review)));
}

#[test]
fn a_conflict_names_its_files() {
    pictures("conflict", || queue(only(MergeState::Conflict)));
}

#[test]
fn a_red_gate_shows_the_end_of_its_output_and_the_next_step() {
    pictures("failed", || queue(vec![red()]));
}

#[test]
fn a_landed_branch_shows_its_receipt() {
    pictures("landed", || queue(only(MergeState::Merged)));
    let mut undone = only(MergeState::Merged);
    undone[0].state = MergeState::Failed;
    undone[0].undone_ms = Some(NOON - 60_000);
    undone[0].receipt = None;
    pictures("undone", || queue(undone.clone()));
}

#[test]
fn a_paused_queue_says_so() {
    pictures("paused", || {
        queue(only(MergeState::Pending)).engine(paused())
    });
}

#[test]
fn elapsed_time_ticks_once_a_second_while_it_is_visible_and_not_otherwise() {
    let base = queue(only(MergeState::Merging)).run();
    assert!(base.contains("0:41"), "{}", base.text());
    // The same view again is no news, but the loop looks at the clock.
    let wake = |driver: ScreenDriver| driver.engine(EngineEvent::Merge(only(MergeState::Merging)));
    let after = |ms| wake(queue(only(MergeState::Merging)).advance(ms)).run();
    assert_eq!(after(1_000).frames, base.frames + 1);
    assert!(after(1_000).contains("0:42"), "{}", after(1_000).text());
    assert_eq!(after(300).frames, base.frames);
    let away = || queue(only(MergeState::Merging)).keys("4");
    assert_eq!(
        wake(away().advance(1_000)).run().frames,
        away().run().frames
    );
}

#[test]
fn the_merge_of_another_process_names_it() {
    let mut items = only(MergeState::Merging);
    items[0].gates.as_mut().unwrap().elsewhere = Some(4711);
    let run = queue(items).run();
    assert!(run.contains("by pid 4711"), "{}", run.text());
}

#[test]
fn a_merge_asked_for_here_is_in_the_status_bar_until_escape_hides_it() {
    let mut merging = only(MergeState::Pending);
    let waiting = merging.clone();
    merging[0].state = MergeState::Merging;
    merging[0].gates = only(MergeState::Merging)[0].gates.clone();
    let start = || {
        queue(waiting.clone())
            .slow()
            .keys("M")
            .engine(EngineEvent::Merge(merging.clone()))
    };
    let run = start().run();
    let bar = run.row(35);
    assert!(
        bar.contains("merging builder-auth… gates 2/3 lint 0:41 Esc hides"),
        "{bar}"
    );
    assert!(asked(&run).contains(&&Command::MergeNow {
        branch: "overstory/builder-auth/sd-112".to_owned()
    }));
    assert_snapshot!("queue_in_front_80x24", start().size(80, 24).snapshot());
    let hidden = start().keys("<esc>").run();
    assert!(!hidden.row(35).contains("Esc hides"), "{}", hidden.text());
    assert!(hidden.contains("Merge queue"), "{}", hidden.text());
    assert!(
        hidden.contains("gates 2/3 lint"),
        "the row goes on: {}",
        hidden.text()
    );
    let second = start().keys("A").run();
    assert!(!asked(&second).contains(&&Command::MergeClean));
}

#[test]
fn keeping_both_sides_of_everything_asks_before_it_lands() {
    let keeps = |run: &Run| {
        let commands = asked(run);
        commands
            .iter()
            .any(|c| matches!(c, Command::KeepBoth { .. }))
    };
    let dialog = || queue(merges()).size(80, 24).keys("jb");
    let run = dialog().run();
    assert!(!keeps(&run), "{:?}", run.commands);
    assert!(run.contains("with both sides?"), "{}", run.text());
    assert_snapshot!("queue_keep_both_80x24", dialog().snapshot());
    let bare = queue(merges()).size(120, 36).keys("j").run();
    assert!(bare.contains("b keep both (asks)"), "{}", bare.text());
    for keys in ["<enter>", "<esc>", "b"] {
        assert!(!keeps(&dialog().advance(200).keys(keys).run()), "{keys}");
    }
    let run = dialog().advance(200).keys("l").run();
    assert!(keeps(&run), "{:?}", run.commands);
}

#[test]
fn verbs_ask_the_engine_for_what_they_say() {
    let id = |c: &Command| asked(&queue(merges()).keys("").run()).contains(&c);
    assert!(!id(&Command::MergeClean));
    let branch = "overstory/builder-api/sd-120".to_owned();
    for (keys, command) in [
        ("A", Command::MergeClean),
        ("P", Command::PauseMerges { paused: true }),
        (
            "jI",
            Command::CombineMerge {
                branch: branch.clone(),
            },
        ),
        (
            "jt",
            Command::RetryMerge {
                branch: branch.clone(),
            },
        ),
        ("jx", Command::DropMerge { branch }),
        ("u", Command::PlanUndo { id: 5 }),
        ("jjjjku", Command::PlanUndo { id: 5 }),
    ] {
        let run = queue(merges()).keys(keys).run();
        assert!(
            asked(&run).contains(&&command),
            "{keys}: {:?}",
            run.commands
        );
    }
    let resumed = queue(merges()).engine(paused()).keys("P").run();
    assert!(asked(&resumed).contains(&&Command::PauseMerges { paused: false }));
}

#[test]
fn a_pause_says_in_80_columns_what_becomes_of_what_is_tested() {
    for (items, said) in [
        (
            merges(),
            "the queue is paused; what it is testing waits again",
        ),
        (
            only(MergeState::Pending),
            "the queue is paused: nothing lands by itself",
        ),
    ] {
        let run = queue(items).size(80, 24).keys("P").run();
        assert!(run.contains(said), "{}", run.text());
    }
}

#[test]
fn the_order_is_changed_among_those_that_wait() {
    let mut items = only(MergeState::Pending);
    let mut second = items[0].clone();
    second.id = 9;
    second.branch = "overstory/builder-cfg/sd-140".to_owned();
    items.push(second);
    let up = queue(items.clone()).keys("j<lt>").run();
    assert!(asked(&up).contains(&&Command::ReorderMerge {
        id: 9,
        earlier: true
    }));
    let first = queue(items.clone()).keys("<lt>").run();
    assert!(first.contains("first in line"), "{}", first.text());
    assert_eq!(asked(&first), Vec::<&Command>::new());
    let last = queue(items).keys("j<gt>").run();
    assert!(last.contains("last in line"), "{}", last.text());
}

#[test]
fn what_does_not_apply_says_why_and_is_not_hinted() {
    for (items, keys, why) in [
        (
            only(MergeState::Review),
            "M",
            "needs a decision first: Enter opens the review",
        ),
        (only(MergeState::Merging), "M", "is merging right now"),
        (only(MergeState::Merged), "M", "has landed already"),
        (only(MergeState::Pending), "I", "has not been tried yet"),
        (only(MergeState::Pending), "u", "nothing has landed"),
        (only(MergeState::Conflict), "b", "no contested lines"),
        (only(MergeState::Review), "A", "no branch waits"),
        (Vec::new(), "M", "no branch is selected"),
    ] {
        let run = queue(items).keys(keys).run();
        assert!(run.contains(why), "{keys}: {}", run.text());
        assert_eq!(asked(&run), Vec::<&Command>::new(), "{keys}");
    }
    let waiting = queue(only(MergeState::Pending)).run();
    let hints = waiting.row(34);
    assert!(
        hints.contains("M merge now") && !hints.contains("keep both"),
        "{hints}"
    );
    assert!(!hints.contains("undo"), "{hints}");
}

#[test]
fn a_dropped_branch_comes_back_with_one_key_for_half_a_minute() {
    let dropped = || queue(merges()).keys("jx");
    let run = dropped().run();
    assert!(run.contains("u puts it back"), "{}", run.text());
    let back = dropped().keys("u").run();
    assert!(asked(&back).contains(&&Command::RestoreMerge { id: 2 }));
    assert!(!back.contains("u puts it back"), "{}", back.text());
    let late = dropped().advance(31_000).keys("u").run();
    assert!(!asked(&late).contains(&&Command::RestoreMerge { id: 2 }));
    assert!(!late.contains("u puts it back"), "{}", late.text());
    let log = dropped().keys("gl").run();
    assert!(
        log.contains("dropped overstory/builder-api/sd-120"),
        "{}",
        log.text()
    );
}

fn undo(way: UndoWay) -> EngineEvent {
    EngineEvent::Undo(UndoView {
        id: 5,
        branch: "overstory/builder-cfg/sd-109".to_owned(),
        target: "main".to_owned(),
        from: "8c1fd3a2b4c5d6e7".to_owned(),
        way,
        files: vec!["src/a.rs".to_owned(), "src/b.rs".to_owned()],
    })
}

#[test]
fn an_undo_says_what_moves_before_it_is_done() {
    let exact = || {
        let to = "41d09b7755e6d7c8".to_owned();
        queue(merges())
            .keys("u")
            .engine(undo(UndoWay::Exact { to }))
    };
    assert_snapshot!("queue_undo_80x24", exact().size(80, 24).snapshot());
    let done = exact().slow().keys("l").run();
    let wanted = Command::UndoMerge {
        id: 5,
        revert: None,
    };
    assert!(asked(&done).contains(&&wanted), "{:?}", done.commands);
    assert!(
        done.row(35).contains("undoing builder-cfg…"),
        "{}",
        done.text()
    );
    let left = exact().keys("<esc>").run();
    assert!(!asked(&left).contains(&&wanted));

    let revert = || {
        let way = UndoWay::Revert {
            commit: "77aa88bb99cc".to_owned(),
            on_top: 3,
            patch: ["Revert", "--- a/f", "+++ b/f", "-new", "+old"]
                .map(str::to_owned)
                .to_vec(),
        };
        queue(merges()).keys("u").engine(undo(way))
    };
    assert_snapshot!("queue_revert_80x24", revert().size(80, 24).snapshot());
    let landed = revert().keys("l").run();
    let wanted = Command::UndoMerge {
        id: 5,
        revert: Some("77aa88bb99cc".to_owned()),
    };
    assert!(asked(&landed).contains(&&wanted), "{:?}", landed.commands);
}

#[test]
fn forecasts_are_asked_for_only_while_somebody_looks() {
    let watch = |run: &Run| -> Vec<bool> {
        let all = run.commands.iter();
        all.filter_map(|c| match c {
            Command::WatchMerges { on } => Some(*on),
            _ => None,
        })
        .collect()
    };
    assert_eq!(watch(&afternoon().run()), Vec::<bool>::new());
    let run = afternoon().keys("3j1").run();
    assert_eq!(watch(&run), [true, false]);
    // Where one works it is told whose work meets, which the queue tells too.
    let overlaps = run.commands.iter().filter_map(|c| match c {
        Command::WatchOverlaps { on } => Some(*on),
        _ => None,
    });
    assert_eq!(overlaps.collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn screens_keep_names_where_there_is_room_for_short_ones() {
    let top = afternoon().size(80, 24).run().row(0);
    for name in ["Work", "Mail", "Merge", "Health"] {
        assert!(top.contains(name), "{top}");
    }
    let long = EngineEvent::Project(ProjectView {
        name: "a-shop-name".to_owned(),
        ..project()
    });
    let top = afternoon().engine(long).size(80, 24).run().row(0);
    for name in ["Wrk", "Mail", "Mrg", "Hlth"] {
        assert!(top.contains(name), "{top}");
    }
}

#[test]
fn help_names_the_verbs_of_the_queue() {
    assert_snapshot!("queue_help", queue(merges()).keys("j?").snapshot());
}

/// An entry that this process merges and that is at a step.
fn under_way(step: MergeStep) -> Vec<MergeView> {
    let mut items = only(MergeState::Merging);
    for gates in items.iter_mut().filter_map(|m| m.gates.as_mut()) {
        gates.step = step;
        gates.elsewhere = None;
    }
    items
}

#[test]
fn a_merge_is_cancelled_where_it_runs_and_until_it_lands() {
    let items = under_way(MergeStep::Gates);
    let branch = Some(items[0].branch.clone());
    let run = queue(items.clone()).keys("x").run();
    assert_eq!(asked(&run), [&Command::CancelMerge { branch }]);
    let landing = queue(under_way(MergeStep::Landing)).keys("x").run();
    assert!(asked(&landing).is_empty());
    assert!(landing.contains("too late to cancel"), "{}", landing.text());
    let mut elsewhere = items;
    elsewhere[0].gates.as_mut().unwrap().elsewhere = Some(4242);
    let run = queue(elsewhere).keys("x").run();
    assert!(asked(&run).is_empty());
    assert!(run.contains("pid 4242 merges"), "{}", run.text());
}

#[test]
fn a_merge_that_was_cancelled_says_how_to_merge_it_again_and_blames_no_branch() {
    let mut items = vec![red()];
    for item in &mut items {
        item.red_gate = None;
        item.is_cancelled = true;
        item.error = Some(format!("the merge of {} was cancelled", item.branch));
    }
    let run = queue(items).run();
    assert!(run.contains("was cancelled"), "{}", run.text());
    assert!(
        run.contains("M merges it again, x drops it"),
        "{}",
        run.text()
    );
    assert!(!run.contains("is fixed"), "{}", run.text());
}

#[test]
fn leaving_while_this_grove_merges_asks_what_becomes_of_it() {
    let items = under_way(MergeStep::Gates);
    let title = format!("Quit while {} merges?", items[0].branch);
    let run = queue(items.clone()).keys("q").run();
    assert!(run.contains(&title), "{}", run.text());
    assert!(asked(&run).is_empty());
    let waits = queue(items.clone()).keys("qw").run();
    assert_eq!(asked(&waits), [&Command::Quit { handover: false }]);
    let cancels = queue(items.clone()).keys("qc").run();
    assert_eq!(
        asked(&cancels),
        [
            &Command::CancelMerge { branch: None },
            &Command::Quit { handover: false }
        ]
    );
    // Agents that work are asked about next, and the answer so far is not forgotten.
    let both = || {
        afternoon()
            .engine(EngineEvent::Merge(items.clone()))
            .keys("3q")
    };
    assert!(both().run().contains(&title));
    let next = both().keys("c").run();
    assert!(next.contains("agents work?"), "{}", next.text());
    let left = both().keys("cl").run();
    assert!(asked(&left).ends_with(&[
        &Command::CancelMerge { branch: None },
        &Command::Quit { handover: false }
    ]));
    let mut elsewhere = items;
    elsewhere[0].gates.as_mut().unwrap().elsewhere = Some(4242);
    let run = queue(elsewhere).keys("q").run();
    assert_eq!(asked(&run), [&Command::Quit { handover: false }]);
}

#[test]
fn the_branch_of_a_row_is_copied_and_nobody_who_has_ended_is_to_be_told() {
    let items = vec![red()];
    let branch = items[0].branch.clone();
    let run = queue(items.clone()).keys("yb").run();
    assert!(
        run.contains(&branch) && !run.contains("has none"),
        "{}",
        run.text()
    );
    assert!(
        !run.contains(&format!("tells {}", items[0].agent)),
        "{}",
        run.text()
    );
}

#[test]
fn why_an_answer_was_rejected_is_said_beside_what_is_held() {
    let mut items = only(MergeState::Review);
    items[0].warnings = vec!["ai-resolve rejected: 1 line lost".to_owned()];
    let run = queue(items).size(120, 36).run();
    assert!(
        run.contains("ai-resolve rejected: 1 line lost"),
        "{}",
        run.text()
    );
}

#[test]
fn whose_work_meets_is_shown_while_nothing_waits_and_on_rows() {
    let meeting = |kind| MeetingView {
        agents: ["ann".to_owned(), "ben".to_owned()],
        file: "big.txt".to_owned(),
        kind,
    };
    let meets = |items: Vec<MergeView>| {
        let project = ProjectView {
            meetings: vec![
                meeting(MeetingKind::Lines),
                meeting(MeetingKind::TheirScope),
            ],
            ..project()
        };
        queue(items).engine(EngineEvent::Project(project)).run()
    };
    let said = "ann and ben change the same lines of big.txt";
    let empty = meets(Vec::new());
    assert!(empty.contains(said), "{}", empty.text());
    assert!(empty.contains("ann changes big.txt, which was given to ben"));
    let over = meets(only(MergeState::Merged));
    assert!(
        over.contains(&format!("{said}, and 1 more")),
        "{}",
        over.text()
    );
    let mut waits = only(MergeState::Pending);
    waits[0].overlaps = vec![OverlapView {
        agent: "ben".to_owned(),
        file: "big.txt".to_owned(),
        kind: MeetingKind::TheirScope,
    }];
    let run = queue(waits).size(120, 36).run();
    assert!(run.contains("scope: ben"), "{}", run.text());
    assert!(
        run.contains("it changes big.txt, which was given to ben"),
        "{}",
        run.text()
    );
}

#[test]
fn a_cursor_that_nobody_has_moved_stays_with_its_branch_when_that_lands() {
    let items = merges();
    let first = items[0].branch.clone();
    let mut later = items.clone();
    later[0].gates = None;
    later[0].state = MergeState::Merged;
    later.rotate_left(1);
    assert!(items.len() > 1);
    let run = queue(items)
        .size(120, 36)
        .engine(EngineEvent::Merge(later))
        .run();
    let title = run
        .text()
        .lines()
        .find(|row| row.contains("╭─ Merge "))
        .map(str::to_owned);
    let title = title.unwrap();
    assert!(title.contains(&first), "{title}");
}

#[test]
fn what_is_decided_about_a_waiting_branch_is_in_its_preview() {
    let mut items = only(MergeState::Pending);
    items[0].decided = 2;
    for (accepted, said) in [
        (
            false,
            "2 places decided, and not accepted yet: nothing lands by that",
        ),
        (true, "2 places decided and accepted: they land so"),
    ] {
        items[0].is_accepted = accepted;
        for keys in ["", "p"] {
            let run = queue(items.clone()).size(80, 24).keys(keys).run();
            assert!(run.contains(said), "{keys}:\n{}", run.text());
        }
    }
}

#[test]
fn while_a_model_is_asked_the_file_is_named() {
    let mut items = under_way(MergeStep::Asking);
    items[0].gates.as_mut().unwrap().current = Some("src/orders.rs".to_owned());
    let run = queue(items).size(80, 24).run();
    assert!(run.contains("asking about src/orders.rs"), "{}", run.text());
}

#[test]
fn what_failed_with_its_review_accepted_says_so_and_how_to_change_that() {
    let mut entry = red();
    entry.decided = 3;
    entry.is_accepted = true;
    let run = queue(vec![entry]).size(80, 24).run();
    let said = "3 places decided and accepted";
    assert!(run.contains(said), "{}", run.text());
    assert!(run.contains("Enter opens the review"), "{}", run.text());
}
