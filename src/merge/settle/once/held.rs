//! What both sides put in, each in its own way, of which there can be but one: somebody decides, the same both ways.

use crate::merge::settle::{Rules, settle_file};

/// How many places of a file somebody has to decide.
pub(super) fn contests(name: &str, [base, ours, theirs]: [&str; 3]) -> usize {
    let [base, ours, theirs] = [base, ours, theirs].map(str::as_bytes);
    let settled = settle_file(name, Some(base), [ours, theirs], Rules::default());
    settled.contests().count()
}

/// The sides put `one` and `two` where the base has a `~`.
fn held(name: &str, base: &str, one: &str, two: &str) {
    let [old, one, two] = ["", one, two].map(|new| base.replace('~', new));
    both_ways(name, &old, &one, &two);
}

fn both_ways(name: &str, base: &str, one: &str, two: &str) {
    assert!(
        contests(name, [base, one, two]) > 0,
        "{name}:\n{one}\n{two}"
    );
    assert!(
        contests(name, [base, two, one]) > 0,
        "{name}:\n{two}\n{one}"
    );
}

#[test]
fn a_name_that_is_imported_from_two_places_is_held() {
    let java = "import q.A;\n~\nclass C {}\n";
    held(
        "C.java",
        java,
        "import a.X;\nimport a.Y;\n",
        "import b.Q;\nimport b.X;\n",
    );
    let go = "import (\n\t\"fmt\"\n~)\n";
    held("a.go", go, "\tx \"a/b\"\n", "\tx \"c/d\"\n");
    held("a.go", go, "\t\"crypto/rand\"\n", "\t\"math/rand\"\n");
    held("a.go", go, "\t\"a/yaml/v3\"\n", "\tyaml \"b/goyaml\"\n");
    let python = "import os\n~\n\ndef f():\n    return 1\n";
    held("a.py", python, "import json as j\n", "import orjson as j\n");
    held("a.py", python, "import x as y\n", "from a import y\n");
    let lists = [
        "from a import (\n    y,\n    z,\n)\n",
        "from b import (\n    w,\n    y,\n)\n",
    ];
    held("a.py", python, lists[0], lists[1]);
    held(
        "a.py",
        "from a import (\n    b,\n~)\n",
        "    c,\n",
        "    d as c,\n",
    );
    let script = "import { A } from 'a';\n~\nf();\n";
    for one in [
        "import { X } from 'x';\n",
        "import {\n  W,\n  X,\n} from 'x';\n",
    ] {
        for two in [
            "import X from 'y';\n",
            "import * as X from 'y';\n",
            "import {\n  V,\n  Z as X,\n} from 'y';\n",
            "import type { X } from 'y';\n",
        ] {
            held("a.ts", script, one, two);
        }
    }
    held(
        "i.ts",
        "export { A } from './a';\n~",
        "export { X } from './x';\n",
        "export { X } from './y';\n",
    );
    let rust = "use std::fs;\n~\nfn f() {}\n";
    held("a.rs", rust, "use a::Y as X;\n", "use b::{W, X};\n");
    held(
        "a.rs",
        rust,
        "use a::{\n    W, X,\n    Y,\n};\n",
        "use b::{\n    Q,\n    c::{X},\n};\n",
    );
    held(
        "a.rs",
        rust,
        "pub(crate) use a::X;\n",
        "pub(in crate::b) use b::X;\n",
    );
    held("a.php", "<?php\nuse A\\B;\n~", "use C\\X;\n", "use D\\X;\n");
    held(
        "a.kt",
        "import a.B\n~\nval q = 1\n",
        "import c.X\n",
        "import d.X\n",
    );
}

#[test]
fn a_name_that_each_side_takes_from_elsewhere_in_one_line_is_held() {
    let [one, two] = [
        "import { A, X } from 'a';\n",
        "import { A, B as X } from 'a';\n",
    ];
    both_ways("a.ts", "import { A } from 'a';\n", one, two);
    let two = "import { A } from 'a';\nimport { X } from 'y';\n";
    both_ways("a.ts", "import { A } from 'a';\n", one, two);
    both_ways("a.py", "f(a)\n", "f(a, x=1)\n", "f(a, x=2)\n");
    both_ways(
        "a.py",
        "r = f(a, b)\n",
        "r = f(a, x=1, b=b)\n",
        "r = f(a, b, x=2)\n",
    );
    both_ways(
        "a.js",
        "f({a: 1});\n",
        "f({a: 1, x: 2});\n",
        "f({x: 3, a: 1});\n",
    );
}

