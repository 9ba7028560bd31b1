//! What one side puts in at the edge of what the other one took away, wrote anew or put elsewhere: it may belong to that,
//! and then it means nothing where it would land. Somebody decides, unless each stands for itself. The same both ways.

use grove::merge::Conclusion;

use crate::settling::{is_held, lands};
use crate::support::{BRANCH, Sandbox, text};

pub(crate) fn held_both_ways(base: &str, one: &str, two: &str) {
    is_held(base, one, two);
    is_held(base, two, one);
}

pub(crate) fn lands_both_ways(base: &str, one: &str, two: &str, expected: &str) {
    lands(base, one, two, expected);
    lands(base, two, one, expected);
}

const ORDERS: &str = "def show(user):\n    rows = all(user)\n    return rows\n\n\ndef export(user):\n    return csv(user)\n\n\n\
                      def purge(user):\n    if user.trial:\n        wipe(user)\n    else:\n        warn(user)\n";

#[test]
fn a_line_put_in_at_the_edge_of_what_the_other_side_removed_does_not_move_to_its_neighbour() {
    let without_else = ORDERS.replace("    else:\n        warn(user)\n", "");
    held_both_ways(
        ORDERS,
        &without_else,
        &ORDERS.replace(
            "        warn(user)\n",
            "        warn(user)\n        wipe(user)\n",
        ),
    );
    let export = "def export(user):\n    return csv(user)\n\n\n";
    held_both_ways(
        ORDERS,
        &ORDERS.replace(export, ""),
        &ORDERS.replace("def export", "@auth.public\ndef export"),
    );
    let steps = "steps:\n  - name: lint\n    run: lint\n  - name: test\n    run: test\n";
    held_both_ways(
        steps,
        &steps.replace("  - name: lint\n    run: lint\n", ""),
        &steps.replace("    run: lint\n", "    run: lint\n    env: x\n"),
    );
    let tables = "[a]\nx = 1\n[b]\ny = 2\n[c]\nz = 3\n";
    held_both_ways(
        tables,
        &tables.replace("[b]\ny = 2\n", ""),
        &tables.replace("y = 2\n", "y = 2\nsecret = 3\n"),
    );
    let tests = "    #[test]\n    fn a() {}\n\n    fn helper() {}\n\n    fn keep() {}\n";
    held_both_ways(
        tests,
        &tests.replace("    fn helper() {}\n\n", ""),
        &tests.replace("    fn helper", "    #[test]\n    #[ignore]\n    fn helper"),
    );
}

#[test]
fn what_uses_a_definition_is_not_parted_from_it() {
    held_both_ways(
        "func f() {\n\ta, err := get()\n\tuse(a)\n}\n",
        "func f() {\n\ta := must()\n\tuse(a)\n}\n",
        "func f() {\n\ta, err := get()\n\tif err != nil {\n\t\treturn\n\t}\n\tuse(a)\n}\n",
    );
    held_both_ways(
        "[x]\nsize = 1\nlast = 2\n",
        "[x]\nlast = 2\n",
        "[x]\nsize = 1\ntwice = \"size\"\nlast = 2\n",
    );
}

#[test]
fn entries_of_a_list_and_whole_functions_stand_for_themselves() {
    let list = "- one\n- two\n- three\n";
    lands_both_ways(
        list,
        "- one\n- three\n",
        "- one\n- two\n- new\n- three\n",
        "- one\n- new\n- three\n",
    );
    let fields = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n";
    lands_both_ways(
        fields,
        &fields.replace("  \"b\": 2,\n", ""),
        &fields.replace("  \"b\"", "  \"new\": 4,\n  \"b\""),
        &fields.replace("  \"b\": 2", "  \"new\": 4"),
    );
    let functions =
        "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n\nfn c() {\n    three();\n}\n";
    let b = "fn b() {\n    two();\n}\n\n";
    let new = "fn new() {\n    four();\n}\n\n";
    lands_both_ways(
        functions,
        &functions.replace(b, ""),
        &functions.replace("fn c", &format!("{new}fn c")),
        &functions.replace(b, new),
    );
    let changes = "# Log\n\n- a thing that\n  was done\n";
    lands_both_ways(
        changes,
        "# Log\n\n- a thing that\n  is quite another\n  one now\n",
        &format!("{changes}- one more\n"),
        "# Log\n\n- a thing that\n  is quite another\n  one now\n- one more\n",
    );
}

