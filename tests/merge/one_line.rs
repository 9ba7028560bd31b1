//! One line that both sides changed, each at another place of it: two changes of one expression are not woven. The same
//! both ways.

use crate::support::{held_both_ways, lands_both_ways};

/// The line between others, so that git compares no more than it.
fn file(line: &str) -> String {
    format!("top()\nmid()\n{line}\nend()\nlast()\n")
}

#[test]
fn two_mends_of_one_comparison_choice_or_product_are_held() {
    for (base, one, two) in [
        (
            "for (let i = 0; i < n; i++) {",
            "for (let i = 0; i <= n; i++) {",
            "for (let i = 0; i < n + 1; i++) {",
        ),
        (
            "return a ? b : c;",
            "return a ? c : b;",
            "return !a ? b : c;",
        ),
        (
            "const TIMEOUT = 30 * 1000;",
            "const TIMEOUT = 60 * 1000;",
            "const TIMEOUT = 30 * 60 * 1000;",
        ),
        ("assert x == 1", "assert x == 2", "assert y == 1"),
        (
            "expect(f(a)).toBe(1);",
            "expect(f(a)).not.toBe(1);",
            "expect(f(a)).toBe(2);",
        ),
        (
            "Up to 1,000 users are allowed.",
            "Up to 2,000 users are allowed.",
            "Up to 1,500 users are allowed.",
        ),
        ("x = f(1)", "# x = f(1)", "x = f(1, 2)"),
    ] {
        held_both_ways("a.ts", &file(base), &file(one), &file(two));
    }
}

#[test]
fn changes_of_two_arguments_or_conditions_of_a_line_land() {
    for (base, one, two, both) in [
        (
            "let it = build(launch, &paths, input)?;",
            "let it = build(launch, runtime, &paths, input)?;",
            "let it = build(launch, &paths, input, guarded)?;",
            "let it = build(launch, runtime, &paths, input, guarded)?;",
        ),
        (
            "if (user.age > 18 && user.ok) {",
            "if (user.age >= 18 && user.ok) {",
            "if (user.age > 18 && user.isOk) {",
            "if (user.age >= 18 && user.isOk) {",
        ),
    ] {
        lands_both_ways("a.ts", &file(base), &file(one), &file(two), &file(both));
    }
}

#[test]
fn what_both_put_in_at_two_places_of_a_line_is_there_once_or_held() {
    for (base, one, two, both) in [
        (
            "#[derive(Debug, PartialEq)]",
            "#[derive(Clone, Debug, PartialEq)]",
            "#[derive(Debug, PartialEq, Clone)]",
            "#[derive(Debug, PartialEq, Clone)]",
        ),
        (
            "import { a } from 'x';",
            "import { a, b } from 'x';",
            "import { b, a, c } from 'x';",
            "import { a, b, c } from 'x';",
        ),
        (
            "__all__ = [\"a\"]",
            "__all__ = [\"a\", \"b\"]",
            "__all__ = [\"b\", \"a\", \"c\"]",
            "__all__ = [\"a\", \"b\", \"c\"]",
        ),
    ] {
        lands_both_ways("a.ts", &file(base), &file(one), &file(two), &file(both));
    }
    for (base, one, two) in [
        (
            "func F(ctx Context, id int) error {",
            "func F(ctx Context, name string, id int) error {",
            "func F(ctx Context, id int, name string) error {",
        ),
        (
            "SELECT id, name FROM t;",
            "SELECT id, email, name FROM t;",
            "SELECT id, name, email FROM t;",
        ),
        (
            "CREATE TABLE t (id int, name text);",
            "CREATE TABLE t (id int, email text, name text);",
            "CREATE TABLE t (id int, name text, email varchar(9));",
        ),
        (
            "<Foo a=\"1\">",
            "<Foo a=\"1\" b=\"2\">",
            "<Foo b=\"3\" a=\"1\">",
        ),
    ] {
        held_both_ways("a.go", &file(base), &file(one), &file(two));
    }
}
