//! YAML in braces, spread over lines as it is written without them.

/// More braces than this in each other are left as they are.
const DEEPEST: usize = 32;

/// The text with each part of a map in braces on a line of its own, further in than what it belongs to.
pub(super) fn spread(code: &str) -> String {
    if !code.contains('{') {
        return code.to_owned();
    }
    let mut out = String::new();
    let mut lines = Lines::default();
    let mut chars = code.chars().peekable();
    while let Some(sign) = chars.next() {
        match lines.quote {
            Some(quote) => {
                lines.quote = (sign != quote).then_some(quote);
                out.push(sign);
                continue;
            }
            // `${NAME}` is no map.
            None if sign == '$' && chars.peek() == Some(&'{') => {
                out.push(sign);
                for inner in chars.by_ref() {
                    out.push(inner);
                    if inner == '}' {
                        break;
                    }
                }
                continue;
            }
            None => {}
        }
        lines.next(sign, &mut out);
    }
    out
}

#[derive(Default)]
struct Lines {
    quote: Option<char>,
    /// How far in the line stands that the outermost bracket is on.
    inset: usize,
    /// What is open: braces and brackets.
    open: Vec<char>,
    /// Only blanks were on this line so far.
    blank: usize,
    begun: bool,
}

impl Lines {
    fn next(&mut self, sign: char, out: &mut String) {
        match sign {
            '"' | '\'' => {
                self.quote = Some(sign);
                self.begun = true;
                out.push(sign);
            }
            '{' if self.open.len() < DEEPEST => {
                self.opens(sign);
                self.line(out);
            }
            '[' if self.open.len() < DEEPEST => {
                self.opens(sign);
                out.push(sign);
            }
            '}' if self.open.last() == Some(&'{') => {
                self.open.pop();
                self.line(out);
            }
            ']' if self.open.last() == Some(&'[') => {
                self.open.pop();
                out.push(sign);
            }
            ',' if self.open.last() == Some(&'{') => self.line(out),
            '\n' if !self.open.is_empty() => out.push(' '),
            '\n' => {
                self.blank = 0;
                self.begun = false;
                out.push(sign);
            }
            ' ' if !self.begun => {
                self.blank += 1;
                out.push(sign);
            }
            // Blanks behind a bracket or a comma would stand further in.
            ' ' if self.open.last() == Some(&'{') && out.ends_with(' ') => {}
            _ => {
                self.begun = true;
                out.push(sign);
            }
        }
    }

    fn opens(&mut self, sign: char) {
        if self.open.is_empty() {
            self.inset = self.blank;
        }
        self.begun = true;
        self.open.push(sign);
    }

    fn line(&self, out: &mut String) {
        out.push('\n');
        let braces = self.open.iter().filter(|sign| **sign == '{').count();
        out.extend(std::iter::repeat_n(' ', self.inset + 2 * braces));
    }
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn maps_in_braces_are_read_as_lines() {
        let lines = |code: &str| -> Vec<String> {
            spread(code)
                .lines()
                .map(str::trim_end)
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(
            lines("services: {a: {image: alpine, volumes: [\"/:/h\"]}, b: {}}"),
            [
                "services:",
                "  a:",
                "    image: alpine",
                "    volumes: [\"/:/h\"]",
                "  b:"
            ]
        );
        assert_eq!(
            lines("a:\n  x: ${HOME}/{b}\n  y: '{c}'"),
            ["a:", "  x: ${HOME}/", "    b", "  y: '{c}'"]
        );
    }
}
