//! What programs print, when its shape is known: names and paths below a place, lines passed through.

use super::listings;
use super::output::{echo, printf};
use super::state::State;
use super::text::{self, ANY, JOB, PATH, SECRET, TOKEN};
use crate::paths::Place;

pub(super) fn operands(args: &[String]) -> Vec<&String> {
    args.iter().filter(|arg| !arg.starts_with('-')).collect()
}

/// What a program prints, when its shape is known; everything else is any text.
pub(crate) fn of_program(
    name: &str,
    args: &[String],
    stdin: Option<&str>,
    st: &State,
    temp: Option<&str>,
) -> String {
    let any = || ANY.to_string();
    let token = || TOKEN.to_string();
    let input = || stdin.map_or_else(any, str::to_owned);
    if let Some(text) = super::decode::decoded(name, args, stdin) {
        return text;
    }
    if let Some(text) = super::digests::printed(name, args, stdin) {
        return text;
    }
    if let Some(text) = super::filters::passed(name, args, stdin) {
        return text;
    }
    if prints_settings(name, args) {
        return String::new();
    }
    match name {
        "true" | "false" | ":" | "test" | "[" | "mkdir" | "touch" | "rm" | "cp" | "mv"
        | "sleep" | "cd" | "export" | "chmod" => String::new(),
        "echo" => echo(args),
        "printf" => printf(args),
        "pwd" => super::expand::place_text(&st.cwd) + "\n",
        "date"
            if !args
                .iter()
                .any(|arg| arg.contains('/') && arg.starts_with('+')) =>
        {
            token()
        }
        "nproc" | "wc" | "whoami" | "hostname" | "uname" | "id" | "arch" | "seq" | "uuidgen"
        | "cksum" | "tty" | "getconf" => token(),
        "printenv" => match args {
            [name] if !name.starts_with('-') => text::inherited(name),
            _ => format!("{ANY}{SECRET}"),
        },
        "dirname" | "basename" | "realpath" | "readlink" => path_part(name, args, st),
        "which" => {
            let names = operands(args);
            if names.is_empty() || names.iter().any(|name| name.contains('/')) {
                return any();
            }
            names
                .iter()
                .map(|name| format!("/usr/bin/{name}\n"))
                .collect()
        }
        "docker" | "podman" | "nerdctl" if crate::rules::prints_number(args) => {
            format!("{JOB}\n")
        }
        "mktemp" => mktemp(args, temp),
        "ls" => listings::names(args, st),
        "grep" | "egrep" | "fgrep" | "rg" => listings::searched(name, args, stdin),
        "cat" | "sort" | "uniq" | "head" | "tail" | "tac" | "tee" | "shuf" | "less" | "more"
        | "sponge" | "pv" | "nl" => {
            let numbers =
                name == "nl" || args.iter().any(|arg| arg == "-n" || arg == "-A") && name == "cat";
            let reads_files = match name {
                "tee" | "sponge" => false,
                "head" | "tail" => args.iter().enumerate().any(|(at, arg)| {
                    !arg.starts_with('-')
                        && !args
                            .get(at.wrapping_sub(1))
                            .is_some_and(|flag| matches!(flag.as_str(), "-n" | "-c"))
                }),
                _ => operands(args).iter().any(|arg| *arg != "-"),
            };
            let counts = name == "uniq" && args.iter().any(|arg| arg == "-c");
            if reads_files || numbers || counts || args.iter().any(|arg| arg == "-c") {
                any()
            } else if matches!(name, "head" | "tail") {
                listings::some(&input())
            } else {
                input()
            }
        }
        _ => any(),
    }
}

