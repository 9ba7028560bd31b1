//! What a model wrote is no weaving of both sides where it only altered a line of one of them.
#![cfg(unix)]

use crate::models::{escalated, printing};
use crate::support::{BRANCH, Sandbox, text};
use grove::merge::Conclusion;

fn contested(file: &str, [base, ours, theirs]: [&str; 3]) -> Sandbox {
    let sandbox = Sandbox::new(&[(file, base)]);
    sandbox.commit(BRANCH, &[(file, text(theirs))], "t");
    sandbox.commit("main", &[(file, text(ours))], "o");
    sandbox
}

const GOOD: &str = "def f():\n    rate = 5\n    burst = 7\n    return go(rate), run(burst)\n";

fn python() -> Sandbox {
    let versions = [
        "def f():\n    return 1\n",
        "def f():\n    rate = 5\n    return go(rate)\n",
        "def f():\n    burst = 7\n    return run(burst)\n",
    ];
    contested("a.py", versions)
}

#[test]
fn an_answer_that_alters_a_line_of_one_side_does_not_land_as_woven() {
    let sandbox = python();
    for (right, wrong) in [
        ("rate = 5", "rate = -5"),
        ("rate = 5", "rate = 0.5"),
        ("rate = 5", "rate = 5.5"),
        ("rate = 5", "rate = ~5"),
        ("rate = 5", "rate == 5"),
        ("rate = 5", "rate -= 5"),
        ("rate = 5", "rate = 5 * 0"),
        ("rate = 5", "rate = 5 - burst"),
        ("rate = 5", "rate = (5,)"),
        ("go(rate)", "go(-rate)"),
        ("), run", ") - run"),
        ("return go(rate),", "return None if go(rate) else"),
    ] {
        let report = escalated(&sandbox, &printing(&GOOD.replace(right, wrong)));
        assert_eq!(report.conclusion, Conclusion::Held, "{wrong}: {report:#?}");
        let said = report.warnings.last().unwrap();
        assert!(said.contains("does not account for"), "{wrong}: {said}");
    }
    let report = escalated(&sandbox, &printing(GOOD));
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let woven = report.receipt.unwrap().woven;
    let [woven] = woven.as_slice() else {
        panic!("{woven:#?}");
    };
    assert_eq!(woven.result, "    return go(rate), run(burst)");
    assert_eq!(woven.lines.len(), 2, "a line of each side: {woven:#?}");
}

#[test]
fn an_answer_with_a_longer_word_in_place_of_that_of_a_side_does_not_land() {
    let server =
        |path: &str| format!("server {{\n    listen 80;\n    {path} {{\n        a;\n    }}\n}}\n");
    let versions = ["location /api", "location /api_limit", "location /api_two"].map(server);
    let sandbox = contested("nginx.conf", versions.each_ref().map(String::as_str));
    let two = |wrong: &str| format!("{wrong} {{\n        a;\n    }}\n    location /api_two");
    for wrong in [
        "locationx /api_limit_two".to_owned(),
        two("locationx /api_limit"),
        two("location /api_limitless"),
    ] {
        let report = escalated(&sandbox, &printing(&server(&wrong)));
        assert_eq!(report.conclusion, Conclusion::Held, "{wrong}: {report:#?}");
    }
}
