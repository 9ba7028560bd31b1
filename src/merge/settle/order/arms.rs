//! Arms of one match: the one that takes all that no other arm takes stands last, and one that takes more than another one
//! stands below that. Pure.

/// How an arm is told from its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `a => b`
    Double,
    /// `a -> b`
    Single,
    /// `case a:`
    Label,
}

/// What an arm is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Arm<'a> {
    form: Form,
    pattern: &'a str,
    has_guard: bool,
}

/// Nobody writes more arms at one place.
const MOST: usize = 200;

/// Names that are given to all the rest, where other words could be values.
const RESTS: [&str; 6] = [
    "other",
    "others",
    "otherwise",
    "rest",
    "unknown",
    "anything",
];

/// Tells whether one of some lines is an arm for all that no other arm takes, or for more than one of `others` is.
pub(in crate::merge::settle) fn take_more(lines: &[&str], others: &[&str]) -> bool {
    let [mine, other] = [lines, others].map(arms);
    let takes_all = |arm: &Arm<'_>| !arm.has_guard && is_for_all(arm);
    // Where both sides have words alone, those are the keys of a map.
    let has_rest = mine.iter().any(takes_all) && !other.iter().any(takes_all);
    mine.iter().any(|one| {
        let is_wider = |two: &Arm<'_>| one.form == two.form && is_wider(one, two);
        has_rest && takes_all(one) && other.iter().any(|two| two.form == one.form)
            || !one.has_guard && other.iter().any(is_wider)
    })
}

/// Tells whether one side has an arm for anything that meets a condition, which may be what an arm of the other side is for.
pub(in crate::merge::settle) fn may_take_the_same(lines: &[&str], others: &[&str]) -> bool {
    let [mine, other] = [lines, others].map(arms);
    let guarded = |arm: &Arm<'_>| arm.has_guard && (arm.pattern == "_" || is_for_all(arm));
    let reach = |one: &[Arm<'_>], two: &[Arm<'_>]| {
        one.iter().any(|arm| {
            guarded(arm)
                && two.iter().any(|it| {
                    it.form == arm.form && !it.has_guard && !is_for_all(it) && it.pattern != "_"
                })
        })
    };
    reach(&mine, &other) || reach(&other, &mine)
}

fn arms<'a>(lines: &[&'a str]) -> Vec<Arm<'a>> {
    let arms = lines.iter().filter_map(|line| arm(line));
    arms.take(MOST).collect()
}

fn arm(line: &str) -> Option<Arm<'_>> {
    let text = line.strip_prefix("| ").unwrap_or(line);
    let (head, is_case) = match text.strip_prefix("case ") {
        Some(head) => (head, true),
        None => (text, false),
    };
    let (form, pattern) = if let Some((pattern, _)) = head.split_once(" => ") {
        (Form::Double, pattern)
    } else if let Some((pattern, _)) = head.split_once(" -> ") {
        (Form::Single, pattern)
    } else {
        let (pattern, rest) = head.split_once(':').filter(|_| is_case)?;
        (!rest.starts_with(':')).then_some((Form::Label, pattern))?
    };
    let (pattern, guard) = pattern.split_once(" if ").unwrap_or((pattern, ""));
    let (pattern, more) = pattern.split_once(" when ").unwrap_or((pattern, ""));
    Some(Arm {
        form,
        pattern: pattern.trim(),
        has_guard: !guard.is_empty() || !more.is_empty(),
    })
}

/// A word that is a name for whatever comes.
fn is_for_all(arm: &Arm<'_>) -> bool {
    match arm.form {
        Form::Double | Form::Label => is_name(arm.pattern),
        Form::Single => RESTS.contains(&arm.pattern),
    }
}

fn is_name(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(is_part)
        && !["true", "false", "null", "nil", "default", "else"].contains(&word)
}

/// Tells whether an arm takes whatever the same constructor holds, and another one only some of it.
fn is_wider(one: &Arm<'_>, two: &Arm<'_>) -> bool {
    let [one, two] = [one, two].map(|arm| {
        let (head, rest) = arm.pattern.split_once('(')?;
        Some((head, rest.strip_suffix(')')?))
    });
    let takes_any = |inner: &str| {
        inner
            .split(',')
            .map(str::trim)
            .all(|part| part == "_" || part == ".." || is_name(part))
    };
    one.zip(two)
        .is_some_and(|((head, inner), (other, narrow))| {
            head == other && !head.is_empty() && takes_any(inner) && !takes_any(narrow)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arm_that_takes_more_is_told_from_keys_and_values() {
        for (wide, narrow) in [
            ("other => z(other),", "2 => b(),"),
            ("n => z(n),", "A::B(_) => b(),"),
            ("case other:", "case 2:"),
            ("case other => z(other)", "case 2 => b()"),
            ("| otherwise -> z", "| B -> b"),
            ("Some(n) => z(n),", "Some(2) => b(),"),
            ("Ok(_) => z(),", "Ok(Some(x)) => b(x),"),
        ] {
            assert!(take_more(&[wide], &[narrow]), "{wide}");
            assert!(!take_more(&[narrow], &[wide]), "{narrow}");
        }
        for (one, two) in [
            ("one => 1,", "two => 2,"),
            ("Some(n) => a(n),", "Err(2) => b(),"),
            ("one -> 1", "2 -> 3"),
            ("A => 1,", "B => 2,"),
            ("run(x => x + 1)", "run(2)"),
        ] {
            assert!(
                !take_more(&[one], &[two]) && !take_more(&[two], &[one]),
                "{one}"
            );
        }
        assert!(may_take_the_same(&["_ if y => b(),"], &["2 => c(),"]));
        assert!(may_take_the_same(&["2 => c(),"], &["n if n > 1 => b(),"]));
        assert!(!may_take_the_same(
            &["A(n) if n > 1 => b(),"],
            &["2 => c(),"]
        ));
    }
}
