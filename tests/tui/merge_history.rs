//! What was tried before, and conflicts that are not about lines: what the queue says of them.

use grove::engine::command::Command;
use grove::engine::event::EngineEvent;
use grove::engine::review::PlaceKind;
use grove::engine::view::*;
use insta::assert_snapshot;

use crate::driver::{NOON, Run, ScreenDriver, screen};
use crate::fixtures::{merges, project, receipt};

const MIN: i64 = 60_000;
const DAY: i64 = 24 * 60 * MIN;

fn queue(items: Vec<MergeView>) -> ScreenDriver {
    screen()
        .engine(EngineEvent::Project(project()))
        .engine(EngineEvent::Merge(items))
        .keys("3")
}

fn only(state: MergeState) -> MergeView {
    merges().into_iter().find(|m| m.state == state).unwrap()
}

fn failed(at_ms: i64, why: &str) -> AttemptView {
    AttemptView {
        at_ms,
        tier: None,
        commit: None,
        displaced: 0,
        why: Some(why.to_owned()),
        undone_ms: None,
        revert: None,
    }
}

fn landed(at_ms: i64, commit: &str) -> AttemptView {
    AttemptView {
        tier: Some("auto-resolve".to_owned()),
        commit: Some(commit.repeat(10)),
        why: None,
        ..failed(at_ms, "")
    }
}

fn attempts() -> Vec<AttemptView> {
    let mut reverted = landed(NOON - 40 * MIN, "b962");
    reverted.undone_ms = Some(NOON - 20 * MIN);
    reverted.revert = Some("77aa".repeat(10));
    let mut exact = landed(NOON - 3 * DAY, "a111");
    exact.undone_ms = Some(NOON - 2 * DAY);
    vec![
        landed(NOON - 2 * MIN, "8c1f"),
        failed(NOON - 9 * MIN, "gate test was red"),
        reverted,
        failed(NOON - 50 * MIN, "held: 2 places to decide"),
        exact,
    ]
}

fn history(run: &Run) -> Vec<i64> {
    let asked = run.commands.iter();
    asked
        .filter_map(|command| match command {
            Command::MergeHistory { id } => Some(*id),
            _ => None,
        })
        .collect()
}

#[test]
fn all_attempts_of_an_entry_are_there_with_what_became_of_them() {
    let told = || {
        queue(vec![only(MergeState::Merged)]).engine(EngineEvent::Attempts {
            id: 5,
            attempts: attempts(),
        })
    };
    assert_snapshot!("attempts_120x36", told().snapshot());
    assert_snapshot!("attempts_80x24", told().size(80, 24).snapshot());
    assert_snapshot!(
        "attempts_details_80x24",
        told().size(80, 24).keys("<enter>").snapshot()
    );
}

#[test]
fn attempts_are_asked_for_once_and_again_when_the_entry_has_moved_on() {
    let items = vec![only(MergeState::Pending), only(MergeState::Merged)];
    assert_eq!(history(&queue(items.clone()).run()), [3]);
    assert_eq!(
        history(&queue(items.clone()).keys("jjkk4").run()),
        [3, 5, 3]
    );
    let mut later = items.clone();
    later[0].state = MergeState::Failed;
    let run = queue(items).engine(EngineEvent::Merge(later)).run();
    assert_eq!(history(&run), [3, 3]);
}

#[test]
fn one_attempt_is_not_told_twice() {
    let attempts = vec![landed(NOON - 2 * MIN, "8c1f")];
    let run = queue(vec![only(MergeState::Merged)])
        .engine(EngineEvent::Attempts { id: 5, attempts })
        .run();
    assert!(!run.contains("newest first"), "{}", run.text());
    // While it waits, what was tried before is news.
    let attempts = vec![failed(NOON - 9 * MIN, "gate test was red")];
    let run = queue(vec![only(MergeState::Pending)])
        .engine(EngineEvent::Attempts { id: 3, attempts })
        .run();
    assert!(
        run.contains("at 13:53  gate test was red"),
        "{}",
        run.text()
    );
}

#[test]
fn what_was_taken_back_is_over_and_says_how() {
    let mut exact = only(MergeState::Merged);
    exact.state = MergeState::Failed;
    exact.undone_ms = Some(NOON - MIN);
    exact.receipt = None;
    let mut reverted = exact.clone();
    reverted.id = 9;
    reverted.revert = Some("77aa".repeat(10));
    let items = vec![only(MergeState::Pending), exact, reverted];
    assert_snapshot!("taken_back", queue(items.clone()).keys("jj").snapshot());
    let run = queue(items.clone()).run();
    assert!(run.contains("1 open "), "{}", run.text());
    let mut attempt = landed(NOON - 20 * MIN, "b962");
    attempt.undone_ms = Some(NOON - MIN);
    attempt.revert = items[2].revert.clone();
    let told = EngineEvent::Attempts {
        id: 9,
        attempts: vec![attempt],
    };
    let run = queue(items).keys("jj").engine(told).run();
    assert!(run.contains("landed as b962b962"), "{}", run.text());
}

