//! What looks like one name twice, but is not: other scopes, other conditions, other kinds of names, what a file may say
//! several times. Both are there, whichever side is first.

use super::held::contests;

/// The sides put `one` and `two` where the base has a `~`.
fn settled(name: &str, base: &str, one: &str, two: &str) {
    let [old, one, two] = ["", one, two].map(|new| base.replace('~', new));
    for sides in [[&old, &one, &two], [&old, &two, &one]] {
        assert_eq!(
            contests(name, sides.map(String::as_str)),
            0,
            "{name}:\n{one}\n{two}"
        );
    }
}

#[test]
fn imports_that_say_the_same_or_stand_under_conditions_are_both_there() {
    for (name, base, one, two) in [
        (
            "a.py",
            "import os\n~\nf()\n",
            "import x\nimport z\n",
            "import w\nimport x\n",
        ),
        (
            "a.py",
            "import os\n~\nf()\n",
            "import xml.dom\n",
            "import xml.sax\n",
        ),
        (
            "a.py",
            "import os\n~\nf()\n",
            "try:\n    import orjson as j\nexcept ImportError:\n    import json as j\n",
            "import sys\n",
        ),
        (
            "a.rs",
            "use a::b;\n~\nfn f() {}\n",
            "#[cfg(unix)]\nuse a::X;\n#[cfg(windows)]\nuse b::X;\n",
            "use c::Y;\n",
        ),
        (
            "a.rs",
            "use a::b;\n~\nfn f() {}\n",
            "use c::D;\nuse c::X;\n",
            "use c::X;\nuse e::Y;\n",
        ),
        (
            "a.kt",
            "import a.B\n~\nval q = 1\n",
            "import c.get\n",
            "import d.get\n",
        ),
    ] {
        settled(name, base, one, two);
    }
}

#[test]
fn one_name_in_two_blocks_is_two_names() {
    let rust = [
        "\nimpl A {\n    fn new() -> Self {\n        A\n    }\n}\n",
        "\nimpl B {\n    fn new() -> Self {\n        B(1)\n    }\n}\n",
    ];
    settled("a.rs", "struct A;\n~", rust[0], rust[1]);
    let go = "func f(a, b int) {\n\tone()\n~\tend()\n}\n";
    settled(
        "a.go",
        go,
        "\tswitch a {\n\tcase 1:\n\t\tx(1)\n\t}\n",
        "\tswitch b {\n\tcase 1:\n\t\ty(2, 3)\n\t}\n",
    );
    let tests = [
        "\n  it('c', () => {\n    const r = one();\n    expect(r).toBe(1);\n  });\n",
        "\n  it('d', async () => {\n    const r = await two();\n    expect(r).toBe(2);\n  });\n",
    ];
    settled(
        "a.test.ts",
        "describe('a', () => {\n  it('b', () => {});\n~});\n",
        tests[0],
        tests[1],
    );
    settled(
        "a.json",
        "[\n  {\n    \"a\": 1\n  },\n~  {\n    \"z\": 1\n  }\n]\n",
        "  {\n    \"a\": 2\n  },\n",
        "  {\n    \"a\": 3\n  },\n",
    );
    settled(
        "a.yml",
        "steps:\n- run: a\n~",
        "- name: b\n  run: |\n    X: 1\n",
        "- name: c\n  run: |\n    X: 2\n    go: that\n",
    );
    settled(
        "a.ini",
        "[a]\nx = 1\n~",
        "\n[b]\ny = 1\n",
        "\n[c]\ny = 2\nz = 1\n",
    );
    settled(
        "a.toml",
        "[[a]]\nname = \"x\"\n~",
        "\n[[a]]\nname = \"y\"\n",
        "\n[[a]]\nname = \"z\"\nk = 1\n",
    );
    settled(
        "a.sh",
        "set -e\n~run\n",
        "if a; then\n  X=1\nfi\n",
        "for b in c; do\n  X=2\n  d\ndone\n",
    );
    settled(
        "m.sql",
        "SELECT 1;\n~",
        "ALTER TABLE t ADD COLUMN b int;\n",
        "ALTER TABLE u ADD COLUMN b text;\n",
    );
    settled(
        "a.md",
        "# T\n\nText.\n~",
        "\nFirst do:\n\n1. one\n2. two\n",
        "\nThen do that:\n\n1. three\n2. four things\n",
    );
    settled(
        "a.css",
        ".a {\n  color: red;\n}\n~",
        "\n.b {\n  margin: 1px;\n}\n",
        "\n.c {\n  margin: 2px;\n}\n",
    );
}

