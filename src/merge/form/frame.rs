//! What nobody contested must stand in an answer as it stood: the beginning and the end that both
//! sides share, each line as often and in the order in which both have it. A model that talks, prints
//! a file twice or rearranges it is found out by that, whatever its words are. Pure.

use std::collections::{HashMap, HashSet};

/// Says what an answer does to lines that were not in question.
pub(in crate::merge) fn disturbed(
    base: &str,
    ours: &str,
    theirs: &str,
    answer: &str,
) -> Option<String> {
    let [base, ours, theirs, answer] = [base, ours, theirs, answer].map(lines);
    edges(&ours, &theirs, &answer)
        .or_else(|| foreign_edge(&[&base, &ours, &theirs], &answer))
        .or_else(|| repeated(&base, &ours, &theirs, &answer))
        .or_else(|| rearranged(&ours, &theirs, &answer))
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

fn shared<'t>(one: impl Iterator<Item = &'t str>, other: impl Iterator<Item = &'t str>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).count()
}

fn edges(ours: &[&str], theirs: &[&str], answer: &[&str]) -> Option<String> {
    let head = shared(ours.iter().copied(), theirs.iter().copied());
    let kept = shared(ours.iter().copied().take(head), answer.iter().copied());
    if kept < head {
        return changed(ours.get(kept)?);
    }
    let rest = ours.len().min(theirs.len()) - head;
    let tail = shared(ours.iter().rev().copied(), theirs.iter().rev().copied()).min(rest);
    let room = answer.len().saturating_sub(head);
    let kept = shared(
        ours.iter().rev().copied().take(tail),
        answer.iter().rev().copied().take(room),
    );
    if kept < tail {
        return changed(ours.iter().rev().nth(kept)?);
    }
    None
}

fn changed(line: &str) -> Option<String> {
    Some(format!(
        "the answer changes a place that nobody contested, at: {}",
        line.trim()
    ))
}

/// A first or last line that no version has and whose words are foreign to the file is talk.
fn foreign_edge(sides: &[&[&str]; 3], answer: &[&str]) -> Option<String> {
    let known: HashSet<&str> = sides.iter().flat_map(|side| side.iter().copied()).collect();
    let vocabulary: HashSet<String> = known.iter().flat_map(|line| words(line)).collect();
    let first = answer.iter().find(|line| !line.trim().is_empty());
    let last = answer.iter().rfind(|line| !line.trim().is_empty());
    let is_foreign = |line: &&&str| {
        let words = words(line);
        let met = words.iter().filter(|w| vocabulary.contains(*w)).count();
        !known.contains(**line) && words.len() > 2 && met * 2 < words.len()
    };
    let line = [first, last].into_iter().flatten().find(is_foreign)?;
    Some(format!(
        "the answer is prose, not the file: neither side has the line: {}",
        line.trim()
    ))
}

fn words(line: &str) -> Vec<String> {
    line.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 1)
        .map(str::to_lowercase)
        .collect()
}

fn counts<'t>(side: &[&'t str]) -> HashMap<&'t str, usize> {
    let mut counts = HashMap::new();
    for line in side
        .iter()
        .filter(|line| line.contains(char::is_alphanumeric))
    {
        *counts.entry(*line).or_default() += 1;
    }
    counts
}

fn repeated(base: &[&str], ours: &[&str], theirs: &[&str], answer: &[&str]) -> Option<String> {
    let [base, ours, theirs] = [base, ours, theirs].map(counts);
    let of = |side: &HashMap<&str, usize>, line| side.get(line).copied().unwrap_or_default();
    let answered = counts(answer);
    let line = answer.iter().find(|line| {
        let (ours, theirs) = (of(&ours, **line), of(&theirs, **line));
        let most = (ours + theirs).saturating_sub(of(&base, **line));
        ours + theirs > 0 && of(&answered, **line) > most.max(ours).max(theirs)
    })?;
    Some(format!(
        "the answer has a line more often than both sides together: {}",
        line.trim()
    ))
}

fn rearranged(ours: &[&str], theirs: &[&str], answer: &[&str]) -> Option<String> {
    let once = |side: &[&str]| -> HashSet<String> {
        let counts = counts(side).into_iter();
        counts
            .filter(|(_, n)| *n == 1)
            .map(|(line, _)| line.to_owned())
            .collect()
    };
    let [in_ours, in_theirs, in_answer] = [ours, theirs, answer].map(once);
    let common = |line: &&&str| {
        let line: &str = line;
        in_ours.contains(line) && in_theirs.contains(line) && in_answer.contains(line)
    };
    let order = |side: &[&str]| -> Vec<String> {
        side.iter()
            .filter(common)
            .map(|line| (*line).to_owned())
            .collect()
    };
    let (wanted, other, given) = (order(ours), order(theirs), order(answer));
    // Where one side has moved lines, no order is the right one.
    if wanted != other {
        return None;
    }
    let (line, _) = given.iter().zip(&wanted).find(|(a, b)| a != b)?;
    Some(format!(
        "the answer has lines in another order than both sides, at: {}",
        line.trim()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "use a;\nfn one() {\n    1\n}\nfn end() {}\n";
    const OURS: &str = "use a;\nfn one() {\n    ours()\n}\nfn end() {}\n";
    const THEIRS: &str = "use a;\nfn one() {\n    theirs()\n}\nfn end() {}\n";

    fn said(answer: &str) -> Option<String> {
        disturbed(BASE, OURS, THEIRS, answer)
    }

    #[test]
    fn a_good_answer_is_left_alone() {
        for middle in ["ours();\n    theirs()", "both(ours(), theirs())"] {
            let answer = format!("use a;\nfn one() {{\n    {middle}\n}}\nfn end() {{}}\n");
            assert_eq!(said(&answer), None, "{middle}");
        }
        let (ours, theirs) = ("a\nours one\n", "a\ntheirs one\n");
        assert_eq!(
            disturbed("a\n", ours, theirs, "a\nours one\ntheirs one\n"),
            None
        );
        assert_eq!(disturbed("", "x\n", "y\n", "x\ny\n"), None);
    }

    #[test]
    fn talk_before_or_after_the_file_is_found_whatever_it_says() {
        let good = "use a;\nfn one() {\n    ours();\n    theirs()\n}\nfn end() {}\n";
        for talk in ["Merged file follows.", "Anything else you want?", "ok"] {
            assert!(said(&format!("{talk}\n{good}")).is_some(), "{talk}");
            assert!(said(&format!("{good}{talk}\n")).is_some(), "{talk}");
        }
        // Where both sides end differently there is no frame to go by.
        let (ours, theirs) = ("a\nours one\n", "a\ntheirs one\n");
        let talked = "a\nours one\ntheirs one\nLet me know if you need anything else!\n";
        assert!(disturbed("a\n", ours, theirs, talked).is_some());
    }

    #[test]
    fn a_file_printed_twice_or_rearranged_is_no_answer() {
        let good = "use a;\nfn one() {\n    ours();\n    theirs()\n}\nfn end() {}\n";
        assert!(said(&format!("{good}{good}")).is_some());
        let (ours, theirs) = ("1 a\n2 b\n3 c\nours\n4 d\n", "1 a\n2 b\n3 c\ntheirs\n4 d\n");
        let moved = "1 a\n3 c\n2 b\nours\ntheirs\n4 d\n";
        assert!(disturbed("1 a\n2 b\n3 c\n4 d\n", ours, theirs, moved).is_some());
    }
}
