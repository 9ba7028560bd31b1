//! What is missing of an agent's guard and sandbox, on its pane and beside its state.

use grove::engine::event::EngineEvent;
use grove::engine::view::{AgentView, Attention};
use grove::types::host::{Protection, Walls};
use insta::assert_snapshot;

use crate::driver::{ScreenDriver, screen};
use crate::fixtures::{agent, project};

fn guarded(name: &str, walls: Walls, note: Option<&str>) -> AgentView {
    let note = note.map(str::to_owned);
    AgentView {
        protection: Some(Protection { walls, note }),
        ..agent(name, "builder", Attention::Working)
    }
}

fn shown() -> ScreenDriver {
    let kernel = "this kernel has no Landlock (Linux 5.13 or later, enabled at boot)";
    let off = "the configuration sets the sandbox of builder to off";
    let link = "what /home/ann/.ssh/config leads to stays readable: put the file itself there, or remove the link";
    screen().engine_all(vec![
        EngineEvent::Project(project()),
        EngineEvent::Fleet(vec![
            guarded("ada", Walls::Guard, Some(kernel)),
            guarded("ben", Walls::Nothing, Some(off)),
            guarded("cat", Walls::Sandbox, Some(link)),
            guarded("dot", Walls::Sandbox, None),
        ]),
    ])
}

#[test]
fn a_pane_says_what_is_missing_of_guard_and_sandbox() {
    for (cols, rows) in [(80, 24), (120, 36)] {
        let picture = shown().size(cols, rows).keys("L").snapshot();
        assert!(picture.contains("guard only"), "{picture}");
        assert!(picture.contains("no guard, no sandbox"), "{picture}");
        assert_snapshot!(format!("walls_{cols}x{rows}"), picture);
    }
}

#[test]
fn the_evidence_says_why_there_is_no_sandbox_and_what_it_leaves_open() {
    for (cols, rows) in [(80, 24), (120, 36)] {
        let picture = shown().size(cols, rows).keys("4").snapshot();
        assert!(picture.contains("this kernel has no Landlock"), "{picture}");
        assert_snapshot!(format!("walls_evidence_{cols}x{rows}"), picture);
    }
}
