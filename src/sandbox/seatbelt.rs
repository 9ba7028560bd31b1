//! The rules as a profile for macOS's `sandbox-exec`. Pure text, so it is tested everywhere.

use super::Rules;
use crate::config::Network;
use std::fmt::Write;
use std::path::{Path, PathBuf};

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
        line(&mut text, "allow file-write*", &resolved(path));
    }
    // By the names that they have: a link that has come there since leads nowhere.
    for path in &rules.opened {
        line(&mut text, "allow file-write*", path);
    }
    for path in &rules.hidden {
        line(&mut text, "deny file-read-data", &resolved(path));
    }
    for path in rules.read.iter().chain(&rules.write) {
        line(&mut text, "allow file-read-data", &resolved(path));
    }
    for path in &rules.opened {
        line(&mut text, "allow file-read-data", path);
    }
    // The terminal's own device has a number that nobody knows beforehand.
    text.push_str("(allow file-write* (regex #\"^/dev/ttys[0-9]+$\"))\n");
    text.push_str("(deny signal)\n(allow signal (target same-sandbox))\n");
    // By these, others start programs, or do something, for who asks; they are in no sandbox.
    text.push_str("(deny job-creation)\n(deny lsopen)\n(deny appleevent-send)\n");
    text.push_str(&network(&rules.network));
    text
}

/// Sockets in the file system have no address and stay as they are: the agent's host is behind one.
fn network(network: &Network) -> String {
    match network {
        Network::Allow => String::new(),
        Network::Loopback => "(deny network-outbound (remote ip \"*:*\"))\n\
             (allow network-outbound (remote ip \"localhost:*\"))\n"
            .to_owned(),
        Network::Ports(ports) => {
            let allowed = ports
                .iter()
                .map(|port| format!("(allow network-outbound (remote tcp \"*:{port}\"))\n"));
            std::iter::once("(deny network-outbound (remote tcp \"*:*\"))\n".to_owned())
                .chain(allowed)
                .collect()
        }
    }
}

fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn line(text: &mut String, verb: &str, path: &Path) {
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

    /// The whole text, so that a change of it is seen. Its words are those of the systems' own profiles:
    /// later rules win, `file-write*` covers contents, names, modes, owners, times and attributes.
    #[test]
    fn the_profile_of_a_writer_with_ports() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect();
        let rules = Rules {
            write: paths(&["/p/.overstory/worktrees/a"]),
            hidden: paths(&["/p/.overstory/hosts", "/Users/u/.ssh"]),
            read: paths(&["/p/.overstory/hosts/a"]),
            devices: paths(&["/dev/null"]),
            network: Network::Ports(vec![443, 8080]),
            ..Rules::default()
        };
        let expected = r#"(version 1)
(allow default)
(deny file-write*)
(allow file-write* (subpath "/p/.overstory/worktrees/a"))
(allow file-write* (subpath "/dev/null"))
(deny file-read-data (subpath "/p/.overstory/hosts"))
(deny file-read-data (subpath "/Users/u/.ssh"))
(allow file-read-data (subpath "/p/.overstory/hosts/a"))
(allow file-read-data (subpath "/p/.overstory/worktrees/a"))
(allow file-write* (regex #"^/dev/ttys[0-9]+$"))
(deny signal)
(allow signal (target same-sandbox))
(deny job-creation)
(deny lsopen)
(deny appleevent-send)
(deny network-outbound (remote tcp "*:*"))
(allow network-outbound (remote tcp "*:443"))
(allow network-outbound (remote tcp "*:8080"))
"#;
        assert_eq!(profile(&rules), expected);
    }

    #[test]
    fn loopback_is_every_port_of_this_machine() {
        let rules = Rules {
            network: Network::Loopback,
            ..Rules::default()
        };
        let text = profile(&rules);
        assert!(text.ends_with(
            "(deny network-outbound (remote ip \"*:*\"))\n(allow network-outbound (remote ip \"localhost:*\"))\n"
        ));
        let balance = |c| text.matches(c).count();
        assert_eq!(balance('('), balance(')'));
    }

    #[test]
    fn a_path_cannot_end_its_own_quotes() {
        let rules = Rules {
            write: vec![PathBuf::from("/a\") (allow default) (\"")],
            ..Rules::default()
        };
        assert!(profile(&rules).contains(r#"(subpath "/a\") (allow default) (\"")"#));
    }
}
