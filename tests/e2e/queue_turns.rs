//! Whose turn it is in the merge queue: a pause while things are tested, and a review that is accepted meanwhile.

use grove::engine::command::Command;
use grove::engine::review::Decision;
use grove::engine::view::{MergeState, MergeStep};

use crate::queue::{Screen, branch, enqueue, merge_in_terminal, project, say, tree};
use crate::support::TestProject;

#[test]
fn a_pause_while_gates_run_ends_them_and_what_they_test_waits() {
    let project = project();
    project.write(".overstory/config.local.yaml", "merge:\n  parallel: 1\n");
    let branches = ["ann", "ben"].map(|n| branch(&project, n, &format!("{n}.txt"), "x\n"));
    let before = tree(&project);
    let mut screen = Screen::open(&project, false);
    enqueue(&project, &[&branches[0], &branches[1]]);
    screen.until("ann is tested", |s| s.running("ann") == Some("Slow"));
    let pause = screen.ask(Command::PauseMerges { paused: true });
    screen.answer(pause).unwrap();
    screen.until("both wait again", |s| {
        let waits = |m: &grove::engine::view::MergeView| {
            m.state == MergeState::Pending && m.gates.is_none()
        };
        s.merges.len() == 2 && s.merges.iter().all(waits)
    });
    assert_eq!(tree(&project), before);

    let resume = screen.ask(Command::PauseMerges { paused: false });
    screen.answer(resume).unwrap();
    for agent in ["ann", "ben"] {
        screen.until("it is tested", |s| s.running(agent) == Some("Slow"));
        say(&project, "green");
        screen.until("it has landed", |s| {
            s.state(agent) == Some(MergeState::Merged)
        });
    }
}

/// A project in which the work of ben waits for review, and that of ann is clean.
struct Kitchen {
    project: TestProject,
    screen: Screen,
    rival: String,
    clean: String,
}

fn kitchen() -> Kitchen {
    let project = project();
    project.write("soup.md", "one\ntwo\nthree\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Soup"]);
    let rival = branch(&project, "ben", "soup.md", "one\nTWO\nthree\n");
    project.write("soup.md", "one\n2\nthree\n");
    project.git(&["commit", "-q", "-am", "Our soup"]);
    let clean = branch(&project, "ann", "ann.txt", "one\n");
    let mut screen = Screen::open(&project, false);
    enqueue(&project, &[&rival]);
    screen.until("it is for review", |s| {
        s.state("ben") == Some(MergeState::Review)
    });
    Kitchen {
        project,
        screen,
        rival,
        clean,
    }
}

fn waits_for_its_turn(screen: &mut Screen) {
    screen.until("it is the next one", |s| {
        let gates = s.of("ben").and_then(|m| m.gates.as_ref());
        gates.is_some_and(|g| g.step == MergeStep::Waiting)
    });
}

#[test]
fn a_review_accepted_while_something_else_is_tested_lands_when_its_turn_comes() {
    let Kitchen {
        project,
        mut screen,
        clean,
        ..
    } = kitchen();
    let id = screen.of("ben").unwrap().id;
    screen.ask(Command::Review { id });
    screen.until("it is open", |s| s.review.is_some());
    let view = screen.review.clone().unwrap();

    enqueue(&project, &[&clean]);
    screen.until("ann is tested", |s| s.running("ann") == Some("Slow"));
    let decisions = view.places.iter();
    screen.ask(Command::AcceptReview {
        id,
        target_tip: view.target_tip.clone(),
        branch_tip: view.branch_tip.clone(),
        decisions: decisions.map(|p| (p.key.clone(), Decision::Both)).collect(),
    });
    waits_for_its_turn(&mut screen);
    assert_eq!(screen.accepted, None);
    say(&project, "green");
    screen.until("ann has landed", |s| {
        s.state("ann") == Some(MergeState::Merged)
    });
    // What was decided is contested as before, whatever else has landed.
    screen.until("it is tested", |s| s.running("ben") == Some("Slow"));
    say(&project, "green");
    screen.until("it is accepted", |s| s.accepted.is_some());
    screen.accepted.clone().unwrap().unwrap();
    assert_eq!(project.read("soup.md"), "one\n2\nTWO\nthree\n");
    assert_eq!(project.read("ann.txt"), "one\n");
}

#[test]
fn both_sides_are_kept_when_the_turn_comes_while_something_else_is_tested() {
    let Kitchen {
        project,
        mut screen,
        rival,
        clean,
    } = kitchen();
    enqueue(&project, &[&clean]);
    screen.until("ann is tested", |s| s.running("ann") == Some("Slow"));
    let both = screen.ask(Command::KeepBoth { branch: rival });
    waits_for_its_turn(&mut screen);
    say(&project, "green");
    screen.until("ann has landed", |s| {
        s.state("ann") == Some(MergeState::Merged)
    });
    screen.until("it is tested", |s| s.running("ben") == Some("Slow"));
    say(&project, "green");
    screen.answer(both).unwrap();
    assert_eq!(project.read("soup.md"), "one\n2\nTWO\nthree\n");
}

#[test]
fn what_is_wanted_while_the_queue_is_paused_and_another_merges_waits_and_is_told_so() {
    let project = project();
    let branches = ["ann", "ben"].map(|n| branch(&project, n, &format!("{n}.txt"), "x\n"));
    let mut screen = Screen::open(&project, false);
    let pause = screen.ask(Command::PauseMerges { paused: true });
    screen.answer(pause).unwrap();
    let mut other = merge_in_terminal(&project, &["--branch", &branches[0]]);
    screen.until("ann is tested", |s| s.running("ann") == Some("Slow"));
    enqueue(&project, &[&branches[1]]);
    screen.until("ben waits", |s| s.state("ben") == Some(MergeState::Pending));
    let now = screen.ask(Command::MergeNow {
        branch: branches[1].clone(),
    });
    let told = screen.answer(now).unwrap();
    let said = format!(
        "next when P ends the pause, or M again; pid {} merges into main right now",
        other.id()
    );
    assert_eq!(told, said);
    say(&project, "green");
    assert!(other.wait().unwrap().success());
    assert_eq!(screen.state("ben"), Some(MergeState::Pending));
    let resume = screen.ask(Command::PauseMerges { paused: false });
    screen.answer(resume).unwrap();
    screen.until("ben is tested", |s| s.running("ben") == Some("Slow"));
    say(&project, "green");
    screen.until("it has landed", |s| {
        s.state("ben") == Some(MergeState::Merged)
    });
}
