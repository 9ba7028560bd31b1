//! Halves of two versions that make a third one, which neither side wrote: operators of both in one expression, two ends
//! of one statement, one name, pattern or route for two things. Somebody decides; the same both ways.

use crate::edges::{held_both_ways, lands_both_ways};

#[test]
fn a_statement_that_both_sides_go_on_with_at_its_end_is_not_cut_in_two() {
    for (base, one, two) in [
        (
            "const x =\n  a;\n",
            "const x =\n  a +\n  b;\n",
            "const x =\n  a +\n  c;\n",
        ),
        (
            "run a \\\n  b\n",
            "run a \\\n  b \\\n  c\n",
            "run a \\\n  b \\\n  d\n",
        ),
        (
            "let b = B::new()\n    .a()\n    .b();\n",
            "let b = B::new()\n    .a()\n    .b()\n    .c();\n",
            "let b = B::new()\n    .a()\n    .b()\n    .d();\n",
        ),
        (
            "get(x)\n  .then(a);\n",
            "get(x)\n  .then(a)\n  .then(b);\n",
            "get(x)\n  .then(a)\n  .catch(c);\n",
        ),
        (
            "INSERT INTO t VALUES\n(1,'a');\n",
            "INSERT INTO t VALUES\n(1,'a'),\n(2,'b');\n",
            "INSERT INTO t VALUES\n(1,'a'),\n(2,'c');\n",
        ),
        (
            "SELECT * FROM t\nWHERE a = 1;\n",
            "SELECT * FROM t\nWHERE a = 1\n  AND b = 2;\n",
            "SELECT * FROM t\nWHERE a = 1\n  AND c = 3;\n",
        ),
        (
            "RUN apt-get update \\\n && apt-get install a\n",
            "RUN apt-get update \\\n && apt-get install a \\\n && rm -rf /x\n",
            "RUN apt-get update \\\n && apt-get install a \\\n && apt-get install b\n",
        ),
        (
            "return a\n  && b;\n",
            "return a\n  && b\n  && c;\n",
            "return a\n  && b\n  || d;\n",
        ),
    ] {
        held_both_ways(base, one, two);
    }
}

#[test]
fn operators_of_both_sides_that_bind_in_another_way_are_not_woven_into_one_condition() {
    for (base, one, two) in [
        (
            "  if (isOwner(u) && active) {\n    open();\n  }\n",
            "  if (isOwner(u) && active || isStaff(u)) {\n    open();\n  }\n",
            "  if (!locked && isOwner(u) && active) {\n    open();\n  }\n",
        ),
        (
            "    return owner and active\n",
            "    return owner and active or staff\n",
            "    return not locked and owner and active\n",
        ),
        (
            "return a && b;\n",
            "return a && b || c;\n",
            "return d && a && b;\n",
        ),
        ("x = a\n", "x = a or b\n", "x = not a\n"),
        ("x = a + b\n", "x = k * a + b\n", "x = a + b - c\n"),
    ] {
        held_both_ways(base, one, two);
    }
}

#[test]
fn operators_of_both_sides_that_bind_in_another_way_are_not_put_into_one_condition_of_several_lines()
 {
    for (base, one, two) in [
        (
            "SELECT id FROM docs\nWHERE owner = $1\nORDER BY id;\n",
            "SELECT id FROM docs\nWHERE owner = $1 OR public\nORDER BY id;\n",
            "SELECT id FROM docs\nWHERE owner = $1\n  AND tenant = $2\nORDER BY id;\n",
        ),
        (
            "allowed = (\n    is_owner(doc)\n)\n",
            "allowed = (\n    is_owner(doc) or doc.public\n)\n",
            "allowed = (\n    is_owner(doc)\n    and not doc.archived\n)\n",
        ),
        (
            "if (\n  user.active &&\n  user.verified\n) {\n",
            "if (\n  user.active ||\n  user.verified\n) {\n",
            "if (\n  user.active &&\n  !user.banned &&\n  user.verified\n) {\n",
        ),
        (
            "if (\n  user.active &&\n  user.verified\n) {\n",
            "if (\n  user.active ||\n  user.verified\n) {\n",
            "if (\n  user.active &&\n  user.verified && !user.banned\n) {\n",
        ),
    ] {
        held_both_ways(base, one, two);
    }
    // One kind may follow itself in any number, and brackets hold together what is in them.
    let base = "allowed = (\n    is_owner(doc)\n)\n";
    let and = "    and not doc.archived\n";
    for owner in ["is_owner(doc) and doc.public", "is_owner(doc or other)"] {
        lands_both_ways(
            base,
            &base.replace("is_owner(doc)", owner),
            &base.replace("(doc)\n", &format!("(doc)\n{and}")),
            &base.replace("is_owner(doc)\n", &format!("{owner}\n{and}")),
        );
    }
}

#[test]
fn one_name_for_two_kinds_of_things_is_held() {
    for (base, one, two) in [
        (
            "export function a() {}\n",
            "\nexport const b = (x) => x;\n",
            "\nexport function b(x) {\n  return x;\n}\n",
        ),
        (
            "import a from 'a';\n",
            "\nexport const save = async (u) => {\n  await put(u);\n};\n",
            "\nexport async function save(user) {\n  return db.save(user);\n}\n",
        ),
        ("setup();\n", "let port = 1;\n", "function port() {}\n"),
        (
            "class A:\n    x = 1\n",
            "    y = 2\n",
            "    def y(self):\n        return 3\n",
        ),
        (
            "class A {\n  a() {}\n",
            "  get b() { return 1; }\n",
            "  b() { return 2; }\n",
        ),
    ] {
        held_both_ways(base, &format!("{base}{one}"), &format!("{base}{two}"));
    }
}

#[test]
fn two_answers_for_one_pattern_or_route_are_held() {
    let base = "match x {\n    A => 1,\n    _ => 0,\n}\n";
    let with = |arm: &str| base.replace("    _", &format!("    {arm}\n    _"));
    held_both_ways(base, &with("B | C => 2,"), &with("C => 3,"));
    for (base, one, two) in [
        (
            "r.GET(\"/a\", a)\n",
            "r.GET(\"/b\", one)\n",
            "r.GET(\"/b\", other)\n",
        ),
        (
            "app.get('/a', a);\n",
            "app.get('/b', (q) => {\n  one(q);\n});\n",
            "app.get('/b', check, other);\n",
        ),
    ] {
        held_both_ways(base, &format!("{base}{one}"), &format!("{base}{two}"));
    }
}
