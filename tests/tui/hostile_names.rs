//! Names that others give — of agents, branches and files — do nothing to the terminal, wherever they are shown.

use crossterm::event::Event;
use grove::engine::event::EngineEvent;
use grove::engine::view::{MeetingKind, MeetingView, MergeState, OverlapView, ProjectView};

use crate::driver::{ScreenDriver, screen};
use crate::fixtures::{fleet, merges, project, review};

/// Clears, retitles, turns, breaks the line, and in one character begins a sequence.
const EVIL: &str = "e\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}31m\u{202e}\n\tv\u{7f}";

fn evil(end: &str) -> String {
    format!("{EVIL}{end}")
}

fn driver() -> ScreenDriver {
    let mut agents = fleet();
    for agent in &mut agents {
        agent.name = evil(&agent.name);
        agent.branch = agent.branch.as_deref().map(evil);
        agent.parent = agent.parent.as_deref().map(evil);
        agent.task = agent.task.as_deref().map(evil);
    }
    let mut items = merges();
    for item in &mut items {
        (item.branch, item.agent) = (evil(&item.branch), evil(&item.agent));
        item.files = vec![evil("a"), evil("b")];
        item.conflict_files = item.files.clone();
        item.warnings = vec![evil("w")];
        item.error = (item.state != MergeState::Merged).then(|| evil("error"));
        for hunk in &mut item.displaced {
            hunk.file = evil(&hunk.file);
            hunk.agent = hunk.agent.as_deref().map(evil);
        }
        if let Some(forecast) = &mut item.forecast {
            for change in &mut forecast.changes {
                change.file = evil(&change.file);
            }
        }
        item.overlaps = vec![OverlapView {
            agent: evil("o"),
            file: evil("f"),
            kind: MeetingKind::Lines,
        }];
    }
    let mut looked_at = review();
    looked_at.branch = evil("branch");
    looked_at.agent = evil("agent");
    looked_at.warnings = vec![evil("warning")];
    for place in &mut looked_at.places {
        place.file = evil(&place.file);
        place.agent = place.agent.as_deref().map(evil);
    }
    let project = ProjectView {
        name: evil("p"),
        branch: evil("main"),
        meetings: vec![MeetingView {
            agents: [evil("builder-auth"), evil("builder-db")],
            file: evil("f"),
            kind: MeetingKind::Lines,
        }],
        ..project()
    };
    screen().review(looked_at).engine_all(vec![
        EngineEvent::Project(project),
        EngineEvent::Fleet(agents),
        EngineEvent::Merge(items),
    ])
}

#[test]
fn no_name_of_others_reaches_the_terminal_raw() {
    let screens = [
        "",
        "b",
        "L",
        "z",
        "i",
        "o",
        "x",
        "m",
        "3",
        "3j",
        "3j<enter>",
        "3j<enter>j",
        "3jp",
        "3ju",
        "3jd",
        "4",
        "gl",
        ":",
    ];
    for (cols, rows) in [(80, 24), (120, 36), (59, 15)] {
        for keys in screens {
            let run = driver().size(cols, rows).keys(keys).run();
            run.assert_rows_fit();
            let text = run.text();
            let acts = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
            assert!(!text.contains(acts), "{keys}: {text:?}");
            assert!(text.lines().count() <= usize::from(rows), "{keys}: {text}");
            for op in &run.ops {
                let op = format!("{op:?}");
                assert!(
                    !op.contains("u{1b}") && !op.contains("u{9b}"),
                    "{keys}: {op}"
                );
            }
        }
    }
}

#[test]
fn the_branch_and_the_files_are_still_told() {
    let shown = driver().keys("3j").run();
    assert!(
        shown.contains("overstory/builder-api/sd-120"),
        "{}",
        shown.text()
    );
    let shown = driver().event(Event::Resize(80, 24)).run();
    assert!(shown.contains("same lines: "), "{}", shown.text());
}
