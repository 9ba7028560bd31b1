//! Lines whose order decides what they do, put in by both sides at one place: the arm for all the rest stands last, and what
//! nobody can put in order is held. The same both ways.

use crate::support::{held_both_ways, lands_both_ways, merged};

#[test]
fn an_arm_for_all_the_rest_stands_after_the_arm_of_the_other_side() {
    for (file, before, rest, arm, after) in [
        (
            "a.rs",
            "match x {\n    A => 1,\n",
            "    _ => 0,\n",
            "    B => 2,\n",
            "}\n",
        ),
        (
            "a.py",
            "match x:\n    case None:\n        a()\n",
            "    case _:\n        z()\n",
            "    case 1:\n        b()\n",
            "",
        ),
        (
            "a.go",
            "switch x {\ncase 1:\n\ta()\n",
            "default:\n\tz()\n",
            "case 2:\n\tb()\n",
            "}\n",
        ),
        (
            "a.sh",
            "case $1 in\n  a) start ;;\n",
            "  *) usage ;;\n",
            "  b) end_it ;;\n",
            "esac\n",
        ),
        (
            "a.kt",
            "when (x) {\n    1 -> a()\n",
            "    else -> z()\n",
            "    2 -> b()\n",
            "}\n",
        ),
        (
            "a.sql",
            "SELECT CASE\n  WHEN a THEN 1\n",
            "  ELSE 0\n",
            "  WHEN b THEN 2\n",
            "END;\n",
        ),
        (
            "a.rb",
            "case x\nwhen 1\n  a\n",
            "else\n  z\n",
            "when 2\n  b\n",
            "end\n",
        ),
        (
            "a.rs",
            "match x {\n    1 => a(),\n",
            "    other => {\n        z(other)\n    }\n",
            "    2 => {\n        b()\n    }\n",
            "}\n",
        ),
        (
            "a.rs",
            "match x {\n    Some(1) => a(),\n",
            "    Some(n) => z(n),\n",
            "    Some(2) => b(),\n",
            "}\n",
        ),
        (
            "a.py",
            "match x:\n    case \"a\":\n        a()\n",
            "    case unknown:\n        z(unknown)\n",
            "    case \"b\":\n        b()\n",
            "",
        ),
        (
            "a.scala",
            "x match {\n  case 1 => a()\n",
            "  case other => z(other)\n",
            "  case 2 => b()\n",
            "}\n",
        ),
        (
            "a.hs",
            "f x\n  | x == 1 = a\n",
            "  | otherwise = z\n",
            "  | x == 2 = b\n",
            "",
        ),
        (
            "a.ml",
            "match x with\n  | A -> a\n",
            "  | _ -> z\n",
            "  | B -> b\n",
            "",
        ),
        (
            "ci.yml",
            "rules:\n  - if: $A\n",
            "  - when: always\n",
            "  - if: $B\n",
            "",
        ),
    ] {
        let with = |more: &str| format!("{before}{more}{after}");
        let both = with(&format!("{arm}{rest}"));
        lands_both_ways(file, &with(""), &with(rest), &with(arm), &both);
    }
}

#[test]
fn rules_of_which_the_first_holds_are_not_put_in_an_order_that_nobody_wrote() {
    for (file, base, deny, allow) in [
        (
            "rules.v4",
            "-A INPUT -i lo -j ACCEPT\n",
            "-A INPUT -j DROP\n",
            "-A INPUT -p tcp --dport 8080 -j ACCEPT\n",
        ),
        (
            "site.conf",
            "  allow 10.0.0.1;\n",
            "  deny all;\n",
            "  allow 10.0.0.2;\n",
        ),
    ] {
        let with = |more: &str| format!("{base}{more}end\n");
        held_both_ways(file, &with(""), &with(deny), &with(allow));
        let other = "# about the next one\n";
        lands_both_ways(
            file,
            &with(""),
            &with(allow),
            &with(other),
            &with(&format!("{allow}{other}")),
        );
    }
}

#[test]
fn what_says_where_or_as_whom_the_next_lines_run_is_not_put_before_or_after_what_the_other_side_runs()
 {
    for (file, base, place, run) in [
        ("Dockerfile", "FROM x\n", "USER app\n", "RUN useradd app\n"),
        ("Dockerfile", "FROM x\n", "WORKDIR /app\n", "WORKDIR /srv\n"),
        (
            "ci.yml",
            "  script:\n    - npm ci\n",
            "    - cd frontend\n",
            "    - rm -rf dist cache\n",
        ),
    ] {
        let with = |more: &str| format!("{base}{more}");
        held_both_ways(file, &with(""), &with(place), &with(run));
    }
}

#[test]
fn a_route_for_more_stands_after_those_for_less() {
    for (wide, narrow) in [
        ("app.get('*', nf);\n", "app.get('/b', b);\n"),
        ("app.get('/users/:id', a);\n", "app.get('/users/new', b);\n"),
        (
            "app.use((req, res) => {\n  res.status(404).end();\n});\n",
            "app.use('/b', b);\n",
        ),
    ] {
        let with = |more: &str| format!("app.get('/a', a);\n{more}app.listen(1);\n");
        let both = with(&format!("{narrow}{wide}"));
        lands_both_ways("a.js", &with(""), &with(wide), &with(narrow), &both);
    }
}

#[test]
fn patterns_that_take_the_same_and_stand_in_an_order_are_held() {
    for (file, base, one, two) in [
        (".gitignore", "build/\n", "*.env\n", "!example.env\n"),
        ("CODEOWNERS", "/a @x\n", "* @all\n", "/b @y\n"),
        (
            "ci.yml",
            "rules:\n  - if: $A\n",
            "  - if: $B\n    when: never\n",
            "  - if: $C\n",
        ),
        (
            "a.rs",
            "match x {\n    1 => a(),\n",
            "    n if n > 1 => b(),\n",
            "    2 => c(),\n",
        ),
    ] {
        let with = |more: &str| format!("{base}{more}");
        held_both_ways(file, &with(""), &with(one), &with(two));
    }
    for (file, base, one, two) in [
        (".gitignore", "build/\n", "*.env\n", "!keep.log\n"),
        ("CODEOWNERS", "/a @x\n", "/c @z\n", "/b @y\n"),
    ] {
        let with = |more: &str| format!("{base}{more}");
        for (ours, theirs) in [(one, two), (two, one)] {
            let merged = merged(file, &with(""), &with(ours), &with(theirs)).1;
            assert_eq!(merged, with(&format!("{ours}{theirs}")));
        }
    }
}
