//! Conflicts of git that are settled without asking anybody, because nothing is displaced: what lands, and
//! what is still left to somebody who can read it.

use crate::support::{BRANCH, Sandbox, text};
use grove::merge::{Conclusion, MergeReport};

/// Merges three versions of a file; git alone must not be able to.
fn merged(base: &str, ours: &str, theirs: &str) -> (Sandbox, MergeReport) {
    let sandbox = Sandbox::new(&[("f", base)]);
    sandbox.commit(BRANCH, &[("f", text(theirs))], "b");
    sandbox.commit("main", &[("f", text(ours))], "m");
    let report = sandbox.merge();
    assert_eq!(report.conflict_files, ["f"], "git merges this by itself");
    (sandbox, report)
}

pub(crate) fn lands(base: &str, ours: &str, theirs: &str, expected: &str) -> MergeReport {
    let (sandbox, report) = merged(base, ours, theirs);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert!(report.displaced.is_empty());
    assert_eq!(sandbox.show("main", "f"), expected);
    report
}

pub(crate) fn is_held(base: &str, ours: &str, theirs: &str) {
    let (_, report) = merged(base, ours, theirs);
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
}

#[test]
fn a_deletion_next_to_an_edit_or_a_deletion() {
    let base = "one\ntwo\nthree\nfour\n";
    lands(
        base,
        "one\nthree\nfour\n",
        "one\ntwo\nTHREE\nfour\n",
        "one\nTHREE\nfour\n",
    );
    lands(
        base,
        "one\ntwo\nTHREE\nfour\n",
        "one\nthree\nfour\n",
        "one\nTHREE\nfour\n",
    );
    lands(base, "one\nfour\n", "two\nthree\nfour\n", "four\n");
}

#[test]
fn entries_that_both_append_to_a_list_without_a_last_comma() {
    let base = "{\n  \"test\": \"jest\"\n}\n";
    let with = |entry: &str| format!("{{\n  \"test\": \"jest\",\n  {entry}\n}}\n");
    let (lint, fmt) = (with("\"lint\": \"eslint\""), with("\"fmt\": \"prettier\""));
    lands(
        base,
        &lint,
        &fmt,
        &with("\"lint\": \"eslint\",\n  \"fmt\": \"prettier\""),
    );
    is_held(base, &lint, &with("\"lint\": \"other\""));
}

#[test]
fn entries_that_both_add_on_one_line_of_a_list() {
    let base = "use crate::{Alpha, Beta};\nfn a() {}\n";
    let with = |list: &str| base.replace("Alpha, Beta", list);
    lands(
        base,
        &with("Alpha, Beta, Cat"),
        &with("Alpha, Beta, Dog"),
        &with("Alpha, Beta, Cat, Dog"),
    );
    // The order of arguments means something.
    is_held("call(a);\n", "call(a, b);\n", "call(a, c);\n");
}

#[test]
fn the_same_change_with_something_more_on_each_side() {
    lands(
        "a\nlet x = 1;\nb\n",
        "a\nbefore();\nlet x = 2;\nb\n",
        "a\nlet x = 2;\nafter();\nb\n",
        "a\nbefore();\nlet x = 2;\nafter();\nb\n",
    );
    is_held(
        "a\nlet x = 1;\nb\n",
        "a\nlet x = 2;\nb\n",
        "a\nlet x = 3;\nb\n",
    );
}

#[test]
fn the_same_heading_with_entries_of_each_side() {
    let log = |entries: &str| format!("# Log\n\n{entries}## 0.1\n\n- start\n");
    lands(
        &log(""),
        &log("## 0.2\n\n- ours\n\n"),
        &log("## 0.2\n\n- theirs\n\n"),
        &log("## 0.2\n\n- ours\n- theirs\n\n"),
    );
    // Two versions of one function are not two entries.
    let body = |line: &str| format!("start\nfn new() {{\n    {line}\n}}\n");
    is_held("start\n", &body("ours();"), &body("theirs();"));
}

#[test]
fn entries_of_a_lock_file_that_differ_in_name() {
    let entry = |name: &str, sum: u32| {
        format!(
            "[[package]]\nname = \"{name}\"\nversion = \"1.0\"\nsource = \"registry\"\nsum = \"{sum}\"\n\n"
        )
    };
    let base = [entry("a", 1), entry("b", 2), entry("y", 3), entry("z", 4)];
    let with = |new: &str| [&base[0], &base[1], new, &base[2], &base[3]].concat();
    let (ours, theirs) = (entry("m", 5), entry("n", 6));
    lands(
        &base.concat(),
        &with(&ours),
        &with(&theirs),
        &with(&(ours.clone() + &theirs)),
    );
    is_held(&base.concat(), &with(&ours), &with(&entry("m", 7)));
}

