//! Ways into a review and out of it: what stays while it is closed, what is refused, and what is said of that.

use grove::engine::command::Command;
use grove::engine::event::EngineEvent;
use grove::engine::review::{Decision, Proposal};
use grove::engine::view::*;

use crate::driver::{Run, ScreenDriver, screen};
use crate::fixtures::{afternoon, everything, merges, project, receipt, review};

fn opened() -> ScreenDriver {
    afternoon().keys("3j<enter>")
}

fn accepts(run: &Run) -> usize {
    let all = run.commands.iter();
    all.filter(|c| matches!(c, Command::AcceptReview { .. }))
        .count()
}

fn answer(text: &str) -> EngineEvent {
    EngineEvent::Proposal {
        id: 2,
        place: "readme".to_owned(),
        result: Ok(Proposal {
            text: text.to_owned(),
            lost: Vec::new(),
            by: "claude".to_owned(),
        }),
    }
}

fn refused(why: &str) -> EngineEvent {
    EngineEvent::Accepted {
        id: 2,
        result: Err(why.to_owned()),
    }
}

/// The queue with the reviewed branch being landed, as far as that.
fn landing(step: MergeStep) -> EngineEvent {
    let mut items = merges();
    let progress = items[0].gates.clone().unwrap();
    items[1].state = MergeState::Merging;
    items[1].gates = Some(GateProgress {
        step,
        elsewhere: None,
        ..progress
    });
    EngineEvent::Merge(items)
}

#[test]
fn a_branch_that_landed_elsewhere_while_it_is_reviewed_shows_that_and_its_receipt() {
    let mut items = merges();
    items[1].state = MergeState::Merged;
    items[1].receipt = Some(receipt());
    let run = opened().keys("o").engine(EngineEvent::Merge(items)).run();
    for said in [
        "overstory/builder-api/sd-120 has landed meanwhile",
        "u takes it back",
        "Esc goes back to the queue",
        "grove merge show 2 prints all of it",
    ] {
        assert!(run.contains(said), "{said}:\n{}", run.text());
    }
    assert!(!run.contains("Enter"), "{}", run.text());
}

#[test]
fn a_window_that_only_looks_accepts_no_review_and_says_where_to() {
    let viewer = ProjectView {
        coordinator: Lease::Held { pid: 77 },
        ..project()
    };
    let view = || {
        screen()
            .review(review())
            .engine_all(everything())
            .engine(EngineEvent::Project(viewer.clone()))
            .keys("3j<enter>T")
    };
    let run = view().run();
    let waits = "Enter waits: pid 77 coordinates this project; merge there";
    assert!(run.contains(waits), "{}", run.text());
    let run = view().keys("<enter>").run();
    assert_eq!(accepts(&run), 0, "{:?}", run.commands);
    assert!(run.contains("merge there"), "{}", run.text());
    assert_eq!(accepts(&opened().keys("T<enter>").run()), 1);
}

#[test]
fn a_window_that_only_looks_takes_nothing_back_and_says_where_to() {
    let undoes = |run: &Run| {
        run.commands
            .iter()
            .any(|c| matches!(c, Command::PlanUndo { .. } | Command::UndoMerge { .. }))
    };
    let view = |project: ProjectView| {
        let all = screen().engine_all(everything());
        all.engine(EngineEvent::Project(project)).keys("3u").run()
    };
    let run = view(ProjectView {
        coordinator: Lease::Held { pid: 77 },
        ..project()
    });
    assert!(!undoes(&run), "{:?}", run.commands);
    let said = "pid 77 coordinates this project; merge there";
    assert!(run.contains(said), "{}", run.text());
    assert!(undoes(&view(project())));
}

