//! What both sides define in one scope, at one place of the file or at two.

use super::{both_ways, held};

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
