//! Other shapes of a merge train: red ones side by side or only together, conflicts with what is cut
//! out, gates that hang, flood, flake and leave things behind.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::support::{Sandbox, gate, item, text};
use grove::merge::{
    Arrival, Conclusion, MergeContext, MergeError, MergeItem, MergeProgress, MergeReport,
    TrainObserver, execute_train,
};

/// Remembers who arrived, and checks that what landed is green by a rule of its own.
struct Watcher<'a> {
    sandbox: &'a Sandbox,
    is_green: &'a dyn Fn(&[String]) -> bool,
    arrived: Vec<(usize, Result<MergeReport, MergeError>)>,
}

impl TrainObserver for Watcher<'_> {
    fn progress(&mut self, _index: usize, _progress: MergeProgress<'_>) {}

    fn arrived(&mut self, arrival: Arrival) {
        assert!(
            (self.is_green)(&self.sandbox.files("main")),
            "the target is red after branch {}",
            arrival.index
        );
        self.arrived.push((arrival.index, arrival.result));
    }
}

fn branch(n: usize) -> String {
    format!("overstory/a{n}/t-{n}")
}

fn ride(
    sandbox: &Sandbox,
    context: &MergeContext,
    count: usize,
    is_green: &dyn Fn(&[String]) -> bool,
) -> BTreeMap<usize, MergeReport> {
    let items: Vec<MergeItem> = (0..count).map(|n| item(&branch(n))).collect();
    let mut watcher = Watcher {
        sandbox,
        is_green,
        arrived: Vec::new(),
    };
    execute_train(context, &items, None, &mut watcher).unwrap();
    assert_eq!(watcher.arrived.len(), count, "each arrives once");
    assert_eq!(sandbox.status(), "", "the checkout moved along");
    assert_eq!(sandbox.git(&["worktree", "list"]).lines().count(), 1);
    let scratch = std::fs::read_dir(sandbox.root().join(".overstory/scratch"));
    assert_eq!(scratch.map_or(0, Iterator::count), 0);
    let reports = watcher.arrived.into_iter();
    reports.map(|(n, r)| (n, r.unwrap())).collect()
}

fn conclusions(reports: &BTreeMap<usize, MergeReport>) -> Vec<Conclusion> {
    reports.values().map(|report| report.conclusion).collect()
}

fn own_files(sandbox: &Sandbox, count: usize) {
    for n in 0..count {
        let own = format!("file-{n}");
        sandbox.commit(&branch(n), &[(own.as_str(), text("x\n"))], "work");
    }
}

use Conclusion::{GatesRed, Held, Landed};

#[test]
fn red_ones_side_by_side_at_the_front_and_at_the_end() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    own_files(&sandbox, 8);
    let red = [0, 1, 3, 4, 5, 7];
    for n in red {
        let marker = format!("red-{n}");
        sandbox.commit(&branch(n), &[(marker.as_str(), text("x\n"))], "red");
    }
    let mut context = sandbox.context();
    context.gates = vec![gate("tests", "! ls red-* 2>/dev/null")];
    let is_green = |files: &[String]| !files.iter().any(|f| f.starts_with("red-"));
    let reports = ride(&sandbox, &context, 8, &is_green);
    for (n, report) in &reports {
        let expected = if red.contains(n) { GatesRed } else { Landed };
        assert_eq!(report.conclusion, expected, "branch {n}");
    }
    assert_eq!(sandbox.files("main"), ["a", "file-2", "file-6"]);
}

#[test]
fn two_that_are_red_only_together_the_first_lands_and_the_second_is_red() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    own_files(&sandbox, 5);
    let mut context = sandbox.context();
    context.gates = vec![gate("tests", "! { [ -e file-1 ] && [ -e file-3 ]; }")];
    let both = |files: &[String]| {
        files.contains(&"file-1".to_owned()) && files.contains(&"file-3".to_owned())
    };
    let reports = ride(&sandbox, &context, 5, &|files| !both(files));
    assert_eq!(
        conclusions(&reports),
        [Landed, Landed, Landed, GatesRed, Landed]
    );
}

