//! Blocks that one side moved to another file while the other side edited them where they were: the
//! edit follows where that is proven, and nothing is claimed where it is not.

use crate::runner::runner;
use crate::support::{BRANCH, Change, GONE, Sandbox, text};
use grove::merge::{Conclusion, MergeOutcome, plan};
use grove::types::merge::MergeTier;
use proptest::prelude::*;

const BLOCK: [&str; 6] = [
    "fn sum(items: &[u32]) -> u32 {",
    "    let mut all = 0;",
    "    for item in items {",
    "        all += item;",
    "    }",
    "    all",
];

fn lines(name: &str, count: usize) -> Vec<String> {
    (0..count)
        .map(|n| format!("{name} has line {n};"))
        .collect()
}

fn joined(parts: &[&[String]]) -> String {
    parts
        .concat()
        .iter()
        .map(|line| format!("{line}\n"))
        .collect()
}

fn block() -> Vec<String> {
    BLOCK.iter().map(|line| (*line).to_owned()).collect()
}

fn edited() -> Vec<String> {
    let mut lines = block();
    "        all = all.saturating_add(*item);".clone_into(&mut lines[3]);
    lines
}

/// `a` with the block between other lines, and `b`.
fn start() -> Sandbox {
    let a = joined(&[&lines("head", 8), &block(), &lines("tail", 8)]);
    Sandbox::new(&[("a", &a), ("b", &joined(&[&lines("other", 10)]))])
}

/// What moving the block from `a` to another file leaves and makes.
fn without() -> String {
    joined(&[&lines("head", 8), &lines("tail", 8)])
}

fn with_edit() -> String {
    joined(&[&lines("head", 8), &edited(), &lines("tail", 8)])
}

fn into_b(block: &[String]) -> String {
    joined(&[&lines("other", 4), block, &lines("other", 10)[4..]])
}

fn both_ways(mover: &[Change<'_>], editor: &[Change<'_>], check: impl Fn(&Sandbox)) {
    for mover_is_target in [true, false] {
        let sandbox = start();
        let (on_main, on_branch) = if mover_is_target {
            (mover, editor)
        } else {
            (editor, mover)
        };
        sandbox.commit(BRANCH, on_branch, "b");
        sandbox.commit("main", on_main, "m");
        check(&sandbox);
    }
}

#[test]
fn an_edit_follows_its_block_to_another_file() {
    let (without, with_edit, moved) = (without(), with_edit(), into_b(&block()));
    let new = joined(&[&block()]);
    let cases: [(&str, &str, String); 2] = [
        ("b", &moved, into_b(&edited())),
        ("new", &new, joined(&[&edited()])),
    ];
    for (place, content, expected) in cases {
        let mover = [("a", text(&without)), (place, text(content))];
        both_ways(&mover, &[("a", text(&with_edit))], |sandbox| {
            let report = sandbox.merge();
            assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
            assert_eq!(report.tier, MergeTier::AutoResolve);
            assert_eq!(sandbox.show("main", place), expected);
            assert_eq!(sandbox.show("main", "a"), without);
            let listed: Vec<(&str, &str)> = report
                .woven
                .iter()
                .map(|woven| (woven.file.as_str(), woven.lines[0].as_str()))
                .collect();
            assert_eq!(listed, [(place, BLOCK[3])]);
            let receipt = report.receipt.as_ref().unwrap();
            assert_eq!(receipt.went_along, report.went_along);
            let [along] = report.went_along.as_slice() else {
                panic!("{:?}", report.went_along);
            };
            assert_eq!((&*along.file, &*along.to), ("a", place));
            assert_eq!(along.lines, [edited()[3].clone()], "by {}", along.side);
            assert!(
                report
                    .warnings
                    .iter()
                    .any(|said| said.contains(place) && said.contains("moved those lines")),
                "{:?}",
                report.warnings
            );
        });
    }
}

