//! Every screen at the three sizes, and the parts of the workspace.

use crossterm::event::Event;
use grove::engine::event::PaneEvent;
use insta::assert_snapshot;

use crate::fixtures::{afternoon, everything};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 36), (200, 60)];

fn at_all_sizes(name: &str, keys: &str) {
    for (cols, rows) in SIZES {
        let picture = afternoon().size(cols, rows).keys(keys).snapshot();
        assert_snapshot!(format!("{name}_{cols}x{rows}"), picture);
    }
}

#[test]
fn work() {
    at_all_sizes("work", "");
}

#[test]
fn work_in_a_grid() {
    at_all_sizes("work_grid", "L");
}

#[test]
fn work_in_columns() {
    assert_snapshot!(afternoon().keys("LL").snapshot());
}

#[test]
fn work_in_a_stack() {
    assert_snapshot!(afternoon().keys("LLL").snapshot());
}

#[test]
fn work_with_chips_and_zoomed() {
    assert_snapshot!("work_chips", afternoon().keys("bjj").snapshot());
    assert_snapshot!("work_zoomed", afternoon().keys("jz").snapshot());
}

#[test]
fn the_fleet_is_a_page_of_its_own_on_a_small_screen() {
    assert_snapshot!(afternoon().size(80, 24).keys("b").snapshot());
}

#[test]
fn typing() {
    at_all_sizes("typing", "i");
}

#[test]
fn typing_zoomed() {
    assert_snapshot!(afternoon().keys("zi").snapshot());
}

#[test]
fn mail() {
    at_all_sizes("mail", "2j");
}

#[test]
fn mail_opened_on_a_small_screen() {
    assert_snapshot!(afternoon().size(80, 24).keys("2j<enter>").snapshot());
}

#[test]
fn merge() {
    at_all_sizes("merge", "3j");
}

#[test]
fn merge_review_shows_both_sides() {
    at_all_sizes("merge_review", "3j<enter>");
}

#[test]
fn health() {
    at_all_sizes("health", "4j");
}

#[test]
fn folded_agents_unfold() {
    assert_snapshot!(afternoon().keys("<space>").snapshot());
}

#[test]
fn an_ended_agent_keeps_its_last_screen_and_says_how_it_ended() {
    let ended = PaneEvent::Exited {
        code: Some(1),
        signal: None,
        cause: Some("the CLI could not sign in".to_owned()),
    };
    assert_snapshot!(afternoon().keys("n").pane("reviewer-api", ended).snapshot());
}

#[test]
fn a_pane_without_a_host_says_so() {
    let picture = crate::driver::screen().engine_all(everything()).snapshot();
    assert!(
        picture.contains("no host answers for this agent"),
        "{picture}"
    );
}

#[test]
fn below_the_minimum_the_fleet_is_told_in_text() {
    assert_snapshot!("tiny_50x14", afternoon().size(50, 14).snapshot());
    assert_snapshot!("tiny_18x4", afternoon().size(18, 4).snapshot());
}

#[test]
fn growing_back_restores_the_layout() {
    let before = afternoon().keys("Lb").run();
    let after = afternoon().keys("Lb").event(Event::Resize(120, 36)).run();
    assert_eq!(before.text(), after.text());
}

#[test]
fn no_row_of_any_screen_exceeds_any_width() {
    for (cols, rows) in [
        (20, 5),
        (59, 15),
        (60, 16),
        (61, 17),
        (99, 30),
        (100, 30),
        (181, 50),
    ] {
        for keys in [
            "",
            "L",
            "LL",
            "LLL",
            "LLLL",
            "z",
            "b",
            "i",
            "2",
            "2<enter>",
            "3",
            "3j<enter>",
            "4",
            "?",
            ":",
            "s",
            "m",
            "gt",
            "gl",
            "g",
            "x",
            "q",
            "a",
            "/",
        ] {
            afternoon()
                .size(cols, rows)
                .keys(keys)
                .run()
                .assert_rows_fit();
        }
    }
}
