//! What to do instead, by rule: the second half of a refusal that does not say it itself.

use super::policy::rule;

/// The right way, by rule.
pub(crate) fn advice(name: &str) -> &'static str {
    match name {
        rule::MALFORMED => "send the call with every field the tool needs, as text",
        rule::UNPROVEN => {
            "write the command out: program, arguments and paths as plain words, one call for each step"
        }
        rule::PUBLISH => {
            "commit on your own branch and send worker_done mail, and the merge queue takes it from there"
        }
        rule::OUTSIDE => "work on the copy in your worktree, with paths inside of it",
        rule::DESTROY => "name the single files or folders inside your worktree that should go",
        rule::PROTECTED => {
            "leave guard, git and agent settings as they are, or ask your lead by mail"
        }
        rule::READ_ONLY => {
            "report what should change by mail, or hand it over with grove spec write"
        }
        rule::DELEGATION => "ask your lead by mail",
        rule::PROCESS => {
            "stop only jobs of your own, with kill %1, kill $! or the number you kept ($! in a file), and ask your lead about the rest"
        }
        rule::PRIVILEGE => "do it without more rights, or ask your lead by mail",
        rule::NETWORK => "download to a file inside your worktree, read it, then use it",
        rule::CREDENTIALS => {
            "do without them, or ask your lead by mail for what you need from there"
        }
        rule::STATE => "use the commands of your role, such as grove mail and grove task",
        rule::BRANCH => "stay on your own branch, overstory/<your name>/…",
        rule::PROJECT => "ask your lead by mail if it has to run",
        _ => "ask your lead by mail",
    }
}

#[cfg(test)]
mod tests {
    use super::advice;
    use crate::policy::RULES;

    #[test]
    fn every_rule_has_an_advice_of_one_part() {
        for rule in RULES {
            assert!(!advice(rule).contains("; "), "{rule}");
        }
    }
}
