//! Every screen at the three sizes, and the parts of the workspace.

use crossterm::event::Event;
use grove::engine::event::{EngineEvent, PaneEvent};
use grove::engine::view::{Attention, MeetingKind, MeetingView, NeedsReason, ProjectView};
use insta::assert_snapshot;

use crate::driver::screen;
use crate::fixtures::{afternoon, agent, everything, fleet, project};

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

#[test]
fn health_names_the_next_step_of_whoever_waits_for_somebody() {
    for (reason, next) in [
        (NeedsReason::Displaced, "a opens its review"),
        (NeedsReason::Escalation, "a answers its mail"),
        (NeedsReason::Permission, "a answers it"),
    ] {
        let waiting = agent("ann", "builder", Attention::NeedsYou { reason });
        for (cols, rows) in [(80, 24), (120, 36)] {
            let run = screen()
                .size(cols, rows)
                .engine(EngineEvent::Project(project()))
                .engine(EngineEvent::Fleet(vec![waiting.clone()]))
                .keys("4")
                .run();
            assert!(run.contains(next), "{next}\n{}", run.text());
        }
    }
}

#[test]
fn a_long_branch_never_cuts_the_number_of_the_page() {
    let mut fleet = fleet();
    for agent in &mut fleet {
        agent.branch =
            Some("overstory/an-agent-with-a-long-name/a-task-with-a-long-name".to_owned());
    }
    for (cols, rows) in [(80, 24), (100, 30), (120, 36), (200, 60)] {
        let run = afternoon()
            .engine(EngineEvent::Fleet(fleet.clone()))
            .size(cols, rows)
            .keys("L")
            .run();
        let text = run.text();
        let page = text.split("page ").nth(1).expect(&text);
        assert!(page.starts_with("1 of "), "{text}");
        assert!(page.as_bytes()[5].is_ascii_digit(), "{text}");
    }
}

#[test]
fn agents_that_change_the_same_lines_are_named_where_one_works() {
    let meeting = |two: &str, kind| MeetingView {
        agents: ["builder-auth".to_owned(), two.to_owned()],
        file: "src/orders.rs".to_owned(),
        kind,
    };
    let meets = |agents: Vec<MeetingView>| {
        let project = ProjectView {
            meetings: agents,
            ..project()
        };
        afternoon().engine(EngineEvent::Project(project))
    };
    let both = || {
        meets(vec![
            meeting("builder-db", MeetingKind::Lines),
            meeting("reviewer-api", MeetingKind::File),
        ])
    };
    assert_snapshot!("work_meeting", both().snapshot());
    let small = || both().size(80, 24);
    // Folded into chips the fleet says so too, and whoever is looked at stays in sight.
    for steps in 0..8 {
        let keys = "j".repeat(steps);
        for driver in [small().keys(&keys), both().keys("b").keys(&keys)] {
            let text = driver.snapshot();
            let row = text.lines().nth(1).unwrap();
            assert!(
                row.contains("same lines: builder-auth, builder-db"),
                "{text}"
            );
            assert!(row.contains('[') && row.contains(']'), "{text}");
        }
    }
    assert_snapshot!("work_meeting_80x24", small().snapshot());
    assert_snapshot!("health_meeting", both().keys("4").snapshot());
    let said = "builder-auth and builder-db change the same lines of src/orders.rs";
    assert!(both().keys("4").run().contains(said));
    // Somebody who is not there any more is in nobody's way.
    let gone = meets(vec![meeting("nobody", MeetingKind::Lines)]);
    assert!(!gone.keys("4").run().contains("nobody"));
    let gone = meets(vec![meeting("nobody", MeetingKind::Lines)]);
    assert!(!gone.size(80, 24).run().contains("same lines"));
}
