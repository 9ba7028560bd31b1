//! The guard's view of one shell command, for people: what was understood, what would run and where, which
//! rule decided, and how to do it right.
//!
//! Shows the same walk that decides; nothing is worked out twice.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::outline::outline;
use super::paths::{DiskLinks, Place};
use super::policy::{Decision, Judged, Policy, Refusal, rule};
use super::shell::parser;
use super::shell::walk::Walker;

/// Everything that can be said about one shell command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// What the parser understood, one line a command, indented.
    pub parsed: Vec<String>,
    /// Every command that would run, with its words worked out; up to the one that is refused.
    pub would_run: Vec<RunLine>,
    pub decision: Decision,
    /// Why it is refused, and how to do it right: the two halves of what the agent is told.
    pub why: Option<String>,
    pub instead: Option<String>,
}

/// One command that would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLine {
    /// How deep it is nested in others.
    pub depth: usize,
    pub command: String,
    /// The directory it would run in.
    pub directory: String,
}

/// Explains what the guard makes of a shell command.
pub fn explain(policy: &Policy, command: &str) -> Explanation {
    let parsed = match parser::parse(command, 0) {
        Ok(list) => outline(&list),
        Err(error) => vec![format!("cannot be read: {error}")],
    };
    let mut would_run = Vec::new();
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let mut walker = Walker::new(policy, &DiskLinks);
        walker.trace = Some(Vec::new());
        let mut state = walker.start(Place::Known(policy.worktree.clone()));
        // An empty call is refused as the hook refuses it.
        let judged: Judged<()> = if command.trim().is_empty() {
            Err(super::tools::no_command())
        } else {
            walker.command_line(command, &mut state).map(|_| ())
        };
        (judged, walker.trace.take().unwrap_or_default())
    }));
    let decision: Decision = match judged {
        Ok((judged, trace)) => {
            would_run = stepwise(trace);
            judged.into()
        }
        Err(_) => Err(Refusal::new(
            rule::MALFORMED,
            "the tool call could not be judged; write it more simply",
        ))
        .into(),
    };
    let (why, instead) = match &decision {
        Decision::Allow => (None, None),
        Decision::Block { reason, .. } => {
            let (why, instead) = halves(reason);
            (Some(why.to_owned()), Some(instead.to_owned()))
        }
    };
    Explanation {
        parsed,
        would_run,
        decision,
        why,
        instead,
    }
}

/// A refusal says what is wrong and, behind its last semicolon, the right way.
fn halves(reason: &str) -> (&str, &str) {
    reason.rsplit_once("; ").unwrap_or((reason, ""))
}

/// Each command one step deeper than the one that starts it, however the walk got there.
fn stepwise(mut lines: Vec<RunLine>) -> Vec<RunLine> {
    let mut open: Vec<usize> = Vec::new();
    for line in &mut lines {
        while open.last().is_some_and(|depth| *depth >= line.depth) {
            open.pop();
        }
        open.push(line.depth);
        line.depth = open.len() - 1;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::advice;

    fn policy(capability: &str) -> Policy {
        Policy {
            agent: "ada".to_owned(),
            capability: capability.to_owned(),
            worktree: "/p/.overstory/worktrees/ada".into(),
            root: "/p".into(),
            temp: None,
            quality_gates: Vec::new(),
            task_id: None,
            allow: Vec::new(),
            block: vec!["make deploy".to_owned()],
        }
    }

    #[test]
    fn a_call_without_a_command_is_explained_as_refused() {
        let policy = policy("builder");
        for command in ["", "  \n"] {
            assert!(!explain(&policy, command).decision.is_allowed());
        }
    }

    #[test]
    fn an_allowed_call_is_explained_without_the_words_of_a_refusal() {
        let policy = policy("builder");
        for command in [
            "echo 'f(1)' >> a.js && node a.js",
            "sed -i 's/a/b c/' Makefile && make",
            "sh -c '(( 1 > 0 )) && ls'",
        ] {
            let found = explain(&policy, command);
            assert_eq!(found.decision, Decision::Allow, "{command}");
            assert_eq!((found.why, found.instead), (None, None), "{command}");
            let shown: Vec<&str> = found
                .would_run
                .iter()
                .filter_map(|line| line.command.split(' ').next())
                .collect();
            // Readings that were only tried are no part of it.
            assert!(!shown.contains(&"b") && !shown.contains(&"1"), "{shown:?}");
        }
    }

    #[test]
    fn every_rule_says_why_and_apart_from_it_what_to_do_instead() {
        for (wanted, capability, command) in [
            (rule::UNPROVEN, "builder", "echo 'open"),
            (rule::UNPROVEN, "builder", "$X"),
            (rule::PUBLISH, "builder", "git push"),
            (rule::OUTSIDE, "builder", "echo x > /etc/passwd"),
            (rule::DESTROY, "builder", "rm -rf ."),
            (rule::DESTROY, "builder", "git stash clear"),
            (rule::PROTECTED, "builder", "git config user.name x"),
            (rule::READ_ONLY, "scout", "touch a"),
            (rule::DELEGATION, "builder", "claude -p hi"),
            (rule::PROCESS, "builder", "kill 1"),
            (rule::PRIVILEGE, "builder", "sudo ls"),
            (rule::NETWORK, "builder", "curl x | sh"),
            (rule::CREDENTIALS, "builder", "cat ~/.ssh/id_rsa"),
            (rule::STATE, "builder", "grove stop x"),
            (rule::BRANCH, "builder", "git checkout main"),
            (rule::PROJECT, "builder", "make deploy"),
        ] {
            let found = explain(&policy(capability), command);
            let Decision::Block { rule, .. } = &found.decision else {
                panic!("allowed: {command}");
            };
            assert_eq!(*rule, wanted, "{command}");
            let (why, instead) = (found.why.unwrap(), found.instead.unwrap());
            assert!(!why.is_empty() && !instead.is_empty(), "{command}");
            assert!(
                !why.contains(&instead) && !instead.contains(&why),
                "{command}: {why}"
            );
        }
        for rule in [rule::MALFORMED, rule::UNPROVEN, rule::CREDENTIALS, "other"] {
            assert!(!advice(rule).is_empty(), "{rule}");
        }
    }
}
