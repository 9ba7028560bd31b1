//! A train of thirty branches, of which some are red and some contradict another: what lands, in which order, after how
//! many gate runs, however many are tested at once.

use crate::support::{Sandbox, gate, text};
use crate::train::{branch, counting_gate, ride, runs};
use grove::merge::Conclusion;

#[test]
fn thirty_branches_with_three_red_and_two_conflicting() {
    // A red car costs one more run for those behind it: four trains instead of thirty lone runs.
    assert_eq!(thirty(30), 28 + 23 + 17 + 8);
}

#[test]
fn thirty_branches_come_to_the_same_end_however_many_are_tested_at_once() {
    for (parallel, runs) in [(1, 28), (2, 30), (4, 36)] {
        assert_eq!(thirty(parallel), runs, "{parallel} at once");
    }
}

const RED: [usize; 3] = [4, 11, 20];
const CONFLICTING: [usize; 2] = [7, 25];

/// The trains that so many branches at once make up: which red one cuts them, and how many gates have run when it does.
fn trains(parallel: usize) -> (Vec<(usize, usize)>, usize) {
    let mut waiting: Vec<usize> = (0..30).filter(|n| !CONFLICTING.contains(n)).collect();
    let (mut cuts, mut runs) = (Vec::new(), 0);
    while !waiting.is_empty() {
        let cars: Vec<usize> = waiting.iter().copied().take(parallel).collect();
        runs += cars.len();
        let cut = cars.iter().position(|n| RED.contains(n));
        cuts.extend(cut.map(|at| (cars[at], runs)));
        waiting.drain(..cut.map_or(cars.len(), |at| at + 1));
    }
    (cuts, runs)
}

/// Merges them, and returns how often the gate ran.
fn thirty(parallel: usize) -> usize {
    let sandbox = Sandbox::new(&[("shared", "1\n2\n3\n")]);
    for n in 0..30 {
        let own = format!("file-{n}");
        let content = format!("work {n}\n");
        let mut changes = vec![(own.as_str(), text(&content))];
        let marker = format!("red-{n}");
        if RED.contains(&n) {
            changes.push((marker.as_str(), text("x\n")));
        }
        let contested = format!("1\nby {n}\n3\n");
        if CONFLICTING.contains(&n) || n == 2 {
            changes.push(("shared", text(&contested)));
        }
        sandbox.commit(&branch(n), &changes, "work");
    }
    let (mut context, count) = counting_gate(&sandbox);
    context.parallel = parallel;
    // A red gate answers when all gates of its train have begun, so that their number is known.
    let (begun, all) = trains(parallel);
    assert_eq!(begun.len(), RED.len());
    let mut command = format!("echo run >> {0}\n", count.display());
    for (red, runs) in begun {
        command += &format!(
            "if [ -e red-{red} ]; then while [ $(wc -l < {0}) -lt {runs} ]; do sleep 0.05; done; exit 1; fi\n",
            count.display()
        );
    }
    context.gates = vec![gate("tests", &command)];
    let before = sandbox.tip("main");

    let watcher = ride(&sandbox, &context, 30);

    let conclusions = watcher.conclusions();
    for n in 0..30 {
        let expected = if RED.contains(&n) {
            Conclusion::GatesRed
        } else if CONFLICTING.contains(&n) {
            Conclusion::Held
        } else {
            Conclusion::Landed
        };
        assert_eq!(conclusions[&n], expected, "branch {n}");
    }
    // In the order of the queue, whatever was cut out between.
    let landed = watcher.landed();
    assert_eq!(landed.len(), 25);
    assert!(landed.is_sorted(), "{landed:?}");
    // Green after each landing: what was tested is exactly what landed, and no red file ever was.
    let steps = sandbox.git(&[
        "rev-list",
        "--first-parent",
        "--reverse",
        &format!("{before}..main"),
    ]);
    let steps: Vec<&str> = steps.lines().collect();
    assert_eq!(steps.len(), 25);
    for (step, (index, report)) in steps.iter().zip(
        watcher
            .arrived
            .iter()
            .filter(|(index, _)| landed.contains(index)),
    ) {
        let files = sandbox.files(step);
        assert!(
            !files.iter().any(|f| f.starts_with("red-")),
            "{step} is red"
        );
        assert!(
            files.contains(&format!("file-{index}")),
            "{step} is branch {index}"
        );
        let receipt = report.as_ref().unwrap().receipt.clone().unwrap();
        assert_eq!(&receipt.merged_commit, step);
        assert!(receipt.gates.iter().all(|gate| gate.passed));
    }
    assert_eq!(runs(&count), all);
    assert_eq!(
        sandbox.git(&["worktree", "list"]).lines().count(),
        1,
        "no scratch checkout stays"
    );
    all
}