#[test]
fn a_proposal_is_there_again_after_its_review_was_left() {
    let before = opened().keys("I").engine(answer("Node 22\n")).keys("<esc>");
    let run = before.keys("<enter>").run();
    assert!(run.contains("claude proposes this"), "{}", run.text());
    let run = opened().keys("I<esc>").engine(answer("Node 22\n")).run();
    let said = "claude proposes lines for overstory/builder-api/sd-120";
    assert!(run.contains(said), "{}", run.text());
    let late = opened().keys("I<esc>").engine(answer("Node 22\n"));
    let run = late.keys("<enter>p").run();
    assert!(run.contains("choice: the proposal"), "{}", run.text());
}

#[test]
fn a_proposal_that_was_kept_is_shown_as_soon_as_its_review_is_there() {
    let show = |answer| {
        let mut view = review();
        view.places[0].answer = Some(answer);
        let driver = screen().review(view).engine_all(everything());
        driver.keys("3j<enter>")
    };
    let proposal = Proposal {
        text: "Node 22\n".to_owned(),
        lost: Vec::new(),
        by: "claude".to_owned(),
    };
    let run = show(Ok(proposal.clone())).keys("p").run();
    assert!(run.contains("choice: the proposal"), "{}", run.text());
    let stopped = "grove was left before the answer came";
    let run = show(Err(stopped.to_owned())).run();
    let said = format!("no proposal: {stopped}");
    assert!(run.contains(&said), "{}", run.text());
    let again = show(Err(stopped.to_owned())).keys("I").run();
    assert!(again.contains("asked for a proposal"), "{}", again.text());
}

#[test]
fn what_is_asked_is_not_asked_again_when_its_review_is_opened_again() {
    let run = opened().keys("I<esc>").run();
    assert!(
        run.contains("the awaited answer will be shown here"),
        "{}",
        run.text()
    );
    let run = opened().keys("I<esc><enter>I").run();
    assert!(run.contains("asked for a proposal"), "{}", run.text());
    let asks = |c: &&Command| matches!(c, Command::AskAi { .. });
    assert_eq!(run.commands.iter().filter(asks).count(), 1);
}

#[test]
fn text_that_is_no_decision_yet_is_there_again_after_its_review_was_left() {
    let left = "<<<<<<< main\n## Prerequisites\n=======\n## Quick start\n>>>>>>> builder-api\n";
    let run = opened().editor(Ok(left)).keys("e<esc><enter>e").run();
    assert_eq!(run.edits[1].text, left);
}

#[test]
fn a_refusal_can_be_read_in_80_columns_with_the_file_and_what_to_do() {
    let why = "main is checked out in /home/somebody/work/shop-api with uncommitted changes in src/orders/handlers.rs: commit or stash them, then accept again";
    for (cols, rows) in [(80, 24), (120, 36)] {
        let run = opened()
            .size(cols, rows)
            .keys("T<enter>")
            .engine(refused(why));
        let run = run.run();
        for said in ["src/orders/handlers.rs:", "accept again", "README.md:30"] {
            assert!(run.contains(said), "{said}:\n{}", run.text());
        }
    }
    let many: Vec<String> = (0..40).map(|n| format!("src/many/file{n:02}.rs")).collect();
    let why = format!(
        "uncommitted changes in {}: commit them first",
        many.join(", ")
    );
    let run = opened().size(80, 24).keys("T<enter>").engine(refused(&why));
    let run = run.run();
    for said in [
        "src/many/file00.rs",
        "…",
        "commit them first",
        "12 lines of ours",
    ] {
        assert!(run.contains(said), "{said}:\n{}", run.text());
    }
}

#[test]
fn escape_leaves_a_review_and_the_queue_though_a_notice_is_there() {
    let noticed = || opened().keys("O");
    assert!(noticed().run().contains("will go"));
    let run = noticed().keys("<esc>").run();
    assert!(run.contains("Merge queue"), "{}", run.text());
    assert!(!run.contains("will go"), "{}", run.text());
    let run = noticed().keys("<esc><esc>").run();
    assert!(run.contains("[1 Work"), "{}", run.text());
}

