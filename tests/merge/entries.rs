//! Lines that both sides put in at one place in the same words: entries of one list land, ours first; two values of one thing
//! are held; and what both put in, one of them for more to see, is there once.

use crate::support::{BRANCH, Sandbox, text};
use grove::merge::Conclusion;

/// What comes of `one` on the target and `two` on the branch where the base has a `~`, and what the target has then.
fn merged(name: &str, base: &str, one: &str, two: &str) -> (Conclusion, String) {
    let [old, one, two] = ["", one, two].map(|new| base.replace('~', new));
    let sandbox = Sandbox::new(&[(name, &old)]);
    sandbox.commit(BRANCH, &[(name, text(&two))], "b");
    sandbox.commit("main", &[(name, text(&one))], "m");
    let report = sandbox.merge();
    (report.conclusion, sandbox.show("main", name))
}

#[test]
fn entries_in_the_same_words_land_beside_each_other() {
    for (name, base, one, two) in [
        (
            "go.mod",
            "require (\n\tgithub.com/x/y v1.2.3\n~)\n",
            "\tgithub.com/a/b v1.0.0\n",
            "\tgithub.com/c/d v2.0.1\n",
        ),
        (
            "Gemfile",
            "gem 'rails'\n~",
            "gem 'pg', '~> 1.5'\n",
            "gem 'puma', '~> 6.0'\n",
        ),
        (
            "t.rs",
            "fn t() {\n    let x = f();\n~}\n",
            "    assert_eq!(g(\"a\"), 2);\n",
            "    assert_eq!(g(\"b\"), 3);\n",
        ),
        (
            "seed.sql",
            "SELECT 1;\n~",
            "INSERT INTO t (id, name) VALUES (2, 'b');\n",
            "INSERT INTO t (id, name) VALUES (3, 'c');\n",
        ),
    ] {
        for (one, two) in [(one, two), (two, one)] {
            let both = base.replace('~', &format!("{one}{two}"));
            let expected = (Conclusion::Landed, both);
            assert_eq!(merged(name, base, one, two), expected, "{name}");
        }
    }
}

#[test]
fn two_values_of_one_thing_are_held() {
    let rows = "INSERT INTO t (id, name) VALUES\n  (1, 'a'),\n~  (9, 'z');\n";
    let asserted = "fn t() {\n    let x = f();\n~}\n";
    for (name, base, one, two) in [
        ("seed.sql", rows, "  (2, 'b'),\n", "  (2, 'c'),\n"),
        (
            "t.rs",
            asserted,
            "    assert_eq!(x, 2);\n",
            "    assert_eq!(x, 3);\n",
        ),
        (
            "Gemfile",
            "gem 'a'\n~",
            "gem 'pg', '1'\n",
            "gem 'pg', '2'\n",
        ),
    ] {
        for (one, two) in [(one, two), (two, one)] {
            let ours = base.replace('~', one);
            let expected = (Conclusion::Held, ours);
            assert_eq!(merged(name, base, one, two), expected, "{name}");
        }
    }
}

#[test]
fn what_one_side_shows_to_more_is_shown_once() {
    let (name, base) = ("lib.rs", "//! About.\n\npub mod a;\n~");
    let (one, two) = ("mod b;\nmod c;\n", "pub mod b;\nmod c;\n");
    for (one, two) in [(one, two), (two, one)] {
        let wider = base.replace('~', "pub mod b;\nmod c;\n");
        let expected = (Conclusion::Landed, wider);
        assert_eq!(merged(name, base, one, two), expected);
    }
}

#[test]
fn imports_that_both_sides_broke_into_lines_are_joined() {
    let base = "use super::{Answer, Compose, Confirm};\n\nfn f() {}\n";
    let [one, two, both] = [
        "use super::{\n    Answer, Compose, Confirm, Filter,\n};",
        "use super::{\n    Answer, Confirm, Help,\n};",
        "use super::{Answer, Confirm, Filter, Help};",
    ]
    .map(|list| base.replace("use super::{Answer, Compose, Confirm};", list));
    for (ours, theirs) in [(&one, &two), (&two, &one)] {
        let sandbox = Sandbox::new(&[("a.rs", base)]);
        sandbox.commit(BRANCH, &[("a.rs", text(theirs))], "b");
        sandbox.commit("main", &[("a.rs", text(ours))], "m");
        let report = sandbox.merge();
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        assert_eq!(sandbox.show("main", "a.rs"), both);
    }
}
