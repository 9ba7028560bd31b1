//! How the words of a container program are split: its own options, the command, the command's options, the rest.
//!
//! Which options stand alone is known here; all others have a value. An option that nobody knows takes the next word
//! unless that is an option itself, so that no mount is overlooked.

/// Options of the programs themselves that have no value.
const ALONE: &[&str] = &[
    "D",
    "v",
    "h",
    "r",
    "debug",
    "help",
    "remote",
    "syslog",
    "tls",
    "tlsverify",
    "transient-store",
    "version",
];
/// The same of `compose`.
const ALONE_OF_COMPOSE: &[&str] = &[
    "all-resources",
    "compatibility",
    "dry-run",
    "help",
    "no-ansi",
    "v",
    "verbose",
    "version",
];
/// The same of `run`, `create` and `exec`.
const ALONE_OF_RUN: &[&str] = &[
    "P",
    "T",
    "build",
    "d",
    "detach",
    "disable-content-trust",
    "help",
    "i",
    "init",
    "interactive",
    "no-TTY",
    "no-deps",
    "no-healthcheck",
    "no-hosts",
    "oom-kill-disable",
    "privileged",
    "publish-all",
    "q",
    "quiet",
    "quiet-build",
    "quiet-pull",
    "read-only",
    "read-only-tmpfs",
    "remove-orphans",
    "replace",
    "rm",
    "rmi",
    "rootfs",
    "service-ports",
    "sig-proxy",
    "t",
    "tls-verify",
    "tty",
    "use-aliases",
];
/// Commands that stand in front of another one.
const GROUPS: &[&str] = &[
    "builder",
    "buildx",
    "compose",
    "container",
    "context",
    "image",
    "manifest",
    "network",
    "system",
    "volume",
];

/// An option without its dashes, and its value.
pub(super) type Asked<'a> = (&'a str, Option<&'a str>);

pub(super) struct Words<'a> {
    /// Options of the program.
    pub(super) own: Vec<Asked<'a>>,
    /// What stands behind those.
    pub(super) all: &'a [String],
    pub(super) command: &'a str,
    /// The word behind a command that only groups others.
    pub(super) second: &'a str,
    /// What stands behind both.
    rest: &'a [String],
}

impl<'a> Words<'a> {
    pub(super) fn of(args: &'a [String]) -> Self {
        let (own, all) = leading(args, ALONE);
        let (command, mut rest) = first(all);
        let mut second = "";
        if command == "compose" {
            rest = leading(rest, ALONE_OF_COMPOSE).1;
        }
        if GROUPS.contains(&command) {
            (second, rest) = first(rest);
        }
        Self {
            own,
            all,
            command,
            second,
            rest,
        }
    }

    /// Options of a command that starts something in a container: what follows them is for the container.
    pub(super) fn options(&self) -> Vec<Asked<'a>> {
        leading(self.rest, ALONE_OF_RUN).0
    }

    /// The program that a container is told to run: behind its options and its own name, or instead of what it runs
    /// otherwise.
    pub(super) fn program(&self) -> Option<(&'a str, &'a [String])> {
        let (options, rest) = leading(self.rest, ALONE_OF_RUN);
        let instead = options.iter().find(|(name, _)| *name == "entrypoint");
        if let Some((_, Some(program))) = instead {
            return Some((program, rest.get(1..).unwrap_or_default()));
        }
        let (program, args) = rest.get(1..)?.split_first()?;
        Some((program, args))
    }

    /// Everything behind the command.
    pub(super) fn behind(&self) -> &'a [String] {
        self.rest
    }
}

fn first(words: &[String]) -> (&str, &[String]) {
    match words.split_first() {
        Some((first, rest)) => (first, rest),
        None => ("", words),
    }
}

/// The options at the beginning, and what stands behind them.
fn leading<'a>(words: &'a [String], alone: &[&str]) -> (Vec<Asked<'a>>, &'a [String]) {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.len() > 1) {
        let Some(option) = word.strip_prefix('-') else {
            break;
        };
        at += 1;
        let next = words.get(at).filter(|next| !next.starts_with('-'));
        let (name, attached) = match option.strip_prefix('-') {
            Some("") => break,
            Some(long) => match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            },
            None => {
                let letters = option.char_indices();
                let ends = |at: usize, letter: char| at + letter.len_utf8();
                let mut valued = None;
                for (place, letter) in letters {
                    let end = ends(place, letter);
                    let name = option.get(place..end).unwrap_or_default();
                    if !alone.contains(&name) {
                        valued = Some((name, option.get(end..).unwrap_or_default()));
                        break;
                    }
                    found.push((name, None));
                }
                let Some((name, value)) = valued else {
                    continue;
                };
                let value = value.strip_prefix('=').unwrap_or(value);
                (name, Some(value).filter(|value| !value.is_empty()))
            }
        };
        let takes = attached.is_none() && !alone.contains(&name);
        let value = attached.or_else(|| next.filter(|_| takes).map(String::as_str));
        at += usize::from(takes && next.is_some());
        found.push((name, value));
    }
    (found, words.get(at..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::Words;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn options_in_front_are_not_the_command() {
        let args =
            words("-l debug --context=x compose -p t --profile dev run -itv /:/h web ls -v a");
        let split = Words::of(&args);
        assert_eq!(split.own, [("l", Some("debug")), ("context", Some("x"))]);
        assert_eq!((split.command, split.second), ("compose", "run"));
        let options = [("i", None), ("t", None), ("v", Some("/:/h"))];
        assert_eq!(split.options(), options);
    }

    #[test]
    fn what_an_unknown_option_takes_is_never_an_option() {
        let args = words("run --new -v/:/h --name=a image -v b");
        let options = [("new", None), ("v", Some("/:/h")), ("name", Some("a"))];
        assert_eq!(Words::of(&args).options(), options);
    }

    #[test]
    fn nothing_is_a_command_of_its_own() {
        assert_eq!(Words::of(&[]).command, "");
        assert_eq!(Words::of(&words("-")).command, "-");
    }
}
