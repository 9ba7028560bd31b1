//! Files whose name is part of the question: renamed ones in front of a model, files in a directory that
//! was renamed, and names that git would have made up.

use std::cell::RefCell;
use std::path::Path;

use crate::support::{BRANCH, GONE, Sandbox, item, text};
use grove::merge::{
    Conclusion, ConflictResolver, ContestedFile, MergeItem, OnDisplaced, execute_with_resolver,
};
use grove::types::merge::{MergeStatus, MergeTier};

struct Asked(RefCell<Vec<ContestedFile>>);

impl ConflictResolver for Asked {
    fn answer(
        &self,
        _: &MergeItem,
        _: MergeTier,
        file: &ContestedFile,
        _: &Path,
    ) -> Result<String, String> {
        self.0.borrow_mut().push(file.clone());
        Err("not today".to_owned())
    }
}

fn numbered(word: &str, count: usize) -> String {
    (0..count).map(|n| format!("{word} {n}\n")).collect()
}

#[test]
fn a_renamed_file_is_handed_over_with_all_its_versions() {
    let base = numbered("line", 30);
    let (ours, theirs) = (
        base.replace("line 7\n", "line ours\n"),
        base.replace("line 7\n", "line theirs\n"),
    );
    // Renamed by the branch, then by the target.
    for renamed_by_ours in [false, true] {
        let sandbox = Sandbox::new(&[("old", &base)]);
        if renamed_by_ours {
            sandbox.commit(BRANCH, &[("old", text(&theirs))], "b");
            sandbox.commit("main", &[("old", GONE), ("new", text(&ours))], "m");
        } else {
            sandbox.commit(BRANCH, &[("old", GONE), ("new", text(&theirs))], "b");
            sandbox.commit("main", &[("old", text(&ours))], "m");
        }
        let mut context = sandbox.context();
        context.on_displaced = OnDisplaced::Escalate;
        let asked = Asked(RefCell::new(Vec::new()));
        let report = execute_with_resolver(&context, &item(BRANCH), &asked, &mut |_| {}).unwrap();
        assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
        let asked = asked.0.into_inner();
        let [file] = asked.as_slice() else {
            panic!("{asked:#?}");
        };
        assert_eq!(file.path, "new");
        assert_eq!(
            (&file.base, &file.ours, &file.theirs),
            (&base, &ours, &theirs)
        );
    }
}

#[test]
fn a_file_that_goes_along_with_a_directory_keeps_what_git_merged() {
    let x = numbered("x", 30);
    let files = [("d/a", "a\n"), ("d/b", "b\n"), ("x", x.as_str())];
    let sandbox = Sandbox::new(&files);
    // The branch puts the file into a directory that the target renames; each changes a part of it.
    let theirs = x.replace("x 20\n", "x twenty\n");
    let ours = x.replace("x 2\n", "x two\n");
    sandbox.commit(BRANCH, &[("x", GONE), ("d/x", text(&theirs))], "b");
    let renamed = [
        ("d/a", GONE),
        ("d/b", GONE),
        ("e/a", text("a\n")),
        ("e/b", text("b\n")),
        ("x", text(&ours)),
    ];
    sandbox.commit("main", &renamed, "m");
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.files("main"), ["e/a", "e/b", "e/x"]);
    let both = ours.replace("x 20\n", "x twenty\n");
    assert_eq!(sandbox.show("main", "e/x"), both);
}

#[test]
fn a_file_where_the_other_side_has_a_directory_is_named_by_its_own_name() {
    for file_on_target in [false, true] {
        let sandbox = Sandbox::new(&[("a", "a\n")]);
        let (file, directory) = ([("d", text("file\n"))], [("d/x", text("in it\n"))]);
        if file_on_target {
            sandbox.commit(BRANCH, &directory, "b");
            sandbox.commit("main", &file, "m");
        } else {
            sandbox.commit(BRANCH, &file, "b");
            sandbox.commit("main", &directory, "m");
        }
        let before = sandbox.state();
        let report = sandbox.merge();
        assert_eq!(report.conclusion, Conclusion::Failed);
        assert_eq!(report.queue_status(), MergeStatus::Conflict);
        assert_eq!(report.conflict_files, ["d"]);
        let said = report.error_message.unwrap();
        let expected = if file_on_target {
            "d is a file on the target and a directory on the branch"
        } else {
            "d is a file on the branch and a directory on the target"
        };
        assert!(said.starts_with(expected), "{said}");
        assert!(!said.contains('~') && !said.contains("moving"), "{said}");
        assert_eq!(sandbox.state(), before);
    }
}
