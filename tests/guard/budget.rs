//! The work one call may take: whatever is too much is refused early, and what agents really send is not.
//!
//! Counted in steps, which are the same on every machine.

use crate::fuzz::{bounded, nowhere};
use proptest::prelude::*;

const SIZE: usize = 100_000;

/// Names of many files, each another one.
fn files(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|n| format!("src/file_{n}.rs")).collect();
    names.join(" ")
}

fn repeated(unit: &str) -> String {
    unit.repeat(SIZE / unit.len())
}

#[test]
fn every_shape_of_a_hundred_kilobytes_ends_within_the_budget() {
    let policy = nowhere();
    let units = [
        "ls;",
        "ls & ",
        "(ls);",
        "a|",
        "cat | ",
        "a && ",
        ">a ",
        "2>&1 ",
        "a=1;",
        "x=$x$x;",
        "A=1 ls;",
        "trap 'ls' EXIT;",
        "echo $(a);",
        "if a; then b; fi;",
        "case a in a) ls;; esac;",
        "cd a;",
        "[ -f a ];",
        "f() { f; };",
        "mkdir a;",
        "eval ls;",
        "bash -c ls;",
        "xargs ls;",
        "a ",
        "{a,b} ",
    ];
    for unit in units {
        bounded(&policy, &repeated(unit));
        bounded(&policy, &format!("bash <<'E'\n{}\nE", repeated(unit)));
    }
    for program in [
        "touch", "rm", "cat", "git add", "cp", "mv", "tee", "grep x", "chmod +x", "foo", "xargs",
    ] {
        let decision = bounded(&policy, &format!("{program} {}", files(6_000)));
        assert!(!decision.is_allowed() || program == "xargs", "{program}");
    }
    for (interpreter, units) in [
        (
            "python3",
            [
                "f(a, 1)\n",
                "x = 'a' + 'b'\n",
                "x.append(1)\n",
                "open('a','w')\n",
            ],
        ),
        (
            "node",
            ["f();\n", "x = [1, 2];\n", "x.push(1);\n", "a.b.c.d();\n"],
        ),
        (
            "perl",
            ["f(1);\n", "push @x, 1;\n", "$x = 'a' . 'b';\n", "m/a/;\n"],
        ),
        (
            "ruby",
            ["f 1\n", "x << 1\n", "x.each { |y| y }\n", "`ls`\n"],
        ),
    ] {
        for unit in units {
            bounded(
                &policy,
                &format!("{interpreter} <<'E'\n{}\nE", repeated(unit)),
            );
        }
    }
    for unit in [
        "{print}",
        "{print|\"a\"}",
        "{c=\"a\";c|getline}",
        "{system(\"a\")}",
    ] {
        bounded(&policy, &format!("awk '{}'", repeated(unit)));
    }
}

/// Its time is what is wrong where this fails: the letters were read again for each of them.
#[test]
fn a_hundred_thousand_letters_of_options_are_read_once() {
    let policy = nowhere();
    for letters in ["a", "a ", "\u{e9}", "fC", "-"] {
        let many = repeated(letters);
        for command in [
            "sed", "sed -n", "tar", "rm", "xargs", "find", "git", "env", "cp",
        ] {
            bounded(&policy, &format!("{command} '-{many}' a"));
        }
        bounded(
            &policy,
            &format!("tar {} {}", "f".repeat(SIZE / 2), files(2_000)),
        );
    }
}

/// Every question about a command of git looks at all of its options.
#[test]
fn thousands_of_options_of_git_are_refused_early() {
    let policy = nowhere();
    for option in ["--pathspec-from-file=a ", "--force=x ", "-f "] {
        let command = format!("git checkout {}", repeated(option));
        assert!(!bounded(&policy, &command).is_allowed(), "{option}");
    }
    let usual = format!("git log {}", "--grep=x ".repeat(60));
    assert!(bounded(&policy, &usual).is_allowed());
}

#[test]
fn expressions_in_expressions_count_like_the_text_around_them() {
    let policy = nowhere();
    for unit in [
        "\"${a[$(ls)]}\" ",
        "$((1+$((1)))) ",
        "((a[b[c]]++));",
        "a[1]=1;",
        "$((",
        "cat <<E\n$(ls)\nE\n",
    ] {
        assert!(!bounded(&policy, &repeated(unit)).is_allowed(), "{unit}");
    }
    let arithmetic = "echo $((1 + $((2 + $((3))))));".repeat(200);
    assert!(bounded(&policy, &arithmetic).is_allowed());
}

