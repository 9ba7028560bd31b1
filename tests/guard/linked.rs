//! A worktree that holds links, one of them leading out of it: what is printed there may be that link.

use crate::cases::wrong_in;
use crate::place::Place;

#[test]
fn every_case_in_a_worktree_with_links_is_answered_as_expected() {
    let place = Place::new();
    let link = |target: &std::path::Path, name: &str| {
        std::os::unix::fs::symlink(target, place.worktree.join(name)).unwrap();
    };
    link(&place.root, "outlink");
    link("src".as_ref(), "inlink");
    let (count, wrong) = wrong_in(&place, include_str!("linked.jsonl"));
    assert!(
        wrong.is_empty(),
        "{} of {count} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= 180, "only {count} cases");
}

#[test]
fn what_cannot_be_a_link_is_written_though_there_is_one() {
    let place = Place::new();
    std::os::unix::fs::symlink(&place.root, place.worktree.join("deps")).unwrap();
    for (command, expected) in [
        ("find . -name '*.rs' -exec sed -i s/a/b/ {} +", "allow"),
        ("find . -type f -exec sed -i s/a/b/ {} +", "allow"),
        ("find src | xargs touch", "allow"),
        ("find . | xargs touch", "block"),
        ("find . -name 'd*' | xargs touch", "block"),
        ("find . -name 'd*' -type f | xargs touch", "allow"),
        ("find . -type d -exec touch {}/deps/x \\;", "block"),
    ] {
        let (decision, reason) = place.bash("builder", command);
        assert_eq!(decision, expected, "{command}: {reason}");
    }
}
