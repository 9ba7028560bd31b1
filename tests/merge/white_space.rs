//! White space that one side changed within a line: it is what that side says, and no line of it goes without a word.

use grove::merge::Conclusion;

use crate::support::{held_both_ways, merged};

#[test]
fn white_space_within_a_line_that_the_other_side_reworded_is_never_dropped() {
    for (name, base, spaced, reworded) in [
        ("a.sh", "rm -rf $D /tmp", "rm -rf $D/tmp", "rm -rf $D /tmp2"),
        ("a.yml", "key:value", "key: value", "key:other"),
        ("b.yml", "port:80", "port: 80", "port:8080"),
        ("b.sh", "B= 2", "B=2", "B= 3"),
        ("a.md", "First line", "First line  ", "First line here"),
        ("a.rs", "    x(1,2);", "    x(1, 2);", "    x(1,3);"),
    ] {
        let file = |line: &str| format!("{line}\nz\n");
        held_both_ways(name, &file(base), &file(spaced), &file(reworded));
    }
}

#[test]
fn white_space_within_a_line_stays_when_the_other_side_puts_lines_in_beside_it() {
    for (name, base, spaced, more) in [
        (
            "a.yml",
            "key:value\n",
            "key: value\n",
            "key:value\nnew: 2\n",
        ),
        (
            "a.sh",
            "rm -rf $D /tmp\n",
            "rm -rf $D/tmp\n",
            "rm -rf $D /tmp\nls\n",
        ),
        ("b.md", "-item\n", "- item\n", "-item\n-item two\n"),
        ("m.md", "one\ntwo\n", "one  \ntwo\n", "one\nnew\ntwo\n"),
        (
            "l.yml",
            "a:1\nb:2\nc:3\nd:4\n",
            "a: 1\nb: 2\nc: 3\nd: 4\n",
            "a:1\nb:2\nx:9\nc:3\nd:4\n",
        ),
    ] {
        for (ours, theirs) in [(spaced, more), (more, spaced)] {
            let (conclusion, found) = merged(name, base, ours, theirs);
            if conclusion == Conclusion::Landed {
                let is_there = |line: &str| found.lines().any(|there| there == line);
                assert!(spaced.lines().all(is_there), "{name}: {found}");
            }
        }
    }
}
