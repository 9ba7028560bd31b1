//! Lines that assert something: two are about two things, unless they want another value of one. Pure.

use super::same_words::parts;

/// Tells whether a line is an assertion of a test.
pub(in crate::merge::settle) fn asserts(line: &str) -> bool {
    let head = line.split(['(', ' ']).next().unwrap_or_default();
    let head = head.to_lowercase();
    head.contains("assert") || head.starts_with("expect") || head.starts_with("require.")
}

/// Tells whether two assertions differ in nothing but one value that is wanted: both cannot be.
pub(in crate::merge::settle) fn contradict(one: &str, two: &str) -> bool {
    let (mut ours, mut theirs) = (operands(one), operands(two));
    let is_remark = |operands: &[String]| {
        operands.len() > 3 && operands.last().is_some_and(|last| last.starts_with('"'))
    };
    // What is said when it fails.
    if is_remark(&ours) && is_remark(&theirs) && ours.len() == theirs.len() {
        ours.pop();
        theirs.pop();
    }
    let mut other = ours.iter().zip(&theirs).filter(|(one, two)| one != two);
    let (differing, more) = (other.next(), other.next());
    let is_value = |operand: &str| {
        let says = |c: char| c.is_alphabetic() || c == '_';
        let mut parts = parts(operand).into_iter();
        let is_literal = operand.starts_with(['{', '[']) && !operand.contains('(');
        is_literal || parts.all(|part| part.is_quoted || !part.text.starts_with(says))
    };
    match (differing, more) {
        (Some((one, two)), None) => {
            ours.len() == theirs.len() && ours.len() > 1 && is_value(one) && is_value(two)
        }
        (Some(_), Some(_)) => false,
        (None, _) => true,
    }
}

/// What an assertion compares: the arguments of its calls, or what is named after its word, and what stands on either side of
/// `==`.
fn operands(line: &str) -> Vec<String> {
    let mut operands = vec![String::new()];
    let mark = line.find(['(', ' ']).and_then(|at| line.get(at..));
    let is_call = mark.is_some_and(|rest| rest.starts_with('('));
    let outside = usize::from(is_call);
    let (mut depth, mut before) = (0_usize, "");
    for part in parts(line) {
        let text = if part.is_quoted {
            format!("\"{}\"", part.text)
        } else {
            part.text.to_owned()
        };
        let mut is_end = false;
        if !part.is_quoted {
            match part.text {
                "(" => {
                    depth += 1;
                    is_end = is_call && depth == 1;
                }
                ")" => {
                    is_end = is_call && depth == 1;
                    depth = depth.saturating_sub(1);
                }
                "," => is_end = depth == outside,
                "=" => is_end = depth <= outside && before == "=",
                // The first blank ends the word itself.
                text => is_end = !is_call && operands.len() == 1 && text.trim().is_empty(),
            }
            before = part.text;
        }
        match operands.last_mut() {
            Some(last) if !is_end => last.push_str(text.trim()),
            Some(_) | None => operands.push(String::new()),
        }
    }
    operands.retain(|operand| operand.contains(char::is_alphanumeric));
    operands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_assertions_exclude_each_other_when_they_want_two_values_of_one_thing() {
        for (one, two) in [
            ("assert_eq!(f(\"a\"), 1);", "assert_eq!(f(\"a\"), 2);"),
            ("assert_eq!(x, 1);", "assert_eq!(x, -2);"),
            ("assert x == 1", "assert x == 2"),
            ("assert_equal 1, f(x)", "assert_equal 2, f(x)"),
            ("assertEquals(\"a\", x);", "assertEquals(\"b\", x);"),
            ("expect(f(1)).toBe(2);", "expect(f(1)).toBe(3);"),
            ("expect(x).toEqual([1]);", "expect(x).toEqual([2]);"),
            (
                "expect(x).toEqual({ a: 1 });",
                "expect(x).toEqual({ a: 2 });",
            ),
            ("assert_eq!(a, 3, \"x\");", "assert_eq!(a, 4, \"y\");"),
        ] {
            assert!(asserts(one) && contradict(one, two), "{one} {two}");
        }
        for (one, two) in [
            ("assert_eq!(f(\"a\"), 1);", "assert_eq!(f(\"b\"), 1);"),
            ("assert_eq!(f(\"a\"), 1);", "assert_eq!(f(\"b\"), 2);"),
            ("assert!(x.contains(\"a\"));", "assert!(x.contains(\"b\"));"),
            ("assert f(1) == 1", "assert f(2) == 1"),
            ("assert_equal 1, f(1)", "assert_equal 1, f(2)"),
            ("assert \"a\" in text", "assert \"b\" in text"),
            (
                "self.assertEqual(add(1, 2), 3)",
                "self.assertEqual(add(2, 2), 4)",
            ),
            ("expect(f('a')).toBe(1);", "expect(f('b')).toBe(2);"),
            ("require.Equal(t, 1, f(1))", "require.Equal(t, 2, f(2))"),
        ] {
            assert!(asserts(one) && !contradict(one, two), "{one} {two}");
        }
        assert!(!asserts("retry.limit(3)"));
    }
}
