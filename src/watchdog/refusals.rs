//! When refused calls ask for a person: the same rule again and again means an agent that does not find
//! the right way by itself. Pure.

/// Rules that nobody breaks by accident: once is enough.
const AT_ONCE: [&str; 2] = ["git-pointer", UNASKED];
/// A call that the guard did not see beforehand.
const UNASKED: &str = "unasked";

/// A rule that has refused one agent too often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeated {
    pub rule: String,
    pub count: usize,
    /// The first of them.
    pub since_ms: i64,
}

impl Repeated {
    /// In one line, with where to look.
    pub fn told_of(&self, agent: &str) -> String {
        let times = match self.count {
            1 => "once".to_owned(),
            count => format!("{count} times"),
        };
        let rule = &self.rule;
        if rule == UNASKED {
            return format!(
                "it ran a tool call that its guard was not asked about ({times}): see grove guard log --agent {agent}"
            );
        }
        format!("the guard refused it {times} ({rule}): see grove guard log --agent {agent}")
    }
}

/// The rule that refused most often within any span of `window_ms`, when that is `after` times or more, or once for some
/// rules. `seen` holds rule and time of each refusal; `after` 0 is never.
pub fn repeated(mut seen: Vec<(String, i64)>, after: u32, window_ms: i64) -> Option<Repeated> {
    let least = usize::try_from(after).ok().filter(|after| *after > 0)?;
    seen.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    let by_rule = seen.chunk_by(|a, b| a.0 == b.0);
    let most = by_rule.filter_map(|of_rule| {
        let ends = (1..=of_rule.len()).filter_map(|end| of_rule.get(..end));
        let spans = ends.filter_map(|upto| {
            let last = upto.last()?.1;
            let first = upto.partition_point(|(_, at)| last.saturating_sub(*at) > window_ms);
            upto.get(first..)
        });
        // Of equals the latest.
        let span = spans.max_by_key(|span| span.len())?;
        let (rule, since_ms) = span.first()?;
        Some(Repeated {
            rule: rule.clone(),
            count: span.len(),
            since_ms: *since_ms,
        })
    });
    most.filter(|found| found.count >= least || AT_ONCE.contains(&found.rule.as_str()))
        .max_by(|a, b| a.count.cmp(&b.count).then_with(|| b.rule.cmp(&a.rule)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(of: &[(&str, i64)]) -> Vec<(String, i64)> {
        of.iter()
            .map(|(rule, at)| ((*rule).to_owned(), *at))
            .collect()
    }

    #[test]
    fn the_same_rule_again_and_again_asks_for_a_person() {
        let calls = seen(&[
            ("publish", 10),
            ("outside", 20),
            ("publish", 30),
            ("publish", 40),
        ]);
        let found = repeated(calls.clone(), 3, 100).unwrap();
        assert_eq!(
            (found.rule.as_str(), found.count, found.since_ms),
            ("publish", 3, 10)
        );
        assert_eq!(repeated(calls, 4, 100), None);
    }

    #[test]
    fn who_leads_its_worktree_astray_is_reported_at_once() {
        let found = repeated(seen(&[("git-pointer", 10)]), 3, 100);
        assert_eq!(found.map(|found| found.count), Some(1));
        assert_eq!(repeated(seen(&[("git-pointer", 10)]), 0, 100), None);
    }

    #[test]
    fn different_rules_and_refusals_far_apart_do_not() {
        let asks = |of: &[(&str, i64)], after| repeated(seen(of), after, 100);
        assert_eq!(asks(&[("a", 1), ("b", 2), ("c", 3)], 2), None);
        assert_eq!(asks(&[("a", 1), ("a", 102), ("a", 203)], 2), None);
        assert_eq!(asks(&[("a", 1), ("a", 1)], 0), None, "0 is never");
        // However much was refused since.
        let found = asks(&[("a", 900), ("a", 1), ("a", 101), ("b", 500)], 2);
        assert_eq!(
            found.map(|found| (found.count, found.since_ms)),
            Some((2, 1))
        );
    }
}
