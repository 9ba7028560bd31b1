//! No room left, at each step of a merge and in each place it writes to. The target is before or
//! after, never between; nothing is lost; with room again, the merge comes to its end.
#![cfg(unix)]

use std::process::Command;

use crate::support::{BRANCH, GONE, Sandbox, gate, item, text};
use grove::merge::{MergeProgress, Step, Verdict, execute, recover, settle_journal};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files on both sides of a limit of `PART` bytes.
const PART: u64 = 20_000;

fn long(first: &str) -> String {
    (0..4000).fold(format!("{first}\n"), |text, n| {
        text + &format!("line {n}\n")
    })
}

fn ready() -> Sandbox {
    let sandbox = Sandbox::new(&[
        ("a", "a\n"),
        ("b", "b\n"),
        ("gone", "x\n"),
        ("long", &long("one")),
    ]);
    let two = long("two");
    let work = [
        ("a", text("a2\n")),
        ("gone", GONE),
        ("long", text(&two)),
        ("sub/new", text("n\n")),
    ];
    sandbox.commit(BRANCH, &work, "work");
    sandbox.commit("main", &[("b", text("b2\n"))], "m");
    sandbox
}

/// From now on every write to a file beyond this size fails, for this process and all it starts.
fn fill_the_disk(room: u64) {
    let limit = getrlimit(Resource::Fsize);
    let none = Rlimit {
        current: Some(room),
        ..limit
    };
    setrlimit(Resource::Fsize, none).unwrap();
}

/// Runs in a process of its own: merges, and has no room from the given step on.
#[test]
#[ignore = "the other tests start it"]
fn victim() {
    let Ok(root) = std::env::var("GROVE_TEST_VICTIM") else {
        return;
    };
    let step = std::env::var("GROVE_TEST_STEP").unwrap();
    let context = grove::merge::MergeContext {
        root: root.into(),
        target_branch: "main".to_owned(),
        gates: vec![gate("ok", "true")],
        sandbox: grove::config::SandboxConfig::default(),
        gate_time_limit: std::time::Duration::from_mins(1),
        driver_time_limit: std::time::Duration::from_mins(10),
        gate_retries: 0,
        parallel: 4,
        on_displaced: grove::merge::OnDisplaced::Hold,
        call_off: grove::merge::CallOff::default(),
        own_settings: grove::merge::OwnSettings::Hold,
    };
    let (step, room) = match step.strip_prefix("part of ") {
        Some(step) => (step.to_owned(), PART),
        None => (step, 0),
    };
    if step == "start" {
        fill_the_disk(room);
    }
    let result = execute(&context, &item(BRANCH), &mut |progress| {
        let now = match progress {
            MergeProgress::Entered(Step::Planned) => "planned",
            MergeProgress::Entered(Step::Gated) => "gated",
            MergeProgress::Entered(Step::Landing) => "landing",
            MergeProgress::Entered(Step::Landed) => "landed",
            MergeProgress::Gate(_) => "gates",
            MergeProgress::Entered(Step::Undoing)
            | MergeProgress::Asking { .. }
            | MergeProgress::Waiting
            | MergeProgress::PlanningAgain { .. } => "",
        };
        if now == step {
            fill_the_disk(room);
        }
    });
    match result {
        Ok(report) => println!("ENDED {:?} {:?}", report.conclusion, report.error_message),
        Err(error) => println!("ENDED error {error}"),
    }
}

fn without_room_from(sandbox: &Sandbox, step: &str) -> String {
    // The signal that goes with the limit would end the process before it could say anything.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["disk::victim", "--exact", "--ignored", "--nocapture"])
        .env("GROVE_TEST_VICTIM", sandbox.root())
        .env("GROVE_TEST_STEP", step)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = text
        .lines()
        .find_map(|line| line.split_once("ENDED ").map(|(_, said)| said));
    said.unwrap_or_else(|| panic!("{step}: {output:?}"))
        .to_owned()
}

#[test]
fn no_room_from_any_step_on_ends_before_or_after_the_merge() {
    let steps = [
        "start",
        "planned",
        "gates",
        "gated",
        "landing",
        "part of landing",
        "landed",
    ];
    for step in steps {
        let sandbox = ready();
        let before = sandbox.state();
        let said = without_room_from(&sandbox, step);
        let is_said = [
            "too large",
            "could not write",
            "couldn't write",
            "unable to write",
        ]
        .iter()
        .any(|why| said.to_lowercase().contains(why));
        assert_eq!(is_said, step != "landed", "{step}: {said}");
        // A fast-forward that could not even be taken back is finished when there is room.
        let is_half = said.contains("half-updated");
        assert_eq!(is_half, step == "part of landing", "{step}: {said}");
        let recovered = recover(sandbox.root()).unwrap();
        let landed = match recovered.as_slice() {
            [] => false,
            [only] => matches!(only.verdict, Verdict::Landed(_)),
            more => panic!("{step}: {more:?}"),
        };
        assert_eq!(
            landed,
            is_half || step == "landed",
            "{step}: {said} {recovered:#?}"
        );
        assert_eq!(sandbox.status(), "", "{step}: {said}");
        if landed {
            settle_journal(sandbox.root(), &recovered[0].id).unwrap();
        } else {
            assert_eq!(sandbox.state(), before, "{step}: {said}");
            assert!(sandbox.merge().is_success(), "{step}: with room again");
        }
        assert_eq!(sandbox.read("a"), "a2\n");
        assert_eq!(sandbox.read("long"), long("two"));
        assert!(!sandbox.root().join("gone").exists());
        assert_eq!(
            sandbox.git(&["worktree", "list"]).lines().count(),
            1,
            "{step}"
        );
        sandbox.git(&["fsck", "--strict", "--no-dangling"]);
    }
}

