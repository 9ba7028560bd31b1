//! One name that both sides give to different things, in files whose language is known by their name: held the same both
//! ways, and landed where it is no second one.

use crate::support::{BRANCH, Sandbox, text};
use grove::merge::Conclusion;

fn merged(name: &str, [base, ours, theirs]: [&str; 3]) -> (Conclusion, String) {
    let sandbox = Sandbox::new(&[(name, base)]);
    sandbox.commit(BRANCH, &[(name, text(theirs))], "b");
    sandbox.commit("main", &[(name, text(ours))], "m");
    let report = sandbox.merge();
    (report.conclusion, sandbox.show("main", name))
}

/// The sides put `one` and `two` where the base has a `~`.
fn both_ways(name: &str, base: &str, one: &str, two: &str, expected: &Conclusion) {
    let [old, one, two] = ["", one, two].map(|new| base.replace('~', new));
    for [ours, theirs] in [[&one, &two], [&two, &one]] {
        let (conclusion, landed) = merged(name, [&old, ours, theirs]);
        assert_eq!(&conclusion, expected, "{name}:\n{landed}");
    }
}

#[test]
fn one_name_that_both_sides_bind_is_held_as_the_target_has_it() {
    for (name, base, one, two) in [
        (
            "C.java",
            "import q.A;\n~\nclass C {}\n",
            "import a.X;\n",
            "import b.X;\n",
        ),
        (
            "m.sql",
            "SELECT 1;\n~",
            "ALTER TABLE t ADD COLUMN b int;\n",
            "ALTER TABLE t ADD COLUMN b text;\n",
        ),
        ("call.py", "f(a~)\n", ", x=1", ", x=2"),
        (
            "notes.md",
            "Text.\n\n[^1]: One.\n~",
            "[^2]: Two.\n",
            "[^2]: Quite another.\n",
        ),
    ] {
        both_ways(name, base, one, two, &Conclusion::Held);
    }
}

#[test]
fn one_name_in_two_scopes_lands() {
    let fields = [
        "\nstruct B {\n    name: u8,\n}\n",
        "\nstruct C {\n    id: u64,\n    name: String,\n}\n",
    ];
    let base = "struct A {\n    name: u8,\n}\n~";
    both_ways("a.rs", base, fields[0], fields[1], &Conclusion::Landed);
}
