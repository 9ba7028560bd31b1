//! Sums of files: digits without a slash at the beginning of each line, whatever the files are called.

use super::text::{ANY, TOKEN};

/// What a program prints that begins with a sum, and what is left where only that is taken.
pub(super) fn printed(name: &str, args: &[String], stdin: Option<&str>) -> Option<String> {
    let lines = format!("{TOKEN}  {ANY}");
    let sums = matches!(
        name,
        "md5sum" | "sha1sum" | "sha224sum" | "sha256sum" | "sha384sum" | "sha512sum" | "b2sum"
    );
    if sums {
        // Checking, and the style of other systems, print other lines.
        return args
            .iter()
            .all(|arg| !arg.starts_with('-'))
            .then_some(lines);
    }
    if stdin != Some(lines.as_str()) {
        return None;
    }
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let taken = match (name, words.as_slice()) {
        ("cut", ["-d ", "-f1"] | ["-d", " ", "-f1" | "1"] | ["-f1", "-d "]) => true,
        // The shortest sum has 32 digits.
        ("cut", [one]) => one
            .strip_prefix("-c1-")
            .or_else(|| one.strip_prefix("-c-"))
            .is_some_and(few),
        ("cut", ["-c", one]) => one
            .trim_start_matches('1')
            .strip_prefix('-')
            .is_some_and(few),
        ("head", ["-c", count]) => few(count),
        ("head", [one]) => one.strip_prefix("-c").is_some_and(few),
        ("awk" | "gawk" | "mawk", [program]) => program.replace([' ', ';'], "") == "{print$1}",
        _ => false,
    };
    taken.then(|| TOKEN.to_string())
}

fn few(count: &str) -> bool {
    count.parse::<u8>().is_ok_and(|count| count <= 32)
}
