//! Lists, settings and names that both sides added to: what comes out is what a careful person would have
//! written, and what would be there twice under one name is left to one.

use crate::settling::{is_held, lands};

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
