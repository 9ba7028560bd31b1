//! What has to stand before all else of a file, and what nothing is reached below: whichever side put it in, and whatever
//! the other one put in at the same place. The same both ways.

use crate::support::{held_both_ways, lands_both_ways, merged};

#[test]
fn what_is_about_the_whole_file_stands_before_what_the_other_side_put_in() {
    for (file, head, first, other, rest) in [
        (
            "a.py",
            "\"\"\"About it.\"\"\"\n\n",
            "from __future__ import annotations\n",
            "import os\n",
            "import sys\n",
        ),
        (
            "a.rs",
            "",
            "//! About it.\n\n",
            "use std::fs;\n\n",
            "fn main() {}\n",
        ),
        (
            "a.rs",
            "",
            "#![allow(dead_code)]\n",
            "use std::fs;\n",
            "fn main() {}\n",
        ),
        (
            "a.tsx",
            "",
            "'use client';\n\n",
            "import x from 'x';\n\n",
            "export const A = 1;\n",
        ),
        (
            "a.php",
            "<?php\n",
            "declare(strict_types=1);\n",
            "namespace X;\n",
            "f();\n",
        ),
        (
            "a.rb",
            "",
            "# frozen_string_literal: true\n",
            "require 'x'\n",
            "f\n",
        ),
        (
            "a.html",
            "",
            "<!DOCTYPE html>\n",
            "<!-- about it -->\n",
            "<html></html>\n",
        ),
        (
            "a.css",
            "",
            "@import 'x.css';\n",
            ".a {\n  y: 1;\n}\n",
            ".z {\n  x: 1;\n}\n",
        ),
        ("A.kt", "", "package a.b\n\n", "import c.D\n\n", "class A\n"),
    ] {
        let with = |more: &str| format!("{head}{more}{rest}");
        let both = with(&format!("{first}{other}"));
        lands_both_ways(file, &with(""), &with(first), &with(other), &both);
    }
    // Two of one kind have no order.
    let [one, two] = ["#![allow(dead_code)]\n", "#![deny(missing_docs)]\n"];
    let with = |more: &str| format!("#![no_std]\n{more}\nfn main() {{}}\n");
    for (ours, theirs) in [(one, two), (two, one)] {
        let found = merged("a.rs", &with(""), &with(ours), &with(theirs)).1;
        assert_eq!(found, with(&format!("{ours}{theirs}")));
    }
    let with = |more: &str| format!("{more}f();\n");
    held_both_ways(
        "a.js",
        &with(""),
        &with("'use client';\n"),
        &with("'use strict';\n"),
    );
}

#[test]
fn what_never_returns_stands_after_what_the_other_side_put_in() {
    for (file, head, last, other, rest) in [
        (
            "a.py",
            "def main():\n    run()\n",
            "    sys.exit(1)\n",
            "    report()\n",
            "\n\nmain()\n",
        ),
        (
            "a.js",
            "function f() {\n  run();\n",
            "  process.exit(1);\n",
            "  report();\n",
            "}\n",
        ),
        (
            "a.js",
            "function f() {\n  run();\n",
            "  throw new Error(\n    'no',\n  );\n",
            "  report();\n",
            "}\n",
        ),
        (
            "a.go",
            "func f() {\n\trun()\n",
            "\tlog.Fatalf(\"%d\", x)\n",
            "\treport()\n",
            "}\n",
        ),
        (
            "a.go",
            "func f() {\n\trun()\n",
            "\tos.Exit(1)\n",
            "\treport()\n",
            "}\n",
        ),
        (
            "a.rs",
            "fn f() {\n    run();\n",
            "    unreachable!(\"no\");\n",
            "    report();\n",
            "}\n",
        ),
        (
            "a.rs",
            "fn f() {\n    run();\n",
            "    std::process::exit(1);\n",
            "    report();\n",
            "}\n",
        ),
        (
            "a.php",
            "<?php\nfunction f() {\n    run();\n",
            "    die(\"no\");\n",
            "    report();\n",
            "}\n",
        ),
    ] {
        let with = |more: &str| format!("{head}{more}{rest}");
        let both = with(&format!("{other}{last}"));
        lands_both_ways(file, &with(""), &with(last), &with(other), &both);
    }
}

#[test]
fn what_a_function_gives_back_stands_after_what_the_other_side_put_in() {
    let with = |more: &str| format!("fn f() -> R {{\n    run();\n{more}}}\n");
    let log = "    log(\n        y,\n    );\n";
    for last in [
        "    Ok(())\n",
        "    y * 2\n",
        "    list\n        .iter()\n        .count()\n",
        "    Err(E {\n        code,\n    })\n",
    ] {
        let both = with(&format!("{log}{last}"));
        lands_both_ways("a.rs", &with(""), &with(last), &with(log), &both);
    }
    for (one, two) in [
        ("    Ok(())\n", "    Err(x)\n"),
        ("    sys.exit(0)\n", "    raise Done\n"),
    ] {
        held_both_ways("a.rs", &with(""), &with(one), &with(two));
    }
    // Who leaves under a condition goes on otherwise.
    let [one, two] = ["    return if done\n", "    exit(1) unless well\n"];
    let with = |more: &str| format!("def f\n    run\n{more}end\n");
    for (ours, theirs) in [(one, two), (two, one)] {
        let found = merged("a.rb", &with(""), &with(ours), &with(theirs)).1;
        assert_eq!(found, with(&format!("{ours}{theirs}")));
    }
}