#[test]
fn a_line_put_in_at_the_edge_of_what_the_other_side_indents_is_not_guessed_to_be_in_it() {
    let base = "def run(job):\n    begin(job)\n    work(job)\n    end(job)\n";
    let wrapped =
        "def run(job):\n    begin(job)\n    if job.ready:\n        work(job)\n    end(job)\n";
    held_both_ways(
        base,
        wrapped,
        &base.replace("    work(job)\n", "    work(job)\n    log(job)\n"),
    );
    let tabs = base.replace("    ", "\t");
    held_both_ways(base, &tabs, &format!("{base}    close(job)\n"));
}

#[test]
fn a_block_that_one_side_moved_with_changes_and_the_other_edited_is_there_once() {
    let block = "fn total(o: &O) {\n    let sum = o.sum();\n    sum + o.shipping\n}\n\n";
    let rest = "fn open() {\n    one();\n}\n\nfn ship() {\n    two();\n}\n\n";
    let base = format!("{rest}{block}fn close() {{}}\n");
    let moved = block
        .replace("sum()", "items.sum()")
        .replace("fn", "pub fn");
    let moved = format!("{moved}{rest}fn close() {{}}\n");
    let edited = base.replace("o.shipping", "o.shipping + o.tax");
    held_both_ways(&base, &moved, &edited);
}

#[test]
fn what_belongs_to_the_next_line_stays_with_it() {
    let base = "def a():\n    pass\n\ndef b():\n    x()\n";
    let new = "def new():\n    n()\n\n";
    lands_both_ways(
        base,
        &base.replace("def b", &format!("{new}def b")),
        &base.replace("def b", "@login_required\ndef b"),
        &base.replace("def b", &format!("{new}@login_required\ndef b")),
    );
    held_both_ways(
        base,
        &base.replace("def b", "@admin\ndef b"),
        &base.replace("def b", "@login_required\ndef b"),
    );
}

#[test]
fn two_versions_of_one_thing_are_not_both_there() {
    let tried = "try:\n    go()\nexcept A:\n    pass\nend()\n";
    let with = |clause: &str| tried.replace("end()", &format!("{clause}end()"));
    held_both_ways(
        tried,
        &with("finally:\n    x()\n"),
        &with("except B:\n    y()\n"),
    );
    for (base, one, two) in [
        (
            "type T struct {\n\tName string\n",
            "\tAge int\n",
            "\tAge string\n",
        ),
        (
            "enum E {\n    A = 1,\n    B = 2,\n",
            "    C = 3,\n",
            "    D = 3,\n",
        ),
        (
            "use a::A;\nfn f() {}\n",
            "use b::Result;\n",
            "use c::Result;\n",
        ),
        ("log(a)\n", "return a\n", "return a + 1\n"),
        (
            "const a = 1;\n",
            "export default a;\n",
            "export default f();\n",
        ),
    ] {
        held_both_ways(base, &format!("{base}{one}"), &format!("{base}{two}"));
    }
}

#[test]
fn a_file_that_its_format_would_refuse_is_not_landed() {
    let file =
        |entries: &str| format!("{{\n  \"name\": \"shop\",\n  \"all\": {{\n{entries}  }}\n}}\n");
    let pad = "    \"left-pad\": \"1\"\n";
    let (removed, added) = (file(""), file(&format!("    \"fast\": \"5\",\n{pad}")));
    for (ours, theirs) in [(&removed, &added), (&added, &removed)] {
        let sandbox = Sandbox::new(&[("package.json", &file(pad))]);
        sandbox.commit(BRANCH, &[("package.json", text(theirs))], "b");
        sandbox.commit("main", &[("package.json", text(ours))], "m");
        let report = sandbox.merge();
        assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    }
}
