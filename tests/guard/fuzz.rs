//! Hostile text: whatever comes in, there is an answer, and the work for it is bounded by its size.
//!
//! Work is counted, not timed: looks at the text, and steps of the walk.

use std::path::PathBuf;

use crate::payloads::policy;
use crate::place::Place;
use grove::guard::{Decision, Policy, effort, judge};
use proptest::prelude::*;
use serde_json::json;

/// Looks the parser may take for each byte of a command: text inside of text is read once more on each of
/// at most 24 levels.
const LOOKS_PER_BYTE: u64 = 8 * 24;
/// The walk ends here whatever the text is.
const STEPS: usize = 24_000;

const SIZE: usize = 100_000;

pub(crate) fn nowhere() -> Policy {
    Policy {
        agent: "a".to_owned(),
        capability: "builder".to_owned(),
        worktree: PathBuf::from("/w/x"),
        root: PathBuf::from("/w"),
        temp: None,
        quality_gates: Vec::new(),
        task_id: None,
        allow: Vec::new(),
        block: vec!["make deploy*".to_owned()],
    }
}

/// Judges a command and checks the work it took.
pub(crate) fn bounded(policy: &Policy, command: &str) -> Decision {
    let (decision, effort) = effort(policy, command);
    let start: String = command.chars().take(40).collect();
    let most = LOOKS_PER_BYTE * (command.len() as u64 + 100);
    assert!(
        effort.looks <= most,
        "{} looks for {} bytes: {start}",
        effort.looks,
        command.len()
    );
    assert!(effort.steps <= STEPS, "{} steps: {start}", effort.steps);
    if let Decision::Block { reason, .. } = &decision {
        assert!(!reason.contains("could not be judged"), "{start}: {reason}");
    }
    decision
}

#[test]
fn the_work_for_hostile_text_is_bounded_by_its_size() {
    let place = Place::new();
    let policy = policy(&place, "builder");
    let filled = |unit: &str| unit.repeat(SIZE / unit.len());
    let nested = |open: &str, close: &str, depth: usize| {
        format!("{}true{}", open.repeat(depth), close.repeat(depth))
    };
    let mut commands: Vec<String> = [
        "echo aaaaaaaaaa; ",
        "a ",
        "x=$x$x; ",
        "a|",
        "{a,b}",
        "*",
        "(",
        "$(",
        "{ ",
        "`",
        "if ",
        "((",
        "${a:-",
        "\"$(",
        "bash -c '",
        "[[",
        "<<E ",
        "<<E\n",
        "<(",
        "case x in ",
        "x() { ",
        "\\",
        "\\\n",
        "'",
        "\"",
        "$",
        "~",
        "#",
        "\n",
        ";",
        "&",
        "!",
        "!(",
        "$((",
        "${x//",
        "{1..99999} ",
        "{a..z}{a..z}",
        ">a ",
        "2>&1 ",
        "a=(",
        "for i in ",
        "while ",
        "eval ",
        "$'\\x41'",
        "?",
        "[a-z]",
        "[!",
        "@(a|",
        "\u{e9}",
        "\u{1F600}",
        "env ",
        "xargs ",
        "sudo ",
        "time ",
        "if a; then ",
        "a && ",
        "f(){ f|f& };",
        "\t",
        "${!",
        "$'",
        "=",
        "../",
        "a/../",
        "./",
        "~/",
        "/",
    ]
    .iter()
    .map(|unit| filled(unit))
    .collect();
    commands.extend(
        ["echo ", "rm ", "touch ", "cd ", "x=", "cat <", "git "]
            .iter()
            .flat_map(|head| {
                [
                    "../",
                    "{a,b}",
                    "{1..99999}",
                    "$x",
                    "a/",
                    "*",
                    "[a",
                    "`echo a`",
                    "$(echo a)",
                ]
                .iter()
                .map(|unit| format!("{head}{}", filled(unit)))
                .collect::<Vec<_>>()
            }),
    );
    for depth in [10, 24, 100, 5_000] {
        commands.extend([
            nested("(", ")", depth),
            nested("{ ", "; }", depth),
            nested("$(", ")", depth),
            nested("\"$(", ")\"", depth),
            nested("if true; then ", "; fi", depth),
            nested("for i in 1 2 3; do ", "; done", depth),
            nested("while true; do ", "; done", depth),
            nested("case a in a) ", ";; esac", depth),
            nested("bash -c \"", "\"", depth),
            nested("eval ", "", depth),
            nested("env ", "", depth),
            nested("${a:-", "}", depth),
            nested("x=$(x=", ")", depth),
        ]);
    }
    commands.extend([
        format!("cat > a.txt <<'E'\n{}\nE", filled("git push\n")),
        format!("bash <<'E'\n{}\nE", filled("echo a\n")),
        format!("cat {}", "<<E ".repeat(2_000)) + &"\nE".repeat(2_000),
        format!("python3 -c \"{}\"", filled("x=1\n")),
        format!("awk '{}'", filled("{print} ")),
        format!("sed '{}'", filled("s/a/b/;")),
        format!("echo '{}'", filled("x")),
        format!("a=x; {}", filled("a=$a$a; ")),
        format!("f() {{ true; }}; {}", filled("f; ")),
        format!("{}git push", "true | ".repeat(12_000)),
        format!(
            "x=1; {} echo",
            "if [ $x ]; then x=2; else x=3; fi;".repeat(2_500)
        ),
        format!(
            "for a in {}; do for b in {{1..999}}; do echo $a $b; done; done",
            "a ".repeat(900)
        ),
        format!("echo {}", "{1..9999}".repeat(5)),
        format!("alias a=b; {}", filled("alias a='a a'; ")),
    ]);
    for command in &commands {
        bounded(&policy, command);
    }
}

