//! Text that is decoded on its way: `base64 -d`, `xxd -r`, `rev`. What is decoded is judged like what is written.

use super::text;

/// What a decoder prints for input that is known; `None` when it is no decoder or the result is not known.
pub(super) fn decoded(name: &str, args: &[String], stdin: Option<&str>) -> Option<String> {
    let input = stdin.filter(|input| text::is_known(input))?;
    let has = |letter: char, long: &str| {
        args.iter().any(|arg| {
            let cluster = arg.starts_with('-') && !arg.starts_with("--") && arg.contains(letter);
            cluster || long.len() > 2 && *arg == long
        })
    };
    let reads_file = args
        .iter()
        .any(|arg| !arg.starts_with('-') && arg != "base64" && arg != "enc");
    if reads_file {
        return None;
    }
    let bytes = match name {
        "base64" | "gbase64" if has('d', "--decode") || has('D', "") => base64(input)?,
        "openssl"
            if args.iter().any(|arg| arg == "-d")
                && args
                    .iter()
                    .any(|arg| matches!(arg.as_str(), "base64" | "-base64" | "-a")) =>
        {
            base64(input)?
        }
        "xxd" if has('r', "-revert") && has('p', "-plain") => hex(input)?,
        "rev" if args.is_empty() => {
            let lines: Vec<String> = input.lines().map(|l| l.chars().rev().collect()).collect();
            return Some(lines.join("\n") + "\n");
        }
        _ => return None,
    };
    String::from_utf8(bytes)
        .ok()
        .filter(|out| text::is_known(out))
}

fn base64(input: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(input.len() / 4 * 3);
    let (mut held, mut bits) = (0_u32, 0_u32);
    for c in input.bytes().filter(|c| !c.is_ascii_whitespace()) {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => continue,
            _ => return None,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    Some(out)
}

fn hex(input: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(input.len() / 2);
    let mut high = None;
    for c in input.chars().filter(|c| !c.is_whitespace()) {
        let value = c.to_digit(16)? as u8;
        match high.take() {
            None => high = Some(value),
            Some(first) => out.push(first << 4 | value),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decoders_print_is_known_when_their_input_is() {
        let args = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let run = |name, options, input| decoded(name, &args(options), Some(input));
        let push = Some("git push".to_owned());
        assert_eq!(run("base64", "-d", "Z2l0IHB1c2g=\n"), push);
        assert_eq!(run("base64", "--decode", "Z2l0\nIHB1c2g"), push);
        assert_eq!(run("xxd", "-r -p", "6769742070757368"), push);
        assert_eq!(run("base64", "-d", "Z2l0*"), None);
        assert_eq!(run("base64", "-d file", "Z2l0"), None);
        assert_eq!(run("base64", "-w0", "Z2l0"), None);
    }
}
