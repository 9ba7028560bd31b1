//! Options before a subcommand: the word behind one may be its value, and the subcommand comes later.
//!
//! Which options take a value is known of few tools, so that both readings are judged: the word as subcommand, and
//! the word as value.

use super::table::words_of;

/// Options with a value in a word of its own that are looked at.
const MOST: usize = 6;

/// Tools without words of their own that publish, in which the subcommand decides.
const MORE: &[&str] = &[
    "docker-compose",
    "podman-compose",
    "go",
    "composer",
    "rustup",
    "pipx",
    "corepack",
    "dotnet",
    "hg",
    "jj",
    "svn",
    "fossil",
    "bzr",
    "sl",
    "darcs",
    "cvs",
];

/// The words of a tool as they stand where the words behind its first options are values of them: one reading for
/// each option that may have one.
pub(in crate::rules) fn readings(name: &str, args: &[String]) -> Vec<Vec<String>> {
    // What any word of theirs says is judged wherever it stands.
    let by_any_word = matches!(
        name,
        "mvn" | "mvnw" | "./mvnw" | "gradle" | "gradlew" | "./gradlew" | "sbt" | "mill"
    );
    if by_any_word || !(MORE.contains(&name) || words_of(name).is_some()) {
        return Vec::new();
    }
    with_values(name, args)
}

/// The same for any program.
pub(super) fn with_values(name: &str, args: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut before: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|arg| arg.starts_with(['-', '+'])) {
        let alone = arg.starts_with('+') || arg.contains('=') || is_flag(name, arg);
        match args.get(at + 1).filter(|next| !next.starts_with('-')) {
            Some(_) if arg == "--" || found.len() >= MOST => break,
            Some(value) if !alone => {
                before.push(format!("{arg}={value}"));
                at += 2;
                let rest = args.get(at..).unwrap_or_default();
                found.push([before.as_slice(), rest].concat());
            }
            Some(_) | None => {
                before.push(arg.clone());
                at += 1;
            }
        }
    }
    found
}

/// Words in which an option of the program says only how much it prints, with its value in one word.
pub(crate) fn joined(name: &str, words: &[String]) -> Option<Vec<String>> {
    if name != "cargo" {
        return None;
    }
    let own = words.iter().skip(1);
    let own = own.take_while(|arg| arg.starts_with(['-', '+'])).count() + 1;
    let at = words.iter().take(own).position(|arg| arg == "--color")?;
    let value = words.get(at + 1)?;
    let mut all = words.to_vec();
    all.splice(at..at + 2, [format!("--color={value}")]);
    Some(all)
}

/// Options of which it is known that they take no value.
fn is_flag(name: &str, option: &str) -> bool {
    let common = matches!(option, "--verbose" | "--quiet" | "--version" | "--help");
    common && name != "dart"
        || match name {
            "cargo" => matches!(
                option,
                "-q" | "-v"
                    | "-vv"
                    | "-V"
                    | "-h"
                    | "--locked"
                    | "--offline"
                    | "--frozen"
                    | "--list"
            ),
            "npm" | "pnpm" | "yarn" | "bun" => matches!(option, "-s" | "--silent" | "-r" | "-g"),
            "hg" | "jj" | "svn" => matches!(option, "-q" | "-v" | "-y"),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::readings;

    #[test]
    fn the_word_behind_an_option_may_be_its_value() {
        let read = |name: &str, line: &str| -> Vec<String> {
            let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let all = readings(name, &args);
            all.into_iter().map(|words| words.join(" ")).collect()
        };
        assert_eq!(
            read("cargo", "--color never publish"),
            ["--color=never publish"]
        );
        assert_eq!(
            read("cargo", "+x -q -Z a --config b=c test -x y"),
            [
                "+x -q -Z=a --config b=c test -x y",
                "+x -q -Z=a --config=b=c test -x y"
            ]
        );
        assert!(read("cargo", "--color=never --locked publish").is_empty());
        assert!(read("cargo", "test --test guard").is_empty());
        assert!(read("ls", "--color never").is_empty());
    }
}