#[test]
fn indentation_of_one_side_and_words_of_the_other() {
    let base = "fn a() {\n    one();\n    two();\n    three();\n}\n";
    let deeper =
        "fn a() {\n    if ready() {\n        one();\n        two();\n        three();\n    }\n}\n";
    let edited = base.replace("    two();\n", "    two(2);\n    more();\n");
    let expected = deeper.replace("        two();\n", "        two(2);\n        more();\n");
    let report = lands(base, deeper, &edited, &expected);
    let receipt = report.receipt.unwrap();
    let woven: Vec<&str> = receipt
        .woven
        .iter()
        .flat_map(|woven| woven.lines.iter().map(String::as_str))
        .collect();
    assert!(
        woven.contains(&"    two(2);") && woven.contains(&"        two();"),
        "{woven:?}"
    );
    lands(base, &edited, deeper, &expected);
    // Spaces inside a line may be what it says.
    is_held(
        "a\nsay(\"x  y\")\nb\n",
        "a\nsay(\"x y\")\nb\n",
        "a\nshout(\"x  z\")\nb\n",
    );
}

#[test]
fn names_that_both_put_into_a_sorted_list_that_is_broken_into_lines() {
    let list = |lines: &[&str]| format!("use {{\n    {}\n}};\n", lines.join("\n    "));
    let report = lands(
        &list(&["agents, attach, clean, costs,", "demo, doctor, group,"]),
        &list(&[
            "agents, attach, clean, conflicts,",
            "costs, demo, doctor, group,",
        ]),
        &list(&["agents, attach, costs, demo,", "discover, doctor, group,"]),
        &list(&[
            "agents, attach, conflicts, costs,",
            "demo, discover, doctor, group,",
        ]),
    );
    assert!(!report.receipt.unwrap().woven.is_empty());
    // Not sorted: the order may mean something.
    is_held(
        "f(\n    c, a, b,\n);\n",
        "f(\n    c, a, b, x,\n);\n",
        "f(\n    c, a, b, y,\n);\n",
    );
}

#[test]
fn tables_that_look_alike_but_for_their_name() {
    let bench = |name: &str| format!("[[bench]]\nname = \"{name}\"\nharness = false\n\n");
    let with = |new: &str| format!("{}{new}[end]\n", bench("hooks"));
    let both = bench("merging") + &bench("reading");
    lands(
        &with(""),
        &with(&bench("merging")),
        &with(&bench("reading")),
        &with(&both),
    );
}

#[test]
fn a_signature_that_one_side_only_broke_into_lines() {
    let one = "fn pay(account: Account, sum: u32) -> Result<()> {\n    go();\n}\n";
    let broken = "fn pay(\n    account: Account,\n    sum: u32,\n) -> Result<()> {\n    go();\n}\n";
    let changed = one.replace("u32", "Money");
    for (ours, theirs) in [(broken, &*changed), (&*changed, broken)] {
        let report = lands(one, ours, theirs, &changed);
        let receipt = report.receipt.unwrap();
        let lines: Vec<&String> = receipt.woven.iter().flat_map(|w| &w.lines).collect();
        assert!(
            lines.iter().any(|line| line.trim() == "sum: u32,"),
            "{lines:?}"
        );
    }
    // The other way round: the side that says something new has broken it, too.
    let both = broken.replace("u32", "Money");
    lands(one, &both, &one.replace(", sum", ",\n    sum"), &both);
    // White space within a line may be part of what it says.
    is_held(one, &both, &one.replace("pay(account", "pay( account"));
    is_held(
        one,
        broken,
        &one.replace("go()", "run()")
            .replace("u32", "u64 /* cents */"),
    );
}

#[test]
fn imports_of_go_that_both_put_into_a_sorted_block() {
    let block = |paths: &[&str]| {
        let lines: String = paths.iter().map(|path| format!("\t\"{path}\"\n")).collect();
        format!("import (\n{lines})\n")
    };
    let base = block(&["bytes", "fmt", "os"]);
    let merged = block(&["bytes", "fmt", "io", "net/http", "os"]);
    let (io, net) = (
        block(&["bytes", "fmt", "io", "os"]),
        block(&["bytes", "fmt", "net/http", "os"]),
    );
    lands(&base, &io, &net, &merged);
    lands(&base, &net, &io, &merged);
}

