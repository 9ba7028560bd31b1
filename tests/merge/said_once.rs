//! What a file can say but once, and each side says: it is held, and somebody is told for what.

use crate::support::{BRANCH, Sandbox, item, text};
use grove::merge::{Choices, Conclusion, Decision, Review, contested, execute_reviewed};
use grove::types::merge::MergeTier;

/// Both sides put in an entry point, at two places, and a line each at a third one, which git leaves open.
fn entry_points(side: &str) -> String {
    let steps =
        |from: usize| -> String { (from..from + 6).map(|n| format!("RUN step{n}\n")).collect() };
    let here = |of: &str, line: &str| {
        if of == side {
            line.to_owned()
        } else {
            String::new()
        }
    };
    let run = match side {
        "" => String::new(),
        side => format!("RUN as {side}\n"),
    };
    let (one, two) = (here("one", "CMD [\"a\"]\n"), here("two", "CMD [\"b\"]\n"));
    format!("FROM a\n{run}{}{one}{}{two}", steps(0), steps(10))
}

#[test]
fn what_is_held_because_the_file_would_say_it_twice_says_so_until_it_is_decided() {
    let sandbox = Sandbox::new(&[("Dockerfile", &entry_points(""))]);
    sandbox.commit(BRANCH, &[("Dockerfile", text(&entry_points("two")))], "b");
    sandbox.commit("main", &[("Dockerfile", text(&entry_points("one")))], "m");
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Held);
    let said = "Dockerfile: each side gives `CMD` in its own way, and there can be but one; decide it in Review";
    assert!(report.warnings.iter().any(|it| it == said), "{report:?}");
    assert_eq!(report.displaced.len(), 2, "both of them are shown");
    let place = contested(&sandbox.repo(), "main", BRANCH).unwrap().unwrap();
    let review = Review {
        target: place.target,
        branch: place.branch,
        choices: Choices::Hunks(vec![Decision::Ours; 2]),
        tier: MergeTier::AutoResolve,
        made: Vec::new(),
    };
    let report = execute_reviewed(&sandbox.context(), &item(BRANCH), &review, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:?}");
    assert!(!report.warnings.iter().any(|it| it == said), "{report:?}");
}
