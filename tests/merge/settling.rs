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
fn a_deletion_next_to_an_edit_or_an_insertion() {
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
    lands(
        base,
        "one\nthree\nfour\n",
        "one\ntwo\nnew\nthree\nfour\n",
        "one\nnew\nthree\nfour\n",
    );
    lands(
        base,
        "one\nthree\nfour\n",
        "one\nnew\ntwo\nthree\nfour\n",
        "one\nnew\nthree\nfour\n",
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
    lands(
        one,
        &both,
        &one.replace("pay(account", "pay( account"),
        &both,
    );
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
