//! Lists, settings and names that both sides added to: what comes out is what a careful person would have
//! written, and what would be there twice under one name is left to one.

use grove::merge::Conclusion;

use crate::edges::held_both_ways;
use crate::settling::{is_held, lands};
use crate::support::{BRANCH, Sandbox, text};

#[test]
fn a_setting_that_both_added_with_different_values_is_not_written_twice() {
    let with = |entry: &str| format!("{{\n  \"a\": \"1\",\n{entry}  \"z\": \"9\"\n}}\n");
    is_held(
        &with(""),
        &with("  \"label\": \"1.4.3\",\n"),
        &with("  \"label\": \"3.13.8\",\n"),
    );
    lands(
        &with(""),
        &with("  \"label\": \"1.4.3\",\n"),
        &with("  \"order\": \"1.4.3\",\n"),
        &with("  \"label\": \"1.4.3\",\n  \"order\": \"1.4.3\",\n"),
    );
}

#[test]
fn a_function_that_both_added_under_one_name_is_not_there_twice() {
    let base = "fn a() {\n    one();\n}\n";
    let with = |name: &str, body: &str| format!("{base}\nfn {name}() {{\n{body}}}\n");
    let ours = with("load", "    open();\n    read();\n    parse();\n");
    is_held(
        base,
        &ours,
        &with("load", "    fetch();\n    wait();\n    decode();\n"),
    );
    let theirs = with("save", "    fetch();\n    wait();\n    decode();\n");
    let both = format!("{ours}{}", theirs.strip_prefix(base).unwrap());
    lands(base, &ours, &theirs, &both);
}

#[test]
fn what_both_put_into_a_sorted_list_is_in_its_order() {
    let list = |names: &[&str]| -> String {
        let lines = names.iter().map(|name| format!("pub mod {name};\n"));
        lines.collect()
    };
    lands(
        &list(&["account", "batch", "suggestion", "user"]),
        &list(&["account", "batch", "suggestion", "token", "user"]),
        &list(&["account", "batch", "suggestion", "thread", "tiger", "user"]),
        &list(&[
            "account",
            "batch",
            "suggestion",
            "thread",
            "tiger",
            "token",
            "user",
        ]),
    );
    // An order that the list does not keep says nothing.
    lands(
        &list(&["user", "batch", "account"]),
        &list(&["user", "batch", "account", "token"]),
        &list(&["user", "batch", "account", "thread"]),
        &list(&["user", "batch", "account", "token", "thread"]),
    );
}

#[test]
fn a_last_entry_that_one_side_moved_and_the_other_put_something_after() {
    let list = |entries: &[&str]| {
        let lines: Vec<String> = entries.iter().map(|e| format!("  \"{e}\": 1")).collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    };
    lands(
        &list(&["a", "c", "x", "b"]),
        &list(&["a", "c", "x", "b", "new"]),
        &list(&["a", "b", "c", "x"]),
        &list(&["a", "b", "c", "x", "new"]),
    );
    lands(
        &list(&["a", "c", "x", "b", "d"]),
        &list(&["a", "b", "c", "d", "x"]),
        &list(&["a", "c", "x", "b", "d", "new", "newer"]),
        &list(&["a", "b", "c", "d", "x", "new", "newer"]),
    );
}

#[test]
fn names_that_both_put_at_the_same_place_of_a_sorted_import() {
    let line = |names: &str| format!("use crate::model::{{{names}}};\nfn a() {{}}\n");
    lands(
        &line("Filter, Probe"),
        &line("Cache, Filter, Probe"),
        &line("Batch, Event, Filter, Probe"),
        &line("Batch, Cache, Event, Filter, Probe"),
    );
    let python = |names: &str| format!("from .model import {names}\n\nx = 1\n");
    lands(
        &python("Cart, User"),
        &python("Cart, Item, User"),
        &python("Cart, Order, User"),
        &python("Cart, Item, Order, User"),
    );
    let call = |names: &str| format!("run({{{names}}});\nfn a() {{}}\n");
    is_held(&call("b, c"), &call("a1, b, c"), &call("a2, b, c"));
}

