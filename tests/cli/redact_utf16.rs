//! `grove redact` over what programs of Windows write: two bytes for each character.

use crate::support::TestProject;

const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ0123456";

/// In little or big order, with or without the mark before it.
fn written(text: &str, big: bool, marked: bool) -> Vec<u8> {
    let mark = if marked { "\u{feff}" } else { "" };
    let text = format!("{mark}{text}");
    let units = text.encode_utf16();
    units
        .flat_map(|unit| {
            if big {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        })
        .collect()
}

#[test]
fn a_token_in_a_log_of_utf_16_is_named_and_taken_out() {
    let project = TestProject::initialised();
    let logs = [
        ("little", false, true),
        ("big", true, true),
        ("bare-little", false, false),
        ("bare-big", true, false),
    ];
    for (name, big, marked) in logs {
        let text = written(&format!("one\r\nuse {TOKEN} here\r\n"), big, marked);
        std::fs::create_dir_all(project.overstory("logs/ann")).unwrap();
        let file = project.overstory(&format!("logs/ann/{name}.log"));
        std::fs::write(file, text).unwrap();
    }
    let done = project.grove(&["redact", "--check"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    for (name, _, _) in logs {
        let found = format!(".overstory/logs/ann/{name}.log:2  GitHub token");
        assert!(done.stdout.contains(&found), "{done:?}");
    }
    let done = project.grove(&["redact", "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    for (name, big, marked) in logs {
        let file = project.overstory(&format!("logs/ann/{name}.log"));
        let rest = written("one\r\nuse [REDACTED] here\r\n", big, marked);
        assert_eq!(std::fs::read(file).unwrap(), rest, "{name}");
    }
}