#[test]
fn arithmetic_and_braces_that_grow_with_the_text_are_cut_short() {
    let policy = nowhere();
    let numbered = |unit: &str, end: &str| -> String {
        let mut text = String::new();
        for number in 0.. {
            if text.len() >= SIZE {
                break;
            }
            text.push_str(&unit.replace('#', &number.to_string()));
        }
        text + end
    };
    let sums = bounded(&policy, &format!("((\u{20}{}))", numbered("a#=", "1")));
    assert!(!sums.is_allowed());
    let files = bounded(
        &policy,
        &format!("awk '{}' a", numbered("{print > \"f#\"} ", "")),
    );
    assert!(!files.is_allowed());
    let half = SIZE / 5;
    bounded(
        &policy,
        &format!("echo {}a{}", "{a,".repeat(half), "}".repeat(half)),
    );
    bounded(&policy, &format!("echo {{{}}}", numbered("#,", "a")));
}

/// These were followed to their end, which took too long.
#[test]
fn words_that_come_out_of_others_and_commands_of_editors_count_like_written_ones() {
    let policy = nowhere();
    for command in [
        format!("x=$'{}'; $x", repeated("bHM= ")),
        format!("vim -c '{}' a", repeated("$x ")),
        format!("ex -s a <<'E'\n{}\nE", repeated("$x ")),
    ] {
        let start: String = command.chars().take(20).collect();
        assert!(!bounded(&policy, &command).is_allowed(), "{start}");
    }
}

#[test]
fn large_work_of_real_agents_is_followed_to_its_end() {
    let policy = nowhere();
    let python: String = (0..700)
        .map(|n| format!("rows.append(Row(name=\"entry {n}\", size={n}))\n"))
        .collect();
    let script: String = (0..1_250)
        .map(|n| format!("echo \"line {n} of the file\" >> out/part.txt\n"))
        .collect();
    assert!(python.len() > 29_000 && script.len() > 49_000);
    for command in [
        format!("touch {}", files(2_000)),
        format!("git add {}", files(2_000)),
        format!("rustfmt --check {}", files(2_000)),
        format!("python3 - <<'EOF'\n{python}EOF"),
        format!("bash <<'EOF'\n{script}EOF"),
    ] {
        let decision = bounded(&policy, &command);
        assert!(decision.is_allowed(), "{}: {decision:?}", &command[..30]);
    }
}

#[test]
fn what_is_too_much_says_what_to_do_instead() {
    for command in [
        repeated("ls;"),
        repeated("a "),
        format!("touch {}", files(6_000)),
        format!("python3 <<'E'\n{}\nE", repeated("f(1)\n")),
    ] {
        let decision = bounded(&nowhere(), &command);
        let grove::guard::Decision::Block { reason, .. } = decision else {
            panic!("allowed: {}", &command[..30]);
        };
        assert!(
            reason.contains("write it to a file in your worktree"),
            "{reason}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_repeated_line_takes_more_than_the_budget(line in "[a-z$(){}|&;<>'\"`=. /\n*-]{1,40}",
        head in proptest::sample::select(vec!["", "python3 -c '", "node -e '", "awk '", "bash -c '", "touch ", "x="])) {
        bounded(&nowhere(), &format!("{head}{}", repeated(&line)));
    }
}

/// Each name was looked up on the whole line; how long that takes is measured by the shapes of the guard's bench.
#[test]
fn a_dry_run_of_thousands_of_tasks_is_followed_to_its_end() {
    let policy = grove::guard::Policy {
        block: Vec::new(),
        ..nowhere()
    };
    for (runner, dry) in [("make", "-n"), ("just", "--dry-run"), ("rake", "-T")] {
        let command = format!("{runner} {}{dry}", "deploy ".repeat(7_500));
        let decision = bounded(&policy, &command);
        assert!(decision.is_allowed(), "{runner}: {decision:?}");
    }
}

/// Each move looked at all that had gone before it, which took a hundred times as long as copying.
#[test]
fn moving_the_same_file_again_and_again_is_followed_as_often_as_copying_it() {
    let policy = nowhere();
    for unit in ["mv a b\n", "cp a b\n", "rm -rf a\n"] {
        assert!(bounded(&policy, &unit.repeat(150)).is_allowed(), "{unit}");
        assert!(
            !bounded(&policy, &unit.repeat(1_500)).is_allowed(),
            "{unit}"
        );
    }
}
