//! Lines that both sides have once and that a merge must not have twice: a block that both put in at one place, and
//! a block that one side moved and both edited.

use grove::merge::{Conclusion, MergeReport, OnDisplaced, execute, losses};
use grove::types::merge::MergeTier;

use crate::support::{BRANCH, Sandbox, item, text};

const A: &str = "one = 1\ntwo = 2\n\n";
const B: &str = "def b():\n    first = load()\n    return first\n";
const SHARED: &str = "def shared(p):\n    check(p)\n    return run(p)\n\n";

fn merged(base: &str, ours: &str, theirs: &str) -> (MergeReport, String) {
    let sandbox = Sandbox::new(&[("f.py", base)]);
    sandbox.commit(BRANCH, &[("f.py", text(theirs))], "b");
    sandbox.commit("main", &[("f.py", text(ours))], "m");
    let report = sandbox.merge();
    (report, sandbox.show("main", "f.py"))
}

fn edited() -> String {
    B.replace("def b()", "def b(q)")
}

fn without_first() -> String {
    B.split_inclusive('\n').skip(1).collect()
}

fn indented(lines: &str) -> String {
    let lines = lines.lines().map(|line| format!("    {line}\n"));
    lines.collect()
}

#[test]
fn a_block_that_both_added_is_there_once_though_a_side_edits_the_next_line() {
    let base = format!("{A}{B}");
    let both = format!("{A}{SHARED}{B}");
    let theirs = format!("{A}{SHARED}{}", edited());
    for (ours, theirs) in [(&both, &theirs), (&theirs, &both)] {
        let (report, result) = merged(&base, ours, theirs);
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:?}");
        assert_eq!(report.tier, MergeTier::AutoResolve);
        assert_eq!(result, format!("{A}{SHARED}{}", edited()));
    }
}

#[test]
fn what_a_side_added_next_to_the_block_is_kept_with_one_copy_of_it() {
    let base = format!("{A}{B}");
    let theirs = format!("{A}{SHARED}{}", edited());
    for more in [
        format!("{A}{SHARED}extra = 9\n"),
        format!("{A}extra = 9\n{SHARED}"),
    ] {
        let (report, result) = merged(&base, &format!("{more}{B}"), &theirs);
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:?}");
        assert_eq!(result, format!("{more}{}", edited()));
    }
}

#[test]
fn a_block_is_never_doubled_whatever_happened_to_its_neighbours() {
    let base = format!("{A}{B}");
    let [plain, gone, indented, above] = [
        format!("{A}{SHARED}{B}"),
        format!("{A}{SHARED}{}", without_first()),
        format!("{A}{SHARED}{}", indented(B)),
        format!(
            "{}{SHARED}{B}",
            A.replace("two = 2\n\n", "two = 2\n# sep\n")
        ),
    ];
    let more = format!("{A}{SHARED}extra = 9\n{B}");
    for one in [&plain, &more] {
        for other in [&gone, &indented, &above] {
            for (ours, theirs) in [(one, other), (other, one)] {
                let (report, result) = merged(&base, ours, theirs);
                if report.tier == MergeTier::CleanMerge {
                    // git's own tree.
                    continue;
                }
                let copies = result.matches("def shared(p):").count();
                assert_eq!(copies, 1, "{report:?}\n{result}");
                let ends = [Conclusion::Landed, Conclusion::Held];
                assert!(ends.contains(&report.conclusion), "{report:?}");
            }
        }
    }
}

const MOVED: &str = "import cache\nimport items\nimport delta\n";
const USER: &str = "def user():\n    log(1)\n    log(2)\n\n";
const KEY: &str = "def key():\n    a = 1\n    return a\n";

#[test]
fn a_block_that_the_target_moved_and_both_edited_is_held() {
    let base = format!("import path\n{MOVED}\n{USER}{KEY}");
    let new = MOVED.replace("cache", "cache2");
    let ours = format!("import path\n\n{USER}if True:\n{new}\n{KEY}");
    let theirs = format!("import path\n{new}\n{USER}{KEY}");
    let (report, result) = merged(&base, &ours, &theirs);
    assert_eq!(report.conclusion, Conclusion::Held, "{report:?}");
    assert_eq!(result, ours, "the target is untouched");
    let said = report.warnings.join("\n");
    assert!(!said.contains("removed"), "nothing was removed: {said}");
}

#[test]
fn a_block_that_one_side_removed_and_the_other_edited_is_for_somebody_to_decide() {
    let base = format!("import path\n{MOVED}\n{USER}{KEY}");
    let new = MOVED.replace("cache", "cache2");
    let edited = format!("import path\n{new}\n{USER}{KEY}");
    let removed = format!("import path\n\n{USER}{KEY}");
    for (ours, theirs) in [(&edited, &removed), (&removed, &edited)] {
        let (report, result) = merged(&base, ours, theirs);
        assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
        assert_eq!(&result, ours);
    }
}

