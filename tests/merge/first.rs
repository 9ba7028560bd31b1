//! What has to stand before all else of a file, and what nothing is reached below: whichever side put it in, and whatever
//! the other one put in at the same place. The same both ways.

use crate::support::{held_both_ways, lands_both_ways};

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
    let with = |more: &str| format!("{more}f();\n");
    held_both_ways(
        "a.js",
        &with(""),
        &with("'use client';\n"),
        &with("'use strict';\n"),
    );
}
