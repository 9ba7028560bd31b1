//! Merges that landed as `merge.onDisplaced: commit` has it: they are marked until somebody has looked, and the same
//! review decides about them.

use grove::engine::command::Command;
use grove::engine::event::EngineEvent;
use grove::engine::review::{Decision, ReviewView};
use grove::engine::view::*;

use crate::driver::{Run, ScreenDriver, screen};
use crate::fixtures::{merges, project, review};

/// The branch that the fixtures hold, as landed all the same.
fn landed(looked_over: LookedOver) -> Vec<MergeView> {
    let all = merges();
    let receipt = all.iter().find_map(|m| m.receipt.clone());
    let held = all.into_iter().find(|m| m.state == MergeState::Review);
    let mut entry = held.unwrap();
    entry.state = MergeState::Merged;
    entry.merged_ms = Some(entry.enqueued_ms);
    entry.receipt = receipt;
    entry.looked_over = looked_over;
    vec![entry]
}

fn queue(items: Vec<MergeView>) -> ScreenDriver {
    let mut view: ReviewView = review();
    view.landed = Some("48d4".repeat(10));
    for place in &mut view.places {
        place.decision = Some(Decision::Theirs);
    }
    screen()
        .review(view)
        .engine(EngineEvent::Project(project()))
        .engine(EngineEvent::Merge(items))
        .keys("3")
}

fn asks_for_review(run: &Run) -> bool {
    run.commands.contains(&Command::Review { id: 2 })
}

#[test]
fn what_landed_without_asking_is_marked_and_counted_until_somebody_has_looked() {
    for (cols, rows) in [(80, 24), (120, 36)] {
        let run = queue(landed(LookedOver::Waits)).size(cols, rows).run();
        for said in [
            "1 open, 1 for you",
            "3 Merge 1!",
            "◆ merged",
            "nobody has looked yet at what it displaced",
        ] {
            assert!(run.contains(said), "{said}:\n{}", run.text());
        }
        let at_ms = landed(LookedOver::Waits)[0].enqueued_ms;
        let run = queue(landed(LookedOver::Kept { at_ms }))
            .size(cols, rows)
            .run();
        assert!(run.contains("nothing waits"), "{}", run.text());
        assert!(run.contains("✓ merged"), "{}", run.text());
        assert!(run.contains("it stays as it landed"), "{}", run.text());
    }
}

#[test]
fn its_review_says_what_enter_would_do() {
    let run = queue(landed(LookedOver::Waits))
        .size(120, 36)
        .keys("<enter>")
        .run();
    assert!(asks_for_review(&run), "{:?}", run.commands);
    assert!(run.contains("main before the merge"), "{}", run.text());
    assert!(run.contains("keeps it as it landed"), "{}", run.text());
    let run = queue(landed(LookedOver::Waits))
        .size(120, 36)
        .keys("<enter>o")
        .run();
    assert!(
        run.contains("lands a commit that decides so"),
        "{}",
        run.text()
    );
}

#[test]
fn where_every_place_stands_as_it_landed_no_side_is_taken_everywhere_and_it_says_why() {
    let there = || queue(landed(LookedOver::Waits)).keys("<enter>T");
    for keys in ["O", "T"] {
        let run = there().keys(keys).run();
        let said = "what has landed is decided otherwise place by place";
        assert!(run.contains(said), "{}", run.text());
    }
}

#[test]
fn once_looked_at_enter_shows_what_there_is_to_say() {
    let at_ms = landed(LookedOver::Waits)[0].enqueued_ms;
    let decided = LookedOver::Decided {
        at_ms,
        branch: "overstory/builder-api/review-2".to_owned(),
    };
    let run = queue(landed(decided)).size(120, 36).keys("<enter>").run();
    assert!(!asks_for_review(&run), "{:?}", run.commands);
    assert!(
        run.contains("overstory/builder-api/review-2"),
        "{}",
        run.text()
    );
}

fn review_loads(run: &Run) -> usize {
    let all = run.commands.iter();
    all.filter(|c| **c == Command::Review { id: 2 }).count()
}

fn decided() -> LookedOver {
    LookedOver::Decided {
        at_ms: landed(LookedOver::Waits)[0].enqueued_ms,
        branch: "overstory/builder-api/review-2".to_owned(),
    }
}

#[test]
fn what_decided_about_it_and_was_taken_back_can_be_decided_anew_at_once() {
    let accepted = EngineEvent::Accepted {
        id: 2,
        result: Ok("is decided: overstory/builder-api/review-2 landed".to_owned()),
    };
    let there = || {
        queue(landed(LookedOver::Waits))
            .keys("<enter>o<enter>")
            .engine(EngineEvent::Merge(landed(decided())))
            .engine(accepted.clone())
    };
    let run = there().run();
    assert!(run.contains("Esc goes back"), "{}", run.text());
    assert_eq!(review_loads(&run), 1);
    let undone = EngineEvent::Merge(landed(LookedOver::Waits));
    let run = there().engine(undone).run();
    assert_eq!(review_loads(&run), 2, "{:?}", run.commands);
    assert!(run.contains("hunk 1/3"), "{}", run.text());
}

#[test]
fn what_another_window_says_of_it_meanwhile_is_said() {
    let run = queue(landed(LookedOver::Waits))
        .keys("<enter>o")
        .engine(EngineEvent::Merge(landed(decided())))
        .run();
    let said = "is decided meanwhile: overstory/builder-api/review-2";
    assert!(run.contains(said), "{}", run.text());
}