/// Tools that print settings for the shell they are started from: `eval "$(pyenv init -)"`. They belong to
/// the machine like the program itself does, and what they set is not followed.
fn prints_settings(name: &str, args: &[String]) -> bool {
    let first = args.first().map_or("", String::as_str);
    match name {
        "pyenv" | "rbenv" | "nodenv" | "goenv" | "jenv" | "zoxide" | "starship" => {
            matches!(first, "init" | "virtualenv-init")
        }
        // What `.envrc` does is the project's, and judged where the command wrote it.
        "direnv" => matches!(first, "hook" | "export"),
        "fnm" | "opam" => first == "env",
        "brew" | "devbox" => first == "shellenv",
        "poetry" => first == "env" && args.get(1).is_some_and(|word| word == "activate"),
        "conda" | "mamba" | "micromamba" => first.starts_with("shell"),
        "mise" | "rtx" => matches!(first, "activate" | "env" | "hook-env"),
        "dircolors" => args.iter().all(|arg| arg.starts_with('-')),
        "luarocks" => first == "path",
        "kubectl" | "helm" | "npm" | "gh" | "pip" | "docker" => {
            matches!(first, "completion" | "completions")
        }
        "rustup" => first == "completions",
        _ => false,
    }
}

fn path_part(name: &str, args: &[String], st: &State) -> String {
    let paths = operands(args);
    let suffix_flag = args.iter().any(|arg| {
        arg.starts_with("-s")
            || arg.starts_with("-a")
            || arg == "-z"
            || arg.starts_with("--relative")
    });
    let Some(path) = paths.first().filter(|_| !suffix_flag) else {
        return ANY.to_string();
    };
    if text::is_any(path) {
        return ANY.to_string();
    }
    let trimmed = path.trim_end_matches('/');
    match name {
        "dirname" if path.contains(PATH) && !trimmed.ends_with(PATH) => ANY.to_string(),
        "dirname" => match trimmed.rsplit_once('/') {
            Some(("", _)) => "/\n".to_owned(),
            // A path below `src` may be in `src` itself: its folder is `src` or below.
            Some((parent, last)) if last.contains(PATH) => format!("{parent}/./{PATH}\n"),
            Some((parent, _)) => format!("{parent}\n"),
            None if trimmed.is_empty() => "/\n".to_owned(),
            None if trimmed.contains(PATH) => format!("./{PATH}\n"),
            None => ".\n".to_owned(),
        },
        "basename" => {
            if paths.len() > 2 {
                return ANY.to_string();
            }
            let last = trimmed.rsplit('/').next().unwrap_or(trimmed);
            if last.contains(PATH) {
                return format!("{TOKEN}\n");
            }
            let cut = paths
                .get(1)
                .and_then(|suffix| last.strip_suffix(suffix.as_str()))
                .unwrap_or(last);
            format!("{cut}\n")
        }
        _ => match st.cwd.as_slice() {
            [Place::Known(cwd)] => {
                let full = cwd.join(path.as_str());
                format!("{}\n", crate::paths::normal(&full).to_string_lossy())
            }
            _ => ANY.to_string(),
        },
    }
}

fn mktemp(args: &[String], temp: Option<&str>) -> String {
    let base = temp.unwrap_or("/tmp");
    let mut directory = None;
    let mut at = 0;
    let mut template = None;
    while let Some(arg) = args.get(at) {
        at += 1;
        if arg == "-p" {
            directory = args.get(at).cloned();
            at += 1;
        } else if let Some(value) = arg.strip_prefix("--tmpdir=") {
            directory = Some(value.to_owned());
        } else if let Some(value) = arg.strip_prefix("-p") {
            directory = Some(value.to_owned());
        } else if arg == "-t" || arg == "--tmpdir" {
            directory = Some(base.to_owned());
        } else if !arg.starts_with('-') {
            template = Some(arg.clone());
        }
    }
    match (directory, template) {
        (None, Some(template)) => format!("{template}\n"),
        (Some(directory), Some(template)) => format!("{directory}/{template}\n"),
        (Some(directory), None) => format!("{directory}/tmp.{TOKEN}\n"),
        (None, None) => format!("{base}/tmp.{TOKEN}\n"),
    }
}