#[test]
fn a_line_that_both_sides_added_at_different_places_lands_twice_and_the_receipt_says_so() {
    let base = format!("{A}{B}");
    let (ours, theirs) = (format!("use shared\n{base}"), format!("{base}use shared\n"));
    let (report, result) = merged(&base, &ours, &theirs);
    assert_eq!(
        (report.conclusion, report.tier),
        (Conclusion::Landed, MergeTier::CleanMerge),
        "{report:#?}"
    );
    assert_eq!(
        result,
        format!("use shared\n{base}use shared\n"),
        "as git does"
    );
    let twice = &report.receipt.as_ref().unwrap().kept_twice;
    let [only] = twice.as_slice() else {
        panic!("{twice:?}");
    };
    assert_eq!(
        (&*only.file, only.count, &*only.first),
        ("f.py", 1, "use shared")
    );
    let note = "f.py: both sides put in 1 equal line, kept twice: use shared (lines 1 and 8)";
    assert!(
        report.warnings.iter().any(|said| said == note),
        "{:?}",
        report.warnings
    );
}

#[test]
fn a_merge_without_equal_lines_says_nothing_of_them() {
    let base = format!("{A}{B}");
    let (ours, theirs) = (format!("use one\n{base}"), format!("{base}use two\n"));
    let (report, _) = merged(&base, &ours, &theirs);
    assert!(report.receipt.unwrap().kept_twice.is_empty());
    assert_eq!(report.warnings, Vec::<String>::new());
}

/// Git takes the block away once and puts it in twice, without a conflict.
#[test]
fn a_block_that_both_sides_moved_to_different_places_lands_as_git_has_it_and_is_named() {
    let rest =
        |from: u32, to: u32| -> String { (from..to).map(|n| format!("x{n} = {n}\n")).collect() };
    let [one, two, three] = [rest(0, 9), rest(9, 18), rest(18, 27)];
    let base = format!("{SHARED}{one}{two}{three}");
    let ours = format!("{one}{SHARED}{two}{three}");
    let theirs = format!("{one}{two}{SHARED}{three}");
    let (report, result) = merged(&base, &ours, &theirs);
    let found = (report.conclusion, report.tier);
    assert_eq!(found, (Conclusion::Landed, MergeTier::CleanMerge));
    assert_eq!(
        result,
        format!("{one}{SHARED}{two}{SHARED}{three}"),
        "as git does"
    );
    let twice = &report.receipt.as_ref().unwrap().kept_twice;
    let [only] = twice.as_slice() else {
        panic!("{twice:?}");
    };
    assert_eq!((only.count, &*only.first), (3, "def shared(p):"));
    assert_eq!(only.lines, [10, 23]);
}

#[test]
fn a_line_that_one_side_moved_and_that_a_contested_place_has_is_named() {
    let base = "x\n#include <tree.h>\n#include <mem.h>\n#include <parser.h>\n\nint a;\n";
    let ours = "x\n#include <tree.h>\n#include <parser.h>\n#include <mem.h>\n\nint a;\n";
    let theirs = base.replace(
        "#include <parser.h>\n",
        "#include <mem_token.h>\n#include <parser.h>\n#include <user.h>\n",
    );
    let sandbox = Sandbox::new(&[("a.c", base)]);
    sandbox.commit(BRANCH, &[("a.c", text(&theirs))], "b");
    sandbox.commit("main", &[("a.c", text(ours))], "m");
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let report = execute(&context, &item(BRANCH), &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let result = sandbox.show("main", "a.c");
    assert_eq!(result.matches("#include <parser.h>").count(), 2, "{result}");
    let twice = &report.receipt.as_ref().unwrap().kept_twice;
    let [only] = twice.as_slice() else {
        panic!("{report:#?}");
    };
    assert_eq!((only.count, &*only.first), (1, "#include <parser.h>"));
    assert_eq!(only.lines.len(), 2);
    let said = losses(&report.displaced, &report.warnings).join("\n");
    assert!(!said.contains("0 lines"), "{said}");
    assert!(said.contains("the removal of 1 line by Tester"), "{said}");
    let note = "a.c: 1 line there twice, moved by one side and kept by the other: #include <parser.h> (lines 3 and ";
    assert!(said.contains(note), "{said}");
}

/// Both made the file, with two blocks in another order: the branch's side had one of them twice, and nobody could land it.
#[test]
fn blocks_of_a_file_that_both_made_in_another_order_land_as_the_branch_has_them() {
    let ours = "first\nnew of ours\ngamma\nzeta\nitem\nbeta\ntheta\neps\nlast\n";
    let theirs = "first\nbeta\ntheta\neps\ngamma\nzeta\nitem\nlast\n";
    let sandbox = Sandbox::new(&[("other", "other\n")]);
    sandbox.commit(BRANCH, &[("f.txt", text(theirs))], "theirs");
    sandbox.commit("main", &[("f.txt", text(ours))], "ours");
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let report = execute(&context, &item(BRANCH), &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.show("main", "f.txt"), theirs);
    let listed: String = report
        .displaced
        .iter()
        .map(|hunk| hunk.text.as_str())
        .collect();
    assert!(listed.contains("new of ours"), "{listed}");
}