#[test]
fn arguments_that_both_put_into_one_call_are_held() {
    for (base, entry) in [
        ("let it = call(\n    one,\n    two,\n);\n", "    {},\n"),
        (
            "fn call(\n    one: &str,\n    two: u8,\n) {}\n",
            "    {}: u8,\n",
        ),
        ("it = call(\n    one,\n    two,\n)\n", "    \"{}\",\n"),
    ] {
        let end = base.rfind(")").unwrap();
        let with = |word: &str| {
            let (head, tail) = base.split_at(end);
            format!("{head}{}{tail}", entry.replace("{}", word))
        };
        held_both_ways(base, &with("three"), &with("four"));
    }
    let base = "call(\n  one,\n  two\n)\n";
    held_both_ways(
        base,
        &base.replace("two\n", "two,\n  three\n"),
        &base.replace("two\n", "two,\n  four\n"),
    );
    // These say which they are, or are names of which the order says nothing.
    let base = "it = call(\n    one=1,\n)\n";
    let with = |more: &str| base.replace("1,\n", &format!("1,\n{more}"));
    lands_both_ways_in_any_order(base, &with("    two=2,\n"), &with("    three=3,\n"));
    let base = "from m import (\n    One,\n)\n";
    let with = |more: &str| base.replace("One,\n", &format!("One,\n{more}"));
    lands_both_ways_in_any_order(base, &with("    Two,\n"), &with("    Three,\n"));
}

/// Both ways something lands, with the same lines.
fn lands_both_ways_in_any_order(base: &str, one: &str, two: &str) {
    let landed = |ours: &str, theirs: &str| {
        let sandbox = Sandbox::new(&[("f", base)]);
        sandbox.commit(BRANCH, &[("f", text(theirs))], "b");
        sandbox.commit("main", &[("f", text(ours))], "m");
        let report = sandbox.merge();
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        let found = sandbox.show("main", "f");
        let mut lines: Vec<String> = found.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let found = landed(one, two);
    assert_eq!(found, landed(two, one));
    let has = |text: &str| text.lines().all(|line| found.iter().any(|l| l == line));
    assert!(has(one) && has(two), "{found:?}");
}

#[test]
fn a_number_that_both_give_to_the_next_item_is_held() {
    let base = "# To do\n\n1. one\n2. two\n   of them\n\nEnd\n";
    let with = |more: &str| base.replace("them\n", &format!("them\n{more}"));
    held_both_ways(base, &with("3. three\n"), &with("3. other\n   thing\n"));
    held_both_ways(
        base,
        &with("3. three\n4. four\n"),
        &with("3. another one\n"),
    );
    // A list that counts nothing.
    let base = "# To do\n\n1. one\n1. two\n\nEnd\n";
    let with = |more: &str| base.replace("two\n", &format!("two\n{more}"));
    lands_both_ways_in_any_order(
        base,
        &with("1. walk the dog\n"),
        &with("1. buy some milk\n"),
    );
}

#[test]
fn a_key_that_would_be_there_twice_is_held() {
    for (file, base, one, two) in [
        (
            "a.json",
            "{\n  \"d\": {\n    \"p\": 1\n  }\n}\n",
            "{\n  \"d\": {\n    \"p\": 1,\n    \"k\": 1\n  }\n}\n",
            "{\n  \"d\": {\n    \"k\": 2,\n    \"p\": 1\n  }\n}\n",
        ),
        (
            "a.yaml",
            "d:\n  p: one\n  q: two\n",
            "d:\n  p: three\n  k: 1\n  q: two\n",
            "d:\n  k: 2\n  p: one\n  q: four\n",
        ),
    ] {
        for (ours, theirs) in [(one, two), (two, one)] {
            let sandbox = Sandbox::new(&[(file, base)]);
            sandbox.commit(BRANCH, &[(file, text(theirs))], "b");
            sandbox.commit("main", &[(file, text(ours))], "m");
            let report = sandbox.merge();
            assert_eq!(report.conflict_files, [file], "git merges this by itself");
            assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
        }
    }
}