/// A small file system at a place, if this process may mount one.
struct Small<'s>(&'s std::path::Path);

impl<'s> Small<'s> {
    fn at(path: &'s std::path::Path, size: &str) -> Result<Self, String> {
        std::fs::create_dir_all(path).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(path)
            .output();
        match mounted {
            Ok(output) if output.status.success() => Ok(Self(path)),
            other => Err(format!("{other:?}")),
        }
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        Command::new("umount").arg(self.0).status().ok();
    }
}

#[test]
fn a_full_file_system_in_any_place_leaves_the_target_alone() {
    for place in [
        ".overstory",
        ".overstory/scratch",
        ".git/objects/pack",
        ".overstory/merge-journal",
    ] {
        let sandbox = ready();
        let before = sandbox.state();
        let path = sandbox.root().join(place);
        let small = match Small::at(&path, "16k") {
            Ok(small) => small,
            Err(why) => {
                crate::skip::skipped(format!("no file system can be mounted here: {why}"));
                return;
            }
        };
        // Full to the last byte.
        drop(std::fs::write(path.join("filler"), vec![0_u8; 1 << 20]));
        let mut context = sandbox.context();
        context.gates = vec![gate("ok", "true")];
        let result = Sandbox::merge_with(&context, &mut |_| {});
        if place == ".git/objects/pack" {
            assert!(
                result.unwrap().is_success(),
                "loose objects need no room there"
            );
            continue;
        }
        let said = match result {
            Ok(report) => panic!("{place}: {report:#?}"),
            Err(error) => error.to_string(),
        };
        assert!(
            said.contains("No space left") || said.contains("could not write"),
            "{place}: {said}"
        );
        if place == ".overstory/scratch" {
            let folder = path.display().to_string();
            assert!(
                said.contains("scratch checkout") && said.contains(&folder),
                "{said}"
            );
            assert!(said.contains("then merge again"), "{said}");
        }
        std::fs::remove_file(path.join("filler")).unwrap();
        drop(small);
        assert_eq!(sandbox.state(), before, "{place}: {said}");
        assert!(sandbox.merge().is_success(), "{place}");
    }
}

/// Git has put all files back, and then has no room for its index: nothing is half updated.
#[test]
fn a_checkout_that_is_as_before_is_not_called_half_updated_on_a_full_disk() {
    let text_of = |side: &str, lines: usize| -> String {
        (0..lines).map(|n| format!("{side} says {n}\n")).collect()
    };
    let (old, new) = (text_of("base", 4000), text_of("ann", 8000));
    let files = ["one", "two", "three", "four"];
    let sandbox = Sandbox::new(&files.map(|file| (file, old.as_str())));
    sandbox.commit(BRANCH, &files.map(|file| (file, text(&new))), "work");
    let home = tempfile::tempdir().unwrap();
    // What else is written takes a page more or less: the one room that is meant is met in one round of two.
    let rooms = (0..=64)
        .step_by(4)
        .chain((20..=36).step_by(4).cycle().take(15));
    for (number, left) in rooms.enumerate() {
        let path = home.path().join(number.to_string());
        let small = match Small::at(&path, "4m") {
            Ok(small) => small,
            Err(why) => {
                crate::skip::skipped(format!("no file system can be mounted here: {why}"));
                return;
            }
        };
        let run = |program: &str, args: &[&str]| {
            let output = Command::new(program)
                .args(args)
                .current_dir(&path)
                .output()
                .unwrap();
            assert!(output.status.success(), "{program} {args:?}: {output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        let from = sandbox.root().join(".");
        run("cp", &["-a", from.to_str().unwrap(), "."]);
        run("git", &["status"]);
        let tip = run("git", &["rev-parse", "main"]);
        let free = run("df", &["-k", "--output=avail", "."]);
        let free: u64 = free.lines().last().unwrap().trim().parse().unwrap();
        let filler = vec![0_u8; (free.saturating_sub(left) * 1024) as usize];
        std::fs::write(path.join(".git/filler"), filler).unwrap();
        let mut context = sandbox.context();
        context.root.clone_from(&path);
        let error = Sandbox::merge_with(&context, &mut |_| {}).unwrap_err();
        std::fs::remove_file(path.join(".git/filler")).unwrap();
        assert_eq!(run("git", &["rev-parse", "main"]), tip, "{left}: {error}");
        let status = run("git", &["status", "--porcelain", "-uno"]);
        assert_eq!(status, "", "{left}: {error}");
        let said = error.to_string();
        assert!(!said.contains("half-updated"), "{left}: {said}");
        assert!(recover(&path).unwrap().is_empty(), "{left}: {said}");
        drop(small);
    }
}