#[test]
fn what_is_hidden_at_the_end_of_much_text_is_found() {
    let place = Place::new();
    let policy = policy(&place, "builder");
    for hidden in [
        format!("{}git push", "echo a; ".repeat(12_000)),
        format!("echo '{}'; git push", "x".repeat(SIZE)),
        format!("{}git push", "#\n".repeat(SIZE / 2)),
        format!("{}git push", " \\\n".repeat(SIZE / 3)),
        format!("cat <<E\n{}\nE\ngit push", "a\n".repeat(SIZE / 2)),
        format!("A={} git push", "x".repeat(SIZE)),
        format!("echo {} && git push", "{a,b}".repeat(200)),
    ] {
        assert!(!bounded(&policy, &hidden).is_allowed(), "{}", &hidden[..30]);
    }
}

#[test]
fn usual_work_of_a_hundred_kilobytes_is_still_allowed() {
    let place = Place::new();
    let policy = policy(&place, "builder");
    for usual in [
        format!(
            "cat > notes.md <<'E'\n{}\nE",
            "never git push\n".repeat(6_500)
        ),
        format!("git commit -m '{}'", "words ".repeat(16_000)),
        format!("printf '%s' '{}' > data.txt", "0123456789".repeat(10_000)),
    ] {
        assert!(bounded(&policy, &usual).is_allowed(), "{}", &usual[..30]);
    }
}

/// Signs and words that mean something to a shell.
fn pieces() -> impl Strategy<Value = Vec<&'static str>> {
    proptest::collection::vec(
        proptest::sample::select(vec![
            "git",
            "push",
            "(",
            ")",
            "{",
            "}",
            "$(",
            "`",
            "'",
            "\"",
            "\\",
            "\n",
            " ",
            ";",
            "&&",
            "||",
            "|",
            "&",
            "<",
            ">",
            "<<E",
            "E",
            "<<<",
            "${",
            "x",
            "=",
            "[[",
            "]]",
            "((",
            "))",
            "if",
            "then",
            "fi",
            "for",
            "in",
            "do",
            "done",
            "case",
            "esac",
            "*",
            "?",
            "[",
            "]",
            "~",
            "!",
            "#",
            "$",
            "a/b",
            "..",
            "-c",
            "bash",
            "eval",
            "sed",
            "awk",
            "python3",
            "1",
            ":",
            "-",
            "@",
            "%",
            "function",
            "\u{e9}",
            "\u{10FF00}",
            "find",
            "-exec",
            "xargs",
            "env",
            "trap",
            "rm",
            "cd",
            "$'\\x",
            "{1..9}",
            "{a,b}",
            "make",
            "deploy",
            "//",
            "\0",
            "%s",
            "tar",
            "--",
            "-C",
            "select",
            "coproc",
            "local",
            "declare",
            "printf",
            "read",
            "<(",
            ">(",
            "|&",
            ";;",
        ]),
        0..30,
    )
}

