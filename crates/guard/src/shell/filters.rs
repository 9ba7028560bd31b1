//! What `awk`, `cut` and `sed` leave of lines whose shape is known: a field, the end of a line, another beginning.
//!
//! Only the simplest programs are followed; what any other one prints may be any text.

use super::text::{self, ANY};

/// What a filter prints for its input; `None` where that is not followed.
pub(super) fn passed(name: &str, args: &[String], stdin: Option<&str>) -> Option<String> {
    let input = stdin.filter(|input| !input.contains(ANY))?;
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let lines = input.lines().filter(|line| !line.is_empty());
    let kept: Vec<String> = match (name, words.as_slice()) {
        ("awk" | "gawk" | "mawk" | "nawk", [program]) => {
            let field = field_of(program, input)?;
            lines
                .map(|line| field_in(line, field))
                .collect::<Option<_>>()?
        }
        ("cut", [from]) => {
            let from = columns(from)?;
            lines
                .map(|line| behind(line, from))
                .collect::<Option<_>>()?
        }
        ("cut", ["-c", from]) => {
            let from = columns(&format!("-c{from}"))?;
            lines
                .map(|line| behind(line, from))
                .collect::<Option<_>>()?
        }
        ("cut", ["-d ", field] | ["-d", " ", field]) => {
            let field: usize = field
                .strip_prefix("-f")?
                .trim_end_matches('-')
                .parse()
                .ok()?;
            lines
                .map(|line| {
                    line.split(' ')
                        .nth(field.checked_sub(1)?)
                        .map(str::to_owned)
                })
                .collect::<Option<_>>()?
        }
        ("sed" | "gsed", ["-n", script]) => {
            let (pattern, new) = substitution(script.strip_suffix('p')?)?;
            lines
                .map(|line| begun(line, pattern, &new))
                .collect::<Option<_>>()?
        }
        ("sed" | "gsed", [script]) => {
            let (pattern, new) = substitution(script)?;
            let mut kept = Vec::new();
            for line in lines {
                // What the shape says may stand for another line that does not match.
                if !pattern.is_empty() {
                    kept.push(line.to_owned());
                }
                kept.push(begun(line, pattern, &new)?);
            }
            kept
        }
        _ => return None,
    };
    Some(kept.join("\n") + "\n")
}

/// A field that awk prints: its number, the last one, or the whole line.
#[derive(Clone, Copy)]
enum Field {
    Number(usize),
    Last,
}

/// The field a program prints that does nothing else. A condition is followed where the input is not known in full:
/// there, any line may be missing anyway.
fn field_of(program: &str, input: &str) -> Option<Field> {
    let (condition, action) = program.trim().strip_suffix('}')?.split_once('{')?;
    let condition = condition.trim();
    let plain = condition.chars().all(|c| {
        c.is_alphanumeric()
            || matches!(
                c,
                '/' | '^'
                    | '\\'
                    | '?'
                    | '.'
                    | '$'
                    | ' '
                    | '='
                    | '"'
                    | '!'
                    | '~'
                    | '*'
                    | '+'
                    | '['
                    | ']'
                    | '>'
                    | '<'
            )
    });
    let assigns = condition.replace("==", "").replace("!=", "").contains('=');
    if !plain
        || assigns
        || condition.contains("getline")
        || !condition.is_empty() && text::is_known(input)
    {
        return None;
    }
    let printed = action
        .trim()
        .trim_end_matches(';')
        .trim_end()
        .strip_prefix("print")?;
    match printed.trim() {
        "" if printed.is_empty() => Some(Field::Number(0)),
        "$NF" => Some(Field::Last),
        field => field.strip_prefix('$')?.parse().ok().map(Field::Number),
    }
}

fn field_in(line: &str, field: Field) -> Option<String> {
    let found = match field {
        Field::Number(0) => Some(line),
        Field::Number(number) => line.split_whitespace().nth(number - 1),
        Field::Last => line.split_whitespace().last(),
    };
    found.map(str::to_owned)
}

/// `-c4-`: from which column on.
fn columns(option: &str) -> Option<usize> {
    let from: usize = option.strip_prefix("-c")?.strip_suffix('-')?.parse().ok()?;
    from.checked_sub(1)
}

/// What is behind so many characters, each of them known.
fn behind(line: &str, count: usize) -> Option<String> {
    let cut: String = line.chars().take(count).collect();
    let whole = cut.chars().count() == count && text::is_known(&cut);
    whole.then(|| line.chars().skip(count).collect())
}

/// `s/^…/…/`: a beginning and what is put in its place.
fn substitution(script: &str) -> Option<(&str, String)> {
    let rest = script.strip_prefix('s')?;
    let sign = rest
        .chars()
        .next()
        .filter(|c| !c.is_alphanumeric() && *c != '\\')?;
    let rest = rest.strip_prefix(sign)?.strip_prefix('^')?;
    let (pattern, rest) = rest.split_once(sign)?;
    let new = rest.strip_suffix(sign)?;
    let new = new.replace(&format!("\\{sign}"), &sign.to_string());
    let plain = |c: char| {
        c.is_alphanumeric() || matches!(c, ' ' | '?' | '.' | '/' | '-' | '_' | ':' | '#' | '!')
    };
    let simple =
        pattern.chars().all(plain) && !new.contains(['&', '\\', '\n']) && text::is_known(&new);
    // The sign between may stand in the new text, written with a backslash.
    simple.then_some((pattern, new))
}

/// A line with another beginning. A dot stands for any character that is known.
fn begun(line: &str, pattern: &str, new: &str) -> Option<String> {
    let start = behind(line, pattern.chars().count())?;
    let fits = line
        .chars()
        .zip(pattern.chars())
        .all(|(c, asked)| asked == '.' || asked == c);
    fits.then(|| format!("{new}{start}"))
}

#[cfg(test)]
mod tests {
    use super::passed;
    use crate::shell::text::PATH;

    #[test]
    fn a_field_an_end_and_another_beginning_are_followed() {
        let status = format!("?? {PATH}\n");
        let path = format!("{PATH}\n");
        let ask = |name: &str, args: &[&str], input: &str| {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            passed(name, &args, Some(input))
        };
        assert_eq!(ask("awk", &["{print $2}"], &status), Some(path.clone()));
        assert_eq!(
            ask("awk", &["/^\\?\\?/ { print $NF; }"], &status),
            Some(path.clone())
        );
        assert_eq!(ask("cut", &["-c4-"], &status), Some(path.clone()));
        assert_eq!(
            ask("sed", &["-n", "s/^?? //p"], &status),
            Some(path.clone())
        );
        assert_eq!(
            ask("sed", &["s/^/..\\//"], &path),
            Some(format!("../{path}"))
        );
        assert_eq!(ask("cut", &["-c4-"], &path), None);
        assert_eq!(ask("awk", &["{print \"../\" $2}"], &status), None);
        assert_eq!(ask("awk", &["/x/ {print $1}"], "a b\n"), None);
        assert_eq!(ask("sed", &["s/^ M //"], &status), None);
        assert_eq!(ask("sed", &["s/^?? /&/"], &status), None);
    }
}