#[test]
fn escape_in_the_workspace_only_dismisses_a_notice() {
    let toast = || EngineEvent::Toast {
        level: grove::engine::event::Level::Warn,
        text: "disk is nearly full".to_owned(),
    };
    let run = afternoon().keys("lz").engine(toast()).keys("<esc>").run();
    assert!(!run.contains("nearly full"), "{}", run.text());
    let zoomed = afternoon().keys("lz").run();
    assert_eq!(run.contains("Fleet"), zoomed.contains("Fleet"));
}

#[test]
fn x_in_a_review_cancels_its_landing_or_says_why_not() {
    let cancels = |run: &Run| {
        let branch = Some("overstory/builder-api/sd-120".to_owned());
        run.commands.contains(&Command::CancelMerge { branch })
    };
    let accepted = || opened().keys("T<enter>");
    let run = accepted().engine(landing(MergeStep::Gates)).keys("x").run();
    assert!(cancels(&run), "{:?}", run.commands);
    let run = accepted()
        .engine(landing(MergeStep::Landing))
        .keys("x")
        .run();
    assert!(!cancels(&run));
    assert!(run.contains("too late to cancel"), "{}", run.text());
    let run = accepted().keys("x").run();
    assert!(!cancels(&run));
    assert!(run.contains("has only begun to land"), "{}", run.text());
    let run = opened().keys("x").run();
    assert!(run.contains("nothing lands from here"), "{}", run.text());
    let drops = |c: &Command| matches!(c, Command::DropMerge { .. });
    assert!(!run.commands.iter().any(drops));
}

#[test]
fn what_was_said_of_an_edit_goes_when_the_place_is_decided_again() {
    let edited = || opened().editor(Ok("## Start\nNode 22\n")).keys("e");
    assert!(edited().run().contains("edited; "));
    for keys in ["o", "<backspace>", "T"] {
        let run = edited().keys(keys).run();
        assert!(!run.contains("edited; "), "{keys}:\n{}", run.text());
    }
    let run = opened().keys("O<backspace>").run();
    assert!(!run.contains("ours for "), "{}", run.text());
}

#[test]
fn a_renamed_file_is_shown_with_both_names() {
    let mut view = review();
    view.places[0].file = "docs/guide/start.md".to_owned();
    view.places[0].was = Some("docs/README.md".to_owned());
    let show = || {
        screen()
            .review(view.clone())
            .engine_all(everything())
            .keys("3j<enter>")
    };
    let run = show().run();
    let both = "docs/README.md → docs/guide/start.md:30";
    assert!(run.contains(both), "{}", run.text());
    let run = show().size(60, 16).run();
    let both = "README.md → docs/guide/start.md:30";
    assert!(run.contains(both), "{}", run.text());
    assert_eq!(view.places[0].decision, None::<Decision>);
}

#[test]
fn what_another_window_decides_appears_and_nothing_decided_or_taken_back_here_goes() {
    let mut stored = review();
    stored.places[0].decision = Some(Decision::Theirs);
    stored.places[1].decision = Some(Decision::Theirs);
    let news = || {
        let mut items = merges();
        items[1].decided = 2;
        EngineEvent::Merge(items)
    };
    let told = EngineEvent::Review {
        id: 2,
        result: Ok(Box::new(stored)),
    };
    let run = opened().keys("o").engine(news()).run();
    let loads = run.commands.iter();
    let loads = loads.filter(|c| matches!(c, Command::Review { .. }));
    assert_eq!(loads.count(), 2, "{:?}", run.commands);
    let run = opened().keys("o").engine(told.clone()).run();
    assert!(run.contains("choice: ours"), "{}", run.text());
    assert!(
        run.contains("1 place has no decision yet"),
        "{}",
        run.text()
    );
    let run = opened().keys("o<backspace>").engine(told).run();
    assert!(run.contains("choice: none yet"), "{}", run.text());
}
