//! Why git commands are refused, in the words the agent reads.

use crate::policy::{Refusal, rule};
use crate::shell::text::brief;
use crate::shell::walk::Walker;

pub(super) fn publish() -> Refusal {
    Refusal::new(
        rule::PUBLISH,
        "agents do not push; commit on your branch and send worker_done mail, the merge queue takes it from there",
    )
}

pub(super) fn shared(what: &str) -> Refusal {
    Refusal::new(
        rule::PROTECTED,
        format!("{what} is shared by all worktrees of this repository; leave it as it is"),
    )
}

pub(super) fn branches() -> Refusal {
    Refusal::new(
        rule::BRANCH,
        "other branches are not yours to change or to switch to; stay on your own, and merge or rebase onto them instead",
    )
}

/// `-` and `@{-1}`: whichever branch was there before.
pub(super) fn previous(w: &Walker<'_>) -> Refusal {
    Refusal::new(
        rule::BRANCH,
        format!(
            "which branch was there before cannot be seen; name your own one, overstory/{}/…",
            w.policy.agent
        ),
    )
}

/// Whether a name stands for a branch that was there before.
pub(super) fn is_previous(name: &str) -> bool {
    name == "-" || name.starts_with("@{-") && name.ends_with('}')
}

pub(super) fn loses(instead: &str) -> Refusal {
    Refusal::new(
        rule::DESTROY,
        format!("this throws away work for good; {instead}"),
    )
}

/// Of what takes the name from the branch of the agent's task.
pub(super) fn landed() -> Refusal {
    Refusal::new(
        rule::BRANCH,
        "the merge queue takes your task's branch by its name; leave it as it is, and name both where you rename others of your own",
    )
}

pub(super) fn unknown(sub: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!(
            "git {} is not a command the guard knows and may be an alias; write the plain git command",
            brief(sub)
        ),
    )
}

pub(super) fn own_prefix(w: &Walker<'_>) -> Refusal {
    Refusal::new(
        rule::BRANCH,
        format!(
            "work stays on your own branch; a new one must start with overstory/{}/",
            w.policy.agent
        ),
    )
}
