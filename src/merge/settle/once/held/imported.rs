//! What both sides import under one name, each from elsewhere.

use super::{both_ways, held};

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