#[test]
fn an_edit_follows_out_of_a_file_that_is_gone() {
    let sandbox = Sandbox::new(&[
        ("a", &joined(&[&block()])),
        ("b", &joined(&[&lines("other", 30)])),
    ]);
    let moved = joined(&[&lines("other", 30), &block()]);
    sandbox.commit(BRANCH, &[("a", text(&joined(&[&edited()])))], "b");
    sandbox.commit("main", &[("a", GONE), ("b", text(&moved))], "m");
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.files("main"), ["b"]);
    assert_eq!(
        sandbox.show("main", "b"),
        joined(&[&lines("other", 30), &edited()])
    );
}

#[test]
fn what_is_not_proven_is_not_claimed() {
    let (gone, with_edit) = (without(), with_edit());
    let mut altered = block();
    altered[3] = "        all += *item;".to_owned();
    let altered = into_b(&altered);
    let plain = into_b(&block());
    let twice = joined(&[&block(), &lines("other", 10), &block()]);
    let copy = joined(&[&block()]);
    let short = joined(&[&lines("other", 10), &block()[..2]]);
    let cases: [(&str, Vec<Change<'_>>); 4] = [
        (
            "altered on the way",
            vec![("a", text(&gone)), ("b", text(&altered))],
        ),
        (
            "twice in one file",
            vec![("a", text(&gone)), ("b", text(&twice))],
        ),
        (
            "in two files",
            vec![("a", text(&gone)), ("b", text(&plain)), ("c", text(&copy))],
        ),
        (
            "only a part of it",
            vec![("a", text(&gone)), ("b", text(&short))],
        ),
    ];
    for (what, mover) in cases {
        both_ways(&mover, &[("a", text(&with_edit))], |sandbox| {
            let outcome = plan(&sandbox.repo(), "main", BRANCH).unwrap();
            let plan = outcome.plan().unwrap();
            assert!(
                !plan
                    .warnings
                    .iter()
                    .any(|said| said.contains("moved those lines")),
                "{what}: {plan:#?}"
            );
            // The edit is in the result or reported, whatever became of the block.
            let result = sandbox.show(&plan.tree.to_string(), "a");
            let edit = &edited()[3];
            assert!(
                result.contains(edit) || plan.displaced.iter().any(|hunk| hunk.text.contains(edit)),
                "{what}: {plan:#?}"
            );
        });
    }
    // A place that the editor changed, too, is not the mover's alone.
    let mover = [("a", text(&gone)), ("b", text(&plain))];
    let other = joined(&[&lines("other", 10), &lines("more", 1)]);
    both_ways(
        &mover,
        &[("a", text(&with_edit)), ("b", text(&other))],
        |sandbox| {
            let outcome = plan(&sandbox.repo(), "main", BRANCH).unwrap();
            let plan = outcome.plan().unwrap();
            assert!(
                !plan
                    .warnings
                    .iter()
                    .any(|said| said.contains("moved those lines"))
            );
        },
    );
}

#[derive(Debug, Clone)]
struct Case {
    before: usize,
    block: usize,
    after: usize,
    other: usize,
    at: usize,
    /// Lines of the block that the editor rewrites, and whether it also adds one.
    rewritten: Vec<usize>,
    adds: Option<usize>,
    /// Whether the mover changes a line of the block on the way.
    altered: Option<usize>,
    crlf: bool,
    ours_moves: bool,
}

fn case() -> impl Strategy<Value = Case> {
    (
        (
            0..12_usize,
            1..12_usize,
            0..12_usize,
            0..20_usize,
            0..20_usize,
        ),
        proptest::collection::vec(0..12_usize, 1..3),
        proptest::option::of(0..12_usize),
        proptest::option::weighted(0.3, 0..12_usize),
        any::<[bool; 2]>(),
    )
        .prop_map(
            |(sizes, rewritten, adds, altered, [crlf, ours_moves])| Case {
                before: sizes.0,
                block: sizes.1,
                after: sizes.2,
                other: sizes.3,
                at: sizes.4,
                rewritten,
                adds,
                altered,
                crlf,
                ours_moves,
            },
        )
}

#[test]
fn random_moves_between_files_are_followed_exactly_or_not_at_all() {
    let followed = std::cell::Cell::new((0_u32, 0_u32));
    let place = Sandbox::new(&[("x", "x\n")]);
    place.git(&["checkout", "-q", "-b", "elsewhere"]);
    let result = runner(60, 100).run(&case(), |case| {
        let end = if case.crlf { "\r\n" } else { "\n" };
        let joined = |parts: &[&[String]]| -> String {
            parts
                .concat()
                .iter()
                .map(|line| format!("{line}{end}"))
                .collect()
        };
        let (before, after) = (lines("head", case.before), lines("tail", case.after));
        let (block, other) = (lines("block", case.block), lines("other", case.other));
        let mut edited = block.clone();
        for at in &case.rewritten {
            let at = at % edited.len();
            edited[at] = format!("edited {at}");
        }
        if let Some(at) = case.adds {
            edited.insert(at % (block.len() + 1), "added".to_owned());
        }
        let mut arrived = block.clone();
        if let Some(at) = case.altered {
            let at = at % arrived.len();
            arrived[at] = format!("altered {at}");
        }
        let (head, tail) = other.split_at(case.at % (other.len() + 1));
        let base = [
            ("a", joined(&[&before, &block, &after])),
            ("b", joined(&[&other])),
        ];
        let mover = [
            ("a", joined(&[&before, &after])),
            ("b", joined(&[head, &arrived, tail])),
        ];
        let editor = [("a", joined(&[&before, &edited, &after]))];
        let (ours, theirs) = if case.ours_moves {
            (mover.as_slice(), editor.as_slice())
        } else {
            (editor.as_slice(), mover.as_slice())
        };
        let changes = |files: &[(&'static str, String)]| -> Vec<(&'static str, Vec<u8>)> {
            files
                .iter()
                .map(|(path, content)| (*path, content.clone().into_bytes()))
                .collect()
        };
        let commit = |branch: &str, files: &[(&'static str, String)]| {
            let files = changes(files);
            let list: Vec<Change<'_>> = files
                .iter()
                .map(|(path, content)| (*path, Some(content.as_slice())))
                .collect();
            place.commit(branch, &list, "c");
        };
        place.git(&["update-ref", "-d", &format!("refs/heads/{BRANCH}")]);
        commit("main", &base);
        // `commit` starts a new branch at main.
        let theirs: Vec<(&'static str, String)> = theirs
            .iter()
            .map(|(path, c)| (if *path == "a" { "a" } else { "b" }, c.clone()))
            .collect();
        let ours: Vec<(&'static str, String)> = ours
            .iter()
            .map(|(path, c)| (if *path == "a" { "a" } else { "b" }, c.clone()))
            .collect();
        commit(BRANCH, &theirs);
        commit("main", &ours);
        let outcome = plan(&place.repo(), "main", BRANCH).unwrap();
        let Some(plan) = outcome.plan() else {
            return Err(TestCaseError::fail(format!("{outcome:?}")));
        };
        let said = plan
            .warnings
            .iter()
            .any(|said| said.contains("moved those lines"));
        let tree = plan.tree.to_string();
        let (seen, all) = followed.get();
        followed.set((seen + u32::from(said), all + 1));
        if said {
            prop_assert!(matches!(outcome, MergeOutcome::Resolved(_)));
            prop_assert!(case.altered.is_none(), "an altered block is not proven");
            prop_assert!(case.block >= 3, "too little to be told from a coincidence");
            prop_assert_eq!(place.show(&tree, "b"), joined(&[head, &edited, tail]));
            let file = place.show(&tree, "a");
            prop_assert_eq!(file, joined(&[&before, &after]));
        } else {
            let kept = place.show(&tree, "a") + &place.show(&tree, "b");
            for line in edited.iter().filter(|line| !block.contains(line)) {
                let reported = plan
                    .displaced
                    .iter()
                    .any(|hunk| hunk.text.contains(line.as_str()));
                let woven = plan.woven.iter().any(|woven| woven.lines.contains(line));
                prop_assert!(
                    kept.contains(line.as_str()) || reported || woven,
                    "{line} is lost"
                );
            }
        }
        Ok(())
    });
    result.unwrap();
    let (seen, all) = followed.get();
    assert!(seen * 5 > all, "only {seen} of {all} were followed");
}

#[test]
fn an_edit_does_not_go_to_a_new_copy_of_another_file_that_has_the_block() {
    let block = "    properties:\n      id: string\n      region:\n        type: text\n      zone: integer\n";
    let a = format!("title: Dataflow\nadditional: false\ninfo:\n{block}date:\n  format: iso\n");
    let z = format!("title: Other\nrequired: true\nmeta:\n{block}owner:\n  format: mail\n");
    for other in [z.clone(), z.replace("zone: integer", "zone: number")] {
        let edited = a.replace("type: text\n", "type: text\n        secret: true\n");
        let copy = z.replace("Other", "Third").replace("mail", "post");
        let (left, mailed) = (a.replace(block, ""), other.replace("mail", "mail2"));
        let sandbox = Sandbox::new(&[("a/a.yaml", &a), ("b/z.yaml", &other)]);
        let mover = [
            ("a/a.yaml", text(&left)),
            ("b/z.yaml", text(&mailed)),
            ("b/new.yaml", text(&copy)),
        ];
        sandbox.commit(BRANCH, &mover, "b");
        sandbox.commit("main", &[("a/a.yaml", text(&edited))], "m");
        let report = sandbox.merge();
        assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
        assert!(report.went_along.is_empty());
    }
}

#[test]
fn of_two_edits_in_a_block_none_goes_along_where_one_has_no_place() {
    let (gone, mut arrived, mut both) = (without(), block(), edited());
    "    let mut all = 1;".clone_into(&mut arrived[1]);
    "    let mut all = 0_u32;".clone_into(&mut both[1]);
    let (arrived, both) = (
        into_b(&arrived),
        joined(&[&lines("head", 8), &both, &lines("tail", 8)]),
    );
    let mover = [("a", text(&gone)), ("b", text(&arrived))];
    both_ways(&mover, &[("a", text(&both))], |sandbox| {
        let report = sandbox.merge();
        assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
        assert!(report.went_along.is_empty());
        let said: Vec<&str> = report.displaced.iter().map(|hunk| &*hunk.file).collect();
        assert_eq!(said, ["a"]);
        let [hunk] = report.displaced.as_slice() else {
            panic!("{report:#?}");
        };
        for edit in ["0_u32", "saturating_add"] {
            assert!(hunk.text.contains(edit) || hunk.incoming.contains(edit));
        }
    });
}

#[test]
fn no_edit_goes_along_where_something_else_in_its_file_is_contested() {
    let (head, tail) = (lines("head", 8), lines("tail", 8));
    let with = |before: &str, block: &[String], after: &str| {
        let (before, after) = ([before.to_owned()], [after.to_owned()]);
        joined(&[&before, &head, block, &tail, &after])
    };
    let base = with("start()", &block(), "end()");
    // There can be but one of them, which only who knows the language sees.
    let edited = with("start()", &edited(), "end()\nPORT = 1");
    let gone = with("start()\nPORT = 2", &[], "end()");
    let moved = into_b(&block());
    let other = joined(&[&lines("other", 10)]);
    for mover_is_target in [true, false] {
        let sandbox = Sandbox::new(&[("a.py", &base), ("b", &other)]);
        let mover = [("a.py", text(&gone)), ("b", text(&moved))];
        let editor = [("a.py", text(&edited))];
        let (ours, theirs): (&[Change<'_>], &[Change<'_>]) = if mover_is_target {
            (&mover, &editor)
        } else {
            (&editor, &mover)
        };
        sandbox.commit(BRANCH, theirs, "b");
        sandbox.commit("main", ours, "m");
        let report = sandbox.merge();
        assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
        assert!(report.went_along.is_empty(), "{report:#?}");
    }
}