#[test]
fn a_line_reworded_by_one_side_beside_what_the_other_added_and_removed() {
    let base = "start\nuse view::{one, two};\n#[cfg(test)]\nuse calls::three;\nend\n";
    let ours = "start\nuse view::{one, two, four};\nend\n";
    let theirs =
        "start\nuse view::{one, two};\nuse refs::{five};\n#[cfg(test)]\nuse calls::three;\nend\n";
    let expected = "start\nuse view::{one, two, four};\nuse refs::{five};\nend\n";
    lands(base, ours, theirs, expected);
    lands(base, theirs, ours, expected);
}

#[test]
fn lines_that_one_side_reworded_each_and_a_line_the_other_put_between() {
    let base = "match it {\n    db::Error::Full => a,\n    db::Error::Open => b,\n    db::Error::Sql => c,\n}\n";
    let ours = "match it {\n    db::Error::Full => a,\n    db::Error::Open => b,\n    db::Error::Foreign => d,\n    db::Error::Sql => c,\n}\n";
    let theirs = base.replace("db::Error", "Error");
    let expected = "match it {\n    Error::Full => a,\n    Error::Open => b,\n    db::Error::Foreign => d,\n    Error::Sql => c,\n}\n";
    lands(base, ours, &theirs, expected);
    lands(base, &theirs, ours, expected);
}

#[test]
fn two_rewrites_are_never_mixed() {
    let base =
        "start\nlet own = path_of(project);\nlet run = format(own, place);\nrun_it(run);\nend\n";
    let ours = "start\nlet mut own = path_of(&project);\ninstall(own);\nend\n";
    let theirs = "start\ncopy(path_of(project), measure);\nlet run = format(measure, place);\nrun_it(&run);\nend\n";
    is_held(base, ours, theirs);
    is_held(base, theirs, ours);
}

#[test]
fn a_sorted_list_of_which_one_side_leaves_two_names() {
    let base = "use it::{\n    MergeReport, OnDisplaced, Verdict,\n};\n";
    let ours = "use it::{\n    MergeReport, OnDisplaced, Review, Verdict,\n};\n";
    let theirs = "use it::{\n    MergeReport, Verdict,\n};\n";
    let expected = "use it::{\n    MergeReport, Review, Verdict,\n};\n";
    lands(base, ours, theirs, expected);
    lands(base, theirs, ours, expected);
}

#[test]
fn a_brace_that_both_put_in_with_other_blank_lines_around_it() {
    let (ours, theirs) = ("a\n}\n\nb\n", "a\n\n}\nb\n");
    lands("a\nb\n", ours, theirs, ours);
    lands("a\nb\n", theirs, ours, theirs);
}

#[test]
fn a_line_that_one_side_deleted_and_the_other_reworded_next_to_an_addition_of_both() {
    let base = "start\nsend mail to all\nend\n";
    let added = "start\nthe new rule\nend\n";
    let both = "start\nthe new rule\nsend mail to some\nend\n";
    is_held(base, added, both);
    is_held(base, both, added);
}

#[test]
fn deletions_that_overlap() {
    let base = "a\nb\nc\nd\ne\n";
    is_held(base, "a\nd\ne\n", "a\nb\ne\n");
    // Nor does a deletion of less bring the rest back.
    is_held(base, "a\ne\n", "a\nb\nd\ne\n");
    is_held(base, "a\nb\nd\ne\n", "a\ne\n");
}

#[test]
fn a_line_that_one_side_indents_and_the_other_deletes_is_not_dropped() {
    let base = "server:\n  port: 80\ntimeout: 5\nretries: 3\n";
    let indented = base.replace("timeout", "  timeout");
    let deleted = base.replace("timeout: 5\n", "");
    is_held(base, &indented, &deleted);
    let base = "def run(job):\n    begin(job)\n    notify(job)\n    end(job)\n";
    let wrapped = base.replace(
        "    notify(job)\n",
        "    if job.important:\n        notify(job)\n",
    );
    let deleted = base.replace("    notify(job)\n", "");
    is_held(base, &wrapped, &deleted);
}

/// Every version has `beta` twice: what the target moved must not come back where it was.
#[test]
fn lines_that_the_target_moved_do_not_come_back_where_they_are_twice() {
    let text = |lines: &str| {
        let lines = lines.split(' ').map(|line| match line.split_once('=') {
            Some((name, call)) => format!("{name} = {call}();\n"),
            None => format!("{line}();\n"),
        });
        lines.collect::<String>()
    };
    let base = text("alpha beta gamma delta beta alpha");
    let moved = text("beta alpha alpha beta gamma delta");
    let edited = text("first alpha beta gamma x=delta beta");
    is_held(&base, &moved, &edited);
}