#[test]
fn a_member_that_both_sides_add_to_one_type_is_held() {
    for (name, base, one, two) in [
        (
            "C.java",
            "class C {\n    int a;\n~}\n",
            "    private String n;\n    int z;\n",
            "    int y;\n    final Name n;\n",
        ),
        (
            "E.java",
            "enum E {\n    A,\n~}\n",
            "    B(1),\n    C,\n",
            "    D,\n    B(2),\n",
        ),
        (
            "a.go",
            "type T struct {\n\tA int\n~}\n",
            "\tName string\n\tB int\n",
            "\tC int\n\tName []byte\n",
        ),
        (
            "a.go",
            "const (\n\tA = iota\n~)\n",
            "\tB\n",
            "\tC\n\tB // b\n",
        ),
        (
            "a.ts",
            "interface I {\n  a: string;\n~}\n",
            "  n: string;\n  b: 1;\n",
            "  c: 2;\n  n?: number;\n",
        ),
        (
            "a.ts",
            "enum E {\n  A,\n~}\n",
            "  B,\n",
            "  C,\n  B = 'b',\n",
        ),
        (
            "a.js",
            "const o = {\n  a: 1,\n~};\n",
            "  b: 2,\n  c: 1,\n",
            "  b: () => 3,\n",
        ),
        (
            "a.rs",
            "struct S {\n    a: u8,\n~}\n",
            "    /// N.\n    pub n: String,\n",
            "    pub(crate) n: u8,\n    z: u8,\n",
        ),
        (
            "a.rs",
            "enum E {\n    A,\n~}\n",
            "    B,\n    C,\n",
            "    D,\n    B(u8),\n",
        ),
        (
            "a.py",
            "class A:\n    a: int\n~",
            "    b: int\n    c: int\n",
            "    d: int\n    b: str = ''\n",
        ),
        (
            "a.h",
            "struct s {\n    int a;\n~};\n",
            "    int b;\n    int d;\n",
            "    int c;\n    char *b;\n",
        ),
        (
            "s.graphql",
            "type Q {\n  a: Int\n~}\n",
            "  b: Int\n  c: Int\n",
            "  d: Int\n  b(x: Int): String\n",
        ),
        (
            "a.proto",
            "message M {\n  string a = 1;\n~}\n",
            "  string b = 2;\n",
            "  int32 b = 3;\n",
        ),
        (
            "a.proto",
            "message M {\n  string a = 1;\n~}\n",
            "  string b = 2;\n  string d = 3;\n",
            "  map<string, int32> c = 3;\n",
        ),
        (
            "a.proto",
            "message M {\n  string a = 1;\n~}\n",
            "  oneof x {\n    string b = 2;\n  }\n",
            "  int32 c = 2;\n",
        ),
        (
            "a.proto",
            "service S {\n  rpc A(X) returns (Y);\n~}\n",
            "  rpc B(X) returns (Y);\n",
            "  rpc B(Z) returns (stream W);\n",
        ),
    ] {
        held(name, base, one, two);
    }
}

#[test]
fn a_name_that_both_sides_define_in_one_block_is_held() {
    let java = "class C {\n    void f() {\n        g();\n~    }\n}\n";
    held(
        "C.java",
        java,
        "        int x = 1;\n        use(x);\n",
        "        String x = two();\n        send(x, 2);\n",
    );
    held(
        "a.go",
        "func f() {\n\tg()\n~}\n",
        "\tx := one()\n\tuse(x)\n",
        "\tx := other(1)\n\tsend(x, 1)\n",
    );
    held(
        "a.ts",
        "function f() {\n  g();\n~}\n",
        "  const x = one();\n  use(x);\n",
        "  const x = await two(3);\n  send(x, 1);\n",
    );
    let methods = [
        "\nfunc (t T) String() string {\n\treturn a(t)\n}\n",
        "\nfunc (t *T) String() string {\n\tb := 1\n\treturn b.c()\n}\n",
    ];
    held("a.go", "type T int\n~", methods[0], methods[1]);
    let traits = [
        "\nimpl Display for A {\n    fn fmt(&self) -> R {\n        one()\n    }\n}\n",
        "\nimpl Display for A {\n    fn fmt(&self, f: F) -> R {\n        two(2)\n    }\n\n    fn x() {}\n}\n",
    ];
    held("a.rs", "struct A;\n~", traits[0], traits[1]);
    let routes = [
        "\n\n@app.get('/b')\ndef one():\n    return 2\n",
        "\n\n@app.get('/b')\ndef two(x):\n    check(x)\n    return 3\n",
    ];
    held(
        "a.py",
        "@app.get('/a')\ndef a():\n    return 1\n~",
        routes[0],
        routes[1],
    );
}

#[test]
fn one_name_at_two_places_of_a_file_is_held() {
    let base = "import os\n\n\ndef f():\n    return 1\n";
    let one = format!("import sys\n{base}\n\ndef g():\n    one()\n");
    let two = base.replace("def f", "def g():\n    return 2\n\n\ndef f");
    both_ways("a.py", base, &one, &format!("import abc\n{two}"));
    let base = "use std::fs;\n\nstruct S;\n\nfn f() {\n    go();\n}\n";
    let one = base
        .replace("fs;\n", "fs;\nuse a::X;\n")
        .replace("go();", "go(1);\n    also();");
    let two = base
        .replace("fn f", "use b::X;\nfn f")
        .replace("go();", "go();\n    more();");
    both_ways("a.rs", base, &one, &two);
}

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
