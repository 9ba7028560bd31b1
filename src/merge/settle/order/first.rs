//! What has to stand before all else of a file or of a body, as its language has it: below anything else, it is refused or
//! silently says nothing. Pure.

use crate::merge::lines::is_blank;

use crate::merge::settle::reading::leaning::{depth, indent};

/// How early a line has to stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    /// Those with less come before.
    order: u8,
    /// Another one of that order has no place beside it.
    is_only: bool,
}

/// Tells whether `others` have to stand before `lines`, or neither of the two may stand behind the other one.
pub(in crate::merge::settle) fn stand_behind(lines: &[&[u8]], others: &[&[u8]]) -> bool {
    match (turn_of(lines), turn_of(others)) {
        (Some(own), Some(other)) => other.order < own.order || other == own && own.is_only,
        (None, Some(_)) => true,
        (Some(_) | None, None) => false,
    }
}

/// Tells whether a line is about a file or a body as a whole, and not about what stands below it.
pub(in crate::merge::settle) fn is_about_all(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|line| turn(line.trim()).is_some())
}

/// The turn of the outermost line that has the earliest one.
fn turn_of(lines: &[&[u8]]) -> Option<Turn> {
    let depth = depth(lines);
    let said = lines.iter().filter(|line| !is_blank(line));
    let outermost = said.filter(|line| indent(line) == depth);
    let texts: Vec<&str> = outermost
        .filter_map(|line| std::str::from_utf8(line).ok())
        .map(str::trim)
        .collect();
    let says_what_it_is = |first: &&&str| {
        let is_open = first.starts_with("\"\"\"") || first.starts_with("'''");
        is_open && !first.ends_with(',')
    };
    let described = texts.first().filter(says_what_it_is).map(|_| ONLY);
    let turns = texts.iter().filter_map(|text| turn(text));
    turns.chain(described).min()
}

const ONLY: Turn = Turn {
    order: 1,
    is_only: true,
};

/// How lines begin that come first, in the order in which they do.
const FIRST: [(&[&str], bool); 5] = [
    (
        &["<?xml", "<?php", "<!DOCTYPE", "<!doctype", "@charset "],
        true,
    ),
    (
        &[
            "# frozen_string_literal:",
            "# -*- coding",
            "# encoding:",
            "# typed:",
            "//go:build ",
            "'use client'",
            "\"use client\"",
            "'use server'",
            "\"use server\"",
            "'use strict'",
            "\"use strict\"",
        ],
        true,
    ),
    (&["declare(strict_types"], true),
    (&["from __future__ import ", "//!", "#![", "@use "], false),
    (&["@import "], false),
];

fn turn(text: &str) -> Option<Turn> {
    let is_shebang = text.starts_with("#!") && !text.starts_with("#![");
    if is_shebang {
        return Some(Turn {
            order: 0,
            is_only: true,
        });
    }
    let found = FIRST
        .iter()
        .zip(0..)
        .find(|((begins, _), _)| begins.iter().any(|begin| text.starts_with(begin)));
    if let Some(((_, is_only), order)) = found {
        return Some(Turn {
            order,
            is_only: *is_only,
        });
    }
    names_the_whole(text).then_some(Turn {
        order: 5,
        is_only: true,
    })
}

/// `package a.b;`, `namespace A\B;`
fn names_the_whole(text: &str) -> bool {
    let rest = text.strip_prefix("package ").or_else(|| {
        text.strip_prefix("namespace ")
            .filter(|rest| rest.ends_with(';'))
    });
    let is_part = |c: char| c.is_alphanumeric() || "_.\\".contains(c);
    rest.is_some_and(|rest| {
        let name = rest.trim_end_matches(';').trim();
        !name.is_empty() && name.chars().all(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_all_stands_before_the_rest_and_beside_its_like() {
        let behind = |one: &str, two: &str| {
            let [one, two] =
                [one, two].map(|text| text.lines().map(str::as_bytes).collect::<Vec<_>>());
            stand_behind(&one, &two)
        };
        for (first, second) in [
            ("#!/bin/sh", "set -e"),
            ("'use client';", "import x from 'x';"),
            ("//! About it.", "use std::fs;"),
            ("#![allow(a)]", "use std::fs;"),
            ("declare(strict_types=1);", "namespace A\\B;"),
            ("from __future__ import annotations", "import os"),
            (
                "\"\"\"About it.\"\"\"",
                "from __future__ import annotations",
            ),
            ("@charset \"utf-8\";", "@import 'a.css';"),
            ("package a.b;", "import c.D;"),
        ] {
            assert!(behind(second, first) && !behind(first, second), "{first}");
        }
        for (one, two) in [
            ("#![allow(a)]", "#![allow(b)]"),
            ("@import 'a.css';", "@import 'b.css';"),
            ("package managers are many", "so are others"),
            ("fn a() {\n    #![allow(b)]\n}", "fn c() {}"),
        ] {
            assert!(!behind(one, two) && !behind(two, one), "{one}");
        }
        let (one, two) = ("'use client';", "'use strict';");
        assert!(behind(one, two) && behind(two, one));
    }
}