#[test]
fn what_may_be_said_several_times_is() {
    for (name, base, one, two) in [
        (
            "a.go",
            "func f() {\n\tg()\n~}\n",
            "\ta, err := one()\n\tuse(a, err)\n",
            "\tb, err := other(1)\n\tsend(b, err)\n",
        ),
        (
            "a.rs",
            "fn f() {\n    go();\n~    end();\n}\n",
            "    let x = one();\n    use_it(x);\n",
            "    let x = two(1);\n    send(x, 2);\n",
        ),
        (
            "a.go",
            "func f(x interface{}) error {\n\ta(x)\n~}\n",
            "\tif err := one(x); err != nil {\n\t\treturn err\n\t}\n",
            "\tif two(x) {\n\t\treturn nil\n\t}\n",
        ),
        (
            "a.ts",
            "function f(type) {\n  if (type === 'x') {\n    a();\n~  }\n}\n",
            "    x = 1;\n    b(x);\n",
            "    x = 2;\n    c(x, 1);\n",
        ),
        (
            "a.py",
            "class T:\n    def a(self):\n        x()\n~",
            "\n    @patch(\"os.x\")\n    def b(self, m):\n        one(m)\n",
            "\n    @patch(\"os.x\")\n    def c(self, m):\n        two(m, 1)\n        x()\n",
        ),
        (
            "a.py",
            "class A:\n    a = 1\n~",
            "\n    @property\n    def x(self):\n        return 1\n\n    @x.setter\n    def x(self, v):\n        put(v)\n",
            "\n    def y(self):\n        return 2\n",
        ),
        (
            "Makefile",
            "all: a\n\tmake a\n~",
            "\n.PHONY: t\nt:\n\tgo\n",
            "\n.PHONY: u\nu:\n\tgo u\n",
        ),
        (
            "Makefile",
            "all: a\n\tmake a\n~",
            "\nall: b\n",
            "\nall: c\n",
        ),
        (
            "a.md",
            "1. one\n1. two\n~\nEnd.\n",
            "1. three\n",
            "1. quite another\n",
        ),
        ("a.py", "g()\n~", "f(a, x=1)\n", "h(a, x=2)\n"),
    ] {
        settled(name, base, one, two);
    }
}

#[test]
fn what_is_about_two_things_is_said_for_both() {
    for (name, base, one, two) in [
        (
            "a.sh",
            "set -e\n~run\n",
            "trap 'rm a' EXIT\n",
            "trap 'rm b' INT\n",
        ),
        (
            "Dockerfile",
            "FROM a\nRUN x\n~",
            "RUN y\nCMD a\n",
            "RUN z\nEXPOSE 80\n",
        ),
        (
            "nginx.conf",
            "server {\n    server_name x;\n~}\n",
            "    listen 80;\n    add_header A 1;\n",
            "    listen 443;\n    add_header B 2;\n",
        ),
        (
            "nginx.conf",
            "server {\n    server_name x;\n~}\n",
            "    location /a {\n        root /a;\n    }\n",
            "    location /b {\n        root /b;\n    }\n",
        ),
        (
            "a.js",
            "import q from 'q';\n~f();\n",
            "exports.a = a;\n",
            "exports.b = b;\n",
        ),
        (
            "a.py",
            "match x:\n    case 1:\n        a()\n~",
            "    case 2:\n        b()\n",
            "    case 3:\n        c()\n",
        ),
        (
            "a.php",
            "<?php\nclass A {\n    public $a;\n~}\n",
            "    private $b;\n",
            "    private $c;\n",
        ),
        (
            "a.php",
            "<?php\nclass A {\n    public $a;\n~}\n",
            "    public function b($q) {\n        x($q);\n    }\n",
            "    public function c(int $q) {\n        y($q, 1);\n    }\n",
        ),
    ] {
        settled(name, base, one, two);
    }
}