#[test]
fn one_that_is_red_until_another_has_landed_waits_for_nobody() {
    // 1 needs 0: coupled behind it, it is green; alone it would be red.
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    own_files(&sandbox, 2);
    let mut context = sandbox.context();
    context.gates = vec![gate("tests", "[ ! -e file-1 ] || [ -e file-0 ]")];
    let is_green = |files: &[String]| {
        !files.contains(&"file-1".to_owned()) || files.contains(&"file-0".to_owned())
    };
    let reports = ride(&sandbox, &context, 2, &is_green);
    assert_eq!(conclusions(&reports), [Landed, Landed]);
}

#[test]
fn a_conflict_with_a_branch_that_is_itself_cut_out_is_planned_again_and_lands() {
    let sandbox = Sandbox::new(&[("shared", "1\n2\n3\n")]);
    own_files(&sandbox, 4);
    // 1 is red and changes what 2 changes too; 3 contradicts 2.
    sandbox.commit(
        &branch(1),
        &[("red-1", text("x\n")), ("shared", text("1\nby one\n3\n"))],
        "red",
    );
    sandbox.commit(&branch(2), &[("shared", text("1\nby two\n3\n"))], "two");
    sandbox.commit(&branch(3), &[("shared", text("1\nby three\n3\n"))], "three");
    let mut context = sandbox.context();
    context.gates = vec![gate("tests", "! ls red-* 2>/dev/null")];
    let is_green = |files: &[String]| !files.iter().any(|f| f.starts_with("red-"));
    let reports = ride(&sandbox, &context, 4, &is_green);
    assert_eq!(conclusions(&reports), [Landed, GatesRed, Landed, Held]);
    assert_eq!(sandbox.show("main", "shared"), "1\nby two\n3\n");
}

#[test]
fn one_that_hangs_is_cut_out_and_the_others_land() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    own_files(&sandbox, 3);
    let mut context = sandbox.context();
    let pid = sandbox.notebook(&mut context).join("pid");
    context.gate_time_limit = Duration::from_secs(3);
    // It starts a child in a session of its own, without the mark that its parents carry.
    let command = format!(
        "[ -e file-1 ] && [ ! -e file-2 ] && {{ env -i PATH=\"$PATH\" setsid sh -c 'echo $$ > {0}; exec sleep 600' & sleep 600; }}; \
         [ -e file-1 ] && exec sleep 600; true",
        pid.display()
    );
    context.gates = vec![gate("hangs", &command)];
    let reports = ride(&sandbox, &context, 3, &|_| true);
    assert_eq!(conclusions(&reports), [Landed, GatesRed, Landed]);
    assert!(reports[&1].gates[0].timed_out);
    let said = reports[&1].error_message.clone().unwrap();
    assert!(said.contains("did not finish within 3 s"), "{said}");
    let pid = std::fs::read_to_string(pid)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let left = grove::platform::liveness::check(grove::types::host::ProcessId { pid, start: 0 });
    assert_eq!(left, grove::platform::liveness::Liveness::Dead);
}

#[test]
fn one_that_floods_one_that_flakes_and_one_that_leaves_files_behind() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    own_files(&sandbox, 3);
    let mut context = sandbox.context();
    let runs = sandbox.notebook(&mut context).join("runs");
    context.gate_retries = 2;
    let size = 200_000_000_u64;
    let command = format!(
        "if [ -e file-2 ]; then mkdir -p left/behind && echo x > left/behind/x && chmod 000 left; echo changed > a; \
         elif [ -e file-1 ]; then echo run >> {0}; [ $(wc -l < {0}) -ge 3 ]; \
         else yes flood | head -c {size}; fi",
        runs.display()
    );
    context.gates = vec![gate("odd", &command)];
    let reports = ride(&sandbox, &context, 3, &|_| true);
    assert_eq!(conclusions(&reports), [Landed, Landed, Landed]);
    let flood = &reports[&0].gates[0];
    assert!(flood.output_tail.len() <= 65536);
    assert_eq!(flood.output_tail.len() as u64 + flood.output_dropped, size);
    assert_eq!(reports[&1].gates[0].attempts, 3);
    assert!(reports[&1].warnings[0].contains("flaky"));
    assert_eq!(sandbox.files("main"), ["a", "file-0", "file-1", "file-2"]);
    assert_eq!(sandbox.show("main", "a"), "a\n");
}
