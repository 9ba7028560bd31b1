//! Lines that both sides put in at one place and that look like two versions of one thing, but are two: both land. Their
//! like that is one thing is held.

use crate::support::{held_both_ways, merged};
use grove::merge::Conclusion;

/// The sides put `one` and `two` where the base has a `~`; ours stands first.
fn lands(file: &str, base: &str, one: &str, two: &str) {
    for (ours, theirs) in [(one, two), (two, one)] {
        let with = |new: &str| base.replace('~', new);
        let (conclusion, found) = merged(file, &with(""), &with(ours), &with(theirs));
        assert_eq!(conclusion, Conclusion::Landed, "{file}: {ours}{theirs}");
        let lines = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        let whole = with(&format!("{ours}{theirs}"));
        assert_eq!(lines(&found), lines(&whole), "{file}");
    }
}

fn held(file: &str, base: &str, one: &str, two: &str) {
    let with = |new: &str| base.replace('~', new);
    held_both_ways(file, &with(""), &with(one), &with(two));
}

#[test]
fn two_keys_of_yaml_without_a_value_land_where_nothing_follows_that_could_be_theirs() {
    lands("a.yml", "volumes:\n  data:\n~", "  cache:\n", "  logs:\n");
    let on = "on:\n  push:\n~\n# About it.\njobs:\n  a: 1\n";
    lands("a.yml", on, "  pull_request:\n", "  workflow_dispatch:\n");
    lands("a.yml", "a: 1\n~", "b:\n", "c:\n");
    held("a.yml", "a: 1\n~  x: 1\n", "b:\n", "c:\n");
    held("a.yml", "a:\n- 1\n~- 2\n", "b:\n", "c:\n");
    held("a.txt", "Text.\n~", "Install:\n", "Usage:\n");
}

#[test]
fn style_sheets_that_each_side_brings_in_land_also_where_there_is_none_yet() {
    let rules = "~.a {\n  color: red;\n}\n";
    lands(
        "a.css",
        rules,
        "@import \"b.css\";\n",
        "@import \"c.css\";\n",
    );
    lands("a.scss", rules, "@use 'b';\n", "@use 'c';\n");
    held("a.scss", rules, "@use 'x/b';\n", "@use 'y/b';\n");
    held("a.scss", rules, "@use 'b' as q;\n", "@use 'c' as q;\n");
    held("a.css", rules, "@charset \"a\";\n", "@charset \"b\";\n");
}

#[test]
fn clauses_for_exceptions_of_the_language_that_are_apart_land() {
    let base = "try:\n    a()\nexcept OSError:\n    x()\n~";
    let (one, two) = (
        "except KeyError:\n    b()\n",
        "except TypeError as e:\n    c(e)\n",
    );
    lands("a.py", base, one, two);
    held("a.py", base, one, "except KeyError:\n    c()\n");
    // One may be a kind of the other, and then only the first one would ever be asked.
    held("a.py", base, one, "except LookupError:\n    c()\n");
    held("a.py", base, one, "except Own:\n    c()\n");
    held("a.py", base, one, "except:\n    c()\n");
}
