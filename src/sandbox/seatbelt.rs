//! The rules as a profile for macOS's `sandbox-exec`. Pure text, so it is tested everywhere.

use super::Rules;
use std::fmt::Write;
use std::path::Path;

/// The system's own program that applies a profile and becomes another program.
#[cfg_attr(not(target_os = "macos"), expect(dead_code, reason = "used on macOS"))]
pub(super) const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// The profile; later rules win over earlier ones.
#[cfg_attr(
    not(any(target_os = "macos", test)),
    expect(dead_code, reason = "used on macOS")
)]
pub(super) fn profile(rules: &Rules) -> String {
    let mut text = String::from("(version 1)\n(allow default)\n(deny file-write*)\n");
    for path in rules.write.iter().chain(&rules.devices) {
        line(&mut text, "allow file-write*", path);
    }
    for path in &rules.hidden {
        line(&mut text, "deny file-read-data", path);
    }
    for path in rules.read.iter().chain(&rules.write) {
        line(&mut text, "allow file-read-data", path);
    }
    text.push_str("(deny signal)\n(allow signal (target same-sandbox))\n");
    text
}

fn line(text: &mut String, verb: &str, path: &Path) {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let quoted = path
        .to_string_lossy()
        .replace('\\', "\\\\")
        .replace('"', "\\\"");
    // Writing to a String cannot fail.
    if writeln!(text, "({verb} (subpath \"{quoted}\"))").is_err() {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn a_path_cannot_end_its_own_quotes() {
        let rules = Rules {
            write: vec![PathBuf::from("/a\") (allow default) (\"")],
            ..Rules::default()
        };
        assert!(profile(&rules).contains(r#"(subpath "/a\") (allow default) (\"")"#));
    }
}
