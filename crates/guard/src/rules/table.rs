//! Which rule judges which program.
//!
//! The order matters only where a name could belong to two tables; the stricter one comes first.

use super::{
    archives, build, calculators, checkers, cmdlets, containers, databases, editors, files, find,
    fragments, generic, git, inspectors, network, orchestrator, process, publish, readers, runners,
    stores, streams, system,
};
use crate::commands::Call;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::Walker;

/// A rule: `None` when it does not know the program.
type Rule = fn(&mut Walker<'_>, &str, &Call, &State) -> Option<Judged<()>>;

/// The rules, each with whether it knows a program by its name alone, whatever the arguments are.
const RULES: [(Rule, bool); 21] = [
    (system::judge, true),
    (process::judge, false),
    (orchestrator::judge, true),
    (git::judge, false),
    (publish::judge, false),
    (files::judge, true),
    (streams::judge, true),
    (calculators::judge, true),
    (find::judge, true),
    (editors::judge, true),
    (archives::judge, true),
    (network::judge, true),
    (cmdlets::judge, true),
    (stores::judge, true),
    (containers::judge, true),
    (databases::judge, true),
    (checkers::judge, false),
    (build::judge, true),
    (inspectors::judge, false),
    (readers::judge, true),
    (generic::judge, false),
];

/// Judges one program with its arguments.
pub(crate) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    for (key, value) in call.env.clone() {
        w.check_variable(&key, &value, st)?;
    }
    if runners::configs::is_read_by(name) {
        runners::others::judge(w, name, call, st)?;
    }
    databases::migrates(name, call, st)?;
    for args in publish::global_options::readings(name, call.args()) {
        w.charge(9 + args.len() / 4)?;
        let argv = std::iter::once(name.to_owned()).chain(args);
        fragments::definite(by_rules(w, name, &call.with(argv.collect()), st))?;
    }
    by_rules(w, name, call, st)
}

fn by_rules(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    let mut passed = w.passed.get(name).copied().unwrap_or(0);
    let before = passed;
    for (at, (rule, by_name)) in RULES.into_iter().enumerate() {
        if passed & (1 << at) != 0 {
            continue;
        }
        if let Some(result) = rule(w, name, call, st) {
            if passed != before {
                w.passed.insert(name.to_owned(), passed);
            }
            return result;
        }
        passed |= u32::from(by_name) << at;
    }
    Ok(())
}

/// Whether a program that was judged turned out to be one that no rule knows.
pub(crate) fn is_unknown(w: &Walker<'_>, name: &str) -> bool {
    let all = RULES
        .iter()
        .enumerate()
        .filter(|(_, (_, by_name))| *by_name);
    let all = all.fold(0, |bits, (at, _)| bits | 1 << at);
    let passed = w.passed.get(name).copied().unwrap_or(0);
    passed & all == all && !fragments::is_program(name)
}

/// Whether a program in the project folder with this name is judged as the known one.
pub(crate) fn is_dangerous_name(name: &str) -> bool {
    matches!(
        name,
        "git" | "gh" | "glab" | "sudo" | "rm" | "claude" | "codex" | "gemini"
    )
}

/// Whether a program outside the system folders is at least one that is known by name.
pub(crate) fn is_known(name: &str) -> bool {
    matches!(
        name,
        "git" | "gh" | "rm" | "sudo" | "grove" | "ov" | "overstory" | "bd" | "sd" | "mulch" | "ml"
    ) || readers::is_reader(name)
        || files::is_file_tool(name)
        || crate::interpreters::is_known(name)
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should say where"
)]
mod tests {
    use super::RULES;
    use crate::commands::Call;
    use crate::paths::{DiskLinks, Place};
    use crate::policy::Policy;
    use crate::shell::walk::Walker;

    /// The text of the rules that are said to go by the name alone, in their order.
    const BY_NAME: &[&str] = &[
        include_str!("system.rs"),
        include_str!("orchestrator.rs"),
        include_str!("files.rs"),
        include_str!("streams.rs"),
        include_str!("calculators.rs"),
        include_str!("find.rs"),
        include_str!("editors.rs"),
        include_str!("archives.rs"),
        include_str!("network.rs"),
        include_str!("cmdlets.rs"),
        include_str!("stores.rs"),
        include_str!("containers/judge.rs"),
        include_str!("databases/judge.rs"),
        include_str!("builder_names.rs"),
        include_str!("reader_names.rs"),
    ];

    #[test]
    fn whether_a_rule_that_goes_by_the_name_knows_it_never_depends_on_the_arguments() {
        let policy = Policy {
            agent: "a".to_owned(),
            capability: "builder".to_owned(),
            worktree: "/w/x".into(),
            root: "/w".into(),
            temp: None,
            quality_gates: Vec::new(),
            task_id: None,
            allow: Vec::new(),
            block: Vec::new(),
        };
        let mut walker = Walker::new(&policy, &DiskLinks);
        let state = walker.start(Place::Known(policy.worktree.clone()));
        let rules: Vec<_> = RULES.iter().filter(|(_, by_name)| *by_name).collect();
        assert_eq!(rules.len(), BY_NAME.len());
        let mut known = 0;
        for ((rule, _), source) in rules.into_iter().zip(BY_NAME) {
            // Every word in quotes may be a name.
            for name in source.split('"').skip(1).step_by(2) {
                let mut answers = ["", "kill", "--help", "a b", "-k x", "list", "-l", "a=b c d"]
                    .into_iter()
                    .map(|args| {
                        let argv = std::iter::once(name).chain(args.split_whitespace());
                        let call = Call {
                            argv: argv.map(str::to_owned).collect(),
                            env: Vec::new(),
                            stdin: None,
                        };
                        rule(&mut walker, name, &call, &state).is_some()
                    });
                let first = answers.next().unwrap();
                assert!(answers.all(|answer| answer == first), "{name}");
                known += usize::from(first);
            }
        }
        assert!(known > 300, "only {known} names");
    }
}