#[test]
fn conflicts_that_are_not_about_lines_are_called_what_they_are() {
    let kinds = [
        (PlaceKind::DeletedByBranch, "30 lines displaced"),
        (PlaceKind::DeletedByTarget, "deleted here"),
        (PlaceKind::Binary, "not text"),
        (PlaceKind::Symlink, "two link targets"),
        (PlaceKind::Mode, "permissions differ"),
        (PlaceKind::Renamed, "two names"),
    ];
    let mut pictures = String::new();
    for (kind, word) in kinds {
        let mut entry = only(MergeState::Review);
        entry.displaced.truncate(1);
        entry.displaced[0].kind = kind;
        entry.displaced[0].file = "some/file".to_owned();
        entry.displaced[0].line = None;
        entry.displaced[0].lines = if kind == PlaceKind::DeletedByBranch {
            30
        } else {
            0
        };
        let run = queue(vec![entry]).size(80, 24).run();
        assert!(run.row(3).contains(word), "{}", run.text());
        assert!(!run.contains(" 0 lines"), "{}", run.text());
        let offers_both = run.contains("b keep both (asks)") || run.row(22).contains("keep both");
        assert_eq!(offers_both, kind == PlaceKind::Renamed, "{}", run.text());
        let top = run.find("Merge 2").unwrap().1;
        for y in top + 1..top + 4 {
            pictures.push_str(run.row(y).trim_end());
            pictures.push('\n');
        }
    }
    assert_snapshot!("whole_files", pictures);
}

#[test]
fn what_has_no_room_is_counted_and_one_key_shows_it() {
    let mut entry = only(MergeState::Review);
    let hunk = entry.displaced[0].clone();
    entry.displaced = (0..200)
        .map(|n| DisplacedView {
            file: format!("src/m{n:03}.rs"),
            ..hunk.clone()
        })
        .collect();
    let run = queue(vec![entry.clone()]).size(80, 24).run();
    assert!(
        run.contains("main is untouched.  Enter review"),
        "{}",
        run.text()
    );
    assert!(
        run.contains("190 more lines: p shows all"),
        "{}",
        run.text()
    );
    let whole = || queue(vec![entry.clone()]).size(80, 24).keys("p<end>");
    assert!(
        whole().run().contains("src/m199.rs"),
        "{}",
        whole().run().text()
    );
    // The first key back moves: nothing is scrolled past the end.
    assert!(!whole().keys("kkkk").run().contains("src/m199.rs"));
}

#[test]
fn five_hundred_entries_keep_their_numbers_and_the_cursor() {
    let entry = only(MergeState::Pending);
    let items: Vec<MergeView> = (1..=500)
        .map(|id| MergeView {
            id: 1000 + id,
            branch: format!("overstory/builder-{id}/sd-{id}"),
            agent: format!("builder-{id}"),
            ..entry.clone()
        })
        .collect();
    let run = queue(items.clone()).size(80, 24).keys("G").run();
    assert!(run.contains("1500 builder-500/sd-500"), "{}", run.text());
    assert!(run.contains("number 500 of 500 in line"), "{}", run.text());
    run.assert_rows_fit();
    let run = queue(items).keys("G").run();
    assert!(run.contains("500 open"), "{}", run.text());
}

#[test]
fn what_landed_twice_and_what_went_as_a_whole_is_said() {
    let mut entry = only(MergeState::Merged);
    let mut receipt = receipt();
    receipt.kept_twice = vec![("list.txt".to_owned(), 1)];
    entry.receipt = Some(receipt);
    let mut gone = only(MergeState::Review).displaced[0].clone();
    gone.kind = PlaceKind::Binary;
    gone.file = "logo.png".to_owned();
    gone.line = None;
    entry.displaced = vec![gone];
    let run = queue(vec![entry]).size(120, 36).run();
    assert!(
        run.contains("both sides put in 1 equal line, kept twice"),
        "{}",
        run.text()
    );
    assert!(run.contains("the version by builder-cfg"), "{}", run.text());
    assert!(!run.contains("; here"), "{}", run.text());
}

/// It was said on the command line only.
#[test]
fn hooks_that_did_not_run_are_named_with_what_has_landed() {
    let mut entry = only(MergeState::Merged);
    entry.receipt = Some(receipt());
    entry.warnings = vec!["not run: commit-msg".to_owned()];
    let driver = queue(vec![entry]);
    let text = driver.run().text();
    assert!(text.contains("not run: commit-msg"), "{text}");
}