fn path() -> impl Strategy<Value = String> {
    let part = proptest::sample::select(vec![
        "..",
        ".",
        "",
        "a",
        "src",
        ".git",
        ".GIT",
        "~",
        "~root",
        "*",
        "?",
        "[ab]",
        "{a,..}",
        "$X",
        "$(x)",
        "'..'",
        "\\..",
        "\u{200b}",
        "\u{2025}",
        "\u{ff0e}\u{ff0e}",
        "-",
        "--",
        "w",
        "x",
        "\u{e9}",
        "a b",
        "...",
        "CON",
    ]);
    proptest::collection::vec(part, 1..12).prop_map(|parts| parts.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_makes_the_guard_fail(command in "\\PC{0,60}", tool in "[A-Za-z_]{0,12}") {
        let policy = nowhere();
        bounded(&policy, &command);
        for tool in ["Bash", tool.as_str()] {
            if let Decision::Block { rule, reason } = judge(&policy, tool, &json!({"command": command})) {
                prop_assert!(!reason.contains("could not be judged"), "{rule}: {reason}");
            }
        }
    }

    #[test]
    fn no_mixture_of_shell_signs_makes_the_guard_fail(words in pieces()) {
        let policy = nowhere();
        bounded(&policy, &words.concat());
        bounded(&policy, &words.join(" "));
    }

    #[test]
    fn no_repetition_of_a_mixture_makes_the_work_grow_faster_than_the_text(words in pieces(), times in 1usize..200) {
        bounded(&nowhere(), &words.concat().repeat(times));
    }

    #[test]
    fn no_path_makes_the_path_logic_fail(path in path(), tool in proptest::sample::select(vec!["Write", "Read", "Edit"])) {
        let policy = nowhere();
        let input = json!({"file_path": path, "content": "", "old_string": "a", "new_string": "b"});
        let decision = judge(&policy, tool, &input);
        if let Decision::Block { reason, .. } = &decision {
            prop_assert!(!reason.contains("could not be judged"), "{reason}");
        }
        bounded(&policy, &format!("rm -rf {path}; touch {path}; cd {path} && rm -r {path}"));
    }

    #[test]
    fn a_plain_path_is_inside_exactly_when_its_parts_say_so(parts in proptest::collection::vec(
        proptest::sample::select(vec!["..", ".", "a", "b"]), 1..10)) {
        let mut depth = 0_i32;
        let mut left = false;
        for part in &parts {
            depth += match *part { ".." => -1, "." => 0, _ => 1 };
            left |= depth < 0;
        }
        let input = json!({"file_path": format!("{}/file", parts.join("/")), "content": ""});
        let decision = judge(&nowhere(), "Write", &input);
        // On its way out and back in again it must name the worktree's own folder, which these cannot.
        if left {
            prop_assert!(!decision.is_allowed());
        } else {
            prop_assert!(decision.is_allowed(), "{decision:?}");
        }
    }

    #[test]
    fn no_value_in_a_call_makes_the_guard_fail(key in "[a-z_]{0,10}", number in any::<i64>(), text in "\\PC{0,20}",
        tool in proptest::sample::select(vec!["Bash", "Write", "Edit", "Read", "Grep", "mcp__x__write", "apply_patch", "shell"])) {
        for value in [json!(number), json!(text), json!([text]), json!({key.clone(): text}), json!(null), json!(true)] {
            for input in [json!({key.clone(): value}), json!({"command": value}), json!({"file_path": value}), value.clone()] {
                if let Decision::Block { reason, .. } = judge(&nowhere(), tool, &input) {
                    prop_assert!(!reason.contains("could not be judged"), "{reason}");
                }
            }
        }
    }
}
