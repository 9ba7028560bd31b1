//! Columns, labels, numbers and settings that both sides give.

use super::{both_ways, held};

#[test]
fn a_column_or_a_table_that_both_sides_add_is_held() {
    let add = "ALTER TABLE t ADD COLUMN a int;\n~";
    held(
        "m.sql",
        add,
        "ALTER TABLE t ADD COLUMN b int;\n",
        "ALTER TABLE t ADD COLUMN b text;\n",
    );
    held(
        "m.sql",
        add,
        "ALTER TABLE t\n  ADD COLUMN c int,\n  ADD COLUMN b int;\n",
        "ALTER TABLE t\n  ADD COLUMN B text;\n",
    );
    let table = "CREATE TABLE t (\n    id int,\n~    z text\n);\n";
    held(
        "m.sql",
        table,
        "    b int,\n    c int,\n",
        "    d text,\n    b text NOT NULL,\n",
    );
    for (one, two) in [
        (
            "CREATE TABLE u (\n    id int\n);\n",
            "CREATE TABLE IF NOT EXISTS u (\n    name text,\n    n int\n);\n",
        ),
        (
            "CREATE INDEX i ON t (a);\n",
            "CREATE UNIQUE INDEX i ON t (z, id);\n",
        ),
        (
            "CREATE VIEW v AS SELECT a FROM t;\n",
            "CREATE OR REPLACE VIEW v AS\n  SELECT z, id\n  FROM t;\n",
        ),
    ] {
        held("m.sql", "SELECT 1;\n\n~", one, two);
    }
}

#[test]
fn a_label_or_a_number_of_prose_that_both_sides_give_is_held() {
    let list = "# T\n\n1. one\n2. two\n3. three\n\nEnd.\n";
    let with = |new: &str| list.replace("3. three\n", new);
    both_ways(
        "a.md",
        list,
        &with("3. new thing\n4. three\n"),
        &with("3. other stuff\n4. three\n"),
    );
    both_ways(
        "a.md",
        list,
        &with("3. three\n4. new\n"),
        &with("3. three\n4. stop it all\n5. go\n"),
    );
    let notes = "Text.\n\n[^1]: One.\n~";
    held("a.md", notes, "[^2]: Two.\n", "[^2]: Quite another.\n");
    held(
        "a.md",
        notes,
        "[x]: http://x\n",
        "[b]: http://b\n[X]: http://y\n",
    );
}

#[test]
fn a_setting_that_both_sides_add_is_held() {
    for (name, base, one, two) in [
        (
            "Makefile",
            "CC = gcc\n~\nall: a\n\tmake a\n",
            "X := 1\nY := 2\n",
            "Z = 1\nX ?= 2\n",
        ),
        (
            "Makefile",
            "all: a\n\tmake a\n~",
            "\ntest: a\n\tgo test\n",
            "\ntest:\n\tcargo test\n\tlint\n",
        ),
        (".env", "A=1\n~", "B=2\n", "C=3\nB=4\n"),
        (
            "a.properties",
            "a.b=1\n~",
            "a.c=2\n# x\na.d=5\n",
            "a.e=3\na.c=4\n",
        ),
        (
            "a.css",
            ".a {\n  color: red;\n~}\n",
            "  margin: 1px;\n  top: 0;\n",
            "  left: 0;\n  margin: 2px;\n",
        ),
        (
            "Dockerfile",
            "FROM x\nRUN a\n~",
            "ENV X=1\nRUN b\n",
            "ENV X=2\nRUN c\n",
        ),
        (
            "Dockerfile",
            "FROM x\nRUN a\n~",
            "ENV Y=1 X=1\n",
            "ENV X 2\nUSER q\n",
        ),
        ("a.sh", "set -e\n~", "X=1\nrun $X\n", "X=2\nsend $X now\n"),
        (
            "a.sh",
            "set -e\n~",
            "alias l='ls -l'\n",
            "alias la='ls -a'\nalias l='ls -la'\n",
        ),
        (
            "a.sh",
            "case $1 in\n  a)\n    x\n    ;;\n~esac\n",
            "  b)\n    two\n    ;;\n",
            "  c|b)\n    three x\n    ;;\n",
        ),
    ] {
        held(name, base, one, two);
    }
}
