//! What commands print, as far as it matters: text that is known, names and paths of a known shape.
//!
//! Used for `$(…)`, for pipes into shells and `xargs`, and for files a command writes and then runs.

use super::state::State;
use super::text::{self, ANY, PATH, TOKEN};
use crate::guard::paths::Place;

const LONGEST: usize = 256 * 1024;

/// Adds what the next command prints.
pub(crate) fn append(out: &mut String, more: &str) {
    if out.len() + more.len() > LONGEST {
        *out = ANY.to_string();
        return;
    }
    out.push_str(more);
}

/// What is printed when one of two commands ran.
pub(crate) fn either(a: String, b: String) -> String {
    if a == b || b.is_empty() {
        return a;
    }
    if a.is_empty() {
        return b;
    }
    if is_token(a.trim_end()) && is_token(b.trim_end()) {
        return TOKEN.to_string();
    }
    ANY.to_string()
}

/// What several turns of a loop print.
pub(crate) fn repeated(mut out: String, more: &str) -> String {
    append(&mut out, more);
    out
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && !text.contains(|c: char| c.is_whitespace() || c == '/' || c == ANY || c == PATH)
        && text != ".."
        && text != "."
}

/// Decodes the backslash escapes of `$'…'`, `printf` and `echo -e`.
pub(crate) fn decode_escapes(src: &str) -> String {
    if !src.contains('\\') {
        return src.to_owned();
    }
    let bytes = src.as_bytes();
    let mut out: Vec<u8> = Vec::with_capacity(src.len());
    let mut at = 0;
    let digits = |from: usize, most: usize, radix: u32| -> (u32, usize) {
        let mut value = 0_u32;
        let mut count = 0;
        while count < most
            && let Some(digit) = bytes
                .get(from + count)
                .and_then(|c| char::from(*c).to_digit(radix))
        {
            value = value.wrapping_mul(radix).wrapping_add(digit);
            count += 1;
        }
        (value, count)
    };
    while let Some(&byte) = bytes.get(at) {
        if byte != b'\\' {
            out.push(byte);
            at += 1;
            continue;
        }
        let Some(&kind) = bytes.get(at + 1) else {
            out.push(b'\\');
            break;
        };
        at += 2;
        match kind {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'e' | b'E' => out.push(27),
            b'f' => out.push(12),
            b'v' => out.push(11),
            b'c' => at += 1,
            b'x' => {
                let (value, count) = digits(at, 2, 16);
                at += count;
                out.push(value as u8);
            }
            b'u' | b'U' => {
                let (value, count) = digits(at, if kind == b'u' { 4 } else { 8 }, 16);
                at += count;
                if let Some(c) = char::from_u32(value) {
                    out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
            b'0'..=b'7' => {
                let (value, count) = digits(at - 1, if kind == b'0' { 4 } else { 3 }, 8);
                at += count.max(1) - 1;
                out.push(value as u8);
            }
            b'\\' | b'\'' | b'"' | b'?' => out.push(kind),
            other => out.extend([b'\\', other]),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// What `echo` prints.
pub(crate) fn echo(args: &[String]) -> String {
    let mut newline = true;
    let mut escapes = false;
    let mut rest = args;
    while let Some((first, more)) = rest.split_first()
        && first.len() > 1
        && first
            .strip_prefix('-')
            .is_some_and(|flags| flags.chars().all(|c| "neE".contains(c)))
    {
        newline &= !first.contains('n');
        escapes = first.contains('e') && !first.ends_with('E');
        rest = more;
    }
    let mut out = rest.join(" ");
    if escapes {
        out = checked(decode_escapes(&out));
    }
    if newline {
        out.push('\n');
    }
    out
}

fn checked(decoded: String) -> String {
    // A private character that was not there before must not pass for a known part.
    if text::is_forged(&decoded) {
        ANY.to_string()
    } else {
        decoded
    }
}

/// What `printf` prints.
pub(crate) fn printf(args: &[String]) -> String {
    let args = match args.split_first() {
        Some((first, rest)) if first == "--" => rest,
        _ => args,
    };
    let Some((format, values)) = args.split_first() else {
        return String::new();
    };
    if text::is_any(format) || values.len() > 1000 || format.len() > 65_536 {
        return ANY.to_string();
    }
    let format: Vec<char> = if text::is_known(format) {
        let format = literal_percents(format);
        checked(decode_escapes(&format)).chars().collect()
    } else {
        format.chars().collect()
    };
    let mut out = String::new();
    let mut next = 0;
    loop {
        let first = next;
        let mut at = 0;
        while let Some(&c) = format.get(at) {
            at += 1;
            if c != '%' {
                out.push(c);
                continue;
            }
            if format.get(at) == Some(&'%') {
                out.push('%');
                at += 1;
                continue;
            }
            let plain = matches!(format.get(at), Some('s' | 'b' | 'd' | 'i'));
            while format
                .get(at)
                .is_some_and(|c| "-+ #0123456789.*'".contains(*c))
            {
                at += 1;
            }
            let kind = format.get(at).copied();
            at += 1;
            let value = values.get(next).map_or("", String::as_str);
            next += 1;
            match kind {
                Some('s') if plain => out.push_str(value),
                Some('b') if plain && text::is_known(value) => {
                    out.push_str(&checked(decode_escapes(value)));
                }
                Some('d' | 'i') if plain && value.parse::<i64>().is_ok() => out.push_str(value),
                Some('q') if text::is_known(value) => out.push_str(&super::walk::quote(value)),
                _ => out.push(ANY),
            }
            if out.len() > LONGEST {
                return ANY.to_string();
            }
        }
        if next >= values.len() || next == first {
            return out;
        }
    }
}

/// The format with `\\045` and its kin written `%%`: what an escape makes is printed, it directs nothing.
fn literal_percents(format: &str) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let (skip, most, radix) = match after.chars().next() {
            Some('x') => (1, 2, 16),
            Some('u') => (1, 4, 16),
            Some('U') => (1, 8, 16),
            Some('0'..='7') => (0, 3, 8),
            other => {
                // The character behind belongs to the escape, also when it is another backslash.
                out.push('\\');
                out.extend(other);
                rest = after.get(other.map_or(0, char::len_utf8)..).unwrap_or("");
                continue;
            }
        };
        let digits: String = after
            .chars()
            .skip(skip)
            .take_while(|c| c.is_digit(radix))
            .take(most)
            .collect();
        if u32::from_str_radix(&digits, radix) == Ok(u32::from('%')) {
            out.push_str("%%");
            rest = after.get(skip + digits.len()..).unwrap_or("");
        } else {
            out.push('\\');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// One relative path below `base`.
fn below(base: &str) -> String {
    format!("{}/{PATH}\n", base.trim_end_matches('/'))
}

fn operands(args: &[String]) -> Vec<&String> {
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
        "dirname" | "basename" | "realpath" | "readlink" => path_part(name, args, st),
        "which" => args
            .last()
            .filter(|arg| !arg.contains('/'))
            .map_or_else(any, |arg| format!("/usr/bin/{arg}\n")),
        "mktemp" => mktemp(args, temp),
        "find" => {
            let roots: Vec<&String> = args
                .iter()
                .skip_while(|arg| matches!(arg.as_str(), "-H" | "-L" | "-P"))
                .take_while(|arg| !arg.starts_with(['-', '(', '!']))
                .collect();
            // Without a test that keeps it out, a root is among what is found.
            let spared = args.windows(2).any(|pair| match pair {
                [test, value] => match test.as_str() {
                    "-name" | "-iname" => value != "*" && value != ".",
                    "-type" => value == "f" || value == "l",
                    "-mindepth" => value != "0",
                    _ => false,
                },
                _ => false,
            });
            let printed = args.iter().any(|arg| arg == "-printf" || arg == "-L");
            if printed {
                any()
            } else if roots.is_empty() {
                let itself = if spared { "" } else { ".\n" };
                itself.to_owned() + &below(".")
            } else {
                roots
                    .iter()
                    .map(|root| {
                        let itself = if spared {
                            String::new()
                        } else {
                            format!("{root}\n")
                        };
                        itself + &below(root)
                    })
                    .collect()
            }
        }
        "fd" | "fdfind" => below("."),
        "ls" => {
            let paths = operands(args);
            if args.iter().any(|arg| {
                arg.starts_with('-')
                    && !arg.starts_with("--")
                    && arg.contains(['l', 's', 'i', 'Z', 'g', 'o', 'n'])
            }) {
                any()
            } else if paths.is_empty() {
                format!("{TOKEN}\n")
            } else {
                paths
                    .iter()
                    .map(|path| {
                        if text::has_glob(path) {
                            format!("{path}\n{TOKEN}\n")
                        } else {
                            format!("{path}\n{PATH}\n")
                        }
                    })
                    .collect()
            }
        }
        "grep" | "egrep" | "fgrep" | "rg" => searched(name, args, stdin),
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
            } else {
                input()
            }
        }
        _ => any(),
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
                format!("{}\n", crate::guard::paths::normal(&full).to_string_lossy())
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

/// Names of files that match, when that is what is printed; lines of the input when they pass through.
fn searched(name: &str, args: &[String], stdin: Option<&str>) -> String {
    let has = |short: char, long: &str| {
        args.iter().any(|arg| {
            arg == long || arg.starts_with('-') && !arg.starts_with("--") && arg.contains(short)
        })
    };
    let lists = has('l', "--files-with-matches")
        || has('L', "--files-without-match")
        || name == "rg" && args.iter().any(|arg| arg == "--files");
    if lists {
        let paths = operands(args);
        let skip = usize::from(!args.iter().any(|arg| arg == "-e" || arg == "--files"));
        let roots: String = paths
            .iter()
            .skip(skip)
            .map(|path| below_or_same(path))
            .collect();
        return if roots.is_empty() { below(".") } else { roots };
    }
    let changes = has('o', "--only-matching")
        || has('c', "--count")
        || has('n', "--line-number")
        || has('r', "--recursive");
    match stdin {
        Some(input) if !changes && operands(args).len() <= 1 => input.to_owned(),
        _ => ANY.to_string(),
    }
}

/// A search in `src` prints names below it; in `src/*.rs`, the names themselves.
fn below_or_same(path: &str) -> String {
    if text::has_glob(path) || path.contains(PATH) {
        return format!("{path}\n");
    }
    below(path)
}
