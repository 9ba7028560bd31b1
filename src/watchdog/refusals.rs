//! When refused calls ask for a person: the same rule again and again means an agent that does not find
//! the right way by itself. Pure.

/// Rules that nobody breaks by accident: once is enough.
const AT_ONCE: [&str; 1] = ["git-pointer"];

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
        format!("the guard refused it {times} ({rule}): see grove guard log --agent {agent}")
    }
}

/// The rule that refused most often within the window, when that is `after` times or more, or once for some rules. `seen` holds rule
/// and time of each refusal; `after` 0 is never.
pub fn repeated(
    seen: &[(String, i64)],
    now_ms: i64,
    after: u32,
    window_ms: i64,
) -> Option<Repeated> {
    let least = usize::try_from(after).ok().filter(|after| *after > 0)?;
    let mut by_rule: Vec<Repeated> = Vec::new();
    for (rule, at_ms) in seen.iter().filter(|(_, at)| now_ms - at <= window_ms) {
        match by_rule.iter_mut().find(|found| found.rule == *rule) {
            Some(found) => {
                found.count += 1;
                found.since_ms = found.since_ms.min(*at_ms);
            }
            None => by_rule.push(Repeated {
                rule: rule.clone(),
                count: 1,
                since_ms: *at_ms,
            }),
        }
    }
    by_rule
        .into_iter()
        .filter(|found| found.count >= least || AT_ONCE.contains(&found.rule.as_str()))
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
        let found = repeated(&calls, 50, 3, 100).unwrap();
        assert_eq!(
            (found.rule.as_str(), found.count, found.since_ms),
            ("publish", 3, 10)
        );
        assert_eq!(repeated(&calls, 50, 4, 100), None);
    }

    #[test]
    fn who_leads_its_worktree_astray_is_reported_at_once() {
        let found = repeated(&seen(&[("git-pointer", 10)]), 50, 3, 100);
        assert_eq!(found.map(|found| found.count), Some(1));
        assert_eq!(repeated(&seen(&[("git-pointer", 10)]), 50, 0, 100), None);
    }

    #[test]
    fn different_rules_and_old_refusals_do_not() {
        assert_eq!(
            repeated(&seen(&[("a", 1), ("b", 2), ("c", 3)]), 4, 2, 100),
            None
        );
        assert_eq!(
            repeated(&seen(&[("a", 1), ("a", 2), ("a", 90)]), 103, 2, 100),
            None
        );
        assert_eq!(
            repeated(&seen(&[("a", 1), ("a", 1)]), 2, 0, 100),
            None,
            "0 is never"
        );
    }
}
